"""Settings of the reader: its members, and their common vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bistro.config import setting
from bistro.errors import ConfigError
from bistro.inference.settings import UNKNOWN_HELP, UnknownSetting
from bistro.models.defaults import DEFAULTS_HELP, OptionDefaults

QUICK = (
    "hidden=80 learning.passes=30 learning.reads=75000 learning.patience=2 learning.rate=0.1 "
    "learning.dropout=0.15"
)
"""The latent-variable parser of the default reader: in a mixture, a small one is enough."""


@dataclass(frozen=True)
class ReaderConfig:
    """Settings of the reader."""

    members: tuple[str, ...] = setting(
        ("ngram", "transition", f"isbn {QUICK}"),
        "The models that are mixed, each as KIND, KIND:PRESET or KIND:FILE.toml, followed by "
        "changes of single settings, as in 'isbn hidden=80 learning.passes=20'. A kind without a "
        "preset uses the preset that fits the treebank, if there is one.",
    )
    unknown: UnknownSetting = setting("classes", f"{UNKNOWN_HELP} The same for all members.")
    unknown_below: int = setting(
        2, "Words seen fewer times than this in training are unknown, to all members."
    )
    unknown_suffixes: int = setting(100, "Number of suffixes that distinguish unknown words.")
    weights: Literal["likely", "equal"] = setting(
        "likely",
        "Weights of the members: weights that make the development set most probable (EM), or "
        "equal weights.",
    )
    held_out: float = setting(
        0.1,
        "Without a development set: share of the training sentences that replaces it. Members "
        "learn from the others.",
    )
    text_parser: str = setting(
        "",
        "With raw text: the parser whose parses all members learn from, written like a member; it "
        "is not part of the mixture. Empty: every parser of the mixture parses the text itself.",
    )
    defaults: OptionDefaults = setting(OptionDefaults(), DEFAULTS_HELP)

    def validate(self) -> None:
        """Raise an error if there are no members or `held_out` is not between 0 and 1."""
        if not self.members or not all(text.split() for text in self.members):
            raise ConfigError("a reader needs at least one member, and every member a kind")
        if len({" ".join(text.split()) for text in self.members}) < len(self.members):
            raise ConfigError("a member of the reader is named twice")
        if not 0 < self.held_out < 1:
            raise ConfigError(f"held_out = {self.held_out} must lie between 0 and 1")
