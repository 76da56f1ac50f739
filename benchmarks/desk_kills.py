"""The desk killed at random moments during decisions, undo and saving: nothing is lost.

    python -m benchmarks.desk_kills [--number 20] [--seed 1]

A server with an open file receives random decisions, one after the other, and is killed with
SIGKILL at a random moment. Every confirmed decision is also applied to a second copy of the file.
After each restart, the file with its journal must equal that copy, byte for byte. It may contain
one further decision, the one that was sent but not confirmed. The file on disk is always complete:
it has either the content that was saved last or the content that was about to be saved.
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
"""Maximum seconds of work between two kills."""


class LostError(AssertionError):
    """A difference between the server and the copy, or a failed start."""


class Server:
    """A server with an open file, in its own process."""

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
        """Send a request; raise `BistroError` for a refusal, `OSError` for a lost connection."""
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
        """Kill the server with SIGKILL."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class Annotator:
    """An annotator that decides at random, on the server and in a copy that is never killed."""

    def __init__(self, copy: Document, rng: random.Random) -> None:
        self.copy = copy
        self.rng = rng
        self.saved = {copy.content()}
        """The contents that the file on disk may have."""
        self.under_way: tuple[str, dict[str, Any]] | None = None
        """The request that was sent but not confirmed."""
        self.answered = 0

    def wish(self) -> tuple[str, dict[str, Any]]:
        """Return a random request."""
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
        """Apply a request to the copy."""
        copy = self.copy
        if name == "save":
            self.saved = {copy.content()}
        elif name == "decide":
            decision = DecisionBody(**body)
            copy.decide(body["sentence"], body["version"], decision.decision(), done=decision.done)
        else:
            getattr(copy, name)(body["last"])

    def work(self, server: Server) -> None:
        """Send requests until the server is killed."""
        while True:
            name, body = self.under_way = self.wish()
            if name == "save":
                self.saved.add(self.copy.content())
            try:
                server.ask(name, **body)
            except BistroError:
                continue  # a decision that is not possible
            except (OSError, ValueError, EOFError):
                return
            self.make(name, body)
            self.answered += 1

    def check(self, server: Server, file: Path) -> None:
        """Compare the restarted server with the copy."""
        if file.read_bytes() not in self.saved:
            raise LostError("the file on disk has neither the old nor the new content")
        last = server.ask("changes", since=0)["last"]
        if last == self.copy.last + 1 and self.under_way is not None:
            self.make(*self.under_way)
        if last != self.copy.last:
            raise LostError(f"{self.copy.last} decisions were confirmed, the server has {last}")
        if server.ask("text") != self.copy.content():
            raise LostError("the sentences differ from the confirmed decisions")


def run(number: int, seed: int, folder: Path) -> tuple[int, int]:
    """Kill a server `number` times; return the numbers of kills and of confirmed decisions."""
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
    """Read the options, run, and print the result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--number", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kills, answered = run(options.number, options.seed, Path(folder))
    print(f"{kills} kills, {answered} decisions confirmed, none lost")


if __name__ == "__main__":
    main()
