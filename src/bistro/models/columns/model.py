"""Tags, features and lemmas: one choice per column, each given those before it.

    p(upos, xpos, feats, lemma | word, neighbours, tree) = p(upos | ...) p(xpos | upos, ...) ...

Every factor is a Pitman-Yor process over a list of context elements (`elements.ELEMENTS`). A lemma
is made from the word by an edit rule, so words never seen have lemmas too. What the input has
already may be kept, and is evidence for the rest.

>>> import bistro
>>> model = bistro.train("columns", bistro.builtin(sentences=300, seed=1), seed=1)
>>> plain = bistro.builtin(sentences=1, seed=5)[0]
>>> bare = plain.replace(xpos=["_"] * len(plain), lemmas=["_"] * len(plain))
>>> filled = model.fill([bare], keep=("upos",))[0]
>>> filled.columns["xpos"] == plain.xpos
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from bistro.encoding.edits import EditRule
from bistro.errors import ConfigError, nearest
from bistro.inference.choices import Choice
from bistro.modelfile import Arrays
from bistro.models.base import Model, Origin, by_owner, flat, megabytes
from bistro.models.columns.config import ColumnsConfig
from bistro.models.columns.elements import PREDICTED, View, contexts
from bistro.models.results.columns import FilledColumns
from bistro.sums import added
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence

LEMMAS = "lemmas"
_CANDIDATES = 12
_MOST_CACHED = 300_000

Answer = tuple[str, float]


@dataclass(eq=False, repr=False)
class ColumnsModel(Model):
    """A trained model of columns."""

    kind: ClassVar[str] = "columns"

    config: ColumnsConfig
    choices: dict[str, Choice]
    """By column, in the order in which they are found."""
    rules: list[EditRule]
    """The outcomes of the choice of lemmas."""
    origin: Origin

    def __post_init__(self) -> None:
        self._cache: dict[str, dict[tuple[str, ...], Answer]] = {name: {} for name in self.choices}

    def fill(
        self, sentences: Iterable[Sentence], *, keep: Sequence[str] = ()
    ) -> list[FilledColumns]:
        """Return the columns of sentences; columns to `keep` stay where they are not empty."""
        for name in keep:
            if name not in PREDICTED:
                raise ConfigError(f"there is no column '{name}' to keep{nearest(name, PREDICTED)}")
        items = list(sentences)
        views = [View.of(sentence) for sentence in items]
        filled = [FilledColumns({}, {}) for _ in views]
        for name in self.choices:
            given = [
                [value if name in keep else EMPTY for value in view.columns[name]] for view in views
            ]
            rows = [contexts(view, getattr(self.config.contexts, name)) for view in views]
            forms = [form for view in views for form in view.forms]
            answers = iter(self._answers(name, [row for part in rows for row in part], forms))
            for view, kept, result in zip(views, given, filled, strict=True):
                found = [next(answers) for _ in view.forms]
                values = [
                    own if own != EMPTY else value
                    for own, (value, _) in zip(kept, found, strict=True)
                ]
                view.columns[name] = result.columns[name] = values
                result.probabilities[name] = [
                    1.0 if own != EMPTY else p for own, (_, p) in zip(kept, found, strict=True)
                ]
        return filled

    def _answers(
        self, name: str, rows: Sequence[tuple[str, ...]], forms: Sequence[str]
    ) -> list[Answer]:
        """Return the best value in each context; what was asked before is not looked up again."""
        cache = self._cache[name]
        # Lemmas depend on the form itself, whatever their contexts hold.
        keys = [(form, *row) for form, row in zip(forms, rows, strict=True)]
        if len(cache) > _MOST_CACHED:
            cache.clear()
        if missing := [key for key in dict.fromkeys(keys) if key not in cache]:
            numbers, weights = self.choices[name].ranked([k[1:] for k in missing], _CANDIDATES)
            ranked = zip(missing, numbers.tolist(), weights.tolist(), strict=True)
            cache |= {key: self._best(name, key[0], n, p) for key, n, p in ranked}
        return [cache[key] for key in keys]

    def _best(
        self, name: str, form: str, numbers: Sequence[int], weights: Sequence[float]
    ) -> Answer:
        if name != LEMMAS:
            return self.choices[name].outcomes.names[numbers[0]], min(weights[0], 1.0)
        found: dict[str, float] = {}
        for number, weight in zip(numbers, weights, strict=True):
            lemma = self.rules[number].apply(form) if number >= 0 else None
            if lemma:
                found[lemma] = found.get(lemma, 0.0) + weight
        if not found:
            return form, 0.0
        best = max(found, key=lambda lemma: found[lemma])
        return best, min(1.0, found[best] / added(found.values()))

    def figures(self, items: Sequence[Sentence]) -> dict[str, float]:
        """Return the share of right values in percent, given the columns before and the tree."""
        before: list[str] = []
        shares = {}
        for name in self.choices:
            right = total = 0
            for sentence, filled in zip(items, self.fill(items, keep=before), strict=True):
                gold = getattr(sentence, name)
                right += sum(a == b for a, b in zip(gold, filled.columns[name], strict=True))
                total += len(gold)
            shares[name] = 100 * right / max(1, total)
            before.append(name)
        return shares

    def header(self) -> dict[str, Any]:
        """Return the names of the choices, and the rules of lemmas."""
        named = {name: choice.header() for name, choice in self.choices.items()}
        return {"choices": named, "rules": [rule.to_header() for rule in self.rules]}

    def arrays(self) -> Arrays:
        """Return the distributions of all columns."""
        return flat({name: choice.arrays for name, choice in self.choices.items()})

    @classmethod
    def from_parts(
        cls, config: ColumnsConfig, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Make the model again from a file."""
        parts = by_owner(arrays, PREDICTED)
        named = header["choices"]
        choices = {
            name: Choice.from_parts(named[name], parts[name]) for name in PREDICTED if name in named
        }
        return cls(config, choices, [EditRule.from_header(r) for r in header["rules"]], origin)

    def summary(self) -> dict[str, Any]:
        """Return the number of values of each column, and the size."""
        sizes = {f"{name}, values": len(choice.outcomes) for name, choice in self.choices.items()}
        return {**sizes, "megabytes": megabytes(self.arrays())}
