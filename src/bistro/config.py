"""Configurations: frozen dataclasses that are read from TOML and changed with ``key=value``.

A setting is a field with a type, a default and a help text. The type determines the accepted
values: ``bool int float str``, `Literal` for a choice, ``T | None`` (written ``"none"``), lists,
tuples, other such dataclasses (tables), and ``dict[str, T]`` (a table with any keys). If a table
omits a setting, the setting takes its value from the table's default value. If the table has no
default, the setting takes its own default value. A method ``validate(self)`` may raise
`ConfigError` for conditions that a type cannot express. An unknown key is an error, and the message
suggests the nearest known key.

>>> @dataclasses.dataclass(frozen=True)
... class Walk:
...     steps: int = setting(3, "How many steps to take.")
...     pace: Literal["slow", "fast"] = setting("slow", "How to take them.")
>>> apply_overrides(Walk(), ["pace=fast"])
Walk(steps=3, pace='fast')
>>> from_dict(Walk, {"step": 4})
Traceback (most recent call last):
bistro.errors.UnknownSettingError: config.toml: unknown setting 'step' (did you mean 'steps'?)
>>> print(to_toml(Walk(steps=4)), end="")
# How many steps to take.
steps = 4
# How to take them. Choices: slow, fast.
pace = "slow"
"""

from __future__ import annotations

import copy
import dataclasses
import json
import os
import textwrap
import tomllib
from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Literal, TypeGuard, TypeVar, Union, get_args, get_origin, get_type_hints

from bistro.errors import ConfigError, UnknownSettingError, nearest
from bistro.files import open_binary

Config = TypeVar("Config")
NOT_SET = "none"
LARGEST = 2**31 - 1
"""The largest integer value that a setting can have. The compiled core uses 32-bit integers."""
LARGEST_FILE = 1_000_000
"""Maximum size of a settings file in bytes. Parsed TOML can take a hundred times as much memory as
the file."""
_NAMES: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text in quotes",
    NoneType: f'"{NOT_SET}"',
}


def setting(default: Any, help: str, *, most: int = LARGEST) -> Any:
    """Return a dataclass field with a default, a help text and, for a number, an upper limit.

    Numbers that determine how much memory is used need a limit. Lists and tables use
    ``dataclasses.field`` with ``default_factory`` and the same metadata.
    """
    return dataclasses.field(default=default, metadata={"help": help, "most": most})


def from_dict(cls: type[Config], mapping: Mapping[str, Any], where: str = "config.toml") -> Config:
    """Build a configuration.

    Settings that are omitted take their default values. Every error message begins with `where`.
    """
    return _build(cls, mapping, where, "", None)


def to_dict(config: Any) -> dict[str, Any]:
    """Return the configuration as plain dicts and lists that can be stored as JSON."""
    plain: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(config)))
    return plain


def read_toml(path: str | os.PathLike[str], cls: type[Config]) -> Config:
    """Read a configuration from a TOML file."""
    return from_dict(cls, read_mapping(path), where=os.fspath(path))


