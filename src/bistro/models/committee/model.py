"""The committee consists of several generative models trained on one treebank.

For each word of a sentence, every member predicts a distribution over labelled heads and a
distribution over tags. These distributions are marginals of the member's posterior over trees. The
committee mixes the distributions of all members.

    p(head, label of i) = Σ_m w_m p_m(head, label of i)         p(tag of i) = Σ_m v_m p_m(tag of i)

A power that was fitted with the weights makes the distributions of heads sharper or flatter. The
result is the tree with the highest expected number of correct heads. The members make different
errors because they differ, for example, in reading direction or in their use of labels. The mixture
is more accurate than the best member.

>>> import bistro
>>> treebank = bistro.builtin(sentences=300, seed=1)
>>> model = bistro.train("committee", treebank, seed=1, members=["left", "right"])
>>> model.parse("The dog sleeps .".split()).heads
[2, 3, 0, 3]
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, tee
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from bistro.errors import BistroError
from bistro.modelfile import Arrays
from bistro.models.abilities import VOTE, Voter
from bistro.models.base import Model, Origin, megabytes
from bistro.models.committee.classes import NO_CLASSES, WordClasses
from bistro.models.committee.config import CommitteeConfig
from bistro.models.committee.contents import (
    CLASSES,
    NO_CROSSING,
    STACK,
    TEMPLATES,
    WAYS,
    apart,
    classes_of,
    crossing_of,
)
from bistro.models.committee.crossing import Crossing
from bistro.models.committee.mixture import (
    Fit,
    Mixture,
    Symbols,
    in_common,
    sharper,
    with_calibrated_trees,
)
from bistro.models.committee.moves import with_crossing_arcs, with_lifted_votes
from bistro.models.committee.pool import drawn, pooled
from bistro.models.committee.sharing import share_vocabularies
from bistro.models.committee.stacking import Ballot, Stack
from bistro.models.inputs import SENTENCES_AT_ONCE, Words, as_sentence
from bistro.models.nested import nested_arrays, nested_models, numbered
from bistro.models.parsing.options import DictionaryOptions, SharedOptions
from bistro.models.parsing.tagging import TaggingByParsing
from bistro.models.parsing.votes import Votes
from bistro.models.results.parses import Analysis, Parse
from bistro.treebank.projectivity import deprojectivize
from bistro.treebank.sentence import Sentence

if TYPE_CHECKING:
    from bistro.models.results.explanations import Explanation

WORDS_IN_CHARTS = 300
"""Maximum length of sentences on which chart parsers vote if tags are predicted. A chart over all
tags of all words takes 0.4 s for 250 words, 3 s for 500 words, and 90 s and several gigabytes of
memory for 1,000 words."""


@dataclass(frozen=True)
class CommitteeOptions(DictionaryOptions):
    """Options for parsing with a committee. Each member uses the options that apply to its kind."""

    samples_by_number: ClassVar[bool] = False
    """Whether the samples of a sentence depend on its position in the input. This is not the case
    for a committee, because a member with a maximum sentence length counts only the sentences that
    it parses."""

    search: Literal["particles", "beam"] = "particles"
    size: int = 100
    """Number of particles, or width of the beam."""
    selection: Literal["weight", "paper"] = "weight"
    labels_per_arc: int = 3
    both_reduces: bool = True


@dataclass(eq=False, repr=False)
class CommitteeModel(TaggingByParsing, Model):
    """A committee of trained parsers, with the weights of their votes."""

    kind: ClassVar[str] = "committee"
    parse_options: ClassVar[type[SharedOptions]] = CommitteeOptions
    finds_tags: ClassVar[bool] = True

    config: CommitteeConfig
    members: list[Voter]
    fits: dict[str, Fit]
    """The weights of the members, keyed by the source of tags (given or joint)."""
    origin: Origin
    crossing: Crossing = NO_CROSSING
    """The word patterns in which arcs cross in the training data."""
    stacks: dict[str, Stack] = field(default_factory=dict)
    """The stacks that weight the votes, keyed by the source of tags (given or joint)."""
    classes: WordClasses = NO_CLASSES
    """The word classes that the stacks use."""

    def __post_init__(self) -> None:
        if not self.members:
            raise BistroError("a committee must have at least one member")
        self.symbols = Symbols.of(self.members)
        self.single_root = all(member.single_root for member in self.members)
        share_vocabularies(self.members)

    @classmethod
    def of(cls, models: Sequence[Model], config: CommitteeConfig | None = None) -> Self:
        """Combine models into a committee with equal weights.

        If a model is itself a committee, its members keep their relative weights.
        """
        first = models[0]
        if len(models) == 1 and isinstance(first, cls):
            return first
        members: list[Voter] = []
        shares: dict[str, list[Fit]] = {way: [] for way in WAYS}
        for model in models:
            members += model.members if isinstance(model, CommitteeModel) else [VOTE.of(model)]
            for way, fits in shares.items():
                fits.append(model.fits[way] if isinstance(model, CommitteeModel) else Fit.equal(1))
        fits_by_way = {way: Fit.together(fits) for way, fits in shares.items()}
        return cls(config or CommitteeConfig(), members, fits_by_way, Origin(first.origin.seed))

    @property
    def tag_column(self) -> str:
        """The treebank column to which tags are written."""
        return self.symbols.tag_column

    @property
    def is_labelled(self) -> bool:
        """Whether trees have labels."""
        return bool(self.symbols.labels)

    @property
    def label_names(self) -> list[str]:
        """The labels of all members."""
        return self.symbols.labels

    @property
    def tag_names(self) -> list[str]:
        """All tags of the committee, as they are written in the tag column."""
        return self.symbols.tags

    def unknown_tags(self, sentence: Sentence) -> list[str]:
        """Return the unknown tags in a sentence, for the member that has the most unknown tags.

        A tag may be unknown to a member because the member combines tags with features.
        """
        voting = [member for member in self.members if member.tag_column == self.tag_column]
        return max((member.unknown_tags(sentence) for member in voting), key=len)

    def parse_protocol(self, **options: Any) -> str:
        """Return a description of how trees are found with these options."""
        settings = self._parse_options(options)
        parts = [f"{self.kind} of {len(self.members)}", f"tags {settings.tags}"]
        parts.append(f"{settings.search} {settings.size:,} by {settings.selection}")
        kinds = {m.kind for m in self.members if "size" in m.member_options({}, beam=0)}
        if settings.search == "particles" and kinds:
            parts.append(f"beam {self.config.beam:,} of {' and '.join(sorted(kinds))}")
        if "temperature" in options:
            parts.append(f"temperature {settings.temperature:g}")
        return ", ".join([*parts, settings.goal])

    def with_defaults(self, **options: Any) -> dict[str, Any]:
        """Return the given parsing options, with the committee's defaults filled in."""
        return {"tags": "joint", "size": self.config.particles, **options}

    def _parse_options(self, options: Mapping[str, Any]) -> CommitteeOptions:
        return CommitteeOptions.of(self.with_defaults(**options), self.kind, "parse")

    def known_to(self, member: Voter, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parsing options that apply to a member."""
        return member.member_options(options, beam=self.config.beam)

    def parse_all(self, sentences: Iterable[Words], **options: Any) -> Iterator[Parse]:
        """Parse sentences and yield the parses in the order of the input.

        The first tree is the minimum-risk tree under the mixed marginals. With ``kbest`` or
        ``mbr=False``, the best trees of each member are ranked by the mixture of the members'
        posteriors. A sample is drawn in two steps: first a member according to its weight, and then
        a tree from the posterior of that member.
        """
        settings, options = self._parse_options(options), self.with_defaults(**options)
        by_risk = settings.by_risk
        waiting, for_best, for_samples = tee(map(as_sentence, sentences), 3)
        best = iter([]) if by_risk else pooled(self, for_best, options)
        samples = drawn(self, for_samples, options) if settings.samples else iter([])
        while chunk := list(islice(waiting, SENTENCES_AT_ONCE)):
            mixture = self.mixture(chunk, options)
            trees = mixture.trees(self.single_root, settings.threads)
            may_cross = self._may_cross(mixture, settings)
            for number, sentence in enumerate(chunk):
                analyses = [self._least_risk(mixture, trees, number)] if by_risk else next(best)
                if may_cross[number]:
                    analyses = [self._with_crossing_arcs(analyses[0], mixture, number, sentence)]
                if by_risk and len(sentence) > mixture.longest:
                    analyses = self._of_one_member(sentence, options)
                drawn_trees = next(samples) if settings.samples else []
                yield Parse(
                    sentence,
                    [mixture.judged(number, tree) for tree in analyses],
                    [mixture.judged(number, tree) for tree in drawn_trees],
                    mixture.marginals(number) if settings.marginals else None,
                    math.nan,
                    bool(mixture.relaxed[number]),
                )

    def mixture(self, sentences: Sequence[Sentence], options: Mapping[str, Any]) -> Mixture:
        """Return the mixture of the members' marginals for a batch of sentences."""
        votes = self.votes_of_members(sentences, options)
        way, lengths = options["tags"], [len(sentence) for sentence in sentences]
        fit = self.fits[way]
        if way not in self.stacks:
            return Mixture.of(votes, fit, self.symbols, lengths)
        threads = options.get("threads", 0)
        ballot = self.ballot(sentences, votes, replace(fit, sharpness=1.0), self.symbols, threads)
        if options.get("partial"):
            has_head = np.array([head >= 0 for sentence in sentences for head in sentence.heads])
            ballot = replace(ballot, has_head=has_head)
        decided = sharper(self.stacks[way].decided(ballot), fit.sharpness)
        return with_calibrated_trees(decided, fit, self.single_root, threads)

    def ballot(
        self,
        sentences: Sequence[Sentence],
        votes: Sequence[Votes],
        fit: Fit,
        symbols: Symbols,
        threads: int = 0,
    ) -> Ballot:
        """Return the votes on a batch of sentences and their mixture, as input for a stack."""
        lengths = [len(sentence) for sentence in sentences]
        arcs, tags = in_common(votes, symbols)
        return Ballot(
            sentences,
            Mixture.of(votes, fit, symbols, lengths),
            arcs,
            [rows for rows in tags if rows is not None],
            self.single_root,
            threads or os.cpu_count() or 1,
            classes=self.classes,
        )

    def votes_of_members(
        self, sentences: Sequence[Sentence], options: Mapping[str, Any]
    ) -> list[Votes]:
        """Return the votes of each member on a batch of sentences."""
        return [self._votes_of(member, sentences, options) for member in self.members]

    def most_words_of(self, member: Voter, options: Mapping[str, Any]) -> float:
        """Return the maximum length of the sentences on which a member votes."""
        most = math.inf if member.most_words is None else member.most_words
        is_slow = member.most_words is not None and options["tags"] == "joint"
        if is_slow and any(
            one.most_words is None and one.tag_column == self.tag_column for one in self.members
        ):
            return min(most, WORDS_IN_CHARTS)
        return most

    def _votes_of(
        self, member: Voter, sentences: Sequence[Sentence], options: Mapping[str, Any]
    ) -> Votes:
        """Return the votes of one member on a batch of sentences.

        The member does not vote on sentences that exceed its maximum length.
        """
        own, lengths = self.known_to(member, options), [len(sentence) for sentence in sentences]
        most = self.most_words_of(member, options)
        if max(lengths) <= most:
            return member.votes(sentences, **own)
        taken = np.array(lengths) <= most
        votes = member.votes([s for s, t in zip(sentences, taken, strict=True) if t], **own)
        silent = np.ones(taken.size, dtype=np.bool_)
        silent[taken] = votes.relaxed
        words = np.repeat(taken, lengths)
        return Votes(votes.arcs.spread(words), votes.tags.spread(words), silent)

    def _least_risk(
        self, mixture: Mixture, trees: tuple[NDArray[Any], ...], number: int
    ) -> Analysis:
        span = mixture.span(number)
        heads = trees[0][span].tolist()
        labels = [self.symbols.labels[i] if i >= 0 else "_" for i in trees[1][span].tolist()]
        tags = [self.symbols.tags[i] for i in trees[2][span].tolist()]
        if self.symbols.nonprojective:
            restored = deprojectivize(heads, labels, self.symbols.nonprojective)
            heads, labels = restored.heads, restored.labels
        return Analysis(heads, labels, tags, math.nan, math.nan)

    def _may_cross(self, mixture: Mixture, settings: CommitteeOptions) -> list[bool]:
        """Return, for each sentence, whether arcs of its tree may be moved so that they cross."""
        knows = self.crossing.counts and self.symbols.nonprojective == "head"
        if not knows or not settings.by_risk or settings.partial:
            return [False] * (mixture.offsets.size - 1)
        return with_lifted_votes(mixture)

    def _with_crossing_arcs(
        self, tree: Analysis, mixture: Mixture, number: int, sentence: Sentence
    ) -> Analysis:
        weight = self.config.crossing
        return with_crossing_arcs(tree, mixture, number, sentence.forms, self.crossing, weight)

    def _of_one_member(self, sentence: Sentence, options: Mapping[str, Any]) -> list[Analysis]:
        """Parse a very long sentence with the member that has the highest weight."""
        weights = self.fits[options["tags"]].heads
        able = [len(sentence) <= self.most_words_of(m, options) for m in self.members]
        first = self.members[int(np.argmax(np.where(able, weights, -1.0)))]
        own = self.known_to(first, {**options, "samples": 0})
        parse = next(first.parse_all([sentence], **own))
        return [replace(parse.analyses[0], log_prob=math.nan, posterior=math.nan)]

    def explain(
        self, sentence: Words, training: Iterable[Sentence] | None = None, member: str | None = None
    ) -> Explanation:
        """Explain how the named member, or the member with the highest weight, generates a tree.

        If the sentence has a tree, that tree is explained. Otherwise the committee's tree is
        explained.
        """
        from bistro.models.committee.explain import explain_vote

        return explain_vote(self, as_sentence(sentence), training, member)

    def header(self) -> dict[str, Any]:
        """Return the header of the model file, including the members' weights and headers."""
        return {
            "fits": {way: fit.to_dict() for way, fit in self.fits.items()},
            "members": [member.whole_header() for member in self.members],
            **({"crossing_arcs": self.crossing.to_dict()} if self.crossing.counts else {}),
            **({"stacks": list(self.stacks)} if self.stacks else {}),
            **({TEMPLATES: self._templates()} if self._templates() else {}),
            **({CLASSES: self.classes.words} if self.classes.words else {}),
        }

    def _templates(self) -> dict[str, Any]:
        return {n: list(t) for stack in self.stacks.values() for n, t in stack.templates.items()}

    def arrays(self) -> Arrays:
        """Return the arrays of all members and the weights of the stacks."""
        stacks = {f"{STACK}{way}": stack for way, stack in self.stacks.items()}
        classes = {CLASSES: self.classes} if self.classes.words else {}
        return nested_arrays({**numbered(self.members), **stacks, **classes})

    @classmethod
    def from_parts(
        cls, config: CommitteeConfig, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Restore the committee from a file."""
        own, stacks = apart(header, arrays)
        models = nested_models(numbered(header["members"]), own)
        members = [VOTE.of(model) for model in models.values()]
        fits = {way: Fit.from_dict(header["fits"][way], len(members)) for way in sorted(WAYS)}
        classes = classes_of(header, arrays)
        return cls(config, members, fits, origin, crossing_of(header), stacks, classes)

    def summary(self) -> dict[str, Any]:
        """Return the names of the members, their weights and the size of the model."""
        shown = {
            f"weights, tags {way}": " ".join(f"{weight:.2f}" for weight in fit.heads)
            for way, fit in self.fits.items()
        }
        return {
            "members": ", ".join(self.member_names()),
            **shown,
            "megabytes": megabytes(self.arrays()),
        }

    def describe(self) -> str:
        """Return one line per source of tags, with each member's weight for heads."""
        names = self.member_names()
        shown = {way: fit.describe(names) for way, fit in self.fits.items()}
        return "\n".join(f"weights, tags {way}: {line}" for way, line in shown.items())

    def member_names(self) -> list[str]:
        """Return the names of the members."""
        return [str(member.origin.treebank.get("member", member.kind)) for member in self.members]
