"""Tables 2 and 3 of Wallach, Sutton & McCallum (2008): parsing with syntactic topics, their words.

"As published" uses one sample of the states from training, and samples the trees and states of all
test sentences together. "At best" averages samples of several chains, including the chain used "as
published", and parses each sentence separately.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any, Literal

import numpy as np

import bistro
from bistro.config import read_toml
from bistro.evaluate.attachment import score
from bistro.models.presets import file_or_preset
from bistro.models.results.structures import TopState
from bistro.models.topics.config import TopicsConfig
from bistro.models.topics.model import TopicsModel
from bistro.treebank.sentence import Sentence
from experiments.papers.table import Row, Table
from experiments.treebanks import Split, load_split

PRESET = "wallach-2008-topics"
FIGURES = {
    50: "59.2 / 63.8",
    100: "60.0 / 64.1",
    150: "60.5 / 64.7",
    200: "60.4 / 64.5",
    None: "-",
}
"""The paper's figures by number of states; None: the number is inferred from the data."""
BEST: dict[str, Any] = {"chains": 4, "samples": 10}
"""The changes of "at best" to the preset."""
SAMPLED, SWEEPS = 10, 20
"""Trees sampled per sentence, and sweeps over the test part as published."""
TOPICS = (
    "president director officer chairman executive head attorney manager chief secretary",
    "year years months quarter example days time weeks period week",
    "u.s. california washington texas york london japan canada france britain",
    "made offered filed put asked approved announced left held bought",
    "is are was has have were will had 's would",
    "in on , for at with and as by up",
    "10 8 1 50 2 15 20 30 25 3",
    "would will could should can might had may must owns",
    "more most very so too than less and enough about",
    "his their 's her and my your own ' old",
    "ms. mrs. who van mary lee dorrance linda carol hart",
    "sales issues prices earnings results stocks rates costs terms figures",
)
"""The twelve states of the paper's Table 3."""


@cache
def wsj() -> Split:
    """Return the WSJ sample."""
    return load_split("wsj")


@cache
def trained(states: int | None, source: Literal["latent", "xpos"] = "latent") -> TopicsModel:
    """Train with the preset, but with several chains, whose samples are averaged at best."""
    preset = read_toml(file_or_preset(PRESET), TopicsConfig)
    config = replace(preset, states=states, source=source, **BEST)
    return bistro.train("topics", wsj().train, config=config, seed=1)


def published(model: TopicsModel) -> TopicsModel:
    """Return the model with the last sample of its first chain, which is that of the preset."""
    config = replace(model.config, chains=1, samples=1)
    last = model.samples[model.config.samples - 1]
    return replace(model, config=config, samples=[last])


def accuracy(pairs: Iterable[tuple[Sentence, list[int]]]) -> float:
    """Return the percentage of correct heads, without punctuation."""
    gold, parsed = [], []
    for sentence, heads in pairs:
        gold.append(sentence)
        parsed.append(sentence.replace(heads=heads))
    uas = score(gold, parsed).no_punct.uas
    assert uas is not None
    return uas


def figures(model: TopicsModel, tags: str, resample: int = 0) -> str:
    """Return the accuracies of sampled and of most probable trees."""
    options = {"samples": SAMPLED, "mbr": False, "tags": tags, "resample": resample}
    parses = list(model.parse_all(wsj().test, **options))
    sampled = accuracy((p.sentence, tree.heads) for p in parses for tree in p.samples)
    return f"{sampled:.1f} / {accuracy((p.sentence, p.heads) for p in parses):.1f}"


def row(name: str, paper: str, model: TopicsModel, tags: str = "given") -> Row:
    """Return one row of Table 2."""
    own, best = figures(published(model), tags, SWEEPS), figures(model, tags)
    risk = accuracy((p.sentence, p.heads) for p in model.parse_all(wsj().test, tags=tags))
    live = len(model.samples[-1].live)
    return Row(name, paper, own, best, f"at best, minimum risk: {risk:.1f}; {live} live states")


def table2() -> Iterator[Row]:
    """Yield the accuracies of all numbers of states."""
    tags = trained(None, "xpos")
    yield row("POS tags", "55.3 / 63.1", tags)
    yield row("POS tags, not given for test", "-", tags, "joint")
    for states, paper in FIGURES.items():
        yield row(f"{states} states" if states else "open", paper, trained(states))


def closest_states(model: TopicsModel) -> list[TopState]:
    """Return, for each state of the paper, the state whose distribution is closest to its words.

    Closeness is the overlap of two distributions, the sum of sqrt(p q) (Bhattacharyya), with the
    ten words taken as equally probable, so that one frequent word alone does not decide.
    """
    forms = [form.lower() for form in model.vocabulary.decode(range(len(model.vocabulary)))]
    phi = model.samples[-1].phi(len(forms))[:, :-1]
    states = {state.number: state for state in model.top_states()}
    sums = [np.sqrt(phi[np.isin(forms, topic.split())]).sum(axis=0) for topic in TOPICS]
    return [states[int(np.argmax(probability))] for probability in sums]


def table3() -> Iterator[Row]:
    """Yield the words of the paper's states, and those of the closest states."""
    states = closest_states(published(trained(150)))
    for number, (topic, state) in enumerate(zip(TOPICS, states, strict=True), start=1):
        words = [word for word, _ in state.words]
        shared = len({word.lower() for word in words} & set(topic.split()))
        parents = " ".join(parent for parent, _ in state.parents)
        yield Row(
            str(number), topic, " ".join(words), note=f"{shared} in common; parents {parents}"
        )


def tables() -> tuple[Table, ...]:
    """Return the tables on syntactic topics."""
    return (
        Table(
            "table2",
            "Table 2: parse accuracy of the syntactic topic model, sampled trees / most probable",
            "Percentage of correct heads, punctuation excluded, WSJ sample, test (78,539 words of "
            "training; the paper: Penn Treebank sections 2 to 21, about 950,000). Seed 1.",
            table2,
            best="the mean of 10 samples of each of 4 chains; each sentence is parsed separately.",
        ),
        Table(
            "table3",
            "Table 3: the ten words most likely to be generated by twelve of 150 states",
            "Ours: for each state of the paper, the one whose distribution overlaps most with "
            "its ten words. WSJ sample, training.",
            table3,
        ),
    )
