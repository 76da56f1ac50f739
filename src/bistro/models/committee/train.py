"""Training of a committee.

The latent-variable members are trained first, then the other members, and finally the weights.

Training has several phases. A checkpoint records its phase, so that an interrupted run resumes
where it stopped.

    phase i   latent-variable member i learns, until it is best on held-out trees
    last      the chains of all other members sweep side by side

The checkpoints of later phases contain the results of earlier phases. After the last phase, weights
are fitted, and a stack learns to weight votes (`bistro.models.committee.stack_training`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro import progress
from bistro.inference.chains import Session, fingerprint_of, run_chains
from bistro.inference.settings import SamplerSettings
from bistro.inference.workers import LocalWorkers, Workers
from bistro.models.abilities import VOTE, Voter
from bistro.models.base import from_bytes
from bistro.models.committee.classes import NO_CLASSES, WordClasses
from bistro.models.committee.config import CommitteeConfig
from bistro.models.committee.contents import WAYS
from bistro.models.committee.crossing import Crossing
from bistro.models.committee.elsewhere import Errand, begin, learn_members
from bistro.models.committee.fitting import fitted
from bistro.models.committee.held_out import LEAST_WORDS, stretches
from bistro.models.committee.members import (
    OTHER_TAGS,
    MemberSettings,
    member_settings,
    other_tags_of,
    preset_settings,
)
from bistro.models.committee.mixture import USUAL_SHARPNESS, Fit, Symbols
from bistro.models.committee.model import CommitteeModel
from bistro.models.committee.phases import WITHOUT_VOTING, phase_shares, stack_shares
from bistro.models.committee.stack_training import LEAST_STACKED, Counted, Judging, dealt
from bistro.models.inputs import Words
from bistro.models.isbn.config import IsbnConfig
from bistro.models.isbn.model import IsbnModel
from bistro.models.isbn.train import split, train_isbn
from bistro.models.parsing.training import trees_of
from bistro.models.runs import Run, Trace
from bistro.treebank.raw_text import RawText
from bistro.treebank.sentence import Sentence

SWEEPS, SAMPLES = 4, 2
"""Numbers of sweeps and samples for members that are trained only to calibrate votes. After 4
sweeps, the votes of these members are as confident as after 20 sweeps."""
PREPARING = 0.25
"""Share of a member's training time that is spent on preparing its events."""
VOTING = 0.25
"""Share of the fitting time that is spent on voting, if there is no stack."""


def train_committee(
    data: Sequence[Words],
    config: CommitteeConfig,
    run: Run,
    dev: Sequence[Sentence] | None = None,
    text: RawText | None = None,
) -> CommitteeModel:
    """Train a committee on trees.

    If there is a development set, the weights and the sharpness are fitted on it.

    Raw text is used only to learn the word classes of the stacks.
    """
    with progress.phase("preparing"):
        training = _Training(trees_of(data), config, run, dev)
    classes = training.classes(text)
    texts = {"texts": text.provenance()} if text else {}
    members, trace = training.members()
    fits = {way: _equal_fit([*training.settings.values()]) for way in WAYS}
    model = CommitteeModel(config, members, fits, run.origin(trace, **texts), classes=classes)
    if config.crossing:
        model.crossing = Crossing.learn(training.sentences, model.tag_column)
    with progress.phase("fitting", share=training.shares["fit"]):
        if training.has_stack:
            training.stack(model)
        elif dev:
            model.fits = _fits(model, dev, run.session.threads, share=1.0)
        elif config.calibrate:
            sharpness = training.sharpness_by_way(members)
            model.fits = {way: replace(fit, sharpness=sharpness[way]) for way, fit in fits.items()}
    return model


def train_with_text(
    data: Sequence[Words],
    config: CommitteeConfig,
    run: Run,
    text: RawText,
    dev: Sequence[Sentence] | None = None,
) -> CommitteeModel:
    """Train a committee whose word classes are learned from the trees and from raw text."""
    return train_committee(data, config, run, dev, text)


