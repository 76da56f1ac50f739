"""Projectivity against its definition, lifting against the plain algorithm, and real treebanks."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from bistro.treebank.projectivity import SCHEMES, deprojectivize, is_projective, projectivize

Tree = tuple[list[int], list[str]]


def dominates(heads: Sequence[int], above: int, word: int) -> bool:
    while word not in (above, 0):
        word = heads[word - 1]
    return word == above


def nonprojective_arcs(heads: Sequence[int]) -> list[tuple[int, int]]:
    """The definition, word by word: pairs (length, leftmost end, dependent) in order of lifting."""
    found = []
    for word, head in enumerate(heads, start=1):
        left, right = sorted((head, word))
        if not all(dominates(heads, head, between) for between in range(left + 1, right)):
            found.append((right - left, left, word))
    return [(length, word) for length, _, word in sorted(found)]


def lift_plainly(heads: Sequence[int]) -> tuple[list[int], int]:
    """Nivre & Nilsson's loop as it stands in the paper."""
    lifted = list(heads)
    lifts = 0
    while arcs := nonprojective_arcs(lifted):
        word = arcs[0][1]
        lifted[word - 1] = lifted[lifted[word - 1] - 1]
        lifts += 1
    return lifted, lifts


def is_tree(heads: Sequence[int]) -> bool:
    for word in range(1, len(heads) + 1):
        seen = set()
        while word != 0:
            if word in seen:
                return False
            seen.add(word)
            word = heads[word - 1]
    return True


def all_trees(length: int) -> Iterator[list[int]]:
    for heads in itertools.product(range(length + 1), repeat=length):
        if is_tree(heads):
            yield list(heads)


def random_trees(count: int, longest: int) -> Iterator[list[int]]:
    rng = random.Random(7)
    for _ in range(count):
        order = list(range(1, rng.randint(2, longest) + 1))
        rng.shuffle(order)
        heads = [0] * len(order)
        for place, word in enumerate(order[1:], start=1):
            # Mostly near heads: far ones would leave hardly a projective tree to test.
            near = [other for _, other in sorted((abs(w - word), w) for w in order[:place])]
            heads[word - 1] = rng.choice([*near[:2], 0] if rng.random() < 0.9 else near)
        yield heads


def test_projectivity_is_the_definition_on_all_small_trees() -> None:
    projective = 0
    for length in range(1, 6):
        for heads in all_trees(length):
            assert is_projective(heads) == (not nonprojective_arcs(heads)), heads
            projective += is_projective(heads)
    # Projective trees with any number of roots: 1, 3, 12, 55, 273 (binomial(3n+1, n) / (3n+1)).
    assert projective == 1 + 3 + 12 + 55 + 273


def test_projectivity_is_the_definition_on_random_trees() -> None:
    verdicts = []
    for heads in random_trees(2000, 14):
        verdicts.append(is_projective(heads))
        assert verdicts[-1] == (not nonprojective_arcs(heads)), heads
    assert 0.1 < sum(verdicts) / len(verdicts) < 0.9


def test_lifting_is_the_plain_loop() -> None:
    for heads in [*all_trees(5), *random_trees(1000, 14)]:
        expected, _ = lift_plainly(heads)
        assert projectivize(heads, ["x"] * len(heads), "head").heads == expected


def fewest_lifts(heads: list[int]) -> int:
    """Breadth-first search over all sequences of lifts."""
    seen = {tuple(heads)}
    level = [heads]
    for lifts in itertools.count():
        if any(is_projective(tree) for tree in level):
            return lifts
        following = []
        for tree in level:
            for word, head in enumerate(tree, start=1):
                if head:
                    lifted = [*tree[: word - 1], tree[head - 1], *tree[word:]]
                    if tuple(lifted) not in seen:
                        seen.add(tuple(lifted))
                        following.append(lifted)
        level = following
    raise AssertionError


def test_shortest_first_is_minimal_or_nearly_so() -> None:
    trees = [tree for tree in all_trees(5) if not is_projective(tree)]
    excess = [lift_plainly(tree)[1] - fewest_lifts(tree) for tree in trees]
    assert (excess.count(0), excess.count(1), len(excess)) == (974, 49, 1023)


def read_heads_and_labels(path: Path) -> Iterator[Tree]:
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line[:1].isdigit()]
        rows = [row for row in rows if row[0].isdigit()]
        if rows:
            yield [int(row[6]) for row in rows], [row[7] for row in rows]


@pytest.mark.data
@pytest.mark.parametrize(
    ("treebank", "lifted_words", "at_least"),
    [
        ("en_ewt/en_ewt-ud-train.conllu", 357, {"head": 91.0, "path": 95.2, "head+path": 98.0}),
        ("da_ddt/danish_ddt_train.conll", 1055, {"head": 90.0, "path": 92.1, "head+path": 99.5}),
        ("eu_ud11/eu-ud-train.conllu", 1408, {"head": 93.1, "path": 87.0, "head+path": 98.2}),
    ],
)
def test_share_of_lifted_arcs_restored_exactly(
    data_dir: Path, treebank: str, lifted_words: int, at_least: dict[str, float]
) -> None:
    trees = list(read_heads_and_labels(data_dir / treebank))
    for scheme in SCHEMES:
        lifted = exact = 0
        for heads, labels in trees:
            there = projectivize(heads, labels, scheme)
            assert is_projective(there.heads)
            back = deprojectivize(there.heads, there.labels, scheme)
            assert back.labels == labels
            lifted += there.lifted
            moved = zip(heads, there.heads, back.heads, strict=True)
            exact += sum(old != between and old == new for old, between, new in moved)
        assert lifted == lifted_words
        assert 100 * exact / lifted >= at_least[scheme], scheme
