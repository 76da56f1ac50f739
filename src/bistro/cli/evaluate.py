"""`bistro evaluate`: attachment, tag and bracket scores, by length, and calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bistro.cli import common
from bistro.cli.common import argument, flag, option, print_json, require_writable, say
from bistro.errors import ConfigError
from bistro.files import write_text

if TYPE_CHECKING:
    from rich.table import Table

    from bistro.evaluate.attachment import AttachmentScores
    from bistro.evaluate.brackets import BracketReport
    from bistro.evaluate.by_length import LengthScores
    from bistro.evaluate.calibration import Calibration


def evaluate(
    gold: str = argument("GOLD", "The right trees."),
    system: str = argument("SYSTEM", "The same words, parsed."),
    json: bool = common.JSON,
    punct: str | None = option(
        "upos|penn|unicode",
        "What punctuation is: the tag PUNCT, the Penn tags `` '' , . : or words of "
        "Unicode punctuation. Default: what fits the tags of GOLD.",
    ),
    by_length: bool = flag("--by-length", "Also F1 of arcs by their length in words."),
    calibration: bool = flag(
        "--calibration",
        "Also how honest the probabilities in MISC are (of `bistro parse --marginals`).",
    ),
    plot: str | None = option(
        "OUT.svg", "With --calibration: the reliability diagram, as .svg or in an .html page."
    ),
    brackets: bool = flag("--brackets", "Compare constituency trees, as EVALB does."),
    morphemes: bool = flag("--morphemes", "Compare words cut into morphemes."),
    training: list[str] | None = option(
        "TRAIN", "With --morphemes: also figures for words that this file has, and has not."
    ),
) -> None:
    """Compare the trees and tags of SYSTEM with those of GOLD, word by word.

    Printed in percent, under both conventions of the field, each beside its figures: that of
    Universal Dependencies (all words count, subtypes of relations are ignored), which agrees with
    the official scorer, and the older one that leaves punctuation out. Both files, CoNLL-U or
    CoNLL-X, must have the same words. With --brackets both hold constituency trees, with
    --morphemes words cut into morphemes.

        bistro evaluate test.conllu parsed.conllu
        bistro evaluate test.conll parsed.conll --punct unicode --json
        bistro evaluate test.conllu parsed.conllu --calibration --plot reliability.svg
        bistro evaluate --brackets test.mrg parsed.mrg
        bistro evaluate --morphemes test.tsv segmented.tsv --training train.tsv
    """
    from bistro.cli.segment import print_scores
    from bistro.evaluate.attachment import score
    from bistro.evaluate.by_length import score_by_length
    from bistro.evaluate.calibration import calibrate
    from bistro.treebank.treebank import iter_sentences

    if training and not morphemes:
        raise ConfigError("--training goes with --morphemes")
    if morphemes:
        _check_alone(
            punct=punct, by_length=by_length, calibration=calibration, plot=plot, brackets=brackets
        )
        print_scores(gold, system, json, training or ())
        return
    if brackets:
        _check_alone(punct=punct, by_length=by_length, calibration=calibration, plot=plot)
        _evaluate_brackets(gold, system, json)
        return
    if plot is not None:
        _check_plot(plot, calibration)
    golds = list(iter_sentences(gold))
    # A parser may leave words out or give several roots: that costs points, it is no error.
    systems = list(iter_sentences(system, roots="any", partial=True))
    scores = score(golds, systems, punct, gold_name=gold, system_name=system)
    lengths: dict[str, list[LengthScores]] = {}
    if by_length:
        lengths["all words"] = score_by_length(golds, systems)
        lengths["no punctuation"] = score_by_length(golds, systems, scores.no_punct.punct)
    honesty = calibrate(golds, systems, system_name=system) if calibration else {}
    if plot is not None:
        _draw(honesty, plot, f"{system} against {gold}")
    if json:
        more = _as_dict(lengths, honesty)
        print_json({"gold": gold, "system": system, **scores.to_dict(), **more})
    else:
        _print_tables(scores, lengths, honesty, f"{system} against {gold}")


def _check_alone(**options: Any) -> None:
    for name, value in options.items():
        if value:
            raise ConfigError(
                f"--{name.replace('_', '-')} belongs to dependency trees: leave it out "
                "with --brackets and with --morphemes"
            )


def _check_plot(plot: str, calibration: bool) -> None:
    if not calibration:
        raise ConfigError("--plot draws the reliability diagram: add --calibration")
    if not plot.endswith((".svg", ".html")):
        raise ConfigError(f"--plot '{plot}': the name must end in .svg or .html")
    require_writable(plot)


def _draw(honesty: dict[str, Calibration], plot: str, title: str) -> None:
    from bistro.evaluate.calibration import PROTOCOL
    from bistro.report.html import Page, figure, paragraph
    from bistro.report.reliability import reliability_diagram

    svg = reliability_diagram(honesty)
    if plot.endswith(".html"):
        page = Page("Calibration", subtitle=title)
        page.section("Reliability diagram", figure(svg), paragraph(PROTOCOL)).write(plot)
    else:
        write_text(plot, svg)
    say(f"{plot}: reliability diagram")


def _as_dict(
    lengths: dict[str, list[LengthScores]], honesty: dict[str, Calibration]
) -> dict[str, Any]:
    from bistro.evaluate import by_length, calibration

    more: dict[str, Any] = {}
    if lengths:
        rows = {name: [row.to_dict() for row in of_name] for name, of_name in lengths.items()}
        more["by_length"] = {
            "protocol": by_length.PROTOCOL,
            "all_words": rows["all words"],
            "no_punct": rows["no punctuation"],
        }
    if honesty:
        figures = {key: one.to_dict() for key, one in honesty.items()}
        more["calibration"] = {"protocol": calibration.PROTOCOL, **figures}
    return more


def _print_tables(
    scores: AttachmentScores,
    lengths: dict[str, list[LengthScores]],
    honesty: dict[str, Calibration],
    title: str,
) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    console.print(_score_table(scores, title))
    console.print(f"{scores.words:,} words in {scores.sentences:,} sentences")
    for words, rows in lengths.items():
        console.print(_length_table(rows, words))
    if honesty:
        console.print(_calibration_table(honesty))


def _score_table(scores: AttachmentScores, title: str) -> Table:
    from rich.table import Table

    from bistro.evaluate.attachment import SCORES

    table = Table("score", title=title)
    table.add_column("percent", justify="right", no_wrap=True)
    table.add_column("words", justify="right")
    table.add_column("what is counted")
    for label, name, told in SCORES:
        shown = _show(getattr(scores, name), scores.unavailable.get(name))
        words = scores.content_words if name == "clas" else scores.words
        table.add_row(
            label, shown, "" if name in scores.unavailable else f"{words:,}", f"{told} (UD)"
        )
    table.add_section()
    for label, name in (("UPOS sentences", "upos_sentences"), ("XPOS sentences", "xpos_sentences")):
        shown = _show(getattr(scores, name), scores.unavailable.get(name))
        table.add_row(label, shown, "", f"sentences all of whose tags are right ({label[:4]})")
    table.add_section()
    for label, name, told in (("UAS", "uas", "heads"), ("LAS", "las", "heads and relations")):
        shown = _show(getattr(scores.no_punct, name), scores.unavailable.get(name))
        protocol = f"{told}; {scores.protocol['no_punct']}"
        table.add_row(f"{label} np", shown, f"{scores.no_punct.words:,}", protocol)
    return table


def _length_table(rows: list[LengthScores], words: str) -> Table:
    from rich.table import Table

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
    from rich.table import Table

    from bistro.evaluate.calibration import PROTOCOL

    table = Table("probability", title="calibration, percent", caption=PROTOCOL)
    for name in ("error", "Brier", "told", "right", "words"):
        table.add_column(name, justify="right")
    for key, one in honesty.items():
        figures = (one.expected_calibration_error, one.brier, one.confidence, one.accuracy)
        table.add_row(key, *(f"{100 * figure:.2f}" for figure in figures), f"{one.words:,}")
    return table


def _show(score: float | None, reason: str | None) -> str:
    return f"n/a ({reason or 'no such words'})" if score is None else _percent(score)


def _percent(figure: float | None) -> str:
    return "n/a" if figure is None else f"{figure:.2f}"


def _evaluate_brackets(gold: str, system: str, json: bool) -> None:
    """Score constituency trees and print the figures."""
    from rich.console import Console

    from bistro.evaluate.brackets import score_brackets
    from bistro.treebank.brackets import read_trees

    golds, systems = read_trees(gold), read_trees(system)
    report = score_brackets(golds, systems, gold_name=gold, system_name=system)
    if json:
        print_json({"gold": gold, "system": system, **report.to_dict()})
        return
    console = Console(highlight=False)
    console.print(_bracket_table(report, f"{system} against {gold}"))
    console.print(report.protocol, soft_wrap=True)


def _bracket_table(report: BracketReport, title: str) -> Table:
    from rich.table import Table

    from bistro.evaluate.brackets import SHORT

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
    for label, name, told in (
        ("exact match", "exact", "sentences with all constituents right, percent"),
        ("crossing", "crossing", "constituents that cross one of gold, a sentence"),
        ("no crossing", "no_crossing", "sentences without any, percent"),
        ("tags", "tags", "words without punctuation, percent"),
    ):
        table.add_row(label, *(_percent(getattr(one, name)) for one in sets), told)
    table.add_section()
    for name in ("sentences", "words", "gold", "system"):
        told = "constituents" if name in ("gold", "system") else ""
        table.add_row(name, *(f"{getattr(one, name):,}" for one in sets), told)
    return table
