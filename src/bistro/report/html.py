"""Pages with text, tables, trees and charts in a single HTML file.

The page contains its style sheet and needs no network connection. Pages support light and dark
themes, narrow screens and printing. A section is a heading followed by blocks of HTML. The
functions below create blocks and escape their text.

>>> page = Page("A treebank", subtitle="What is in it")
>>> page.section("Size", facts({"sentences": 5000, "words": 61234}), paragraph("All of it."))
Page('A treebank', sections=1)
>>> page.write("report.html")                                      # doctest: +SKIP
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from bistro.files import write_text
from bistro.pictures.text import xml_text
from bistro.report.plots import bar_chart as bar_chart
from bistro.report.plots import line_chart as line_chart

SHORT = 12
"""Tables with at most this many rows are not split across printed pages."""


@dataclass(frozen=True)
class Percent:
    """A table cell that shows a percentage as a bar and as a number."""

    value: float | None


Cell = str | int | float | Percent | None


class Facts(str):
    """A block of HTML tiles that also stores the figures it shows."""

    values: dict[str, Cell]


class Protocol(str):
    """HTML that describes how the figures were computed, together with its plain text."""

    text: str


class Page:
    """A page to which sections are added.

    Sections appear in the order in which they are added.
    """

    def __init__(
        self, title: str, *, subtitle: str = "", footer: str = "", language: str = "en"
    ) -> None:
        self.title = title
        self.subtitle = subtitle
        self.footer = footer
        self.language = language
        self._sections: list[tuple[str, str]] = []
        self.figures: dict[str, dict[str, Cell]] = {}
        """The figures that are shown in tiles, by section heading."""
        self.protocols: dict[str, list[str]] = {}
        """The descriptions of how the figures were computed, by section heading."""

    def __repr__(self) -> str:
        return f"Page({self.title!r}, sections={len(self._sections)})"

    def section(self, heading: str, *blocks: str) -> Page:
        """Add a section of HTML blocks and return the page, so that calls can be chained."""
        self._sections.append((heading, "\n".join(blocks)))
        for block in blocks:
            if isinstance(block, Facts):
                self.figures.setdefault(heading, {}).update(block.values)
            elif isinstance(block, Protocol):
                self.protocols.setdefault(heading, []).append(block.text)
        return self

    def render(self) -> str:
        """Return the whole document."""
        style = files("bistro.report").joinpath("page.css").read_text(encoding="utf-8")
        subtitle = f"<p>{xml_text(self.subtitle)}</p>\n" if self.subtitle else ""
        footer = f"<footer>{xml_text(self.footer)}</footer>\n" if self.footer else ""
        links = "\n".join(
            f'<a href="#section-{number}">{xml_text(heading)}</a>'
            for number, (heading, _) in enumerate(self._sections, start=1)
        )
        contents = f"<nav>\n{links}\n</nav>\n" if len(self._sections) > 2 else ""
        sections = "\n".join(
            f'<section id="section-{number}">\n<h2>{xml_text(heading)}</h2>\n{body}\n</section>'
            for number, (heading, body) in enumerate(self._sections, start=1)
        )
        return (
            f'<!DOCTYPE html>\n<html lang="{xml_text(self.language)}">\n<head>\n'
            '<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{xml_text(self.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
            f"<header>\n<h1>{xml_text(self.title)}</h1>\n{subtitle}{contents}</header>\n"
            f"<main>\n{sections}\n</main>\n{footer}</body>\n</html>\n"
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the document to `path`.

        The file gets its final name only when it is complete.
        """
        write_text(path, self.render())


def paragraph(text: str) -> str:
    """Return a paragraph of plain text."""
    return f"<p>{xml_text(text)}</p>"


def facts(values: Mapping[str, Cell]) -> Facts:
    """Return a row of tiles, each with a name and a figure."""
    tiles = "\n".join(
        f"<div><dt>{xml_text(name)}</dt><dd>{xml_text(show(value))}</dd></div>"
        for name, value in values.items()
    )
    block = Facts(f'<dl class="facts">\n{tiles}\n</dl>')
    block.values = dict(values)
    return block


