"""`bistro linearize`: orders of dependency trees, and how probable an order is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from bistro.cli.common import (
    FormatOption,
    InputArgument,
    ModelArgument,
    OutputOption,
    SeedOption,
    say,
)
from bistro.errors import BistroError, TreebankError

if TYPE_CHECKING:
    from bistro.models.linearize.model import Linearization, LinearizeModel
    from bistro.treebank.sentence import Sentence


def linearize(
    model: ModelArgument,
    input: InputArgument = "-",
    output: OutputOption = "-",
    best: Annotated[
        bool, typer.Option("--best", help="The most probable order of each tree (the default).")
    ] = False,
    kbest: Annotated[
        int | None, typer.Option("--kbest", metavar="K", min=1, help="The K most probable orders.")
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option("--samples", "--sample", metavar="N", min=1, help="Draw N orders of each."),
    ] = None,
    score: Annotated[
        bool,
        typer.Option("--score", help="A table: how probable each sentence's own order is."),
    ] = False,
    of_labels: Annotated[
        bool,
        typer.Option(
            "--of-labels", help="--score: words with the same labels are one and the same."
        ),
    ] = False,
    text: Annotated[bool, typer.Option("--text", help="Words, a sentence a line.")] = False,
    seed: SeedOption = 1,
    format: FormatOption = None,
) -> None:
    """Order the words of dependency trees; the order they come in is not looked at.

    Heads and numbers follow the words. Multiword tokens stay where their words stay together;
    empty nodes, enhanced graphs and spacing are left out, and so is punctuation, unless the model
    was trained with punctuation=kept. --score writes natural logarithms a sentence, and bits a
    dependent.

        bistro linearize order.bistro trees.conllu --text
        bistro linearize order.bistro trees.conllu --samples 5 --seed 2 -o drawn.conllu
        bistro linearize order.bistro test.conllu --score -o scores.tsv
    """
    from bistro.files import writing
    from bistro.models.base import load
    from bistro.models.linearize.model import LinearizeModel
    from bistro.treebank.treebank import encoded, iter_sentences

    if sum((best, kbest is not None, samples is not None, score)) > 1:
        raise BistroError("give one of --best, --kbest, --samples and --score")
    trained = load(model)
    if not isinstance(trained, LinearizeModel):
        raise BistroError(
            f"{model}: is of kind '{trained.kind}', which cannot order words: train one with "
            "bistro train linearize"
        )
    sentences = iter_sentences(input, format)
    with writing(output) as stream:
        if score:
            for row in score_rows(trained, sentences, input, of_labels=of_labels):
                stream.write(row.encode())
            return
        found = orders_of(trained, sentences, input, kbest or 1, samples, seed)
        if text:
            for result in found:
                stream.write((" ".join(result.sentence.forms) + "\n").encode())
        else:
            numbered = kbest is not None or samples is not None
            for piece in encoded(_with_probability(r, numbered=numbered) for r in found):
                stream.write(piece)


def orders_of(
    model: LinearizeModel,
    sentences: Iterable[Sentence],
    name: str,
    kbest: int,
    samples: int | None,
    seed: int,
) -> Iterator[Linearization]:
    """Yield the orders of all sentences, and say at the end what was left out."""
    total, removed = 0, 0
    for sentence in sentences:
        try:
            if samples is None:
                results = model.linearize(sentence, kbest=kbest, seed=seed)
            else:
                results = model.sample_orders(sentence, samples, seed=seed)
        except TreebankError as error:
            raise error.in_file("<stdin>" if name == "-" else name) from None
        total += 1
        removed += len(sentence) - len(results[0].order)
        yield from results
    told = f"; {removed:,} punctuation marks left out ({model.rule})" if removed else ""
    say(f"{total:,} trees ordered{told}")


def score_rows(
    model: LinearizeModel, sentences: Iterable[Sentence], name: str, *, of_labels: bool
) -> Iterator[str]:
    """Yield a header and a row a sentence; say the means at the end."""
    yield "sentence\tdependents\tlog_prob\tbits_per_dependent\n"
    total, dependents, number = 0.0, 0, 0
    for number, sentence in enumerate(sentences, start=1):
        try:
            score = model.score_order(sentence, of_labels=of_labels)
        except TreebankError as error:
            raise error.in_file("<stdin>" if name == "-" else name) from None
        total += score.log_prob
        dependents += score.dependents
        bits = bits_per_dependent(score.log_prob, score.dependents)
        label = sentence.sent_id or str(number)
        yield f"{label}\t{score.dependents}\t{score.log_prob:.6f}\t{bits:.6f}\n"
    say(
        f"{number:,} sentences, {dependents:,} dependents: log-likelihood {total / number:.4f} a "
        f"sentence (natural), {bits_per_dependent(total, dependents):.4f} bits a dependent; "
        f"punctuation {model.config.punctuation}, orders of {'labels' if of_labels else 'words'}"
    )


def bits_per_dependent(log_prob: float, dependents: int) -> float:
    """Return the information in an order; of a word alone, 0 bits."""
    return -log_prob / math.log(2) / dependents if dependents else 0.0


def _with_probability(result: Linearization, *, numbered: bool) -> Sentence:
    """Return the sentence with its log-probability as a comment, where there is more than one."""
    sentence = result.sentence
    if not numbered or sentence.format != "conllu":
        return sentence
    return sentence.replace(comments=[*sentence.comments, f"# log_prob = {result.log_prob:.6f}"])
