"""Tagging with unbounded contexts: searches, depths and unknown words on our data.

    python -m experiments.infinite_tags [searches] [depth] [settings] [treebank ...]

`searches`: token and sentence accuracy of every search on the test part, for both ways of learning:
"one pass" (minimal seating, hyper-parameters fitted to held-out blocks, no bound) and "sampled"
(the preset tagger: Gibbs seating, slice sampling, contexts of 6). `depth`: contexts of 1, 2, 3 and
4 tags (including the tag of the node) and unbounded ones (sampled: 20); also as in the paper, that
is, with hyper-parameters fitted to the seating. `settings`: thresholds and classes of unknown words
on the development part, on which the defaults were chosen. The tables of the paper itself are
printed by ``python -m experiments.paper shareghi-2015``.
Treebanks: ewt-xpos ewt-upos ddt-xpos ddt-upos wsj; default: all. One seed.
"""

from __future__ import annotations

import sys
import time
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
    "PCFG (HMM), minimum risk": {"search": "hmm"},
    "A* nodes, 200 ways": {"search": "astar-nodes", "beam": 200},
    "A* full, beam 200": {"search": "astar-full", "beam": 200},
    "MCMC, 5,000 draws": {"search": "mcmc", "samples": 5000},
    "beam 256, best sequence": {"beam": 256, "mbr": False},
    "beam 256, minimum risk": {"beam": 256},
    "beam 16, minimum risk": {"beam": 16},
}
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
    """Return the percentages of correct words and of sentences without an error."""
    system = [s.replace(**{column: t.tags}) for s, t in zip(gold, found, strict=True)]
    figures = score(gold, system).to_dict()
    return figures[column], figures[f"{column}_sentences"]


def tagged(
    model: TagsModel, sentences: Sequence[Sentence], **options: Any
) -> tuple[list[Tagging], float]:
    """Return the predicted tags, and seconds per word on one core."""
    begin = time.process_time()
    found = list(model.tag_all(sentences, threads=1, **options))
    return found, (time.process_time() - begin) / sum(map(len, sentences))


def searches(names: Sequence[str]) -> None:
    print("\nTest, percent of words, of sentences; milliseconds per word")
    for name in names:
        treebank, column = TREEBANKS[name]
        split = load_split(treebank)
        for way, learning in (("one pass", ONE_PASS), ("sampled", SAMPLED)):
            model = trained(split, column, learning)
            for search, options in SEARCHES.items():
                found, seconds = tagged(model, split.test, **options)
                words, sentences = accuracy(split.test, found, column)
                row = f"{name:<9} {way:<9} {search:<26} {words:6.2f} {sentences:6.2f}"
                print(f"{row} {1e3 * seconds:9.4f}", flush=True)


def depth(names: Sequence[str]) -> None:
    print("\nDepth: test, percent of words, of sentences, by minimum risk, beam 64")
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
    parts = {"searches": searches, "depth": depth, "settings": settings}
    arguments = sys.argv[1:]
    names = [name for name in TREEBANKS if name in arguments] or list(TREEBANKS)
    for part in [part for part in parts if part in arguments] or ["searches", "depth"]:
        parts[part](names)


if __name__ == "__main__":
    main()
