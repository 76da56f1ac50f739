"""The reader, a word-by-word mixture of language models trained on the same treebank.

    p(w_i | before) = Σ_m weight_m p_m(w_i | before)

An n-gram model predicts which words follow each other, a transition parser which words the tree
requires, and a latent-variable parser learns further regularities. Different members predict
different words well, so the mixture predicts text better than any single member. The weights are
fitted on a development set.

>>> import bistro
>>> treebank = bistro.builtin(sentences=300, seed=1)
>>> model = bistro.train("reader", treebank, seed=1, members=["ngram", "transition"])
>>> [row.token for row in model.surprisal("The dog sleeps .".split())]
['The', 'dog', 'sleeps', '.', '</s>']
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bistro.encoding.vocabulary import Vocabulary
from bistro.errors import BistroError, ModelFileError
from bistro.modelfile import Arrays
from bistro.models.abilities import GENERATE, SCORE, Scorer
from bistro.models.base import Model, Origin, megabytes
from bistro.models.defaults import chosen_options
from bistro.models.inputs import Words, as_words
from bistro.models.mixing import mixed_scores, require_same_events
from bistro.models.nested import nested_arrays, nested_models, numbered
from bistro.models.options import Options, a_model
from bistro.models.reader.config import ReaderConfig
from bistro.models.reader.generate import WordDrawer, draw_sentences
from bistro.models.reader.memory import Memory
from bistro.models.reader.options import ReaderOptions, known_to
from bistro.models.results.scores import TextScores
from bistro.models.scoring import Scoring
from bistro.treebank.documents import check_documents

if TYPE_CHECKING:
    from bistro.models.next_words import MixedSums
    from bistro.models.results.explanations import Explanation

Weights = NDArray[np.float64]


@dataclass(eq=False, repr=False)
class ReaderModel(Scoring, Model):
    """A mixture of trained language models, with their weights."""

    kind: ClassVar[str] = "reader"
    score_options: ClassVar[type[Options]] = ReaderOptions

    config: ReaderConfig
    members: list[Model]
    weights: Weights
    """The weights of the members, which sum to 1."""
    origin: Origin
    memory: Memory | None = None
    """The memory of a document's words, used only if the document of each sentence is given."""

    def __post_init__(self) -> None:
        self.scorers: list[Scorer] = [SCORE.of(member) for member in self.members]
        self.drawers = [_drawer_of(member) for member in self.members]
        require_same_events(*self.scorers)
        if self.weights.shape != (len(self.members),):
            raise ModelFileError("a reader must have one weight for each of its members")
        is_sound = np.isfinite(self.weights).all() and (self.weights >= 0).all()
        if not is_sound or abs(self.weights.sum() - 1) > 1e-6:
            raise ModelFileError("the weights of a reader must be at least 0 and sum to 1")

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary that all members share."""
        return self.scorers[0].vocabulary

    @property
    def longest_generated(self) -> float:
        """Maximum number of words in a drawn sentence. Longer sentences are truncated."""
        # For every word, a parser starts again at the first word: 250 words would take minutes.
        return min(100, *(drawer.longest_generated for drawer in self.drawers))

    def score(
        self,
        sentences: Iterable[Words],
        *,
        documents: Sequence[Hashable] | None = None,
        **options: Any,
    ) -> TextScores:
        """Return the log-probability of every word and every sentence end.

        Parameters
        ----------
        sentences
            Sentences of a treebank, or lists of words.
        documents
            The name of each sentence's document. Words that occur in earlier sentences of the same
            document become more probable. By default, every sentence is scored on its own.
        **options
            Options of the sums over analyses.
        """
        words = as_words(sentences)
        self._check_documents(documents, len(words))
        scores = mixed_scores(self.member_scores(words, **options), self.weights)
        return scores if documents is None else self.remember(scores, words, documents)

    def remember(
        self,
        scores: TextScores,
        sentences: Sequence[Sequence[str]],
        documents: Sequence[Hashable],
    ) -> TextScores:
        """Return scores that use the memory of the document, given scores without memory."""
        return self._memory().scores(scores, self.vocabulary, sentences, documents)

    def memory_protocol(self) -> str:
        """Describe the memory."""
        return self._memory().describe()

    def _memory(self) -> Memory:
        if self.memory is None:
            raise BistroError(
                "this reader has no memory: train it with --set memory=300, or another number of "
                "words"
            )
        return self.memory

    def _check_documents(self, documents: Sequence[Hashable] | None, sentences: int) -> None:
        """Validate `documents` before the sentences are scored, because scoring takes time."""
        if documents is not None:
            self._memory()
            check_documents(documents, sentences)

    def distinct_scores(
        self,
        words: Sequence[Sequence[str]],
        *,
        documents: Sequence[Hashable] | None = None,
        **options: Any,
    ) -> TextScores:
        """Score identical sentences only once, and apply the memory of the document afterwards."""
        self._check_documents(documents, len(words))
        scores = super().distinct_scores(words, **options)
        return scores if documents is None else self.remember(scores, words, documents)

    def member_scores(self, sentences: Iterable[Words], **options: Any) -> list[TextScores]:
        """Return the scores of each member for the same sentences."""
        reader_options: ReaderOptions = chosen_options(self, "score", options)
        words = as_words(sentences)
        return [scorer.score(words, **known_to(scorer, reader_options)) for scorer in self.scorers]

    def next_sums(self, context: Sequence[str], **options: Any) -> MixedSums:
        """Return the mixture of the members' next-word distributions after a context."""
        from bistro.models.next_words import MixedSums

        reader_options: ReaderOptions = chosen_options(self, "score", options)
        sums = [s.next_sums(context, **known_to(s, reader_options)) for s in self.scorers]
        return MixedSums(sums, self.weights.tolist())

    def score_protocol(self, **options: Any) -> str:
        """Describe how every member computes its scores."""
        reader_options: ReaderOptions = chosen_options(self, "score", options)
        protocols = (s.score_protocol(**known_to(s, reader_options)) for s in self.scorers)
        return f"{self.kind} model, {self.describe()}; {'; '.join(protocols)}"

    def generate(
        self, n: int, seed: int = 1, *, temperature: float = 1.0, prefix: Sequence[str] = ()
    ) -> Iterator[list[str]]:
        """Draw sentences that begin with `prefix`.

        Each sentence depends only on its index and the seed. For each word, a member is drawn
        according to its weight, and then the member draws the word. The resulting sentence is a
        draw from the mixture. The temperature applies to the members' draws.
        """
        return draw_sentences(self, n, seed, temperature, prefix)

    def explain(
        self, sentence: Words, training: Iterable[Any] | None = None, member: str | None = None
    ) -> Explanation:
        """Return each word's surprisal under each member, and each member's posterior share.

        If `member` is given, return that member's explanation of the sentence.
        """
        from bistro.models.reader.explain import explain_member, explain_shares

        if member is not None:
            return explain_member(self, sentence, training, member)
        return explain_shares(self, sentence)

    def header(self) -> dict[str, Any]:
        """Return the weights, the memory and the headers of the members."""
        return {
            "weights": self.weights.tolist(),
            **({"memory": self.memory.header()} if self.memory else {}),
            "members": [member.whole_header() for member in self.members],
        }

    def arrays(self) -> Arrays:
        """Return the arrays of all members."""
        return nested_arrays(numbered(self.members))

    @classmethod
    def from_parts(
        cls, config: ReaderConfig, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Restore the reader from a file."""
        members = list(nested_models(numbered(header["members"]), arrays).values())
        # Files of earlier versions have neither the setting nor a memory.
        words = header["config"].get("memory", 0)
        memory = Memory.from_header(header["memory"]) if words else None
        own = replace(config, memory=memory.words if memory else 0)
        weights = np.array(header["weights"], dtype=np.float64)
        return cls(own, members, weights, origin, memory)

    def summary(self) -> dict[str, Any]:
        """Return the members, weights, vocabulary size and model size."""
        vocabulary = self.vocabulary
        return {
            "members": ", ".join(self.member_names()),
            "weights": " ".join(f"{weight:.3f}" for weight in self.weights),
            "memory": f"{self.memory.words:,} words" if self.memory else "none",
            "words known": len(vocabulary) - vocabulary.num_classes,
            "unknown classes": vocabulary.num_classes,
            "megabytes": megabytes(self.arrays()),
        }

    def describe(self) -> str:
        """Return the members with their weights."""
        pairs = zip(self.member_names(), self.weights, strict=True)
        return "mixture of " + ", ".join(f"{name} {weight:.3f}" for name, weight in pairs)

    def member_names(self) -> list[str]:
        """Return the name of every member."""
        return [str(member.origin.treebank.get("member", member.kind)) for member in self.members]


def _drawer_of(member: Model) -> WordDrawer:
    drawer = GENERATE.of(member)
    if not isinstance(drawer, WordDrawer):
        raise ModelFileError(
            f"{a_model(member.kind)} cannot be a member of a reader, since it cannot draw words"
        )
    return drawer
