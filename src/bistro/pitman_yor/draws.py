"""Draw outcomes from the predictive distribution of a process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bistro._core import Franchise, OnlineFranchise, SpelledBase, Stream
from bistro.pitman_yor.bases import END_OF_WORD
from bistro.pitman_yor.chains import Chain
from bistro.pitman_yor.numbering import Ids, Numbering

_SURROGATES = range(0xD800, 0xE000)


def draw_outcomes(
    numbering: Numbering, chains: Sequence[Chain], context: Ids, n: int, stream: Stream
) -> list[Any]:
    """Draw `n` outcomes, each from the prediction of a chain that is itself drawn at random."""
    sums: dict[int, Any] = {}
    drawn = []
    for _ in range(n):
        i = int(stream.uniform() * len(chains)) if len(chains) > 1 else 0
        if i not in sums:
            sums[i] = np.cumsum(chains[i].distribution(context))
        is_open = isinstance(chains[i].base, SpelledBase)
        total = 1.0 if is_open else float(sums[i][-1])
        number = int(np.searchsorted(sums[i], stream.uniform() * total, side="right"))
        if number < len(numbering):
            drawn.append(numbering.outcome(number))
        elif is_open:
            drawn.append(_new_word(numbering, chains[i].letters, stream))
        else:  # because of rounding, use the last possible outcome
            drawn.append(numbering.outcome(int(np.flatnonzero(np.diff(sums[i], prepend=0))[-1])))
    return drawn


def _new_word(numbering: Numbering, letters: Franchise | None, stream: Stream) -> str:
    """Draw words until one of them is not among the outcomes, and return that word."""
    assert letters is not None
    online = OnlineFranchise(letters)
    while True:
        word = _spell(online, stream)
        if word not in numbering:
            return word


def _spell(letters: OnlineFranchise, stream: Stream) -> str:
    """Draw a word character by character."""
    spelled = [END_OF_WORD]
    while True:
        character = _letter(letters, np.array(spelled, dtype=np.int32), stream)
        if character == END_OF_WORD:
            return "".join(map(chr, spelled[1:]))
        if character not in _SURROGATES:
            spelled.append(character)


def _letter(letters: OnlineFranchise, before: Ids, stream: Stream) -> int:
    """Draw a character given the preceding characters, backing off to shorter contexts."""
    parameters = letters.franchise.parameters()
    longest = min(len(before), len(parameters) - 1)
    for length in range(longest, -1, -1):
        rows = letters.tables(before[len(before) - length :]).reshape(-1, 3)
        if not len(rows):
            continue
        discount, strength = parameters[length]
        weights = rows[:, 2] * (rows[:, 1] - discount)
        customers = float((rows[:, 1] * rows[:, 2]).sum())
        x = stream.uniform() * (customers + strength)
        if x < weights.sum():
            place = int(np.searchsorted(np.cumsum(weights), x, side="right"))
            return int(rows[min(place, len(rows) - 1), 0])
    return int(stream.uniform() * (END_OF_WORD + 1))
