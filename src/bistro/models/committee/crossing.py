"""Crossing arcs that a committee finds: votes for them, where the training data has such arcs.

Members are parsers of projective trees. A crossing arc is lifted in training, and noted in the
label (`bistro.treebank.projectivity`): a vote for (h, d↑x) says that the word hangs with label d
on a word below h whose own label is x. Such votes are rarely the likeliest, because the note is
one more thing that a member must get right. But some patterns of words cross more often than not,
and what members do not see is whether a pattern is one of them:

    tag of the word w, tag and label of the target t, tag of the head h, the order of the three,
    and the form of t

A pattern is *open* if more than a twentieth of its occurrences in the training data cross, the
counts of a form smoothed by those of all forms. Where a pattern is open, votes for a crossing arc
count several times; where they then outweigh those for the word's head in the tree, it moves.

>>> heads, labels = [2, 0, 2, 5, 1], ["subj", "root", "pred", "mark", "ccomp"]
>>> tags = ["PRON", "AUX", "ADJ", "SCONJ", "VERB"]
>>> words = "it is good that works".split()
>>> tree = Sentence.from_columns(words, heads=heads, deprels=labels, upos=tags)
>>> crossing = Crossing.learn([tree] * 5, "upos")
>>> crossing.is_open(Pattern("VERB", "PRON", "subj", "AUX", "thw"), "it")
True
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from bistro.models.committee.mixture import Mixture
from bistro.models.results.parses import Analysis
from bistro.treebank.projectivity import LIFTED, projectivize
from bistro.treebank.sentence import Sentence

LEAST_SHARE = 0.05
"""Of the occurrences of an open pattern, those that cross; this and the weight of the votes (a
setting) were chosen on the development parts of the Danish and the Basque treebank."""
PRIOR_SHARE, PRIOR_COUNT = 0.003, 3.0
LEAST_VOTE = 0.01
"""Less probable votes cannot outweigh others."""


class Pattern(NamedTuple):
    """A word w, the head h it has in a projective tree, and another child t of h to hang on."""

    tag: str
    target_tag: str
    target_label: str
    head_tag: str
    """Empty for the root."""
    order: str
    """The letters w, t and h from left to right."""


def pattern_of(word: int, target: int, head: int, label: str, tags: Sequence[str]) -> Pattern:
    """Return the pattern of three words, which count from 1; the target has this label."""
    order = "".join(letter for _, letter in sorted([(word, "w"), (target, "t"), (head, "h")]))
    head_tag = tags[head - 1] if head else ""
    return Pattern(tags[word - 1], tags[target - 1], label, head_tag, order)


@dataclass(frozen=True)
class Crossing:
    """The open patterns of a treebank."""

    patterns: dict[Pattern, tuple[bool, frozenset[str]]] = field(default_factory=dict)
    """Whether a pattern is open with most forms of the target, and the forms with which it is not
    as with most."""

    @classmethod
    def learn(cls, sentences: Iterable[Sentence], column: str) -> Crossing:
        """Count how often patterns cross in a treebank, with tags of this column."""
        seen: Counter[tuple[Pattern, str]] = Counter()
        crossed: Counter[tuple[Pattern, str]] = Counter()
        for sentence in sentences:
            lifted = projectivize(sentence.heads, sentence.deprels, "head").heads
            tags = getattr(sentence, column)
            for word, target in candidates(lifted):
                label = sentence.deprels[target - 1]
                pattern = pattern_of(word, target, lifted[word - 1], label, tags)
                key = pattern, sentence.forms[target - 1].lower()
                seen[key] += 1
                crossed[key] += sentence.heads[word - 1] == target
        return cls(_open_patterns(seen, crossed))

    def is_open(self, pattern: Pattern, form: str) -> bool:
        """Tell whether arcs may cross in this way, to a target of this form."""
        usual, others = self.patterns.get(pattern, (False, ()))
        return usual != (form.lower() in others)

    def to_list(self) -> list[list[Any]]:
        """Return the patterns, ready for JSON."""
        return [
            [*pattern, usual, sorted(forms)]
            for pattern, (usual, forms) in sorted(self.patterns.items())
        ]

    @classmethod
    def from_list(cls, given: Iterable[Sequence[Any]]) -> Crossing:
        """Make the patterns again."""
        return cls({Pattern(*row[:5]): (bool(row[5]), frozenset(row[6])) for row in given})


def candidates(heads: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield (word, target) for all siblings of a projective tree whose arc would cross another.

    That is so if their head is between them, or another sibling.
    """
    children: dict[int, list[int]] = {}
    for word, head in enumerate(heads, start=1):
        children.setdefault(head, []).append(word)
    for head, siblings in children.items():
        for i, word in enumerate(siblings):
            for j, target in enumerate(siblings):
                if abs(i - j) > 1 or min(word, target) < head < max(word, target):
                    yield word, target


