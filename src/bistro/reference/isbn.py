"""The latent-variable parser in plain Python, written directly from the paper's definitions.

The seven predecessors of a state are looked up in the list of all earlier states, following the
definition in Titov & Henderson (2007, section 4). Nothing is cached. Words are numbered from 1. A
state is described by its stack (with the top last), the front of the queue, and the arcs added so
far. A state may depend on the decisions of its predecessors, that is, on their actions and arc
labels. With mean-field inference, every decision among several outcomes changes the means of its
state, and later states depend on the final means.

>>> twin = IsbnTwin(symbols, weights, hidden=80, elements=["s1.tag", "b.tag"])   # doctest: +SKIP
>>> twin.log_prob(words, clusters, heads, labels)                              # doctest: +SKIP
-41.7
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from bistro.reference.isbn_history import (
    LEFT_ARC,
    NO_STATE,
    REDUCE,
    RELATIONS,
    RIGHT_ARC,
    SHIFT,
    Floats,
    History,
    TwinSymbols,
)


def means_of(potentials: Floats) -> Floats:
    """Return the means of binary variables, given their potentials (log-odds)."""
    result: Floats = 1 / (1 + np.exp(-potentials))
    return result


class IsbnTwin:
    """The parser's model, with all weights in one array that is laid out as in the core."""

    def __init__(
        self,
        symbols: TwinSymbols,
        weights: Sequence[float] | Floats,
        hidden: int,
        elements: Sequence[str],
        *,
        linked: bool = True,
        mean_field: bool = False,
    ) -> None:
        self.symbols, self.hidden, self.elements = symbols, hidden, elements
        self.given_lemmas: Sequence[int] = ()
        """The lemma id of each word in the sentence, with -1 for a missing lemma. The list may be
        empty."""
        self.linked, self.mean_field = linked, mean_field
        flat = np.asarray(weights, dtype=np.float64)
        counts = {
            "word": symbols.words + 2,
            "tag": symbols.tags + 2,
            "feats": symbols.components,
            "label": symbols.labels + 2,
            "lemma": symbols.lemmas + 2,
            "coarse": symbols.coarse_tags + 2,
            "decision": 2 + 2 * symbols.labels,
            "action": 5,
            "distance": 6,
        }
        self.first_row = np.cumsum([1, *(counts[e.rpartition(".")[2]] for e in elements)]).tolist()
        place = self.first_row[-1] * hidden
        self.rows = flat[:place].reshape(-1, hidden)
        self.relations = flat[place : place + 7 * hidden**2].reshape(7, hidden, hidden)
        place += 7 * hidden**2
        self.groups: list[tuple[Floats, Floats]] = []
        for size in symbols.sizes:
            matrix = flat[place : place + hidden * size].reshape(hidden, size)
            self.groups.append((matrix, flat[place + hidden * size : place + (hidden + 1) * size]))
            place += (hidden + 1) * size

    def features(self, history: History, words: Sequence[int]) -> list[int]:
        """Return the rows of the weight array that are active in a state."""
        rows = [0]
        for element, first in zip(self.elements, self.first_row, strict=False):
            place, _, attribute = element.rpartition(".")
            rows += [first + value for value in self._values(history, words, place, attribute)]
        return rows

    def _values(
        self, history: History, words: Sequence[int], place: str, attribute: str
    ) -> list[int]:
        symbols = self.symbols
        if attribute == "action":
            return [history.last_action]
        if attribute == "distance":
            gap = history.front - history.top
            return [5 if not history.top else gap - 1 if gap <= 3 else 3 if gap <= 6 else 4]
        if attribute == "decision":
            state = history.links()[RELATIONS.index(place)]
            return [] if state == NO_STATE else [self._decision(*history.decided[state])]
        word = self._word_at(history, place)
        is_end = word > 0 and history.ended and word == history.front
        if attribute == "word":
            return [symbols.words if not word else symbols.words + 1 if is_end else words[word - 1]]
        if attribute == "tag":
            if not word or is_end:
                return [symbols.tags + is_end]
            return [symbols.tag_of[history.clusters[word]]]
        if attribute == "feats":
            return [] if not word or is_end else symbols.components_of[history.clusters[word]]
        if attribute == "coarse":
            if not word or is_end:
                return [symbols.coarse_tags + is_end]
            return [symbols.coarse_of[history.clusters[word]]]
        if attribute == "lemma":
            if not word or is_end:
                return [symbols.lemmas + is_end]
            lemma = self.given_lemmas[word - 1] if self.given_lemmas else -1
            return [symbols.lemma_of[words[word - 1]] if lemma < 0 else lemma]
        return [history.labels.get(word, symbols.labels) if word else symbols.labels + 1]

    @staticmethod
    def _decision(action: int, label: int) -> int:
        if action in (LEFT_ARC, RIGHT_ARC):
            return 2 + 2 * label + (action == RIGHT_ARC)
        return 0 if action == REDUCE else 1

    def _word_at(self, history: History, place: str) -> int:
        base, _, relative = place.partition(".")
        if base[0] == "s":
            depth = int(base[1:])
            word = history.stack[-depth] if len(history.stack) >= depth else 0
        elif base[0] == "p":
            word = max(0, history.front - int(base[1:]))
        else:
            word = history.front
        if relative == "head":
            return history.heads.get(word, 0)
        return history.outermost(word, {"lc": -1, "rc": 1}[relative]) if relative else word

    def make_state(self, history: History, words: Sequence[int]) -> None:
        """Add a new state to the history."""
        eta = self.rows[self.features(history, words)].sum(axis=0)
        for relation, state in enumerate(history.links()):
            if self.linked and state != NO_STATE:
                eta = eta + means_of(history.potentials[state]) @ self.relations[relation]
        history.states.append((tuple(history.stack), history.front))
        history.potentials.append(eta)

    def decide(
        self, history: History, group: int, outcome: int, possible: Sequence[int] | None = None
    ) -> float:
        """Return the log-probability of an outcome in the last state, and update that state."""
        matrix, bias = self.groups[group]
        among = list(range(bias.size)) if possible is None else list(possible)
        if outcome not in among:
            return -math.inf
        means = means_of(history.potentials[-1])
        scores = means @ matrix + bias
        if self.mean_field and len(among) > 1:
            history.potentials[-1] = self.moved(history.potentials[-1], group, outcome, among)
        return float(scores[outcome] - np.logaddexp.reduce(scores[among]))

    def moved(self, potentials: Floats, group: int, outcome: int, among: Sequence[int]) -> Floats:
        """Return the updated potentials of a state after a decision among the given outcomes."""
        matrix, bias = self.groups[group]
        means = means_of(potentials)
        factors = {d: 1 - means + means * np.exp(matrix[:, d]) for d in among}
        weights = {d: math.exp(bias[d]) * float(np.prod(factors[d])) for d in among}
        total = sum(weights.values())
        expected = np.zeros_like(means)
        for d in among:
            expected += weights[d] / total * (np.exp(matrix[:, d]) - 1) / factors[d]
        result: Floats = potentials + matrix[:, outcome] - expected
        return result

    def log_next(self, history: History, cluster: int | None, word: int = 0) -> float:
        """Return the log-probability that a shift generates the given word or ends the sentence."""
        symbols = self.symbols
        may_end = history.front > 0 and (not symbols.single_root or len(history.roots()) == 1)
        tags = range(0 if may_end else 1, symbols.tags + 1)
        if cluster is None:
            return self.decide(history, 4, 0, tags)
        tag = symbols.tag_of[cluster]
        bundle = symbols.tag_of[:cluster].count(tag)
        total = self.decide(history, 4, tag + 1, tags) + self.decide(history, 5 + tag, bundle)
        group, listed = 5 + symbols.tags + cluster, symbols.words_of[cluster]
        if word in listed:
            return total + self.decide(history, group, listed.index(word))
        share = math.log(symbols.share(cluster, word))
        return total + self.decide(history, group, len(listed)) + share

    def steps(
        self, history: History, words: Sequence[int], clusters: Sequence[int]
    ) -> Iterator[tuple[float, History]]:
        """Yield every history that one more action can produce, with its log-probability."""
        self.make_state(history, words)
        for action in history.possible():
            decided = history.copy()
            of_action = self.decide(decided, 0, action, history.possible())
            if action == REDUCE:
                decided.reduce()
                yield of_action, decided
            elif action == SHIFT:
                is_last = history.front == len(words)
                cluster = None if is_last else clusters[history.front]
                gain = self.log_next(decided, cluster, 0 if is_last else words[history.front])
                decided.shift(cluster)
                if gain > -math.inf:
                    yield of_action + gain, decided
            else:
                for label in range(self.symbols.labels):
                    after = decided.copy()
                    of_label = self.decide(after, 1 + action, label)
                    after.arc(action, label)
                    yield of_action + of_label, after

    def finish(self, history: History, words: Sequence[int], labels: dict[int, int]) -> float:
        """Attach the remaining words to the root, and return the log-probability."""
        total = 0.0
        while history.stack:
            word = history.top
            if word in history.heads:
                history.reduce()
                continue
            if len(self.symbols.root_labels) > 1:
                outcome = self.symbols.root_labels.index(labels[word])
                self.make_state(history, words)
                total += self.decide(history, 3, outcome)
            # The end symbol represents the root.
            history.arc(LEFT_ARC, labels[word])
        return total

    def derivations(
        self, words: Sequence[int], clusters: Sequence[int]
    ) -> Iterator[tuple[float, History]]:
        """Yield all derivations up to the end of the sentence, with their log-probabilities."""
        waiting = [(0.0, History())]
        while waiting:
            log_prob, history = waiting.pop()
            if history.ended:
                yield log_prob, history
            else:
                more = self.steps(history, words, clusters)
                waiting += [(log_prob + gain, after) for gain, after in more]

    def log_prob(
        self,
        words: Sequence[int],
        clusters: Sequence[int],
        heads: Sequence[int],
        labels: Sequence[int],
        *,
        early: bool = False,
    ) -> float:
        """Return the log-probability of the derivation that the model is trained on."""
        history, total = History(), 0.0
        while not history.ended:
            action = oracle_action(history, heads, early=early)
            more = list(self.steps(history, words, clusters))
            dependent = {LEFT_ARC: history.top, RIGHT_ARC: history.front}.get(action)
            for gain, after in more:
                if after.last_action == action and (
                    dependent is None or after.labels[dependent] == labels[dependent - 1]
                ):
                    total, history = total + gain, after
                    break
        return total + self.finish(history, words, dict(enumerate(labels, start=1)))


def oracle_action(history: History, heads: Sequence[int], *, early: bool) -> int:
    """Return the next action that leads to a given tree, with late or early reductions."""
    top, front = history.top, history.front
    if history.possible() == [SHIFT]:
        return SHIFT
    if heads[top - 1] == front:
        return LEFT_ARC
    if heads[front - 1] == top:
        return RIGHT_ARC
    if top in history.heads:
        if early and top not in heads[front - 1 :]:
            return REDUCE
        below = history.stack[:-1]
        if heads[front - 1] in below or any(heads[word - 1] == front for word in below):
            return REDUCE
    return SHIFT
