"""`bistro tag`: a tag for every word, in the file that came in."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

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
    from bistro.models.base import Model
    from bistro.treebank.sentence import Sentence

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
    from bistro.models.base import load
    from bistro.treebank.treebank import iter_sentences, write

    trained = load(model)
    asked = {"search": search, "beam": beam, "samples": samples}
    given = {name: value for name, value in asked.items() if value is not None}
    if given and hasattr(trained, "parse_all"):
        raise BistroError(
            f"a model of kind '{trained.kind}' finds tags with its trees, by its own search: "
            "leave out --search, --beam and --samples"
        )
    options = {**given, "marginals": marginals, "mbr": mbr, "seed": seed, "threads": threads}
    run = TagRun(trained, options)
    sentences = iter_sentences(input, format, roots="any", partial=True)
    write(Progress(input, output).watch(run.tagged(sentences)), output)
    say(run.report())


class TagRun:
    """One pass over the input, and what was done."""

    def __init__(self, model: Model, options: dict[str, Any]) -> None:
        self.model = model
        self.options = options
        self.words = 0
        self.sentences = 0
        model.require("tag")
        self._tag_all = model.require("tag_all")
        self._begin = time.monotonic()

    def tagged(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Yield the sentences of the output."""
        from bistro.tasks.tagged import tagged_sentence

        column = getattr(self.model, "tag_column", "upos")
        for tagging in self._tag_all(self._checked(sentences), **self.options):
            self.sentences += 1
            self.words += len(tagging.sentence)
            yield tagged_sentence(tagging, column, self.sentences)

    def report(self) -> str:
        """Return one line on what was done."""
        seconds = max(time.monotonic() - self._begin, 1e-9)
        describe = getattr(self.model, "describe_search", None)
        how = [self.model.kind, describe(**self.options) if describe else "tags of its trees"]
        return (
            f"{self.sentences:,} sentences, {self.words:,} words, "
            f"{self.words / seconds:,.0f} words/s; {', '.join(how)}"
        )

    def _checked(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        for sentence in sentences:
            if sentence.format == "conllx" and self.options["marginals"]:
                raise BistroError(
                    "--marginals writes probabilities, for which CoNLL-X has no column: "
                    "make it CoNLL-U first (bistro convert IN.conll -o IN.conllu --roots any)"
                )
            yield sentence
