"""Memory use of inputs, as a multiple of their size: the densest input of every kind.

    python -m benchmarks.input_memory [--megabytes 10] [--only conllu text ...]

Each input consists of the smallest items of its format, so that the memory per item weighs most. A
child process reads it, and its peak memory is compared with that of reading a tiny input. An input
that is refused may use at most 20 times its size, and at most 2 GB, before it is refused; 50 MB are
always allowed. An input that is accepted, for example one-word sentences, may use more, because it
is data. The inputs of `benchmarks.late_errors` are valid except for an error at their end.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.late_errors import LATE_ERRORS
from bistro.errors import BistroError

MOST_TIMES, MOST_BYTES, ALWAYS_ALLOWED = 20.0, 2_000_000_000, 50_000_000
TREE = "1\ta\t_\t_\t_\t_\t0\tr\t_\t_\n\n"
TREES = "(A a)\n"
SENTENCE = "a b\n"
JOURNAL = '{"opened":"0"}\n'
SEARCH = '{"config":1,"figures":{"score":1}}\n'


def _read_conllu(path: Path) -> object:
    import bistro

    return list(bistro.read(path))


def _read_trees(path: Path) -> object:
    from bistro.treebank.brackets import read_trees

    return list(read_trees(path))


def _train_text(path: Path) -> object:
    from bistro.cli.main import run

    options = ("--set", "sampler.sweeps=1", "--set", "sampler.samples=1", "--set", "order=2")
    return run(["train", "ngram", str(path), *options, "--quiet", "-o", f"{path}.bistro"])


def _convert(path: Path) -> object:
    from bistro.cli.main import run

    return run(["convert", str(path), "-o", f"{path}.out.conllu", "--quiet"])


def _read_toml(path: Path) -> object:
    from bistro.config import read_mapping

    return read_mapping(path)


def _read_desk(path: Path) -> object:
    from bistro.tasks.desk.journal import Journal

    return Journal(path)


def _read_search(path: Path) -> object:
    from bistro.inference.journal import Journal

    return Journal(path, {})


def _read_suite(path: Path) -> object:
    from bistro.tasks.suite import read_suite

    return read_suite(path)


def _read_model(path: Path) -> object:
    from bistro.modelfile import read_model

    return read_model(path)


def _model(size: int) -> bytes:
    """Return a model file whose header has as many arrays as fit."""
    entry = b'"%d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},'
    entries = b"".join(entry % i for i in range(size // 60))
    header = b"{" + entries.rstrip(b",") + b"}"
    return len(header).to_bytes(8, "little") + header


def _model_of_lists(size: int) -> bytes:
    """Return a model file whose header has as many lists as fit."""
    header = b'{"x":[' + b"{}," * (size // 3) + b"0]}"
    return len(header).to_bytes(8, "little") + header


def _list_of_objects(size: int) -> bytes:
    """Return one line of JSON with as many objects as fit."""
    return b"[" + b"{}," * (size // 3) + b"0]\n"


def _lines(line: str, first: str = "") -> Callable[[int], bytes]:
    return lambda size: (first + line * (size // len(line))).encode()


KINDS: dict[str, tuple[str, Callable[[int], bytes], Callable[[Path], object]]] = {
    "conllu": (".conllu", _lines(TREE), _read_conllu),
    "convert": (".conllu", _lines(TREE), _convert),
    "trees": (".mrg", _lines(TREES), _read_trees),
    "deep tree": (".mrg", lambda size: b"(A" * (size // 3) + b")" * (size // 3), _read_trees),
    "text": (".txt", _lines(SENTENCE), _train_text),
    "one line": (".txt", lambda size: b"a " * (size // 2) + b"\n", _train_text),
    "settings": (
        ".toml",
        lambda size: b"".join(b"[%x]\n" % i for i in range(size // 9)),
        _read_toml,
    ),
    "desk journal": (".journal", _lines(JOURNAL), _read_desk),
    "search journal": (".journal", _lines(SEARCH, '{"search":{}}\n'), _read_search),
    "model header": (".bistro", _model, _read_model),
    "model of lists": (".bistro", _model_of_lists, _read_model),
    "suite of lists": (".json", _list_of_objects, _read_suite),
    "desk of lists": (".journal", _list_of_objects, _read_desk),
    "search of lists": (".journal", _list_of_objects, _read_search),
    **LATE_ERRORS,
}


def child(kind: str, path: Path) -> None:
    """Read an input; print the peak memory in bytes, and whether the input was refused."""
    outcome = "read"
    try:
        kept = KINDS[kind][2](path)
        if kept == 2:
            outcome = "refused"
    except BistroError:
        outcome = "refused"
    # `getrusage` would include the memory of the parent at the start of this process.
    status = Path("/proc/self/status").read_text()
    print(int(status.partition("VmHWM:")[2].split()[0]) * 1024, outcome)


def peak(kind: str, folder: Path, size: int) -> tuple[int, str]:
    """Return the peak memory of a process that reads an input of `size` bytes, and the outcome."""
    suffix, make, _ = KINDS[kind]
    path = folder / f"{size}{suffix}"
    path.write_bytes(make(size))
    command = [sys.executable, "-m", "benchmarks.input_memory", "--child", kind, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    memory, outcome = done.stdout.split()[-2:]
    return int(memory), outcome


def _is_allowed(taken: int, size: int, outcome: str, must_be_refused: bool) -> bool:
    if outcome == "read":
        return not must_be_refused
    return taken <= max(ALWAYS_ALLOWED, min(MOST_TIMES * size, MOST_BYTES))


def main() -> None:
    """Measure inputs of all kinds, and exit with an error if any uses too much memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=10)
    parser.add_argument("--only", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--child", nargs=2)
    options = parser.parse_args()
    if options.child:
        child(options.child[0], Path(options.child[1]))
        return
    all_good = True
    with tempfile.TemporaryDirectory() as name:
        for kind in options.only:
            size = options.megabytes * 1_000_000
            base, _ = peak(kind, Path(name), 500)
            memory, outcome = peak(kind, Path(name), size)
            ratio = (memory - base) / size
            taken = f"{ratio:5.1f} times its size, {(memory - base) / 1e6:5.0f} MB"
            print(f"{kind:<16} {taken}, {outcome}", flush=True)
            all_good &= _is_allowed(memory - base, size, outcome, kind in LATE_ERRORS)
    sys.exit(not all_good)


if __name__ == "__main__":
    main()
