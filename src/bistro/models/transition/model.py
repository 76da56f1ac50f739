"""The generative transition parser generates a tree and its words together.

The model is an arc-standard parser in which every step has a probability (Buys & Blunsom 2015). A
shift generates a tag and then a word. A left-arc or right-arc action adds an arc and then generates
its label. All steps are drawn from hierarchical Pitman-Yor processes, whose contexts consist of
elements of the stack. The elements and their order are settings (`bistro.encoding.contexts`). A
sentence ends with the arc from the root or with an end action. The model is a distribution over all
finite sentences and trees.

>>> import bistro
>>> model = bistro.train("transition", bistro.builtin(sentences=300, seed=1), seed=1)
>>> parse = model.parse("The dog sleeps .".split())
>>> parse.heads, parse.labels
([2, 3, 0, 3], ['det', 'nsubj', 'root', 'punct'])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from bistro._core import Frozen, OutputRequest, ParseRequest, TransitionParser, TransitionShape
from bistro.encoding.contexts import sees_kinds
from bistro.errors import BistroError
from bistro.modelfile import Arrays
from bistro.models.base import Origin, by_owner, flat
from bistro.models.inputs import Words, as_sentence
from bistro.models.parsing.codec import Codec, Tree
from bistro.models.parsing.options import CoreOptions, DictionaryOptions
from bistro.models.transition.config import DISTRIBUTIONS, TransitionConfig, elements_of
from bistro.models.transition.follow import FollowingAbility
from bistro.models.transition.pace import FREE, SENTENCES, USUAL_TRIALS, Pace, matched_pace
from bistro.progress import phase
from bistro.rng import purpose_key
from bistro.treebank.sentence import Sentence

if TYPE_CHECKING:
    from bistro.models.results.explanations import Explanation
    from bistro.models.transition.derivations import WordTags


@dataclass(frozen=True)
class ParseOptions(CoreOptions, DictionaryOptions):
    """Options for the particle search or beam search, and for its output."""

    kind: ClassVar[str] = "transition"

    search: Literal["particles", "beam"] = "particles"
    size: int = 1000
    """Number of particles, or the beam width."""
    selection: Literal["weight", "paper"] = "weight"
    """How particles are assigned to derivations after each word. With ``weight``, particles are
    assigned in proportion to the weights. With ``paper``, each weight is first multiplied by the
    number of particles assigned to its derivation, as in the paper. The paper's method is faster
    than ``weight``, but keeps far fewer derivations."""
    ranking: Literal["trees", "derivations"] = "trees"
    """How trees are ranked. With ``trees``, trees are ranked by their probability summed over
    derivations and, if no context uses labels, over labels. With ``derivations``, labelled
    derivations are ranked, and the tree of the best derivation is returned."""
    tags_per_word: int = 10
    """Maximum number of tags tried for each word. The paper uses 3 tags and reports no improvement
    with more tags. A value of 10 improves the results mainly for tag sets that include features.
    See `docs/decisions/tag-dictionary.md`."""
    labels_per_arc: int = 3
    both_reduces: bool = True
    """Whether particles that do not shift try both a left arc and a right arc. If false, particles
    that do not shift try only the more probable arc, as in Algorithm 1 of the paper."""

    def _search(self) -> list[str]:
        return [f"{self.search} {self.size:,} by {self.selection}", *super()._search()]

    def request_for(self, output: OutputRequest) -> ParseRequest:
        """Return a request for the given output that includes these search options."""
        return ParseRequest(
            output=output,
            search=self.search,
            size=self.size,
            by_weight=self.selection == "weight",
            by_derivation=self.ranking == "derivations",
            tags_per_word=self.tags_per_word,
            unseen_tags=self.unseen_weight,
            labels_per_arc=self.labels_per_arc,
            both_reduces=self.both_reduces,
        )


def shape_of(config: TransitionConfig, codec: Codec, *, single_root: bool) -> TransitionShape:
    """Return the structure of the model in the format that the C++ core expects."""
    return TransitionShape(
        num_tags=len(codec.tags),
        num_words=len(codec.vocabulary),
        num_labels=len(codec.labels),
        root_first=config.root == "first",
        single_root=single_root,
        labelled=codec.is_labelled,
        joint_labels=config.labels == "joint",
        lexicalised=config.lexical != "none",
        contexts=elements_of(config),
        kinds=kinds_of(config, codec),
    )


def kinds_of(config: TransitionConfig, codec: Codec) -> list[int]:
    """Return the kind of each tag, or an empty list if no context uses kinds."""
    return codec.tag_kinds() if any(map(sees_kinds, elements_of(config).values())) else []


def with_all_features(word_tags: WordTags, kinds: Sequence[int]) -> WordTags:
    """Return each word's tags in training, and all tags that differ from them only in features."""
    begin, tags = word_tags
    is_good = (
        begin.size and begin[0] == 0 and begin[-1] == tags.size and (np.diff(begin) >= 0).all()
    )
    if not is_good or not ((tags >= 0) & (tags < len(kinds))).all():
        raise ValueError("the tags of the words are damaged")
    of_kind = np.argsort(kinds, kind="stable").astype(np.int32)
    num_tags = np.bincount(kinds, minlength=len(kinds))
    first = np.concatenate(([0], np.cumsum(num_tags)))
    words = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    pairs = np.unique(np.column_stack([words, np.asarray(kinds)[tags]]), axis=0)
    rows = [of_kind[first[kind] : first[kind + 1]] for kind in pairs[:, 1].tolist()]
    sizes = np.bincount(pairs[:, 0], num_tags[pairs[:, 1]], minlength=len(begin) - 1)
    longer = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    return longer, np.concatenate([np.zeros(0, np.int32), *rows])


