"""Tasks for tests of workers: in a module of their own, since worker processes import it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import bistro
from bistro.models.shared import SharedModel
from bistro.models.transition.model import TransitionModel

Found = list[tuple[list[int], list[str], float]]


def small_model() -> TransitionModel:
    return bistro.train("transition", bistro.builtin(sentences=200, seed=1), seed=1)


def pieces(count: int) -> list[list[list[str]]]:
    words = [list(s.forms) for s in bistro.builtin(sentences=10 * count, seed=2)]
    return [words[i : i + 10] for i in range(0, len(words), 10)]


def parse(shared: SharedModel[TransitionModel], sentences: list[list[str]]) -> Found:
    parses = shared.open().parse_all(sentences, size=50, threads=1)
    return [(p.heads, p.tags, p.log_prob) for p in parses]


def parse_and_note(
    shared: tuple[SharedModel[TransitionModel], Path], numbered: tuple[int, list[list[str]]]
) -> tuple[Found, int]:
    """Parse slowly; leave a line about who began which item; return the process with the trees."""
    (model, folder), (number, sentences) = shared, numbered
    with (folder / f"{number}").open("a") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(0.05)
    return parse(model, sentences), os.getpid()


def process(shared: None, item: int) -> int:
    time.sleep(0.02)
    return os.getpid()


def fail_at(shared: int, item: int) -> int:
    if item == shared:
        raise bistro.BistroError(f"item {item}")
    return item
