"""The page that `bistro demo` writes: a treebank, a model trained on it, and what it says.

On the built-in English treebank the truth is known: its grammar gives the exact probability of
every sentence, so its perplexity and surprisal stand beside those of a perfect model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bistro.decode.surprisal import surprisal_rows
from bistro.encoding.vocabulary import END_SYMBOL
from bistro.evaluate.language import LanguageFigures, count_characters, language_figures
from bistro.evaluate.text import text_figures
from bistro.models.base import Model
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
TREES_SHOWN = 3
SCORED_BY_TRUTH = 200
"""The exact prefix probabilities of one sentence take some milliseconds."""


@dataclass(frozen=True)
class DemoResult:
    """Everything the demo computed."""

    train: Treebank
    test: Treebank
    model: Model
    figures: LanguageFigures
    true_figures: LanguageFigures | None
    example: list[str]
    example_bits: list[float]
    true_bits: list[float] | None
    generated: list[str]


def run_demo(train: Treebank, test: Treebank, model: Model, *, is_english: bool) -> DemoResult:
    """Score held-out sentences, one example word by word, and generate."""
    test = test[:SCORED_BY_TRUTH] if is_english else test
    words = [sentence.forms for sentence in test]
    example = GARDEN_PATH if is_english else min(words, key=lambda w: abs(len(w) - 10))
    return DemoResult(
        train,
        test,
        model,
        text_figures(model, words),
        true_figures(words) if is_english else None,
        example,
        [row.surprisal for row in surprisal_rows(model, [example])],
        english().surprisals(example) if is_english else None,
        [" ".join(sentence) for sentence in model.require("generate")(8, seed=1)],
    )


def true_figures(words: Sequence[Sequence[str]]) -> LanguageFigures:
    """Return the same figures for the grammar that made the sentences."""
    bits = [english().surprisals(sentence) for sentence in words]
    logs = [-value * math.log(2) for sentence in bits for value in sentence]
    ends = [i == len(sentence) - 1 for sentence in bits for i in range(len(sentence))]
    return language_figures(logs, ends, [False] * len(logs), count_characters(words))


def demo_page(result: DemoResult) -> Page:
    """Lay the results out as one page."""
    page = Page(
        "Bistro: a first look",
        subtitle="A treebank, a model trained on it in seconds, and a probability for every word.",
    )
    page.section("The treebank", *_treebank_blocks(result.train))
    page.section("Training", *_training_blocks(result))
    page.section("Perplexity", *_perplexity_blocks(result))
    page.section("Surprisal, word by word", *_surprisal_blocks(result))
    page.section(
        "Generated sentences",
        paragraph("Drawn from the model with seed 1. An n-gram knows neighbours, not syntax."),
        sentences(result.generated),
    )
    return page


def _treebank_blocks(treebank: Treebank) -> list[str]:
    size = {"sentences": len(treebank), "words": treebank.words}
    shown = [s for s in treebank if 6 <= len(s) <= 12][:TREES_SHOWN]
    trees = [figure(draw_arcs(s.forms, s.heads, s.deprels, s.upos), s.text or "") for s in shown]
    return [facts({**size, "words a sentence": treebank.words / len(treebank)}), *trees]


def _training_blocks(result: DemoResult) -> list[str]:
    trace = [row["log_likelihood"] for row in result.model.origin.trace]
    kind = f"{result.model.kind} model, seed {result.model.origin.seed}"
    return [
        paragraph(
            f"A {kind}: a hierarchical Pitman-Yor process, learned by Gibbs sampling. The line "
            "shows the log-likelihood of the seating after each sweep over the treebank."
        ),
        figure(line_chart({"log-likelihood": trace}, x_label="sweep", y_label="nats")),
    ]


def _perplexity_blocks(result: DemoResult) -> list[str]:
    rows = [("this model", result.figures)]
    if result.true_figures:
        rows.append(("the grammar itself: the best possible", result.true_figures))
    cells = [
        (name, f.perplexity, f.perplexity_no_eos, f.bits_per_word, f"{100 * f.oov_rate:.1f} %")
        for name, f in rows
    ]
    size = f"{len(result.test):,} held-out sentences, {result.figures.words:,} words"
    headers = ("", "perplexity", "without </s>", "bits a word", "unknown words")
    return [table(headers, cells, caption=f"{size}. {result.figures.protocol}.")]


def _surprisal_blocks(result: DemoResult) -> list[str]:
    series = {"model": result.example_bits}
    if result.true_bits:
        series["truth"] = result.true_bits
    told = (
        "Surprisal is -log2 p(word | words before it), in bits. At 'fell' the reading that seemed "
        "certain breaks down; the grammar knows, an n-gram sees only the words just before."
        if result.true_bits
        else "Surprisal is -log2 p(word | words before it), in bits."
    )
    return [paragraph(told), figure(bar_chart([*result.example, END_SYMBOL], series, unit="bits"))]
