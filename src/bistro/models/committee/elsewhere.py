"""Training of committee members by workers, one member per task.

Members share nothing during training, so the model file is identical to the file that a single
process would write. Finished members are stored in the checkpoint. If a worker fails, its member is
trained again from the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bistro.inference.chains import Session, Stage, run_stages
from bistro.inference.settings import SamplerSettings
from bistro.inference.workers import Workers
from bistro.models.abilities import VOTE, Voter
from bistro.models.base import from_bytes
from bistro.models.committee.members import MemberSettings
from bistro.models.eisner.config import EisnerConfig
from bistro.models.eisner.train import EisnerTraining
from bistro.models.isbn.config import IsbnConfig
from bistro.models.isbn.train import train_isbn
from bistro.models.runs import Run, Trace
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.train import Training, training_of
from bistro.progress import each
from bistro.sums import added
from bistro.treebank.sentence import Sentence

PHASE = -1
"""The phase number of a checkpoint that contains members trained by workers. If a single process
trains all members, its phases are numbered from 0."""
TRACES = "traces"


def begin(
    sentences: Sequence[Sentence], settings: TransitionConfig | EisnerConfig, seed: int
) -> Training | EisnerTraining:
    """Prepare a training run for a member that is trained with Markov chains."""
    if isinstance(settings, EisnerConfig):
        return EisnerTraining(sentences, settings, seed)
    return training_of(sentences, settings, seed)


class Errand(NamedTuple):
    """The training data and the settings that all members share."""

    sentences: dict[str, list[Sentence]]
    """The training sentences, keyed by the tag column that members use."""
    own: str
    """The tag column of the unchanged sentences, on which latent-variable members are trained."""
    dev: Sequence[Sentence] | None
    seed: int
    treebank: dict[str, Any]
    sampler: SamplerSettings


class Learned(NamedTuple):
    """The content of a trained member's file, and the traces of its chains."""

    content: bytes
    traces: list[Trace]
    """The training traces of the member's chains, in order. A latent-variable member has no
    traces."""


def learn_member(shared: Errand, member: tuple[str, MemberSettings]) -> Learned:
    """Train one member. Workers run this function."""
    name, settings = member
    if isinstance(settings, IsbnConfig):
        run = Run(shared.seed, {**shared.treebank, "member": name})
        latent = train_isbn(shared.sentences[shared.own], settings, run, shared.dev)
        return Learned(latent.to_bytes(), [])
    training = begin(shared.sentences[settings.tagset], settings, shared.seed)
    sampler = shared.sampler
    sweeps = 1 if sampler.is_deterministic else sampler.sweeps
    traces = [
        run_stages([Stage([chain], sweeps, sampler.samples, [f"{name}/"])], "", Session())
        for chain in training.chains
    ]
    model = training.finish(Run(shared.seed, shared.treebank), [], member=name)
    return Learned(model.to_bytes(), traces)


def learn_members(
    workers: Workers,
    shared: Errand,
    members: Mapping[str, MemberSettings],
    session: Session,
    fingerprint: str,
) -> tuple[dict[str, Voter], Trace]:
    """Train the members that are not in the checkpoint.

    Return all members and their joint trace.
    """
    known: dict[str, Learned] = dict(_saved(session, fingerprint, members))
    missing = [(name, settings) for name, settings in members.items() if name not in known]
    learned_there = workers.run(learn_member, shared, missing)
    results = each(learned_there, "members", len(missing), "members", share=0.8)
    for (name, _), learned in zip(missing, results, strict=True):
        known[name] = learned
        session.on_note(f"{name} is trained: {len(known)} of {len(members)} members")
        if session.checkpoint:
            _save(session, fingerprint, known)
    models = {
        name: VOTE.of(from_bytes(learned.content, f"the member {name}"))
        for name, learned in known.items()
    }
    return models, joined([trace for name in members for trace in known[name].traces])


def joined(traces: Sequence[Trace]) -> Trace:
    """Return the joint trace of chains that were trained separately."""
    whole: Trace = []
    for rows in zip(*traces, strict=True):
        figures = {name: value for row in rows for name, value in row.items()}
        log_likelihood = added(row["log_likelihood"] for row in rows)
        whole.append({**figures, "sweep": rows[0]["sweep"], "log_likelihood": log_likelihood})
    return whole


def _save(session: Session, fingerprint: str, known: Mapping[str, Learned]) -> None:
    own = session.for_phase(fingerprint, PHASE, {})
    assert own.checkpoint is not None
    arrays: dict[str, NDArray[Any]] = {
        name: np.frombuffer(learned.content, dtype=np.uint8) for name, learned in known.items()
    }
    traces = {name: learned.traces for name, learned in known.items()}
    own.checkpoint.save(fingerprint, {TRACES: traces}, arrays)


def _saved(
    session: Session, fingerprint: str, members: Mapping[str, MemberSettings]
) -> Iterator[tuple[str, Learned]]:
    """Yield the members in a checkpoint that was written by a single process or by workers."""
    saved = session.saved(fingerprint)
    if not saved:
        return
    header, arrays = saved
    traces = header.get(TRACES, {})
    with session.reading_checkpoint():
        for name, settings in members.items():
            if name in arrays and (name in traces or isinstance(settings, IsbnConfig)):
                yield name, Learned(arrays[name].tobytes(), list(traces.get(name, [])))
