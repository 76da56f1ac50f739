"""The chart of the core against its NumPy twin: sums, maxima, prefixes and the values of spans."""

from __future__ import annotations

import _thread
import math
import signal
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from grammar_twins import rule, words

import bistro
from bistro import _core
from bistro.inference.grammar.binary import columns_of
from bistro.inference.grammar.exact import ExactGrammar, english
from bistro.models.grammar.model import GrammarModel
from bistro.reference.grammar_chart import Chart, Rules, Word

KINDS: dict[str, Any] = {"sums": _core.ContextFreeSums, "maxima": _core.ContextFreeMaxima}
close = pytest.approx


def random_rules(seed: int, symbols: int = 9, tags: int = 3) -> Rules:
    """Return rules with unary cycles, recursion on both sides and rules that are given twice.

    The last symbols have no rules; the start may be one that the others lead back to.
    """
    rng = np.random.default_rng(seed)
    binary, unary = 4 * symbols, 3 * symbols
    phrases = symbols - tags
    parents = rng.integers(0, phrases, binary)
    unary_parents = rng.integers(0, phrases, unary)
    weights = rng.random(binary) ** 3 * (rng.random(binary) < 0.9)
    unary_weights = rng.random(unary) ** 2 + 0.05
    # Half of every symbol is left for rules that are not there: then every expected count is small.
    totals = np.bincount(parents, weights, symbols) + np.bincount(
        unary_parents, unary_weights, symbols
    )
    scale = 0.5 / np.maximum(totals, 1e-9)
    children = [rng.integers(0, symbols, n) for n in (binary, binary, unary)]
    return Rules(
        symbols,
        int(rng.integers(0, phrases)),
        parents.astype(np.int32),
        children[0].astype(np.int32),
        children[1].astype(np.int32),
        weights * scale[parents],
        unary_parents.astype(np.int32),
        children[2].astype(np.int32),
        unary_weights * scale[unary_parents],
    )


