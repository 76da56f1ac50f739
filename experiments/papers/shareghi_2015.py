"""Shareghi, Haffari, Cohn & Nicholson (2015): tags, trees and morphemes with unbounded contexts.

    python -m experiments.paper shareghi-2015

"As published": the presets `shareghi-2015-tags`, `-trees` and `-morphology`, and the searches of
section 5. A* ends with its first complete tree, beam 200; it expands every open node, as in the
text, or only the leftmost one. Metropolis-Hastings draws whole trees from the PCFG, and returns the
tree with the highest sum of counts of labelled spans. The text does not specify some settings,
which are chosen here: flat priors; no burn-in; the beam of A* on trees and tags (the 200 of
morphology); 5,000 draws (the paper has 30,000 for trees, and 0.8 F1 less with 5,000); unknown words
of tags (one <unk>); a count of 0.1 for unseen rules in the PCFG of tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from typing import Any

from bistro.models.unbounded.model import UnboundedModel
from experiments.papers import shareghi_morphology, shareghi_searches, shareghi_tags, shareghi_trees
from experiments.papers.table import Paper, Row, Table


def sizes(train: Sized, test: Sequence[Any], model: UnboundedModel) -> str:
    """Return the numbers of items, words per item, and rules."""
    words = sum(len(model.task.words_of(item)) for item in test)
    return f"{len(train)} {len(test)} {words / len(test):.0f} {len(model.rules)}"


def table1() -> Iterator[Row]:
    """Yield the sizes of the data sets."""
    utterances = sizes(*shareghi_morphology.fold(0), shareghi_morphology.trained(0))
    yield Row("morph (isiZulu, fold 1)", "36479 4000 5 3080", utterances)
    train, test = shareghi_trees.part("train"), shareghi_trees.part("test")
    trees = sizes(train, test, shareghi_trees.published())
    yield Row("parse (WSJ sample)", "33180 2416 24 31920", trees)
    papers = {"WSJ": "38219 5462 24 29499", "DDT": "3638 1000 20 5269", "EWT": "-"}
    for name, paper in papers.items():
        split = shareghi_tags.split_of(name)
        tagger = shareghi_tags.trained(name, "shareghi-2015-tags")
        yield Row(f"pos {name}", paper, sizes(split.train, split.test, tagger))


def table5a() -> Iterator[Row]:
    """Yield the spines of trees, then those of tags."""
    yield from shareghi_trees.table5a()
    yield from shareghi_tags.table5a()


PAPER = Paper(
    key="shareghi-2015",
    citation="Shareghi, Haffari, Cohn & Nicholson (2015), Structured prediction of sequences and "
    "trees using infinite contexts",
    presets=("shareghi-2015-tags", "shareghi-2015-trees", "shareghi-2015-morphology"),
    tables=(
        Table(
            "table1",
            "Table 1: data",
            "Numbers of training sentences, test sentences, words (morphemes) per sentence, and "
            "rules of the grammar. Our data have a tenth of the paper's trees, and another Bantu "
            "language.",
            table1,
        ),
        Table(
            "table2",
            "Table 2: morphological parsing",
            "Unlabelled F1 and exact match, ten folds, the error of F1 over folds. IsiZulu, 24 "
            "morphemes per utterance; the paper has Sesotho, 5 per utterance.",
            shareghi_morphology.table2,
            "parameters fitted to held-out blocks; A* compares 100 complete trees.",
        ),
        Table(
            "table3",
            "Table 3: syntactic parsing",
            "Labelled F1 and exact match, all sentences, then those up to 40 words; test part of "
            "the WSJ sample, 3,262 training trees (the paper has 33,180).",
            shareghi_trees.table3,
            "preset `phrases`, contexts of rules, sampled seating.",
        ),
        Table(
            "depths",
            "Bounded and unbounded contexts of trees (section 6.2)",
            "Labelled F1 by MCMC, 2,000 draws, on the test part of the WSJ sample.",
            shareghi_trees.depths,
            "sampled seating, contexts of symbols, 1,000 draws with ten subtrees each.",
        ),
        Table(
            "table4",
            "Table 4: part-of-speech tagging",
            "Percent of words, of sentences; test parts; the treebank's tags (XPOS). WSJ sample (a "
            "tenth of the paper's English), DDT of CoNLL-X (the paper has another split), EWT.",
            shareghi_tags.table4,
            "preset `tagger`: sampled seating, unknown words as classes; a beam of 16.",
        ),
        Table(
            "table5a",
            "Table 5(a): frequent spines",
            "Percentage of the 1,000 most frequent spines of the gold trees that are among the "
            "1,000 most frequent of the predicted trees; ties broken at random. Test parts, "
            "MCMC: 2,000 draws of trees, 5,000 of tags.",
            table5a,
            "preset `phrases` for trees, preset `tagger` of the same depth (20 for ∞) for tags.",
        ),
        Table(
            "table5b",
            "Table 5(b): frequent contexts",
            "The five commonest contexts of a symbol in the predicted trees; * marks those among "
            "the five of the gold trees. Test part of the WSJ sample, MCMC, 2,000 draws.",
            shareghi_trees.table5b,
            "preset `phrases`.",
        ),
        Table(
            "searches",
            "What each search finds",
            "F1; nats per sentence below the most probable tree that any of these searches found, "
            "and how often a search finds it; opened partial trees (at most 20,000) and searches "
            "that ended with a complete tree; milliseconds per word. A* stops at the first "
            "complete tree unless it compares 100. Models as published, the PCFG guides; 120 "
            "sentences of the development part of the WSJ sample, utterances of one fold.",
            shareghi_searches.searches,
        ),
    ),
)
