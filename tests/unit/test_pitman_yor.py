"""The public process: what it accepts, refuses, saves and draws."""

from __future__ import annotations

import inspect
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro._core import ComputationStopped, StopFlag
from bistro.errors import BistroError, ConfigError, ModelFileError
from bistro.pitman_yor import END, Characters, PitmanYor
from bistro.pitman_yor.settings import Hyper
from bistro.reference.hpyp import Franchise
from bistro.rng import Stream

TEXT = ["abracadabra", "abrakadabra", "cadabra"]


@pytest.mark.parametrize("depth", [0, 2, None])
def test_data_may_be_sequences_or_events(depth: int | None) -> None:
    as_text = PitmanYor(depth, outcomes="abcdkr", seed=3)
    contexts = [s[:i] for s in TEXT for i in range(len(s))]
    outcomes = [x for s in TEXT for x in s]
    as_events = PitmanYor(depth, outcomes="abcdkr", seed=3)
    assert np.allclose(as_text.observe_all(TEXT), as_events.observe_all(contexts, outcomes))
    assert as_text.predict("ab") == as_events.predict("ab")
    assert np.allclose(as_text.log_probs(TEXT), as_events.log_probs(contexts, outcomes))
    one_by_one = PitmanYor(depth, outcomes="abcdkr", seating="minimal")
    together = PitmanYor(depth, outcomes="abcdkr", seating="minimal")
    logs = [one_by_one.observe(x, c) for c, x in zip(contexts, outcomes, strict=True)]
    assert np.allclose(logs, together.observe_all(TEXT))


def test_arrays_bytes_and_lists_of_numbers_are_the_same() -> None:
    made = [PitmanYor(2, outcomes=range(256), seed=1) for _ in range(3)]
    data: list[Any] = [b"hello hello", np.frombuffer(b"hello hello", np.uint8), [*b"hello hello"]]
    logs = [
        process.observe_all([d] if isinstance(d, list) else d)
        for process, d in zip(made, data, strict=True)
    ]
    assert np.array_equal(logs[0], logs[1]) and np.array_equal(logs[0], logs[2])
    matrix = np.array([[104, 101], [108, 108]])
    outcomes = np.array([108, 111])
    expected = made[0].log_probs([(104, 101), (108, 108)], [108, 111])
    assert np.array_equal(made[0].log_probs(matrix, outcomes), expected)


def test_contexts_are_shortened_in_the_order_of_backoff() -> None:
    data = [
        (("old", "red"), 1),
        (("old", "blue"), 0),
        (("new", "red"), 1),
        (("new", "blue"), 0),
    ] * 9
    contexts, outcomes = [c for c, _ in data], [x for _, x in data]
    for backoff, decisive in (("oldest", ("?", "red")), ("newest", ("red", "?"))):
        rows = contexts if backoff == "oldest" else [c[::-1] for c in contexts]
        process = PitmanYor(2, backoff=backoff, seed=1).fit(rows, outcomes)
        assert process.top(decisive, 1)[0][0] == 1
    by_position = PitmanYor(2, backoff=(0, 1), seed=1).fit(contexts, outcomes)
    assert by_position.predict(("?", "red"))[1] > 0.7
    with pytest.raises(ConfigError, match="every context must have 2 elements"):
        by_position.predict(("red",))
    with pytest.raises(ConfigError, match="sequences need backoff"):
        by_position.observe_all([[0, 1]])


def test_the_end_of_a_sequence_is_an_outcome_on_demand() -> None:
    process = PitmanYor(None, ends=True, sweeps=5, seed=1).fit(["ab"] * 30)
    assert process.predict("ab")[END] > 0.9
    assert process.generate(100, seed=2) == ["a", "b"]
    assert len(process.log_probs(["ab"])) == 3
    spelled = PitmanYor(1, base=Characters(), ends=True, sweeps=5).fit([["ab", "c"]] * 20)
    assert spelled.predict(("c",))[END] > 0.7
    with pytest.raises(BistroError, match="empty string"):
        spelled.observe("", ("c",))


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "depth": ({"depth": -1}, "depth is -1, but must be a whole number"),
    "seating": ({"seating": "gibs"}, r"did you mean 'gibbs'\?"),
    "hyper": ({"hyper": "sclice"}, r"did you mean 'slice'\?"),
    "discount": ({"discount": 1.0}, r"discount is 1.0, but must lie in \[0, 1\)"),
    "strength": ({"strength": -0.6}, "strength is -0.6, but must be finite"),
    "levels": ({"discount": [0.1, 0.2]}, "give a single number, or 1 numbers"),
    "prior": ({"discount_prior": (0, 1)}, "two numbers above 0"),
    "backoff": ({"backoff": "old"}, "backoff = 'old' is not valid"),
    "positions": ({"backoff": (0, 0)}, "each position"),
    "chains": ({"chains": 0}, "chains is 0, but must be at least 1"),
    "online": ({"hyper": "online"}, "set depth = None"),
    "zero": ({"discount": 0.0}, "a discount of 0 needs hyper = 'fixed'"),
    "seed": ({"seed": -1}, "seed is -1"),
}


