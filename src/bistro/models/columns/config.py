"""Settings of the model of columns."""

from __future__ import annotations

from dataclasses import dataclass

from bistro.config import setting
from bistro.errors import ConfigError, nearest
from bistro.inference.settings import SamplerSettings
from bistro.models.columns.elements import ELEMENTS, PREDICTED


@dataclass(frozen=True)
class ColumnContexts:
    """What each column sees, most informative first."""

    upos: tuple[str, ...] = setting(
        ("shape", "suffix1", "suffix2", "suffix3", "low", "previous.low", "next.low"),
        "Universal tags, where the input has none.",
    )
    xpos: tuple[str, ...] = setting(
        ("upos", "suffix2", "shape", "suffix3", "low", "children", "deprel", "previous.upos",
         "previous.low"),
        "The treebank's own tags.",
    )  # fmt: skip
    feats: tuple[str, ...] = setting(
        ("upos", "xpos", "suffix2", "suffix3", "low", "deprel", "children", "previous.low"),
        "Features.",
    )
    lemmas: tuple[str, ...] = setting(
        ("upos", "xpos", "shape", "suffix1", "suffix2", "suffix3", "suffix4", "low", "form",
         "feats"),
        "Lemmas, by the rules that make them from words.",
    )  # fmt: skip

    def validate(self) -> None:
        """Refuse elements that do not exist, and columns that see what is found after them."""
        for place, column in enumerate(PREDICTED):
            for name in getattr(self, column):
                if name not in ELEMENTS:
                    raise ConfigError(f"contexts.{column}: no '{name}'{nearest(name, ELEMENTS)}")
                if name.rpartition(".")[2] in PREDICTED[place:]:
                    raise ConfigError(
                        f"contexts.{column} sees '{name}', which is found after it: columns are "
                        f"found in the order {', '.join(PREDICTED)}"
                    )


@dataclass(frozen=True)
class ColumnsConfig:
    """Settings of the model of columns."""

    columns: tuple[str, ...] = setting(PREDICTED, "The columns that are learned.")
    contexts: ColumnContexts = setting(ColumnContexts(), "What each column sees.")
    sampler: SamplerSettings = setting(
        SamplerSettings(sweeps=10, samples=5), "How the columns are learned."
    )

    def validate(self) -> None:
        """Refuse columns that cannot be learned."""
        for name in self.columns:
            if name not in PREDICTED:
                raise ConfigError(f"columns: no '{name}'{nearest(name, PREDICTED)}")
