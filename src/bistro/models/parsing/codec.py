"""Conversion between trees and symbol indices, for all parsers of projective trees.

Tags come from one column and may include features. Crossing arcs are encoded in the labels (see
`bistro.treebank.projectivity`). For generation from right to left, sentences and trees are
reversed. `Codec` converts in both directions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bistro._core import SentenceBatch
from bistro.encoding.vocabulary import Vocabulary, vocabulary_of
from bistro.errors import BistroError, ModelFileError, TreebankError
from bistro.inference.speller import Speller
from bistro.modelfile import Arrays
from bistro.models.inputs import place_of
from bistro.models.parsing.settings import ParserSettings
from bistro.models.parsing.votes import ArcCode, Rows, Votes
from bistro.treebank.fields import EMPTY
from bistro.treebank.invisible import seen
from bistro.treebank.projectivity import Scheme, deprojectivize, is_projective, projectivize
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import find_tree_problem

ALL_FEATURES = ("*",)
"""Value of the setting `tag_features` that adds all features of FEATS to the tag."""
COARSE = "UPOS"
"""Name of the feature that adds the universal tag to a language-specific tag."""
_EMPTY: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
REMEMBERED = 1 << 14
"""Maximum number of annotations for which the selected features are cached."""


@dataclass(frozen=True)
class Tree:
    """The tags, heads and labels of one sentence, in the form that the model uses."""

    tags: list[str]
    heads: list[int]
    labels: list[str]


@dataclass(frozen=True)
class Unseen:
    """The probabilities of the spellings of unknown words in a batch of sentences."""

    rows: NDArray[np.int32]
    """Index of each word's row in `spellings`, or -1 for a known word. If all words are known, the
    array is empty."""
    spellings: NDArray[np.float64]
    """p(spelling | tag, unknown word), shape (different unknown words, tags), flattened. Each row
    is divided by its maximum."""
    log_scale: NDArray[np.float64]
    """Logarithm of the divisor of each word's row, or 0 for a known word."""


