"""Laws of parsers and taggers: trees, probabilities, evidence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from bistro.models.abilities import Parser, Tagger, TreeGenerator
from bistro.models.inputs import as_sentence
from bistro.models.results.parses import Analysis, Parse
from bistro.treebank.fields import EMPTY
from bistro.treebank.projectivity import is_projective
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import Roots, find_tree_problem, has_tree

from .law import (
    expect,
    expect_falling,
    expect_same,
    expect_shares,
    laws,
    refusal,
)
from .text import check_draws

SEVERAL = 4
MANY = 5
"""How often the sentences are repeated to keep threads busy."""
ROUNDING = 1e-6


def heads_form_trees(model: Parser, data: Sequence[Any]) -> None:
    """Every word has a head, a label and a tag, and the heads form a tree."""
    for sentence, parse in _parsed(model, data):
        expect(parse.sentence.forms == sentence.forms, parse.sentence.forms)
        expect(len(parse.analyses) == 1 and not parse.samples, parse)
        _expect_tree(model, parse.analyses[0], len(sentence))
        total_is_a_bound = parse.log_prob <= parse.log_total + ROUNDING
        expect(math.isnan(parse.log_prob) or total_is_a_bound, parse.log_prob, parse.log_total)
    strange = ["Zzyzx", "日本語", "—"]
    _expect_tree(model, model.parse(strange).analyses[0], len(strange))
    expect(model.parse(["Run"]).heads == [0], "a word alone that is not the root")


def _parsed(model: Parser, data: Sequence[Any], **options: Any) -> Iterator[tuple[Sentence, Parse]]:
    sentences = [as_sentence(item) for item in data]
    parses = list(model.parse_all(sentences, **options))
    expect(len(parses) == len(sentences), len(parses))
    return zip(sentences, parses, strict=True)


def _expect_tree(model: Parser, analysis: Analysis, size: int) -> None:
    expect(len(analysis.heads) == len(analysis.labels) == len(analysis.tags) == size, analysis)
    expect(has_tree(analysis.heads), analysis.heads)
    roots: Roots = "one" if model.single_root else "any"
    expect(find_tree_problem(analysis.heads, roots=roots) is None, analysis.heads)
    known = set(model.label_names) if model.is_labelled else {EMPTY}
    expect(set(analysis.labels) <= known, analysis.labels)
    if model.finds_tags:
        expect(set(model.shown_tags(analysis.tags)) <= set(model.tag_names), analysis.tags)


def sentences_are_parsed_alone(model: Parser, data: Sequence[Any]) -> None:
    """A parse does not depend on the sentences beside it, on threads, or on marginals."""
    together = [parse for _, parse in _parsed(model, data)]
    expect_same([model.parse(sentence) for sentence in data], together)
    if "threads" in model.parse_options.names():
        options = {"samples": 2, "seed": 3, "marginals": True}
        many = MANY * list(data)
        one, two = (list(model.parse_all(many, threads=n, **options)) for n in (1, 2))
        expect_same(two, one)
    for parse, other in zip(together, model.parse_all(data, marginals=True), strict=True):
        expect_same(other.analyses, parse.analyses)


def marginals_are_shares(model: Parser, data: Sequence[Any]) -> None:
    """The marginals of each word fall and sum to 1 at most."""
    for sentence, parse in _parsed(model, data, marginals=True):
        expect(parse.marginals is not None, parse)
        assert parse.marginals is not None
        for rows in (parse.marginals.heads, parse.marginals.labels, parse.marginals.tags):
            expect(len(rows) == len(sentence), rows)
            for row in rows:
                expect_shares(p for _, p in row)
                expect_falling(p for _, p in row)
        for word, row in enumerate(parse.marginals.heads, start=1):
            heads = [head for head, _ in row]
            inside = all(0 <= head <= len(sentence) and head != word for head in heads)
            expect(inside and len(set(heads)) == len(heads), row)


def best_come_first(model: Parser, data: Sequence[Any]) -> None:
    """The k best analyses are different trees, the most probable first.

    What is ranked is the posterior, which may be a sum: over derivations of a tree, or its labels.
    """
    for sentence, parse in _parsed(model, data, kbest=SEVERAL):
        expect(1 <= len(parse.analyses) <= SEVERAL, len(parse.analyses))
        expect_falling(analysis.posterior for analysis in parse.analyses)
        shown = [(a.heads, a.labels, a.tags) for a in parse.analyses]
        expect(len(set(map(repr, shown))) == len(shown), shown)
        for analysis in parse.analyses:
            _expect_tree(model, analysis, len(sentence))


def samples_are_trees(model: Parser, data: Sequence[Any]) -> None:
    """Samples are trees, as many as wanted, and follow the seed."""
    for sentence, parse in _parsed(model, data, samples=SEVERAL, seed=2):
        expect(len(parse.samples) == SEVERAL, len(parse.samples))
        for sample in parse.samples:
            _expect_tree(model, sample, len(sentence))
    again = [[p.samples for _, p in _parsed(model, data, samples=3, seed=2)] for _ in range(2)]
    expect_same(again[1], again[0])


def given_tags_are_kept(model: Parser, data: Sequence[Any]) -> None:
    """Tags that are given and known are kept."""
    for sentence, parse in _parsed(model, data, tags="given"):
        gold = getattr(sentence, model.tag_column)
        if not model.unknown_tags(sentence) and EMPTY not in gold:
            expect_same(model.shown_tags(parse.tags), list(gold))


def given_heads_are_kept(model: Parser, data: Sequence[Any]) -> None:
    """Heads that are given are kept, some of them or a whole tree.

    A search may find no tree that agrees with them, and say so; but not always.
    """
    trees = [s for s in map(as_sentence, data) if has_tree(s.heads) and is_projective(s.heads)]
    given = [_some_heads(tree, places) for tree in trees for places in ((0,), (1,), (0, 1))]
    found = list(model.parse_all(given, partial=True))
    expect(not found or not all(parse.relaxed for parse in found), "all are relaxed")
    for parse in found:
        pairs = zip(parse.sentence.heads, parse.heads, strict=True)
        kept = all(head in (-1, own) for head, own in pairs)
        expect(kept or parse.relaxed, parse.sentence.heads, parse.heads)


def own_trees_are_kept(model: Parser, data: Sequence[Any]) -> None:
    """A tree that it finds, given as evidence with its labels, is found again."""
    for sentence, parse in _parsed(model, data):
        if is_projective(parse.heads):
            own = sentence.replace(heads=parse.heads, deprels=parse.labels)
            again = model.parse(own, partial=True)
            expect(again.heads == parse.heads, again.heads, parse.heads)
            expect(again.labels == parse.labels, again.labels, parse.labels)


def _some_heads(sentence: Sentence, places: Sequence[int]) -> Sentence:
    """Return a sentence with the heads at even places, at odd ones or at both, without labels."""
    heads = [head if i % 2 in places else -1 for i, head in enumerate(sentence.heads)]
    return sentence.replace(heads=heads, deprels=[EMPTY] * len(sentence))


def input_is_checked(model: Parser, data: Sequence[Any]) -> None:
    """A sentence without words, a plain string and impossible heads are refused."""
    refusal(model.parse, [], says="word")
    refusal(model.parse, "The dog sleeps .", says="list of words")
    circle = Sentence.from_columns(["The", "dog", "sleeps"])
    circle.heads = [2, 1, -1]
    refusal(model.parse, circle, partial=True)


def words_have_tags(model: Tagger, data: Sequence[Any]) -> None:
    """Every word has one tag, in a batch, alone and on any number of threads."""
    sentences = [as_sentence(item) for item in data]
    found = list(model.tag_all(sentences, marginals=True))
    expect(len(found) == len(sentences), len(found))
    for sentence, tagging in zip(sentences, found, strict=True):
        expect(len(tagging.tags) == len(sentence) and all(tagging.tags), tagging.tags)
        expect(hasattr(sentence, model.tag_column), model.tag_column)
        expect(tagging.marginals is not None, tagging)
        for row in tagging.marginals or []:
            expect_shares(p for _, p in row)
            expect_falling(p for _, p in row)
    plain = list(model.tag_all(sentences))
    expect_same([one.tags for one in plain], [one.tags for one in found])
    expect_same([model.tag(sentence) for sentence in sentences], plain)
    if "threads" in model.tag_options.names():
        for threads in (1, 2):
            expect_same(list(model.tag_all(sentences, threads=threads)), plain)


def drawn_trees_are_trees(model: TreeGenerator, data: Sequence[Any]) -> None:
    """Drawn trees are trees of the words that `generate` draws, and follow the seed."""
    check_draws(model.generate_trees)
    trees = list(model.generate_trees(SEVERAL, seed=1))
    expect_same([tree.forms for tree in trees], list(model.generate(SEVERAL, seed=1)))
    roots: Roots = "one" if getattr(model, "single_root", False) else "any"
    for tree in trees:
        if has_tree(tree.heads):
            expect(find_tree_problem(tree.heads, roots=roots) is None, tree.heads)
        else:
            expect(len(tree) >= model.longest_generated, len(tree))


LAWS = (
    *laws(
        "parse",
        heads_form_trees,
        sentences_are_parsed_alone,
        marginals_are_shares,
        best_come_first,
        samples_are_trees,
        given_tags_are_kept,
        given_heads_are_kept,
        own_trees_are_kept,
        input_is_checked,
    ),
    *laws("tag", words_have_tags),
    *laws("generate_trees", drawn_trees_are_trees),
)
