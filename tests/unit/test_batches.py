"""What models remember from sentence to sentence changes no bit of what they return."""

from __future__ import annotations

from typing import Any

import pytest

import bistro
from bistro.models.abilities import VOTE, Voter
from bistro.models.committee.model import CommitteeModel
from bistro.models.transition.model import TransitionModel
from bistro.treebank.sentence import Sentence

SHORT = {"sweeps": 2, "samples": 1}
SETTINGS: dict[str, dict[str, Any]] = {
    "transition": {"sampler": SHORT},
    "eisner": {"sampler": SHORT},
    "isbn": {"hidden": 8, "learning": {"passes": 1}},
}


def sentences() -> list[Sentence]:
    unknown = Sentence.from_columns(["Zzyzx", "qwerty", "plugh"])
    plain = [Sentence.from_columns(s.forms) for s in bistro.builtin(sentences=20, seed=7)]
    return [*plain[:9], unknown, *plain[9:], unknown]


def in_batches(model: Voter, size: int, threads: int) -> dict[str, bytes]:
    """Return the votes on all sentences, so many at a time."""
    given = sentences()
    found = [
        model.votes(given[first : first + size], tags="joint", threads=threads)
        for first in range(0, len(given), size)
    ]
    return {
        "arcs": b"".join(v.arcs.what.tobytes() for v in found),
        "of arcs": b"".join(v.arcs.probability.tobytes() for v in found),
        "tags": b"".join(v.tags.what.tobytes() for v in found),
        "of tags": b"".join(v.tags.probability.tobytes() for v in found),
    }


@pytest.mark.parametrize("kind", SETTINGS)
def test_batches_and_threads_change_no_bit(kind: str) -> None:
    treebank = bistro.builtin(sentences=60, seed=1)
    model = VOTE.of(bistro.train(kind, treebank, seed=1, **SETTINGS[kind]))
    whole = in_batches(model, len(sentences()), threads=1)
    for size, threads in ((1, 1), (2, 1), (7, 1), (7, 3), (len(sentences()), 2)):
        assert in_batches(model, size, threads) == whole


def test_members_with_equal_spellers_share_one() -> None:
    treebank = bistro.builtin(sentences=60, seed=1)

    def trained(**settings: Any) -> TransitionModel:
        model = bistro.train(
            "transition", treebank, seed=1, sampler=SHORT, unknown="spelling", **settings
        )
        assert isinstance(model, TransitionModel)
        return model

    left, right, other = (
        trained(direction="left-to-right"),
        trained(direction="right-to-left"),
        trained(spelling={"order": 2}),
    )
    alone = [in_batches(model, 7, 1) for model in (left, right, other)]
    committee = CommitteeModel.of([left, right, other])
    first, second, third = (m.codec.speller for m in (left, right, other))
    assert first is not None
    assert first is second
    assert third is not first
    assert [in_batches(member, 7, 1) for member in committee.members] == alone
