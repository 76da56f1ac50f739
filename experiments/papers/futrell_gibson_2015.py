"""Futrell & Gibson (2015): word orders of unordered dependency trees.

Table 2 of the paper, human ratings, cannot be computed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import bistro
from benchmarks.data import data_dir
from experiments.order_mixtures import (
    FILES,
    MIXTURES,
    MOST_ALIKE,
    PRESET,
    Mixture,
    as_published,
    at_best,
    settings,
    treebank,
)
from experiments.orders import Data, Ordered, only, seen_bags
from experiments.papers.table import Paper, Row, Table

LIKELIHOODS = {
    "Basque": (-6.83, -6.12, -4.86, -5.92, -4.58, -4.52, -5.56, -6.08, -4.49, -4.86, -4.41, -4.29),
    "Indonesian": (
        *(-8.99, -8.68, -5.98, -6.69, -5.73, -5.68),
        *(-7.51, -8.67, -5.67, -6.02, -5.53, -5.47),
    ),
    "English": (-5.23, -5.08, -2.87, -3.13, -2.60, -2.57, -3.94, -5.07, -2.62, -2.61, -2.48, -2.44),
    "French": (
        *(-10.86, -11.54, -6.86, -7.34, -6.67, -6.58),
        *(-9.63, -11.54, -6.79, -7.08, -6.59, -6.50),
    ),
    "Hebrew": (-9.74, -9.63, -5.91, -6.81, -5.77, -5.68, -7.95, -9.58, -5.62, -6.07, -5.54, -5.40),
}
"""Table 1 of the paper, in the order of `MIXTURES`."""
RATINGS = (2.92, 2.06, 3.42, 3.48, 3.56, 3.45, 3.11, 2.11, 3.32, 3.52, 3.31, 3.43)
"""Acceptability of English orders out of 5, Table 2 of the paper, in the same order."""
BLEU_OF_PAPER = "57.7"
"""The best of its 12 models, which is HDR oo."""
TWO: list[Mixture] = [("HDR", "oo"), ("HDR", "n2")]
ORDERED = {"English": MIXTURES, "Basque": TWO, "Indonesian": TWO}
SHARES = (8, 4, 2, 1)
"""Training uses one sentence in this many."""
WORDS = "head.upos+form+deprel"


def table1() -> Iterator[Row]:
    """Yield the rows of all languages."""
    for language in FILES:
        ours, best = as_published(language), at_best(language)
        for paper, mixture in zip(LIKELIHOODS[language], MIXTURES, strict=True):
            coded = ours.as_in_public_code(mixture)
            others = (ours.by_sentence(mixture), coded, coded[ours.has_no_list])
            yield Row(
                f"{language}, {' '.join(mixture)}",
                f"{paper:.2f}",
                f"{ours.likelihood(mixture):.2f}",
                f"{best.likelihood(mixture):.2f}",
                " / ".join(f"{logs.mean():.2f}" for logs in others),
            )


def figure2() -> Iterator[Row]:
    """Yield one row: the correlations of the paper's ratings with its likelihoods and with ours."""
    trained = as_published("English"), at_best("English")
    columns = (LIKELIHOODS["English"], *([t.likelihood(m) for m in MIXTURES] for t in trained))
    correlations = [f"{float(np.corrcoef(RATINGS, column)[0, 1]):.2f}" for column in columns]
    yield Row("correlation over the 12 models", *correlations)


def bleu() -> Iterator[Row]:
    """Yield BLEU of the best orders; in the note, with other ties, samples, and only seen heads."""
    for language, mixtures in ORDERED.items():
        ours = as_published(language)
        seen = seen_bags(ours.model, ours.data.train, ours.data.test)
        all_seen = [s for s, heads in zip(ours.data.test, seen, strict=True) if all(heads)]
        for mixture in mixtures:
            model = only(ours.dev, ours.parts(mixture))
            others = (
                Ordered.by(model, ours.data.test, ties="input"),
                Ordered.by(model, ours.data.test, sampled=True),
                Ordered.by(model, all_seen),
            )
            yield Row(
                f"{language}, {' '.join(mixture)}",
                BLEU_OF_PAPER if (language, *mixture) == ("English", "HDR", "oo") else "-",
                shown(Ordered.by(model, ours.data.test)),
                note=" / ".join(f"{one.bleu:.1f}" for one in others),
            )
        yield from best_bleu(language, ours.data)


