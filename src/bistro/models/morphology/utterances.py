"""A model that groups the morphemes of an utterance into words, each with a stem and affixes.

The input is the sequence of morphemes in an utterance, without word boundaries. A tree groups the
morphemes into words.

    (TOP (Word (P1 u) (P2 ku) (T fund) (S a)) (Word (T futhi)))

The tree is right-binarised, so that the rest of a word and the following words are below the part
before them. Contexts consist of rules. Rare morphemes are represented only by the type of their
first letter (OUT-V for a vowel, OUT-C for a consonant).

The stem of a word is its last root, that is, the last morpheme whose label contains Stem or Root or
is one of `ROOTS`. In a word without a root, the stem is the longest morpheme. If several morphemes
have the maximum length, the stem is the last of them. Morphemes before the stem are prefixes,
labelled P1, P2 and, from the third prefix on, P3. Morphemes after the stem are suffixes, labelled
S. By default, an utterance is the text between two punctuation marks. Punctuation marks are left
out.

>>> from bistro.treebank.morphology import Paragraph, SegmentedWord, parse_morphemes
>>> texts = ["u[Pre]-ku[Pre]-fund[VRoot]-a[End]", "futhi[Conj]"]
>>> words = [SegmentedWord("-", parse_morphemes(text)) for text in texts]
>>> task, derivations = UtteranceTask.learn([Paragraph(words)] * 3, MorphologyConfig())
>>> from bistro.treebank.brackets import format_tree
>>> format_tree(task.output(task.words_of(Paragraph(words)), derivations[0]))
'(TOP (Word (P1 u) (P2 ku) (T fund) (S a)) (Word (T futhi)))'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from bistro.errors import BistroError, ModelFileError
from bistro.modelfile import Arrays
from bistro.models.morphology.config import MorphologyConfig
from bistro.models.morphology.model import MorphologyModel
from bistro.models.morphology.reader import check_paragraphs
from bistro.models.unbounded.parse import TreeParsingModel
from bistro.models.unbounded.rules import Derivation, KnownRules, RuleBuilder, RuleTable
from bistro.models.unbounded.search import SearchOptions
from bistro.models.unbounded.task import Task, Terminals
from bistro.treebank.brackets import Tree
from bistro.treebank.morphology import Morpheme, Paragraph, SegmentedWord

TOP, WORD, STEM, SUFFIX = "TOP", "Word", "T", "S"
PREFIXES = ("P1", "P2", "P3")
INNER = "@"
OUT_VOWEL, OUT_CONSONANT = OUT = ("OUT-V", "OUT-C")
ROOTS = frozenset(
    {
        *("Intrans", "ProperName", "Abbr", "Foreign", "Num", "Punc"),
        *("Adv", "Conj", "Ideoph", "Interrog", "Interjec", "Pro"),
    }
)
_ROOT_BEGINNINGS = ("Dem", "AbsPron")


def roles(morphemes: Sequence[Morpheme]) -> list[str]:
    """Return the role of each morpheme in a word: P1, P2, P3, T or S."""
    roots = [i for i, morpheme in enumerate(morphemes) if is_root(morpheme.label)]
    longest = max(range(len(morphemes)), key=lambda i: (len(morphemes[i].form), i))
    stem = roots[-1] if roots else longest
    before = [PREFIXES[min(i, len(PREFIXES) - 1)] for i in range(stem)]
    return [*before, STEM, *[SUFFIX] * (len(morphemes) - stem - 1)]


def is_root(label: str) -> bool:
    """Return whether a label denotes a stem or root."""
    small = label.lower()
    named = "stem" in small or "root" in small
    return named or label in ROOTS or label.startswith(_ROOT_BEGINNINGS)


class UtteranceTask(Task[Paragraph]):
    """The task of grouping morphemes into words, with the rules of its grammar."""

    contexts = "rules"

    def __init__(self, rules: RuleTable) -> None:
        self.rules = rules

    @classmethod
    def learn(
        cls, items: Sequence[Paragraph], config: MorphologyConfig
    ) -> tuple[Self, list[Derivation]]:
        """Return the task with all rules, and each utterance as a list of rules."""
        check_paragraphs(items)
        counts = Counter(form for item in items for word in item for form in _forms(word))
        known = {form for form, count in counts.items() if count > config.rare}
        builder = RuleBuilder()
        for form in (*OUT, *sorted(known)):
            builder.word(form)
        derivations = [_derivation(item, known, builder) for item in items]
        for role in (*PREFIXES, STEM, SUFFIX):
            for form in OUT:
                builder.lexical(role, form)
        return cls(builder.table(top=TOP)), derivations

    def words_of(self, item: Paragraph) -> Sequence[str]:
        """Return the sequence of morphemes in an utterance."""
        return [form for word in item for form in _forms(word)]

    def derivation(self, item: Paragraph) -> Derivation | None:
        """Return an utterance as a list of rules, or None if it contains an unseen rule."""
        rules = _derivation(item, self.rules.word_numbers, self._known)
        return rules if (rules >= 0).all() else None

    def terminals(self, words: Sequence[str]) -> Terminals:
        """Return the indices of morphemes. Rare morphemes are represented by their classes."""
        known = self.rules.word_numbers
        return Terminals.sequence(known[_class_of(word.lower(), known)] for word in words)

    def output(self, words: Sequence[str], derivation: Derivation | None) -> Tree:
        """Return a tree of words and morphemes. Without a derivation, each morpheme is treated as a
        word."""
        root = Tree(TOP)
        if derivation is None:
            root.children = [Tree(WORD, [Tree(STEM, word=word)]) for word in words]
            return root
        rules = self.rules
        forms = iter(words)
        for rule in derivation.tolist():
            name = rules.symbols[rules.left[rule]]
            if name == WORD:
                root.children.append(Tree(WORD))
            elif rules.first[rule] < 0:
                if not root.children:
                    raise ModelFileError("the model is damaged: a morpheme is not part of a word")
                root.children[-1].children.append(Tree(name, word=next(forms)))
        return root

    def gold(self, item: Paragraph) -> Tree:
        """Return the correct tree of an utterance."""
        return Tree(
            TOP,
            [
                Tree(
                    WORD,
                    [
                        Tree(role, word=form)
                        for role, form in zip(roles(word.morphemes), _forms(word), strict=True)
                    ],
                )
                for word in item
            ],
        )

    def header(self) -> dict[str, Any]:
        """Return an empty header, because the rules contain all of the task's data."""
        return {}

    @classmethod
    def from_parts(
        cls, header: Mapping[str, Any], arrays: Arrays, rules: RuleTable, config: MorphologyConfig
    ) -> Self:
        """Restore the task."""
        if missing := [form for form in OUT if form not in rules.word_numbers]:
            raise ModelFileError(f"the rules lack the class {missing[0]} for unknown morphemes")
        return cls(rules)

    @cached_property
    def _known(self) -> KnownRules:
        return KnownRules(self.rules)


