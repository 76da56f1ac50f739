"""Reports on models that are neither dependency parsers nor models of words.

The module covers models of word order and constituency trees, and models that compute their own
figures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from bistro.evaluate.brackets import score_brackets
from bistro.models.abilities import Orderer, TreeParser
from bistro.pictures.constituents import draw_constituents
from bistro.report.html import facts, figure, heading, paragraph, protocol, table
from bistro.sums import added
from bistro.treebank.brackets import Tree
from bistro.treebank.constituents import simplified
from bistro.treebank.sentence import Sentence

ORDERS_SHOWN = 8
TREES_SHOWN = 2
SHOWN = range(4, 15)
"""The preferred lengths, in words, of the sentences that are shown."""


def figure_blocks(figures: Mapping[str, float]) -> list[str]:
    """Return report blocks with the figures for a model on held-out data."""
    return [
        facts(dict(figures)),
        protocol("The figures are the same as those in the output of `bistro train --dev`."),
    ]


def order_blocks(model: Orderer, sentences: Sequence[Sentence]) -> list[str]:
    """Return report blocks on the probability of the actual orders and the likeliest orders."""
    scores = [model.score_order(sentence) for sentence in sentences]
    total = added(one.log_prob for one in scores)
    dependents = sum(one.dependents for one in scores)
    bits = -total / math.log(2) / max(1, dependents)
    tiles = {
        "bits per dependent": bits,
        "log-likelihood per sentence": total / len(sentences),
        "dependents": dependents,
        "sentences": len(sentences),
    }
    places = [i for i, s in enumerate(sentences) if len(s) in SHOWN][:ORDERS_SHOWN]
    rows = []
    for i in places:
        best = model.linearize(sentences[i])[0]
        real = " ".join(sentences[i].forms[place - 1] for place in sorted(best.order))
        likeliest = " ".join(best.sentence.forms)
        probability, reached = math.exp(scores[i].log_prob), math.exp(best.log_prob)
        rows.append(
            (
                real,
                f"{probability:.3g}",
                "the same" if likeliest == real else likeliest,
                f"{reached:.3g}",
            )
        )
    description = (
        "The figures are natural log-probabilities of word orders given their trees; "
        f"{model.order_protocol()}. The dependents of each head are in the same order as in the "
        "treebank."
    )
    headers = ("real order", "probability", "likeliest order", "probability")
    return [facts(tiles), table(headers, rows, dense=True), protocol(description)]


def tree_blocks(model: TreeParser, golds: Sequence[Tree], *, seed: int, threads: int) -> list[str]:
    """Return bracket scores, and the worst trees next to the correct trees."""
    words = [simplified(tree).leaves() for tree in golds]
    trees = [parse.tree for parse in model.parse_trees(words, seed=seed, threads=threads)]
    report = score_brackets(golds, trees)
    both = (report.all, report.short)
    rows = [
        (f"{kind} {name}", *(getattr(getattr(one, kind), name) for one in both))
        for kind in ("labelled", "unlabelled")
        for name in ("precision", "recall", "f1")
    ]
    for label, name in (("exact match", "exact"), ("crossing per sentence", "crossing")):
        rows.append((label, *(getattr(one, name) for one in both)))
    rows.append(("tags", *(one.tags for one in both)))
    blocks = [
        facts({"labelled F1": report.all.labelled.f1, "exact": report.all.exact}),
        table(("percent", "all", "up to 40 words"), rows, dense=True),
        protocol(
            f"{report.protocol}. The predicted trees are minimum-risk trees, computed from MCMC "
            f"draws with seed {seed}."
        ),
    ]
    return [*blocks, *_pictures(golds, trees)]


def _pictures(golds: Sequence[Tree], trees: Sequence[Tree]) -> list[str]:
    """Return those trees of short sentences that differ most from the gold trees."""
    pairs = [
        (score_brackets([gold], [tree]).all.labelled.f1, number, gold, tree)
        for number, (gold, tree) in enumerate(zip(golds, trees, strict=True))
        if len(tree.leaves()) in SHOWN
    ]
    judged = sorted((pair for pair in pairs if pair[0] is not None), key=lambda pair: pair[:2])
    blocks = [
        heading("Most wrong"),
        paragraph("The correct tree is followed by the predicted tree."),
    ]
    for f1, _, gold, tree in judged[:TREES_SHOWN]:
        blocks.append(figure(draw_constituents(simplified(gold)), "The correct tree."))
        blocks.append(
            figure(draw_constituents(tree), f"The predicted tree has a labelled F1 of {f1:.1f}.")
        )
    return blocks if judged else []
