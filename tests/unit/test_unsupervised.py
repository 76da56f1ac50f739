"""The second stage of the transition parser: settings, what is latent, stopping and resuming."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bistro
from bistro.errors import BistroError, ConfigError
from bistro.inference.chains import Session, Sweep
from bistro.inference.checkpoint import Checkpoint, StoppedError
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.derivations import LatentChain
from bistro.models.transition.model import TransitionModel
from bistro.treebank.treebank import Treebank

SHORT = {"sweeps": 3, "samples": 2}


@pytest.fixture(scope="module")
def treebank() -> Treebank:
    return bistro.builtin(sentences=60, seed=3)


def train(treebank: Treebank, session: Session | None = None, **settings: Any) -> TransitionModel:
    unsupervised = {"sweeps": 4, "samples": 2, "particles": 5, **settings.pop("unsupervised", {})}
    model = bistro.train(
        "transition",
        treebank,
        seed=1,
        session=session,
        unsupervised=unsupervised,
        **{"sampler": SHORT, **settings},
    )
    assert isinstance(model, TransitionModel)
    return model


def as_bytes(model: TransitionModel, folder: Path, name: str = "m.bistro") -> bytes:
    model.save(folder / name)
    return (folder / name).read_bytes()


SETTINGS: dict[str, dict[str, Any]] = {
    "both": {},
    "trees": {"unsupervised": {"latent": "trees"}},
    "tags": {"unsupervised": {"latent": "tags"}},
    "all tags": {"unsupervised": {"tags": "all"}},
    "sampled derivations first": {"derivations": "sampled"},
    "joint labels, root last": {"labels": "joint", "root": "last"},
    "right to left, without labels": {"direction": "right-to-left", "labels": "none"},
    "words spelled": {"unknown": "spelling"},
    "labels seen": {"contexts": {"actions": ["s1.tag", "s2.tag", "s1.lc1.label", "s1.word"]}},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_kind_of_model_has_a_second_stage(treebank: Treebank, name: str) -> None:
    model = train(treebank, **SETTINGS[name])
    assert [row["sweep"] for row in model.origin.trace] == list(range(1, 8))
    parse = model.parse(["The", "dog", "sleeps", "."])
    assert sorted(parse.heads).count(0) == 1
    first_alone = train(treebank, **{**SETTINGS[name], "unsupervised": {"sweeps": 0}})
    assert len(first_alone.origin.trace) == 3
    assert first_alone.parse(["The", "dog", "sleeps", "."]).log_prob != parse.log_prob


@pytest.mark.parametrize("name", ["both", "sampled derivations first", "words spelled"])
@pytest.mark.parametrize("stop_after", [2, 3, 5])
def test_a_stopped_training_ends_in_the_same_file(
    treebank: Treebank, tmp_path: Path, name: str, stop_after: int
) -> None:
    whole = as_bytes(train(treebank, **SETTINGS[name]), tmp_path, "whole")
    swept: list[Sweep] = []
    session = Session(
        Checkpoint.beside(tmp_path / "m"),
        on_sweep=swept.append,
        stop_requested=lambda: len(swept) == stop_after,
    )
    with pytest.raises(StoppedError, match=f"after sweep {stop_after} of 7"):
        train(treebank, session, **SETTINGS[name])
    again = Session(Checkpoint.beside(tmp_path / "m"), resume=True, threads=3)
    assert as_bytes(train(treebank, again, **SETTINGS[name]), tmp_path, "m") == whole


def test_a_damaged_checkpoint_of_the_second_stage_is_refused(
    treebank: Treebank, tmp_path: Path
) -> None:
    from bistro.modelfile import read_model, write_model

    swept: list[Sweep] = []
    path = tmp_path / "m.checkpoint"
    session = Session(
        Checkpoint(path), on_sweep=swept.append, stop_requested=lambda: len(swept) == 5
    )
    with pytest.raises(StoppedError):
        train(treebank, session)
    file = read_model(path)
    arrays = {name: array.copy() for name, array in file.arrays.items()}
    arrays["derivations.ends"] = arrays["derivations.ends"][:-1]
    write_model(path, file.header, arrays)
    with pytest.raises(BistroError, match="damaged"):
        train(treebank, Session(Checkpoint(path), resume=True))


def test_given_tags_stay_and_given_trees_stay(treebank: Treebank) -> None:
    """What is not latent is never touched: those events are the treebank's in every sweep."""
    from bistro.models.parsing.codec import Codec
    from bistro.models.transition.train import Training

    for latent in ("trees", "tags"):
        config = bistro.config.from_dict(
            TransitionConfig,
            {
                "sampler": SHORT,
                "unsupervised": {"sweeps": 4, "samples": 4, "particles": 20, "latent": latent},
            },
        )
        sentences = list(treebank)
        codec, _ = Codec.learn(sentences, config)
        training = Training(config, codec, sentences, 1, single_root=True)
        first, second = training.stages()
        for chain in first.chains:
            chain.seat()
        (latent_chain,) = second.chains
        assert isinstance(latent_chain, LatentChain)
        latent_chain.seat()
        before = latent_chain.derivations[0].reshape(-1, 3)
        for sweep in range(3):
            latent_chain.step(3 + sweep, keep=False)
        after = latent_chain.derivations[0].reshape(-1, 3)
        shifts = [steps[steps[:, 0] == 0, 1].tolist() for steps in (before, after)]
        assert (shifts[0] == shifts[1]) == (latent == "trees")
        assert before.tolist() != after.tolist()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"unsupervised": {"particles": 1}}, "particles >= 2"),
        ({"unsupervised": {"sweeps": -1}}, "sweeps >= 0"),
        ({"unsupervised": {"samples": 0}}, "samples >= 1"),
        ({"unsupervised": {"sweeps": 4, "samples": 5}}, "samples = 5, but there are only 4"),
        ({"sampler": {"seating": "minimal"}}, "gibbs"),
        ({"lexical": "none"}, "latent = 'trees'"),
    ],
)
def test_what_cannot_be_is_said(treebank: Treebank, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        train(treebank, **settings)
