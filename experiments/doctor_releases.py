"""The doctor on real corrections: EWT as it was in UD 2.8, and what had changed by UD 2.12.

    python -m experiments.doctor_releases [--part dev] [--kinds eisner] [--seed 1]

The part of UD 2.8 is examined by models of 10 folds of itself. A finding is right if the value is
another one in UD 2.12 (`bistro.evaluate.doctor_since`). Punctuation is left out, and some changes
follow new guidelines. Two simple rankings are shown too: the order of the file, and variation
n-grams (Boyd, Dickinson & Meurers 2008): pairs of words that occur several times with the same
words between and around them, and are annotated in different ways. The rarer annotations of the
most frequent pairs come first, values that vary nowhere last, in the order of the file.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence

import bistro
from benchmarks.data import data_dir
from bistro.evaluate.doctor import Finding, arc_names
from bistro.evaluate.doctor_since import Place, changes, hits
from bistro.treebank.sentence import Sentence

NOTHING = "none"
LONGEST = 8
"""Words between a word and its head, at most."""


def variation(sentences: Sequence[Sentence]) -> dict[Place, float]:
    """Return a score for every word whose relation to another word varies in the same context."""
    nuclei: dict[tuple[str, ...], list[tuple[Place, str]]] = defaultdict(list)
    for number, sentence in enumerate(sentences):
        forms = ["<s>", *(form.lower() for form in sentence.forms), "</s>"]
        for word in range(1, len(forms) - 1):
            for other in range(max(1, word - LONGEST), min(len(forms) - 1, word + LONGEST + 1)):
                if other == word:
                    continue
                low, high = min(word, other), max(word, other)
                side = "left" if word < other else "right"
                key = (side, *forms[low - 1 : high + 2])
                is_head = sentence.heads[word - 1] == other
                label = sentence.deprels[word - 1] if is_head else NOTHING
                nuclei[key].append(((number, word), label))
    scores: dict[Place, float] = {}
    for rows in nuclei.values():
        counts = Counter(label for _, label in rows)
        if len(counts) < 2:
            continue
        for place, label in rows:
            score = 1 - counts[label] / len(rows)
            if score > 0.5 or len(rows) == 2:
                scores[place] = max(scores.get(place, 0.0), score * len(rows))
    return scores


def by_variation(sentences: Sequence[Sentence]) -> list[Finding]:
    """Return all arcs, those that vary most first."""
    scores = variation(sentences)
    values = [
        Finding(scores.get((number, word), 0.0), "head", number, word, arc, 0.0, "", 0.0)
        for number, sentence in enumerate(sentences)
        for word, arc in enumerate(arc_names(sentence), start=1)
    ]
    return sorted(values, key=lambda one: (-one.surprise, one.sentence, one.word))


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--part", default="dev", choices=("dev", "test"))
    options.add_argument("--kinds", nargs="*", default=["eisner"])
    options.add_argument("--folds", type=int, default=10)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    folder = data_dir() / "en_ewt_releases"
    older = bistro.read(folder / f"en_ewt-r2.8-{chosen.part}.conllu")
    newer = bistro.read(folder / f"en_ewt-r2.12-{chosen.part}.conllu")
    changed = changes(older, newer)

    def show(name: str, ranked: Sequence[Finding]) -> None:
        kept = [f for f in ranked if older[f.sentence].upos[f.word - 1] != "PUNCT"]
        print(f"{name}: {hits(kept, changed)}", flush=True)

    varying = by_variation(older)
    show("arcs, order of the file", sorted(varying, key=lambda one: (one.sentence, one.word)))
    show("arcs, variation n-grams", varying)
    for kind in chosen.kinds:
        found = bistro.examine(older, kind=kind, k=chosen.folds, seed=chosen.seed)
        show(f"arcs, {kind}, {chosen.folds} folds", found.arcs)
        show(f"tags, {kind}, {chosen.folds} folds", found.tags)


if __name__ == "__main__":
    main()
