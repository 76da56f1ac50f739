"""The former kind `infinite` on the command line: the name of its task is now the kind."""

from __future__ import annotations

from pathlib import Path

from .program import Command


def test_a_task_is_a_kind(bistro_here: Command, here: Path, files: Path) -> None:
    (here / "old.toml").write_text('depth = 3\n[tags]\nunknown = "single"\n')
    data, config = files / "train.conllu", ("--config", "old.toml")
    asked = ("train", "infinite", data, "--task", "tags", *config, "-o", "former.bistro")
    done = bistro_here(*asked)
    assert done.code == 0, done.err
    assert "former.bistro: tags model of train.conllu" in done.err
    settings = ("--set", "depth=3", "--set", "unknown=single")
    assert bistro_here("train", "tags", data, *settings, "-o", "present.bistro").code == 0
    assert (here / "former.bistro").read_bytes() == (here / "present.bistro").read_bytes()


def test_settings_of_a_task_are_shown_as_those_of_the_kind(bistro_here: Command) -> None:
    former = bistro_here("train", "infinite", "--set", "task=trees", "--show-config")
    assert former.code == 0
    assert former.out == bistro_here("train", "trees", "--show-config").out


def test_a_task_that_is_none_is_refused(bistro_here: Command, here: Path, files: Path) -> None:
    done = bistro_here("train", "infinite", files / "train.conllu", "--task", "tag", "-o", "x")
    assert done.code == 2
    assert "did you mean 'tags'" in done.err
