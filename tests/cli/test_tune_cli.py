"""`bistro tune` as a user types it."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from bistro.config import read_toml
from bistro.models.transition.config import TransitionConfig

from .program import Command, paused

QUICK = (
    *("--sweeps", 2, "--set", "sampler.sweeps=3", "--set", "sampler.samples=1"),
    *("--set", 'contexts.labels=["action", "s1.tag"]', "--settings", "none"),
)


@pytest.fixture
def command(files: Path) -> tuple[object, ...]:
    return ("tune", "transition", files / "train.conllu", "--dev", files / "test.conllu", *QUICK)


def test_the_config_it_writes_is_better_and_trains(
    bistro_here: Command, command: tuple[object, ...], files: Path, here: Path
) -> None:
    done = bistro_here(*command, "-o", "c.toml", "--distributions", "labels")
    assert done.code == 0
    assert done.out == ""
    assert "labels: s2.tag at position" in done.err
    assert "no change helps any more" in done.err
    text = (here / "c.toml").read_text()
    assert text.startswith("# Found by bistro tune.\n")
    assert "# seed: 1\n" in text
    line = next(line for line in text.splitlines() if line.startswith("#   score "))
    before, after = (float(number) for number in line.removeprefix("#   score ").split(" -> "))
    assert after > before
    config = read_toml("c.toml", TransitionConfig)
    assert {"action", "s2.tag"} <= set(config.contexts.labels)
    assert (config.sampler.sweeps, config.sampler.samples) == (3, 1)
    again = bistro_here(*command, "-o", "c.toml", "--distributions", "labels")
    assert "trials are known and will not be repeated" in again.err
    assert (here / "c.toml").read_text() == text


def test_the_time_can_be_limited(
    bistro_here: Command, command: tuple[object, ...], here: Path
) -> None:
    done = bistro_here(*command, "-o", "c.toml", "--minutes", 0)
    assert done.code == 0
    assert "the time limit is reached" in done.err
    assert len((here / "c.toml.journal").read_text().splitlines()) == 2


def test_control_c_writes_the_best_so_far(command: tuple[object, ...], here: Path) -> None:
    process = paused("trial", 2, [*map(str, (*command, "-o", "c.toml"))])
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0
    assert "stopped; the same command continues from here" in err.decode()
    assert read_toml(here / "c.toml", TransitionConfig)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--metric", "lsa"), "--metric lsa: expected one of"),
        (("--tags", "gold"), "--tags gold: expected one of both, joint, given"),
        (("--distributions", "actoins"), "did you mean 'actions'"),
        (("--settings", "tagsets"), "did you mean 'tagset'"),
        (("--config", "missing.toml"), "missing.toml: cannot be read"),
        (("--set", "labls=joint"), "did you mean 'labels'"),
    ],
)
def test_wrong_wishes_get_one_sentence(
    bistro_here: Command,
    command: tuple[object, ...],
    here: Path,
    arguments: tuple[str, ...],
    sentence: str,
) -> None:
    own = command[:-2] if "--settings" in arguments else command  # Its last option is --settings.
    done = bistro_here(*own, "-o", "c.toml", *arguments)
    assert done.code == 2
    assert sentence in done.err
    assert "Traceback" not in done.err
    assert list(here.iterdir()) == []


def test_a_preset_can_be_the_beginning(
    bistro_here: Command, command: tuple[object, ...], here: Path
) -> None:
    done = bistro_here(*command, "-o", "c.toml", "--minutes", 0, "--config", "table1")
    assert done.code == 0
    assert read_toml("c.toml", TransitionConfig).contexts.actions[2] == "s1.rc1.tag"


def test_a_journal_of_another_seed_is_refused(
    bistro_here: Command, command: tuple[object, ...], here: Path
) -> None:
    assert bistro_here(*command, "-o", "c.toml", "--minutes", 0).code == 0
    done = bistro_here(*command, "-o", "c.toml", "--minutes", 0, "--seed", 2)
    assert done.code == 2
    assert "it differs in seed" in done.err
