"""Running text: words per second of tokeniser and whole pipeline, and memory as text grows.

The pipeline learns English EWT with a transition parser, unless a model file is given. The text is
that of the development part, again and again; it is made piece by piece and its sentences are
written away at once, so that only the pipeline holds anything. One core. Use:

    python -m benchmarks.pipeline [MODEL] [--words 200000] [--megabytes 40]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import bistro
from benchmarks.data import data_dir
from bistro.models.pipeline.model import PipelineModel
from bistro.treebank.sentence import Sentence
from bistro.treebank.surface import RunningText


def resident() -> float:
    """Return the memory of this process in megabytes, at this moment."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def trained(path: Path | None) -> PipelineModel:
    """Load a pipeline, or train one."""
    if path is not None:
        model = bistro.load(path)
    else:
        train = bistro.read(data_dir() / "en_ewt" / "en_ewt-ud-train.conllu")
        begin = time.process_time()
        model = bistro.train("pipeline", train, seed=1, parser="transition")
        print(f"trained in {time.process_time() - begin:.0f} CPU s", flush=True)
    assert isinstance(model, PipelineModel) and model.tokens is not None
    return model


def repeated(text: str, characters: int) -> Iterator[str]:
    """Yield the text again and again, up to this many characters."""
    for _ in range(-(-characters // len(text))):
        yield text


def words_per_second(sentences: Iterable[Sentence]) -> tuple[int, float]:
    """Return how many words there are, and how many are found and written per CPU second."""
    begin, words = time.process_time(), 0
    for sentence in sentences:
        words += len(sentence)
        str(sentence)
    return words, words / (time.process_time() - begin)


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("model", nargs="?", type=Path)
    options.add_argument("--words", type=int, default=200_000, help="for the whole pipeline")
    options.add_argument("--megabytes", type=int, default=40, help="for the tokeniser's memory")
    chosen = options.parse_args()
    model = trained(chosen.model)
    dev = bistro.read(data_dir() / "en_ewt" / "en_ewt-ud-dev.conllu")
    text, words = "".join(RunningText().pieces(dev)), sum(map(len, dev))
    assert model.tokens is not None
    list(model.tokens.tokenise(text))
    begin = time.process_time()
    found = sum(len(sentence.forms) for sentence in model.tokens.tokenise(text))
    print(f"words and sentences: {found / (time.process_time() - begin):,.0f} words/s", flush=True)
    size = len(text) * chosen.words // words
    whole = model.annotate(repeated(text, size), threads=1)
    count, speed = words_per_second(whole)
    print(f"whole pipeline, {count:,} words: {speed:,.0f} words/s, {resident():.0f} MB", flush=True)
    part = chosen.megabytes * 1_000_000 // 4
    for number in range(1, 5):
        for _ in model.tokens.tokenise(repeated(text, part)):
            pass
        print(
            f"tokeniser, {number * part // 1_000_000} MB of text: {resident():.0f} MB", flush=True
        )
    begin = time.process_time()
    for _ in model.tokens.tokenise(repeated(text, 4 * part)):
        pass
    print(f"tokeniser, {chosen.megabytes} MB in one text: {resident():.0f} MB", flush=True)


if __name__ == "__main__":
    main()
