"""Laws of every model: its file, what it says of itself, what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bistro.errors import ModelFileError
from bistro.modelfile import encode_model
from bistro.models import kinds
from bistro.models.abilities import ABILITIES, METHODS
from bistro.models.base import Model, from_bytes
from bistro.models.options import Options

from .law import LawError, expect, expect_line, laws, refusal

SHARES = (0.0, 0.001, 0.2, 0.5, 0.9, 0.999)
"""Where a file is cut to see whether that is noticed."""


def file_gives_it_back(model: Model, data: Sequence[Any]) -> None:
    """Its file gives back the same model, which has the same file."""
    content = model.to_bytes()
    expect(content == model.to_bytes(), "another file the second time")
    again = from_bytes(content)
    expect(type(again) is type(model), type(again))
    expect(again.to_bytes() == content, "another file after loading")
    expect(again.config == model.config, again.config, model.config)
    expect(again.origin == model.origin, again.origin, model.origin)
    expect(again.summary() == model.summary(), again.summary(), model.summary())


def damage_is_noticed(model: Model, data: Sequence[Any]) -> None:
    """A file that is cut short or lacks an array is refused."""
    content = model.to_bytes()
    for share in SHARES:
        _expect_damaged(content[: int(share * len(content))], f"cut at {share:.1%}")
    header, arrays = model.whole_header(), model.arrays()
    for name in arrays:
        rest = {other: array for other, array in arrays.items() if other != name}
        _expect_damaged(encode_model(header, rest, model.format_version), f"without {name}")


def missing_entries_are_noticed(model: Model, data: Sequence[Any]) -> None:
    """A file without one of the entries of its header is refused."""
    header, arrays = model.whole_header(), model.arrays()
    for name in header:
        rest = {other: entry for other, entry in header.items() if other != name}
        if name == "kind" or name.endswith("_hash"):
            continue  # no file can be written without a kind; hashes are for readers
        _expect_damaged(encode_model(rest, arrays, model.format_version), f"without {name}")


def _expect_damaged(content: bytes, how: str) -> None:
    try:
        from_bytes(content, "m.bistro")
    except ModelFileError as error:
        expect_line(str(error))
        expect(str(error).startswith("m.bistro: "), str(error))
        return
    raise LawError(f"a file {how} is not refused")


def record_names_it(model: Model, data: Sequence[Any]) -> None:
    """Its kind is registered, with its class and all its abilities."""
    kind = kinds.find(model.kind)
    expect(isinstance(model, kind.model_class()), type(model))
    expect(isinstance(model.config, kind.config_class()), type(model.config))
    undeclared = [
        ability.name
        for ability in ABILITIES.values()
        if ability.is_own(model) and not kind.can(ability.name)
    ]
    expect(not undeclared, undeclared)


def lacking_abilities_are_refused(model: Model, data: Sequence[Any]) -> None:
    """An ability that it lacks is refused in one sentence that names a kind that has it."""
    for ability in ABILITIES.values():
        if ability.is_of(model):
            continue
        sentence = refusal(ability.of, model)
        expect(sentence == ability.refusal(model.kind), sentence)
        able = kinds.able(ability.name)
        named = [name for name in able if name in sentence]
        expect(named == able or model.kind in able, sentence)
    for method, ability in METHODS.items():
        if not ability.is_of(model) and not hasattr(type(model), method):
            expect(refusal(getattr, model, method) == ability.refusal(model.kind), method)
            expect(not hasattr(model, method), method)


def options_are_known(model: Model, data: Sequence[Any]) -> None:
    """An unknown option is refused, with the nearest one that there is."""
    for verb, options in options_of(model):
        one = data if verb == "score" else data[0]
        calls = {verb: (one,), f"{verb}_all": (data,), f"{verb}_protocol": ()}
        for method, arguments in calls.items():
            if hasattr(model, method):
                _expect_known(getattr(model, method), arguments, options)


def _expect_known(
    call: Callable[..., Any], arguments: Sequence[Any], options: type[Options]
) -> None:
    for name in sorted(options.names()):
        wrong: dict[str, Any] = {name + "x": 1}
        sentence = refusal(call, *arguments, says=f"has no option '{name}x'", **wrong)
        expect(f"(did you mean '{name}'?)" in sentence, sentence)
    refusal(call, *arguments, says="has no option 'zzzzz'", zzzzz=1)


def options_of(model: Model) -> Iterator[tuple[str, type[Options]]]:
    """Yield the abilities of a model that have options, and the class of these."""
    for verb in ("parse", "tag", "score"):
        if ABILITIES[verb].is_own(model):
            yield verb, getattr(model, f"{verb}_options")


def protocols_are_lines(model: Model, data: Sequence[Any]) -> None:
    """A protocol is one line that names the kind, or what is done."""
    for verb, _ in options_of(model):
        expect_line(getattr(model, f"{verb}_protocol")())
    if ABILITIES["linearize"].is_own(model):
        expect_line(model.order_protocol())  # type: ignore[attr-defined]


def introduces_itself(model: Model, data: Sequence[Any]) -> None:
    """Its repr is one line with kind and seed; its summary is ready for JSON."""
    expect_line(repr(model))
    expect(model.kind in repr(model) and f"seed {model.origin.seed}" in repr(model), repr(model))
    summary = model.summary()
    expect(summary and all(isinstance(name, str) for name in summary), summary)
    expect(json.loads(json.dumps(summary)).keys() == summary.keys(), summary)
    expect(isinstance(model.describe(), str), model.describe())


LAWS = laws(
    "",
    file_gives_it_back,
    damage_is_noticed,
    missing_entries_are_noticed,
    record_names_it,
    lacking_abilities_are_refused,
    options_are_known,
    protocols_are_lines,
    introduces_itself,
)
