"""A committee whose votes are judged by a stack that has learned from folds of the treebank."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.errors import ConfigError, ModelFileError
from bistro.evaluate.attachment import score
from bistro.inference.chains import Session
from bistro.models.base import from_bytes
from bistro.models.committee.calibration import UNCHANGED
from bistro.models.committee.classes import NO_CLASSES
from bistro.models.committee.contents import WAYS
from bistro.models.committee.model import CommitteeModel
from bistro.models.committee.stack_training import LEAST_STACKED, dealt
from bistro.models.committee.stack_weights import AGAIN, rounded
from bistro.models.committee.stacking import Stack
from bistro.treebank.sentence import Sentence

TREEBANK = bistro.builtin(sentences=1100, seed=1)
TRAIN, UNSEEN = list(TREEBANK[:900]), list(TREEBANK[900:])
SETTINGS: dict[str, Any] = {
    "members": ["left", "eisner"],
    "sampler": {"sweeps": 4, "samples": 2},
}
STACK = {"folds": 2, "bits": 14}


def trained(threads: int = 1, **settings: Any) -> CommitteeModel:
    session = Session(threads=threads)
    model = bistro.train(
        "committee", TRAIN, seed=1, session=session, **{**SETTINGS, "stack": STACK, **settings}
    )
    assert isinstance(model, CommitteeModel)
    return model


@pytest.fixture(scope="module")
def model() -> CommitteeModel:
    return trained()


def test_there_is_a_stack_for_each_source_of_tags(model: CommitteeModel) -> None:
    assert sum(map(len, TRAIN)) >= LEAST_STACKED
    assert set(model.stacks) == set(WAYS)
    assert set(model.stacks["joint"].weights) == {"tags", "heads", "labels"}
    assert set(model.stacks["given"].weights) == {"heads", "labels"}


def test_probabilities_sum_to_one_or_less(model: CommitteeModel) -> None:
    for sentence, parse in zip(UNSEEN, model.parse_all(UNSEEN, marginals=True), strict=True):
        assert parse.marginals is not None
        tags = [sum(p for _, p in row) for row in parse.marginals.tags]
        assert tags == pytest.approx([1.0] * len(sentence))
        # The rest is the probability that no member has proposed the right head.
        for rows in (parse.marginals.heads, parse.marginals.labels):
            sums = [sum(p for _, p in row) for row in rows]
            assert all(0.4 < total < 1.000001 for total in sums)
        assert all(head != i for i, row in enumerate(parse.marginals.heads, 1) for head, _ in row)


def test_a_file_holds_the_stack(model: CommitteeModel) -> None:
    again = from_bytes(model.to_bytes(), "the file")
    assert again.to_bytes() == model.to_bytes()
    assert isinstance(again, CommitteeModel)
    for one, other in zip(model.parse_all(UNSEEN[:30]), again.parse_all(UNSEEN[:30]), strict=True):
        assert one.heads == other.heads and one.labels == other.labels


def test_threads_do_not_change_it(model: CommitteeModel) -> None:
    assert trained(threads=3).to_bytes() == model.to_bytes()


def test_it_finds_no_fewer_heads_than_the_mixture(model: CommitteeModel) -> None:
    plain = trained(stack={"folds": 0})
    assert not plain.stacks

    def right(parser: CommitteeModel) -> float:
        system = [
            s.replace(heads=p.heads, deprels=p.labels)
            for s, p in zip(UNSEEN, parser.parse_all(UNSEEN), strict=True)
        ]
        return score(UNSEEN, system).las or 0.0

    assert right(model) >= right(plain)


def test_a_second_round_sees_the_tree_of_the_first(model: CommitteeModel) -> None:
    twice = trained(stack={**STACK, "rounds": 2})
    first, both = model.stacks["joint"].weights, twice.stacks["joint"].weights
    assert {name.removesuffix(AGAIN) for name in both} == set(first) and len(both) == 2 * len(first)
    assert all(np.array_equal(np.asarray(both[n]), np.asarray(first[n])) for n in first)
    ballot = twice.ballot(
        UNSEEN,
        twice.votes_of_members(UNSEEN, twice.with_defaults()),
        twice.fits["joint"],
        twice.symbols,
    )
    # The second round is a first round on the tree of the first round.
    alone = Stack({name: both[name + AGAIN] for name in first}, model.stacks["joint"].templates)
    tree = ballot.tree_of(model.stacks["joint"].decided(ballot))
    vars(ballot)["tree"] = tree  # a cached property
    expected = alone.decided(ballot)
    del vars(ballot)["tree"]
    found = twice.stacks["joint"].decided(ballot)
    assert (found.arcs.probability == expected.arcs.probability).all()
    assert (found.tags.probability == expected.tags.probability).all()
    assert from_bytes(twice.to_bytes(), "the file").to_bytes() == twice.to_bytes()
    with pytest.raises(ConfigError, match="rounds"):
        trained(stack={**STACK, "rounds": 0})


def test_a_development_set_calibrates_the_heads_of_trees(model: CommitteeModel) -> None:
    dev, unseen = UNSEEN[:100], UNSEEN[100:]
    made = bistro.train(
        "committee", TRAIN, seed=1, dev=dev, **{**SETTINGS, "stack": {**STACK, "passes": 1}}
    )
    assert isinstance(made, CommitteeModel)
    fit = made.fits["joint"]
    assert fit.sharpness == 1 and fit.is_calibrated
    plain = replace(made, fits={way: replace(fit, log_odds=UNCHANGED) for way in WAYS})
    one, other = (m.mixture(dev, m.with_defaults(threads=1)) for m in (made, plain))
    heads = other.trees(made.single_root, 1)[0]
    assert (one.trees(made.single_root, 1)[0] == heads).all()
    before, after = (m.heads.probability_of(heads) for m in (other, one))
    assert after == pytest.approx(fit.log_odds.calibrated(before))
    gold = np.array([head for sentence in dev for head in sentence.heads])
    error = [abs(float(p.mean()) - float((heads == gold).mean())) for p in (after, before)]
    assert error[0] <= error[1]
    for mixture in (one, made.mixture(unseen, made.with_defaults(threads=1))):
        sums = np.bincount(mixture.heads.row, mixture.heads.probability)
        assert sums.min() > 0 and sums.max() < 1.000001
    again = from_bytes(made.to_bytes(), "the file")
    assert isinstance(again, CommitteeModel) and again.fits == made.fits
    assert "log-odds" in made.describe()


def test_given_heads_are_kept(model: CommitteeModel) -> None:
    for sentence in UNSEEN[:20]:
        heads = [head if i % 2 else -1 for i, head in enumerate(sentence.heads)]
        labels = [label if i % 2 else "_" for i, label in enumerate(sentence.deprels)]
        known = sentence.replace(heads=heads, deprels=labels)
        found = model.parse(known, partial=True, marginals=True)
        assert found.marginals is not None
        certain = [
            dict(row)[h] for row, h in zip(found.marginals.heads, heads, strict=True) if h >= 0
        ]
        assert certain == pytest.approx([1.0] * len(certain))
        assert found.heads[1::2] == sentence.heads[1::2]
        assert found.labels[1::2] == sentence.deprels[1::2]


def test_a_damaged_stack_is_refused(model: CommitteeModel) -> None:
    for wrong in (
        {"heads": np.zeros(100, dtype=np.float32)},
        {"heads": np.full(64, np.nan, dtype=np.float32)},
        {"head": np.zeros(64, dtype=np.float32)},
        {"heads": np.zeros(64)},
    ):
        with pytest.raises(ModelFileError, match="stack"):
            Stack.from_arrays(wrong)
    kept = model.stacks["joint"]
    for name, array in (
        ("heads.places", np.array([1 << 30], dtype=np.uint32)),
        ("heads.size", np.array([100])),
        ("head.size", np.array([64])),
    ):
        with pytest.raises(ModelFileError, match="stack"):
            Stack.from_arrays({**kept.arrays(), name: array}, kept.templates)
    short = {"heads.size": np.array([64]), "heads.weights": np.zeros(32, dtype=np.float16)}
    with pytest.raises(ModelFileError, match="stack"):
        Stack.from_arrays(short, kept.templates)
    for wrong_header in ({"templates": {"heads": ["i.colour", ""]}}, {"templates": [1]}):
        with pytest.raises(ModelFileError, match="templates"):
            parts = {**model.header(), **wrong_header}
            CommitteeModel.from_parts(model.config, parts, model.arrays(), model.origin)
    with pytest.raises(ModelFileError, match="word classes"):
        parts = {**model.header(), "classes": ["the"]}
        CommitteeModel.from_parts(model.config, parts, model.arrays(), model.origin)
    with pytest.raises(ModelFileError, match="stacks are damaged"):
        parts = {**model.header(), "stacks": ["both"]}
        CommitteeModel.from_parts(model.config, parts, model.arrays(), model.origin)


def test_a_small_file_does_not_take_the_memory_of_a_large_table() -> None:
    """Weights of 24 bits would take 64 MB for each decision."""
    child = """
