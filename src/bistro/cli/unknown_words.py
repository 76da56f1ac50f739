"""Notes on words that are unknown to a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

MOST_SHOWN = 5
"""The maximum number of unknown words that a note lists."""
FEWEST_IN_LOWER_CASE = 3
"""The least number of words that are known in lower case, for a note on upper case."""
LEAST_IN_LOWER_CASE = 0.5
"""Their least share of the unknown words."""


def quoted_words(words: Sequence[str]) -> str:
    """Return the first few words in quotation marks, and the number of the others.

    >>> quoted_words(["xyzzy", "plugh"])
    "'xyzzy', 'plugh'"
    >>> quoted_words(list("abcdefg"))
    "'a', 'b', 'c', 'd', 'e' and 2 more"
    """
    shown = ", ".join(f"'{word}'" for word in words[:MOST_SHOWN])
    return f"{shown} and {len(words) - MOST_SHOWN:,} more" if len(words) > MOST_SHOWN else shown


def case_note(unknown: Sequence[str], is_unknown: Callable[[str], bool]) -> str | None:
    """Return a note if many of the unknown words are known in lower case, otherwise None.

    Parameters
    ----------
    unknown
        The unknown words, without repetitions.
    is_unknown
        Whether a word is unknown to the model.
    """
    known = [word for word in unknown if word != word.lower() and not is_unknown(word.lower())]
    if len(known) < max(FEWEST_IN_LOWER_CASE, LEAST_IN_LOWER_CASE * len(unknown)):
        return None
    return (
        f"{len(known):,} of {len(unknown):,} different unknown words are known in lower case, such "
        f"as '{known[0].lower()}' for '{known[0]}': write the sentences in upper "
        "and lower case as in ordinary text"
    )
