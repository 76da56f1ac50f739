"""The pseudo-projective transformation: what it marks, what it refuses, what it never breaks."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bistro.errors import ConfigError, TreebankError
from bistro.treebank.projectivity import (
    LIFTED,
    ON_PATH,
    SCHEMES,
    Scheme,
    deprojectivize,
    is_projective,
    projectivize,
)


def random_tree(rng: random.Random, length: int, *, roots: int = 1) -> list[int]:
    """Attach the words in random order, each to 0 (first `roots`) or to an earlier one."""
    order = list(range(1, length + 1))
    rng.shuffle(order)
    heads = [0] * length
    for place, word in enumerate(order):
        heads[word - 1] = 0 if place < roots else order[rng.randrange(place)]
    return heads


def assert_tree(heads: list[int]) -> None:
    for word in range(1, len(heads) + 1):
        steps = 0
        while word != 0:
            word = heads[word - 1]
            steps += 1
            assert steps <= len(heads), "cycle"


# "A hearing is scheduled on the issue today ." with the two arcs of Nivre & Nilsson's kind:
# "on" belongs to "hearing", "today" to "scheduled".
HEADS = [2, 4, 4, 0, 2, 7, 5, 4, 4]
LABELS = ["det", "nsubj", "aux", "root", "nmod", "det", "pobj", "tmod", "punct"]


def test_the_three_encodings() -> None:
    expected = {
        "head": (5, "nmod↑nsubj", "nsubj"),
        "path": (5, "nmod↑", "nsubj↓"),
        "head+path": (5, "nmod↑nsubj", "nsubj↓"),
    }
    for scheme in SCHEMES:
        result = projectivize(HEADS, LABELS, scheme)
        word, lifted, passed = expected[scheme]
        assert result.lifted == 1
        assert result.heads == [2, 4, 4, 0, 4, 7, 5, 4, 4]
        assert result.labels[word - 1] == lifted
        assert result.labels[1] == passed
        unchanged = [i for i in range(9) if i not in (1, word - 1)]
        assert [result.labels[i] for i in unchanged] == [LABELS[i] for i in unchanged]
        back = deprojectivize(result.heads, result.labels, scheme)
        assert back == (HEADS, LABELS, 1, 0)


def test_shortest_arc_is_lifted_first_and_ties_go_left_to_right() -> None:
    # Arcs 1-3 and 2-4 cross and are equally long; lifting the left one is enough.
    heads = [0, 1, 1, 2]
    assert projectivize(heads, list("abcd"), "head").heads == [0, 1, 1, 1]
    heads = [3, 4, 0, 3]
    assert projectivize(heads, list("abcd"), "head").heads == [3, 3, 0, 3]


def test_lifting_over_a_root_goes_to_the_artificial_root() -> None:
    result = projectivize([0, 0, 1], ["root", "root", "obj"], "head+path")
    assert result == ([0, 0, 0], ["root↓", "root", "obj↑root"], 1)
    back = deprojectivize(result.heads, result.labels, "head+path")
    assert back == ([0, 0, 1], ["root", "root", "obj"], 1, 0)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_projective_trees_are_unchanged(scheme: Scheme) -> None:
    for heads in ([], [0], [0, 1, 2, 3], [2, 0, 2], [0, 0, 0], [4, 1, 1, 0]):
        labels = [f"l{i}" for i in range(len(heads))]
        assert projectivize(heads, labels, scheme) == (heads, labels, 0)
        assert deprojectivize(heads, labels, scheme) == (heads, labels, 0, 0)


def test_unfound_target_keeps_its_place_without_the_marker() -> None:
    result = deprojectivize([2, 0, 2], ["obj↑advcl", "root", "nsubj"], "head")
    assert result == ([2, 0, 2], ["obj", "root", "nsubj"], 0, 1)


def test_target_inside_the_own_subtree_is_not_taken() -> None:
    # Word 1 looks for an advcl, but the only one hangs below it: moving there would be a cycle.
    result = deprojectivize([3, 1, 0], ["obj↑advcl", "advcl", "root"], "head")
    assert result == ([3, 1, 0], ["obj", "advcl", "root"], 0, 1)


def test_missing_heads() -> None:
    assert is_projective([-1, 1, -1, 3])
    assert not is_projective([3, 4, -1, -1])
    with pytest.raises(TreebankError, match="word 2 has no head"):
        projectivize([0, -1], ["a", "b"], "head")
    assert deprojectivize([-1, 1], ["a", "b↑a"], "head") == ([-1, 1], ["a", "b"], 0, 1)


@pytest.mark.parametrize("marker", [LIFTED, ON_PATH])
def test_labels_with_marker_characters_are_refused(marker: str) -> None:
    with pytest.raises(TreebankError, match="of word 2 contains"):
        projectivize([0, 1], ["a", f"b{marker}"], "path")


def test_impossible_input_is_refused() -> None:
    with pytest.raises(TreebankError, match="cycle"):
        projectivize([2, 1, 0], ["a", "b", "c"], "head")
    with pytest.raises(TreebankError, match="outside the sentence"):
        projectivize([9], ["a"], "head")
    with pytest.raises(TreebankError, match=r"heads \(1\) and labels \(2\) must be the same"):
        projectivize([0], ["a", "b"], "head")
    with pytest.raises(ConfigError, match="did you mean 'head'"):
        projectivize([0], ["a"], "heads")  # type: ignore[arg-type]


@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 3), st.sampled_from(SCHEMES))
def test_result_is_always_projective_and_counts_are_right(
    seed: int, length: int, roots: int, scheme: Scheme
) -> None:
    rng = random.Random(seed)
    heads = random_tree(rng, length, roots=min(roots, length))
    labels = [rng.choice("abc") for _ in heads]
    result = projectivize(heads, labels, scheme)
    assert_tree(result.heads)
    assert is_projective(result.heads)
    assert result.lifted == sum(a != b for a, b in zip(heads, result.heads, strict=True))
    assert result.lifted == sum(LIFTED in label for label in result.labels)
    back = deprojectivize(result.heads, result.labels, scheme)
    assert back.labels == labels
    assert back.restored + back.failed == result.lifted
    assert_tree(back.heads)


@given(
    st.integers(0, 2**32),
    st.lists(st.text(alphabet=f"ab{LIFTED}{ON_PATH}", max_size=5), min_size=1, max_size=30),
    st.sampled_from(SCHEMES),
)
def test_any_label_noise_gives_a_tree(seed: int, labels: list[str], scheme: Scheme) -> None:
    heads = random_tree(random.Random(seed), len(labels))
    result = deprojectivize(heads, labels, scheme)
    assert_tree(result.heads)
    assert not any(LIFTED in label or ON_PATH in label for label in result.labels)
    assert result.restored + result.failed == sum(LIFTED in label for label in labels)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_thousand_words_in_disorder(scheme: Scheme) -> None:
    heads = random_tree(random.Random(1), 1000)
    labels = ["x"] * 1000
    result = projectivize(heads, labels, scheme)
    deprojectivize(result.heads, result.labels, scheme)
    assert result.lifted > 900