def random_words(rules: Rules, length: int, seed: int, unknown: bool = False) -> list[Word]:
    rng = np.random.default_rng(seed)
    made = [
        Word.of({int(s): float(rng.random()) for s in rng.permutation(rules.symbols)[:n]})
        for n in rng.integers(1, 5, length)
    ]
    if unknown:
        made[length // 2] = Word.of({})
    return made


def filled(kind: str, rules: Rules, sentence: Sequence[Any], keep: bool = True) -> Any:
    grammar = KINDS[kind](**rules._asdict())
    begin = np.cumsum([0, *(len(word.symbols) for word in sentence)])
    symbols = np.concatenate([word.symbols for word in sentence]).astype(np.int32)
    probs = np.concatenate([word.probs for word in sentence])
    return grammar.chart(begin=begin, symbols=symbols, probs=probs, keep=keep)


def check(kind: str, rules: Rules, sentence: Sequence[Word]) -> tuple[int, int]:
    """Compare both charts; return how many values of spans the core has, and how many the twin."""
    core = filled(kind, rules, sentence)
    twin = Chart(rules, sentence, best=kind == "maxima", prefixes=kind == "sums")
    assert core.log_prob == close(twin.log_prob, rel=1e-9)
    if kind == "sums":
        assert core.prefix_log_probs.tolist() == close(twin.prefix_log_probs, rel=1e-9)
    bare = filled(kind, rules, sentence, keep=False)
    assert bare.log_prob == core.log_prob
    assert bare.prefix_log_probs.tolist() == core.prefix_log_probs.tolist()
    return compare_spans(core, twin, len(sentence))


def compare_spans(core: Any, twin: Chart, length: int) -> tuple[int, int]:
    """Compare the values over all spans. The core leaves out what cannot begin at a place."""
    log_scales = np.concatenate([[0.0], np.cumsum(np.log(core.scales))])
    numbers = [0, 0]
    for (start, end), cell in twin.cells.items():
        symbols, values = core.cell(start, end)
        assert (np.diff(symbols) > 0).all() and (values > 0).all()
        for symbol, value in zip(symbols.tolist(), values.tolist(), strict=True):
            log_value = math.log(value) - (log_scales[end] - log_scales[start])
            assert log_value == close(twin.log_value(symbol, start, end), rel=1e-9, abs=1e-9)
        numbers[0] += symbols.size
        numbers[1] += int((cell > 0).sum())
    assert core.cell(0, length)[0].size <= twin.rules.symbols
    return numbers[0], numbers[1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(25))
def test_random_grammars(kind: str, seed: int) -> None:
    rules = random_rules(seed)
    check(kind, rules, random_words(rules, 1 + seed % 12, seed))


@pytest.mark.parametrize("kind", KINDS)
def test_grammars_with_many_terms_and_sentences_beyond_short_spans(kind: str) -> None:
    rules = random_rules(seed=77, symbols=40, tags=12)
    ours, all_values = check(kind, rules, random_words(rules, 24, seed=5))
    assert 1000 < ours <= all_values


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_word_ends_all_derivations(kind: str) -> None:
    rules = random_rules(seed=3)
    sentence = random_words(rules, 7, seed=1, unknown=True)
    core = filled(kind, rules, sentence)
    assert core.log_prob == -math.inf
    assert np.isfinite(core.prefix_log_probs[:3]).all()
    assert (core.prefix_log_probs[3:] == -math.inf).all()
    assert core.cell(0, 7)[0].size == 0
    twin = Chart(rules, sentence, prefixes=True)
    assert twin.log_prob == -math.inf
    assert (np.array(twin.prefix_log_probs[3:]) == -math.inf).all()


def agrees_with_the_twin(grammar: ExactGrammar, tokens: Sequence[str]) -> tuple[int, int]:
    rules = Rules(**grammar.binary.columns())
    emissions = grammar._emissions(tokens)
    sentence = [Word(token.symbols, token.probs) for token in emissions]
    counts = [check(kind, rules, sentence) for kind in KINDS]
    assert filled("sums", rules, emissions).log_prob == grammar.sentence_log_prob(tokens)
    return counts[0]


def test_the_english_grammar() -> None:
    for sentence in bistro.builtin(sentences=8, seed=4):
        ours, all_values = agrees_with_the_twin(english(), sentence.forms)
        assert 2 * ours < all_values, "most symbols cannot begin where they could stand"


def test_a_trained_grammar_with_unknown_words() -> None:
    trees = bistro.builtin_trees(sentences=60, seed=1)
    model = bistro.train("grammar", trees, seed=1)
    assert isinstance(model, GrammarModel)
    for sentence in ("The dog sleeps .", "zzz The qqq dog dog of 12 , sleeps the ."):
        tokens, _ = model._tokens(sentence.split())
        ours, all_values = agrees_with_the_twin(model.grammar, tokens)
        # After back-off everything can begin everywhere, but for rests of rules at the first word.
        assert 0.95 * all_values < ours < all_values


def test_long_sentences_neither_underflow_nor_overflow() -> None:
    n = 700
    unlikely = ExactGrammar(
        [rule("S -> W *S", 0.99), rule("S -> W", 0.01)],
        {"W": words(**{f"w{i}": 1 for i in range(5000)})},
        "S",
    )
    expected = (n - 1) * math.log(0.99) + math.log(0.01) - n * math.log(5000)
    tokens = [f"w{i}" for i in range(n)]
    assert unlikely.sentence_log_prob(tokens) == close(expected, rel=1e-12)
    bits = unlikely.surprisals(tokens)
    assert bits[:-1] == close([math.log2(5000)] + [math.log2(5000 / 0.99)] * (n - 1), rel=1e-9)
    ambiguous = ExactGrammar([rule("S -> S *S", 0.3), rule("S -> A", 0.7)], {"A": words(a=1)}, "S")
    log_catalan = math.lgamma(2 * n - 1) - math.lgamma(n) - math.lgamma(n + 1)
    expected = log_catalan + (n - 1) * math.log(0.3) + n * math.log(0.7)
    assert ambiguous.sentence_log_prob(["a"] * n) == close(expected, rel=1e-11)


def test_the_same_bits_every_time_and_in_several_threads() -> None:
    rules = random_rules(seed=77, symbols=40, tags=12)
    sentence = random_words(rules, 20, seed=5)
    results: list[bytes] = []

    def run() -> None:
        chart = filled("sums", rules, sentence)
        parts = (chart.prefix_log_probs, *chart.cell(0, 20), *chart.cell(3, 9))
        results.append(b"".join(part.tobytes() for part in parts))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run()
    assert len(results) == 5 and len(set(results)) == 1


def test_an_interrupt_is_heard_between_words() -> None:
    rules = random_rules(seed=77, symbols=60, tags=20)
    sentence = random_words(rules, 2000, seed=5)
    later = threading.Timer(0.3, _thread.interrupt_main)
    # In a background job of a shell interrupts are ignored from the start.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        later.start()
        with pytest.raises(KeyboardInterrupt):
            filled("sums", rules, sentence, keep=False)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": 9}, "symbol out of range"),
        ({"lefts": np.full(36, 9, np.int32)}, "symbol out of range"),
        ({"unary_probs": np.full(27, 1.5)}, "probability outside"),
        ({"probs": np.full(36, np.nan)}, "probability outside"),
        ({"rights": np.zeros(3, np.int32)}, "differ in length"),
    ],
)
def test_bad_rules_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _core.ContextFreeSums(**{**random_rules(1)._asdict(), **change})


