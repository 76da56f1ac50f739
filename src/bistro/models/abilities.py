"""What a model may be able to do: one protocol per ability.

A model has an ability if it has the methods of its protocol; nothing is inherited for it. Ask with
``isinstance(model, Parser)``, or with the ability's `of`, which returns the model under the type of
the protocol or refuses, naming the kinds that can:

    parser = PARSE.of(model)          # "an ngram model cannot parse; use a transition, ... model"
    parse = parser.parse(words, marginals=True)

Options are keywords, checked against the class of options that the model names (``parse_options``,
``tag_options``, ``score_options``); ``…_protocol`` says in a line how a result with these options
is computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import isfunction
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

from bistro.errors import BistroError
from bistro.models import kinds
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
    from bistro.models.results.orders import Linearization, OrderScore
    from bistro.models.results.parses import Parse
    from bistro.models.results.readings import Reading
    from bistro.models.results.scores import TextScores
    from bistro.models.results.segmentations import Segmentation
    from bistro.models.results.states import TopState
    from bistro.models.results.surprisal import SurprisalTable, Token
    from bistro.models.results.taggings import Tagging
    from bistro.models.results.trees import TreeParse
    from bistro.treebank.morphology import SegmentedWord
    from bistro.treebank.projectivity import Scheme
    from bistro.treebank.sentence import Sentence

P = TypeVar("P")


@runtime_checkable
class Parser(Protocol):
    """Finds dependency trees, with probabilities."""

    @property
    def parse_options(self) -> type[Options]:
        """The options of `parse` and `parse_all`."""

    @property
    def tag_column(self) -> str:
        """The column that its tags come from."""

    @property
    def finds_tags(self) -> bool:
        """Whether it finds tags, instead of keeping those of the input."""

    @property
    def is_labelled(self) -> bool:
        """Whether its trees have labels."""

    @property
    def single_root(self) -> bool:
        """Whether exactly one word hangs on the root."""

    @property
    def label_names(self) -> Sequence[str]:
        """Its labels, in the order of their numbers; none for a model without labels."""

    @property
    def tag_names(self) -> Sequence[str]:
        """Its tags as the column shows them, in the order of their numbers."""

    def parse(self, sentence: Words, **options: Any) -> Parse:
        """Parse one sentence, given as words or with annotation."""

    def parse_all(self, sentences: Iterable[Words], **options: Any) -> Iterator[Parse]:
        """Parse sentences and yield them in their order."""

    def parse_protocol(self, **options: Any) -> str:
        """Say how trees are found with these options."""

    def shown_tags(self, tags: Sequence[str]) -> list[str]:
        """Return tags as their column shows them, without features joined to them."""

    def unknown_tags(self, sentence: Sentence) -> list[str]:
        """Return those of a sentence's given tags that the model does not know."""


@runtime_checkable
class Voter(Parser, Protocol):
    """A parser that a committee can have as a member."""

    kind: ClassVar[str]
    origin: Origin

    def arrays(self) -> Arrays:
        """Return its arrays by name."""

    def whole_header(self) -> dict[str, Any]:
        """Return its header with kind and origin."""

    def to_bytes(self) -> bytes:
        """Return what a file of it holds."""

    @property
    def most_words(self) -> int | None:
        """Longer sentences are refused; None: there is no limit."""

    @property
    def nonprojective(self) -> Scheme | None:
        """How its labels encode crossing arcs, if they do."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Its words; members with the same ones share them."""

    def share_vocabulary(self, vocabulary: Vocabulary) -> None:
        """Use an equal vocabulary of another member, whose look-ups are then shared."""

    def votes(self, sentences: Sequence[Sentence], **options: Any) -> Votes:
        """Return the marginals of heads with labels, and of tags."""

    def own_temperature(self) -> float:
        """Return the temperature at which its marginals are computed by default."""

    def member_options(self, options: Mapping[str, Any], *, beam: int) -> dict[str, Any]:
        """Return those options of a committee that this parser has, with its own search."""


