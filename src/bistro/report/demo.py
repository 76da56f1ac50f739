"""The page that `bistro demo` writes about a treebank, parsers trained on it, and their results.

The grammar of the built-in English treebank defines the exact probability of every sentence. The
page can therefore compare the perplexity and surprisal of the models with those of a perfect model.
The rest of the page has the same content as the page that `bistro report` writes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from bistro.encoding.vocabulary import END_SYMBOL
from bistro.evaluate.attachment import AttachmentScores
from bistro.evaluate.language import LanguageFigures, count_characters, language_figures
from bistro.inference.grammar.exact import english
from bistro.models.committee.model import CommitteeModel
from bistro.models.ngram.model import NgramModel
from bistro.models.results.parses import Parse
from bistro.models.results.surprisal import SurprisalRow
from bistro.models.transition.model import TransitionModel
from bistro.pictures.arcs import draw_arcs
from bistro.report.about import about_blocks
from bistro.report.accuracy import Tested
from bistro.report.html import Page, bar_chart, facts, figure, paragraph, sentences
from bistro.report.language import Scored, perplexity_blocks, scored, strip_of, surprisal_blocks
from bistro.report.learning import learning_blocks
from bistro.report.model_report import ReportOptions, add_parsing, parsed
from bistro.tasks.surprisal import surprisal_rows
from bistro.tasks.train import train
from bistro.treebank.treebank import Treebank
from bistro.version import __version__

GARDEN_PATH = ["The", "horse", "raced", "past", "the", "barn", "fell", "."]
PARSER: Final = "transition"
NGRAM: Final = "ngram"
TRUTH = "truth"
NAMES = {
    PARSER: "the parser, summed over trees",
    NGRAM: "a 5-gram model",
    TRUTH: "the grammar itself: the best possible",
}
OTHER_MEMBERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("transition", {"direction": "right-to-left"}),
    ("eisner", {}),
)
"""The kinds and settings of the committee members other than the main parser."""
TREES_SHOWN = 2
SCORED = 200
"""The number of held-out sentences that are scored word by word.