import numpy as np
from bistro.models.committee.stacking import Stack
from bistro.models.committee.templates import usual

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

templates = usual(classes=True)
parts = {
    "size": np.array([1 << 24]),
    "places": np.arange(0, 1 << 24, 1 << 19, dtype=np.uint32),
    "weights": np.ones(32, np.float16),
}
arrays = {f"{name}.{key}": array for name in templates for key, array in parts.items()}
before = peak()
stack = Stack.from_arrays(arrays, templates)
print((peak() - before) // 1024, len(stack.weights))
"""
    if not Path("/proc/self/status").exists():
        pytest.skip("needs the peak of memory that Linux tells")
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-c", child],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    megabytes, decisions = map(int, done.stdout.split())
    assert decisions == 3 and megabytes < 5 * decisions


@pytest.mark.parametrize("share", [0.0, 0.1, 0.9])
def test_a_file_has_the_places_of_weights_if_most_are_zero(share: float) -> None:
    rng = np.random.default_rng(1)
    weights = rounded(np.where(rng.random(1 << 10) < share, rng.normal(size=1 << 10), 0.0))
    kept = Stack({"heads": weights}, {"heads": ("i.tag", "")})
    arrays = kept.arrays()
    assert ("heads.places" in arrays) == (share < 1 / 3)
    again = Stack.from_arrays(arrays, kept.templates).arrays()
    assert arrays.keys() == again.keys()
    assert all(np.array_equal(arrays[name], again[name]) for name in arrays)


def test_files_without_templates_have_the_features_of_the_core(model: CommitteeModel) -> None:
    """The layout of files from before there were templates: all weights, no templates."""
    rng = np.random.default_rng(1)
    weights = {
        name: rng.normal(0, 0.1, 1 << 12).astype(np.float32) for name in ("tags", "heads", "labels")
    }
    given = {name: weights[name] for name in ("heads", "labels")}
    former = replace(model, stacks={"given": Stack(given), "joint": Stack(weights)})
    former.classes = NO_CLASSES
    assert "templates" not in former.header() and "classes" not in former.header()
    assert (former.arrays()["stack.joint/heads"] == weights["heads"]).all()
    again = from_bytes(former.to_bytes(), "the file")
    found = [[p.heads, p.tags] for p in again.parse_all(UNSEEN[:20])]
    assert found == [[p.heads, p.tags] for p in former.parse_all(UNSEEN[:20])]
    assert found != [[p.heads, p.tags] for p in model.parse_all(UNSEEN[:20])]


def test_raw_text_teaches_classes_of_words(model: CommitteeModel, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    lines = [" ".join(s.forms) for s in bistro.builtin(sentences=3000, seed=5)]
    text.write_text("\n".join(lines), encoding="utf-8")
    stack = {"folds": 2, "bits": 12, "passes": 1}
    quick: dict[str, Any] = {**SETTINGS, "members": ["left"]}
    taught = bistro.train("committee", TRAIN, text=text, dev=UNSEEN[:50], stack=stack, **quick)
    plain = bistro.train("committee", TRAIN, seed=1, dev=UNSEEN[:50], stack=stack, **quick)
    classless = {**stack, "classes": False}
    without = bistro.train("committee", TRAIN, seed=1, stack=classless, **quick)
    assert taught.origin.treebank["texts"][0]["sentences"] == 3000
    assert len(taught.classes.words) > len(plain.classes.words)
    assert not without.classes.words and "i.some" not in str(without.header()["templates"])
    again = from_bytes(taught.to_bytes(), "the file")
    assert again.to_bytes() == taught.to_bytes()
    for one, other in zip(taught.parse_all(UNSEEN[:9]), again.parse_all(UNSEEN[:9]), strict=True):
        assert one.heads == other.heads


def test_few_words_teach_no_stack() -> None:
    small = bistro.train("committee", TRAIN[:60], seed=1, stack=STACK, **SETTINGS)
    assert isinstance(small, CommitteeModel) and not small.stacks


def test_folds() -> None:
    sentences = [Sentence.from_columns([str(i)]) for i in range(95)]
    folds = list(dealt(sentences, 3))
    for rest, fold in folds:
        assert len(rest) + len(fold) == 95 and fold
        assert not {s.forms[0] for s in rest} & {s.forms[0] for s in fold}
    assert sorted(int(s.forms[0]) for _, fold in folds for s in fold) == list(range(95))


def test_bad_settings() -> None:
    for stack, told in (
        ({"folds": 1}, "0 or at least 2"),
        ({"passes": 0}, "positive"),
        ({"bits": 40}, "between 8 and 24"),
        ({"dropout": 1.0}, "dropout"),
    ):
        with pytest.raises(ConfigError, match=told):
            bistro.train("committee", TRAIN[:20], stack=stack)


def test_joined_committees_mix(model: CommitteeModel) -> None:
    both = CommitteeModel.of([model, model])
    assert not both.stacks
    assert len(both.members) == 4
