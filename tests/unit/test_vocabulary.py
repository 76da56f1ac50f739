"""The vocabulary: ids, unknown words, reserved symbols, the header."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bistro.encoding.unknown import UNKNOWN
from bistro.encoding.vocabulary import UnknownMode, Vocabulary
from bistro.errors import ConfigError, ModelFileError

SENTENCES = [["b", "a", "b"], ["a", "c"], ["a", "d", "c"]]
sentences_of_words = st.lists(
    st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=6), min_size=1, max_size=8),
    max_size=12,
)


def test_order_is_by_frequency_then_code_point() -> None:
    vocabulary = Vocabulary.build(SENTENCES, unknown="single")
    assert vocabulary.words == ["a", "b", "c"]
    assert len(vocabulary) == 4
    assert (vocabulary.end, vocabulary.start) == (4, 5)
    assert Vocabulary.build(SENTENCES[::-1], unknown="single") == vocabulary


@pytest.mark.parametrize(("below", "words"), [(1, "abcd"), (2, "abc"), (3, "a"), (4, "")])
def test_threshold(below: int, words: str) -> None:
    vocabulary = Vocabulary.build(SENTENCES, unknown="single", unknown_below=below)
    assert vocabulary.words == list(words)
    assert [vocabulary.is_unknown(word) for word in "abcd"] == [w not in words for w in "abcd"]


@pytest.mark.parametrize(
    ("unknown", "below", "scored"),
    [
        ("classes", 2, "their class, not their spelling"),
        ("classes", 1, "one symbol <unk> for all of them, not their spelling"),
        ("single", 2, "one symbol <unk> for all of them, not their spelling"),
        ("spelling", 2, "their spelling"),
    ],
)
def test_what_is_scored_if_a_word_is_unknown(unknown: UnknownMode, below: int, scored: str) -> None:
    rare = [[f"{letter}ing"] for letter in "bcdfghjk"]
    vocabulary = Vocabulary.build(rare, unknown=unknown, unknown_below=below)
    assert vocabulary.scored_if_unknown == scored


def test_encode_decode_and_mask() -> None:
    vocabulary = Vocabulary.build(SENTENCES, unknown="single")
    ids = vocabulary.encode(["c", "zebra", "a"])
    assert ids.dtype == np.int32
    assert ids.tolist() == [3, 0, 1]
    assert vocabulary.unknown_mask(ids).tolist() == [False, True, False]
    assert vocabulary.decode(ids) == ["c", UNKNOWN, "a"]
    assert vocabulary.decode([vocabulary.start, vocabulary.end]) == ["<s>", "</s>"]


def test_encode_all_is_encode_of_each() -> None:
    vocabulary = Vocabulary.build(SENTENCES)
    ids, offsets = vocabulary.encode_all([*SENTENCES, [], ["new"]])
    assert ids.dtype == np.int32
    assert offsets.dtype == np.int64
    assert offsets.tolist() == [0, 3, 5, 8, 8, 9]
    for i, sentence in enumerate([*SENTENCES, [], ["new"]]):
        part = ids[offsets[i] : offsets[i + 1]]
        assert part.tolist() == vocabulary.encode(sentence).tolist()


def test_nothing_to_encode() -> None:
    vocabulary = Vocabulary.build([])
    assert (len(vocabulary), vocabulary.decode([0])) == (1, [UNKNOWN])
    ids, offsets = vocabulary.encode_all([])
    assert (ids.size, offsets.tolist()) == (0, [0])


def test_words_that_look_like_symbols_are_words() -> None:
    odd = ["<unk>", "<s>", "</s>", "<unk-lower>"]
    vocabulary = Vocabulary.build([odd, odd])
    ids = vocabulary.encode(odd)
    assert not vocabulary.unknown_mask(ids).any()
    assert not set(ids.tolist()) & {vocabulary.start, vocabulary.end}
    assert vocabulary.decode(ids) == odd
    assert Vocabulary.build([["a", "a"]]).encode(odd).tolist() == [0, 0, 0, 0]


def test_classes_depend_on_the_place_in_the_sentence() -> None:
    names = ["Anja", "Berit", "Carla", "Dora", "Emma"]
    sentences = [["``", name, "saw", name[::-1].title()] for name in names]
    vocabulary = Vocabulary.build(sentences, unknown_suffixes=0)
    assert vocabulary.decode(vocabulary.encode(["``", "Zoe", "saw", "Zoe"])) == [
        "``",
        "<unk-initial>",
        "saw",
        "<unk-capital>",
    ]


def test_sentences_may_be_a_generator() -> None:
    assert Vocabulary.build(iter(SENTENCES)) == Vocabulary.build(SENTENCES)


@given(sentences_of_words, st.sampled_from(["classes", "single"]), st.integers(1, 4))
def test_header_round_trip(sentences: list[list[str]], mode: Any, below: int) -> None:
    vocabulary = Vocabulary.build(sentences, unknown=mode, unknown_below=below)
    again = Vocabulary.from_header(json.loads(json.dumps(vocabulary.to_header())))
    assert again == vocabulary
    assert again.hash == vocabulary.hash
    assert again.to_header() == vocabulary.to_header()
    for sentence in [*sentences, ["Qwertyuiop", "2x", "é"]]:
        ids = vocabulary.encode(sentence)
        assert ids.tolist() == again.encode(sentence).tolist()
        assert ((ids >= 0) & (ids < len(vocabulary))).all()
        known = [word for word in sentence if not vocabulary.is_unknown(word)]
        assert vocabulary.decode(ids[~vocabulary.unknown_mask(ids)]) == known


def test_hash_tells_vocabularies_apart() -> None:
    hashes = {
        Vocabulary.build(SENTENCES, unknown_below=below, unknown=mode).hash
        for below in (1, 2, 3)
        for mode in ("classes", "single")
    }
    assert len(hashes) == 6
    assert all(len(value) == 64 for value in hashes)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"unknown": "clases"}, "did you mean 'classes'"),
        (
            {"unknown_below": 0},
            "unknown_below = 0 is not valid: give a whole number that is at least 1",
        ),
        ({"unknown_suffixes": -1}, "unknown_suffixes = -1"),
    ],
)
def test_impossible_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Vocabulary.build(SENTENCES, **settings)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"words": ["a", "a"]}, "an entry occurs twice"),
        ({"words": "abc"}, "expected a list of strings"),
        ({"words": [1]}, "expected a list of strings"),
        ({"classes": []}, "class 0 is not <unk>"),
        ({"unknown_below": "2"}, "unknown_below"),
        ({"unknown": []}, "unknown"),
    ],
)
def test_damaged_header(change: dict[str, Any], message: str) -> None:
    header = Vocabulary.build(SENTENCES).to_header()
    with pytest.raises(ModelFileError, match=message):
        Vocabulary.from_header(header | change)


def test_incomplete_header() -> None:
    header = Vocabulary.build(SENTENCES).to_header()
    for key in header:
        with pytest.raises(ModelFileError, match=f"has no entry '{key}'"):
            Vocabulary.from_header({k: v for k, v in header.items() if k != key})


@pytest.mark.parametrize("unknown", ["classes", "single", "spelling"])
def test_zero_width_characters_make_no_difference(unknown: UnknownMode) -> None:
    clean = [["The", "dog", "sleeps"], ["the", "dog"], ["The", "cats"]]
    copied = [["\ufeffThe", "dog\u200b", "sleeps"], ["the", "dog"], ["The\u2060", "ca\u200bts"]]
    one, other = (Vocabulary.build(text, unknown=unknown) for text in (clean, copied))
    assert one == other
    for vocabulary in (one, other):
        for words, same in zip(copied, clean, strict=True):
            assert vocabulary.encode(words).tolist() == vocabulary.encode(same).tolist()
            assert [*map(vocabulary.is_unknown, words)] == [*map(vocabulary.is_unknown, same)]
    assert one.is_unknown("\u200b")


def words_of(path: Path) -> list[list[str]]:
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    sentences = [[line.split("\t")[1] for line in block.splitlines()] for block in blocks]
    return [sentence for sentence in sentences if sentence]


@pytest.mark.data
def test_size_and_unknown_rate_on_the_wsj_sample(data_dir: Path) -> None:
    train = words_of(data_dir / "ptb_sample" / "wsj-train.conll")
    test = words_of(data_dir / "ptb_sample" / "wsj-test.conll")
    single = Vocabulary.build(train, unknown="single", unknown_below=2)
    ids, _ = single.encode_all(test)
    assert len(single) == 5146
    assert (ids.size, int(single.unknown_mask(ids).sum())) == (9457, 1338)
    classes = Vocabulary.build(train)
    class_ids, _ = classes.encode_all(test)
    assert classes.words == single.words
    assert (classes.unknown_mask(class_ids) == single.unknown_mask(ids)).all()
    assert classes.num_classes > 100
