"""Pictures that compare two trees for the same sentence, with the prediction above the words.

Arcs that the two trees share are drawn once, above the words. A predicted arc with a wrong head is
red, and an arc with the correct head and a wrong relation is ochre. The corresponding arcs of the
gold tree are drawn below the words as green dashed lines. Subtypes of relations are ignored, and if
one of the trees has no relations, only heads are compared.

>>> right = [2, 0], ["expl", "root"]
>>> svg = draw_comparison(["It", "rains"], right, ([2, 0], ["nsubj", "root"]))
>>> svg.count("relabelled"), svg.count("missed"), svg.count("wrong")
(2, 2, 0)
"""

from __future__ import annotations

from collections.abc import Sequence

from bistro.evaluate.by_relation import plain_relation
from bistro.pictures.arc_layout import Arc, arrange_both
from bistro.pictures.arcs import NO_HEAD, check_columns, picture, word_widths
from bistro.treebank.fields import EMPTY

Tree = tuple[Sequence[int], Sequence[str]]
"""The heads (counted from 1, with 0 for the root) and the relations of a tree."""
LEGEND = (
    "The predicted tree is above the words, with the probability of each arc. An arc is red if "
    "the head is wrong, and ochre if only the relation is wrong. The correct arcs are below the "
    "words, as green dashed lines."
)


def draw_comparison(
    forms: Sequence[str],
    right: Tree,
    predicted: Tree,
    tags: Sequence[str] | None = None,
    *,
    probabilities: Sequence[float] | None = None,
    rtl: bool = False,
) -> str:
    """Return an SVG picture of a predicted tree and the correct arcs that are missing from it."""
    check_columns(forms, right[0], right[1], tags, None)
    check_columns(forms, predicted[0], predicted[1], None, probabilities)
    above, below = [], []
    for word in range(len(forms)):
        kind = _difference(right, predicted, word)
        if predicted[0][word] != NO_HEAD:
            sure = probabilities[word] if probabilities is not None else None
            above.append(_arc(predicted, word, kind, sure))
        if kind:
            below.append(_arc(right, word, "missed", None))
    layouts = arrange_both(above, below, word_widths(forms, tags))
    return picture(forms, tags, *layouts, rtl=rtl)


def _difference(right: Tree, predicted: Tree, word: int) -> str:
    """Return the kind of error in a word's arc, or an empty string if the arc is correct."""
    if right[0][word] != predicted[0][word]:
        return "wrong"
    labels = right[1][word], predicted[1][word]
    same = EMPTY in labels or plain_relation(labels[0]) == plain_relation(labels[1])
    return "" if same else "relabelled"


def _arc(tree: Tree, word: int, kind: str, probability: float | None) -> Arc:
    head = tree[0][word]
    label = tree[1][word]
    return Arc(
        dependent=word,
        head=head - 1 if head > 0 else word,
        label="" if label == EMPTY else label,
        probability=probability,
        kind=kind,
    )
