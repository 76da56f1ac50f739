"""`bistro parse`: parse a file, and write it with trees and probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import typer

import bistro
from bistro.cli import common, odd_words, outputs
from bistro.cli.common import argument, chosen_tags, flag, option, say
from bistro.errors import BistroError, ConfigError
from bistro.files import write_text
from bistro.progress import phase

if TYPE_CHECKING:
    from bistro.inference.workers import Workers

SEARCH, DETAILS = "Search", "Details of the search"
CONSTITUENTS = "Constituency (kind trees) and utterances of morphemes"
PIPELINES = "Running text (kind pipeline)"
_number = partial(option, "N", min=1, rich_help_panel=SEARCH)
_of_trees = partial(option, rich_help_panel=CONSTITUENTS)


def parse(
    paths: list[str] = argument(
        "MODEL... [INPUT]",
        "One or several models that parse together (files or names), followed by CoNLL-U, "
        "CoNLL-X, or text with one sentence per line (running text for a pipeline); - means stdin.",
    ),
    output: str = outputs.results(outputs.TREES),
    tags: str = option(
        "joint|given",
        "Predict tags together with the tree (joint), or use the tags in INPUT (given).",
        default="joint",
    ),
    kbest: int = option("K", "Write the K most probable trees.", default=1, min=1),
    samples: int = option("N", "Write N trees drawn from the posterior.", default=0, min=0),
    marginals: bool = flag(
        "--marginals",
        "Write the probabilities of heads, labels and tags to MISC (PHead, PDeprel, PUpos).",
    ),
    mbr: bool | None = typer.Option(
        None,
        "--mbr/--no-mbr",
        help="Write the minimum-risk tree, or the most probable tree (as with --kbest); default: "
        "the model's setting, or --mbr.",
    ),
    partial: bool = flag(
        "--partial", "Keep the heads and labels in INPUT, and predict only the missing ones (_)."
    ),
    particles: int | None = _number(
        "Number of particles in the search; default: 1000, or 40 for a committee."
    ),
    beam: int | None = _number("Use beam search with this width instead of particles."),
    greedy: bool = flag(
        "--greedy",
        "Use greedy search, which keeps one derivation after each word.",
        rich_help_panel=SEARCH,
    ),
    tags_per_word: int | None = _number(
        "Maximum number of tags per word; default: 10, or 3 for eisner and isbn."
    ),
    tag_dictionary: str | None = common.TAG_DICTIONARY,
    unseen_tags: float | None = option(
        "W",
        "Factor for each tag that its word never had in training, with --tag-dictionary soft; "
        "default: 0.3.",
        rich_help_panel=SEARCH,
    ),
    labels_per_arc: int | None = _number(
        "Maximum number of labels tried per arc, if contexts use labels; default: 3, or 5 for isbn."
    ),
    one_reduce: bool | None = typer.Option(
        None,
        "--one-reduce/--both-reduces",
        help="Whether all particles that do not shift create the more likely of the two arcs "
        "(Algorithm 1 of Buys & Blunsom 2015), or are divided between the two arcs; default: the "
        "model's setting, or --both-reduces.",
        rich_help_panel=DETAILS,
    ),
    ranking: Literal["trees", "derivations"] | None = typer.Option(
        None,
        help="Choose the tree with the highest probability summed over derivations and labels, "
        "or the tree of the single best derivation; default: trees.",
        rich_help_panel=DETAILS,
    ),
    selection: Literal["weight", "paper"] | None = typer.Option(
        None,
        help="How to divide particles after each word: by weight, or by the faster method of Buys "
        "& Blunsom (2015).",
        rich_help_panel=DETAILS,
    ),
    temperature: float | None = option(
        "T",
        "Temperature of marginals, samples and minimum-risk trees; default: 2. The value 1 gives "
        "the model's own posterior, which is overconfident.",
        min=0.01,
        rich_help_panel=SEARCH,
    ),
    resample: int | None = _number(
        "Sample the trees of all sentences together, in N sweeps (kind topics)."
    ),
    search: str | None = _of_trees(
        "NAME", "cyk, astar-full, astar-literal, astar-nodes or mcmc; default: mcmc."
    ),
    draws: int | None = _of_trees(
        "N", "Number of whole trees that mcmc draws; default: 2000, or 5000 for utterances.", min=1
    ),
    burn_in: int | None = _of_trees(
        "N",
        "Number of initial draws to discard; default: a tenth of the draws, or 0 for utterances.",
        min=0,
    ),
    subtrees: int | None = _of_trees(
        "N",
        "Number of subtrees that mcmc proposes after each tree; default: 10, or 0 for utterances.",
        min=0,
    ),
    guide: str | None = _of_trees(
        "pcfg|parents",
        "Grammar for the proposals of mcmc and the heuristic of A*: the PCFG of Shareghi et al. "
        "(2015), or a PCFG with parent annotation; default: parents, or pcfg for utterances.",
    ),
    node_cost: float | None = _of_trees(
        "SHARE",
        "Share of the draws in which a node must occur to be in the minimum-risk tree; default: "
        "0.5.",
    ),
    completions: int | None = _of_trees(
        "N",
        "Number of complete trees that A* compares; default: 100 (Shareghi et al. 2015 use 1).",
        min=1,
    ),
    expansions: int | None = _of_trees(
        "N", "Maximum number of partial trees that A* expands; default: 200000.", min=1
    ),
    expand: str | None = _of_trees(
        "leftmost|all", "Which open nodes A* rewrites in a partial tree; default: leftmost."
    ),
    keep: str | None = option(
        "COLUMNS",
        "Columns of INPUT to keep where they are not empty, for example "
        "upos,xpos,feats,lemmas,heads.",
        rich_help_panel=PIPELINES,
    ),
    alternatives: int = option(
        "K",
        "Write the K most likely alternative values in each column to MISC, with their "
        "probabilities.",
        default=0,
        min=0,
        rich_help_panel=PIPELINES,
    ),
    line_ends: bool = flag(
        "--line-ends", "End a sentence at the end of every line.", rich_help_panel=PIPELINES
    ),
    log_probs: str | None = outputs.output(
        outputs.TABLE,
        "OUT.tsv",
        "Also write a table of the trees' probabilities, which bracketed trees cannot represent.",
        rich_help_panel=CONSTITUENTS,
    ),
    format: str | None = common.FORMAT,
    threads: int = common.THREADS,
    cluster: str | None = common.CLUSTER,
    seed: int = common.SEED,
) -> None:
    """Parse sentences, and write INPUT with new heads, labels and tags.

    Each tree has a comment with its log_prob, the natural logarithm of p(words, tags, tree,
    labels), and its parse_rank (or its sample number). Several trees for one sentence are written
    one after another. Plain-text input is written as CoNLL-U. CoNLL-X input is written as CoNLL-X,
    which cannot represent probabilities. Several models parse together as a committee with equal
    weights. The trees of a committee have expected_uas instead of log_prob, and a posterior if
    there are several trees per sentence. A constituency model (kind trees) reads text, CoNLL-U,
    CoNLL-X or bracketed trees, ignores everything except the words, and writes one bracketed tree
    per line. A morphology model with unit=utterance reads one utterance per line, as a sequence
    of morphemes, and writes bracketed trees. A pipeline reads running text or sentences, and fills
    in every column.

        echo "The dog sleeps ." | bistro parse english.bistro
        bistro parse english.bistro raw.txt -o parsed.conllu --marginals
        bistro parse english.bistro corpus.txt.gz -o parsed.conllu.gz --cluster local:8
        bistro parse english.bistro test.conllu --tags given --kbest 10 -o ten.conllu.gz
        bistro parse english.bistro half-done.conllu --partial -o done.conllu
        bistro parse one.bistro another.bistro test.conllu -o together.conllu
        bistro parse pipeline.bistro letter.txt -o letter.conllu --marginals
        bistro parse pipeline.bistro letter.txt -o letter.conllu --alternatives 2
        bistro parse pipeline.bistro tagged.conllu --keep upos,heads -o whole.conllu
        bistro parse phrases.bistro test.mrg --search mcmc --draws 20000 -o parsed.mrg
        bistro parse phrases.bistro test.mrg --search astar-literal --completions 1 --guide pcfg
    """
    from bistro.models.abilities import ANNOTATE, PARSE_TREES

    chosen_tags(tags)
    if samples and kbest > 1:
        raise ConfigError(
            "--samples and --kbest both select the trees to write: give only one of them"
        )
    options: dict[str, Any] = {
        "tags": tags,
        "seed": seed,
        "threads": threads,
        **_search(particles, beam, greedy, tags_per_word, labels_per_arc, one_reduce),
        **common.given(
            kbest=kbest if kbest > 1 else None,
            samples=samples or None,
            marginals=marginals or None,
            mbr=mbr,
            partial=partial or None,
            tag_dictionary=tag_dictionary,
            unseen_tags=unseen_tags,
            selection=selection,
            ranking=ranking,
            temperature=temperature,
            resample=resample,
        ),
    }
    of_trees = common.given(
        search=search,
        samples=draws,
        burn_in=burn_in,
        subtrees=subtrees,
        guide=guide,
        node_cost=node_cost,
        completions=completions,
        expansions=expansions,
        expand=expand,
    )
    models, input = _models_and_input(paths)
    trained = [bistro.load(model) for model in models]
    if len(trained) == 1 and PARSE_TREES.is_of(trained[0]):
        with common.cluster_workers(cluster) as workers:
            _constituents(trained[0], input, output, format, log_probs, options, of_trees, workers)
        return
    if of_trees or log_probs:
        from bistro.tasks.parse_trees import option_name

        named = option_name(next(iter(of_trees), "log_probs"))
        raise ConfigError(f"{named} is for constituency models: leave it out")
    if len(trained) == 1 and ANNOTATE.is_own(trained[0]):
        options |= common.given(alternatives=alternatives or None)
        with common.cluster_workers(cluster) as workers:
            _everything(trained[0], input, output, format, options, keep, line_ends, workers)
        return
    if keep or line_ends or alternatives:
        raise ConfigError(
            "--keep, --line-ends and --alternatives are for pipelines: leave them out"
        )
    with common.cluster_workers(cluster) as workers:
        _dependencies(trained, input, output, format, options, workers)


def _dependencies(
    models: Sequence[bistro.Model],
    input: str,
    output: str,
    format: str | None,
    options: dict[str, Any],
    workers: Workers | None,
) -> None:
    """Write sentences with dependency trees from one model or from several models together."""
    from bistro.cli.progress import counted
    from bistro.tasks.parse import ParseRun, together
    from bistro.treebank.treebank import iter_sentences

    run = ParseRun(together(models), options, workers)
    sentences = iter_sentences(input, format, roots="any", partial=True)
    sentences = odd_words.watch_words(sentences, input, models[0])
    bistro.write(counted(run.parsed(sentences), input, "parsing"), output)
    say(run.report(input))


def _everything(
    model: bistro.Model,
    input: str,
    output: str,
    format: str | None,
    options: dict[str, Any],
    keep: str | None,
    line_ends: bool,
    workers: Workers | None,
) -> None:
    """Annotate running text or sentences with a pipeline, and write all columns."""
    from bistro.cli.progress import counted
    from bistro.tasks.annotate import AnnotateRun

    for name in ("kbest", "samples", "partial"):
        if options.pop(name, None):
            raise ConfigError(
                f"--{name} is for parsers: leave it out, since a pipeline writes only one analysis"
            )
    kept = [name for name in (keep or "").split(",") if name]

    def watch(sentences: Iterable[bistro.Sentence]) -> Iterator[bistro.Sentence]:
        return odd_words.watch_words(sentences, input, model)

    run = AnnotateRun(model, options, keep=kept, line_ends=line_ends, watch=watch, workers=workers)
    with common.rare_collection():
        bistro.write(counted(run.annotated(input, format), input, "annotating"), output)
    say(run.report())


def _constituents(
    model: bistro.Model,
    input: str,
    output: str,
    format: str | None,
    log_probs: str | None,
    options: dict[str, Any],
    of_trees: dict[str, Any],
    workers: Workers | None,
) -> None:
    """Parse a file into constituency trees, and write the trees and any requested probabilities."""
    from bistro.tasks.parse_trees import TreeRun, tree_options
    from bistro.treebank.brackets import write_trees
    from bistro.treebank.tree_files import iter_words

    with phase("parsing", unit="words") as work:
        run = TreeRun(model, tree_options(options, of_trees), work.count, workers)
        write_trees(run.parsed(iter_words(input, format)), output)
    if log_probs is not None:
        write_text(log_probs, run.table())
    say(run.report())


def _models_and_input(paths: list[str]) -> tuple[list[str], str]:
    """Return the paths of the models and of the input, which is stdin if no input is named."""
    from bistro.models.installed import is_model

    *others, last = paths
    if not others or is_model(last):
        return paths, "-"
    for path in others[1:]:
        if not is_model(path):
            raise BistroError(
                f"{path}: this is not a model: name the models first, then at most one input "
                "(default: stdin), and the output with -o"
            )
    return others, last


def _search(
    particles: int | None,
    beam: int | None,
    greedy: bool,
    tags_per_word: int | None,
    labels_per_arc: int | None,
    one_reduce: bool | None,
) -> dict[str, Any]:
    """Return the search options that were set on the command line."""
    if (particles is not None) + (beam is not None) + greedy > 1:
        raise ConfigError(
            "--particles, --beam and --greedy are three different search methods; choose one of "
            "them"
        )
    search = "particles" if particles is not None else "beam" if beam or greedy else None
    return common.given(
        search=search,
        size=particles or beam or int(greedy) or None,
        tags_per_word=tags_per_word,
        labels_per_arc=labels_per_arc,
        both_reduces=None if one_reduce is None else not one_reduce,
    )
