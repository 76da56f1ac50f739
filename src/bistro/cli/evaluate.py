"""`bistro evaluate`: attachment and tag scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bistro.cli.common import JsonOption, print_json

if TYPE_CHECKING:
    from bistro.evaluate.attachment import AttachmentScores


def evaluate(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="The right trees.")],
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="The same words, parsed.")],
    json: JsonOption = False,
    punct: Annotated[
        str | None,
        typer.Option(
            "--punct",
            metavar="upos|penn|unicode",
            help="What punctuation is: the tag PUNCT, the Penn tags `` '' , . : or words of "
            "Unicode punctuation. Default: what fits the tags of GOLD.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Compare the trees and tags of SYSTEM with those of GOLD, word by word.

    Printed in percent, under both conventions of the field, each beside its figures: that of
    Universal Dependencies (all words count, subtypes of relations are ignored), which agrees with
    the official scorer, and the older one that leaves punctuation out. Both files, CoNLL-U or
    CoNLL-X, must have the same words.

        bistro evaluate test.conllu parsed.conllu
        bistro evaluate test.conll parsed.conll --punct unicode --json
    """
    from bistro.evaluate.attachment import score
    from bistro.treebank.treebank import iter_sentences

    scores = score(
        iter_sentences(gold),
        # A parser may leave words out or give several roots: that costs points, it is no error.
        iter_sentences(system, roots="any", partial=True),
        punct,
        gold_name=gold,
        system_name=system,
    )
    if json:
        print_json({"gold": gold, "system": system, **scores.to_dict()})
    else:
        _print_table(scores, f"{system} against {gold}")


def _print_table(scores: AttachmentScores, title: str) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("score", title=title)
    table.add_column("percent", justify="right", no_wrap=True)
    table.add_column("words", justify="right")
    table.add_column("what is counted")
    ud = (
        ("UAS", "uas", "heads; all words, punctuation included (UD)"),
        ("LAS", "las", "heads and relations without subtypes; all words (UD)"),
        ("CLAS", "clas", "the same, content words of gold and system, F1 (UD)"),
        ("UPOS", "upos", "universal tags; all words (UD)"),
        ("XPOS", "xpos", "treebank's own tags; all words (UD)"),
        ("UFeats", "ufeats", "universal features; all words (UD)"),
        ("AllTags", "alltags", "UPOS, XPOS and UFeats at once; all words (UD)"),
    )
    for label, name, told in ud:
        shown = _show(getattr(scores, name), scores.unavailable.get(name))
        words = scores.content_words if name == "clas" else scores.words
        table.add_row(label, shown, "" if name in scores.unavailable else f"{words:,}", told)
    table.add_section()
    for label, name, told in (("UAS", "uas", "heads"), ("LAS", "las", "heads and relations")):
        shown = _show(getattr(scores.no_punct, name), scores.unavailable.get(name))
        protocol = f"{told}; {scores.protocol['no_punct']}"
        table.add_row(f"{label} np", shown, f"{scores.no_punct.words:,}", protocol)
    Console(highlight=False).print(table)
    Console(highlight=False).print(f"{scores.words:,} words in {scores.sentences:,} sentences")


def _show(score: float | None, reason: str | None) -> str:
    if score is None:
        return f"n/a ({reason or 'no such words'})"
    return f"{score:.2f}"
