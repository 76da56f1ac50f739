"""Right and wrong samplers for simulation-based calibration: the twins of the other tests.

Every sampler is a simulation (`bistro.inference.simulated`): truth and data from the prior, and a
chain that sees the data. The wrong ones are those that the exact and the Geweke tests reject;
`tools/sampler_table.py` prints the verdicts of all of them for the documentation.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import test_geweke as geweke
import test_particle_gibbs as particles
import test_posterior as posterior
import test_slice as slices
import test_topics_resample as topic_trees
from numpy.typing import NDArray

from bistro._core import DerivationSampler, Stream, TopicSampler, slice_step
from bistro.inference.simulated import Simulated, Simulation
from bistro.models.kinds import find, resolve
from bistro.models.settings import settled_settings
from bistro.models.topics.config import TopicsConfig
from bistro.models.topics.prior import TopicDraws, topic_quantities
from bistro.models.topics.resample import JointTrees
from bistro.pitman_yor import PitmanYor
from bistro.pitman_yor.prior import simulate_process
from bistro.reference.hpyp import Franchise
from bistro.rng import Stream as PlainStream
from bistro.rng import purpose_key

PRIOR: geweke.Prior = (1, 1, 1, 1)
CONTEXTS = geweke.CONTEXTS * 2


def kind(name: str, **settings: Any) -> Simulation:
    """Return the simulation of a kind of model."""
    record, config = settled_settings(name, settings)
    return partial(resolve(find(record.name).prior), config)


# ---- franchises --------------------------------------------------------------------------------
def franchise(make: Callable[[int], geweke.Model], seed: int, believed: geweke.Prior) -> Simulated:
    """Return data of the right core, and a chain of another model that believes in a prior."""
    joint = geweke.Joint(core(seed), PRIOR, np.random.default_rng(seed))
    joint.draw_parameters()
    data = [joint.draw_and_seat(context) for context in CONTEXTS]
    model = make(seed)
    for level in range(geweke.LEVELS):
        model.set_parameters(level, 0.5, 1.0)
    for context, dish in zip(CONTEXTS, data, strict=True):
        model.add(context, dish)

    def sweep() -> None:
        for context, dish in zip(CONTEXTS, data, strict=True):
            model.remove(context, dish)
            model.add(context, dish)
        model.move_hyperparameters(believed)

    def quantities(of: geweke.Model) -> dict[str, float]:
        parts: dict[str, Sequence[float]] = {
            "discount": [d for d, _ in of.parameters()],
            "strength": [theta for _, theta in of.parameters()],
            "tables": of.tables(),
        }
        named = {f"{name}[{k}]": float(x) for name, row in parts.items() for k, x in enumerate(row)}
        return {**named, "p(first)": of.predict(CONTEXTS[0])[data[0]]}

    return Simulated(quantities(joint.model), sweep, lambda: quantities(model))


def core(seed: int, seating: str = "gibbs") -> geweke.Core:
    model = geweke.Core(seating)
    model.rng = Stream(seed, purpose_key("sbc.test"), 0)
    return model


def plain(kind: type[Franchise], seed: int) -> geweke.Plain:
    model = geweke.Plain(kind)
    model.rng = PlainStream(seed, "sbc.test")
    return model


def of_core(seating: str = "gibbs", believed: geweke.Prior = PRIOR) -> Simulation:
    return lambda seed: franchise(lambda s: core(s + 1, seating), seed, believed)


def of_plain(kind: type[Franchise]) -> Simulation:
    return lambda seed: franchise(lambda s: plain(kind, s + 1), seed, PRIOR)


# ---- one slice step ----------------------------------------------------------------------------
def right_slice(law: slices.Known, x: float, rng: Stream) -> float:
    return slice_step(x, law.log_density, width=1.0, low=law.low, high=law.high, rng=rng)


def sliced(
    law: slices.Known, draw: Callable[[np.random.Generator], float], mistake: str, seed: int
) -> Simulated:
    """Return a value of a known law, and a chain of slice steps that knows no data."""
    truth = draw(np.random.default_rng(seed))
    core_rng, rng = Stream(seed, 1, 0), PlainStream(seed, "sbc.slice")
    state = {"x": law.start, "density": law.log_density(law.start), "step": 0}

    def sweep() -> None:
        x = state["x"]
        if not mistake:
            state["x"] = right_slice(law, x, core_rng)
            return
        if mistake != "stale" or state["step"] % 2 == 0:
            state["density"] = law.log_density(x)
        level = state["density"] + np.log(1 - rng.uniform())
        width = abs(x) / 2 + 0.01 if mistake == "width" else 1.0
        state["x"] = slices.shrink(x, law.log_density, level, width, rng)
        state["step"] += 1

    return Simulated({"x": truth}, sweep, lambda: {"x": state["x"]})


def gamma(rng: np.random.Generator) -> float:
    return float(rng.gamma(2.0))


def two_hills(rng: np.random.Generator) -> float:
    return float(rng.normal(1.0 if rng.random() < 0.3 else 5.0))


# ---- syntactic topics --------------------------------------------------------------------------
TOPICS = TopicsConfig(states=3, prior=(2.0, 2.0))
TopicStep = Callable[[TopicSampler, int, int], None]


def topic_step(
    topics: TopicSampler, seed: int, i: int, *, rate: float = 2.0, weights: bool = True
) -> None:
    topics.sweep(Stream(seed, 1, i))
    if weights:
        topics.draw_weights(Stream(seed, 2, i))
    topics.draw_parameters(2.0, rate, Stream(seed, 3, i))


def half_words(topics: TopicSampler, seed: int, i: int) -> None:
    """Sweep under a smoothing that is not the model's."""
    parameters = dict(zip(("strength", "smoothing", "gamma"), topics.parameters, strict=True))

    def put(smoothing: float) -> None:
        topics.restore(
            topics.states,
            topics.weights,
            unseen=topics.unseen,
            stop_weight=topics.stop_weight,
            **(parameters | {"smoothing": smoothing}),
        )

    put(parameters["smoothing"] / 2)
    topics.sweep(Stream(seed, 1, i))
    put(parameters["smoothing"])
    topics.draw_weights(Stream(seed, 2, i))
    topics.draw_parameters(2.0, 2.0, Stream(seed, 3, i))


