"""Split text into words, either with a learned tokeniser or at spaces and punctuation.

A sentence is a single text, or several table cells, each of which is split separately. A model that
has learned to tokenise from its treebank (a pipeline) splits text itself. For other models, text is
split at spaces. On request, punctuation is also split from the ends of words.

>>> cut = at_punctuation(["He", "said:", "Don't!"])
>>> [[token.form for token in cell] for cell in cut]
[['He'], ['said', ':'], ["Don't", '!']]
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

from bistro.errors import TreebankError
from bistro.models.abilities import SCORE, TOKENISE
from bistro.models.annotating import cut_sentences
from bistro.models.base import Model
from bistro.models.results.tokens import CutToken
from bistro.tasks.annotate import checked_text
from bistro.treebank.invisible import is_invisible, seen
from bistro.treebank.treebank import Source, opened

Cutting = Callable[[Sequence[str]], list[list[CutToken]]]
"""A function that splits the cells of one sentence and returns the tokens of each cell."""


def cutting(model: Model, split_punct: bool | None = None, *, default: bool = False) -> Cutting:
    """Return the function that splits text into words for a model.

    Parameters
    ----------
    model
        The model. If the model can tokenise text, its own tokeniser is used unless `split_punct` is
        false.
    split_punct
        Whether punctuation is split from words; None chooses the default of the command.
    default
        The meaning of None for a model that cannot tokenise.
    """
    if split_punct is not False and TOKENISE.is_of(model):
        return TOKENISE.of(model).cut_cells
    if not (split_punct or (split_punct is None and default)):
        return at_spaces
    if not SCORE.is_of(model):
        return at_punctuation
    vocabulary = SCORE.of(model).vocabulary
    return lambda cells: at_punctuation(cells, lambda word: not vocabulary.is_unknown(word))


def common_cutting(models: Sequence[Model], split_punct: bool | None = None) -> Cutting:
    """Return one function that splits text for all models, so that all models score the same words.

    The function is the tokeniser of the first model that has one, such as a pipeline. If no model
    has a tokeniser, punctuation is split from words unless `split_punct` is false.
    """
    first = next((model for model in models if TOKENISE.is_of(model)), models[0])
    return cutting(first, split_punct, default=True)


def at_spaces(cells: Sequence[str]) -> list[list[CutToken]]:
    """Split text into words at spaces."""
    return [[CutToken(word, (word,)) for word in cell.split()] for cell in cells]


def _never(word: str) -> bool:
    return False


def at_punctuation(
    cells: Sequence[str], is_known: Callable[[str], bool] = _never
) -> list[list[CutToken]]:
    """Split text at spaces, and split punctuation from the ends of words."""
    return [
        [CutToken(part, (part,)) for word in cell.split() for part in split_word(word, is_known)]
        for cell in cells
    ]


def split_word(word: str, is_known: Callable[[str], bool] = _never) -> list[str]:
    """Split punctuation from both ends of a word. A known abbreviation keeps its full stop.

    >>> split_word('"Stop!"'), split_word("don't"), split_word("...")
    (['"', 'Stop', '!', '"'], ["don't"], ['...'])
    >>> split_word('"Mr.', {"Mr."}.__contains__), split_word("U.S.,", {"U.S."}.__contains__)
    (['"', 'Mr.'], ['U.S.', ','])
    """
    marks = [unicodedata.category(character).startswith("P") for character in word]
    if all(marks):
        return [word]
    first, last = marks.index(False), len(word) - marks[::-1].index(False)
    if word[last : last + 1] == "." and is_known(word[first : last + 1]):
        last += 1
    return [*word[:first], word[first:last], *word[last:]]


def visible(word: str, path: str | None = None, line: int | None = None) -> str:
    """Remove the zero-width characters from a word. Raise an error if nothing remains."""
    if is_invisible(word):
        codes = " ".join(f"U+{ord(character):04X}" for character in word)
        problem = f"a word is invisible ({codes}): remove it, or join it to its neighbour"
        raise TreebankError(problem, path=path, line=line)
    return seen(word)


def visible_text(text: str, path: str | None = None, line: int | None = None) -> str:
    """Remove the zero-width characters from a text.

    `path` and `line` are used in error messages.
    """
    return " ".join(visible(word, path, line) for word in text.split())


def file_sentences(model: Model, source: Source) -> list[list[CutToken]]:
    """Return the tokens of each sentence that a model finds in a file of running text."""
    with opened(source) as (stream, path):
        sentences = list(cut_sentences(TOKENISE.of(model), checked_text(stream, path)))
        if not sentences:
            raise TreebankError("the file is empty: expected at least one sentence", path=path)
    return sentences
