"""The possible hidden events between the symbols of a text, and the most probable of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bistro.encoding.characters import BREAK, SPACE

# The possible events after a character, as bits: none, word end, sentence end, word continues.
_IN_WORD, _BEFORE_SPACE, _BEFORE_BREAK, _NOTHING = 0b0111, 0b1101, 0b0100, 0b0001
_HALF = 0.5001


def allowed_events(symbols: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Return the hidden events that may follow each symbol, as bit masks."""
    after = np.append(symbols[1:], np.int32(BREAK))
    allowed = np.full(symbols.size, _IN_WORD, np.uint8)
    allowed[after == SPACE] = _BEFORE_SPACE
    allowed[after == BREAK] = _BEFORE_BREAK
    allowed[(symbols == SPACE) | (symbols == BREAK)] = _NOTHING
    return allowed


def decided_events(probabilities: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the most probable event after each symbol, or -1 if there is none."""
    events = np.full(len(probabilities), -1, np.int64)
    none = 1 - (probabilities[:, 0] + probabilities[:, 1] + probabilities[:, 2])
    # At all other positions, no event is more probable than all events together.
    places = np.flatnonzero(none <= _HALF)
    rows = probabilities[places]
    events[places] = np.where(rows.max(axis=1, initial=0) > none[places], rows.argmax(axis=1), -1)
    return events
