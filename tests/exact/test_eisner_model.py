"""Eisner's model against enumeration of all trees, tags and labels."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest
from eisner_twins import (
    EXACT,
    KINDS,
    LABELS,
    TAGS,
    WORDS,
    Analysis,
    Kind,
    Sums,
    Tiny,
    random_sentence,
    tiny,
)

from bistro.errors import BistroError
from bistro.models.results.parses import Analysis as Found
from bistro.models.results.parses import Parse
from bistro.treebank.sentence import Sentence


def as_numbers(found: Found, *, labelled: bool) -> Analysis:
    labels = [LABELS.index(label) if labelled else -1 for label in found.labels]
    return tuple(found.heads), tuple(TAGS.index(t) for t in found.tags), tuple(labels)


def log_sum(values: list[float]) -> float:
    return math.log(math.fsum(math.exp(v) for v in values))


def partly(sentence: Sentence, rng: random.Random, share: float) -> Sentence:
    def keep(column: list[str]) -> list[str]:
        return [value if rng.random() < share else "_" for value in column]

    heads = [head if rng.random() < share else -1 for head in sentence.heads]
    return sentence.replace(heads=heads, deprels=keep(sentence.deprels), upos=keep(sentence.upos))


def known_to_all(model: Tiny, sentence: Sentence) -> Sentence:
    """The sentence with evidence that the tagger's states allow, tag and label together."""
    if model.kind.labels != "generated":
        return sentence
    return sentence.replace(deprels=["_"] * len(sentence), upos=["_"] * len(sentence))


def check_sums(parse: Parse, analyses: dict[Analysis, float], *, labelled: bool) -> None:
    assert parse.log_total == pytest.approx(log_sum(list(analyses.values())), abs=1e-5)
    expected = Sums.of(analyses, len(parse.sentence))
    assert parse.marginals is not None
    for i in range(len(parse.sentence)):
        assert dict(parse.marginals.heads[i]) == pytest.approx(expected.heads[i], abs=1e-5)
        assert dict(parse.marginals.tags[i]) == pytest.approx(expected.tags[i], abs=1e-5)
        if labelled:
            assert dict(parse.marginals.labels[i]) == pytest.approx(expected.labels[i], abs=1e-5)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_sums_over_all_analyses(kind: Kind) -> None:
    model = tiny(kind)
    rng = random.Random(3)
    for size in (1, 2, 3):
        sentence = Sentence.from_columns(rng.choices(WORDS, k=size))
        parse = model.model.parse(sentence, marginals=True, mbr=False, **EXACT)
        check_sums(parse, model.analyses(sentence), labelled=kind.labels != "none")


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_any_part_can_be_given(kind: Kind) -> None:
    model = tiny(kind)
    rng = random.Random(4)
    labelled = kind.labels != "none"
    for size in (2, 3, 3, 3, 4 if kind.labels == "none" else 3):
        sentence = known_to_all(model, partly(random_sentence(kind, size, rng), rng, 0.5))
        analyses = model.analyses(sentence)
        parse = model.model.parse(
            sentence, tags="given", partial=True, marginals=True, mbr=False, **EXACT
        )
        assert not parse.relaxed
        check_sums(parse, analyses, labelled=labelled)
        found = as_numbers(parse.analyses[0], labelled=labelled)
        assert parse.log_prob == pytest.approx(analyses[found], abs=1e-5)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_trees_in_order_of_probability(kind: Kind) -> None:
    """Where labels come after the arcs, trees are ranked with all their labels together."""
    model = tiny(kind)
    sentence = Sentence.from_columns(["a", "b", "c"])
    analyses = model.analyses(sentence)
    groups: dict[tuple[object, ...], float] = {}
    for (heads, tags, labels), weight in analyses.items():
        key = (heads, tags, labels) if kind.labels == "generated" else (heads, tags)
        groups[key] = groups.get(key, 0.0) + math.exp(weight)
    total = math.fsum(groups.values())
    expected = sorted((p / total for p in groups.values()), reverse=True)
    parse = model.model.parse(sentence, kbest=20, **EXACT)
    assert [a.posterior for a in parse.analyses] == pytest.approx(expected[:20], abs=1e-6)
    for found in parse.analyses:
        known = analyses[as_numbers(found, labelled=kind.labels != "none")]
        assert found.log_prob == pytest.approx(known, abs=1e-5)
    best = model.model.parse(sentence, mbr=False, **EXACT)
    assert best.analyses[0] == parse.analyses[0]


@pytest.mark.parametrize("kind", [Kind("arcs"), Kind("generated", "several")], ids=str)
def test_samples_follow_the_posterior(kind: Kind) -> None:
    model = tiny(kind)
    sentence = Sentence.from_columns(["b", "a"])
    analyses = model.analyses(sentence)
    total = log_sum(list(analyses.values()))
    parse = model.model.parse(sentence, samples=20_000, **EXACT)
    counts = Counter(as_numbers(found, labelled=True) for found in parse.samples)
    for analysis, weight in analyses.items():
        mean = 20_000 * math.exp(weight - total)
        assert abs(counts[analysis] - mean) < 5 * math.sqrt(mean) + 3
    other = {a: math.exp((w - total) / 1.5) for a, w in analyses.items()}
    scale = 20_000 / sum(other.values())
    assert any(abs(counts[a] - scale * p) > 5 * math.sqrt(scale * p) + 3 for a, p in other.items())


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_least_risk_tree(kind: Kind) -> None:
    """The tree whose heads have the highest sum of probabilities; its log-probability is exact."""
    model = tiny(kind)
    rng = random.Random(9)
    for _ in range(5):
        sentence = Sentence.from_columns(rng.choices(WORDS, k=3))
        analyses = model.analyses(sentence)
        marginals = Sums.of(analyses, 3).heads
        parse = model.model.parse(sentence, **EXACT)

        def worth(heads: tuple[int, ...]) -> float:
            return sum(marginals[i].get(h, 0.0) for i, h in enumerate(heads))  # noqa: B023

        best = max(worth(heads) for heads, _, _ in analyses)
        assert worth(tuple(parse.heads)) == pytest.approx(best, abs=1e-6)
        found = as_numbers(parse.analyses[0], labelled=kind.labels != "none")
        assert parse.log_prob == pytest.approx(analyses[found], abs=1e-5)


@pytest.mark.parametrize("kind", [Kind("none", "one"), Kind("arcs", "several")], ids=str)
def test_short_sentences_leave_less_than_the_whole(kind: Kind) -> None:
    """All sentences up to a length have a probability below 1, the more the longer they are."""
    model = tiny(kind).model
    known = [*WORDS, "never-seen"]
    sums = [0.0]
    for size in (1, 2, 3):
        sentences = [Sentence.from_columns(words) for words in _all(known, size)]
        parses = model.parse_all(sentences, mbr=False, **EXACT)
        sums.append(sums[-1] + math.fsum(math.exp(parse.log_total) for parse in parses))
    assert 0.2 < sums[1] < sums[2] < sums[3] < 1 + 1e-6


def _all(words: list[str], size: int) -> list[list[str]]:
    if size == 0:
        return [[]]
    return [[word, *rest] for word in words for rest in _all(words, size - 1)]


def test_impossible_heads_are_refused() -> None:
    sentence = Sentence.from_columns(["a", "b", "c", "d"], heads=[3, 4, -1, -1])
    with pytest.raises(BistroError, match="cross"):
        tiny(KINDS[0]).model.parse(sentence, partial=True)
