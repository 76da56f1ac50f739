"""Training of a committee: all members at once, then the weights of their votes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bistro import config as configuration
from bistro.errors import BistroError, ConfigError
from bistro.inference.chains import OwnedChain, Session, fingerprint_of, run_chains
from bistro.inference.mixture_weights import accurate_weights, likely_weights, sharpness
from bistro.inference.train_eisner import EisnerTraining
from bistro.inference.train_transition import Training, training_of
from bistro.models.base import Origin, Words
from bistro.models.committee import WAYS, CommitteeModel
from bistro.models.committee_config import AUTO, CommitteeConfig
from bistro.models.eisner_config import ChildContexts, EisnerConfig
from bistro.models.mixture import Fit, Mixture, in_common
from bistro.models.presets import file_or_preset
from bistro.models.transition_config import TransitionConfig
from bistro.models.votes import ArcCode, Rows
from bistro.treebank.sentence import Sentence

WEIGHTS: dict[str, Callable[[Sequence[Rows], NDArray[np.int64]], NDArray[np.float64]]] = {
    "accurate": accurate_weights,
    "likely": likely_weights,
    "equal": lambda members, gold: np.full(len(members), 1 / len(members)),
}
MemberSettings = TransitionConfig | EisnerConfig
UNKNOWN = ("unknown", "unknown_below", "unknown_suffixes")
GENERATED_LABELS = ChildContexts(
    labels=("direction", "parent.tag", "sibling.label", "parent.word"),
    tags=("label", "direction", "parent.tag", "sibling.tag", "parent.word"),
    words=("tag", "label", "direction", "parent.tag", "parent.word"),
)
PRESETS_TRIED = ("ud", "ddt")
PENN_TAGS = frozenset(("NN", "NNS", "VBD", "VBZ", "IN", "DT"))


def train_committee(
    data: Sequence[Words],
    config: CommitteeConfig,
    seed: int,
    treebank: dict[str, Any],
    session: Session,
    dev: Sequence[Sentence] | None = None,
) -> CommitteeModel:
    """Train the members on trees, and fit weights and sharpness on a development set, if given."""
    sentences = [sentence for sentence in data if isinstance(sentence, Sentence)]
    if len(sentences) != len(data):
        raise BistroError("a parser learns from trees: give a treebank, not lists of words")
    trainings = {
        name: _begin(sentences, settings, seed)
        for name, settings in member_settings(config, sentences).items()
    }
    digests = [digest for training in trainings.values() for digest in training.digests]
    fingerprint = fingerprint_of(CommitteeModel.kind, config, seed, digests)
    chains = [OwnedChain(name, chain) for name, t in trainings.items() for chain in t.chains]
    trace = run_chains(chains, config.sampler, fingerprint, session)
    members = [t.finish({**treebank, "member": name}, []) for name, t in trainings.items()]
    origin = Origin(seed, treebank, trace)
    model = CommitteeModel(config, members, {w: Fit.equal(len(members)) for w in WAYS}, origin)
    if dev:
        model.fits = {way: fitted(model, dev, way, session.threads) for way in WAYS}
    return model


def _begin(
    sentences: Sequence[Sentence], settings: MemberSettings, seed: int
) -> Training | EisnerTraining:
    if isinstance(settings, EisnerConfig):
        return EisnerTraining(sentences, settings, seed)
    return training_of(sentences, settings, seed)


def member_settings(
    config: CommitteeConfig, sentences: Sequence[Sentence]
) -> dict[str, MemberSettings]:
    """Return the settings of every member, by name; members that could not differ are left out."""
    base = replace(_preset(config.preset, sentences), sampler=config.sampler)
    if base.unsupervised.sweeps:
        raise ConfigError("members of a committee learn from trees: unsupervised.sweeps = 0")
    table1 = configuration.read_toml(file_or_preset("table1"), TransitionConfig).contexts
    seeing_labels = replace(base.contexts, actions=config.label_actions)
    has_labels = base.labels != "none" and len({d for s in sentences for d in s.deprels}) > 1
    found: dict[str, MemberSettings] = {}
    for name in config.members:
        side, _, family = name.partition("-")
        settings = replace(base, direction="right-to-left" if side == "right" else "left-to-right")
        if family == "labels":
            settings = replace(settings, contexts=seeing_labels if has_labels else table1)
        elif family == "table1":
            settings = replace(settings, contexts=table1)
        elif family == "other-tags":
            other: Literal["upos", "xpos"] = "xpos" if base.tagset == "upos" else "upos"
            settings = replace(settings, tagset=other, tag_features=())
            if not _has_other_tags(sentences, base.tagset, other):
                continue
        if name in config.spelled and side != "eisner":
            settings = replace(settings, unknown="spelling")
        chosen: MemberSettings = settings
        if side == "eisner":
            chosen = _eisner(settings, generated=family == "labels" and has_labels)
        if chosen not in found.values():
            found[name] = chosen
    return found


def _eisner(settings: TransitionConfig, *, generated: bool) -> EisnerConfig:
    """Return the settings of Eisner's model that are those of the transition parsers."""
    names = ("tagset", "tag_features", "roots", "nonprojective", "sampler", *UNKNOWN)
    shared = {name: getattr(settings, name) for name in names}
    if generated:
        return EisnerConfig(labels="generated", contexts=GENERATED_LABELS, **shared)
    return EisnerConfig(labels="none" if settings.labels == "none" else "arcs", **shared)


def _preset(name: str, sentences: Sequence[Sentence]) -> TransitionConfig:
    chosen = preset_for(sentences) if name == AUTO else name
    if chosen is None:
        return TransitionConfig()
    return configuration.read_toml(file_or_preset(chosen), TransitionConfig)


def preset_for(sentences: Sequence[Sentence]) -> str | None:
    """Return the name of the preset that fits a treebank: by its features, or by the Penn tags."""
    features = {
        pair.partition("=")[0]
        for sentence in sentences
        for feats in sentence.feats
        for pair in feats.split("|")
    }
    for name in PRESETS_TRIED:
        wanted = configuration.read_toml(file_or_preset(name), TransitionConfig).tag_features
        if features.issuperset(wanted):
            return name
    tags = {tag for sentence in sentences for tag in sentence.upos}
    return "wsj" if tags >= PENN_TAGS else None


def _has_other_tags(sentences: Sequence[Sentence], own: str, other: str) -> bool:
    """Tell whether the other column of tags is filled, and does not say the same."""
    columns = [(getattr(s, own), getattr(s, other)) for s in sentences]
    filled = all("_" not in others for _, others in columns)
    return filled and any(owns != others for owns, others in columns)


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