def read_mapping(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read settings from a TOML file, without checking them against a configuration."""
    name = os.fspath(path)
    with open_binary(name) as stream:
        content = stream.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise ConfigError(
            f"{name}: the file is larger than {LARGEST_FILE:,} bytes, which is too large for a "
            "settings file"
        )
    try:
        return tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{name}: the file is not valid TOML: {error}") from None


def to_toml(config: Any) -> str:
    """Return all settings as TOML, each with its help text as a comment above it."""
    return "\n".join(_toml_lines(config, "")) + "\n"


def apply_overrides(config: Config, overrides: Sequence[str], where: str = "--set") -> Config:
    """Return `config` with ``key=value`` or ``table.key=value`` applied; the last one wins.

    Each value is parsed as TOML. A value that is not valid TOML is a string, so quotes can be
    omitted.
    """
    return from_dict(type(config), overridden(to_dict(config), overrides, where), where)


def overridden(
    settings: Mapping[str, Any], overrides: Sequence[str], where: str = "--set"
) -> dict[str, Any]:
    """Return settings with ``key=value`` or ``table.key=value`` applied."""
    mapping: dict[str, Any] = copy.deepcopy(dict(settings))
    for override in overrides:
        key, equals, text = override.partition("=")
        if not equals:
            raise ConfigError(f"{where} {override}: expected key=value")
        *tables, last = key.strip().split(".")
        table = mapping
        for name in tables:
            if not isinstance(table.get(name), dict):
                table[name] = {}
            table = table[name]
        table[last] = _parse_value(text.strip())
    return mapping


def merged(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with the changes merged into each table."""
    whole = dict(settings)
    for key, value in changes.items():
        inner = whole.get(key)
        if isinstance(inner, Mapping) and isinstance(value, Mapping):
            value = merged(inner, value)
        whole[key] = value
    return whole


def _build(
    cls: type[Config], mapping: Mapping[str, Any], where: str, prefix: str, default: Config | None
) -> Config:
    """Build a table.

    Missing settings are taken from `default`, or from the class if `default` is None.
    """
    types = get_type_hints(cls)
    names = _fields(cls)
    base = {} if default is None else {name: getattr(default, name) for name in names}
    defaults = base or _defaults(cls)
    for key in mapping:
        if key not in names:
            hint = _in_table(key, types, prefix) or nearest(key, names, prefix)
            hint = hint or f" (known: {', '.join(names)})"
            raise UnknownSettingError(f"{where}: unknown setting '{prefix}{key}'{hint}")
    values = {
        key: _convert(value, types[key], where, prefix + key, defaults.get(key))
        for key, value in mapping.items()
    }
    _check_limits(cls, values, where, prefix)
    config = cls(**{**base, **values})
    validate = getattr(config, "validate", None)
    if validate is not None:
        try:
            validate()
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None
    return config


def _check_limits(cls: type[Any], values: Mapping[str, Any], where: str, prefix: str) -> None:
    for field in dataclasses.fields(cls):
        value, most = values.get(field.name), field.metadata.get("most", LARGEST)
        if isinstance(value, int) and value > most:
            raise ConfigError(f"{where}: '{prefix}{field.name}' must not exceed {most:,}")


def _defaults(cls: type[Any]) -> dict[str, Any]:
    """Return the default value of each field that has one, by field name."""
    defaults = {}
    for field in dataclasses.fields(cls):
        if field.default is not dataclasses.MISSING:
            defaults[field.name] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            defaults[field.name] = field.default_factory()
    return defaults


def _convert(value: Any, expected: Any, where: str, key: str, default: Any = None) -> Any:
    """Convert `value` to the type `expected`.

    Raise an error that names `key` if the value cannot be converted.
    """
    origin, arguments = get_origin(expected), get_args(expected)
    if _is_table(expected) and isinstance(value, Mapping):
        return _build(
            expected, value, where, key + ".", default if isinstance(default, expected) else None
        )
    if origin is dict and isinstance(value, Mapping):
        return {k: _convert(v, arguments[1], where, f"{key}.{k}") for k, v in value.items()}
    if origin in (Union, UnionType):
        return _convert_union(value, expected, where, key, default)
    if origin is Literal and any(value == c and type(value) is type(c) for c in arguments):
        return value
    if origin in (list, tuple) and isinstance(value, list | tuple):
        items = _item_types(origin, arguments, len(value))
        if len(items) == len(value):
            pairs = zip(value, items, strict=True)
            return origin(_convert(v, t, where, f"{key}[{i}]") for i, (v, t) in enumerate(pairs))
    if expected is float and type(value) is int and abs(value) < 2**53:
        return float(value)
    if type(value) is expected:
        if expected is int and abs(value) > LARGEST:
            raise ConfigError(f"{where}: '{key}' must not exceed {LARGEST:,}")
        return value
    hint = nearest(str(value), map(str, arguments)) if origin is Literal else ""
    raise ConfigError(f"{where}: '{key}' must be {_describe(expected)}, not {_show(value)}{hint}")


def _convert_union(value: Any, expected: Any, where: str, key: str, default: Any) -> Any:
    alternatives = [t for t in get_args(expected) if t is not NoneType]
    if value in (None, NOT_SET) and len(alternatives) < len(get_args(expected)):
        return None
    for alternative in alternatives:
        try:
            return _convert(value, alternative, where, key, default)
        except ConfigError:
            continue
    raise ConfigError(f"{where}: '{key}' must be {_describe(expected)}, not {_show(value)}")


def _item_types(origin: Any, arguments: tuple[Any, ...], length: int) -> Sequence[Any]:
    if origin is list or arguments[1:] == (Ellipsis,):
        return [arguments[0]] * length
    return arguments


def _in_table(key: str, types: Mapping[str, Any], prefix: str) -> str:
    """Return a hint if one of the tables has a setting with this name, else an empty string."""
    tables = [name for name, kind in types.items() if _is_table(kind) and key in _fields(kind)]
    return f" (did you mean '{prefix}{tables[0]}.{key}'?)" if tables else ""


def _fields(cls: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(cls)]


def _is_table(expected: Any) -> TypeGuard[type[Any]]:
    return isinstance(expected, type) and dataclasses.is_dataclass(expected)


def _describe(expected: Any) -> str:
    origin, arguments = get_origin(expected), get_args(expected)
    if origin is Literal:
        return "one of " + ", ".join(map(_show, arguments))
    if origin in (Union, UnionType):
        return " or ".join(map(_describe, arguments))
    if origin is tuple and arguments[1:] != (Ellipsis,):
        return f"a list of {len(arguments)}: " + ", ".join(map(_describe, arguments))
    if origin in (list, tuple):
        return f"a list, each item {_describe(arguments[0])}"
    return _NAMES.get(expected, "a table")


def _show(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _parse_value(text: str) -> Any:
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    return parsed["value"] if len(parsed) == 1 else text


def _toml_lines(config: Any, prefix: str) -> list[str]:
    """Return the TOML lines of one table. As TOML requires, settings precede nested tables."""
    types = get_type_hints(type(config))
    own: list[str] = []
    tables: list[str] = []
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        comment = _comment(field.metadata.get("help", ""), types[field.name])
        if dataclasses.is_dataclass(value):
            inner = _toml_lines(value, f"{prefix}{field.name}.")
            tables += ["", *comment, f"[{prefix}{field.name}]", *inner]
        elif isinstance(value, Mapping):
            entries = [f"{key} = {_toml_value(inner)}" for key, inner in value.items()]
            tables += ["", *comment, f"[{prefix}{field.name}]", *entries]
        else:
            own += [*comment, f"{field.name} = {_toml_value(value)}"]
    return own + tables


def _comment(help_text: str, expected: Any) -> list[str]:
    if get_origin(expected) is Literal:
        help_text += f" Choices: {', '.join(map(str, get_args(expected)))}."
    return textwrap.wrap(help_text.strip(), width=98, initial_indent="# ", subsequent_indent="# ")


def _toml_value(value: Any) -> str:
    if value is None:
        value = NOT_SET
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    if isinstance(value, str):
        # JSON strings are TOML strings, except for one control character that JSON does not escape.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
