"""`bistro tag`: a tag for every word, in the file that came in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bistro.cli.common import (
    FormatOption,
    InputArgument,
    ModelArgument,
    OutputOption,
    SeedOption,
    ThreadsOption,
    say,
)
from bistro.errors import BistroError

if TYPE_CHECKING:
    pass

Search = Annotated[
    str | None,
    typer.Option(
        "--search",
        metavar="NAME",
        help="beam (usual), viterbi (exact), mcmc, hmm (the baseline: one tag remembered), "
        "astar-local or astar-full.",
        show_default=False,
    ),
]
BeamWidth = Annotated[
    int | None,
    typer.Option(
        "--beam", metavar="N", min=1, help="Histories kept after each word.", show_default=False
    ),
]
Samples = Annotated[
    int | None,
    typer.Option(
        "--samples", metavar="N", min=1, help="Sequences drawn by mcmc.", show_default=False
    ),
]
MarginalsOption = Annotated[
    bool, typer.Option("--marginals", help="Write the probability of each tag into MISC.")
]
LeastRisk = Annotated[
    bool,
    typer.Option(
        "--mbr/--no-mbr", help="The likeliest tag of each word, or the likeliest sequence."
    ),
]


def tag(
    model: ModelArgument,
    input: InputArgument = "-",
    output: OutputOption = "-",
    search: Search = None,
    beam: BeamWidth = None,
    samples: Samples = None,
    marginals: MarginalsOption = False,
    mbr: LeastRisk = True,
    format: FormatOption = None,
    threads: ThreadsOption = 0,
    seed: SeedOption = 1,
) -> None:
    """Tag sentences: INPUT comes back with new tags in one column, all else as it was.

    The column is the one that the model was trained on (UPOS or XPOS). Parsers tag as well, with
    their own search. Text becomes CoNLL-U; CoNLL-X stays what it is, and has no place for
    probabilities.

        echo "The dog sleeps ." | bistro tag tagger.bistro
        bistro tag tagger.bistro test.conllu --marginals -o tagged.conllu
        bistro tag tagger.bistro test.conllu --search mcmc --samples 5000 -o tagged.conllu
    """
    from bistro.cli.progress import Progress
    from bistro.models.abilities import PARSE
    from bistro.models.base import load
    from bistro.models.options import a_model
    from bistro.tasks.tag import TagRun
    from bistro.treebank.treebank import iter_sentences, write

    trained = load(model)
    asked = {"search": search, "beam": beam, "samples": samples}
    given = {name: value for name, value in asked.items() if value is not None}
    if given and PARSE.is_of(trained):
        raise BistroError(
            f"{a_model(trained.kind)} finds tags with its trees, by its own search: "
            "leave out --search, --beam and --samples"
        )
    options = {**given, "marginals": marginals, "mbr": mbr, "seed": seed, "threads": threads}
    run = TagRun(trained, options)
    sentences = iter_sentences(input, format, roots="any", partial=True)
    write(Progress(input, output).watch(run.tagged(sentences)), output)
    say(run.report())
