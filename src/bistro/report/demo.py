"""The page that `bistro demo` writes: a treebank, a parser trained on it, and what it says.

On the built-in English treebank the truth is known: its grammar gives the exact probability of
every sentence, so perplexity and surprisal of the models stand beside those of a perfect one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bistro.decode.surprisal import surprisal_rows
from bistro.encoding.vocabulary import END_SYMBOL
from bistro.evaluate.attachment import AttachmentScores, score
from bistro.evaluate.language import LanguageFigures, count_characters, language_figures
from bistro.evaluate.text import text_figures
from bistro.inference.train import train
from bistro.models.base import Model
from bistro.models.committee import CommitteeModel
from bistro.models.parses import Parse
from bistro.models.transition import TransitionModel
from bistro.report.arcs import draw_arcs
from bistro.report.html import (
    Page,
    bar_chart,
    facts,
    figure,
    line_chart,
    paragraph,
    sentences,
    table,
)
from bistro.treebank.grammar import english
from bistro.treebank.treebank import Treebank

GARDEN_PATH = ["The", "horse", "raced", "past", "the", "barn", "fell", "."]
PARSER, NGRAM, TRUTH = "transition", "ngram", "truth"
OTHER_MEMBERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("transition", {"direction": "right-to-left"}),
    ("eisner", {}),
)
"""Those that parse together with the first parser."""
TREES_SHOWN = 2
SCORED = 200
"""Held-out sentences scored word by word; the exact probabilities take some milliseconds each."""


@dataclass(frozen=True)
class DemoResult:
    """Everything the demo computed; figures and bits are by model, and of the truth if known."""

    train: Treebank
    test: Treebank
    models: dict[str, Model]
    committee: CommitteeModel
    scores: AttachmentScores
    figures: dict[str, LanguageFigures]
    example: Parse
    bits: dict[str, list[float]]
    generated: list[str]


def run_demo(data: Treebank, test: Treebank, *, seed: int, is_english: bool) -> DemoResult:
    """Train parsers and an n-gram model, and ask them everything they can answer."""
    parser = train(PARSER, data, seed=seed)
    assert isinstance(parser, TransitionModel)
    others = [train(kind, data, seed=seed, **settings) for kind, settings in OTHER_MEMBERS]
    committee = CommitteeModel.of([parser, *others])
    models: dict[str, Model] = {PARSER: parser, NGRAM: train(NGRAM, data, seed=seed)}
    scored = [sentence.forms for sentence in test[:SCORED]]
    example = GARDEN_PATH if is_english else min(scored, key=lambda words: abs(len(words) - 10))
    figures = {name: text_figures(model, scored) for name, model in models.items()}
    bits = {
        name: [row.surprisal for row in surprisal_rows(model, [example])]
        for name, model in models.items()
    }
    if is_english:
        figures[TRUTH] = true_figures(scored)
        bits[TRUTH] = english().surprisals(example)
    return DemoResult(
        data,
        test,
        models,
        committee,
        parsing_scores(committee, test),
        figures,
        committee.parse(example, marginals=True),
        bits,
        [" ".join(words) for words in parser.generate(8, seed=seed)],
    )


def parsing_scores(parser: CommitteeModel, test: Treebank) -> AttachmentScores:
    """Return the attachment scores on held-out sentences, tags found by the parser itself."""
    found = [
        sentence.replace(heads=parse.heads, deprels=parse.labels, upos=parse.tags)
        for sentence, parse in zip(test, parser.parse_all(test), strict=True)
    ]
    return score(test, found)


def true_figures(words: Sequence[Sequence[str]]) -> LanguageFigures:
    """Return the language-model figures of the grammar that made the sentences."""
    bits = [english().surprisals(sentence) for sentence in words]
    logs = [-value * math.log(2) for sentence in bits for value in sentence]
    ends = [i == len(sentence) - 1 for sentence in bits for i in range(len(sentence))]
    return language_figures(logs, ends, [False] * len(logs), count_characters(words))


def demo_page(result: DemoResult) -> Page:
    """Lay the results out as one page."""
    page = Page(
        "Bistro: a first look",
        subtitle="A treebank, a parser trained on it in seconds, and a probability for everything.",
    )
    page.section("The treebank", *_treebank_blocks(result.train))
    page.section("Training", *_training_blocks(result))
    page.section("Parsing", *_parsing_blocks(result))
    page.section("Surprisal, word by word", *_surprisal_blocks(result))
    page.section("Perplexity", *_perplexity_blocks(result))
    page.section(
        "Generated sentences",
        paragraph("Drawn from the parser's model, each with a tree; seed as for training."),
        sentences(result.generated),
    )
    return page


def _treebank_blocks(treebank: Treebank) -> list[str]:
    size = {"sentences": len(treebank), "words": treebank.words}
    shown = [s for s in treebank if 6 <= len(s) <= 12][:TREES_SHOWN]
    trees = [figure(draw_arcs(s.forms, s.heads, s.deprels, s.upos), s.text or "") for s in shown]
    return [facts({**size, "words a sentence": treebank.words / len(treebank)}), *trees]


def _training_blocks(result: DemoResult) -> list[str]:
    origin = result.models[PARSER].origin
    trace = [row["log_likelihood"] for row in origin.trace]
    return [
        paragraph(
            f"A generative transition parser, seed {origin.seed}: four hierarchical Pitman-Yor "
            "processes (actions, labels, tags, words), learned by Gibbs sampling. The line shows "
            "the log-likelihood of the seating after each sweep; it need not rise, it settles."
        ),
        figure(line_chart({"log-likelihood": trace}, x_label="sweep", y_label="nats")),
    ]


def _parsing_blocks(result: DemoResult) -> list[str]:
    scores, parse = result.scores, result.example
    figures: Mapping[str, float | None] = {
        "UAS": scores.uas,
        "LAS": scores.las,
        "tags": scores.upos,
    }
    marginals = parse.marginals
    sure = (
        [
            next((p for head, p in row if head == chosen), 0.0)
            for row, chosen in zip(marginals.heads, parse.heads, strict=True)
        ]
        if marginals
        else None
    )
    return [
        paragraph(
            f"A committee of {len(result.committee.members)}: the parser above, one that reads "
            "from right to left, and one that generates children outward from their heads. "
            f"{len(result.test):,} held-out sentences; tags found with the trees. "
            f"{scores.protocol['ud']}."
        ),
        facts(figures),
        figure(
            draw_arcs(
                parse.sentence.forms, parse.heads, parse.labels, parse.tags, probabilities=sure
            ),
            "Each arc with its probability, the mean of what the three say.",
        ),
    ]


def _perplexity_blocks(result: DemoResult) -> list[str]:
    names = {
        PARSER: "the parser, summed over trees",
        NGRAM: "a 5-gram model",
        TRUTH: "the grammar itself: the best possible",
    }
    cells = [
        (
            names[name],
            f.perplexity,
            f.perplexity_no_eos,
            f.bits_per_word,
            f"{100 * f.oov_rate:.1f} %" if name != TRUTH else "",
        )
        for name, f in result.figures.items()
    ]
    first = result.figures[PARSER]
    size = f"{first.sentences:,} held-out sentences, {first.words:,} words"
    headers = ("", "perplexity", "without </s>", "bits a word", "unknown words")
    return [table(headers, cells, caption=f"{size}. {first.protocol}.")]


def _surprisal_blocks(result: DemoResult) -> list[str]:
    words = [*result.example.sentence.forms, END_SYMBOL]
    told = "Surprisal is -log2 p(word | words before it), in bits."
    if TRUTH in result.bits:
        told += " At 'fell' the reading that seemed certain breaks down."
    return [paragraph(told), figure(bar_chart(words, result.bits, unit="bits"))]
