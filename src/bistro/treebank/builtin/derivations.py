"""Derivations, and the dependency trees and texts that they represent.

A derivation node is a rule with the derivations of its children, or a word. The head word of a node
is the head word of its head child. The head words of the other children depend on the head word of
the node, with the relations that the rule specifies. The words of a node are adjacent, so the trees
are projective.

>>> from bistro.treebank.builtin.rules import Rule, Word
>>> rule = Rule("S", ("N", "V"), head=1, relations=("nsubj", ""), weight=1.0)
>>> node = Derivation(rule, (Derivation(Word("dogs"), ()), Derivation(Word("bark"), ())))
>>> attachments(node)
([2, 0], ['nsubj', 'root'])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bistro.treebank.brackets import Tree
from bistro.treebank.builtin.rules import Rule, Word
from bistro.treebank.sentence import Sentence

NO_SPACE_BEFORE = frozenset({".", "?", "!", ",", "”", "n't", "'s"})
NO_SPACE_AFTER = frozenset({"“"})


class Derivation(NamedTuple):
    """A node in a derivation: a rule with children, or a word without children."""

    label: Rule | Word
    children: tuple[Derivation, ...]


def words_of(derivation: Derivation) -> Iterator[Word]:
    """Yield the words of a derivation from left to right."""
    if isinstance(derivation.label, Word):
        yield derivation.label
    for child in derivation.children:
        yield from words_of(child)


def symbols_of(derivation: Derivation, symbol: str) -> Iterator[str]:
    """Yield the symbol that emitted each word, from left to right.

    `symbol` is the symbol at the root of the derivation.
    """
    if isinstance(derivation.label, Word):
        yield symbol
        return
    for below, child in zip(derivation.label.right, derivation.children, strict=True):
        yield from symbols_of(child, below)


def to_tree(derivation: Derivation, symbol: str, tokens: Iterable[str]) -> Tree:
    """Convert a derivation to a constituency tree over the given tokens."""
    left_to_right = iter(tokens)

    def build(node: Derivation, label: str) -> Tree:
        if isinstance(node.label, Word):
            return Tree(label, word=next(left_to_right))
        below = zip(node.children, node.label.right, strict=True)
        return Tree(label, [build(child, name) for child, name in below])

    return build(derivation, symbol)


def attachments(derivation: Derivation) -> tuple[list[int], list[str]]:
    """Return the head of each word (counted from 1, or 0 for the root) and its relation."""
    heads: list[int] = []
    relations: list[str] = []

    def attach(node: Derivation) -> int:
        """Append the words of a node, and return the index of its head word."""
        if isinstance(node.label, Word):
            heads.append(0)
            relations.append("root")
            return len(heads)
        tops = [attach(child) for child in node.children]
        top = tops[node.label.head]
        for child, relation in zip(tops, node.label.relations, strict=True):
            if child != top:
                heads[child - 1], relations[child - 1] = top, relation
        return top

    attach(derivation)
    return heads, relations


def capitalized(forms: Iterable[str], after: frozenset[str]) -> list[str]:
    """Capitalise each form that follows one of the forms in `after`.

    The empty string in `after` represents the beginning of the sentence.
    """
    result: list[str] = []
    before = ""
    for form in forms:
        result.append(capital(form) if before in after else form)
        before = form
    return result


def capital(form: str) -> str:
    """Return a form with its first letter in upper case."""
    return form[:1].upper() + form[1:]


def spaces_after(tokens: Sequence[str]) -> list[bool]:
    """Return, for each token, whether a space follows it in running text."""
    following = [*tokens[1:], ""]
    return [
        second not in NO_SPACE_BEFORE and first not in NO_SPACE_AFTER
        for first, second in zip(tokens, following, strict=True)
    ]


def to_sentence(
    derivation: Derivation, start: str, tokens: Sequence[str], comments: Iterable[str] = ()
) -> Sentence:
    """Convert a derivation with root symbol `start` to a dependency tree over the given tokens.

    The column MISC contains the grammar symbol that emitted each word, which is the most specific
    category of the word.
    """
    words = list(words_of(derivation))
    heads, relations = attachments(derivation)
    spaces = spaces_after(tokens)
    text = "".join(t + " " * s for t, s in zip(tokens, spaces, strict=True)).rstrip()
    return Sentence.from_columns(
        tokens,
        lemmas=[word.lemma for word in words],
        upos=[word.upos for word in words],
        xpos=[word.xpos for word in words],
        feats=[word.feats for word in words],
        heads=heads,
        deprels=relations,
        misc=[
            f"Symbol={symbol}" if space else f"SpaceAfter=No|Symbol={symbol}"
            for symbol, space in zip(symbols_of(derivation, start), spaces, strict=True)
        ],
        comments=[*comments, f"# text = {text}"],
    )
