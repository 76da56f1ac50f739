"""Training, `parse -o`, cluster runs and `serve`, killed at random moments and restarted.

    python -m benchmarks.kills [--number 100] [--seed 1] [--only transition serve]

Each case first runs without interruption. Then its process is killed with SIGKILL at a random
moment of that time, once or twice, and started again until it finishes (training with
``--resume``). An existing output file must be complete at any time, the final output must have the
same bytes as without interruption, and no other file may remain in the folder. A server is killed
while it answers: the bytes of its model must not change, and the next server must give the same
answers. In a cluster run (raw text, the members of a committee, parsing) either the process or one
of its workers is killed: the workers must end with the process, and a lost worker must be replaced.
The benchmark prints the number of kills that hit a running process, and the faults.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import bistro
from bistro.treebank.brackets import write_trees
from bistro.treebank.treebank import write

PROGRAM = (sys.executable, "-m", "bistro.cli.main")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(bistro.__file__).resolve().parents[1])}
ALWAYS = ("--checkpoint-seconds", "0", "--threads", "1")
SWEEPS = ("--set", "sampler.sweeps=12", "--set", "sampler.samples=4")
FEW = ("--set", "sampler.sweeps=6", "--set", "sampler.samples=2")
FAMILIES: dict[str, tuple[str, ...]] = {
    "ngram": ("train.conllu", "--set", "sampler.sweeps=60", "--set", "sampler.samples=10"),
    "transition": ("train.conllu", *SWEEPS),
    "committee": ("train.conllu", *FEW),
    "eisner": ("train.conllu", *SWEEPS),
    "isbn": ("train.conllu", "--set", "hidden=5", "--set", "learning.passes=6"),
    "topics": ("train.conllu", "--set", "sweeps=40", "--set", "samples=2"),
    "linearize": ("train.conllu", *SWEEPS),
    "tags": ("train.conllu", *FEW),
    "trees": ("train.mrg", *FEW),
    "morphology": ("words.txt", *FEW),
    "grammar": ("train.mrg",),
    "tokens": ("train.conllu",),
    "columns": ("train.conllu",),
    "pipeline": ("train.conllu", "--set", "parser=transition"),
}
WORDS = (
    "un[Pre]-tie[Stem]",
    "re[Pre]-tie[Stem]-s[Suf]",
    "pack[Stem]-er[Suf]",
    "re[Pre]-pack[Stem]",
)
BODY = json.dumps({"model": "parser", "text": "the dog sleeps ."}).encode()
PATIENCE = 300.0
"""Maximum seconds to wait for a process that should end."""


@dataclass
class Case:
    """A command and the file that it writes."""

    name: str
    command: tuple[str, ...]
    output: str
    again: tuple[str, ...] = ()
    """Additional arguments when the command is started again."""
    on_cluster: bool = False
    bytes: bytes = b""
    seconds: float = 0.0

    def measure(self, folder: Path) -> None:
        """Run the command without interruption; store its time and its output."""
        begin = time.monotonic()
        done = subprocess.run(
            [*PROGRAM, *self.command], cwd=folder, env=ENVIRONMENT, capture_output=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{self.name}: {done.stderr.decode()[-500:]}")
        self.seconds = time.monotonic() - begin
        self.bytes = (folder / self.output).read_bytes()


def prepare(folder: Path) -> None:
    """Write small data, and the model for parsing and serving."""
    treebank = bistro.builtin(sentences=150, seed=1)
    write(treebank, folder / "train.conllu")
    write(bistro.builtin(sentences=600, seed=2), folder / "test.conllu")
    write_trees(bistro.builtin_trees(sentences=60, seed=1), folder / "train.mrg")
    lines = (" ".join(sentence.forms) for sentence in bistro.builtin(sentences=20_000, seed=3))
    (folder / "raw.txt").write_text("".join(f"{line}\n" for line in lines))
    (folder / "words.txt").write_text("".join(f"{word}\n" for word in WORDS * 5))
    quick = {"sweeps": 5, "samples": 2}
    bistro.train("transition", treebank, seed=1, sampler=quick).save(folder / "parser.bistro")


def cases() -> list[Case]:
    """Return the cases: training of every family, cluster runs, and parsing."""
    all_cases = [
        Case(kind, ("train", kind, *rest, *ALWAYS, "-o", "out.bistro"), "out.bistro", ("--resume",))
        for kind, rest in FAMILIES.items()
    ]
    parse = ("parse", "parser.bistro", "test.conllu", "--threads", "1", "-o", "out.conllu")
    on_two = ("--cluster", "local:2")
    text = ("train.conllu", "--text", "raw.txt", *FEW)
    spread = {"cluster-text": ("transition", *text), "cluster-committee": ("committee", *text[:1])}
    all_cases += [
        Case(
            name,
            ("train", *rest, *FEW, *ALWAYS, *on_two, "-o", "out.bistro"),
            "out.bistro",
            ("--resume",),
            on_cluster=True,
        )
        for name, rest in spread.items()
    ]
    all_cases += [Case("cluster-parse", (*parse, *on_two), "out.conllu", on_cluster=True)]
    return [*all_cases, Case("parse", parse, "out.conllu")]


def killed(case: Case, folder: Path, after: float, again: tuple[str, ...], what: str) -> bool:
    """Start a command, kill it or one of its workers, and return whether that was running."""
    process = subprocess.Popen(
        [*PROGRAM, *case.command, *again],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(after)
    if what == "worker":
        return _killed_worker(process)
    workers = workers_of(process.pid)
    process.kill()
    hit = process.wait() < 0
    for worker in workers:
        _await_end(worker)
    return hit


def _killed_worker(process: subprocess.Popen[bytes]) -> bool:
    """Kill a worker of a process, which must finish nevertheless."""
    workers = workers_of(process.pid)
    for worker in workers[:1]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
    process.wait(timeout=PATIENCE)
    return bool(workers) and process.returncode == 0


def workers_of(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    family = [pid]
    for one in family:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{one}/task").iterdir():
                family += map(int, (task / "children").read_text().split())
    return family[1:]


def _await_end(pid: int) -> None:
    """Wait until a process has ended; workers detect the end of their parent within seconds."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return
        if state == "Z":
            return
        time.sleep(0.1)
    raise SystemExit(f"a worker, process {pid}, outlives the process that started it")


