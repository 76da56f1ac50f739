"""Convert SVG pictures to PDF and PNG with Typst, which needs no browser and supports every script.

Typst is a package without dependencies. Typst embeds the glyphs that a PDF uses, shapes scripts
such as Arabic, and finds the system fonts.
"""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bistro.errors import BistroError

INSTALL = "pip install typst"
_PAGE = "#set page(width: auto, height: auto, margin: 0pt)\n"
_PIXELS_PER_INCH = 96


def to_pdf(pictures: Sequence[str]) -> bytes:
    """Return a PDF with one page per picture."""
    pages: bytes = _compiled(pictures, "pdf")
    return pages


def to_png(picture: str, scale: float = 2.0) -> bytes:
    """Return a picture as a PNG, at `scale` times the size of the SVG."""
    image: Any = _compiled([picture], "png", ppi=_PIXELS_PER_INCH * scale)
    return bytes(image[0] if isinstance(image, list) else image)


def _compiled(pictures: Sequence[str], format: str, **options: Any) -> Any:
    try:
        typst: Any = importlib.import_module("typst")
    except ImportError:
        raise BistroError(
            f"{format.upper()} needs Typst: {INSTALL}; SVG needs no other program"
        ) from None
    with tempfile.TemporaryDirectory() as folder:
        names = [f"{number}.svg" for number in range(len(pictures))]
        for name, picture in zip(names, pictures, strict=True):
            Path(folder, name).write_text(picture, encoding="utf-8")
        source = Path(folder, "pages.typ")
        source.write_text(_PAGE + "#pagebreak()\n".join(f'#image("{n}")\n' for n in names))
        return typst.compile(str(source), format=format, **options)
