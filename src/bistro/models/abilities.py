"""The abilities of models, with one protocol per ability.

A model has an ability if it has the methods of that ability's protocol. No inheritance is needed.
To check for an ability, use ``isinstance(model, Parser)`` or the method `Ability.of`. `Ability.of`
returns the model with the type of the protocol, or raises an error that names the kinds with this
ability:

    parser = PARSE.of(model)          # "an ngram model cannot parse; use a transition, ... model"
    parse = parser.parse(words, marginals=True)

Options are keywords, which are checked against the model's class of options (``parse_options``,
``tag_options``, ``score_options``). Methods whose names end in ``_protocol`` return a one-line
description of how a result is computed with the given options.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import isfunction
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

from bistro.errors import BistroError
from bistro.models import kinds
from bistro.models.annotating import Annotator, Filler, Rememberer, Tokeniser
from bistro.models.options import Options, a_model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bistro.encoding.vocabulary import Vocabulary
    from bistro.modelfile import Arrays
    from bistro.models.base import Model, Origin
    from bistro.models.inputs import Words
    from bistro.models.parsing.votes import Votes
    from bistro.models.results.explanations import Explanation
    from bistro.models.results.next_words import NextSums, NextWords
    from bistro.models.results.parses import Parse
    from bistro.models.results.readings import Reading
    from bistro.models.results.scores import TextScores
    from bistro.models.results.segmentations import Segmentation
    from bistro.models.results.structures import (
        Linearization,
        OrderScore,
        Tagging,
        Ties,
        TopState,
        TreeParse,
    )
    from bistro.models.results.surprisal import SurprisalTable, Token
    from bistro.models.span_votes import SpanVotes
    from bistro.treebank.morphology import SegmentedWord
    from bistro.treebank.projectivity import Scheme
    from bistro.treebank.sentence import Sentence

P = TypeVar("P")


@runtime_checkable
class Parser(Protocol):
    """A model that finds dependency trees and computes their probabilities.

    parse_options   the options of `parse` and `parse_all`
    tag_column      the column that its tags come from
    finds_tags      whether it finds tags, instead of keeping the tags of the input
    is_labelled     whether its trees have labels
    single_root     whether exactly one word attaches to the root
    label_names     its labels, in the order of their numbers; empty for a model without labels
    tag_names       its tags as they appear in the column, in the order of their numbers
    parse           parse one sentence, given as words or with annotation
    parse_all       parse sentences and yield the parses in order
    parse_protocol  describe the search with these options
    shown_tags      return tags as they appear in the column, without features joined to them
    unknown_tags    return the given tags of a sentence that are unknown to the model
    """

    @property
    def parse_options(self) -> type[Options]: ...
    @property
    def tag_column(self) -> str: ...
    @property
    def finds_tags(self) -> bool: ...
    @property
    def is_labelled(self) -> bool: ...
    @property
    def single_root(self) -> bool: ...
    @property
    def label_names(self) -> Sequence[str]: ...
    @property
    def tag_names(self) -> Sequence[str]: ...
    def parse(self, sentence: Words, **options: Any) -> Parse: ...
    def parse_all(self, sentences: Iterable[Words], **options: Any) -> Iterator[Parse]: ...
    def parse_protocol(self, **options: Any) -> str: ...
    def shown_tags(self, tags: Sequence[str]) -> list[str]: ...
    def unknown_tags(self, sentence: Sentence) -> list[str]: ...


@runtime_checkable
class Voter(Parser, Protocol):
    """A parser that can be a member of a committee.

    arrays            return its arrays by name
    whole_header      return its header with kind and origin
    to_bytes          return the content of its model file
    most_words        maximum length of a sentence in words; None if there is no limit
    nonprojective     scheme by which its labels encode crossing arcs, or None
    vocabulary        its words; members with equal vocabularies share one
    share_vocabulary  use an equal vocabulary of another member, whose look-ups are then shared
    votes             return the marginals of heads with labels, and of tags
    own_temperature   return the temperature at which its marginals are computed by default
    member_options    return the options of a committee that this parser has, with its own search
    """

    kind: ClassVar[str]
    origin: Origin

    def arrays(self) -> Arrays: ...
    def whole_header(self) -> dict[str, Any]: ...
    def to_bytes(self) -> bytes: ...
    @property
    def most_words(self) -> int | None: ...
    @property
    def nonprojective(self) -> Scheme | None: ...
    @property
    def vocabulary(self) -> Vocabulary: ...
    def share_vocabulary(self, vocabulary: Vocabulary) -> None: ...
    def votes(self, sentences: Sequence[Sentence], **options: Any) -> Votes: ...
    def own_temperature(self) -> float: ...
    def member_options(self, options: Mapping[str, Any], *, beam: int) -> dict[str, Any]: ...


@runtime_checkable
class Tagger(Protocol):
    """A model that predicts the tags of words.

    tag_options   the options of `tag` and `tag_all`
    tag_column    the column that its tags belong to
    tag           tag one sentence
    tag_all       tag sentences and yield the results in order
    tag_protocol  describe the search with these options
    """

    @property
    def tag_options(self) -> type[Options]: ...
    @property
    def tag_column(self) -> str: ...
    def tag(self, sentence: Words, **options: Any) -> Tagging: ...
    def tag_all(self, sentences: Iterable[Words], **options: Any) -> Iterator[Tagging]: ...
    def tag_protocol(self, **options: Any) -> str: ...


@runtime_checkable
class Scorer(Protocol):
    """A model that assigns a probability to every word and every sentence end.

    score_options   the options of `score` and `surprisal`; without fields if scores are exact
    is_cubic        whether the time to score a sentence grows with the cube of its length
    vocabulary      the words it distinguishes
    score           return the log-probability of every event
    surprisal       return the surprisal of every word in bits
    next_words      return the probability of every word after a context
    next_sums       return the probabilities from which `next_words` is computed
    score_protocol  describe the computation of scores with these options
    """

    @property
    def score_options(self) -> type[Options]: ...
    @property
    def is_cubic(self) -> bool: ...
    @property
    def vocabulary(self) -> Vocabulary: ...
    def score(self, sentences: Iterable[Words], **options: Any) -> TextScores: ...
    def surprisal(
        self,
        text: Words | Iterable[Words],
        *,
        eos: bool = True,
        names: Sequence[str] | None = None,
        tokens: Sequence[Sequence[Token]] | None = None,
        **options: Any,
    ) -> SurprisalTable: ...
    def next_words(self, context: Words, **options: Any) -> NextWords: ...
    def next_sums(self, context: Sequence[str], **options: Any) -> NextSums: ...
    def score_protocol(self, **options: Any) -> str: ...


@runtime_checkable
class Generator(Protocol):
    """A model that draws sentences."""

    @property
    def longest_generated(self) -> float:
        """Maximum number of words in a drawn sentence. Longer sentences are truncated."""

    def generate(
        self, n: int, seed: int = 1, *, temperature: float = 1.0, prefix: Sequence[str] = ()
    ) -> Iterator[list[str]]:
        """Draw `n` sentences. Each sentence depends only on the seed and its index."""


@runtime_checkable
class TreeGenerator(Generator, Protocol):
    """A model that draws sentences with their dependency trees."""

    @property
    def tag_column(self) -> str:
        """Name of the CoNLL-U column that contains the model's tags."""

    def generate_trees(
        self, n: int, seed: int = 1, *, temperature: float = 1.0, prefix: Sequence[str] = ()
    ) -> Iterator[Sentence]:
        """Draw `n` sentences with their trees."""