class UtteranceModel(TreeParsingModel, MorphologyModel):
    """A trained model that groups the morphemes of utterances into words."""

    task_class = UtteranceTask
    task: UtteranceTask

    def group(self, utterances: Iterable[Sequence[str]], **options: Any) -> list[Tree]:
        """Return the tree of each utterance. An utterance is a list of morphemes.

        The options are the fields of `SearchOptions`.
        """
        whole = [list(morphemes) for morphemes in utterances]
        if not all(whole):
            raise BistroError("an utterance must have at least one morpheme")
        return list(self.decode(whole, SearchOptions.of(options, self.kind, "group morphemes")))


def _forms(word: SegmentedWord) -> list[str]:
    return [morpheme.form.lower() for morpheme in word.morphemes]


def _class_of(form: str, known: Iterable[str]) -> str:
    """Return a morpheme, or its class if it is unknown."""
    if form in known:
        return form
    return OUT_VOWEL if form[:1] in "aeiou" else OUT_CONSONANT


def _derivation(item: Paragraph, known: Iterable[str], rules: RuleBuilder) -> Derivation:
    """Return the rules of an utterance in pre-order, as indices assigned by `rules`."""
    numbers: list[int] = []

    def morphemes(word: SegmentedWord) -> None:
        parts = list(zip(roles(word.morphemes), _forms(word), strict=True))

        def one(k: int) -> None:
            numbers.append(rules.lexical(parts[k][0], _class_of(parts[k][1], known)))

        _binarised(WORD, [role for role, _ in parts], rules, numbers, one)

    _binarised(TOP, [WORD] * len(item), rules, numbers, lambda k: morphemes(item[k]))
    return np.array(numbers, dtype=np.int32)


def _binarised(
    left: str,
    children: Sequence[str],
    rules: RuleBuilder,
    numbers: list[int],
    below: Callable[[int], None],
) -> None:
    """Add the rules of a node and of all nodes below it, from left to right."""
    inner = INNER + left
    if len(children) == 1:
        numbers.append(rules.unary(left, children[0]))
    for k in range(len(children) - 1):
        is_last = k == len(children) - 2
        numbers.append(rules.binary(left, children[k], children[-1] if is_last else inner))
        below(k)
        left = inner
    below(len(children) - 1)
