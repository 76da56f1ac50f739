"""Small charts of a model's training trace, which show how training progressed.

A trace has one row per sweep: the log-likelihood of the state, and other quantities of its chains,
single numbers (`live_states`) or one per depth (`words.discount`, `words.strength`,
`words.tables`). Depth 0 is the empty context, and each depth adds one element. Models with
unbounded contexts have no process for the empty context, and begin with contexts of one element.

>>> rows = [{"sweep": i, "log_likelihood": -9.0, "words.tables": [3, 8]} for i in (1, 2)]
>>> [name for name, _ in processes(rows)]
['words']
>>> "".join(learning_blocks(rows)).count("<svg")
2
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bistro.report.frame import COLOURS
from bistro.report.html import Cell, figure, folded, heading, legend, paragraph, side_by_side, table
from bistro.report.plots import line_chart

Trace = Sequence[Mapping[str, Any]]
TAKEN = ("sweep", "log_likelihood")
CLIMBS = "held_out"
"""A key that occurs only in the traces of models that are trained by optimisation, not by
sampling."""
SMALL: dict[str, Any] = {"width": 300.0, "height": 120.0, "legend": False}
AXES = {
    "discount": ("discount", False),
    "strength": ("strength, logarithmic", True),
    "tables": ("tables, logarithmic", True),
}
MEANING = (
    "The charts show each process's discounts, strengths and numbers of tables, by depth. "
    "Depth 0 is the empty context, and each depth adds one element. A discount near 1 and many "
    "tables mean that outcomes vary and that shorter contexts have a large weight. If lines are "
    "still rising at the right edge, more sweeps are needed."
)


def learning_blocks(trace: Trace) -> list[str]:
    """Return charts of all quantities in the trace, or a table if there was only one sweep."""
    if not trace:
        return [paragraph("The model has no training trace.")]
    if len(trace) == 1:
        return _one_sweep(trace[0])
    last = trace[-1]["log_likelihood"]
    description = (
        "The chart shows the natural logarithm of the joint probability of data and state after "
        f"each of {len(trace):,} sweeps; the last value is {last:,.1f}. The log-probability need "
        "not rise, but it should level off."
    )
    if CLIMBS in trace[-1]:
        description = (
            "The chart shows the natural log-likelihood of the training data after each of "
            f"{len(trace):,} passes; the last value is {last:,.1f}. The log-likelihood rises "
            "throughout training, and held-out data determine when training stops."
        )
    blocks = [
        paragraph(description),
        figure(_line(trace, "log_likelihood", x_label="sweep", y_label="nats")),
    ]
    alone = [name for name, value in trace[-1].items() if not isinstance(value, list)]
    charts = [figure(_line(trace, name, **SMALL), _words(name)) for name in alone[len(TAKEN) :]]
    if charts:
        blocks.append(side_by_side(charts))
    members = _members(trace)
    if any(members.values()):
        blocks.append(paragraph(MEANING))
    for member, own in members.items():
        inside = [block for name, kinds in own for block in _process(trace, name, kinds)]
        blocks += [folded(f"Member {member}", *inside)] if member else inside
    return blocks


def processes(trace: Trace) -> list[tuple[str, list[str]]]:
    """Return the names of the processes in a trace, each with its quantities."""
    quantities: dict[str, list[str]] = {}
    for key, value in trace[-1].items():
        if isinstance(value, list):
            name, _, kind = key.rpartition(".")
            quantities.setdefault(name, []).append(kind)
    return list(quantities.items())


def _members(trace: Trace) -> dict[str, list[tuple[str, list[str]]]]:
    """Group the processes by the committee member that they belong to."""
    members: dict[str, list[tuple[str, list[str]]]] = {}
    for name, kinds in processes(trace):
        members.setdefault(name.rpartition("/")[0], []).append((name, kinds))
    return members


def _process(trace: Trace, name: str, kinds: Sequence[str]) -> Iterator[str]:
    """Yield the charts for one process, with one line per depth."""
    depths = range(min(len(COLOURS), len(trace[-1][f"{name}.{kinds[0]}"])))
    charts = []
    for kind in kinds:
        label, log = AXES.get(kind, (kind, False))
        rows = [row[f"{name}.{kind}"] for row in trace if f"{name}.{kind}" in row]
        sweeps = [row["sweep"] for row in trace if f"{name}.{kind}" in row]
        series = {f"depth {d}": [row[d] for row in rows] for d in depths}
        charts.append(figure(line_chart(series, x=sweeps, y_label=label, log=log, **SMALL)))
    yield heading(_words(name.rpartition("/")[2]))
    yield legend(f"depth {depth}" for depth in depths)
    yield side_by_side(charts)


def _one_sweep(row: Mapping[str, Any]) -> list[str]:
    blocks = [
        paragraph(
            "Training made one pass over the data with optimised hyper-parameters, without "
            f"sampling. The log-likelihood is {row['log_likelihood']:,.1f} (natural logarithm)."
        )
    ]
    for name, kinds in processes([row]):
        columns = [row[f"{name}.{kind}"] for kind in kinds]
        cells = [_cells(depth, values) for depth, values in enumerate(zip(*columns, strict=True))]
        blocks.append(table((f"{_words(name)}: depth", *kinds), cells, dense=True))
    return blocks


def _cells(depth: int, values: Sequence[float]) -> list[Cell]:
    return [depth, *(f"{value:.4g}" for value in values)]


def _line(trace: Trace, name: str, **options: Any) -> str:
    rows = [row for row in trace if name in row]
    values = {_words(name): [row[name] for row in rows]}
    return line_chart(values, x=[row["sweep"] for row in rows], **options)


def _words(name: str) -> str:
    """Return the displayed name of a trace quantity, without underscores."""
    return name.replace("_", " ")
