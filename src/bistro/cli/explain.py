"""`bistro explain`: show the counts and back-off levels behind a probability."""

from __future__ import annotations

import dataclasses
import io
import json
from typing import TYPE_CHECKING, Any

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import argument, option, say, write_table
from bistro.errors import BistroError
from bistro.files import write_text

if TYPE_CHECKING:
    from bistro.models.results.explanations import Decision, Explanation

FORMATS = ("text", "tsv", "json")
WIDE = 120
"""The width, in columns, of text that is written to a file or a pipe."""


def explain(
    model: str = common.MODEL,
    sentence: str | None = argument(
        "SENTENCE",
        "A sentence whose words are separated by spaces; a pipeline finds the words itself.",
        default=None,
    ),
    tree: str | None = option(
        "FILE", "Explain the first sentence of a treebank, with its tree, instead of SENTENCE."
    ),
    word: list[int] | None = option(
        "N", "Show the complete back-off chains of the Nth word (may be repeated)."
    ),
    member: str | None = option(
        "NAME",
        "Member of a committee or reader to explain; default: for a committee, the member with the "
        "highest weight; for a reader, the shares of all members.",
    ),
    train: str | None = option(
        "FILE", "The training data, which are used to show how often each context occurs."
    ),
    format: str = option("text|tsv|json", "Format of the output.", default="text"),
    output: str = outputs.results(outputs.LINES),
) -> None:
    """Show the counts and back-off levels behind the probability of a sentence.

    A model starts with the longest context seen in training and backs off to shorter and shorter
    contexts, down to the empty context. The output shows every decision and the contexts that
    contribute most to its probability. An n-gram model makes one decision per word; a parser
    decides on actions, labels, tags and words. With --word, complete chains are shown:

    - kinds, ways: the number of different outcomes seen in the context, and the number of longer
      contexts in which this outcome was seen
    - count, total: with --train, how often this outcome, and any outcome, occurs in the context
    - own, weight, p: the contribution of the context itself, the weight of the line above, and
      the sum p = own + weight * p above
    - share: the part of the final probability that comes from this context

    Models of the kinds ngram, transition and eisner can be explained. For a committee, the output
    shows how one of its transition or eisner models generates the committee's tree. For a reader,
    the output shows the probability of every word under each member, and the member's share of the
    mixture.

        bistro explain english.bistro "The dog sleeps ."
        bistro explain english.bistro "The dog sleeps ." --word 3 --train train.conllu
        bistro explain parser.bistro --tree gold.conllu --format tsv -o steps.tsv
    """
    if format not in FORMATS:
        raise BistroError(f"--format must be text, tsv or json, not '{format}'")
    trained = bistro.load(model)
    explanation = _explanation(trained, sentence, tree, train, member)
    decisions = _decisions(explanation, word)
    if format == "text":
        _write_text(explanation, decisions, output)
    else:
        _write_data(dataclasses.replace(explanation, decisions=decisions), format, output)
    say(explanation.protocol)


def _explanation(
    model: bistro.Model,
    text: str | None,
    tree: str | None,
    train: str | None,
    member: str | None,
) -> Explanation:
    from bistro.models.abilities import EXPLAIN
    from bistro.models.options import a_model
    from bistro.models.results.tokens import words_in
    from bistro.tasks.cutting import cutting

    if (text is None) == (tree is None):
        raise BistroError("specify either a SENTENCE or --tree FILE")
    explainer = EXPLAIN.of(model)
    sentence: Any = words_in(*cutting(model)([text])) if text is not None else None
    if tree is not None:
        sentences = list(bistro.read(tree, roots="any"))
        if not sentences:
            raise BistroError(f"{tree}: the file has no sentences to explain")
        sentence = sentences[0]
    elif not sentence:
        raise BistroError("SENTENCE has no words to explain")
    training = None if train is None else list(bistro.read(train, roots="any"))
    if member is not None and not hasattr(model, "member_names"):
        raise BistroError(f"{a_model(model.kind)} has no members: leave out --member")
    which: dict[str, Any] = {} if member is None else {"member": member}
    return explainer.explain(sentence, training, **which)


def _decisions(explanation: Explanation, places: list[int] | None) -> list[Decision]:
    """Return the decisions about the requested words, or all decisions if none are requested."""
    if not places:
        return explanation.decisions
    end = len(explanation.words) + 1
    for place in places:
        if not 1 <= place <= end:
            raise BistroError(
                f"--word {place}: give a number from 1 to {end - 1} for a word, or {end} for the "
                "end of the sentence"
            )
    return [decision for decision in explanation.decisions if decision.word in places]


def _write_text(explanation: Explanation, decisions: list[Decision], output: str) -> None:

    from bistro.report.explained import tables_of, tree_of

    whole = len(decisions) == len(explanation.decisions)
    parts = [tree_of(explanation)] if whole else tables_of(decisions)
    if output == "-":
        console = common.console(markup=True)
        if not console.is_terminal:
            console = common.console(markup=True, width=WIDE)
        console.print(*parts, sep="\n")
        return
    text = io.StringIO()
    common.console(markup=True, file=text, width=WIDE).print(*parts, sep="\n")
    write_text(output, text.getvalue())


def _write_data(explanation: Explanation, format: str, output: str) -> None:
    from bistro.models.results.explanations import DECISION_COLUMNS, LEVEL_COLUMNS

    if format == "tsv":
        columns = [*DECISION_COLUMNS, *LEVEL_COLUMNS]
        rows = ([_digits(row[name]) for name in columns] for row in explanation.rows())
        write_table(output, columns, rows)
        return
    figures = {**dataclasses.asdict(explanation), "log_prob": explanation.log_prob}
    write_text(output, json.dumps(figures, ensure_ascii=False, indent=2) + "\n")


def _digits(value: Any) -> Any:
    """Format a cell.

    Small probabilities are written with nine digits, and True is written as 1.
    """
    if isinstance(value, bool):
        return int(value)
    return f"{value:.9g}" if isinstance(value, float) else value
