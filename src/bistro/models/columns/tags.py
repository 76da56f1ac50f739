"""Joint prediction of UPOS, XPOS and FEATS by several experts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro.errors import ModelFileError
from bistro.inference.products import Candidates, Product
from bistro.modelfile import Arrays
from bistro.models.columns.alternatives import other_values
from bistro.models.columns.config import ColumnsConfig
from bistro.models.columns.elements import TAGS, Words
from bistro.models.results.columns import Beliefs
from bistro.treebank.fields import EMPTY

BETWEEN = "\t"
"""The separator between columns in the name of an outcome."""
_CANDIDATES = 5
_LEAST_BELIEF = 1e-3
"""Lower bound on a parser's tag probabilities, since a tag that the parser excludes may be
correct."""

_CALM = 0.75
_CALM_EVIDENCE = (0.25, 0.1)
"""Weights with which the experts and the parser yield calibrated probabilities. The weights were
chosen on the development part of English EWT. The weights that give the best tags yield
overconfident probabilities."""
_DECIDING = 0.5
"""Exponent to which the tag scores are raised when the lemma depends on several likely tags. The
exponent was chosen on the development parts of the English EWT, French and Basque treebanks."""
_ANY: list[int] = []
"""The list of outcomes for words without kept values. An empty list means that all outcomes are
possible. All words share one list, because separate lists would slow down the garbage collector."""
_SURE = 0.97
_LIKELY = 4


@dataclass(frozen=True)
class Doubt:
    """A word with uncertain tags. The weights of the likely tags sum to 1."""

    place: int
    tags: list[dict[str, str]]
    weights: list[float]
    """The probabilities of the likely tags."""
    deciding: list[float]
    """Weights of the tags when the lemma is chosen."""


@dataclass(frozen=True)
class Found:
    """The tags of words."""

    values: dict[str, list[str]]
    probabilities: dict[str, list[float]]
    doubts: list[Doubt]
    alternatives: dict[str, list[list[tuple[str, float]]]] = field(default_factory=dict)


class Tags:
    """Trained experts that predict combinations of tags and features."""

    def __init__(self, config: ColumnsConfig, columns: Sequence[str], product: Product) -> None:
        rows = [name.split(BETWEEN) for name in product.outcomes.names]
        if not columns or any(len(row) != len(columns) for row in rows):
            raise ModelFileError("the outcomes do not match the columns")
        self.config, self.columns, self.product = config, tuple(columns), product
        self._values: dict[str, list[str]] = {
            name: [row[place] for row in rows] for place, name in enumerate(columns)
        }
        self._tags = [dict(zip(columns, row, strict=True)) for row in rows]
        self._names = {name: sorted(set(values)) for name, values in self._values.items()}
        self._codes = {
            name: np.searchsorted(np.array(self._names[name]), np.array(values))
            for name, values in self._values.items()
        }
        self._allowed: dict[tuple[str, ...], list[int]] = {}

    def find(
        self,
        words: Words,
        kept: Mapping[str, list[str]],
        beliefs: Sequence[Beliefs],
        alternatives: int = 0,
    ) -> Found:
        """Predict tags and features, and store them in the columns of `words`.

        The contexts of the experts contain the tags of neighbouring words. If the tags of
        neighbouring words are unknown, they are predicted in a first pass.
        """
        name = self.columns[0]
        before = words.columns[name]
        if EMPTY in before:
            guessed = self._decide(words, kept, beliefs).values
            pairs = zip(before, guessed[name], strict=True)
            words.put(name, [new if old == EMPTY else old for old, new in pairs])
        result = self._decide(words, kept, beliefs, alternatives)
        for name, column in result.values.items():
            words.put(name, column)
        return result

    def _decide(
        self,
        words: Words,
        kept: Mapping[str, list[str]],
        beliefs: Sequence[Beliefs],
        alternatives: int = 0,
    ) -> Found:
        experts = self.config.contexts.experts
        contexts = {n: [words.element(e) for e in own] for n, own in experts.items()}
        columns = [kept.get(name) for name in self.columns]
        rows = zip(*(column or [EMPTY] * len(words.forms) for column in columns), strict=True)
        candidates = self.product.candidates(
            contexts,
            [self._possible(row) for row in rows],
            prior=self.config.prior,
            most=_CANDIDATES,
        )
        deciding, calm = candidates.scores.copy(), _CALM * candidates.scores
        for place, held in enumerate(beliefs):
            if held.column in self.columns:
                believed = self._believed(candidates, held)
                deciding += (
                    self.config.other_evidence if place else self.config.evidence
                ) * believed
                calm += _CALM_EVIDENCE[min(place, 1)] * believed
        best = candidates.outcomes[replace(candidates, scores=deciding).best()]
        decisive = replace(candidates, scores=_DECIDING * deciding).probabilities()
        chances = replace(candidates, scores=calm).probabilities()
        values, probabilities = self._read(candidates, best, chances, kept)
        doubts = self._doubts(candidates, best, chances, decisive)
        if not alternatives:
            return Found(values, probabilities, doubts)
        others = {
            name: other_values(
                candidates, chances, self._values[name], own, kept.get(name), alternatives
            )
            for name, own in values.items()
        }
        return Found(values, probabilities, doubts, others)

    def _read(
        self,
        candidates: Candidates,
        best: NDArray[np.int32],
        chances: NDArray[np.float64],
        kept: Mapping[str, list[str]],
    ) -> tuple[dict[str, list[str]], dict[str, list[float]]]:
        """Return the best outcomes by column, with the marginal probability of each value."""
        values: dict[str, list[str]] = {}
        probabilities: dict[str, list[float]] = {}
        places = candidates.places
        for name in self.columns:
            own = self._codes[name]
            same = own[candidates.outcomes] == own[best][places]
            sure = np.minimum(np.add.reduceat(np.where(same, chances, 0.0), candidates.starts), 1.0)
            old_values = kept.get(name) or [EMPTY] * len(best)
            column = [self._values[name][outcome] for outcome in best.tolist()]
            values[name] = [
                new if old == EMPTY else old for old, new in zip(old_values, column, strict=True)
            ]
            probabilities[name] = [
                p if old == EMPTY else 1.0 for old, p in zip(old_values, sure.tolist(), strict=True)
            ]
        return values, probabilities

    def _doubts(
        self,
        candidates: Candidates,
        best: NDArray[np.int32],
        chances: NDArray[np.float64],
        decisive: NDArray[np.float64],
    ) -> list[Doubt]:
        """Return the words whose best outcome is uncertain, with their likely outcomes."""
        places, starts = candidates.places, candidates.starts
        is_best = candidates.outcomes == best[places]
        sure = np.add.reduceat(np.where(is_best, chances, 0.0), starts)
        uncertain = np.flatnonzero((sure < _SURE)[places])
        if not uncertain.size:
            return []
        uncertain = uncertain[np.lexsort((-(chances + decisive)[uncertain], places[uncertain]))]
        firsts = np.flatnonzero(np.diff(places[uncertain], prepend=-1))
        sizes = np.diff(firsts, append=len(uncertain))
        likely = uncertain[np.arange(len(uncertain)) - np.repeat(firsts, sizes) < _LIKELY]
        sizes = np.minimum(sizes, _LIKELY)
        ends = np.cumsum(sizes)
        begins = ends - sizes
        shares = [
            (part[likely] / np.repeat(np.add.reduceat(part[likely], begins), sizes)).tolist()
            for part in (chances, decisive)
        ]
        tags = [self._tags[outcome] for outcome in candidates.outcomes[likely].tolist()]
        rows = zip(places[likely[begins]].tolist(), begins.tolist(), ends.tolist(), strict=True)
        return [Doubt(place, tags[i:j], shares[0][i:j], shares[1][i:j]) for place, i, j in rows]

    def _possible(self, row: tuple[str, ...]) -> list[int]:
        """Return the outcomes that are consistent with the kept values of a word.

        An empty list means that all outcomes are consistent with these values.
        """
        if row.count(EMPTY) == len(row):
            return _ANY
        if row not in self._allowed:
            agreeing = np.zeros(len(self.product.outcomes))
            for name, value in zip(self.columns, row, strict=True):
                if value != EMPTY:
                    agreeing += [value == own for own in self._values[name]]
            most = agreeing.max()
            self._allowed[row] = np.flatnonzero(agreeing == most).tolist() if most else []
        return self._allowed[row]

    def _believed(self, candidates: Candidates, beliefs: Beliefs) -> NDArray[np.float64]:
        """Return the log-probability that a parser assigns to the tag of each candidate."""
        names = self._names[beliefs.column]
        numbers = {name: number for number, name in enumerate(names)}
        table: NDArray[np.float64] = np.zeros((len(beliefs.rows), len(names)))
        for place, row in enumerate(beliefs.rows):
            for name, p in row:
                if (number := numbers.get(name)) is not None:
                    table[place, number] += p
        logs = np.log(np.clip(table, _LEAST_BELIEF, 1.0))
        codes = self._codes[beliefs.column][candidates.outcomes]
        return np.asarray(logs[candidates.places, codes])

    def header(self) -> dict[str, Any]:
        """Return the JSON-serialisable content of the experts, without their arrays."""
        return {"columns": list(self.columns), **self.product.header()}

    @classmethod
    def from_parts(
        cls, config: ColumnsConfig, header: Mapping[str, Any], parts: Mapping[str, Arrays]
    ) -> Tags:
        """Rebuild the experts from the content of a file."""
        columns = header["columns"]
        if not isinstance(columns, list) or not set(columns) <= set(TAGS):
            raise ModelFileError("the columns of the experts are damaged")
        return cls(config, columns, Product.from_parts(header, parts))
