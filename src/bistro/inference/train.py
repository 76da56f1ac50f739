"""`train`: from a treebank or text to a model, of any kind.

>>> import bistro
>>> model = bistro.train("ngram", [["a", "rose", "is", "a", "rose"]], seed=1, order=2)
>>> model.kind
'ngram'
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bistro import config as configuration
from bistro._core import UniformBase
from bistro.errors import BistroError, ModelFileError, nearest
from bistro.inference.checkpoint import Checkpoint, StoppedError
from bistro.inference.gibbs import Chain
from bistro.models.base import Model, Origin, Words, as_words
from bistro.models.ngram import WORDS, NgramConfig, NgramModel
from bistro.models.settings import SamplerSettings
from bistro.rng import check_seed
from bistro.treebank.treebank import Treebank
from bistro.version import __version__

Text = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Sweep:
    """What a watcher of training is told after each sweep."""

    number: int
    total: int
    log_likelihood: float


@dataclass
class Session:
    """How a training run talks to the world: it may be watched, stopped and resumed."""

    checkpoint: Checkpoint | None = None
    resume: bool = False
    on_start: Callable[[int, int], None] = lambda done, total: None
    """Called once, with the number of sweeps that a checkpoint spares and the number of all."""
    on_sweep: Callable[[Sweep], None] = lambda sweep: None
    stop_asked: Callable[[], bool] = lambda: False


def run_chains(
    chains: Sequence[Chain], settings: SamplerSettings, fingerprint: str, session: Session
) -> list[dict[str, Any]]:
    """Run chains side by side to their last sweep and return the trace of the likelihood."""
    total = 1 if all(chain.is_deterministic for chain in chains) else settings.sweeps
    kept = min(settings.samples, total)
    trace = _begin(chains, fingerprint, session)
    session.on_start(len(trace), total)
    for number in range(len(trace), total):
        for chain in chains:
            chain.step(number, keep=number >= total - kept)
        log_likelihood = sum(chain.franchise.log_likelihood() for chain in chains)
        trace.append({"sweep": number + 1, "log_likelihood": log_likelihood})
        session.on_sweep(Sweep(number + 1, total, log_likelihood))
        stopping = session.stop_asked() and number + 1 < total
        if session.checkpoint and (stopping or session.checkpoint.is_due()):
            state = {name: array for chain in chains for name, array in chain.state().items()}
            session.checkpoint.save(fingerprint, {"trace": trace}, state)
        if stopping:
            raise StoppedError(f"stopped after sweep {number + 1} of {total}")
    return trace


def _begin(chains: Sequence[Chain], fingerprint: str, session: Session) -> list[dict[str, Any]]:
    """Put the chains into their first state, or the one of the checkpoint; return its trace."""
    checkpoint = session.checkpoint if session.resume else None
    saved = checkpoint.load(fingerprint) if checkpoint else None
    if not checkpoint or not saved:
        for chain in chains:
            chain.seat()
        return []
    header, arrays = saved
    try:
        for chain in chains:
            chain.restore(arrays)
        return list(header["trace"])
    except (KeyError, TypeError, ValueError):
        raise ModelFileError(
            f"{checkpoint.path}: is damaged: delete it and start from the beginning"
        ) from None


def fingerprint_of(kind: str, config: Any, seed: int, digests: Sequence[str]) -> str:
    """Return a hash of everything that decides the result of a training run."""
    parts = [__version__, kind, configuration.to_dict(config), seed, list(digests)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def train_ngram(
    sentences: Text, config: NgramConfig, seed: int, treebank: dict[str, Any], session: Session
) -> NgramModel:
    """Train an n-gram model."""
    vocabulary, events = NgramModel.prepare(sentences, config)
    chain = Chain(WORDS, events, UniformBase(len(vocabulary) + 1), config.sampler, seed)
    fingerprint = fingerprint_of(NgramModel.kind, config, seed, [vocabulary.hash, events.digest()])
    trace = run_chains([chain], config.sampler, fingerprint, session)
    return NgramModel(config, vocabulary, chain.frozen(), Origin(seed, treebank, trace))


TRAINERS: dict[str, tuple[type[Any], Callable[..., Model]]] = {
    NgramModel.kind: (NgramConfig, train_ngram),
}
"""The configuration and the trainer of every kind."""


def config_class(kind: str) -> type[Any]:
    """Return the configuration class of a kind of model."""
    if kind not in TRAINERS:
        raise BistroError(
            f"unknown kind of model '{kind}'{nearest(kind, TRAINERS)}: "
            f"one of {', '.join(sorted(TRAINERS))}"
        )
    return TRAINERS[kind][0]


def train(
    kind: str,
    data: Iterable[Words],
    *,
    config: Any = None,
    seed: int = 1,
    session: Session | None = None,
    **settings: Any,
) -> Model:
    """Train a model of `kind` on a treebank, or on sentences given as lists of words.

    `config` is a configuration object or nothing for the defaults; keyword arguments change single
    settings of it (``order=3``, ``sampler={"sweeps": 20}``). The seed, a whole number from 0 to
    2^64 - 1, decides everything.
    """
    chosen = config_class(kind)
    given = configuration.to_dict(config if config is not None else chosen())
    config = configuration.from_dict(chosen, _merged(given, settings), where=f"train {kind}")
    check_seed(seed)
    sentences = [words for words in as_words(data) if words]
    if not sentences:
        raise BistroError("there is nothing to train on: the treebank or text has no words")
    return TRAINERS[kind][1](
        sentences, config, seed, provenance(data, sentences), session or Session()
    )


def provenance(data: Any, sentences: Text) -> dict[str, Any]:
    """Return what a model says of its training data."""
    facts = {"sentences": len(sentences), "words": sum(map(len, sentences))}
    if isinstance(data, Treebank):
        named = {"name": data.label, "sha256": data.sha256, "license": data.license}
        return {key: value for key, value in named.items() if value} | facts
    return facts


def _merged(settings: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    merged = dict(settings)
    for key, value in changes.items():
        inner = merged.get(key)
        merged[key] = (
            _merged(inner, value) if isinstance(inner, dict) and isinstance(value, dict) else value
        )
    return merged
