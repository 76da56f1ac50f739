"""Given heads, labels and tags: the posterior is conditioned on them, and never empty."""

from __future__ import annotations

import math
import random
from itertools import chain, product

import pytest
from transition_twins import (
    KINDS,
    SPECIAL,
    SYSTEMS,
    Kind,
    Twin,
    assert_same_marginals,
    random_analysis,
    twin_of,
)

from bistro.errors import BistroError
from bistro.models.results.parses import Analysis as FoundAnalysis
from bistro.reference.arc_standard import projective_trees
from bistro.treebank.sentence import Sentence

EVERY_KIND = [*KINDS, *SPECIAL]


def partly(sentence: Sentence, rng: random.Random, share: float) -> Sentence:
    """The sentence with some heads, labels and tags left open."""

    def open_some(column: list[str]) -> list[str]:
        return [value if rng.random() < share else "_" for value in column]

    heads = [head if rng.random() < share else -1 for head in sentence.heads]
    deprels, upos = open_some(sentence.deprels), open_some(sentence.upos)
    return sentence.replace(heads=heads, deprels=deprels, upos=upos)


def agrees(found: FoundAnalysis, given: Sentence, *, labelled: bool) -> bool:
    columns: list[tuple[list[int] | list[str], list[int] | list[str]]] = [
        (given.heads, found.heads),
        (given.upos, found.tags),
    ]
    if labelled:
        columns.append((given.deprels, found.labels))
    return all(
        wanted in (-1, "_", got)
        for want, have in columns
        for wanted, got in zip(want, have, strict=True)
    )


@pytest.mark.parametrize("kind", EVERY_KIND, ids=str)
def test_any_part_of_a_tree_can_be_given(kind: Kind) -> None:
    """Small searches too: whatever they keep can be completed."""
    twin = twin_of(kind)
    rng = random.Random(11)
    labelled = kind.labels != "none"
    evidence = []
    for _ in range(80):
        forms = rng.choices(["a", "b", "c", "d"], k=rng.randint(1, 8))
        analysis = twin.turned(random_analysis(kind.system, len(forms), rng))
        if not labelled:
            analysis = analysis[0], (0,) * len(forms), analysis[2]
        evidence.append(partly(twin.named(analysis, forms), rng, rng.choice([0.2, 0.5, 0.8])))
    for options in (
        {"search": "beam", "size": 1},
        {"search": "particles", "size": 1},
        {"search": "particles", "size": 30, "both_reduces": False, "kbest": 3},
        {"search": "particles", "size": 300, "mbr": True, "samples": 2},
    ):
        parses = twin.model.parse_all(
            evidence, **{"tags": "given", "partial": True, "mbr": False, "threads": 1, **options}
        )
        for given, parse in zip(evidence, parses, strict=True):
            assert not parse.relaxed
            for found in (*parse.analyses, *parse.samples):
                assert agrees(found, given, labelled=labelled)


@pytest.mark.parametrize("kind", EVERY_KIND, ids=str)
def test_the_posterior_is_conditioned_on_what_is_given(kind: Kind) -> None:
    twin = twin_of(kind)
    rng = random.Random(12)
    forms = ["a", "c", "b"]
    table = twin.analyses(forms)
    likely = sorted(table, key=table.__getitem__, reverse=True)
    for _ in range(6):
        given = partly(twin.named(rng.choice(likely), forms), rng, 0.4)
        wanted = _in_numbers(twin, given)
        part = {
            analysis: p
            for analysis, p in table.items()
            if all(w in (-1, got) for w, got in zip(wanted, chain(*analysis), strict=True))
        }
        parse = twin.parse(given, tags="given", partial=True, marginals=True)
        assert math.isclose(parse.log_total, math.log(sum(part.values())), abs_tol=1e-9)
        assert_same_marginals(parse, part, twin)


def _in_numbers(twin: Twin, given: Sentence) -> list[int]:
    """Heads, labels and tags in a row, -1 where they are open."""

    def ids(values: list[str], names: list[str]) -> list[int]:
        return [names.index(value) if value != "_" else -1 for value in values]

    labels = ids(given.deprels, twin.model.codec.labels)
    if twin.kind.labels == "none":
        labels = [-1] * len(given)
    return [*given.heads, *labels, *ids(given.upos, twin.model.codec.tags)]


@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_heads_are_refused_exactly_if_no_tree_has_them(system: Kind) -> None:
    """All partial annotations of four words: an error, or a tree even with one particle."""
    twin = twin_of(Kind(system.root, system.roots, "none"))
    trees = projective_trees(4, single_root=system.roots == "one")
    possible = {
        tuple(head if keep else -1 for head, keep in zip(tree, mask, strict=True))
        for tree in trees
        for mask in product([False, True], repeat=4)
    }
    template = Sentence.from_columns(["a", "b", "c", "d"])
    for heads in product(range(-1, 5), repeat=4):
        sentence = template.replace()
        sentence.heads = list(heads)
        if heads in possible:
            parse = twin.parse(sentence, partial=True, search="particles", size=1)
            assert not parse.relaxed
            assert agrees(parse.analyses[0], sentence, labelled=False)
        else:
            with pytest.raises(BistroError, match=r"cross|circle|root|own head|head 0"):
                twin.parse(sentence, partial=True)


@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_long_sentences_with_parts_given(system: Kind) -> None:
    """Up to 40 words, one particle: a single wrong turn would show."""
    twin = twin_of(Kind(system.root, system.roots))
    rng = random.Random(13)
    for _ in range(150):
        forms = rng.choices(["a", "b", "c", "d"], k=rng.randint(9, 40))
        analysis = random_analysis(system.system, len(forms), rng)
        given = partly(twin.named(analysis, forms), rng, rng.random())
        parse = twin.parse(given, tags="given", partial=True, search="particles", size=1)
        assert not parse.relaxed
        assert agrees(parse.analyses[0], given, labelled=True)
