"""`bistro train`: from a treebank or text to a model file."""

from __future__ import annotations

import signal
import sys
import time
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bistro.cli.common import FormatOption, SeedOption, say
from bistro.errors import BistroError

if TYPE_CHECKING:
    from bistro.treebank.treebank import Treebank


class Watcher:
    """Shows progress on stderr, and notes the first Ctrl-C so that training can stop cleanly."""

    def __init__(self) -> None:
        self.stopped = False
        self._begin = self._last = time.monotonic()
        self._live = sys.stderr.isatty()

    def install(self) -> None:
        """Take a signal as a wish to stop after the sweep; a second Ctrl-C stops at once."""
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, self._note)

    def on_sweep(self, sweep: Any) -> None:
        """Print a line: always on a terminal, every ten seconds in a log."""
        now = time.monotonic()
        if not self._live and now - self._last < 10 and sweep.number < sweep.total:
            return
        self._last = now
        left = (now - self._begin) / sweep.number * (sweep.total - sweep.number)
        line = (
            f"sweep {sweep.number}/{sweep.total}  "
            f"log-likelihood {sweep.log_likelihood:,.0f}  {left:.0f} s left"
        )
        end = "\n" if sweep.number == sweep.total or not self._live else ""
        print(f"\r{line:<70}" if self._live else line, end=end, file=sys.stderr, flush=True)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.stopped = True
        signal.signal(signal.SIGINT, signal.default_int_handler)


def read_together(paths: list[str], format: str | None) -> Treebank:
    """Read several files as one treebank."""
    from bistro.treebank.treebank import Treebank, read

    parts = [read(path, format=format) for path in paths]
    if len(parts) == 1:
        return parts[0]
    sentences = [sentence for part in parts for sentence in part]
    return Treebank(sentences, name=" + ".join(part.label for part in parts))


def train(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="What to train: ngram.")],
    data: Annotated[
        list[str], typer.Argument(metavar="TRAIN...", help="Treebanks or texts; - is stdin.")
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")
    ],
    dev: Annotated[
        str | None, typer.Option("--dev", metavar="DEV", help="Held-out data to report on.")
    ] = None,
    config: Annotated[
        str | None, typer.Option("--config", metavar="FILE.toml", help="Settings from a file.")
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="One setting, such as sampler.sweeps=20."),
    ] = None,
    seed: SeedOption = 1,
    format: FormatOption = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the checkpoint of an interrupted run.")
    ] = False,
    show_config: Annotated[
        bool, typer.Option("--show-config", help="Print the settings as TOML and stop.")
    ] = False,
) -> None:
    """Train a model on a treebank or a text.

        bistro train ngram train.conllu -o english.bistro
        bistro train ngram news.txt.gz more.txt -o news.bistro --set order=3 --seed 7

    While it trains, the state is kept beside the model (MODEL.checkpoint). After Ctrl-C, a crash or
    a power cut, the same command with --resume goes on and ends with exactly the model that an
    unbroken run gives. Settings come from --config, then --set; --show-config prints them all.
    """
    from bistro import config as configuration
    from bistro.inference.checkpoint import Checkpoint, StoppedError
    from bistro.inference.train import Session, config_class
    from bistro.inference.train import train as run

    chosen = config_class(kind)
    settings = configuration.read_toml(config, chosen) if config else chosen()
    settings = configuration.apply_overrides(settings, overrides or [])
    if show_config:
        print(configuration.to_toml(settings), end="")
        return
    if output == "-":
        raise BistroError("a model is a file of its own: name it with -o, stdout cannot hold it")
    treebank = read_together(data, format)
    watcher = Watcher()
    session = Session(Checkpoint.beside(output), resume, watcher.on_sweep, lambda: watcher.stopped)
    if session.checkpoint and session.checkpoint.path.exists() and not resume:
        say(f"{session.checkpoint.path}: from an interrupted run; --resume would have continued it")
    watcher.install()
    try:
        model = run(kind, treebank, config=settings, seed=seed, session=session)
    except StoppedError as interruption:
        say(f"{interruption}; the same command with --resume goes on from there")
        raise typer.Exit(130) from None
    model.save(output)
    if session.checkpoint:
        session.checkpoint.discard()
    say(f"{output}: {kind} model of {treebank.label}, seed {seed}")
    if dev:
        from bistro.cli.perplexity import perplexity

        perplexity(output, dev)
