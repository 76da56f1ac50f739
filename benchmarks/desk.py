"""The desk: time from a decision to the new best tree, and time to open 10,000 sentences.

    python -m benchmarks.desk [--model parser.bistro] [--decisions 60]

The parser is a transition parser of EWT; `--model` uses one that is already trained. The decisions
set the correct head of every sixth word, one after the other, in sentences of about 40 words from
the development part, whose tags and trees were removed. The benchmark measures the time from a
request to the answer with the new best tree over the loopback network. If Chromium is installed, it
also measures the time from the key press to the new picture with the new suggestions. The server
has analysed all sentences before. Its CPU time, which does not depend on other processes, is also
printed. Finally, a file of 10,000 sentences is opened by the server and in the page.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bistro
from benchmarks.data import data_dir
from benchmarks.desk_kills import Server
from bistro.tasks.desk.document import Document
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import write

MANY = 10_000
WORDS = range(38, 43)
DRAWN = """() => new Promise((resolve) => {
  const board = document.querySelector(".board");
  const begin = performance.now();
  setTimeout(() => resolve(null), 2000);  // a key that only moved the selection
  new MutationObserver((_, watcher) => {
    watcher.disconnect();
    requestAnimationFrame(() => resolve(performance.now() - begin));
  }).observe(board, { attributeFilter: ["data-version"] });
  const key = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true });
  board.dispatchEvent(key);
})"""


def bare(sentence: Sentence) -> Sentence:
    """Return a copy of a sentence without tags and tree."""
    nothing = ["_"] * len(sentence)
    return sentence.replace(heads=[-1] * len(sentence), deprels=nothing, upos=nothing)


def print_times(name: str, seconds: Sequence[float]) -> None:
    """Print the median and the 90 % quantile in milliseconds."""
    ordered = sorted(seconds)
    high = ordered[int(0.9 * (len(ordered) - 1))]
    print(
        f"{name}: median {1000 * statistics.median(ordered):.0f} ms, 90 % within "
        f"{1000 * high:.0f} ms ({len(ordered)} decisions)",
        flush=True,
    )


def wait_for_doubts(server: Server) -> None:
    """Wait until the server has analysed all sentences."""
    until = time.monotonic() + 300
    while any(row[4] is None for row in server.ask("list")["rows"]) and time.monotonic() < until:
        time.sleep(0.2)


def processor_seconds(server: Server) -> float:
    """Return the CPU time of the server so far, or 0 if the system does not provide it."""
    stat = Path(f"/proc/{server.process.pid}/stat")
    if not stat.exists():
        return 0.0
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def decide(server: Server, gold: Sequence[Sentence], number: int) -> None:
    """Set the heads of words, one at a time, and measure the time to each answer."""
    wait_for_doubts(server)
    seconds: list[float] = []
    before = processor_seconds(server)
    for place, sentence in enumerate(gold):
        version = server.ask("show", sentence=place)["version"]
        for word in range(1, len(sentence) + 1, 6):
            if len(seconds) >= number:
                break
            values = {str(word): {"heads": sentence.heads[word - 1]}}
            begin = time.perf_counter()
            server.ask("decide", sentence=place, version=version, set=values)
            seconds.append(time.perf_counter() - begin)
            version += 1
    print_times("decision to answer", seconds)
    used = (processor_seconds(server) - before) / len(seconds)
    print(f"  CPU time of the server: {1000 * used:.0f} ms per decision (mean)", flush=True)


def in_browser(server: Server, number: int) -> None:
    """Accept suggestions with Enter in Chromium, and measure the time to the new picture."""
    chromium = os.environ.get("BISTRO_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        print("no Chromium: the page was not measured")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1300, "height": 900})
        begin = time.perf_counter()
        page.goto(f"{server.address}/desk")
        page.wait_for_selector(".board svg")
        print(f"page with the list and the first tree: {time.perf_counter() - begin:.2f} s")
        page.locator(".board").focus()
        page.wait_for_timeout(2000)  # until the page is idle
        measured = [page.evaluate(DRAWN) for _ in range(number)]
        print_times("key to picture", [one / 1000 for one in measured if one is not None])
        browser.close()


def run(model: Path, folder: Path, decisions: int) -> None:
    """Run all measurements with a model."""
    dev = list(bistro.read(data_dir() / "en_ewt" / "en_ewt-ud-dev.conllu"))
    train = list(bistro.read(data_dir() / "en_ewt" / "en_ewt-ud-train.conllu"))
    gold = [s for s in dev if len(s) in WORDS]
    file = folder / "forty.conllu"
    write([bare(s) for s in gold], file)
    server = Server(model, file)
    try:
        decide(server, gold, decisions)
        in_browser(server, decisions)
    finally:
        server.kill()
    many = folder / "many.conllu"
    write([bare(s) if i % 2 else s for i, s in enumerate(train[:MANY])], many)
    begin, used = time.perf_counter(), time.process_time()
    Document.open(many).close()
    seconds, used = time.perf_counter() - begin, time.process_time() - used
    print(f"{MANY:,} sentences opened by the server: {seconds:.2f} s ({used:.2f} s of CPU time)")
    server = Server(model, many)
    try:
        begin = time.perf_counter()
        rows: list[Any] = server.ask("list")["rows"]
        print(f"list of {len(rows):,}: {time.perf_counter() - begin:.2f} s")
        in_browser(server, 1)
    finally:
        server.kill()


def main() -> None:
    """Read the options, train a model if none is specified, and run the measurements."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", type=Path)
    parser.add_argument("--decisions", type=int, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = options.model
        if model is None:
            model = folder / "parser.bistro"
            train = bistro.read(data_dir() / "en_ewt" / "en_ewt-ud-train.conllu")
            bistro.train("transition", train).save(model)
        run(model, folder, options.decisions)


if __name__ == "__main__":
    main()
