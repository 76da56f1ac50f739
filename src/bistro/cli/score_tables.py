"""The tables that `bistro evaluate` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from bistro.cli import common
from bistro.evaluate.attachment import CONTENT_SCORES, IN_ORDER, SCORES
from bistro.evaluate.brackets import SHORT
from bistro.evaluate.calibration import PROTOCOL
from bistro.progress import number_of

if TYPE_CHECKING:
    from bistro.evaluate.attachment import AttachmentScores
    from bistro.evaluate.brackets import BracketReport
    from bistro.evaluate.by_length import LengthScores
    from bistro.evaluate.calibration import Calibration


def print_tables(
    scores: AttachmentScores,
    lengths: dict[str, list[LengthScores]],
    honesty: dict[str, Calibration],
    title: str,
) -> None:
    """Print the scores of dependency trees."""
    console = common.console()
    if scores.aligned_by == "words":
        console.print(_score_table(scores, title))
    else:
        console.print(_metric_table(scores, title))
    words = number_of(scores.words, "word")
    console.print(f"{words} in {number_of(scores.sentences, 'sentence')}")
    for counted_words, rows in lengths.items():
        console.print(_length_table(rows, counted_words))
    if honesty:
        console.print(_calibration_table(honesty))


def _score_table(scores: AttachmentScores, title: str) -> Table:
    table = Table("score", title=title)
    table.add_column("percent", justify="right", no_wrap=True)
    table.add_column("words", justify="right")
    table.add_column("what is counted")
    for label, name, meaning in SCORES:
        shown = _show(getattr(scores, name), scores.unavailable.get(name))
        words = scores.content_words if name in CONTENT_SCORES else scores.words
        table.add_row(
            label, shown, "" if name in scores.unavailable else f"{words:,}", f"{meaning} (UD)"
        )
    table.add_section()
    for label, name in (("UPOS sentences", "upos_sentences"), ("XPOS sentences", "xpos_sentences")):
        shown = _show(getattr(scores, name), scores.unavailable.get(name))
        table.add_row(label, shown, "", f"sentences with all tags correct ({label[:4]})")
    table.add_section()
    for label, name, meaning in (("UAS", "uas", "heads"), ("LAS", "las", "heads and relations")):
        shown = _show(getattr(scores.no_punct, name), scores.unavailable.get(name))
        protocol = f"{meaning}; {scores.protocol['no_punct']}"
        table.add_row(f"{label} np", shown, f"{scores.no_punct.words:,}", protocol)
    return table


def _metric_table(scores: AttachmentScores, title: str) -> Table:
    caption = (
        f"{scores.protocol['ud']}. The words in the files differ; scores without punctuation "
        "require files with the same words."
    )
    table = Table("score", title=title, caption=caption)
    for column in ("precision", "recall", "F1", "aligned"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("what is counted")
    for label, name, meaning in IN_ORDER:
        if metric := scores.metrics.get(name):
            figures = (metric.precision, metric.recall, metric.f1, metric.aligned_accuracy)
            accuracy = "" if metric.aligned is None else _percent(figures[-1])
            table.add_row(label, *map(_percent, figures[:-1]), accuracy, meaning)
        else:
            table.add_row(label, "n/a", "n/a", "n/a", "", f"{meaning}: {scores.unavailable[name]}")
    return table


def _length_table(rows: list[LengthScores], words: str) -> Table:
    table = Table(
        "length", title=f"labelled (LAS) and plain (UAS) arcs by length, {words}, percent"
    )
    for name in ("gold", "system", "LAS F1", "precision", "recall", "UAS F1"):
        table.add_column(name, justify="right")
    for row in rows:
        figures = (row.las.f1, row.las.precision, row.las.recall, row.uas.f1)
        table.add_row(row.length, f"{row.gold:,}", f"{row.system:,}", *map(_percent, figures))
    return table


def _calibration_table(honesty: dict[str, Calibration]) -> Table:
    table = Table("probability", title="calibration, percent", caption=PROTOCOL)
    for name in ("error", "Brier", "predicted", "correct", "words"):
        table.add_column(name, justify="right")
    for key, one in honesty.items():
        figures = (one.expected_calibration_error, one.brier, one.confidence, one.accuracy)
        table.add_row(key, *(f"{100 * figure:.2f}" for figure in figures), f"{one.words:,}")
    return table


def _show(score: float | None, reason: str | None) -> str:
    return f"n/a ({reason or 'no such words'})" if score is None else _percent(score)


def _percent(figure: float | None) -> str:
    return "n/a" if figure is None else f"{figure:.2f}"


def print_brackets(report: BracketReport, title: str) -> None:
    """Print the scores of constituency trees."""
    console = common.console()
    console.print(_bracket_table(report, title))
    console.print(report.protocol, soft_wrap=True)


def _bracket_table(report: BracketReport, title: str) -> Table:
    sets = (report.all, report.short)
    table = Table("score", title=title)
    table.add_column("all", justify="right", no_wrap=True)
    table.add_column(f"≤ {SHORT} words", justify="right", no_wrap=True)
    table.add_column("what is counted")
    for kind in ("labelled", "unlabelled"):
        for name in ("precision", "recall", "f1"):
            figures = (getattr(getattr(one, kind), name) for one in sets)
            shown = name.upper() if name == "f1" else name
            table.add_row(f"{kind} {shown}", *map(_percent, figures), "constituents, percent")
    table.add_section()
    for label, name, meaning in (
        ("exact match", "exact", "sentences with all constituents correct, percent"),
        ("crossing", "crossing", "constituents that cross a gold constituent, per sentence"),
        ("no crossing", "no_crossing", "sentences without crossing constituents, percent"),
        ("tags", "tags", "words without punctuation, percent"),
    ):
        table.add_row(label, *(_percent(getattr(one, name)) for one in sets), meaning)
    table.add_section()
    for name in ("sentences", "words", "gold", "system"):
        meaning = "constituents" if name in ("gold", "system") else ""
        table.add_row(name, *(f"{getattr(one, name):,}" for one in sets), meaning)
    return table
