"""The generative transition parser: a tree and its words are generated together, left to right.

An arc-standard parser in which every step has a probability (Buys & Blunsom 2015): shift generates
a tag and then a word, left-arc and right-arc generate an arc and then its label. All steps are
drawn from hierarchical Pitman-Yor processes that look at the stack; which elements of it, in which
order, is data (`bistro.encoding.contexts`). With the arc from the root, or an end event, the
sentence ends: the model is a distribution over all finite sentences and trees.

>>> import bistro
>>> model = bistro.train("transition", bistro.builtin(sentences=300, seed=1), seed=1)
>>> parse = model.parse("The dog sleeps .".split())
>>> parse.heads, parse.labels
([2, 3, 0, 3], ['det', 'nsubj', 'root', 'punct'])
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from bistro import config as configuration
from bistro._core import Frozen, ParseRequest, TransitionParser, TransitionShape
from bistro.encoding.contexts import element_numbers, is_lexical
from bistro.errors import BistroError
from bistro.models.base import Arrays, Model, Origin
from bistro.models.parses import Analysis, Marginals, Parse
from bistro.models.transition_config import TransitionConfig
from bistro.models.transition_data import MISSING, Codec, Tree, check_evidence, tags_of
from bistro.models.transition_language import LanguageAbility
from bistro.rng import purpose_key
from bistro.treebank.sentence import Sentence

DISTRIBUTIONS = ("actions", "labels", "tags", "words")
SENTENCES_AT_ONCE = 2000


@dataclass(frozen=True)
class ParseOptions:
    """How to search, and what to return."""

    tags: Literal["joint", "given"] = "joint"
    """Tags are found with the tree, or those of the input are used."""
    partial: bool = False
    """Heads and labels that the input has are evidence; ``_`` is to be found."""
    search: Literal["particles", "beam"] = "particles"
    size: int = 1000
    """Particles, or the width of the beam."""
    selection: Literal["weight", "paper"] = "weight"
    """After each word particles go to derivations by their weights; in the paper, by weight times
    the particles they had, which is faster and leaves far fewer of them alive."""
    temperature: float = 2.0
    """Of marginals, samples and least risk: 1 is the model's own posterior, which is too sure of
    itself, since it multiplies many steps; above 1, derivations count more evenly. 2 was found on
    the development set of English EWT, for the calibration of heads."""
    tags_per_word: int = 3
    labels_per_arc: int = 3
    both_reduces: bool = True
    kbest: int = 1
    samples: int = 0
    marginals: bool = False
    mbr: bool = True
    """The first tree is the one of least risk: the most arcs expected to be right."""
    seed: int = 1
    threads: int = 0
    """0: as many as the machine has."""

    def request(self, chunk: int = 0) -> ParseRequest:
        """Return the options as the core takes them; every chunk of sentences draws its own."""
        return ParseRequest(
            self.search,
            self.size,
            self.tags_per_word,
            self.labels_per_arc,
            self.both_reduces,
            self.kbest,
            self.samples,
            self.marginals,
            self.mbr and self.kbest == 1,
            self.seed,
            purpose_key(f"transition.samples.{chunk}"),
            self.selection == "weight",
            self.temperature,
        )


def shape_of(config: TransitionConfig, codec: Codec, *, single_root: bool) -> TransitionShape:
    """Return the model's shape for the core; words leave the contexts if the settings say so."""
    contexts = {
        name: element_numbers(
            element
            for element in getattr(config.contexts, name)
            if config.lexical == "full" or not is_lexical(element)
        )
        for name in DISTRIBUTIONS
    }
    return TransitionShape(
        len(codec.tags),
        len(codec.vocabulary),
        len(codec.labels),
        config.root == "first",
        single_root,
        codec.is_labelled,
        config.labels == "joint",
        config.lexical != "none",
        *(contexts[name] for name in DISTRIBUTIONS),
    )


def outcomes_of(shape: TransitionShape, codec: Codec) -> dict[str, int]:
    """Return how many outcomes each distribution has."""
    return {
        "actions": shape.action_outcomes,
        "labels": len(codec.labels),
        "tags": len(codec.tags),
        "words": len(codec.vocabulary),
    }