Computing each exact probability takes a few milliseconds.
"""


@dataclass(frozen=True)
class DemoResult:
    """All results of the demo.

    The dictionaries `figures` and `bits` have one entry per model, and one for the true grammar if
    it is known.
    """

    train: Treebank
    test: Treebank
    models: dict[str, TransitionModel | NgramModel]
    committee: CommitteeModel
    tested: Tested
    scores: AttachmentScores
    scored: Scored
    """Scores of the parser."""
    figures: dict[str, LanguageFigures]
    example: Parse
    rows: list[SurprisalRow]
    """The surprisals of the example sentence under the parser."""
    bits: dict[str, list[float]]
    generated: list[str]


def run_demo(data: Treebank, test: Treebank, *, seed: int, is_english: bool) -> DemoResult:
    """Train parsers and an n-gram model, and compute all results for the demo."""
    parser = train(PARSER, data, seed=seed)
    others = [train(kind, data, seed=seed, **settings) for kind, settings in OTHER_MEMBERS]
    committee = CommitteeModel.of([parser, *others])
    models: dict[str, TransitionModel | NgramModel] = {
        PARSER: parser,
        NGRAM: train(NGRAM, data, seed=seed),
    }
    held_out = [sentence.forms for sentence in test[:SCORED]]
    example = GARDEN_PATH if is_english else min(held_out, key=lambda words: abs(len(words) - 10))
    texts = {name: scored(model, held_out, seed=seed) for name, model in models.items()}
    figures = {name: text.figures for name, text in texts.items()}
    rows = {name: list(surprisal_rows(model, [example])) for name, model in models.items()}
    bits = {name: [row.surprisal for row in own] for name, own in rows.items()}
    if is_english:
        figures[TRUTH] = true_figures(held_out)
        bits[TRUTH] = english().surprisals(example)
    tested = parsed(committee, list(test), ReportOptions(seed=seed))
    return DemoResult(
        data,
        test,
        models,
        committee,
        tested,
        tested.scores(),
        texts[PARSER],
        figures,
        committee.parse(example, marginals=True),
        rows[PARSER],
        bits,
        [" ".join(words) for words in parser.generate(8, seed=seed)],
    )


def true_figures(words: Sequence[Sequence[str]]) -> LanguageFigures:
    """Return the perplexity and related figures for the grammar that generated the sentences."""
    bits = [english().surprisals(sentence) for sentence in words]
    logs = [-value * math.log(2) for sentence in bits for value in sentence]
    ends = [i == len(sentence) - 1 for sentence in bits for i in range(len(sentence))]
    return language_figures(logs, ends, [False] * len(logs), count_characters(words))


def demo_page(result: DemoResult) -> Page:
    """Return a page with the results of the demo."""
    parser = result.models[PARSER]
    page = Page(
        "Bistro: a first look",
        subtitle="This page shows a treebank, a parser trained on it in seconds, and the results.",
        footer=f"bistro {__version__}; seed {parser.origin.seed}.",
    )
    page.section("The treebank", *_treebank_blocks(result.train))
    page.section("A sentence", *_example_blocks(result))
    page.section("The model", *about_blocks(parser))
    page.section("Learning", *learning_blocks(parser.origin.trace))
    add_parsing(page, result.tested, ReportOptions())
    named = {NAMES[name]: one for name, one in result.figures.items()}
    page.section("Perplexity", *perplexity_blocks(named, f"Held out: {result.scored.protocol}"))
    page.section("Surprisal", *surprisal_blocks(result.scored))
    page.section(
        "Generated sentences",
        paragraph(
            "The sentences below were drawn from the parser together with their trees, using the "
            "same seed as in training."
        ),
        sentences(result.generated),
    )
    return page


def _treebank_blocks(treebank: Treebank) -> list[str]:
    size = {"sentences": len(treebank), "words": treebank.words}
    shown = [s for s in treebank if 6 <= len(s) <= 12][:TREES_SHOWN]
    trees = [figure(draw_arcs(s.forms, s.heads, s.deprels, s.upos), s.text or "") for s in shown]
    return [facts({**size, "words per sentence": treebank.words / len(treebank)}), *trees]


def _example_blocks(result: DemoResult) -> list[str]:
    """Return a sentence with its tree, and its surprisals under the models and the true grammar."""
    parse = result.example
    listed = parse.marginals.heads if parse.marginals else []
    sure = [dict(row).get(head, 0.0) for row, head in zip(listed, parse.heads, strict=True)]
    forms = parse.sentence.forms
    caption = (
        "The committee combines the votes of its members separately for each word. The "
        "root probabilities of all words therefore need not add up to 100%."
    )
    description = "Surprisal is -log2 p(word | words before it), in bits."
    if TRUTH in result.bits:
        correct = dict(listed[forms.index("fell")]).get(0, 0.0)
        caption += (
            " In the correct analysis, 'fell' is the root; the committee gives this a probability "
            f"of {correct:.0%}."
        )
        description += " At 'fell', the analysis that seemed certain becomes improbable."
    return [
        paragraph(
            f"The sentence was parsed by a committee of {len(result.committee.members)} parsers: "
            "one that reads from left to right, one that reads from right to left, and one that "
            "generates children outward from their heads. All predicted trees on this page come "
            "from the committee."
        ),
        figure(
            draw_arcs(forms, parse.heads, parse.labels, parse.tags, probabilities=sure),
            caption,
        ),
        paragraph(description),
        figure(
            bar_chart([*forms, END_SYMBOL], result.bits, unit="bits"),
            "The bars show the surprisal under the parser (summed over trees), a 5-gram model, "
            "and the true grammar if it is known.",
        ),
        figure(
            strip_of(result.rows),
            "The parser's surprisal has two parts: the change in the distribution over trees "
            "(syntactic), and the cost of the word itself (lexical).",
        ),
    ]