@dataclass(eq=False)
class Codec:
    """The words, tags and labels of a model, and their conversion to indices and back."""

    config: ParserSettings
    vocabulary: Vocabulary
    tags: list[str]
    labels: list[str]
    speller: Speller | None = None
    """The model that generates the spellings of unknown words, or None if it is not used."""

    def __post_init__(self) -> None:
        self._tag_ids = {tag: i for i, tag in enumerate(self.tags)}
        self.known_tags = frozenset({EMPTY, *self.tags})
        """The tags that a word in the input may have. If the tag is empty, the model predicts
        it."""
        self._label_ids = {label: i for i, label in enumerate(self.labels)}

    @classmethod
    def learn(cls, sentences: Sequence[Sentence], config: ParserSettings) -> tuple[Codec, int]:
        """Build the codec for a treebank. Also return the number of sentences with lifted arcs."""
        vocabulary = Vocabulary.of((sentence.forms for sentence in sentences), config)
        trees = [training_tree(sentence, config) for sentence in sentences]
        tags = sorted({tag for tree in trees for tag in tree.tags})
        labels = sorted({label for tree in trees for label in tree.labels})
        if EMPTY in labels and len(labels) > 1 and config.labels != "none":
            raise BistroError(
                "some words have no label: add the missing labels, or set labels = 'none'"
            )
        lifted = sum(not is_projective(sentence.heads) for sentence in sentences)
        return cls(config, vocabulary, tags, labels), lifted

    @property
    def is_labelled(self) -> bool:
        """Whether trees have labels."""
        return self.config.labels != "none" and self.labels != [EMPTY]

    def tag_kinds(self) -> list[int]:
        """Return, for each tag, the index of the first tag that differs at most in features."""
        kinds: dict[str, int] = {}
        return [kinds.setdefault(tag.partition("|")[0], i) for i, tag in enumerate(self.tags)]

    def unseen(self, sentences: Sequence[Sentence]) -> Unseen:
        """Return the probabilities of the spellings of all unknown words in the sentences."""
        words = [seen(form) for sentence in sentences for form in sentence.forms]
        rows: dict[str, int] = {}
        if self.speller and self.config.lexical != "none":
            strangers = filter(self.vocabulary.is_unknown, words)
            rows = {word: i for i, word in enumerate(dict.fromkeys(strangers))}
        if not rows or self.speller is None:
            return Unseen(_EMPTY, np.zeros(0), np.zeros(len(words)))
        spelled = np.array([rows.get(word, -1) for word in words], np.int32)
        logs = self.speller.log_unseen(list(rows))
        highest = logs.max(axis=1)
        scale = np.where(spelled >= 0, highest[spelled], 0.0)
        return Unseen(spelled, np.exp(logs - highest[:, None]).ravel(), scale)

    def encode(
        self,
        sentences: Sequence[Sentence],
        trees: Sequence[Tree] | None,
        unseen: Unseen | None = None,
    ) -> SentenceBatch:
        """Return the words and the given annotation in the format that the C++ core expects."""
        unseen = unseen or self.unseen(sentences)
        ids, offsets = self.encode_words(s.forms for s in sentences)
        columns = [_EMPTY, _EMPTY, _EMPTY]
        if trees is not None:
            columns = [
                np.array(values, dtype=np.int32)
                for values in (
                    [self._tag_ids.get(t, -1) for tree in trees for t in tree.tags],
                    [head for tree in trees for head in tree.heads],
                    [self._label_ids.get(la, -1) for tree in trees for la in tree.labels],
                )
            ]
        if self.config.direction == "right-to-left":
            order = _mirrored(offsets)
            heads = columns[1]
            if heads.size:
                lengths = np.repeat(np.diff(offsets), np.diff(offsets)).astype(np.int32)
                columns[1] = np.where(heads > 0, lengths + 1 - heads, heads).astype(np.int32)
            columns = [column[order] if column.size else column for column in columns]
            if unseen.rows.size:
                unseen = replace(unseen, rows=unseen.rows[order])
        tags, heads, labels = columns
        spelled: dict[str, Any] = {"spelled": unseen.rows, "spellings": unseen.spellings}
        return SentenceBatch(ids, offsets, tags=tags, heads=heads, labels=labels, **spelled)

    def encode_words(
        self, sentences: Iterable[Sequence[str]]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the word indices in the order in which words are generated, and the sentence
        offsets."""
        ids, offsets = self.vocabulary.encode_all(sentences)
        if self.config.direction == "right-to-left":
            ids = ids[_mirrored(offsets)]
        return ids, offsets

    def decode(
        self,
        heads: NDArray[np.int32],
        labels: NDArray[np.int32],
        tags: NDArray[np.int32],
        *,
        restore_crossing: bool = True,
    ) -> Tree:
        """Convert indices to a tree in the original word order, with crossing arcs restored."""
        head_list, names = (
            heads.tolist(),
            [self.labels[i] if i >= 0 else EMPTY for i in labels.tolist()],
        )
        tag_names = [self.tags[i] for i in tags.tolist()]
        if self.config.direction == "right-to-left":
            head_list = [self.mirror_head(head, len(head_list)) for head in reversed(head_list)]
            names.reverse()
            tag_names.reverse()
        if restore_crossing and self.is_labelled and self.config.nonprojective != "lift":
            scheme: Scheme = self.config.nonprojective
            restored = deprojectivize(head_list, names, scheme)
            head_list, names = restored.heads, restored.labels
        return Tree(tag_names, head_list, names)

    def decode_votes(self, marginals: Mapping[str, Any], lengths: Sequence[int]) -> Votes:
        """Convert marginals from the core to votes in the original word order."""
        begin, head, label, probability = marginals["arc_marginals"]
        head = head.astype(np.int64)
        mirrored = self.config.direction == "right-to-left"
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        if mirrored:
            longer = np.repeat(np.repeat(np.asarray(lengths) + 1, lengths), np.diff(begin))
            head = np.where(head > 0, longer - head, 0)
        code = ArcCode(len(self.labels) if self.is_labelled else 0)
        arcs = Rows(begin, code.join(head, label), probability)
        tag_begin, tag, tag_probability = marginals["tag_marginals"]
        tags = Rows(tag_begin, tag.astype(np.int64), tag_probability)
        if mirrored:
            order = _mirrored(offsets)
            arcs, tags = arcs.reordered(order), tags.reordered(order)
        return Votes(arcs, tags, marginals["relaxed"].astype(np.bool_))

    def mirror_head(self, head: int, length: int) -> int:
        """Return the position of a head after the sentence is reversed."""
        return length + 1 - head if head > 0 else head

    def header(self) -> dict[str, Any]:
        """Return the symbols as a JSON-serialisable dictionary."""
        return {
            "vocabulary": self.vocabulary.to_header(),
            "vocabulary_hash": self.vocabulary.hash,
            "tags": self.tags,
            "labels": self.labels,
            **({"spelling": self.speller.header()} if self.speller else {}),
        }

    @classmethod
    def from_parts(cls, config: ParserSettings, header: Mapping[str, Any], arrays: Arrays) -> Self:
        """Restore the codec from a model file."""
        for name in ("tags", "labels"):
            names = header[name]
            if not isinstance(names, list) or not names or not all(type(n) is str for n in names):
                raise ModelFileError(f"the {name} are damaged")
        vocabulary = vocabulary_of(header)
        speller = None
        if vocabulary.is_open and config.lexical != "none":
            num_tags = len(header["tags"])
            speller = Speller.from_parts(header["spelling"], arrays, config.spelling, num_tags)
        return cls(config, vocabulary, header["tags"], header["labels"], speller)


def tags_of(sentence: Sentence, config: ParserSettings) -> list[str]:
    """Return the tags of a sentence, including the features that the configuration adds."""
    column = sentence.upos if config.tagset == "upos" else sentence.xpos
    if not config.tag_features:
        return list(column)
    if config.tag_features == ALL_FEATURES:
        return [
            tag if EMPTY in (tag, feats) else f"{tag}|{feats}"
            for tag, feats in zip(column, sentence.feats, strict=True)
        ]
    names = tuple(config.tag_features)
    rows = zip(column, sentence.upos, sentence.feats, sentence.misc, strict=True)
    return [
        tag if tag == EMPTY else tag + _features_of(upos, feats, misc, names)
        for tag, upos, feats, misc in rows
    ]


def training_tree(sentence: Sentence, config: ParserSettings) -> Tree:
    """Return the tree of a training sentence, with crossing arcs lifted."""
    tags = tags_of(sentence, config)
    if EMPTY in tags:
        word = tags.index(EMPTY)
        raise TreebankError(
            f"word {word + 1} ('{sentence.forms[word]}') has no {config.tagset} tag: give a "
            "treebank with tags (use --text for raw text)",
            line=sentence.line or None,
        )
    require_heads(sentence)
    labels = [EMPTY] * len(sentence) if config.labels == "none" else list(sentence.deprels)
    if is_projective(sentence.heads):
        return Tree(tags, list(sentence.heads), labels)
    scheme: Scheme = "head" if config.nonprojective == "lift" else config.nonprojective
    lifted = projectivize(sentence.heads, labels, scheme)
    if config.nonprojective == "lift" or config.labels == "none":
        return Tree(tags, lifted.heads, labels)
    return Tree(tags, lifted.heads, lifted.labels)


def require_heads(sentence: Sentence) -> None:
    """Raise an error if a word in a training sentence has no head."""
    if min(sentence.heads, default=0) >= 0:
        return
    if sentence.format == "text":
        raise TreebankError(
            "this text has no trees: give a treebank (and any raw text with --text), or train "
            "an ngram model on the text",
            line=sentence.line or None,
        )
    word = next(word for word, head in enumerate(sentence.heads) if head < 0)
    raise TreebankError(
        f"word {word + 1} ('{sentence.forms[word]}') has no head: complete the tree first "
        "(bistro complete FILE -o WHOLE.conllu), or leave out the sentence",
        line=sentence.line or None,
    )


def check_evidence(sentence: Sentence, *, single_root: bool) -> None:
    """Raise an error if no projective tree has the given heads. A head of -1 is not given."""
    heads = sentence.heads
    reason = None
    if problem := find_tree_problem(heads, roots="any", partial=True):
        reason = problem.reason
    elif single_root and heads.count(0) > 1:
        reason = (
            "several words have head 0, but this model allows only one root: leave the heads of "
            "the others empty"
        )
    elif not is_projective(heads) or _arc_over_own_head(heads):
        reason = (
            "the given heads cross, but this parser finds only projective trees: leave some of "
            "them empty"
        )
    if reason:
        raise BistroError(f"{place_of(sentence)}: {reason}")


def can_be_met(sentence: Sentence, *, single_root: bool) -> bool:
    """Return whether there is a projective tree with the given heads."""
    try:
        check_evidence(sentence, single_root=single_root)
    except BistroError:
        return False
    return True


def _arc_over_own_head(heads: Sequence[int]) -> bool:
    """Return whether an arc from h to d spans the head of h, so that the arcs to d and h cross."""
    arcs = [(head, word) for word, head in enumerate(heads, start=1) if head > 0]
    return any(min(arc) < heads[arc[0] - 1] < max(arc) for arc in arcs)


@lru_cache(REMEMBERED)
def _features_of(upos: str, feats: str, misc: str, names: tuple[str, ...]) -> str:
    """Return the selected features of a word in the form that is appended to its tag."""
    pairs = f"{COARSE}={upos}|{feats}|{misc}".split("|")
    return "".join(f"|{pair}" for pair in pairs if pair.partition("=")[0] in names)


def _mirrored(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return an index array that reverses the words of every sentence."""
    lengths = np.diff(offsets)
    ends = np.repeat(offsets[1:] + offsets[:-1] - 1, lengths)
    return ends - np.arange(int(offsets[-1]))