@pytest.mark.parametrize("name", sorted(WRONG))
def test_wrong_parameters_are_refused_at_once(name: str) -> None:
    settings, message = WRONG[name]
    with pytest.raises(ConfigError, match=message):
        PitmanYor(**settings)


def test_wrong_data_are_refused_with_a_reason() -> None:
    with pytest.raises(BistroError, match="the outcomes are unknown"):
        PitmanYor(1).observe("a")
    process = PitmanYor(1, outcomes="ab")
    with pytest.raises(BistroError, match="'z' is not among the 2 outcomes"):
        process.observe("z")
    with pytest.raises(BistroError, match="must be hashable"):
        process.observe_all([()], [["a"]])
    with pytest.raises(BistroError, match="2 contexts, but 1 outcomes"):
        process.observe_all(["a", "b"], ["a"])
    with pytest.raises(BistroError, match="given twice"):
        PitmanYor(1, outcomes="aa").predict()
    with pytest.raises(BistroError, match="expected a sequence, not int"):
        process.observe_all([1, 2])
    with pytest.raises(ConfigError, match="sum to 1"):
        PitmanYor(0, base={"a": 0.5}).predict()
    with pytest.raises(ConfigError, match="base = 3 is not valid"):
        PitmanYor(0, outcomes="ab", base=3).predict()  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="the same outcomes"):
        PitmanYor(0, outcomes="abc", base=PitmanYor(0, outcomes="ab")).predict()
    with pytest.raises(BistroError, match="3 cannot be spelled"):
        PitmanYor(0, base=Characters()).observe(3)
    assert process.log_prob("z") == -math.inf


@pytest.mark.parametrize("depth", [0, 2, None])
@pytest.mark.parametrize("base", ["uniform", "given", "process", "characters"])
def test_a_saved_process_goes_on_as_the_original(
    tmp_path: Path, depth: int | None, base: str
) -> None:
    outcomes: list[Any] = ["a", "b", "cc"]
    made: dict[str, Any] = {
        "uniform": {"outcomes": outcomes},
        "given": {"base": {"a": 0.2, "b": 0.3, "cc": 0.5}},
        "process": {"base": PitmanYor(1, outcomes=outcomes, chains=2)},
        "characters": {"base": Characters()},
    }
    process = PitmanYor(depth, chains=2, sweeps=3, seed=5, **made[base])
    process.observe_all([["a", "b", "a", "cc"], ["b", "a", "a"]])
    process.observe("a", ("a", ("a", "tuple"), b"bytes"))
    path = tmp_path / "p.bistro"
    process.save(path)
    copy = PitmanYor.load(path)
    context = ("a", ("a", "tuple"), b"bytes")
    for one in (process, copy):
        one.sweep(2)
        one.observe("b", context)
    assert process.predict(context) == copy.predict(context)
    assert np.array_equal(process.log_likelihood(), copy.log_likelihood())
    assert process.sample(context, 5) == copy.sample(context, 5)
    assert process.get_params().keys() == copy.get_params().keys()


def test_files_that_hold_something_else_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.bistro"
    PitmanYor(0, outcomes="ab").save(path)
    with pytest.raises(ModelFileError, match=r"PitmanYor\.load"):
        bistro.load(path)
    model = bistro.train("ngram", [["a", "b"]], order=1, sampler={"sweeps": 1, "samples": 1})
    model.save(path)
    with pytest.raises(ModelFileError, match=r"open it with bistro\.load"):
        PitmanYor.load(path)
    with pytest.raises(BistroError, match="cannot be saved"):
        PitmanYor(0, outcomes=[object()]).save(path)


