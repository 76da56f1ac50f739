"""Notes of `bistro effects` on sentences and items that are left out, and on unknown words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from bistro.errors import first_few
from bistro.progress import number_of

if TYPE_CHECKING:
    from bistro.evaluate.effects import Effect
    from bistro.evaluate.items import ItemSentence


def left_out_notes(sentences: Sequence[ItemSentence], conditions: tuple[str, str]) -> Iterator[str]:
    """Yield notes that name the sentences and items that are left out."""
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


def unknown_note(
    model: str, effects: Sequence[Effect], is_unknown: Callable[[str], bool]
) -> Iterator[str]:
    """Yield a note that names the unknown words of critical regions, if there are any.

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
    shown = first_few(f"'{word}'" for word in words)
    yield (
        f"{model} does not know a word of the critical region of {items} "
        f"(column unknown): {shown}{_case(words, is_unknown)}"
    )


def _case(words: Sequence[str], is_unknown: Callable[[str], bool]) -> str:
    """Return a remark if at least half of the unknown words are known in lower case."""
    known = sum(word != word.lower() and not is_unknown(word.lower()) for word in words)
    if 2 * known < len(words):
        return ""
    return f"; known in lower case: {known:,} of {len(words):,}, so check the case of the sentences"
