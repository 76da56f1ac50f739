"""Sentences drawn from the 5-gram and the parser: Table 7 of Buys & Blunsom (2015), extended.

    python -m experiments.generated_table

Both models are trained on the WSJ sample (one `<unk>`, preset `wsj`, seed 1), punctuation included.
Each draws 1000 sentences (seed 1). The program prints the ten most probable ones, under the model
that drew them, with ten words or more and without `<unk>`; the probability from the parser is
summed over all trees. Such a list favours typical sentences. The first ten sentences that were
drawn are therefore also printed, and figures for all sentences: the mean number of words, the
number of sentences with quotation marks in which all are paired, and the percentage that ends with
a full stop or another final mark.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import bistro
from bistro.config import read_toml
from bistro.models.abilities import GENERATE, SCORE
from bistro.models.base import Model
from bistro.models.inputs import as_words
from bistro.models.presets import file_or_preset
from bistro.models.transition.config import TransitionConfig
from experiments.treebanks import load_split

SEED = 1
DRAWN = 1000
SHOWN = 10
FEWEST_WORDS = 10
UNKNOWN = "<unk>"
OPEN, CLOSED = "``", "''"
ENDS = {".", "?", "!", CLOSED}

Sentences = Sequence[Sequence[str]]


def most_probable(model: Model, sentences: Sentences) -> list[str]:
    """Return the distinct sentences of highest probability, best first."""
    long = [s for s in sentences if len(s) >= FEWEST_WORDS and UNKNOWN not in s]
    different = list({" ".join(words): list(words) for words in long}.values())
    scores = SCORE.of(model).score(different)
    totals = np.add.reduceat(scores.log_probs, scores.offsets[:-1])
    best = np.argsort(-totals, kind="stable")[:SHOWN]
    return [f"{totals[i]:8.2f}  {' '.join(different[i])}" for i in best]


def in_pairs(words: Sequence[str]) -> bool:
    """Return whether every opening quotation mark is closed before the next one opens."""
    marks = [word for word in words if word in (OPEN, CLOSED)]
    return marks == [OPEN, CLOSED] * (len(marks) // 2)


def counted(name: str, sentences: Sentences) -> str:
    quoting = [words for words in sentences if {OPEN, CLOSED} & set(words)]
    paired = sum(map(in_pairs, quoting))
    ended = sum(words[-1] in ENDS for words in sentences)
    length = sum(map(len, sentences)) / len(sentences)
    return (
        f"{name:<12} {length:6.1f} words per sentence   quotation marks in pairs {paired:>4} of "
        f"{len(quoting):>4}   ended {100 * ended / len(sentences):5.1f} %"
    )


def main() -> None:
    print(__doc__)
    treebank = load_split("wsj").train
    config = read_toml(file_or_preset("wsj"), TransitionConfig)
    models: dict[str, Model] = {
        "transition": bistro.train(
            "transition", treebank, config=config, seed=SEED, unknown="single"
        ),
        "5-gram": bistro.train("ngram", treebank, seed=SEED, unknown="single"),
    }
    drawn: dict[str, Sentences] = {
        n: list(GENERATE.of(m).generate(DRAWN, SEED)) for n, m in models.items()
    }
    for name, model in models.items():
        print(f"{name}: the most probable sentences, with their log-probability")
        print("\n".join(most_probable(model, drawn[name])), end="\n\n")
    for name, sentences in drawn.items():
        print(f"{name}: the first sentences")
        print("\n".join(" ".join(words) for words in sentences[:SHOWN]), end="\n\n")
    for name, sentences in {**drawn, "treebank": as_words(treebank)}.items():
        print(counted(name, sentences))


if __name__ == "__main__":
    main()
