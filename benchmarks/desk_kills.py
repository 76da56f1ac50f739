"""The desk killed at random moments while somebody decides, undoes and saves: nothing is lost.

    python -m benchmarks.desk_kills [--number 20] [--seed 1]

A server with a file on its desk is asked for random decisions, one after the other, and gets
SIGKILL at a random moment. Every decision that was answered is made in a second copy of the file
too. After each new start, the file with its journal must be that copy, byte for byte; one decision
more may be there, the one that was not answered. The file on disk is whole at any time: what was
saved last, or what was about to be saved.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import bistro
from bistro.errors import BistroError
from bistro.serve.desk_schemas import DecisionBody
from bistro.tasks.desk.document import Document
from bistro.treebank.treebank import write

PROGRAM = (sys.executable, "-m", "bistro.cli.main")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(bistro.__file__).resolve().parents[1])}
ADDRESS = re.compile(r"(http://\S+?)/desk")
LONGEST = 1.5
"""Seconds of work between two kills."""


class LostError(AssertionError):
    """Something was lost."""


class Server:
    """A server with a file on its desk, in a process of its own."""

    def __init__(self, model: Path, file: Path, port: int = 0) -> None:
        command = (*PROGRAM, "serve", str(model), "--file", str(file), "--port", str(port))
        self.process = subprocess.Popen(
            (*command, "--learn-every", "5"), stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
        )
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        match = ADDRESS.search(line)
        if match is None:
            raise LostError(f"the server did not start: {line}{self.process.stderr.read()}")
        self.address = match.group(1)
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def ask(self, name: str, **body: Any) -> Any:
        """Ask the desk; an error of the desk is a `BistroError`, a lost connection an `OSError`."""
        headers = {"Content-Type": "application/json"}
        content = json.dumps(body).encode()
        request = urllib.request.Request(f"{self.address}/api/desk/{name}", content, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise BistroError(error.read().decode()) from None
        return text if name == "text" else json.loads(text)

    def kill(self) -> None:
        """End it at once."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class Annotator:
    """Decides at random, on the server and then in a copy that is never killed."""

    def __init__(self, copy: Document, rng: random.Random) -> None:
        self.copy = copy
        self.rng = rng
        self.saved = {copy.content()}
        """What may be on disk."""
        self.under_way: tuple[str, dict[str, Any]] | None = None
        """What was asked for and not answered."""
        self.answered = 0

    def wish(self) -> tuple[str, dict[str, Any]]:
        """Return a request at random."""
        rng, copy = self.rng, self.copy
        act = rng.choices(
            ["set", "done", "split", "join", "undo", "redo", "save"], [8, 2, 2, 2, 3, 2, 2]
        )
        name = act[0]
        if name in ("undo", "redo"):
            return name, {"last": copy.last}
        if name == "save":
            return name, {}
        place = rng.randrange(len(copy))
        size = len(copy.sentence(place))
        word = rng.randint(1, size)
        body: dict[str, Any] = {"sentence": place, "version": copy.versions[place]}
        if name == "set":
            head = rng.randint(-1, size)
            body["set"] = {str(word): {"heads": head, "upos": rng.choice(["X", "NOUN", "_"])}}
        elif name == "done":
            body["done"] = rng.random() < 0.7
        elif name == "split":
            body["split"] = {"word": word, "forms": ["a", "b"], "multiword": True}
        else:
            body["join"] = [word, word + 1]
        return "decide", body

    def make(self, name: str, body: dict[str, Any]) -> None:
        """Do the same in the copy."""
        copy = self.copy
        if name == "save":
            self.saved = {copy.content()}
        elif name == "decide":
            decision = DecisionBody(**body)
            copy.decide(body["sentence"], body["version"], decision.decision(), done=decision.done)
        else:
            getattr(copy, name)(body["last"])

    def work(self, server: Server) -> None:
        """Ask until the server is gone."""
        while True:
            name, body = self.under_way = self.wish()
            if name == "save":
                self.saved.add(self.copy.content())
            try:
                server.ask(name, **body)
            except BistroError:
                continue  # a decision that cannot be made
            except (OSError, ValueError, EOFError):
                return
            self.make(name, body)
            self.answered += 1

    def check(self, server: Server, file: Path) -> None:
        """Compare the server after its new start with the copy."""
        if file.read_bytes() not in self.saved:
            raise LostError("the file on disk is neither the old nor the new one")
        last = server.ask("changes", since=0)["last"]
        if last == self.copy.last + 1 and self.under_way is not None:
            self.make(*self.under_way)
        if last != self.copy.last:
            raise LostError(f"{self.copy.last} decisions were answered, {last} are there")
        if server.ask("text") != self.copy.content():
            raise LostError("the sentences are not those that were answered")


def run(number: int, seed: int, folder: Path) -> tuple[int, int]:
    """Kill a server a number of times; return kills, and the decisions that were answered."""
    rng = random.Random(seed)
    model, file, twin = folder / "parser.bistro", folder / "mine.conllu", folder / "twin.conllu"
    treebank = list(bistro.builtin(sentences=330, seed=seed))
    bistro.train("transition", treebank[:300], seed=seed).save(model)
    bare = [s.replace(heads=[-1] * len(s), deprels=["_"] * len(s)) for s in treebank[300:]]
    for path in (file, twin):
        write(bare, path)
    annotator = Annotator(Document.open(twin), rng)
    for _ in range(number):
        server = Server(model, file)
        try:
            annotator.check(server, file)
            thread = threading.Thread(target=annotator.work, args=(server,))
            thread.start()
            time.sleep(rng.uniform(0.05, LONGEST))
        finally:
            server.kill()
        thread.join(timeout=60)
    server = Server(model, file)
    try:
        annotator.check(server, file)
    finally:
        server.kill()
    return number, annotator.answered


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--number", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kills, answered = run(options.number, options.seed, Path(folder))
    print(f"{kills} kills, {answered} decisions answered, none lost")


if __name__ == "__main__":
    main()
