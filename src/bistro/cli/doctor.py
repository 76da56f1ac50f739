"""`bistro doctor`: annotated values in the order of how much they surprise a model."""

from __future__ import annotations

from typing import Any, cast

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import option, say
from bistro.errors import BistroError
from bistro.files import write_text


def doctor(
    treebank: str = common.TREEBANK,
    with_: list[str] | None = option(
        "TRAIN",
        "Other annotated data: a model trained on it scores FILE; with -k, the folds of FILE are "
        "added to its training data.",
        "--with",
    ),
    output: str = outputs.results(outputs.TABLE),
    kind: str = option(
        "KIND", "The parser: eisner (quick), transition, isbn or committee.", default="eisner"
    ),
    folds: int | None = option("K", "Number of folds; default: 10.", "-k", "--folds"),
    by: str = common.BY,
    top: int = option("N", "Number of rows; 0 prints all.", default=100, min=0),
    only: str | None = option("arcs|tags", "Only one kind of value."),
    html: str | None = outputs.output(
        outputs.PAGE,
        "OUT.html",
        "Also write a page with the trees, as annotated and with the alternative.",
    ),
    dev: str | None = common.DEV,
    config: str | None = common.CONFIG,
    overrides: list[str] | None = common.SET,
    format: str | None = common.FORMAT,
    threads: int = common.THREADS,
    seed: int = common.SEED,
) -> None:
    """Look for mistakes: arcs and tags of FILE ranked by how much they surprise a model.

    Models that have not seen a sentence (folds, or other data) give the probability of each arc,
    head and label, and of each tag, given all the rest of the annotation. The table (TSV) has the
    most surprising first: surprise in bits (-log2 p), file:line, the word, what is annotated, and
    the likeliest alternative with its probability. 50 bits, the most, has what no model can score:
    labels and tags that none knows, and arcs that cross others as none has seen ("crossing").

        bistro doctor treebank.conllu > look-at.tsv
        bistro doctor dev.conllu --with train.conllu --top 500 --html look-at.html -o look-at.tsv
        bistro doctor treebank.conllu --only tags --kind committee -k 5
    """
    from bistro.models.data import SENTENCES

    if only not in (None, "arcs", "tags"):
        raise BistroError(f"--only is 'arcs' or 'tags', not '{only}'")
    if html == output == "-":
        raise BistroError("the table and the page cannot both go to stdout: give -o OUT.tsv")
    common.require_suffix(html, ".html", ".htm")
    family, settings = common.chosen_config(kind, config, overrides)
    found = bistro.examine(
        bistro.read(treebank, format=format, roots="any", partial=True),
        kind=family.name,
        k=folds,
        beside=SENTENCES.read(with_, format=format, roots="any") if with_ else (),
        by=cast(Any, by),
        seed=seed,
        threads=threads,
        config=settings,
        dev=common.development(family, dev, format, "any"),
        on_fold=lambda number, total: say(f"models that have judged: {number} of {total}"),
    )
    ranked = found.findings if only is None else getattr(found, only)
    shown = ranked[:top] if top else ranked
    write_text(output, found.to_tsv(shown))
    if html is not None:
        from bistro.report.doctor import doctor_page, left_out

        doctor_page(found, shown).write(html)
        if absent := left_out(found, shown):
            say(f"{html}: {absent}")
    skipped = f"; sentences without all heads and tags, left out: {found.skipped:,}"
    say(
        f"{len(shown):,} of {len(ranked):,} values; {found.protocol}"
        f"{skipped if found.skipped else ''}"
    )
