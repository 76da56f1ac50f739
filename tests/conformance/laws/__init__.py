"""Laws that every model keeps, as checks that anybody can call.

A family is more than methods with the right names: the surprisals of a sentence sum to that of the
whole, heads form a tree, a file gives back the model, the same seed gives the same bytes. Bistro's
own tests check these laws for every family; the author of another one checks them too:

>>> import bistro
>>> from functools import partial
>>> data = bistro.builtin(sentences=20, seed=1)
>>> train = partial(bistro.train, "ngram", data, order=2, sampler={"sweeps": 3, "samples": 1})
>>> checked = check_model(train(seed=1), bistro.builtin(sentences=3, seed=2))
>>> "The surprisals of a sentence sum to that of the whole" in checked
True
>>> check_training(train)

A law that does not hold is a `LawError`, which says what was found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bistro.models.abilities import ABILITIES
from bistro.models.base import Model

from .annotation import LAWS as OF_ANNOTATION
from .every_model import LAWS as OF_EVERY_MODEL
from .law import Law, LawError
from .parses import LAWS as OF_PARSES
from .structures import LAWS as OF_STRUCTURES
from .text import LAWS as OF_TEXT
from .training import check_training

__all__ = ["LAWS", "Law", "LawError", "check_model", "check_training", "laws_of"]

LAWS: tuple[Law, ...] = (*OF_EVERY_MODEL, *OF_TEXT, *OF_PARSES, *OF_STRUCTURES, *OF_ANNOTATION)
"""All laws of trained models."""


def laws_of(model: Model, without: Sequence[str] = ()) -> Iterator[Law]:
    """Yield the laws of what a model can do, but for some abilities."""
    for law in LAWS:
        if not law.ability or (law.ability not in without and ABILITIES[law.ability].is_own(model)):
            yield law


def check_model(model: Model, data: Sequence[Any], without: Sequence[str] = ()) -> list[str]:
    """Check every law that applies to a model, and return those that were checked.

    Parameters
    ----------
    model
        A trained model.
    data
        A few items of the kind that the model learns from, which it has not seen: sentences with
        trees for a parser. Some laws enumerate, so short ones are best.
    without
        Abilities that the settings of this model leave out, although it has the methods.
    """
    checked = []
    for law in laws_of(model, without):
        law(model, data)
        checked.append(law.text)
    return checked
