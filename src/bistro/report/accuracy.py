"""The accuracy and calibration of heads, relations and tags.

Every function returns blocks of a page with figures of `bistro.evaluate`, each with its protocol.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bistro.evaluate import by_length, by_relation, by_sentence, calibration
from bistro.evaluate.attachment import SCORES, AttachmentScores, score
from bistro.evaluate.by_length import score_by_length
from bistro.evaluate.by_relation import RelationScores, score_by_relation
from bistro.evaluate.by_sentence import BORDERS, score_by_sentence
from bistro.evaluate.by_tag import TagScores, score_by_tag
from bistro.evaluate.calibration import calibrate
from bistro.report import html
from bistro.report.reliability import reliability_diagram
from bistro.treebank.sentence import Sentence

RARE = 10
"""The minimum number of words for a relation or tag to be listed in a table."""


@dataclass(frozen=True)
class Tested:
    """Sentences with gold trees, the same sentences with predicted trees, and the test protocol."""

    gold: Sequence[Sentence]
    predicted: Sequence[Sentence]
    protocol: str
    tag_column: str = "upos"
    given_tags: bool = False
    """True if the tags were given and are therefore not scored."""

    def scores(self) -> AttachmentScores:
        """Return the attachment and tag scores."""
        return score(self.gold, self.predicted)


def accuracy_blocks(tested: Tested, scores: AttachmentScores) -> list[str]:
    """Return the overall scores."""
    tiles: dict[str, html.Cell] = {"UAS": scores.uas, "LAS": scores.las}
    if not tested.given_tags:
        tiles["tags"] = getattr(scores, tested.tag_column)
    tiles |= {"words": scores.words, "sentences": scores.sentences}
    # The other column of tags is copied from the input, and always correct.
    kept = {"upos", "xpos"} - (set() if tested.given_tags else {tested.tag_column})
    rows: list[tuple[html.Cell, ...]] = [
        (label, html.Percent(getattr(scores, name)), description)
        for label, name, description in SCORES[:5]
        if name not in scores.unavailable and name not in kept
    ]
    for label, name in (("UAS np", "uas"), ("LAS np", "las")):
        if (value := getattr(scores.no_punct, name)) is not None:
            rows.append((label, html.Percent(value), scores.protocol["no_punct"]))
    return [
        html.facts({name: value for name, value in tiles.items() if value is not None}),
        html.table(("score", "percent", "what is counted"), rows, dense=True),
        html.protocol(f"{tested.protocol}. {scores.protocol['ud']}."),
    ]


def relation_blocks(tested: Tested) -> list[str]:
    """Return report blocks with the scores for each relation."""
    rows = score_by_relation(tested.gold, tested.predicted)
    shown = [row for row in rows if row.words >= RARE] or rows
    cells = [
        (row.relation, row.words, html.Percent(row.uas), html.Percent(row.las), _taken(row))
        for row in shown
    ]
    rare = len(rows) - len(shown)
    left_out = f" {rare} relations with fewer than {RARE} words are left out." if rare else ""
    headers = ("relation", "words", "UAS", "LAS", "most often confused with")
    return [
        html.table(headers, cells, dense=True),
        html.protocol(f"Percent; {by_relation.PROTOCOL}.{left_out}"),
    ]


def _taken(row: RelationScores | TagScores) -> str:
    if row.taken_for is None:
        return ""
    other, words = row.taken_for
    return f"{other} ({100 * words / row.words:.1f} %)"


def tag_accuracy_blocks(tested: Tested) -> list[str]:
    """Return report blocks with the tag accuracy per word and per sentence."""
    pairs = [
        (getattr(gold, tested.tag_column), getattr(predicted, tested.tag_column))
        for gold, predicted in zip(tested.gold, tested.predicted, strict=True)
    ]
    words = sum(len(gold) for gold, _ in pairs)
    right = sum(a == b for gold, predicted in pairs for a, b in zip(gold, predicted, strict=True))
    whole = sum(gold == predicted for gold, predicted in pairs)
    tiles: dict[str, html.Cell] = {
        tested.tag_column.upper(): 100.0 * right / words,
        "sentences all correct": 100.0 * whole / len(pairs),
        "words": words,
        "sentences": len(pairs),
    }
    return [html.facts(tiles), html.protocol(f"Percent; all words. {tested.protocol}.")]


def tag_blocks(tested: Tested) -> list[str]:
    """Return the scores by tag."""
    rows = score_by_tag(tested.gold, tested.predicted, tested.tag_column)
    shown = [row for row in rows if row.words >= RARE] or rows
    cells = [(r.tag, r.words, html.Percent(r.right), _taken(r)) for r in shown]
    return [
        html.table(("tag", "words", "correct", "most often confused with"), cells, dense=True),
        html.protocol(
            "The percentages are computed over all words, grouped by their gold tag in "
            f"{tested.tag_column.upper()}."
        ),
    ]


def length_blocks(tested: Tested, borders: Sequence[int] = BORDERS) -> list[str]:
    """Return report blocks with scores by dependency length and by sentence length."""
    arcs = score_by_length(tested.gold, tested.predicted)
    named = {"LAS F1": [row.las.f1 for row in arcs], "UAS F1": [row.uas.f1 for row in arcs]}
    cells = [
        (r.length, r.gold, r.system, r.las.f1, r.las.precision, r.las.recall, r.uas.f1)
        for r in arcs
    ]
    headers = ("length", "gold", "found", "LAS F1", "precision", "recall", "UAS F1")
    sentences = score_by_sentence(tested.gold, tested.predicted, borders)
    by_words = {"LAS": [row.las for row in sentences], "UAS": [row.uas for row in sentences]}
    sizes = [(r.length, r.sentences, r.words, r.las, r.uas, r.exact) for r in sentences]
    charts = [
        _bars([row.length for row in arcs], named, "Scores of arcs by their length in words."),
        _bars(
            [row.length for row in sentences],
            by_words,
            "Scores of sentences by their length in words.",
        ),
    ]
    return [
        html.side_by_side(charts),
        html.table(headers, cells, dense=True),
        html.protocol(
            "The scores are percentages over all words, including punctuation; "
            f"{by_length.PROTOCOL}."
        ),
        html.table(
            ("sentences of", "number", "words", "LAS", "UAS", "all heads correct"),
            sizes,
            dense=True,
        ),
        html.protocol(f"The scores are percentages; {by_sentence.PROTOCOL}."),
    ]


def _bars(names: Sequence[str], series: dict[str, list[float | None]], description: str) -> str:
    """Return a chart of all series that contain at least one value."""
    known = {
        name: [math.nan if value is None else value for value in values]
        for name, values in series.items()
        if any(value is not None for value in values)
    }
    return html.figure(html.bar_chart(names, known, unit="percent"), description)


def calibration_blocks(tested: Tested) -> list[str]:
    """Return the reliability diagram and its figures."""
    calibrations = calibrate(tested.gold, tested.predicted)
    cells: list[list[html.Cell]] = []
    for key, one in calibrations.items():
        figures = (one.expected_calibration_error, one.brier, one.confidence, one.accuracy)
        cells.append([key, *(f"{100 * figure:.2f}" for figure in figures), one.words])
    return [
        html.paragraph(
            "When the model predicts a probability of 90 %, is it correct in 90 % of the cases? "
            "Each point represents a bin of words. The horizontal axis shows the predicted "
            "probability, the vertical axis shows the observed accuracy, and the area of the point "
            "shows the number of words. Points below the diagonal indicate overconfidence."
        ),
        html.figure(reliability_diagram(calibrations)),
        html.table(
            ("probability", "error", "Brier", "predicted", "correct", "words"), cells, dense=True
        ),
        html.protocol(f"Percent; {calibration.PROTOCOL}. {tested.protocol}."),
    ]
