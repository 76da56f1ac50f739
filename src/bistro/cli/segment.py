"""`bistro segment`: written words cut into labelled morphemes."""

from __future__ import annotations

import json as to_json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from bistro.cli.common import InputArgument, JsonOption, ModelArgument, OutputOption, say
from bistro.errors import BistroError, ConfigError

if TYPE_CHECKING:
    from bistro.models.morphology.words import WordsModel
    from bistro.models.results.segmentations import Analysis, Segmentation

Beam = Annotated[int, typer.Option("--beam", metavar="N", min=1, help="Analyses kept at a letter.")]
KBest = Annotated[
    int, typer.Option("--kbest", metavar="K", min=1, help="How many analyses a word.")
]
Forms = Annotated[
    str,
    typer.Option(
        "--forms",
        metavar="surface|canonical",
        help="Morphemes as they are written, or as the annotation has them.",
    ),
]
Probabilities = Annotated[
    bool,
    typer.Option(
        "--probabilities",
        help="Also the probability of each analysis, and of each boundary by its place.",
    ),
]
Check = Annotated[
    bool,
    typer.Option(
        "--check",
        help="INPUT is annotated: list the words whose annotation is not the likeliest, "
        "the least probable annotation first.",
    ),
]


def segment(
    model: ModelArgument,
    input: InputArgument = "-",
    output: OutputOption = "-",
    kbest: KBest = 1,
    forms: Forms = "surface",
    probabilities: Probabilities = False,
    check: Check = False,
    beam: Beam = 50,
    json: JsonOption = False,
) -> None:
    """Cut words into morphemes with their labels, as in un[Pre]-break[Stem]-able[Suf].

    INPUT is text, or a list of words, or an annotated file, whose words alone are read. Out comes a
    line a word: the word and its morphemes. With --kbest there are several lines a word, with
    --probabilities two more columns. Words that follow each other do not influence each other.

        echo "Ngiyabonga kakhulu" | bistro segment zulu.bistro
        bistro segment zulu.bistro test.tsv -o found.tsv
        bistro evaluate --morphemes test.tsv found.tsv
        bistro segment zulu.bistro words.txt --kbest 3 --probabilities
        bistro segment zulu.bistro annotated.tsv --check
    """
    from bistro.files import writing
    from bistro.models.base import load

    if forms not in ("surface", "canonical"):
        raise ConfigError(f"--forms '{forms}' must be surface or canonical")
    trained = load(model)
    trained.require("segment")
    lines = (
        checked(trained, input, beam)  # type: ignore[arg-type]
        if check
        else segmented(trained, input, beam, kbest, forms, probabilities, json)  # type: ignore[arg-type]
    )
    with writing(output) as stream:
        for line in lines:
            stream.write(line.encode())


def segmented(
    model: WordsModel,
    input: str,
    beam: int,
    kbest: int,
    forms: str,
    probabilities: bool,
    json: bool,
) -> Iterator[str]:
    """Yield the lines of the output, and say at the end how many words there were."""
    words = 0
    for one in model.iter_segment(words_of(input), kbest=kbest, beam=beam):
        words += 1
        if json:
            yield to_json.dumps(one.to_dict(), ensure_ascii=False) + "\n"
            continue
        for analysis in one.analyses:
            yield _line(one, analysis, forms, probabilities)
    say(f"{words:,} words segmented")


def words_of(input: str) -> Iterator[str]:
    """Yield the words of a text, a list or an annotated file."""
    from bistro.treebank.morphology_files import iter_words
    from bistro.treebank.treebank import opened

    with opened(input) as (stream, path):
        yield from iter_words(stream, path)


def checked(model: WordsModel, input: str, beam: int) -> Iterator[str]:
    """Yield a row for each annotation that is not the likeliest, the least probable first."""
    from bistro.treebank.morphology import format_morphemes
    from bistro.treebank.morphology_files import read_segmented

    words = [word for paragraph in read_segmented(input) for word in paragraph]
    if not any(word.has_form for word in words):
        say("the words stand in no column of their own: their morphemes were joined")
    given = model.log_prob(words)
    found = model.iter_segment((word.form for word in words), beam=beam)
    rows = []
    for word, log_prob, one in zip(words, given.tolist(), found, strict=True):
        annotation = format_morphemes(word.morphemes)
        if annotation.lower() in (one.best.canonical.lower(), str(one.best).lower()):
            continue
        rows.append((log_prob - one.log_prob, word.line, word.form, annotation, one.best))
    yield "line\tword\tannotation\tlog_probability\tlikeliest\tits_probability\n"
    for log_prob, line, form, annotation, best in sorted(rows, key=lambda row: row[:2]):
        yield (
            f"{line}\t{form}\t{annotation}\t{log_prob:.2f}\t{best.canonical}\t"
            f"{best.probability:.4f}\n"
        )
    say(f"{len(rows):,} of {len(words):,} annotations are not the likeliest")


def _line(one: Segmentation, analysis: Analysis, forms: str, probabilities: bool) -> str:
    morphemes = analysis.canonical if forms == "canonical" else str(analysis)
    columns = [one.word, morphemes]
    if probabilities:
        places = (f"{place}:{p:.4f}" for place, p in one.boundaries.items())
        columns += [f"{analysis.probability:.6f}", " ".join(places)]
    return "\t".join(columns) + "\n"


def print_scores(gold: str, system: str, json: bool, training: Iterable[str] = ()) -> None:
    """Print the scores of one annotated file against another; see `bistro evaluate`."""
    from bistro.cli.common import print_json
    from bistro.evaluate.segmentation import score
    from bistro.models.unbounded.config import MorphologySettings
    from bistro.treebank.morphology_files import read_segmented

    right, found = (
        [word for paragraph in read_segmented(path) for word in paragraph]
        for path in (gold, system)
    )
    tolerance = MorphologySettings().bad_words
    learned = (read_segmented(path, tolerance=tolerance) for path in training)
    seen = {word.form for text in learned for paragraph in text for word in paragraph} or None
    scores = score(right, found, seen, gold_name=gold, system_name=system)
    if not scores.figures:
        raise BistroError(f"{gold}: there are no words to compare")
    if json:
        print_json({"gold": gold, "system": system, **scores.to_dict()})
        return
    print(f"{system} against {gold}: {scores.to_dict()['protocol']}; percent")
    names = list(scores.figures["all"])
    print("\t".join(["words", "number", *names]))
    for group, figures in scores.figures.items():
        shown = (f"{figures[name]:.2f}" for name in names)
        print("\t".join([group, str(scores.words[group]), *shown]))
