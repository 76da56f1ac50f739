"""The reader from outside: the mixture, its weights and errors, what it refuses."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize
from small_reader import DEV, PAIR, QUICK, SHORT, TREEBANK, trained

import bistro
from bistro.encoding.vocabulary import Vocabulary
from bistro.errors import BistroError, ConfigError, ModelFileError
from bistro.inference.chains import Session
from bistro.inference.checkpoint import Checkpoint
from bistro.inference.cluster import ClusterError
from bistro.inference.workers import LocalWorkers
from bistro.modelfile import read_model
from bistro.models.mixing import mixed_scores, require_same_events
from bistro.models.reader.config import ReaderConfig
from bistro.models.reader.members import members_of
from bistro.models.reader.model import ReaderModel
from bistro.models.results.scores import TextScores

MEMBERS = (*PAIR, "isbn hidden=8 learning.passes=5")
TEXT = [
    ["The", "dog", "sleeps", "."],
    ["Zzyzx", "qwerty", "plugh"],
    ["Run"],
    ["the", "old", "house", "in", "the", "city", "is", "big", "."],
]


@pytest.fixture(scope="module")
def model() -> ReaderModel:
    return trained(*MEMBERS)


# ---- the mixture -------------------------------------------------------------------------------


def test_words_have_the_mixed_probabilities_of_the_members(model: ReaderModel) -> None:
    found = np.exp(model.score(TEXT, **QUICK).log_probs)
    alone = [
        scorer.score(TEXT, **{k: v for k, v in QUICK.items() if k in scorer.score_options.names()})
        for scorer in model.scorers
    ]
    expected = sum(
        weight * np.exp(scores.log_probs)
        for weight, scores in zip(model.weights, alone, strict=True)
    )
    assert found == pytest.approx(expected, rel=1e-12)


def test_a_reader_of_one_is_that_model(model: ReaderModel) -> None:
    alone = trained(f"ngram order=3 {SHORT}")
    settings = {"order": 3, "sampler": {"sweeps": 3, "samples": 2}}
    ngram = bistro.train("ngram", TREEBANK, seed=1, **settings)
    assert alone.weights.tolist() == [1.0]
    assert alone.score(TEXT).log_probs == pytest.approx(ngram.score(TEXT).log_probs, abs=1e-12)
    assert alone.score(TEXT).standard_error is None


def test_all_members_tell_the_same_words_apart(model: ReaderModel) -> None:
    assert len({scorer.vocabulary.hash for scorer in model.scorers}) == 1
    without_dev = trained(*MEMBERS, dev=None, unknown="single", unknown_below=3)
    assert len({scorer.vocabulary.hash for scorer in without_dev.scorers}) == 1
    assert without_dev.vocabulary.num_classes == 1
    assert without_dev.vocabulary.unknown_below == 3


def test_an_open_vocabulary_has_a_probability_for_every_word() -> None:
    spelled = trained(*MEMBERS[:2], unknown="spelling")
    rows = list(spelled.surprisal([["zyzzyva"], ["zyzzyvas", "Ωmega"]], **QUICK))
    assert all(math.isfinite(row.surprisal) for row in rows)
    assert rows[0].oov == 1 and rows[0].surprisal < rows[2].surprisal


def test_members_of_one_kind_have_names_of_their_own(model: ReaderModel) -> None:
    config = ReaderConfig(members=("ngram order=2", "ngram order=3", "transition:table1"))
    members = members_of(config, TREEBANK)
    assert [member.name for member in members] == ["ngram", "ngram-2", "transition:table1"]
    assert [member.config.order for member in members[:2]] == [2, 3]
    assert model.member_names() == ["ngram", "transition", "isbn"]
    # The preset that fits the treebank.
    assert members_of(ReaderConfig(members=("transition",)), TREEBANK)[0].config.tag_features


# ---- weights -----------------------------------------------------------------------------------


def test_the_weights_are_those_that_make_the_development_set_likeliest(model: ReaderModel) -> None:
    table = np.stack([scores.log_probs for scores in model.member_scores(DEV)])

    def surprise(logits: NDArray[np.float64]) -> float:
        weights = np.exp(logits - np.logaddexp.reduce(logits))
        return -float(np.log(weights @ np.exp(table)).mean())

    slow = optimize.minimize(surprise, np.zeros(3), method="Nelder-Mead").fun
    assert surprise(np.log(np.maximum(model.weights, 1e-12))) == pytest.approx(slow, abs=1e-5)
    assert surprise(np.zeros(3)) > slow
    assert -float(model.score(DEV).log_probs.mean()) < min(-table.mean(axis=1))


def test_weights_can_be_equal_or_fixed_and_need_words() -> None:
    equal = trained(*MEMBERS[:2], weights="equal")
    assert equal.weights.tolist() == [0.5, 0.5]
    fixed = trained(*MEMBERS[:2], fixed_weights=[3, 1])
    assert fixed.weights.tolist() == [0.75, 0.25]
    for wrong in ([1.0], [1.0, 0.0]):
        with pytest.raises(BistroError, match=r"fixed_weights = \[\] to fit"):
            trained(*MEMBERS[:2], fixed_weights=wrong)
    with pytest.raises(BistroError, match="no words to fit the weights on"):
        trained(*MEMBERS, dev=[[], []])


def test_without_a_development_set_a_tenth_is_held_out() -> None:
    one = trained(MEMBERS[0], dev=None)
    whole = trained(MEMBERS[0])
    assert len(one.vocabulary) < len(whole.vocabulary)
    more = trained(MEMBERS[0], dev=None, held_out=0.5)
    assert len(more.vocabulary) < len(one.vocabulary)


# ---- errors ------------------------------------------------------------------------------------


def ratio(runs: list[list[TextScores]], scored: Callable[[list[TextScores]], TextScores]) -> float:
    """Return the spread of scores over seeds, divided by the error that they report."""
    found = [scored(parts) for parts in runs]
    spread = np.var([scores.log_probs for scores in found], axis=0, ddof=1)
    errors = [scores.standard_error for scores in found]
    reported = np.mean([error**2 for error in errors if error is not None], axis=0)
    noisy = reported > 1e-6
    assert noisy.sum() > 50
    return math.sqrt(float(np.mean(spread[noisy] / reported[noisy])))


def test_standard_errors_are_the_spread_over_seeds() -> None:
    members = MEMBERS[0], f"transition {SHORT}", f"transition:table1 {SHORT}"
    model = trained(*members, weights="equal")
    text = [sentence.forms for sentence in DEV[:12]]
    runs = [model.member_scores(text, method="smc", particles=100, seed=seed) for seed in range(30)]

    def unshared(parts: list[TextScores]) -> TextScores:
        """Report the error of one member as if it were that of the mixture."""
        return replace(mixed_scores(parts, model.weights), deviation=parts[1].deviation)

    assert 0.9 < ratio(runs, lambda parts: mixed_scores(parts, model.weights)) < 1.1
    assert not 0.8 < ratio(runs, unshared) < 1.25


def test_errors_of_several_words_are_those_of_their_sum() -> None:
    is_eos, offsets = TextScores.ends([1, 2])
    rng = np.random.default_rng(1)
    parts = [
        TextScores(
            np.log(rng.uniform(0.1, 0.9, 5)),
            is_eos,
            np.zeros(5, np.bool_),
            offsets,
            deviation=1 + 0.1 * rng.normal(size=(7, 5)),
        )
        for _ in range(2)
    ]
    weights = np.array([0.3, 0.7])
    mixed = mixed_scores(parts, weights)
    shares = weights[:, None] * np.exp([part.log_probs for part in parts])
    shares /= shares.sum(axis=0)
    for first, begin, end in ((0, 0, 1), (0, 0, 2), (2, 2, 5), (2, 3, 5), (2, 3, 4)):
        off = np.zeros(7)
        for part, share in zip(parts, shares, strict=True):
            for event in range(begin, end):
                before = part.deviation[:, event - 1] if event > first else 1.0  # type: ignore[index]
                off += share[event] * (part.deviation[:, event] - before)  # type: ignore[index]
        assert mixed.error_of(first, begin, end) == pytest.approx(np.std(off, ddof=1) / 7**0.5)
    with pytest.raises(ValueError, match="the same number of runs"):
        mixed_scores([parts[0], replace(parts[1], deviation=np.ones((3, 5)))], weights)


def test_an_event_without_probability_has_no_error() -> None:
    is_eos, offsets = TextScores.ends([1])
    scores = TextScores(np.array([-np.inf, 0.0]), is_eos, ~is_eos, offsets)
    mixed = mixed_scores([scores, scores], np.array([0.5, 0.5]))
    assert mixed.log_probs.tolist() == [-np.inf, 0.0]


def test_a_member_that_has_lost_the_sentence_is_left_out() -> None:
    is_eos, offsets = TextScores.ends([2])
    none = np.zeros(3, np.bool_)
    runs = np.array([[1.1, np.nan, np.nan], [0.9, np.nan, np.nan]])
    lost = TextScores(np.array([-1.0, -np.inf, np.nan]), is_eos, none, offsets, deviation=runs)
    sound = TextScores(np.array([-2.0, -3.0, -4.0]), is_eos, none, offsets)
    mixed = mixed_scores([lost, sound], np.array([0.5, 0.5]))
    assert mixed.log_probs[1:] == pytest.approx([-3 - math.log(2), -4 - math.log(2)])
    error = mixed.standard_error
    assert error is not None and error[0] > 0 and error[1:].tolist() == [0, 0]


# ---- explanations ------------------------------------------------------------------------------


def test_an_explanation_tells_who_said_what(model: ReaderModel) -> None:
    found = model.explain(TEXT[0])
    scores = model.score([TEXT[0]])
    assert found.log_prob == pytest.approx(float(scores.log_probs.sum()))
    for decision in found.decisions:
        assert [level.value for level in decision.levels] == model.member_names()
        shares = [level.contribution / decision.probability for level in decision.levels]
        assert sum(shares) == pytest.approx(1)
    assert "transition" in found.protocol


def test_a_member_explains_itself(model: ReaderModel) -> None:
    found = model.explain(TEXT[0], member="ngram")
    assert found.kind == "ngram" and found.protocol.startswith("Member ngram of the reader")
    with pytest.raises(BistroError, match=r"no member 'ngam' .did you mean 'ngram'"):
        model.explain(TEXT[0], member="ngam")
    with pytest.raises(BistroError, match="an isbn model cannot explain"):
        model.explain(TEXT[0], member="isbn")


# ---- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("member", "said"),
    [
        ("committee", "cannot be a member of a reader: use ngram or transition or isbn"),
        ("reader", "cannot be a member of a reader"),
        ("eisner", "an eisner model cannot be a member"),
        ("grammar", "cannot be a member of a reader"),
        ("ngramm", "did you mean 'ngram'"),
        ("ngram ordr=3", "member 'ngram ordr=3'.*did you mean 'order'"),
        ("transition:tabel1", "did you mean 'table1'"),
        ("transition direction=right-to-left", "right to left cannot score prefixes"),
        ("", "every member must have a kind"),
    ],
)
def test_members_that_cannot_read_are_refused(member: str, said: str) -> None:
    with pytest.raises(BistroError, match=said):
        trained(member)


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ConfigError, match="at least one member"):
        trained(members=())
    with pytest.raises(ConfigError, match="named twice"):
        trained("ngram", "ngram ")
    with pytest.raises(ConfigError, match="held_out is 1"):
        trained(*MEMBERS, held_out=1.0)
    with pytest.raises(ConfigError, match=r"member 'isbn'.*spelling"):
        trained("isbn", unknown="spelling")


def test_lists_of_words_are_enough_for_members_that_need_no_trees() -> None:
    model = bistro.train("reader", TEXT * 5, members=["ngram order=2", "ngram order=1"])
    assert len(model.score(TEXT).log_probs) == 21
    with pytest.raises(BistroError, match="learns from trees"):
        bistro.train("reader", TEXT, members=["ngram", "transition"])


def test_models_with_other_words_are_not_mixed(model: ReaderModel) -> None:
    other = bistro.train("ngram", TEXT * 3, seed=1, order=2)
    with pytest.raises(BistroError, match="different vocabularies"):
        ReaderModel(model.config, [model.members[0], other], np.array([0.5, 0.5]), model.origin)
    spelled = bistro.train("ngram", TEXT * 3, seed=1, order=2, unknown="spelling")
    with pytest.raises(BistroError, match="spells unknown words"):
        require_same_events(other, spelled)
    vocabulary = model.vocabulary
    header = vocabulary.to_header()
    turned = Vocabulary.from_header({**header, "words": header["words"][::-1]})
    assert turned.hash != vocabulary.hash and turned.has_same_events(vocabulary)
    assert not turned.has_same_events(other.vocabulary)


@pytest.mark.parametrize("weights", [[0.5, 0.5], [0.5, 0.5, 0.5], [1.5, -0.5, 0.0], [math.nan] * 3])
def test_weights_of_a_file_are_checked(model: ReaderModel, weights: list[float]) -> None:
    with pytest.raises(ModelFileError, match="weight"):
        ReaderModel(model.config, model.members, np.array(weights), model.origin)


def test_options_that_make_no_sense_are_refused(model: ReaderModel) -> None:
    for options in ({"particles": 0}, {"repeats": -1}, {"tags": "some"}, {"tags_per_word": -1}):
        with pytest.raises(ConfigError):
            model.score(TEXT, **options)
    assert model.score(TEXT, tags="seen", **QUICK).log_probs.size == 21


# ---- elsewhere ---------------------------------------------------------------------------------


class Elsewhere:
    """Workers that are lost after some results."""

    def __init__(self, results: int) -> None:
        self.results = results

    def run(self, task: Any, shared: Any, items: Iterable[Any]) -> Generator[Any, None, None]:
        """Yield some results."""
        listed = list(items)
        yield from islice(LocalWorkers(1).run(task, shared, listed), self.results)
        if len(listed) > self.results:
            raise ClusterError("the scheduler is gone")


@pytest.mark.parametrize("lost_after", [0, 1, 2])
@pytest.mark.parametrize("then", ["elsewhere", "here"])
def test_what_has_learned_outlives_the_cluster(
    lost_after: int, then: str, tmp_path: Path, model: ReaderModel
) -> None:
    checkpoint = Checkpoint(tmp_path / "m.checkpoint", 0.0)
    with pytest.raises(ClusterError):
        trained(*MEMBERS, session=Session(checkpoint, workers=Elsewhere(lost_after)))
    if lost_after:
        assert len(read_model(checkpoint.path).arrays) == lost_after
    workers = Elsewhere(9) if then == "elsewhere" else None
    again = trained(*MEMBERS, session=Session(checkpoint, resume=True, workers=workers))
    assert again.to_bytes() == model.to_bytes()
