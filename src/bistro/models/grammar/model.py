"""The treebank grammar, a probabilistic grammar that is read from constituency trees.

Every phrase draws its children, and every tag its word, from Pitman-Yor processes that back off to
less specific ones (`bistro.models.grammar.smoothing`), so that every sentence has a probability.
The surprisal of a word is exact, because the model sums over all trees for the preceding words and
over all continuations (Jelinek and Lafferty 1991, Stolcke 1995).

>>> import bistro
>>> model = bistro.train("grammar", bistro.builtin_trees(sentences=200, seed=1), seed=1)
>>> table = model.surprisal(["The", "dog", "sleeps", "."])
>>> [row.token for row in table]
['The', 'dog', 'sleeps', '.', '</s>']
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from bistro.encoding.casing import START, Casing
from bistro.encoding.vocabulary import Vocabulary, vocabulary_of
from bistro.errors import BistroError
from bistro.inference.grammar.exact import ExactGrammar
from bistro.modelfile import Arrays
from bistro.models.base import Model, Origin
from bistro.models.checks import Expected, check_arrays, distinct_strings
from bistro.models.grammar.config import GrammarConfig
from bistro.models.grammar.counts import RuleCounts
from bistro.models.grammar.next_words import GrammarSums
from bistro.models.grammar.smoothing import Level, Levels, smoothed_grammar
from bistro.models.inputs import Words, as_words, check_number
from bistro.models.results.scores import TextScores
from bistro.models.scoring import Scoring
from bistro.rng import Stream, check_seed
from bistro.treebank.builtin.derivations import capital, words_of
from bistro.treebank.constituents import ROOT

LEVELS = "levels"
MOST = 1e12
"""Upper bound on the discounts and strengths in a model file."""


@dataclass(eq=False, repr=False)
class GrammarModel(Scoring, Model):
    """A trained treebank grammar."""

    kind: ClassVar[str] = "grammar"
    longest_generated: ClassVar[float] = math.inf
    is_cubic: ClassVar[bool] = True

    config: GrammarConfig
    vocabulary: Vocabulary
    counts: RuleCounts
    levels: Levels
    capitals: frozenset[str]
    """The tokens after which a capital letter is expected. The empty token stands for the
    sentence start."""
    origin: Origin

    @cached_property
    def grammar(self) -> ExactGrammar:
        """The smoothed context-free grammar, including the back-off rules."""
        forms = self.vocabulary.decode(range(len(self.vocabulary)))
        missed = self.config.missed_capitals
        return smoothed_grammar(self.counts, self.levels, ROOT, forms, self.capitals, missed)

    def score(self, sentences: Iterable[Words], **options: Any) -> TextScores:
        """Return the log-probability of every word and every sentence end. There are no options."""
        self.score_options.of(options, self.kind, "score words")
        texts = as_words(sentences)
        log_probs: list[float] = []
        is_oov: list[bool] = []
        for words in texts:
            tokens, unknown = self._tokens(words)
            log_probs += [-b * math.log(2) for b in self.grammar.surprisals(tokens)]
            is_oov += [*unknown, False]
        is_eos, offsets = TextScores.ends(map(len, texts))
        return TextScores(np.array(log_probs), is_eos, np.array(is_oov, dtype=np.bool_), offsets)

    def next_sums(self, context: Sequence[str], **options: Any) -> GrammarSums:
        """Return the exact probabilities of the next word. There are no options."""
        self.score_options.of(options, self.kind, "score words")
        tokens, _ = self._tokens(context)
        continuations = self.grammar.continuations(tokens)

        def written(word: str) -> tuple[str, bool]:
            words, unknown = self._tokens([*context, word])
            return words[-1], unknown[-1]

        classes = self.vocabulary.decode(range(self.vocabulary.num_classes))
        return GrammarSums(continuations, classes, written)

    def _tokens(self, words: Sequence[str]) -> tuple[list[str], list[bool]]:
        """Return the grammar's token for each word, and whether the word is unknown."""
        before = [START, *words][: len(words)]
        known = [
            not self.vocabulary.is_unknown(word) or (b in self.capitals and word in self._capitals)
            for b, word in zip(before, words, strict=True)
        ]
        names = self.vocabulary.decode(self.vocabulary.encode(words).tolist())
        tokens = [
            name if not k or not self.vocabulary.is_unknown(word) else word
            for word, name, k in zip(words, names, known, strict=True)
        ]
        return tokens, [not k for k in known]

    @cached_property
    def _capitals(self) -> frozenset[str]:
        return frozenset(map(capital, self.vocabulary.words))

    def generate(
        self, n: int, seed: int = 1, *, temperature: float = 1.0, prefix: Sequence[str] = ()
    ) -> Iterator[list[str]]:
        """Draw `n` sentences. Each sentence depends only on the seed and its index."""
        check_number(n)
        check_seed(seed)
        if temperature != 1 or prefix:
            raise BistroError(
                "a treebank grammar draws whole trees: leave out --temperature and --prefix"
            )
        for number in range(n):
            stream = Stream(seed, "grammar", number)
            derivation, _ = self.grammar.sample_derivation(stream)
            yield self._written([word.form for word in words_of(derivation)], stream)

    def _written(self, forms: Sequence[str], stream: Stream) -> list[str]:
        """Capitalise words where a capital letter is expected.

        Some capital letters are left out at random.
        """
        tokens: list[str] = []
        for form in forms:
            is_due = (tokens[-1] if tokens else START) in self.capitals
            is_written = is_due and stream.uniform() >= self.config.missed_capitals
            tokens.append(capital(form) if is_written else form)
        return tokens

    def header(self) -> dict[str, Any]:
        """Return the vocabulary and the names of symbols and words."""
        return {
            "vocabulary": self.vocabulary.to_header(),
            "vocabulary_hash": self.vocabulary.hash,
            "counts": self.counts.header(),
            "capitals": sorted(self.capitals),
        }

    def arrays(self) -> Arrays:
        """Return the counts of the grammar and the parameters of every Pitman-Yor process."""
        return {**self.counts.arrays(), LEVELS: np.array(self.levels)}

    @classmethod
    def from_parts(
        cls, config: GrammarConfig, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Rebuild the model from the content of a file."""
        vocabulary = vocabulary_of(header)
        check_arrays(arrays, {LEVELS: Expected("f", (len(Levels._fields), 2), 0, MOST)})
        counts = RuleCounts.from_parts(header["counts"], arrays)
        levels = Levels(*(Level(*pair) for pair in arrays[LEVELS].tolist()))
        capitals = frozenset(distinct_strings(header["capitals"], "capitals"))
        return cls(config, vocabulary, counts, levels, capitals, origin)

    def summary(self) -> dict[str, Any]:
        """Return the size of the grammar and the parameters of its Pitman-Yor processes."""
        return {
            "phrases": len(self.counts.rules),
            "tags": len(self.counts.words),
            "rules": sum(map(len, self.counts.rules.values())),
            "words known": len(self.vocabulary) - self.vocabulary.num_classes,
            "unknown classes": self.vocabulary.num_classes,
            "discounts": {k: round(v.discount, 3) for k, v in self.levels._asdict().items()},
            "strengths": {k: round(v.strength, 3) for k, v in self.levels._asdict().items()},
        }


def learned_casing(texts: Sequence[Sequence[str]], config: GrammarConfig) -> Casing:
    """Learn where capital letters are expected, or return an empty rule if this is disabled."""
    return Casing.learn(texts) if config.capitals else Casing(())
