"""`bistro parse`: trees with probabilities, in the file that came in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from bistro.cli.common import (
    FormatOption,
    OutputOption,
    SeedOption,
    ThreadsOption,
    chosen_tags,
    require_writable,
    say,
)
from bistro.errors import BistroError, ConfigError

if TYPE_CHECKING:
    from bistro.models.base import Model

CONSTITUENTS = "Constituency (kind trees)"


def _number(name: str, told: str, smallest: int = 1, panel: str = "Search") -> Any:
    return typer.Option(
        name, metavar="N", min=smallest, help=told, show_default=False, rich_help_panel=panel
    )


Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="MODEL... [INPUT]",
        help="Model files, several to parse together; then CoNLL-U, CoNLL-X, or text with a "
        "sentence a line; - is stdin.",
        show_default=False,
    ),
]
Tags = Annotated[
    str, typer.Option("--tags", metavar="joint|given", help="Find the tags too, or use INPUT's.")
]
Particles = Annotated[
    int | None, _number("--particles", "Search with this budget; usual: 1000, a committee 100.")
]
Beam = Annotated[int | None, _number("--beam", "Search with a beam of this width instead.")]
Greedy = Annotated[
    bool,
    typer.Option("--greedy", help="Keep one derivation after each word.", rich_help_panel="Search"),
]
TagsPerWord = Annotated[int | None, _number("--tags-per-word", "Most tags tried; usual: 3.")]
LabelsPerArc = Annotated[
    int | None,
    _number("--labels-per-arc", "Most labels tried, where contexts see labels; usual: 3."),
]
OneReduce = Annotated[
    bool,
    typer.Option(
        "--one-reduce",
        help="Try only the likelier of left arc and right arc.",
        rich_help_panel="Search",
    ),
]
Selection = Annotated[
    Literal["weight", "paper"] | None,
    typer.Option(
        show_default=False,
        help="How particles are shared out after each word: by weight, or faster, as in the paper.",
        rich_help_panel="Search",
    ),
]
Temperature = Annotated[
    float | None,
    typer.Option(
        metavar="T",
        min=0.01,
        help="Of marginals, samples and least risk; 1 is the model's own, overconfident posterior; "
        "usual: 2.",
        show_default=False,
        rich_help_panel="Search",
    ),
]
KBest = Annotated[
    int, typer.Option("--kbest", metavar="K", min=1, help="Write the K most probable trees.")
]
Samples = Annotated[
    int,
    typer.Option("--samples", metavar="N", min=0, help="Write N trees drawn from the posterior."),
]
MarginalsOption = Annotated[
    bool, typer.Option("--marginals", help="Write PHead, PDeprel and PUpos into MISC.")
]
Mbr = Annotated[
    bool,
    typer.Option(
        "--mbr/--no-mbr", help="The tree of least risk, or the most probable one (as in --kbest)."
    ),
]
Partial = Annotated[
    bool,
    typer.Option(
        "--partial", help="Heads and labels that INPUT has are kept; find those that are _."
    ),
]
SearchOption = Annotated[
    str | None,
    typer.Option(
        "--search",
        metavar="NAME",
        help="cyk, astar-local, astar-full or mcmc; usual: mcmc.",
        show_default=False,
        rich_help_panel=CONSTITUENTS,
    ),
]
Draws = Annotated[
    int | None, _number("--draws", "Whole trees that mcmc draws; usual: 2000.", panel=CONSTITUENTS)
]
LogProbs = Annotated[
    str | None,
    typer.Option(
        "--log-probs",
        metavar="OUT.tsv",
        help="Also a table of the trees' probabilities, for which brackets have no place.",
        show_default=False,
        rich_help_panel=CONSTITUENTS,
    ),
]


def parse(
    paths: Paths,
    output: OutputOption = "-",
    tags: Tags = "joint",
    kbest: KBest = 1,
    samples: Samples = 0,
    marginals: MarginalsOption = False,
    mbr: Mbr = True,
    partial: Partial = False,
    particles: Particles = None,
    beam: Beam = None,
    greedy: Greedy = False,
    tags_per_word: TagsPerWord = None,
    labels_per_arc: LabelsPerArc = None,
    one_reduce: OneReduce = False,
    selection: Selection = None,
    temperature: Temperature = None,
    search: SearchOption = None,
    draws: Draws = None,
    log_probs: LogProbs = None,
    format: FormatOption = None,
    threads: ThreadsOption = 0,
    seed: SeedOption = 1,
) -> None:
    """Parse sentences: INPUT comes back with new heads, labels and tags, all else as it was.

    Each tree has a comment with its log_prob, the natural logarithm of p(words, tags, tree,
    labels), and its parse_rank (or number as a sample). Several trees of a sentence stand one after
    the other. Text becomes CoNLL-U; CoNLL-X stays what it is, and has no place for probabilities.
    Several models parse together with equal weights, as a committee does with its own: their trees
    have an expected_uas, and of several trees each has a posterior, instead of a log_prob.
    A model of constituency (kind trees) takes the words of any of these, or of bracketed trees,
    and writes bracketed trees, one a line.

        echo "The dog sleeps ." | bistro parse english.bistro
        bistro parse english.bistro raw.txt -o parsed.conllu --marginals
        bistro parse english.bistro test.conllu --tags given --kbest 10 -o ten.conllu.gz
        bistro parse english.bistro half-done.conllu --partial -o done.conllu
        bistro parse one.bistro another.bistro test.conllu -o together.conllu
        bistro parse phrases.bistro test.mrg --search mcmc --draws 20000 -o parsed.mrg
    """
    from bistro.cli.progress import Progress
    from bistro.models.abilities import PARSE_TREES
    from bistro.models.base import load
    from bistro.tasks.parse import ParseRun, together
    from bistro.treebank.treebank import iter_sentences, write

    chosen_tags(tags)
    if samples and kbest > 1:
        raise ConfigError("--samples and --kbest both say which trees to write: choose one")
    options: dict[str, Any] = {
        "tags": tags,
        "seed": seed,
        "threads": threads,
        **_search(particles, beam, greedy, tags_per_word, labels_per_arc, one_reduce),
        **({"kbest": kbest} if kbest > 1 else {}),
        **({"samples": samples} if samples else {}),
        **({"marginals": True} if marginals else {}),
        **({} if mbr else {"mbr": False}),
        **({"partial": True} if partial else {}),
        **({} if selection is None else {"selection": selection}),
        **({} if temperature is None else {"temperature": temperature}),
    }
    models, input = _models_and_input(paths)
    trained = [load(model) for model in models]
    if len(trained) == 1 and PARSE_TREES.is_of(trained[0]):
        _constituents(trained[0], input, output, format, log_probs, options, search, draws)
        return
    if search or draws or log_probs:
        raise ConfigError("--search, --draws and --log-probs belong to models of constituency")
    run = ParseRun(together(trained), options)
    sentences = iter_sentences(input, format, roots="any", partial=True)
    write(Progress(input, output).watch(run.parsed(sentences)), output)
    say(run.report(input))


def _constituents(
    model: Model,
    input: str,
    output: str,
    format: str | None,
    log_probs: str | None,
    options: dict[str, Any],
    search: str | None,
    draws: int | None,
) -> None:
    """Write the constituency trees of a file, and a table of their probabilities if asked to."""
    from bistro.cli.progress import Progress
    from bistro.files import writing
    from bistro.tasks.parse_trees import TreeRun, tree_options
    from bistro.treebank.brackets import write_trees
    from bistro.treebank.tree_files import iter_words

    if log_probs is not None:
        require_writable(log_probs)
    progress = Progress(input, output)
    run = TreeRun(model, tree_options(options, search, draws), progress.add)
    try:
        write_trees(run.parsed(iter_words(input, format)), output)
    finally:
        progress.clear()
    if log_probs is not None:
        with writing(log_probs) as stream:
            stream.write(run.table().encode())
    say(run.report())


def _models_and_input(paths: list[str]) -> tuple[list[str], str]:
    """Return the model files, and the input that may come after them."""
    from bistro.modelfile import is_model_file

    *others, last = paths
    if not others or is_model_file(last):
        return paths, "-"
    for path in others[1:]:
        if not is_model_file(path):
            raise BistroError(
                f"{path}: is no model file: models come first, then one input, or none for stdin"
            )
    return others, last


def _search(
    particles: int | None,
    beam: int | None,
    greedy: bool,
    tags_per_word: int | None,
    labels_per_arc: int | None,
    one_reduce: bool,
) -> dict[str, Any]:
    """Return the options of the search that were given; a model has defaults for the others."""
    if (particles is not None) + (beam is not None) + greedy > 1:
        raise ConfigError("--particles, --beam and --greedy are three ways to search: choose one")
    chosen: dict[str, Any] = {}
    if particles is not None:
        chosen |= {"search": "particles", "size": particles}
    if beam is not None or greedy:
        chosen |= {"search": "beam", "size": beam or 1}
    if tags_per_word is not None:
        chosen["tags_per_word"] = tags_per_word
    if labels_per_arc is not None:
        chosen["labels_per_arc"] = labels_per_arc
    if one_reduce:
        chosen["both_reduces"] = False
    return chosen
