"""Accuracy and speed: the committees `fast`, default and `best` compared with UDPipe 1 and spaCy.

    python -m experiments.trade [ewt] [ddt] [fr] [--part dev|test] [--systems fast default best]
    BISTRO_MODELS=FOLDER python -m experiments.trade ewt --part test --systems fast udpipe spacy
    python -m experiments.trade ewt3000 ewt1000 ewt300 ewt100 eu id fr --systems default udpipe
    python -m experiments.trade ewt --systems best --text news.txt --text more.txt --seeds 1 2 3 4 5

Every system is trained and run in its own process, with one thread and the development part as
`--dev`. If committees are trained with several seeds, their means are also printed. Words are
given; all words count, subtypes of labels ignored; np: without punctuation. Speed is CPU time, the
best of three runs over the part; memory is the peak of a process that loads the model and parses.
`error` is the expected calibration error of heads with predicted tags, in percent. UDPipe is
trained with its default options (an hour for EWT), and spaCy's small pipeline with those of its
`init config` (`experiments.spacy_peer`); both are loaded from FOLDER if an earlier run stored them
there. `ewt1000` has the first 1,000 sentences of EWT's training part.
"""

from __future__ import annotations

import argparse
import atexit
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bistro
from benchmarks.data import data_dir
from bistro.evaluate.attachment import score
from bistro.inference.chains import Session
from bistro.models.committee.model import CommitteeModel
from bistro.models.settings import chosen_settings
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import Treebank
from experiments.committee import calibration_error
from experiments.spacy_peer import parsed as parsed_by_spacy
from experiments.spacy_peer import train_spacy
from experiments.udpipe import train_udpipe

FILES = {
    "ewt": "en_ewt/en_ewt-ud-{}.conllu",
    "ddt": "da_ddt/danish_ddt_{}.conll",
    "fr": "fr_partut/fr_partut-ud-{}.conllu",
    "eu": "eu_ud11/eu-ud-{}.conllu",
    "id": "id_ud11/id-ud-{}.conllu",
    "wsj": "ptb_sample/wsj-{}.conll",
}
PEERS = ("udpipe", "spacy")
COLUMN = {"wsj": "xpos", "ddt": "xpos"}
"""The column of tags of a treebank, if it is not UPOS."""
LANGUAGE = {"ddt": "da", "wsj": "en", "ewt": "en", "fr": "fr", "eu": "eu", "id": "id"}
PRESETS = {"fast": "fast", "default": None, "best": "best"}
RUNS = 3
COLUMNS = ("UAS", "LAS", "LASnp", "tags", "error", "UAS given", "LAS given", "LASnp given")
COSTS = ("words/s", "words/s given", "training s", "MB", "memory MB")


def plain(treebank: str) -> str:
    """Return the name of a treebank without the number of its training sentences."""
    return treebank.rstrip("0123456789")


def file_of(treebank: str, part: str) -> Path:
    """Return the file of a part; a shortened training part is written to a temporary file."""
    path = data_dir() / FILES[plain(treebank)].format(part)
    size = treebank.removeprefix(plain(treebank))
    if part != "train" or not size:
        return path
    cut = Path(tempfile.gettempdir()) / f"{treebank}-{os.getpid()}{path.suffix}"
    atexit.register(cut.unlink, missing_ok=True)
    cut.write_text("".join(map(str, list(bistro.read(path))[: int(size)])), encoding="utf-8")
    return cut


def part_of(treebank: str, part: str) -> Treebank:
    """Read a part of a treebank."""
    return bistro.read(file_of(treebank, part))


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """Return a result and the CPU time it took."""
    begin = time.process_time()
    return run(), time.process_time() - begin


def fastest(run: Callable[[], Any], words: int) -> float:
    """Return words per second of CPU time, the best of three runs."""
    return words / min(timed(run)[1] for _ in range(RUNS))


def train_committee(
    treebank: str, system: str, path: Path, seed: int, text: Sequence[str]
) -> float:
    """Train and save a committee; return the CPU time of training."""
    _, settings = chosen_settings("committee", PRESETS[system])
    train, dev = part_of(treebank, "train"), part_of(treebank, "dev")
    model, seconds = timed(
        lambda: bistro.train(
            "committee",
            train,
            config=settings,
            seed=seed,
            dev=dev,
            session=Session(threads=1),
            text=text,
        )
    )
    model.save(path)
    return seconds


def judge_committee(treebank: str, part: str, path: Path) -> dict[str, float]:
    """Return all figures of a committee except the training time."""
    model = bistro.load(path)
    assert isinstance(model, CommitteeModel)
    sentences = list(part_of(treebank, part))
    words = sum(map(len, sentences))

    def parsed(way: str) -> list[Sentence]:
        parses = model.parse_all(sentences, threads=1, tags=way)
        return [
            s.replace(heads=p.heads, deprels=p.labels, **{model.tag_column: p.tags})
            for s, p in zip(sentences, parses, strict=True)
        ]

    figures: dict[str, float] = {}
    for way, ending in (("joint", ""), ("given", " given")):
        figures |= accuracy(sentences, parsed(way), model.tag_column, ending)
        figures[f"words/s{ending}"] = fastest(lambda way=way: parsed(way), words)  # type: ignore[misc]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    options = {"tags": "joint", "threads": 1}
    error = calibration_error(model, sentences, options)
    return figures | {"error": error, "MB": path.stat().st_size / 1e6, "memory MB": peak}


