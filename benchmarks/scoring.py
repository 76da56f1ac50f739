"""Words scored per second from files to figures, compared with the official scorer in one run.

The system file is made from the gold file: tokens are split and sentences joined at random, so that
words must be aligned by characters. With `--same-words` both files are the same. Times are CPU
times, the best of several rounds in which the scorers alternate. The counts of all metrics must
agree. Use:

    python benchmarks/scoring.py train.conllu [--rounds 3] [--same-words]
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from udtools.udeval import evaluate, load_conllu_file

from bistro.evaluate.attachment import IN_ORDER, score
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import iter_sentences, write

Counts = dict[str, tuple[int, int, int]]


def resplit(path: Path) -> Iterator[Sentence]:
    """Yield the same text with some tokens split in two and some sentences joined."""
    rng = random.Random(1)
    forms: list[str] = []
    multiword: list[tuple[int, int, str]] = []
    columns: dict[str, Any] = {"lemmas": [], "upos": [], "feats": [], "deprels": []}
    for sentence in iter_sentences(path):
        for first, last, form, _, is_multiword in sentence.tokens:
            words = [(sentence.forms[word - 1], word) for word in range(first, last + 1)]
            if is_multiword:
                multiword.append((len(forms) + 1, len(forms) + len(words), form))
            elif len(form) > 1 and rng.random() < 0.02:
                words = [(form[:1], first), (form[1:], first)]
            for word, place in words:
                forms.append(word)
                for name, values in columns.items():
                    values.append(getattr(sentence, name)[place - 1])
        if rng.random() < 0.9:
            heads = [0, *(rng.randint(1, word) for word in range(1, len(forms)))]
            yield Sentence.from_columns(forms, heads=heads, multiword=multiword, **columns)
            forms, multiword, columns = [], [], {name: [] for name in columns}
    if forms:
        heads = [0, *range(1, len(forms))]
        yield Sentence.from_columns(forms, heads=heads, multiword=multiword, **columns)


def with_bistro(gold: Path, system: Path) -> Counts:
    scores = score(iter_sentences(gold), iter_sentences(system, roots="any", partial=True))
    return {name: (m.correct, m.gold, m.system) for name, m in scores.metrics.items()}


def with_official(gold: Path, system: Path) -> Counts:
    scores = evaluate(load_conllu_file(str(gold)), load_conllu_file(str(system)))
    named = {name: scores[label] for label, name, _ in IN_ORDER}
    return {name: (m.correct, m.gold_total, m.system_total) for name, m in named.items()}


SCORERS: dict[str, Callable[[Path, Path], Counts]] = {
    "udtools.udeval": with_official,
    "bistro.score_trees": with_bistro,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--same-words", action="store_true")
    arguments = parser.parse_args()
    gold: Path = arguments.path
    words = sum(map(len, iter_sentences(gold)))
    seconds = dict.fromkeys(SCORERS, float("inf"))
    counts: dict[str, Counts] = {}
    with tempfile.TemporaryDirectory() as folder:
        system = gold if arguments.same_words else Path(folder, "system.conllu")
        if system != gold:
            write(resplit(gold), system)
        for _ in range(arguments.rounds):
            for name, scorer in SCORERS.items():
                start = time.process_time()
                counts[name] = scorer(gold, system)
                seconds[name] = min(seconds[name], time.process_time() - start)
    ours, theirs = counts["bistro.score_trees"], counts["udtools.udeval"]
    if wrong := [name for name in ours if ours[name] != theirs[name]]:
        raise SystemExit(f"the scorers disagree: {wrong}")
    print("scorer\twords\tseconds\twords_per_second\tratio")
    for name, taken in seconds.items():
        ratio = seconds["udtools.udeval"] / taken
        print(f"{name}\t{words}\t{taken:.2f}\t{words / taken:.0f}\t{ratio:.1f}")


if __name__ == "__main__":
    main()
