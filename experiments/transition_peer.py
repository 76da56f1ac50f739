"""`bistro train transition` with default settings and UDPipe 1: given words, predicted tags, test.

    python -m experiments.transition_peer [fr] [eu] [id]

Both are trained on the training part alone (UDPipe stops by the development part) and predict the
tags of the sentences that they parse. The settings of `train transition` are those of the preset
that matches the treebank. Seed 1, all words, subtypes ignored. UDPipe as in `experiments.udpipe`.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import bistro
from benchmarks.data import data_dir
from bistro.cli.main import run
from bistro.evaluate.attachment import score
from experiments.udpipe import annotated, train_udpipe

FILES = {
    "fr": ("fr_partut/fr_partut-ud-{}.conllu", True),
    "eu": ("eu_ud11/eu-ud-{}.conllu", False),
    "id": ("id_ud11/id-ud-{}.conllu", False),
}
"""The file of each treebank, and whether UDPipe also learns its tokens."""


def own_parse(path: str, output: Path) -> None:
    """Train and parse with the command line and its default settings."""
    model = str(output.with_suffix(".bistro"))
    assert run(["train", "transition", path.format("train"), "-o", model]) == 0
    assert run(["parse", model, path.format("test"), "-o", str(output)]) == 0


def peer_parse(name: str, path: str, tokenizer: bool, output: Path) -> None:
    """Tag and parse the same words with UDPipe."""
    parts = [Path(path.format(part)) for part in ("train", "dev", "test")]
    model = train_udpipe(name, parts[0], parts[1], tokenizer=tokenizer)
    output.write_text(annotated(model, parts[2].read_text("utf-8"), running=False), "utf-8")


def show(name: str, who: str, gold: bistro.Treebank, output: Path, seconds: float) -> None:
    """Print the figures of one parse."""
    scores = score(gold, bistro.read(output))
    print(
        f"{name:<3} {who:<8} {scores.uas:6.2f} {scores.las:6.2f} {scores.upos:6.2f} {seconds:6.1f}",
        flush=True,
    )


def main() -> None:
    """Print a table."""
    print("    by          UAS    LAS   UPOS  CPU s")
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or FILES:
            pattern, tokenizer = FILES[name]
            path = str(data_dir() / pattern)
            gold, output = bistro.read(path.format("test")), Path(folder) / f"{name}.conllu"
            begin = time.process_time()
            own_parse(path, output)
            show(name, "bistro", gold, output, time.process_time() - begin)
            begin = time.process_time()
            peer_parse(name, path, tokenizer, output)
            show(name, "udpipe", gold, output, time.process_time() - begin)


if __name__ == "__main__":
    main()
