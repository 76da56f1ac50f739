"""The `bistro reading-times` page, with gains, coefficients, spill-over and the protocol."""

from __future__ import annotations

from bistro.evaluate.reading.gain import Gain
from bistro.evaluate.reading.regression import Fit
from bistro.evaluate.reading.study import ReadingStudy
from bistro.report import html
from bistro.report.intervals import interval_chart
from bistro.version import __version__

GAIN = (
    "The gain measures how much the model's surprisal improves the prediction of held-out reading "
    "times. The gain is the difference in log-likelihood per row, in nats, with its 95 % "
    "interval. An uninformative predictor has a gain of 0 or slightly less."
)
SPILL_OVER = (
    "The chart shows how the reading time of a word changes with each bit of surprisal of the "
    "word itself and of the words before it. All effects are estimated in a single regression."
)
SURPRISAL = "surprisal"


def reading_page(study: ReadingStudy, title: str, *, unit: str) -> html.Page:
    """Return a page with the results of a study.

    `unit` is the unit of the reading times.
    """
    page = html.Page(title, subtitle="Reading times and surprisal", footer=f"bistro {__version__}")
    gains = [(name, gain.mean, gain.low, gain.high) for name, gain in study.gains.items()]
    page.section(
        "Gain",
        html.paragraph(GAIN),
        html.figure(interval_chart(gains, unit="nats per row")),
        html.table(
            ("model", "gain, nats per row", "95 %", "verdict"),
            [(name, *_shown(gain), gain.verdict) for name, gain in study.gains.items()],
        ),
        html.protocol(study.protocol),
    )
    if study.comparisons:
        page.section("Models compared", *_comparisons(study))
    page.section("Coefficients", *_coefficients(study, unit))
    if study.spill_over:
        page.section("Spill-over", *_spill_over(study, unit))
    rows = [(why, number) for why, number in study.left_out.items()]
    page.section("Left out", html.table(("rows with", "number"), rows))
    return page


def _shown(gain: Gain) -> tuple[str, str]:
    """Return a gain and its interval, with as many digits as in the table on stdout."""
    return f"{gain.mean:.6f}", f"{gain.low:.6f} to {gain.high:.6f}"


def _comparisons(study: ReadingStudy) -> list[str]:
    rows = [
        (f"{pair.first} − {pair.second}", *_shown(pair.difference), f"{pair.probability:.4f}")
        for pair in study.comparisons
    ]
    description = (
        "The table shows, for each pair of models, the difference between their gains on the same "
        "rows, in nats per row. p: probability of so large a difference if the two models are "
        "exchanged at random, item by item."
    )
    headers = ("models", "difference, nats per row", "95 %", "p")
    return [html.paragraph(description), html.table(headers, rows)]


def _coefficients(study: ReadingStudy, unit: str) -> list[str]:
    blocks = [
        html.paragraph(
            f"Coefficients are in {unit} per unit of the predictor (letters, bits, words)."
        )
    ]
    for name, fit in study.fits.items():
        tests = zip(fit.t_values.tolist(), fit.p_values.tolist(), strict=True)
        rows = [
            (
                *(predictor, f"{estimate:.3f}", f"{error:.3f}", f"{low:.3f} to {high:.3f}"),
                *(f"{t:.2f}", f"{p:.3g}"),
            )
            for (predictor, estimate, error, low, high), (t, p) in zip(
                _lines(fit), tests, strict=True
            )
        ]
        headers = ("predictor", "estimate", "standard error", "95 %", "t", "p")
        blocks += [html.heading(name), html.table(headers, rows)]
        blocks.append(
            html.protocol(f"The standard deviation of the noise is {fit.deviation:.3g} {unit}.")
        )
    return blocks


def _spill_over(study: ReadingStudy, unit: str) -> list[str]:
    blocks = [html.paragraph(SPILL_OVER)]
    for name, fit in study.spill_over.items():
        rows = [
            (predictor.removeprefix(SURPRISAL).lstrip(", ") or "the word", estimate, low, high)
            for predictor, estimate, _, low, high in _lines(fit)
            if predictor.startswith(SURPRISAL)
        ]
        blocks += [html.heading(name), html.figure(interval_chart(rows, unit=f"{unit} per bit"))]
    return blocks


def _lines(fit: Fit) -> list[tuple[str, float, float, float, float]]:
    columns = (fit.estimates, fit.errors, fit.low, fit.high)
    return list(zip(fit.names, *(column.tolist() for column in columns), strict=True))
