"""Simulated annotators: number of decisions for a treebank, by suggestions and order of sentences.

    python -m experiments.annotators [ewt] [ddt] [--seeds 5] [--strategies random doubt ...]

An annotator has 100 annotated sentences and a pool of unannotated ones. In every round, a model of
all annotated sentences ranks the pool (`bistro next`) and suggests tags, heads and labels; the
annotator corrects them, and the next model is trained. A decision is one tag, head or label that is
set or corrected. Decisions are counted in three ways for the same sentences:

    nothing        without suggestions: every word costs three decisions
    suggestions    only wrong suggestions cost a decision
    found again    as above, but all later suggestions are recomputed after each correction

Each is also counted with a price for every correct suggestion, because reading it takes time. The
goal is the LAS on the development part of a model of 2,000 random sentences (mean over five seeds).
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from bistro.tasks.next_sentences import STRATEGIES
from experiments.annotator_careers import WAYS, Point, Spent, career, goal_of
from experiments.treebanks import load_split

DEV = 1000
"""Maximum number of sentences of the development part."""
GOAL_ROW = "goal"
GOAL_SEEDS = range(1, 6)
PRICES = (0.0, 0.2)
"""Cost of a correct suggestion, in decisions."""


def run(name: str, seeds: Sequence[int], strategies: Sequence[str], store: Path) -> None:
    """Simulate the careers that are missing in a file, and append one line for each."""
    split = load_split(name)
    pool = list(split.train)
    dev = random.Random(0).sample(list(split.dev), min(DEV, len(split.dev)))
    done = {(row["treebank"], row["seed"], row["strategy"]): row for row in stored(store)}
    if (name, 0, GOAL_ROW) not in done:
        goal, words = goal_of(pool, dev, GOAL_SEEDS)
        _append(
            store, {"treebank": name, "seed": 0, "strategy": GOAL_ROW, "las": goal, "words": words}
        )
        done[name, 0, GOAL_ROW] = {"words": words}
    for seed in seeds:
        for strategy in strategies:
            if (name, seed, strategy) in done:
                continue
            begin = time.process_time()
            points = career(pool, dev, strategy, seed, done[name, 0, GOAL_ROW]["words"])
            seconds = round(time.process_time() - begin, 1)
            row = {"treebank": name, "seed": seed, "strategy": strategy, "seconds": seconds}
            _append(store, {**row, "points": [asdict(point) for point in points]})


def stored(store: Path) -> list[dict[str, Any]]:
    """Return the careers in a file."""
    if not store.exists():
        return []
    return [json.loads(line) for line in store.read_text().splitlines()]


def _append(store: Path, row: dict[str, Any]) -> None:
    with store.open("a") as file:
        file.write(json.dumps(row) + "\n")


def reached(points: Sequence[Point], goal: float, way: str, price: float) -> float:
    """Return the number of decisions at which a goal is reached.

    The LAS is nearly linear in the logarithm of the decisions. The regression line through all
    models is less noisy than a line between two of them.
    """
    costs = np.log([point.spent.decisions(way, price) for point in points])
    slope, base = np.polyfit(costs, [point.las for point in points], 1)
    return float(np.exp((goal - base) / slope))


def print_table(name: str, rows: Sequence[dict[str, Any]]) -> None:
    """Print the decisions of every strategy in percent, with standard errors over the seeds."""
    own = [row for row in rows if row["treebank"] == name]
    [goal] = [row for row in own if row["strategy"] == GOAL_ROW]
    whole = Spent(goal["words"]).decisions("nothing")
    print(f"{name}: LAS {goal['las']:.2f}, {whole:,.0f} decisions from nothing\n")
    columns = [(way, price) for way in WAYS for price in PRICES][1:]
    print("| order | seeds | LAS at the end | " + " | ".join(_heading(*c) for c in columns) + " |")
    print("|---" * (3 + len(columns)) + "|")
    for strategy in STRATEGIES:
        careers = [_points(row) for row in own if row["strategy"] == strategy]
        if not careers:
            continue
        cells = [_mean([points[-1].las for points in careers])]
        for way, price in columns:
            shares = [100 * reached(one, goal["las"], way, price) / whole for one in careers]
            cells.append(_mean(shares))
        print(f"| `{strategy}` | {len(careers)} | " + " | ".join(cells) + " |")
    print(f"\n{sum(row.get('seconds', 0) for row in own):,.0f} s of CPU time\n")


def _heading(way: str, price: float) -> str:
    return way if way == "nothing" else f"{way}, right ones {price:g}"


def _points(row: dict[str, Any]) -> list[Point]:
    return [Point(p["sentences"], p["las"], Spent(**p["spent"])) for p in row["points"]]


def _mean(values: Sequence[float]) -> str:
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{np.mean(values):.1f} ± {error:.1f}"


def main() -> None:
    """Run missing simulations, and print the tables of the treebanks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebanks", nargs="*", default=["ewt", "ddt"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--strategies", nargs="*", default=list(STRATEGIES))
    parser.add_argument("--store", type=Path, default=Path("annotators.jsonl"))
    parser.add_argument("--only-table", action="store_true")
    options = parser.parse_args()
    for name in options.treebanks:
        if not options.only_table:
            run(name, range(1, options.seeds + 1), options.strategies, options.store)
        print_table(name, stored(options.store))


if __name__ == "__main__":
    main()
