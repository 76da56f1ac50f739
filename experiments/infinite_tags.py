"""Tagging with unbounded contexts: Tables 4 and 5(a) of Shareghi et al. (2015) on our data.

    python -m experiments.infinite_tags [table4] [depth] [spines] [settings] [treebank ...]

`table4`: token and sentence accuracy of every search on the test part, for both ways of learning:
"one pass" (minimal seating, hyper-parameters fitted to blocks left out, no bound) and "sampled"
(the preset tagger: Gibbs seating, slice sampling, contexts of 6). `depth`: contexts of 1, 2, 3, 4
tags (the node's own counted) and without bound (sampled: 20); also as in the paper, that is, with
hyper-parameters fitted to the seating.
`spines`: of the thousand most frequent tag sequences of each length in the right tags, how many are
among the thousand most frequent that were found. `settings`: thresholds and classes of unknown
words on the development part, by which the defaults were chosen.
Treebanks: ewt-xpos ewt-upos ddt-xpos ddt-upos wsj; all unless named. One seed.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import bistro
from bistro.config import read_toml, to_dict
from bistro.evaluate.attachment import score
from bistro.models.presets import file_or_preset
from bistro.models.results.structures import Tagging
from bistro.models.tags.config import TagsConfig
from bistro.models.tags.model import TagsModel
from bistro.treebank.sentence import Sentence
from experiments.treebanks import Split, load_split

TREEBANKS = {
    "ewt-xpos": ("ewt", "xpos"),
    "ewt-upos": ("ewt", "upos"),
    "ddt-xpos": ("ddt", "xpos"),
    "ddt-upos": ("ddt", "upos"),
    "wsj": ("wsj", "xpos"),
}
SEARCHES: dict[str, dict[str, Any]] = {
    "PCFG (HMM), best sequence": {"search": "hmm", "mbr": False},
    "PCFG (HMM), least risk": {"search": "hmm"},
    "A* local, beam 200": {"search": "astar-local", "beam": 200},
    "A* full, beam 200": {"search": "astar-full", "beam": 200},
    "MCMC, 5,000 draws": {"search": "mcmc", "samples": 5000},
    "beam 256, best sequence": {"beam": 256, "mbr": False},
    "beam 256, least risk": {"beam": 256},
    "beam 16, least risk": {"beam": 16},
}
PAPER = """Paper (English, Danish, Swedish; TL SL): A* local 95.50 54.11, 89.85 35.10, 87.04 32.13;
A* full 95.27 53.88, 88.57 32.6, 85.62 28.53; MCMC 96.04 54.25, 95.55 72.93, 89.97 34.45;
PCFG 94.69 47.22, 89.04 31.7, 89.76 33.93"""
DEPTHS = (1, 2, 3, 4, None)
ONE_PASS: dict[str, Any] = {}
SAMPLED = to_dict(read_toml(file_or_preset("tagger"), TagsConfig))
SEATING = {"fit": "seating"}


def trained(split: Split, column: str, learning: dict[str, Any], **settings: Any) -> TagsModel:
    chosen = {**learning, **settings, "tagset": column}
    return bistro.train("tags", split.train, seed=1, **chosen)


def accuracy(
    gold: Sequence[Sentence], found: Sequence[Tagging], column: str
) -> tuple[float, float]:
    """Return the shares of right words and of sentences that are right throughout, in percent."""
    system = [s.replace(**{column: t.tags}) for s, t in zip(gold, found, strict=True)]
    figures = score(gold, system).to_dict()
    return figures[column], figures[f"{column}_sentences"]


def tagged(
    model: TagsModel, sentences: Sequence[Sentence], **options: Any
) -> tuple[list[Tagging], float]:
    """Return the tags on one core, and seconds a word."""
    begin = time.process_time()
    found = list(model.tag_all(sentences, threads=1, **options))
    return found, (time.process_time() - begin) / sum(map(len, sentences))


def table4(names: Sequence[str]) -> None:
    print(f"\nTable 4: test, percent of words, of sentences; milliseconds a word\n{PAPER}")
    for name in names:
        treebank, column = TREEBANKS[name]
        split = load_split(treebank)
        for way, learning in (("one pass", ONE_PASS), ("sampled", SAMPLED)):
            model = trained(split, column, learning)
            for told, options in SEARCHES.items():
                found, seconds = tagged(model, split.test, **options)
                words, sentences = accuracy(split.test, found, column)
                row = f"{name:<9} {way:<9} {told:<26} {words:6.2f} {sentences:6.2f}"
                print(f"{row} {1e3 * seconds:9.4f}", flush=True)


def depth(names: Sequence[str]) -> None:
    print("\nDepth: test, percent of words, of sentences, by least risk, beam 64")
    ways = {"as in the paper": SEATING, "one pass": ONE_PASS, "sampled": SAMPLED}
    for name in names:
        treebank, column = TREEBANKS[name]
        split = load_split(treebank)
        for way, learning in ways.items():
            cells = []
            for bound in DEPTHS:
                depths = {"depth": bound, "gibbs_depth": bound or 20}
                model = trained(split, column, learning | depths)
                found, _ = tagged(model, split.test, beam=64)
                cells.append("{:5.2f} {:5.2f}".format(*accuracy(split.test, found, column)))
            print(f"{name:<9} {way:<15} {'   '.join(cells)}", flush=True)


def matched_spines(gold: Sequence[list[str]], found: Sequence[list[str]], size: int) -> float:
    """Return how many of the 1,000 most frequent sequences are so in both, in percent."""

    def frequent(columns: Sequence[list[str]]) -> set[tuple[str, ...]]:
        counts = Counter(
            tuple(tags[i : i + size]) for tags in columns for i in range(len(tags) - size + 1)
        )
        ranked = sorted(counts, key=lambda spine: (-counts[spine], spine))
        return set(ranked[:1000])

    right = frequent(gold)
    return 100 * len(right & frequent(found)) / len(right)


def spines(names: Sequence[str]) -> None:
    print("\nTable 5(a), tags: matched among the 1,000 most frequent spines of size 2 to 10, test")
    for name in names:
        treebank, column = TREEBANKS[name]
        split = load_split(treebank)
        gold = [getattr(sentence, column) for sentence in split.test]
        for bound in (None, 2):
            model = trained(split, column, SAMPLED, depth=bound, gibbs_depth=bound or 20)
            found, _ = tagged(model, split.test, search="mcmc")
            tags = [tagging.tags for tagging in found]
            cells = " ".join(f"{matched_spines(gold, tags, k):4.0f}" for k in range(2, 11))
            print(f"{name:<9} {bound or 'inf':>4} {cells}", flush=True)


def settings(names: Sequence[str]) -> None:
    print("\nUnknown words: dev, percent of words, of sentences; PCFG; sampled, by beam")
    for name in names:
        treebank, column = TREEBANKS[name]
        split = load_split(treebank)
        for below in (2, 3, 5, 10):
            for suffixes in (0, 100, 300, 1000):
                unknown = {"unknown_below": below, "unknown_suffixes": suffixes}
                model = trained(split, column, SAMPLED, **unknown)
                cells = []
                for search in ("hmm", "beam"):
                    found, _ = tagged(model, split.dev, search=search)
                    cells.append("{:6.2f} {:6.2f}".format(*accuracy(split.dev, found, column)))
                print(f"{name:<9} below {below:>2} suffixes {suffixes:>4}   {'   '.join(cells)}")
                sys.stdout.flush()


def main() -> None:
    parts = {"table4": table4, "depth": depth, "spines": spines, "settings": settings}
    asked = sys.argv[1:]
    names = [name for name in TREEBANKS if name in asked] or list(TREEBANKS)
    for part in [part for part in parts if part in asked] or ["table4", "depth", "spines"]:
        parts[part](names)


if __name__ == "__main__":
    main()
