"""Rules, derivations and what a task makes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bistro import config as configuration
from bistro.errors import BistroError, ConfigError
from bistro.models.unbounded.config import UnboundedConfig
from bistro.models.unbounded.rules import Derivation, RuleBuilder, RuleTable
from bistro.models.unbounded.search import SearchOptions
from bistro.models.unbounded.task import Terminals, relative_frequencies


def garden_path() -> tuple[RuleTable, Derivation]:
    builder = RuleBuilder()
    tree = [
        builder.unary("TOP", "S"),
        builder.binary("S", "NP", "VP"),
        builder.binary("NP", "D", "N"),
        builder.lexical("D", "the"),
        builder.lexical("N", "horse"),
        builder.unary("VP", "V"),
        builder.lexical("V", "fell"),
    ]
    return builder.table("TOP"), np.array(tree, np.int32)


def test_places_of_nodes_and_words() -> None:
    table, tree = garden_path()
    table.check(tree)
    assert table.ends(tree).tolist() == [7, 7, 5, 4, 5, 7, 7]
    assert table.parents(tree).tolist() == [-1, 0, 1, 2, 2, 1, 5]
    spans = [[0, 3], [0, 3], [0, 2], [0, 1], [1, 2], [2, 3], [2, 3]]
    assert table.spans(tree).tolist() == spans
    assert table.show(tree) == "(TOP (S (NP (D the) (N horse)) (VP (V fell))))"


def test_a_rule_keeps_its_number() -> None:
    builder = RuleBuilder()
    assert builder.lexical("N", "rose") == builder.lexical("N", "rose")
    assert builder.lexical("V", "rose") != builder.lexical("N", "rose")
    assert builder.unary("N", "V") != builder.lexical("N", "V")


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree[:-1],
        lambda tree: np.append(tree, tree[-1]),
        lambda tree: tree[::-1].copy(),
        lambda tree: tree[1:],
        lambda tree: tree + np.int32(1),
        lambda tree: tree[:0],
    ],
)
def test_what_is_no_tree_is_refused(change: Callable[..., Any]) -> None:
    table, tree = garden_path()
    with pytest.raises(BistroError, match="derivation"):
        table.check(change(tree))


def test_a_table_comes_back_and_a_damaged_one_does_not() -> None:
    table, tree = garden_path()
    again = RuleTable.from_parts(table.header(), table.arrays())
    assert again.show(tree) == table.show(tree)
    for name, value in (("left", 99), ("first", -99), ("second", 99), ("second", -2)):
        wrong = {key: array.copy() for key, array in table.arrays().items()}
        wrong[name][1] = value
        with pytest.raises(BistroError, match="damaged"):
            RuleTable.from_parts(table.header(), wrong)


def test_relative_frequencies_sum_to_one_for_each_symbol() -> None:
    table, tree = garden_path()
    counts = table.counts([tree, tree])
    assert counts.tolist() == [2] * 7
    counts[4] = 0
    for smoothing in (0.0, 0.5):
        shares = relative_frequencies(table, counts, smoothing)
        assert np.bincount(table.left, shares) == pytest.approx(1.0)


def test_terminals_of_a_sentence_and_of_a_lattice() -> None:
    assert Terminals.sequence([3, 1]).is_sequence
    begin, end, word = (np.array(x, np.int32) for x in ([0, 0, 1], [1, 2, 2], [5, 6, 7]))
    assert not Terminals(2, begin, end, word).is_sequence


@pytest.mark.parametrize(
    "setting",
    ["depth=0", "sampler.seating=maximal", "sampler.hyper=slice", "base_smoothing=-1", "task=tags"],
)
def test_impossible_settings_are_refused(setting: str) -> None:
    with pytest.raises(ConfigError):
        configuration.apply_overrides(UnboundedConfig(), [setting])


def test_impossible_searches_are_refused() -> None:
    with pytest.raises(ConfigError, match="burn_in"):
        SearchOptions(samples=10, burn_in=10)
    with pytest.raises(ConfigError, match="beam"):
        SearchOptions(beam=0)
    with pytest.raises(ConfigError, match="did you mean 'astar-literal'"):
        SearchOptions(search="astar-litral")  # type: ignore[arg-type]


def test_the_former_name_of_a_search_is_accepted() -> None:
    assert SearchOptions(search="astar-local") == SearchOptions(search="astar-nodes")  # type: ignore[arg-type]
