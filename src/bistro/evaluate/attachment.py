"""Attachment scores: how many words have the right head, the right label, the right tag.

Two conventions are in use, and differ by more than parsers do; every figure names its own.

- *UD*: all words count, punctuation included; subtypes of relations (what follows ``:``) are
  ignored. UAS is the share of words with the right head, LAS of words with the right head and
  relation. CLAS looks at content words only, those whose relation is not one of function words or
  punctuation: with C content words of gold that have the right head and relation,
  ``CLAS = 2 C / (content words in gold + content words in system)``. UPOS and XPOS are the shares
  of right tags, UFeats of right universal features, AllTags of all three at once. All agree with
  the official scorer of Universal Dependencies.
- *without punctuation* (CoNLL-X and the Penn Treebank): the same UAS and LAS over the words that
  are not punctuation in gold. Labels of those treebanks have no subtypes, so nothing is lost by
  ignoring them.

Both files must have the same words. Figures are percentages, not rounded; a figure that cannot be
computed (LAS of trees without labels) is None, and `unavailable` says why.

>>> from bistro.treebank.sentence import Sentence
>>> gold = Sentence.from_columns(["It", "rains"], heads=[2, 0], deprels=["expl", "root"])
>>> system = gold.replace(deprels=["nsubj", "root"])
>>> scores = score([gold], [system])
>>> scores.uas, scores.las, scores.words
(100.0, 50.0, 2)
"""

from __future__ import annotations

import functools
import operator
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bistro.errors import TreebankError
from bistro.evaluate.by_relation import plain_relation
from bistro.treebank.fields import EMPTY
from bistro.treebank.punctuation import MEANING, Punctuation, mark, parse_rule, recognise
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import MISSING

# fmt: off
CONTENT_RELATIONS = {
    "acl", "advcl", "advmod", "amod", "appos", "ccomp", "compound", "conj", "csubj", "dep",
    "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list", "nmod", "nsubj",
    "nummod", "obj", "obl", "orphan", "parataxis", "reparandum", "root", "vocative", "xcomp",
}
FUNCTION_RELATIONS = {"aux", "case", "cc", "clf", "cop", "det", "mark", "punct"}
UNIVERSAL_FEATURES = {
    "Abbr", "Animacy", "Aspect", "Case", "Definite", "Degree", "Evident", "Foreign", "Gender",
    "Mood", "Number", "NumType", "Person", "Polarity", "Polite", "Poss", "PronType", "Reflex",
    "Tense", "VerbForm", "Voice",
}
# fmt: on
UD_PROTOCOL = "UD: all words count, punctuation included; subtypes of relations ignored"
NO_PUNCT_PROTOCOL = "without punctuation ({}, in gold); subtypes of relations ignored"
SCORES = (
    ("UAS", "uas", "heads; all words, punctuation included"),
    ("LAS", "las", "heads and relations without subtypes; all words"),
    ("CLAS", "clas", "the same, content words of gold and system, F1"),
    ("UPOS", "upos", "universal tags; all words"),
    ("XPOS", "xpos", "treebank's own tags; all words"),
    ("UFeats", "ufeats", "universal features; all words"),
    ("AllTags", "alltags", "UPOS, XPOS and UFeats at once; all words"),
)
"""The scores of UD: how they are called, by which name they go here, and what they count."""
NEEDED = {
    "heads": ("heads", ("uas", "las", "clas")),
    "deprels": ("labels", ("las", "clas")),
    "upos": ("tags", ("upos", "upos_sentences", "alltags")),
    "xpos": ("tags", ("xpos", "xpos_sentences")),
    "feats": ("UD features", ("ufeats",)),
}
"""For each column its name in messages, and the scores that need it."""


@dataclass(frozen=True)
class NoPunct:
    """The scores over the words that are not punctuation, in percent."""

    uas: float | None
    las: float | None
    words: int
    punct: Punctuation
    """The rule by which punctuation was recognised."""


