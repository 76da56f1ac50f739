"""Remaining errors of the best committee: by relation, by length, and confusions of relations.

    python -m experiments.parse_errors [ddt] [ewt] [--models FOLDER] [--tags given|joint]

The committee with the latent-variable parser (`experiments.isbn_tables`, same FOLDER), test part,
all words, subtypes of relations ignored. By gold relation, the commonest first: words, UAS, LAS,
the percentage of all labelled errors, and the relation that is most often predicted instead. By
length of the dependency: F1, labelled and unlabelled. By length of the sentence: UAS, LAS, and the
percentage of sentences with only correct heads. Confusions: gold and predicted relation where they
differ, and how often the head is nevertheless correct.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bistro.evaluate.attachment import score
from bistro.evaluate.by_length import score_by_length
from bistro.evaluate.by_relation import plain_relation, score_by_relation
from bistro.evaluate.by_sentence import score_by_sentence
from bistro.models.committee.model import CommitteeModel
from bistro.treebank.sentence import Sentence
from experiments.isbn_tables import Models
from experiments.treebanks import load_split

RELATIONS_SHOWN = 24
CONFUSIONS_SHOWN = 12


def parsed(model: CommitteeModel, gold: Sequence[Sentence], tags: str) -> list[Sentence]:
    parses = model.parse_all(gold, tags=tags)
    return [
        sentence.replace(heads=parse.heads, deprels=parse.labels)
        for sentence, parse in zip(gold, parses, strict=True)
    ]


def by_relation(gold: Sequence[Sentence], found: Sequence[Sentence]) -> None:
    rows = score_by_relation(gold, found)
    errors = sum(row.words * (100 - row.las) for row in rows)
    print(f"\n{'relation':<12} {'words':>6} {'UAS':>6} {'LAS':>6} {'of errors':>9}  taken for")
    for row in rows[:RELATIONS_SHOWN]:
        share = 100 * row.words * (100 - row.las) / errors
        figures = f"{row.words:>6,} {row.uas:6.1f} {row.las:6.1f} {share:8.1f}%"
        other = f"{row.taken_for[0]} {row.taken_for[1]}" if row.taken_for else ""
        print(f"{row.relation:<12} {figures}  {other}")


def by_lengths(gold: Sequence[Sentence], found: Sequence[Sentence]) -> None:
    print(f"\n{'dependency':<12} {'gold':>6} {'LAS F1':>6} {'UAS F1':>6}")
    for row in score_by_length(gold, found):
        print(f"{row.length:<12} {row.gold:>6,} {row.las.f1:6.1f} {row.uas.f1:6.1f}")
    print(f"\n{'sentence':<12} {'number':>6} {'UAS':>6} {'LAS':>6}  all heads right")
    for of_length in score_by_sentence(gold, found):
        if of_length.sentences:
            figures = f"{of_length.uas:6.1f} {of_length.las:6.1f} {of_length.exact:6.1f}"
            print(f"{of_length.length:<12} {of_length.sentences:>6,} {figures}")


def confusions(gold: Sequence[Sentence], found: Sequence[Sentence]) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    same_head: Counter[tuple[str, str]] = Counter()
    for right, given in zip(gold, found, strict=True):
        rows = zip(right.heads, given.heads, right.deprels, given.deprels, strict=True)
        for head, found_head, label, found_label in rows:
            pair = plain_relation(label), plain_relation(found_label)
            if pair[0] != pair[1]:
                counts[pair] += 1
                same_head[pair] += head == found_head
    print(f"\nright > found: words, with the right head ({counts.total():,} wrong relations)")
    for (right_label, found_label), times in counts.most_common(CONFUSIONS_SHOWN):
        pair = right_label, found_label
        print(f"{f'{right_label} > {found_label}':<24} {times:>5} {same_head[pair]:>5}")


def main() -> None:
    """Print the tables of the selected treebanks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebanks", nargs="*", default=["ddt", "ewt"])
    parser.add_argument("--models", type=Path, default=None)
    parser.add_argument("--tags", choices=("given", "joint"), default="joint")
    options = parser.parse_args()
    print(__doc__)
    models = Models(options.models)
    for name in options.treebanks:
        gold = list(load_split(name).test)
        found = parsed(models.best(name), gold, options.tags)
        scores = score(gold, found)
        words = f"{scores.words:,} words in {scores.sentences:,} sentences"
        print(
            f"\n{name} test, tags {options.tags}: UAS {scores.uas:.2f} LAS {scores.las:.2f}, "
            f"{words}"
        )
        by_relation(gold, found)
        by_lengths(gold, found)
        confusions(gold, found)


if __name__ == "__main__":
    main()
