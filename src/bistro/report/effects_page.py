"""The `bistro effects` page, with mean surprisal by condition and effects with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from bistro.evaluate.effects import Effect
from bistro.report import html
from bistro.report.intervals import interval_chart
from bistro.report.plots import bar_chart
from bistro.version import __version__

MEANS = (
    "The bars show the mean surprisal of the critical region in the two conditions. The error bars "
    "extend one standard error (over items) in each direction."
)
EFFECTS = (
    "The chart shows the difference between the conditions, paired by item, with its 95 % "
    "interval over items (Student's t)."
)


def effect_chart(effects: Mapping[str, Sequence[Effect]]) -> str:
    """Draw the effects of all models as SVG, with one line per model, group and region."""
    rows = [
        (label, effect.mean, *effect.interval)
        for name, own in effects.items()
        for label, effect in zip(_labels(own, name if len(effects) > 1 else ""), own, strict=True)
    ]
    return interval_chart(rows, unit="bits")


def condition_chart(effects: Sequence[Effect], conditions: tuple[str, str]) -> str:
    """Draw one model's mean surprisal by condition as SVG bars with standard errors."""
    series = {
        name: [effect.means[place] for effect in effects] for place, name in enumerate(conditions)
    }
    errors = {
        name: [effect.errors[place] for effect in effects] for place, name in enumerate(conditions)
    }
    return bar_chart(_labels(effects), series, unit="bits", errors=errors)


def effects_page(
    effects: Mapping[str, Sequence[Effect]],
    conditions: tuple[str, str],
    title: str,
    protocols: Sequence[str],
) -> html.Page:
    """Return a page with the effects of all models.

    Parameters
    ----------
    effects
        The effects of each model.
    conditions
        The condition and its baseline.
    title
        The title of the page.
    protocols
        Descriptions of how the figures were computed.
    """
    subtitle = f"Surprisal of critical regions: {conditions[0]} − {conditions[1]}"
    page = html.Page(title, subtitle=subtitle, footer=f"bistro {__version__}")
    page.section("Effects", html.paragraph(EFFECTS), html.figure(effect_chart(effects)))
    for name, own in effects.items():
        headers = ("", *conditions, "effect, bits", "95 %", "t", "p", "items", "above 0", "unknown")
        rows: list[tuple[str | int, ...]] = [
            (
                label,
                f"{effect.means[0]:.2f}",
                f"{effect.means[1]:.2f}",
                f"{effect.mean:.2f}",
                "{:.2f} to {:.2f}".format(*effect.interval),
                "" if math.isnan(effect.t_value) else f"{effect.t_value:.2f}",
                "" if math.isnan(effect.p_value) else f"{effect.p_value:.3g}",
                effect.items,
                effect.positive,
                effect.unknown,
            )
            for label, effect in zip(_labels(own), own, strict=True)
        ]
        chart = html.figure(condition_chart(own, conditions))
        page.section(name, html.paragraph(MEANS), chart, html.table(headers, rows))
    page.section("Protocol", *(html.protocol(line) for line in protocols))
    return page


def _labels(effects: Sequence[Effect], model: str = "") -> list[str]:
    """Return a label for each effect, without the parts that all labels share."""
    groups = len({effect.group for effect in effects}) > 1
    regions = len({effect.region for effect in effects}) > 1
    labels = []
    for effect in effects:
        parts = [model] if model else []
        if groups or effect.group != "all":
            parts.append(effect.group)
        if regions:
            parts.append(f"region {effect.region}")
        labels.append(", ".join(parts) or "critical region")
    return labels
