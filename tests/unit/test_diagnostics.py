"""Chains that agree and chains that do not: ArviZ against plain computation, and what is said."""

from __future__ import annotations

import sys
import types
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from svg_elements import number

from bistro.errors import BistroError
from bistro.inference.arviz import load_arviz
from bistro.reference import convergence
from bistro.report import diagnostics
from bistro.report.diagnose_page import by_need, diagnose_page
from bistro.report.diagnostics import (
    Chains,
    Diagnosis,
    advice,
    chains_of,
    diagnose,
    table_lines,
    to_arviz,
    write_netcdf,
)
from bistro.report.ranks import rank_counts, rank_plot

pytest.importorskip("arviz")


def autoregressive(correlation: float, chains: int, draws: int, seed: int) -> np.ndarray:
    """Chains whose draws are correlated with the one before; their own law has mean 0."""
    generator = np.random.default_rng(seed)
    values = np.zeros((chains, draws))
    values[:, 0] = generator.normal(size=chains) / np.sqrt(1 - correlation**2)
    for t in range(1, draws):
        values[:, t] = correlation * values[:, t - 1] + generator.normal(size=chains)
    return values


def rows_of(draws: np.ndarray, **more: list[float]) -> list[list[dict[str, object]]]:
    """Return draws as the traces of training runs."""
    return [
        [{"sweep": i, "log_likelihood": value, **more} for i, value in enumerate(chain, start=1)]
        for chain in draws.tolist()
    ]


def chains_from(draws: np.ndarray) -> Chains:
    return chains_of(rows_of(draws), [f"seed {i}" for i in range(len(draws))], burn_in=0)


MIXED = np.random.default_rng(1).normal(size=(4, 400))
SLOW = autoregressive(0.9, 4, 400, seed=2)
STUCK = MIXED + np.array([[0.0], [0.0], [0.0], [4.0]])
WIDE = MIXED * np.array([[1.0], [1.0], [1.0], [6.0]])
CLIMBING = MIXED + np.linspace(0, 5, 400)


@pytest.mark.parametrize(
    "draws",
    [
        MIXED,
        SLOW,
        STUCK,
        WIDE,
        CLIMBING,
        autoregressive(0.99, 3, 101, seed=3),
        autoregressive(-0.7, 2, 200, seed=4),
        np.random.default_rng(5).integers(0, 4, size=(4, 60)).astype(float),
        np.random.default_rng(6).normal(size=(2, 8)),
        np.exp(5 * np.random.default_rng(7).normal(size=(4, 50))),
    ],
    ids=["mixed", "slow", "stuck", "wide", "climbing", "odd", "wavering", "ties", "short", "tails"],
)
def test_arviz_agrees_with_the_plain_computation(draws: NDArray[Any]) -> None:
    (row,) = diagnose(chains_from(draws))
    assert row.r_hat == pytest.approx(convergence.r_hat(draws), rel=1e-9)
    assert row.ess_bulk == pytest.approx(convergence.ess_bulk(draws), rel=1e-9)
    assert row.ess_tail == pytest.approx(convergence.ess_tail(draws), rel=1e-9)


def test_chains_that_agree_are_not_warned_of() -> None:
    chains = chains_from(MIXED)
    rows = diagnose(chains)
    assert rows[0].warning == ""
    assert rows[0].r_hat < 1.01
    (told,) = advice(chains, rows)
    assert "no sign that the chains disagree" in told


@pytest.mark.parametrize("draws", [STUCK, WIDE, CLIMBING], ids=["stuck", "wide", "climbing"])
def test_chains_that_disagree_are_found(draws: NDArray[Any]) -> None:
    """The negative control: equal means with other widths, and a common climb, count too."""
    chains = chains_from(draws)
    rows = diagnose(chains)
    assert rows[0].disagrees
    assert "R-hat" in rows[0].warning
    told = advice(chains, rows)[0]
    assert "do not agree" in told
    assert "log_likelihood" in told


def test_slow_chains_are_worth_few_draws() -> None:
    """Of draws with correlation r, N are worth N (1 - r) / (1 + r)."""
    draws = autoregressive(0.9, 4, 4000, seed=8)
    expected = draws.size * 0.1 / 1.9
    assert convergence.plain_ess(draws) == pytest.approx(expected, rel=0.2)
    chains = chains_from(SLOW)
    rows = diagnose(chains)
    assert rows[0].is_thin
    assert any("independent draws" in told for told in advice(chains, rows))


def test_the_first_half_is_left_out() -> None:
    traces = rows_of(np.concatenate([STUCK + 100, MIXED], axis=1))
    chains = chains_of(traces, list("abcd"))
    assert (chains.sweeps, chains.burn_in, chains.draws) == (800, 400, 400)
    assert np.array_equal(chains.kept("log_likelihood"), MIXED)
    assert diagnose(chains)[0].warning == ""
    everything = chains_of(traces, list("abcd"), burn_in=0)
    assert diagnose(everything)[0].disagrees


def test_lists_become_quantities_and_constants_are_left_out() -> None:
    traces = [
        [
            {
                "sweep": i,
                "log_likelihood": float(i * c % 7),
                "words.tables": [5, i % 3, c],
                "gamma": 1.0,
            }
            for i in range(1, 11)
        ]
        for c in (2, 3)
    ]
    for row in traces[0][:3]:
        del row["gamma"]  # as in a stage that came before
    chains = chains_of(traces, ["a", "b"])
    assert list(chains.quantities) == ["log_likelihood", "words.tables[1]", "words.tables[2]"]
    assert chains.constant == ["words.tables[0]", "gamma"]
    assert chains.quantities["words.tables[1]"][0].tolist() == [i % 3 for i in range(1, 11)]


