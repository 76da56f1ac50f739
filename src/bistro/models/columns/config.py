"""Settings of a model that predicts tags, features and lemmas."""

from __future__ import annotations

from dataclasses import dataclass, fields

from bistro.config import setting
from bistro.errors import ConfigError, nearest
from bistro.inference.settings import SamplerSettings
from bistro.models.columns.elements import ELEMENTS, PREDICTED, TAGS

LEMMAS = "lemmas"


@dataclass(frozen=True)
class ColumnContexts:
    """Contexts of the distributions over tags, features and lemmas.

    Back-off drops the last element of a context first.

    An expert whose context list is empty is not used.
    """

    spelling: tuple[str, ...] = setting(
        ("suffix1", "shape", "suffix2", "suffix3", "suffix4", "suffix5", "low", "previous.tag",
         "next.tag", "previous.low", "next.low"),
        "Context of the expert that predicts tags and features from the spelling of a word.",
    )  # fmt: skip
    words: tuple[str, ...] = setting(
        ("suffix2", "suffix4", "shape", "low", "previous.low", "next.low", "previous2.low"),
        "Context of the expert that predicts tags and features from the surrounding words.",
    )
    frame: tuple[str, ...] = setting(
        ("suffix1", "deprel", "frame", "subject", "head.tag", "suffix2", "suffix4", "low",
         "previous.low"),
        "Context of the expert that predicts tags and features from the tree, including the "
        "auxiliaries and the subject.",
    )  # fmt: skip
    neighbours: tuple[str, ...] = setting(
        ("suffix2", "shape", "previous.tag", "next.tag", "previous.shape", "next.shape", "low",
         "previous2.tag", "next.low"),
        "Context of the expert that predicts tags and features from capitalisation and the "
        "surrounding tags.",
    )  # fmt: skip
    lemmas: tuple[str, ...] = setting(
        ("upos", "xpos", "shape", "suffix1", "suffix2", "suffix3", "suffix4", "suffix5", "low",
         "form", "feats"),
        "Context for choosing the edit rule that derives the lemma from the word.",
    )  # fmt: skip

    @property
    def experts(self) -> dict[str, tuple[str, ...]]:
        """The contexts of the experts that predict tags and features."""
        named = {f.name: getattr(self, f.name) for f in fields(self) if f.name != LEMMAS}
        return {name: context for name, context in named.items() if context}

    def validate(self) -> None:
        """Raise an error if a context element is unknown or cannot be used by an expert."""
        if not self.experts:
            raise ConfigError("contexts must have at least one expert for tags and features")
        for expert, context in {**self.experts, LEMMAS: self.lemmas}.items():
            for name in context:
                if name not in ELEMENTS:
                    raise ConfigError(
                        f"contexts.{expert}: unknown element '{name}'{nearest(name, ELEMENTS)}"
                    )
                if expert != LEMMAS and name in (*TAGS, "tag"):
                    raise ConfigError(
                        f"contexts.{expert} cannot use '{name}', because the expert predicts this "
                        "value"
                    )


@dataclass(frozen=True)
class ColumnsConfig:
    """Settings of a model that predicts tags, features and lemmas."""

    columns: tuple[str, ...] = setting(PREDICTED, "The columns to learn.")
    contexts: ColumnContexts = setting(ColumnContexts(), "The context elements of each expert.")
    evidence: float = setting(
        5.0, "Weight of a parser's tag probabilities. Each expert has weight 1."
    )
    other_evidence: float = setting(
        0.3,
        "Weight of the tag probabilities from committee members that do not predict the parser's "
        "own tag column.",
    )
    prior: float = setting(
        0.25,
        "The product of the experts is divided by the tag frequencies raised to this power, "
        "because every expert already includes the tag frequencies.",
    )
    known_lemmas: float = setting(
        20.0, "Factor by which lemmas seen in training are favoured over new lemmas."
    )
    sampler: SamplerSettings = setting(
        SamplerSettings(sweeps=10, samples=5), "Settings for learning the distributions."
    )

    def validate(self) -> None:
        """Raise an error if a column cannot be learned or a weight is out of range."""
        for name in self.columns:
            if name not in PREDICTED:
                raise ConfigError(f"columns: unknown column '{name}'{nearest(name, PREDICTED)}")
        weights = (self.evidence, self.other_evidence)
        if not (all(0 <= weight <= 1000 for weight in weights) and 0 <= self.prior < 1):
            raise ConfigError(
                f"evidence ({self.evidence:g}) and other_evidence ({self.other_evidence:g}) must "
                f"lie between 0 and 1000, and prior ({self.prior:g}) must lie between 0 and 1"
            )
        if not 1 <= self.known_lemmas <= 1e6:
            raise ConfigError(
                f"known_lemmas is {self.known_lemmas:g}, but must lie between 1 and 1,000,000"
            )
