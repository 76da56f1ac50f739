"""`bistro tag`: tag every word in a file."""

from __future__ import annotations

import typer

import bistro
from bistro.cli import common, odd_words, outputs
from bistro.cli.common import flag, option, say
from bistro.errors import BistroError


def tag(
    model: str = common.MODEL,
    input: str = common.INPUT,
    output: str = outputs.results(outputs.TREES),
    search: str | None = option(
        "NAME",
        "beam (default), viterbi (exact), mcmc, hmm (the baseline: one tag of context), "
        "astar-full, astar-literal or astar-nodes.",
    ),
    beam: int | None = option(
        "N",
        "Number of histories kept after each word (default: 16), or of partial trees in A* "
        "(default: 200).",
        min=1,
    ),
    samples: int | None = option("N", "Number of sequences drawn by mcmc; default: 5000.", min=1),
    completions: int | None = option(
        "N",
        "Number of complete sequences that A* compares; default: 100 (Shareghi et al. 2015 use 1).",
        min=1,
    ),
    expansions: int | None = option(
        "N", "Maximum number of partial sequences that A* expands; default: 200000.", min=1
    ),
    expand: str | None = option(
        "leftmost|all", "Which open nodes A* rewrites in a partial tree; default: leftmost."
    ),
    tag_dictionary: str | None = common.TAG_DICTIONARY,
    marginals: bool = flag("--marginals", "Write the probability of each tag to MISC."),
    mbr: bool | None = typer.Option(
        None,
        "--mbr/--no-mbr",
        help="Find the most likely tag for each word, or the most likely sequence; default: the "
        "model's setting, or --mbr.",
    ),
    format: str | None = common.FORMAT,
    threads: int = common.THREADS,
    seed: int = common.SEED,
) -> None:
    """Tag sentences, and write INPUT with new tags in one column.

    The tags are written to the column that the model was trained on (UPOS or XPOS). Parsers can
    also tag, using their own search. Plain-text input is written as CoNLL-U. CoNLL-X input is
    written as CoNLL-X, which cannot represent probabilities.

        echo "The dog sleeps ." | bistro tag tagger.bistro
        bistro tag tagger.bistro test.conllu --marginals -o tagged.conllu
        bistro tag tagger.bistro test.conllu --search mcmc --samples 5000 -o tagged.conllu
    """
    from bistro.cli.progress import counted
    from bistro.models.abilities import PARSE
    from bistro.models.options import a_model
    from bistro.tasks.annotate import read_sentences
    from bistro.tasks.tag import TagRun

    trained = bistro.load(model)
    search_options = common.given(
        search=search,
        beam=beam,
        samples=samples,
        completions=completions,
        expansions=expansions,
        expand=expand,
    )
    if search_options and PARSE.is_of(trained):
        raise BistroError(
            f"{a_model(trained.kind)} finds tags with its trees, by its own search: "
            "leave out --" + ", --".join(search_options)
        )
    always = {"marginals": marginals, "seed": seed, "threads": threads}
    options = {**search_options, **always, **common.given(mbr=mbr, tag_dictionary=tag_dictionary)}
    run = TagRun(trained, options)
    sentences = read_sentences(trained, input, format)
    sentences = odd_words.watch_words(sentences, input, trained)
    bistro.write(counted(run.tagged(sentences), input, "tagging"), output)
    say(run.report())
