"""What training notes of itself: the same numbers that the chains have, in few digits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bistro
from bistro._core import UniformBase
from bistro.encoding.events import Events
from bistro.inference.chains import Stage, short
from bistro.inference.gibbs import Chain
from bistro.inference.settings import SamplerSettings
from bistro.treebank.treebank import Treebank

SHORT = {"sweeps": 3, "samples": 2}


@pytest.fixture(scope="module")
def treebank() -> Treebank:
    return bistro.builtin(sentences=120, seed=1)


def test_the_figures_of_a_chain_are_those_of_its_franchise() -> None:
    contexts = np.array([[0, 1], [1, 0], [1, 1]] * 20, dtype=np.int32)
    events = Events(contexts, np.array([0, 1, 2] * 20, dtype=np.int32))
    chain = Chain("words", events, UniformBase(5), SamplerSettings(), seed=1)
    chain.seat()
    chain.step(0, keep=False)
    figures = chain.figures()
    parameters = chain.franchise.parameters()
    assert figures["words.discount"] == [short(discount) for discount, _ in parameters]
    assert figures["words.strength"] == [short(strength) for _, strength in parameters]
    tables = figures["words.tables"]
    assert isinstance(tables, list)
    customers = [customers for _, customers, _ in chain.franchise.counts_by_level()]
    # A table of one depth is a customer of the depth below it.
    assert customers[:-1] == tables[1:]
    assert customers[-1] == 60
    owned = Stage([chain], 1, 1, owners=["left/"]).figures()
    assert owned == {f"left/{name}": value for name, value in figures.items()}


@pytest.mark.parametrize(
    ("kind", "settings", "names"),
    [
        ("ngram", {"sampler": SHORT, "order": 3}, {"words": 3}),
        ("ngram", {"sampler": SHORT, "unknown": "spelling"}, {"words": 5, "spelling": None}),
        ("transition", {"sampler": SHORT}, dict.fromkeys(("actions", "labels", "tags", "words"))),
        (
            "tags",
            {"sampler": {**SHORT, "seating": "gibbs", "hyper": "slice"}, "shared_from": 3},
            {"rules": 3},
        ),
    ],
)
def test_every_sweep_has_discounts_strengths_and_tables(
    treebank: Treebank, kind: str, settings: dict[str, Any], names: dict[str, Any]
) -> None:
    trace = bistro.train(kind, treebank, seed=1, **settings).origin.trace
    assert len(trace) == 3
    for row in trace:
        for name, levels in names.items():
            lists = [row[f"{name}.{what}"] for what in ("discount", "strength", "tables")]
            assert len(set(map(len, lists))) == 1
            assert levels is None or len(lists[0]) == levels
            assert all(0 <= discount < 1 for discount in lists[0])
            assert all(count > 0 for count in lists[2])


def test_one_pass_tells_its_hyper_parameters(treebank: Treebank) -> None:
    (row,) = bistro.train("tags", treebank, seed=1).origin.trace
    assert len(row["rules.discount"]) == len(row["rules.strength"]) > 1


def test_topics_tell_their_hyper_parameters(treebank: Treebank) -> None:
    trace = bistro.train("topics", treebank, seed=1, states=4, sweeps=10).origin.trace
    assert len({row["strength"] for row in trace}) > 1
    assert all({"live_states", "smoothing", "gamma"} <= set(row) for row in trace)


def test_members_of_a_committee_have_their_names(treebank: Treebank) -> None:
    settings = {"sampler": SHORT, "members": ["left", "right"]}
    row = bistro.train("committee", treebank, seed=1, **settings).origin.trace[-1]
    assert {"left/words.tables", "right/actions.discount"} <= set(row)
