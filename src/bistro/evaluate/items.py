"""The sentences of an experiment, with their items, conditions and critical regions.

>>> sentences = [
...     ItemSentence(2, "1", "reduced", "all", ("1",)),
...     ItemSentence(3, "1", "full", "all", ("1",)),
...     ItemSentence(4, "2", "reduced", "all", ("1",)),
... ]
>>> conditions_of(sentences)
('reduced', 'full')
>>> incomplete_items(sentences, ("reduced", "full"))
{'2': ['no sentence in condition full']}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bistro.errors import BistroError
from bistro.tasks.stimuli import MISSING, Stimulus, Table


@dataclass(frozen=True)
class ItemSentence:
    """A sentence of an item in one condition."""

    line: int
    """The line number of the sentence in its table."""
    item: str
    condition: str
    group: str
    """The group to which the item belongs. Effects are computed separately for each group."""
    regions: tuple[str, ...]
    """The indices of the critical regions. Sentences such as fillers have none."""


def item_sentences(
    table: Table, stimuli: Sequence[Stimulus], columns: Mapping[str, str | None]
) -> list[ItemSentence]:
    """Return the sentences in a table.

    Parameters
    ----------
    table
        The table of the stimuli.
    stimuli
        Its sentences, whose last cell names the region.
    columns
        The columns item, condition and group; without a column, all rows have the same value.
    """
    names = (columns["item"], columns["condition"], columns["group"])
    places = [None if name is None else table.column(name) for name in names]
    sentences = []
    for (line, cells), stimulus in zip(table.rows, stimuli, strict=True):
        item, condition, group = (
            "all" if place is None else cells[place].strip() for place in places
        )
        regions = tuple(own[-1] for own in stimulus.cells if own[-1] != MISSING)
        sentences.append(ItemSentence(line, item, condition, group, regions))
    return sentences


def conditions_of(
    sentences: Sequence[ItemSentence], names: Sequence[str] | None = None
) -> tuple[str, str]:
    """Return the two named conditions, or the only two conditions that have critical regions.

    Unless the conditions are named, they are returned in the order in which they first appear, with
    or without a region.
    """
    with_regions = {sentence.condition for sentence in sentences if sentence.regions}
    order = dict.fromkeys(sentence.condition for sentence in sentences)
    known = [condition for condition in order if condition in with_regions]
    if not known:
        raise BistroError(
            "no sentence has a critical region: mark regions with [brackets], or name their column "
            "with --critical COLUMN"
        )
    pair = known if names is None else list(names)
    if len(pair) != 2 or len(set(pair)) != 2 or not set(pair) <= set(known):
        raise BistroError(
            "an effect needs two conditions: name them, as in --conditions A,B; the conditions "
            f"with critical regions are {', '.join(known)}"
        )
    first, second = pair
    return first, second


def incomplete_items(
    sentences: Iterable[ItemSentence], conditions: tuple[str, str]
) -> dict[str, list[str]]:
    """Return the items that lack a region in at least one condition, with the reasons.

    An item does not contribute to the effect in a region that it lacks.
    """
    items: dict[str, dict[str, ItemSentence]] = {}
    for sentence in sentences:
        if sentence.condition in conditions:
            own = items.setdefault(sentence.item, {})
            if sentence.regions or sentence.condition not in own:
                own[sentence.condition] = sentence
    reasons = {item: _reasons(own, conditions) for item, own in items.items()}
    return {item: own for item, own in reasons.items() if own}


def _reasons(sentences: Mapping[str, ItemSentence], conditions: tuple[str, str]) -> list[str]:
    """Return the reasons why the sentences of an item, keyed by condition, do not form a pair."""
    regions = {region for sentence in sentences.values() for region in sentence.regions}
    reasons = []
    for condition in conditions:
        sentence = sentences.get(condition)
        if sentence is None:
            reasons.append(f"no sentence in condition {condition}")
        elif not sentence.regions:
            reasons.append(f"no critical region in line {sentence.line}")
        elif absent := sorted(regions.difference(sentence.regions), key=int):
            reasons.append(f"no region {' or '.join(absent)} in line {sentence.line}")
    if not reasons and len({sentence.group for sentence in sentences.values()}) > 1:
        first, second = sorted(sentence.line for sentence in sentences.values())
        reasons.append(f"lines {first} and {second} are in different groups")
    return reasons
