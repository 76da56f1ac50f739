"""The tree that a parser explains is either a given tree or the best tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bistro._core import SentenceBatch
from bistro.errors import BistroError
from bistro.models.inputs import place_of
from bistro.models.parsing.codec import Codec, Tree, training_tree
from bistro.models.parsing.parser import ParsingAbility
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import find_tree_problem

ROOT, NONE = "ROOT", "none"


def given_tree(model: ParsingAbility, sentence: Sentence) -> Tree:
    """Return the tree of a sentence in the form that the model uses.

    Raise an error if the tree is invalid.
    """
    if problem := find_tree_problem(sentence.heads, roots="one" if model.single_root else "any"):
        raise BistroError(f"{place_of(sentence)}: {problem.reason}")
    tree = training_tree(sentence, model.config)
    require_known(model.codec, [tree], place_of(sentence))
    return tree


def tree_to_explain(
    model: ParsingAbility, sentence: Sentence, **options: Any
) -> tuple[Sentence, Tree, bool]:
    """Return the words, the given tree or the best tree, and whether the tree was given."""
    words = Sentence.from_columns(sentence.forms)
    if min(sentence.heads) >= 0:
        return words, given_tree(model, sentence), True
    return words, model.best_tree(words, **options), False


def require_known(codec: Codec, trees: Sequence[Tree], where: str) -> None:
    """Raise an error if trees contain tags or labels that are unknown to the model."""
    for kind, known, names in (
        ("tag", set(codec.tags), (tag for tree in trees for tag in tree.tags)),
        ("label", set(codec.labels), (label for tree in trees for label in tree.labels)),
    ):
        for name in names:
            if name not in known and not (kind == "label" and not codec.is_labelled):
                raise BistroError(f"{where}: the model has never seen the {kind} '{name}'")


def training_batch(model: ParsingAbility, sentences: Iterable[Sentence]) -> SentenceBatch:
    """Return training sentences with their trees in the format that the C++ core expects."""
    treebank = list(sentences)
    trees = [training_tree(sentence, model.config) for sentence in treebank]
    require_known(model.codec, trees, "the training data")
    return model.codec.encode(treebank, trees)


def arc_name(words: Sequence[str], head: int, dependent: int) -> str:
    """Return the name of an arc, such as "sleeps → dog".

    Words are numbered from 1; 0 is the root.
    """
    return f"{words[head - 1] if head else ROOT} \N{RIGHTWARDS ARROW} {words[dependent - 1]}"


def symbol_name(codec: Codec, what: str, number: int) -> str:
    """Return the name of a tag, word or label, given its index.

    The two indices after the last symbol represent the root (for tags and words only) and a missing
    value.
    """
    if what == "word":
        if number < len(codec.vocabulary):
            return codec.vocabulary.decode([number])[0]
        return (ROOT, NONE)[number - len(codec.vocabulary)]
    return [*codec.tags, ROOT, NONE][number] if what == "tag" else [*codec.labels, NONE][number]
