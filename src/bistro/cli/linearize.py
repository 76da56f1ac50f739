"""`bistro linearize`: find and score word orders for dependency trees."""

from __future__ import annotations

from typing import Literal

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import flag, option, say
from bistro.errors import BistroError
from bistro.files import write_text


def linearize(
    model: str = common.MODEL,
    input: str = common.INPUT,
    output: str = outputs.results(outputs.TEXT),
    best: bool = flag("--best", "Write the most probable order of each tree (the default)."),
    kbest: int | None = option("K", "Write the K most probable orders of each tree.", min=1),
    samples: int | None = option(
        "N", "Draw N random orders of each tree from the model.", "--samples", "--sample", min=1
    ),
    ties: Literal["random", "input"] = option(
        "random|input",
        "How to choose among equally probable orders: at random (--seed), or by preferring "
        "the order of the input.",
        default="random",
    ),
    score: bool = flag(
        "--score", "Write a table with the probability of the actual word order of each sentence."
    ),
    of_labels: bool = flag(
        "--of-labels", "With --score, do not distinguish between words with the same labels."
    ),
    text: bool = flag("--text", "Write only the words, with one sentence per line."),
    seed: int = common.SEED,
    format: str | None = common.FORMAT,
) -> None:
    """Order the words of dependency trees.

    The order of words in the input matters only with --ties input. Word numbers and heads are
    updated for the new order. Multiword tokens are kept if their words stay together. Empty nodes,
    enhanced graphs and spacing are left out. Punctuation is left out too, unless the model was
    trained with punctuation=kept. --score writes natural logarithms per sentence, and bits per
    dependent.

        bistro linearize order.bistro trees.conllu --text
        bistro linearize order.bistro trees.conllu --samples 5 --seed 2 -o drawn.conllu
        bistro linearize order.bistro test.conllu --score -o scores.tsv
    """
    from bistro.models.abilities import ORDER
    from bistro.tasks.linearize import orders_of, score_rows, with_probability
    from bistro.treebank.treebank import iter_sentences

    if ties == "input" and (samples is not None or score):
        raise BistroError(
            "--ties is for the most probable orders: leave it out if --samples or --score is given"
        )
    if sum((best, kbest is not None, samples is not None, score)) > 1:
        raise BistroError("give only one of --best, --kbest, --samples and --score")
    trained = ORDER.of(bistro.load(model))
    sentences = iter_sentences(input, format, roots="any")
    if score:
        write_text(output, score_rows(trained, sentences, input, say, of_labels=of_labels))
        return
    orders = orders_of(trained, sentences, input, kbest or 1, samples, seed, say, ties=ties)
    if text:
        write_text(output, (" ".join(result.sentence.forms) + "\n" for result in orders))
    else:
        numbered = kbest is not None or samples is not None
        bistro.write((with_probability(result, numbered=numbered) for result in orders), output)
