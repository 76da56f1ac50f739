"""Rank annotated values by surprisal to find annotation errors.

A model that has not seen a sentence computes the probability of each annotated arc (head and label)
and each tag, given the rest of the annotation (`bistro.tasks.given_the_rest`).

    surprise = -log2 p(annotated value | words, all other annotation)        in bits

The most surprising values with a likely alternative are either mistakes or cases that the
annotation guidelines should mention. Each of k folds of the treebank is examined by a model trained
on the other folds. Alternatively, a single model trained on other data examines the whole treebank.
Values with the highest possible surprisal are ordered by the probability of the alternative.

>>> import bistro
>>> treebank = list(bistro.builtin(sentences=80, seed=1))
>>> treebank[7] = treebank[7].replace(upos=["X", *treebank[7].upos[1:]])
>>> examination = examine(treebank, k=4, sampler={"sweeps": 3, "samples": 1})
>>> "X" in [finding.annotated for finding in examination.tags[:5]]
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bistro.errors import BistroError
from bistro.evaluate.crossval import path_of
from bistro.models import kinds
from bistro.models.base import Model
from bistro.models.committee.model import CommitteeModel
from bistro.models.options import a_model
from bistro.tasks import given_the_rest
from bistro.tasks.folds import Recipe, Split, Unit, make_folds, run_splits
from bistro.tasks.given_the_rest import Opinion
from bistro.treebank.fields import EMPTY
from bistro.treebank.projectivity import projectivize
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import MISSING

What = Literal["head", "label", "tag", "crossing"]
USUAL_KIND = "eisner"
USUAL_FOLDS = 10
SMALLEST = 2.0**-50
"""The lowest possible probability, which is also used for values that no model can score."""
CONTEXT = 5
"""Number of context words shown on each side of a finding."""
HEADINGS = (
    *("surprise", "what", "place", "sent_id", "word", "form", "annotated", "p"),
    *("alternative", "p_alternative", "text"),
)


@dataclass(frozen=True)
class Finding:
    """An annotated value, its surprisal, and the model's alternative."""

    surprise: float
    """Surprisal in bits."""
    what: What
    """The part of the annotation that the alternative changes (head, label or tag), or
    ``crossing``."""
    sentence: int
    """Index of the sentence in the treebank, from 0."""
    word: int
    """Position of the word, from 1."""
    annotated: str
    """The annotated arc as ``head:label``, or the annotated tag."""
    probability: float
    alternative: str
    alternative_probability: float


@dataclass(frozen=True)
class Examination:
    """All annotated arcs and tags in a treebank, starting with the most surprising."""

    sentences: Sequence[Sentence]
    arcs: list[Finding]
    tags: list[Finding]
    crossings: list[Finding]
    """Arcs with a crossing pattern unseen in training. These arcs have no probability and need not
    be mistakes, so they are listed separately."""
    skipped: int
    """Number of sentences that were left out because heads or tags were missing."""
    protocol: str
    path: str = "-"
    tag_column: str = "upos"
    """The column whose tags were examined."""

    @property
    def findings(self) -> list[Finding]:
        """Arcs and tags in one list, without crossings."""
        return sorted([*self.arcs, *self.tags], key=_order)

    def to_tsv(self, findings: Sequence[Finding]) -> str:
        """Return findings as a table, with their positions and the surrounding words."""
        lines = ["\t".join(HEADINGS), *("\t".join(self.row(finding)) for finding in findings)]
        return "".join(line + "\n" for line in lines)

    def row(self, finding: Finding) -> list[str]:
        """Return the cells of the table row for one finding."""
        sentence = self.sentences[finding.sentence]
        return [
            f"{finding.surprise:.2f}",
            finding.what,
            f"{self.path}:{line_of(sentence, finding.word)}",
            sentence.sent_id or str(finding.sentence + 1),
            str(finding.word),
            sentence.forms[finding.word - 1],
            finding.annotated,
            f"{finding.probability:.6f}",
            finding.alternative or EMPTY,
            f"{finding.alternative_probability:.4f}",
            snippet(sentence, finding.word),
        ]


