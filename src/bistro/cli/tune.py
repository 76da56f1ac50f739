"""`bistro tune`: find the best contexts and settings on a development set."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import argument, flag, option, say
from bistro.cli.watcher import Watcher
from bistro.errors import ConfigError, nearest
from bistro.files import write_text
from bistro.progress import phase

if TYPE_CHECKING:
    from bistro.evaluate.development import DevelopmentSet
    from bistro.inference.settings import SamplerSettings
    from bistro.inference.workers import Workers
    from bistro.models.transition.config import TransitionConfig
    from bistro.models.transition.model import TransitionModel
    from bistro.models.transition.tune import Effort, Search, Trial

METRICS = ("las", "uas", "no_punct.las", "no_punct.uas")
TAGS = ("both", "joint", "given")

SEARCH = "Search"


def tune(
    kind: str = argument("KIND", "The kind of model; only transition is supported."),
    data: list[str] = argument("TRAIN", "Treebanks to train on, which are read as one treebank."),
    dev: str = option("DEV", "The treebank on which settings are compared.", default=...),
    output: str = outputs.output(
        outputs.CONFIG,
        "FILE.toml",
        "The configuration file to write.",
        "--output",
        "-o",
        default=...,
    ),
    config: str | None = option(
        "FILE.toml", "A file of initial settings, or the name of a preset."
    ),
    overrides: list[str] | None = option("KEY=VALUE", "One initial setting.", "--set"),
    distributions: str = option(
        "LIST",
        "Distributions whose contexts are searched, in this order.",
        default="actions,labels,tags,words",
        rich_help_panel=SEARCH,
    ),
    settings: str = option(
        "LIST",
        "Settings to search: tagset, tag_features, unknown_below, unknown_suffixes, labels, "
        "root, direction, nonprojective; with an empty list, only contexts are searched.",
        default="tagset,tag_features,unknown_below",
        rich_help_panel=SEARCH,
    ),
    metric: str | None = option(
        "NAME",
        "las, uas, no_punct.las or no_punct.uas; default: las, or uas without labels.",
        rich_help_panel=SEARCH,
    ),
    tags: str = option(
        "WAY",
        "Parse with predicted tags (joint), with given tags (given), or in both ways, averaging "
        "the scores (both).",
        default="both",
        rich_help_panel=SEARCH,
    ),
    label_elements: bool = flag(
        "--label-elements",
        "Allow labels of earlier arcs in contexts, which makes parsing slower.",
        rich_help_panel=SEARCH,
    ),
    sweeps: int = option(
        "N", "Number of training sweeps in the search.", default=6, min=2, rich_help_panel=SEARCH
    ),
    minutes: float | None = option("M", "Stop after this time.", min=0, rich_help_panel=SEARCH),
    threads: int = option(
        "N", "Number of threads for parsing DEV; 0 uses all cores.", default=1, min=0
    ),
    cluster: str | None = common.CLUSTER,
    seed: int = common.SEED,
    format: str | None = common.FORMAT,
    roots: str | None = common.ROOTS,
) -> None:
    """Find the contexts and settings that parse DEV most accurately, and write a configuration.

    The search uses hill climbing: it tries one change after another, keeps the best change, and
    repeats this until no change helps. Each trial takes only seconds, since only the changed parts
    are trained again. All trials are recorded in a journal (FILE.toml.journal): after Ctrl-C,
    --minutes or a crash, the same command resumes. At the end, models with the
    initial and the best configuration are trained in full and compared. The scores of both
    configurations are written at the top of the file.

        bistro tune transition train.conllu --dev dev.conllu -o config.toml --minutes 30
        bistro train transition train.conllu --config config.toml -o english.bistro
    """
    from bistro.evaluate.development import DevelopmentSet, default_metric
    from bistro.models.data import SENTENCES
    from bistro.models.transition.config import DISTRIBUTIONS
    from bistro.models.transition.tune import SETTINGS, Effort

    _check("KIND", [kind], ["transition"])
    parts = _names("--settings", settings, SETTINGS)
    parts += _names("--distributions", distributions, DISTRIBUTIONS)
    _check("--tags", [tags], TAGS)
    _check("--metric", [metric] if metric else [], METRICS)
    start = common.chosen_config(kind, config, overrides)[1]
    allowed = common.chosen_roots(roots)
    treebank = SENTENCES.read(data, format=format, roots=allowed)
    held_out = bistro.read(dev, format=format, roots=allowed)
    judge = DevelopmentSet(
        held_out,
        tags,  # type: ignore[arg-type]
        metric or default_metric(held_out),  # type: ignore[arg-type]
        threads=threads or os.cpu_count() or 1,
    )
    errand = _Errand(treebank, held_out, judge, Effort(label_elements=label_elements), seed, output)
    with common.cluster_workers(cluster) as workers, Watcher() as watcher:
        errand.workers = workers
        errand.run(start, parts, sweeps, _Progress(watcher, minutes))


@dataclass
class _Errand:
    """A search for the best settings; it reads and extends its journal, and writes the result."""

    treebank: bistro.Treebank
    held_out: bistro.Treebank
    judge: DevelopmentSet
    effort: Effort
    seed: int
    output: str
    workers: Workers | None = None

    @property
    def protocol(self) -> dict[str, Any]:
        """Everything that determines the scores, apart from the configuration."""
        from bistro.version import __version__

        return {
            "bistro": __version__,
            "train": f"{self.treebank.label} {self.treebank.sha256}",
            "dev": f"{self.held_out.label} {self.held_out.sha256}",
            "metric": self.judge.metric,
            "tags": self.judge.tags,
            "seed": self.seed,
        }

    def run(
        self, start: TransitionConfig, parts: Sequence[str], sweeps: int, progress: _Progress
    ) -> None:
        from bistro.inference.journal import Journal
        from bistro.models.transition.tune import Search
        from bistro.models.transition.workbench import Workbench

        journal = Journal(Path(f"{self.output}.journal"), self.protocol)
        if len(journal):
            say(f"{journal.path}: {len(journal)} trials are known and will not be repeated")
        search = Search(
            Workbench(self.treebank, self.seed),
            self.judge,
            journal,
            effort=self.effort,
            on_trial=progress.on_trial,
            stop_requested=progress.is_over,
            workers=self.workers,
        )
        with phase("searching"):
            search.run(replace(start, sampler=_shortened(start.sampler, sweeps)), parts)
        say(f"{progress.ending}; now the initial and the best configuration are trained in full")
        full = [replace(trial.config, sampler=start.sampler) for trial in search.ends]
        figures = []
        with phase("training in full"):
            for config in full:
                with phase("", share=1 / len(full)):
                    figures.append(self.judge(self._trained(config)))
        self.write(full[1], search, figures)

    def _trained(self, config: TransitionConfig) -> TransitionModel:
        from bistro.models.runs import Run
        from bistro.models.transition.train import train_transition

        return train_transition(self.treebank, config, Run(self.seed))

    def write(
        self, config: TransitionConfig, search: Search, figures: Sequence[dict[str, float]]
    ) -> None:
        """Write the best configuration, preceded by comments on its origin."""
        from bistro import config as configuration

        before, after = figures
        lines = ["Found by bistro tune.", *(f"{k}: {v}" for k, v in self.protocol.items())]
        lines += [f"{len(search.journal)} trials; the changes that were kept, with their score:"]
        lines += [f"  {trial.score:.2f}  {trial.change}" for trial in search.accepted]
        lines += [
            "scores of the initial and the best configuration, trained in full (percent, on dev):"
        ]
        lines += [f"  {name} {before[name]:.2f} -> {after[name]:.2f}" for name in after]
        head = "".join(f"# {line}\n" for line in lines)
        write_text(self.output, f"{head}\n{configuration.to_toml(config)}")
        say(f"{self.output}: score {before['score']:.2f} -> {after['score']:.2f}, trained in full")


def _check(option: str, names: Sequence[str], choices: Sequence[str]) -> None:
    for name in names:
        if name not in choices:
            hint = nearest(name, choices)
            raise ConfigError(f"{option} {name}: expected one of {', '.join(choices)}{hint}")


def _names(option: str, text: str, choices: Sequence[str]) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    names = [name for name in names if name not in ("", "none")]
    _check(option, names, choices)
    return names


def _shortened(sampler: SamplerSettings, sweeps: int) -> SamplerSettings:
    """Return the settings of a short trial run, which averages the last third of its sweeps."""
    return replace(sampler, sweeps=sweeps, samples=max(1, sweeps // 3))


class _Progress:
    """A progress report with the current trial, the best score and the remaining time."""

    def __init__(self, watcher: Watcher, minutes: float | None) -> None:
        self.ending = "no change helps any more"
        self._watcher = watcher
        self._begin = time.monotonic()
        self._limit = None if minutes is None else 60 * minutes
        self._trials = 0
        self._highest = -math.inf

    def is_over(self) -> bool:
        if self._watcher.stopped:
            self.ending = "stopped; the same command continues from here"
        elif self._limit is not None and time.monotonic() - self._begin >= self._limit:
            self.ending = "the time limit is reached; the same command continues from here"
        else:
            return False
        return True

    def on_trial(self, trial: Trial, best: Trial) -> None:
        self._trials += 1
        self._highest = max(self._highest, trial.score)
        passed = time.monotonic() - self._begin
        left = "" if self._limit is None else f", {max(0, self._limit - passed) / 60:.0f} min left"
        gain = trial.score - best.score
        say(
            f"{self._trials:5d}  {trial.score:6.2f} ({gain:+.2f})  {trial.change}"
            f"  [best {self._highest:.2f}{left}]"
        )
