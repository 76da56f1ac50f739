"""Explanations as text for a terminal, with a tree of decisions and tables of back-off chains.

The tree shows the main sources of each probability. A table shows a complete back-off chain, in
which the probability of every row is computed from the row above it: p = own + weight · p above.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from bistro.models.results.explanations import BASE, MEMBER, Decision, Explanation, Level
from bistro.sums import added

if TYPE_CHECKING:
    from rich.console import RenderableType

LEAST_SHOWN = 0.01
"""The tree shows only back-off levels that account for at least this share of a probability."""
BAR = 12


def tree_of(explanation: Explanation) -> Tree:
    """Return the sentence, its words, their decisions, and the main levels of each decision."""
    bits = added(decision.bits for decision in explanation.decisions)
    text = " ".join(explanation.words)
    tree = Tree(f"[bold]{escape(text)}[/bold]  {bits:.2f} bits", highlight=False)
    for place, group in groupby(explanation.decisions, lambda decision: decision.word):
        decisions = list(group)
        own = added(decision.bits for decision in decisions)
        branch = tree.add(f"{place} [bold]{escape(decisions[0].token)}[/bold]  {own:.2f} bits")
        for decision in decisions:
            node = branch.add(headline(decision))
            for level in main_levels(decision):
                share = level.contribution / decision.probability
                node.add(f"{share:6.1%}  {escape(context_of(decision, level))}")
    return tree


def headline(decision: Decision) -> str:
    """Return a one-line summary of a decision."""
    what = decision.distribution.removesuffix("s")
    detail = f" ({decision.detail})" if decision.detail else ""
    named = f"{what} [bold]{escape(decision.outcome)}[/bold]{escape(detail)}"
    if not decision.levels:
        return f"{named}  {decision.reason}"
    return f"{named}  p = {decision.probability:.4g}, {decision.bits:.2f} bits"


def main_levels(decision: Decision) -> list[Level]:
    """Return the back-off levels that contribute most, starting with the longest context."""
    least = LEAST_SHOWN * decision.probability
    return [level for level in reversed(decision.levels) if level.contribution >= least]


def context_of(decision: Decision, level: Level) -> str:
    """Describe the context of a back-off level by its preceding words or by its last element."""
    if level.depth == BASE:
        is_uniform = abs(level.probability * level.kinds - 1) < 1e-6
        return f"base: one of {level.kinds:,}" if is_uniform else "base"
    if level.depth == 0:
        return "in any context"
    if level.element == MEMBER:
        return f"{level.value}, whose p = {level.probability:.4g}"
    if level.element.endswith(" back"):
        values = [other.value for other in decision.levels if 0 < other.depth <= level.depth]
        return f"after {' '.join(reversed(values))}"
    return f"{level.depth}: {level.element} = {level.value}"


def tables_of(decisions: Iterable[Decision]) -> list[RenderableType]:
    """Return a headline and a table for every decision."""
    blocks: list[RenderableType] = []
    for decision in decisions:
        blocks.append(Text.from_markup(f"{decision.step}. {headline(decision)}"))
        if any(level.element == MEMBER for level in decision.levels):
            blocks += [members_of(decision), ""]
        elif decision.levels:
            blocks += [table_of(decision), *_rest(decision), ""]
    return blocks


def table_of(decision: Decision) -> Table:
    """Return the back-off chain of a decision as a table, starting with the base distribution."""
    levels = [level for level in decision.levels if level.known]
    has_counts = any(level.count is not None for level in levels)
    has_parameters = any(level.discount is not None for level in levels)
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    table.add_column("context", overflow="fold")
    names = ["kinds", "ways"]
    names += ["count", "total"] if has_counts else []
    names += ["d", "\N{GREEK SMALL LETTER THETA}"] if has_parameters else []
    for name in (*names, "own", "weight", "p", "share"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for level in levels:
        cells = ["" if level.depth == BASE else str(level.kinds), str(level.ways or "")]
        cells += [_whole(level.count), _whole(level.total)] if has_counts else []
        cells += [_short(level.discount), _short(level.strength)] if has_parameters else []
        share = level.contribution / decision.probability if decision.probability else 0.0
        weight = "" if level.depth == BASE else f"{level.backoff:.4f}"
        cells += [f"{level.own:.3g}", weight, f"{level.probability:.4g}", f"{share:.1%}"]
        indent = " " * max(level.depth, 0)
        bar = "\N{FULL BLOCK}" * round(BAR * max(share, 0.0))
        table.add_row(escape(indent + context_of(decision, level)), *cells, bar)
    return table


def members_of(decision: Decision) -> Table:
    """Return the members of a mixture, with their shares and their probabilities for the word."""
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    table.add_column("member", overflow="fold")
    for name in ("weight", "p", "bits", "share"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for level in decision.levels:
        share = level.contribution / decision.probability if decision.probability else 0.0
        bits = -math.log2(level.probability) if level.probability > 0 else math.inf
        cells = [f"{level.reach:.3f}", f"{level.probability:.4g}", f"{bits:.2f}", f"{share:.1%}"]
        bar = "\N{FULL BLOCK}" * round(BAR * max(share, 0.0))
        table.add_row(escape(level.value), *cells, bar)
    return table


def _rest(decision: Decision) -> list[RenderableType]:
    """Return notes on unseen contexts, and on the scaling factor if it is not 1."""
    unknown = [level for level in decision.levels if not level.known]
    description = []
    if unknown:
        first = context_of(decision, unknown[0])
        more = f" and {len(unknown) - 1} longer" if len(unknown) > 1 else ""
        description.append(f"never seen: {first}{more}")
    if f"{decision.scale:.3f}" != "1.000":
        description.append(f"p = {decision.probability:.4g}: {decision.reason}")
    return [Text(line, style="dim") for line in description]


def _whole(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
