"""Tables 2 and 3 of Wallach, Sutton & McCallum (2008) on our data: parsing with syntactic topics.

    python -m experiments.topics_tables [wsj|ewt] [--sweeps 400] [--directed]

Each line: a number of states (or tags), the accuracy of ten sampled trees and of the most probable
tree (punctuation left out; gold tags, where states are tags), that of the tree of least risk, and
the live states. The paper's figures are for the whole Penn Treebank, over ten times our sample.
Then, for two chains from different seeds, what does not depend on the names of states: log joint,
live states, and the variation of information between the states of dev. Last, twelve states.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

import numpy as np

import bistro
from bistro.evaluate.attachment import score
from bistro.evaluate.clusterings import entropy, variation_of_information
from bistro.models.topics.model import TopicsModel
from bistro.treebank.sentence import Sentence
from experiments.treebanks import Split, load_split

PAPER = {
    "tags": (55.3, 63.1),
    50: (59.2, 63.8),
    100: (60.0, 64.1),
    150: (60.5, 64.7),
    200: (60.4, 64.5),
}
SAMPLED = 10


def accuracy(pairs: Iterable[tuple[Sentence, list[int]]]) -> float:
    """Return the share of right heads in percent, punctuation left out."""
    gold, found = [], []
    for sentence, heads in pairs:
        gold.append(sentence)
        found.append(sentence.replace(heads=heads))
    found_uas = score(gold, found).no_punct.uas
    assert found_uas is not None
    return found_uas


def line(name: Any, model: TopicsModel, sentences: Iterable[Sentence]) -> str:
    """Return the figures of one model."""
    drawn = list(model.parse_all(sentences, tags="given", samples=SAMPLED))
    sampled = accuracy((p.sentence, tree.heads) for p in drawn for tree in p.samples)
    risk = accuracy((p.sentence, p.heads) for p in drawn)
    best = model.parse_all((p.sentence for p in drawn), tags="given", mbr=False)
    probable = accuracy((p.sentence, p.heads) for p in best)
    paper = "{:5.1f} {:5.1f}".format(*PAPER[name]) if name in PAPER else "    -     -"
    live = len(model.samples[-1].live)
    return f"{name!s:>6} {sampled:8.1f} {probable:8.1f} {risk:8.1f} {live:6d}    {paper}"


def train(split: Split, seed: int, **settings: Any) -> TopicsModel:
    """Train one model."""
    return bistro.train("topics", split.train, seed=seed, **settings)


def compare_chains(split: Split, one: TopicsModel, other: TopicsModel) -> None:
    """Print what two chains agree on, whatever they call their states."""
    states = [
        np.concatenate([m.state_probabilities(s).argmax(axis=1) for s in split.dev])
        for m in (one, other)
    ]
    sizes = [entropy(np.unique(s, return_counts=True)[1]) for s in states]
    print(
        f"variation of information {variation_of_information(*states):.2f} bits between the "
        f"likeliest states of dev (entropies {sizes[0]:.2f} and {sizes[1]:.2f})"
    )
    for seed, model in enumerate((one, other), start=1):
        last = model.origin.trace[-1]
        half = [row["live_states"] for row in model.origin.trace[len(model.origin.trace) // 2 :]]
        print(
            f"chain {seed}: log joint {last['log_likelihood']:,.0f}, live states "
            f"{np.mean(half):.0f} (5 to 95 %: {np.quantile(half, 0.05):.0f} to "
            f"{np.quantile(half, 0.95):.0f}) over the last half"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("treebank", nargs="?", choices=("wsj", "ewt"), default="wsj")
    parser.add_argument("--sweeps", type=int, default=400)
    parser.add_argument("--directed", action="store_true")
    parser.add_argument("--part", choices=("dev", "test"), default="test")
    chosen = parser.parse_args()
    split = load_split(chosen.treebank)
    sentences = getattr(split, chosen.part)
    settings = {"sweeps": chosen.sweeps, "directed": chosen.directed}
    print(f"{chosen.treebank} {chosen.part}, {chosen.sweeps} sweeps, directed: {chosen.directed}")
    print("states  sampled probable     risk   live    paper (sampled, probable)")
    tags = train(split, 1, source="xpos" if chosen.treebank == "wsj" else "upos", **settings)
    print(line("tags", tags, sentences), flush=True)
    shown = tags
    for states in (50, 100, 150, 200, None):
        model = train(split, 1, states=states, **settings)
        print(line(states or "open", model, sentences), flush=True)
        if states in (50, None):
            compare_chains(split, model, train(split, 2, states=states, **settings))
        if states == 150:
            shown = model
    for state in shown.top_states()[:12]:
        print(f"{100 * state.share:4.1f} %  {' '.join(word for word, _ in state.words)}")


if __name__ == "__main__":
    main()
