"""The settings of the members of a committee.

Transition parsers and Eisner's model share the settings of a preset, which is chosen to fit the
treebank. The latent-variable parser has its own settings, except for tags, labels, roots and
crossing arcs.

>>> import bistro
>>> from bistro.models.committee.config import CommitteeConfig
>>> wanted = CommitteeConfig(members=("left", "eisner", "isbn"))
>>> members = member_settings(wanted, bistro.builtin(sentences=60, seed=1))
>>> [type(settings).__name__ for settings in members.values()]
['TransitionConfig', 'EisnerConfig', 'IsbnConfig']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bistro import config as configuration
from bistro.errors import ConfigError
from bistro.models.committee.config import AUTO, CommitteeConfig
from bistro.models.committee.other_tags import Column, OtherTags
from bistro.models.eisner.config import ChildContexts, EisnerConfig
from bistro.models.isbn.config import IsbnConfig
from bistro.models.presets import file_or_preset
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.fitting import preset_for
from bistro.treebank.sentence import Sentence

MemberSettings = TransitionConfig | EisnerConfig | IsbnConfig
UNKNOWN = ("unknown", "unknown_below", "unknown_suffixes")
GENERATED_LABELS = ChildContexts(
    labels=("direction", "parent.tag", "sibling.label", "parent.word"),
    tags=("label", "direction", "parent.tag", "sibling.tag", "parent.word"),
    words=("tag", "label", "direction", "parent.tag", "parent.word"),
)
OTHER_TAGS = "other-tags"
"""Suffix of the names of members that learn from the other tag column."""
INSTEAD = {"left-other-tags": ("left-labels",), "right-other-tags": ("right", "left-labels")}
"""Replacements for members that need a second tag column, if the treebank has only one tag column.
The first replacement that is not yet a member is used."""


def member_settings(
    config: CommitteeConfig, sentences: Sequence[Sentence]
) -> dict[str, MemberSettings]:
    """Return the settings of every member by name. Duplicate members are left out."""
    base = replace(preset_settings(config.preset, sentences), sampler=config.sampler)
    if base.unsupervised.sweeps:
        raise ConfigError(
            "the members of a committee learn only from trees: set unsupervised.sweeps = 0"
        )
    has_labels = base.labels != "none" and len({d for s in sentences for d in s.deprels}) > 1
    other = other_tags_of(sentences, base.tagset)
    members: dict[str, MemberSettings] = {}
    for wanted in config.members:
        name = wanted if other.is_useful else _instead(wanted, config.members)
        side, _, family = name.partition("-")
        settings = _transition(name, config, base, has_labels=has_labels)
        if family == OTHER_TAGS:
            if not other.is_useful:
                continue
            settings = replace(settings, tagset=other.other, tag_features=())
        member: MemberSettings = settings
        if side == "eisner":
            member = _eisner(settings, generated=family == "labels" and has_labels)
        elif side == "isbn":
            member = _isbn(config.isbn, settings, to_left=family == "right")
        if member not in members.values():
            members[name] = member
    return members


def _instead(wanted: str, members: Sequence[str]) -> str:
    """Return the replacement for a member that needs the other tag column.

    >>> _instead("right-other-tags", ["left", "right"]), _instead("right-other-tags", ["left"])
    ('left-labels', 'right')
    """
    others = INSTEAD.get(wanted, (wanted,))
    return next((name for name in others if name not in members), others[-1])


def _transition(
    name: str, config: CommitteeConfig, base: TransitionConfig, *, has_labels: bool
) -> TransitionConfig:
    """Return the settings of a transition parser.

    The name of the member determines the direction and the contexts. Members of a committee do not
    generate sentences, so the lengths of generated sentences do not matter.
    """
    side, _, family = name.partition("-")
    settings = replace(
        base,
        direction="right-to-left" if side == "right" else "left-to-right",
        lengths="free",
    )
    if family == "table1" or (family == "labels" and not has_labels):
        table1 = configuration.read_toml(file_or_preset("table1"), TransitionConfig).contexts
        settings = replace(settings, contexts=table1)
    elif family == "labels":
        settings = replace(settings, contexts=replace(base.contexts, actions=config.label_actions))
    if name in config.spelled and side in ("left", "right"):
        settings = replace(settings, unknown="spelling")
    return settings


def _isbn(own: IsbnConfig, settings: TransitionConfig, *, to_left: bool) -> IsbnConfig:
    """Return the settings of a latent-variable parser that uses the same trees as the other
    members."""
    return replace(
        own,
        direction="right-to-left" if to_left else own.direction,
        tagset=settings.tagset,
        labels="none" if settings.labels == "none" else "two-step",
        roots=settings.roots,
        nonprojective=settings.nonprojective,
        unknown="single" if settings.unknown == "single" else own.unknown,
    )


def _eisner(settings: TransitionConfig, *, generated: bool) -> EisnerConfig:
    """Return the settings of Eisner's model, based on the settings of a transition parser."""
    names = ("tagset", "tag_features", "roots", "nonprojective", "sampler", *UNKNOWN)
    shared = {name: getattr(settings, name) for name in names}
    if generated:
        return EisnerConfig(labels="generated", contexts=GENERATED_LABELS, **shared)
    return EisnerConfig(labels="none" if settings.labels == "none" else "arcs", **shared)


def preset_settings(name: str, sentences: Sequence[Sentence]) -> TransitionConfig:
    """Return the transition parser's settings from a preset or a file.

    ``auto`` selects the preset that fits the treebank.
    """
    preset = preset_for(sentences) if name == AUTO else name
    if preset is None:
        return TransitionConfig()
    return configuration.read_toml(file_or_preset(preset), TransitionConfig)


def other_tags_of(sentences: Sequence[Sentence], own: Column) -> OtherTags:
    """Return statistics on the tag column that the preset does not use."""
    return OtherTags.of(sentences, own, "xpos" if own == "upos" else "upos")
