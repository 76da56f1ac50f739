"""Calls and commands can override the default options of a model.

The options for a call, such as the search size, have the same defaults in all models of a family. A
configuration may set other defaults, which are saved with the model. A preset that follows a paper
can therefore specify the search that the paper uses, and not only the training.

    [defaults.parse]
    selection = "paper"
    mbr = false

A given option takes precedence over the model's own default, which takes precedence over the
family's.

>>> from bistro.models.transition.config import TransitionConfig
>>> config = TransitionConfig(defaults=OptionDefaults(parse={"size": 100}))
>>> own_defaults(config, "parse"), own_defaults(config, "score")
({'size': 100}, {})
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from bistro import config as configuration
from bistro.models.kinds import Kind
from bistro.models.options import Options

OptionValue: TypeAlias = bool | int | float | str
Verb: TypeAlias = Literal["parse", "tag", "score"]
VERBS: dict[Verb, str] = {"parse": "parse", "tag": "tag", "score": "score words"}
"""Tasks whose options can have defaults, with the verb phrases used in error messages."""
DEFAULTS_HELP = "Default options of the model, which calls and commands can override."


def _table(help: str) -> Any:
    # Excluded from the hash, so that configurations stay hashable.
    return field(default_factory=dict, hash=False, metadata={"help": help})


@dataclass(frozen=True)
class OptionDefaults:
    """Default options of a model, with one table per task."""

    parse: dict[str, OptionValue] = _table("Default options for parsing, such as size = 100.")
    tag: dict[str, OptionValue] = _table("Default options for tagging, in models that only tag.")
    score: dict[str, OptionValue] = _table("Default options for perplexity and surprisal.")


def own_defaults(config: Any, verb: Verb) -> dict[str, OptionValue]:
    """Return the default options that a configuration sets for a task."""
    return dict(getattr(getattr(config, "defaults", None), verb, {}))


def chosen_options(model: Any, verb: Verb, settings: Mapping[str, Any]) -> Any:
    """Return all options for a task.

    The `settings` take precedence over the defaults of the model, which take precedence over
    the defaults of the family.
    """
    whole = {**own_defaults(model.config, verb), **settings}
    options: type[Options] = getattr(model, f"{verb}_options")
    return options.of(whole, model.kind, VERBS[verb])


def check_defaults(kind: Kind, config: Any) -> None:
    """Raise an error if a default is not an option of the family or has the wrong type."""
    for verb in VERBS:
        if own := own_defaults(config, verb):
            options = getattr(kind.model_class(), f"{verb}_options", Options)
            # Parsers tag with the options of `parse`; their `tag_options` is a property.
            accepted = options if isinstance(options, type) else Options
            configuration.from_dict(accepted, own, f"defaults.{verb}")