def topics(step: TopicStep, seed: int, *, counted: bool = True) -> Simulated:
    """Return states and words of the prior, and a chain with a step of its own."""
    rng = np.random.default_rng(seed)
    drawn = TopicDraws(TOPICS, rng)
    while not drawn.words:
        drawn = TopicDraws(TOPICS, rng)
    true = drawn.chain(TOPICS, seed).sampler
    drawn.put_into(true)
    drawn.stops *= counted
    chain = drawn.chain(TOPICS, seed).sampler
    chain.seat(Stream(seed, 4, 0))
    state = {"i": 0}

    def sweep() -> None:
        step(chain, seed, state["i"])
        state["i"] += 1

    def quantities(of: TopicSampler) -> dict[str, float]:
        return {k: v for k, v in topic_quantities(of).items() if k != "log_joint"}

    return Simulated(quantities(true), sweep, lambda: quantities(chain))


def topic_arcs(chain_class: type[JointTrees], seed: int) -> Simulated:
    """Return trees drawn from their exact law, and a chain over the same words."""
    law = topic_law()
    truth = random.Random(seed).choices(list(law), list(law.values()))[0]
    chain = chain_class(
        topic_trees.SAMPLE,
        [topic_trees.unparsed(words) for words in topic_trees.SENTENCES],
        stops=topic_trees.STOPS,
        num_words=topic_trees.NUM_WORDS,
        single_root=True,
        stream=Stream(seed, 5, 0),
    )

    def quantities(trees: topic_trees.Trees) -> dict[str, float]:
        # The tree in whose probability a sampler that accepts everything errs most.
        return {"log p": float(np.log(law[trees])), "first tree": float(trees[0] == (0, 1, 1))}

    return Simulated(
        quantities(truth),
        lambda: _sweep(chain),
        lambda: quantities(tuple(tuple(d.heads) for d in chain.current)),
    )


def _sweep(chain: JointTrees) -> None:
    chain.sweep()


topic_law = cache(topic_trees.tree_law)


# ---- derivations of one sentence, franchises as they are ----------------------------------------
Draw = Callable[[DerivationSampler, particles.Steps, int, int], particles.Steps]


def core_draw(
    sampler: DerivationSampler, now: particles.Steps, seed: int, i: int, *, retains: bool = True
) -> particles.Steps:
    before: NDArray[np.int16] = np.array(now if retains else (), dtype=np.int16).ravel()
    return particles.key_of(sampler.draw(0, before, particles=2, rng=Stream(seed, 6, i)))


def plain_draw(
    sampler: DerivationSampler, now: particles.Steps, seed: int, i: int, *, weigh: bool
) -> particles.Steps:
    _, _, model, words = particles.fixed(particles.KINDS[0])
    rng = random.Random(f"{seed} {i}")
    return particles.conditional_smc(model, words, options_of(), now, rng, weigh=weigh)


@cache
def options_of() -> Any:
    _, _, model, words = particles.fixed(particles.KINDS[0])
    return cache(lambda now: particles.alternatives(model, now, words))


