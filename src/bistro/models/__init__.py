"""Which events, in which contexts."""

from __future__ import annotations

from bistro.models.base import Model
from bistro.models.committee import CommitteeModel
from bistro.models.eisner import EisnerModel
from bistro.models.grammar import GrammarModel
from bistro.models.infinite import InfiniteModel
from bistro.models.isbn import IsbnModel
from bistro.models.linearize import LinearizeModel
from bistro.models.ngram import NgramModel
from bistro.models.topics import TopicsModel
from bistro.models.transition import TransitionModel

KINDS: dict[str, type[Model]] = {
    model.kind: model
    for model in (
        NgramModel,
        TopicsModel,
        TransitionModel,
        EisnerModel,
        IsbnModel,
        CommitteeModel,
        LinearizeModel,
        InfiniteModel,
        GrammarModel,
    )
}
"""Every kind of model by the name it has on the command line and in its file."""
