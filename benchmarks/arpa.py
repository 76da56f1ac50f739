"""Write an n-gram model as an ARPA file, for comparison with other toolkits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from bistro.models.ngram.model import NgramModel

_GAP = 2**32 - 1
Ngram = tuple[int, ...]


class FrozenTree:
    """The frozen arrays of a model as a tree of contexts, nearest word first."""

    def __init__(self, model: NgramModel) -> None:
        arrays = {name.removeprefix("words."): a.tolist() for name, a in model.arrays().items()}
        self.child_begin, self.element = arrays["child_begin"], arrays["element"]
        self.entry_begin, self.dish = arrays["entry_begin"], arrays["dish"]
        self.backoff, self.probability = arrays["backoff"], arrays["probability"]

    def children(self, restaurant: int) -> dict[int, int]:
        """Return the children of a context, by the word that extends the context."""
        if restaurant + 1 >= len(self.child_begin):
            return {}
        slots = range(self.child_begin[restaurant], self.child_begin[restaurant + 1])
        return {self.element[s]: s for s in slots if self.element[s] != _GAP}

    def entries(self, restaurant: int) -> Iterator[tuple[int, float]]:
        """Yield every word seen in a context, with its probability."""
        for slot in range(self.entry_begin[restaurant], self.entry_begin[restaurant + 1]):
            if self.dish[slot] != _GAP:
                yield self.dish[slot], self.probability[slot]

    def contexts(self, start: int) -> Iterator[tuple[Ngram, int, float]]:
        """Yield every context with at most one sentence start, its restaurant and its weight.

        ARPA files have one start symbol per sentence; the contexts of Bistro are padded with more.
        The padding adds no new outcomes. The restaurant at the end of the padding therefore
        represents the first one, and the weight is the product of all weights in between.
        """
        stack: list[tuple[Ngram, int]] = [((), 0)]
        while stack:
            context, restaurant = stack.pop()
            children = self.children(restaurant)
            weight = self.backoff[restaurant]
            if context and context[-1] == start:
                while children:
                    restaurant = children[start]
                    weight *= self.backoff[restaurant]
                    children = self.children(restaurant)
            else:
                stack.extend(((*context, word), child) for word, child in children.items())
            yield context, restaurant, weight


def write_arpa(model: NgramModel, path: Path) -> None:
    """Write all n-grams of a model with base-10 logarithms and back-off weights."""
    order, start = model.config.order, model.vocabulary.start
    tree = FrozenTree(model)
    weights: dict[Ngram, float] = {}
    ngrams: list[dict[Ngram, float]] = [{} for _ in range(order)]
    ngrams[0][(start,)] = 1e-99
    for context, restaurant, weight in tree.contexts(start):
        weights[context[::-1]] = weight
        for word, probability in tree.entries(restaurant):
            ngrams[len(context)][(*context[::-1], word)] = probability
    with path.open("w", encoding="utf-8") as file:
        counts = "".join(f"ngram {n + 1}={len(table)}\n" for n, table in enumerate(ngrams))
        file.write("\\data\\\n" + counts)
        for n, table in enumerate(ngrams):
            file.write(f"\n\\{n + 1}-grams:\n")
            for ngram, probability in table.items():
                words = " ".join(model.vocabulary.decode(ngram))
                line = f"{math.log10(probability):.7f}\t{words}"
                if n + 1 < order:
                    line += f"\t{math.log10(weights.get(ngram, 1.0)):.7f}"
                file.write(line + "\n")
        file.write("\n\\end\\\n")
