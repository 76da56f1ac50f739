"""The `bistro` command. Results go to stdout, progress and complaints to stderr.

Whatever the user can cause ends in one sentence and exit code 2, never in a traceback.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from bistro.cli.convert import convert
from bistro.cli.demo import demo
from bistro.cli.evaluate import evaluate
from bistro.cli.fetch import fetch
from bistro.cli.generate import generate
from bistro.cli.info import info
from bistro.cli.perplexity import perplexity
from bistro.cli.surprisal import surprisal
from bistro.cli.train import train
from bistro.errors import BistroError

app = typer.Typer(
    name="bistro",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (demo, train, perplexity, surprisal, generate, evaluate, convert, fetch, info):
    app.command()(command)


def _show_version(asked: bool) -> None:
    if asked:
        from bistro.version import __version__

        print(f"bistro {__version__}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    """Generative models of syntax: train on a treebank in seconds, get probabilities everywhere.

    Start with **bistro demo**. Every command explains itself with --help; INPUT defaults to stdin,
    OUT to stdout; .gz, .xz and .zst are (de)compressed by suffix.
    """


def main() -> None:
    """Run the command line; the entry point of the installed script."""
    try:
        app()
    except BistroError as error:
        print(f"bistro: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("bistro: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output has gone (as `head` does): not an error, but nothing more to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)


if __name__ == "__main__":
    main()