def test_it_follows_the_conventions_of_estimators() -> None:
    process = PitmanYor(1, outcomes="ab", sweeps=7)
    parameters = process.get_params()
    assert list(parameters) == [
        name for name in inspect.signature(PitmanYor.__init__).parameters if name != "self"
    ]
    clone = PitmanYor(**parameters)
    assert clone.get_params() == parameters
    assert clone.set_params(depth=2, sweeps=4) is clone
    assert (clone.depth, clone.sweeps) == (2, 4)
    with pytest.raises(ConfigError, match=r"no parameter 'dept' \(did you mean 'depth'\?\)"):
        clone.set_params(dept=1)
    X, y = [("a",), ("b",), ("a",)] * 5, ["b", "a", "b"] * 5
    assert process.fit(X, y) is process
    assert process.score(X, y) == pytest.approx(float(np.mean(process.log_probs(X, y))))
    rows = process.predict_proba([("a",), ("b",)])
    assert rows.shape == (2, 2) and np.allclose(rows.sum(axis=1), 1)
    assert process.classes_ == ("a", "b")
    first = process.predict("a")
    assert process.fit(X, y).predict("a") == first  # fitting again starts from nothing


def test_the_seed_decides_and_chains_are_independent() -> None:
    one, two = (PitmanYor(2, chains=3, sweeps=5, seed=8).fit(TEXT) for _ in range(2))
    assert one.predict("ab") == two.predict("ab")
    assert len({row.tobytes() for row in one.discounts}) == 3
    alone = PitmanYor(2, chains=1, sweeps=5, seed=8).fit(TEXT)
    assert np.array_equal(alone.discounts[0], one.discounts[0])
    other = PitmanYor(2, chains=3, sweeps=5, seed=9).fit(TEXT)
    assert other.predict("ab") != one.predict("ab")


def test_draws_follow_the_prediction() -> None:
    process = PitmanYor(2, sweeps=5, chains=2, seed=1).fit(TEXT)
    drawn = process.sample("ab", 4000, seed=3)
    assert drawn == process.sample("ab", 4000, seed=3)
    for outcome, p in process.predict("ab").items():
        assert abs(drawn.count(outcome) / 4000 - p) < 4.5 * math.sqrt(p * (1 - p) / 4000) + 1e-9
    assert process.sample("ab", 99) != process.sample("ab", 99)


@pytest.mark.parametrize("depth", [1, None])
def test_fitting_again_takes_the_customers_out_of_the_base(depth: int | None) -> None:
    inner = PitmanYor(0, outcomes="abcdkr", seed=1)
    inner.observe_all([(), ()], ["a", "k"])
    outer = PitmanYor(depth, base=inner, sweeps=3, seed=1)
    for _ in range(2):
        outer.fit(TEXT)
        (_, from_outer, _), *_ = inner.counts()
        assert from_outer == 2 + outer.counts()[0][2]
    outer.set_params(seed=2)
    assert inner.counts()[0][1] == 2


def test_discounts_that_follow_the_text_predict_it_better() -> None:
    sentences = bistro.builtin(sentences=600, seed=1)
    text = "\n".join(" ".join(s.forms) for s in sentences).encode()
    bits = {}
    choices: tuple[Hyper, ...] = ("fixed", "online")
    for hyper in choices:
        process = PitmanYor(None, outcomes=range(256), hyper=hyper, seating="minimal")
        bits[hyper] = -process.observe_all(text).mean()
    assert bits["online"] < 0.97 * bits["fixed"]


def test_new_words_are_spelled() -> None:
    process = PitmanYor(0, base=Characters(depth=2), strength=50.0, hyper="fixed", seed=1)
    process.observe_all([["abab", "ababab", "abba"] * 3])
    words = process.sample((), 50, seed=2)
    assert any(word not in process.outcomes_ for word in words)


def test_draws_from_the_prior_follow_its_law() -> None:
    """The number of tables of n customers has the mean of the Pitman-Yor law."""
    n, d, theta = 30, 0.4, 1.5
    tables = []
    for seed in range(300):
        process = PitmanYor(
            0, outcomes=range(9), discount=d, strength=theta, hyper="fixed", seed=seed
        )
        assert len(process.simulate([()] * n)) == n
        tables.append(process.counts()[0][2])
    product = math.prod((theta + d + i) / (theta + i) for i in range(n))
    expected = theta / d * (product - 1)
    assert abs(np.mean(tables) - expected) < 4 * np.std(tables) / math.sqrt(300)


