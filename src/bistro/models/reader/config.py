"""Settings of the reader, its members and their common vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bistro.config import setting
from bistro.errors import ConfigError
from bistro.inference.settings import UNKNOWN_HELP, UnknownSetting
from bistro.models.defaults import DEFAULTS_HELP, OptionDefaults
from bistro.models.reader.marks import MarkName

QUICK = (
    "hidden=80 learning.passes=30 learning.reads=75000 learning.patience=2 learning.rate=0.1 "
    "learning.dropout=0.15"
)
"""Settings of the latent-variable parser in the default reader. A small parser is sufficient in a
mixture."""
MOST_WORDS = 10_000_000
"""Maximum number of words in the memory of a reader."""


@dataclass(frozen=True)
class ReaderConfig:
    """Settings of the reader."""

    members: tuple[str, ...] = setting(
        ("ngram", "transition", f"isbn {QUICK}"),
        "The models in the mixture. Each is given as KIND, KIND:PRESET or KIND:FILE.toml, "
        "followed by changes of single settings, as in 'isbn hidden=80 learning.passes=20'. A "
        "kind without a preset uses the preset that fits the treebank, if there is one.",
    )
    unknown: UnknownSetting = setting(
        "classes", f"{UNKNOWN_HELP} This setting applies to all members."
    )
    unknown_below: int = setting(
        2, "Words seen fewer times than this in training are unknown to all members."
    )
    unknown_suffixes: int = setting(
        100, "Number of suffixes that distinguish classes of unknown words."
    )
    weights: Literal["likely", "equal"] = setting(
        "likely",
        "How to weight the members. The weights are fitted by EM to maximise the probability of "
        "the development set (likely), or are all equal (equal).",
    )
    fixed_weights: tuple[float, ...] = setting(
        (),
        "Weights of the members, in the same order as the members. If they are given, no weights "
        "are fitted.",
    )
    memory: int = setting(
        300,
        "Number of preceding words from the same document that are kept in memory, if documents "
        "are given (--memory). The parameters of the memory are fitted on the development set. "
        "With 0, there is no memory.",
    )
    held_out: float = setting(
        0.1,
        "Share of the training sentences that is held out if there is no development set. The "
        "members are trained on the other sentences.",
    )
    text_parser: str = setting(
        "",
        "Parser for raw text, specified in the same way as a member. All members learn from the "
        "parses that this parser produces; it is not part of the mixture. If the setting is empty, "
        "every parser in the mixture parses the raw text itself.",
    )
    marks: tuple[MarkName, ...] = setting(
        (),
        "Changes to the training trees: number (verbs get the Number and Person of their "
        "subject), negation (negated words get Negated=Yes), gap (words of clauses with a gap get "
        "Gap=Subj or Gap=Other), auxiliary (verbs with an auxiliary get Aux=Yes), past (some VBN "
        "tags become VBD) and present (some VB tags become VBP). Members whose tag_features "
        "contain the added features predict these features together with the tag.",
    )
    defaults: OptionDefaults = setting(OptionDefaults(), DEFAULTS_HELP)

    def validate(self) -> None:
        """Raise an error if there are no members, or if `memory` or `held_out` is out of range."""
        if not self.members or not all(text.split() for text in self.members):
            raise ConfigError(
                "a reader must have at least one member, and every member must have a kind"
            )
        if len({" ".join(text.split()) for text in self.members}) < len(self.members):
            raise ConfigError("the members of a reader must be different, but one is named twice")
        weights = self.fixed_weights
        if weights and (len(weights) != len(self.members) or min(weights) <= 0):
            raise ConfigError(
                f"fixed_weights is {list(weights)}, but must have one weight above 0 for each of "
                f"the {len(self.members)} members; set fixed_weights = [] to fit the weights"
            )
        if not 0 <= self.memory <= MOST_WORDS:
            raise ConfigError(
                f"memory is {self.memory}, but must lie between 0 and {MOST_WORDS:,} words"
            )
        if not 0 < self.held_out < 1:
            raise ConfigError(f"held_out is {self.held_out}, but must lie between 0 and 1")
