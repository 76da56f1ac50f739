"""Annotation of running text and given words: all CoNLL 2018 metrics, speed and calibration.

    python -m experiments.pipeline                           # English EWT, development part
    python -m experiments.pipeline ewt fr he zh eu id --part test --peer

Running text is rebuilt from the treebank, with paragraphs separated by blank lines. Treebanks
without information about spaces (Basque, Indonesian) are only evaluated on given words. Hebrew and
Chinese have two parts; the model is trained on the development part, or with ``--part dev`` on its
first 400 sentences. Seed 1; F1 in percent. ``--peer`` trains UDPipe 1 on the same files
(`experiments.udpipe`). `error`: expected calibration error in percent, over 15 bins, of tokens and
sentence ends in running text, and of columns on given words.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

import bistro
from benchmarks.data import data_dir
from bistro.evaluate.metrics import AlignedWords, count_metrics
from bistro.evaluate.word_alignment import align
from bistro.evaluate.word_arrays import Codes, read_words
from bistro.models.pipeline.model import PipelineModel
from bistro.treebank.sentence import Sentence
from bistro.treebank.surface import RunningText, surface_tokens
from experiments.udpipe import annotated, train_udpipe

FILES = {
    "ewt": ("en_ewt/en_ewt-ud-{}.conllu", True),
    "fr": ("fr_partut/fr_partut-ud-{}.conllu", True),
    "he": ("he_htb/he_htb-ud-{}.conllu", True),
    "zh": ("zh_gsdsimp/zh_gsdsimp-ud-{}.conllu", True),
    "eu": ("eu_ud11/eu-ud-{}.conllu", False),
    "id": ("id_ud11/id-ud-{}.conllu", False),
}
"""The file of each treebank, and whether it has information about spaces."""
SHOWN = (
    "Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS",
    "CLAS", "MLAS", "BLEX",
)  # fmt: skip
LEARNED_OF_TWO = 400
BINS = 15


def parts(name: str, part: str) -> tuple[list[Sentence], list[Sentence] | None, list[Sentence]]:
    """Return the sentences for training, for fitting weights, and for evaluation."""
    path = str(data_dir() / FILES[name][0])
    dev = list(bistro.read(path.format("dev")))
    if not Path(path.format("train")).exists():
        if part == "test":
            return dev, None, list(bistro.read(path.format("test")))
        return dev[:LEARNED_OF_TWO], None, dev[LEARNED_OF_TWO:]
    train = list(bistro.read(path.format("train")))
    return train, dev, dev if part == "dev" else list(bistro.read(path.format("test")))


def row(name: str, gold: Sequence[Sentence], found: Iterable[Sentence]) -> str:
    """Return all metrics as a row of a table."""
    codes = Codes()
    one, other = read_words(gold, codes, "gold"), read_words(found, codes, "found")
    metrics = count_metrics(AlignedWords(one, other, align(one, other, codes), codes))
    return f"{name:<28}" + " ".join(f"{metrics[m.lower()].f1 or 0:9.2f}" for m in SHOWN)


def calibration_error(probabilities: Sequence[float], right: Sequence[bool]) -> float:
    """Return the mean gap between probability and accuracy over bins, in percent."""
    p, hit = np.array(probabilities), np.array(right, dtype=float)
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    gaps = [abs(p[bins == b].sum() - hit[bins == b].sum()) for b in range(BINS)]
    return 100 * float(sum(gaps)) / max(1, len(p))


def boundary_errors(model: PipelineModel, text: str, gold: Sequence[Sentence]) -> dict[str, float]:
    """Return the calibration errors of tokens and of sentence ends."""
    assert model.tokens is not None
    places, ends, at = set(), set(), 0
    for sentence in gold:
        for token in surface_tokens(sentence):
            start = text.index(token.form, at)
            at = start + len(token.form)
            places.add((start, at))
        ends.add(at)
    tokens: list[tuple[float, bool]] = []
    last: list[tuple[float, bool]] = []
    for found in model.tokens.tokenise(text):
        spans = [(s, s + len(f)) for s, f in zip(found.starts, found.forms, strict=True)]
        tokens += zip(found.probabilities, (span in places for span in spans), strict=True)
        last.append((found.end_probability, spans[-1][1] in ends))
    return {
        "tokens": calibration_error(*zip(*tokens, strict=True)),
        "sentence ends": calibration_error(*zip(*last, strict=True)),
    }


def column_errors(gold: Sequence[Sentence], found: Sequence[Sentence]) -> dict[str, float]:
    """Return the calibration errors of tags, features and lemmas."""
    keys = {"upos": "PUpos", "xpos": "PXpos", "feats": "PFeats", "lemmas": "PLemma"}
    errors = {}
    for column, key in keys.items():
        pairs = []
        for sentence, other in zip(gold, found, strict=True):
            values = zip(getattr(sentence, column), getattr(other, column), other.misc, strict=True)
            for old, new, misc in values:
                fields = dict(f.split("=", 1) for f in misc.split("|") if "=" in f)
                if key in fields:
                    pairs.append((float(fields[key]), old == new))
        if pairs:
            errors[column] = calibration_error(*zip(*pairs, strict=True))
    return errors


def bare(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences with only their words."""
    return [
        s.replace(
            **dict.fromkeys(("upos", "xpos", "feats", "lemmas", "deprels"), ["_"] * len(s)),
            heads=[-1] * len(s),
        )
        for s in sentences
    ]


