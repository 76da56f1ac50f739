"""Bracket scores, which give the share of correct constituents, as in the program EVALB.

A constituent is a label together with the words it spans. Let M be the number of constituents that
the gold and system trees share, summed over all sentences.

    precision = M / constituents of system    recall = M / constituents of gold
    F1 = 2 M / (constituents of system + constituents of gold)

The conventions follow EVALB with Collins' parameters:

- traces, and words with the tags ``, : `` '' .``, are removed before spans are counted, and so are
  constituents that span nothing else; tags of words are not constituents;
- the outermost bracket (no label, ``TOP``, ``ROOT`` or ``S1``) is not a constituent either;
- function tags and indices are ignored (``NP-SBJ`` is ``NP``); ``ADVP`` and ``PRT`` are equal;
- a sentence that consists only of punctuation is left out;
- several constituents with one label over the same words each count: a multiset;
- exact match: sentences with all constituents correct and none too many; a constituent of the
  system *crosses* if it overlaps one of gold with neither inside the other;
- tags: the share of correct tags among the remaining words; the length of a sentence, for the
  scores of sentences up to 40, counts punctuation but no traces.

Bistro differs from EVALB in one respect. In Bistro, the gold tags determine which words are
punctuation in both trees. EVALB uses each tree's own tags. If a wrong tag changes what counts as
punctuation, the two trees have different numbers of words, and EVALB leaves out the sentence. In
such cases, Bistro still scores the sentence. Unlabelled scores compare only the spans.

>>> from bistro.treebank.brackets import parse_tree
>>> gold = parse_tree("(S (NP (DT the) (NN dog)) (VP (VBZ sleeps)) (. .))")
>>> system = parse_tree("(S (NP (DT the) (NN dog)) (NP (NNS sleeps)) (. .))")
>>> scores = score_brackets([gold], [system]).all
>>> round(scores.labelled.f1, 2), scores.unlabelled.f1, round(scores.tags, 2), scores.exact
(66.67, 100.0, 66.67, 0.0)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bistro.errors import TreebankError
from bistro.evaluate.attachment import first_difference
from bistro.evaluate.by_length import Rates
from bistro.evaluate.by_relation import percent
from bistro.treebank.brackets import SourceTree, Tree
from bistro.treebank.constituents import ROOT, ROOT_NAMES, TRACE, plain_label

PUNCTUATION = frozenset({",", ":", "``", "''", "."})
EQUAL_LABELS = {"PRT": "ADVP"}
SHORT = 40
PROTOCOL = (
    "EVALB with Collins' parameters: root, traces and punctuation (tags , : `` '' . of gold) left "
    "out; function tags ignored; ADVP = PRT"
)


@dataclass(frozen=True)
class Constituent:
    """A label and the words it spans, from `begin` up to but not including `end`."""

    label: str
    begin: int
    end: int


@dataclass(frozen=True)
class BracketScores:
    """The scores of one set of sentences, in percent (except `crossing`)."""

    labelled: Rates
    unlabelled: Rates
    exact: float | None
    """The share of sentences whose labelled constituents are all correct."""
    crossing: float | None
    """Mean number of system constituents per sentence that cross a gold constituent."""
    no_crossing: float | None
    """The share of sentences without crossing constituents."""
    tags: float | None
    """The share of words with the correct tag, not counting punctuation."""
    words: int
    """Number of words that are not punctuation."""
    sentences: int
    gold: int
    """Constituents of gold."""
    system: int
    matched: int
    """The number of labelled constituents that the gold and system trees share."""


@dataclass(frozen=True)
class BracketReport:
    """The scores over all sentences, and over sentences of at most 40 words."""

    all: BracketScores
    short: BracketScores
    protocol: str = PROTOCOL

    def to_dict(self) -> dict[str, Any]:
        """Return all scores by name, with the keys `all`, `up_to_40` and `protocol`."""
        return {
            "all": asdict(self.all),
            f"up_to_{SHORT}": asdict(self.short),
            "protocol": self.protocol,
        }


def score_brackets(
    gold: Iterable[Tree],
    system: Iterable[Tree],
    *,
    gold_name: str = "gold",
    system_name: str = "system",
) -> BracketReport:
    """Compare the constituents of system trees with those of gold trees over the same words.

    The names, which are usually file names, are used in error messages.
    """
    golds, systems = list(gold), list(system)
    _check_sizes(golds, systems, gold_name, system_name)
    everything, short = Counter[str](), Counter[str]()
    for number, (right, predicted) in enumerate(zip(golds, systems, strict=True), start=1):
        gold_leaves, system_leaves = _spoken(right), _spoken(predicted)
        _check_words(right, predicted, number, gold_name, system_name)
        counts = _compare(right, predicted, gold_leaves, system_leaves)
        everything.update(counts)
        if len(gold_leaves) <= SHORT:
            short.update(counts)
    return BracketReport(_summarise(everything), _summarise(short))


def constituents(tree: Tree, left_out: Collection[int] = ()) -> list[Constituent]:
    """Return the constituents of a tree that are scored.

    `left_out` contains the positions of the punctuation marks.

    >>> from bistro.treebank.brackets import parse_tree
    >>> constituents(parse_tree("((S (NP (DT a) (NN b)) (. .)))"), {2})
    [Constituent(label='S', begin=0, end=2), Constituent(label='NP', begin=0, end=2)]
    """
    begins: dict[int, int] = {}
    spans: list[Constituent] = []
    place = words = 0
    todo: list[tuple[Tree, bool]] = [(tree, False)]
    while todo:
        node, done = todo.pop()
        if node.word is not None:
            if node.label != TRACE:
                words += place not in left_out
                place += 1
        elif not done:
            begins[id(node)] = words
            todo.append((node, True))
            todo += [(child, False) for child in reversed(node.children)]
        elif words > begins[id(node)] and not _is_root(node, tree):
            label = plain_label(node.label)
            spans.append(Constituent(EQUAL_LABELS.get(label, label), begins[id(node)], words))
    # Found bottom-up; returned from left to right, widest first, equal spans top-down.
    spans.reverse()
    return sorted(spans, key=lambda span: (span.begin, -span.end))


def crosses(one: Constituent, other: Constituent) -> bool:
    """Return whether two constituents overlap without either being inside the other."""
    first, second = sorted((one, other), key=lambda span: span.begin)
    return first.begin < second.begin < first.end < second.end


def _is_root(node: Tree, tree: Tree) -> bool:
    label = plain_label(node.label)
    return label == ROOT or (node is tree and label in ROOT_NAMES)


def _spoken(tree: Tree) -> list[Tree]:
    return [node for node in tree.nodes() if node.word is not None and node.label != TRACE]


def _compare(
    gold: Tree, system: Tree, gold_leaves: Sequence[Tree], system_leaves: Sequence[Tree]
) -> dict[str, int]:
    """Count the constituents and tags in one sentence."""
    left_out = {i for i, leaf in enumerate(gold_leaves) if leaf.label in PUNCTUATION}
    if len(left_out) == len(gold_leaves):
        return {}
    right, predicted = constituents(gold, left_out), constituents(system, left_out)
    matched = (Counter(right) & Counter(predicted)).total()
    spans = Counter((c.begin, c.end) for c in right) & Counter((c.begin, c.end) for c in predicted)
    crossing = sum(any(crosses(one, other) for other in right) for one in predicted)
    tags = sum(
        one.label == other.label
        for i, (one, other) in enumerate(zip(gold_leaves, system_leaves, strict=True))
        if i not in left_out
    )
    return {
        "sentences": 1,
        "words": len(gold_leaves) - len(left_out),
        "gold": len(right),
        "system": len(predicted),
        "matched": matched,
        "spans": spans.total(),
        "exact": int(matched == len(right) == len(predicted)),
        "crossing": crossing,
        "no crossing": int(not crossing),
        "tags": tags,
    }


def _check_sizes(
    golds: Sequence[Tree], systems: Sequence[Tree], gold_name: str, system_name: str
) -> None:
    if not golds:
        raise TreebankError("no trees to score", path=gold_name)
    if len(golds) == len(systems):
        return
    where = ""
    name, longer = max((gold_name, golds), (system_name, systems), key=lambda side: len(side[1]))
    first = longer[min(len(golds), len(systems))]
    if isinstance(first, SourceTree):
        where = f" (the first tree without a partner is at {name}:{first.line})"
    raise TreebankError(
        f"{gold_name} has {len(golds)} trees, but {system_name} has {len(systems)}{where}; both "
        "files must contain the same sentences in the same order"
    )


def _check_words(gold: Tree, system: Tree, number: int, gold_name: str, system_name: str) -> None:
    words = [[leaf.word for leaf in _spoken(tree)] for tree in (gold, system)]
    if words[0] == words[1]:
        return
    place, one, other = first_difference(*words)
    raise TreebankError(
        f"word {place} of tree {number} is '{one}' at {_at(gold, gold_name)}, but '{other}' at "
        f"{_at(system, system_name)}; both files must have the same words"
    )


def _at(tree: Tree, name: str) -> str:
    return f"{name}:{tree.line}" if isinstance(tree, SourceTree) else name


def _summarise(counts: Counter[str]) -> BracketScores:
    gold, system, sentences = counts["gold"], counts["system"], counts["sentences"]
    return BracketScores(
        labelled=Rates.of(counts["matched"], gold, system),
        unlabelled=Rates.of(counts["spans"], gold, system),
        exact=percent(counts["exact"], sentences),
        crossing=counts["crossing"] / sentences if sentences else None,
        no_crossing=percent(counts["no crossing"], sentences),
        tags=percent(counts["tags"], counts["words"]),
        words=counts["words"],
        sentences=sentences,
        gold=gold,
        system=system,
        matched=counts["matched"],
    )