@runtime_checkable
class Tagger(Protocol):
    """Finds the tags of words."""

    @property
    def tag_options(self) -> type[Options]:
        """The options of `tag` and `tag_all`."""

    @property
    def tag_column(self) -> str:
        """The column that its tags belong to."""

    def tag(self, sentence: Words, **options: Any) -> Tagging:
        """Tag one sentence."""

    def tag_all(self, sentences: Iterable[Words], **options: Any) -> Iterator[Tagging]:
        """Tag sentences and yield them in their order."""

    def tag_protocol(self, **options: Any) -> str:
        """Say how tags are found with these options."""


@runtime_checkable
class Scorer(Protocol):
    """Gives every word of a text, and every sentence end, a probability."""

    @property
    def score_options(self) -> type[Options]:
        """The options of `score` and `surprisal`; without fields if scores are exact."""

    @property
    def is_cubic(self) -> bool:
        """Whether the time to score a sentence grows with the cube of its length."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The words it tells apart."""

    def score(self, sentences: Iterable[Words], **options: Any) -> TextScores:
        """Return the log-probability of every event."""

    def surprisal(
        self,
        text: Words | Iterable[Words],
        *,
        eos: bool = True,
        names: Sequence[str] | None = None,
        tokens: Sequence[Sequence[Token]] | None = None,
        **options: Any,
    ) -> SurprisalTable:
        """Return the surprisal of every word in bits."""

    def score_protocol(self, **options: Any) -> str:
        """Say how scores are computed with these options."""


@runtime_checkable
class Generator(Protocol):
    """Draws sentences."""

    @property
    def longest_generated(self) -> float:
        """Sentences that are drawn are cut at so many words."""

    def generate(
        self, n: int, seed: int = 1, *, temperature: float = 1.0, prefix: Sequence[str] = ()
    ) -> Iterator[list[str]]:
        """Draw `n` sentences; sentence i depends on the seed and i alone."""


@runtime_checkable
class TreeGenerator(Generator, Protocol):
    """Draws sentences with their dependency trees."""

    @property
    def tag_column(self) -> str:
        """The column that its tags are in."""

    def generate_trees(
        self, n: int, seed: int = 1, *, temperature: float = 1.0, prefix: Sequence[str] = ()
    ) -> Iterator[Sentence]:
        """Draw `n` sentences with their trees."""


@runtime_checkable
class Follower(Protocol):
    """Reads a sentence word by word and shows the analyses that are alive."""

    def follow(self, words: Words, analyses: int = 5, **options: Any) -> Reading:
        """Return the likeliest analyses after each word."""


@runtime_checkable
class Explainer(Protocol):
    """Shows which contexts made a probability."""

    def explain(self, sentence: Words, training: Iterable[Sentence] | None = None) -> Explanation:
        """Return the decisions behind a sentence's probability."""


@runtime_checkable
class Orderer(Protocol):
    """Puts the words of a dependency tree in order."""

    @property
    def rule(self) -> str:
        """How punctuation is recognised."""

    def linearize(
        self, sentence: Sentence, *, kbest: int = 1, seed: int = 1
    ) -> list[Linearization]:
        """Return the most probable orders."""

    def sample_orders(
        self, sentence: Sentence, n: int = 1, *, seed: int = 1
    ) -> list[Linearization]:
        """Draw orders."""

    def most_dependents(self, sentence: Sentence) -> int:
        """Return how many dependents the word with most of them has, as they are ordered."""

    def order_protocol(self) -> str:
        """Say which words are ordered."""

    def score_order(self, sentence: Sentence, *, of_labels: bool = False) -> OrderScore:
        """Return the log-probability of the order that a sentence has."""


@runtime_checkable
class Segmenter(Protocol):
    """Finds the morphemes of written words."""

    def segment(
        self, words: Iterable[str], *, kbest: int = 1, beam: int = 50, floor: float = 1e-4
    ) -> list[Segmentation]:
        """Return the analyses of each word."""

    def iter_segment(
        self, words: Iterable[str], *, kbest: int = 1, beam: int = 50, floor: float = 1e-4
    ) -> Iterator[Segmentation]:
        """Yield the analyses of each word."""

    def score_words(self, words: Sequence[SegmentedWord]) -> NDArray[np.float64]:
        """Return the log-probability of annotated words."""


