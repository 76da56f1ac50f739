"""The n-gram model: events, probabilities, files, generation."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.encoding.events import padded_events, text_events
from bistro.errors import BistroError, ConfigError, ModelFileError
from bistro.evaluate.text import text_figures
from bistro.modelfile import read_model, write_model
from bistro.models.ngram.model import NgramModel
from bistro.tasks.surprisal import surprisal_rows
from bistro.treebank.treebank import read

TEXT = """\
the dog sees the cat .
the cat sees the dog .
a dog sleeps .
the old cat sleeps in the old house .
a cat and a dog see the house .
the dog in the house sees a cat .
Walking dogs is good .
Talking cats is odd .
"""
SENTENCES = [line.split() for line in TEXT.splitlines()]
SHORT = {"sweeps": 6, "samples": 3}


def trained(seed: int = 1, **settings: Any) -> NgramModel:
    sampler = {**SHORT, **settings.pop("sampler", {})}
    model = bistro.train("ngram", SENTENCES, seed=seed, sampler=sampler, **settings)
    assert isinstance(model, NgramModel)
    return model


@pytest.fixture(scope="module")
def model() -> NgramModel:
    return trained(order=3)


# ---- events ------------------------------------------------------------------------------------
def events_by_loop(
    sentences: Sequence[Sequence[int]], order: int, start: int, end: int
) -> list[tuple[list[int], int]]:
    events = []
    for words in sentences:
        padded = [start] * (order - 1) + list(words) + [end]
        for place in range(order - 1, len(padded)):
            events.append((padded[place - order + 1 : place][::-1], padded[place]))
    return events


@pytest.mark.parametrize("order", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("lengths", [[1], [4, 1, 3], [2, 0, 5], [0], []])
def test_events_are_those_of_a_plain_loop(order: int, lengths: list[Any]) -> None:
    rng = np.random.default_rng(order)
    sentences = [rng.integers(0, 7, size=length).tolist() for length in lengths]
    ids = np.array([i for words in sentences for i in words], dtype=np.int32)
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    found = padded_events(ids, offsets, order, start=8, end=7)
    expected = events_by_loop(sentences, order, start=8, end=7)
    assert found.contexts.shape == (len(expected), order - 1)
    assert found.contexts.dtype == found.outcomes.dtype == np.int32
    pairs = zip(found.contexts.tolist(), found.outcomes.tolist(), strict=True)
    assert list(pairs) == expected


# ---- probabilities -----------------------------------------------------------------------------
@pytest.mark.parametrize("order", [1, 2, 4])
def test_every_context_sums_to_one(order: int) -> None:
    model = trained(order=order)
    events = text_events(SENTENCES, model.vocabulary, model.config.order)
    unseen = np.random.default_rng(1).integers(0, model.vocabulary.start, (50, order - 1))
    contexts = np.unique(np.concatenate([events.contexts, unseen.astype(np.int32)]), axis=0)
    for context in contexts:
        distribution = model.frozen.distribution(context)
        assert distribution.size == len(model.vocabulary) + 1
        assert distribution.min() > 0
        assert distribution.sum() == pytest.approx(1, abs=1e-6)


def test_scores_of_words_multiply_to_that_of_the_sentence(model: NgramModel) -> None:
    scores = model.score(SENTENCES)
    assert scores.offsets.tolist() == np.cumsum([0, *(len(s) + 1 for s in SENTENCES)]).tolist()
    for number, words in enumerate(SENTENCES):
        own = slice(scores.offsets[number], scores.offsets[number + 1])
        alone = model.score([words])
        assert scores.log_probs[own].tolist() == alone.log_probs.tolist()
        ids = [*model.vocabulary.encode(words).tolist(), model.vocabulary.end]
        history = [model.vocabulary.start] * 2
        probability = 1.0
        for i in ids:
            context = np.array(history[:-3:-1], dtype=np.int32)
            probability *= model.frozen.distribution(context)[i]
            history.append(i)
        assert math.exp(alone.log_probs.sum()) == pytest.approx(probability, rel=1e-9)
        assert alone.is_eos.tolist() == [False] * len(words) + [True]


def test_the_order_one_model_forgets_the_context() -> None:
    model = trained(order=1)
    forward = model.score([["the", "dog", "sleeps", "."]])
    backward = model.score([[".", "sleeps", "dog", "the"]])
    assert forward.log_probs[:-1].tolist() == backward.log_probs[:-1][::-1].tolist()
    assert list(model.generate(3, seed=1)) == list(model.generate(3, seed=1))


def test_an_empty_sentence_is_its_end(model: NgramModel) -> None:
    scores = model.score([[], ["the"]])
    assert scores.is_eos.tolist() == [True, False, True]
    assert np.isfinite(scores.log_probs).all()


def test_unknown_words_are_scored_as_their_class(model: NgramModel) -> None:
    scores = model.score([["the", "zebra", "sees", "the", "zebu", "."]])
    assert scores.is_oov.tolist() == [False, True, False, False, True, False, False]
    assert np.isfinite(scores.log_probs).all()
    single = trained(unknown="single").score([["the", "zebra", "."], ["the", "QUAGGA-7", "."]])
    assert single.log_probs[:4].tolist() == single.log_probs[4:].tolist()
    strict = trained(unknown_below=1)
    assert not strict.score(SENTENCES).is_oov.any()


def test_a_frequent_context_beats_a_strange_one(model: NgramModel) -> None:
    likely, strange = ["the", "dog", "sees", "the", "cat", "."], ["the", ".", "cat", "the", "sees"]
    assert model.score([likely]).log_probs.sum() > model.score([strange]).log_probs.sum() + 5


def test_surprisal_rows_sum_to_the_sentence(model: NgramModel) -> None:
    rows = list(surprisal_rows(model, SENTENCES, [f"s{i}" for i in range(len(SENTENCES))]))
    for number, words in enumerate(SENTENCES):
        own = [row for row in rows if row.sent_id == f"s{number}"]
        log2_prob = model.score([words]).log_probs.sum() / math.log(2)
        assert sum(row.surprisal for row in own) == pytest.approx(-log2_prob)
        assert own[-1].prefix_log2_prob == pytest.approx(log2_prob)
        assert [row.token for row in own] == [*words, "</s>"]
        assert [row.word_id for row in own] == list(range(1, len(words) + 2))
    without = list(surprisal_rows(model, SENTENCES, eos=False))
    assert [row.token for row in without] == [word for words in SENTENCES for word in words]
    assert without[0].sent_id == "1"


# ---- settings and input ------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("seating", "hyper", "dirichlet"),
    list(
        itertools.product(["gibbs", "minimal", "maximal"], ["slice", "map", "fixed"], [False, True])
    ),
)
def test_all_samplers_train(seating: str, hyper: str, dirichlet: bool) -> None:
    sampler = {"seating": seating, "hyper": hyper, "dirichlet": dirichlet}
    model = trained(sampler=sampler)
    distribution = model.frozen.distribution(np.full(4, model.vocabulary.start, dtype=np.int32))
    assert distribution.sum() == pytest.approx(1, abs=1e-6)
    deterministic = seating != "gibbs" and hyper != "slice"
    assert len(model.origin.trace) == (1 if deterministic else SHORT["sweeps"])
    assert all(np.isfinite(row["log_likelihood"]) for row in model.origin.trace)
    assert np.isfinite(model.score(SENTENCES).log_probs).all()


def test_hyperparameters_are_updated_every_so_many_sweeps() -> None:
    sampler = {"sweeps": 7, "samples": 1, "hyper_every": 3}
    trace = trained(sampler=sampler).origin.trace
    discounts = [row["words.discount"] for row in trace]
    same = [a == b for a, b in itertools.pairwise(discounts)]
    assert same == [True, False, True, True, False, True]
    assert discounts[0][0] == 0.5


def test_training_on_the_text_helps() -> None:
    scored = text_figures(trained(), SENTENCES).perplexity
    flat = trained(sampler={"seating": "maximal", "hyper": "fixed", "discount": 0.99})
    assert scored < text_figures(flat, SENTENCES).perplexity < len(trained().vocabulary) + 1


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"order": 0}, "order is 0"),
        ({"ordre": 3}, "did you mean 'order'"),
        ({"order": "three"}, "a whole number"),
        ({"sampler": {"sweeps": 1}}, "samples is 40, but must lie between 1 and sweeps = 1"),
        ({"sampler": {"discount": 1.0}}, "[0, 1)"),
        ({"sampler": {"discount": math.nan}}, "[0, 1)"),
        ({"sampler": {"strength": math.inf}}, "strength is inf"),
        ({"sampler": {"strength": -0.5, "hyper": "fixed"}}, "greater than -discount"),
        (
            {"sampler": {"discount": 0.0}},
            "initial values of learned hyper-parameters must be above 0",
        ),
        ({"sampler": {"strength_prior": [0, 1]}}, "must be above 0"),
        ({"sampler": {"discount_prior": [math.nan, 1]}}, "must be above 0"),
        ({"sampler": {"hyper_every": 0}}, "hyper_every is 0"),
        ({"sampler": {"hyper_every": 5, "seating": "minimal"}}, "set seating = 'gibbs'"),
        ({"unknown_below": 0}, "unknown_below = 0"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**64}, "2^64 - 1"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError) as refused:
        bistro.train("ngram", SENTENCES, **settings)
    assert told in str(refused.value)


def test_a_string_is_not_a_sentence(model: NgramModel) -> None:
    for wrong in ("train.conllu", ["the dog sleeps .", "a cat ."]):
        with pytest.raises(BistroError, match=r"list of words|read the file"):
            bistro.train("ngram", wrong)
        with pytest.raises(BistroError, match="list of words"):
            model.score(wrong)


def test_treebanks_and_lists_of_words_are_the_same(tmp_path: Path, model: NgramModel) -> None:
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    treebank = read(path)
    same = bistro.train("ngram", treebank, seed=1, order=3, sampler=SHORT)
    assert same.score(treebank).log_probs.tolist() == model.score(SENTENCES).log_probs.tolist()
    assert same.origin.treebank["name"] == "text.txt"
    assert same.origin.treebank["sha256"] == treebank.sha256


# ---- files -------------------------------------------------------------------------------------
def test_the_order_of_sentences_does_not_matter(model: NgramModel) -> None:
    shuffled = bistro.train("ngram", SENTENCES[::-1], seed=1, order=3, sampler=SHORT)
    for name, array in model.arrays().items():
        assert array.tolist() == shuffled.arrays()[name].tolist()


def test_arrays_are_mapped_and_read_only(tmp_path: Path, model: NgramModel) -> None:
    path = tmp_path / "m.bistro"
    model.save(path)
    loaded = bistro.load(path)
    for array in loaded.arrays().values():
        assert not array.flags.writeable
        assert not array.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        loaded.arrays()["words.probability"][0] = 1


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"kind": "bushes"}, "of kind 'bushes', which is unknown to this version of Bistro"),
        ({"config": {"order": 3, "colour": "red"}}, "another version of Bistro"),
        ({"config": {"order": 3, "colour": "red"}}, "unknown setting 'colour'"),
        ({"config": None}, "wrong type"),
        ({"vocabulary": {}}, "the vocabulary has no entry 'unknown'"),
        ({"seed": None}, "the entry 'seed' is missing"),
    ],
)
def test_a_damaged_header_is_one_sentence(
    tmp_path: Path, model: NgramModel, change: dict[str, Any], told: str
) -> None:
    path = tmp_path / "m.bistro"
    model.save(path)
    file = read_model(path)
    header = {key: value for key, value in (file.header | change).items() if value is not None}
    if change == {"config": None}:
        header["config"] = [1, 2]
    damaged = tmp_path / "damaged.bistro"
    write_model(damaged, header, file.arrays)
    with pytest.raises(ModelFileError) as refused:
        bistro.load(damaged)
    assert told in str(refused.value)
    assert str(refused.value).startswith(str(damaged))
    assert "\n" not in str(refused.value)


def test_arrays_that_do_not_fit_are_refused(tmp_path: Path, model: NgramModel) -> None:
    path = tmp_path / "m.bistro"
    model.save(path)
    file = read_model(path)
    wide = {**file.arrays, "words.backoff": file.arrays["words.backoff"].astype(np.float64)}
    short = {**file.arrays, "words.dish": file.arrays["words.dish"][:-1]}
    missing = {k: v for k, v in file.arrays.items() if k != "words.dish"}
    for arrays in (wide, short, missing):
        write_model(path, file.header, arrays)
        with pytest.raises(ModelFileError, match="is damaged") as refused:
            bistro.load(path)
        assert "\n" not in str(refused.value)


# ---- generation --------------------------------------------------------------------------------
def test_generation_follows_the_seed_and_is_stable(model: NgramModel) -> None:
    ten = list(model.generate(10, seed=3))
    assert ten == list(model.generate(10, seed=3))
    assert ten[:4] == list(model.generate(4, seed=3))
    assert ten != list(model.generate(10, seed=4))
    assert all(
        set(words) <= {*model.vocabulary.words, *model.vocabulary.classes.names} for words in ten
    )


def test_generated_words_have_the_model_s_probabilities(model: NgramModel) -> None:
    first = [words[0] if words else "</s>" for words in model.generate(4000, seed=5)]
    start = np.full(2, model.vocabulary.start, dtype=np.int32)
    distribution = model.frozen.distribution(start)
    for word in ("the", "a"):
        (i,) = model.vocabulary.encode([word])
        expected = distribution[i]
        error = math.sqrt(expected * (1 - expected) / len(first))
        assert first.count(word) / len(first) == pytest.approx(expected, abs=5 * error)


# ---- the Wall Street Journal -------------------------------------------------------------------
@pytest.fixture(scope="module")
def wsj(data_dir: Path) -> tuple[Sequence[Any], Sequence[Any]]:
    folder = data_dir / "ptb_sample"
    return read(folder / "wsj-train.conll"), read(folder / "wsj-test.conll")


def mean_perplexity(wsj: tuple[Sequence[Any], Sequence[Any]], **settings: Any) -> float:
    """Return the mean over three seeds: single seeds differ by some tenths."""
    train, test = wsj
    found = []
    for seed in (1, 2, 3):
        model = bistro.train("ngram", train, seed=seed, unknown="single", **settings)
        figures = text_figures(model, test)
        assert figures.words + figures.sentences == 9862
        found.append(figures.perplexity)
    return float(np.mean(found))


@pytest.mark.data
def test_wsj_one_sample(wsj: tuple[Sequence[Any], Sequence[Any]]) -> None:
    assert mean_perplexity(wsj, sampler={"sweeps": 20, "samples": 1}) <= 109.0


@pytest.mark.data
def test_wsj_averaged(wsj: tuple[Sequence[Any], Sequence[Any]]) -> None:
    assert mean_perplexity(wsj) <= 107.0
