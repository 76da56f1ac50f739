"""`bistro crossval`: measure the accuracy of a kind of model on a treebank without a test set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import bistro
from bistro.cli import common, odd_words, outputs
from bistro.cli.common import argument, option, say
from bistro.errors import BistroError
from bistro.progress import number_of

if TYPE_CHECKING:
    from bistro.evaluate.crossval import CrossValidation


def crossval(
    kind: str = argument(
        "KIND", "The kind of model: transition, eisner, isbn, committee, topics, ngram or tags."
    ),
    treebank: str = common.TREEBANK,
    folds: int = option("K", "Number of folds.", "-k", "--folds", default=10),
    by: str = common.BY,
    tags: str = common.TAGS,
    output: str | None = outputs.output(
        outputs.TREES,
        "OUT",
        "Also write FILE with marginals; each sentence is parsed by a model that was not trained "
        "on it.",
        "--output",
        "-o",
    ),
    dev: str | None = common.DEV,
    config: str | None = common.CONFIG,
    overrides: list[str] | None = common.SET,
    json: bool = common.JSON,
    format: str | None = common.FORMAT,
    roots: str | None = common.ROOTS,
    threads: int = common.THREADS,
    cluster: str | None = common.CLUSTER,
    seed: int = common.SEED,
) -> None:
    """Cross-validate a kind of model: train on all but one fold of FILE, and test on that fold.

    The output is a table (TSV) with one line per fold, followed by the mean and its standard error.
    The scores are UAS, LAS and tag accuracy for parsers (all words, subtypes ignored), tag accuracy
    for taggers, and perplexity for n-gram models. Sentences are assigned to folds at random, using
    the seed. Several models are trained at the same time, which does not change the result.

        bistro crossval eisner treebank.conllu -k 10 > scores.tsv
        bistro crossval committee treebank.conllu -k 5 --by document -o unseen.conllu
        bistro crossval transition treebank.conllu --tags given --set sampler.sweeps=10
    """
    from bistro.evaluate.crossval import cross_validate, judged_kind
    from bistro.models.abilities import PARSE
    from bistro.models.data import SENTENCES

    way: Any = common.chosen_tags(tags)
    family, settings = common.chosen_config(kind, config, overrides)
    judged_kind(family.name, settings)
    if output is not None and not family.can("parse"):
        raise BistroError(f"-o writes parses: {PARSE.refusal(family.name)}")
    sentences = SENTENCES.read([treebank], format=format, roots=common.chosen_roots(roots))
    odd_words.tell_odd_words(sentences)
    settings = common.fitting_config(family, settings, config, overrides, sentences)
    with common.cluster_workers(cluster) as workers:
        validation = cross_validate(
            family.name,
            sentences,
            k=folds,
            by=cast(Any, by),
            tags=way,
            seed=seed,
            threads=threads,
            workers=workers,
            keep=output is not None,
            config=settings,
            dev=common.development(family, dev, format, roots),
            on_fold=lambda number, fold: say(f"fold {number} of {folds}: {_shown(fold.figures)}"),
        )
    if output is not None:
        _write_parses(validation, output, given_tags=way == "given")
    if json:
        common.print_json(validation.to_dict())
    elif output != "-":
        print(validation.to_tsv(), end="")
    say(validation.protocol)


def _shown(figures: dict[str, float]) -> str:
    """Format scores as one line of text."""
    return ", ".join(f"{name} {value:.2f}" for name, value in figures.items())


def _write_parses(validation: CrossValidation, output: str, *, given_tags: bool) -> None:
    from bistro.tasks.parsed import ParseWriter

    writer = ParseWriter(cast(Any, validation.folds[0].tag_column), given_tags)
    parses = validation.parses()
    bistro.write((s for parse in parses for s in writer.sentences(parse)), output)
    sentences = [parse.sentence for parse in parses if parse.sentence.format == "conllu"]
    if kept := sum(any(deps != "_" for deps in sentence.deps) for sentence in sentences):
        say(f"enhanced graphs (DEPS) of {number_of(kept, 'sentence')} kept as given")
