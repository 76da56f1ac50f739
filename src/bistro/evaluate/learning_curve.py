"""Learning curves: the scores of models trained on growing parts of a treebank.

The training sets of each draw are nested: each set is contained in all larger sets. Each draw
puts the sentences in a random order. By default, the parts are the first 1/16, 1/8, 1/4 and 1/2
of the sentences, and all of them. The models are tested on a test set, or on the folds that they
were not trained on. With k folds, "all" means (k - 1) / k of the treebank. A power law predicts the
score of twice the largest part and, as a check that needs no new data, the score of the largest
part from the smaller ones (`bistro.evaluate.forecast`).

>>> import bistro
>>> treebank, test = bistro.builtin(sentences=160, seed=1), bistro.builtin(sentences=40, seed=2)
>>> curve = learning_curve(
...     "eisner", treebank, test=test, draws=1, sampler={"sweeps": 2, "samples": 1}
... )
>>> [part.sentences for part in curve.parts]
[10, 20, 40, 80, 160]
>>> curve.doubled.mean > curve.parts[0].scores("las")[0]
True
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, stdev
from typing import Any

from bistro.errors import BistroError
from bistro.evaluate.crossval import judged_kind, path_of
from bistro.evaluate.forecast import LEAST_POINTS, Forecast, forecast_of
from bistro.evaluate.held_out import Judgement, Tags, judge, require_trees
from bistro.inference.workers import Workers
from bistro.models import kinds
from bistro.models.inputs import Words
from bistro.models.kinds import Kind
from bistro.tasks.folds import Recipe, Split, Unit, make_folds, run_splits, shuffled

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
DRAWS = 3
USUAL_FOLDS = 5
COMPARED = ("parse", "tag")
"""Abilities whose scores can be compared between models trained on different amounts of data."""


@dataclass(frozen=True)
class Part:
    """All models of one size."""

    share: float
    sentences: int
    words: float
    """Number of training words, averaged over draws and folds."""
    judgements: list[list[Judgement]]
    """One list per draw, with one item per fold, or a single item if there is a test set."""

    def scores(self, name: str) -> list[float]:
        """Return a score for each draw, averaged over its folds."""
        return [fmean(j.figures[name] for j in folds) for folds in self.judgements]


@dataclass(frozen=True)
class LearningCurve:
    """The scores for each size of the training data, and the forecasts."""

    parts: list[Part]
    figure: str
    """The name of the score that is forecast (las if available, otherwise uas or tags)."""
    protocol: str

    @property
    def names(self) -> list[str]:
        """The names of the figures."""
        return list(self.parts[0].judgements[0][0].figures)

    @property
    def doubled(self) -> Forecast:
        """The expected score with twice as much training data as in the largest part."""
        return self.forecast(2 * self.parts[-1].words)

    @property
    def hindcast(self) -> Forecast | None:
        """The score for the largest part, predicted from the other parts.

        If there are too few parts, the value is None.
        """
        if len(self.parts) <= LEAST_POINTS:
            return None
        return self.forecast(self.parts[-1].words, self.parts[:-1])

    def forecast(self, words: float, parts: Sequence[Part] | None = None) -> Forecast:
        """Return the expected score for a given number of training words."""
        points = [(part.words, part.scores(self.figure)) for part in parts or self.parts]
        return forecast_of(points, words)

    def to_tsv(self) -> str:
        """Return a table with one line per size, and the forecasts.

        The table includes standard deviations over draws.
        """
        names = self.names
        head = ["share", "sentences", "words", "draws", *names, *(f"{name}_sd" for name in names)]
        lines = [["what", *head]]
        for part in self.parts:
            columns = [part.scores(name) for name in names]
            deviations = [f"{stdev(c):.3f}" if len(c) > 1 else "NA" for c in columns]
            sizes = [f"{part.share:.5g}", str(part.sentences), f"{part.words:.0f}"]
            means = [f"{fmean(c):.3f}" for c in columns]
            lines.append(["measured", *sizes, str(len(part.judgements)), *means, *deviations])
        for what, forecast in (("hindcast", self.hindcast), ("forecast", self.doubled)):
            if forecast is not None:
                lines.append(self._forecast_line(what, forecast))
        return "".join("\t".join(line) + "\n" for line in lines)

    def _forecast_line(self, what: str, forecast: Forecast) -> list[str]:
        last = self.parts[-1]
        times = forecast.size / last.words
        sizes = [
            f"{times * last.share:.5g}",
            f"{times * last.sentences:.0f}",
            f"{forecast.size:.0f}",
        ]
        # Half the width of a 90 % interval is 1.645 standard deviations.
        figures = forecast.mean, (forecast.high - forecast.low) / 3.29
        cells = [
            f"{value:.3f}" if name == self.figure else "NA"
            for value in figures
            for name in self.names
        ]
        return [what, *sizes, "NA", *cells]

    def summary(self) -> str:
        """Return the forecasts as sentences."""
        last, doubled = self.parts[-1], self.doubled
        now = fmean(last.scores(self.figure))
        text = (
            f"expected {self.figure} with twice as much training data "
            f"({2 * last.sentences:,} sentences): {doubled.mean:.1f} "
            f"({doubled.low:.1f} to {doubled.high:.1f} with 90 %); "
            f"measured with {last.sentences:,}: {now:.1f}"
        )
        if self.hindcast is not None:
            text += f"; predicted for these from the smaller parts: {self.hindcast.mean:.1f}"
        return text


def learning_curve(
    kind: str,
    treebank: Sequence[Words],
    *,
    test: Sequence[Words] | None = None,
    k: int = USUAL_FOLDS,
    by: Unit = "sentence",
    shares: Sequence[float] = SHARES,
    draws: int = DRAWS,
    tags: Tags = "joint",
    seed: int = 1,
    threads: int = 0,
    workers: Workers | None = None,
    config: Any = None,
    dev: Any = None,
    on_model: Callable[[int, int], None] = lambda done, total: None,
    **settings: Any,
) -> LearningCurve:
    """Train models on growing parts of a treebank, and score them.

    Parameters
    ----------
    kind
        The family of the models.
    treebank
        The sentences to learn from.
    test
        The sentences to score on; default: k folds of `treebank`.
    k, by, tags, seed, threads, workers
        As in `bistro.cross_validate`.
    shares
        The sizes, as shares of the training data.
    draws
        Number of random subsets of each size.
    config, dev, **settings
        As in `bistro.train`.
    on_model
        Called with the number of finished models and their total.
    """
    family = check_learner(kind, config, settings)
    sentences = [sentence for sentence in treebank if len(sentence)]
    judged = [] if test is None else [sentence for sentence in test if len(sentence)]
    if family.can("parse"):
        require_trees(sentences, path_of(treebank))
        require_trees(judged, path_of(test))
    sizes = _checked(shares, draws)
    together = [*sentences, *judged]
    if test is None:
        folds = make_folds(sentences, k, seed, by)
    else:
        places = tuple(range(len(together)))
        folds = [Split(places[: len(sentences)], places[len(sentences) :])]
    named = [
        (share, Split(_beginning(fold.train, share, seed, draw), fold.held_out))
        for share in sizes
        for draw in range(draws if share < 1 else 1)
        for fold in folds
    ]
    splits = [split for _, split in named]
    recipe = Recipe(kind, settings, config, seed, dev)
    judgements = []
    work = partial(judge, tags=tags)
    for judgement in run_splits(recipe, together, splits, work, threads, workers):
        judgements.append(judgement)
        on_model(len(judgements), len(splits))
    parts = []
    for share in sizes:
        own = [
            (split, j) for (size, split), j in zip(named, judgements, strict=True) if size == share
        ]
        parts.append(_part(share, own, together, len(folds)))
    how = f"tags {tags}, " if family.can("parse") else ""
    where = f"{len(folds)} folds by {by}" if test is None else "a test set"
    figures = list(judgements[0].figures)
    figure = next(name for name in ("las", "uas", "tags") if name in figures)
    drawn = "1 draw" if draws == 1 else f"{draws} draws"
    protocol = f"{family.name}, {how}judged on {where}, {drawn} of nested parts, seed {seed}"
    return LearningCurve(parts, figure, protocol)


def check_learner(kind: str, config: Any = None, settings: Mapping[str, Any] | None = None) -> Kind:
    """Return the `Kind` with a given name.

    Raise an error if models trained on different amounts of data cannot be compared.
    """
    if kind in kinds.able("score") and not any(map(kinds.find(kind).can, COMPARED)):
        raise BistroError(
            "a learning curve needs a parser or a tagger: perplexities of models with different "
            "vocabularies cannot be compared"
        )
    return judged_kind(kind, config, settings, COMPARED)


def _checked(shares: Sequence[float], draws: int) -> list[float]:
    sizes = sorted(set(shares))
    if len(sizes) < LEAST_POINTS or not all(0 < share <= 1 for share in sizes):
        raise BistroError(
            f"a learning curve needs at least {LEAST_POINTS} shares, each above 0 and at most 1, "
            "not "
            f"{', '.join(f'{share:g}' for share in shares) or 'none'}"
        )
    if draws < 1:
        raise BistroError(f"draws is {draws}, but must be at least 1")
    return sizes


def _beginning(places: Sequence[int], share: float, seed: int, draw: int) -> tuple[int, ...]:
    """Return the start of a random permutation, so that larger parts contain smaller parts."""
    number = round(share * len(places))
    if number < 1:
        raise BistroError(
            f"{share:g} of {len(places)} sentences is less than one sentence: choose larger parts"
        )
    if number == len(places):
        return tuple(places)
    return tuple(sorted(shuffled(places, seed, "learning_curve", draw)[:number]))


def _part(
    share: float, models: Sequence[tuple[Split, Judgement]], sentences: Sequence[Words], folds: int
) -> Part:
    """Combine the results for one size, which are ordered by draw and then by fold."""
    words = fmean(sum(len(sentences[place]) for place in split.train) for split, _ in models)
    number = round(fmean(len(split.train) for split, _ in models))
    judgements = [judgement for _, judgement in models]
    by_draw = [judgements[i : i + folds] for i in range(0, len(judgements), folds)]
    return Part(share, number, words, by_draw)
