"""The options of parsers, and their conversion to requests for the C++ core."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from bistro._core import OutputRequest
from bistro.errors import ConfigError
from bistro.models.inputs import SENTENCES_AT_ONCE
from bistro.models.options import Options, check_choice
from bistro.rng import purpose_key

TAGS_ALONE = "tags"
"""Value of the option ``marginals`` that requests only the marginals of tags."""


@dataclass(frozen=True)
class SharedOptions(Options):
    """Options that all parsers accept."""

    samples_by_number: ClassVar[bool] = True
    """Whether the samples of a sentence depend on its position in the input."""

    tags: Literal["joint", "given"] = "joint"
    """Whether tags are predicted together with the tree or taken from the input."""
    partial: bool = False
    """Whether heads and labels in the input are used as evidence. A head or label that is ``_`` is
    predicted."""
    temperature: float = 2.0
    """Temperature for marginals, samples and the minimum-risk tree. The value 1 gives the model's
    own posterior, which is overconfident because it is a product over many steps. A higher
    temperature makes the weights of derivations more equal. The value 2 gave the best calibration
    of heads on the development set of English EWT."""
    tags_per_word: int = 3
    kbest: int = 1
    samples: int = 0
    marginals: bool | Literal["tags"] = False
    """Whether to return the probabilities of heads, labels and tags. With ``"tags"``, only the
    probabilities of tags are returned, which takes less time, and the minimum-risk tree may have
    neither log_prob nor posterior."""
    mbr: bool = True
    """Whether the first tree is the minimum-risk tree, which maximises the expected number of
    correct arcs."""
    seed: int = 1
    first: int = 0
    """Index of the first sentence in the whole text. Samples depend on this index. If a text is
    parsed in pieces, each piece must begin at a multiple of 2,000 sentences."""
    threads: int = 0
    """Number of threads; 0 uses all cores."""

    def protocol(self, kind: str) -> str:
        """Return a description of how a parser of this kind finds trees with these options."""
        parts = [kind, f"tags {self.tags}", *self._search(), f"temperature {self.temperature:g}"]
        return ", ".join([*parts, self.goal])

    @property
    def by_risk(self) -> bool:
        """Whether the minimum-risk tree is requested instead of the most probable trees."""
        return self.mbr and self.kbest == 1

    @property
    def goal(self) -> str:
        """A short description of the requested trees, to be shown with the results."""
        if self.samples:
            return f"samples, seed {self.seed}"
        return "minimum risk" if self.by_risk else "most probable trees"

    def _search(self) -> list[str]:
        """Return a description of the search, or an empty list for an exact chart parser."""
        return []


@dataclass(frozen=True)
class DictionaryOptions(SharedOptions):
    """Options of parsers that use a tag dictionary, which lists the training tags of each word."""

    tag_dictionary: Literal["soft", "hard", "none"] = "soft"
    """How to treat tags that a word never had in training, if tags are predicted. ``hard`` excludes
    such tags, ``none`` treats them like all other tags, and ``soft`` gives them less weight in
    marginals, samples and the minimum-risk tree. An unknown word may have the tags of its class."""
    unseen_tags: float = 0.3
    """Factor by which each unseen tag reduces the weight of a derivation if ``tag_dictionary`` is
    ``soft``. The default was chosen on the development sets of three treebanks."""

    def __post_init__(self) -> None:
        """Raise an error if the value of an option is invalid."""
        check_choice("tag_dictionary", self.tag_dictionary, ("soft", "hard", "none"))
        if not 0 < self.unseen_tags < 1:
            raise ConfigError(
                f"unseen_tags is {self.unseen_tags:g}, but must lie strictly between 0 and 1: for "
                "0, set tag_dictionary = 'hard'; for 1, set tag_dictionary = 'none'"
            )

    @property
    def unseen_weight(self) -> float:
        """The factor for each unseen tag. The value 0 excludes unseen tags from the search."""
        return {"soft": self.unseen_tags, "hard": 0.0, "none": 1.0}[self.tag_dictionary]

    def _search(self) -> list[str]:
        if self.tags == "given":
            return []
        soft = self.tag_dictionary == "soft"
        return [f"{self.tag_dictionary} tag dictionary" + f" {self.unseen_tags:g}" * soft]


@dataclass(frozen=True)
class CoreOptions(SharedOptions, ABC):
    """Options of a parser that is implemented in the C++ core."""

    kind: ClassVar[str]
    """The kind of the model, which is part of the names of its random streams."""

    def request(self, chunk: int = 0, *, votes: bool = False) -> Any:
        """Return the options in the format that the C++ core expects, for one chunk of sentences.

        With `votes`, the marginals of labelled heads are requested instead of trees.
        """
        if self.first < 0 or self.first % SENTENCES_AT_ONCE:
            raise ConfigError(
                f"first is {self.first}, but must be a multiple of {SENTENCES_AT_ONCE:,}"
            )
        output = OutputRequest(
            best=0 if votes else self.kbest,
            samples=0 if votes else self.samples,
            marginals=bool(self.marginals) and not votes,
            tags_alone=self.marginals == TAGS_ALONE and not votes,
            minimum_risk=self.by_risk and not votes,
            arc_marginals=votes,
            temperature=self.temperature,
            seed=self.seed,
            purpose=purpose_key(f"{self.kind}.samples.{self.first // SENTENCES_AT_ONCE + chunk}"),
        )
        return self.request_for(output)

    @abstractmethod
    def request_for(self, output: OutputRequest) -> Any:
        """Return a request to the core for the given output, including the search options."""
