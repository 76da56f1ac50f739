"""Tags that a word never had in training: what each dictionary tries, and what it counts."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest
from transition_twins import (
    KINDS,
    SPECIAL,
    Kind,
    Twin,
    assert_same_marginals,
    random_sentences,
    settings,
)

import bistro
from bistro.errors import ConfigError
from bistro.models.transition.model import TransitionModel
from bistro.reference.arc_standard import Analysis, derivations
from bistro.treebank.sentence import Sentence

SOME_KINDS = [KINDS[0], KINDS[5], KINDS[14], KINDS[19], *SPECIAL]
FACTORS = {"soft": 0.3, "hard": 0.0, "none": 1.0}
TEXTS = (["a"], ["b", "d"], ["a", "c", "b"], ["c", "e"])
"""The last word is not in the training data: it may have all tags in every case."""


@cache
def scarce(kind: Kind) -> Twin:
    """The twin of a model of so few sentences that most words lack some tag."""
    model = bistro.train("transition", random_sentences(kind, 5, 3, 4), seed=1, **settings(kind))
    assert isinstance(model, TransitionModel)
    twin = Twin(kind, model)
    assert any(len(seen) < len(twin.every_tag) for seen in twin.dictionary)
    return twin


def weighed(twin: Twin, forms: list[str], factor: float) -> dict[Analysis, float]:
    """All analyses, each with a factor for every tag that its word never had."""
    table = twin.analyses(forms, factor=factor)
    return {a: p * factor ** twin.unseen(forms, a) for a, p in table.items()}


@pytest.mark.parametrize("kind", SOME_KINDS, ids=str)
@pytest.mark.parametrize("mode", ["hard", "none"])
def test_tags_tried_are_as_enumerated(kind: Kind, mode: str) -> None:
    twin = scarce(kind)
    for forms in TEXTS:
        table = twin.analyses(forms, factor=FACTORS[mode])
        parse = twin.parse(forms, tag_dictionary=mode, marginals=True)
        assert math.isclose(parse.log_total, math.log(sum(table.values())), abs_tol=1e-9)
        assert_same_marginals(parse, table, twin)


@pytest.mark.parametrize("kind", SOME_KINDS, ids=str)
def test_the_soft_dictionary_weighs_what_all_tags_find(kind: Kind) -> None:
    twin = scarce(kind)
    for forms in TEXTS:
        soft = twin.parse(forms, tag_dictionary="soft", unseen_tags=0.3, marginals=True, kbest=9)
        every = twin.parse(forms, tag_dictionary="none", kbest=9)
        assert_same_marginals(soft, weighed(twin, forms, 0.3), twin)
        # Probabilities of trees and words are the model's own.
        assert math.isclose(soft.log_total, every.log_total, abs_tol=1e-12)
        for one, other in zip(soft.analyses, every.analyses, strict=True):
            assert (one.heads, one.labels, one.tags) == (other.heads, other.labels, other.tags)
            assert math.isclose(one.log_prob, other.log_prob, abs_tol=1e-12)


@pytest.mark.parametrize("mode", ["soft", "hard", "none"])
@pytest.mark.parametrize("most", [1, 2])
def test_the_most_probable_tags_of_every_configuration_are_tried(mode: str, most: int) -> None:
    twin = scarce(Kind("first", "several", "none"))
    for forms in TEXTS:
        table = twin.analyses(forms, factor=FACTORS[mode], most_tags=most)
        parse = twin.parse(forms, tag_dictionary=mode, tags_per_word=most)
        assert math.isclose(parse.log_total, math.log(sum(table.values())), abs_tol=1e-9)


def test_unseen_tags_that_hardly_matter_are_not_tried() -> None:
    """A small factor closes some words and not others: what is tried is as enumerated."""
    twin = scarce(Kind("first", "several", "none"))
    known = range(twin.model.codec.vocabulary.num_classes, len(twin.dictionary))
    closed = [twin.is_closed(word, 0.00014) for word in known]
    assert 0 < sum(closed) < len(closed)
    for forms in (["a"], ["b"], ["c"], ["d"], ["a", "c", "b"], ["d", "b"]):
        parse = twin.parse(forms, unseen_tags=0.00014, marginals=True)
        assert_same_marginals(parse, weighed(twin, forms, 0.00014), twin)


def test_hard_and_none_differ_and_soft_lies_between() -> None:
    """The tests above would pass for any mode if no word lacked a tag that it could have."""
    twin = scarce(KINDS[0])
    forms = ["a", "c", "b"]
    missing = []
    for options in (
        {"tag_dictionary": "none"},
        {"unseen_tags": 0.3},
        {"unseen_tags": 0.003},
        {"tag_dictionary": "hard"},
    ):
        parse = twin.parse(forms, marginals=True, **options)
        assert parse.marginals is not None
        ids = twin.model.codec.vocabulary.encode(forms).tolist()
        rows = zip(ids, parse.marginals.tags, strict=True)
        names = [{twin.model.codec.tags[t] for t in seen} for seen in twin.dictionary]
        missing.append(sum(p for word, row in rows for tag, p in row if tag not in names[word]))
    assert missing == sorted(missing, reverse=True)
    assert missing[0] > 1.1 * missing[1] > 0
    assert missing[-1] == 0


def test_the_factor_comes_after_the_temperature() -> None:
    """Derivations count p^(1/T) times the factor, so 0.3 means the same at every temperature."""
    kind = Kind("first", "several", "none")
    twin, forms = scarce(kind), ["a", "c", "b"]
    words = twin.words(forms)
    table = {
        a: sum(
            twin.plain.replay(d, words, a)[0] ** 0.5 * 0.3 ** twin.unseen(forms, a)
            for d in derivations(kind.system, a[0])
        )
        for a in twin.analyses(forms)
    }
    parse = twin.parse(forms, temperature=2.0, unseen_tags=0.3, marginals=True)
    assert_same_marginals(parse, table, twin)


def test_given_tags_are_taken_as_they_are() -> None:
    """Tags that a word never had are no reason to count a derivation less where they are given."""
    twin = scarce(KINDS[0])
    forms, tags = ["a", "c", "b"], ["X", "Y", "Z"]
    tagged = Sentence.from_columns(forms, upos=tags)
    parses = [
        twin.parse(tagged, tags="given", marginals=True, mbr=True, temperature=2.0, **options)
        for options in ({"tag_dictionary": mode} for mode in ("soft", "hard", "none"))
    ]
    assert parses[0] == parses[1] == parses[2]


@pytest.mark.parametrize("mode", ["soft", "hard", "none"])
def test_seeds_hold(mode: str) -> None:
    twin = scarce(KINDS[0])
    options: dict[str, Any] = {"tag_dictionary": mode, "samples": 20, "size": 50}
    texts = [s.forms for s in random_sentences(KINDS[0], 20, 8, 5)]
    first, again = (
        list(twin.model.parse_all(texts, seed=3, threads=threads, **options)) for threads in (1, 2)
    )
    assert first == again
    assert first != list(twin.model.parse_all(texts, seed=4, **options))


def test_a_long_sentence_of_unseen_tags_has_marginals() -> None:
    """Factors are counted as logarithms: thousands of them do not make all weights zero."""
    kind = Kind(roots="several")
    tree = Sentence.from_columns(["a", "b"], heads=[0, 1], deprels=["k", "l"], upos=["X", "Y"])
    other = Sentence.from_columns(["a"], heads=[0], deprels=["k"], upos=["X"])
    model = bistro.train("transition", [tree, other, other], **settings(kind))
    parse = model.parse(["b"] * 400, unseen_tags=0.01, size=5, tags_per_word=1)
    assert set(parse.tags) <= {"X", "Y"}
    assert math.isfinite(parse.log_prob)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"tag_dictionary": "sof"}, "did you mean 'soft'"),
        ({"unseen_tags": 0.0}, "set tag_dictionary = 'hard'"),
        ({"unseen_tags": 1.5}, "must lie strictly between 0 and 1"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        scarce(KINDS[0]).parse(["a"], **options)