def best_bleu(language: str, data: Data) -> Iterator[Row]:
    """Yield BLEU with default settings, and of models that also condition on words."""
    for name, more in (("default settings", ()), ("and words", (WORDS,))):
        labellings = ("HDR", "R", *more)
        model = bistro.train("linearize", data.train, dev=data.dev, labellings=labellings, seed=1)
        yield Row(f"{language}, {name}", best=shown(Ordered.by(model, data.test)))


def shown(ordered: Ordered) -> str:
    """Return BLEU and the percentage of sentences in their real order."""
    return f"{ordered.bleu:.1f} ({ordered.exact:.1f} %)"


def unseen() -> Iterator[Row]:
    """Yield BLEU of observed orders and the 2-gram, with the percentage of unseen heads."""
    folder = data_dir() / "ptb_sample"
    wsj = Data(*(bistro.read(folder / f"wsj-{part}.conll") for part in ("train", "dev", "test")))
    treebanks = {"EWT": (treebank("English"), ("HDR",)), "WSJ sample": (wsj, ("HD",))}
    for name, (data, labellings) in treebanks.items():
        for share in SHARES:
            train = data.train[::share]
            scores = []
            for kind in ("oo", "n2"):
                config = settings(models=(kind,), labellings=labellings)
                model = bistro.train("linearize", train, config=config, seed=1)
                scores.append(f"{Ordered.by(model, data.test).bleu:.1f}")
            seen = [one for heads in seen_bags(model, train, data.test) for one in heads]
            note = f"{100 * (1 - np.mean(seen)):.1f} %"
            yield Row(f"{name}, {len(train):,} sentences", "-", " / ".join(scores), note=note)


PAPER = Paper(
    key="futrell-gibson-2015",
    citation="Futrell & Gibson, Experiments with generative models for dependency tree "
    "linearization, EMNLP 2015",
    presets=(PRESET,),
    tables=(
        Table(
            "table1",
            "Table 1: log-likelihood of word order",
            "Mean natural logarithm of the probability of a test sentence's order given its tree, "
            "punctuation excluded, weights fitted on dev. Basque and Indonesian are the paper's "
            "data (UD 1.1). English is EWT 2.16, French another treebank (ParTUT), Hebrew a later "
            "release, trained on nine tenths of its development part (484 sentences): only the "
            "order of their rows is comparable. As published: parts mixed at each head. Note: "
            "mixed by whole sentences / and each part computed as in public code of the first "
            f"author / and without sentences with more than {MOST_ALIKE} dependents of one label "
            "at one head.",
            table1,
            best="the same parts with Pitman-Yor smoothing, 10 sweeps, seed 1.",
        ),
        Table(
            "figure2",
            "Figure 2: acceptability and likelihood",
            "Pearson correlation of the paper's acceptability ratings (its Table 2, English) with "
            "log-likelihoods of the same 12 models: the paper's, and ours on EWT.",
            figure2,
            best="Pitman-Yor smoothing, as in Table 1.",
        ),
        Table(
            "bleu",
            "Section 3.3: BLEU of the most probable orders",
            "Test parts, BLEU (sacrebleu, unchanged tokens) and sentences in their real order; "
            "the paper has the best of its 12 models on the data of the 2011 shared task (WSJ). "
            "Equally probable orders at random. Note: ties broken by the input's order / "
            "a sampled order instead of the best / only sentences whose heads were all seen with "
            "the same dependents.",
            bleu,
            best="default settings, which have Pitman-Yor smoothing; then with words too.",
        ),
        Table(
            "unseen",
            "Section 3.3: observed orders and the amount of data",
            "BLEU of the most probable orders of HDR oo / HDR n2, ties at random, trained on a "
            "part of the training data. The WSJ sample has no relations: HD oo / HD n2. Note: "
            "percentage of heads of the test part that were never seen with the same dependents.",
            unseen,
        ),
    ),
)
