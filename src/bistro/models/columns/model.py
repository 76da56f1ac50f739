"""A model of the tags, features and lemmas of words in trees.

    p(upos, xpos, feats | word, neighbours, tree) ∝ p_0^-b Π p_e(upos, xpos, feats | context of e)
    p(lemma | word, upos, xpos, feats)

UPOS, XPOS and FEATS are one outcome, which several experts predict together
(`bistro.inference.products`). The experts use the spelling, the surrounding words, the tree and the
surrounding tags. A parser's tag probabilities serve as another expert. An edit rule derives the
lemma from the word, so unseen words can be lemmatised too. Values from the input can be kept as
evidence for the other values.

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

from bistro.errors import ConfigError, ModelFileError, nearest
from bistro.modelfile import Arrays
from bistro.models.base import Model, Origin, by_owner, flat, megabytes
from bistro.models.columns.config import LEMMAS, ColumnsConfig
from bistro.models.columns.elements import PREDICTED, Words
from bistro.models.columns.lemmas import Lemmas
from bistro.models.columns.tags import Found, Tags
from bistro.models.results.columns import Beliefs, FilledColumns
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence


@dataclass(eq=False, repr=False)
class ColumnsModel(Model):
    """A trained model that predicts tags, features and lemmas."""

    kind: ClassVar[str] = "columns"

    config: ColumnsConfig
    tags: Tags | None
    """The experts that predict tags and features, or None if the treebank has neither."""
    lemmas: Lemmas | None
    origin: Origin

    @property
    def predicted_columns(self) -> tuple[str, ...]:
        """The columns that the model predicts, in the order in which it predicts them."""
        return (*(self.tags.columns if self.tags else ()), *([LEMMAS] if self.lemmas else []))

    def fill(
        self,
        sentences: Iterable[Sentence],
        *,
        keep: Sequence[str] = (),
        beliefs: Sequence[Beliefs] = (),
        alternatives: int = 0,
    ) -> list[FilledColumns]:
        """Predict the annotation columns of sentences.

        Non-empty values in the columns listed in `keep` do not change. `beliefs` are a parser's
        distributions over tags. The first distribution is for the parser's own column, and the
        sentences contain the best tags for that column. `alternatives` is the maximum number of
        alternative values per word and column.
        """
        for name in keep:
            if name not in PREDICTED:
                raise ConfigError(f"there is no column '{name}' to keep{nearest(name, PREDICTED)}")
        items = list(sentences)
        words = Words.of(items)
        if not words.forms:
            return [FilledColumns({}, {}) for _ in items]
        kept = {name: words.columns[name] for name in keep}
        for name in PREDICTED:
            if name not in kept and not (beliefs and beliefs[0].column == name):
                words.put(name, [EMPTY] * len(words.forms))
        result = Found({}, {}, [])
        if self.tags:
            result = self.tags.find(words, kept, beliefs, alternatives)
        if self.lemmas:
            own = self.lemmas.find(words, kept.get(LEMMAS), result.doubts, alternatives)
            result.values[LEMMAS], result.probabilities[LEMMAS], others = own
            result.alternatives.update({LEMMAS: others} if alternatives else {})
        parts = (result.values, result.probabilities, result.alternatives)
        return [
            FilledColumns(*columns)
            for columns in zip(*(_by_sentence(words, part) for part in parts), strict=True)
        ]

    def figures(self, items: Sequence[Sentence]) -> dict[str, float]:
        """Return the percentage of correct values in each column.

        Each column is predicted from the gold tree and the gold values of earlier columns.
        """
        before: list[str] = []
        shares = {}
        for name in self.predicted_columns:
            right = total = 0
            for sentence, filled in zip(items, self.fill(items, keep=before), strict=True):
                gold = getattr(sentence, name)
                right += sum(a == b for a, b in zip(gold, filled.columns[name], strict=True))
                total += len(gold)
            shares[name] = 100 * right / max(1, total)
            before.append(name)
        return shares

    def header(self) -> dict[str, Any]:
        """Return the names of outcomes and context elements, and the lemma rules."""
        layers = {"tags": self.tags, LEMMAS: self.lemmas}
        return {name: layer.header() if layer else None for name, layer in layers.items()}

    def arrays(self) -> Arrays:
        """Return the arrays of the experts and of the lemma model."""
        parts = dict(self.tags.product.parts) if self.tags else {}
        return flat(parts | ({LEMMAS: self.lemmas.choice.arrays} if self.lemmas else {}))

    @classmethod
    def from_parts(
        cls, config: ColumnsConfig, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Rebuild the model from the content of a file."""
        experts = config.contexts.experts
        parts = by_owner(arrays, (*experts, LEMMAS))
        tags = lemmas = None
        if header["tags"] is not None:
            own = {name: parts[name] for name in experts if name in parts}
            if len(own) < len(experts):
                raise ModelFileError("the arrays of an expert for tags and features are missing")
            tags = Tags.from_parts(config, header["tags"], own)
        if header[LEMMAS] is not None:
            lemmas = Lemmas.from_parts(config, header[LEMMAS], parts[LEMMAS])
        return cls(config, tags, lemmas, origin)

    def summary(self) -> dict[str, Any]:
        """Return the number of outcomes and the model size."""
        facts: dict[str, Any] = {"columns": ", ".join(self.predicted_columns)}
        if self.tags:
            facts["combinations of tags"] = len(self.tags.product.outcomes)
        if self.lemmas:
            facts["rules of lemmas"] = len(self.lemmas.rules)
        return {**facts, "megabytes": megabytes(self.arrays())}


def _by_sentence(words: Words, columns: Mapping[str, Sequence[Any]]) -> list[dict[str, list[Any]]]:
    cut = {name: words.cut(values) for name, values in columns.items()}
    return [{name: rows[i] for name, rows in cut.items()} for i in range(len(words.starts))]
