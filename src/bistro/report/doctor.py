"""The page that `bistro doctor` writes, with annotated trees above more likely alternatives.

>>> doctor_page(examination, examination.findings[:20]).write("findings.html")   # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence

from bistro.evaluate.doctor import HEADINGS, Examination, Finding
from bistro.pictures.text import is_right_to_left
from bistro.report.comparison import draw_comparison
from bistro.report.html import Page, figure, note, paragraph, table

MOST_SENTENCES = 50
MOST_WORDS = 60
"""The maximum length, in words, of a sentence whose tree is drawn.

Longer sentences appear only in the table.
"""
SHOWN = (
    *("surprise", "what", "place", "word", "form"),
    *("annotated", "p", "alternative", "p_alternative"),
)
CAPTION = (
    "The annotated tree is above the words, with doubtful arcs marked. Dashed lines below the "
    "words show arcs that are more likely than the annotated arcs. A doubtful tag is followed by "
    "the more likely tag."
)


def doctor_page(examination: Examination, findings: Sequence[Finding]) -> Page:
    """Return a page with one section per sentence, for the first few sentences with findings."""
    page = Page("Surprising annotation", subtitle=examination.protocol)
    by_sentence: dict[int, list[Finding]] = {}
    for finding in findings:
        by_sentence.setdefault(finding.sentence, []).append(finding)
    if description := left_out(examination, findings):
        page.section("Not shown on this page", note(description))
    for place, own in list(by_sentence.items())[:MOST_SENTENCES]:
        sentence = examination.sentences[place]
        page.section(
            f"{sentence.sent_id or f'sentence {place + 1}'} ({own[0].surprise:.1f} bits)",
            paragraph(" ".join(sentence.forms)),
            _table(examination, own),
            *_pictures(examination, place, own),
        )
    return page


def left_out(examination: Examination, findings: Sequence[Finding]) -> str:
    """Describe the findings that a page leaves out.

    The text is empty if the page shows all findings.
    """
    places = list(dict.fromkeys(finding.sentence for finding in findings))
    shown = places[:MOST_SENTENCES]
    absent = sum(finding.sentence not in set(shown) for finding in findings)
    long = sum(len(examination.sentences[place]) > MOST_WORDS for place in shown)
    description = []
    if absent:
        description.append(
            f"{absent:,} of {len(findings):,} values, which are in sentences after the first "
            f"{MOST_SENTENCES}, are in the table (TSV) only"
        )
    if long:
        description.append(f"sentences of more than {MOST_WORDS} words, not drawn: {long:,}")
    return "; ".join(description)


def _table(examination: Examination, findings: Sequence[Finding]) -> str:
    rows = []
    for finding in findings:
        fields = dict(zip(HEADINGS, examination.row(finding), strict=True))
        rows.append([fields[name] for name in SHOWN])
    return table(SHOWN, rows)


def _pictures(examination: Examination, place: int, findings: Sequence[Finding]) -> list[str]:
    sentence = examination.sentences[place]
    if len(sentence) > MOST_WORDS:
        return []
    heads, labels = list(sentence.heads), list(sentence.deprels)
    tags = list(getattr(sentence, examination.tag_column))
    for finding in findings:
        word = finding.word - 1
        if not finding.alternative:
            continue
        if finding.what == "tag":
            tags[word] = f"{tags[word]} → {finding.alternative}"
        else:
            head, _, label = finding.alternative.partition(":")
            heads[word], labels[word] = int(head), label or labels[word]
    drawn = draw_comparison(
        sentence.forms,
        (heads, labels),
        (sentence.heads, sentence.deprels),
        tags,
        rtl=is_right_to_left(sentence.forms),
    )
    return [figure(drawn, CAPTION)]
