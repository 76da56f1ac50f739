"""Searches for tag sequences against enumeration of all of them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import bistro
from bistro._core import ChainRequest, ChainTagger
from bistro.models.results.structures import Tagging
from bistro.models.tags.model import TagsModel
from bistro.models.unbounded.search import SearchName, SearchOptions
from bistro.rng import Stream
from bistro.treebank.sentence import Sentence

WORDS, TAGS = "abcd", "XYZ"
TEXT = ["a", "b", "c", "d", "b", "a"]
SETTINGS: dict[str, dict[str, Any]] = {
    "unbounded": {},
    "depth 2": {"depth": 2},
    "gibbs": {"sampler": {"seating": "gibbs", "hyper": "slice", "sweeps": 5, "samples": 2}},
}


def treebank() -> list[Sentence]:
    """Sentences of ambiguous words; some long ones come twice, so that long contexts matter."""
    stream = Stream(1, "tests.tags", 0)
    found = []
    for _ in range(40):
        size = 2 + stream.below(7)
        forms = [WORDS[stream.below(4)] for _ in range(size)]
        tags = [TAGS[(stream.below(3) + WORDS.index(form)) % 3] for form in forms]
        found += [Sentence.from_columns(forms, upos=tags)] * (1 + (size > 5))
    return found


@pytest.fixture(scope="module", params=list(SETTINGS))
def model(request: pytest.FixtureRequest) -> TagsModel:
    trained = bistro.train("tags", treebank(), seed=1, unknown_below=1, **SETTINGS[request.param])
    assert isinstance(trained, TagsModel)
    return trained


class Enumeration:
    """All tag sequences of a text, with their probabilities under the trie or under the PCFG."""

    def __init__(self, model: TagsModel, words: list[str], *, hmm: bool = False) -> None:
        sequences = list(itertools.product(TAGS, repeat=len(words)))
        trees = [model.task.derivation(Sentence.from_columns(words, upos=s)) for s in sequences]
        kept = [(s, t) for s, t in zip(sequences, trees, strict=True) if t is not None]
        self.tags = np.array([[TAGS.index(tag) for tag in tags] for tags, _ in kept])
        derivations = [tree for _, tree in kept]
        if hmm:
            self.log_probs = np.array([np.log(model.pcfg[tree]).sum() for tree in derivations])
        else:
            self.log_probs = model.log_prob(derivations)

    @property
    def best(self) -> list[str]:
        return [TAGS[tag] for tag in self.tags[self.log_probs.argmax()]]

    @property
    def log_total(self) -> float:
        return float(np.logaddexp.reduce(self.log_probs))

    def marginals(self) -> NDArray[np.float64]:
        posterior = np.exp(self.log_probs - self.log_total)
        return np.stack([(posterior[:, None] * (self.tags == k)).sum(0) for k in range(3)], axis=1)


def found_marginals(tagging: Tagging) -> NDArray[np.float64]:
    assert tagging.marginals is not None
    return np.array([[dict(row).get(tag, 0.0) for tag in TAGS] for row in tagging.marginals])


def test_every_tag_is_worth_considering(model: TagsModel) -> None:
    assert len(Enumeration(model, TEXT).tags) == 3 ** len(TEXT)


@pytest.mark.parametrize("search", ["hmm", "viterbi"])
def test_best_sequence_and_marginals(model: TagsModel, search: str) -> None:
    exact = Enumeration(model, TEXT, hmm=search == "hmm")
    tagging = model.tag(TEXT, search=search, mbr=False, marginals=True)
    assert tagging.tags == exact.best
    assert found_marginals(tagging) == pytest.approx(exact.marginals(), abs=1e-9)
    by_risk = model.tag(TEXT, search=search)
    assert by_risk.tags == [TAGS[k] for k in exact.marginals().argmax(axis=1)]


def test_log_probability_of_the_tags_found(model: TagsModel) -> None:
    tagging = model.tag(TEXT, search="viterbi", mbr=False)
    assert tagging.log_prob == pytest.approx(Enumeration(model, TEXT).log_probs.max(), abs=1e-9)
    sentence = Sentence.from_columns(TEXT, upos=tagging.tags)
    assert model.score_tags([sentence])[0] == pytest.approx(tagging.log_prob, abs=1e-9)


def test_sum_over_all_sequences(model: TagsModel) -> None:
    ids, offsets = model.task.vocabulary.encode_all([TEXT])
    total = model._tagger.score(ids, offsets, np.zeros(0, np.int32))
    assert total[0] == pytest.approx(Enumeration(model, TEXT).log_total, abs=1e-9)


def test_a_wide_beam_is_exact_and_a_narrow_one_finds_no_better(model: TagsModel) -> None:
    exact = model.tag(TEXT, search="viterbi", mbr=False)
    wide = model.tag(TEXT, beam=3 ** len(TEXT), mbr=False)
    assert (wide.tags, wide.log_prob) == (exact.tags, exact.log_prob)
    assert wide.states <= exact.states
    assert len(TEXT) * 3 <= exact.states <= sum(3**k for k in range(1, len(TEXT) + 1))
    assert model.tag(TEXT, beam=1, mbr=False).log_prob <= exact.log_prob


@pytest.mark.parametrize("search", ["astar-full", "astar-literal", "astar-nodes"])
def test_searches_for_trees_find_the_same(model: TagsModel, search: SearchName) -> None:
    exact = model.tag(TEXT, search="viterbi", mbr=False)
    terminals = [model.task.terminals(TEXT)]
    asked = SearchOptions(search, beam=10**6, completions=3 ** len(TEXT))
    tree = model.tree_search.find(terminals, asked)[0]
    assert tree is not None
    assert model.task.output(TEXT, tree.derivation) == exact.tags
    assert tree.log_prob == pytest.approx(exact.log_prob, abs=1e-6)
    assert model.tag(TEXT, search=search).log_prob <= exact.log_prob + 1e-6


def test_charts_find_the_same_as_the_hidden_markov_model(model: TagsModel) -> None:
    tree = model.tree_search.find([model.task.terminals(TEXT)], SearchOptions("cyk"))[0]
    assert tree is not None
    assert model.task.output(TEXT, tree.derivation) == model.tag(TEXT, search="hmm", mbr=False).tags
    assert tree.log_prob == pytest.approx(Enumeration(model, TEXT, hmm=True).log_probs.max())


def mcmc_error(model: TagsModel, expected: NDArray[np.float64], samples: int = 20000) -> float:
    """The largest distance from the expected marginals, in standard errors of repeated runs."""
    runs = np.stack(
        [
            found_marginals(model.tag(TEXT, search="mcmc", samples=samples, marginals=True, seed=s))
            for s in range(1, 9)
        ]
    )
    error = runs.std(axis=0, ddof=1) / math.sqrt(len(runs))
    return float((abs(runs.mean(axis=0) - expected) / np.maximum(error, 1e-6)).max())


def test_metropolis_hastings_follows_the_posterior_and_not_the_proposal(model: TagsModel) -> None:
    assert mcmc_error(model, Enumeration(model, TEXT).marginals()) < 6
    # A sampler that accepts whatever is proposed would have these frequencies.
    assert mcmc_error(model, Enumeration(model, TEXT, hmm=True).marginals()) > 12


def test_draws_depend_on_the_seed_and_the_sentence_alone(model: TagsModel) -> None:
    texts = [TEXT, TEXT[:3], TEXT[2:], TEXT] * 3
    options: dict[str, Any] = {"search": "mcmc", "samples": 50, "marginals": True}
    one = list(model.tag_all(texts, threads=1, **options))
    assert list(model.tag_all(texts, threads=3, **options)) == one
    assert list(model.tag_all(texts[:5], **options)) == one[:5]
    assert list(model.tag_all(texts, seed=2, **options)) != one


def test_what_the_core_refuses(model: TagsModel) -> None:
    ids, offsets = model.task.vocabulary.encode_all([TEXT])
    asked: dict[str, Any] = {
        "beam": 0,
        "least_ratio": 0.0,
        "least_probability": 0.0,
        "minimum_risk": True,
        "marginals": False,
        "samples": 5,
        "burn_in": 0,
        "seed": 1,
        "purpose": 0,
    }
    with pytest.raises(ValueError, match="search must be hmm"):
        ChainRequest(search="astar", **asked)
    with pytest.raises(ValueError, match="must be greater than the burn-in"):
        ChainRequest(search="mcmc", **{**asked, "burn_in": 5})
    request = ChainRequest(search="hmm", **asked)
    with pytest.raises(ValueError, match="do not match"):
        model._tagger.tag(ids, offsets[:1], request, first=0)
    with pytest.raises(ValueError, match="no tag in the grammar"):
        model._tagger.tag(ids + 100, offsets, request, first=0)
    rules = model.rules
    columns: dict[str, Any] = {**rules.arrays(), "probability": model.pcfg}
    size: dict[str, Any] = {
        "num_symbols": len(rules.symbols),
        "num_words": len(rules.words),
        "end_word": len(rules.words) - 1,
        "trie": model.trie,
    }
    shorter: dict[str, Any] = {name: column[:-1].copy() for name, column in columns.items()}
    with pytest.raises(ValueError, match="different rules"):
        ChainTagger(**shorter, start=0, **size)
    with pytest.raises(ValueError, match="start or end"):
        ChainTagger(**columns, start=-1, **size)