def test_what_cannot_be_compared() -> None:
    traces = rows_of(MIXED)
    with pytest.raises(BistroError, match="a single chain"):
        chains_of(traces[:1], ["a"])
    with pytest.raises(BistroError, match="different numbers of sweeps"):
        chains_of([traces[0], traces[1][:50]], ["a", "b"])
    with pytest.raises(BistroError, match="fewer than 4 draws"):
        chains_of(traces, list("abcd"), burn_in=398)
    with pytest.raises(BistroError, match="trained without sampling"):
        chains_of([trace[:1] for trace in traces], list("abcd"))


def test_nothing_that_changes() -> None:
    chains = chains_of(rows_of(np.ones((2, 10))), ["a", "b"])
    assert diagnose(chains) == []
    assert "nothing to compare" in advice(chains, [])[0]
    diagnose_page(chains, [], "t", "told").render()


def test_the_table() -> None:
    row = Diagnosis("words.tables[0]", 11222.8, 84.2, 1.0743, 58.0, 127.9, 400)
    header, line = table_lines([row])
    assert header.split("\t") == list(diagnostics.COLUMNS)
    assert line.split("\t") == [
        *("words.tables[0]", "11222.8", "84.2", "1.0743", "58.0", "127.9", "R-hat, ESS")
    ]


def test_a_figure_that_is_not_a_number_is_warned_of() -> None:
    row = Diagnosis("x", 0.0, 0.0, np.nan, np.nan, np.nan, 400)
    assert row.warning == "R-hat, ESS"


# ---- rank plots ------------------------------------------------------------------------------
def test_ranks_of_chains_that_agree_are_even() -> None:
    counts = rank_counts(MIXED, bins=8)
    assert counts.sum(axis=1).tolist() == [400] * 4
    assert counts.sum(axis=0).tolist() == [200] * 8
    assert abs(counts - 50).max() < 25
    leaning = rank_counts(STUCK, bins=8)
    assert leaning[3, :4].sum() < 10


def test_the_rank_plot_shows_the_counts() -> None:
    svg = rank_plot(STUCK, ["a", "b", "c", "<d>"], bins=8)
    root = ElementTree.fromstring(svg)
    bars = [e for e in root.iter() if (e.get("class") or "").startswith("bar s4")]
    heights = np.array([number(bar, "height") for bar in bars])
    counts = rank_counts(STUCK, bins=8)[3]
    assert heights == pytest.approx(counts * heights.max() / counts.max(), abs=0.1)


def test_the_page() -> None:
    chains = chains_from(STUCK)
    rows = diagnose(chains)
    html = diagnose_page(chains, rows, "Chains & co", "told <so>").render()
    assert "Chains &amp; co" in html
    assert f"{rows[0].r_hat:.3f}" in html
    assert "do not agree" in html
    assert html.count("<svg") == 3
    assert "http" not in html.replace("http://www.w3.org/2000/svg", "")


def test_the_worst_come_first() -> None:
    rows = [Diagnosis(str(r), 0, 1, r, 10, 10, 400) for r in (1.0, 1.3, 1.1)]
    assert [row.r_hat for row in by_need(rows)] == [1.3, 1.1, 1.0]


# ---- ArviZ -----------------------------------------------------------------------------------
def several_depths() -> Chains:
    traces = [
        [
            {
                "sweep": i,
                "log_likelihood": float(i * c % 7),
                "left/words.tables": [i * c % 5, i % 3],
            }
            for i in range(1, 21)
        ]
        for c in (2, 3)
    ]
    return chains_of(traces, ["a", "b"])


def test_the_draws_go_to_arviz() -> None:
    data = to_arviz(several_depths())
    posterior = data["posterior"]
    assert posterior["log_likelihood"].shape == (2, 10)
    assert posterior["left_words_tables"].shape == (2, 10, 2)
    assert posterior.attrs["burn_in"] == 10


def test_version_1_gets_one_dictionary_of_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """From 1.0 on `from_dict` takes the groups as keys, and gives a tree of them."""
    given = {}

    class Group:
        def __init__(self) -> None:
            self.attrs: dict[str, object] = {}

    def from_dict(data: dict[str, Any]) -> dict[str, Any]:
        given.update(data)
        return {name: Group() for name in data}

    module = types.ModuleType("arviz")
    vars(module).update(__version__="1.2.0", from_dict=from_dict)
    monkeypatch.setitem(sys.modules, "arviz", module)
    data = to_arviz(several_depths())
    assert list(given) == ["posterior"]
    assert given["posterior"]["left_words_tables"].shape == (2, 10, 2)
    assert data["posterior"].attrs == {"burn_in": 10}


def test_netcdf_can_be_read_back(tmp_path: Path) -> None:
    pytest.importorskip("h5netcdf")
    az = load_arviz()
    chains = several_depths()
    write_netcdf(chains, str(tmp_path / "chains.nc"))
    posterior = az.from_netcdf(str(tmp_path / "chains.nc"))["posterior"]
    assert posterior["log_likelihood"].values == pytest.approx(chains.kept("log_likelihood"))


def test_without_arviz_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(BistroError, match=r"pip install arviz h5netcdf"):
        diagnose(chains_from(MIXED))