@dataclass(frozen=True)
class AttachmentScores:
    """Scores in percent, None where they cannot be computed."""

    uas: float | None
    las: float | None
    clas: float | None
    upos: float | None
    xpos: float | None
    ufeats: float | None
    alltags: float | None
    upos_sentences: float | None
    """Sentences all of whose tags are right."""
    xpos_sentences: float | None
    words: int
    content_words: int
    """Those of gold, over which CLAS is computed."""
    sentences: int
    no_punct: NoPunct
    protocol: dict[str, str]
    """The convention of the scores (`ud`) and of those in `no_punct`."""
    unavailable: dict[str, str]
    """Why a score is None, by its name."""

    def to_dict(self) -> dict[str, Any]:
        """Return all figures by name, those without punctuation as a dictionary inside."""
        return vars(self) | {"no_punct": vars(self.no_punct)}


def score(
    gold: Iterable[Sentence],
    system: Iterable[Sentence],
    punct: str | None = None,
    *,
    gold_name: str = "gold",
    system_name: str = "system",
) -> AttachmentScores:
    """Compare the trees and tags of `system` with those of `gold`.

    `punct` is `upos`, `penn` or `unicode`, otherwise recognised from gold; the names, of files
    for example, are used in messages.
    """
    golds, systems = list(gold), list(system)
    _check_sizes(golds, systems, gold_name, system_name)
    rule = parse_rule(punct) if punct else recognise(golds)
    counts: Counter[str] = Counter()
    for number, (right, given) in enumerate(zip(golds, systems, strict=True), start=1):
        _check_words(right, given, number, gold_name, system_name)
        counts.update(_count_tree(right, given, mark(right, rule)))
        counts.update(_count_tags(right, given))
    return _summarise(counts, len(golds), rule, _find_unavailable(golds, systems))


def _check_sizes(
    golds: Sequence[Sentence], systems: Sequence[Sentence], gold_name: str, system_name: str
) -> None:
    if not golds:
        raise TreebankError("no sentences to score", path=gold_name)
    if len(golds) != len(systems):
        raise TreebankError(
            f"{gold_name} has {len(golds)} sentences, but {system_name} has {len(systems)}; "
            "both must hold the same sentences in the same order"
        )


def _check_words(
    gold: Sentence, system: Sentence, number: int, gold_name: str, system_name: str
) -> None:
    if gold.forms != system.forms:
        place, one, other = first_difference(gold.forms, system.forms)
        raise TreebankError(
            f"word {place} of sentence {number} is '{one}' at {gold_name}:{gold.line}, but "
            f"'{other}' at {system_name}:{system.line}; both must have the same words"
        )
    if MISSING in gold.heads:
        raise TreebankError(
            f"word {gold.heads.index(MISSING) + 1} of this sentence has no head: "
            "gold trees must be complete",
            path=gold_name,
            line=gold.line,
        )


def first_difference(
    gold: Sequence[object], system: Sequence[object]
) -> tuple[int, object, object]:
    """Return the first place, from 1, at which two lists of words differ, and their words there."""
    pairs = zip([*gold, "(end)"], [*system, "(end)"], strict=False)
    return next((place, *pair) for place, pair in enumerate(pairs, start=1) if pair[0] != pair[1])


def _count_tree(gold: Sentence, system: Sentence, punctuation: list[bool]) -> dict[str, int]:
    """Count the right heads and labels among all words, content words, and plain words."""
    relations = [plain_relation(label) for label in gold.deprels]
    given = [plain_relation(label) for label in system.deprels]
    heads = _equal(gold.heads, system.heads)
    labelled = _both(heads, _equal(relations, given))
    content = [relation in CONTENT_RELATIONS for relation in relations]
    plain = [not is_punctuation for is_punctuation in punctuation]
    return {
        "words": len(gold),
        "heads": sum(heads),
        "labelled": sum(labelled),
        "gold content": sum(content),
        "content": sum(content) + sum(relation in CONTENT_RELATIONS for relation in given),
        "content labelled": sum(_both(content, labelled)),
        "plain words": sum(plain),
        "plain heads": sum(_both(plain, heads)),
        "plain labelled": sum(_both(plain, labelled)),
    }


