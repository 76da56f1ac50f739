"""The pipeline annotates running text in all columns and provides probabilities.

    text → words and sentences (tokens) → tags and trees (any parser) → other columns (columns)

The three layers are separate models in one file. The pipeline has the abilities of all its layers.
It can parse and tag sentences. It can also score words and generate sentences if its parser
supports these tasks.

>>> import bistro
>>> treebank = bistro.builtin(sentences=300, seed=1)
>>> model = bistro.train("pipeline", treebank, seed=1, parser="transition")
>>> [sentence.heads for sentence in model.annotate("The dog sleeps. A cat sees it.")]
[[2, 3, 0, 3], [2, 3, 0, 3, 3]]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, Self

from bistro.errors import BistroError, ConfigError, nearest
from bistro.modelfile import Arrays
from bistro.models.abilities import FILL, PARSE, SCORE, TOKENISE, Parser
from bistro.models.annotating import Filler, Tokeniser
from bistro.models.base import Model, Origin, megabytes
from bistro.models.columns.elements import PREDICTED
from bistro.models.nested import nested_arrays, nested_models
from bistro.models.parsing.options import TAGS_ALONE
from bistro.models.pipeline.config import PipelineConfig
from bistro.models.pipeline.text import TextReading
from bistro.models.results.annotations import with_columns, with_probabilities, with_tree
from bistro.models.results.columns import Beliefs
from bistro.models.results.parses import Parse
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence

AT_ONCE = 500
"""Number of sentences that are annotated in one batch."""
FORWARDS = "left-to-right"
KEPT = (*PREDICTED, "heads")
"""Columns whose values in the input may be kept."""


@dataclass(eq=False, repr=False)
class PipelineModel(TextReading):
    """A trained pipeline."""

    kind: ClassVar[str] = "pipeline"

    config: PipelineConfig
    layers: dict[str, Model]
    """The layers by name: ``parser``, ``columns`` and, if the treebank marks spaces, ``tokens``."""
    origin: Origin

    def __post_init__(self) -> None:
        self.parts = (*self.layers.values(), *_readers(self.layers["parser"]))
        self.parser: Parser = PARSE.of(self.layers["parser"])
        self.columns: Filler = FILL.of(self.layers["columns"])
        tokens = self.layers.get("tokens")
        self.tokens: Tokeniser | None = TOKENISE.of(tokens) if tokens else None

    def annotate(
        self, text: str | Iterable[str], *, line_ends: bool = False, **options: Any
    ) -> Iterator[Sentence]:
        """Yield the sentences of a text, annotated in all columns.

        The options are the same as for the parser. With ``marginals=True``, MISC contains the
        probability of every value and of every token. With ``alternatives=3``, MISC also contains
        up to three other values for each column, starting with the most probable.
        """
        return self.annotate_all(
            self.sentences(text, line_ends=line_ends, **_shown(options)), **options
        )

    def sentences(
        self, text: str | Iterable[str], *, line_ends: bool = False, probabilities: bool = False
    ) -> Iterator[Sentence]:
        """Yield the sentences of a text, divided into words but not annotated."""
        if self.tokens is None:
            raise BistroError(
                "this pipeline cannot split running text into words, since its treebank does not "
                "mark words that are not followed by a space: give sentences that are already "
                "split into words"
            )
        sentences = self.tokens.tokenise(text, line_ends=line_ends)
        for number, sentence in enumerate(sentences, start=1):
            yield sentence.to_sentence(number, ranges=True, probabilities=probabilities)

    def annotate_all(
        self,
        sentences: Iterable[Sentence],
        *,
        keep: Sequence[str] = (),
        alternatives: int = 0,
        **options: Any,
    ) -> Iterator[Sentence]:
        """Yield the given sentences, annotated in all columns.

        Parameters
        ----------
        sentences
            Sentences with their words.
        keep
            Columns (upos, xpos, feats, lemmas, heads) whose non-empty values are kept. These
            values serve as evidence for the other columns.
        alternatives
            Maximum number of alternative values per column that are listed in MISC, with
            probabilities.
        **options
            Options of the parser. With ``marginals=True``, MISC contains probabilities.
        """
        if alternatives < 0:
            raise ConfigError(f"alternatives is {alternatives}, but must be at least 0")
        for name in keep:
            if name not in KEPT:
                raise ConfigError(f"there is no column '{name}' to keep{nearest(name, KEPT)}")
        shown = bool(options.get("marginals") or alternatives)
        parser_options = {**options, "marginals": shown or TAGS_ALONE}
        if parser_options.get("tags") == "given":
            keep = [*keep, self.parser.tag_column]
        if self.parser.tag_column in keep:
            parser_options["tags"] = "given"
        if "heads" in keep:
            parser_options["partial"] = True
        waiting = iter(sentences)
        kept = [name for name in keep if name != "heads"]
        while some := list(islice(waiting, AT_ONCE)):
            parses = list(self.parser.parse_all(some, **parser_options))
            yield from self._filled(parses, kept, shown=shown, alternatives=alternatives)

    def _filled(
        self, parses: Sequence[Parse], keep: Sequence[str], *, shown: bool, alternatives: int = 0
    ) -> Iterator[Sentence]:
        """Yield the parsed sentences with their trees and all other columns.

        Tags that are not kept are predicted with the help of the parser's marginals.
        """
        column = self.parser.tag_column
        trees = [with_tree(parse, column, self._tags(parse, keep)) for parse in parses]
        beliefs = [] if column in keep else self._beliefs(parses)
        filled = self.columns.fill(trees, keep=keep, beliefs=beliefs, alternatives=alternatives)
        for parse, tree, columns in zip(parses, trees, filled, strict=True):
            whole = with_columns(tree, columns)
            yield with_probabilities(whole, parse, columns, alternatives) if shown else whole

    def _tags(self, parse: Parse, keep: Sequence[str]) -> list[str]:
        tags = self.parser.shown_tags(parse.tags)
        column = self.parser.tag_column
        if column not in keep:
            return tags
        old_tags = getattr(parse.sentence, column)
        return [new if old == EMPTY else old for old, new in zip(old_tags, tags, strict=True)]

    def _beliefs(self, parses: Sequence[Parse]) -> list[Beliefs]:
        """Return the parser's distributions over tags, with the parser's own column first."""
        marginals = [parse.marginals for parse in parses if parse.marginals is not None]
        rows = [row for one in marginals for row in one.tags]
        names = list(dict.fromkeys(name for row in rows for name, _ in row))
        shown = dict(zip(names, self.parser.shown_tags(names), strict=True))
        own = [[(shown[name], p) for name, p in row] for row in rows]
        others = {
            column: [row for one in marginals for row in one.other_tags[column]]
            for column in (marginals[0].other_tags if marginals else ())
        }
        by_column = {self.parser.tag_column: own, **others}
        return [Beliefs(column, rows) for column, rows in by_column.items()]

    def figures(self, items: Sequence[Sentence]) -> dict[str, float]:
        """Return the percentage of correct values in each column, with gold tokenisation."""
        names = {
            "heads": "UAS",
            "upos": "UPOS",
            "xpos": "XPOS",
            "feats": "Feats",
            "lemmas": "Lemmas",
        }
        right = dict.fromkeys(names, 0)
        right_labels = words = 0
        for gold, predicted in zip(items, self.annotate_all(items), strict=True):
            words += len(gold)
            for name in names:
                pairs = zip(getattr(gold, name), getattr(predicted, name), strict=True)
                right[name] += sum(a == b for a, b in pairs)
            arcs = [zip(s.heads, s.deprels, strict=True) for s in (gold, predicted)]
            right_labels += sum(a == b for a, b in zip(*arcs, strict=True))
        shares = {names[name]: 100 * count / max(1, words) for name, count in right.items()}
        return {**shares, "LAS": 100 * right_labels / max(1, words)}

    def header(self) -> dict[str, Any]:
        """Return the headers of the layers."""
        return {"layers": {name: layer.whole_header() for name, layer in self.layers.items()}}

    def arrays(self) -> Arrays:
        """Return the arrays of all layers."""
        return nested_arrays(self.layers)

    @classmethod
    def from_parts(
        cls, config: PipelineConfig, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Rebuild the pipeline from the content of a file."""
        return cls(config, nested_models(header["layers"], arrays), origin)

    def summary(self) -> dict[str, Any]:
        """Return the summaries of all layers."""
        facts = {
            f"{name}: {fact}": value
            for name, layer in self.layers.items()
            for fact, value in layer.summary().items()
            if fact != "megabytes"
        }
        return {**facts, "megabytes": megabytes(self.arrays())}

    def describe(self) -> str:
        """Return the parser's description, which is shown after training."""
        return self.layers["parser"].describe()


def _readers(parser: Model) -> list[Model]:
    """If the parser cannot score words, return a member that reads them from left to right.

    A committee does not assign probabilities to words. The scores of words come from the first
    member that reads from left to right, and are reported under the name of that member.
    """
    if SCORE.is_own(parser):
        return []
    members: Sequence[Model] = getattr(parser, "members", ())
    forwards = (m for m in members if getattr(m.config, "direction", FORWARDS) == FORWARDS)
    return list(islice((m for m in forwards if SCORE.is_own(m)), 1))


def _shown(options: Mapping[str, Any]) -> dict[str, Any]:
    return {"probabilities": bool(options.get("marginals") or options.get("alternatives"))}
