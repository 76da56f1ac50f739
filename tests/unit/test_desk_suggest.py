"""What a desk suggests, and how it learns."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import bistro
from bistro.models.abilities import PARSE
from bistro.models.base import Model
from bistro.tasks.complete import complete
from bistro.tasks.desk.beside import Beside, confirmed_in_order
from bistro.tasks.desk.decisions import SetFields
from bistro.tasks.desk.desk import Desk
from bistro.tasks.desk.document import Document
from bistro.tasks.desk.learning import FEWEST, labelled_score, learn
from bistro.tasks.desk.suggest import ask_word, doubts_of, findings, suggest
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import write


@pytest.fixture(scope="module")
def model() -> Model:
    """A parser of the built-in treebank."""
    return bistro.train("transition", bistro.builtin(sentences=300, seed=1), seed=1)


@pytest.fixture(scope="module")
def sentences() -> list[Sentence]:
    """Sentences that the model has not seen."""
    return list(bistro.builtin(sentences=40, seed=9))


def bare(sentence: Sentence) -> Sentence:
    return sentence.replace(heads=[-1] * len(sentence), deprels=["_"] * len(sentence))


@pytest.fixture
def desk(model: Model, sentences: list[Sentence], tmp_path: Path) -> Iterator[Desk]:
    """A desk with a file of which half is annotated."""
    path = tmp_path / "mine.conllu"
    write([*map(bare, sentences[:20]), *sentences[20:]], path)
    document = Document.open(path)
    yield Desk(document, model, every=3)
    document.close()


def test_suggestions_are_those_of_complete(model: Model, sentences: list[Sentence]) -> None:
    part = sentences[0].replace(heads=[*sentences[0].heads[:2], *[-1] * (len(sentences[0]) - 2)])
    found = suggest(part, PARSE.of(model))
    done = complete([part], model).sentences[0]
    assert (found.heads, found.labels) == (done.heads, done.deprels)
    assert found.sure["heads"][:2] == [None, None]
    assert all(p is not None and 0 <= p <= 1 for p in found.sure["heads"][2:])
    assert len(found.doubts) == len(part) - 2
    assert set(found.values(2)) == {"heads"}
    assert found.values(0) == {}


def test_given_heads_are_kept_whatever_the_model_has(model: Model) -> None:
    crossing = Sentence.from_columns(["a", "b", "c", "d"], heads=[3, 4, -1, -1])
    found = suggest(crossing, PARSE.of(model))
    assert found.relaxed
    assert found.heads[:2] == [3, 4]


def test_a_word_is_asked_about_given_the_rest(model: Model, sentences: list[Sentence]) -> None:
    parser = PARSE.of(model)
    asked = ask_word(sentences[0], 1, parser)
    opened = sentences[0].replace(
        heads=[-1, *sentences[0].heads[1:]],
        deprels=["_", *sentences[0].deprels[1:]],
        upos=["_", *sentences[0].upos[1:]],
    )
    assert asked["heads"] == suggest(opened, parser).alternatives["heads"][0]


def test_doubts_and_findings(desk: Desk, sentences: list[Sentence]) -> None:
    parser = desk.suggester.parser
    right = doubts_of(sentences[0], parser)
    wrong = sentences[0].replace(deprels=["vocative"] * len(sentences[0]))
    assert sum(doubts_of(wrong, parser)) > sum(right)
    assert desk.suggester.committee is not None
    assert findings(bare(sentences[0]), desk.suggester.committee) == []
    tagged = sentences[0].replace(upos=["INTJ", *sentences[0].upos[1:]])
    found = findings(tagged, desk.suggester.committee)
    assert any(one.word == 1 and one.what == "tag" for one in found)


def test_kept_suggestions_are_counted(desk: Desk) -> None:
    shot = desk.snapshot(0)
    found = desk.suggestion(shot)
    words = len(found.heads)
    other = next(h for h in range(1, words + 1) if h not in (found.heads[0], 1))
    desk.decide(0, 0, SetFields({1: {"heads": other}}))
    found = desk.suggestion(desk.snapshot(0))
    rest = {word + 1: found.values(word) for word in range(words)}
    desk.decide(0, 1, SetFields({w: v for w, v in rest.items() if v}), done=True)
    assert desk.curve() == [(2 * words, 2 * words - 1)]
    desk.undo(desk.document.last)
    assert desk.curve() == []


def test_a_worse_model_is_not_taken(model: Model, sentences: list[Sentence]) -> None:
    outcome = learn(model, sentences[:FEWEST], sentences[10:30])
    assert outcome.lesson.las is not None
    assert outcome.lesson.las_candidate is not None
    assert outcome.lesson.taken == (outcome.lesson.las_candidate >= outcome.lesson.las)
    assert (outcome.model is not None) == outcome.lesson.taken


def test_a_better_model_takes_over(desk: Desk, sentences: list[Sentence]) -> None:
    poor = bistro.train("transition", sentences[38:], seed=1)
    assert labelled_score(PARSE.of(poor), sentences[:3]) is not None
    desk.swap(poor)
    desk.beside = list(bistro.builtin(sentences=300, seed=1))
    beside = Beside(desk, 100)
    beside.start()
    for place in range(3):
        gold = sentences[place]
        values: dict[int, dict[str, int | str]] = {
            word: {"heads": gold.heads[word - 1], "deprels": gold.deprels[word - 1]}
            for word in range(1, len(gold) + 1)
        }
        desk.decide(place, 0, SetFields(values), done=True)
    assert confirmed_in_order(desk) == [0, 1, 2]
    beside.wake()
    until = time.monotonic() + 120
    while desk.suggester.number < 2 and time.monotonic() < until:
        time.sleep(0.1)
    beside.close()
    assert desk.lessons[0].taken
    assert desk.suggester.number == 2
    assert desk.problem == ""
