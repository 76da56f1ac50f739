"""Models of the morphemes of written words: what they learn, keep and survive."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import bistro
from bistro.errors import BistroError, ConfigError
from bistro.models.morphology.words import WordsModel
from bistro.treebank.morphology import Paragraph, SegmentedWord, parse_morphemes

STORED = Path(__file__).resolve().parents[1] / "data" / "models"

LIST = [
    "u[Pre]-mu[Class]-ntu[Stem]",
    "a[Pre]-ba[Class]-ntu[Stem]",
    "u[Pre]-mu[Class]-thi[Stem]",
    "i[Pre]-mi[Class]-thi[Stem]",
    "ku[Pre]-hamba[Stem]",
    "si[Pre]-ya[Tense]-hamba[Stem]",
]


def paragraph(lines: list[str]) -> Paragraph:
    words = [parse_morphemes(line) for line in lines]
    return Paragraph(SegmentedWord("".join(m.form for m in word), word) for word in words)


def trained(items: list[Paragraph], **settings: object) -> WordsModel:
    # With a handful of words, most of them repeated, nothing can be learned from what is left out.
    chosen = {"fit": "seating", **settings}
    return bistro.train("morphology", items, **chosen)


@pytest.fixture(scope="module")
def model() -> WordsModel:
    return trained([paragraph(LIST * 3)])


def test_seen_and_unseen_words(model: WordsModel) -> None:
    known, new = model.segment(["umuntu", "abathi"])
    assert str(known.best) == "u[Pre]-mu[Class]-ntu[Stem]"
    assert str(new.best) == "a[Pre]-ba[Class]-thi[Stem]"
    assert known.best.probability > 0.5
    assert known.best.boundaries == [1, 3]
    assert all(0 < p <= 1 for p in known.boundaries.values())


def test_capitals_digits_and_foreign_letters_do_no_harm(model: WordsModel) -> None:
    words = ["Umuntu", "UMUNTU", "2030", "ß∂漢", "u", "🙂", "u-mu", "İstanbul", "umuntu" * 8]
    for found in model.segment(words):
        assert "".join(m.surface for m in found.best.morphemes) == found.word
        assert found.best.morphemes[-1].end == len(found.word)
    first, all_capitals = model.segment(words[:2])
    assert str(first.best) == "U[Pre]-mu[Class]-ntu[Stem]"
    assert first.best.canonical == "u[Pre]-mu[Class]-ntu[Stem]"
    assert all_capitals.best.canonical == first.best.canonical


def test_several_analyses_are_ranked_and_sum_to_at_most_one(model: WordsModel) -> None:
    found = model.segment(["sihamba"], kbest=6)[0]
    probabilities = [analysis.probability for analysis in found.analyses]
    assert len(probabilities) == 6
    assert probabilities == sorted(probabilities, reverse=True)
    assert sum(probabilities) <= 1 + 1e-9
    assert len({analysis.morphemes for analysis in found.analyses}) == 6


def test_a_word_is_the_same_alone_and_in_a_batch(model: WordsModel) -> None:
    words = ["umuntu", "sihamba", "umuntu", "imintu"] * 100
    for word, found in zip(words, model.iter_segment(words), strict=True):
        assert found == model.segment([word])[0]


def test_canonical_forms_are_learned_with_what_is_written() -> None:
    lines = [
        ("kwephroje", "kwa[Poss]-i[Pre]-phroje[Stem]"),
        ("kwekomiti", "kwa[Poss]-i[Pre]-komiti[Stem]"),
    ]
    words = [SegmentedWord(form, parse_morphemes(text)) for form, text in lines * 3]
    model = trained([Paragraph(words)])
    found = model.segment(["kwehovisi"])[0].best
    assert str(found) == "kw[Poss]-e[Pre]-hovisi[Stem]"
    assert found.canonical == "kwa[Poss]-i[Pre]-hovisi[Stem]"


def test_lists_without_labels() -> None:
    lines = ["un-do", "re-do", "un-break-able", "re-new-able", "do-able"] * 2
    model = trained([paragraph(lines)])
    assert str(model.segment(["renewable"])[0].best) == "re-new-able"
    assert str(model.segment(["undo"])[0].best) == "un-do"


def test_annotations_have_probabilities(model: WordsModel) -> None:
    right, wrong, foreign = (
        SegmentedWord("umuntu", parse_morphemes(text))
        for text in ("u[Pre]-mu[Class]-ntu[Stem]", "umu[Pre]-ntu[Stem]", "umuntu[Verb]")
    )
    log_probs = model.score_words([right, wrong, foreign])
    assert log_probs[0] > log_probs[1] > -np.inf
    assert log_probs[2] == -np.inf
    found = model.segment(["umuntu"])[0]
    assert log_probs[0] == pytest.approx(found.best.log_prob)


def test_figures_of_held_out_words(model: WordsModel) -> None:
    figures = model.figures([paragraph(LIST[:2])])
    assert figures["words right"] == 100.0
    assert 0 < figures["bits per letter"] < 3


def test_what_cannot_be(model: WordsModel) -> None:
    with pytest.raises(BistroError, match="words must be a list"):
        model.segment("umuntu")
    with pytest.raises(BistroError, match="without letters"):
        model.segment([""])
    with pytest.raises(ConfigError, match="at least 1"):
        model.segment(["u"], beam=0)
    with pytest.raises(BistroError, match="learned from segmented words"):
        bistro.train("morphology", [["a", "b"]])
    with pytest.raises(ConfigError, match="minimal"):
        trained([paragraph(LIST)], sampler={"seating": "gibbs"})
    with pytest.raises(ConfigError, match="bad_words"):
        trained([paragraph(LIST)], bad_words=2.0)


def test_ctrl_c_is_heard_within_a_word() -> None:
    code = (
        "import signal, sys, bistro; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "model = bistro.load(sys.argv[1]); print('ready', flush=True)\n"
        "model.segment(['unlockable' * 2000])"
    )
    path = STORED / "morphology-3.bistro"
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(1)
        assert process.poll() is None, "the word was too short for this test"
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)  # the word itself would take far longer
    assert process.returncode == -signal.SIGINT


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of a process")
def test_a_long_word_takes_little_memory() -> None:
    """Analyses that are pushed to far places and cut there took 1 GB for 1,200 letters."""
    code = (
        "import sys, bistro\n"
        "model = bistro.load(sys.argv[1])\n"
        "def most(): return int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])\n"
        "model.segment(['relock']); before = most()\n"
        "model.segment(['relock' * 200]); print(most() - before)"
    )
    command = [sys.executable, "-c", code, str(STORED / "morphology-3.bistro")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 100_000  # kilobytes
