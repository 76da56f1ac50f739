"""Notes on words that are unknown to a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bistro.cli.common import say
from bistro.errors import first_few

FEWEST_IN_LOWER_CASE = 3
"""A note on upper case requires at least this many words that are known in lower case."""
LEAST_IN_LOWER_CASE = 0.5
"""These words must also make up at least this proportion of the unknown words."""


def tell_unknown(words: Iterable[str], what: str, meaning: str = "") -> None:
    """List unknown words.

    `what` says which words these are, and `meaning` says how the model scores them.
    """
    different = list(dict.fromkeys(words))
    if different:
        say(f"{what} unknown to the model: {quoted_words(different)}{meaning}")


def quoted_words(words: Iterable[str]) -> str:
    """Return the first few words in quotation marks, and the number of remaining words.

    The quotation marks make attached punctuation visible.

    >>> quoted_words(["xyzzy", "plugh"])
    "'xyzzy', 'plugh'"
    >>> quoted_words(list("abcdefg"))
    "'a', 'b', 'c', 'd', 'e' and 2 more"
    """
    return first_few(f"'{word}'" for word in words)


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
