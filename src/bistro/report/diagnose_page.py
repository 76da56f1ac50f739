"""The `bistro diagnose` page, with figures for all quantities and plots of the worst ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bistro.report import html
from bistro.report.diagnostics import R_HAT_LIMIT, Chains, Diagnosis, advice
from bistro.report.ranks import rank_plot
from bistro.version import __version__

PICTURES = 10
"""The maximum number of quantities that are plotted, starting with the log-likelihood."""
FIRST = "log_likelihood"
MEANING = (
    "R-hat compares the chains with each other, and the halves of each chain with each other. A "
    "value of 1 means that the chains sample the same distribution, and larger values mean that "
    "the chains differ. The effective sample size (ESS) is the equivalent number of independent "
    "draws, for the middle of the distribution (bulk) and for its ends (tail)."
)
READING = (
    "The left plot shows the complete chains. Draws before the dashed line are discarded. "
    "The right plot shows the remaining draws, which should overlap and look like hairy "
    "caterpillars. The plots below show how each chain's draws rank among all draws. Bars of equal "
    "height, near the dashed line, mean that all chains take low and high values equally often."
)
SMALL: dict[str, Any] = {"width": 440.0, "height": 130.0, "x_label": "sweep", "legend": False}


def diagnose_page(chains: Chains, rows: Sequence[Diagnosis], title: str, source: str) -> html.Page:
    """Return a page that shows whether several chains agree.

    `source` describes the origin of the chains.
    """
    page = html.Page(
        title,
        subtitle=f"The {len(chains.names)} chains differ only in their seed.",
        footer=f"bistro {__version__}",
    )
    tiles: dict[str, html.Cell] = {
        "chains": len(chains.names),
        "sweeps each": chains.sweeps,
        "burn-in, left out": chains.burn_in,
        "total draws": chains.draws * len(chains.names),
    }
    if rows:
        tiles["worst R-hat"] = f"{max(row.r_hat for row in rows):.3f}"
        tiles["fewest effective"] = round(min(min(row.ess_bulk, row.ess_tail) for row in rows))
    page.section(
        "Do they agree?",
        html.facts(tiles),
        *(html.note(sentence) for sentence in advice(chains, rows)),
        html.protocol(source),
    )
    page.section("Figures", *_figures(chains, rows))
    if rows:
        page.section("Chains", *_pictures(chains, rows))
    return page


def by_need(rows: Sequence[Diagnosis]) -> list[Diagnosis]:
    """Sort the quantities by how well the chains agree, with the worst agreement first."""
    return sorted(rows, key=lambda row: (-row.r_hat, row.ess_bulk))


def _figures(chains: Chains, rows: Sequence[Diagnosis]) -> list[str]:
    cells = [
        (
            row.quantity,
            f"{row.mean:,.4g}" if abs(row.mean) < 1e4 else f"{row.mean:,.0f}",
            f"{row.sd:.3g}",
            f"{row.r_hat:.3f}",
            f"{row.ess_bulk:,.0f}",
            f"{row.ess_tail:,.0f}",
            row.warning,
        )
        for row in by_need(rows)
    ]
    headers = ("quantity", "mean", "sd", "R-hat", "ESS bulk", "ESS tail", "warning")
    blocks = [html.paragraph(MEANING), html.table(headers, cells, dense=True)]
    if chains.constant:
        blocks.append(
            html.protocol(
                f"Quantities that never changed are left out: {', '.join(chains.constant)}."
            )
        )
    return [
        *blocks,
        html.protocol(
            "Numbers in brackets are depths, where 0 is the empty context. R-hat is "
            "rank-normalised and computed from split chains. R-hat and the effective sample sizes "
            "(bulk and tail) are computed by ArviZ. A warning appears if R-hat is above "
            f"{R_HAT_LIMIT} or if there are fewer than 100 effective draws per chain."
        ),
    ]


def _pictures(chains: Chains, rows: Sequence[Diagnosis]) -> list[str]:
    worst = by_need(rows)
    shown = [row for row in worst if row.quantity == FIRST]
    shown += [row for row in worst if row.quantity != FIRST][: PICTURES - len(shown)]
    blocks = [html.paragraph(READING), html.legend(chains.names)]
    sweeps = [float(sweep) for sweep in range(1, chains.sweeps + 1)]
    for row in shown:
        whole = dict(zip(chains.names, chains.quantities[row.quantity].tolist(), strict=True))
        kept = dict(zip(chains.names, chains.kept(row.quantity).tolist(), strict=True))
        description = (
            f"R-hat {row.r_hat:.3f}, effective draws {min(row.ess_bulk, row.ess_tail):,.0f}"
        )
        lines = [
            html.figure(html.line_chart(whole, x=sweeps, mark=chains.burn_in + 0.5, **SMALL)),
            html.figure(html.line_chart(kept, x=sweeps[chains.burn_in :], **SMALL)),
        ]
        ranks = html.figure(rank_plot(chains.kept(row.quantity), chains.names), description)
        blocks += [html.heading(row.quantity), html.side_by_side(lines), ranks]
    return blocks
