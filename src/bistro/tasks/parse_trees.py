"""Parse the sentences in a file with a constituency parser, and write bracketed trees."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

from bistro.errors import ConfigError
from bistro.inference.workers import Workers
from bistro.models.abilities import PARSE_TREES
from bistro.models.base import Model
from bistro.models.results.structures import TreeParse
from bistro.progress import number_of, pace
from bistro.tasks import spread
from bistro.treebank.brackets import Tree

UNDERSTOOD = ("search", "beam", "kbest", "drawn", "mbr", "seed", "threads")
COLUMNS = ("sentence", "tree", "words", "log_prob", "bits", "found", "accepted")


class TreeRun:
    """One pass of a parser over the input, and a count of sentences without a complete parse."""

    def __init__(
        self,
        model: Model,
        options: dict[str, Any],
        on_words: Callable[[int], None],
        workers: Workers | None = None,
    ) -> None:
        self.kind = model.kind
        self._whole = model
        self._workers = workers
        self.model = PARSE_TREES.of(model)
        self._on_words = on_words
        self.options = options
        self.sentences = self.words = 0
        self.without: list[int] = []
        """Numbers of the sentences for which the grammar has no tree."""
        self.unfinished = 0
        self.accepted = 0.0
        self.rows: list[str] = []
        self._begin = time.monotonic()

    def parsed(self, sentences: Iterator[list[str]]) -> Iterator[Tree]:
        """Yield the output trees."""
        for parse in self._parses(sentences):
            self._count(parse)
            self._on_words(len(parse.words))
            yield from (one.tree for one in parse.trees)

    def _parses(self, sentences: Iterator[list[str]]) -> Iterator[TreeParse]:
        if self._workers is None:
            return self.model.parse_trees(sentences, **self.options)
        return spread.parse_trees(self._workers, self._whole, sentences, self.options)

    def table(self) -> str:
        """Return a table with one row per tree."""
        return "\n".join(["\t".join(COLUMNS), *self.rows, ""])

    def report(self) -> str:
        """Return a one-line report."""
        seconds = time.monotonic() - self._begin
        parts = [f"{pace(self.sentences, self.words, seconds=seconds)}; {self._protocol()}"]
        if self.without:
            parts.append(
                f"no tree in the grammar for {number_of(len(self.without), 'sentence')} (the first "
                f"is number {self.without[0]}): written as flat trees"
            )
        if self.unfinished:
            unfinished = number_of(self.unfinished, "sentence")
            parts.append(f"A* gave up on {unfinished}: try a wider --beam")
        return "; ".join(parts)

    def _protocol(self) -> str:
        search = self.options.get("search", "mcmc")
        parts = [f"{self.kind}, {search}"]
        if search.startswith("astar") and self.options.get("completions") == 1:
            parts.append("first complete tree")
        if search == "mcmc":
            share = self.accepted / max(1, self.sentences - len(self.without))
            parts.append(f"{100 * share:.1f} % of whole trees accepted")
            parts.append(f"seed {self.options['seed']}")
        return ", ".join(parts)

    def _count(self, parse: TreeParse) -> None:
        self.sentences += 1
        self.words += len(parse.words)
        if not parse.is_found:
            self.without.append(self.sentences)
        else:
            self.accepted += parse.accepted
            self.unfinished += not parse.is_complete
        for rank, tree in enumerate(parse.trees, start=1):
            cells = (
                *(self.sentences, rank, len(parse.words)),
                *(f"{tree.log_prob:.6f}", f"{-tree.log_prob / math.log(2):.6f}"),
                *(int(parse.is_found), f"{parse.accepted:.6f}"),
            )
            self.rows.append("\t".join(map(str, cells)))


def tree_options(options: dict[str, Any], of_trees: dict[str, Any]) -> dict[str, Any]:
    """Return the search options for constituency parsing.

    Parameters
    ----------
    options
        Options shared with dependency parsers. Options that apply only to dependency parsers raise
        an error.
    of_trees
        Options of `bistro.models.unbounded.search.SearchOptions`.
    """
    values = {**options, "drawn": options.get("samples")}
    values.pop("samples", None)
    if values.pop("tags") != "joint":
        raise ConfigError(
            "--tags given is for dependency parsers: a constituency model predicts the tags of all "
            "words"
        )
    if values.pop("search", None) == "particles":
        raise ConfigError("--particles is for dependency parsers: use --search and --draws")
    values["beam"] = values.pop("size", None)
    for name in values:
        if name not in UNDERSTOOD:
            raise ConfigError(f"{option_name(name)} is for dependency parsers: leave it out")
    return {name: value for name, value in values.items() if value is not None} | of_trees


def option_name(name: str) -> str:
    """Return an option as it is written on the command line.

    >>> option_name("samples"), option_name("node_cost")
    ('--draws', '--node-cost')
    """
    return "--draws" if name == "samples" else f"--{name.replace('_', '-')}"
