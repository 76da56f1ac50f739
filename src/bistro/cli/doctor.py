"""`bistro doctor`: rank annotated values by their surprisal under a model."""

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
        "Other annotated data for training the model that scores FILE; with -k, the other folds "
        "of FILE are added.",
        "--with",
    ),
    output: str = outputs.results(outputs.TABLE),
    kind: str = option(
        "KIND", "The parser: eisner (quick), transition, isbn or committee.", default="eisner"
    ),
    folds: int | None = option("K", "Number of folds; default: 10.", "-k", "--folds"),
    by: str = common.BY,
    top: int = option("N", "Number of rows; 0 prints all rows.", default=100, min=0),
    only: str | None = option(
        "arcs|tags|crossings",
        "List only values of this type; crossings are arcs with a crossing pattern that does not "
        "occur in the training data.",
    ),
    since: str | None = option(
        "OLD",
        "Examine OLD, an older version of FILE, and count the findings whose values have changed "
        "in FILE.",
    ),
    html: str | None = outputs.output(
        outputs.PAGE,
        "OUT.html",
        "Also write an HTML page that shows the trees as annotated and with the suggested "
        "alternatives.",
    ),
    dev: str | None = common.DEV,
    config: str | None = common.CONFIG,
    overrides: list[str] | None = common.SET,
    format: str | None = common.FORMAT,
    threads: int = common.THREADS,
    seed: int = common.SEED,
) -> None:
    """Rank the arcs and tags in FILE by their surprisal, to find likely annotation errors.

    The probability of each arc and tag, given the rest of the annotation, comes from a model that
    was trained on other folds or other data. The table (TSV) starts with the most surprising
    values. The columns are the surprisal in bits (-log2 p), file:line, the word, the annotated
    value, and the most likely alternative with its probability. 50 bits, the maximum, marks values
    that no model can score: unknown labels and tags. Arcs with a crossing pattern that does not
    occur in the training data are listed separately (--only crossings).

        bistro doctor treebank.conllu > look-at.tsv
        bistro doctor dev.conllu --with train.conllu --top 500 --html look-at.html -o look-at.tsv
        bistro doctor treebank.conllu --only tags --kind committee -k 5
        bistro doctor release-2.conllu --since release-1.conllu > judged.tsv
    """
    from bistro.models.data import SENTENCES

    if only not in (None, *_LISTS):
        raise BistroError(f"--only must be one of {', '.join(_LISTS)}, not '{only}'")
    if html == output == "-":
        raise BistroError(
            "the table and the page cannot both be written to stdout: name a file for the table "
            "with -o OUT.tsv"
        )
    common.require_suffix(html, ".html", ".htm")
    family, settings = common.chosen_config(kind, config, overrides)
    examined = bistro.read(since or treebank, format=format, roots="any", partial=True)
    examination = bistro.examine(
        examined,
        kind=family.name,
        k=folds,
        beside=SENTENCES.read(with_, format=format, roots="any") if with_ else (),
        by=cast(Any, by),
        seed=seed,
        threads=threads,
        config=settings,
        dev=common.development(family, dev, format, "any"),
        on_fold=lambda number, total: say(f"models finished: {number} of {total}"),
    )
    ranked = examination.findings if only is None else getattr(examination, only)
    shown = ranked[:top] if top else ranked
    write_text(output, _table(examination, shown, treebank if since else None, format))
    if html is not None:
        from bistro.report.doctor import doctor_page, left_out

        doctor_page(examination, shown).write(html)
        if absent := left_out(examination, shown):
            say(f"{html}: {absent}")
    skipped = f"; sentences with missing heads or tags, left out: {examination.skipped:,}"
    say(
        f"{len(shown):,} of {len(ranked):,} values; {examination.protocol}"
        f"{skipped if examination.skipped else ''}"
    )
    if examination.crossings and only != "crossings":
        say(
            f"arcs with an unseen crossing pattern: {len(examination.crossings):,}; "
            "see --only crossings"
        )


_LISTS = ("arcs", "tags", "crossings")


def _table(examination: Any, shown: Any, newer: str | None, format: str | None) -> str:
    """Return the findings as a table.

    If a newer version of the file is given, the table also contains the new values.
    """
    if newer is None:
        return str(examination.to_tsv(shown))
    from bistro.evaluate.doctor_since import changes, hits

    later = bistro.read(newer, format=format, roots="any", partial=True)
    changed = changes(examination.sentences, later, examination.tag_column)
    for name in ("arcs", "tags"):
        say(f"{name}: {hits(getattr(examination, name), changed)}")
    header, *rows = examination.to_tsv(shown).splitlines()
    values = [changed.new_value(finding) or "" for finding in shown]
    lines = [f"{header}\tchanged_to", *(f"{r}\t{v}" for r, v in zip(rows, values, strict=True))]
    return "".join(f"{line}\n" for line in lines)
