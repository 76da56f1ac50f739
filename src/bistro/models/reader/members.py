"""Families and settings of a reader's members, as specified by its configuration.

A member is specified as on the command line: a kind, an optional preset or file, and changes to
settings.

>>> [member] = members_of(ReaderConfig(members=("ngram order=3",)), [])
>>> member.name, member.config.order
('ngram', 3)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from bistro.errors import ConfigError
from bistro.models import kinds
from bistro.models.inputs import Words
from bistro.models.kinds import Kind
from bistro.models.options import a_model
from bistro.models.reader.config import ReaderConfig
from bistro.models.settings import chosen_settings
from bistro.treebank.sentence import Sentence

VOCABULARY = ("unknown", "unknown_below", "unknown_suffixes")
"""Settings that the reader determines, because its members must have the same vocabulary."""
FORWARDS = "left-to-right"


class Member(NamedTuple):
    """A model to be trained."""

    name: str
    """The kind of the member, with its preset if one is given. A number distinguishes members with
    the same name."""
    kind: Kind
    config: Any


def members_of(config: ReaderConfig, data: Sequence[Words]) -> list[Member]:
    """Return the members with their settings. Raise an error if a model cannot be a member."""
    members: list[Member] = []
    names = Counter[str]()
    for text in config.members:
        first, *changes = text.split()
        names[first] += 1
        name = first if names[first] == 1 else f"{first}-{names[first]}"
        try:
            members.append(_member(name, first, changes, config, data))
        except ConfigError as error:
            raise ConfigError(f"member '{text}': {error}") from None
    return members


def _member(
    name: str, first: str, changes: Sequence[str], config: ReaderConfig, data: Sequence[Words]
) -> Member:
    kind_name, _, preset = first.partition(":")
    kind = _checked(kinds.find(kind_name))
    known = {field.name for field in fields(kind.config_class())}
    shared = [f"{key}={getattr(config, key)}" for key in VOCABULARY if key in known]
    fitting = None if preset or not _is_treebank(data) else kind.fitting_preset(data)
    _, settings = chosen_settings(kind.name, preset or fitting, [*changes, *shared])
    if getattr(settings, "direction", FORWARDS) != FORWARDS:
        raise ConfigError("a model that generates from right to left cannot score prefixes")
    return Member(name, kind, settings)


def _checked(kind: Kind) -> Kind:
    """Raise an error if a family does not score words or does not learn from sentences."""
    able = [one.name for one in kinds.every() if _can_read(one)]
    if not _can_read(kind):
        raise ConfigError(
            f"{a_model(kind.name)} cannot be a member of a reader: use {' or '.join(able)}"
        )
    return kind


def _can_read(kind: Kind) -> bool:
    reads = all(map(kind.can, ("score", "generate"))) and not kind.has_members
    return reads and kind.items == "sentences"


def _is_treebank(data: Sequence[Words]) -> bool:
    return bool(data) and all(isinstance(sentence, Sentence) for sentence in data)
