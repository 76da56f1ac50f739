"""Commands that reject repeated options, and help texts without types such as ``<list[str]>``.

Typer prints the type of each parameter next to its name. The name of an argument describes it, and
a switch has no value, so both are printed without a type; a choice is printed as ``one|other``.

If an option with a single value is repeated, Typer uses its last value and ignores the others. A
`PlainCommand` rejects such an option.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from typer.core import TyperCommand, TyperGroup

from bistro.errors import BistroError

FOR_SEVERAL = {"critical": "mark several regions with brackets in the sentences instead"}
"""What to do instead of repeating an option, if there is another way to give several values."""


class PlainCommand(TyperCommand):
    """A command that rejects repeated options and shows no Python types in its help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments. Raise an error if an option with a single value is repeated."""
        words = list(args)  # The parser empties the list.
        rest = super().parse_args(ctx, args)
        _, _, in_order = self.make_parser(ctx).parse_args(args=words)
        _check_repeated(in_order)
        return rest

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters of the command, each with a plain description of its values."""
        return [_plain(param) for param in super().get_params(ctx)]


class PlainGroup(TyperGroup):
    """A group of commands whose help shows no Python types."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters of the group, each with a plain description of its values."""
        return [_plain(param) for param in super().get_params(ctx)]


def under(panel: str, shared: Any) -> Any:
    """Return a copy of a shared option that is listed under a given heading in the help.

    The column widths are chosen separately for each heading. A long option name narrows only the
    descriptions under the same heading.
    """
    own = copy.copy(shared)
    own.rich_help_panel = panel
    return own


def _check_repeated(params: Sequence[Any]) -> None:
    """Raise an error if an option with a single value occurs twice among the given parameters."""
    options = {
        param.name: param
        for param in params
        if param.param_type_name == "option" and not (param.is_flag or param.multiple)
    }
    counts = Counter(param.name for param in params)
    for name, option in options.items():
        if counts[name] > 1:
            raise BistroError(
                f"{max(option.opts, key=len)} takes one value, but was given {counts[name]} times: "
                f"{_remedy(option)}"
            )


def _remedy(option: Any) -> str:
    """Say what to do instead of repeating an option."""
    is_list = "," in (option.metavar or "")
    once = "give it once, with commas between its values" if is_list else "give it once"
    return FOR_SEVERAL.get(option.name, once)


def _plain(param: Any) -> Any:
    # The method exists since Typer 0.27; older versions print no types here.
    param.display_type_rich = partial(_values, param)
    return param


def _values(param: Any, ctx: Any) -> str | None:
    """Return the text that describes a parameter's values in the help."""
    if param.param_type_name == "argument" or getattr(param, "is_flag", False):
        return None
    return str(param.metavar or param.display_type(ctx).strip("<>"))
