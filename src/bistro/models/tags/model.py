"""A tagger that conditions on all previous tags.

    p(words, tags) = Π p(tag_i | all tags before it) p(word_i | tag_i, all tags before it)

Exact search is possible although contexts are unbounded. Histories at the same node of the trie
have the same future, so they are one state of a lattice (`cpp/infinite/chain_lattice.hpp`). A beam
search over the lattice states is nearly as accurate as an exact search. Metropolis-Hastings
sampling, as in the paper, draws proposals from a hidden Markov model. The A* search is the same as
in the other models with unbounded contexts.

>>> import bistro
>>> treebank = bistro.builtin(sentences=300, seed=1)
>>> model = bistro.train("tags", treebank, seed=1)
>>> model.tag("The dog sleeps .".split()).tags
['DET', 'NOUN', 'VERB', 'PUNCT']
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, ClassVar, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from bistro._core import ChainRequest, ChainTagger
from bistro.errors import BistroError, ConfigError, ModelFileError
from bistro.models.defaults import chosen_options
from bistro.models.inputs import SENTENCES_AT_ONCE, as_sentence, place_of
from bistro.models.options import Options, check_choice
from bistro.models.results.structures import Tagging
from bistro.models.tags.task import TagsTask
from bistro.models.unbounded.model import UnboundedModel
from bistro.models.unbounded.search import (
    AGENDAS,
    Expand,
    SearchName,
    SearchOptions,
    present_name,
)
from bistro.rng import purpose_key
from bistro.treebank.sentence import Sentence

TagSearch = Literal["beam", "viterbi", "mcmc", "hmm", "astar-full", "astar-literal", "astar-nodes"]
NARROWEST = 1e-5
"""Minimum probability of a history in the beam, relative to that of the best history."""
LEAST = 1e-4
"""The beam search tries only tags with at least this probability under the hidden Markov model."""


@dataclass(frozen=True)
class TagOptions(Options):
    """Options of the search for the best tags."""

    search: TagSearch = "beam"
    """beam: the best histories after each word; viterbi: exact search over all histories; mcmc:
    Metropolis-Hastings; hmm: the hidden Markov model alone, as a baseline; astar-full,
    astar-literal and astar-nodes: the searches for trees, which return the most probable sequence
    that they find."""
    beam: int | None = None
    """Number of histories that are kept after each word (default 16), or of partial trees that A*
    keeps (default 200)."""
    completions: int = 100
    """Number of complete sequences that A* compares. With a value of 1, the search returns the
    first complete sequence, as in the paper."""
    expansions: int = 200_000
    """Maximum number of partial sequences that A* expands."""
    expand: Expand = "leftmost"
    """Which open nodes of a partial tree A* rewrites. See `SearchOptions`."""
    samples: int = 5000
    """Number of sequences that mcmc draws."""
    mbr: bool = True
    """Whether to find the most probable tag of each word instead of the most probable sequence.
    With mcmc, the most probable tag of each word is always found."""
    marginals: bool = False
    seed: int = 1
    threads: int = 0
    """Number of threads; 0 uses all cores."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "search", present_name(self.search))
        check_choice("search", self.search, get_args(TagSearch))
        check_choice("expand", self.expand, get_args(Expand))
        for name in ("beam", "samples", "completions", "expansions"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigError(f"{name} is {value}, but must be at least 1")
        if self.is_astar and self.marginals:
            raise ConfigError("A* does not compute probabilities of tags: choose another search")

    @property
    def is_astar(self) -> bool:
        """Whether the search method is A*, which finds trees."""
        return self.search in AGENDAS

    @property
    def width(self) -> int:
        """The number of histories or partial trees that are kept."""
        return self.beam or (200 if self.is_astar else 16)

    def request(self) -> ChainRequest:
        """Convert the options to the form that the C++ core expects."""
        return ChainRequest(
            search=self.search,
            beam=self.width,
            least_ratio=NARROWEST,
            least_probability=LEAST,
            minimum_risk=self.mbr,
            marginals=self.marginals,
            samples=self.samples,
            burn_in=self.samples // 10,
            seed=self.seed,
            purpose=purpose_key("infinite.tags"),
        )

    def describe(self) -> str:
        """Return a short description of the search."""
        description: str = self.search
        if self.search == "mcmc":
            description += f" {self.samples:,}, seed {self.seed}"
        elif self.search == "beam" or self.is_astar:
            description += f" {self.width:,}"
        if self.is_astar and self.completions == 1:
            description += ", first complete sequence"
        by_risk = self.search == "mcmc" or (self.mbr and not self.is_astar)
        return f"{description}, {'minimum risk' if by_risk else 'most probable tags'}"


class TagsModel(UnboundedModel):
    """A model of tag sequences."""

    kind: ClassVar[str] = "tags"
    task_class = TagsTask
    tag_options: ClassVar[type[TagOptions]] = TagOptions
    task: TagsTask

    @property
    def tag_column(self) -> str:
        """Name of the CoNLL-U column that contains the model's tags."""
        return self.task.tagset

    def tag(self, sentence: Sentence | Sequence[str], **options: Any) -> Tagging:
        """Tag one sentence. The options are the fields of `TagOptions`."""
        return next(self.tag_all([sentence], **options))

    def tag_all(
        self, sentences: Iterable[Sentence | Sequence[str]], **options: Any
    ) -> Iterator[Tagging]:
        """Tag sentences in parallel on several threads, and yield the results in order."""
        settings = self._options(options)
        threads = settings.threads or os.cpu_count() or 1
        waiting, done = iter(sentences), 0
        while chunk := [as_sentence(s) for s in islice(waiting, SENTENCES_AT_ONCE)]:
            if settings.is_astar:
                yield from self._by_tree_search(chunk, settings)
            else:
                words = self.task.vocabulary.encode_all([s.forms for s in chunk])
                try:
                    arrays = self._tagger.tag(
                        *words, settings.request(), first=done, threads=threads
                    )
                except ValueError as error:
                    raise ModelFileError(f"the model is damaged: {error}") from None
                yield from self._taggings(chunk, arrays)
            done += len(chunk)

    def _by_tree_search(
        self, sentences: Sequence[Sentence], options: TagOptions
    ) -> Iterator[Tagging]:
        own = options.some(("completions", "expansions", "expand", "threads"))
        search_options = SearchOptions(cast(SearchName, options.search), beam=options.width, **own)
        terminals = [self.task.terminals(sentence.forms) for sentence in sentences]
        trees = self.tree_search.find(terminals, search_options)
        for sentence, tree in zip(sentences, trees, strict=True):
            if tree is None:
                raise BistroError(f"{place_of(sentence)}: A* found no tags: use a wider beam")
            tags = self.task.output(sentence.forms, tree.derivation)
            yield Tagging(sentence, tags, tree.log_prob)

    def score_tags(self, sentences: Sequence[Sentence]) -> NDArray[np.float64]:
        """Return log p(words, tags) for each sentence, or minus infinity if a tag was not seen."""
        scores = np.full(len(sentences), -np.inf)
        known = [(i, self.task.derivation(s)) for i, s in enumerate(sentences)]
        pairs = [(i, d) for i, d in known if d is not None]
        if pairs:
            scores[[i for i, _ in pairs]] = self.log_prob([d for _, d in pairs])
        return scores

    def figures(self, items: Sequence[Sentence]) -> dict[str, float]:
        """Return measures of prediction quality and tagging accuracy on held-out sentences."""
        columns = [(t.tags, getattr(t.sentence, self.tag_column)) for t in self.tag_all(items)]
        right = [sum(map(operator.eq, tags, gold)) for tags, gold in columns]
        whole = sum(count == len(gold) for count, (_, gold) in zip(right, columns, strict=True))
        return {
            **super().figures(items),
            "% of tags right": 100 * sum(right) / max(1, sum(len(gold) for _, gold in columns)),
            "% of sentences right": 100 * whole / max(1, len(columns)),
        }

    def tag_protocol(self, **options: Any) -> str:
        """Describe how tags are found with the given options."""
        return f"{self.kind}, {self._options(options).describe()}"

    def _options(self, options: Mapping[str, Any]) -> TagOptions:
        settings: TagOptions = chosen_options(self, "tag", options)
        return settings

    @cached_property
    def _tagger(self) -> ChainTagger:
        rules = self.rules
        try:
            return ChainTagger(
                **rules.arrays(),
                probability=self.pcfg,
                start=rules.top,
                num_symbols=len(rules.symbols),
                num_words=len(rules.words),
                end_word=len(rules.words) - 1,
                trie=self.trie,
            )
        except ValueError as error:
            raise ModelFileError(f"the model is damaged: {error}") from None

    def _taggings(self, sentences: Sequence[Sentence], arrays: dict[str, Any]) -> Iterator[Tagging]:
        names = ["", *self.task.tags]
        tags = [names[tag] for tag in arrays["tags"].tolist()]
        rows = _rows(arrays["marginals"], names) if "marginals" in arrays else None
        word = 0
        figures = zip(arrays["log_prob"].tolist(), arrays["states"].tolist(), strict=True)
        for sentence, (log_prob, states) in zip(sentences, figures, strict=True):
            here = slice(word, word + len(sentence))
            listed = None if rows is None else rows[here]
            yield Tagging(sentence, tags[here], log_prob, listed, states)
            word += len(sentence)


def _rows(
    ragged: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]],
    names: Sequence[str],
) -> list[list[tuple[str, float]]]:
    begin, tag, probability = (column.tolist() for column in ragged)
    pairs = [(names[t], p) for t, p in zip(tag, probability, strict=True)]
    return [pairs[a:b] for a, b in pairwise(begin)]
