"""The reference of modules and classes as Markdown, from their signatures and docstrings.

Docstrings are in NumPy style. The fields of a class are documented by the string below each field.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import is_dataclass
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from types import ModuleType
from typing import Any

SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
UNREADABLE = re.compile(r"<factory>|<function .*? at 0x\w+>")
LISTS = ("Parameters", "Returns", "Raises", "Yields", "Attributes")


def reference(target: str, members: Sequence[str] = ()) -> Iterator[str]:
    """Yield the reference of ``module`` or ``module:Class``, optionally only of some members."""
    name, _, inside = target.partition(":")
    module = import_module(name)
    if inside:
        yield from _entry(name, inside, getattr(module, inside), members)
        return
    yield from _text(inspect.getdoc(module) or "")
    for public in public_names(module):
        yield from _entry(name, public, getattr(module, public), ())


def public_names(module: ModuleType) -> list[str]:
    """Return the public names of a module: its ``__all__``, or the names that it defines."""
    listed: list[str] | None = getattr(module, "__all__", None)
    if listed is not None:
        return [name for name in listed if not name.startswith("__")]
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]


def _entry(module: str, name: str, value: Any, members: Sequence[str]) -> Iterator[str]:
    yield from ["", f"## `{module}.{name}` {{: #{module}.{name} }}", ""]
    if inspect.isclass(value):
        yield from _class(module, name, value, members)
    elif callable(value):
        yield from _function(name, value)
    else:
        yield f"`{value!r}`"


def _class(module: str, name: str, value: type, members: Sequence[str]) -> Iterator[str]:
    doc = inspect.getdoc(value) or ""
    if "Parameters\n---" in doc or (is_dataclass(value) and not members):
        yield from _function(name, value)
    else:
        yield from _text(doc)
    fields = {} if members else dict(_fields(value))
    shown = members or [n for n in vars(value) if not n.startswith("_")]
    for member in shown:
        static = inspect.getattr_static(value, member, None)
        if isinstance(static, property | cached_property):
            fields[member] = inspect.getdoc(static) or ""
    if fields:
        yield from ["", "**Attributes**", ""]
        for field, meaning in fields.items():
            yield from _item(f"`{field}`", meaning)
    for member in shown:
        method = getattr(value, member, None)
        if inspect.isroutine(method) and not isinstance(method, cached_property):
            yield from ["", f"### `{name}.{member}` {{: #{module}.{name}.{member} }}", ""]
            yield from _function(member, method)


def _fields(value: type) -> Iterator[tuple[str, str]]:
    """Yield the fields of a class that have a docstring below them."""
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]
    except OSError:
        return
    statements = getattr(body, "body", [])
    for field, text in pairwise(statements):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=doc)):
                yield name, inspect.cleandoc(str(doc))


def _function(name: str, value: Any) -> Iterator[str]:
    try:
        signature = inspect.signature(value)
    except ValueError:  # a built-in, such as an exception
        yield from _text(inspect.getdoc(value) or "")
        return
    yield from ["```python", _shown(name, signature), "```", ""]
    yield from _text(inspect.getdoc(value) or "", signature)


def _shown(name: str, signature: inspect.Signature) -> str:
    """Return a call with its defaults, without types, which are in the list of parameters."""
    bare = [
        p.replace(annotation=inspect.Parameter.empty)
        for p in signature.parameters.values()
        if p.name != "self"
    ]
    call = str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    result = signature.return_annotation
    arrow = "" if result in (inspect.Signature.empty, "None", None) else f" -> {result}"
    call = UNREADABLE.sub("...", call)
    line = f"{name}{call}{arrow}"
    if len(line) <= 88:
        return line
    inner = "".join(f"    {part}\n" for part in _split(call[1:-1]))
    return f"{name}(\n{inner}){arrow}"


def _split(call: str) -> Iterator[str]:
    """Yield the parameters of a call, each with its comma."""
    depth, start = 0, 0
    for place, character in enumerate(call):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            yield call[start : place + 1]
            start = place + 2
    yield call[start:] + ","


def _text(doc: str, signature: inspect.Signature | None = None) -> Iterator[str]:
    """Yield a docstring as Markdown, with its sections as lists."""
    parts = SECTION.split(doc)
    yield from _prose(parts[0])
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        yield from ["", f"**{title}**", ""]
        if title in LISTS:
            for names, meaning in _items(body):
                yield from _item(_typed(names, signature), meaning)
        else:
            yield from _prose(body)


def _items(body: str) -> Iterator[tuple[str, str]]:
    for entry in re.split(r"\n(?=\S)", body.strip("\n")):
        names, _, meaning = entry.partition("\n")
        yield names, textwrap.dedent(meaning).strip()


def _item(term: str, meaning: str) -> Iterator[str]:
    text = _code("\n".join(meaning.splitlines()) or "…")
    yield from [term, ":   " + text.replace("\n", "\n    "), ""]


def _typed(names: str, signature: inspect.Signature | None) -> str:
    """Return the names of parameters as code, with their types."""
    known = signature.parameters if signature else {}
    shown = []
    for name in names.split(", "):
        parameter = known.get(name.lstrip("*"))
        kind = parameter.annotation if parameter and "*" not in name else inspect.Parameter.empty
        typed = "" if kind is inspect.Parameter.empty else f" : `{kind}`"
        shown.append(f"`{name}`{typed}")
    return ", ".join(shown)


def _prose(text: str) -> Iterator[str]:
    """Yield paragraphs, with interactive examples as code blocks."""
    for paragraph in re.split(r"\n{2,}", text.strip("\n")):
        if paragraph.startswith(">>>"):
            yield from ["```pycon", paragraph, "```", ""]
        else:
            yield from [_code(paragraph), ""]


def _code(text: str) -> str:
    return re.sub(r"``([^`]+)``", r"`\1`", text)
