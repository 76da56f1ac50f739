"""Files that are made for the cases: too large to be stored, or not of a family of models."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from conformance.recipes import BY_NAME

from bistro.models.committee.classes import SIZES, WordClasses
from bistro.models.committee.contents import WAYS
from bistro.models.committee.model import CommitteeModel
from bistro.models.committee.stack_weights import AGAIN, DECISIONS, TAGS
from bistro.models.committee.stacking import Stack
from bistro.models.committee.templates import usual
from bistro.pitman_yor import Characters, PitmanYor

BITS = 8
TEXT = [["the", "dog", "sees", "the", "cat"], ["a", "dog", "sleeps"]]
WORDS = sorted({word for sentence in TEXT for word in sentence})


def committee_with_a_stack(*, has_templates: bool = False) -> bytes:
    """Return a committee whose stack has weights drawn at random: a real one needs much data.

    Older files have all weights; those with templates of features have the weights that are not 0
    where these are few, classes of words, and a second round.
    """
    model = BY_NAME["committee"].train()
    assert isinstance(model, CommitteeModel)
    rng = np.random.default_rng(1)
    templates = usual(classes=True) if has_templates else {}
    if has_templates:
        numbers = rng.integers(0, 3, (len(WORDS), len(SIZES))).astype(np.int32)
        model.classes = WordClasses(WORDS, numbers)
    for way in WAYS:
        decisions = [name for name in DECISIONS if way == "joint" or name != TAGS]
        drawn = {name: rng.normal(0, 0.1, 1 << BITS).astype(np.float32) for name in decisions}
        own = {name: templates[name] for name in decisions if templates}
        if has_templates:
            drawn["heads"][rng.random(1 << BITS) < 0.9] = 0
            drawn |= {name + AGAIN: weights[::-1].copy() for name, weights in drawn.items()}
            own |= {name + AGAIN: lines for name, lines in own.items()}
        model.stacks[way] = Stack(drawn, own)
    return model.to_bytes()


def process(depth: int | None, **settings: Any) -> bytes:
    """Return a process that has seen a little text."""
    made = PitmanYor(depth, sweeps=2, seed=5, **settings)
    made.observe_all(TEXT)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.bistro"
        made.save(path)
        return path.read_bytes()


def process_on_a_process() -> bytes:
    """Return a process whose base is another one."""
    return process(2, chains=2, base=PitmanYor(1, outcomes=WORDS, chains=2))


def use_process(content: bytes) -> None:
    """Ask a process everything, and let it go on."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.bistro"
        path.write_bytes(content)
        made: PitmanYor = PitmanYor.load(path)
    context = ("the",)
    total = sum(made.predict(context).values()) if made.outcomes_ else 1.0
    assert abs(total - 1) < 1e-6 or isinstance(made.base, Characters), total
    made.log_probs([["the", "dog"]])
    made.sample(context, 3)
    made.top(context)
    made.observe("dog", context)
    made.sweep(1)
    made.forget("dog", context)
    made.log_likelihood()


MADE: dict[str, Callable[[], bytes]] = {
    "committee-stack.bistro": committee_with_a_stack,
    "committee-templates.bistro": lambda: committee_with_a_stack(has_templates=True),
    "process.bistro": process_on_a_process,
    "process-characters.bistro": lambda: process(1, base=Characters()),
    "process-unbounded.bistro": lambda: process(
        None, outcomes=["the", "dog", "sees", "cat", "a", "sleeps"]
    ),
}
