"""Create a model's settings from a preset or a file, and apply individual changes.

>>> kind, config = chosen_settings("ngram", overrides=["order=3"])
>>> kind.name, config.order
('ngram', 3)
>>> kind, config = settled_settings("infinite", {"task": "tags", "tags": {"tagset": "xpos"}})
>>> kind.name, config.tagset
('tags', 'xpos')
>>> kind, config = settled_settings("transition", {"sampler": {"sweeps": 30}})
>>> config.sampler.samples
10
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bistro import config as configuration
from bistro.models import kinds
from bistro.models.kinds import Kind
from bistro.models.presets import family_of, file_or_preset, presets


def chosen_settings(
    name: str, source: str | None = None, overrides: Sequence[str] = ()
) -> tuple[Kind, Any]:
    """Return a model kind and its configuration, given a file or preset and ``key=value`` pairs."""
    settings: Mapping[str, Any] = {}
    where = "--set"
    if source:
        path = file_or_preset(source)
        settings, where = configuration.read_mapping(path), str(path)
        if name in kinds.FORMER and source in presets():
            settings = {"task": family_of(path), **settings}
    if name in kinds.FORMER:
        return _former(name, settings, overrides, where)
    kind = kinds.find(name)
    config = configuration.from_dict(kind.config_class(), settings, where)
    return kind, configuration.apply_overrides(config, overrides)


def settled_settings(
    name: str, settings: Mapping[str, Any], where: str = "settings"
) -> tuple[Kind, Any]:
    """Return a model kind and its configuration with the given settings.

    Former model kinds are replaced by the current kinds.

    Settings that are not given take the default values for that kind of model.
    """
    kind, settled = kinds.settled(name, settings)
    return kind, _changed(kind.config_class()(), settled, where)


def _former(
    name: str, settings: Mapping[str, Any], overrides: Sequence[str], where: str
) -> tuple[Kind, Any]:
    """Return the current model kind and configuration for a former kind.

    The overrides may include the `task` setting of the former kind.
    """
    kind, changes = kinds.settled(name, configuration.overridden(settings, overrides))
    _, own = kinds.settled(name, {**settings, "task": kind.name})
    config = configuration.from_dict(kind.config_class(), own, where)
    return kind, _changed(config, changes, "--set")


def _changed(config: Any, changes: Mapping[str, Any], where: str) -> Any:
    whole = configuration.merged(configuration.to_dict(config), changes)
    return configuration.from_dict(type(config), whole, where)
