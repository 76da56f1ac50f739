"""The transition parser as a language model, for surprisal, perplexity and generation.

The probability of a prefix is a sum over all derivations that generate its words.

    p(w_1 ... w_i) = Σ_d p(d, w_1 ... w_i)

There are too many derivations to enumerate, so four methods compute or approximate the sum.
``graph`` keeps all stacks in one graph, which is thinned at random. Stacks that the model cannot
distinguish share a node. The resulting sum is unbiased, and its standard error is estimated from
the removed nodes. ``exact`` is the same as ``graph`` but without thinning. This method is suitable
for models with small contexts and for short sentences. ``smc`` (sequential Monte Carlo) is also
unbiased. This method samples derivations (particles) from the model and weights them by the
probabilities of the words. The standard error is estimated from several independent runs.
``search`` sums over the derivations that the particle search keeps. The result is a lower bound,
since all other derivations are ignored.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bistro._core import ScoreRequest
from bistro.errors import BistroError, ConfigError
from bistro.inference.speller import spelled
from bistro.models.defaults import chosen_options
from bistro.models.inputs import Words, as_words, check_draws
from bistro.models.options import Options
from bistro.models.parsing.parser import ParsingAbility
from bistro.models.results.scores import TextScores
from bistro.models.scoring import Scoring
from bistro.progress import observed, phase
from bistro.rng import purpose_key
from bistro.treebank.sentence import Sentence

if TYPE_CHECKING:
    from bistro.models.parsing.next_words import ParsedSums

PREFIX_PARTICLES = 200
Method: TypeAlias = Literal["graph", "exact", "smc", "search"]
CHOICES = {
    "method": ("graph", "exact", "smc", "search"),
    "tags": ("all", "seen"),
    "selection": ("weight", "paper"),
}
GRAPHS = ("graph", "exact")
"""Methods that sum over a graph of stacks."""
RUNS = 10
"""Default number of runs for methods that estimate the standard error from several runs."""


@dataclass(frozen=True)
class ScoreOptions(Options):
    """Options for computing word probabilities by summing over derivations."""

    method: Method = "graph"
    particles: int = 100
    """Maximum number of graph nodes per word or, for other methods, the number of particles."""
    repeats: int = 0
    """Number of independent runs that are averaged. 0 means one run, or ten for ``smc``, which
    estimates its standard error from the spread of the runs."""
    tags: Literal["all", "seen"] = "all"
    """The tags that a word may have: all tags, or only the tags that it had in training.
    Restricting words to their training tags saves time, but the result is then a lower bound."""
    tags_per_word: int = 0
    """Maximum number of tags tried for each word, starting with the most probable. 0 tries all
    possible tags."""
    selection: Literal["weight", "paper"] = "weight"
    """How the search distributes its particles after each word. The values are the same as for
    parsing."""
    both_reduces: bool = True
    """Whether the search tries both arcs in each reduction, as it does for parsing."""
    seed: int = 1
    part: tuple[int, int] | None = None
    """The index of the first sentence in a larger text, and the number of sentences in that text.
    The value is None if the sentences are the whole text. Random choices depend on these two
    numbers."""
    threads: int = 0
    """Number of threads; 0 uses all cores."""

    def __post_init__(self) -> None:
        """Raise an error if the value of an option is invalid."""
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                wanted = " or ".join(choices)
                raise ConfigError(f"{name} = '{getattr(self, name)}' is not valid: choose {wanted}")
        for name, least in (("particles", 1), ("repeats", 0), ("tags_per_word", 0)):
            if getattr(self, name) < least:
                raise ConfigError(f"{name} is {getattr(self, name)}, but must be at least {least}")

    @property
    def runs(self) -> int:
        """Number of independent runs that are averaged."""
        if self.method in ("exact", "search"):
            return 1
        return self.repeats or (RUNS if self.method == "smc" else 1)

    def request(self, num_tags: int, num_labels: int) -> ScoreRequest:
        """Return the options in the format that the C++ core expects."""
        draws = self.method == "smc"
        return ScoreRequest(
            draws=draws,
            particles=0 if self.method == "exact" else self.particles,
            by_weight=self.selection == "weight",
            all_tags=self.tags == "all",
            both_reduces=self.both_reduces or draws,
            tags_per_word=self.tags_per_word or num_tags,
            labels_per_arc=num_labels,
            repeats=self.runs,
            seed=self.seed,
            purpose=purpose_key("transition.score"),
            first=self.part[0] if self.part else 0,
            total=self.part[1] if self.part else 0,
            graph=self.method in GRAPHS,
        )


SCORED_AT_ONCE = 100
"""Number of sentences that are scored together when progress is shown."""
METHODS = {
    "graph": "a graph of stacks, thinned at random to at most {particles} nodes per word, "
    "seed {seed}",
    "exact": "a graph of all stacks",
    "smc": "sequential Monte Carlo with {particles} particles in {runs} runs, seed {seed}",
    "search": "a beam of {particles}, which bounds the sentence's probability from below and its "
    "surprisal from above",
}


class LanguageAbility(Scoring, ParsingAbility):
    """Mixin that provides language-model methods for parsers that generate words."""

    score_options: ClassVar[type[Options]] = ScoreOptions
    longest_generated: ClassVar[float] = 250

    def score(self, sentences: Iterable[Words], **options: Any) -> TextScores:
        """Return the log-probabilities of all words and sentence ends, and their components.

        Parameters
        ----------
        sentences
            Sentences of a treebank, or lists of words.
        **options
            ``method`` (``"graph"``, ``"exact"``, ``"smc"`` or ``"search"``), ``particles``,
            ``repeats``, ``seed``, ….
        """
        from bistro.models.parsing.prefix_sums import scores_of_prefixes

        settings = chosen_options(self, "score", options)
        self.require_prefixes()
        texts = [Sentence.from_columns(list(words)) for words in as_words(sentences)]
        if observed() and len(texts) > SCORED_AT_ONCE and settings.part is None:
            return self._score_in_pieces(texts, options)
        vocabulary = self.codec.vocabulary
        ids, _ = vocabulary.encode_all(sentence.forms for sentence in texts)
        unseen = self.codec.unseen(texts)
        batch = self.codec.encode(texts, None, unseen)
        threads = settings.threads or os.cpu_count() or 1
        request = settings.request(len(self.codec.tags), len(self.codec.labels))
        sums = self._parser.graph_scores if settings.method in GRAPHS else self._parser.score
        arrays = sums(batch, request, threads)
        is_eos, offsets = TextScores.ends(map(len, texts))
        _check_analyses(arrays["log_prefix"], offsets, settings)
        is_oov = np.zeros(is_eos.size, dtype=np.bool_)
        is_oov[~is_eos] = vocabulary.unknown_mask(ids)
        log_scale = np.zeros(is_eos.size)
        log_scale[~is_eos] = unseen.log_scale
        return scores_of_prefixes(arrays, is_eos, is_oov, offsets, log_scale)

    def _score_in_pieces(self, texts: list[Sentence], options: dict[str, Any]) -> TextScores:
        """Compute the scores piece by piece, and show progress."""
        total, scores = len(texts), []
        with phase("scoring", total=total, unit="sentences") as work:
            for first in range(0, total, SCORED_AT_ONCE):
                piece = texts[first : first + SCORED_AT_ONCE]
                scores.append(self.score(piece, **{**options, "part": (first, total)}))
                work.advance(len(piece))
        return TextScores.joined(scores)

    def next_sums(self, context: Sequence[str], **options: Any) -> ParsedSums:
        """Return the next-word distribution, summed over all derivations of a context."""
        from bistro.models.parsing.next_words import ParsedSums

        settings = chosen_options(self, "score", options)
        self.require_prefixes()
        texts = [Sentence.from_columns(list(context))] if context else []
        if settings.method == "graph":  # its errors are known only for the words of the text
            settings = replace(settings, repeats=settings.repeats or RUNS)
        request = settings.request(len(self.codec.tags), len(self.codec.labels))
        batch = self.codec.encode(texts, None, self.codec.unseen(texts))
        sums = self._parser.next_words(batch, request, settings.threads or os.cpu_count() or 1)
        if not np.isfinite(sums.log_prefix).any():
            raise BistroError(f"no run found an analysis of the words; {_more(settings)}")
        return ParsedSums(self.codec, context, sums, self.shown_tags(self.codec.tags))

    def score_protocol(self, **options: Any) -> str:
        """Return a description of how derivations are summed with these options."""
        settings = chosen_options(self, "score", options)
        facts = {**vars(settings), "runs": getattr(settings, "runs", 1)}
        summed = METHODS[settings.method].format_map(facts)
        return f"{self.kind} model, summed over analyses by {summed}"

    def require_prefixes(self) -> None:
        """Raise an error if the model cannot score prefixes of sentences."""
        if self.config.direction != "left-to-right":
            raise BistroError("a model that generates from right to left cannot score prefixes")
        if self.config.lexical == "none":
            raise BistroError(
                "an unlexicalised model has no word probabilities: train with lexical = 'full'"
            )

    def generate_trees(
        self, n: int, seed: int = 1, *, temperature: float = 1.0, prefix: Sequence[str] = ()
    ) -> Iterator[Sentence]:
        """Draw sentences with their trees.

        Parameters
        ----------
        n
            Number of sentences.
        seed
            Seed; sentence i depends only on the seed and i.
        temperature
            All choices are drawn with probabilities proportional to p^(1/temperature).
        prefix
            Words with which every sentence begins, under an analysis drawn by sequential Monte
            Carlo.
        """
        if prefix and self.config.direction != "left-to-right":
            raise BistroError("a model that generates from right to left cannot continue a prefix")
        check_draws(n, seed, temperature, prefix)
        return self._trees(n, seed, temperature, prefix, int(self.longest_generated))

    def draw_word(self, prefix: Sequence[str], seed: int, *, temperature: float) -> str | None:
        """Draw the next word after a prefix. With the same seed, `generate` draws the same word."""
        check_draws(1, seed, temperature, prefix)
        (tree,) = self._trees(1, seed, temperature, prefix, len(prefix) + 1)
        return tree.forms[-1] if len(tree) > len(prefix) else None

    def _trees(
        self, n: int, seed: int, temperature: float, prefix: Sequence[str], longest: int
    ) -> Iterator[Sentence]:
        made = self.drawn(
            n,
            seed=seed,
            purpose=purpose_key(f"{self.kind}.generate"),
            temperature=temperature,
            prefix=prefix,
            most_words=longest,
        )
        for i in range(n):
            span = slice(int(made["offsets"][i]), int(made["offsets"][i + 1]))
            ids, tags_drawn = made["words"][span].tolist(), made["tags"][span].tolist()
            words = self.codec.vocabulary.decode(ids)
            if self.codec.speller:
                words = spelled(
                    self.codec.speller,
                    self.codec.vocabulary,
                    words,
                    ids,
                    tags_drawn if len(self.codec.tags) > 1 else None,
                    seed=seed,
                    number=i,
                )
            words[: len(prefix)] = prefix
            if self.config.direction == "right-to-left":
                words.reverse()
            comments = [f"# sent_id = {i + 1}", f"# text = {' '.join(words)}"]
            if not made["complete"][i]:
                yield Sentence.from_columns(words, comments=[*comments, "# cut = 1"])
                continue
            tree = self.codec.decode(*(made[name][span] for name in ("heads", "labels", "tags")))
            sentence = Sentence.from_columns(
                words, heads=tree.heads, comments=comments, deprels=tree.labels
            )
            yield sentence.replace(**{self.config.tagset: self.shown_tags(tree.tags)})

    def drawn(
        self,
        n: int,
        *,
        seed: int,
        purpose: int,
        most_words: int,
        temperature: float = 1.0,
        prefix: Sequence[str] = (),
    ) -> dict[str, NDArray[Any]]:
        """Draw sentences, and return the flat arrays of symbol indices from the core."""
        beginning = [Sentence.from_columns(list(prefix))] if prefix else []
        made: dict[str, NDArray[Any]] = self._parser.generate(
            n,
            most_words=most_words,
            seed=seed,
            purpose=purpose,
            temperature=temperature,
            prefix=self.codec.encode(beginning, None),
            particles=PREFIX_PARTICLES,
        )
        return made

    def generate(
        self, n: int, seed: int = 1, *, temperature: float = 1.0, prefix: Sequence[str] = ()
    ) -> Iterator[list[str]]:
        """Draw sentences as lists of words. The parameters are the same as for `generate_trees`.

        Parameters
        ----------
        n
            Number of sentences.
        seed
            Seed; sentence i depends only on the seed and i.
        temperature
            All choices are drawn with probabilities proportional to p^(1/temperature).
        prefix
            Words with which every sentence begins.
        """
        drawn = self.generate_trees(n, seed, temperature=temperature, prefix=prefix)
        return (sentence.forms for sentence in drawn)


def _check_analyses(prefix: NDArray[np.float64], offsets: NDArray[np.int64], settings: Any) -> None:
    """Raise an error if a sentence has no analysis left because there were too few particles."""
    if np.isfinite(prefix).all():
        return
    has_any = np.isfinite(prefix.reshape(-1, int(offsets[-1]))).any(axis=0)
    if has_any.all():
        return
    place = int(np.argmin(has_any))
    number = int(np.searchsorted(offsets, place, side="right")) - 1
    part = getattr(settings, "part", None)
    sentence = number + 1 + (part[0] if part else 0)
    raise BistroError(
        f"sentence {sentence}: no analysis is left after word {place - int(offsets[number]) + 1}; "
        f"{_more(settings)}"
    )


def _more(settings: Any) -> str:
    enough = max(ScoreOptions.particles, 2 * settings.particles)
    return f"particles = {settings.particles} is too small, use {enough} or more"
