"""Names and words that mean something to a terminal or to the library that prints tables."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .program import Command
from .refusals import expect_refusal


@pytest.mark.parametrize("name", ["[q]", "[bold]m[/bold]", "a[/q]b", ":smile:", "[/]"])
def test_names_are_shown_as_they_are(
    bistro_here: Command, files: Path, here: Path, name: str
) -> None:
    model, test = here / f"{name.replace('/', '|')}.bistro", here / f"{name.replace('/', '|')}.txt"
    if "/" in name:
        model.parent.mkdir(exist_ok=True)
        folder = here / name.rpartition("/")[0]
        folder.mkdir()
        model = folder / (name.rpartition("/")[2] + "m.bistro")
    shutil.copy(files / "english.bistro", model)
    shutil.copy(files / "test.txt", test)
    shown = model.relative_to(here)
    for arguments in (("info", shown), ("perplexity", shown, test.name)):
        done = bistro_here(*arguments)
        assert done.code == 0, done.err
        assert str(shown) in done.out or str(test.name) in done.out
    done = bistro_here("info", shown)
    assert str(shown) in done.out


def test_errors_obey_no_escapes_and_shorten_words(bistro_here: Command, here: Path) -> None:
    for text in ("(S (NP \x1b[31mred\x07", f"(S (NP {'x' * 5000}", "x" * 5000):
        (here / "t.mrg").write_text(text)
        done = bistro_here("convert", "t.mrg", "--from", "brackets")
        expect_refusal(done, "t.mrg")
        assert "\x1b" not in done.err
        assert "\x07" not in done.err
        assert len(done.err) < 1000
