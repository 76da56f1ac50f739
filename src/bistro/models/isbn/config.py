"""Settings of the latent-variable parser, including the features of a state.

A state uses attributes of words in its configuration, with names such as ``s1.tag``:

    s1 s2 s3             the words on the stack, from the top
    b                    the word at the front of the queue, generated last
    p1 p2                the words before it in the sentence
    X.lc  X.rc  X.head   leftmost and rightmost child and head, for s1 and s2; b.lc for b
    word tag feats label attributes: the form, the tag, each of its features, its relation
    lemma  coarse        its lemma; the coarse tag of its tag: UPOS, with tagset = "xpos"
    action  distance     the previous action; the distance between s1 and b

A state also uses the decisions (an action, and the label of an arc) of the seven earlier states to
which it is linked:

    input.decision  stack.decision           the last state with the same front; the same stack
    s1.rc.decision  s1.lc.decision  b.lc.decision  s1.head.decision
                                             the last state with that word on top of the stack
    s1.front.decision                        the last state with s1 at the front of the queue

Some lists of features have names (`SETS`), as in ``features = ["local", "decisions"]``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bistro._core import isbn_elements
from bistro.config import setting
from bistro.encoding.contexts import check_elements, elements
from bistro.errors import ConfigError
from bistro.models.parsing.settings import ParserSettings

NAMES = isbn_elements()
LOCAL = elements("s1.word s1.tag s1.feats s1.label b.word b.tag b.feats b.label")
RICH = (
    *LOCAL,
    *elements("s2.word s2.tag s3.tag s1.head.word s1.head.tag s1.lc.label s1.rc.label s1.rc.tag"),
    *elements("b.lc.label b.lc.tag p1.word p1.tag action"),
)
DECISIONS = elements(
    "input.decision stack.decision s1.rc.decision s1.lc.decision b.lc.decision s1.head.decision "
    "s1.front.decision"
)
MALT = (
    *elements("s1.word s1.coarse s1.tag s1.feats s1.label s2.tag b.word b.coarse b.tag b.feats"),
    *elements("s1.head.word s1.lc.label s1.rc.label b.lc.label"),
)
"""The default features of MaltParser for CoNLL-X data (Nivre et al., 2006), without lemmas and
without words that have not been generated."""
SETS = {"local": LOCAL, "rich": RICH, "decisions": DECISIONS, "malt": MALT}


@dataclass(frozen=True)
class LearningSettings:
    """Settings for training the weights of the network."""

    passes: int = setting(60, "Maximum number of passes over the training sentences.")
    reads: int = setting(
        0,
        "Maximum total number of sentences read in all passes. This setting limits the number "
        "of passes over large treebanks. 0 means no limit.",
    )
    patience: int = setting(
        6,
        "Training ends after this number of passes without improvement on the held-out sentences.",
    )
    at_once: int = setting(16, "Number of sentences per step.", most=100_000)
    steps: Literal["adagrad", "plain"] = setting(
        "adagrad",
        "Type of gradient descent: with step sizes that are scaled by past gradients (adagrad), "
        "or with a constant step size (plain).",
    )
    rate: float = setting(0.05, "Step size for gradient descent.")
    decay: float = setting(0.02, "Weight decay in the first pass.")
    decay_factor: float = setting(
        0.8, "Factor by which the weight decay is multiplied after each pass."
    )
    dropout: float = setting(
        0.3, "Proportion of the state variables that are dropped during training."
    )
    average: bool = setting(
        True,
        "After each pass, also score the mean of the weights during the pass, and use the mean "
        "instead of the last weights if its score is higher.",
    )
    scale: float = setting(0.1, "Maximum absolute value of the initial weights.")
    held_out: float = setting(
        0.05,
        "Proportion of the training sentences that are held out to decide when training ends, "
        "if --dev is not given.",
    )

    def validate(self) -> None:
        """Raise an error if training is impossible with these settings."""
        if min(self.passes, self.patience, self.at_once) < 1:
            raise ConfigError("passes, patience and at_once must be at least 1")
        if self.reads < 0:
            raise ConfigError(f"reads is {self.reads}, but must not be negative")
        if not (
            self.rate > 0 and self.scale > 0 and self.decay >= 0 and 0 <= self.decay_factor <= 1
        ):
            raise ConfigError(
                "rate and scale must be above 0, decay at least 0, and decay_factor in [0, 1]"
            )
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"dropout is {self.dropout}, but must lie in [0, 1)")
        if not 0 < self.held_out < 1:
            raise ConfigError(f"held_out is {self.held_out}, but must lie between 0 and 1")

    def most_passes(self, sentences: int) -> int:
        """Return the maximum number of passes for a given number of training sentences.

        >>> LearningSettings(passes=30, reads=75_000).most_passes(12_500)
        6
        """
        return min(self.passes, max(1, self.reads // sentences)) if self.reads else self.passes


@dataclass(frozen=True)
class IsbnTextSettings:
    """Settings for learning from raw text."""

    rounds: int = setting(
        1,
        "Number of times that the raw text is parsed, each time with the latest model.",
    )
    beam: int = setting(5, "Width of the beam for parsing the raw text.", most=10_000)

    def validate(self) -> None:
        """Raise an error if a setting is less than 1."""
        if self.rounds < 1 or self.beam < 1:
            raise ConfigError("raw_text.rounds and raw_text.beam must be at least 1")


@dataclass(frozen=True)
class IsbnConfig(ParserSettings):
    """Settings of the latent-variable parser."""

    tag_features: tuple[str, ...] = setting(
        ("*",),
        "Morphological features that are predicted together with the tag. The value * selects all "
        "features of the column FEATS.",
    )
    labels: Literal["two-step", "none"] = setting(
        "two-step", "Whether labels are predicted after the arc, or not at all."
    )
    direction: Literal["left-to-right", "right-to-left"] = setting(
        "left-to-right", "Direction in which sentences are generated."
    )
    unknown: Literal["classes", "single"] = setting(
        "classes",
        "How to represent unknown words: by classes based on shape and suffix (classes), or by "
        "a single symbol <unk> (single).",
    )
    unknown_below: int = setting(
        5,
        "Words, features and feature combinations that were seen fewer times than this are "
        "unknown.",
    )
    listed: int = setting(
        2,
        "A word that was seen at least this often with its tag and features is a separate "
        "outcome. All other words share one outcome, whose probability is divided among them in "
        "proportion to their counts. Higher values make training on large treebanks faster.",
    )
    hidden: int = setting(160, "Number of binary variables in a state.", most=10_000)
    approximation: Literal["feed-forward", "mean-field"] = setting(
        "feed-forward",
        "How the means of a state's variables are computed. With `mean-field`, each decision also "
        "updates earlier means.",
    )
    links: bool = setting(
        True, "Link states to earlier states. Without links, no latent features are induced."
    )
    features: tuple[str, ...] = setting(
        RICH,
        "Features of the parser configuration that a state uses. The names local, rich, malt "
        "and decisions stand for lists of features.",
    )
    reduce: Literal["late", "early"] = setting(
        "late",
        "Whether a word is removed from the stack as late as possible or as soon as it is "
        "complete.",
    )
    learning: LearningSettings = setting(
        LearningSettings(), "Settings for training the weights of the network."
    )
    raw_text: IsbnTextSettings = setting(IsbnTextSettings(), "Settings for learning from raw text.")

    def validate(self) -> None:
        """Raise an error if a feature does not exist or a number is out of range."""
        check_elements(self.features, [*NAMES, *SETS])
        if len(set(self.features)) < len(self.features):
            raise ConfigError("a feature is named twice")
        if self.sees("coarse") and self.tagset != "xpos":
            raise ConfigError(
                "features that use coarse tags require language-specific tags: set tagset = 'xpos'"
            )
        if min(self.hidden, self.unknown_below, self.listed) < 1:
            raise ConfigError("hidden, unknown_below and listed must be at least 1")

    @property
    def elements(self) -> tuple[str, ...]:
        """Names of all individual features, without duplicates.

        >>> IsbnConfig(features=("action", "local")).elements[:3]
        ('action', 's1.word', 's1.tag')
        """
        names = (name for feature in self.features for name in SETS.get(feature, (feature,)))
        return tuple(dict.fromkeys(names))

    def sees(self, attribute: str) -> bool:
        """Return whether any feature uses this word attribute."""
        return any(name.endswith(f".{attribute}") for name in self.elements)
