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


def effect_chart(effects: Mapping[str, Sequence[Effect]], conditions: tuple[str, str]) -> str:
    """Draw the effects of all models as SVG, with one line per model, group and region.

    Parameters
    ----------
    effects
        The effects of each model. Each model has its own colour.
    conditions
        The condition and its baseline, which the axis names.
    """
    rows, series = [], []
    for place, (name, own) in enumerate(effects.items(), start=1):
        for label, effect in zip(_labels(own, name if len(effects) > 1 else ""), own, strict=True):
            rows.append((label, effect.mean, *effect.interval))
            series.append(place)
    unit = f"{difference_name(conditions)}, bits (bars: 95 % intervals)"
    return interval_chart(rows, unit=unit, series=series)


def difference_name(conditions: tuple[str, str]) -> str:
    """Return the name of the difference between two conditions.

    >>> difference_name(("reduced", "full"))
    'reduced − full'
    """
    return f"{conditions[0]} − {conditions[1]}"


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
    subtitle = f"Surprisal of critical regions: {difference_name(conditions)}"
    page = html.Page(title, subtitle=subtitle, footer=f"bistro {__version__}")
    chart = effect_chart(effects, conditions)
    page.section("Effects", html.paragraph(EFFECTS), html.figure(chart))
    for name, own in effects.items():
        headers = ("", *conditions, "effect, bits", "95 %", "t", "p", "items", "above 0", "unknown")
        rows: list[tuple[str | int, ...]] = [
            (
                label,
                f"{effect.means[0]:.2f}",
                f"{effect.means[1]:.2f}",
                f"{effect.mean:.2f}",
                "" if math.isnan(effect.se) else "{:.2f} to {:.2f}".format(*effect.interval),
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
