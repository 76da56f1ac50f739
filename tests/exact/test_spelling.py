"""Spelling against its plain twin, and the law that makes it one: all strings sum to 1."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro._core import Stream
from bistro.encoding.alphabet import CODE_POINTS, Alphabet
from bistro.encoding.vocabulary import Vocabulary
from bistro.errors import BistroError, ModelFileError
from bistro.evaluate.text import text_figures
from bistro.inference.chains import Session
from bistro.inference.checkpoint import Checkpoint, StoppedError
from bistro.inference.settings import SamplerSettings, SpellingSettings
from bistro.inference.speller import Speller, Spelling
from bistro.inference.spelling import SpellingLearner
from bistro.modelfile import read_model, write_model
from bistro.models.mixing import require_same_events
from bistro.models.ngram.model import NgramModel
from bistro.reference import spelling as reference
from bistro.rng import Stream as PlainStream

SENTENCES = [["ab", "b", "ab"], ["ba", "ab", "abb"], ["b", "ab"], ["aab", "ba"]] * 2
SHORT: dict[str, Any] = {"sweeps": 8, "samples": 4}


def trained(seed: int = 1, **settings: Any) -> NgramModel:
    chosen: dict[str, Any] = {"order": 3, "sampler": SHORT, "spelling": {"order": 3}, **settings}
    model = bistro.train("ngram", SENTENCES, seed=seed, unknown="spelling", **chosen)
    assert isinstance(model, NgramModel)
    return model


def speller_of(model: NgramModel) -> Speller:
    assert model.speller is not None
    return model.speller


def words_up_to(length: int, characters: str = "ab") -> list[str]:
    lengths = range(1, length + 1)
    return ["".join(w) for n in lengths for w in itertools.product(characters, repeat=n)]


def mass_by_length(speller: Speller, tag: int, length: int) -> tuple[float, float]:
    """The probability of the end within `length` characters, and of going on, by the recursion over
    all histories of symbols: `other` stands for its characters together."""
    spelling, frozen = speller.spelling, speller._frozen
    alive: dict[tuple[int, ...], float] = {(): 1.0}
    ended = 0.0
    for place in range(length + 1):
        longer: dict[tuple[int, ...], float] = {}
        for history, weight in alive.items():
            p = frozen.distribution(spelling.context(history, tag))
            if place == 0:
                p[spelling.alphabet.end] = 0
                p /= p.sum()
            ended += weight * p[spelling.alphabet.end]
            for symbol in range(spelling.alphabet.end):
                longer[(*history, symbol)] = weight * p[symbol]
        alive = longer
    return ended, sum(alive.values())


def test_all_strings_sum_to_one() -> None:
    speller = speller_of(trained())
    spelled = np.exp(speller.log_prob(words_up_to(4))).sum()
    ended, longer = mass_by_length(speller, 0, 4)
    assert ended + longer == pytest.approx(1, abs=1e-5)
    # What the recursion has beyond the strings of a and b is the strings with some other character.
    rest = "c" * 4
    others = CODE_POINTS - 2
    strange = sum(
        math.exp(speller.log_prob([w])[0]) * others ** w.count("c")
        for w in words_up_to(len(rest), "abc")
        if "c" in w
    )
    assert spelled + strange == pytest.approx(ended, abs=1e-5)


def test_unseen_strings_share_the_mass_of_the_reserved_dish() -> None:
    model = trained()
    speller, vocabulary = speller_of(model), model.vocabulary
    known = set(vocabulary.words)
    assert known == {word for sentence in SENTENCES for word in sentence}
    used = np.exp(speller.log_prob(sorted(known))).sum()
    assert math.exp(speller.log_reserve[0]) == pytest.approx(1 - used, abs=1e-9)
    # In a context: all words, the end, every unseen string up to 4 letters, and the exact tail.
    scored = {w: math.exp(model.score([["ab", w]]).log_probs[1]) for w in words_up_to(4)}
    end = math.exp(model.score([["ab"]]).log_probs[1])
    unseen_tail = 1 - used - np.exp(speller.log_prob([w for w in scored if w not in known])).sum()
    context = np.array([vocabulary.encode(["ab"])[0], vocabulary.start], np.int32)
    reserved = model.frozen.distribution(context)[0]
    tail = reserved * unseen_tail / math.exp(speller.log_reserve[0])
    assert tail > 0
    assert sum(scored.values()) + end + tail == pytest.approx(1, abs=1e-5)


def test_spelling_equals_the_plain_twin() -> None:
    """The same seating, by one table a dish, gives the same H and the same base of the words."""
    vocabulary = Vocabulary.build(SENTENCES, unknown="spelling")
    sampler = SamplerSettings(seating="minimal", hyper="fixed", sweeps=1, samples=1)
    learner = SpellingLearner(vocabulary, SpellingSettings(order=3), sampler, seed=1)
    learner.seat()
    learner.renew_base()
    learner.step(0, keep=True)
    twin = reference.Speller(vocabulary.words, order=3)
    twin.franchise.seating = "minimal"
    twin.learn(PlainStream(seed=1, purpose="unused"))
    strings = [*words_up_to(3), "aXb", "ß", "\U0001f600\u0301"]
    found = np.exp(learner.speller().log_prob(strings))
    assert found == pytest.approx([twin.probability(s) for s in strings], rel=1e-5)
    base = [learner.base.probability(i) for i in range(1, len(vocabulary))]
    assert base == pytest.approx([twin.probability(w) for w in vocabulary.words], rel=1e-12)
    assert learner.base.probability(0) == pytest.approx(twin.reserve(vocabulary.words), rel=1e-9)
    reserve = math.exp(learner.speller().log_reserve[0])
    assert reserve == pytest.approx(twin.reserve(vocabulary.words), abs=1e-6)


def test_spelling_by_tag_sums_to_one_for_every_tag() -> None:
    vocabulary = Vocabulary.build(SENTENCES, unknown="spelling")
    owner = np.array([0, 1, 2, 3, 3, 4], np.int64)
    tags = np.array([0, 1, 2, 0, 2, 1], np.int32)
    sampler = SamplerSettings(**SHORT)
    for place in (0, 1, 2, 9):
        settings = SpellingSettings(order=3, tag_after=place)
        learner = SpellingLearner(vocabulary, settings, sampler, 1, tagged=(owner, tags, 3))
        learner.seat()
        for sweep in range(8):
            learner.step(sweep, keep=sweep >= 4)
        learner.renew_base()
        total = sum(learner.base.probability(i) for i in range(learner.base.dishes))
        assert total == pytest.approx(1, abs=1e-12)
        speller = learner.speller()
        for tag in range(3):
            assert sum(mass_by_length(speller, tag, 3)) == pytest.approx(1, abs=1e-5)
        assert len({round(x, 6) for x in speller.log_prob_by_tag(["ab"])[0]}) == 3


def test_every_string_is_possible_and_marked() -> None:
    model = trained()
    strange = [
        "zebra",
        "\u4e2d\u6587",
        "\U0001f600",
        "e\u0301",
        "é",
        "\ud800",
        "</s>",
        "<unk>",
        "a b",
    ]
    scores = model.score([[*strange, "ab", "x" * 5000]])
    assert np.isfinite(scores.log_probs).all()
    assert scores.is_oov.tolist() == [True] * len(strange) + [False, True, False]
    # Composed and decomposed characters are different strings.
    assert scores.log_probs[3] != scores.log_probs[4]
    with pytest.raises(BistroError, match="without characters"):
        model.score([["ab", ""]])


def test_surprisal_and_perplexity_add_up() -> None:
    model = trained()
    text = [["ab", "bab", "zz"], ["ba"]]
    figures, table = text_figures(model, text), model.surprisal(text)
    assert figures.open_vocabulary and "spelled" in figures.protocol
    bits = sum(row.surprisal for row in table)
    assert figures.characters == 2 + 3 + 2 + 2 + 4
    assert figures.bits_per_char == pytest.approx(bits / figures.characters)
    assert -figures.log_prob / math.log(2) == pytest.approx(bits)
    assert [row.oov for row in table] == [0, 1, 1, 0, 0, 0]
    closed = bistro.train("ngram", SENTENCES, seed=1, sampler=SHORT)
    assert not text_figures(closed, text).open_vocabulary


def test_open_models_share_their_events() -> None:
    one = trained()
    other = bistro.train("ngram", SENTENCES[:2], seed=1, unknown="spelling", sampler=SHORT)
    require_same_events(one, other)
    closed = bistro.train("ngram", SENTENCES, seed=1, sampler=SHORT)
    with pytest.raises(BistroError, match="one model spells unknown words"):
        require_same_events(one, closed)


def test_generation_spells_unseen_words() -> None:
    model = trained()
    drawn = [word for sentence in model.generate(300, seed=4) for word in sentence]
    new = [word for word in drawn if model.vocabulary.is_unknown(word)]
    assert new and all(set(word) <= set("ab") for word in new)
    assert list(model.generate(20, seed=4)) == list(model.generate(20, seed=4))
    tempered = [w for s in model.generate(50, seed=4, temperature=1.5) for w in s]
    assert "<unk>" not in drawn + tempered


def test_drawn_strings_follow_their_probabilities() -> None:
    """Shares of drawn strings against H, which H of another model must fail."""
    model, other = trained(), trained(seed=2, spelling={"order": 1})
    known = set(model.vocabulary.words)
    draws = 4000
    drawn = [speller_of(model).draw(Stream(1, 7, i), known.__contains__) for i in range(draws)]
    strings = [w for w in words_up_to(4) if w not in known]

    def chi_square(speller: Speller) -> float:
        # `other` is left out of draws: the mass of strings of a and b, from a long sum.
        p = np.exp(speller.log_unseen(strings)[:, 0])
        everything = np.exp(speller.log_unseen([w for w in words_up_to(11) if w not in known]))
        p = p / everything.sum()
        counts = np.array([drawn.count(w) for w in strings])
        kept = p * draws > 5
        return float((((counts - p * draws) ** 2 / (p * draws))[kept]).sum() / kept.sum())

    assert chi_square(speller_of(model)) < 2
    assert chi_square(speller_of(other)) > 4


def test_file_round_trip_is_byte_stable(tmp_path: Path) -> None:
    model = trained()
    first, second = tmp_path / "a.bistro", tmp_path / "b.bistro"
    model.save(first)
    loaded = bistro.load(first)
    loaded.save(second)
    assert first.read_bytes() == second.read_bytes()
    text = [["ab", "zebra"]]
    assert (loaded.score(text).log_probs == model.score(text).log_probs).all()


@pytest.mark.parametrize("alphabet", ["ba", "aa", 3, None])
def test_damaged_alphabet_is_refused(tmp_path: Path, alphabet: Any) -> None:
    path = tmp_path / "a.bistro"
    trained().save(path)
    file = read_model(path)
    file.header["spelling"] = {"alphabet": alphabet}
    write_model(path, file.header, file.arrays)
    with pytest.raises(ModelFileError, match="damaged"):
        bistro.load(path)


@pytest.mark.parametrize("after", [1, 3, 6])
def test_resumed_training_ends_in_the_same_file(tmp_path: Path, after: int) -> None:
    settings: dict[str, Any] = {
        "unknown": "spelling",
        "order": 3,
        "sampler": SHORT,
        "spelling": {"order": 3},
    }
    done = 0

    def stop_requested() -> bool:
        nonlocal done
        done += 1
        return done == after

    checkpoint = Checkpoint(tmp_path / "m.checkpoint")
    with pytest.raises(StoppedError):
        session = Session(checkpoint, stop_requested=stop_requested)
        bistro.train("ngram", SENTENCES, seed=1, session=session, **settings)
    assert "spelling.customers" in read_model(checkpoint.path).arrays
    session = Session(checkpoint, resume=True, threads=2)
    resumed = bistro.train("ngram", SENTENCES, seed=1, session=session, **settings)
    resumed.save(tmp_path / "resumed.bistro")
    trained().save(tmp_path / "unbroken.bistro")
    whole = (tmp_path / "unbroken.bistro").read_bytes()
    assert (tmp_path / "resumed.bistro").read_bytes() == whole


def test_reserve_never_falls_to_noise() -> None:
    """Known words that take all mass leave a floor, and strings stay below their true share."""
    alphabet = Alphabet("a")
    spelling = Spelling(alphabet, SpellingSettings(order=1), 1)
    arrays = {
        "child_begin": np.array([1], np.uint32),
        "element": np.array([2**32 - 1], np.uint32),
        "entry_begin": np.array([0, 2], np.uint32),
        "backoff": np.array([0], np.float32),
        "dish": np.array([0, 2], np.uint32),
        "probability": np.array([1.2e-7, 1 - 1.2e-7], np.float32),
        "base": np.array(alphabet.base()),
    }
    speller = Speller.closing(spelling, arrays, ["a"])
    assert speller.log_reserve[0] == pytest.approx(math.log(1e-6))
