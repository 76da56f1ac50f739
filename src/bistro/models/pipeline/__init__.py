"""The pipeline annotates running text in all columns of CoNLL-U."""

from __future__ import annotations

from bistro.models.kinds import Kind

KIND = Kind(
    name="pipeline",
    help="from running text to sentences, words, trees, tags, features and lemmas",
    about="a pipeline: words and sentences of running text, then trees, then all other columns",
    model="bistro.models.pipeline.model:PipelineModel",
    config="bistro.models.pipeline.config:PipelineConfig",
    trainer="bistro.models.pipeline.train:train_pipeline",
    needs_annotation=True,
    text_trainer="bistro.models.pipeline.train:train_with_text",
    abilities=("annotate", "figures"),
    has_members=True,
    speeds="parser_config",
    dev="what the parser inside learns from it",
    judged_by="figures",
)