def heading(text: str) -> str:
    """Return a subheading within a section."""
    return f"<h3>{xml_text(text)}</h3>"


def protocol(text: str) -> Protocol:
    """Return a line that describes how the figures were computed."""
    block = Protocol(f'<p class="protocol">{xml_text(text)}</p>')
    block.text = text
    return block


def note(text: str) -> str:
    """Return a highlighted paragraph."""
    return f'<p class="note">{xml_text(text)}</p>'


def legend(names: Iterable[str]) -> str:
    """Return a legend for several charts, with the names of the series and their colours."""
    items = "\n".join(
        f'<span><i class="s{place}"></i>{xml_text(name)}</span>'
        for place, name in enumerate(names, start=1)
    )
    return f'<div class="legend">\n{items}\n</div>'


def side_by_side(figures: Iterable[str]) -> str:
    """Return figures in a grid."""
    return '<div class="grid-of-figures">\n' + "\n".join(figures) + "\n</div>"


def folded(summary: str, *blocks: str, is_open: bool = False) -> str:
    """Return blocks that are hidden until the reader opens them."""
    state = " open" if is_open else ""
    return f"<details{state}><summary>{xml_text(summary)}</summary>\n" + "\n".join(
        [*blocks, "</details>"]
    )


def figure(svg: str, caption: str = "") -> str:
    """Return a picture with its caption.

    The picture is SVG text, for example from `draw_arcs` or a chart function.
    """
    description = f"<figcaption>{xml_text(caption)}</figcaption>" if caption else ""
    return f'<figure><div class="canvas">\n{svg}</div>{description}</figure>'


def sentences(texts: Iterable[str]) -> str:
    """Return a numbered list of sentences."""
    items = "\n".join(f"<li>{xml_text(text)}</li>" for text in texts)
    return f'<ol class="sentences">\n{items}\n</ol>'


def table(
    headers: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    caption: str = "",
    *,
    dense: bool = False,
) -> str:
    """Return a table in which columns of numbers are aligned to the right.

    Integers get thousands separators, and other numbers get two decimals. To use any other format,
    pass the number as text.
    """
    body = [list(row) for row in rows]
    for row in body:
        if len(row) != len(headers):
            raise ValueError(
                f"a row has {len(row)} cells, but there are {len(headers)} headers: {row}"
            )
    kinds = [
        ' class="number"' if body and all(_is_figure(row[column]) for row in body) else ""
        for column in range(len(headers))
    ]

    def line(tag: str, cells: Iterable[Cell]) -> str:
        inner = "".join(
            f"<{tag}{kind}>{_markup(cell)}</{tag}>" for kind, cell in zip(kinds, cells, strict=True)
        )
        return f"<tr>{inner}</tr>"

    description = f"<caption>{xml_text(caption)}</caption>\n" if caption else ""
    lines = "\n".join(line("td", row) for row in body)
    kinds_of_table = [*(["dense"] if dense else []), *(["short"] if len(body) <= SHORT else [])]
    kind = f' class="{" ".join(kinds_of_table)}"' if kinds_of_table else ""
    return (
        f'<div class="scroll"><table{kind}>\n{description}<thead>{line("th", headers)}</thead>\n'
        f"<tbody>\n{lines}\n</tbody>\n</table></div>"
    )


def _is_figure(cell: Cell) -> bool:
    """Return whether a cell is empty, a number, or text that begins with a number ("3.1 %")."""
    return not isinstance(cell, str) or cell.lstrip("+-−–")[:1].isdigit() or cell == "n/a"


def _markup(cell: Cell) -> str:
    """Return a cell as HTML."""
    if isinstance(cell, Percent) and cell.value is not None:
        width = min(100.0, max(0.0, cell.value))
        bar = f'<span class="meter"><i style="width:{width:.1f}%"></i></span>'
        return f'{bar}<span class="share">{xml_text(show(cell))}</span>'
    return xml_text(show(cell))


def show(value: Cell) -> str:
    """Format a cell as text.

    >>> show(61234), show(108.9123), show(None), show("n/a")
    ('61,234', '108.91', '–', 'n/a')
    """
    if isinstance(value, Percent):
        value = value.value
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.2f}" if isinstance(value, float) else value
