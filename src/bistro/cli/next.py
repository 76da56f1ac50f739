"""`bistro next`: rank the sentences to annotate next."""

from __future__ import annotations

import os
from typing import Any

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import chosen_config, flag, option, say
from bistro.errors import BistroError
from bistro.tasks.next_sentences import DEFAULT_KIND, STRATEGIES, Ranking

_SENTENCES = ("rank", "line", "sent_id", "words", "open", "corrections", "score", "copy", "text")
_WORDS = ("rank", "line", "sent_id", "word", "form", "head", "deprel", "doubt", "text")
_CONTEXT = 5


def next(
    treebank: str = common.TREEBANK,
    output: str = outputs.results(outputs.TABLE),
    model: str | None = option(
        "MODEL",
        "A parser; by default, a parser is trained on the fully annotated sentences in FILE.",
    ),
    kind: str | None = option(
        "KIND", f"The kind of parser to train if --model is not given; default: {DEFAULT_KIND}."
    ),
    strategy: str = option("|".join(STRATEGIES), "Score of a sentence.", default="doubt"),
    top: int = option("N", "Number of rows; 0 prints all rows.", default=20, min=0),
    words: bool = flag("--words", "Rank individual words instead of sentences."),
    config: str | None = common.CONFIG,
    overrides: list[str] | None = common.SET,
    format: str | None = common.FORMAT,
    threads: int = common.THREADS,
    seed: int = common.SEED,
) -> None:
    """Rank the sentences in a partly annotated file by how useful it would be to annotate them.

    A model is trained on the fully annotated sentences in FILE, and parses the other sentences. The
    table (TSV) lists the most informative sentences first, each with the expected number of errors
    in the model's suggestions. Near-duplicates of earlier sentences come last.

        bistro next half-done.conllu
        bistro next half-done.conllu --model english.bistro --strategy corrections --top 50
        bistro next half-done.conllu --words > doubtful.tsv

    Strategies: doubt (expected wrong suggestions per word), corrections (their number), worst (the
    most doubtful word), new (share of words unseen in the annotated part), both (doubt and
    new), gain (doubt per word, frequent words weighing more), random.
    """
    from bistro.inference.chains import Session
    from bistro.tasks.next_sentences import rank_next

    if model and (kind or config or overrides):
        raise BistroError(
            "--kind, --config and --set are for training: leave them out if --model is given"
        )
    kind = kind or DEFAULT_KIND
    settings: Any = None if model else chosen_config(kind, config, overrides)[1]
    ranking = rank_next(
        bistro.read(treebank, format=format, roots="any", partial=True),
        bistro.load(model) if model else None,
        strategy=strategy,
        kind=kind,
        seed=seed,
        threads=threads,
        config=settings,
        session=Session(threads=threads or os.cpu_count() or 1),
    )
    rows = list(_word_rows(ranking) if words else _sentence_rows(ranking))
    shown = rows[:top] if top else rows
    common.write_table(output, _WORDS if words else _SENTENCES, shown)
    say(f"{len(shown):,} of {len(rows):,}; {ranking.protocol}")


def _sentence_rows(ranking: Ranking) -> Any:
    for rank, item in enumerate(ranking.sentences, start=1):
        sentence = ranking.treebank[item.sentence]
        yield (
            rank,
            sentence.line,
            sentence.sent_id or "",
            item.words,
            len(item.doubts),
            item.expected_corrections,
            item.score,
            "copy" if item.is_near_copy else "",
            " ".join(sentence.forms),
        )


def _word_rows(ranking: Ranking) -> Any:
    for rank, item in enumerate(ranking.words, start=1):
        sentence = ranking.treebank[item.sentence]
        place = item.word - 1
        yield (
            rank,
            sentence.line,
            sentence.sent_id or "",
            item.word,
            sentence.forms[place],
            item.head,
            item.label,
            item.doubt,
            " ".join(sentence.forms[max(0, place - _CONTEXT) : place + _CONTEXT + 1]),
        )
