"""Morphemes of written words with unbounded contexts, on isiZulu.

    python -m experiments.infinite_morphology words [--part dev|test] [--depths] [--fit seating]
    python -m experiments.infinite_morphology curve [--beam 20]

*words*: labelled morphemes of written words. Figures: boundary F1, words with correct segments,
labelled F1, words with correct morphemes, correct canonical forms; for words seen and not seen in
training. The model is compared with a baseline that returns the most frequent analysis of a seen
word (and the model's analysis of others), and with --depths also with models of bounded contexts.
Part dev is every tenth paragraph of zu-train; the model is then trained on the others.

*curve*: the same on dev, trained on the first 100, 300, 1,000 and 3,000 distinct words.

Utterances of morphemes, as in the paper: ``python -m experiments.paper shareghi-2015 table2``.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import bistro
from benchmarks.data import data_dir
from bistro.evaluate.segmentation import score
from bistro.treebank.morphology import (
    Morpheme,
    Paragraph,
    SegmentedWord,
    format_morphemes,
    parse_morphemes,
)
from bistro.treebank.morphology_files import read_segmented

DEV_EVERY = 10
CURVE_WORDS = 1500
SHOWN = (
    "boundary_f1",
    "boundary_precision",
    "boundary_recall",
    "segments_right",
    "labelled_f1",
    "words_right",
    "canonical_right",
)


def load(part: str) -> list[Paragraph]:
    return list(read_segmented(data_dir() / "zu_morph" / f"zu-{part}.tsv", tolerance=0.001))


def split(paragraphs: Sequence[Paragraph], part: int, parts: int) -> tuple[Any, Any]:
    """Return all paragraphs except those of one part, and that part."""
    rest = [p for i, p in enumerate(paragraphs) if i % parts != part]
    return rest, [p for i, p in enumerate(paragraphs) if i % parts == part]


def report(
    name: str,
    gold: Sequence[SegmentedWord],
    seen: set[str],
    surface: Callable[[str], Sequence[Morpheme]],
    canonical: Callable[[str], Sequence[Morpheme]],
) -> None:
    """Print the figures of one method: boundaries from `surface`, forms from `canonical`."""
    places = score(gold, [w.with_morphemes(surface(w.form)) for w in gold], seen)
    forms = score(gold, [w.with_morphemes(canonical(w.form)) for w in gold], seen)
    for group, figures in places.figures.items():
        figures["canonical_right"] = forms.figures[group]["canonical_right"]
        shown = " ".join(f"{figures[key]:7.2f}" for key in SHOWN)
        print(f"{name:16} {group:7} {places.words[group]:5d} {shown}", flush=True)


def run_words(part: str, depths: bool, beam: int, fit: str) -> None:
    """Print the scores of segmentation."""
    whole = load("train")
    train, held_out = (whole, load("test")) if part == "test" else split(whole, 7, DEV_EVERY)
    words = [word for paragraph in train for word in paragraph]
    gold = [word for paragraph in held_out for word in paragraph]
    seen = {word.form for word in words}
    print(f"# {len(words):,} words for training, {len(gold):,} of {part}")
    print(
        "model            words   number  bnd F1    prec     rec segm ok  lab F1 word ok canon ok"
    )
    for depth in (None, 1, 2, 3) if depths else (None,):
        begin = time.process_time()
        model = bistro.train("morphology", train, depth=depth, fit=fit)
        trained = time.process_time()
        forms = sorted({word.form for word in gold})
        found = {one.word: one.best for one in model.iter_segment(forms, beam=beam)}
        done = time.process_time()
        surfaces = {word: parse_morphemes(str(best)) for word, best in found.items()}
        canonicals = {word: parse_morphemes(best.canonical) for word, best in found.items()}
        name = "unbounded" if depth is None else f"depth {depth}"
        report(name, gold, seen, surfaces.__getitem__, canonicals.__getitem__)
        print(
            f"# {trained - begin:.1f} s of training, {len(forms) / (done - trained):,.0f} distinct "
            "words per second",
            flush=True,
        )
        if depth is None:
            usual = most_frequent(words)
            report(
                "looked up",
                gold,
                seen,
                lambda w, u=usual, s=surfaces: u.get(w) or s[w],  # type: ignore[misc]
                lambda w, u=usual, c=canonicals: u.get(w) or c[w],  # type: ignore[misc]
            )


def run_curve(beam: int) -> None:
    """Print the scores on dev of models trained on few distinct words."""
    train, held_out = split(load("train"), 7, DEV_EVERY)
    gold = [word for paragraph in held_out for word in paragraph][:CURVE_WORDS]
    different: dict[str, SegmentedWord] = {}
    for word in (word for paragraph in train for word in paragraph):
        different.setdefault(word.form, word)
    for size in (100, 300, 1000, 3000):
        words = list(different.values())[:size]
        model = bistro.train("morphology", [Paragraph(words)])
        forms = sorted({word.form for word in gold})
        found = {one.word: one.best for one in model.iter_segment(forms, beam=beam)}
        surfaces = {word: parse_morphemes(str(best)) for word, best in found.items()}
        canonicals = {word: parse_morphemes(best.canonical) for word, best in found.items()}
        seen = {word.form for word in words}
        report(f"{size} words", gold, seen, surfaces.__getitem__, canonicals.__getitem__)


def most_frequent(words: Iterable[SegmentedWord]) -> dict[str, tuple[Morpheme, ...]]:
    """Return the most frequent analysis of each word."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for word in words:
        counts[word.form][format_morphemes(word.morphemes)] += 1
    return {form: parse_morphemes(own.most_common(1)[0][0]) for form, own in counts.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("setting", choices=("words", "curve"))
    parser.add_argument("--fit", choices=("left-out", "seating"), default="left-out")
    parser.add_argument("--part", choices=("dev", "test"), default="test")
    parser.add_argument("--depths", action="store_true")
    parser.add_argument("--beam", type=int, default=50)
    options = parser.parse_args()
    if options.setting == "words":
        run_words(options.part, options.depths, options.beam, options.fit)
    else:
        run_curve(options.beam)


if __name__ == "__main__":
    main()
