"""The memory of a reader: a proper distribution, equal to its definition, fitted and stored."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize
from small_reader import DEV, PAIR, QUICK, SHORT, trained

import bistro
from bistro.errors import BistroError, ConfigError, ModelFileError
from bistro.inference.workers import LocalWorkers
from bistro.modelfile import decode_model, encode_model
from bistro.models.base import from_bytes
from bistro.models.reader.fitting import fitted_memory
from bistro.models.reader.memory import Memory
from bistro.models.reader.model import ReaderModel
from bistro.models.reader.recall import END, LEVELS, START, Recall, counts_of, events_of
from bistro.models.results.scores import TextScores
from bistro.models.results.surprisal import word_tokens
from bistro.reference import memory as reference
from bistro.tasks import spread
from bistro.tasks.memory import memory_of
from bistro.treebank.documents import document_numbers

MEMORY = Memory(20, (0.4, 0.8, 0.7), (5.0, 1.5, -0.2))
STORY = [["The", "dog", "sleeps", "."], ["The", "old", "dog", "sees", "the", "cat", "."]]


@pytest.fixture(scope="module")
def model() -> ReaderModel:
    return trained(*PAIR)


def random_text(sentences: int, words: int = 6) -> list[list[int]]:
    rng = np.random.default_rng(3)
    return [[*rng.integers(0, words, rng.integers(1, 9)).tolist(), END] for _ in range(sentences)]


def with_contexts(text: Sequence[Sequence[int]]) -> list[tuple[tuple[int, ...], int]]:
    """Return all events of a text with their contexts of two words."""
    return [
        ((padded[i], padded[i + 1]), padded[i + 2])
        for sentence in text
        for padded in [[START, START, *sentence]]
        for i in range(len(sentence))
    ]


# ---- the formula -------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [1, 7, 20, 1000])
def test_probabilities_are_those_of_the_definition(words: int) -> None:
    text = random_text(30)
    memory = replace(MEMORY, words=words)
    events = with_contexts(text)
    base = np.random.default_rng(1).uniform(0.01, 0.5, len(events))
    found, _ = memory.with_counts(np.log(base), counts_of(text, [0] * len(text), words))
    slow = [
        reference.probability(
            events[max(0, i - words) : i],
            context,
            word,
            base[i],
            memory.discounts,
            memory.strengths,
        )
        for i, (context, word) in enumerate(events)
    ]
    assert np.exp(found) == pytest.approx(slow, rel=1e-12)
    wrong, _ = replace(memory, discounts=(0.0,) * 3, strengths=(5.0, 1.5, 0.2)).with_counts(
        np.log(base), counts_of(text, [0] * len(text), words)
    )
    assert np.exp(wrong) != pytest.approx(slow, rel=1e-3)


@pytest.mark.parametrize("words", [3, 50])
def test_probabilities_of_all_words_sum_to_one(words: int) -> None:
    text = random_text(12)
    memory = Memory(words, (0.4, 0.8, 0.7), (5.0, 1.5, 0.2))
    outcomes = [0, 1, 2, 3, 4, 5, END]
    base = np.random.default_rng(2).dirichlet(np.ones(len(outcomes)))
    mask = np.array([1, 1, 0], dtype=np.int32)
    recall = Recall(words)
    for context, word in with_contexts(text):
        contexts = ((), context[1:], context)
        counts = [recall.counts(contexts, other) for other in outcomes]
        table = np.array(counts, dtype=np.int32).reshape(-1, LEVELS, 3)
        assert np.exp(memory.with_counts(np.log(base), table)[0]).sum() == pytest.approx(1)
        if table[:, 0, 1].any():  # A wrong memory does not give discounts to the shorter context.
            wrong = np.exp(memory.with_counts(np.log(base), table * mask)[0]).sum()
            assert abs(wrong - 1) > 1e-3
        recall.add(contexts, word)


def test_forgetting_undoes_remembering() -> None:
    events = with_contexts(random_text(40, words=4))
    for words in (1, 5, 33):
        recall = Recall(words)
        for number, (context, word) in enumerate(events, start=1):
            recall.add(((), context[1:], context), word)
            fresh = Recall(words)
            for before, other in events[max(0, number - words) : number]:
                fresh.add(((), before[1:], before), other)
            assert contents(recall) == contents(fresh)


def contents(recall: Recall) -> dict[tuple[int, ...], tuple[int, dict[int, int]]]:
    return {c: (r.customers, r.words) for c, r in recall.restaurants.items()}


def test_probabilities_too_small_for_numbers_are_kept() -> None:
    counts = counts_of([[1, 2, END]], [0], 10)
    log_probs = np.array([-2000.0, -np.inf, -1.0])
    found, shares = MEMORY.with_counts(log_probs, counts)
    assert found[0] == -2000 and found[1] == -np.inf and np.isfinite(found[2])
    assert ((shares >= 0) & (shares <= 1)).all()


# ---- a reader with memory ----------------------------------------------------------------------


def test_without_documents_nothing_is_remembered(model: ReaderModel) -> None:
    alone = model.score(STORY, **QUICK)
    old = replace(model, memory=None).score(STORY, **QUICK)
    assert alone.log_probs.tolist() == old.log_probs.tolist()
    apart = model.score(STORY, documents=["a", "b"], **QUICK)
    first = [0, 5]
    assert apart.log_probs[first].tolist() == alone.log_probs[first].tolist()
    together = model.score(STORY, documents=["a", "a"], **QUICK)
    assert together.log_probs[:5].tolist() == apart.log_probs[:5].tolist()
    assert together.log_probs[7] > alone.log_probs[7]  # the dog again


@pytest.mark.parametrize("unknown", ["single", "spelling"])
def test_next_words_of_a_document_sum_to_one(unknown: str) -> None:
    model = trained(f"ngram order=2 {SHORT}", unknown=unknown)
    before = ["The", "dog"]
    words = [*model.vocabulary.words, "qwertyuiop"]
    sentences = [s for word in words for s in (STORY[0], STORY[1], [*before, word])]
    documents = [number // 3 for number in range(len(sentences))]
    scores = model.score(sentences, documents=documents).log_probs
    ends = np.cumsum([len(s) + 1 for s in sentences])[2::3]
    end = model.score([*STORY, before], documents=[0] * 3).log_probs[-1]
    total = np.exp(scores[ends - 2]).sum() + np.exp(end)
    if unknown == "single":
        assert total == pytest.approx(1)
    else:
        assert 0.5 < total < 1  # Other strings have the rest.


def test_surprisal_is_that_of_the_scores(model: ReaderModel) -> None:
    text = [*STORY, STORY[0]]
    table = model.surprisal(text, documents=[1, 1, 1], **QUICK)
    rows = [row.surprisal for row in table]
    expected = model.remember(model.score(STORY, **QUICK).taken([0, 1, 0]), text, [1, 1, 1])
    assert rows == pytest.approx((-expected.log_probs / math.log(2)).tolist())
    assert sum(rows[-5:]) < sum(rows[:5])
    alone = [row.surprisal for row in model.surprisal(text, **QUICK)]
    assert alone[-5:] == alone[:5]


def test_workers_give_the_same_rows(model: ReaderModel) -> None:
    text = [list(sentence.forms) for sentence in DEV] * 4
    options = {"documents": [i // 30 for i in range(len(text))], **QUICK}
    here = model.surprisal(text, **options)
    names = [str(i + 1) for i in range(len(text))]
    tokens = [word_tokens(words) for words in text]
    there = spread.surprisal_rows(
        LocalWorkers(2), model, text, names, tokens, eos=True, options=options
    )
    assert list(there) == list(here)


def test_errors_count_by_the_share_of_the_mixture(model: ReaderModel) -> None:
    text, documents = [list(s.forms) for s in DEV[:8]], [0] * 8
    base = model.score(text, method="smc", particles=20, repeats=6)
    scores = model.remember(base, text, documents)
    assert model.memory and base.standard_error is not None and scores.standard_error is not None
    counts = counts_of(events_of(model.vocabulary, text), documents, model.memory.words)
    _, factor = model.memory.parts(counts)
    shares = factor * np.exp(base.log_probs - scores.log_probs)
    assert scores.standard_error == pytest.approx(shares * base.standard_error, abs=1e-12)
    moved = 1e-6
    off, _ = model.memory.with_counts(base.log_probs + moved, counts)
    assert (off - scores.log_probs) / moved == pytest.approx(shares, rel=1e-3)
    assert shares.min() < 0.9


def test_exact_scores_stay_exact() -> None:
    model = trained(f"ngram order=2 {SHORT}")
    assert model.score(STORY, documents=[0, 0]).standard_error is None


# ---- fitting -----------------------------------------------------------------------------------


def test_the_parameters_make_the_development_set_likeliest(model: ReaderModel) -> None:
    assert model.memory is not None
    words = [s.forms for s in DEV]
    base = model.score(DEV).log_probs
    counts = counts_of(events_of(model.vocabulary, words), document_numbers(DEV), 300)
    best = model.memory.with_counts(base, counts)[0].mean()
    assert best > base.mean()
    assert fitted_memory(base, counts, 300) == model.memory

    def loss(x: NDArray[np.float64]) -> float:
        d = 1 / (1 + np.exp(-np.clip(x[:3], -6, 4)))
        strengths = np.exp(np.clip(x[3:], -6, 13)) - d
        memory = Memory(300, tuple(d.tolist()), tuple(strengths.tolist()))
        return -float(memory.with_counts(base, counts)[0].mean())

    start = np.array([0.0, 0.0, 0.0, 5.0, 2.0, 1.0])
    slow = optimize.minimize(loss, start, method="Nelder-Mead", options={"maxiter": 4000}).fun
    assert -best < slow + 0.01  # The prior, which the test leaves out, moves it a little.


def test_without_words_the_memory_is_typical() -> None:
    none = fitted_memory(np.zeros(0), np.zeros((0, LEVELS, 3), np.int32), 10)
    assert none.discounts == pytest.approx((0.3, 0.9, 0.85))
    few = fitted_memory(np.log([0.1] * 5), np.zeros((5, LEVELS, 3), np.int32), 10)
    assert few.strengths == pytest.approx(none.strengths, rel=0.01)


def test_some_sentences_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bistro.models.reader.fitting.MOST_WORDS", 100)
    some = trained(PAIR[0])
    assert some.memory is not None and some.memory.words == 300


def test_a_reader_may_have_no_memory() -> None:
    model = trained(PAIR[0], memory=0)
    assert model.memory is None and "memory" not in model.header()
    with pytest.raises(BistroError, match=r"has no memory: train it with --set memory=300"):
        model.score(STORY, documents=[0, 0])
    for words in (-1, 10**9):
        with pytest.raises(ConfigError, match="memory is "):
            trained(PAIR[0], memory=words)


# ---- files and refusals ------------------------------------------------------------------------


def test_the_memory_is_stored(model: ReaderModel, tmp_path: Path) -> None:
    model.save(tmp_path / "m.bistro")
    again = bistro.load(tmp_path / "m.bistro")
    options: dict[str, Any] = {"documents": [0, 0], **QUICK}
    assert again.score(STORY, **options).log_probs.tolist() == (
        model.score(STORY, **options).log_probs.tolist()
    )
    assert again.to_bytes() == model.to_bytes()


def test_files_without_memory_are_read_as_before(model: ReaderModel) -> None:
    file = decode_model(model.to_bytes(), "m")
    header = {name: value for name, value in file.header.items() if name != "memory"}
    del header["config"]["memory"]
    old = from_bytes(encode_model(header, file.arrays, 3))
    assert isinstance(old, ReaderModel) and old.memory is None and old.config.memory == 0
    assert old.score(STORY, **QUICK).log_probs.tolist() == (
        model.score(STORY, **QUICK).log_probs.tolist()
    )


@pytest.mark.parametrize(
    "change",
    [
        {"words": 0},
        {"words": -5},
        {"words": 10**12},
        {"words": 1.5},
        {"words": True},
        {"words": "many"},
        {"words": None},
        {"discounts": [0.5, 0.5]},
        {"discounts": [0.5, 0.5, 1.0]},
        {"discounts": [0.5, -0.1, 0.5]},
        {"discounts": [0.5, math.nan, 0.5]},
        {"discounts": ["0.5", 0.5, 0.5]},
        {"discounts": "abc"},
        {"discounts": 3},
        {"discounts": [True, 0.5, 0.5]},
        {"discounts": [[0.5], [0.5], [0.5]]},
        {"strengths": [1.0, 1.0, -0.5]},
        {"strengths": [1.0, math.inf, 1.0]},
        {"strengths": [1.0, 1e300, 1.0]},
        {"strengths": [1.0] * 100_000},
        {"strengths": {}},
        {"strengths": None},
    ],
)
def test_a_hostile_memory_is_refused(model: ReaderModel, change: dict[str, Any]) -> None:
    sound = {"words": 100, "discounts": [0.5, 0.5, 0.5], "strengths": [100.0, 1.0, 1.0]}
    file = decode_model(model.to_bytes(), "m")
    header = {**file.header, "memory": {**sound, **change}}
    with pytest.raises((ModelFileError, TypeError)):
        Memory.from_header(header["memory"])
    with pytest.raises((ModelFileError, ValueError), match=r"m|JSON"):
        from_bytes(encode_model(header, file.arrays, 3), "m")
    others: list[Any] = [None, [], 7, "memory", {"words": 3}]
    for memory in others:
        with pytest.raises(ModelFileError):
            from_bytes(encode_model({**file.header, "memory": memory}, file.arrays, 3), "m")


def test_documents_must_be_adjacent_and_named(model: ReaderModel) -> None:
    with pytest.raises(BistroError, match="document 'a' are not adjacent"):
        model.score([*STORY, STORY[0]], documents=["a", "b", "a"], **QUICK)
    with pytest.raises(BistroError, match=r"document names \(1\) differs from .* sentences \(2\)"):
        model.score(STORY, documents=["a"], **QUICK)


def test_other_models_have_no_memory() -> None:
    ngram = bistro.train("ngram", STORY, seed=1, order=2)
    with pytest.raises(BistroError, match="an ngram model has no memory of the document: train a"):
        memory_of(ngram)
    with pytest.raises(BistroError, match="no option 'documents'"):
        ngram.score(STORY, documents=[0, 0])


def test_documents_of_scores_without_words() -> None:
    is_eos, offsets = TextScores.ends([0, 0])
    scores = TextScores(np.log([0.5, 0.5]), is_eos, ~is_eos, offsets)
    empty = bistro.train("ngram", STORY, seed=1, order=2).vocabulary
    found = MEMORY.scores(scores, empty, [[], []], [0, 0])
    assert found.log_probs[0] == scores.log_probs[0] and found.log_probs[1] > scores.log_probs[1]
