"""Draws of trees and derivations from the prior, for simulation-based calibration.

Training treats each event of a derivation as a draw from all outcomes, including actions that are
not allowed. The prior is therefore a distribution over sequences of events, conditioned on every
action being allowed in its configuration. Data with an action that is not allowed is discarded, and
new hyper-parameters and data are drawn (`cpp/parse/derivation_urn.hpp`). The chain samples
derivations given the trees or, if the second training stage is used, given only the words.
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
"""Sizes of the simulated data, chosen so that a run takes about a minute. Only the first few
elements of each context are used."""
FEWEST_WORDS = 8
"""Minimum total number of words in the simulated sentences. A tree of one or two words has only one
derivation."""
LEFT_ARC, RIGHT_ARC = 1, 2
Drawn = dict[str, NDArray[Any]]


def simulate_transition(config: TransitionConfig, seed: int) -> Simulated:
    """Draw hyper-parameters and trees from the prior, and return a chain for the trees."""
    shape = small_shape(config)
    learned, drawn = draw_trees(config, shape, seed)
    chain = chain_over(drawn, config, shape, seed)
    return Simulated.of_chain(
        derivation_quantities(learned, drawn["steps"]),
        chain,
        lambda: derivation_quantities(chain.learned, chain.derivations[0]),
    )


def small_shape(config: TransitionConfig) -> TransitionShape:
    """Return the structure of a model with few symbols and short contexts."""
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
    """Return the distributions of a model, without any observations."""
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
    """Draw trees repeatedly until all actions are allowed and there are enough words.

    The returned distributions contain the true seating of the drawn events.
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
    """Return a Markov chain given the trees or, with an unsupervised stage, only the words."""
    latent = config.unsupervised.latent if config.unsupervised.sweeps else ""
    trees = _batch(drawn)
    options: dict[str, Any] = {
        "particles": config.unsupervised.particles if latent else config.particles,
        "seed": seed,
        "labels_in_contexts": config.labels != "none" and config.contexts.see_labels,
    }
    learned = parts_of(config, shape, seed)
    chain = DerivationChain(shape, trees, learned, **options)
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
    """Return statistics on the arcs and on each distribution, with all depths combined."""
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
