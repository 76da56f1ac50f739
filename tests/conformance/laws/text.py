"""Laws of models of words: scores, surprisal, generation, explanations, reading along."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bistro.encoding.vocabulary import END_SYMBOL
from bistro.errors import BistroError
from bistro.models.abilities import SCORE, Explainer, Follower, Generator, Scorer
from bistro.models.base import Model
from bistro.models.inputs import as_words
from bistro.models.results.scores import TextScores

from .law import (
    expect,
    expect_close,
    expect_falling,
    expect_line,
    expect_same,
    expect_shares,
    laws,
    refusal,
)

DRAWN = 5


def events_are_words_and_ends(model: Scorer, data: Sequence[Any]) -> None:
    """Every word and every sentence end has one log-probability, never above 0."""
    texts = as_words(data)
    scores = model.score(texts)
    sizes = [len(words) + 1 for words in texts]
    expect(scores.offsets.tolist() == np.cumsum([0, *sizes]).tolist(), scores.offsets)
    ends = (scores.offsets[1:] - 1).tolist()
    expect(np.flatnonzero(scores.is_eos).tolist() == ends, scores.is_eos)
    expect(scores.log_probs.size == scores.is_oov.size == sum(sizes), scores.log_probs.size)
    expect(np.isfinite(scores.log_probs).all(), scores.log_probs)
    expect((scores.log_probs <= 1e-9).all(), scores.log_probs)
    expect(not scores.is_oov[scores.is_eos].any(), scores.is_oov)
    expect(model.score([]).log_probs.size == 0, "events without sentences")


def surprisals_sum(model: Scorer, data: Sequence[Any]) -> None:
    """The surprisals of a sentence sum to that of the whole."""
    texts = as_words(data)
    scores = model.score(texts)
    rows = list(model.surprisal(texts))
    for i, words in enumerate(texts):
        own = rows[scores.offsets[i] : scores.offsets[i + 1]]
        expect([row.token for row in own] == [*words, END_SYMBOL], own)
        log2 = _log2_of(scores, i)
        expect_close(sum(row.surprisal for row in own), -log2)
        expect_close(own[-1].prefix_log2_prob, log2)
    without = model.surprisal(texts, eos=False)
    expect([row.token for row in without] == [word for words in texts for word in words])


def _log2_of(scores: TextScores, sentence: int) -> float:
    own = slice(*scores.offsets[sentence : sentence + 2])
    return float(scores.log_probs[own].sum()) / math.log(2)


def scores_are_repeatable(model: Scorer, data: Sequence[Any]) -> None:
    """Scores are the same the second time, on any number of threads, and alone if exact."""
    texts = as_words(data)
    names = model.score_options.names()
    scores = model.score(texts)
    for threads in (1, 2) if "threads" in names else ():
        expect_same(_columns(model.score(texts, threads=threads)), _columns(scores))
    expect_same(_columns(model.score(texts)), _columns(scores))
    if not names:
        alone = np.concatenate([model.score([words]).log_probs for words in texts])
        expect_same(alone.tolist(), scores.log_probs.tolist())


def _columns(scores: TextScores) -> list[Any]:
    return [None if column is None else column.tolist() for column in vars(scores).values()]


def next_words_are_shares(model: Scorer, data: Sequence[Any]) -> None:
    """The probabilities of all next words and of the end sum to 1, or a little less."""
    context = list(as_words(data)[0])[:2]
    found = model.next_words(context)
    is_exact = not model.score_options.names()
    expect(0.2 < found.covered < (1 + 1e-4 if is_exact else 1.3), found.covered)
    expect(found.entropy >= 0 and (found.entropy_se is None or not is_exact), found.entropy_se)
    rows = found.top(20)
    expect_falling([row.probability for row in rows])
    for place, row in enumerate(rows, start=1):
        expect(row.rank is not None and row.rank <= place, row)
    known = [row for row in rows if not row.oov]
    for again, row in zip(found.of([row.word for row in known]), known, strict=True):
        expect((again.word, again.rank, again.oov) == (row.word, row.rank, 0), again)
        expect_close(again.probability, row.probability)
    [stranger] = found.of(["never-heard"])
    expect((stranger.rank is not None) == model.vocabulary.is_open, stranger)
    expect_same(model.next_words(context).top(20), rows)
    begin = model.next_words([])
    expect(begin.covered > 0.2, begin.covered)


def texts_are_lists_of_words(model: Scorer, data: Sequence[Any]) -> None:
    """A plain string is not a sentence."""
    refusal(model.score, ["The dog sleeps ."], says="list of words")
    refusal(model.surprisal, "The dog sleeps .", says="list of words")
    refusal(model.next_words, "The dog", says="list of words")


def draws_follow_the_seed(model: Generator, data: Sequence[Any]) -> None:
    """Sentence i of a draw depends on the seed and i alone."""
    check_draws(model.generate)
    for words in model.generate(DRAWN, seed=1):
        expect(len(words) <= model.longest_generated, len(words))
        expect(all(isinstance(word, str) and word for word in words), words)


def check_draws(draw: Callable[..., Any]) -> None:
    """Check that draws follow their seed, and that numbers that mean nothing are refused."""
    drawn = list(draw(DRAWN, seed=1))
    expect(len(drawn) == DRAWN, drawn)
    expect_same(list(draw(DRAWN, seed=1)), drawn)
    expect_same(list(draw(2, seed=1)), drawn[:2])
    expect(repr(list(draw(DRAWN, seed=2))) != repr(drawn), "the same draw from another seed")
    expect(list(draw(0)) == [], "a draw of no sentences")
    wrong: dict[str, Any] = {"n": -1, "seed": -1, "temperature": 0.0, "prefix": "The dog"}
    for name, value in wrong.items():
        refusal(draw, **{"n": 1, name: value})


def draws_continue_a_prefix(model: Generator, data: Sequence[Any]) -> None:
    """A draw with a prefix begins with it, or prefixes are refused."""
    begin = list(as_words(data)[0])[:2]
    try:
        drawn = list(model.generate(2, seed=1, prefix=begin))
    except BistroError:
        refusal(model.generate, 2, seed=1, prefix=begin)
        return
    expect(all(words[:2] == begin for words in drawn), drawn)


def contributions_sum(model: Explainer, data: Sequence[Any]) -> None:
    """The contributions of all contexts sum to the probability of a decision."""
    for words in as_words(data):
        explanation = model.explain(words)
        expect_line(explanation.protocol)
        expect(explanation.words == list(words), explanation.words)
        for decision in explanation.decisions:
            expect(0 < decision.probability <= 1 + 1e-6, decision)
            if decision.levels:
                total = sum(level.contribution for level in decision.levels)
                expect_close(total, decision.probability)
        total = sum(decision.bits for decision in explanation.decisions)
        expect_close(total, -explanation.log_prob / math.log(2), 1e-6)


def exact_scores_are_explained(model: Model, data: Sequence[Any]) -> None:
    """Where scores are exact, the decisions multiply to the probability of the sentence."""
    if not SCORE.is_of(model) or SCORE.of(model).score_options.names():
        return
    for words in as_words(data):
        found = model.explain(words).log_prob  # type: ignore[attr-defined]
        expect_close(found, float(SCORE.of(model).score([words]).log_probs.sum()), 1e-6)


def readings_are_shares(model: Follower, data: Sequence[Any]) -> None:
    """After each word, the shares of the analyses fall and sum to 1 at most."""
    for words in as_words(data):
        reading = model.follow(words, analyses=3)
        expect_line(reading.protocol)
        tokens = [step.token for step in reading.steps]
        expect(tokens == [*words, END_SYMBOL], tokens)
        for place, step in enumerate(reading.steps, start=1):
            shares = [live.probability for live in step.analyses]
            expect(0 < len(shares) <= min(3, step.alive), step)
            expect_shares(shares)
            expect_falling(shares)
            expect(step.word == place and step.entropy >= 0 and step.surprisal >= -1e-9, step)
            for live in step.analyses:
                expect(len(live.heads) == min(place, len(words)), live)
                open_words = [w for w, h in enumerate(live.heads, start=1) if h < 0]
                expect(live.stack == open_words, live)
        first = model.follow(words, analyses=1)
        for step, alone in zip(reading.steps, first.steps, strict=True):
            expect_same(alone.analyses[0].id, step.analyses[0].id)
            expect_same(alone.surprisal, step.surprisal)


LAWS = (
    *laws(
        "score",
        events_are_words_and_ends,
        surprisals_sum,
        scores_are_repeatable,
        next_words_are_shares,
        texts_are_lists_of_words,
    ),
    *laws("generate", draws_follow_the_seed, draws_continue_a_prefix),
    *laws("explain", contributions_sum, exact_scores_are_explained),
    *laws("follow", readings_are_shares),
)
