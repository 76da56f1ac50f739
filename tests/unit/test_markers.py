"""Markers of unknown English words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bistro.encoding.markers import EnglishMarkers, suffix_of
from bistro.encoding.vocabulary import Vocabulary


@pytest.mark.parametrize(
    ("word", "initial", "marker"),
    [
        ("Openings", True, "<unk-initial-s>"),
        ("Dogs", True, "<unk-initial-known-s>"),
        ("Dogs", False, "<unk-capital-s>"),
        ("IBM", True, "<unk-capital>"),
        ("1990S", False, "<unk-capital-digit-s>"),
        ("walked", False, "<unk-lower-ed>"),
        ("nation", False, "<unk-lower-ion>"),
        ("happily", False, "<unk-lower-ly>"),
        ("ability", False, "<unk-lower-ity>"),
        ("tidy", False, "<unk-lower>"),
        ("untidy", False, "<unk-lower-y>"),
        ("crisis", False, "<unk-lower>"),
        ("well-known", False, "<unk-lower-dash>"),
        ("40-year", False, "<unk-lower-digit-dash>"),
        ("1,250", False, "<unk-digit>"),
        ("1980-81", False, "<unk-digit-dash>"),
        ("Ünderbar", True, "<unk-initial>"),
    ],
)
def test_the_finest_marker(word: str, initial: bool, marker: str) -> None:
    assert EnglishMarkers(known=frozenset({"dogs"})).candidates(word, initial)[0] == marker


def test_coarser_ones_follow() -> None:
    fitting = EnglishMarkers().candidates("re-walked7ing", False)
    assert fitting == ["<unk-lower-digit-dash>", "<unk-lower>"]
    assert EnglishMarkers().candidates("B-52s", False) == [
        "<unk-capital-digit-dash-s>",
        "<unk-capital-digit-dash>",
        "<unk-capital>",
    ]


def test_marks_without_letters_have_none_of_their_own() -> None:
    assert EnglishMarkers().candidates("%&", False) == []
    assert EnglishMarkers(("<unk>", "<unk-lower>")).index("%&", initial=False) == 0


def test_what_was_not_seen_gives_way() -> None:
    markers = EnglishMarkers(("<unk>", "<unk-lower>", "<unk-lower-ed>"))
    assert markers.index("walked", initial=False) == 2
    assert markers.index("walking", initial=False) == 1
    assert markers.index("Berlin", initial=False) == 0


def test_possessive_and_double_s_are_no_plurals() -> None:
    assert [suffix_of(word) for word in ("is", "us", "as", "gas", "glass")] == [None] * 3 + [
        "s",
        None,
    ]


def test_a_vocabulary_with_markers_comes_back() -> None:
    sentences = [["Dogs", "bark"], ["dogs", "dogs", "sleep"], ["a", "a", "walking"]]
    vocabulary = Vocabulary.build(sentences, unknown="markers")
    again = Vocabulary.from_header(json.loads(json.dumps(vocabulary.to_header())))
    assert again == vocabulary
    words = ["Dogs", "jumping", "dogs", "Berlin"]
    told = vocabulary.decode(vocabulary.encode(words))
    assert told == again.decode(again.encode(words))
    assert told == ["<unk-initial-known-s>", "<unk-lower-ing>", "dogs", "<unk>"]


@pytest.mark.data
def test_markers_tell_tags_of_unknown_words(data_dir: Path) -> None:
    """As often right as the learned classes of `test_unknown_tell_tags`, within a few points."""
    from collections import Counter, defaultdict

    from bistro.treebank.treebank import read

    train, dev = (read(data_dir / "ptb_sample" / f"wsj-{p}.conll") for p in ("train", "dev"))
    vocabulary = Vocabulary.build((s.forms for s in train), unknown="markers")
    tags: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for sentence in train:
        ids = vocabulary.encode(sentence.forms)
        for i, tag in zip(ids.tolist(), sentence.xpos, strict=True):
            tags[i][tag] += 1
    hits = total = 0
    for sentence in dev:
        ids = vocabulary.encode(sentence.forms)
        for i, tag in zip(ids.tolist(), sentence.xpos, strict=True):
            if i < vocabulary.num_classes:
                total += 1
                hits += bool(tags[i]) and tags[i].most_common(1)[0][0] == tag
    assert hits / total > 0.78