def trial(case: Case, folder: Path, chance: random.Random) -> tuple[int, list[str]]:
    """Kill a command once or twice, let it finish, and return the kills and the faults."""
    before = {path.name for path in folder.iterdir()}
    hits, wrong = 0, []
    for number in range(chance.choice((1, 1, 2))):
        again = case.again if number else ()
        what = chance.choice(("process", "worker")) if case.on_cluster else "process"
        hits += killed(case, folder, chance.uniform(0.0, case.seconds), again, what)
        output = folder / case.output
        if output.exists() and output.read_bytes() != case.bytes:
            wrong.append("an incomplete output file")
    done = subprocess.run(
        [*PROGRAM, *case.command, *case.again],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    if done.returncode:
        wrong.append(done.stderr.decode()[-300:])
    elif (folder / case.output).read_bytes() != case.bytes:
        wrong.append("a different output")
    left = {path.name for path in folder.iterdir()} - before - {case.output}
    if left:
        wrong.append(f"remaining files: {sorted(left)}")
    (folder / case.output).unlink(missing_ok=True)
    return hits, wrong


@contextmanager
def server(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a server, yield it with its address, and kill it at the end."""
    process = subprocess.Popen(
        [*PROGRAM, "serve", "parser.bistro", "--port", "0"],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if address := re.search(r"http://[\d.]+:\d+", line):
                yield process, address[0]
                return
        raise SystemExit("the server does not print its address")
    finally:
        process.kill()
        process.wait()


def answer(address: str) -> bytes:
    """Return the answer of a server to a parse request."""
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{address}/api/parse", BODY, headers)
    with urllib.request.urlopen(request, timeout=PATIENCE) as response:
        content: bytes = response.read()
        return content


def serving(folder: Path, number: int, chance: random.Random) -> tuple[int, list[str]]:
    """Kill a server repeatedly while it answers; return the kills and the faults."""
    model = (folder / "parser.bistro").read_bytes()
    with server(folder) as (_, address):
        expected = answer(address)
    hits, wrong = 0, []
    for _ in range(number):
        with server(folder) as (process, address):
            if answer(address) != expected:
                wrong.append("a different answer")
            load = subprocess.Popen(
                [sys.executable, "-c", _LOAD, f"{address}/api/parse", BODY.decode()],
                stderr=subprocess.DEVNULL,
            )
            time.sleep(chance.uniform(0.0, 0.5))
            hits += process.poll() is None
            process.kill()
            process.wait()
            load.wait()
        if (folder / "parser.bistro").read_bytes() != model:
            wrong.append("the model was changed")
    return hits, wrong


_LOAD = """
import sys, urllib.request
headers = {"Content-Type": "application/json"}
while True:
    request = urllib.request.Request(sys.argv[1], sys.argv[2].encode(), headers)
    urllib.request.urlopen(request).read()
"""


def main() -> None:
    """Kill every case until it has enough kills, and print the faults."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    names = [*(case.name for case in cases()), "serve"]
    parser.add_argument("--only", nargs="+", choices=names, default=[])
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        selected = [case for case in cases() if not options.only or case.name in options.only]
        with_server = not options.only or "serve" in options.only
        each = -(-options.number // (len(selected) + with_server))
        total, faults = 0, 0
        for case in selected:
            case.measure(folder)
            (folder / case.output).unlink()
            hits = 0
            wrong: list[str] = []
            for _ in range(3 * each):
                if hits < each:
                    more, problems = trial(case, folder, chance)
                    hits, wrong = hits + more, wrong + problems
            print(f"{case.name:<18} {case.seconds:5.1f} s  {hits:3} kills  {wrong}", flush=True)
            total, faults = total + hits, faults + len(wrong)
        if with_server:
            hits, wrong = serving(folder, each, chance)
            print(f"{'serve':<18}          {hits:3} kills  {wrong}", flush=True)
            total, faults = total + hits, faults + len(wrong)
    print(f"{total} kills, {faults} faults")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
