"""No command is silent for two seconds on a terminal; elsewhere, progress is not shown."""

from __future__ import annotations

import io
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest

import bistro
from bistro import progress
from bistro.cli import display, main
from bistro.cli.display import Display, line_of
from bistro.models.kinds import find
from bistro.progress import Work, observing, paused, phase

SOURCES = Path(__file__).parents[2] / "src" / "bistro"
ALLOWED = {"display.py", "files.py", "system.py"}
ONLY_HERE = re.compile(r'isatty\(|print\(f?"\\r|rich\.progress|rich import progress')


class FakeClock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    """Notes when something was written to it."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self._clock = clock
        self.times = [clock()]

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.times.append(self._clock())
        return super().write(text)


class Scene:
    """A command that takes half a minute, and a terminal, both by one clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, terminal: bool = True) -> None:
        self.clock = FakeClock()
        self.displays: list[Display] = []
        self.stderr = Terminal(self.clock) if terminal else io.StringIO()
        monkeypatch.setattr(sys, "stderr", self.stderr)
        monkeypatch.setattr(display, "observing", lambda: observing(self.clock))
        monkeypatch.setattr(display, "_ticking", self._ticking)

    @contextmanager
    def _ticking(self, shown: Display) -> Iterator[None]:
        self.displays.append(shown)
        yield
        shown.hide()

    def pass_time(self, seconds: float) -> None:
        """Let the time pass, in the steps in which the thread of the display looks."""
        for _ in range(round(seconds / display.EVERY_SECONDS)):
            self.clock.now += display.EVERY_SECONDS
            for shown in self.displays:
                shown.tick()

    def command(self) -> None:
        """Work for half a minute, some of it in a phase, and say one thing in between."""
        self.pass_time(10)
        with phase("sampling", total=10, unit="sweeps") as work:
            for _ in range(10):
                self.pass_time(1)
                work.advance()
        print("a note", file=sys.stderr)
        self.pass_time(10)

    def longest_silence(self) -> float:
        assert isinstance(self.stderr, Terminal)
        times = [*self.stderr.times, self.clock()]
        return max(later - earlier for earlier, later in pairwise(times))


def run(monkeypatch: pytest.MonkeyPatch, scene: Scene, name: str, *options: str) -> int:
    plain = name.replace("-", "_")
    module = import_module(f"bistro.cli.{plain}")
    monkeypatch.setattr(module, plain, lambda: scene.command())
    return main.run([name, *options])


@pytest.mark.parametrize("name", sorted(set(main.COMMANDS) - display.ENDLESS))
def test_no_command_is_silent_for_two_seconds(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    scene = Scene(monkeypatch)
    assert run(monkeypatch, scene, name) == 0
    assert scene.longest_silence() <= 2
    shown = scene.stderr.getvalue()
    assert f"\r{name}; 1 s so far" in shown
    assert "sampling: 5/10 sweeps; about 4 s left" in shown
    assert re.search(r"\r +\ra note\n", shown)  # the line goes away before anything else is written
    assert re.search(r"\r +\r$", shown)


def test_a_server_shows_what_it_loads_and_then_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch)
    run(monkeypatch, scene, "serve")
    shown = scene.stderr.getvalue()
    assert "sampling: 5/10" in shown
    assert re.search(r"\r +\ra note\n$", shown)


@pytest.mark.parametrize(
    ("terminal", "options"), [(False, []), (False, ["--quiet"]), (True, ["--quiet"])]
)
def test_quiet(monkeypatch: pytest.MonkeyPatch, terminal: bool, options: list[str]) -> None:
    scene = Scene(monkeypatch, terminal=terminal)
    assert run(monkeypatch, scene, "parse", *options) == 0
    assert scene.stderr.getvalue() == "a note\n"


def test_help_says_what_quiet_leaves(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["parse", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "Summaries and warnings are shown in either case." in shown


def test_a_log_has_a_line_every_ten_seconds_if_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch, terminal=False)
    assert run(monkeypatch, scene, "train", "--progress") == 0
    lines = scene.stderr.getvalue().splitlines()
    assert lines[0] == "train; 10 s so far"
    assert len(lines) == 4 and "\r" not in scene.stderr.getvalue()


def test_lines_are_not_drawn_into_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """On one terminal: not right after a result, and never in the middle of its line."""
    clock = FakeClock()
    terminal = Terminal(clock)
    monkeypatch.setattr(sys, "stdout", terminal)
    with observing(clock) as work, phase("parse"):
        shown = Display(work, terminal, on_terminal=True)
        with shown.guarded_streams():
            print("first half, ", end="")
            clock.now += 5
            shown.tick()
            print("second half")
            clock.now += 0.4
            shown.tick()
            assert terminal.getvalue() == "first half, second half\n"
            clock.now += 0.6
            shown.tick()
            assert terminal.getvalue().endswith("\n\rparse; 6 s so far")
            assert sys.stdout.isatty() and sys.stdout is not terminal
    assert sys.stdout is terminal


def test_nothing_is_drawn_while_the_user_types() -> None:
    clock = FakeClock()
    with observing(clock) as work, phase("parse"):
        with paused():
            assert line_of(work) == ""
        assert line_of(work) == "parse; 1 s so far"


def test_a_line_is_cut_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    clock = FakeClock()
    terminal = Terminal(clock)
    with observing(clock) as work, phase("reading " + "x" * 100):
        shown = Display(work, terminal, on_terminal=True)
        clock.now = 3
        shown.tick()
    assert terminal.getvalue() == "\rreading xxxxxxxxxxx"


def test_a_thread_draws_while_the_command_works(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal(FakeClock())
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(display, "EVERY_SECONDS", 0.001)
    monkeypatch.setattr(display, "SILENT_SECONDS", 0.0)
    with display.displayed("work", None):
        deadline = time.monotonic() + 30
        while "work; 1 s so far" not in terminal.getvalue() and time.monotonic() < deadline:
            time.sleep(0.001)
    assert "work; 1 s so far" in terminal.getvalue()


def test_reading_is_on_the_scale_of_training(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fractions: list[float] = []

    class Noting(Work):
        def end(self, phase: progress.Phase) -> None:
            super().end(phase)
            fractions.append(self.fraction() or 0.0)

    monkeypatch.setattr(progress, "Work", Noting)
    bistro.write(bistro.builtin(sentences=20, seed=1), tmp_path / "train.conllu")
    files = [str(tmp_path / "train.conllu"), "-o", str(tmp_path / "model.bistro")]
    quick = ["--set", "sampler.sweeps=2", "--set", "sampler.samples=1"]
    assert main.run(["train", "ngram", *files, *quick, "--progress"]) == 0
    *inside, _ = fractions
    assert inside == sorted(inside)
    reading = find("ngram").reading
    assert reading in inside
    assert any(reading < one < 0.9 for one in inside)  # training moves on from there
    assert inside[-1] == pytest.approx(1)


def test_there_is_one_mechanism() -> None:
    """Nothing else asks whether there is a terminal, or draws over a line."""
    others = [
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if path.name not in ALLOWED and ONLY_HERE.search(path.read_text("utf-8"))
    ]
    assert others == []
