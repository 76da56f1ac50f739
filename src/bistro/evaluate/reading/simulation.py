"""Simulated reading times with known effects, for tutorials and tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bistro.evaluate.reading.data import ReadingData
from bistro.evaluate.reading.regression import Floats

COLUMNS = ("participant", "item", "position", "word", "time")


def simulated(
    items: Sequence[Sequence[str]],
    surprisal: Floats,
    *,
    participants: int = 40,
    effect: float = 3.0,
    spill_over: float = 1.5,
    noise: float = 90.0,
    seed: int,
) -> ReadingData:
    """Return simulated reading times that increase with word surprisal (in bits).

    A time is 300 ms, 8 ms per letter, `effect` ms per bit of the word and `spill_over` ms per bit
    of the word before; participants differ in their speed (standard deviation 60 ms) and in their
    effect (a third of it), items in their difficulty (15 ms). Items have no conditions, and every
    participant reads all of them.

    Parameters
    ----------
    items
        The words of each item.
    surprisal
        The surprisal of each word in bits, item after item.
    participants
        Number of participants.
    effect
        Effect of one bit of surprisal on the time of the word, in ms.
    spill_over
        Effect of one bit of surprisal on the time of the following word, in ms.
    noise
        Standard deviation of the noise in each time, in ms.
    seed
        Random seed.
    """
    random = np.random.default_rng(seed)
    sizes = [len(words) for words in items]
    starts = np.cumsum([0, *sizes])[:-1]
    words = sum(sizes)
    before = np.concatenate(([0.0], surprisal[:-1]))
    before[starts] = 0.0
    letters = np.array([len(word) for item in items for word in item], dtype=np.float64)
    difficulty = np.repeat(random.normal(0, 15, len(items)), sizes)
    speed = random.normal(0, 60, participants)
    slopes = random.normal(1, 1 / 3, participants)
    slowed = effect * surprisal + spill_over * before
    times = 300 + 8 * letters + difficulty + slopes[:, None] * slowed + speed[:, None]
    times = times + random.normal(0, noise, (participants, words))
    return ReadingData(
        "simulated data",
        [str(number) for number in range(1, len(items) + 1)],
        [list(words) for words in items],
        [f"p{number:02}" for number in range(1, participants + 1)],
        np.tile(np.arange(words), participants),
        np.repeat(np.arange(participants), words),
        np.round(np.maximum(times, 101.0)).astype(np.float64).ravel(),
        {name: name for name in COLUMNS},
    )


def as_table(data: ReadingData) -> str:
    """Return reading times as CSV, with one row per participant and word."""
    text = data.text_of_token
    place = np.arange(len(text)) - data.starts[text] + 1
    words = [word for own in data.words for word in own]
    lines = [",".join(COLUMNS)]
    for reader, token, time in zip(
        data.reader.tolist(), data.token.tolist(), data.times.tolist(), strict=True
    ):
        word = words[token]
        shown = '"' + word.replace('"', '""') + '"' if any(c in word for c in ',"') else word
        name = data.participants[reader]
        lines.append(f"{name},{data.items[text[token]]},{place[token]},{shown},{time:g}")
    return "\n".join([*lines, ""])
