"""The doctor on real corrections: EWT as released in UD 2.8, and its changes up to UD 2.12.

    python -m experiments.doctor_releases [--part dev] [--kinds eisner] [--seed 1]

The part of UD 2.8 is examined by models of 10 folds of itself. A finding is correct if the value
differs in UD 2.12 (`bistro.evaluate.doctor_since`). Punctuation is excluded, and some changes
follow new guidelines. Two simple rankings are shown for comparison: the order of the file, and
variation n-grams. These are words (Dickinson & Meurers 2003), or pairs of words (Boyd, Dickinson &
Meurers 2008), that occur several times with the same words between and around them and are
annotated in different ways. The rarer annotations of the most frequent n-grams come first. Values
that do not vary come last, in the order of the file.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence

import bistro
from benchmarks.data import data_dir
from bistro.evaluate.doctor import Finding, What, arc_names
from bistro.evaluate.doctor_since import Place, changes, hits
from bistro.treebank.sentence import Sentence

NOTHING = "none"
LONGEST = 8
"""Maximum distance in words between a word and its head."""


Nuclei = dict[tuple[str, ...], list[tuple[Place, str]]]
"""For each context, the places where it occurs, with the annotation of each."""


def pairs_of_words(sentences: Sequence[Sentence], around: int) -> Nuclei:
    """Return the relation between any two words, keyed by the words between and around them."""
    nuclei: Nuclei = defaultdict(list)
    for number, sentence in enumerate(sentences):
        forms, size = _padded(sentence, around), len(sentence)
        for word in range(1, size + 1):
            for other in range(max(1, word - LONGEST), min(size, word + LONGEST) + 1):
                if other == word:
                    continue
                low, high = min(word, other), max(word, other)
                side = "left" if word < other else "right"
                key = (side, *forms[low - 1 : high + 2 * around])
                is_head = sentence.heads[word - 1] == other
                label = sentence.deprels[word - 1] if is_head else NOTHING
                nuclei[key].append(((number, word), label))
    return nuclei


def words(sentences: Sequence[Sentence], around: int) -> Nuclei:
    """Return the tag of every word, keyed by the word and the words around it."""
    nuclei: Nuclei = defaultdict(list)
    for number, sentence in enumerate(sentences):
        forms = _padded(sentence, around)
        for word, tag in enumerate(sentence.upos, start=1):
            key = tuple(forms[word - 1 : word + 2 * around])
            nuclei[key].append(((number, word), tag))
    return nuclei


def _padded(sentence: Sentence, around: int) -> list[str]:
    edges = ["<s>"] * around, ["</s>"] * around
    return [*edges[0], *(form.lower() for form in sentence.forms), *edges[1]]


def variation(nuclei: Nuclei) -> dict[Place, float]:
    """Return a score for every word whose annotation varies in the same context."""
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


def ranked_by(
    scores: dict[Place, float], sentences: Sequence[Sentence], what: What
) -> list[Finding]:
    """Return all arcs or tags, those with the most variation first."""
    found = []
    for number, sentence in enumerate(sentences):
        values = sentence.upos if what == "tag" else arc_names(sentence)
        for word, value in enumerate(values, start=1):
            score = scores.get((number, word), 0.0)
            found.append(Finding(score, what, number, word, value, 0.0, "", 0.0))
    return sorted(found, key=lambda one: (-one.surprise, one.sentence, one.word))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", default="dev", choices=("dev", "test"))
    parser.add_argument("--kinds", nargs="*", default=["eisner"])
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = data_dir() / "en_ewt_releases"
    older = bistro.read(folder / f"en_ewt-r2.8-{options.part}.conllu")
    newer = bistro.read(folder / f"en_ewt-r2.12-{options.part}.conllu")
    changed = changes(older, newer)

    def show(name: str, ranked: Sequence[Finding]) -> None:
        kept = [f for f in ranked if older[f.sentence].upos[f.word - 1] != "PUNCT"]
        print(f"{name}: {hits(kept, changed)}", flush=True)

    show("arcs, order of the file", ranked_by({}, older, "head"))
    show("tags, order of the file", ranked_by({}, older, "tag"))
    for around in (0, 1):
        context = f"variation n-grams, {around} words of context"
        show(f"arcs, {context}", ranked_by(variation(pairs_of_words(older, around)), older, "head"))
        show(f"tags, {context}", ranked_by(variation(words(older, around)), older, "tag"))
    for kind in options.kinds:
        found = bistro.examine(older, kind=kind, k=options.folds, seed=options.seed)
        show(f"arcs, {kind}, {options.folds} folds", found.arcs)
        show(f"tags, {kind}, {options.folds} folds", found.tags)


if __name__ == "__main__":
    main()
