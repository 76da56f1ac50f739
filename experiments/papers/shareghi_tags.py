"""Tagging of Shareghi et al. (2015): Table 4 and the columns of tags in Table 5(a)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import bistro
from bistro.config import read_toml, to_dict
from bistro.models.presets import file_or_preset
from bistro.models.tags.config import TagsConfig
from bistro.models.tags.model import TagsModel
from experiments.papers.spines import matched, once
from experiments.papers.table import Row
from experiments.treebanks import Split, load_split

TREEBANKS = {"WSJ": "wsj", "DDT": "ddt", "EWT": "ewt"}
"""Treebanks by name. The paper has the full WSJ, and another split of DDT."""
COLUMN = "xpos"
"""The column of the treebank-specific tags."""
FIGURES = {
    "PCFG CYK": ("94.69 47.22", "89.04 31.7"),
    "A* (Local Frontier)": ("95.50 54.11", "89.85 35.10"),
    "A* (Full Frontier)": ("95.27 53.88", "88.57 32.6"),
    "MCMC": ("96.04 54.25", "95.55 72.93"),
}
FIRST: dict[str, Any] = {"completions": 1, "beam": 200, "expand": "all"}
SEARCHES: dict[str, dict[str, Any]] = {
    "PCFG CYK": {"search": "hmm", "mbr": False},
    "A* (Local Frontier)": {"search": "astar-literal", **FIRST},
    "A* (Full Frontier)": {"search": "astar-full", **FIRST},
    "MCMC": {"search": "mcmc", "samples": 5000},
}
SPINES = range(2, 11)
PAPER_SPINES = {
    ("WSJ", None): (96, 100, 69, 57, 56, 52, 42, 68, 75),
    ("WSJ", 2): (96, 100, 68, 57, 56, 50, 41, 60, 69),
    ("DDT", None): (100, 100, 72, 58, 51, 55, 45, 61, 67),
    ("DDT", 2): (100, 100, 72, 58, 51, 55, 44, 31, 25),
}


@cache
def split_of(name: str) -> Split:
    """Read a treebank once."""
    return load_split(TREEBANKS[name])


def trained(name: str, preset: str, **changes: Any) -> TagsModel:
    """Return a tagger of a preset."""
    settings = to_dict(read_toml(file_or_preset(preset), TagsConfig))
    settings |= {"tagset": COLUMN, **changes}
    return bistro.train("tags", split_of(name).train, seed=1, **settings)


def found_tags(name: str, model: TagsModel, **options: Any) -> list[list[str]]:
    """Return the predicted tags of the test part."""
    taggings = model.tag_all(split_of(name).test, threads=1, seed=1, **options)
    return [tagging.tags for tagging in taggings]


def right_tags(name: str) -> list[list[str]]:
    """Return the gold tags of the test part."""
    return [getattr(sentence, COLUMN) for sentence in split_of(name).test]


def accuracy(name: str, found: Sequence[Sequence[str]]) -> str:
    """Return the percentages of correct words and of sentences without an error."""
    pairs = list(zip(right_tags(name), found, strict=True))
    words = sum(a == b for gold, tags in pairs for a, b in zip(gold, tags, strict=True))
    whole = sum(gold == list(tags) for gold, tags in pairs)
    total = sum(len(gold) for gold, _ in pairs)
    return f"{100 * words / total:.2f} {100 * whole / len(pairs):.2f}"


def table4() -> Iterator[Row]:
    """Yield token and sentence accuracy of every search."""
    for place, name in enumerate(TREEBANKS):
        model = trained(name, "shareghi-2015-tags")
        classes = trained(name, "shareghi-2015-tags", unknown="classes")
        tagger = accuracy(name, found_tags(name, trained(name, "tagger")))
        for search, options in SEARCHES.items():
            row = accuracy(name, found_tags(name, model, **options))
            own = accuracy(name, found_tags(name, classes, **options))
            paper = FIGURES[search][place] if place < 2 else "-"
            note = f"unknown words as classes: {own}"
            yield Row(f"{name}, {search}", paper, row, tagger if search == "MCMC" else "-", note)


def spines_of(columns: Sequence[Sequence[str]], size: int) -> Counter[tuple[str, ...]]:
    """Return the tag sequences of length `size` with their counts."""
    return Counter(
        tuple(tags[i : i + size]) for tags in columns for i in range(len(tags) - size + 1)
    )


def table5a() -> Iterator[Row]:
    """Yield the percentages of frequent tag sequences that are also frequent in predictions."""
    for (name, bound), paper in PAPER_SPINES.items():
        model = trained(name, "shareghi-2015-tags", depth=bound)
        own = found_tags(name, model, **SEARCHES["MCMC"])
        usual = found_tags(name, trained(name, "tagger", gibbs_depth=bound or 20))
        for size, figure in zip(SPINES, paper, strict=True):
            gold = spines_of(right_tags(name), size)
            first, second = (f"{matched(gold, spines_of(tags, size)):.0f}" for tags in (own, usual))
            note = once(gold)
            title = f"{name} tags, v = {bound or '∞'}, size {size}"
            yield Row(title, str(figure), first, second, note)
