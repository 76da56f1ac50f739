"""The `bistro` command. Results go to stdout; progress and errors go to stderr.

Every error that a user can cause is reported in one sentence with exit code 2, never as a
traceback.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import typer

from bistro.cli.display import shown
from bistro.cli.outputs import checked
from bistro.cli.plain_help import PlainCommand, PlainGroup
from bistro.errors import BistroError, BistroWarning, NotAModelError, printable
from bistro.files import explain
from bistro.system import prepare_stdout

USER_ERROR = 2
BROKEN_PIPE = 1
"""The exit code if the reader of the output closes the pipe, as `head` does.

Typer uses the same code.
"""
_NO_THREAD = "start new thread"
"""The text of Python's error when no thread can be started.

Python has no separate class for this error.
"""
# Typer does not export the class: older versions take it from click, newer ones carry a copy.
UsageError: type[Any] = typer.BadParameter.__bases__[0]

GROUPS = {
    "Models": ("demo", "train", "tune", "info", "models", "package", "serve"),
    "Analyses and sentences": ("parse", "tag", "segment", "linearize", "generate", "topics"),
    "Probabilities": (
        *("perplexity", "surprisal", "next-word", "effects", "reading-times", "suite", "explain"),
    ),
    "Evaluation": ("evaluate", "crossval", "learning-curve", "report", "diagnose"),
    "Treebanks": ("fetch", "convert", "draw", "doctor", "complete", "next"),
}
"""All commands, grouped and ordered as in the help.

Each command is a function in the module of the same name.
"""
COMMANDS = tuple(name for names in GROUPS.values() for name in names)


def app_of(names: Sequence[str]) -> typer.Typer:
    """Return the program with the given commands, without importing any other commands."""
    app = typer.Typer(
        name="bistro",
        cls=PlainGroup,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(about)
    for name in names:
        plain = name.replace("-", "_")
        module = import_module(f"bistro.cli.{plain}")
        command = getattr(module, plain)
        heading = next(group for group, members in GROUPS.items() if name in members)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, rich_help_panel=heading)
        else:
            # The end of a help text may be slow to compute: added only where it may be shown.
            ending = getattr(module, "epilog", None) if len(names) == 1 else None
            text = ending() if ending else None
            whole = shown(name, checked(command))
            app.command(name, cls=PlainCommand, epilog=text, rich_help_panel=heading)(whole)
    return app


def _show_version(is_requested: bool) -> None:
    if is_requested:
        from bistro.version import __version__

        print(f"bistro {__version__}")
        raise typer.Exit


def about(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """Generative models of syntax that train in seconds and give every prediction a probability.

    Start with **bistro demo**. Every command has its own --help. INPUT defaults to stdin, and OUT
    defaults to stdout. Files whose names end in .gz, .xz or .zst are (de)compressed automatically.
    """


def main() -> None:
    """Run the command line and exit.

    This is the entry point of the installed script.
    """
    # A treebank has many small objects, none of them garbage. Searching them for cycles after every
    # 700 allocations would take a tenth of the time of reading and training.
    gc.set_threshold(100_000)
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code.

    Without arguments, show the help.
    """
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        return _run(arguments)


def _run(arguments: Sequence[str]) -> int:
    prepare_stdout()
    try:
        named = next((word for word in arguments if not word.startswith("-")), None)
        app = app_of([named] if named in COMMANDS else COMMANDS)
        code: int | None = app(arguments or ["--help"], prog_name="bistro", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except NotAModelError as error:
        return _complain(f"{error}{_order_hint(arguments)}")
    except BistroError as error:
        return _complain(str(error))
    except UsageError as error:
        return _complain(_usage_sentence(error))
    except MemoryError:
        return _complain("there is not enough memory for this")
    except RuntimeError as error:
        if _NO_THREAD not in str(error):
            raise
        return _complain("the system allows no further thread: end other programs, or --threads 1")
    except OSError as error:
        _abandon_stdout()
        if isinstance(error, BrokenPipeError):
            return BROKEN_PIPE
        return _complain(f"{error.filename or 'stdout'}: cannot be written: {explain(error)}")
    return code or 0


def _usage_sentence(error: Any) -> str:
    """Describe a usage error in one line that names the help command."""
    problem = " ".join(error.format_message().split()).rstrip(".")
    command = error.ctx.command_path if error.ctx else "bistro"
    return f"{problem} (see {command} --help)"


def _order_hint(arguments: Sequence[str]) -> str:
    """Return the correct order if the model is not the first argument after the command."""
    from bistro.modelfile import is_model_file

    command, *words = (word for word in arguments if not word.startswith("-"))
    model = next((word for word in words if is_model_file(word)), None)
    if model is None or model == words[0]:
        return ""
    return f" (the model comes before the input: bistro {command} {model} {words[0]})"


def _complain(sentence: str) -> int:
    print(f"bistro: {printable(sentence)}", file=sys.stderr)
    return USER_ERROR


_show_other_warning = warnings.showwarning


def _show_warning(
    message: Warning | str, category: type[Warning], *place: Any, **more: Any
) -> None:
    """Show a warning for users as one sentence, and any other warning in Python's format."""
    if issubclass(category, BistroWarning):
        print(f"bistro: {printable(str(message))}", file=sys.stderr)
    else:
        _show_other_warning(message, category, *place, **more)


def _abandon_stdout() -> None:
    """Discard buffered output, which the interpreter would otherwise try to write again at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