def examine(
    treebank: Sequence[Sentence],
    *,
    kind: str = USUAL_KIND,
    k: int | None = None,
    beside: Sequence[Sentence] = (),
    by: Unit = "sentence",
    seed: int = 1,
    threads: int = 0,
    config: Any = None,
    dev: Any = None,
    on_fold: Callable[[int, int], None] = lambda number, total: None,
    **settings: Any,
) -> Examination:
    """Rank the arcs and tags of a treebank by their surprisal.

    Parameters
    ----------
    treebank
        The sentences to examine.
    kind
        The family of the models.
    k
        Number of folds; default: 10, or none if `beside` is given.
    beside
        Additional sentences, which are not examined. Without `k`, one model that is trained only on
        the additional sentences scores all of `treebank`. With `k`, the additional sentences are
        added to the training data of each fold.
    by
        ``"sentence"``, or ``"document"`` to keep documents whole.
    seed
        Seed of the folds and of the models.
    threads
        Number of threads; 0 uses all cores.
    config, dev, **settings
        As in `bistro.train`.
    on_fold
        Called with the number of finished folds and their total.
    """
    _require_arcs_and_tags(kind)
    places = [place for place, sentence in enumerate(treebank) if _is_whole(sentence, config)]
    if not places:
        raise BistroError("there is nothing to examine: no sentence has all its heads and tags")
    known = [treebank[place] for place in places]
    if k is None and beside:
        splits = [Split((), tuple(range(len(known))))]
    else:
        number = min(USUAL_FOLDS, len(known)) if k is None else k
        splits = make_folds(known, number, seed, by)
    recipe = Recipe(kind, settings, config, seed, dev, beside)
    arcs: list[Finding] = []
    tags: list[Finding] = []
    column = "upos"
    # With one model, its parses are computed in parallel, otherwise the folds.
    inner = threads if len(splits) == 1 else 1

    def work(model: Model, unseen: list[Sentence]) -> tuple[_Opinions, _Opinions, str]:
        committee = CommitteeModel.of([model])
        on_arcs = given_the_rest.arcs(committee, unseen, inner)
        return on_arcs, given_the_rest.tags(committee, unseen, inner), committee.tag_column

    results = run_splits(recipe, known, splits, work, threads)
    for number, (split, result) in enumerate(zip(splits, results, strict=True), start=1):
        on_arcs, on_tags, column = result
        for place, row_of_arcs, row_of_tags in zip(split.held_out, on_arcs, on_tags, strict=True):
            sentence, home = known[place], places[place]
            whats = _kinds_of_arcs(sentence, row_of_arcs)
            arcs += _findings(home, arc_names(sentence), row_of_arcs, whats)
            own_tags = getattr(sentence, column)
            tags += _findings(home, own_tags, row_of_tags, ["tag"] * len(own_tags))
        on_fold(number, len(splits))
    models = "one model of other data" if not splits[0].train else f"{len(splits)} folds by {by}"
    return Examination(
        treebank,
        sorted((arc for arc in arcs if arc.what != "crossing"), key=_order),
        sorted(tags, key=_order),
        [arc for arc in arcs if arc.what == "crossing"],
        len(treebank) - len(places),
        f"{kind}, {models}{', plus other data' if splits[0].train and beside else ''}, "
        f"seed {seed}; p given all other annotation",
        path_of(treebank) or "-",
        column,
    )


_Opinions = list[list[Opinion]]


def _require_arcs_and_tags(kind: str) -> None:
    """Raise an error unless models of the given kind predict both heads and tags."""
    family = kinds.find(kind)
    if not (family.can("parse") and family.can("tag")):
        able = [one for one in kinds.able("parse") if kinds.find(one).can("tag")]
        raise BistroError(
            f"{a_model(kind)} does not predict heads and tags; use one of {', '.join(able)}"
        )


def _is_whole(sentence: Sentence, config: Any) -> bool:
    tags = getattr(sentence, getattr(config, "tagset", "upos"))
    return bool(len(sentence)) and MISSING not in sentence.heads and EMPTY not in tags


def arc_names(sentence: Sentence) -> list[str]:
    """Return each arc as ``head:label``, or only its head if there is no label."""
    pairs = zip(sentence.heads, sentence.deprels, strict=True)
    return [f"{head}:{label}" if label != EMPTY else str(head) for head, label in pairs]


def _kinds_of_arcs(sentence: Sentence, opinions: Sequence[Opinion]) -> list[What]:
    """Return the doubtful part of each arc: head, label, or crossing pattern."""
    lifted = projectivize(sentence.heads, sentence.deprels, "head").heads
    return [
        "crossing"
        if opinion.probability == 0 and new != old
        else ("label" if opinion.same_head else "head")
        for opinion, old, new in zip(opinions, sentence.heads, lifted, strict=True)
    ]


def _findings(
    sentence: int, annotated: Sequence[str], opinions: Sequence[Opinion], kinds: Sequence[What]
) -> list[Finding]:
    rows = zip(annotated, opinions, kinds, strict=True)
    return [
        Finding(
            -math.log2(min(1.0, max(opinion.probability, SMALLEST))),
            what,
            sentence,
            word,
            value,
            opinion.probability,
            opinion.alternative,
            opinion.alternative_probability,
        )
        for word, (value, opinion, what) in enumerate(rows, start=1)
        if not math.isnan(opinion.probability)
    ]


def _order(finding: Finding) -> tuple[float, float, int, int]:
    ties = finding.sentence, finding.word
    return -finding.surprise, -finding.alternative_probability, *ties


def line_of(sentence: Sentence, word: int) -> int:
    """Return the line number of a word in its file."""
    lines = str(sentence).removeprefix(sentence.lead).split("\n")
    return sentence.line + next(
        offset for offset, line in enumerate(lines) if line.partition("\t")[0] == str(word)
    )


def snippet(sentence: Sentence, word: int) -> str:
    """Return a word in brackets, with the surrounding words."""
    first, last = max(0, word - 1 - CONTEXT), min(len(sentence), word + CONTEXT)
    shown = [*sentence.forms[first:last]]
    shown[word - 1 - first] = f"[{shown[word - 1 - first]}]"
    return " ".join(["…"] * (first > 0) + shown + ["…"] * (last < len(sentence)))
