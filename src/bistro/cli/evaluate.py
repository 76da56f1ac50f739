"""`bistro evaluate`: score words, tags, trees and brackets, and measure calibration."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bistro.cli import common, outputs
from bistro.cli.common import argument, flag, option, print_json, say
from bistro.errors import ConfigError
from bistro.files import write_text

if TYPE_CHECKING:
    from bistro.evaluate.attachment import AttachmentScores
    from bistro.evaluate.by_length import LengthScores
    from bistro.evaluate.calibration import Calibration
    from bistro.treebank.sentence import Sentence


def evaluate(
    gold: str = argument("GOLD", "The correct trees."),
    system: str = argument(
        "SYSTEM",
        "The parsed version of the text in GOLD, which may be split into words differently.",
    ),
    json: bool = common.JSON,
    punct: str | None = option(
        "upos|penn|unicode",
        "How to recognise punctuation: by the tag PUNCT (upos), by the Penn tags for quotation "
        "marks, commas, full stops and colons (penn), or by Unicode punctuation characters "
        "(unicode). By default, the rule that fits the tags in GOLD is used.",
    ),
    by_length: bool = flag("--by-length", "Also print F1 for arcs, by their length in words."),
    calibration: bool = flag(
        "--calibration",
        "Also print the calibration of the probabilities in MISC (from `bistro parse "
        "--marginals`).",
    ),
    plot: str | None = outputs.output(
        outputs.PICTURE,
        "OUT.svg",
        "With --calibration: the reliability diagram, as .svg or in an .html page.",
    ),
    brackets: bool = flag("--brackets", "Compare constituency trees in the same way as EVALB."),
    morphemes: bool = flag("--morphemes", "Compare segmentations of words into morphemes."),
    training: list[str] | None = option(
        "TRAIN",
        "With --morphemes, also print separate scores for words that occur in this file and for "
        "words that do not.",
    ),
) -> None:
    """Compare the words, tags and trees in SYSTEM with those in GOLD.

    Scores are percentages under the two conventions of the field: the convention of Universal
    Dependencies (all words count, subtypes of relations are ignored), which agrees with the
    official scorer, and the older one, which leaves punctuation out. Both files are CoNLL-U or
    CoNLL-X. If the files split the same text into different words or sentences, words are aligned
    by their characters, as in the CoNLL 2018 shared task. In that case, precision, recall and F1
    are printed for each metric, and scores that leave out punctuation are not available. With
    --brackets, both files contain constituency trees; with --morphemes, they contain words cut into
    morphemes.

        bistro evaluate test.conllu parsed.conllu
        bistro evaluate test.conll parsed.conll --punct unicode --json
        bistro evaluate test.conllu parsed.conllu --calibration --plot reliability.svg
        bistro evaluate --brackets test.mrg parsed.mrg
        bistro evaluate --morphemes test.tsv segmented.tsv --training train.tsv
    """
    from bistro.cli.score_tables import print_tables
    from bistro.cli.segment import print_scores
    from bistro.evaluate.attachment import score
    from bistro.evaluate.by_length import score_by_length
    from bistro.evaluate.calibration import calibrate
    from bistro.treebank.treebank import iter_sentences, read

    if training and not morphemes:
        raise ConfigError("--training needs --morphemes")
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
    # A parser may leave words out or give several roots: this lowers the score, but is allowed.
    reading = read if by_length or calibration else iter_sentences
    golds: Iterable[Sentence] = reading(gold, roots="any")
    systems: Iterable[Sentence] = reading(system, roots="any", partial=True)
    scores = score(golds, systems, punct, gold_name=gold, system_name=system)
    if scores.aligned_by != "words" and (by_length or calibration):
        raise ConfigError(
            f"{system} and {gold} have different words, so --by-length and --calibration are not "
            "available: leave them out"
        )
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
        print_tables(scores, lengths, honesty, f"{system} against {gold}")
    _tell_copied(scores)


def _check_alone(**options: Any) -> None:
    for name, value in options.items():
        if value:
            raise ConfigError(
                f"--{name.replace('_', '-')} is for dependency trees: leave it out if --brackets "
                "or --morphemes is given"
            )


def _check_plot(plot: str, calibration: bool) -> None:
    if not calibration:
        raise ConfigError("--plot draws the reliability diagram; add --calibration")
    if not plot.endswith((".svg", ".html")):
        raise ConfigError(f"--plot '{plot}': the name must end in .svg or .html")


def _tell_copied(scores: AttachmentScores) -> None:
    """Report columns that contain no errors, since a parser may have copied them from its input.

    Such columns are not unusual in a single sentence, or in a file without errors.
    """
    from bistro.evaluate.attachment import DEPENDENT, SCORES

    available = {name: label for label, name, _ in SCORES if getattr(scores, name) is not None}
    perfect = [name for name in available if getattr(scores, name) == 100.0]
    columns = [name for name in perfect if name in DEPENDENT]
    if not columns or len(perfect) == len(available) or scores.sentences == 1:
        return
    dependent = {name for column in columns for name in DEPENDENT[column]}
    labels = ", ".join(label for name, label in available.items() if name in dependent)
    *first, last = (available[name] for name in columns)
    named = f"{', '.join(first)} and {last}" if first else last
    say(
        f"no errors in {named}, perhaps because the values were copied: if so, do not report the "
        f"scores that depend on them ({labels})"
    )


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


def _evaluate_brackets(gold: str, system: str, json: bool) -> None:
    """Score constituency trees and print the scores."""
    from bistro.cli.score_tables import print_brackets
    from bistro.evaluate.brackets import score_brackets
    from bistro.treebank.brackets import read_trees

    golds, systems = read_trees(gold), read_trees(system)
    report = score_brackets(golds, systems, gold_name=gold, system_name=system)
    if json:
        print_json({"gold": gold, "system": system, **report.to_dict()})
        return
    print_brackets(report, f"{system} against {gold}")


def epilog() -> str:
    """Return the names and meanings of all scores, for the help text."""
    from bistro.evaluate.attachment import IN_ORDER

    return "\n\n".join(f"- **{label}**: {meaning}" for label, _, meaning in IN_ORDER)