def derivations(draw: Draw, seed: int) -> Simulated:
    """Return a derivation drawn from its exact law, and a chain over the same words."""
    sampler, law, _, _ = particles.fixed(particles.KINDS[0])
    truth, begin = random.Random(seed).choices(list(law), list(law.values()), k=2)
    state: dict[str, Any] = {"now": begin, "i": 0}

    def sweep() -> None:
        state["now"] = draw(sampler, state["now"], seed, state["i"])
        state["i"] += 1

    def quantities(steps: particles.Steps) -> dict[str, float]:
        arcs = [i for i, (action, _, _) in enumerate(steps) if action in (1, 2)]
        left = sum(action == 1 for action, _, _ in steps)
        return {"log p": float(np.log(law[steps])), "arcs": float(sum(arcs)), "left": float(left)}

    return Simulated(quantities(truth), sweep, lambda: quantities(state["now"]))


RIGHT: dict[str, tuple[Simulation, int]] = {
    "`ngram`, order 2": (kind("ngram", order=2), 400),
    "`ngram`, order 5": (kind("ngram", order=5), 400),
    "`ngram`, Dirichlet": (kind("ngram", order=3, sampler={"dirichlet": True}), 400),
    "`ngram`, parameters fixed": (kind("ngram", order=3, sampler={"hyper": "fixed"}), 400),
    "`transition`, derivations sampled": (kind("transition", derivations="sampled"), 200),
    "`transition`, root last, several roots": (
        kind("transition", derivations="sampled", root="last", roots="several"),
        400,
    ),
    "`transition`, words alone": (
        kind("transition", unsupervised={"sweeps": 1}, root="last", roots="several"),
        100,
    ),
    "`topics`, 4 states": (kind("topics", states=4), 400),
    "`topics`, open number": (kind("topics", states=None), 200),
    "`topics`, no stops": (kind("topics", stops=False), 400),
    "trees of `topics`": (partial(topic_arcs, JointTrees), 200),
    "`tags`": (kind("tags"), 400),
    "`PitmanYor(depth=2)`": (partial(simulate_process, PitmanYor(2, outcomes="abc")), 200),
    "`PitmanYor(depth=None)`": (
        partial(simulate_process, PitmanYor(None, outcomes="abc"), observations=25),
        60,
    ),
    "the plain twin of the franchise": (of_plain(Franchise), 80),
    "one slice step, one hill": (partial(sliced, slices.GAMMA, gamma, ""), 400),
    "one slice step, two hills": (partial(sliced, slices.TWO_HILLS, two_hills, ""), 400),
    "particle Gibbs for one sentence": (partial(derivations, core_draw), 400),
}
"""Samplers that must pass, with the number of runs."""

WRONG: dict[str, tuple[Simulation, int]] = {
    "the leaving customer is drawn by table": (of_plain(posterior.LeavesFromAnyTable), 60),
    "a closed table forgets its customer in the parent": (
        of_plain(posterior.ForgetsTheParent),
        20,
    ),
    "a new table is weighed without its dish's probability": (
        of_plain(posterior.ForgetsTheBase),
        40,
    ),
    "a new table is weighed as if it already stood there": (
        of_plain(geweke.CountsOneTableTooMany),
        80,
    ),
    "never a second table for a dish": (of_core("minimal"), 400),
    "another prior: Gamma(1, 1.3) for strengths": (of_core(believed=(1, 1, 1, 1.3)), 2000),
    "another prior: Gamma(1.3, 1) for strengths": (of_core(believed=(1, 1, 1.3, 1)), 2000),
    "another prior: Beta(1.4, 1) for discounts": (of_core(believed=(1.4, 1, 1, 1)), 2000),
    "the slice keeps the density of the point before": (
        partial(sliced, slices.GAMMA, gamma, "stale"),
        1000,
    ),
    "the width of the slice follows the chain": (
        partial(sliced, slices.TWO_HILLS, two_hills, "width"),
        3000,
    ),
    "topics: common weights are never drawn": (
        partial(topics, partial(topic_step, weights=False)),
        400,
    ),
    "topics: half the smoothing in sweeps": (partial(topics, half_words), 1000),
    "topics: stops are not counted": (partial(topics, topic_step, counted=False), 400),
    "topics: another prior, Gamma(2, 2.6)": (
        partial(topics, partial(topic_step, rate=2.6)),
        2000,
    ),
    "topics: every proposal of a tree is accepted": (
        partial(topic_arcs, topic_trees.AcceptsAll),
        6000,
    ),
    "particle Gibbs: nothing is retained": (
        partial(derivations, partial(core_draw, retains=False)),
        2000,
    ),
    "particle Gibbs: weights are forgotten": (
        partial(derivations, partial(plain_draw, weigh=False)),
        1500,
    ),
}
"""Samplers that must be rejected."""
THINNING = {
    "the plain twin of the franchise": 16,
    "a closed table forgets its customer in the parent": 8,
    "a new table is weighed without its dish's probability": 8,
    "a new table is weighed as if it already stood there": 16,
}
"""Where it is not chosen by pilot runs, which take long in plain Python."""