@runtime_checkable
class TreeParser(Protocol):
    """Finds constituency trees."""

    def parse_tree(self, words: Words, **options: Any) -> TreeParse:
        """Parse one sentence."""

    def parse_trees(
        self,
        sentences: Iterable[Words],
        *,
        kbest: int = 1,
        drawn: int = 0,
        mbr: bool = True,
        **options: Any,
    ) -> Iterator[TreeParse]:
        """Parse sentences and yield them in their order."""


@runtime_checkable
class StateReader(Protocol):
    """Has latent states that can be read as classes of words."""

    def top_states(self, *, words: int = 10, sample: int = -1) -> list[TopState]:
        """Return the states of one sample, the largest first."""


@runtime_checkable
class Predictor(Protocol):
    """Measures itself on held-out items of its own kind."""

    def figures(self, items: Sequence[Any]) -> dict[str, float]:
        """Return how well held-out items are predicted, by the name of the figure."""


@dataclass(frozen=True)
class Ability(Generic[P]):
    """An ability by name, with its protocol."""

    name: str
    protocol: type[Any]
    verb: str
    """What a model with it can do, in a refusal."""

    def is_of(self, model: Model) -> bool:
        """Tell whether a model has the ability."""
        return isinstance(model, self.protocol)

    def of(self, model: Model) -> P:
        """Return a model that has the ability, or refuse it."""
        if isinstance(model, self.protocol):
            able: P = model
            return able
        raise BistroError(self.refusal(model.kind))

    def refusal(self, kind: str) -> str:
        """Say that a kind lacks the ability, and which kinds have it."""
        able = kinds.able(self.name)
        if kind in able:
            return f"this {kind} model cannot {self.verb}: its settings leave that out"
        others = f"; use {a_model(' or '.join(_listed(able)))}" if able else ""
        return f"{a_model(kind)} cannot {self.verb}{others}"


PARSE: Ability[Parser] = Ability("parse", Parser, "parse")
VOTE: Ability[Voter] = Ability("vote", Voter, "vote in a committee")
TAG: Ability[Tagger] = Ability("tag", Tagger, "tag")
SCORE: Ability[Scorer] = Ability("score", Scorer, "score words")
GENERATE: Ability[Generator] = Ability("generate", Generator, "generate sentences")
GENERATE_TREES: Ability[TreeGenerator] = Ability("generate_trees", TreeGenerator, "generate trees")
FOLLOW: Ability[Follower] = Ability("follow", Follower, "follow a sentence word by word")
EXPLAIN: Ability[Explainer] = Ability("explain", Explainer, "explain a probability")
ORDER: Ability[Orderer] = Ability("linearize", Orderer, "order words")
SEGMENT: Ability[Segmenter] = Ability("segment", Segmenter, "segment words")
PARSE_TREES: Ability[TreeParser] = Ability("parse_trees", TreeParser, "find constituents")
STATES: Ability[StateReader] = Ability("top_states", StateReader, "show states")
FIGURES: Ability[Predictor] = Ability("figures", Predictor, "measure itself")
ABILITIES: dict[str, Ability[Any]] = {
    ability.name: ability
    for ability in (
        PARSE, VOTE, TAG, SCORE, GENERATE, GENERATE_TREES, FOLLOW, EXPLAIN, ORDER, SEGMENT,
        PARSE_TREES, STATES, FIGURES,
    )
}  # fmt: skip
"""Every ability by name."""
METHODS: dict[str, Ability[Any]] = {
    name: ability
    for ability in reversed(ABILITIES.values())
    for name, member in vars(ability.protocol).items()
    if isfunction(member) and not name.startswith("_")
}
"""The ability that each public method belongs to."""


def _listed(names: Sequence[str]) -> list[str]:
    """Return the names as the parts of "a, b or c"."""
    *first, last = names
    return [", ".join(first), last] if first else [last]
