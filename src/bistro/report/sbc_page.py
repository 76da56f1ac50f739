"""The `bistro diagnose KIND --sbc N` page, with the ranks of all quantities and the verdict."""

from __future__ import annotations

from bistro.inference.simulated import SamplerCheck
from bistro.report import html
from bistro.version import __version__

MEANING = (
    "Parameters were drawn from the prior, and data were drawn from the model with these "
    "parameters. The sampler then inferred the parameters from the data alone. If the sampler is "
    "correct, all ranks of the true value among its draws are equally likely. Each panel shows the "
    "share of ranks below each value, minus the share that is expected for uniform ranks. For a "
    "correct sampler, the probability that any line leaves the grey band is the error rate."
)
READING = (
    "A line above the middle indicates too many low ranks, so the draws are too high. A wave that "
    "begins by rising indicates too many ranks at both ends, so the distribution of the draws "
    "is too narrow."
)


def sbc_page(check: SamplerCheck) -> html.Page:
    """Return a page that shows the ranks of one sampler."""
    page = html.Page(
        f"Calibration of the sampler: {check.name}",
        subtitle="Simulation-based calibration on data drawn from the prior.",
        footer=f"bistro {__version__}",
    )
    tiles: dict[str, html.Cell] = {
        "verdict": "rejected" if check.is_rejected else "passed",
        "data sets": check.runs,
        "quantities": len(check.ranks),
        "smallest p-value, corrected": f"{check.p_value:.2g}",
        "error rate": f"{check.error_rate:g}",
    }
    page.section(
        "Is the sampler correct?",
        html.facts(tiles),
        html.note(f"{check.verdict}."),
        html.protocol(f"{check.protocol}."),
    )
    page.section(
        "Ranks", html.paragraph(MEANING), html.figure(check.draw()), html.paragraph(READING)
    )
    rows = [(name, f"{p:.4g}", check.tendency(name)) for name, p in _by_p_value(check)]
    headers = ("quantity", "p-value, uncorrected", "tendency")
    page.section("Figures", html.table(headers, rows, dense=True))
    return page


def _by_p_value(check: SamplerCheck) -> list[tuple[str, float]]:
    return sorted(check.p_values.items(), key=lambda item: item[1])
