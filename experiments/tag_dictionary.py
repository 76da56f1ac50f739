"""Tags that a word never had in training: hard, soft or no dictionary, over seeds and treebanks.

    python -m experiments.tag_dictionary [wsj] [ewt] [ddt] [--part dev|test] [--seeds N]
    python -m experiments.tag_dictionary --committee [wsj] [ewt] [ddt]
    python -m experiments.tag_dictionary --perplexity wsj

Means over seeds 1 to N (default: 5) with their standard deviation. Transition parser: presets
`wsj`, `ud` and `ddt`, 20 sweeps, predicted tags, 1000 particles by weight, minimum risk. Committee:
default members; the weights for each dictionary are fitted on one half of the development part. WSJ
and DDT: punctuation excluded; EWT: all words, subtypes ignored. Perplexity: the loss of language
models if they sum only over the tags that each word had in training (`--tags-seen`); all commands
sum over all tags by default.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import bistro
from bistro.config import read_toml
from bistro.models.committee.fitting import fitted
from bistro.models.presets import file_or_preset
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.model import TransitionModel
from experiments.transition_test import PRESETS
from experiments.treebanks import FILES, Outcome, Split, evaluate, load_split

FACTORS = (0.5, 0.3, 0.1, 0.03)
DEFAULT = {"tag_dictionary": "soft"}
FORMER = {"hard, 3 tags": {"tag_dictionary": "hard", "tags_per_word": 3}}
"""The behaviour of Bistro before the dictionary was an option."""
ENDS = {"hard": {"tag_dictionary": "hard"}, "none": {"tag_dictionary": "none"}}
SOFT = {f"soft {factor:g}": {**DEFAULT, "unseen_tags": factor} for factor in FACTORS}
HEADINGS = f"{'UAS':>14} {'LAS':>14} {'tags':>14} {'sent/s':>8}"


def trained(split: Split, seeds: int) -> Iterator[TransitionModel]:
    """Yield the model of the treebank's preset for every seed."""
    config = read_toml(file_or_preset(PRESETS[split.name]), TransitionConfig)
    for seed in range(1, seeds + 1):
        yield bistro.train("transition", split.train, seed=seed, config=config)


def figures(name: str, outcome: Outcome) -> list[float]:
    """Return UAS, LAS, tag accuracy and speed with the convention of this treebank."""
    counted = outcome.scores if name == "ewt" else outcome.scores.no_punct
    values = (counted.uas, counted.las, outcome.tag_accuracy, outcome.sentences_a_second)
    return [np.nan if value is None else value for value in values]


def print_rows(table: dict[str, list[list[float]]]) -> None:
    """Print mean and standard deviation over seeds; for the speed, only the mean."""
    print(f"{'':<12} {HEADINGS}")
    for name, rows in table.items():
        mean, spread = np.mean(rows, axis=0), np.std(rows, axis=0)
        shown = (f"{m:7.2f} ± {s:4.2f}" for m, s in zip(mean[:3], spread[:3], strict=True))
        print(f"{name:<12} {' '.join(shown)} {mean[3]:8.0f}", flush=True)


def parser_table(split: Split, part: str, seeds: int) -> None:
    """Print the rows of the transition parser on one part of a treebank."""
    # The test part is only evaluated with the chosen settings.
    ways: dict[str, dict[str, Any]] = (
        {**FORMER, **ENDS, **SOFT} if part == "dev" else {**FORMER, "soft": DEFAULT}
    )
    table: dict[str, list[list[float]]] = {way: [] for way in ways}
    for model in trained(split, seeds):
        for way, options in ways.items():
            outcome = evaluate(model, getattr(split, part), **options)
            table[way].append(figures(split.name, outcome))
    print(f"\n{split.name} {part}, {seeds} seeds")
    print_rows(table)


def committee_table(split: Split, seeds: int) -> None:
    """Print the rows of the committee; weights are fitted on half of the development part."""
    fit, held_out = split.dev[::2], split.dev[1::2]
    ways: dict[str, dict[str, Any]] = {**FORMER, **ENDS, "soft": DEFAULT}
    table: dict[str, list[list[float]]] = {way: [] for way in ways}
    for seed in range(1, seeds + 1):
        model = bistro.train("committee", split.train, seed=seed)
        for way, options in ways.items():
            model.fits["joint"] = fitted(model, fit, "joint", 1, **options)
            table[way].append(figures(split.name, evaluate(model, held_out, **options)))
    print(f"\n{split.name}, committee, other half of dev, {seeds} seeds")
    print_rows(table)


def perplexity_table(split: Split, seeds: int) -> None:
    """Print perplexities over all tags and over the tags seen in training."""
    print(f"\n{split.name} dev, perplexity with the end of sentence, by Monte Carlo")
    for tags in ("all", "seen"):
        values, begin = [], time.process_time()
        for model in trained(split, seeds):
            scores = model.score([s.forms for s in split.dev], tags=tags, repeats=1, threads=1)
            values.append(float(np.exp(-scores.log_probs.mean())))
        seconds = (time.process_time() - begin) / seeds
        print(f"tags {tags:<6} {np.mean(values):8.2f} ± {np.std(values):.2f}, {seconds:.0f} s")


def main() -> None:
    """Print the tables of the selected treebanks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebanks", nargs="*", default=list(FILES))
    parser.add_argument("--part", choices=("dev", "test"), default="dev")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--committee", action="store_true")
    parser.add_argument("--perplexity", action="store_true")
    options = parser.parse_args()
    print(__doc__)
    for name in options.treebanks:
        split = load_split(name)
        if options.committee:
            committee_table(split, options.seeds)
        elif options.perplexity:
            perplexity_table(split, options.seeds)
        else:
            parser_table(split, options.part, options.seeds)


if __name__ == "__main__":
    main()
