"""One simulated annotator: rounds of choosing, suggesting and correcting, counted in decisions.

`experiments.annotators` explains what is counted, and prints the tables.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import bistro
from bistro.evaluate.held_out import judge
from bistro.models.abilities import PARSE, Parser
from bistro.models.base import Model
from bistro.models.results.parses import plain_label
from bistro.tasks.complete import Completion, usable
from bistro.tasks.next_sentences import rank_next
from bistro.treebank.sentence import Sentence

START, GOAL = 100, 2000
"""Sentences that are annotated at the start, and those of the model to be reached."""
CANDIDATES = 3
"""Words that are ranked in a round, for each that is annotated."""
ROUNDS = 5
"""Each makes the annotated words more by the same factor: small batches first."""
JUDGED = 3
"""Models at the end of which the LAS is measured."""
SAMPLE = 20
"""Sentences of each batch for which suggestions are found again after each correction."""
SEARCH = {"size": 100, "tags_per_word": 3}
"""A quick search: a tenth of the default particles."""
VALUES = 3
"""Tag, head and label of a word."""


@dataclass
class Spent:
    """Decisions of an annotator."""

    words: int = 0
    wrong: float = 0.0
    """Suggestions that were wrong, each sentence suggested once."""
    wrong_again: float = 0.0
    """Suggestions that were wrong when they were reached, if all is found again."""

    def decisions(self, way: str, price: float = 0.0) -> float:
        """Return the decisions in units of one value set; a right suggestion costs `price`."""
        values = VALUES * self.words
        if way == "nothing":
            return values
        wrong = self.wrong if way == "suggestions" else self.wrong_again
        return wrong + price * (values - wrong)


WAYS = ("nothing", "suggestions", "found again")


@dataclass(frozen=True)
class Point:
    """A model on the way."""

    sentences: int
    las: float
    spent: Spent


def bare(sentence: Sentence) -> Sentence:
    """Return a sentence without tags and tree."""
    return _shown(sentence, 0)


def values_of(sentence: Sentence) -> list[str]:
    """Return tag, head and label of all words, in the order in which they are looked at."""
    columns = zip(sentence.upos, map(str, sentence.heads), sentence.deprels, strict=True)
    return [value for word in columns for value in word]


def suggested(model: Parser, sentences: Sequence[Sentence]) -> Iterator[list[str]]:
    """Yield the values that a model gives to words, in the light of those that they have."""
    evidence = [usable(sentence, model, Completion()) for sentence in sentences]
    for parse in model.parse_all(evidence, tags="given", partial=True, threads=1):
        tags = model.shown_tags(parse.tags)
        columns = zip(tags, map(str, parse.heads), map(plain_label, parse.labels), strict=True)
        yield [value for word in columns for value in word]


def first_wrong(shown: Sequence[str], right: Sequence[str], begin: int) -> int | None:
    """Return the place of the first wrong value from a place on."""
    places = range(begin, len(right))
    return next((place for place in places if shown[place] != right[place]), None)


def corrections(model: Parser, sentences: Sequence[Sentence]) -> int:
    """Count corrections if all that follows is found again after each."""
    waiting = [(sentence, 0) for sentence in sentences]
    number = 0
    while waiting:
        shown = suggested(model, [_shown(sentence, known) for sentence, known in waiting])
        left = []
        for (sentence, known), values in zip(waiting, shown, strict=True):
            place = first_wrong(values, values_of(sentence), known)
            if place is not None:
                left.append((sentence, place + 1))
        number += len(left)
        waiting = left
    return number


def _shown(sentence: Sentence, known: int) -> Sentence:
    """Return a sentence of whose values the first `known` are there."""

    def number(column: int) -> int:
        return (known - column + VALUES - 1) // VALUES

    size = len(sentence)
    tags, heads, labels = (max(0, number(column)) for column in range(VALUES))
    return sentence.replace(
        upos=[*sentence.upos[:tags], *["_"] * (size - tags)],
        heads=[*sentence.heads[:heads], *[-1] * (size - heads)],
        deprels=[*sentence.deprels[:labels], *["_"] * (size - labels)],
    )


def trained(sentences: Sequence[Sentence], seed: int) -> Model:
    """Return a quick parser."""
    return bistro.train("transition", sentences, seed=seed, defaults={"parse": SEARCH})


def annotate(model: Parser, batch: Sequence[Sentence], spent: Spent) -> None:
    """Count what it costs to annotate some sentences with a model's suggestions."""
    wrong = [
        sum(map(str.__ne__, values, values_of(sentence)))
        for values, sentence in zip(suggested(model, map_bare(batch)), batch, strict=True)
    ]
    sample = batch[:: max(1, len(batch) // SAMPLE)]
    once = sum(wrong[:: max(1, len(batch) // SAMPLE)])
    spent.words += sum(map(len, batch))
    spent.wrong += sum(wrong)
    spent.wrong_again += sum(wrong) * corrections(model, sample) / max(1, once)


def map_bare(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return all sentences without tags and trees."""
    return [bare(sentence) for sentence in sentences]


def chosen(
    model: Model,
    known: Sequence[Sentence],
    pool: Sequence[Sentence],
    strategy: str,
    words: float,
    seed: int,
) -> list[Sentence]:
    """Return the most useful sentences of the pool, of as many words as are wanted."""
    candidates = pool
    if strategy != "random":
        some = first_words(pool, CANDIDATES * words)
        found = rank_next([*known, *map_bare(some)], model, strategy=strategy, seed=seed, threads=1)
        candidates = [some[one.sentence - len(known)] for one in found.sentences]
    return first_words(candidates, words)


def first_words(sentences: Sequence[Sentence], words: float) -> list[Sentence]:
    """Return the first sentences, of at least so many words."""
    found = []
    for sentence in sentences:
        if words <= 0:
            break
        found.append(sentence)
        words -= len(sentence)
    return found


def career(
    pool: Sequence[Sentence], dev: Sequence[Sentence], strategy: str, seed: int, words: float
) -> list[Point]:
    """Annotate so many words in all; return the last models on the way."""
    order = random.Random(seed)
    rest = order.sample(list(pool), len(pool))
    known, rest = rest[:START], rest[START:]
    start = sum(map(len, known))
    spent = Spent(start, VALUES * start, VALUES * start)
    points: list[Point] = []
    model = trained(known, seed)
    for number in range(1, ROUNDS + 1):
        wanted = start * (words / start) ** (number / ROUNDS) - spent.words
        batch = chosen(model, known, rest, strategy, wanted, seed)
        annotate(PARSE.of(model), batch, spent)
        known = [*known, *batch]
        gone = {id(sentence) for sentence in batch}
        rest = [sentence for sentence in rest if id(sentence) not in gone]
        order.shuffle(rest)
        model = trained(known, seed)
        if number > ROUNDS - JUDGED:
            las = judge(model, dev).figures["las"]
            points.append(Point(len(known), las, Spent(**vars(spent))))
    return points


def goal_of(
    pool: Sequence[Sentence], dev: Sequence[Sentence], seeds: Sequence[int]
) -> tuple[float, float]:
    """Return the mean LAS of models of random sentences, and their mean number of words."""
    las, words = 0.0, 0
    for seed in seeds:
        known = random.Random(seed + 1000).sample(list(pool), GOAL)
        las += judge(trained(known, seed), dev).figures["las"]
        words += sum(map(len, known))
    return las / len(seeds), words / len(seeds)
