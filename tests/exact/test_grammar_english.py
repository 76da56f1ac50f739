"""The English grammar: sound, in agreement, accepted by the official validator, true to itself."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest
from scipy.stats import chi2
from udtools.validator import Validator

from bistro.inference.grammar.binary import mean_matrix, spectral_radius
from bistro.inference.grammar.exact import ExactGrammar, english
from bistro.rng import Stream
from bistro.treebank.builtin.rules import Word, productive, reachable
from bistro.treebank.projectivity import is_projective
from bistro.treebank.samples import builtin
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import Treebank, write

SUBJECTS = {"nsubj", "nsubj:pass"}
DRAWN = 8_000


def tokenized(text: str) -> list[str]:
    return text.split()


@pytest.fixture(scope="module")
def treebank() -> Treebank:
    return builtin(sentences=1500, seed=7)


# ---- soundness ----------------------------------------------------------------------------------
def test_probabilities_of_each_symbol_sum_to_one() -> None:
    grammar = english()
    totals: dict[str, float] = defaultdict(float)
    for r in grammar.rules:
        assert r.weight > 0
        totals[r.left] += r.weight
    assert all(abs(total - 1) < 1e-12 for total in totals.values())
    assert all(abs(sum(words.values()) - 1) < 1e-12 for words in grammar.lexicon.values())


def test_every_symbol_is_productive_and_reachable() -> None:
    grammar = english()
    symbols = {r.left for r in grammar.rules} | set(grammar.lexicon)
    assert productive(grammar.rules, grammar.lexicon) == symbols
    assert reachable(grammar.rules, grammar.start) == symbols


def test_expected_length_is_finite_and_that_of_the_samples(treebank: Treebank) -> None:
    grammar = english()
    binary = grammar.binary
    assert spectral_radius(mean_matrix(grammar.rules, binary.index)) < 0.9
    expected = sum(float(binary.counts[binary.index[symbol]]) for symbol in grammar.lexicon)
    assert 9 <= expected <= 13
    lengths = [len(sentence) for sentence in treebank]
    mean = sum(lengths) / len(lengths)
    error = math.sqrt(sum((n - mean) ** 2 for n in lengths)) / len(lengths)
    assert abs(mean - expected) < 4.5 * error


# ---- trees --------------------------------------------------------------------------------------
def test_trees_are_projective_with_one_root(treebank: Treebank) -> None:
    for sentence in treebank:
        assert sentence.heads.count(0) == 1
        assert sentence.deprels[sentence.heads.index(0)] == "root"
        assert is_projective(sentence.heads)


def test_the_official_validator_finds_no_error(treebank: Treebank, tmp_path: Path) -> None:
    path = tmp_path / "sampled.conllu"
    write(treebank, path)
    state = Validator(lang="en", level=5, output=None).validate_files([str(path)])
    assert state.passed(), Counter(e.testid for e in state.error_tracker.get("ERROR", []))


def features(sentence: Sentence, word: int) -> dict[str, str]:
    feats = sentence.feats[word - 1]
    return dict(pair.split("=") for pair in feats.split("|")) if feats != "_" else {}


def finite_verbs(sentence: Sentence, predicate: int) -> Iterable[int]:
    """Return the finite verbs of a clause: the predicate and its auxiliaries and copulas."""
    for word, head in enumerate(sentence.heads, start=1):
        helps = head == predicate and sentence.deprels[word - 1].startswith(("aux", "cop"))
        inflected = features(sentence, word).get("Mood") == "Ind"
        if (word == predicate or helps) and inflected and sentence.xpos[word - 1] != "MD":
            yield word


def disagreements(sentences: Iterable[Sentence]) -> tuple[int, list[str]]:
    """Return how many pairs of subject and finite verb were seen, and those that disagree."""
    seen, wrong = 0, []
    for sentence in sentences:
        for word, (head, relation) in enumerate(
            zip(sentence.heads, sentence.deprels, strict=True), start=1
        ):
            number = features(sentence, word).get("Number")
            if relation not in SUBJECTS or number is None:
                continue
            joined = any(
                h == word and r == "conj"
                for h, r in zip(sentence.heads, sentence.deprels, strict=True)
            )
            for verb in finite_verbs(sentence, head):
                seen += 1
                if features(sentence, verb)["Number"] != ("Plur" if joined else number):
                    wrong.append(f"{sentence.text}: {sentence.forms[word - 1]}")
    return seen, wrong


def test_subjects_agree_with_their_verbs(treebank: Treebank) -> None:
    seen, wrong = disagreements(treebank)
    assert seen > 1000
    assert wrong == []


def test_a_wrong_agreement_is_found() -> None:
    sentence = english().best_parse(tokenized("The keys to the old cabinet are heavy ."))
    assert disagreements([sentence]) == (1, [])
    feats = list(sentence.feats)
    feats[6] = feats[6].replace("Plur", "Sing")
    assert len(disagreements([sentence.replace(feats=feats)])[1]) == 1


def test_an_stands_before_vowels(treebank: Treebank) -> None:
    articles = [
        (first.lower(), second)
        for sentence in treebank
        for first, second in itertools.pairwise(sentence.forms)
        if first.lower() in ("a", "an")
    ]
    assert len(articles) > 300
    assert all((first == "an") == (second[0] in "aeiou") for first, second in articles)


# ---- probabilities ------------------------------------------------------------------------------
def test_surprisals_add_up(treebank: Treebank) -> None:
    grammar = english()
    for sentence in treebank[:40]:
        bits = grammar.surprisals(sentence.forms)
        log_prob = grammar.sentence_log_prob(sentence.forms)
        assert min(bits) >= 0
        assert math.fsum(bits) * math.log(2) == pytest.approx(-log_prob, rel=1e-10)


def test_a_derivation_is_no_more_probable_than_its_sentence(treebank: Treebank) -> None:
    grammar = english()
    shares = []
    for sentence in treebank[:120]:
        derivation = float(sentence.metadata["derivation_log_prob"])
        best = float(grammar.best_parse(sentence.forms).metadata["derivation_log_prob"])
        assert derivation <= best + 1e-5
        total = grammar.sentence_log_prob(sentence.forms)
        assert best <= total + 1e-5
        shares.append(best < total - 1e-3)
    assert sum(shares) > 15, "a good share of the sentences should be ambiguous"


@pytest.mark.parametrize(
    ("sentence", "surprise"),
    [
        ("The horse raced past the barn fell .", "fell"),
        ("While the man hunted the deer ran .", "ran"),
        ("The old man knew the answer was wrong .", "was"),
        ("The old man the boat .", "boat"),
    ],
)
def test_garden_paths_surprise_where_the_path_ends(sentence: str, surprise: str) -> None:
    tokens = sentence.split()
    bits = english().surprisals(tokens)
    assert tokens[bits.index(max(bits))] == surprise


def test_the_horse_that_was_raced_does_not_surprise() -> None:
    reduced = english().surprisals(tokenized("The horse raced past the barn fell ."))
    full = english().surprisals(tokenized("The horse that was raced past the barn fell ."))
    assert reduced[6] > full[8] + 3


# ---- what is drawn is what is computed ----------------------------------------------------------
Tokens = tuple[str, ...]


def draw(grammar: ExactGrammar, seed: int) -> list[Tokens]:
    derivations = (grammar.sample_derivation(Stream(seed, "test", i))[0] for i in range(DRAWN))
    return [tuple(grammar.tokens_of(derivation)) for derivation in derivations]


def distorted(grammar: ExactGrammar, first: str) -> ExactGrammar:
    """The same grammar with twice the weight on rules whose first child is of this kind."""
    rules = [
        r._replace(weight=r.weight * 2) if r.right[0].startswith(first) else r
        for r in grammar.rules
    ]
    return ExactGrammar(rules, grammar.lexicon, grammar.start, grammar.capitalize_after)


def over_tags(grammar: ExactGrammar) -> ExactGrammar:
    """The same rules with tags for words: here short sentences come again and again."""
    lexicon = {
        symbol: {Word(next(iter(words)).upos): 1.0} for symbol, words in grammar.lexicon.items()
    }
    return ExactGrammar(grammar.rules, lexicon, grammar.start)


def p_value(counts: Counter[Tokens], exact: dict[Tokens, float]) -> float:
    """Return the chance of such counts or worse ones (chi-square, the rest as one cell)."""
    rest = (DRAWN - sum(counts[key] for key in exact), 1 - math.fsum(exact.values()))
    cells = [rest, *((counts[key], p) for key, p in exact.items())]
    statistic = math.fsum((n - DRAWN * p) ** 2 / (DRAWN * p) for n, p in cells)
    return float(chi2.sf(statistic, len(cells) - 1))


def test_beginnings_are_as_frequent_as_their_prefix_probability() -> None:
    grammar = english()

    def beginnings(grammar: ExactGrammar, seed: int) -> Counter[Tokens]:
        return Counter(sentence[:1] for sentence in draw(grammar, seed))

    # The cells come from other sentences than those they are tested on.
    cells = [key for key, n in beginnings(grammar, seed=11).items() if n >= 10]
    exact = {key: 2.0 ** -grammar.surprisals(key)[0] for key in cells}
    assert len(exact) > 50
    assert p_value(beginnings(grammar, seed=12), exact) > 1e-4
    assert p_value(beginnings(distorted(grammar, "Polar"), seed=12), exact) < 1e-9


def test_short_sentences_are_as_frequent_as_their_probability() -> None:
    grammar = over_tags(english())

    def short(grammar: ExactGrammar, seed: int) -> Counter[Tokens]:
        return Counter(sentence for sentence in draw(grammar, seed) if len(sentence) <= 6)

    cells = short(grammar, seed=11)
    probs = {key: math.exp(grammar.sentence_log_prob(key)) for key, n in cells.items() if n > 2}
    exact = {key: p for key, p in probs.items() if DRAWN * p >= 5}
    assert len(exact) > 50
    assert p_value(short(grammar, seed=12), exact) > 1e-4
    assert p_value(short(distorted(grammar, "Be["), seed=12), exact) < 1e-9
