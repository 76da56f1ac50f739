"""Phases of work, and the time that is left of them."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import bistro
from bistro import progress
from bistro.cli.progress import counted, lines_of
from bistro.models.parsing import language
from bistro.progress import Work, each, observed, observing, phase
from bistro.treebank.treebank import iter_sentences

TEXT = "The dog sleeps .\nIt rains .\n"


class FakeClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def left(work: Work) -> float:
    seconds = work.seconds_left()
    assert seconds is not None
    return seconds


def test_the_time_left_follows_the_steps(clock: FakeClock) -> None:
    with observing(clock) as work, phase("command"), phase("sampling", total=20) as sampling:
        assert work.seconds_left() is None
        for done in range(1, 20):
            clock.now += 3
            sampling.advance()
            assert left(work) == pytest.approx(3 * (20 - done))
        clock.now += 3
        sampling.advance()
        assert work.seconds_left() is None  # what comes after it is not known


def test_shares_put_phases_on_one_scale(clock: FakeClock) -> None:
    """Seven parts of the time in passes, three in sweeps of another length."""
    with observing(clock) as work, phase("command"), phase("training"):
        with phase("first", share=0.7, total=7) as first:
            for done in range(1, 8):
                clock.now += 10
                first.advance()
                assert left(work) == pytest.approx(100 - 10 * done)
        with phase("second", share=0.3), phase("sampling", total=60, share=1.0) as second:
            for done in range(1, 60):
                clock.now += 0.5
                second.advance()
                assert left(work) == pytest.approx(30 - done / 2)


def test_what_a_checkpoint_spares_took_no_time(clock: FakeClock) -> None:
    with observing(clock) as work, phase("training"):
        with phase("", share=0.5, total=10) as first:
            first.skip(8)
            clock.now += 2
            first.advance(2)
        with phase("", share=0.5, total=10) as second:
            clock.now += 5
            second.advance(5)
            # 0.1 in two seconds and 0.25 in five, so the last 0.25 take five.
            assert left(work) == pytest.approx(5)


def test_steps_that_come_in_bursts(clock: FakeClock) -> None:
    """Right after a burst, exact; while the next one is waited for, the waiting counts."""
    with observing(clock) as work, phase("parsing", total=4000) as parsing:
        clock.now += 10
        parsing.advance()
        assert work.seconds_left() is None  # one step of 4000 in ten seconds says nothing
        parsing.advance(999)
        assert left(work) == pytest.approx(30)
        clock.now += 6
        assert left(work) == pytest.approx(24)
        clock.now += 994
        assert left(work) == pytest.approx(500)  # it was too short, and says so


def test_items_are_steps_when_the_next_is_asked_for(clock: FakeClock) -> None:
    with observing(clock) as work:
        for number, _ in enumerate(each("abcd", "letters", 4)):
            assert work.fraction() == pytest.approx(number / 4)
        assert work.phases == []


def test_nothing_is_observed_elsewhere(clock: FakeClock) -> None:
    assert observed() is None
    with phase("alone", total=2) as alone:
        alone.advance()
    seen: list[Work | None] = []
    with observing(clock) as work:
        other = threading.Thread(target=lambda: seen.append(observed()))
        other.start()
        other.join()
        assert observed() is work
    assert seen == [None]
    assert progress.observed() is None


def test_words_and_lines_of_a_file(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "in.txt"
    path.write_text("It rains .\n" * 1000)
    with observing(clock) as work:
        for number, _ in enumerate(counted(iter_sentences(path), path, "parsing"), start=1):
            clock.now += 0.1
            (parsing,) = work.phases
            assert (parsing.counted, parsing.done) == (3 * number, number)


def test_several_trees_of_a_sentence_count_once(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "in.txt"
    path.write_text(TEXT)
    twice = [tree for sentence in iter_sentences(path) for tree in (sentence, sentence)]
    with observing(clock) as work:
        words = [work.phases[0].counted for _ in counted(twice, path, "parsing")]
    assert words == [4, 4, 7, 7]


def test_lines_are_known_of_plain_files_only(tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text(TEXT)
    assert lines_of(source) == 2
    packed = tmp_path / "in.txt.gz"
    packed.write_bytes(b"\n\n")
    assert lines_of(packed) is None
    assert lines_of("-") is None


def test_scores_are_the_same_for_an_observer(monkeypatch: pytest.MonkeyPatch) -> None:
    treebank = bistro.builtin(sentences=60, seed=1)
    sampler = {"sweeps": 2, "samples": 1}
    model = bistro.train("transition", treebank, sampler=sampler, lengths="free")
    words = [sentence.forms for sentence in treebank[:9]]
    alone = model.score(words, particles=20, seed=3)
    monkeypatch.setattr(language, "SCORED_AT_ONCE", 4)
    with observing():
        seen = model.score(words, particles=20, seed=3)
    assert seen.log_probs.tolist() == alone.log_probs.tolist()


@pytest.mark.parametrize("kind", ["ngram", "transition", "eisner", "committee", "pipeline"])
def test_training_has_one_scale_from_0_to_1(kind: str) -> None:
    """Phases inside a training never lead backwards, and reach its end."""
    treebank = bistro.builtin(sentences=60, seed=1)
    quick: dict[str, Any] = {"sampler": {"sweeps": 3, "samples": 1}}
    settings: dict[str, Any] = {
        "committee": {"members": ["left", "eisner"], **quick},
        "pipeline": {"columns": quick},
    }.get(kind, quick)
    fractions = [0.0]

    class Noting(Work):
        def end(self, phase: progress.Phase) -> None:
            super().end(phase)
            fractions.append(self.fraction() or 0.0)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(progress, "Work", Noting)
        with observing(), phase("command"):
            bistro.train(kind, treebank, seed=1, **settings)
    *inside, after, _ = fractions
    assert inside == sorted(inside)
    assert inside[-1] > 0.95
    assert after == 0.0  # the command itself does not know how long it takes
