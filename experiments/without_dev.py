"""The committee without a development set: calibration of heads, and crossing arcs.

    python -m experiments.without_dev [en] [da] [eu] [fr] [--part dev|test]

Seed 1, default settings, trained on the training part alone. All words count; subtypes are ignored.
`error` is the expected calibration error of heads in percent, over 15 bins. A crossing arc passes
over a word that its head does not dominate: `recall` is the percentage of the crossing arcs of the
treebank that are predicted, `precision` the percentage of predicted ones that are correct. The rows
`before` have the same members with a sharpness of 1.4, and predict a crossing arc only where the
label that marks one is the most probable.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import bistro
from bistro.evaluate.attachment import score
from bistro.evaluate.calibration import calibration_of
from bistro.models.committee.crossing import Crossing
from bistro.models.committee.mixture import USUAL_SHARPNESS
from bistro.models.committee.model import CommitteeModel
from bistro.models.results.parses import Parse
from bistro.treebank.sentence import Sentence

FILES = {
    "en": "en_ewt/en_ewt-ud-{}.conllu",
    "da": "da_ddt/danish_ddt_{}.conll",
    "eu": "eu_ud11/eu-ud-{}.conllu",
    "fr": "fr_partut/fr_partut-ud-{}.conllu",
}
FOLDER = Path(os.environ.get("BISTRO_DATA", "../shared/data"))
HEADINGS = "treebank  tags  row         UAS    LAS  error  recall  precision"


def crossing_words(heads: Sequence[int]) -> set[int]:
    """Return the words whose arc passes over a word that their head does not dominate."""

    def dominates(head: int, word: int) -> bool:
        while word and word != head:
            word = heads[word - 1]
        return word == head

    return {
        word
        for word, head in enumerate(heads, start=1)
        if not all(
            dominates(head, between) for between in range(min(word, head) + 1, max(word, head))
        )
    }


def error_of(parses: Sequence[Parse], gold: Sequence[Sentence]) -> float:
    """Return the expected calibration error of heads in percent."""
    pairs = [
        (dict(row).get(head, 0.0), head == right)
        for parse, sentence in zip(parses, gold, strict=True)
        if parse.marginals is not None
        for head, right, row in zip(parse.heads, sentence.heads, parse.marginals.heads, strict=True)
    ]
    return 100 * calibration_of(pairs).expected_calibration_error


def crossing_of(parses: Sequence[Parse], gold: Sequence[Sentence]) -> tuple[float, float]:
    """Return recall and precision of crossing arcs in percent."""
    wanted = found = right = 0
    for parse, sentence in zip(parses, gold, strict=True):
        own, others = crossing_words(parse.heads), crossing_words(sentence.heads)
        wanted, found = wanted + len(others), found + len(own)
        right += sum(parse.heads[word - 1] == sentence.heads[word - 1] for word in own & others)
    return 100 * right / max(wanted, 1), 100 * right / max(found, 1)


def rows(model: CommitteeModel, gold: Sequence[Sentence], name: str, row: str) -> None:
    """Print the figures of a model with given and with predicted tags."""
    for tags in ("given", "joint"):
        options: dict[str, Any] = {"tags": tags, "marginals": True}
        parses = list(model.parse_all(gold, **options))
        trees = [
            sentence.replace(heads=parse.heads, deprels=parse.labels)
            for sentence, parse in zip(gold, parses, strict=True)
        ]
        scores = score(gold, trees)
        recall, precision = crossing_of(parses, gold)
        print(
            f"{name:<9} {tags:<5} {row:<8} {scores.uas:6.2f} {scores.las:6.2f} "
            f"{error_of(parses, gold):6.2f} {recall:7.1f} {precision:10.1f}",
            flush=True,
        )


def main() -> None:
    """Train committees, and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("treebanks", nargs="*", choices=[*FILES, []], default=[])
    parser.add_argument("--part", default="test", choices=("dev", "test"))
    arguments = parser.parse_args()
    print(HEADINGS)
    for name in arguments.treebanks or FILES:
        train, gold = (
            bistro.read(FOLDER / FILES[name].format(p)) for p in ("train", arguments.part)
        )
        model = bistro.train("committee", train, seed=1)
        rows(model, gold, name, "after")
        model.fits = {w: replace(f, sharpness=USUAL_SHARPNESS) for w, f in model.fits.items()}
        model.crossing = Crossing()
        rows(model, gold, name, "before")


if __name__ == "__main__":
    main()
