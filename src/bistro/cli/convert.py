"""`bistro convert`: read a treebank, check it, and write it in the same or another format."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import bistro
from bistro.cli import outputs
from bistro.cli.common import argument, flag, option, say
from bistro.errors import ConfigError, OutputError, nearest
from bistro.progress import number_of

if TYPE_CHECKING:
    from bistro.treebank.conversion import Conversion

_SHOWN = 5
"""The maximum number of warnings of each type that are shown individually."""


def convert(
    input: str = argument("INPUT", "CoNLL-U, CoNLL-X, text or bracketed trees.", default="-"),
    output: str = outputs.results(outputs.TEXT),
    from_: str | None = option(
        "FORMAT",
        "Input format: conllu, conllx, text or brackets; by default chosen by suffix (.conllu; "
        ".conll, .conllx; .txt; .mrg) or content.",
        "--from",
    ),
    to: str | None = option(
        "FORMAT",
        "Output format: any format that --from accepts, or raw (running text with blank lines "
        "between paragraphs); default: the format that the suffix of OUT indicates, or else the "
        "format of INPUT.",
    ),
    projectivize: str | None = option(
        "head|path|head+path",
        "Make trees projective by lifting crossing arcs, and record the changes in the labels.",
    ),
    deprojectivize: str | None = option(
        "head|path|head+path",
        "Undo --projectivize by moving lifted arcs back as their labels specify.",
    ),
    roots: str | None = option(
        "one|any", "Number of roots per sentence; default: one in CoNLL-U, any number in CoNLL-X."
    ),
    partial: bool = flag("--partial", "Allow sentences in which only some words have heads."),
) -> None:
    """Read a treebank, check every sentence, and write the treebank unchanged or in another format.

    Without options, the output is identical to the input, byte for byte. OUT is created only if all
    of INPUT is valid, so this command is also a quick way to validate a file. A message on standard
    error reports how many values were changed, and how many values the new format cannot represent.

        bistro convert train.conllu.gz -o train.conll
        bistro convert train.conll -o train.conllu --roots any
        bistro convert train.conll --projectivize head -o projective.conll
        bistro convert parsed.conll --deprojectivize head -o final.conll
        bistro convert test.conllu --to raw -o test.txt
    """
    from bistro.treebank.brackets import write_trees

    conversion = _plan(roots=roots, projectivize=projectivize, deprojectivize=deprojectivize)
    items = _read(input, from_, to, output, partial, conversion)
    # The formats are known, and the first item is found valid, before anything is written.
    items = itertools.chain([next(items)], items)
    if conversion.to == "brackets":
        write_trees(items, output)
        return
    if conversion.to == "raw":
        _write_raw(items, output, conversion.path)
    else:
        bistro.write(items, output)
    _say_what_happened(conversion)


def _read(
    input: str,
    from_: str | None,
    to: str | None,
    output: str,
    partial: bool,
    conversion: Conversion,
) -> Iterator[Any]:
    """Yield the converted sentences or bracketed trees."""
    from bistro.treebank.brackets import iter_trees
    from bistro.treebank.detect import FORMATS, choose_format
    from bistro.treebank.treebank import opened, parse

    with opened(input) as (stream, path):
        source = choose_format(path, stream, from_, FORMATS)
        conversion.to = _target(source, to, output)
        conversion.path = path
        if source == "brackets":
            if conversion.projectivize or conversion.deprojectivize:
                raise ConfigError(
                    "bracketed trees have no arcs: --projectivize and --deprojectivize need "
                    "dependency trees"
                )
            yield from iter_trees(cast(Any, stream), path)
        else:
            sentences = parse(stream, path, source, conversion.roots, partial)
            yield from conversion.run(sentences)


def _plan(**choices: str | None) -> Conversion:
    """Check the options, and return the conversion that they describe."""
    from bistro.treebank.conversion import Conversion
    from bistro.treebank.projectivity import SCHEMES

    for name, value in choices.items():
        known = ("one", "any") if name == "roots" else SCHEMES
        if value is not None and value not in known:
            hint = nearest(value, known)
            raise ConfigError(
                f"--{name}: unknown value '{value}'{hint}; choose {' or '.join(known)}"
            )
    if choices["projectivize"] and choices["deprojectivize"]:
        raise ConfigError("--projectivize and --deprojectivize undo each other; choose one of them")
    return Conversion("", **cast(Any, choices))


def _target(source: str, to: str | None, output: str) -> str:
    from bistro.treebank.detect import WRITABLE_FORMATS, check_format, format_of_suffix, suffix_of

    known = format_of_suffix(output)
    if not (to or known) and suffix_of(output):
        raise OutputError(
            f"{output}: no format has this suffix; use .conllu, .conll, .txt or .mrg, or name the "
            "format with --to"
        )
    target = to or known or source
    check_format(target, WRITABLE_FORMATS)
    if target != source and "brackets" in (source, target):
        raise ConfigError(
            f"{source} cannot be converted to {target}: bracketed trees can be written only as "
            "bracketed trees; choose the same format for both files, with --from and --to if a "
            "suffix is misleading"
        )
    return target


def _write_raw(sentences: Iterator[Any], output: str, path: str | None) -> None:
    """Write running text, and report sentences whose `# text` contradicts their words."""
    from bistro.files import write_text
    from bistro.treebank.surface import RunningText

    text = RunningText(path)
    write_text(output, text.pieces(sentences))
    for message in text.contradictions[:_SHOWN]:
        say(f"warning: {message}; the words are written")
    if (more := len(text.contradictions) - _SHOWN) > 0:
        say(f"warning: {more:,} more sentences have a '# text' that contradicts their words")
    if count := text.spaces_from_text:
        say(f"{count:,} sentences have no SpaceAfter, so their spaces are taken from '# text'.")


def _say_what_happened(counts: Conversion) -> None:
    of_all = f"{counts.sentences_changed:,} of {counts.sentences:,} sentences"
    if counts.projectivize:
        say(f"Projectivized ({counts.projectivize}): lifted {counts.lifted:,} arcs in {of_all}.")
    if counts.deprojectivize:
        say(
            f"Deprojectivized ({counts.deprojectivize}): moved {counts.restored:,} arcs back and "
            f"left {counts.not_restored:,} unchanged (old head not found), in {of_all}."
        )
    if counts.sentences_without_tree:
        number = number_of(counts.sentences_without_tree, "sentence")
        say(f"No arcs were moved in {number} with missing heads.")
    lost = ", ".join(f"{count:,} {kind}" for kind, count in counts.lost.items() if count)
    if counts.converted:
        words = number_of(counts.words, "word")
        say(f"Converted {number_of(counts.converted, 'sentence')} with {words} to {counts.to}.")
        say(f"Lost in {counts.to}: {lost or 'nothing'}.")
