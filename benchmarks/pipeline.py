"""Running text: words per second of the tokeniser and the whole pipeline, and memory growth.

The pipeline is trained on English EWT with a transition parser, unless a model file is specified.
Speed is measured on the text of the development part. Memory is measured on the English texts of
the data folder, repeated with exchanged vowels, so that there are always new words and every cache
fills up. Text is generated in pieces and sentences are discarded at once, so that only the pipeline
uses memory. Each measurement loads the model file in a new process, so that its peak memory is that
of a user. All measurements use one core. Use:

    python -m benchmarks.pipeline [MODEL] [--repeats 5] [--tokenised 200] [--annotated 4]
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path

import bistro
from benchmarks.data import best_seconds, data_dir
from bistro.models.pipeline.model import PipelineModel
from bistro.treebank.sentence import Sentence
from bistro.treebank.surface import RunningText

MEGABYTE = 1_000_000
VOWELS = "aeiou"
PIECE = 1 << 16


def memory(name: str) -> float:
    """Return VmRSS or the peak VmHWM of this process in megabytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) / 1024
    return 0.0


def train(path: Path) -> None:
    """Train a pipeline on one core."""
    treebank = bistro.read(data_dir() / "en_ewt" / "en_ewt-ud-train.conllu")
    begin = time.process_time()
    bistro.train("pipeline", treebank, seed=1, parser="transition").save(path)
    print(f"trained in {time.process_time() - begin:.0f} CPU s", flush=True)


def loaded(path: Path) -> PipelineModel:
    """Load a pipeline."""
    model = bistro.load(path)
    assert isinstance(model, PipelineModel) and model.tokens is not None
    return model


def development_text() -> str:
    """Return the running text of the development part of English EWT."""
    dev = bistro.read(data_dir() / "en_ewt" / "en_ewt-ud-dev.conllu")
    return "".join(RunningText().pieces(dev))


def varied_text(megabytes: int) -> Iterator[str]:
    """Yield English text of this size, in pieces."""
    files = sorted((data_dir() / "text_en").glob("*.txt"))
    left = megabytes * MEGABYTE
    for number in count():
        turn = number % len(VOWELS)
        exchanged = str.maketrans(VOWELS, VOWELS[turn:] + VOWELS[:turn])
        for file in files:
            with file.open(encoding="utf-8") as stream:
                while piece := stream.read(min(PIECE, left)):
                    left -= len(piece)
                    yield piece.translate(exchanged)
            if not left:
                return


def written(sentences: Iterable[Sentence]) -> int:
    """Convert sentences to CoNLL-U without keeping them, and return their number of words."""
    words = 0
    for sentence in sentences:
        words += len(sentence)
        str(sentence)
    return words


def speed_of_words(path: Path, text: str, repeats: int) -> None:
    """Print the speed of tokenisation and sentence splitting."""
    tokens = loaded(path).tokens
    assert tokens is not None
    words = sum(len(sentence.forms) for sentence in tokens.tokenise(text))
    seconds = best_seconds(lambda: [None for _ in tokens.tokenise(text)], repeats)
    print(f"words and sentences: {words / seconds:,.0f} words/s", flush=True)


def speed_of_all(path: Path, text: str, repeats: int) -> None:
    """Print the speed of converting running text to CoNLL-U."""
    model = loaded(path)
    words = written(model.annotate(text, threads=1))
    seconds = best_seconds(lambda: written(model.annotate(text, threads=1)), repeats)
    print(f"text to CoNLL-U: {words / seconds:,.0f} words/s", flush=True)


def memory_of_words(path: Path, megabytes: int) -> None:
    """Print the memory of the tokeniser on one long text."""
    tokens = loaded(path).tokens
    assert tokens is not None
    _watch("words and sentences", megabytes, lambda text: map(len, tokens.tokenise(text)))


def memory_of_all(path: Path, megabytes: int) -> None:
    """Print the memory of the whole pipeline on one long text."""
    model = loaded(path)

    def sizes(text: Iterator[str]) -> Iterator[int]:
        return (written([sentence]) for sentence in model.annotate(text, threads=1))

    _watch("text to CoNLL-U", megabytes, sizes)


def _watch(name: str, megabytes: int, sizes: Callable[[Iterator[str]], Iterator[int]]) -> None:
    """Print memory at each quarter of a text; `sizes` yields the word counts of its sentences."""
    read = 0

    def watched() -> Iterator[str]:
        nonlocal read
        for piece in varied_text(megabytes):
            before, read = read, read + len(piece)
            quarter = megabytes * MEGABYTE // 4
            if before // quarter < read // quarter:
                print(f"{name}, {read // MEGABYTE} MB read: {memory('VmRSS'):.0f} MB", flush=True)
            yield piece

    begin = time.process_time()
    words = sum(sizes(watched()))
    speed = words / (time.process_time() - begin)
    print(
        f"{name}: {words:,} words, {speed:,.0f} words/s, peak {memory('VmHWM'):.0f} MB", flush=True
    )


def alone(task: Callable[..., None], *arguments: object) -> None:
    """Run a task in a new process."""
    process = multiprocessing.get_context("spawn").Process(target=task, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(process.exitcode)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", nargs="?", type=Path)
    parser.add_argument("--repeats", type=int, default=5, help="number of repeats for speed")
    parser.add_argument("--tokenised", type=int, default=200, help="megabytes for the tokeniser")
    parser.add_argument("--annotated", type=int, default=4, help="megabytes for the pipeline")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = options.model or Path(folder) / "pipeline.bistro"
        if options.model is None:
            alone(train, model)
        text = development_text()
        alone(speed_of_words, model, text, options.repeats)
        alone(speed_of_all, model, text, options.repeats)
        alone(memory_of_words, model, options.tokenised)
        alone(memory_of_all, model, options.annotated)


if __name__ == "__main__":
    main()
