"""The charts of the grammar against enumeration: sums, prefixes, best parses, posterior samples."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable

import pytest
from grammar_twins import all_derivations, log_prob, rule, string_distributions, words

from bistro.errors import BistroError
from bistro.inference.grammar.exact import ExactGrammar
from bistro.treebank.builtin.derivations import attachments

LONGEST = 9


def left_recursive() -> ExactGrammar:
    """Left recursion, direct and through a chain, and rules of three and four children."""
    rules = [
        rule("S -> S *T", 0.15),
        rule("S -> *T", 0.5),
        rule("S -> U T", 0.35),
        rule("U -> V", 1.0),
        rule("V -> *S B", 0.1),
        rule("V -> A", 0.8),
        rule("V -> A *B A B", 0.1),
        rule("T -> A", 0.6),
        rule("T -> B", 0.3),
        rule("T -> A B *A", 0.1),
    ]
    return ExactGrammar(rules, {"A": words(a=2, b=1), "B": words(b=1)}, "S")


def unary_cycles() -> ExactGrammar:
    """A cycle of unary rules through three symbols, inside recursion on both sides."""
    rules = [
        rule("S -> X", 0.9),
        rule("S -> X *S", 0.1),
        rule("X -> Y", 0.6),
        rule("X -> A", 0.4),
        rule("Y -> Z", 0.7),
        rule("Y -> *A A", 0.3),
        rule("Z -> X", 0.5),
        rule("Z -> S *A", 0.2),
        rule("Z -> B", 0.3),
    ]
    return ExactGrammar(rules, {"A": words(a=1), "B": words(b=3, a=1)}, "S")


def attachment() -> ExactGrammar:
    """The textbook ambiguity of prepositional phrases, and coordination."""
    rules = [
        rule("S -> N *P", 1.0),
        rule("P -> *V N", 0.5),
        rule("P -> *P Q", 0.3),
        rule("P -> *V N Q", 0.2),
        rule("Q -> C *N", 1.0),
        rule("N -> D", 0.7),
        rule("N -> *N Q", 0.2),
        rule("N -> *N K N", 0.1),
    ]
    lexicon = {"D": words(d=1, e=1), "V": words(v=1), "C": words(c=1), "K": words(k=1)}
    return ExactGrammar(rules, lexicon, "S")


GRAMMARS = [left_recursive, unary_cycles, attachment]
AMBIGUOUS = list("dvdcdcekdcd")


@pytest.mark.parametrize("make", GRAMMARS)
def test_sentence_probabilities_equal_the_enumerated_distribution(
    make: Callable[[], ExactGrammar],
) -> None:
    grammar = make()
    expected = string_distributions(grammar, LONGEST if make is attachment else 6)["S"]
    assert len(expected) > 20
    for string, prob in expected.items():
        assert math.exp(grammar.sentence_log_prob(string)) == pytest.approx(prob, rel=1e-12)


@pytest.mark.parametrize(("make", "longest"), [(left_recursive, LONGEST), (unary_cycles, LONGEST)])
def test_prefix_probabilities_equal_the_sum_over_sentences(
    make: Callable[[], ExactGrammar], longest: int
) -> None:
    grammar = make()
    sentences = string_distributions(grammar, longest)["S"]
    beyond = 1 - math.fsum(sentences.values())
    assert 0 <= beyond < 2e-3
    symbols = sorted({form for string in sentences for form in string})
    for length in range(1, 4):
        for prefix in itertools.product(symbols, repeat=length):
            known = math.fsum(p for s, p in sentences.items() if s[:length] == prefix)
            bits = grammar.surprisals(prefix)[:length]
            chance = 2.0 ** -math.fsum(bits)
            # Sentences longer than those enumerated can only add, at most their total.
            assert known - 1e-12 <= chance <= known + beyond + 1e-12


@pytest.mark.parametrize("make", GRAMMARS)
def test_next_words_and_the_end_share_all_probability(make: Callable[[], ExactGrammar]) -> None:
    grammar = make()
    symbols = sorted({word.form for entries in grammar.lexicon.values() for word in entries})
    for string in list(string_distributions(grammar, 4)["S"])[:20]:
        ahead = [2.0 ** -grammar.surprisals([*string, s])[len(string)] for s in symbols]
        end = 2.0 ** -grammar.surprisals(string)[-1]
        assert math.fsum([*ahead, end]) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("make", GRAMMARS)
def test_surprisals_add_up_to_the_sentence(make: Callable[[], ExactGrammar]) -> None:
    grammar = make()
    for string in string_distributions(grammar, 5)["S"]:
        total = math.fsum(grammar.surprisals(string)) * math.log(2)
        assert total == pytest.approx(-grammar.sentence_log_prob(string), rel=1e-12)


def test_all_parses_are_found_once() -> None:
    grammar = attachment()
    for length in range(3, len(AMBIGUOUS) + 1):
        string = tuple(AMBIGUOUS[:length])
        expected = all_derivations(grammar, "S", string)
        found = list(grammar.parses(string))
        assert len(found) == len(set(found)) == len(expected)
        assert set(found) == set(expected)
    assert len(found) > 10


def test_catalan_numbers() -> None:
    grammar = ExactGrammar([rule("S -> S *S", 0.3), rule("S -> A", 0.7)], {"A": words(a=1)}, "S")
    for n in range(1, 8):
        catalan = math.comb(2 * n - 2, n - 1) // n
        assert len(list(grammar.parses(["a"] * n))) == catalan
        prob = catalan * 0.3 ** (n - 1) * 0.7**n
        assert math.exp(grammar.sentence_log_prob(["a"] * n)) == pytest.approx(prob, rel=1e-12)


def test_best_parse_is_the_most_probable_derivation() -> None:
    grammar = attachment()
    for length in (3, 5, 7, 9, 11):
        string = tuple(AMBIGUOUS[:length])
        best = max(all_derivations(grammar, "S", string), key=lambda d: log_prob(grammar, "S", d))
        sentence = grammar.best_parse(string)
        assert (sentence.heads, sentence.deprels) == attachments(best)
        said = float(sentence.metadata["derivation_log_prob"])
        assert said == pytest.approx(log_prob(grammar, "S", best), abs=1e-6)


def test_best_parse_of_a_unary_cycle_takes_the_short_way() -> None:
    sentence = unary_cycles().best_parse(["b"])
    # S -> X -> Y -> Z -> B: once round the cycle and no further.
    prob = 0.9 * 0.6 * 0.7 * 0.3 * 0.75
    assert float(sentence.metadata["derivation_log_prob"]) == pytest.approx(
        math.log(prob), abs=1e-6
    )


def test_sampled_parses_follow_the_posterior() -> None:
    grammar = attachment()
    string = tuple(AMBIGUOUS[:7])
    weights: dict[tuple[int, ...], float] = defaultdict(float)
    for derivation in all_derivations(grammar, "S", string):
        weights[tuple(attachments(derivation)[0])] += math.exp(log_prob(grammar, "S", derivation))
    total = sum(weights.values())
    n = 2000
    seen = Counter(tuple(s.heads) for s in grammar.sample_parses(string, n, seed=5))
    assert set(seen) <= set(weights)
    for heads, weight in weights.items():
        share = weight / total
        assert abs(seen[heads] - n * share) < 4.5 * math.sqrt(n * share * (1 - share))


def test_a_long_sentence_stays_within_the_range_of_floating_point() -> None:
    grammar = ExactGrammar(
        [rule("S -> W *S", 0.99), rule("S -> W", 0.01)],
        {"W": words(**{f"w{i}": 1 for i in range(1000)})},
        "S",
    )
    tokens = [f"w{i % 1000}" for i in range(300)]
    expected = 299 * math.log(0.99) + math.log(0.01) - 300 * math.log(1000)
    assert grammar.sentence_log_prob(tokens) == pytest.approx(expected, rel=1e-12)
    assert math.fsum(grammar.surprisals(tokens)) == pytest.approx(-expected / math.log(2), rel=1e-9)


def test_what_the_grammar_cannot_say() -> None:
    grammar = attachment()
    assert grammar.sentence_log_prob(["v", "d"]) == -math.inf
    assert grammar.sentence_log_prob(["d", "v", "zebra"]) == -math.inf
    assert grammar.surprisals(["d", "d", "d"])[1:] == [math.inf] * 3
    with pytest.raises(BistroError, match="does not contain 'zebra'"):
        grammar.best_parse(["d", "v", "zebra"])
    with pytest.raises(BistroError, match="no parse for 'v d'"):
        grammar.best_parse(["v", "d"])
    with pytest.raises(BistroError, match="at least one word"):
        grammar.sentence_log_prob([])


def test_unsound_grammars_are_refused() -> None:
    lexicon = {"A": words(a=1)}
    with pytest.raises(BistroError, match="'B' derives no words"):
        ExactGrammar([rule("S -> A *B", 1)], lexicon, "S")
    with pytest.raises(BistroError, match="'T' cannot be reached"):
        ExactGrammar([rule("S -> A", 1), rule("T -> A", 1)], lexicon, "S")
    with pytest.raises(BistroError, match="'A' has both rules and words"):
        ExactGrammar([rule("S -> A", 1), rule("A -> B", 1)], {**lexicon, "B": words(b=1)}, "S")


@pytest.mark.parametrize("again", [1.0, 1.2, 3.0])
def test_endless_growth_is_refused(again: float) -> None:
    rules = [rule("S -> S *S", again), rule("S -> A", 1.0)]
    with pytest.raises(BistroError, match="length of a sentence is infinite"):
        ExactGrammar(rules, {"A": words(a=1)}, "S").sentence_log_prob(["a"])
