"""Results of taggers, constituency parsers, models of word order and models of latent states.

Models of tag sequences (`tags`) find only tags; parsers find them with their trees. Both have
``tag`` for one sentence and ``tag_all`` for many.

>>> import bistro
>>> model = bistro.train("transition", bistro.builtin(sentences=200, seed=1), seed=1)
>>> model.tag("The dog sleeps .".split()).tags
['DET', 'NOUN', 'VERB', 'PUNCT']
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from bistro.treebank.brackets import Tree
from bistro.treebank.sentence import Sentence


@dataclass(frozen=True)
class Tagging:
    """The tags of one sentence."""

    sentence: Sentence
    tags: list[str]
    log_prob: float
    """Natural logarithm of p(words, tags); for a parser, of p(words, tags, tree)."""
    marginals: list[list[tuple[str, float]]] | None = None
    """For each word: its tags and their probabilities, likeliest first."""
    states: int = 0
    """Total number of states of the searched lattice; 0 if there is no lattice."""


@dataclass(frozen=True, eq=False)
class FoundTree:
    """A tree with the natural logarithm of P(tree, words)."""

    tree: Tree
    log_prob: float


class LabelledSpan(NamedTuple):
    """A possible constituent: a label over the words from `start` to `end` (exclusive)."""

    label: str
    start: int
    end: int
    probability: float


@dataclass(frozen=True, eq=False)
class TreeParse:
    """The result for one sentence: its tree, and more trees on request."""

    words: list[str]
    trees: list[FoundTree]
    """The tree, the k best drawn trees, or samples."""
    is_found: bool = True
    """True if the grammar has a tree for the words; otherwise the tree is flat."""
    accepted: float = 1.0
    """Share of the trees proposed by mcmc that were accepted."""
    is_complete: bool = True
    """True if A* finished its search."""
    expected_f1: float | None = None
    """Expected bracket score of the minimum-risk tree, from 0 to 1, if the model computes it."""
    marginals: list[LabelledSpan] | None = None
    """Possible constituents with their probabilities, likeliest first, if requested."""

    @property
    def tree(self) -> Tree:
        """The first tree."""
        return self.trees[0].tree

    @property
    def log_prob(self) -> float:
        """Natural logarithm of the probability of the first tree."""
        return self.trees[0].log_prob

    def _repr_svg_(self) -> str:
        """Draw the tree in a notebook."""
        from bistro.pictures.constituents import draw_constituents  # only notebooks need it

        return draw_constituents(self.tree)


class Family(NamedTuple):
    """A head and its dependents, by word number (from 1), from the head outwards."""

    head: int
    left: tuple[int, ...]
    right: tuple[int, ...]

    @property
    def dependents(self) -> tuple[int, ...]:
        """All dependents."""
        return self.left + self.right


@dataclass(frozen=True)
class OrderScore:
    """The log-probability of the order of one sentence, given its tree."""

    log_prob: float
    """Natural logarithm."""
    dependents: int
    by_family: list[tuple[Family, float]]


Ties = Literal["random", "input"]
"""Choice among equally probable orders: at random, or the input's order if it is among them."""


@dataclass(frozen=True)
class Linearization:
    """One order of a tree."""

    sentence: Sentence
    order: list[int]
    """The words of the given sentence by number, from left to right."""
    log_prob: float


@dataclass(frozen=True)
class TopState:
    """A state with its typical words and parents."""

    number: int
    name: str
    """The tag, if states are tags; otherwise the number."""
    share: float
    """Share of all words of the training set."""
    words: list[tuple[str, float]]
    """The likeliest words with phi[word | state], the likeliest first."""
    parents: list[tuple[str, int]]
    """The most frequent parents of its words, with their counts."""
