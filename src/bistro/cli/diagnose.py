"""`bistro diagnose`: compare several chains of one model."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import typer

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import argument, option, say
from bistro.cli.sbc import check_ranks
from bistro.errors import BistroError, ConfigError
from bistro.progress import phase

if TYPE_CHECKING:
    from bistro.inference.workers import Workers
    from bistro.report.diagnostics import Chains


def diagnose(
    sources: list[str] = argument(
        "KIND TREEBANK... | MODEL... | KIND",
        "A kind of model and a treebank to train on; trained models that differ only in their "
        "seed; or, with --sbc, the kind of model to check.",
    ),
    chains: int | None = option(
        "N", "Number of chains, with the seeds SEED, SEED + 1, ...; default: 4.", min=2, max=10
    ),
    burn_in: int | None = option(
        "N", "Number of initial sweeps to discard; default: half of all sweeps.", min=0
    ),
    sbc: int | None = option(
        "N",
        "Check the sampler itself on N data sets drawn from the prior (simulation-based "
        "calibration).",
        min=20,
    ),
    error_rate: float | None = option(
        "P", "With --sbc: probability of rejecting a correct sampler; default: 0.001."
    ),
    output: str | None = outputs.output(
        outputs.PAGE, "OUT.html", "Also write an HTML page with plots.", "--output", "-o"
    ),
    netcdf: str | None = outputs.output(
        outputs.DRAWS, "OUT.nc", "Also write the draws to a file for ArviZ."
    ),
    config: str | None = option("FILE.toml", "A settings file, or the name of a preset."),
    overrides: list[str] | None = option(
        "KEY=VALUE", "A setting and its value (may be repeated).", "--set"
    ),
    format: str | None = common.FORMAT,
    threads: int = common.THREADS,
    cluster: str | None = common.CLUSTER,
    seed: int = common.SEED,
) -> None:
    """Compare several chains of one model using R-hat, effective sample size and rank plots.

    Sampling has converged when runs with different seeds agree. The command trains the models
    itself, or reads models that were trained with different seeds. The compared quantities are the
    log-likelihood, the number of states, and the discount, strength and number of tables at every
    depth. These quantities are recorded after every sweep and do not depend on the numbering of
    states. The table on stdout has one row per quantity. An interpretation of the table, with
    advice, goes to stderr. This command needs ArviZ (the extra *diagnostics*).

    With --sbc, parameters are drawn N times from the model's prior, each time with a small data
    set, and the sampler infers the parameters from the data. The ranks of the true values among the
    sampler's draws must be uniformly distributed. If the ranks are not uniform, the sampler is
    incorrect, and the exit code is 1.

        bistro diagnose ngram train.conllu --chains 4 --set sampler.sweeps=400 -o chains.html
        bistro diagnose one.bistro two.bistro three.bistro --burn-in 100 --netcdf chains.nc
        bistro diagnose ngram --sbc 200 --set order=2 -o ranks.html
    """
    if sbc is not None:
        refused = {"--chains": chains, "--burn-in": burn_in, "--netcdf": netcdf, "--input": format}
        check_ranks(sources, sbc, error_rate, output, (config, overrides), seed, refused)
        return
    if error_rate is not None:
        raise ConfigError("--error-rate is for --sbc")
    from bistro.cli.train import read_data
    from bistro.inference.arviz import load_arviz
    from bistro.models.installed import is_model
    from bistro.report.diagnose_page import diagnose_page
    from bistro.report.diagnostics import advice, table_lines, write_netcdf
    from bistro.report.diagnostics import diagnose as judge

    load_arviz()
    if is_model(sources[0]) or _is_path(sources[0]):
        if chains is not None or config or overrides:
            raise ConfigError(
                "--chains, --config and --set are for training: leave them out for trained models"
            )
        if cluster:
            raise ConfigError("--cluster is for training chains: leave it out for trained models")
        all_chains, title = _trained_before(sources, burn_in)
    else:
        kind, *files = sources
        family, settings = common.chosen_config(kind, config, overrides)
        data = read_data(family, settings, files, format)
        seeds = range(seed, seed + (chains or 4))
        with common.cluster_workers(cluster) as workers:
            all_chains, title = _trained_now(
                family.name, data, settings, seeds, threads, burn_in, workers
            )
    rows = judge(all_chains)
    print("\n".join(table_lines(rows)))
    say(f"{title}; burn-in: {all_chains.burn_in} of {all_chains.sweeps} sweeps left out")
    for sentence in advice(all_chains, rows):
        say(sentence)
    if netcdf is not None:
        write_netcdf(all_chains, netcdf)
        say(f"{netcdf}: read it with arviz.from_netcdf")
    if output is not None:
        diagnose_page(all_chains, rows, f"Chains: {title.partition(';')[0]}", title).write(output)
        say(f"{output}: open it in a browser")


def _is_path(source: str) -> bool:
    """Return whether a source looks like a file name.

    The name of a model kind contains neither dots nor slashes.
    """
    return "." in source or PurePath(source).name != source


def _trained_before(paths: list[str], burn_in: int | None) -> tuple[Chains, str]:
    """Read the traces of models that were trained in the same way with different seeds."""
    from bistro.report.diagnostics import chains_of

    models = [bistro.load(path) for path in paths]
    for path, model in zip(paths[1:], models[1:], strict=True):
        _check_same(paths[0], models[0], path, model)
    seeds = [model.origin.seed for model in models]
    if len(set(seeds)) < len(seeds):
        twice = next(seed for seed in seeds if seeds.count(seed) > 1)
        raise BistroError(
            f"two models have the same seed, {twice}, so they are the same run: train each model "
            "with a different --seed"
        )
    names = [f"seed {seed}" for seed in seeds]
    chains = chains_of([model.origin.trace for model in models], names, burn_in)
    source = models[0].origin.treebank.get("name", "unnamed data")
    return chains, f"{models[0].kind} of {source}; {', '.join(PurePath(p).name for p in paths)}"


def _check_same(first: str, one: bistro.Model, path: str, other: bistro.Model) -> None:
    """Raise an error if the models differ in anything other than their seeds."""
    from bistro.config import to_dict
    from bistro.report.about import flattened

    if one.kind != other.kind:
        raise BistroError(
            f"{first} is of kind '{one.kind}', but {path} is of kind '{other.kind}': chains must "
            "be models of the same kind"
        )
    facts = [
        dict(flattened({**to_dict(model.config), "training data": model.origin.treebank}))
        for model in (one, other)
    ]
    differing = [name for name in facts[0] if facts[0][name] != facts[1].get(name)]
    if differing:
        raise BistroError(
            f"{first} and {path} differ in {', '.join(differing)}: chains must be trained with the "
            "same data and settings, and differ only in their seed"
        )


def _trained_now(
    kind: str,
    data: Any,
    config: Any,
    seeds: range,
    threads: int,
    burn_in: int | None,
    workers: Workers | None,
) -> tuple[Chains, str]:
    """Train models of one kind on the same data, and return their traces as chains."""
    from bistro.cli.watcher import Watcher
    from bistro.inference.checkpoint import StoppedError
    from bistro.report.diagnostics import chains_of
    from bistro.tasks.several import several_traces

    try:
        # Workers cannot be stopped after a sweep: with them, Ctrl-C ends the command at once.
        with (
            Watcher() if workers is None else nullcontext(Watcher()) as watcher,
            phase("sampling", unit="sweeps of all chains") as work,
        ):

            def note(done: int, total: int) -> None:
                work.total = total
                work.reach(done)

            traces = several_traces(
                kind,
                data,
                list(seeds),
                threads=min(threads or os.cpu_count() or 1, len(seeds)),
                workers=workers,
                on_sweep=note,
                stop_requested=lambda: watcher.stopped,
                config=config,
            )
    except StoppedError as interruption:
        say(f"{interruption}: nothing was compared")
        raise typer.Exit(common.INTERRUPTED) from None
    chains = chains_of(traces, [f"seed {seed}" for seed in seeds], burn_in)
    return chains, f"{kind} of {data.label}; seeds {seeds[0]} to {seeds[-1]}"
