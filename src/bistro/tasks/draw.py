"""Draw the trees in a file as SVG, PDF, PNG or LaTeX pictures for a paper.

>>> import bistro
>>> [sentence] = bistro.builtin(sentences=1, seed=1)
>>> drawn = Drawing.of(sentence)
>>> drawn.svg().startswith("<svg"), drawn.tikz().startswith("\\\\begin{dependency}")
(True, True)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from bistro.errors import BistroError, ConfigError, TreebankError, nearest
from bistro.pictures.arcs import draw_arcs
from bistro.pictures.constituents import draw_constituents
from bistro.pictures.text import is_right_to_left
from bistro.pictures.tikz import ENDING, PREAMBLE, tikz_arcs
from bistro.pictures.typeset import to_pdf, to_png
from bistro.treebank.brackets import Tree
from bistro.treebank.fields import EMPTY
from bistro.treebank.probabilities import read_probabilities
from bistro.treebank.sentence import Sentence

TagColumn = Literal["upos", "xpos", "none"]
Direction = Literal["auto", "ltr", "rtl"]
ONE_TREE = ("svg", "png")
"""File formats that can contain only one tree."""
FORMATS = (*ONE_TREE, "pdf", "tex")


@dataclass(frozen=True)
class Drawing:
    """A dependency tree that is ready to be drawn."""

    forms: list[str]
    heads: list[int]
    labels: list[str] | None
    tags: list[str] | None
    probabilities: list[float] | None
    is_right_to_left: bool

    @classmethod
    def of(
        cls,
        sentence: Sentence,
        *,
        tags: TagColumn = "upos",
        probabilities: bool = False,
        direction: Direction = "auto",
        path: str | None = None,
    ) -> Drawing:
        """Prepare a sentence for drawing.

        Parameters
        ----------
        sentence
            A sentence with heads. Words without a head have no arc.
        tags
            The column below the words; a column that is empty is left out.
        probabilities
            Whether to show the probabilities of heads, which MISC must have (`PHead`).
        direction
            Direction of the text; ``auto`` follows the script.
        path
            The file of the sentence, for error messages.
        """
        _require_tree(sentence)
        column = None if tags == "none" else list(getattr(sentence, tags))
        return cls(
            list(sentence.forms),
            list(sentence.heads),
            list(sentence.deprels) if set(sentence.deprels) - {EMPTY} else None,
            column if column and set(column) - {EMPTY} else None,
            _head_probabilities(sentence, path) if probabilities else None,
            is_right_to_left(sentence.forms) if direction == "auto" else direction == "rtl",
        )

    def svg(self, width: float | None = None) -> str:
        """Return the picture, scaled down if it is wider than `width` pixels."""
        return draw_arcs(
            self.forms,
            self.heads,
            self.labels,
            self.tags,
            probabilities=self.probabilities,
            width=width,
            rtl=self.is_right_to_left,
        )

    def tikz(self) -> str:
        """Return the LaTeX code for tikz-dependency, with words in visual order."""
        drawn = self._mirrored() if self.is_right_to_left else self
        return tikz_arcs(
            drawn.forms, drawn.heads, drawn.labels, drawn.tags, probabilities=drawn.probabilities
        )

    def _mirrored(self) -> Drawing:
        size = len(self.forms)
        heads = [size + 1 - head if head > 0 else head for head in self.heads]
        labels, tags = (column and column[::-1] for column in (self.labels, self.tags))
        probabilities = self.probabilities and self.probabilities[::-1]
        return Drawing(self.forms[::-1], heads[::-1], labels, tags, probabilities, False)


def drawn(
    items: Sequence[Sentence | Tree],
    format: str,
    *,
    tags: TagColumn = "upos",
    probabilities: bool = False,
    direction: Direction = "auto",
    width: float | None = None,
    scale: float = 2.0,
    path: str | None = None,
) -> bytes:
    """Draw trees, and return the content of a picture file.

    Parameters
    ----------
    items
        Sentences with heads, or bracketed trees.
    format
        ``svg`` or ``png``, for one tree; ``pdf``, one page per tree; ``tex``, a document of
        tikz-dependency with one picture per tree.
    tags, probabilities, direction, path
        As in `Drawing.of`.
    width
        The largest width in pixels; wider pictures are scaled down.
    scale
        Pixels of a PNG per pixel of the SVG.
    """
    if format not in FORMATS:
        raise ConfigError(f"unknown picture format '{format}'{nearest(format, FORMATS)}")
    if not items:
        raise BistroError("there is no tree to draw")
    _require_tree(items[0])
    if format in ONE_TREE and len(items) > 1:
        raise BistroError(
            f"a .{format} file can contain only one tree, but there are {len(items):,}: choose one "
            "tree with --sentence, or write a .pdf or .tex file"
        )

    def drawing(sentence: Sentence) -> Drawing:
        return Drawing.of(
            sentence, tags=tags, probabilities=probabilities, direction=direction, path=path
        )

    if format == "tex":
        return _document(drawing(_arcs(item)).tikz() for item in items)
    pictures = [
        draw_constituents(item) if isinstance(item, Tree) else drawing(item).svg(width)
        for item in items
    ]
    if format == "svg":
        return pictures[0].encode()
    return to_pdf(pictures) if format == "pdf" else to_png(pictures[0], scale)


def chosen_sentences(sentences: Iterable[Sentence], names: Sequence[str]) -> list[Sentence]:
    """Return the sentences with the given ids or 1-based numbers, in the order of `names`."""
    items = list(sentences)
    by_id = {sentence.sent_id: sentence for sentence in items if sentence.sent_id}
    selection = []
    for name in names:
        number = int(name) if name.isdecimal() else 0
        if name in by_id:
            selection.append(by_id[name])
        elif 1 <= number <= len(items):
            selection.append(items[number - 1])
        else:
            hint = nearest(name, [*by_id])
            raise BistroError(
                f"there is no sentence '{name}'{hint}: use a sent_id, or a number from 1 to "
                f"{len(items):,}"
            )
    return selection


def _require_tree(item: Sentence | Tree) -> None:
    if isinstance(item, Sentence) and item.format == "text":
        raise BistroError("plain text has no trees to draw: parse it first (bistro parse)")


def _document(pictures: Iterable[str]) -> bytes:
    return (PREAMBLE + "\n\n".join(pictures) + "\n" + ENDING).encode()


def _arcs(item: Sentence | Tree) -> Sentence:
    if isinstance(item, Tree):
        raise BistroError(
            "tikz-dependency can draw only dependencies: write bracketed trees as .svg"
        )
    return item


def _head_probabilities(sentence: Sentence, path: str | None) -> list[float]:
    probabilities = read_probabilities(sentence, "PHead", path=path)
    if any(p is None for p in probabilities):
        raise TreebankError(
            "there is no PHead in the column MISC: parse with --marginals to get probabilities",
            path=path,
            line=sentence.line,
        )
    return [p for p in probabilities if p is not None]
