"""Find the most probable word orders for the trees in a file, draw samples, or score orders."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

from bistro.errors import TreebankError
from bistro.models.abilities import Orderer
from bistro.models.results.structures import Linearization, Ties
from bistro.treebank.sentence import Sentence

Note = Callable[[str], None]
"""A function that receives notes for the user."""


def orders_of(
    model: Orderer,
    sentences: Iterable[Sentence],
    name: str,
    kbest: int,
    samples: int | None,
    seed: int,
    note: Note,
    *,
    ties: Ties = "random",
) -> Iterator[Linearization]:
    """Yield the word orders of all sentences, and finally report any omitted punctuation."""
    total, removed = 0, 0
    for sentence in sentences:
        try:
            if samples is None:
                results = model.linearize(sentence, kbest=kbest, seed=seed, ties=ties)
            else:
                results = model.sample_orders(sentence, samples, seed=seed)
        except TreebankError as error:
            raise error.in_file("<stdin>" if name == "-" else name) from None
        total += 1
        removed += len(sentence) - len(results[0].order)
        yield from results
    omitted = f"; {removed:,} punctuation marks left out ({model.rule})" if removed else ""
    note(f"{total:,} trees ordered{omitted}")


def score_rows(
    model: Orderer, sentences: Iterable[Sentence], name: str, note: Note, *, of_labels: bool
) -> Iterator[str]:
    """Yield a header and one row per sentence, and report the means at the end."""
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
    note(
        f"{number:,} sentences, {dependents:,} dependents: log-likelihood {total / number:.4f} "
        f"per sentence (natural), {bits_per_dependent(total, dependents):.4f} bits per dependent; "
        f"{model.order_protocol()}, orders of {'labels' if of_labels else 'words'}"
    )


def bits_per_dependent(log_prob: float, dependents: int) -> float:
    """Return the surprisal of a word order, in bits per dependent.

    The result is 0 if there are no dependents.
    """
    return -log_prob / math.log(2) / dependents if dependents else 0.0


def with_probability(result: Linearization, *, numbered: bool) -> Sentence:
    """Return the sentence.

    If `numbered` is true, a comment with the log-probability of the word order is added.
    """
    sentence = result.sentence
    if not numbered or sentence.format != "conllu":
        return sentence
    return sentence.replace(comments=[*sentence.comments, f"# log_prob = {result.log_prob:.6f}"])
