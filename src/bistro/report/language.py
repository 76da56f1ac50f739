"""Report sections on word prediction, with the perplexity of a text and the surprisal of each word.

A sentence's surprisals are drawn under its words (`bistro.report.strip`). Models that sum over
analyses score only a limited number of sentences, from the start of a file. The page shows how many
sentences were scored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from bistro.evaluate.language import LanguageFigures
from bistro.evaluate.text import figures_of
from bistro.models.abilities import Scorer
from bistro.models.results.surprisal import SurprisalRow
from bistro.report.html import figure, heading, paragraph, protocol, table
from bistro.report.strip import surprisal_strip

SUMMED = 200
"""The maximum number of sentences that are scored by a model that sums over analyses.

Summing over analyses takes milliseconds per word.
"""
SHOWN = range(5, 19)
"""The lengths, in words, of the sentences that can be chosen as examples."""


@dataclass(frozen=True)
class Scored:
    """Sentences with the surprisal of their words."""

    sentences: Sequence[Sequence[str]]
    figures: LanguageFigures
    rows: Sequence[Sequence[SurprisalRow]]
    """The surprisal rows of each sentence, including the row for its end."""
    protocol: str


def scored(model: Scorer, sentences: Sequence[Sequence[str]], *, seed: int = 1) -> Scored:
    """Score all sentences, or only the first few if the model sums over analyses."""
    sums = "seed" in model.score_options.names()
    options: dict[str, Any] = {"seed": seed} if sums else {}
    kept = [list(words) for words in sentences if len(words)]
    kept = kept[:SUMMED] if sums else kept
    table = model.surprisal(kept, **options)
    rows: list[list[SurprisalRow]] = [[] for _ in kept]
    for row in table:
        rows[int(row.sent_id) - 1].append(row)
    protocol = f"{len(kept):,} sentences"
    if len(kept) < len(sentences):
        protocol = f"the first {protocol} of {len(sentences):,}"
    protocol += f"; {model.score_protocol(**options)}"
    return Scored(kept, figures_of(model, kept, table.scores), rows, protocol)


def perplexity_blocks(figures: Mapping[str, LanguageFigures], description: str) -> list[str]:
    """Return a table of perplexity and related figures, with one row per model."""
    cells = [
        (
            name,
            one.perplexity,
            one.perplexity_no_eos,
            one.perplexity_known,
            one.bits_per_word,
            one.bits_per_char,
            f"{100 * one.oov_rate:.1f} %",
        )
        for name, one in figures.items()
    ]
    headers = ("", "perplexity", "without </s>", "known words", "bits per word", "bits per letter")
    first = next(iter(figures.values()))
    return [
        table((*headers, "unknown"), cells, dense=True),
        protocol(f"{description}, {first.words:,} words. {first.protocol}."),
    ]


def surprisal_blocks(text: Scored) -> list[str]:
    """Return pictures of a typical sentence, the hardest sentence and the easiest sentence."""
    means = {
        number: fmean(row.surprisal for row in rows)
        for number, rows in enumerate(text.rows)
        if len(rows) - 1 in SHOWN
    } or {number: fmean(row.surprisal for row in rows) for number, rows in enumerate(text.rows)}
    middle = median(means.values())
    numbers = {
        "A typical sentence": min(means, key=lambda n: (abs(means[n] - middle), n)),
        "The most surprising sentence per word": max(means, key=lambda n: (means[n], -n)),
        "The least surprising sentence": min(means, key=lambda n: (means[n], n)),
    }
    most = max(row.surprisal for number in numbers.values() for row in text.rows[number])
    blocks = [
        paragraph(
            "Surprisal is -log2 p(word | words before it), in bits. The bars are below the "
            "words, and the last bar is below </s>, the end of the sentence. Words unknown to "
            "the model are in brackets."
        )
    ]
    for number, description in dict(zip(numbers.values(), numbers, strict=True)).items():
        blocks += [heading(description), figure(strip_of(text.rows[number], most))]
    return [
        *blocks,
        protocol(f"The examples were chosen from sentences of 5 to 18 words: {text.protocol}."),
    ]


def strip_of(rows: Sequence[SurprisalRow], most: float | None = None) -> str:
    """Return a picture of the surprisals of one sentence."""
    words = [f"[{row.token}]" if row.oov else row.token for row in rows]
    parts = [row.surprisal_syn for row in rows]
    known = [part for part in parts if part is not None]
    syntactic = known if len(known) == len(parts) else None
    return surprisal_strip(words, [row.surprisal for row in rows], syntactic, most=most)