def _open_patterns(
    seen: Counter[tuple[Pattern, str]], crossed: Counter[tuple[Pattern, str]]
) -> dict[Pattern, tuple[bool, frozenset[str]]]:
    all_seen: Counter[Pattern] = Counter()
    all_crossed: Counter[Pattern] = Counter()
    for (pattern, form), number in seen.items():
        all_seen[pattern] += number
        all_crossed[pattern] += crossed[pattern, form]
    shares = {
        pattern: (number + PRIOR_COUNT * PRIOR_SHARE) / (all_seen[pattern] + PRIOR_COUNT)
        for pattern, number in all_crossed.items()
        if number
    }
    forms: dict[Pattern, set[str]] = {pattern: set() for pattern in shares}
    for (pattern, form), number in seen.items():
        if pattern in shares:
            prior = PRIOR_COUNT * shares[pattern]
            share = (crossed[pattern, form] + prior) / (number + PRIOR_COUNT)
            if (share > LEAST_SHARE) != (shares[pattern] > LEAST_SHARE):
                forms[pattern].add(form)
    return {p: (share > LEAST_SHARE, frozenset(forms[p])) for p, share in shares.items()}


def with_crossing_arcs(
    analysis: Analysis,
    mixture: Mixture,
    number: int,
    forms: Sequence[str],
    crossing: Crossing,
    weight: float,
) -> Analysis:
    """Return the tree of a sentence with words moved where votes for crossing arcs prevail."""
    votes = _Votes.of(mixture, number)
    lifted = votes.lifted(analysis.tags, forms, crossing, weight)
    heads, labels = list(analysis.heads), list(analysis.labels)

    def total(word: int, head: int) -> float:
        own = lifted.get((word, head))
        return votes.of_head(word, head) + (sum(own.labels.values()) if own else 0.0)

    def margin(word: int, target: int) -> float:
        return total(word, target) - total(word, heads[word - 1])

    wanted = [arc for arc, own in lifted.items() if own.is_open]
    for word, target in sorted(wanted, key=lambda arc: (-margin(*arc), arc)):
        is_new = heads[word - 1] != target
        if is_new and margin(word, target) > 0 and not _is_above(word, target, heads):
            heads[word - 1], labels[word - 1] = target, lifted[word, target].likeliest()
    return replace(analysis, heads=heads, labels=labels)


def _is_above(word: int, other: int, heads: Sequence[int]) -> bool:
    """Tell whether a word is the other one, or dominates it."""
    while other and other != word:
        other = heads[other - 1]
    return other == word


@dataclass(frozen=True)
class _Lifted:
    """The votes for one crossing arc."""

    is_open: bool
    labels: dict[str, float]
    """Votes by label, as much as they count."""

    def likeliest(self) -> str:
        return max((votes, label) for label, votes in self.labels.items())[1]


@dataclass(frozen=True)
class _Votes:
    """The votes on one sentence: (head, label, probability), word by word."""

    rows: list[list[tuple[int, str, float]]]

    @classmethod
    def of(cls, mixture: Mixture, number: int) -> _Votes:
        span, arcs, names = mixture.span(number), mixture.arcs, [*mixture.symbols.labels, ""]
        rows = []
        for word in range(span.start, span.stop):
            inside = slice(int(arcs.begin[word]), int(arcs.begin[word + 1]))
            heads = mixture.code.head(arcs.what[inside]).tolist()
            labels = mixture.code.label(arcs.what[inside]).tolist()
            probabilities = arcs.probability[inside].tolist()
            rows.append(
                [(h, names[la], p) for h, la, p in zip(heads, labels, probabilities, strict=True)]
            )
        return cls(rows)

    def of_head(self, word: int, head: int) -> float:
        """Return the probability of a head, without votes that it is another one below it."""
        return sum(p for h, la, p in self.rows[word - 1] if h == head and LIFTED not in la)

    def lifted(
        self, tags: Sequence[str], forms: Sequence[str], crossing: Crossing, weight: float
    ) -> dict[tuple[int, int], _Lifted]:
        """Return the votes for crossing arcs by word and target, as much as they count."""
        found: dict[tuple[int, int], _Lifted] = {}
        for word, row in enumerate(self.rows, start=1):
            for head, label, probability in row:
                plain, arrow, below = label.partition(LIFTED)
                if not arrow or probability < LEAST_VOTE:
                    continue
                target = self._likeliest_child(head, below, word)
                if not target:
                    continue
                pattern = pattern_of(word, target, head, below, tags)
                is_open = crossing.is_open(pattern, forms[target - 1])
                arc = found.setdefault((word, target), _Lifted(is_open, {}))
                counted = probability * (weight if is_open else 1.0)
                arc.labels[plain] = arc.labels.get(plain, 0.0) + counted
        return found

    def _likeliest_child(self, head: int, label: str, but: int) -> int:
        """Return the word that most probably hangs on a head with a label, 0 if none may."""
        found = [
            (p, word)
            for word, row in enumerate(self.rows, start=1)
            for h, la, p in row
            if h == head and word != but and la.partition(LIFTED)[0] == label
        ]
        return max(found)[1] if found else 0


def with_lifted_votes(mixture: Mixture) -> list[bool]:
    """Tell by sentence whether there is a vote for a crossing arc that could count."""
    lifted = np.array([LIFTED in label for label in [*mixture.symbols.labels, ""]])
    arcs = mixture.arcs
    likely = lifted[mixture.code.label(arcs.what)] & (arcs.probability >= LEAST_VOTE)
    words = np.zeros(len(arcs) + 1, dtype=np.int64)
    np.cumsum(np.bincount(arcs.row[likely], minlength=len(arcs)), out=words[1:])
    found: list[bool] = (np.diff(words[mixture.offsets]) > 0).tolist()
    return found
