"""Classes of unknown words: shapes in several scripts, suffixes, back-off."""

from __future__ import annotations

import pytest

from bistro.encoding.unknown import (
    FEWEST_SEEN,
    UNKNOWN,
    UnknownClasses,
    sentence_start,
    shape_of,
)


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("dogs", "lower"),
        ("'tis", "lower"),
        ("Copenhagen", "capital"),
        ("J.", "capital"),
        ("IBM", "caps"),
        ("U.S.", "caps"),
        ("iPhone", "mixed"),
        ("McDonald", "capital"),
        ("1980s", "digit"),
        ("B-52", "digit"),
        ("61", "number"),
        ("1,234.50", "number"),
        ("٣٤", "number"),
        ("--", "punct"),
        (":-)", "punct"),
        ("😀", "punct"),
        ("Straße", "capital"),
        ("ÅRHUS", "caps"),
        ("Москва", "capital"),
        ("город", "lower"),
        ("हिन्दी", "letters"),
        ("語言", "letters"),
        ("三", "letters"),
        ("كتاب", "letters"),
        ("ǅ", "capital"),
    ],
)
def test_shapes(word: str, shape: str) -> None:
    assert shape_of(word, initial=False) == shape
    assert shape_of(word, initial=True) == ("initial" if shape == "capital" else shape)


def test_the_start_of_a_sentence_reaches_over_punctuation() -> None:
    assert sentence_start(["The", "dog"]) == 1
    assert sentence_start(["``", "(", "The", "dog"]) == 3
    assert sentence_start(["...", "!"]) == 2
    assert sentence_start([]) == 0


def test_suffixes_are_learned_and_the_longest_wins() -> None:
    rare = {f"{stem}ing": 1 for stem in "abcdefgh"} | {f"{stem}xg": 1 for stem in "abcde"}
    classes = UnknownClasses.learn({}, rare, num_suffixes=4)
    assert classes.suffixes == {"g", "ng", "ing", "xg"}
    name = classes.names[classes.index("jumping", initial=False)]
    assert name == "<unk-lower-ing>"
    assert classes.names[classes.index("Pxg", initial=False)] == UNKNOWN


def test_suffixes_of_other_scripts() -> None:
    rare = {stem + "ение": 1 for stem in "абвгдежз"}
    classes = UnknownClasses.learn({}, rare, num_suffixes=3)
    assert classes.names[classes.index("чтение", initial=False)] == "<unk-lower-ние>"
    rare = {stem + "語": 1 for stem in "日英独仏中"}
    classes = UnknownClasses.learn({}, rare, num_suffixes=1)
    assert classes.names[classes.index("韓語", initial=False)] == "<unk-letters-語>"


def test_rare_classes_fall_to_the_next_coarser_one() -> None:
    few = FEWEST_SEEN - 1
    rare = {f"w{c}-aed": 1 for c in "abcdefgh"[:few]} | {f"w{c}-aing": 1 for c in "abcde"[:few]}
    classes = UnknownClasses.learn({}, rare, num_suffixes=9)
    # Neither -ed nor -ing is frequent enough with a dash; together "dash" is.
    assert classes.names == (UNKNOWN, "<unk-lower-dash>")
    assert classes.index("well-aed", initial=False) == 1
    assert classes.index("plain", initial=False) == 0


def test_initial_capitals_are_a_class_of_their_own() -> None:
    initial = dict.fromkeys(("Xa", "Xe", "Xi", "Xo", "Xu"), 1)
    inside = dict.fromkeys(("Ya", "Ye", "Yi", "Yo", "Yu"), 2)
    classes = UnknownClasses.learn(initial, inside, num_suffixes=0)
    assert classes.names == (UNKNOWN, "<unk-capital>", "<unk-initial>")
    assert classes.index("Zürich", initial=True) == 2
    assert classes.index("Zürich", initial=False) == 1


def test_a_single_class_takes_everything() -> None:
    assert {
        UnknownClasses().index(w, initial=i) for w in ("a", "B", "3") for i in (False, True)
    } == {0}
