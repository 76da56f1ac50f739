"""A model of characters and hidden events finds the words and sentences in running text.

A text is a sequence of characters. The ends of words and sentences are hidden events between the
characters. The joint probability is given by a hierarchical Pitman-Yor n-gram model over characters
and hidden events.

    p(characters, events) = Π_i p(symbol_i | symbols before it)

The sum over all divisions of a text is exact, except for negligible histories
(`cpp/tokens/boundaries.hpp`). An event is predicted if it is more probable than its alternatives.
Every boundary has a probability, and no character of the text is lost.

>>> import bistro
>>> model = bistro.train("tokens", bistro.builtin(sentences=300, seed=1), seed=1)
>>> for sentence in model.tokenise("The dog sleeps. A cat sees it."):
...     print(sentence.forms)
['The', 'dog', 'sleeps', '.']
['A', 'cat', 'sees', 'it', '.']
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bistro._core import Automaton, Frozen
from bistro.encoding.characters import (
    BREAK,
    HIDDEN,
    SENTENCE_END,
    WORD_END,
    Characters,
    EncodedText,
)
from bistro.modelfile import Arrays
from bistro.models.base import Model, Origin, by_owner, flat, megabytes
from bistro.models.results.tokens import CutToken, TextSentence
from bistro.models.tokens.around import OPINIONS, Around
from bistro.models.tokens.blocks import TextCutter
from bistro.models.tokens.cells import CellCutter, inner_ends
from bistro.models.tokens.config import TokensConfig
from bistro.models.tokens.events import allowed_events
from bistro.models.tokens.splits import SPLITS, Splits
from bistro.treebank.sentence import Sentence

CHARACTERS = "characters"
AROUND = "around"
LEAST_EVENT = LEAST_SHARE = 1e-5
MOST_HISTORIES = 8


@dataclass(eq=False, repr=False)
class TokensModel(Model):
    """A trained model that finds words and sentences in running text."""

    kind: ClassVar[str] = "tokens"

    config: TokensConfig
    characters: Characters
    character_arrays: Arrays
    """The arrays of the frozen distribution of characters and events."""
    splits: Splits | None
    """The model that splits tokens into words, if some tokens consist of several words."""
    around: Around
    """The second model of word and sentence ends, which uses the text on both sides."""
    origin: Origin

    def __post_init__(self) -> None:
        self._frozen = Frozen(**self.character_arrays, dishes=len(self.characters))
        self._automaton = Automaton(self._frozen, HIDDEN)

    def tokenise(
        self, text: str | Iterable[str], *, line_ends: bool = False
    ) -> Iterator[TextSentence]:
        """Yield the sentences of a text, which may be given in pieces.

        With `line_ends`, every line break ends a sentence. Without `line_ends`, only blank lines
        are certain to end a sentence.
        """
        cutter = TextCutter(self.characters, self.boundaries, self.splits)
        return cutter.sentences(text, line_ends=line_ends)

    def cut_cells(self, cells: Sequence[str]) -> list[list[CutToken]]:
        """Return the tokens in each cell of a sentence, with their words.

        The result is the same for running text, for spaces as in a treebank, and for cells of
        any size (`bistro.models.tokens.cells`).
        """
        cutter = CellCutter(lambda text: list(self.tokenise(text)), self.log_prob, self._word_end)
        return cutter.tokens(cells)

    def log_prob(self, text: str) -> float:
        """Return the log of a text's probability, which is summed over all divisions into words."""
        return self._sums(self.characters.encode(text))[1]

    def _word_end(self, text: str, place: int) -> float:
        """Return the probability that a word ends at a position.

        The result is 0 if no word ends at that position in the best division of the text.
        """
        for sentence in self.tokenise(text):
            columns = (sentence.starts, sentence.forms, sentence.words, sentence.word_probabilities)
            for start, form, words, probability in zip(*columns, strict=True):
                inside = place - start in inner_ends(form, words)
                if start == place or inside:
                    encoded = self.characters.encode(text)
                    symbol = int(np.searchsorted(encoded.places, place)) - 1
                    events = self.boundaries(encoded)[symbol]
                    ends = float(events[[WORD_END, SENTENCE_END]].sum())
                    return ends + (1 - ends) * probability if inside else ends
        return 0.0

    def boundaries(self, text: EncodedText) -> NDArray[np.float32]:
        """Return the probabilities of the hidden events after each symbol of a text."""
        probabilities = self._sums(text)[0]
        self.around.correct(text, probabilities)
        return probabilities

    def _sums(self, text: EncodedText) -> tuple[NDArray[np.float32], float]:
        """Return the probabilities of hidden events given only characters, and log p(text)."""
        probabilities, log_prob = self._automaton.boundaries(
            text.symbols,
            allowed_events(text.symbols),
            before=np.array([BREAK], np.int32),
            after=BREAK,
            least_event=LEAST_EVENT,
            least_share=LEAST_SHARE,
            most=MOST_HISTORIES,
        )
        return probabilities.reshape(-1, len(HIDDEN)), log_prob

    def figures(self, items: Sequence[Sentence]) -> dict[str, float]:
        """Return the F1 scores of tokens, sentences and words, in percent."""
        from bistro.models.tokens.figures import text_figures

        return text_figures(self.tokenise, items)

    def header(self) -> dict[str, Any]:
        """Return the characters, the contexts of boundaries, and the rules that split tokens."""
        known = {"plain": self.characters.plain, "addresses": self.characters.addresses}
        around = {AROUND: self.around.header()} if self.around.choices else {}
        splits = {SPLITS: self.splits.header()} if self.splits else {}
        return {"characters": known, **around, **splits}

    def arrays(self) -> Arrays:
        """Return the arrays of all distributions: characters, ends, and rules that split tokens."""
        parts = {CHARACTERS: self.character_arrays, **self.around.parts()}
        return flat(parts | ({SPLITS: self.splits.choice.arrays} if self.splits else {}))

    @classmethod
    def from_parts(
        cls, config: TokensConfig, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Restore the model from a file."""
        parts = by_owner(arrays, [CHARACTERS, SPLITS, *OPINIONS])
        splits = Splits.from_parts(header[SPLITS], parts[SPLITS]) if SPLITS in header else None
        characters = Characters(**header["characters"])
        # Files of earlier versions have only characters.
        around = Around.from_parts(header.get(AROUND, {}), parts)
        return cls(config, characters, parts[CHARACTERS], splits, around, origin)

    def summary(self) -> dict[str, Any]:
        """Return the n-gram order, the alphabet size and the model size."""
        return {
            "order": self.config.order,
            "characters": len(self.characters.plain),
            "rules for the words of tokens": len(self.splits.rules) - 1 if self.splits else 0,
            "megabytes": megabytes(self.arrays()),
        }
