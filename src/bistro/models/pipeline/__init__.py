"""From running text to all columns of CoNLL-U, in one model file."""

from __future__ import annotations

from bistro.models.kinds import Kind

KIND = Kind(
    name="pipeline",
    help="running text into sentences, words, trees, tags, features and lemmas",
    about="a pipeline: words and sentences of running text, then trees, then all other columns",
    model="bistro.models.pipeline.model:PipelineModel",
    config="bistro.models.pipeline.config:PipelineConfig",
    trainer="bistro.models.pipeline.train:train_pipeline",
    abilities=("annotate", "figures"),
    has_members=True,
    dev="the parser inside may learn from it",
    judged_by="figures",
)
