"""Results of taggers, constituency parsers, models of word order and models of latent states.

Models of tag sequences (`tags`) find only tags. Parsers find tags together with trees. Taggers and
parsers have the method ``tag`` for one sentence and the method ``tag_all`` for many sentences.

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
    """Natural logarithm of p(words, tags), or of p(words, tags, tree) for a parser."""
    marginals: list[list[tuple[str, float]]] | None = None
    """The tags of each word with their probabilities, likeliest first."""
    states: int = 0
    """Total number of states in the search lattice, or 0 if there is no lattice."""


@dataclass(frozen=True, eq=False)
class FoundTree:
    """A tree and the natural logarithm of P(tree, words)."""

    tree: Tree
    log_prob: float


class LabelledSpan(NamedTuple):
    """A possible constituent: a label and the words from `start` to `end` (exclusive)."""

    label: str
    start: int
    end: int
    probability: float


@dataclass(frozen=True, eq=False)
class TreeParse:
    """The best tree of one sentence and, if requested, further trees."""

    words: list[str]
    trees: list[FoundTree]
    """The best tree, the k most probable trees that were drawn, or random samples."""
    is_found: bool = True
    """Whether the grammar has a tree for the words. If the grammar has no tree for the words, the
    result is a flat tree."""
    accepted: float = 1.0
    """Share of the mcmc proposals that were accepted."""
    is_complete: bool = True
    """Whether A* finished its search."""
    expected_f1: float | None = None
    """Expected bracket score of the minimum-risk tree, from 0 to 1, if the model computes it."""
    marginals: list[LabelledSpan] | None = None
    """Possible constituents with their probabilities, most probable first, if requested."""

    @property
    def tree(self) -> Tree:
        """The first tree."""
        return self.trees[0].tree

    @property
    def log_prob(self) -> float:
        """Natural logarithm of the probability of the first tree."""
        return self.trees[0].log_prob

    def _repr_svg_(self) -> str:
        """Return an SVG drawing of the tree, for notebooks."""
        from bistro.pictures.constituents import draw_constituents  # only notebooks need it

        return draw_constituents(self.tree)


class Family(NamedTuple):
    """The positions of a head and its dependents, counted from 1, nearest dependents first."""

    head: int
    left: tuple[int, ...]
    right: tuple[int, ...]

    @property
    def dependents(self) -> tuple[int, ...]:
        """All dependents."""
        return self.left + self.right


@dataclass(frozen=True)
class OrderScore:
    """The log-probability of the word order of one sentence, given its tree."""

    log_prob: float
    """The natural log-probability of the whole order."""
    dependents: int
    by_family: list[tuple[Family, float]]


Ties = Literal["random", "input"]
"""How to choose among equally probable orders: at random, or by preferring the order of the
input."""


@dataclass(frozen=True)
class Linearization:
    """One order of the words in a tree."""

    sentence: Sentence
    order: list[int]
    """The original positions of the words, from left to right in the new order."""
    log_prob: float


@dataclass(frozen=True)
class TopState:
    """A latent state with its most probable words and most frequent parents."""

    number: int
    name: str
    """The tag if the states are tags, and otherwise the number of the state."""
    share: float
    """Share of the training words that have this state."""
    words: list[tuple[str, float]]
    """The likeliest words with phi[word | state], in decreasing order."""
    parents: list[tuple[str, int]]
    """The most frequent parents of the state's words, with their counts."""
