"""A committee with the latent-variable parser among its members."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.config import merged, read_toml, to_dict
from bistro.errors import BistroError, ConfigError
from bistro.inference.chains import Session
from bistro.inference.checkpoint import Checkpoint, StoppedError
from bistro.models.committee.config import CommitteeConfig
from bistro.models.committee.members import member_settings
from bistro.models.committee.mixture import USUAL_SHARPNESS, Fit
from bistro.models.committee.model import CommitteeModel
from bistro.models.isbn.config import IsbnConfig
from bistro.models.isbn.model import IsbnModel
from bistro.models.presets import file_or_preset
from bistro.treebank.sentence import Sentence

SMALL = {"hidden": 16, "learning": {"passes": 4, "rate": 0.2}}
ALONE = merged(to_dict(CommitteeConfig().isbn), SMALL)
"""The settings that a parser by itself needs to be the member of a committee."""
SETTINGS: dict[str, Any] = {
    "members": ["left", "isbn", "eisner"],
    "sampler": {"sweeps": 3, "samples": 2},
    "isbn": SMALL,
}


def trained(session: Session | None = None, **settings: Any) -> CommitteeModel:
    treebank = bistro.builtin(sentences=120, seed=1)
    model = bistro.train(
        "committee",
        treebank[:90],
        seed=1,
        dev=treebank[90:],
        session=session,
        **{**SETTINGS, **settings},
    )
    assert isinstance(model, CommitteeModel)
    return model


@pytest.fixture(scope="module")
def model() -> CommitteeModel:
    return trained()


def test_its_member_is_the_parser_trained_alone(model: CommitteeModel) -> None:
    treebank = bistro.builtin(sentences=120, seed=1)
    alone = bistro.train("isbn", treebank[:90], seed=1, dev=treebank[90:], **ALONE)
    member = model.members[1]
    assert isinstance(member, IsbnModel)
    assert model.member_names() == ["left", "isbn", "eisner"]
    np.testing.assert_array_equal(member.arrays()["weights"], alone.arrays()["weights"])
    assert member.origin.trace == alone.origin.trace


def test_weights_come_from_the_development_set(model: CommitteeModel) -> None:
    for fit in model.fits.values():
        assert sum(fit.heads) == pytest.approx(1)
        assert fit.heads[1] > 0
        assert fit != Fit.equal(3)


def test_a_checkpoint_with_another_development_set_is_refused(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "state")
    with pytest.raises(StoppedError):
        trained(Session(checkpoint, stop_requested=lambda: True))
    treebank = bistro.builtin(sentences=120, seed=1)
    with pytest.raises(BistroError, match="different data or settings, a different seed"):
        bistro.train(
            "committee",
            treebank[:90],
            dev=treebank[80:],
            session=Session(checkpoint, resume=True),
            **SETTINGS,
        )


def test_evidence_reaches_it(model: CommitteeModel) -> None:
    gold = list(bistro.builtin(sentences=10, seed=7))
    whole = model.votes_of_members(gold, model.with_defaults(partial=True))[1]
    assert not whole.relaxed.any()
    labels = len(model.members[1].label_names) + 1
    given = [head for sentence in gold for head in sentence.heads]
    np.testing.assert_array_equal(whole.arcs.likeliest() // labels, given)
    half = [s.replace(heads=[h if i % 2 else -1 for i, h in enumerate(s.heads)]) for s in gold]
    for sentence, parse in zip(half, model.parse_all(half, partial=True), strict=True):
        kept = zip(sentence.heads, parse.heads, strict=True)
        assert all(wanted in (-1, found) for wanted, found in kept)


def test_the_width_of_its_beam(model: CommitteeModel) -> None:
    transition, isbn, eisner = model.members
    asked = model.with_defaults(size=200)
    assert model.known_to(transition, asked)["size"] == 200
    assert model.known_to(isbn, asked)["size"] == model.config.beam
    assert "size" not in model.known_to(eisner, asked)
    by_beam = model.with_defaults(search="beam", size=3)
    assert model.known_to(isbn, by_beam) == {"tags": "joint", "size": 3}


def test_its_trees_are_those_of_the_others() -> None:
    tree = Sentence.from_columns(
        ["a", "b"], heads=[2, 0], deprels=["x", "root"], upos=["X", "Y"], xpos=["P", "Q"]
    )
    config = CommitteeConfig(members=("left", "isbn"), isbn=IsbnConfig(hidden=7, tagset="xpos"))
    found = member_settings(config, [tree])["isbn"]
    assert isinstance(found, IsbnConfig)
    assert (found.tagset, found.hidden) == ("upos", 7)


def test_without_trees_to_hold_out_it_holds_out_some_of_its_own() -> None:
    alone = bistro.train(
        "committee", bistro.builtin(sentences=60, seed=1), members=["isbn"], isbn=SMALL
    )
    assert isinstance(alone, CommitteeModel)
    assert alone.members[0].origin.treebank["held_out_sentences"] == 3
    assert alone.parse(["The", "dog", "sleeps", "."]).heads.count(0) == 1


def test_the_preset_has_all_members_of_the_default_and_more() -> None:
    preset, default = read_toml(file_or_preset("best"), CommitteeConfig), CommitteeConfig()
    assert set(preset.members) > set(default.members)
    assert preset.isbn.hidden > default.isbn.hidden
    assert preset.beam > default.beam


def test_one_reads_from_right_to_left() -> None:
    config = CommitteeConfig(members=("left", "isbn", "isbn-right"), isbn=IsbnConfig(hidden=16))
    found = member_settings(config, bistro.builtin(sentences=20, seed=1))
    directions = [settings.direction for settings in found.values()]
    assert directions == ["left-to-right", "left-to-right", "right-to-left"]


def test_bad_settings() -> None:
    treebank = bistro.builtin(sentences=20, seed=1)
    for settings, told in (
        ({"beam": 0}, "between 1 and 10,000"),
        ({"isbn": {"hidden": 0}}, "at least 1"),
        ({"isbn": {"hiden": 4}}, "hiden"),
        ({"members": ["isbm"]}, "must be one of"),
    ):
        with pytest.raises(ConfigError, match=told):
            bistro.train("committee", treebank, **settings)


def test_learning_that_comes_to_no_number_says_so(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "state")
    wild = {"hidden": 16, "learning": {"passes": 4, "rate": 1e30}}
    with pytest.raises(BistroError, match="diverged in pass"):
        trained(Session(checkpoint), isbn=wild)


def test_without_a_development_set_the_latent_member_has_held_sentences_out() -> None:
    """These sentences show how sure votes may be, with the member as it is."""
    treebank = bistro.builtin(sentences=900, seed=1)
    learning = {**SMALL["learning"], "passes": 1, "held_out": 0.2}  # type: ignore[dict-item]
    held_out = {"isbn": {**SMALL, "learning": learning}, "stack": {"folds": 0}}
    notes: list[str] = []
    session = Session(on_note=notes.append)
    model = bistro.train("committee", treebank, seed=1, session=session, **{**SETTINGS, **held_out})
    assert any("held-out words" in note for note in notes)
    assert all(fit.sharpness != USUAL_SHARPNESS for fit in model.fits.values())
