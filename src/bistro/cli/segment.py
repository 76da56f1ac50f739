"""`bistro segment`: cut written words into labelled morphemes."""

from __future__ import annotations

from collections.abc import Iterable

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import flag, option, print_json, say
from bistro.errors import BistroError, ConfigError
from bistro.files import write_text


def segment(
    model: str = common.MODEL,
    input: str = common.INPUT,
    output: str = outputs.results(outputs.LINES),
    kbest: int = option("K", "Number of analyses per word.", default=1, min=1),
    forms: str = option(
        "surface|canonical",
        "Write morphemes as they are spelled in the word (surface) or in the annotation "
        "(canonical).",
        default="surface",
    ),
    probabilities: bool = flag(
        "--probabilities",
        "Also write the probability of each analysis, and the probability of a boundary at each "
        "position.",
    ),
    check: bool = flag(
        "--check",
        "Read the annotation of INPUT, and list the words whose annotation is not the most likely "
        "analysis, starting with the least probable annotation.",
    ),
    beam: int = option(
        "N", "Maximum number of analyses that are kept at each letter.", default=50, min=1
    ),
    json: bool = common.JSON,
) -> None:
    """Cut words into morphemes with their labels, as in un[Pre]-break[Stem]-able[Suf].

    INPUT is text, a list of words, or an annotated file, whose annotation is ignored. The output
    has one line per word: the word and its morphemes. With --kbest, there are several lines per
    word, and with --probabilities, there are two more columns. Each word is segmented independently
    of its neighbours.

        echo "Ngiyabonga kakhulu" | bistro segment zulu.bistro
        bistro segment zulu.bistro test.tsv -o found.tsv
        bistro evaluate --morphemes test.tsv found.tsv
        bistro segment zulu.bistro words.txt --kbest 3 --probabilities
        bistro segment zulu.bistro annotated.tsv --check
    """
    from bistro.models.abilities import SEGMENT
    from bistro.tasks.segment import checked, segmented

    if forms not in ("surface", "canonical"):
        raise ConfigError(f"--forms must be surface or canonical, not '{forms}'")
    trained = SEGMENT.of(bistro.load(model))
    if check:
        lines = checked(trained, input, beam, say)
    else:
        lines = segmented(trained, input, beam, kbest, forms, probabilities, json, say)
    write_text(output, lines)


def print_scores(gold: str, system: str, json: bool, training: Iterable[str] = ()) -> None:
    """Print the scores of one annotated file against another; see `bistro evaluate`."""
    from bistro.evaluate.segmentation import score
    from bistro.models.morphology.config import MorphologyConfig
    from bistro.treebank.morphology_files import read_segmented

    gold_words, system_words = (
        [word for paragraph in read_segmented(path) for word in paragraph]
        for path in (gold, system)
    )
    tolerance = MorphologyConfig().bad_words
    learned = (read_segmented(path, tolerance=tolerance) for path in training)
    seen = {word.form for text in learned for paragraph in text for word in paragraph} or None
    scores = score(gold_words, system_words, seen, gold_name=gold, system_name=system)
    if not scores.figures:
        raise BistroError(f"{gold}: the file has no words to compare")
    if json:
        print_json({"gold": gold, "system": system, **scores.to_dict()})
        return
    print(f"{system} against {gold}: {scores.to_dict()['protocol']}; percent")
    names = list(scores.figures["all"])
    print("\t".join(["words", "number", *names]))
    for group, figures in scores.figures.items():
        shown = (f"{figures[name]:.2f}" for name in names)
        print("\t".join([group, str(scores.words[group]), *shown]))
