"""Constituency parsing as a task for models with unbounded contexts.

The traces and function tags of a treebank tree are removed, and the tree is binarised
(`bistro.treebank.binarisation`). Labels may get marks (`bistro.treebank.phrase_marks`). The tree is
then converted to a list of rules, with rare words replaced by classes of unknown words. The result
of a search is converted back to a treebank tree with the given words.

>>> from bistro.models.trees.config import TreesConfig
>>> from bistro.treebank.brackets import format_tree, parse_tree
>>> trees = [parse_tree("((S (NP-SBJ (DT the) (JJ old) (NN dog)) (VP (VBZ sleeps))))")] * 2
>>> task, derivations = TreesTask.learn(trees, TreesConfig())
>>> task.rules.show(derivations[0])
'(TOP (S (NP (DT the) (@NP (JJ old) (NN dog))) (VP (VBZ sleeps))))'
>>> format_tree(task.output(["the", "old", "cat", "sleeps"], derivations[0]))
'(TOP (S (NP (DT the) (JJ old) (NN cat)) (VP (VBZ sleeps))))'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bistro.encoding.vocabulary import Vocabulary
from bistro.errors import ModelFileError
from bistro.modelfile import Arrays
from bistro.models.span_votes import Floats, Ints, Name, SpanVotes
from bistro.models.trees.config import TreesConfig
from bistro.models.trees.form import TreeForm
from bistro.models.trees.parents import ParentCounts
from bistro.models.unbounded.rules import Derivation, KnownRules, RuleBuilder, RuleTable
from bistro.models.unbounded.task import Task, Terminals
from bistro.treebank.brackets import Tree
from bistro.treebank.constituents import ROOT, flat_tree, simplified


class TreesTask(Task[Tree]):
    """The task of constituency parsing, with the rules and vocabulary of binarised trees."""

    def __init__(
        self, rules: RuleTable, vocabulary: Vocabulary, parents: ParentCounts, form: TreeForm
    ) -> None:
        self.form = form
        self.rules = rules
        self.vocabulary = vocabulary
        self.parents = parents
        """Rule counts by parent, for the grammar that proposes trees in mcmc."""

    @classmethod
    def learn(cls, items: Sequence[Tree], config: TreesConfig) -> tuple[Self, list[Derivation]]:
        """Return the task with all rules in the trees, and each tree as a list of rules."""
        plain = [simplified(item) for item in items]
        form = TreeForm.learn(plain, config)
        trees = [form.for_grammar(tree) for tree in plain]
        vocabulary = Vocabulary.of((tree.leaves() for tree in trees), config)
        builder = RuleBuilder()
        for word in vocabulary.decode(range(len(vocabulary))):
            builder.word(word)
        derivations = [_derivation(tree, vocabulary, builder) for tree in trees]
        rules = builder.table(top=ROOT)
        return cls(rules, vocabulary, ParentCounts.of(rules, derivations), form), derivations

    def words_of(self, item: Tree) -> Sequence[str]:
        """Return the words of a tree, without its traces."""
        return simplified(item).leaves()

    def derivation(self, item: Tree) -> Derivation | None:
        """Return a tree as a list of rules, or None if it contains an unseen rule."""
        tree = self.form.for_grammar(simplified(item))
        rules = _derivation(tree, self.vocabulary, self._known)
        return rules if (rules >= 0).all() else None

    def terminals(self, words: Sequence[str]) -> Terminals:
        """Convert words to indices. Unknown words are represented by classes seen in training."""
        ids = self.vocabulary.encode(words)
        return Terminals.sequence(self._word_numbers[ids].tolist())

    def output(self, words: Sequence[str], derivation: Derivation | None) -> Tree:
        """Return the parse tree of the words, or a flat tree if the grammar cannot parse them."""
        if derivation is None:
            return flat_tree(words, self._usual_tags(words))
        return self.form.for_people(self.tree(words, derivation))

    def tree(self, words: Sequence[str], derivation: Derivation) -> Tree:
        """Convert a derivation to a tree with the symbols of the grammar."""
        rules = self.rules
        left_to_right = iter(words)
        root = Tree(rules.symbols[rules.top])
        waiting = [root]
        for rule in derivation.tolist():
            node = waiting.pop()
            first, second = int(rules.first[rule]), int(rules.second[rule])
            if first < 0:
                node.word = next(left_to_right)
                continue
            node.children = [Tree(rules.symbols[s]) for s in (first, second) if s >= 0]
            waiting += reversed(node.children)
        return root

    def votes(
        self, begin: Ints, nodes: Sequence[Ints], share: Floats, accepted: Floats
    ) -> SpanVotes:
        """Convert the shares of nodes in drawn trees to votes, without marks or binarisation."""
        symbol, start, end = nodes
        names, of_symbol, of_leaf = self._names
        # The same symbol may be the tag of a word and the label of longer phrases.
        name = np.where(end - start == 1, of_leaf[symbol], of_symbol[symbol])
        kept = name >= 0
        sentence = np.repeat(np.arange(begin.size - 1), np.diff(begin))[kept]
        rows = np.stack([sentence, start[kept], end[kept], name[kept]])
        rows, place = np.unique(rows, axis=1, return_inverse=True)
        probability = np.minimum(np.bincount(place.reshape(-1), share[kept]), 1.0)
        borders = np.searchsorted(rows[0], np.arange(begin.size))
        columns = (rows[3], rows[1], rows[2], probability)
        return SpanVotes(names, borders, *columns, np.diff(begin) > 0, accepted)

    @cached_property
    def _names(self) -> tuple[tuple[Name, ...], NDArray[np.int64], NDArray[np.int64]]:
        """The names used in votes, and the index of each symbol's name.

        A symbol has one index for longer spans and one for single words. The index is -1
        for a symbol without a name.
        """
        rules = self.rules
        leaves = set(rules.left[rules.is_lexical].tolist())
        numbers: dict[Name, int] = {}
        columns: list[tuple[int, int]] = []
        for number, symbol in enumerate(rules.symbols):
            label = self.form.label(symbol)
            if label is None or number == rules.top:
                columns.append((-1, -1))
                continue
            phrase = Name(label)
            one = Name(label, is_tag=True) if number in leaves else phrase
            long, short = (numbers.setdefault(name, len(numbers)) for name in (phrase, one))
            columns.append((long, short))
        of_symbol, of_leaf = np.array(columns, dtype=np.int64).T
        return tuple(numbers), of_symbol, of_leaf

    def header(self) -> dict[str, Any]:
        """Return the vocabulary."""
        return {"vocabulary": self.vocabulary.to_header()}

    def arrays(self) -> Arrays:
        """Return the counts of rules by parent."""
        return self.parents.arrays()

    @classmethod
    def from_parts(
        cls, header: Mapping[str, Any], arrays: Arrays, rules: RuleTable, config: TreesConfig
    ) -> Self:
        """Restore the task."""
        vocabulary = Vocabulary.from_header(header["vocabulary"])
        parents = ParentCounts.from_arrays(arrays)
        return cls(rules, vocabulary, parents, TreeForm.of_rules(rules, config))

    @cached_property
    def _known(self) -> KnownRules:
        return KnownRules(self.rules)

    @cached_property
    def _word_numbers(self) -> NDArray[np.int32]:
        """Index in the rule table for each vocabulary id. All unseen classes share one index."""
        forms = self.vocabulary.decode(range(len(self.vocabulary)))
        known = self.rules.word_numbers
        if not all(form in known for form in forms):
            raise ModelFileError("the words of the vocabulary do not match the words of the rules")
        numbers = np.array([known[form] for form in forms], dtype=np.int32)
        used = np.zeros(len(self.rules.words), dtype=np.int64)
        np.add.at(used, -1 - self.rules.first[self.rules.is_lexical], 1)
        classes = numbers[: self.vocabulary.num_classes]
        # Use the class to which most symbols can be rewritten.
        usual = classes[np.argmax(used[classes])]
        return np.where(used[numbers] > 0, numbers, usual).astype(np.int32)

    def _usual_tags(self, words: Sequence[str]) -> list[str]:
        """Return the first tag that each word had in training."""
        rules = self.rules
        tags = {int(rules.first[r]): int(rules.left[r]) for r in self._lexical_from_behind}
        numbers = self.terminals(words).word.tolist()
        return [rules.symbols[tags.get(-1 - n, rules.top)] for n in numbers]

    @cached_property
    def _lexical_from_behind(self) -> list[int]:
        numbers: list[int] = np.flatnonzero(self.rules.is_lexical)[::-1].tolist()
        return numbers


def _derivation(tree: Tree, vocabulary: Vocabulary, rules: RuleBuilder) -> Derivation:
    """Return the rules of a binarised tree in pre-order."""
    forms = iter(vocabulary.decode(vocabulary.encode(tree.leaves())))
    numbers = []
    for node in tree.nodes():
        if node.word is not None:
            numbers.append(rules.lexical(node.label, next(forms)))
        elif len(node.children) == 2:
            first, second = node.children
            numbers.append(rules.binary(node.label, first.label, second.label))
        else:
            numbers.append(rules.unary(node.label, node.children[0].label))
    return np.array(numbers, dtype=np.int32)
