"""Training of a committee: the latent-variable members, all others at once, then the weights.

A checkpoint holds its phase, so that an interrupted training goes on where it was:

    phase i   latent-variable member i learns, until it is best on held-out trees
    last      the chains of all other members sweep side by side

What earlier phases have made is carried along in the checkpoints of later ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro.errors import BistroError
from bistro.inference.chains import Session, fingerprint_of, run_chains
from bistro.inference.settings import SamplerSettings
from bistro.inference.workers import LocalWorkers, Workers
from bistro.models.abilities import VOTE, Voter
from bistro.models.base import from_bytes
from bistro.models.committee.config import CommitteeConfig
from bistro.models.committee.crossing import Crossing
from bistro.models.committee.elsewhere import Errand, begin, learn_members
from bistro.models.committee.held_out import LEAST_WORDS, stretches
from bistro.models.committee.members import (
    OTHER_TAGS,
    MemberSettings,
    member_settings,
    other_tags_of,
    preset_settings,
)
from bistro.models.committee.mixture import USUAL_SHARPNESS, Fit, Mixture, in_common
from bistro.models.committee.model import WAYS, CommitteeModel
from bistro.models.committee.weights import accurate_weights, likely_weights, sharpness
from bistro.models.inputs import Words
from bistro.models.isbn.config import IsbnConfig
from bistro.models.isbn.model import IsbnModel
from bistro.models.isbn.train import split, train_isbn
from bistro.models.parsing.training import trees_of
from bistro.models.parsing.votes import ArcCode, Rows
from bistro.models.runs import Run, Trace
from bistro.models.transition.config import TransitionConfig
from bistro.treebank.sentence import Sentence

SWEEPS, SAMPLES = 4, 2
"""Training of members that only calibrate votes: their confidence equals that after 20 sweeps."""
WEIGHTS: dict[str, Callable[[Sequence[Rows], NDArray[np.int64]], NDArray[np.float64]]] = {
    "accurate": accurate_weights,
    "likely": likely_weights,
    "equal": lambda members, gold: np.full(len(members), 1 / len(members)),
}


def train_committee(
    data: Sequence[Words],
    config: CommitteeConfig,
    run: Run,
    dev: Sequence[Sentence] | None = None,
) -> CommitteeModel:
    """Train the members on trees, and fit weights and sharpness on a development set, if given."""
    training = _Training(trees_of(data), config, run, dev)
    members, trace = training.members()
    fits = {way: _equal_fit([*training.settings.values()]) for way in WAYS}
    model = CommitteeModel(config, members, fits, run.origin(trace))
    if config.crossing:
        model.crossing = Crossing.learn(training.sentences, model.tag_column)
    if dev:
        model.fits = {way: fitted(model, dev, way, run.session.threads) for way in WAYS}
    elif config.calibrate:
        found = training.sharpness_by_way(members)
        model.fits = {way: replace(fit, sharpness=found[way]) for way, fit in fits.items()}
    return model


@dataclass
class _Training:
    """One training of all members, from its first phase or a later one."""

    sentences: list[Sentence]
    config: CommitteeConfig
    run: Run
    dev: Sequence[Sentence] | None

    def __post_init__(self) -> None:
        self.settings = member_settings(self.config, self.sentences)
        own = preset_settings(self.config.preset, self.sentences).tagset
        self.other = other_tags_of(self.sentences, own)
        # Weights are fitted anew in any case, but latent-variable members learn from `dev`.
        learned_from = [*self.sentences, *(self.dev or ())] if self._latent() else self.sentences
        content = hashlib.sha256("".join(map(str, learned_from)).encode()).hexdigest()
        kind = CommitteeModel.kind
        self.fingerprint = fingerprint_of(kind, self.config, self.run.seed, [content])

    def members(self) -> tuple[list[Voter], Trace]:
        """Go through the phases that a checkpoint does not spare; return members and trace."""
        if self.other.note and any(name.endswith(OTHER_TAGS) for name in self.config.members):
            self.run.session.on_note(self.other.note)
        workers = self.run.session.workers
        if workers is not None and not isinstance(workers, LocalWorkers):
            return self._learn_elsewhere(workers)
        saved = self.run.session.saved(self.fingerprint)
        arrays = saved[1] if saved else {}
        found: dict[str, Voter] = {}
        done: dict[str, NDArray[Any]] = {}
        for phase, (name, settings) in enumerate(self._latent().items()):
            if name in arrays:
                where = f"the member {name} in the checkpoint"
                model = VOTE.of(from_bytes(arrays[name].tobytes(), where))
            else:
                model = self._learn(name, settings, phase, done)
            found[name] = model
            done[name] = np.frombuffer(model.to_bytes(), dtype=np.uint8)
        others, trace = self._sweep(done)
        found |= others
        return [found[name] for name in self.settings], trace

    def _latent(self) -> dict[str, IsbnConfig]:
        return {n: s for n, s in self.settings.items() if isinstance(s, IsbnConfig)}

    def _session(self, phase: int, carried: Mapping[str, NDArray[Any]]) -> Session:
        return self.run.session.for_phase(self.fingerprint, phase, carried)

    def _learn(
        self, name: str, settings: IsbnConfig, phase: int, done: Mapping[str, NDArray[Any]]
    ) -> IsbnModel:
        self.run.session.on_note(f"learning {name}, then the other members")
        facts = {**self.run.treebank, "member": name}
        run = Run(self.run.seed, facts, self._session(phase, dict(done)))
        return train_isbn(self.sentences, settings, run, self.dev)

    def _learn_elsewhere(self, workers: Workers) -> tuple[list[Voter], Trace]:
        """Let every member be trained by one of the workers."""
        run, sampler = self.run, self.config.sampler
        own = self.other.own
        errand = Errand(self._by_tagset(), own, self.dev, run.seed, run.treebank, sampler)
        found, trace = learn_members(workers, errand, self.settings, run.session, self.fingerprint)
        return [found[name] for name in self.settings], trace

    def _by_tagset(self) -> dict[str, list[Sentence]]:
        """Return the sentences as members with tags of either column learn from them."""
        sentences: dict[str, list[Sentence]] = {self.other.own: self.sentences}
        if any(settings.tagset == self.other.other for settings in self.settings.values()):
            sentences[self.other.other] = self.other.filled(self.sentences)
        return sentences

    def _sweep(self, done: Mapping[str, NDArray[Any]]) -> tuple[dict[str, Voter], Trace]:
        """Run the chains of all members that have some."""
        sentences = self._by_tagset()
        trainings = {
            name: begin(sentences[settings.tagset], settings, self.run.seed)
            for name, settings in self.settings.items()
            if not isinstance(settings, IsbnConfig)
        }
        owned = [(f"{name}/", chain) for name, t in trainings.items() for chain in t.chains]
        session = self._session(len(self._latent()), done)
        trace: Trace = []
        if owned:
            owners, chains = zip(*owned, strict=True)
            settings = self.config.sampler
            trace = run_chains(chains, settings, self.fingerprint, session, owners)
        return {n: t.finish(self.run, [], member=n) for n, t in trainings.items()}, trace

    def sharpness_by_way(self, members: Sequence[Voter]) -> dict[str, float]:
        """Return the sharpness that suits members who have not seen the sentences they vote on."""
        rest, held_out, is_unseen = self._parts()
        words = sum(map(len, held_out))
        if words < LEAST_WORDS:
            return dict.fromkeys(WAYS, USUAL_SHARPNESS)
        self.run.session.on_note(f"fitting the sharpness of votes on {words:,} held-out words")
        model = self._of_the_rest(rest, members if is_unseen else None)
        threads = self.run.session.threads
        return {way: fitted(model, held_out, way, threads).sharpness for way in WAYS}

    def _parts(self) -> tuple[list[Sentence], list[Sentence], bool]:
        """Return what to learn from and what to hold out, and whether latent members have done so.

        What these hold out for themselves serves if it is large enough: they need not learn twice.
        """
        for settings in self._latent().values():
            rest, held_out = split(self.sentences, None, settings, self.run.seed)
            if sum(map(len, held_out)) >= LEAST_WORDS:
                return rest, held_out, True
        return (*stretches(self.sentences), False)

    def _of_the_rest(self, rest: list[Sentence], members: Sequence[Voter] | None) -> CommitteeModel:
        """Return a committee that has learned from a part of the sentences, in a few sweeps.

        Latent-variable members are those of `members`, if these have not seen the other part.
        """
        sampler = self.config.sampler
        sweeps, samples = min(SWEEPS, sampler.sweeps), min(SAMPLES, sampler.samples)
        quick = replace(sampler, sweeps=sweeps, samples=samples)
        config = replace(self.config, sampler=quick, weights="equal")
        run = Run(self.run.seed, self.run.treebank, Session(threads=self.run.session.threads))
        training = replace(self, sentences=rest, config=config, run=run)
        training.settings = {name: _quick(s, quick) for name, s in self.settings.items()}
        found, trace = training._sweep({})
        for place, (name, settings) in enumerate(training.settings.items()):
            if isinstance(settings, IsbnConfig):
                found[name] = members[place] if members else train_isbn(rest, settings, run)
        ready = [found[name] for name in self.settings]
        fits = {way: Fit.equal(len(ready)) for way in WAYS}
        return CommitteeModel(config, ready, fits, run.origin(trace))


def _equal_fit(settings: Sequence[MemberSettings]) -> Fit:
    """Return equal weights; latent-variable members have no say in tags beside others.

    By themselves they tag far worse, most of all where they have learned from few sentences.
    """
    equal = Fit.equal(len(settings))
    tagging = np.array([not isinstance(own, IsbnConfig) for own in settings])
    if not tagging.any():
        return equal
    return replace(equal, tags=tuple((tagging / tagging.sum()).tolist()))


def _quick(settings: MemberSettings, sampler: SamplerSettings) -> MemberSettings:
    """Return the settings of a member that only votes; lengths are those of generated sentences."""
    if isinstance(settings, IsbnConfig):
        return settings
    if isinstance(settings, TransitionConfig):
        return replace(settings, sampler=sampler, lengths="free")
    return replace(settings, sampler=sampler)


def fitted(
    model: CommitteeModel, dev: Sequence[Sentence], way: str, threads: int, **options: Any
) -> Fit:
    """Return weights that put most heads and tags right, and the sharpness that suits them.

    The options are those of parsing with these weights.
    """
    known = [s for s in dev if isinstance(s, Sentence) and len(s) and min(s.heads) >= 0]
    if not known:
        raise BistroError("the development set has no trees to fit the weights on")
    asked = model.asked(tags=way, threads=threads, **options)
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
