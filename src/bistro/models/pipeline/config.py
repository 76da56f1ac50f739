"""Settings of the pipeline: its parser, and how words and columns are learned."""

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
    tokens: TokensConfig = setting(TokensConfig(), "How words and sentences are learned.")
    columns: ColumnsConfig = setting(ColumnsConfig(), "How tags, features and lemmas are learned.")
