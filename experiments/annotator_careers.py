"""One simulated annotator: rounds of ranking, suggesting and correcting, counted in decisions.

`experiments.annotators` explains the counts, and prints the tables.
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
"""Sentences annotated at the start, and training sentences of the model that sets the goal."""
CANDIDATES = 3
"""Number of words that are ranked in a round, per word that is annotated."""
ROUNDS = 5
"""Number of rounds. Each multiplies the annotated words by the same factor."""
JUDGED = 3
"""Number of final models whose LAS is measured."""
SAMPLE = 20
"""Sentences per batch, about, for which suggestions are recomputed after each correction."""
SEARCH = {"size": 100, "tags_per_word": 3}
"""A quick search with a tenth of the default particles."""
VALUES = 3
"""Values per word: tag, head and label."""


@dataclass
class Spent:
    """Decisions of an annotator."""

    words: int = 0
    wrong: float = 0.0
    """Number of wrong suggestions, if each sentence is suggested once."""
    wrong_again: float = 0.0
    """Number of wrong suggestions, if later values are recomputed after each correction."""

    def decisions(self, way: str, price: float = 0.0) -> float:
        """Return the number of decisions; a correct suggestion costs `price` decisions."""
        values = VALUES * self.words
        if way == "nothing":
            return values
        wrong = self.wrong if way == "suggestions" else self.wrong_again
        return wrong + price * (values - wrong)


WAYS = ("nothing", "suggestions", "found again")


@dataclass(frozen=True)
class Point:
    """A model after one round."""

    sentences: int
    las: float
    spent: Spent


def bare(sentence: Sentence) -> Sentence:
    """Return a copy of a sentence without tags and tree."""
    return _shown(sentence, 0)


def values_of(sentence: Sentence) -> list[str]:
    """Return tag, head and label of all words, in the order of annotation."""
    columns = zip(sentence.upos, map(str, sentence.heads), sentence.deprels, strict=True)
    return [value for word in columns for value in word]


def suggested(model: Parser, sentences: Sequence[Sentence]) -> Iterator[list[str]]:
    """Yield the values that a model predicts for sentences, given their known values."""
    evidence = [usable(sentence, model, Completion()) for sentence in sentences]
    for parse in model.parse_all(evidence, tags="given", partial=True, threads=1):
        tags = model.shown_tags(parse.tags)
        columns = zip(tags, map(str, parse.heads), map(plain_label, parse.labels), strict=True)
        yield [value for word in columns for value in word]


def first_wrong(shown: Sequence[str], right: Sequence[str], begin: int) -> int | None:
    """Return the index of the first wrong value at or after `begin`."""
    places = range(begin, len(right))
    return next((place for place in places if shown[place] != right[place]), None)


def corrections(model: Parser, sentences: Sequence[Sentence]) -> int:
    """Count the corrections if all later values are recomputed after each."""
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
    """Return a copy of a sentence with only its first `known` values."""

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
    """Return a parser with a quick search."""
    return bistro.train("transition", sentences, seed=seed, defaults={"parse": SEARCH})


def annotate(model: Parser, batch: Sequence[Sentence], spent: Spent) -> None:
    """Add the cost of annotating sentences with the suggestions of a model to `spent`."""
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
    """Return copies of all sentences without tags and trees."""
    return [bare(sentence) for sentence in sentences]


def chosen(
    model: Model,
    known: Sequence[Sentence],
    pool: Sequence[Sentence],
    strategy: str,
    words: float,
    seed: int,
) -> list[Sentence]:
    """Return the most useful sentences of the pool, with at least `words` words in total."""
    candidates = pool
    if strategy != "random":
        some = first_words(pool, CANDIDATES * words)
        found = rank_next([*known, *map_bare(some)], model, strategy=strategy, seed=seed, threads=1)
        candidates = [some[one.sentence - len(known)] for one in found.sentences]
    return first_words(candidates, words)


def first_words(sentences: Sequence[Sentence], words: float) -> list[Sentence]:
    """Return the first sentences, with at least `words` words in total."""
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
    """Annotate `words` words in total, and return the last models."""
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