@pytest.mark.parametrize(
    "change",
    [
        {"begin": np.array([0, 2])},
        {"begin": np.array([1, 1])},
        {"begin": np.array([], dtype=np.int64)},
        {"symbols": np.array([-1], np.int32)},
        {"symbols": np.array([9], np.int32)},
        {"probs": np.array([math.inf])},
    ],
)
def test_bad_words_are_refused(change: dict[str, Any]) -> None:
    grammar = _core.ContextFreeSums(**random_rules(1)._asdict())
    one = (np.array([0, 1]), np.array([8], np.int32), np.array([1.0]))
    good: dict[str, Any] = dict(zip(("begin", "symbols", "probs"), one, strict=True))
    assert grammar.chart(**good, keep=True).scales.size == 1
    with pytest.raises(ValueError, match="do not match"):
        grammar.chart(**{**good, **change}, keep=False)


def test_rules_that_repeat_themselves_for_certain_are_refused() -> None:
    rules = random_rules(1)._replace(unary_parents=np.zeros(27, np.int32))
    rules = rules._replace(unary_children=rules.unary_parents, unary_probs=np.full(27, 0.1))
    with pytest.raises(ValueError, match="probability of 1 or more"):
        _core.ContextFreeSums(**rules._asdict())


def test_spans_outside_the_sentence_are_refused() -> None:
    chart = filled("sums", random_rules(1), random_words(random_rules(1), 3, seed=1))
    for start, end in ((-1, 2), (2, 2), (0, 4)):
        with pytest.raises(ValueError, match="no such span"):
            chart.cell(start, end)


def test_no_words_have_no_derivation() -> None:
    grammar = _core.ContextFreeSums(**random_rules(1)._asdict())
    none = grammar.chart(**columns_of(english()._emissions(["zebra"])), keep=True)
    assert none.log_prob == -math.inf and none.prefix_log_probs.tolist() == [-math.inf]
    nothing = (np.array([0]), np.array([], np.int32), np.array([]))
    empty: dict[str, Any] = dict(zip(("begin", "symbols", "probs"), nothing, strict=True))
    assert grammar.chart(**empty, keep=True).log_prob == -math.inf