@dataclass
class _Training:
    """A training run for all members, which may resume from a checkpoint."""

    sentences: list[Sentence]
    config: CommitteeConfig
    run: Run
    dev: Sequence[Sentence] | None

    def __post_init__(self) -> None:
        self.settings = member_settings(self.config, self.sentences)
        own = preset_settings(self.config.preset, self.sentences).tagset
        self.other = other_tags_of(self.sentences, own)
        # Weights are always fitted again, but latent-variable members also learn from `dev`.
        learned_from = [*self.sentences, *(self.dev or ())] if self._latent() else self.sentences
        content = hashlib.sha256("".join(map(str, learned_from)).encode()).hexdigest()
        kind = CommitteeModel.kind
        self.fingerprint = fingerprint_of(kind, self.config, self.run.seed, [content])
        stack = self.config.stack if self.has_stack else None
        fits = bool(self.dev) or self.config.calibrate
        self.shares = phase_shares(self.settings, self.config.sampler.sweeps, fits, stack)

    def members(self) -> tuple[list[Voter], Trace]:
        """Run the phases that are not in the checkpoint, and return all members and their trace."""
        if self.other.note and any(name.endswith(OTHER_TAGS) for name in self.config.members):
            self.run.session.on_note(self.other.note)
        workers = self.run.session.workers
        if workers is not None and not isinstance(workers, LocalWorkers):
            return self._learn_elsewhere(workers)
        saved = self.run.session.saved(self.fingerprint)
        arrays = saved[1] if saved else {}
        models: dict[str, Voter] = {}
        done: dict[str, NDArray[Any]] = {}
        latent = self._latent()
        for phase, (name, settings) in enumerate(latent.items()):
            share = self.shares["latent"] / len(latent)
            if name in arrays:
                progress.spared(share)
                where = f"the member {name} in the checkpoint"
                model = VOTE.of(from_bytes(arrays[name].tobytes(), where))
            else:
                with progress.phase(name, share=share):
                    model = self._learn(name, settings, phase, done)
            models[name] = model
            done[name] = np.frombuffer(model.to_bytes(), dtype=np.uint8)
        others, trace = self._sweep(done)
        models |= others
        return [models[name] for name in self.settings], trace

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
        """Train the members on workers, one member per task."""
        run, sampler = self.run, self.config.sampler
        own = self.other.own
        errand = Errand(self._by_tagset(), own, self.dev, run.seed, run.treebank, sampler)
        models, trace = learn_members(workers, errand, self.settings, run.session, self.fingerprint)
        return [models[name] for name in self.settings], trace

    def _by_tagset(self) -> dict[str, list[Sentence]]:
        """Return the training sentences for each tag column that members use."""
        sentences: dict[str, list[Sentence]] = {self.other.own: self.sentences}
        if any(settings.tagset == self.other.other for settings in self.settings.values()):
            sentences[self.other.other] = self.other.filled(self.sentences)
        return sentences

    def _sweep(self, done: Mapping[str, NDArray[Any]]) -> tuple[dict[str, Voter], Trace]:
        """Train all members that use Markov chains."""
        sentences = self._by_tagset()
        chained = {n: s for n, s in self.settings.items() if not isinstance(s, IsbnConfig)}
        share = PREPARING * self.shares["chains"]
        made = progress.each(chained.items(), "preparing", len(chained), "members", share)
        trainings = {n: begin(sentences[s.tagset], s, self.run.seed) for n, s in made}
        owned = [(f"{name}/", chain) for name, t in trainings.items() for chain in t.chains]
        session = self._session(len(self._latent()), done)
        trace: Trace = []
        if owned:
            owners, chains = zip(*owned, strict=True)
            settings = self.config.sampler
            with progress.phase("", share=(1 - PREPARING) * self.shares["chains"]):
                trace = run_chains(chains, settings, self.fingerprint, session, owners)
        ending, share = "finishing", self.shares["finish"]
        ready = progress.each(trainings.items(), ending, len(trainings), "members", share)
        return {name: t.finish(self.run, [], member=name) for name, t in ready}, trace

    @property
    def has_stack(self) -> bool:
        """Whether to train a stack, which requires enough training words."""
        words = sum(map(len, self.sentences))
        return self.config.stack.folds > 0 and words >= LEAST_STACKED

    def classes(self, text: RawText | None) -> WordClasses:
        """Divide the words of the treebank and of raw text into classes."""
        if not self.has_stack or not self.config.stack.classes:
            if text:
                self.run.session.on_note("a committee without a stack learns nothing from raw text")
            return NO_CLASSES
        of_trees = (sentence.forms for sentence in self.sentences)
        classes = WordClasses.learn(chain(of_trees, text or ()))
        for note in text.notes() if text else ():
            self.run.session.on_note(note)
        return classes

    def stack(self, model: CommitteeModel) -> None:
        """Fit the weights and stacks of a committee to the votes on all folds."""
        folds, threads = self.config.stack.folds, self.run.session.threads
        self.run.session.on_note(f"learning to judge votes, from {folds} folds")
        ballots: dict[str, list[Counted]] = {way: [] for way in WAYS}
        shares = stack_shares(self.settings, self.config.stack)
        parts = dealt(self.sentences, folds)
        for rest, held_out in progress.each(parts, "folds", folds, share=shares["folds"]):
            voting = self._of_the_rest(rest, None, shares)
            symbols = Symbols.of(voting.members, like=model.symbols)
            ways = progress.each(ballots.items(), "votes", len(ballots), share=shares["votes"])
            for way, counted in ways:
                votes = voting.votes_of_members(
                    held_out, model.with_defaults(tags=way, threads=threads)
                )
                counted.append(Counted(held_out, votes, symbols))
        judging = Judging(model, self.config, self.run.seed, threads)
        ways = progress.each(ballots.items(), "judging", len(ballots), share=shares["judging"])
        for way, counted in ways:
            model.fits[way], model.stacks[way] = judging.learned(way, counted, self.dev)

    def sharpness_by_way(self, members: Sequence[Voter]) -> dict[str, float]:
        """Return the sharpness for each source of tags, fitted on held-out sentences."""
        rest, held_out, is_unseen = self._parts()
        words = sum(map(len, held_out))
        if words < LEAST_WORDS:
            return dict.fromkeys(WAYS, USUAL_SHARPNESS)
        self.run.session.on_note(f"fitting the sharpness of votes on {words:,} held-out words")
        model = self._of_the_rest(rest, members if is_unseen else None)
        fits = _fits(model, held_out, self.run.session.threads, share=VOTING)
        return {way: fit.sharpness for way, fit in fits.items()}

    def _parts(self) -> tuple[list[Sentence], list[Sentence], bool]:
        """Return training and held-out sentences, and whether latent members used this split.

        If the latent-variable members held out enough words, the same sentences are held out here,
        so that these members need not be trained again.
        """
        for settings in self._latent().values():
            rest, held_out = split(self.sentences, None, settings, self.run.seed)
            if sum(map(len, held_out)) >= LEAST_WORDS:
                return rest, held_out, True
        return (*stretches(self.sentences), False)

    def _of_the_rest(
        self,
        rest: list[Sentence],
        members: Sequence[Voter] | None,
        shares: Mapping[str, float] = WITHOUT_VOTING,
    ) -> CommitteeModel:
        """Train a committee on some of the sentences for a few sweeps.

        If `members` is given, its latent-variable members are reused, because they were not trained
        on the other sentences either.
        """
        sampler = self.config.sampler
        sweeps, samples = min(SWEEPS, sampler.sweeps), min(SAMPLES, sampler.samples)
        quick = replace(sampler, sweeps=sweeps, samples=samples)
        config = replace(self.config, sampler=quick, weights="equal")
        run = Run(self.run.seed, self.run.treebank, Session(threads=self.run.session.threads))
        training = replace(self, sentences=rest, config=config, run=run)
        training.settings = {name: _quick(s, quick) for name, s in self.settings.items()}
        training.shares = dict(shares)
        models, trace = training._sweep({})
        latent = training._latent()
        for name, settings in latent.items():
            with progress.phase(name, share=shares["latent"] / len(latent)):
                place = list(self.settings).index(name)
                models[name] = members[place] if members else train_isbn(rest, settings, run)
        ready = [models[name] for name in self.settings]
        fits = {way: Fit.equal(len(ready)) for way in WAYS}
        return CommitteeModel(config, ready, fits, run.origin(trace))


def _fits(
    model: CommitteeModel, sentences: Sequence[Sentence], threads: int, share: float
) -> dict[str, Fit]:
    """Return fitted weights for each source of tags."""
    ways = progress.each(WAYS, "votes of all members", len(WAYS), share=share)
    return {way: fitted(model, sentences, way, threads) for way in ways}


def _equal_fit(settings: Sequence[MemberSettings]) -> Fit:
    """Return equal weights.

    Latent-variable members vote on tags only if the committee has no other members. The tagging
    accuracy of latent-variable members is much lower than that of other members, especially after
    training on few sentences.
    """
    equal = Fit.equal(len(settings))
    tagging = np.array([not isinstance(own, IsbnConfig) for own in settings])
    if not tagging.any():
        return equal
    return replace(equal, tags=tuple((tagging / tagging.sum()).tolist()))


def _quick(settings: MemberSettings, sampler: SamplerSettings) -> MemberSettings:
    """Return the settings of a member that is trained only to calibrate votes."""
    return settings if isinstance(settings, IsbnConfig) else replace(settings, sampler=sampler)
