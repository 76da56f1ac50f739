"""`bistro crossval`: what a kind of model is worth on a treebank that has no test set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bistro.cli.common import (
    FormatOption,
    JsonOption,
    SeedOption,
    ThreadsOption,
    chosen_config,
    chosen_tags,
    print_json,
    require_writable,
    say,
    tell_odd_words,
)
from bistro.cli.recipes import (
    DevOption,
    KindArgument,
    TagsOption,
    TreebankArgument,
    development,
    shown,
)
from bistro.cli.train import Config, Overrides
from bistro.errors import BistroError

if TYPE_CHECKING:
    from bistro.evaluate.crossval import CrossValidation

Folds = Annotated[int, typer.Option("-k", "--folds", metavar="K", help="How many folds.")]
By = Annotated[
    str,
    typer.Option(
        "--by",
        metavar="sentence|document",
        help="What is never cut; documents begin with a comment # newdoc.",
    ),
]
ParsesOutput = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help="FILE with each sentence parsed by the model that has not seen it, with marginals.",
        show_default=False,
    ),
]


def crossval(
    kind: KindArgument,
    treebank: TreebankArgument,
    folds: Folds = 10,
    by: By = "sentence",
    tags: TagsOption = "joint",
    output: ParsesOutput = None,
    dev: DevOption = None,
    config: Config = None,
    overrides: Overrides = None,
    json: JsonOption = False,
    format: FormatOption = None,
    threads: ThreadsOption = 0,
    seed: SeedOption = 1,
) -> None:
    """Cross-validate: K models, each trained on all of FILE but a part, and judged on that part.

    Prints a table (TSV): UAS, LAS and tag accuracy of parsers (all words, subtypes ignored), tag
    accuracy of taggers, perplexity of ngram; one line per fold, then the mean and its error.
    Folds are drawn by the seed. Several models are trained at a time; the result is the same.

        bistro crossval eisner treebank.conllu -k 10 > scores.tsv
        bistro crossval committee treebank.conllu -k 5 --by document -o unseen.conllu
        bistro crossval transition treebank.conllu --tags given --set sampler.sweeps=10
    """
    from bistro.evaluate.crossval import cross_validate, judged_kind
    from bistro.models.abilities import PARSE
    from bistro.models.data import SENTENCES

    way: Any = chosen_tags(tags)
    family, settings = chosen_config(kind, config, overrides)
    judged_kind(family.name, settings)
    if output is not None and not family.can("parse"):
        raise BistroError(f"-o writes parses: {PARSE.refusal(family.name)}")
    if output not in (None, "-"):
        require_writable(str(output))
    sentences = SENTENCES.read([treebank], format=format)
    tell_odd_words(sentences)
    grouping: Any = by
    found = cross_validate(
        family.name,
        sentences,
        k=folds,
        by=grouping,
        tags=way,
        seed=seed,
        threads=threads,
        keep=output is not None,
        config=settings,
        dev=development(family, dev, format),
        on_fold=lambda number, fold: say(f"fold {number} of {folds}: {shown(fold.figures)}"),
    )
    if output is not None:
        _write_parses(found, output, given_tags=way == "given")
    if json:
        print_json(found.to_dict())
    elif output != "-":
        print(found.to_tsv(), end="")
    say(found.protocol)


def _write_parses(found: CrossValidation, output: str, *, given_tags: bool) -> None:
    from bistro.tasks.parsed import ParseWriter
    from bistro.treebank.treebank import write

    column: Any = found.folds[0].tag_column
    writer = ParseWriter(column, given_tags)
    parses = found.parses()
    write((s for parse in parses for s in writer.sentences(parse)), output)
    given = [parse.sentence for parse in parses if parse.sentence.format == "conllu"]
    if kept := sum(any(deps != "_" for deps in sentence.deps) for sentence in given):
        say(f"enhanced graphs (DEPS) of {kept:,} sentences kept as given")
