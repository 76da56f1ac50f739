"""Simulation-based calibration: its error rate, right samplers that pass, wrong ones that do not.

The full table, with more runs, is made by `tools/sampler_table.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
from calibrated import RIGHT, THINNING, WRONG
from laws import SUSPICIOUS
from scipy import stats

from bistro._core import tree_events
from bistro.errors import BistroError, ConfigError
from bistro.inference.rank_bands import counts_below, p_value, simultaneous_band
from bistro.inference.simulated import Simulated, calibrate
from bistro.models.tags.config import TagsConfig
from bistro.models.tags.prior import _task
from bistro.models.unbounded.prior import TreeDraws, _small
from bistro.pitman_yor import Characters, PitmanYor
from bistro.tasks.check_sampler import check_sampler


# ---- the test of uniform ranks -----------------------------------------------------------------
@pytest.mark.parametrize(("runs", "draws"), [(50, 7), (200, 31)])
def test_p_values_of_uniform_ranks_are_uniform(runs: int, draws: int) -> None:
    rng = np.random.default_rng(1)
    found = [p_value(rng.integers(0, draws + 1, runs), draws) for _ in range(200)]
    # Ranks are whole numbers, so some p-values are a little too large; none may be too small.
    for level in (0.01, 0.05, 0.2):
        rejected = sum(p <= level for p in found)
        assert stats.binom.sf(rejected - 1, len(found), level) > SUSPICIOUS
    assert np.mean(found) < 0.62


def test_the_band_leaves_out_what_it_promises() -> None:
    rng = np.random.default_rng(2)
    runs, draws, rate = 100, 15, 0.05
    band = simultaneous_band(runs, draws, rate)
    counts = [counts_below(rng.integers(0, draws + 1, runs), draws) for _ in range(4000)]
    outside = sum(bool(((c < band.low) | (c > band.high)).any()) for c in counts)
    assert 0.03 < outside / len(counts) < 0.06


@pytest.mark.parametrize("power", [0.8, 1.25])
def test_ranks_that_lean_are_rejected(power: float) -> None:
    rng = np.random.default_rng(3)
    ranks = np.floor(32 * rng.random(1000) ** power).astype(np.int64)
    assert p_value(ranks, 31) < SUSPICIOUS


def normal(spread: float, memory: float, seed: int) -> Simulated:
    """A mean with a normal prior, one datum, and a chain of its posterior, or of a wrong one."""
    rng = np.random.default_rng(seed)
    truth = rng.normal()
    centre, width = rng.normal(truth) / 2, spread * np.sqrt(0.5)
    state = [rng.normal(centre, width)]

    def sweep() -> None:
        noise = np.sqrt(1 - memory**2) * rng.normal()
        state[0] = centre + memory * (state[0] - centre) + width * noise

    return Simulated({"mean": truth, "never": 1.0}, sweep, lambda: {"mean": state[0], "never": 1.0})


@pytest.mark.parametrize("memory", [0.0, 0.9])
def test_thinning_makes_up_for_a_slow_chain(memory: float) -> None:
    check = calibrate("normal", lambda seed: normal(1.0, memory, seed), 500)
    assert not check.is_rejected
    assert list(check.ranks) == ["mean"]  # what never changes is left out
    assert (check.thinning > 4) == (memory > 0)
    slow = calibrate("slow", lambda seed: normal(1.0, 0.97, seed), 500, thinning=1, burn_in=50)
    assert slow.is_rejected and slow.autocorrelation > 0.5


@pytest.mark.parametrize(("spread", "told"), [(0.7, "draws too narrow"), (1.4, "draws too wide")])
def test_it_says_what_is_wrong(spread: float, told: str) -> None:
    check = calibrate("wrong", lambda seed: normal(spread, 0.0, seed), 1000)
    assert check.is_rejected and check.tendency("mean") == told
    assert check.verdict.startswith("wrong: rejected: 1000 runs, 1 quantities")


def test_a_picture_and_a_page() -> None:
    check = calibrate("wrong", lambda seed: normal(0.5, 0.0, seed), 100)
    assert 'class="curve s5"' in check.draw()
    assert check._repr_html_().count("<svg") == 1
    right = calibrate("right", lambda seed: normal(1.0, 0.0, seed), 100)
    assert 'class="curve s1"' in right.draw()


def test_a_seed_decides_everything() -> None:
    one, again, other = (
        calibrate("normal", lambda seed: normal(1.0, 0.5, seed), 30, seed=seed).ranks["mean"]
        for seed in (1, 1, 2)
    )
    assert (one == again).all() and (one != other).any()


# ---- samplers ----------------------------------------------------------------------------------
QUICK = {
    "`ngram`, order 2": 60,
    "`transition`, root last, several roots": 60,
    "`topics`, 4 states": 100,
    "`tags`": 60,
    "`PitmanYor(depth=2)`": 25,
    "one slice step, two hills": 300,
    "trees of `topics`": 60,
    "particle Gibbs for one sentence": 100,
}
CAUGHT = {
    "never a second table for a dish": 100,
    "a new table is weighed without its dish's probability": 20,
    "topics: common weights are never drawn": 100,
    "topics: stops are not counted": 100,
    "another prior: Gamma(1.3, 1) for strengths": 400,
}


@pytest.mark.parametrize("name", QUICK)
def test_right_samplers_pass(name: str) -> None:
    assert not calibrate(name, RIGHT[name][0], QUICK[name], error_rate=SUSPICIOUS).is_rejected


@pytest.mark.parametrize("name", CAUGHT)
def test_wrong_samplers_are_rejected(name: str) -> None:
    thinning = THINNING.get(name)
    simulate, runs = WRONG[name][0], CAUGHT[name]
    assert calibrate(name, simulate, runs, thinning=thinning, error_rate=SUSPICIOUS).is_rejected


def test_contexts_of_drawn_trees_are_those_of_the_core() -> None:
    config = _small(TagsConfig())
    drawn = TreeDraws(_task(), config, seed=5)
    rules = _task().rules
    assert config.depth is not None
    # The first tree, which may be cut off at the end, up to where it is complete.
    chain = [rule for _, rule in drawn.nodes]
    ends = [i for i, rule in enumerate(chain) if rules.word_of(rule) == "</s>"]
    whole = np.array(chain[: ends[0] + 1], np.int32)
    rules.check(whole)
    elements, offsets, found = tree_events(
        **rules.arrays(),
        trees=whole,
        offsets=np.array([0, whole.size], np.int64),
        by_rules=_task().contexts == "rules",
        depth=config.depth,
    )
    core = {
        (tuple(elements[a:b].tolist()), rule)
        for a, b, rule in zip(offsets, offsets[1:], found.tolist(), strict=False)
    }
    assert core == {(tuple(context), rule) for context, rule in drawn.nodes[: whole.size]}


# ---- refusals ----------------------------------------------------------------------------------
def test_what_cannot_be_checked_is_refused() -> None:
    with pytest.raises(BistroError, match="an isbn model has no prior to draw from"):
        check_sampler("isbn")
    with pytest.raises(ConfigError, match="does not sample from the posterior"):
        check_sampler("ngram", sampler={"seating": "minimal", "hyper": "map"})
    with pytest.raises(ConfigError, match="does not sample from the posterior"):
        check_sampler(PitmanYor(1, outcomes="ab", seating="minimal"))
    with pytest.raises(ConfigError, match="does not learn"):
        check_sampler(PitmanYor(1, base=Characters()))
    with pytest.raises(ConfigError, match="give outcomes"):
        check_sampler(PitmanYor(1))
    with pytest.raises(ConfigError, match="20 or more"):
        check_sampler("ngram", 5)
    with pytest.raises(ConfigError, match="closed vocabulary"):
        check_sampler("ngram", unknown="spelling")
    with pytest.raises(ConfigError, match="latent states"):
        check_sampler("topics", source="upos")
