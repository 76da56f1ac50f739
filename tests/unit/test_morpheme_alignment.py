"""Where morphemes stand in written words."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bistro.encoding.morpheme_alignment import boundaries
from bistro.encoding.morphemes import (
    Capitals,
    Inventory,
    pieces,
    shares_of_capitals,
    spellings_of,
)
from bistro.treebank.morphology import SegmentedWord, parse_morphemes


def cut(word: str, forms: str) -> str:
    places = boundaries(word, forms.split("-"))
    return "-".join(word[a:b] for a, b in itertools.pairwise(places))


@pytest.mark.parametrize(
    ("word", "forms", "expected"),
    [
        ("Ukwengeza", "u-kw-engez-a", "U-kw-engez-a"),
        ("kwephrojekthi", "kwa-i-phrojekthi", "kw-e-phrojekthi"),
        ("neziphakamiso", "ne-i-zi-phakamiso", "n-e-zi-phakamiso"),
        ("kokulawulwa", "kwa-u-ku-lawul-w-a", "k-o-ku-lawul-w-a"),
        ("iyenziwa", "i-ye-enz-iw-a", "i-y-enz-iw-a"),
        ("edolobheni", "e-i-li-dolobha-ini", "e---dolobh-eni"),
        ("emihlanganweni", "e-mi-hlangano-ini", "e-mi-hlanganw-eni"),
        ("asetshenziswa", "a-sebenz-is-w-a", "a-setshenz-is-w-a"),
        ("projekthi", "i-phrojekthi", "-projekthi"),
        ("UMTHELELA", "u-mu-thelela", "U-M-THELELA"),
    ],
)
def test_surfaces_of_zulu_words(word: str, forms: str, expected: str) -> None:
    assert cut(word, forms) == expected


def test_a_hyphen_goes_to_the_morpheme_before_it() -> None:
    assert boundaries("lwe-IDP", ["lwe", "IDP"]) == [0, 4, 7]


@given(
    st.text("abiu-X", max_size=7), st.lists(st.text("abiu-X", max_size=4), min_size=1, max_size=4)
)
def test_places_rise_from_the_beginning_to_the_end(word: str, forms: list[str]) -> None:
    places = boundaries(word, forms)
    assert len(places) == len(forms) + 1
    assert places[0] == 0
    assert places[-1] == len(word)
    assert places == sorted(places)
    if "".join(forms) == word:
        assert [word[a:b] for a, b in itertools.pairwise(places)] == forms


@given(st.text(max_size=6), st.lists(st.text(max_size=3), min_size=1, max_size=3))
def test_any_letters_of_the_world(word: str, forms: list[str]) -> None:
    places = boundaries(word, forms)
    assert places[-1] == len(word)
    assert places == sorted(places)


def word_of(form: str, annotation: str) -> SegmentedWord:
    return SegmentedWord(form, parse_morphemes(annotation))


def test_capitals_and_digits_are_folded() -> None:
    assert [p.surface for p in pieces(word_of("Ukuba", "u[A]-kuba[B]"))] == ["u", "kuba"]
    assert [p.surface for p in pieces(word_of("UKUBA", "u[A]-kuba[B]"))] == ["u", "kuba"]
    assert [p.surface for p in pieces(word_of("Thekwini", "Thekwini[N]"))] == ["Thekwini"]
    assert pieces(word_of("wezi-2030", "we[A]-zi[B]-2030[Num]"))[-1] == ("Num", "0000", "0000")


def test_readings_of_capitals() -> None:
    capitals = Capitals(0.2, 0.1)
    assert [text for text, _ in spellings_of("umuntu", capitals)] == ["umuntu"]
    assert [text for text, _ in spellings_of("Umuntu", capitals)] == ["Umuntu", "umuntu"]
    assert [text for text, _ in spellings_of("AFP9", capitals)] == ["AFP0", "aFP0", "afp0"]
    words = [word_of("Umuntu", "umuntu"), word_of("umuntu", "umuntu"), word_of("Eva", "Eva")]
    assert shares_of_capitals(words).first == pytest.approx(0.45)
    assert shares_of_capitals([]).first > 0


def test_inventory_numbers_and_header() -> None:
    words = [pieces(word_of("undo", "un[A]-do[B]")), pieces(word_of("do", "do[B]"))]
    inventory = Inventory.of(words)
    assert inventory.labels == ("A", "B")
    assert inventory.letters == "dnou"
    letters, offsets = inventory.encode(["do", "dx"])
    assert letters.tolist() == [0, 2, 0, 4]
    assert offsets.tolist() == [0, 2, 4]
    # Nearest first: label, surface, and behind all the beginning of the word.
    assert inventory.history(words[0]) == [2, 4, 1, 5, 3]
    assert Inventory.from_header(inventory.header()) == inventory
