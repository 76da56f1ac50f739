"""Rows of surprisal: sums, parts, errors; `model.surprisal`; models mixed word by word."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.errors import BistroError, ConfigError, TreebankError
from bistro.models.ngram.model import NgramModel
from bistro.models.results.surprisal import Token, rows_of, word_tokens
from bistro.models.transition.model import TransitionModel
from bistro.tasks.cutting import split_word, visible
from bistro.tasks.surprisal import COLUMNS, surprisal_rows, written_tokens
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import Treebank

TEXT = [["The", "dog", "sleeps", "."], ["Who", "saw", "the", "zyzzyva", "?"]]
QUICK: dict[str, Any] = {"particles": 30, "repeats": 4}
FEW_SWEEPS = {"sampler": {"sweeps": 6, "samples": 2}}


@pytest.fixture(scope="module")
def treebank() -> Treebank:
    return bistro.builtin(sentences=300, seed=1)


@pytest.fixture(scope="module")
def parser(treebank: Treebank) -> TransitionModel:
    return bistro.train("transition", treebank, seed=1, **FEW_SWEEPS)


@pytest.fixture(scope="module")
def ngram(treebank: Treebank) -> NgramModel:
    return bistro.train("ngram", treebank, seed=1, **FEW_SWEEPS)


# ---- rows --------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", ["graph", "smc", "search"])
def test_rows_of_a_parser_sum_to_the_sentence_and_parts_to_rows(
    parser: TransitionModel, method: str
) -> None:
    table = parser.surprisal(TEXT, method=method, **QUICK)
    scores = parser.score(TEXT, method=method, **QUICK)
    totals = -np.add.reduceat(scores.log_probs, scores.offsets[:-1]) / math.log(2)
    for number, words in enumerate(TEXT):
        own = [row for row in table if row.sent_id == str(number + 1)]
        assert [row.token for row in own] == [*words, "</s>"]
        assert sum(row.surprisal for row in own) == pytest.approx(totals[number])
        assert own[-1].prefix_log2_prob == pytest.approx(-totals[number])
        for before, row in zip([None, *own], own, strict=False):
            assert row.surprisal_syn is not None and row.surprisal_lex is not None
            assert row.surprisal_syn + row.surprisal_lex == pytest.approx(row.surprisal)
            earlier = before.entropy if before else 0.0
            assert earlier is not None and row.entropy is not None
            assert row.entropy_reduction == pytest.approx(max(0.0, earlier - row.entropy))
            assert (row.mc_se is None) == (method == "search")
        assert own[-1].surprisal_lex == 0.0
    assert "zyzzyva" in [row.token for row in table if row.oov]


def test_a_token_of_several_words_has_their_sum_and_its_own_error(parser: TransitionModel) -> None:
    scores = parser.score(TEXT[:1], method="smc", particles=20, repeats=30)
    single = list(rows_of(scores, [("s", word_tokens(TEXT[0]))]))
    tokens = [Token(1, "The"), Token("2-4", "dog sleeps .", 3)]
    first, joined, end = rows_of(scores, [("s", tokens)])
    assert (first, end) == (single[0], single[-1])
    for name in ("surprisal", "surprisal_syn", "surprisal_lex"):
        parts = [getattr(row, name) for row in single[1:4]]
        assert getattr(joined, name) == pytest.approx(sum(parts))
    first_entropy, last_entropy = single[0].entropy, single[3].entropy
    assert first_entropy is not None and last_entropy is not None
    assert joined.entropy == last_entropy
    assert joined.entropy_reduction == pytest.approx(max(0.0, first_entropy - last_entropy))
    assert joined.prefix_log2_prob == single[3].prefix_log2_prob
    assert scores.deviation is not None and scores.standard_error is not None
    deviation = scores.deviation[:, 3] - scores.deviation[:, 0]
    error = deviation.std(ddof=1) / math.sqrt(30) / math.log(2)
    assert joined.mc_se == pytest.approx(error)
    assert [row.mc_se for row in single] == pytest.approx(scores.standard_error / math.log(2))


def test_multiword_tokens_of_a_treebank(ngram: NgramModel) -> None:
    sentence = Sentence.from_columns(
        ["The", "dog", "did", "n't", "sleep"], multiword=[(3, 4, "didn't")]
    )
    assert written_tokens(sentence) == [
        *(Token(1, "The"), Token(2, "dog"), Token("3-4", "didn't", 2), Token(5, "sleep"))
    ]
    rows = list(surprisal_rows(ngram, [sentence], ["s"], multiword=True))
    words = list(surprisal_rows(ngram, [sentence], ["s"]))
    assert sum(row.surprisal for row in rows) == pytest.approx(sum(w.surprisal for w in words))
    assert [row.token for row in rows] == ["The", "dog", "didn't", "sleep", "</s>"]


# ---- model.surprisal ---------------------------------------------------------------------------
def test_one_sentence_or_many(ngram: NgramModel, treebank: Treebank) -> None:
    alone, many = ngram.surprisal(TEXT[0]), ngram.surprisal(iter(TEXT))
    assert list(many[:5]) == list(alone)
    assert len(many) == 11
    assert len(ngram.surprisal(treebank[0])) == len(treebank[0]) + 1
    assert [row.token for row in ngram.surprisal(TEXT[0], eos=False)] == TEXT[0]
    assert len(ngram.surprisal([])) == 0


def test_tables_for_pandas(parser: TransitionModel, ngram: NgramModel) -> None:
    table = parser.surprisal(TEXT, **QUICK).to_pandas()
    assert tuple(table.columns) == COLUMNS
    assert table.surprisal.dtype == table.mc_se.dtype == float
    assert table.groupby("sent_id").surprisal.sum().min() > 5
    flat = ngram.surprisal(TEXT).to_pandas()
    assert flat.entropy.isna().all()


def test_a_string_is_not_a_sentence(ngram: NgramModel) -> None:
    for wrong in ("The dog sleeps .", [TEXT[0], "The dog sleeps ."]):
        with pytest.raises(BistroError, match="list of words"):
            ngram.surprisal(wrong)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {"method": "beam"},
            "method = 'beam' is not valid: choose graph or exact or smc or search",
        ),
        ({"tags": "some"}, "tags = 'some' is not valid: choose all or seen"),
        ({"particles": 0}, "particles is 0, but must be at least 1"),
        ({"repeats": -1}, "repeats is -1, but must be at least 0"),
    ],
)
def test_impossible_options_are_refused(
    parser: TransitionModel, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(BistroError, match=told):
        parser.surprisal(TEXT, **options)


def test_nothing_to_score_is_an_empty_table(parser: TransitionModel, ngram: NgramModel) -> None:
    assert len(parser.surprisal([])) == len(ngram.surprisal([])) == 0


def test_a_prefix_is_a_list_of_words(parser: TransitionModel, ngram: NgramModel) -> None:
    for model in (parser, ngram):
        with pytest.raises(BistroError, match="a prefix must be a list of words"):
            list(model.generate(1, prefix="The dog"))


def test_the_seed_decides(parser: TransitionModel) -> None:
    first, again, other = (parser.surprisal(TEXT, seed=s, **QUICK) for s in (1, 1, 2))
    assert list(first) == list(again)
    assert list(first) != list(other)


# ---- words of stimuli --------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("barn.", ["barn", "."]),
        ("“Why?”", ["“", "Why", "?", "”"]),
        ("l'été", ["l'été"]),
        ("—", ["—"]),
        ("?!", ["?!"]),
        ("3.5%", ["3.5", "%"]),
        ("$5", ["$5"]),
    ],
)
def test_punctuation_is_split_from_the_ends(word: str, parts: list[str]) -> None:
    assert split_word(word) == parts
    assert "".join(parts) == word


def test_zero_width_characters() -> None:
    assert visible("do\u200bg\ufeff") == "dog"
    joined = "می\u200cخواهم"
    assert visible(joined) == joined
    with pytest.raises(TreebankError, match=r"a.csv:3: a word is invisible \(U\+200B\)"):
        visible("\u200b", "a.csv", 3)


# ---- generation on the command line ------------------------------------------------------------
def test_generation_with_a_prefix_and_a_temperature(
    parser: TransitionModel,
    ngram: NgramModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from bistro.cli.main import run

    monkeypatch.chdir(tmp_path)
    for model in (parser, ngram):
        model.save("m.bistro")
        assert run(["generate", "m.bistro", "-n", "5", "--prefix", "The zyzzyva"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == 5
        assert all(line.startswith("The zyzzyva ") or line == "The zyzzyva" for line in lines)
        assert run(["generate", "m.bistro", "-n", "40", "--temperature", "0.01"]) == 0
        assert len(set(capsys.readouterr().out.splitlines())) == 1
        assert run(["generate", "m.bistro", "--temperature", "0"]) == 2
        assert "temperature is 0.0, but must be a number above 0" in capsys.readouterr().err


def test_sentences_that_reach_the_limit_are_counted(
    parser: TransitionModel,
    ngram: NgramModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from bistro.cli.main import run

    monkeypatch.chdir(tmp_path)
    for model in (parser, ngram):
        model.save("m.bistro")
        assert run(["generate", "m.bistro", "-n", "20"]) == 0
        assert "cut" not in capsys.readouterr().err
        monkeypatch.setattr(type(model), "longest_generated", 4)
        assert run(["generate", "m.bistro", "-n", "20"]) == 0
        told = capsys.readouterr()
        cut = sum(len(line.split()) == 4 for line in told.out.splitlines())
        assert cut > 0
        assert f"sentences cut at the limit of 4 words: {cut}" in told.err
        with pytest.raises(ConfigError, match="n is -1, but must be at least 0"):
            list(model.generate(-1))