def accuracy(
    gold: Sequence[Sentence], system: Sequence[Sentence], column: str, ending: str
) -> dict[str, float]:
    """Return attachment scores and, for predicted tags, their accuracy."""
    scores = score(gold, system)
    figures = {"UAS": scores.uas, "LAS": scores.las, "LASnp": scores.no_punct.las}
    if not ending:
        figures["tags"] = getattr(scores, column)
    return {name + ending: value for name, value in figures.items() if value is not None}


def peer(treebank: str, system: str) -> tuple[Any, Path]:
    """Return UDPipe or spaCy, trained or loaded, and the place where the model is stored."""
    train, dev = (file_of(treebank, part) for part in ("train", "dev"))
    folder = Path(os.environ.get("BISTRO_MODELS", "."))
    if system == "udpipe":
        model = train_udpipe(treebank, train, dev, tokenizer=True)
        return model, folder / f"{treebank}.udpipe"
    column = COLUMN.get(plain(treebank), "upos")
    model, _ = train_spacy(treebank, train, dev, column, LANGUAGE[plain(treebank)])
    return model, folder / f"{treebank}.spacy" / "model-best"


def train_peer(treebank: str, system: str) -> dict[str, float]:
    """Train a peer; return the CPU time, or nothing if an earlier run stored the model."""
    before = time.time()
    (_, path), seconds = timed(lambda: peer(treebank, system))
    return {"training s": seconds} if path.stat().st_mtime >= before else {}


def judge_udpipe(treebank: str, part: str) -> dict[str, float]:
    """Return all figures of UDPipe 1 except the training time."""
    library = __import__("ufal.udpipe", fromlist=["Pipeline"])
    model, path = peer(treebank, "udpipe")
    text = file_of(treebank, part).read_text(encoding="utf-8")
    gold = list(part_of(treebank, part))
    words = sum(map(len, gold))
    figures: dict[str, float] = {}
    default, keep = library.Pipeline.DEFAULT, library.Pipeline.NONE
    for tagger, ending in ((default, ""), (keep, " given")):
        pipeline = library.Pipeline(model, "conllu", tagger, default, "conllu")
        system = list(bistro.read(io.BytesIO(pipeline.process(text).encode()), "conllu"))
        figures |= accuracy(gold, system, "upos", ending)
        figures[f"words/s{ending}"] = fastest(lambda p=pipeline: p.process(text), words)  # type: ignore[misc]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return figures | {"MB": path.stat().st_size / 1e6, "memory MB": peak}


def judge_spacy(treebank: str, part: str) -> dict[str, float]:
    """Return all figures of spaCy's small pipeline except the training time."""
    column = COLUMN.get(plain(treebank), "upos")
    nlp, folder = peer(treebank, "spacy")
    gold = list(part_of(treebank, part))
    words = sum(map(len, gold))
    figures = accuracy(gold, parsed_by_spacy(nlp, gold, column), column, "")
    figures["words/s"] = fastest(lambda: parsed_by_spacy(nlp, gold, column), words)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
    return figures | {"MB": size, "memory MB": peak}


def measured(
    treebank: str, part: str, system: str, seed: int = 1, text: Sequence[str] = ()
) -> dict[str, float]:
    """Train and evaluate one system, each in its own process; peers do not use `seed`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(os.environ.get("BISTRO_MODELS", folder)) / f"{treebank}-{system}-{seed}.bistro"
        training = _elsewhere("train", treebank, part, system, path, str(seed), *text)
        return training | _elsewhere("judge", treebank, part, system, path)


def _elsewhere(step: str, *arguments: str | Path) -> dict[str, float]:
    command = [sys.executable, "-m", "experiments.trade", "--step", step, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def step(
    name: str, treebank: str, part: str, system: str, path: str, seed: str = "1", *text: str
) -> dict[str, float]:
    """Run one step in the process that was started for it."""
    if name == "train" and system in PEERS:
        return train_peer(treebank, system)
    if name == "train":
        return {"training s": train_committee(treebank, system, Path(path), int(seed), text)}
    if system == "udpipe":
        return judge_udpipe(treebank, part)
    if system == "spacy":
        return judge_spacy(treebank, part)
    return judge_committee(treebank, part, Path(path))


def mean(runs: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each figure."""
    return {name: sum(run[name] for run in runs) / len(runs) for name in runs[0]}


def row(treebank: str, system: str, figures: dict[str, float]) -> str:
    """Return one line of the table."""
    cells = [f"{figures[name]:.2f}" if name in figures else "" for name in COLUMNS]
    cells += [f"{figures[name]:,.0f}" if name in figures else "" for name in COSTS]
    return f"| {treebank} | {system} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebanks", nargs="*", default=["ewt"])
    parser.add_argument("--part", choices=("dev", "test"), default="dev")
    parser.add_argument("--systems", nargs="+", default=list(PRESETS))
    parser.add_argument("--text", action="append", default=[], help="raw text for committees")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="seeds of committees")
    parser.add_argument("--step", nargs="+", default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        print(json.dumps(step(*options.step)))
        return
    print(__doc__)
    print(f"part: {options.part}\n\n| treebank | system | {' | '.join((*COLUMNS, *COSTS))} |")
    print("|---" * (2 + len(COLUMNS) + len(COSTS)) + "|")
    for treebank in options.treebanks:
        for system in options.systems:
            runs = []
            for seed in [1] if system in PEERS else options.seeds:
                runs.append(measured(treebank, options.part, system, seed, options.text))
                print(row(treebank, f"{system}, seed {seed}", runs[-1]), flush=True)
            if len(runs) > 1:
                print(row(treebank, f"{system}, mean of {len(runs)}", mean(runs)), flush=True)


if __name__ == "__main__":
    main()
