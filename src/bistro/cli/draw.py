"""`bistro draw`: draw trees as pictures."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, cast

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import flag, option, say
from bistro.errors import BistroError, ConfigError, OutputError
from bistro.files import STANDARD_STREAM, writing


def draw(
    treebank: str = common.TREEBANK,
    output: str = outputs.output(
        outputs.DRAWING,
        "OUT",
        "File to write: .svg or .png (one tree), .pdf (one page per tree), .tex "
        "(tikz-dependency). - writes SVG to stdout.",
        "--output",
        "-o",
        default=STANDARD_STREAM,
    ),
    sentence: list[str] | None = option(
        "ID",
        "The sent_id of a sentence, or its number, counted from 1 (may be repeated); "
        "default: all sentences.",
    ),
    tags: str = option("upos|xpos|none", "Tags below the words.", default="upos"),
    probabilities: bool = flag(
        "--probabilities", "Show the head probabilities written by `parse --marginals`."
    ),
    direction: str = option(
        "auto|ltr|rtl",
        "Direction of the text; auto uses the direction of its script.",
        default="auto",
    ),
    width: float | None = option(
        "PIXELS", "Scale pictures down to this width if they are wider.", min=50
    ),
    scale: float = option("X", "Number of PNG pixels per SVG pixel.", default=2.0, min=0.1),
    format: str | None = common.FORMAT,
) -> None:
    """Draw the trees in a file for a paper, a slide or a web page.

    FILE has dependencies (CoNLL-U, CoNLL-X) or bracketed trees (.mrg). The suffix of OUT determines
    the format. PDF and PNG output requires an additional package: pip install typst.

        bistro draw parsed.conllu --sentence 3 -o tree.svg
        bistro draw parsed.conllu --sentence 3 --probabilities -o tree.pdf
        bistro draw parsed.conllu -o all.pdf
        bistro draw parsed.conllu --sentence weblog-07 -o tree.tex
    """
    from bistro.tasks.draw import FORMATS, chosen_sentences, drawn

    for name, value, known in (
        ("tags", tags, ("upos", "xpos", "none")),
        ("direction", direction, ("auto", "ltr", "rtl")),
    ):
        if value not in known:
            raise ConfigError(f"--{name} '{value}' must be one of {', '.join(known)}")
    suffix = "svg" if output == STANDARD_STREAM else PurePath(output).suffix.lower().lstrip(".")
    if suffix not in FORMATS:
        raise OutputError(f"{output}: must end in {', '.join(f'.{name}' for name in FORMATS)}")
    items = _read(treebank, format)
    if sentence and items and not isinstance(items[0], bistro.Sentence):
        items = [items[_number(name, len(items)) - 1] for name in sentence]
    elif sentence:
        items = list(chosen_sentences(items, sentence))
    content = drawn(
        items,
        suffix,
        tags=cast(Any, tags),
        probabilities=probabilities,
        direction=cast(Any, direction),
        width=width,
        scale=scale,
        path=treebank,
    )
    with writing(output) as stream:
        stream.write(content)
    if output != STANDARD_STREAM:
        say(f"{output}: {len(items):,} {'tree' if len(items) == 1 else 'trees'}")


def _read(path: str, format: str | None) -> list[Any]:
    """Return the sentences or bracketed trees in a file."""
    from bistro.treebank.brackets import iter_trees, memory_of_tree
    from bistro.treebank.detect import FORMATS, choose_format
    from bistro.treebank.keeping import read_all
    from bistro.treebank.treebank import opened, parse_all

    with opened(path) as (stream, name):
        source = choose_format(name, stream, format, FORMATS)
        if source == "brackets":
            return read_all(stream, lambda: iter_trees(stream, name), memory_of_tree)
        return parse_all(stream, name, source, "any", partial=True)


def _number(name: str, most: int) -> int:
    if not name.isdecimal() or not 1 <= int(name) <= most:
        raise BistroError(f"there is no tree '{name}'; use a number from 1 to {most:,}")
    return int(name)
