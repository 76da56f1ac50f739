"""`bistro doctor`: annotated values in the order of how much they surprise a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bistro.cli.common import (
    FormatOption,
    OutputOption,
    SeedOption,
    ThreadsOption,
    chosen_config,
    require_suffix,
    require_writable,
    say,
)
from bistro.cli.crossval import By
from bistro.cli.recipes import (
    DevOption,
    KindOption,
    TreebankArgument,
    development,
)
from bistro.cli.train import Config, Overrides
from bistro.errors import BistroError

if TYPE_CHECKING:
    from bistro.evaluate.doctor import Examination, Finding

With = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="TRAIN",
        help="Other annotated data: one model of it judges FILE; with -k, the folds of FILE are "
        "learned from too.",
        show_default=False,
    ),
]
Folds = Annotated[
    int | None,
    typer.Option(
        "-k", "--folds", metavar="K", help="How many folds; usual: 10.", show_default=False
    ),
]
Top = Annotated[int, typer.Option("--top", metavar="N", min=0, help="Rows; 0: all of them.")]
Only = Annotated[
    str | None,
    typer.Option("--only", metavar="arcs|tags", help="One kind of value.", show_default=False),
]
Html = Annotated[
    str | None,
    typer.Option(
        "--html",
        metavar="OUT.html",
        help="Also a page with the trees, as annotated and with the alternative.",
        show_default=False,
    ),
]


def doctor(
    treebank: TreebankArgument,
    with_: With = None,
    output: OutputOption = "-",
    kind: KindOption = "eisner",
    folds: Folds = None,
    by: By = "sentence",
    top: Top = 100,
    only: Only = None,
    html: Html = None,
    dev: DevOption = None,
    config: Config = None,
    overrides: Overrides = None,
    format: FormatOption = None,
    threads: ThreadsOption = 0,
    seed: SeedOption = 1,
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
    from bistro.evaluate.doctor import examine
    from bistro.models.data import SENTENCES

    if only not in (None, "arcs", "tags"):
        raise BistroError(f"--only is 'arcs' or 'tags', not '{only}'")
    if html == output == "-":
        raise BistroError("the table and the page cannot both go to stdout: give -o OUT.tsv")
    if html is not None:
        require_suffix(html, ".html", ".htm")
    family, settings = chosen_config(kind, config, overrides)
    for path in (output, html):
        if path not in (None, "-"):
            require_writable(str(path))
    grouping: Any = by
    sentences = _read(treebank, format)
    found = examine(
        sentences,
        kind=family.name,
        k=folds,
        beside=SENTENCES.read(with_, format=format) if with_ else (),
        by=grouping,
        seed=seed,
        threads=threads,
        config=settings,
        dev=development(family, dev, format),
        on_fold=lambda number, total: say(f"models that have judged: {number} of {total}"),
    )
    ranked = found.findings if only is None else getattr(found, only)
    shown = ranked[:top] if top else ranked
    _write(found, shown, output)
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


def _read(path: str, format: str | None) -> Any:
    """Read a treebank in which some sentences may lack heads."""
    from bistro.treebank.treebank import read

    return read(path, format=format, roots="any", partial=True)


def _write(found: Examination, shown: list[Finding], output: str) -> None:
    from bistro.files import writing

    with writing(output) as stream:
        stream.write(found.to_tsv(shown).encode())
