"""Words and sentences of running text: nothing lost, tokens of several words, hostile input."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bistro
from bistro.encoding.characters import SENTENCE_END, WORD_END
from bistro.errors import BistroError, ModelFileError, TreebankError
from bistro.inference.choices import Choice, Names
from bistro.models.tokens import blocks
from bistro.models.tokens.around import (
    ENDS,
    OPINIONS,
    SENTENCES,
    WORDS,
    Around,
    sentence_context,
    word_context,
)
from bistro.models.tokens.model import TokensModel
from bistro.models.tokens.splits import context as tokens_context
from bistro.treebank.sentence import MultiwordToken, Sentence
from bistro.treebank.surface import unescape
from bistro.treebank.text_tokens import (
    escaped_spaces,
    paragraphs,
    spaces_in_misc,
    text_tokens,
)

TEXT = "The dog sleeps. A cat sees it! Don't you? I can't say."


def treebank() -> list[Sentence]:
    """Return a few sentences with tokens of several words, again and again."""
    rows: list[tuple[str, list[MultiwordToken], str]] = [
        ("I do n't .", [(2, 3, "don't", "SpaceAfter=No")], "I don't."),
        ("He ca n't see it .", [(2, 3, "can't")], "He can't see it."),
        ("You wo n't , I will .", [(2, 3, "won't", "SpaceAfter=No")], "You won't, I will."),
        ("Go to 50 000 men !", [], "Go to 50 000 men!"),
        ("See the dog .", [], "See the dog."),
        ("She was n't at home .", [(2, 3, "wasn't")], "She wasn't at home."),
        ("They are n't what you want .", [(2, 3, "aren't")], "They aren't what you want."),
        ("It has n't a part that hurt us .", [(2, 3, "hasn't")], "It hasn't a part that hurt us."),
    ]
    sentences = []
    for forms, multiword, text in rows * 8:
        words = forms.replace("50 000", "50_000").split()
        words = [word.replace("50_000", "50 000") for word in words]
        comments = [f"# text = {text}"]
        sentences.append(Sentence.from_columns(words, comments=comments, multiword=multiword))
    return sentences


@pytest.fixture(scope="module")
def model() -> TokensModel:
    sampler = {"sweeps": 30, "samples": 15}
    trained = bistro.train("tokens", treebank(), seed=1, order=6, sampler=sampler)
    assert isinstance(trained, TokensModel)
    return trained


@pytest.fixture(scope="module")
def builtin() -> TokensModel:
    trained = bistro.train("tokens", bistro.builtin(sentences=300, seed=1), seed=1)
    assert isinstance(trained, TokensModel)
    return trained


def test_tokens_of_several_words_are_split_by_what_is_learned(model: TokensModel) -> None:
    found = list(model.tokenise("I don't. He won't see it."))
    assert [s.forms for s in found] == [["I", "don't", "."], ["He", "won't", "see", "it", "."]]
    assert found[0].words == [("I",), ("do", "n't"), (".",)]
    written = str(found[0].to_sentence(3, ranges=True))
    assert "2-3\tdon't" in written and "SpaceAfter=No|TokenRange=2:7" in written
    assert "# sent_id = 3" in written and "# text = I don't." in written


def test_an_unseen_token_is_split_by_its_spelling(model: TokensModel) -> None:
    words = [w for s in model.tokenise("You didn't.") for w in s.words]
    assert ("did", "n't") in words


def test_the_words_of_tokens_are_the_same_with_and_without_what_is_remembered(
    model: TokensModel,
) -> None:
    """A token is remembered without the one before it only where that makes no difference."""
    assert model.splits is not None
    splits = model.splits
    seen = sorted({name for pair in splits._pairs for name in pair})
    assert splits._pairs
    for token in [*seen[:20], "xyz", "don't"]:
        for before in ["", "xyz", *seen[-20:]]:
            context = tokens_context(token, before, splits.end)
            numbers, weights = splits.choice.ranked([context], 12)
            expected = splits._best(token, numbers[0].tolist(), weights[0].tolist())
            words, probabilities = splits.split([token], before)
            assert (words[0], probabilities[0]) == expected


def test_a_word_may_hold_a_space(model: TokensModel) -> None:
    forms = [form for s in model.tokenise("Go to 50 000 men!") for form in s.forms]
    assert forms == ["Go", "to", "50 000", "men", "!"]


def test_a_blank_line_always_ends_a_sentence(builtin: TokensModel) -> None:
    found = list(builtin.tokenise("The dog\n\nsleeps."))
    assert [s.forms for s in found] == [["The", "dog"], ["sleeps", "."]]
    assert [s.new_paragraph for s in found] == [False, True]
    assert [s.forms for s in builtin.tokenise("The dog\nsleeps.")] == [
        ["The", "dog", "sleeps", "."]
    ]
    lines = builtin.tokenise("The dog\nsleeps.", line_ends=True)
    assert [s.forms for s in lines] == [["The", "dog"], ["sleeps", "."]]


def test_probabilities_lie_between_0_and_1(model: TokensModel) -> None:
    for sentence in model.tokenise(TEXT):
        assert all(0 <= p <= 1 for p in [*sentence.probabilities, *sentence.word_probabilities])
        assert 0 <= sentence.end_probability <= 1 + 1e-6


@pytest.mark.parametrize("size", [16, 40, 1000])
def test_text_in_blocks_comes_back_whole(
    builtin: TokensModel, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    text = "\n " + (TEXT + "\n\n") * 40
    whole = [s.forms for s in builtin.tokenise(text)]
    monkeypatch.setattr(blocks, "BLOCK", size)
    found = list(builtin.tokenise(text))
    assert "".join(s.whole_text for s in found) == text
    assert [s.forms for s in found] == whole


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t ",
        "\0",
        "a" * 3000,
        "\ud800x",
        "a\u2028b\u2029c\x0cd",
        "\ufeffThe dog",
        "🙂🙂 🏳️‍🌈",
        "a\rb\r\nc",
    ],
)
def test_hostile_text_comes_back(
    builtin: TokensModel, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 512)
    monkeypatch.setattr(blocks, "LONGEST_BLOCK", 1024)
    joined = "".join(s.whole_text for s in builtin.tokenise(text))
    assert joined == (text if text.strip() else "")
    pieces = "".join(s.whole_text for s in builtin.tokenise(iter(text)))
    assert pieces == joined


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_text_comes_back_byte_for_byte(text: str) -> None:
    model = _cached_builtin()
    found = list(model.tokenise(text))
    joined = "".join(s.whole_text for s in found)
    assert joined == (text if text.strip("\ufeff \t").strip() else "") or not found
    for sentence in found:
        for start, form in zip(sentence.starts, sentence.forms, strict=True):
            assert text[start : start + len(form)] == form
        written = str(sentence.to_sentence(1, ranges=True, probabilities=True))
        (back,) = bistro.read(io.BytesIO(written.encode()), "conllu", roots="any", partial=True)
        assert str(back) == written


_CACHE: list[TokensModel] = []


def _cached_builtin() -> TokensModel:
    if not _CACHE:
        trained = bistro.train("tokens", bistro.builtin(sentences=100, seed=1), seed=1, order=4)
        assert isinstance(trained, TokensModel)
        _CACHE.append(trained)
    return _CACHE[0]


def test_a_saved_model_finds_the_same(model: TokensModel, tmp_path: Path) -> None:
    model.save(tmp_path / "tokens.bistro")
    again: Any = bistro.load(tmp_path / "tokens.bistro")
    assert list(again.tokenise(TEXT)) == list(model.tokenise(TEXT))
    assert again.summary() == model.summary()


def test_figures_of_its_own_text(model: TokensModel) -> None:
    assert model.figures(treebank()) == {
        "Tokens": 100.0,
        "Sentences": 100.0,
        "Tokens with their words": 100.0,
    }


def test_a_treebank_without_spaces_is_refused() -> None:
    with pytest.raises(BistroError, match="SpaceAfter=No"):
        bistro.train("tokens", [Sentence.from_columns(["It", "rains", "."])])
    with pytest.raises(BistroError, match="but lists of words were given"):
        bistro.train("tokens", [["It", "rains", "."]])


def test_a_text_that_contradicts_its_words_is_refused() -> None:
    wrong = Sentence.from_columns(["It", "rains"], comments=["# text = It rain"], line=12)
    with pytest.raises(TreebankError, match=r"12: # text continues with 'rain', .* 'rains'"):
        text_tokens(wrong)
    longer = Sentence.from_columns(["It"], comments=["# text = It rains"], line=3)
    with pytest.raises(TreebankError, match=r"3: # text has 'rains' after the last word"):
        text_tokens(longer)


def test_paragraphs_and_spaces() -> None:
    one, two = (Sentence.from_columns([w], comments=["# newpar"]) for w in "ab")
    three = Sentence.from_columns(["c"])
    assert [len(part) for part in paragraphs([one, two, three])] == [1, 2]
    for spaces in ("", " ", "\n", "\t\r\n ", "\u2028", "\u00a0\\"):
        assert unescape(escaped_spaces(spaces)) == spaces
    assert spaces_in_misc("\u2003") == "SpacesAfter=\u2003" or "u2003" in spaces_in_misc("\u2003")


def bracketed(words: str) -> Sentence:
    """Return a sentence whose words between brackets stand without a space."""
    text = words.replace("( ", "(").replace(" )", ")").replace(" .", ".")
    return Sentence.from_columns(words.split(), comments=[f"# text = {text}"])


def test_brackets_and_numbers_are_known_by_their_kind() -> None:
    """No treebank has every letter after a bracket, or every number before a sentence."""
    rows = [f"{n} ( {word} ) sleeps ." for n, word in enumerate(("abe", "bob", "cat", "dan"), 1)]
    rows += [f"He saw ( {word} ) re-do it ." for word in ("eve", "fay", "gus", "hal")]
    model = bistro.train("tokens", [bracketed(row) for row in rows * 6], seed=1, order=6)
    assert isinstance(model, TokensModel)
    assert set(model.around.choices) == set(OPINIONS)
    found = [s.forms for s in model.tokenise("He saw (zoe) re-do it. He saw (jim) re-do it.")]
    assert found == [["He", "saw", "(", name, ")", "re-do", "it", "."] for name in ("zoe", "jim")]


def test_two_opinions_are_multiplied() -> None:
    """The odds of a place are those of the characters times those of what stands around it."""
    model = bistro.train("tokens", treebank(), seed=1, order=6, sampler={"sweeps": 5, "samples": 2})
    assert isinstance(model, TokensModel)
    encoded = model.characters.encode("He saw 5 cats, I will. See it!")
    plain = TokensModel(
        model.config,
        model.characters,
        model.character_arrays,
        model.splits,
        Around({}),
        model.origin,
    )
    before, after = plain.boundaries(encoded), model.boundaries(encoded)
    changed = 0
    for row, place in enumerate(encoded.places[:-1].tolist()):
        if encoded.text[place].isspace():
            continue
        is_last = encoded.text[place + 1].isspace()
        name = SENTENCES if is_last else WORDS
        context = (sentence_context if is_last else word_context)(encoded.text, place)
        events = [SENTENCE_END] if is_last else [WORD_END, SENTENCE_END]
        old, new = (float(p[row, events].sum()) for p in (before, after))
        if context is None or not 1e-3 < old < 1 - 1e-3:
            assert (before[row] == after[row]).all()
            continue
        p = math.exp(model.around.choices[name].log_probabilities([context], [ENDS])[0])
        odds = old / (1 - old) * p / (1 - p)
        assert new == pytest.approx(odds / (1 + odds), abs=1e-5)
        rest = np.delete(np.arange(3), events)
        kept = before[row, rest] * (1 - new) / (1 - old)
        assert after[row, rest] == pytest.approx(kept, rel=1e-3)
        changed += 1
    assert changed > 2


def test_damaged_opinions_are_refused(model: TokensModel) -> None:
    choice = next(iter(model.around.choices.values()))
    wrong = Choice(choice.elements, Names(["a", "b"]), choice.arrays)
    with pytest.raises(ModelFileError, match="damaged"):
        Around({WORDS: wrong})