def _count_tags(gold: Sentence, system: Sentence) -> dict[str, int]:
    upos, xpos = _equal(gold.upos, system.upos), _equal(gold.xpos, system.xpos)
    features = _equal(
        [_universal_features(feats) for feats in gold.feats],
        [_universal_features(feats) for feats in system.feats],
    )
    return {
        "upos": sum(upos),
        "xpos": sum(xpos),
        "ufeats": sum(features),
        "alltags": sum(_both(_both(upos, xpos), features)),
        "upos sentences": all(upos),
        "xpos sentences": all(xpos),
        "sentences": 1,
    }


def _equal(one: Sequence[Any], other: Sequence[Any]) -> list[bool]:
    return list(map(operator.eq, one, other))


def _both(one: Sequence[bool], other: Sequence[bool]) -> list[bool]:
    return list(map(operator.and_, one, other))


@functools.lru_cache(maxsize=1 << 16)
def _universal_features(feats: str) -> str:
    if feats == EMPTY:
        return ""
    kept = (f for f in feats.split("|") if f.partition("=")[0] in UNIVERSAL_FEATURES)
    return "|".join(sorted(kept))


def _find_unavailable(golds: list[Sentence], systems: list[Sentence]) -> dict[str, str]:
    """Say which scores would mean nothing, because a column is empty or not of UD."""
    reasons: dict[str, str] = {}
    for column, (told, scores) in NEEDED.items():
        for side in (golds, systems):
            if not any(_has(sentence, column) for sentence in side):
                reasons |= {name: f"no {told}" for name in scores if name not in reasons}
    if "clas" not in reasons and not _has_universal_relations(golds):
        reasons["clas"] = "no UD relations"
    return reasons


def _has(sentence: Sentence, column: str) -> bool:
    values = getattr(sentence, column)
    if column == "feats":
        return any(_universal_features(feats) for feats in values)
    return bool(values.count(MISSING if column == "heads" else EMPTY) < len(values))


def _has_universal_relations(golds: list[Sentence]) -> bool:
    """Whether most relations are of UD; of other schemes, content words cannot be told."""
    relations = [plain_relation(label) for sentence in golds for label in sentence.deprels]
    universal = CONTENT_RELATIONS | FUNCTION_RELATIONS
    known = sum(relation in universal for relation in relations)
    return 2 * known >= len(relations)


def _summarise(
    counts: Counter[str], sentences: int, rule: Punctuation, unavailable: dict[str, str]
) -> AttachmentScores:
    def percent(name: str, right: str, total: str = "words", times: int = 1) -> float | None:
        if name in unavailable or not counts[total]:
            return None
        return 100.0 * times * counts[right] / counts[total]

    return AttachmentScores(
        uas=percent("uas", "heads"),
        las=percent("las", "labelled"),
        clas=percent("clas", "content labelled", "content", times=2),
        upos=percent("upos", "upos"),
        xpos=percent("xpos", "xpos"),
        ufeats=percent("ufeats", "ufeats"),
        alltags=percent("alltags", "alltags"),
        upos_sentences=percent("upos_sentences", "upos sentences", "sentences"),
        xpos_sentences=percent("xpos_sentences", "xpos sentences", "sentences"),
        words=counts["words"],
        content_words=counts["gold content"],
        sentences=sentences,
        no_punct=NoPunct(
            uas=percent("uas", "plain heads", "plain words"),
            las=percent("las", "plain labelled", "plain words"),
            words=counts["plain words"],
            punct=rule,
        ),
        protocol={"ud": UD_PROTOCOL, "no_punct": NO_PUNCT_PROTOCOL.format(MEANING[rule])},
        unavailable=unavailable,
    )
