"""`bistro effects`: measure the effects of conditions on the surprisal of critical regions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import typer

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import argument, option, say
from bistro.cli.effects_notes import left_out_notes, unknown_notes
from bistro.cli.named_models import model_names
from bistro.files import write_text

if TYPE_CHECKING:
    from bistro.evaluate.effects import Effect, Region
    from bistro.evaluate.items import ItemSentence
    from bistro.tasks.stimuli import Stimulus

COLUMNS = (
    *("model", "group", "region", "condition", "baseline", "items"),
    *("surprisal", "surprisal_baseline", "effect", "se", "low", "high", "t", "p"),
    *("positive", "unknown", "mc_se"),
)
ITEM_COLUMNS = (
    *("model", "group", "region", "item", "condition", "baseline", "words"),
    *("surprisal", "surprisal_baseline", "effect", "mc_se", "oov"),
)
COMMON_NAMES = {"text": ("text", "sentence"), "item": ("item",), "condition": ("condition", "cond")}
"""The column names that are tried if no column is named on the command line."""


def effects(
    items: str = argument("ITEMS", "A table of stimuli (CSV or TSV) with one sentence per row."),
    models: list[str] = argument("MODEL...", "Models that score words (files or names)."),
    text: str | None = option("COLUMN", "Column with the sentences [default: text or sentence]."),
    item: str | None = option("COLUMN", "Column with the items [default: item]."),
    condition: str | None = option("COLUMN", "Column with the conditions [default: condition]."),
    critical: str | None = option(
        "COLUMN",
        "Column that gives the words or the positions (7 or 7-8) of the critical region; "
        "default: the regions are marked by square brackets.",
    ),
    conditions: str | None = option(
        "A,B",
        "Compare condition A with condition B [default: the two conditions, in the order "
        "in which they appear in ITEMS].",
    ),
    by: str | None = option(
        "COLUMN",
        "Column with groups of items, such as constructions; one effect is computed per group.",
    ),
    split_punct: bool | None = typer.Option(
        None,
        "--split-punct/--no-split-punct",
        help="Whether to split punctuation from words [default: split]. A pipeline splits text "
        "into words as in its treebank.",
    ),
    output: str | None = outputs.output(
        outputs.PAGE, "OUT.html", "Also write an HTML page with plots.", "--output", "-o"
    ),
    plot: str | None = outputs.output(
        outputs.PICTURE, "OUT.svg", "Also write a chart of the effects with their intervals."
    ),
    table: str | None = outputs.output(
        outputs.TABLE, "OUT.tsv", "Also write a table with one row per item and region."
    ),
    method: str | None = common.METHOD,
    particles: int | None = common.PARTICLES,
    repeats: int | None = common.REPEATS,
    seed: int = common.SEED,
) -> None:
    """Measure how much more surprising a region is in one condition than in another.

    ITEMS has two sentences per item, one in each condition, such as an ambiguous sentence and its
    control. The critical region is marked by square brackets, or the column named by --critical
    gives its words or its positions. Sentences without a region (fillers) are left out.

    The table on stdout has one row per model, group and region:

    - items: the number of items that have both conditions
    - surprisal, surprisal_baseline: mean surprisal of the region in both conditions, in bits
    - effect, se, low, high: their mean difference, its standard error and 95 % interval over items
    - t, p: paired t-test over items
    - positive: the number of items with an effect above 0
    - unknown: the number of items with an unknown word in the region
    - mc_se: the part of the error that comes from estimated sums over analyses

    All models score the same words; if one is a pipeline, they are the words of the pipeline.

        bistro effects items.csv parser.bistro --critical verb
        bistro effects items.csv parser.bistro ngram.bistro --by construction -o effects.html
        bistro effects items.csv parser.bistro --conditions reduced,full --plot effects.svg
    """
    from bistro.evaluate.effects import effects as effects_of
    from bistro.evaluate.items import conditions_of, item_sentences
    from bistro.report.effects_page import effect_chart, effects_page
    from bistro.tasks.cutting import common_cutting
    from bistro.tasks.regions import region_stimuli
    from bistro.tasks.stimuli import read_table

    common.require_suffix(plot, ".svg")
    read = read_table(items)
    named = {"text": text, "item": item, "condition": condition}
    columns = {
        what: name or read.common_column(what, COMMON_NAMES[what]) for what, name in named.items()
    }
    trained = {name: bistro.load(path) for name, path in model_names(models).items()}
    cut = common_cutting(list(trained.values()), split_punct)
    stimuli = list(
        region_stimuli(read, columns["text"], name=columns["item"], cut=cut, critical=critical)
    )
    groups = {"item": columns["item"], "condition": columns["condition"], "group": by}
    sentences = item_sentences(read, stimuli, groups)
    names = None if conditions is None else [name.strip() for name in conditions.split(",")]
    pair = conditions_of(sentences, names)
    options = {"method": method, "particles": particles, "repeats": repeats}
    options |= {"tags_seen": False, "seed": seed}
    scored = {name: _regions(m, stimuli, sentences, options) for name, m in trained.items()}
    by_model = {name: effects_of(regions, pair) for name, regions in scored.items()}
    common.write_table("-", COLUMNS, _rows(by_model, pair))
    protocols = [
        *_protocols(trained, options),
        *left_out_notes(sentences, pair),
        *_unknown_notes(trained, by_model),
    ]
    for line in protocols:
        say(line)
    if table is not None:
        common.write_table(table, ITEM_COLUMNS, _item_rows(by_model, pair))
    if plot is not None:
        write_text(plot, effect_chart(by_model, pair))
    if output is not None:
        effects_page(by_model, pair, PurePath(items).name, protocols).write(output)
        say(f"{output}: open it in a browser")


def _regions(
    model: bistro.Model,
    stimuli: Sequence[Stimulus],
    sentences: Sequence[ItemSentence],
    options: dict[str, Any],
) -> list[Region]:
    from bistro.evaluate.effects import critical_regions

    settings = common.score_settings(model, **options)
    return critical_regions(model, stimuli, sentences, **settings)


def _rows(by_model: dict[str, list[Effect]], pair: tuple[str, str]) -> Iterator[list[Any]]:
    for name, own in by_model.items():
        for effect in own:
            yield [
                *(name, effect.group, effect.region, *pair, effect.items, *effect.means),
                *map(_known, (effect.mean, effect.se, *effect.interval, effect.t_value)),
                None if math.isnan(effect.p_value) else f"{effect.p_value:.3g}",
                *(effect.positive, effect.unknown, effect.mc_se),
            ]


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _item_rows(by_model: dict[str, list[Effect]], pair: tuple[str, str]) -> Iterator[list[Any]]:
    for name, own in by_model.items():
        for effect in own:
            for one in effect.pairs:
                first, second = one.first, one.second
                yield [
                    *(name, effect.group, effect.region, first.item, *pair, first.words),
                    *(first.surprisal, second.surprisal, one.difference, one.mc_se),
                    int(bool(one.unknown_words)),
                ]


def _protocols(models: Mapping[str, bistro.Model], options: dict[str, Any]) -> Iterator[str]:
    """Describe how each model scores words."""
    from bistro.models.abilities import SCORE

    for name, model in models.items():
        protocol = SCORE.of(model).score_protocol(**common.score_settings(model, **options))
        yield f"{name}: {protocol}"


def _unknown_notes(
    models: Mapping[str, bistro.Model], by_model: Mapping[str, Sequence[Effect]]
) -> Iterator[str]:
    """Yield notes on unknown words in critical regions, for each model."""
    from bistro.models.abilities import SCORE

    for name, model in models.items():
        yield from unknown_notes(name, by_model[name], SCORE.of(model).vocabulary.is_unknown)
