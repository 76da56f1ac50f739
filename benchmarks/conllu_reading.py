"""Words read per second, compared with the `conllu` package in one run.

Both readers access form, UPOS, head and relation of every word; Bistro also validates every
sentence. Times are CPU times, the best of several rounds in which the readers alternate. Use:

    python -m benchmarks.conllu_reading [train.conllu] [--rounds 5]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import conllu

from benchmarks.data import data_dir
from bistro.treebank.treebank import iter_sentences, read


def with_bistro(path: Path) -> int:
    words = 0
    for sentence in iter_sentences(path, "conllu"):
        columns = sentence.forms, sentence.upos, sentence.heads, sentence.deprels
        words += len(columns[0])
    return words


def with_bistro_whole(path: Path) -> int:
    words = 0
    for sentence in read(path, "conllu"):
        columns = sentence.forms, sentence.upos, sentence.heads, sentence.deprels
        words += len(columns[0])
    return words


def with_conllu(path: Path) -> int:
    words = 0
    with path.open(encoding="utf-8", newline="\n") as stream:
        for sentence in conllu.parse_incr(stream):
            for token in sentence:
                if isinstance(token["id"], int):
                    _ = token["form"], token["upos"], token["head"], token["deprel"]
                    words += 1
    return words


READERS: dict[str, Callable[[Path], int]] = {
    "conllu.parse_incr": with_conllu,
    "bistro.iter_sentences": with_bistro,
    "bistro.read (all kept, hashed)": with_bistro_whole,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, nargs="?", help="default: the training part of EWT")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    path = arguments.path or data_dir() / "en_ewt" / "en_ewt-ud-train.conllu"
    seconds = dict.fromkeys(READERS, float("inf"))
    words = {}
    for _ in range(arguments.rounds):
        for name, reader in READERS.items():
            start = time.process_time()
            words[name] = reader(path)
            seconds[name] = min(seconds[name], time.process_time() - start)
    if len(set(words.values())) > 1:
        raise SystemExit(f"the readers disagree on the number of words: {words}")
    slowest = seconds["conllu.parse_incr"]
    print("reader\twords\tseconds\twords_per_second\tratio")
    for name, time_taken in seconds.items():
        rate = words[name] / time_taken
        print(f"{name}\t{words[name]}\t{time_taken:.3f}\t{rate:.0f}\t{slowest / time_taken:.1f}")


if __name__ == "__main__":
    main()
