"""`bistro diagnose KIND --sbc N`: check that the sampler of a model kind is correct."""

from __future__ import annotations

from collections.abc import Mapping

import typer

from bistro.cli import common
from bistro.cli.common import say
from bistro.errors import ConfigError
from bistro.progress import phase

COLUMNS = ("quantity", "p_value", "tendency")
REJECTED = 1
"""The exit code if the sampler is rejected."""


def check_ranks(
    sources: list[str],
    runs: int,
    error_rate: float | None,
    output: str | None,
    settings: tuple[str | None, list[str] | None],
    seed: int,
    refused: Mapping[str, object],
) -> None:
    """Print one row per quantity, followed by the verdict, and write a page if requested."""
    from bistro.inference.simulated import ERROR_RATE
    from bistro.report.sbc_page import sbc_page
    from bistro.tasks.check_sampler import check_sampler

    for name, value in refused.items():
        if value is not None:
            raise ConfigError(f"{name} is for comparing chains: leave it out if --sbc is given")
    if len(sources) != 1:
        raise ConfigError("--sbc generates its own data: name only a kind of model")
    rate = ERROR_RATE if error_rate is None else error_rate
    if not 0 < rate < 1:
        raise ConfigError(f"--error-rate must be between 0 and 1, not {rate}")
    family, config = common.chosen_config(sources[0], *settings)
    with phase("sampling", total=runs, unit="runs") as work:
        check = check_sampler(
            family.name,
            runs,
            seed=seed,
            error_rate=rate,
            on_run=lambda done, total: work.reach(done),
            config=config,
        )
    print("\t".join(COLUMNS))
    for name, p in check.p_values.items():
        is_outside = p * len(check.ranks) < rate
        print(f"{name}\t{p:.4g}\t{check.tendency(name) if is_outside else ''}")
    say(check.verdict)
    say(check.protocol)
    if output is not None:
        sbc_page(check).write(output)
        say(f"{output}: open it in a browser")
    if check.is_rejected:
        raise typer.Exit(REJECTED)
