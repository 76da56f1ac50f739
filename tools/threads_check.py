"""Training, parsing and scoring on two threads, for the thread sanitizer (tools/sanitize.sh)."""

from __future__ import annotations

from typing import Any

import bistro
from bistro.inference.chains import Session

TREEBANK = bistro.builtin(sentences=40, seed=1)
SENTENCES = bistro.builtin(sentences=12, seed=2)
QUICK: dict[str, Any] = {"sampler": {"sweeps": 3, "samples": 2}}
KINDS: dict[str, dict[str, Any]] = {
    "transition": QUICK,
    "eisner": QUICK,
    "isbn": {"hidden": 5, "learning": {"passes": 2}},
    "committee": QUICK,
}


def main() -> None:
    """Do the same on one thread and on two, and compare."""
    for kind, settings in KINDS.items():
        models: list[Any] = [
            bistro.train(kind, TREEBANK, seed=1, session=Session(threads=threads), **settings)
            for threads in (1, 2)
        ]
        assert models[0].to_bytes() == models[1].to_bytes(), kind
        model = models[0]
        parsed = [list(model.parse_all(SENTENCES, threads=n, marginals=True)) for n in (1, 2)]
        heads = [[parse.heads for parse in parses] for parses in parsed]
        assert heads[0] == heads[1], kind
        if hasattr(model, "score"):
            scores = [model.score(SENTENCES, threads=n, particles=10).log_probs for n in (1, 2)]
            assert (scores[0] == scores[1]).all(), kind
        print(f"{kind}: the same on two threads", flush=True)


if __name__ == "__main__":
    main()
