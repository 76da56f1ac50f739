"""Percentages of trees, tags and words that a system predicts correctly.

Two conventions are in use. The choice of convention can change scores by more than the choice of
parser, so every score is reported with its convention.

- *UD*: all words count, punctuation included; subtypes of relations (after ``:``) are ignored. UAS
  is the share of words with the correct head, and LAS is the share of words with the correct head
  and relation. The other metrics are listed in `SCORES`. All metrics agree with those of the
  official scorer of Universal Dependencies and the CoNLL 2018 shared task.
- *without punctuation* (CoNLL-X and the Penn Treebank): the same UAS and LAS over the words that
  are not punctuation in gold. The labels of CoNLL-X and Penn treebanks have no subtypes, so
  ignoring subtypes makes no difference. Scores without punctuation require that both files have the
  same words.

The files may split the same text into different words and sentences. The words are then aligned by
their characters (`word_alignment`), and every score is an F1 score. `metrics` also holds precision,
recall and aligned accuracy. If both files have the same words, precision, recall and F1 are equal
for UAS, LAS and tags.

Scores are percentages and are not rounded. A score that cannot be computed, such as the LAS of
trees without labels, is None, and `unavailable` gives the reason.

>>> from bistro.treebank.sentence import Sentence
>>> gold = Sentence.from_columns(["It", "rains"], heads=[2, 0], deprels=["expl", "root"])
>>> system = gold.replace(deprels=["nsubj", "root"])
>>> scores = score([gold], [system])
>>> scores.uas, scores.las, scores.words
(100.0, 50.0, 2)
>>> gold = Sentence.from_columns(["ca", "n't", "go"], heads=[3, 3, 0])
>>> scores = score([gold], [Sentence.from_columns(["can't", "go"], heads=[2, 0])])
>>> scores.aligned_by, scores.metrics["words"].recall, scores.uas
('characters', 33.33..., 40.0)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro.errors import TreebankError
from bistro.evaluate.metrics import (
    CONTENT_RELATIONS,
    FUNCTION_RELATIONS,
    AlignedWords,
    Metric,
    count_metrics,
)
from bistro.evaluate.word_alignment import AlignedBy, align
from bistro.evaluate.word_arrays import NO_HEAD, Codes, Words, read_words
from bistro.treebank.fields import EMPTY
from bistro.treebank.punctuation import (
    MEANING,
    PENN_PUNCTUATION,
    Punctuation,
    is_unicode_punctuation,
    parse_rule,
    recognise_tags,
)
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import MISSING

UD_PROTOCOL = "UD: all words count, punctuation included; subtypes of relations ignored"
CHARACTERS_PROTOCOL = (
    "CoNLL 2018: F1 of words aligned by their characters; all words count, punctuation included; "
    "subtypes of relations ignored"
)
NO_PUNCT_PROTOCOL = "without punctuation ({}, in gold); subtypes of relations ignored"
DIFFERENT_WORDS = "different words"
SCORES = (
    ("UAS", "uas", "heads; all words, punctuation included"),
    ("LAS", "las", "heads and relations without subtypes; all words"),
    ("CLAS", "clas", "heads and relations; content words of gold and system, F1"),
    ("UPOS", "upos", "universal tags; all words"),
    ("XPOS", "xpos", "treebank's own tags; all words"),
    ("UFeats", "ufeats", "universal features; all words"),
    ("AllTags", "alltags", "UPOS, XPOS and UFeats at once; all words"),
    ("Lemmas", "lemmas", "lemmas, where gold has one; all words"),
    ("MLAS", "mlas", "CLAS with UPOS, UFeats and function words, F1"),
    ("BLEX", "blex", "CLAS with lemmas, F1"),
)
"""The title, name and meaning of each UD score."""
SEGMENTS = (
    ("Tokens", "tokens", "tokens of the text, by their characters"),
    ("Sentences", "sentences", "sentences, by their characters"),
    ("Words", "words", "words that can be aligned"),
)
"""The scores of words and sentences, which are only in `AttachmentScores.metrics`."""
IN_ORDER = (*SEGMENTS, *SCORES[3:8], *SCORES[:3], *SCORES[8:])
"""All scores, in the order used by the official scorer."""
CONTENT_SCORES = ("clas", "mlas", "blex")
NEEDED = {
    "heads": ("heads", ("uas", "las", *CONTENT_SCORES)),
    "deprels": ("labels", ("las", *CONTENT_SCORES)),
    "upos": ("tags", ("upos", "upos_sentences", "alltags", "mlas")),
    "xpos": ("tags", ("xpos", "xpos_sentences")),
    "feats": ("UD features", ("ufeats",)),
    "lemmas": ("lemmas", ("lemmas", "blex")),
}
"""The name of each column in messages, and the scores that require the column."""
DEPENDENT = {
    "upos": ("upos", "alltags", "mlas"),
    "xpos": ("xpos", "alltags"),
    "ufeats": ("ufeats", "alltags", "mlas"),
    "lemmas": ("lemmas", "blex"),
}
"""For each column that a parser may copy (named by its score), the scores that depend on it."""


@dataclass(frozen=True)
class NoPunct:
    """The scores over all words except punctuation, in percent."""

    uas: float | None
    las: float | None
    words: int
    punct: Punctuation
    """The rule by which punctuation was recognised."""


@dataclass(frozen=True)
class AttachmentScores:
    """Scores in percent.

    A score that cannot be computed is None. If the words in the files differ, all scores are F1
    scores.
    """

    uas: float | None
    las: float | None
    clas: float | None
    upos: float | None
    xpos: float | None
    ufeats: float | None
    alltags: float | None
    lemmas: float | None
    mlas: float | None
    blex: float | None
    upos_sentences: float | None
    """The share of sentences whose tags are all correct. This score requires that both files have
    the same words."""
    xpos_sentences: float | None
    words: int
    """Number of gold words. All counts in this class are counts of gold items."""
    content_words: int
    """Number of gold words over which CLAS, MLAS and BLEX are computed."""
    sentences: int
    aligned_by: AlignedBy
    """The method of alignment, which is `words` if both files have the same words, otherwise
    `characters`."""
    metrics: dict[str, Metric]
    """Precision, recall, F1, aligned accuracy and counts for each metric that can be computed.
    The keys are the names in `SCORES` and `SEGMENTS`."""
    no_punct: NoPunct
    """The scores without punctuation, which are None if the words in the files differ."""
    protocol: dict[str, str]
    """The conventions under which these scores (`ud`) and the scores in `no_punct` are computed."""
    unavailable: dict[str, str]
    """The reason why each missing score is None, by score name."""

    def to_dict(self) -> dict[str, Any]:
        """Return all scores by name.

        The scores without punctuation are returned as a nested dictionary.
        """
        metrics = {name: metric.to_dict() for name, metric in self.metrics.items()}
        return vars(self) | {"metrics": metrics, "no_punct": vars(self.no_punct)}


def score(
    gold: Iterable[Sentence],
    system: Iterable[Sentence],
    punct: str | None = None,
    *,
    gold_name: str = "gold",
    system_name: str = "system",
) -> AttachmentScores:
    """Compare the words, trees and tags in `system` with those in `gold`.

    Parameters
    ----------
    gold, system
        Sentences with the same words, or the same text split into different words. The sentences
        are read once and not kept, so iterators are allowed.
    punct
        The rule for punctuation: `upos`, `penn` or `unicode`; default: recognised from gold.
    gold_name, system_name
        Names for messages, of files for example.
    """
    rule = parse_rule(punct) if punct else None
    codes = Codes()
    golds = read_words(_complete(gold, gold_name), codes, gold_name)
    systems = read_words(system, codes, system_name)
    for words in (golds, systems):
        if not len(words):
            raise TreebankError("no sentences to score", path=words.name)
    aligned = AlignedWords(golds, systems, align(golds, systems, codes), codes)
    return _summarise(aligned, rule or _recognise(golds, codes))


def first_difference(
    gold: Sequence[object], system: Sequence[object]
) -> tuple[int, object, object]:
    """Return the first position (from 1) at which two lists differ, and the two words there."""
    pairs = zip([*gold, "(end)"], [*system, "(end)"], strict=False)
    return next((place, *pair) for place, pair in enumerate(pairs, start=1) if pair[0] != pair[1])


def _complete(gold: Iterable[Sentence], name: str) -> Iterator[Sentence]:
    """Yield the gold sentences. Raise an error if a tree is incomplete."""
    for sentence in gold:
        if MISSING in sentence.heads:
            raise TreebankError(
                f"word {sentence.heads.index(MISSING) + 1} of this sentence has no head, but gold "
                "trees must be complete",
                path=name,
                line=sentence.line,
            )
        yield sentence


def _recognise(gold: Words, codes: Codes) -> Punctuation:
    return recognise_tags(
        {codes.upos.names[code] for code in np.unique(gold.upos)},
        {codes.xpos.names[code] for code in np.unique(gold.xpos)},
    )


def _is_plain(gold: Words, codes: Codes, rule: Punctuation) -> NDArray[np.bool_]:
    """Return a mask of the gold words that are not punctuation."""
    if rule == "upos":
        return ~codes.upos.flags("PUNCT".__eq__)[gold.upos]
    if rule == "penn":
        upos = codes.upos.flags(PENN_PUNCTUATION.__contains__)[gold.upos]
        return ~(upos | codes.xpos.flags(PENN_PUNCTUATION.__contains__)[gold.xpos])
    return ~codes.forms.flags(is_unicode_punctuation)[gold.forms]


def _find_unavailable(words: AlignedWords) -> dict[str, str]:
    """Return the scores that cannot be computed, each with the reason."""
    reasons: dict[str, str] = {}
    for column, (described, scores) in NEEDED.items():
        for side in (words.gold, words.system):
            if not _has(side, words.codes, column):
                reasons |= {name: f"no {described}" for name in scores if name not in reasons}
    universal = words.marked(words.gold, CONTENT_RELATIONS | FUNCTION_RELATIONS)
    # In another scheme, the relation does not show whether a word is a content word.
    if 2 * int(universal.sum()) < len(universal):
        reasons |= {name: "no UD relations" for name in CONTENT_SCORES if name not in reasons}
    if not words.alignment.same_text:
        reasons["tokens"] = "different characters in multiword tokens"
    if words.alignment.by != "words":
        names = ("no_punct", "upos_sentences", "xpos_sentences")
        reasons |= dict.fromkeys(names, DIFFERENT_WORDS)
    return reasons


def _has(words: Words, codes: Codes, column: str) -> bool:
    """Return whether any word has a value in a column."""
    if column == "heads":
        return bool((words.parents != NO_HEAD).any())
    return bool((getattr(words, column) != getattr(codes, column)[EMPTY]).any())


def _summarise(words: AlignedWords, rule: Punctuation) -> AttachmentScores:
    unavailable = _find_unavailable(words)
    metrics = count_metrics(words)
    gold, by = words.gold, words.alignment.by
    same_words = by == "words"
    content = metrics["clas"].gold
    metrics = {name: metric for name, metric in metrics.items() if name not in unavailable}
    flat = {name: metrics[name].f1 if name in metrics else None for _, name, _ in SCORES}
    return AttachmentScores(
        **flat,
        upos_sentences=_whole_sentences(words, "upos", unavailable),
        xpos_sentences=_whole_sentences(words, "xpos", unavailable),
        words=len(gold),
        content_words=content,
        sentences=len(gold.text),
        aligned_by=by,
        metrics=metrics,
        no_punct=_without_punctuation(words, rule, unavailable),
        protocol={
            "ud": UD_PROTOCOL if same_words else CHARACTERS_PROTOCOL,
            "no_punct": NO_PUNCT_PROTOCOL.format(MEANING[rule])
            if same_words
            else "without punctuation: for files with the same words only",
        },
        unavailable=unavailable,
    )


def _whole_sentences(words: AlignedWords, column: str, unavailable: dict[str, str]) -> float | None:
    """Return the share of sentences whose tags are all correct."""
    if f"{column}_sentences" in unavailable:
        return None
    right = np.logical_and.reduceat(words.agree(column), words.gold.sentence_starts[:-1])
    return 100.0 * int(right.sum()) / len(right)


def _without_punctuation(
    words: AlignedWords, rule: Punctuation, unavailable: dict[str, str]
) -> NoPunct:
    plain = _is_plain(words.gold, words.codes, rule)
    total = int(plain.sum())
    figures: dict[str, float | None] = {"uas": None, "las": None}
    if total and "no_punct" not in unavailable:
        heads = words.heads()
        right = {"uas": heads, "las": heads & words.agree("deprels")}
        for name in figures.keys() - unavailable.keys():
            figures[name] = 100.0 * int((right[name] & plain).sum()) / total
    return NoPunct(**figures, words=total, punct=rule)
