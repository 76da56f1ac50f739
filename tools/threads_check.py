"""Training, parsing and scoring on two threads, for the thread sanitizer (tools/sanitize.sh)."""

from __future__ import annotations

from typing import Any

import numpy as np

import bistro
from bistro.inference.chains import Session
from bistro.models.committee.model import WAYS
from bistro.models.committee.stack_weights import DECISIONS, TAGS
from bistro.models.committee.stacking import Stack

TREEBANK = bistro.builtin(sentences=40, seed=1)
SENTENCES = bistro.builtin(sentences=12, seed=2)
QUICK: dict[str, Any] = {"sampler": {"sweeps": 3, "samples": 2}}
KINDS: dict[str, dict[str, Any]] = {
    "transition": QUICK,
    "eisner": QUICK,
    "isbn": {"hidden": 5, "learning": {"passes": 2}},
    "committee": QUICK,
}


def judge(committee: Any) -> None:
    """Add a random stack to a committee; a treebank that is large enough would take too long."""
    rng = np.random.default_rng(1)
    for way in WAYS:
        decisions = [name for name in DECISIONS if way == "joint" or name != TAGS]
        drawn = {name: rng.normal(0, 0.1, 1 << 12).astype(np.float32) for name in decisions}
        committee.stacks[way] = Stack(drawn)


def main() -> None:
    """Compare the results on one thread and on two."""
    for kind, settings in KINDS.items():
        models: list[Any] = [
            bistro.train(kind, TREEBANK, seed=1, session=Session(threads=threads), **settings)
            for threads in (1, 2)
        ]
        assert models[0].to_bytes() == models[1].to_bytes(), kind
        model = models[0]
        if kind == "committee":
            judge(model)
        parsed = [list(model.parse_all(SENTENCES, threads=n, marginals=True)) for n in (1, 2)]
        heads = [[parse.heads for parse in parses] for parses in parsed]
        assert heads[0] == heads[1], kind
        if hasattr(model, "score"):
            scores = [model.score(SENTENCES, threads=n, particles=10).log_probs for n in (1, 2)]
            assert (scores[0] == scores[1]).all(), kind
        print(f"{kind}: the same results on two threads", flush=True)


if __name__ == "__main__":
    main()