@runtime_checkable
class Follower(Protocol):
    """A model that reads a sentence word by word and shows its current analyses."""

    def follow(self, words: Words, analyses: int = 5, **options: Any) -> Reading:
        """Return the most probable analyses of the sentence after each word."""


@runtime_checkable
class Explainer(Protocol):
    """A model that shows which contexts contribute to a probability."""

    def explain(self, sentence: Words, training: Iterable[Sentence] | None = None) -> Explanation:
        """Return the decisions that determine the probability of a sentence."""


@runtime_checkable
class Orderer(Protocol):
    """A model that orders the words of a dependency tree.

    rule             the rule that recognises punctuation
    linearize        return the most probable orders
    sample_orders    draw orders
    most_dependents  return the largest number of dependents of a word that are ordered
    order_protocol   describe which words are ordered
    score_order      return the log-probability of the order of a sentence
    """

    @property
    def rule(self) -> str: ...
    def linearize(
        self, sentence: Sentence, *, kbest: int = 1, seed: int = 1, ties: Ties = "random"
    ) -> list[Linearization]: ...
    def sample_orders(
        self, sentence: Sentence, n: int = 1, *, seed: int = 1
    ) -> list[Linearization]: ...
    def most_dependents(self, sentence: Sentence) -> int: ...
    def order_protocol(self) -> str: ...
    def score_order(self, sentence: Sentence, *, of_labels: bool = False) -> OrderScore: ...


@runtime_checkable
class Segmenter(Protocol):
    """A model that finds the morphemes of written words."""

    def segment(
        self, words: Iterable[str], *, kbest: int = 1, beam: int = 50, floor: float = 1e-4
    ) -> list[Segmentation]:
        """Return the morphological analyses of each word."""

    def iter_segment(
        self, words: Iterable[str], *, kbest: int = 1, beam: int = 50, floor: float = 1e-4
    ) -> Iterator[Segmentation]:
        """Yield the morphological analyses of each word."""

    def score_words(self, words: Sequence[SegmentedWord]) -> NDArray[np.float64]:
        """Return log P(analysis, word) for each annotated word."""


@runtime_checkable
class TreeParser(Protocol):
    """A model that finds constituency trees."""

    def parse_tree(self, words: Words, **options: Any) -> TreeParse:
        """Parse one sentence."""

    def parse_trees(
        self,
        sentences: Iterable[Words],
        *,
        kbest: int = 1,
        drawn: int = 0,
        mbr: bool = True,
        first: int = 0,
        **options: Any,
    ) -> Iterator[TreeParse]:
        """Parse sentences and yield the parses in order."""


