"""Find the morphemes of words in a file, or find annotations that a model considers improbable."""

from __future__ import annotations

import json as json_text
from collections.abc import Callable, Iterator

from bistro.models.abilities import Segmenter
from bistro.models.results.segmentations import Analysis, Segmentation
from bistro.progress import number_of
from bistro.treebank.morphology import format_morphemes
from bistro.treebank.morphology_files import iter_words, read_segmented
from bistro.treebank.treebank import opened

Note = Callable[[str], None]
"""A function that receives notes for the user."""


def segmented(
    model: Segmenter,
    input: str,
    beam: int,
    kbest: int,
    forms: str,
    probabilities: bool,
    json: bool,
    note: Note,
) -> Iterator[str]:
    """Yield the output lines, and report the number of words at the end."""
    words = 0
    for one in model.iter_segment(words_of(input), kbest=kbest, beam=beam):
        words += 1
        if json:
            yield json_text.dumps(one.to_dict(), ensure_ascii=False) + "\n"
            continue
        for analysis in one.analyses:
            yield _line(one, analysis, forms, probabilities)
    note(f"{number_of(words, 'word')} segmented")


def words_of(input: str) -> Iterator[str]:
    """Yield the words of a text, a word list or an annotated file."""
    with opened(input) as (stream, path):
        yield from iter_words(stream, path)


def checked(model: Segmenter, input: str, beam: int, note: Note) -> Iterator[str]:
    """Yield a row for each annotation that is not the best analysis, the least probable first."""
    words = [word for paragraph in read_segmented(input) for word in paragraph]
    if not any(word.has_form for word in words):
        note("there is no column of words: they were formed by joining their morphemes")
    scores = model.score_words(words)
    analyses = model.iter_segment((word.form for word in words), beam=beam)
    rows = []
    for word, log_prob, one in zip(words, scores.tolist(), analyses, strict=True):
        annotation = format_morphemes(word.morphemes)
        if annotation.lower() in (one.best.canonical.lower(), str(one.best).lower()):
            continue
        rows.append((log_prob - one.log_prob, word.line, word.form, annotation, one.best))
    yield "line\tword\tannotation\tlog_probability\tlikeliest\tits_probability\n"
    for log_prob, line, form, annotation, best in sorted(rows, key=lambda row: row[:2]):
        yield (
            f"{line}\t{form}\t{annotation}\t{log_prob:.2f}\t{best.canonical}\t"
            f"{best.probability:.4f}\n"
        )
    note(f"{len(rows):,} of {len(words):,} annotations are not the likeliest")


def _line(one: Segmentation, analysis: Analysis, forms: str, probabilities: bool) -> str:
    morphemes = analysis.canonical if forms == "canonical" else str(analysis)
    columns = [one.word, morphemes]
    if probabilities:
        places = (f"{place}:{p:.4f}" for place, p in one.boundaries.items())
        columns += [f"{analysis.probability:.6f}", " ".join(places)]
    return "\t".join(columns) + "\n"
