"""Searches with a budget: what they find, that they are repeatable, and minimum-risk trees."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from transition_twins import KINDS, SPECIAL, SYSTEMS, Kind, random_sentences, summed, twin_of

from bistro.models.results.parses import Parse
from bistro.reference.arc_standard import Analysis, projective_trees
from bistro.treebank.sentence import Sentence


def tree_and_tags(analysis: Analysis) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return analysis[0], analysis[2]


@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_many_particles_find_the_best_tree(system: Kind) -> None:
    twin = twin_of(Kind(system.root, system.roots, "none"))
    for forms, tags in (("abcda", "XYZXY"), ("ddcab", "ZZXYX"), ("cab", None)):
        sentence = Sentence.from_columns(list(forms), upos=list(tags) if tags else ["_"] * 3)
        table = twin.analyses(list(forms), tags=tags)
        best = max(table, key=table.__getitem__)
        found = twin.parse(sentence, tags="given", search="particles", size=10**7)
        assert twin.key(found.analyses[0]) == best
        # Weights count anew in every selection, so improbable derivations fall out.
        assert math.log(table[best]) - 0.01 < found.log_prob <= math.log(table[best]) + 1e-9
        total = math.log(sum(table.values()))
        assert found.log_prob <= found.log_total <= total + 1e-9


@pytest.mark.parametrize("kind", [KINDS[3], KINDS[16], SPECIAL[0]], ids=str)
def test_any_budget_gives_a_bound(kind: Kind) -> None:
    """What is found has its true probability or less: derivations may be missing, none is extra."""
    twin = twin_of(kind)
    table = twin.analyses(["a", "c", "b"])
    trees = summed(table, lambda a: a if kind.sees_labels else tree_and_tags(a))
    for size in (1, 2, 5, 20, 100, 1000, 10_000):
        for search in ("particles", "beam"):
            parse = twin.parse(["a", "c", "b"], search=search, size=size, kbest=10**6)
            assert parse.log_total <= math.log(sum(table.values())) + 1e-9
            for found in parse.analyses:
                key = twin.key(found)
                assert found.log_prob <= math.log(table[key]) + 1e-9
                share = found.posterior * math.exp(parse.log_total)
                assert share <= trees[key if kind.sees_labels else tree_and_tags(key)] * (1 + 1e-9)
            assert math.isclose(sum(found.posterior for found in parse.analyses), 1.0)


@pytest.mark.parametrize("options", [{}, {"search": "beam", "size": 20}, {"kbest": 4}], ids=str)
def test_the_same_for_any_number_of_threads_and_any_company(options: dict[str, Any]) -> None:
    kind = Kind("first", "several")
    model = twin_of(kind).model
    sentences: list[Sentence] = random_sentences(kind, 60, 12, seed=9)
    chosen = {"marginals": True, "size": 50, **options}

    def parsed(**more: Any) -> list[Parse]:
        return list(model.parse_all(sentences, **chosen, **more))

    alone = [model.parse(sentence, **chosen, threads=1) for sentence in sentences]
    assert alone == parsed(threads=1) == parsed(threads=2) == parsed(threads=4)
    sampled = parsed(threads=1, samples=3, seed=5)
    assert sampled == parsed(threads=2, samples=3, seed=5) == parsed(threads=4, samples=3, seed=5)
    assert sampled != parsed(threads=1, samples=3, seed=6)


@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_trees_of_least_risk(system: Kind) -> None:
    """No projective tree has more heads expected to be right, by the marginals."""
    twin = twin_of(system)
    codec = twin.model.codec
    rng = random.Random(10)
    for size in (1, 2, 3, 4, 5, 5, 6, 6):
        forms = rng.choices(["a", "b", "c", "d"], k=size)
        parse = twin.parse(forms, search="particles", size=200, mbr=True, marginals=True)
        assert parse.marginals is not None
        marginals = [dict(row) for row in parse.marginals.heads]

        def expected(heads: tuple[int, ...], of: list[dict[int, float]] = marginals) -> float:
            return sum(row.get(head, 0.0) for head, row in zip(heads, of, strict=True))

        trees = projective_trees(size, single_root=system.roots == "one")
        assert tuple(parse.heads) in trees
        assert math.isclose(expected(tuple(parse.heads)), max(map(expected, trees)))
        assert parse.tags == [row[0][0] for row in parse.marginals.tags]
        assert set(parse.tags) <= set(codec.tags)


@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_labels_of_least_risk_belong_to_their_heads(system: Kind) -> None:
    """Each label is the likeliest of its word among the analyses with that very head."""
    twin = twin_of(system)
    for forms in (["b", "d"], ["a", "c", "b"], ["d", "b", "a"]):
        table = twin.analyses(forms)
        heads, labels, _ = twin.key(twin.parse(forms, mbr=True).analyses[0])
        for word, (head, label) in enumerate(zip(heads, labels, strict=True)):
            agreeing = {a: p for a, p in table.items() if a[0][word] == head}
            by_label = summed(agreeing, lambda a, at=word: a[1][at])  # type: ignore[misc]
            assert math.isclose(by_label[label], max(by_label.values()), rel_tol=1e-9)


@pytest.mark.parametrize("kind", [KINDS[3], KINDS[16], SPECIAL[0]], ids=str)
@pytest.mark.parametrize("options", [{}, {"mbr": False}, {"search": "beam", "size": 20}], ids=str)
def test_marginals_of_tags_alone_come_with_the_same_trees(
    kind: Kind, options: dict[str, Any]
) -> None:
    model = twin_of(kind).model
    sentences = random_sentences(kind, 40, 12, seed=3)
    whole = model.parse_all(sentences, marginals=True, **options)
    for all_of_it, tags in zip(
        whole, model.parse_all(sentences, marginals="tags", **options), strict=True
    ):
        assert (tags.heads, tags.labels, tags.tags) == (
            all_of_it.heads,
            all_of_it.labels,
            all_of_it.tags,
        )
        assert all_of_it.marginals is not None and tags.marginals is not None
        assert tags.marginals.tags == all_of_it.marginals.tags
        assert not tags.marginals.heads and not tags.marginals.labels
