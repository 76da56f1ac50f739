"""Mixtures of models: weights, events in any order, errors, the command line."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize

import bistro
from bistro.encoding.vocabulary import Vocabulary
from bistro.errors import BistroError, ConfigError
from bistro.models.mixing import require_same_events
from bistro.models.next_words import MixedSums
from bistro.models.ngram.model import NgramModel
from bistro.models.transition.model import TransitionModel
from bistro.tasks.mixture import Member, Mixture, fitted_weights, mixed
from bistro.treebank.treebank import Treebank, write

FEW_SWEEPS: dict[str, Any] = {"sampler": {"sweeps": 5, "samples": 2}}
FEW: dict[str, Any] = {"particles": 20, "repeats": 6, "threads": 1}


@pytest.fixture(scope="module")
def treebank() -> Treebank:
    return bistro.builtin(sentences=200, seed=1)


@pytest.fixture(scope="module")
def parser(treebank: Treebank) -> TransitionModel:
    model: Any = bistro.train("transition", treebank, seed=1, **FEW_SWEEPS)
    return model  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def ngram(treebank: Treebank) -> NgramModel:
    model: Any = bistro.train("ngram", treebank, seed=1, **FEW_SWEEPS)
    return model  # type: ignore[no-any-return]


# ---- weights -----------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(5))
def test_the_weight_is_the_best_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = np.log(rng.beta(1, 3 + seed, 400)), np.log(rng.beta(1, 5, 400))

    def total(weight: float) -> float:
        return float(mixed([first, second], [weight, 1 - weight]).sum())

    found = fitted_weights([first, second])
    best = optimize.minimize_scalar(lambda w: -total(w), bounds=(0, 1), method="bounded")
    assert sum(found) == pytest.approx(1)
    assert found[0] == pytest.approx(best.x, abs=1e-3)
    assert total(found[0]) >= max(map(total, np.linspace(0, 1, 201))) - 1e-6


def test_weights_of_three_are_no_worse_than_those_of_two() -> None:
    rng = np.random.default_rng(1)
    logs = [np.log(rng.beta(1, b, 400)) for b in (2, 3, 4)]
    three, two = fitted_weights(logs), fitted_weights(logs[:2])
    assert mixed(logs, three).sum() >= mixed(logs[:2], two).sum() - 1e-9


def test_weights_at_the_ends() -> None:
    good, bad = np.log([0.9, 0.8]), np.log([0.1, 0.2])
    assert fitted_weights([good, bad])[0] == pytest.approx(1.0, abs=1e-6)
    assert fitted_weights([bad, good])[0] == pytest.approx(0.0, abs=1e-6)
    assert mixed([good, bad], [1.0, 0.0]).tolist() == pytest.approx(good.tolist())
    impossible = np.array([-np.inf, -1.0])
    assert mixed([good, impossible], [0.5, 0.5])[0] == pytest.approx(math.log(0.45))
    assert fitted_weights([good - 2000, bad - 2000])[0] == pytest.approx(1.0, abs=1e-6)
    with pytest.raises(ValueError, match="the same events"):
        fitted_weights([good, bad[:1]])


@pytest.mark.parametrize("weights", [[0.5], [0.5, 0.6], [1.5, -0.5], [1.0, 0.0, 0.0]])
def test_impossible_weights(ngram: NgramModel, weights: list[float]) -> None:
    with pytest.raises(ConfigError, match=r"one weight per model \(2\)"):
        Mixture([Member(ngram, {}), Member(ngram, {})], weights)


# ---- events ------------------------------------------------------------------------------------
def test_models_of_other_vocabularies_are_refused(
    parser: TransitionModel, ngram: NgramModel, treebank: Treebank
) -> None:
    require_same_events(parser, ngram)
    other = bistro.train("ngram", treebank, seed=1, unknown="single", **FEW_SWEEPS)
    with pytest.raises(BistroError, match="different vocabularies"):
        require_same_events(parser, other)
    spelling = bistro.train("ngram", treebank, seed=1, unknown="spelling", **FEW_SWEEPS)
    with pytest.raises(BistroError, match="spells unknown words"):
        require_same_events(parser, spelling)


def test_equal_words_in_another_order_are_the_same_events(ngram: NgramModel) -> None:
    header = ngram.vocabulary.to_header()
    shuffled = {**header, "words": header["words"][::-1]}
    shuffled["classes"] = [header["classes"][0], *header["classes"][:0:-1]]
    other = Vocabulary.from_header(shuffled)
    assert other.hash != ngram.vocabulary.hash
    assert ngram.vocabulary.has_same_events(other) and other.has_same_events(ngram.vocabulary)
    fewer = Vocabulary.from_header({**header, "words": header["words"][:-1]})
    assert not ngram.vocabulary.has_same_events(fewer)


def test_next_words_are_matched_by_name(treebank: Treebank) -> None:
    models: list[Any] = [bistro.train("ngram", treebank, seed=s, **FEW_SWEEPS) for s in (1, 2)]
    straight = Mixture([Member(model, {}) for model in models], [0.3, 0.7])
    expected = {row.word: row.probability for row in straight.next_words(["The", "old"]).top(300)}
    sums = [model.next_sums(["The", "old"]) for model in models]
    order = np.random.default_rng(1).permutation(len(sums[1].names))
    sums[1].names = [sums[1].names[i] for i in order]
    sums[1].listed = sums[1].listed.at(order)
    found = MixedSums(sums, [0.3, 0.7])
    for name, share in zip(found.names, np.exp(found.listed.log_probs).tolist(), strict=True):
        assert share == pytest.approx(expected.get(name, share))


# ---- scores ------------------------------------------------------------------------------------
def test_scores_are_mixed_word_by_word(parser: TransitionModel, ngram: NgramModel) -> None:
    mixture = Mixture([Member(parser, FEW), Member(ngram, {})], [0.4, 0.6])
    words = [["The", "old", "dog", "sleeps", "."], ["zyzzyva"]]
    parts = [parser.score(words, **FEW), ngram.score(words)]
    expected = np.log(0.4 * np.exp(parts[0].log_probs) + 0.6 * np.exp(parts[1].log_probs))
    assert mixture.score(words).log_probs.tolist() == pytest.approx(expected.tolist())
    rows = list(mixture.surprisal(words))
    assert [row.token for row in rows][-2:] == ["zyzzyva", "</s>"]
    assert all(row.mc_se is not None and row.entropy is None for row in rows)


def test_errors_of_a_mixture_are_its_spread(parser: TransitionModel, ngram: NgramModel) -> None:
    """Over seeds, the surprisals of words and of stretches are as far apart as they say."""
    words = ["The", "horse", "raced", "past", "the", "barn", "fell", "."]
    surprisals, errors, sums, of_sums = [], [], [], []
    for seed in range(40):
        options = {**FEW, "seed": seed}
        mixture = Mixture([Member(parser, options), Member(ngram, {})], [0.7, 0.3])
        scores = mixture.score([words])
        assert scores.standard_error is not None
        surprisals.append(-scores.log_probs)
        errors.append(scores.standard_error)
        sums.append(-scores.log_probs[3:7].sum())
        of_sums.append(scores.error_of(0, 3, 7) or 0.0)
    spread, told = np.std(surprisals, axis=0, ddof=1), np.mean(errors, axis=0)
    hard = spread > 0.02
    assert hard.any()
    assert ((spread[hard] / told[hard] > 0.5) & (spread[hard] / told[hard] < 1.8)).all()
    assert 0.6 < np.std(sums, ddof=1) / np.mean(of_sums) < 1.6


def test_members_with_other_numbers_of_runs_are_refused(parser: TransitionModel) -> None:
    members = [Member(parser, {**FEW, "method": "smc", "repeats": n}) for n in (2, 3)]
    mixture = Mixture(members, [0.5, 0.5])
    for action in (lambda: mixture.score([["The"]]), lambda: mixture.next_words(["The"])):
        with pytest.raises(BistroError, match=r"different numbers of runs \(2 and 3\)"):
            action()


def test_exact_models_have_no_error(ngram: NgramModel) -> None:
    mixture = Mixture([Member(ngram, {}), Member(ngram, {})], [0.5, 0.5])
    scores = mixture.score([["The", "dog"]])
    assert scores.deviation is None
    assert scores.log_probs == pytest.approx(ngram.score([["The", "dog"]]).log_probs)
    assert "0.500 ngram model, exact + 0.500" in mixture.score_protocol()


# ---- the command line --------------------------------------------------------------------------
@pytest.fixture
def saved(
    parser: TransitionModel, ngram: NgramModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Treebank:
    monkeypatch.chdir(tmp_path)
    more = bistro.builtin(sentences=60, seed=2)
    write(more[:30], "dev.conllu")
    write(more[30:], "test.conllu")
    parser.save("parser.bistro")
    ngram.save("ngram.bistro")
    return more


def test_perplexity_of_a_mixture(
    saved: Treebank, ngram: NgramModel, capsys: pytest.CaptureFixture[str]
) -> None:
    from bistro.cli.main import run

    command = ["perplexity", "parser.bistro", "--with", "ngram.bistro", "--dev", "dev.conllu"]
    options = ("--json", "--particles", "30", "--repeats", "2")
    assert run([*command, "dev.conllu", *options]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["perplexity"] < min(part["perplexity"] for part in told["parts"].values())
    assert run([*command, "test.conllu", *options]) == 0
    told = json.loads(capsys.readouterr().out)
    alone = [told["parts"][name]["perplexity"] for name in ("parser.bistro", "ngram.bistro")]
    assert 0 < told["weight"] < 1
    assert told["weights"] == pytest.approx([told["weight"], 1 - told["weight"]])
    assert told["perplexity"] < 1.02 * min(alone)
    expected = math.exp(-ngram.score(saved[30:]).log_probs.mean())
    assert alone[1] == pytest.approx(expected, rel=1e-9)
    assert run([*command, "test.conllu", "--repeats", "1"]) == 0
    assert "mixture" in capsys.readouterr().out
    assert run(["perplexity", "parser.bistro", "test.conllu", "--with", "ngram.bistro"]) == 2
    assert "--dev DEV, or set them with --weights" in capsys.readouterr().err
    swapped = ["perplexity", "ngram.bistro", "--with", "ngram.bistro", "--dev", "dev.conllu"]
    assert run([*swapped, "test.conllu", "--particles", "5"]) == 2
    assert "has no analyses to sum over" in capsys.readouterr().err


def test_surprisal_of_a_mixture(saved: Treebank, capsys: pytest.CaptureFixture[str]) -> None:
    from bistro.cli.main import run

    few = ["--particles", "20", "--repeats", "3"]
    others = ["--with", "ngram.bistro", "--weights", "0.25,0.75"]
    command = ["surprisal", "parser.bistro", "test.conllu"]
    tables = []
    for options in (others + few, few):
        assert run([*command, *options]) == 0
        lines = capsys.readouterr().out.splitlines()
        tables.append(
            [dict(zip(lines[0].split("\t"), x.split("\t"), strict=True)) for x in lines[1:]]
        )
    assert run(["surprisal", "ngram.bistro", "test.conllu"]) == 0
    alone = [float(x.split("\t")[4]) for x in capsys.readouterr().out.splitlines()[1:]]
    for both, parser, ngram in zip(*tables, alone, strict=True):
        expected = -math.log2(0.25 * 2 ** -float(parser["surprisal"]) + 0.75 * 2**-ngram)
        assert float(both["surprisal"]) == pytest.approx(expected, abs=1e-4)
        assert both["surprisal_syn"] == "NA" and float(both["mc_se"]) >= 0
    assert run([*command, "--dev", "dev.conllu"]) == 2
    assert "add --with MODEL2" in capsys.readouterr().err
    assert run([*command, *others[:2], "--weights", "a,b"]) == 2
    assert "numbers such as 0.6,0.4" in capsys.readouterr().err
