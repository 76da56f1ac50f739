"""Example sentences with the most certain, the most doubtful and the least accurate trees.

The certainty of a tree is the mean probability of its heads, which is the expected share of correct
heads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from bistro.pictures.text import is_right_to_left
from bistro.report.accuracy import Tested
from bistro.report.comparison import LEGEND, draw_comparison
from bistro.report.html import figure, heading, paragraph, protocol
from bistro.treebank.probabilities import KEYS, read_probabilities
from bistro.treebank.sentence import Sentence

SHOWN = range(8, 15)
"""The preferred lengths, in words, of the sentences in the pictures."""
EACH = 2


def example_blocks(tested: Tested) -> list[str]:
    """Return pictures of example sentences, each with the gold and the predicted tree."""
    sure = [head_probabilities(sentence) for sentence in tested.predicted]
    right = [
        fmean(a == b for a, b in zip(gold.heads, predicted.heads, strict=True))
        for gold, predicted in zip(tested.gold, tested.predicted, strict=True)
    ]
    drawn = [i for i, gold in enumerate(tested.gold) if len(gold) in SHOWN]
    drawn = drawn or sorted(range(len(right)), key=lambda i: len(tested.gold[i]))[: 3 * EACH]
    mean = [fmean(values) if values else 1.0 for values in sure]
    orders: dict[str, Callable[[int], tuple[float, ...]]] = {
        "Surest": lambda i: (-round(mean[i], 2), -len(tested.gold[i]), i),
        "Most doubtful": lambda i: (round(mean[i], 2), -len(tested.gold[i]), i),
        "Most wrong": lambda i: (round(right[i], 1), -len(tested.gold[i]), i),
    }
    blocks = [paragraph(LEGEND)]
    taken: set[int] = set()
    for name, order in orders.items():
        numbers = sorted((i for i in drawn if i not in taken), key=order)[:EACH]
        taken.update(numbers)
        pictures = [
            figure(_picture(tested, i, sure[i]), _caption(tested.gold[i], mean[i], right[i]))
            for i in numbers
        ]
        blocks += [heading(name), *pictures] if pictures else []
    description = (
        f"The examples have {SHOWN[0]} to {SHOWN[-1]} words, if the file has sentences of these "
        f"lengths. {tested.protocol}."
    )
    return [*blocks, protocol(description)]


def head_probabilities(sentence: Sentence) -> list[float]:
    """Return the probability of every head, or an empty list if the probabilities are unknown."""
    values = [p for p in read_probabilities(sentence, KEYS["heads"]) if p is not None]
    return values if len(values) == len(sentence) else []


def _picture(tested: Tested, number: int, sure: Sequence[float]) -> str:
    gold, predicted = tested.gold[number], tested.predicted[number]
    tags: list[str] = getattr(predicted, tested.tag_column)
    return draw_comparison(
        gold.forms,
        (gold.heads, gold.deprels),
        (predicted.heads, predicted.deprels),
        tags if any(tag != "_" for tag in tags) else None,
        probabilities=sure or None,
        rtl=is_right_to_left(gold.forms),
    )


def _caption(gold: Sentence, mean: float, right: float) -> str:
    name = f"{gold.sent_id}: " if gold.sent_id else ""
    return (
        f"{name}{100 * mean:.0f} % of the heads are expected to be correct, and "
        f"{100 * right:.0f} % ({round(right * len(gold))} of {len(gold)}) are correct."
    )