def outcomes_of(shape: TransitionShape, codec: Codec) -> dict[str, int]:
    """Return the number of outcomes of each distribution."""
    return {
        "actions": shape.action_outcomes,
        "labels": len(codec.labels),
        "tags": len(codec.tags),
        "words": len(codec.vocabulary),
    }


@dataclass(eq=False, repr=False)
class TransitionModel(FollowingAbility):
    """A trained transition parser."""

    kind: ClassVar[str] = "transition"
    parse_options: ClassVar[type[CoreOptions]] = ParseOptions

    config: TransitionConfig
    codec: Codec
    distributions: Mapping[str, Arrays]
    """The arrays of the frozen distributions, by name."""
    word_tags: WordTags
    """The tags that each word had in training, stored as word offsets and a list of tag indices."""
    origin: Origin
    single_root: bool = field(kw_only=True)
    pace: Pace = field(kw_only=True, default=FREE)
    """The factor that reduces the probability of a shift in long sentences."""

    def __post_init__(self) -> None:
        self.shape = shape_of(self.config, self.codec, single_root=self.single_root)
        self.num_outcomes = outcomes_of(self.shape, self.codec)
        frozen = {
            name: Frozen(**arrays, dishes=self.num_outcomes[name])
            for name, arrays in self.distributions.items()
        }
        kinds = kinds_of(self.config, self.codec)
        begin, tags = with_all_features(self.word_tags, kinds) if kinds else self.word_tags
        self._parser = TransitionParser(
            self.shape,
            **frozen,
            labels_in_contexts=self.codec.is_labelled and self.config.contexts.see_labels,
            tag_begin=begin,
            tag_list=tags,
            pace_begin=self.pace.begin,
            pace_exponent=self.pace.exponent,
        )

    def with_lengths_of(self, sentences: Sequence[Sized], seed: int) -> Self:
        """Match generated sentence lengths to those of `sentences`, unless the lengths are free."""
        if self.config.lengths == "free":
            return self
        purpose = purpose_key(f"{self.kind}.pace")

        def drawn_lengths(pace: Pace) -> NDArray[np.int64]:
            most = int(self.longest_generated)
            paced = replace(self, pace=pace)
            drawn = paced.drawn(SENTENCES, seed=seed, purpose=purpose, most_words=most)
            work.advance()
            return np.diff(drawn["offsets"])

        with phase("matching lengths", total=USUAL_TRIALS, share=1.0) as work:
            return replace(self, pace=matched_pace([len(s) for s in sentences], drawn_lengths))

    def member_options(self, options: Mapping[str, Any], *, beam: int) -> dict[str, Any]:
        """Return the committee options that this parser accepts."""
        return {name: v for name, v in options.items() if name in ParseOptions.names()}

    def best_analyses(
        self, sentences: Iterable[Sequence[str]], particles: int
    ) -> dict[str, NDArray[np.int32]]:
        """Return the heads, label indices and tag indices of all words in the best parses.

        Words are in the order of generation, which is reversed in a right-to-left model.
        """
        batch = self.codec.encode([as_sentence(words) for words in sentences], None)
        # The parses are training data, so a word gets only tags that it has in the treebank.
        hard = {"tag_dictionary": "hard", "tags_per_word": 3}
        request = self._parse_options({"size": particles, "mbr": False, **hard}).request()
        arrays = self._parse_batch(batch, request, 1)
        return {name: arrays[name] for name in ("heads", "labels", "tags")}

    def best_derivation(self, sentence: Sentence, tree: Tree) -> dict[str, Any]:
        """Return the most probable derivation of a projective tree, as arrays of indices."""
        try:
            steps: dict[str, Any] = self._parser.best_derivation(
                self.codec.encode([sentence], [tree])
            )
        except ValueError as error:
            raise BistroError(f"this model cannot generate the tree: {error}") from None
        return steps

    def explain(self, sentence: Words, training: Iterable[Words] | None = None) -> Explanation:
        """Explain the probability of every step in a derivation in terms of its contexts.

        Parameters
        ----------
        sentence
            The sentence. If the sentence has a tree, the most probable derivation of that tree is
            explained. Otherwise the most probable derivation of the best tree found is explained.
        training
            Training data in which the occurrences of each context are counted. Default: None.
        """
        from bistro.models.parsing.training import trees_of
        from bistro.models.transition.explain import explain_derivation

        data = None if training is None else trees_of(list(training))
        return explain_derivation(self, as_sentence(sentence), data)

    def arrays(self) -> Arrays:
        """Return the arrays of the frozen distributions and of each word's tags."""
        return {
            "word_tags.begin": self.word_tags[0],
            "word_tags.list": self.word_tags[1],
            **(self.codec.speller.arrays() if self.codec.speller else {}),
            **flat(self.distributions),
            **({"pace": self.pace.array()} if self.config.lengths == "matched" else {}),
        }

    @classmethod
    def from_parts(
        cls, config: TransitionConfig, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Restore the model from a file."""
        distributions = by_owner(arrays, DISTRIBUTIONS)
        word_tags = arrays["word_tags.begin"], arrays["word_tags.list"]
        codec = Codec.from_parts(config, header, arrays)
        single_root = header["single_root"]
        pace = Pace(*arrays["pace"].tolist()) if config.lengths == "matched" else FREE
        return cls(
            config, codec, distributions, word_tags, origin, single_root=single_root, pace=pace
        )
