"""Settings of the pipeline and its layers."""

from __future__ import annotations

from dataclasses import dataclass

from bistro.config import setting
from bistro.models.columns.config import ColumnsConfig
from bistro.models.tokens.config import TokensConfig


@dataclass(frozen=True)
class PipelineConfig:
    """Settings of the pipeline."""

    parser: str = setting(
        "committee", "The kind of the parser: committee, transition, eisner or isbn."
    )
    parser_config: str = setting("", "A preset or TOML file with the settings of the parser.")
    tokens: TokensConfig = setting(
        TokensConfig(), "Settings of the model that divides text into words and sentences."
    )
    columns: ColumnsConfig = setting(
        ColumnsConfig(), "Settings of the model that predicts tags, features and lemmas."
    )
