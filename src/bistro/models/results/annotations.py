"""Conversion of a pipeline's results to CoNLL-U columns."""

from __future__ import annotations

from collections.abc import Sequence

from bistro.models.results.columns import FilledColumns, alternatives_to
from bistro.models.results.parses import Marginals, Parse, head_probability, plain_label
from bistro.sums import added
from bistro.treebank.fields import EMPTY
from bistro.treebank.probabilities import KEYS, put_probabilities
from bistro.treebank.sentence import Sentence


def with_tree(parse: Parse, tag_column: str, tags: Sequence[str]) -> Sentence:
    """Return the parsed sentence with its best tree and the given tags."""
    best = parse.analyses[0]
    return parse.sentence.replace(heads=best.heads, deprels=best.labels, **{tag_column: tags})


def with_columns(sentence: Sentence, filled: FilledColumns) -> Sentence:
    """Return the sentence with its columns replaced by the predicted columns."""
    return sentence.replace(**filled.columns)


def with_probabilities(
    sentence: Sentence, parse: Parse, filled: FilledColumns, alternatives: int = 0
) -> Sentence:
    """Return the sentence with the probability of every predicted value in its MISC column.

    `alternatives` is the maximum number of alternative values per column.
    """
    if parse.marginals is None:
        return sentence
    misc = []
    for word, old in enumerate(sentence.misc):
        head, label = sentence.heads[word], sentence.deprels[word]
        values = {KEYS["heads"]: head_probability(sentence.heads, word, head, parse.marginals)}
        if label != EMPTY:
            listed = parse.marginals.labels[word]
            values[KEYS["deprels"]] = added(p for name, p in listed if plain_label(name) == label)
        for name, column in filled.probabilities.items():
            values[KEYS[name]] = column[word]
        others = {name: rows[word] for name, rows in filled.alternatives.items()}
        if alternatives:
            arcs = other_arcs(parse.marginals, word, (head, label), alternatives)
            others = {**arcs, **others}
        clipped = {key: min(p, 1.0) for key, p in values.items()}
        misc.append(put_probabilities(old, clipped, others))
    return sentence.replace(misc=misc)


def other_arcs(
    marginals: Marginals, word: int, arc: tuple[int, str], most: int
) -> dict[str, list[tuple[str, float]]]:
    """Return the most probable alternatives to the head and the label of a word."""
    heads = {str(head): p for head, p in marginals.heads[word]}
    labels: dict[str, float] = {}
    for name, p in marginals.labels[word]:
        labels[plain_label(name)] = labels.get(plain_label(name), 0.0) + p
    head, label = arc
    return {
        "heads": alternatives_to(str(head), heads, most),
        "deprels": alternatives_to(label, labels, most),
    }