def examine(name: str, part: str, parser: str, peer: bool) -> None:
    """Print the rows of one treebank."""
    train, dev, gold = parts(name, part)
    begin = time.process_time()
    model = bistro.train("pipeline", train, dev=dev, seed=1, parser=parser)
    assert isinstance(model, PipelineModel)
    print(f"\n{name}, {part} part; trained in {time.process_time() - begin:.0f} CPU s")
    print(f"{'':<28}" + " ".join(f"{m:>9}" for m in SHOWN))
    running = FILES[name][1]
    text = "".join(RunningText().pieces(gold)) if running else ""
    words = sum(map(len, gold))
    errors: dict[str, float] = {}
    if running:
        begin = time.process_time()
        found = list(model.annotate(text, threads=1))
        speed = words / (time.process_time() - begin)
        print(row("Bistro, running text", gold, found), f" {speed:,.0f} words/s", flush=True)
        errors = boundary_errors(model, text, gold)
    found = list(model.annotate_all(bare(gold), marginals=True, threads=1))
    print(row("Bistro, given words", gold, found), flush=True)
    errors |= column_errors(gold, found)
    print("error:", ", ".join(f"{what} {error:.2f}" for what, error in errors.items()), flush=True)
    if peer:
        with_peer(name, train, dev, gold, text)


def with_peer(
    name: str,
    train: Sequence[Sentence],
    dev: Sequence[Sentence] | None,
    gold: Sequence[Sentence],
    text: str,
) -> None:
    """Print the rows of UDPipe, trained on the same sentences."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{part}.conllu" for part in ("train", "dev", "found")]
        paths[0].write_text("".join(map(str, train)), encoding="utf-8")
        if dev:
            paths[1].write_text("".join(map(str, dev)), encoding="utf-8")
        model = train_udpipe(name, paths[0], paths[1] if dev else None, tokenizer=bool(text))
        inputs = {"running text": text, "given words": "".join(map(str, bare(gold)))}
        for given, content in inputs.items():
            if content:
                found = annotated(model, content, running=given == "running text")
                paths[2].write_text(found, encoding="utf-8")
                print(row(f"UDPipe 1, {given}", gold, list(bistro.read(paths[2]))), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebanks", nargs="*", default=["ewt"], help=", ".join(FILES))
    parser.add_argument("--part", choices=("dev", "test"), default="dev")
    parser.add_argument("--parser", default="committee", help="the kind of the parser")
    parser.add_argument("--peer", action="store_true", help="train UDPipe 1 as well")
    options = parser.parse_args()
    print(__doc__)
    for name in options.treebanks:
        examine(name, options.part, options.parser, options.peer)


if __name__ == "__main__":
    main()