class TransitionModel(LanguageAbility, Model):
    """A trained transition parser."""

    kind: ClassVar[str] = "transition"

    def __init__(
        self,
        config: TransitionConfig,
        codec: Codec,
        distributions: Mapping[str, Arrays],
        word_tags: tuple[NDArray[np.int32], NDArray[np.int32]],
        origin: Origin,
        *,
        single_root: bool,
    ) -> None:
        self.config = config
        self.codec = codec
        self.origin = origin
        self.single_root = single_root
        self._distributions = distributions
        self._word_tags = word_tags
        shape = shape_of(config, codec, single_root=single_root)
        outcomes = outcomes_of(shape, codec)
        frozen = {name: Frozen(**a, dishes=outcomes[name]) for name, a in distributions.items()}
        self._parser = TransitionParser(
            shape,
            frozen["actions"],
            frozen.get("labels"),
            frozen["tags"],
            frozen.get("words"),
            codec.is_labelled and config.contexts.see_labels,
            *word_tags,
        )

    def parse(self, sentence: Sentence | Sequence[str], **options: Any) -> Parse:
        """Parse one sentence, given as words or with annotation; options as in `ParseOptions`."""
        return next(self.parse_all([sentence], **options))

    def parse_all(
        self, sentences: Iterable[Sentence | Sequence[str]], **options: Any
    ) -> Iterator[Parse]:
        """Parse sentences, many at once on several threads, and yield them in their order."""
        chosen = ParseOptions(**options)
        threads = chosen.threads or os.cpu_count() or 1
        waiting, chunks = iter(sentences), count()
        while chunk := [_as_sentence(s) for s in islice(waiting, SENTENCES_AT_ONCE)]:
            trees = [self._evidence(sentence, chosen) for sentence in chunk]
            unseen = self.codec.unseen(chunk)
            batch = self.codec.encode(chunk, trees, unseen)
            found = self._parser.parse(batch, chosen.request(next(chunks)), threads)
            yield from self._results(chunk, found, chosen, unseen.log_scale)

    def _evidence(self, sentence: Sentence, options: ParseOptions) -> Tree:
        n = len(sentence)
        if n == 0:
            raise BistroError("a sentence has no words to parse")
        tags = tags_of(sentence, self.config) if options.tags == "given" else [MISSING] * n
        if not options.partial:
            return Tree(tags, [-1] * n, [MISSING] * n)
        check_evidence(sentence, single_root=self.single_root)
        return Tree(tags, list(sentence.heads), list(sentence.deprels))

    def _results(
        self,
        sentences: Sequence[Sentence],
        found: dict[str, Any],
        options: ParseOptions,
        log_scale: NDArray[np.float64],
    ) -> Iterator[Parse]:
        word = parsed = 0
        for number, sentence in enumerate(sentences):
            n = len(sentence)
            scale = float(log_scale[word : word + n].sum())
            analyses = []
            first, last = found["parse_begin"][number : number + 2].tolist()
            for row in range(first, last):
                span = slice(parsed, parsed + n)
                parsed += n
                tree = self.codec.decode(
                    found["heads"][span], found["labels"][span], found["tags"][span]
                )
                figures = float(found["log_prob"][row]) + scale, float(found["posterior"][row])
                analyses.append(Analysis(tree.heads, tree.labels, tree.tags, *figures))
            best = len(analyses) - options.samples
            yield Parse(
                sentence,
                analyses[:best],
                analyses[best:],
                self._marginals(found, word, n) if options.marginals else None,
                float(found["log_total"][number]) + scale,
                bool(found["relaxed"][number]),
            )
            word += n

    def _marginals(self, found: dict[str, Any], word: int, n: int) -> Marginals:
        def ragged(name: str) -> list[list[tuple[int, float]]]:
            begin, what, probability = found[name]
            rows = [
                list(zip(what[a:b].tolist(), probability[a:b].tolist(), strict=True))
                for a, b in zip(
                    begin[word : word + n].tolist(),
                    begin[word + 1 : word + n + 1].tolist(),
                    strict=True,
                )
            ]
            return rows[::-1] if mirrored else rows

        mirrored = self.config.direction == "right-to-left"
        heads = ragged("head_marginals")
        if mirrored:
            heads = [[(self.codec.mirror_head(h, n), p) for h, p in row] for row in heads]
        return Marginals(
            heads,
            [[(self.codec.labels[i], p) for i, p in row] for row in ragged("label_marginals")],
            [[(self.codec.tags[i], p) for i, p in row] for row in ragged("tag_marginals")],
        )

    def header(self) -> dict[str, Any]:
        """Return configuration and symbols."""
        return {
            "config": configuration.to_dict(self.config),
            "single_root": self.single_root,
            **self.codec.header(),
        }

    def arrays(self) -> Arrays:
        """Return the frozen distributions and the tags of the words."""
        return {
            "word_tags.begin": self._word_tags[0],
            "word_tags.list": self._word_tags[1],
            **(self.codec.speller.arrays() if self.codec.speller else {}),
            **{
                f"{name}.{part}": array
                for name, arrays in self._distributions.items()
                for part, array in arrays.items()
            },
        }

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Arrays, origin: Origin) -> Self:
        """Make the model again from a file."""
        where = "the model's configuration"
        config = configuration.from_dict(TransitionConfig, header["config"], where)
        distributions: dict[str, dict[str, NDArray[Any]]] = {}
        for name, array in arrays.items():
            owner, _, part = name.partition(".")
            if owner in DISTRIBUTIONS:
                distributions.setdefault(owner, {})[part] = array
        word_tags = arrays["word_tags.begin"], arrays["word_tags.list"]
        codec = Codec.from_parts(config, header, arrays)
        return cls(
            config, codec, distributions, word_tags, origin, single_root=header["single_root"]
        )

    def summary(self) -> dict[str, Any]:
        """Return symbols and size."""
        return {
            "words known": len(self.codec.vocabulary) - self.codec.vocabulary.num_classes,
            "tags": len(self.codec.tags),
            "labels": len(self.codec.labels) if self.codec.is_labelled else 0,
            "roots": "one" if self.single_root else "several",
            "megabytes": round(sum(a.nbytes for a in self.arrays().values()) / 1e6, 1),
        }


def _as_sentence(given: Sentence | Sequence[str]) -> Sentence:
    if isinstance(given, Sentence):
        return given
    if isinstance(given, str):
        raise BistroError("a sentence is a list of words: split the text first")
    return Sentence.from_columns(list(given))
