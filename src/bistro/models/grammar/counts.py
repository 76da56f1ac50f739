"""The counts of a treebank grammar.

>>> from bistro.treebank.brackets import parse_tree
>>> tree = parse_tree("(S (NP (DT the) (NN dog)) (VP (VBZ barks)))")
>>> counts = RuleCounts.of([tree])
>>> counts.rules["NP"], counts.words["NN (tag)"]
(Counter({('DT (tag)', 'NN (tag)'): 1}), Counter({'dog': 1}))
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bistro.models.checks import Expected, check_arrays, distinct_strings
from bistro.treebank.brackets import Tree

Children = tuple[str, ...]
TAG = " (tag)"
"""Suffix of tag symbols, which distinguishes them from phrase symbols with the same label."""


@dataclass(frozen=True)
class RuleCounts:
    """Counts of the children that each phrase has, and of the words that each tag has."""

    rules: dict[str, Counter[Children]]
    words: dict[str, Counter[str]]

    @classmethod
    def of(cls, trees: Iterable[Tree]) -> Self:
        """Count the rules and words in trees that have the same root symbol."""
        rules: defaultdict[str, Counter[Children]] = defaultdict(Counter)
        words: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for tree in trees:
            for node in tree.nodes():
                if node.word is None:
                    rules[node.label][tuple(map(_symbol, node.children))] += 1
                else:
                    words[_symbol(node)][node.word] += 1
        return cls(dict(rules), dict(words))

    @property
    def symbols(self) -> list[str]:
        """The symbols of all phrases, followed by the symbols of all tags."""
        return [*self.rules, *self.words]

    def child_types(self, phrase: str) -> tuple[Counter[str], int]:
        """Count the child symbols in the distinct rules of a phrase, and the rules themselves.

        A rule is counted once regardless of its frequency, because new rules resemble rare
        rules, of which there are many.
        """
        types = Counter(child for children in self.rules[phrase] for child in children)
        return types, len(self.rules[phrase])

    def header(self) -> dict[str, list[str]]:
        """Return the names of phrases, tags and words in a JSON-serialisable form."""
        return {"phrases": list(self.rules), "tags": list(self.words), "words": self._forms()}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the rules and words as arrays of symbol indices, sizes and counts."""
        number = {name: i for i, name in enumerate(self.symbols)}
        forms = {form: i for i, form in enumerate(self._forms())}
        rules = [(number[p], c, n) for p, of_p in self.rules.items() for c, n in of_p.items()]
        words = [
            (number[t], forms[w], n) for t, of_t in self.words.items() for w, n in of_t.items()
        ]
        return {
            "rule_left": np.array([left for left, _, _ in rules], dtype=np.int32),
            "rule_count": np.array([n for _, _, n in rules], dtype=np.int32),
            "rule_size": np.array([len(c) for _, c, _ in rules], dtype=np.int32),
            "rule_right": np.array([number[x] for _, c, _ in rules for x in c], dtype=np.int32),
            "words": np.array(words, dtype=np.int32).reshape(-1, 3),
        }

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Rebuild the counts from the results of `header` and `arrays`."""
        phrases, tags, forms = (
            distinct_strings(header[name], name) for name in ("phrases", "tags", "words")
        )
        symbols = [*phrases, *tags]
        most = len(symbols) - 1
        check_arrays(
            arrays,
            {
                "rule_left": Expected("i", (None,), 0, len(phrases) - 1),
                "rule_count": Expected("i", (None,), 1),
                "rule_size": Expected("i", (None,), 1),
                "rule_right": Expected("i", (int(arrays["rule_size"].sum()),), 0, most),
                "words": Expected("i", (None, 3), 0),
            },
        )
        rules: dict[str, Counter[Children]] = {name: Counter() for name in phrases}
        words: dict[str, Counter[str]] = {name: Counter() for name in tags}
        ends = np.cumsum(arrays["rule_size"]).tolist()
        right = [symbols[i] for i in arrays["rule_right"].tolist()]
        columns = (arrays[name].tolist() for name in ("rule_left", "rule_size", "rule_count"))
        for left, size, count, end in zip(*columns, ends, strict=True):
            rules[symbols[left]][tuple(right[end - size : end])] = count
        for tag, form, count in arrays["words"].tolist():
            words[symbols[tag]][forms[form]] = count
        return cls(rules, words)

    def _forms(self) -> list[str]:
        return list(dict.fromkeys(form for of_tag in self.words.values() for form in of_tag))


def _symbol(node: Tree) -> str:
    return node.label if node.word is None else node.label + TAG
