"""An option that takes one value is rejected if it is repeated, in every command."""

from __future__ import annotations

from pathlib import Path

import pytest

from bistro.cli.main import COMMANDS

from .program import Command
from .refusals import refuse


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ("--seed", "1", "--seed=2"),
            "--seed takes one value, but was given 2 times: give it once",
        ),
        (("-o", "a", "--output", "b", "-oc"), "--output takes one value, but was given 3 times"),
        (
            ("--text", "text", "--critical", "a", "--critical", "b"),
            "--critical takes one value, but was given 2 times: mark several regions with "
            "brackets in the sentences instead",
        ),
    ],
)
def test_a_repeated_option_is_rejected(
    bistro_here: Command, files: Path, here: Path, options: tuple[str, ...], told: str
) -> None:
    (here / "items.csv").write_text("text,a,b\nThe dog sleeps,dog,sleeps\n")
    model = files / "english.bistro"
    refuse(bistro_here, here, "surprisal", model, "items.csv", *options, told=told)


def test_values_with_commas_are_given_at_once(bistro_here: Command, here: Path) -> None:
    options = ("--targets", "dog", "--targets", "cat")
    told = "--targets takes one value, but was given 2 times: give it once, with commas between"
    refuse(bistro_here, here, "next-word", "english.bistro", "The", *options, told=told)


def test_lists_and_switches_may_be_repeated(bistro_here: Command, files: Path, here: Path) -> None:
    quick = ("--set", "sampler.sweeps=1", "--set", "sampler.samples=1")
    assert bistro_here("train", "ngram", files / "train.txt", *quick, "-o", here / "m").code == 0
    switches = ("--eos", "--no-eos", "--words", "--words")
    done = bistro_here("surprisal", files / "english.bistro", *switches, stdin=b"The dog\n")
    assert done.code == 0 and "</s>" not in done.out


def test_help_is_shown_all_the_same(bistro_here: Command) -> None:
    done = bistro_here("surprisal", "model", "--seed", "1", "--seed", "2", "--help")
    assert done.code == 0 and "Usage" in done.out


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "topics"])
def test_every_command_checks_its_options(name: str) -> None:
    from typer.main import get_command

    from bistro.cli.main import app_of
    from bistro.cli.plain_help import PlainCommand

    group: object = get_command(app_of([name]))
    assert isinstance(getattr(group, "commands")[name], PlainCommand)  # noqa: B009
