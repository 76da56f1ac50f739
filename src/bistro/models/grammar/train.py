"""Training of a treebank grammar: counts of rules and words, and back-off parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bistro._core import UniformBase
from bistro.encoding.events import Events
from bistro.encoding.vocabulary import Vocabulary
from bistro.inference.gibbs import Chain
from bistro.inference.settings import SamplerSettings
from bistro.models.grammar.config import GrammarConfig
from bistro.models.grammar.counts import RuleCounts
from bistro.models.grammar.model import GrammarModel, learned_casing
from bistro.models.grammar.smoothing import STOP, Level, Levels
from bistro.models.runs import Run
from bistro.treebank.brackets import Tree
from bistro.treebank.constituents import simplified

Counted = tuple[str, str, int]
"""A context, an outcome, and the count of the outcome."""


def train_grammar(data: Sequence[Tree], config: GrammarConfig, run: Run) -> GrammarModel:
    """Train a treebank grammar on constituency trees."""
    trees = [simplified(tree) for tree in data]
    casing = learned_casing([tree.leaves() for tree in trees], config)
    vocabulary = _replace_words(trees, casing.plain, config)
    counts = RuleCounts.of(trees)
    counted = {
        "rules": _rule_events(counts),
        "children": _child_events(counts),
        "words": _word_events(counts),
    }
    made = [_chain(name, some, config.sampler, run.seed) for name, some in counted.items()]
    chains = [chain for chain, _ in made]
    digests = [vocabulary.hash, *(events.digest() for _, events in made)]
    trace = run.sweep(GrammarModel.kind, config, digests, chains)
    words = sum(len(tree.leaves()) for tree in trees)
    origin = run.origin(trace, sentences=len(trees), words=words)
    levels = _levels(*chains)
    return GrammarModel(config, vocabulary, counts, levels, casing.after, origin)


def _replace_words(trees: Sequence[Tree], plain: Any, config: GrammarConfig) -> Vocabulary:
    """Undo capitalisation due to a word's position, and replace rare words by classes."""
    texts = [plain(tree.leaves()) for tree in trees]
    vocabulary = Vocabulary.of(texts, config)
    for tree, words in zip(trees, texts, strict=True):
        names = iter(vocabulary.decode(vocabulary.encode(words).tolist()))
        for node in tree.nodes():
            if node.word is not None:
                node.word = next(names)
    return vocabulary


def _chain(
    name: str, counted: Iterable[Counted], settings: SamplerSettings, seed: int
) -> tuple[Chain, Events]:
    """Return the chain and the events for a two-level process over outcomes in contexts."""
    contexts: dict[str, int] = {}
    outcomes: dict[str, int] = {}
    rows = [
        (contexts.setdefault(c, len(contexts)), outcomes.setdefault(o, len(outcomes)), n)
        for c, o, n in counted
    ]
    context, outcome, times = np.array(rows, dtype=np.int32).T
    events = Events(np.repeat(context, times)[:, None], np.repeat(outcome, times))
    return Chain(name, events, UniformBase(len(outcomes)), settings, seed), events


def _rule_events(counts: RuleCounts) -> Iterable[Counted]:
    for phrase, of_phrase in counts.rules.items():
        for children, count in of_phrase.items():
            yield phrase, " ".join((phrase, *children)), count


def _child_events(counts: RuleCounts) -> Iterable[Counted]:
    for phrase in counts.rules:
        types, rules = counts.child_types(phrase)
        for child, count in [*types.items(), (STOP, rules)]:
            yield phrase, child, count


def _word_events(counts: RuleCounts) -> Iterable[Counted]:
    for tag, of_tag in counts.words.items():
        for word, count in of_tag.items():
            yield tag, word, count


def _levels(rules: Chain, children: Chain, words: Chain) -> Levels:
    """Return the parameters of every process that the grammar uses."""
    (_, own_rules), (any_child, own_children), (any_word, own_words) = (
        [Level(*pair) for pair in chain.franchise.parameters()]
        for chain in (rules, children, words)
    )
    return Levels(own_rules, own_children, any_child, own_words, any_word)
