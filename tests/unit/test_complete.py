"""Completing an annotation: what was there stays, what was not is found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import pytest

import bistro
from bistro.errors import BistroError
from bistro.models.eisner.model import EisnerModel
from bistro.rng import Stream
from bistro.tasks.complete import complete, whole_sentences
from bistro.treebank.probabilities import read_probabilities
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import find_tree_problem

QUICK = {"sampler": {"sweeps": 5, "samples": 2}}
GOLD = bistro.builtin(sentences=200, seed=1)

T = TypeVar("T")


def with_holes(sentences: Iterable[Sentence], share: float, seed: int = 1) -> list[Sentence]:
    """Return sentences in which a share of heads, labels and tags is open."""
    stream = Stream(seed, "holes")

    def opened(values: Sequence[T], gap: T) -> list[T]:
        return [gap if stream.uniform() < share else value for value in values]

    return [
        s.replace(heads=opened(s.heads, -1), deprels=opened(s.deprels, "_"),
                  upos=opened(s.upos, "_"))
        for s in sentences
    ]  # fmt: skip


@pytest.fixture(scope="module")
def model() -> EisnerModel:
    return bistro.train("eisner", GOLD[:150], seed=1, **QUICK)


@pytest.mark.parametrize("kind", ["eisner", "transition", "committee", "isbn"])
def test_what_was_there_stays_and_the_rest_is_found(kind: str) -> None:
    settings = {"hidden": 8, "learning": {"passes": 4}} if kind == "isbn" else QUICK
    part = [*GOLD[:150], *with_holes(GOLD[150:], 0.4)]
    done = complete(part, kind=kind, **settings)
    assert [str(s) for s in done.sentences[:150]] == [str(s) for s in part[:150]]
    right = open_heads = 0
    for old, new, gold in zip(part[150:], done.sentences[150:], GOLD[150:], strict=True):
        assert not find_tree_problem(new.heads, roots="one", partial=False)
        for name, gap in (("heads", -1), ("deprels", "_"), ("upos", "_")):
            assert gap not in getattr(new, name), name
            for before, after in zip(getattr(old, name), getattr(new, name), strict=True):
                assert before in (gap, after)
        for before, after, truth in zip(old.heads, new.heads, gold.heads, strict=True):
            open_heads += before == -1
            right += before == -1 and after == truth
    assert right / open_heads > (0.5 if kind == "isbn" else 0.8)
    assert done.filled["Head"] == open_heads
    assert 0 < done.expected["Head"] <= open_heads
    assert done.touched == sum("Filled=" in str(s) for s in done.sentences)


def test_marks_say_what_was_filled(model: EisnerModel) -> None:
    sentence = Sentence.from_columns(
        ["The", "dog", "sleeps", "."],
        heads=[2, -1, 0, 3],
        deprels=["det", "_", "root", "_"],
        upos=["DET", "_", "VERB", "PUNCT"],
        misc=["A=1", "B=2|Filled=Upos|PHead=0.1", "_", "SpaceAfter=No"],
    )
    done = complete([sentence], model)
    new = done.sentences[0]
    assert new.heads == [2, 3, 0, 3]
    assert new.misc[0] == "A=1"
    assert new.misc[2] == "_"
    assert new.misc[1].startswith("B=2|Filled=Head,Deprel,Upos|PHead=")
    assert new.misc[3].startswith("SpaceAfter=No|Filled=Deprel|PDeprel=")
    assert read_probabilities(new, "PUpos")[0] is None
    lines = str(new).split("\n")
    assert [lines[0], lines[2]] == [str(sentence).split("\n")[i] for i in (0, 2)]


def test_doubtful_values_stand_in_misc_alone(model: EisnerModel) -> None:
    part = with_holes(GOLD[150:], 0.5, seed=2)
    none, some, every = (complete(part, model, below=p) for p in (0.0, 0.9, 1.0))
    assert not none.left
    assert some.left["Head"] > 0
    assert every.filled.get("Head", 0) <= some.filled["Head"] < none.filled["Head"]
    assert some.filled["Head"] + some.left["Head"] == none.filled["Head"]
    for old, new in zip(part, some.sentences, strict=True):
        for word, (before, after) in enumerate(zip(old.heads, new.heads, strict=True)):
            maybe = "MaybeHead=" in new.misc[word]
            assert maybe == (before == -1 and after == -1)
            if maybe and old.deprels[word] == "_":
                assert new.deprels[word] == "_"
            if before == -1 and after != -1:
                assert (read_probabilities(new, "PHead")[word] or 0.0) >= 0.9 - 1e-4
    again = complete(some.sentences, model)
    assert all(-1 not in s.heads for s in again.sentences)
    assert not any("Maybe" in misc for s in again.sentences for misc in s.misc)


def test_heads_that_no_tree_of_the_model_has_stay_too(model: EisnerModel) -> None:
    crossing = Sentence.from_columns(
        ["The", "dog", "sleeps", "here", "."],
        heads=[3, 4, 0, -1, -1],
        deprels=["det", "nsubj", "root", "_", "_"],
        upos=["DET", "NOUN", "VERB", "ADV", "PUNCT"],
        line=7,
    )
    done = complete([crossing], model)
    new = done.sentences[0]
    assert new.heads[:3] == [3, 4, 0]
    assert not find_tree_problem(new.heads, roots="one", partial=False)
    assert done.relaxed == [7]
    assert "(first at line 7)" in done.summary()


def test_nothing_to_fill_nothing_to_learn_from(model: EisnerModel) -> None:
    done = complete(GOLD[:5], model)
    assert done.sentences == list(GOLD[:5])
    assert "no value was missing" in done.summary()
    holes = [s.replace(upos=["_", *s.upos[1:]]) for s in GOLD[:5]]
    with pytest.raises(BistroError, match=r"no sentence is complete \(heads, labels and"):
        complete(holes)
    assert len(whole_sentences([*holes, GOLD[7]])) == 1
    with pytest.raises(BistroError, match="must be a probability"):
        complete(GOLD[:5], model, below=1.5)
    with pytest.raises(BistroError, match="an ngram model cannot parse; use a transition, "):
        complete(holes, bistro.train("ngram", GOLD[:20], **QUICK))
