"""Training of a reader. The weights are fitted after all members have been trained.

A member is trained like any model of its kind, but with the vocabulary that all members share. On a
cluster, each member is trained by one worker.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from bistro.errors import BistroError
from bistro.inference.chains import fingerprint_of
from bistro.inference.mixture_weights import equal_weights
from bistro.inference.workers import LocalWorkers, Workers
from bistro.models.base import Model, from_bytes
from bistro.models.committee.held_out import places
from bistro.models.inputs import Words
from bistro.models.nested import saved_models, trained_in_turn
from bistro.models.parsing.analyses import Analyses
from bistro.models.parsing.training import trees_of
from bistro.models.reader.config import ReaderConfig
from bistro.models.reader.fitting import fitted
from bistro.models.reader.marks import marked
from bistro.models.reader.members import Member, members_of
from bistro.models.reader.memory import Floats
from bistro.models.reader.model import ReaderModel
from bistro.models.reader.text import parse_text, parses_of, parted, text_parser_of
from bistro.models.runs import Run
from bistro.progress import phase
from bistro.treebank.raw_text import RawText
from bistro.treebank.sentence import Sentence

PARSING_PHASE = -2
"""Phase number for checkpoints that are saved while raw text is parsed."""
PARSES = "analyses.heads"
"""Name of an array that a checkpoint contains if some of the raw text has been parsed."""
PARSING = 0.3
"""Approximate share of the training time that is spent on parsing the raw text."""
PHASE = -1
"""Phase number for checkpoints that contain members trained on a cluster. In a single process,
phases are numbered from 0."""


class Errand(NamedTuple):
    """The training data that all members share."""

    sentences: Sequence[Words]
    held_out: Sequence[Words]
    seed: int
    treebank: dict[str, Any]
    text: RawText | None = None


def train_reader(
    data: Sequence[Words],
    config: ReaderConfig,
    run: Run,
    dev: Sequence[Words] | None = None,
) -> ReaderModel:
    """Train the members, and fit the weights on a development set or on held-out sentences."""
    return _train(data, config, run, dev, None)


def train_with_text(
    data: Sequence[Words],
    config: ReaderConfig,
    run: Run,
    text: RawText,
    dev: Sequence[Words] | None = None,
) -> ReaderModel:
    """Train a reader whose members learn from raw text in addition to the treebank."""
    return _train(data, config, run, dev, text)


def _train(
    data: Sequence[Words],
    config: ReaderConfig,
    run: Run,
    dev: Sequence[Words] | None,
    text: RawText | None,
) -> ReaderModel:
    members = members_of(config, data)
    if dev is not None and not any(map(len, dev)):
        raise BistroError("the development set contains no words to fit the weights on")
    if any(member.kind.can("parse") for member in members):
        trees_of(data)
    sentences, held_out = (data, dev) if dev is not None else split(data, config.held_out)
    errand = Errand(sentences, held_out, run.seed, run.treebank, text)
    models, errand = _trained(members, config, errand, run)
    weights = first_weights(config)
    model = ReaderModel(replace(config, memory=0), models, weights, run.origin([]))
    are_fitted = config.weights == "likely" and not config.fixed_weights
    if not errand.held_out or not (are_fitted or config.memory):
        return model
    fits = f"the weights of {len(members)} members" if are_fitted else "the memory"
    run.session.on_note(f"fitting {fits}")
    # Further sentences of raw text, after the held-out sentences, are not running text.
    running = len(held_out)
    weights, memory = fitted(model, config, errand.held_out, running, run.session.threads)
    own = config if memory else model.config
    return ReaderModel(own, models, weights, model.origin, memory)


def first_weights(config: ReaderConfig) -> Floats:
    """Return the fixed weights, normalised to sum to 1, or equal weights if none are fixed."""
    if not config.fixed_weights:
        return equal_weights(len(config.members))
    return np.array(config.fixed_weights) / sum(config.fixed_weights)


def split(data: Sequence[Words], share: float) -> tuple[list[Words], list[Words]]:
    """Split the data into training sentences and held-out sentences.

    The held-out sentences form a few contiguous blocks.
    """
    held_out_places = places(len(data), share)
    if len(held_out_places) == len(data):
        return list(data), []
    rest = [sentence for place, sentence in enumerate(data) if place not in held_out_places]
    return rest, [data[place] for place in sorted(held_out_places)]


def _trained(
    members: Sequence[Member], config: ReaderConfig, errand: Errand, run: Run
) -> tuple[list[Model], Errand]:
    """Train the members that are not in the checkpoint, and return all members and their data."""
    learned_from = [*as_content(errand.sentences), "", *as_content(errand.held_out)]
    if errand.text:
        learned_from += errand.text.digests()
    content = hashlib.sha256("\n".join(learned_from).encode()).hexdigest()
    fingerprint = fingerprint_of(ReaderModel.kind, config, run.seed, [content])
    workers = run.session.workers
    # Workers of a cluster may be unable to read the files of raw text; they get pieces of it.
    elsewhere = workers is not None and not isinstance(workers, LocalWorkers)
    if workers is not None and elsewhere and errand.text is None:
        errand = _marked(errand, config)
        return _trained_elsewhere(members, errand, run, workers, fingerprint), errand
    trainers: dict[str, Callable[[Run], Model]] = {}
    carried: dict[str, NDArray[Any]] = {}
    if errand.text and config.text_parser:
        own = text_parser_of(config, members)
        with phase("parsing the text", share=PARSING):
            parser, carried, errand = _parsed(own, errand, run, fingerprint)
        trainers[own.name] = lambda run: parser
    errand = _marked(errand, config)
    trainers.update({member.name: partial(_learn, errand, member) for member in members})
    with phase("members", share=1 - PARSING if carried else 1.0):
        models = trained_in_turn(trainers, run, fingerprint, carried=carried)
    return [models[member.name] for member in members], errand


def _marked(errand: Errand, config: ReaderConfig) -> Errand:
    """Return the data, with marks added to all sentences that have trees."""
    if not config.marks:
        return errand

    def with_marks(sentences: Sequence[Words]) -> list[Words]:
        return [marked(s, config.marks) if _has_tree(s) else s for s in sentences]

    return errand._replace(
        sentences=with_marks(errand.sentences), held_out=with_marks(errand.held_out)
    )


def _parsed(
    own: Member, errand: Errand, run: Run, fingerprint: str
) -> tuple[Model, dict[str, NDArray[Any]], Errand]:
    """Train the parser for raw text and parse the text, or restore both from the checkpoint.

    Return the parser, the parses as arrays for checkpoints, and the data with the parses added.
    """
    assert errand.text is not None
    alone = errand._replace(text=None)
    parser = trained_in_turn({own.name: partial(_learn, alone, own)}, run, fingerprint)[own.name]
    saved = run.session.saved(fingerprint)
    is_parsed = saved is not None and PARSES in saved[1]
    with run.session.reading_checkpoint():
        known = Analyses.restore(saved[1]) if saved and is_parsed else Analyses()
    checkpoint = run.session.for_phase(fingerprint, PARSING_PHASE, {}).checkpoint

    def keep(analyses: Analyses) -> None:
        if checkpoint:
            content = np.frombuffer(parser.to_bytes(), dtype=np.uint8)
            checkpoint.save(fingerprint, {}, {own.name: content, **analyses.state()})

    if known.words < errand.text.words:
        run.session.on_note(f"parsing {errand.text.words:,} words of raw text")
        parse_text(errand.text, parser, run.session, keep, known)
    parses = parses_of(errand.text, parser, known, errand.sentences)
    learned, held_out = parted(parses, errand.held_out)
    treebank = {**errand.treebank, "texts": errand.text.provenance()}
    sentences = [*errand.sentences, *learned]
    more = [*errand.held_out, *held_out]
    return parser, known.state(), Errand(sentences, more, errand.seed, treebank)


def as_content(sentences: Sequence[Words]) -> list[str]:
    """Convert sentences to strings, from which the fingerprint of the data is computed."""
    return [repr(s) if isinstance(s, list | tuple) else str(s) for s in sentences]


def _learn(errand: Errand, member: Member, run: Run) -> Model:
    """Train a member. Early stopping uses the held-out sentences."""
    run.session.on_note(f"learning {member.name}")
    own = Run(run.seed, {**errand.treebank, "member": member.name}, run.session)
    # Some held-out sentences may be text without trees, which only fits the weights.
    parses = member.kind.can("parse")
    held_out = _trees_in(errand.held_out) if parses else errand.held_out
    fitting = {"dev": held_out} if member.kind.dev and held_out else {}
    if errand.text is None:
        return member.kind.train(errand.sentences, member.config, own, **fitting)
    return member.kind.train_with_text(errand.sentences, member.config, own, errand.text, **fitting)


def _trees_in(sentences: Sequence[Words]) -> list[Sentence]:
    """Return the sentences that have trees."""
    return [s for s in sentences if _has_tree(s)]


def _has_tree(sentence: Words) -> TypeGuard[Sentence]:
    return isinstance(sentence, Sentence) and len(sentence) > 0 and min(sentence.heads) >= 0


def learn_member(errand: Errand, member: Member) -> bytes:
    """Train a member and return the content of its model file. Workers run this function."""
    return _learn(errand, member, Run(errand.seed, errand.treebank)).to_bytes()


def _trained_elsewhere(
    members: Sequence[Member], errand: Errand, run: Run, workers: Workers, fingerprint: str
) -> list[Model]:
    """Train each member on one worker of a cluster, and save the finished members."""
    names = [member.name for member in members]
    known: dict[str, Model] = saved_models(run.session, fingerprint, names)
    missing = [member for member in members if member.name not in known]
    own = run.session.for_phase(fingerprint, PHASE, {})
    results = workers.run(learn_member, errand, missing)
    for member, content in zip(missing, results, strict=True):
        known[member.name] = from_bytes(content, f"the member {member.name}")
        run.session.on_note(f"{member.name} has learned: {len(known)} of {len(members)} members")
        if own.checkpoint:
            arrays = {
                name: np.frombuffer(model.to_bytes(), dtype=np.uint8)
                for name, model in known.items()
            }
            own.checkpoint.save(fingerprint, {}, arrays)
    return [known[name] for name in names]
