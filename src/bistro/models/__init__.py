"""Which events, in which contexts."""

from __future__ import annotations

from bistro.models.base import Model
from bistro.models.committee.model import CommitteeModel
from bistro.models.eisner.model import EisnerModel
from bistro.models.grammar.model import GrammarModel
from bistro.models.isbn.model import IsbnModel
from bistro.models.linearize.model import LinearizeModel
from bistro.models.ngram.model import NgramModel
from bistro.models.topics.model import TopicsModel
from bistro.models.transition.model import TransitionModel
from bistro.models.unbounded.model import InfiniteModel

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
