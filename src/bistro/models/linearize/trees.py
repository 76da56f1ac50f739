"""Unordered dependency trees, the families of heads and dependents, and word orders.

A *family* is a head with its left and right dependents, each listed from the head outwards. The
word order of a projective tree is determined by the orders of its families. If arcs cross, each
family is still ordered by the positions of its words. The sentence then has the same score as the
projective word order with the same families.

>>> from bistro.treebank.sentence import Sentence
>>> tree = Sentence.from_columns(["This", "story", "ends", "."], heads=[2, 3, 0, 3],
...     upos=["DET", "NOUN", "VERB", "PUNCT"], deprels=["det", "nsubj", "root", "punct"])
>>> UnorderedTree.of(tree).families
[Family(head=2, left=(1,), right=()), Family(head=3, left=(2,), right=(4,))]
>>> projective_order(3, {3: Family(3, (), (4, 2)), 2: Family(2, (1,), ())})
[3, 4, 1, 2]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from bistro.errors import TreebankError
from bistro.models.linearize.config import COLUMNS, Labelling
from bistro.models.results.structures import Family
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import find_tree_problem, has_tree


@dataclass(frozen=True)
class UnorderedTree:
    """A sentence with a tree, and a list of the words to be ordered."""

    sentence: Sentence
    heads: list[int]
    kept: list[int]
    """Positions of the words to be ordered, counted from 1, in ascending order."""

    @classmethod
    def of(cls, sentence: Sentence, punctuation: Sequence[bool] | None = None) -> UnorderedTree:
        """Check that a sentence has a single tree, and leave out the given punctuation marks."""
        heads = list(sentence.heads)
        if not has_tree(heads):
            raise TreebankError(
                "a word has no head, but word-order models require complete trees",
                line=sentence.line,
            )
        problem = find_tree_problem(heads, roots="one")
        if problem:
            raise TreebankError(f"{problem.reason}; give one tree per sentence", line=sentence.line)
        kept = list(range(1, len(heads) + 1))
        if punctuation is not None:
            kept = _without(heads, punctuation)
        return cls(sentence, heads, kept)

    @property
    def root(self) -> int:
        """Position of the root word, counted from 1."""
        return self.heads.index(0) + 1

    @cached_property
    def families(self) -> list[Family]:
        """The families, sorted by the position of the head.

        Words without dependents have no family.
        """
        left: dict[int, list[int]] = {}
        right: dict[int, list[int]] = {}
        for word in self.kept:
            head = self.heads[word - 1]
            if head:
                (left if word < head else right).setdefault(head, []).append(word)
        return [
            Family(head, tuple(reversed(left.get(head, ()))), tuple(right.get(head, ())))
            for head in sorted(left.keys() | right.keys())
        ]

    @property
    def leaves(self) -> list[Family]:
        """The words without dependents, as families that contain only a head."""
        heads = {family.head for family in self.families}
        return [Family(word, (), ()) for word in self.kept if word not in heads]

    def names(self, columns: Sequence[str]) -> list[str]:
        """Return the values of the given columns for every word, joined by tabs."""
        if not columns:
            return [""] * len(self.heads)
        values = [getattr(self.sentence, COLUMNS[name]) for name in columns]
        return values[0] if len(values) == 1 else ["\t".join(v) for v in zip(*values, strict=True)]


def _without(heads: Sequence[int], punctuation: Sequence[bool]) -> list[int]:
    """Return the positions of all words that are not punctuation, and of all their ancestors."""
    wanted = {heads.index(0) + 1}
    for word, is_mark in enumerate(punctuation, start=1):
        while not is_mark and word and word not in wanted:
            wanted.add(word)
            word = heads[word - 1]
    return sorted(wanted)


def projective_order(root: int, ordered: Mapping[int, Family]) -> list[int]:
    """Return the word positions of a tree from left to right. Words without a family are leaves."""
    order: list[int] = []
    waiting = [(root, False)]
    while waiting:
        word, is_ready = waiting.pop()
        family = ordered.get(word)
        if is_ready or family is None:
            order.append(word)
            continue
        waiting += [(dependent, False) for dependent in reversed(family.right)]
        waiting.append((word, True))
        waiting += [(dependent, False) for dependent in family.left]
    return order


class Labels:
    """The indices of all head labels and dependent labels. Unseen labels have index 0."""

    UNSEEN = 0

    def __init__(self, labelling: Labelling, heads: Sequence[str], labels: Sequence[str]) -> None:
        self.labelling = labelling
        self.heads = list(heads)
        self.labels = list(labels)
        self._head_numbers = {name: i for i, name in enumerate(self.heads, start=1)}
        self._label_numbers = {name: i for i, name in enumerate(self.labels, start=1)}

    @property
    def stop(self) -> int:
        """The index of the stop symbol at the end of a side."""
        return len(self.labels) + 1

    @property
    def outcomes(self) -> int:
        """Number of possible outcomes of a step, including the unseen label and the stop symbol."""
        return len(self.labels) + 2

    @property
    def start(self) -> int:
        """The index of the start symbol before the first dependent of a side."""
        return len(self.labels) + 2

    def of_heads(self, names: Sequence[str]) -> list[int]:
        """Return the indices of head labels, given their names."""
        return [self._head_numbers.get(name, self.UNSEEN) for name in names]

    def of_dependents(self, names: Sequence[str]) -> list[int]:
        """Return the indices of dependent labels, given their names."""
        return [self._label_numbers.get(name, self.UNSEEN) for name in names]


def check_labels(tree: UnorderedTree, labelling: Labelling) -> None:
    """Raise an error if a column that a labelling uses is empty for any word."""
    for name in dict.fromkeys((*labelling.head, *labelling.dependent)):
        if name == "feats":
            continue  # An empty value is valid here: most words of most treebanks have none.
        column = getattr(tree.sentence, COLUMNS[name])
        for word in tree.kept:
            if column[word - 1] == EMPTY and tree.sentence.forms[word - 1] != EMPTY:
                raise TreebankError(
                    f"word {word} has no {name}, but the model's labelling needs one: annotate "
                    "the word, or train with another labelling",
                    line=tree.sentence.line,
                )
