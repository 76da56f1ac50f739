"""Two extensions of Python-Markdown for the documentation site.

A fenced block with the language ``math`` contains TeX and becomes MathML, which browsers show
without scripts or external fonts; code hosts also show such a block as mathematics. A line such as

    ::: bistro.pitman_yor
    ::: bistro.models.base:Model save summary

becomes the reference of a module, or of a class with the named members (see `site_api`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from latex2mathml.converter import convert
from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from site_api import reference

FENCE = re.compile(r"(`{3,})(\w*)")
DIRECTIVE = re.compile(r"::: (\S+)(.*)")


class SitePreprocessor(Preprocessor):
    """Replace formulas and references before other preprocessors read the lines."""

    def run(self, lines: list[str]) -> list[str]:
        """Return the lines of a page with formulas as HTML and references as Markdown."""
        return list(self._replaced(iter(lines)))

    def _replaced(self, lines: Iterator[str]) -> Iterator[str]:
        for line in lines:
            if fence := FENCE.match(line):
                block = list(_until(fence[1], lines))
                yield from ["", self._formula(block), ""] if fence[2] == "math" else [line, *block]
            elif directive := DIRECTIVE.fullmatch(line):
                yield from reference(directive[1], directive[2].split())
            else:
                yield line

    def _formula(self, block: list[str]) -> str:
        mathml = convert("\n".join(block[:-1]), display="block")
        stored: str = self.md.htmlStash.store(f'<div class="formula">{mathml}</div>')
        return stored


def _until(fence: str, lines: Iterator[str]) -> Iterator[str]:
    """Yield the lines of a fenced block, including its end."""
    for line in lines:
        yield line
        if line.rstrip() == fence:
            return


class SiteExtension(Extension):
    """The extension; its name in the configuration is the name of this module."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Register the preprocessor before the one for fenced blocks, which has priority 25."""
        md.preprocessors.register(SitePreprocessor(md), "bistro-site", 27)


def makeExtension(**options: Any) -> SiteExtension:  # noqa: N802
    """Return the extension; Python-Markdown looks for this name."""
    return SiteExtension(**options)
