"""Speed of the latent-variable parser on DDT: a pass of training, and parsing by beam search.

    python -m benchmarks.isbn [MODEL]

The goal is 300 sentences per second on one core at a beam of 30 with given tags, and training in
20 minutes on two cores. Without a MODEL trained on DDT, one is trained for three passes.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from typing import Any

import bistro
from benchmarks.data import best_seconds, data_dir
from bistro.models.abilities import PARSE, Parser
from bistro.models.base import Model
from bistro.models.isbn.model import IsbnModel
from bistro.treebank.sentence import Sentence

REPEATS = 3
PASSES = 3


def trained(hidden: int) -> IsbnModel:
    """Train for a few passes, and print the CPU time per pass."""
    folder = data_dir() / "da_ddt"
    train, dev = (bistro.read(folder / f"danish_ddt_{part}.conll") for part in ("train", "dev"))
    settings: dict[str, Any] = {"tagset": "xpos", "hidden": hidden, "learning": {"passes": PASSES}}
    begin = time.process_time()
    model = bistro.train("isbn", train, dev=dev, seed=1, **settings)
    seconds = (time.process_time() - begin) / PASSES
    print(f"{hidden} variables: {seconds:.1f} s of CPU time per pass", flush=True)
    return model


def parsed(parser: Parser, test: list[Sentence], options: dict[str, Any]) -> list[Any]:
    """Parse all sentences."""
    return list(parser.parse_all(test, **options))


def main() -> None:
    model: Model
    if len(sys.argv) > 1:
        model = bistro.load(sys.argv[1])
    else:
        trained(80)
        model = trained(160)
    parser = PARSE.of(model)
    test = list(bistro.read(data_dir() / "da_ddt" / "danish_ddt_test.conll"))
    for tags in ("given", "joint"):
        for width in (1, 5, 10, 30):
            options = {"tags": tags, "size": width, "threads": 1}
            seconds = best_seconds(partial(parsed, parser, test, options), REPEATS)
            speed, words = len(test) / seconds, sum(map(len, test)) / seconds
            print(
                f"tags {tags}, beam {width}: {speed:,.0f} sentences/s, {words:,.0f} words/s",
                flush=True,
            )


if __name__ == "__main__":
    main()