def test_posterior_samples_come_as_arrays_and_for_arviz() -> None:
    process = PitmanYor(2, chains=2, sweeps=5, seed=1).fit(TEXT)
    posterior = process.posterior(draws=6, thin=2, contexts=["", "a"])
    assert posterior.context_tables.shape == (2, 6, 2, 6)
    assert np.array_equal(posterior.context_tables[:, :, 0].sum(axis=-1), posterior.tables[..., 0])
    assert posterior.discount.shape == posterior.strength.shape == (2, 6, 3)
    assert posterior.tables.shape == (2, 6, 3) and posterior.log_likelihood.shape == (2, 6)
    assert {"discount", "strength", "tables", "log_likelihood"} < set(posterior.arrays())
    pytest.importorskip("arviz")
    data = posterior.to_arviz()
    assert data["posterior"]["discount"].shape == (2, 6, 3)


def test_the_seating_can_be_looked_at() -> None:
    process = PitmanYor(1, outcomes="ab", seating="minimal", hyper="fixed")
    process.observe_all(["aabab"])
    assert process.tables("a") == {"a": [1], "b": [2]}
    assert process.tables() == {"a": [3], "b": [1]}
    assert process.tables("x") == {}
    assert process.counts() == [(1, 4, 2), (2, 4, 3)]
    assert process.bytes > 0
    assert repr(process) == "<PitmanYor, depth 1, 2 outcomes, 1 chains>"


def test_a_student_can_use_the_plain_franchise() -> None:
    rng = Stream(1, "student")
    house = Franchise([0.5, 0.5], levels=2, discount=[0.2, 0.4], strength=[1.0, 0.0])
    assert (house.discount, house.strength) == ([0.2, 0.4], [1.0, 0.0])
    dishes = [house.draw((1,), rng) for _ in range(50)]
    assert set(dishes) <= {0, 1} and house.restaurant((1,)).num_customers() == 50
    with pytest.raises(
        ConfigError, match=r"seating = 'x' is not valid: choose one of gibbs, minimal"
    ):
        Franchise([1.0], 1, seating="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"no customer with dish 7 in the restaurant of context"):
        house.remove((), 7, rng)
    with pytest.raises(ValueError, match="there is no customer with dish 0"):
        house.remove((9,), 0, rng)
    with pytest.raises(ConfigError, match="discount is 1"):
        Franchise([1.0], 1, discount=1)
    with pytest.raises(ConfigError, match="sum to 1"):
        Franchise([0.2], 1)
    with pytest.raises(ConfigError, match="has 2 values"):
        Franchise([1.0], 1, strength=[1, 2])
    with pytest.raises(ConfigError, match="levels is 0"):
        Franchise([1.0], 0)


def test_plain_draws_are_those_of_the_predictive_rule() -> None:
    rng = Stream(1, "student.draws")
    house = Franchise(lambda dish: 2.0 ** -(dish + 1), levels=2, discount=0.3, strength=0.5)
    for dish in (0, 0, 1, 2, 0):
        house.add((1,), dish, rng)
    drawn = [house.sample((1,), rng) for _ in range(4000)]
    for dish in range(5):
        p = house.probability((1,), dish)
        assert abs(drawn.count(dish) / 4000 - p) < 4.5 * math.sqrt(p * (1 - p) / 4000)


@pytest.mark.parametrize("depth", [2, None])
def test_a_stopped_process_can_go_on(depth: int | None) -> None:
    """Long loops hear a stop flag and Ctrl-C between two events; what was seated stays seated."""
    process = PitmanYor(depth, outcomes="abc", seed=3)
    text = "abacabac" * 40
    flag = StopFlag()
    flag.set()
    with flag, pytest.raises(ComputationStopped):
        process.observe_all([text])
    process.observe_all([text])
    with flag, pytest.raises(ComputationStopped):
        process.sweep()
    process.sweep()
    assert sum(process.predict("ab").values()) == pytest.approx(1.0)
    process.forget_all([text])
