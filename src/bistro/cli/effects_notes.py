"""Notes in `bistro effects` on sentences and items that are left out, and on unknown words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from bistro.cli.unknown_words import case_note, quoted_words
from bistro.errors import first_few
from bistro.progress import number_of

if TYPE_CHECKING:
    from bistro.evaluate.effects import Effect
    from bistro.evaluate.items import ItemSentence


def left_out_notes(sentences: Sequence[ItemSentence], conditions: tuple[str, str]) -> Iterator[str]:
    """Yield notes that list the omitted sentences and items."""
    from bistro.evaluate.items import incomplete_items

    lines = [str(sentence.line) for sentence in sentences if not sentence.regions]
    if lines:
        places = f"{'line' if len(lines) == 1 else 'lines'} {first_few(lines)}"
        yield f"sentences without a critical region, left out: {len(lines):,} ({places})"
    items = incomplete_items(sentences, conditions)
    if items:
        reasons = (f"item {item}: {' and '.join(own)}" for item, own in items.items())
        yield (
            "items without the same critical regions in both conditions, left out: "
            f"{len(items):,} ({first_few(reasons, '; ')})"
        )


def unknown_notes(
    model: str, effects: Sequence[Effect], is_unknown: Callable[[str], bool]
) -> Iterator[str]:
    """Yield a note that lists the unknown words in critical regions, and a note on their case.

    Parameters
    ----------
    model
        The name of the model.
    effects
        The effects of the model.
    is_unknown
        Whether a word is unknown to the model.
    """
    pairs = [pair for effect in effects for pair in effect.pairs if pair.unknown_words]
    if not pairs:
        return
    items = number_of(len({(pair.first.group, pair.first.item) for pair in pairs}), "item")
    words = list(dict.fromkeys(word for pair in pairs for word in pair.unknown_words))
    yield (
        f"{model} does not know a word in the critical region of {items} "
        f"(column unknown): {quoted_words(words)}"
    )
    if note := case_note(words, is_unknown):
        yield note
