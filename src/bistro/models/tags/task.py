"""Tagging as a task with unbounded contexts, using a grammar of twin tags.

Every tag t has a twin t', which is rewritten as a word. The tag t itself is rewritten as the twin
of the next tag, followed by the next tag itself.

    <s> -> DET' DET      DET -> NOUN' NOUN      NOUN -> VERB' VERB      VERB -> </s>
    DET' -> The          NOUN' -> dog           VERB' -> sleeps

The tree is a chain that branches to the right, so the ancestors of a node are all tags before it.
As a PCFG, this grammar is a hidden Markov model. With unbounded contexts, each tag and each word
depends on all tags before it. All transitions are possible. Unknown words, which are represented by
classes based on shape and suffix, may have any tag. A grammar rule that was never used in training
has the count `UNSEEN`.

>>> sentence = Sentence.from_columns(["It", "rains"], upos=["PRON", "VERB"])
>>> task, derivations = TagsTask.learn([sentence] * 2, TagsConfig())
>>> task.rules.show(derivations[0])
"(<s> (PRON' It) (PRON (VERB' rains) (VERB </s>)))"
>>> task.output(sentence.forms, derivations[0])
['PRON', 'VERB']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bistro.encoding.vocabulary import END_SYMBOL, START_SYMBOL, Vocabulary
from bistro.errors import BistroError, ModelFileError, TreebankError
from bistro.modelfile import Arrays
from bistro.models.data import ExampleReader
from bistro.models.tags.config import TagsConfig
from bistro.models.unbounded.rules import NOTHING, Derivation, RuleTable
from bistro.models.unbounded.task import Task, Terminals
from bistro.treebank.examples import Examples
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import read

UNSEEN = 0.1
"""Count of a rule that is in the grammar but not in the treebank."""


class TagsTask(Task[Sentence]):
    """The tagging task. Tags are symbols, and words and classes of unknown words are terminals."""

    def __init__(
        self, tagset: str, vocabulary: Vocabulary, tags: Sequence[str], rules: RuleTable
    ) -> None:
        self.tagset = tagset
        self.vocabulary = vocabulary
        self.tags = list(tags)
        self.rules = rules
        self._tag_numbers = {tag: number for number, tag in enumerate(self.tags)}
        size = len(self.tags)
        self._transition = np.full((size + 1, size + 1), NOTHING, dtype=np.int32)
        """Index of the rule for each symbol (0 is the start symbol) and each following tag. The
        last column contains the rules that end a sentence."""
        self._emission: dict[tuple[int, int], int] = {}
        """Index of the rule that rewrites each tag as each word."""
        for rule, (left, first, second) in enumerate(
            zip(rules.left.tolist(), rules.first.tolist(), rules.second.tolist(), strict=True)
        ):
            if second >= 0:
                self._transition[left, second - 1] = rule
            elif left > size:
                self._emission[left - size - 1, -1 - first] = rule
            else:
                self._transition[left, size] = rule

    @classmethod
    def learn(cls, items: Sequence[Sentence], config: TagsConfig) -> tuple[Self, list[Derivation]]:
        """Return the tagging task for a treebank, and the derivation of every sentence."""
        columns = [_tags_of(sentence, config.tagset) for sentence in items]
        vocabulary = Vocabulary.of((sentence.forms for sentence in items), config)
        tags = sorted({tag for column in columns for tag in column})
        numbers = {tag: number for number, tag in enumerate(tags)}
        pairs = set[tuple[int, int]]()
        for sentence, column in zip(items, columns, strict=True):
            words = vocabulary.encode(sentence.forms).tolist()
            pairs.update(zip(map(numbers.__getitem__, column), words, strict=True))
        task = cls(config.tagset, vocabulary, tags, _rules(vocabulary, tags, pairs))
        return task, [
            task._chain(vocabulary.encode(s.forms).tolist(), [numbers[t] for t in column])
            for s, column in zip(items, columns, strict=True)
        ]

    def words_of(self, item: Sentence) -> Sequence[str]:
        """Return the words of a sentence."""
        return item.forms

    def derivation(self, item: Sentence) -> Derivation | None:
        """Return the derivation of a sentence, or None if the grammar lacks one of its rules."""
        words = self.vocabulary.encode(item.forms).tolist()
        tags = [self._tag_numbers.get(tag, NOTHING) for tag in getattr(item, self.tagset)]
        if any(pair not in self._emission for pair in zip(tags, words, strict=True)):
            return None
        return self._chain(words, tags)

    def terminals(self, words: Sequence[str]) -> Terminals:
        """Return the indices of the words and of the end symbol."""
        return Terminals.sequence([*self.vocabulary.encode(words).tolist(), len(self.vocabulary)])

    def output(self, words: Sequence[str], derivation: Derivation | None) -> list[str]:
        """Return the tags."""
        if derivation is None:
            raise BistroError(
                "a sentence has no derivation, although a tagger must find one for every sentence"
            )
        return [self.tags[tag - 1] for tag in self.rules.second[derivation[:-1:2]].tolist()]

    def base(self, counts: NDArray[np.int64], smoothing: float) -> NDArray[np.float64]:
        """Return H(rule | left-hand side), where the count of an unseen rule is `UNSEEN`."""
        weights = np.where(counts == 0, UNSEEN, counts) + smoothing
        sums = np.bincount(self.rules.left, weights, minlength=len(self.rules.symbols))
        shares: NDArray[np.float64] = weights / sums[self.rules.left]
        return shares

    def header(self) -> dict[str, Any]:
        """Return the vocabulary and the tags."""
        return {"vocabulary": self.vocabulary.to_header(), "tags": self.tags}

    @classmethod
    def from_parts(
        cls, header: Mapping[str, Any], arrays: Arrays, rules: RuleTable, config: TagsConfig
    ) -> Self:
        """Restore the task from a model file."""
        vocabulary = Vocabulary.from_header(header["vocabulary"])
        tags = header["tags"]
        if not isinstance(tags, list) or rules.symbols != _symbols(tags):
            raise ModelFileError("the tags are damaged")
        if len(rules.words) != len(vocabulary) + 1:
            raise ModelFileError("the vocabulary does not match the rules")
        return cls(config.tagset, vocabulary, tags, rules)

    def _chain(self, words: Sequence[int], tags: Sequence[int]) -> Derivation:
        chain = np.empty(2 * len(words) + 1, dtype=np.int32)
        numbers = np.array(tags, dtype=np.int64)
        ends = np.append(numbers, len(self.tags))
        chain[::2] = self._transition[np.insert(numbers + 1, 0, 0), ends]
        chain[1::2] = [self._emission[pair] for pair in zip(tags, words, strict=True)]
        return chain


def _rules(vocabulary: Vocabulary, tags: Sequence[str], pairs: set[tuple[int, int]]) -> RuleTable:
    """Return the rules for transitions between tags, for words, and for classes of unknown words.

    Symbol 0 is the start. In the list of symbols, the start symbol is followed by the tags, and
    then by a second symbol for each tag, which generates words.
    """
    size = len(tags)
    rows = [(left, size + tag, tag) for left in range(size + 1) for tag in range(1, size + 1)]
    rows += [(tag, -1 - len(vocabulary), NOTHING) for tag in range(1, size + 1)]
    unknown = {(tag, word) for tag in range(size) for word in range(vocabulary.num_classes)}
    rows += [(size + 1 + tag, -1 - word, NOTHING) for tag, word in sorted(pairs | unknown)]
    left, first, second = (
        np.ascontiguousarray(column) for column in np.array(rows, dtype=np.int32).T
    )
    words = (*vocabulary.decode(range(len(vocabulary))), END_SYMBOL)
    return RuleTable(_symbols(tags), words, left, first, second, top=0)


def _symbols(tags: Sequence[str]) -> tuple[str, ...]:
    return (START_SYMBOL, *tags, *(f"{tag}'" for tag in tags))


def _tags_of(sentence: Sentence, column: str, path: str | None = None) -> list[str]:
    """Return the tags of a training sentence. Raise an error if a tag is missing."""
    if not isinstance(sentence, Sentence):
        raise BistroError("tags are learned from a tagged treebank, but lists of words were given")
    tags: list[str] = getattr(sentence, column)
    if EMPTY in tags:
        raise TreebankError(
            f"word {tags.index(EMPTY) + 1} ('{sentence.forms[tags.index(EMPTY)]}') of this "
            f"sentence has no {column} tag to learn from: add its tag, or choose another column "
            "with tagset",
            path=path,
            line=sentence.line,
        )
    return tags


def _read(path: str, config: TagsConfig, format: str | None) -> Examples[Sentence]:
    """Read a treebank. Trees may be missing, because only words and tags are used."""
    treebank = read(path, format, roots="any", partial=True)
    for sentence in treebank:
        _tags_of(sentence, config.tagset, treebank.path)
    return Examples(treebank, name=treebank.label, sha256=treebank.sha256)


READER = ExampleReader(_read, "tagged treebanks")
