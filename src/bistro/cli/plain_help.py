"""Help without Python types such as ``<bool>`` or ``<list[str]>``.

Typer prints the type of each parameter next to its name. The name of an argument describes it, and
a switch has no value, so both are printed without a type; a choice is printed as ``one|other``.
"""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

from typer.core import TyperCommand, TyperGroup


class PlainCommand(TyperCommand):
    """A command whose help shows no Python types."""

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


def _plain(param: Any) -> Any:
    # The method exists since Typer 0.27; older versions print no types here.
    param.display_type_rich = partial(_values, param)
    return param


def _values(param: Any, ctx: Any) -> str | None:
    """Return the text that describes a parameter's values in the help."""
    if param.param_type_name == "argument" or getattr(param, "is_flag", False):
        return None
    return str(param.metavar or param.display_type(ctx).strip("<>"))