@runtime_checkable
class SpanVoter(TreeParser, Protocol):
    """A constituency parser that can be a member of a committee.

    arrays        return its arrays by name
    whole_header  return its header with kind and origin
    span_votes    return the probabilities of labelled spans and tags
    """

    def arrays(self) -> Arrays: ...
    def whole_header(self) -> dict[str, Any]: ...
    def span_votes(
        self, sentences: Sequence[Sequence[str]], *, first: int = 0, **options: Any
    ) -> SpanVotes: ...


@runtime_checkable
class StateReader(Protocol):
    """A model with latent states that can be interpreted as word classes."""

    def top_states(self, *, words: int = 10, sample: int = -1) -> list[TopState]:
        """Return the latent states of one posterior sample, most frequent first."""


@runtime_checkable
class Predictor(Protocol):
    """A model that evaluates itself on held-out data."""

    def figures(self, items: Sequence[Any]) -> dict[str, float]:
        """Return measures of prediction quality on held-out items, by name."""


@dataclass(frozen=True)
class Ability(Generic[P]):
    """A named ability and its protocol."""

    name: str
    protocol: type[Any]
    verb: str
    """Verb phrase that describes the ability in error messages."""

    def is_own(self, model: Model) -> bool:
        """Return whether the model itself has the ability, not just one of its parts."""
        return isinstance(model, self.protocol)

    def is_of(self, model: Model) -> bool:
        """Return whether a model, or one of its parts, has the ability."""
        return any(isinstance(part, self.protocol) for part in (model, *model.parts))

    def of(self, model: Model) -> P:
        """Return the model or the first of its parts that has the ability, or raise an error."""
        for part in (model, *model.parts):
            if isinstance(part, self.protocol):
                able: P = part
                return able
        raise BistroError(self.refusal(model.kind))

    def refusal(self, kind: str) -> str:
        """Return an error message that names the kinds of models with this ability."""
        able = kinds.able(self.name)
        if kind in able:
            return f"this {kind} model cannot {self.verb}: its settings leave that out"
        others = f"; use {a_model(' or '.join(_listed(able)))}" if able else ""
        return f"{a_model(kind)} cannot {self.verb}{others}"


PARSE: Ability[Parser] = Ability("parse", Parser, "parse")
VOTE: Ability[Voter] = Ability("vote", Voter, "vote in a committee")
TAG: Ability[Tagger] = Ability("tag", Tagger, "tag")
SCORE: Ability[Scorer] = Ability("score", Scorer, "score words")
REMEMBER: Ability[Rememberer] = Ability("remember", Rememberer, "remember a document")
GENERATE: Ability[Generator] = Ability("generate", Generator, "generate sentences")
GENERATE_TREES: Ability[TreeGenerator] = Ability("generate_trees", TreeGenerator, "generate trees")
FOLLOW: Ability[Follower] = Ability("follow", Follower, "follow a sentence word by word")
EXPLAIN: Ability[Explainer] = Ability("explain", Explainer, "explain a probability")
ORDER: Ability[Orderer] = Ability("linearize", Orderer, "order words")
SEGMENT: Ability[Segmenter] = Ability("segment", Segmenter, "segment words")
TOKENISE: Ability[Tokeniser] = Ability("tokenise", Tokeniser, "find words in running text")
FILL: Ability[Filler] = Ability("fill", Filler, "fill in columns")
ANNOTATE: Ability[Annotator] = Ability("annotate", Annotator, "annotate running text")
PARSE_TREES: Ability[TreeParser] = Ability("parse_trees", TreeParser, "find constituents")
VOTE_SPANS: Ability[SpanVoter] = Ability("vote_spans", SpanVoter, "vote on constituents")
STATES: Ability[StateReader] = Ability("top_states", StateReader, "show states")
FIGURES: Ability[Predictor] = Ability("figures", Predictor, "measure itself")
ABILITIES: dict[str, Ability[Any]] = {
    ability.name: ability
    for ability in (
        PARSE, VOTE, TAG, SCORE, REMEMBER, GENERATE, GENERATE_TREES, FOLLOW, EXPLAIN, ORDER,
        SEGMENT, TOKENISE, FILL, ANNOTATE, PARSE_TREES, VOTE_SPANS, STATES, FIGURES,
    )
}  # fmt: skip
"""Every ability by name."""
METHODS: dict[str, Ability[Any]] = {
    name: ability
    for ability in reversed(ABILITIES.values())
    for name, member in vars(ability.protocol).items()
    if isfunction(member) and not name.startswith("_")
}
"""The ability that each public method of a model belongs to, by method name."""


def _listed(names: Sequence[str]) -> list[str]:
    """Return the names in two parts to be joined with "or", as in ``["a, b", "c"]``."""
    *first, last = names
    return [", ".join(first), last] if first else [last]
