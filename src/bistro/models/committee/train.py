"""Training of a committee: the latent-variable members, all others at once, then the weights.

A checkpoint holds its phase, so that an interrupted training goes on where it was:

    phase i   latent-variable member i learns, until it is best on held-out trees
    last      the chains of all other members sweep side by side

What earlier phases have made is carried along in the checkpoints of later ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro.errors import BistroError
from bistro.inference.chains import OwnedChain, Session, fingerprint_of, run_chains
from bistro.models.abilities import VOTE, Voter
from bistro.models.base import Origin, from_bytes
from bistro.models.committee.config import CommitteeConfig
from bistro.models.committee.members import member_settings
from bistro.models.committee.mixture import Fit, Mixture, in_common
from bistro.models.committee.model import WAYS, CommitteeModel
from bistro.models.committee.weights import accurate_weights, likely_weights, sharpness
from bistro.models.eisner.config import EisnerConfig
from bistro.models.eisner.train import EisnerTraining
from bistro.models.inputs import Words
from bistro.models.isbn.config import IsbnConfig
from bistro.models.isbn.model import IsbnModel
from bistro.models.isbn.train import train_isbn
from bistro.models.parsing.training import trees_of
from bistro.models.parsing.votes import ArcCode, Rows
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.train import Training, training_of
from bistro.treebank.sentence import Sentence

WEIGHTS: dict[str, Callable[[Sequence[Rows], NDArray[np.int64]], NDArray[np.float64]]] = {
    "accurate": accurate_weights,
    "likely": likely_weights,
    "equal": lambda members, gold: np.full(len(members), 1 / len(members)),
}


def train_committee(
    data: Sequence[Words],
    config: CommitteeConfig,
    seed: int,
    treebank: dict[str, Any],
    session: Session,
    dev: Sequence[Sentence] | None = None,
) -> CommitteeModel:
    """Train the members on trees, and fit weights and sharpness on a development set, if given."""
    run = _Run(trees_of(data), config, seed, treebank, session, dev)
    members, trace = run.members()
    origin = Origin(seed, treebank, trace)
    model = CommitteeModel(config, members, {w: Fit.equal(len(members)) for w in WAYS}, origin)
    if dev:
        model.fits = {way: fitted(model, dev, way, session.threads) for way in WAYS}
    return model


class _Run:
    """One training of all members, from its first phase or a later one."""

    def __init__(
        self,
        sentences: list[Sentence],
        config: CommitteeConfig,
        seed: int,
        treebank: dict[str, Any],
        session: Session,
        dev: Sequence[Sentence] | None,
    ) -> None:
        self.sentences, self.config, self.seed, self.dev = sentences, config, seed, dev
        self.treebank, self.session = treebank, session
        self.settings = member_settings(config, sentences)
        # Weights are fitted anew in any case, but latent-variable members learn from `dev`.
        learned_from = [*sentences, *(dev or ())] if self._latent() else sentences
        content = hashlib.sha256("".join(map(str, learned_from)).encode()).hexdigest()
        self.fingerprint = fingerprint_of(CommitteeModel.kind, config, seed, [content])

    def members(self) -> tuple[list[Voter], list[dict[str, Any]]]:
        """Go through the phases that a checkpoint does not spare; return members and trace."""
        saved = self._saved()
        found: dict[str, Voter] = {}
        done: dict[str, NDArray[Any]] = {}
        for phase, (name, settings) in enumerate(self._latent().items()):
            model = (
                _finished(saved, name)
                if name in saved
                else self._learn(name, settings, phase, done)
            )
            found[name] = model
            done[name] = np.frombuffer(model.to_bytes(), dtype=np.uint8)
        others, trace = self._sweep(done)
        found |= others
        return [found[name] for name in self.settings], trace

    def _latent(self) -> dict[str, IsbnConfig]:
        return {n: s for n, s in self.settings.items() if isinstance(s, IsbnConfig)}

    def _saved(self) -> Mapping[str, NDArray[Any]]:
        """Return what a checkpoint holds, if this run is to go on from one."""
        found = self.session.saved(self.fingerprint)
        return found[1] if found else {}

    def _session(self, phase: int, carried: Mapping[str, NDArray[Any]]) -> Session:
        return self.session.for_phase(self.fingerprint, phase, carried)

    def _learn(
        self, name: str, settings: IsbnConfig, phase: int, done: Mapping[str, NDArray[Any]]
    ) -> IsbnModel:
        self.session.on_note(f"learning {name}, then the other members")
        session, facts = self._session(phase, dict(done)), {**self.treebank, "member": name}
        return train_isbn(self.sentences, settings, self.seed, facts, session, self.dev)

    def _sweep(
        self, done: Mapping[str, NDArray[Any]]
    ) -> tuple[dict[str, Voter], list[dict[str, Any]]]:
        """Run the chains of all members that have some."""
        trainings = {
            name: _begin(self.sentences, settings, self.seed)
            for name, settings in self.settings.items()
            if not isinstance(settings, IsbnConfig)
        }
        chains = [OwnedChain(name, chain) for name, t in trainings.items() for chain in t.chains]
        session = self._session(len(self._latent()), done)
        trace = run_chains(chains, self.config.sampler, self.fingerprint, session) if chains else []
        facts = self.treebank
        return {n: t.finish({**facts, "member": n}, []) for n, t in trainings.items()}, trace


def _finished(saved: Mapping[str, NDArray[Any]], name: str) -> Voter:
    """Return a member that a checkpoint holds complete."""
    return VOTE.of(from_bytes(saved[name].tobytes(), f"the member {name} in the checkpoint"))


def _begin(
    sentences: Sequence[Sentence], settings: TransitionConfig | EisnerConfig, seed: int
) -> Training | EisnerTraining:
    if isinstance(settings, EisnerConfig):
        return EisnerTraining(sentences, settings, seed)
    return training_of(sentences, settings, seed)


def fitted(model: CommitteeModel, dev: Sequence[Sentence], way: str, threads: int) -> Fit:
    """Return weights that put most heads and tags right, and the sharpness that suits them."""
    known = [s for s in dev if isinstance(s, Sentence) and len(s) and min(s.heads) >= 0]
    if not known:
        raise BistroError("the development set has no trees to fit the weights on")
    asked = model.asked(tags=way, threads=threads)
    votes = model.votes_of_members(known, asked)
    arcs, tags = in_common(votes, model.symbols)
    code = ArcCode(len(model.symbols.labels))
    gold = np.array([head for sentence in known for head in sentence.heads])
    by_head = [rows.mapped(code.head(rows.what)) for rows in arcs]
    heads = WEIGHTS[model.config.weights](by_head, gold)
    fit = Fit(tuple(heads.tolist()), _tag_weights(model, known, tags), sharpness=1.0)
    lengths = [len(sentence) for sentence in known]
    mixture = Mixture.of(votes, fit, model.symbols, lengths)
    return replace(fit, sharpness=sharpness(mixture.heads, gold))


def _tag_weights(
    model: CommitteeModel, known: Sequence[Sentence], tags: Sequence[Any]
) -> tuple[float, ...]:
    """Return the weights for tags; a member with tags of another column has none."""
    numbers = {tag: i for i, tag in enumerate(model.symbols.tags)}
    column = model.symbols.tag_column
    gold = np.array([numbers.get(tag, -1) for s in known for tag in getattr(s, column)])
    voting = [i for i, rows in enumerate(tags) if rows is not None]
    found = WEIGHTS[model.config.weights]([tags[i].mapped(tags[i].what) for i in voting], gold)
    weights = np.zeros(len(tags))
    weights[voting] = found
    return tuple(weights.tolist())
