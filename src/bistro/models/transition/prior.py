"""Draws of trees and derivations from the prior, for simulation-based calibration.

Training treats the events of a derivation as draws among all outcomes. The prior is therefore the
prior of sequences of events, given that every action was allowed in its configuration. Data with an
action that is not allowed is drawn again, including hyper-parameters
(`cpp/parse/derivation_urn.hpp`). Derivations are sampled given the trees. If the second training
stage has sweeps, derivations are sampled given only the words.
"""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro._core import SentenceBatch, Stream, TransitionShape, UniformBase, draw_derivations
from bistro.inference.gibbs import Learned
from bistro.inference.prior_draws import draw_parameters
from bistro.inference.simulated import Quantities, Simulated
from bistro.models.transition.config import DISTRIBUTIONS, TransitionConfig, elements_of
from bistro.models.transition.derivations import DerivationChain, LatentChain
from bistro.rng import purpose_key
from bistro.sums import added

TAGS, WORDS, LABELS, SENTENCES, MOST_WORDS, MOST_ELEMENTS = 2, 2, 2, 2, 6, 2
"""Sizes of the simulated data. A run with these sizes takes about a minute. Contexts keep only
their first elements."""
FEWEST_WORDS = 8
"""Minimum total number of words. A tree of one or two words has only one derivation."""
LEFT_ARC, RIGHT_ARC = 1, 2
Drawn = dict[str, NDArray[Any]]


def simulate_transition(config: TransitionConfig, seed: int) -> Simulated:
    """Draw hyper-parameters and trees from the prior, and return a chain over the trees."""
    shape = small_shape(config)
    learned, drawn = draw_trees(config, shape, seed)
    chain = chain_over(drawn, config, shape, seed)
    return Simulated.of_chain(
        derivation_quantities(learned, drawn["steps"]),
        chain,
        lambda: derivation_quantities(chain.learned, chain.derivations[0]),
    )


def small_shape(config: TransitionConfig) -> TransitionShape:
    """Return a model with few symbols and short contexts."""
    contexts = {name: seen[:MOST_ELEMENTS] for name, seen in elements_of(config).items()}
    return TransitionShape(
        num_tags=TAGS,
        num_words=WORDS,
        num_labels=LABELS,
        root_first=config.root == "first",
        single_root=config.roots != "several",
        labelled=config.labels != "none",
        joint_labels=config.labels == "joint",
        lexicalised=config.lexical != "none",
        contexts=contexts,
    )


def parts_of(config: TransitionConfig, shape: TransitionShape, seed: int) -> dict[str, Learned]:
    """Return empty distributions."""
    outcomes = {"actions": shape.action_outcomes, "labels": LABELS, "tags": TAGS, "words": WORDS}
    left_out = {"labels"} if config.labels != "two-step" else set()
    left_out |= {"words"} if config.lexical == "none" else set()
    elements = elements_of(config)
    return {
        name: Learned(
            name,
            min(len(elements[name]), MOST_ELEMENTS) + 1,
            UniformBase(outcomes[name]),
            config.sampler,
            seed,
        )
        for name in DISTRIBUTIONS
        if name not in left_out
    }


def draw_trees(
    config: TransitionConfig, shape: TransitionShape, seed: int
) -> tuple[dict[str, Learned], Drawn]:
    """Repeat the draw until all actions are allowed and there are enough words.

    The franchises contain the true seating.
    """
    rng = np.random.default_rng((seed, purpose_key("sbc.parameters")))
    for attempt in count():
        learned = parts_of(config, shape, seed)
        for part in learned.values():
            draw_parameters(part, rng)
        drawn: Drawn | None = draw_derivations(  # type: ignore[assignment]
            shape,
            SENTENCES,
            most_words=MOST_WORDS,
            **{name: part.franchise for name, part in learned.items()},
            rng=Stream(seed, purpose_key("sbc.derivations"), attempt),
        )
        if drawn is not None and drawn["words"].size >= FEWEST_WORDS:
            return learned, drawn
    raise AssertionError("counting has no end")


def chain_over(
    drawn: Drawn, config: TransitionConfig, shape: TransitionShape, seed: int
) -> DerivationChain:
    """Return a chain over the trees or, with an unsupervised stage, over the words only."""
    latent = config.unsupervised.latent if config.unsupervised.sweeps else ""
    given = _batch(drawn)
    options: dict[str, Any] = {
        "particles": config.unsupervised.particles if latent else config.particles,
        "seed": seed,
        "labels_in_contexts": config.labels != "none" and config.contexts.see_labels,
    }
    learned = parts_of(config, shape, seed)
    chain = DerivationChain(shape, given, learned, **options)
    chain.seat()
    if latent:
        batch = _batch(drawn, latent)
        chain = LatentChain(shape, batch, learned, before=chain, **options)
        chain.seat()
    return chain


def _batch(drawn: Drawn, latent: str = "") -> SentenceBatch:
    unknown = np.full_like(drawn["words"], -1)
    trees_known, tags_known = latent in ("", "tags"), latent in ("", "trees")
    return SentenceBatch(
        drawn["words"],
        drawn["offsets"],
        tags=drawn["tags"] if tags_known else unknown,
        heads=drawn["heads"] if trees_known else unknown,
        labels=drawn["labels"] if trees_known else unknown,
        spelled=unknown[:0],
        spellings=np.zeros(0),
    )


def derivation_quantities(learned: dict[str, Learned], steps: NDArray[np.int16]) -> Quantities:
    """Return means and sums over all depths of each distribution, and statistics of arcs."""
    quantities: dict[str, float] = {}
    for name, part in learned.items():
        parameters = part.franchise.parameters()
        counts = part.franchise.counts_by_level()
        quantities |= {
            f"{name}.discount": added(d for d, _ in parameters) / len(parameters),
            f"{name}.strength": added(theta for _, theta in parameters) / len(parameters),
            f"{name}.tables": sum(tables for _, _, tables in counts),
            f"{name}.log_likelihood": part.franchise.log_likelihood(),
        }
    actions = steps[::3]
    arcs = np.flatnonzero((actions == LEFT_ARC) | (actions == RIGHT_ARC))
    quantities["derivations.places_of_arcs"] = float(arcs.sum())
    quantities["derivations.left_arcs"] = float((actions == LEFT_ARC).sum())
    return quantities
