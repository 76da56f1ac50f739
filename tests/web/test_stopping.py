"""Every computation that a request can start hears its stop flag."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

import bistro
from bistro._core import ComputationStopped, StopFlag
from bistro.modelfile import FORMAT_VERSION
from bistro.serve import answers, schemas, udpipe
from bistro.serve.catalog import Catalog, Entry
from bistro.serve.inputs import Inputs
from bistro.serve.limits import Limits
from bistro.treebank.sentence import Sentence

STORED = Path(__file__).resolve().parents[1] / "data" / "models"
NAMES = [path.stem for path in sorted(STORED.glob(f"*-{FORMAT_VERSION}.bistro"))]
WORDS = ["dog"] * 60
NEVER_LONG = {("ngram-3", "read"), ("ngram-spelling-3", "read")}
"""What is done before a loop could look."""


@cache
def catalog(name: str) -> Catalog:
    return Catalog.load([str(STORED / f"{name}.bistro")])


def requests(entry: Entry) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield all that this model can be asked."""
    sentence, id = Sentence.from_columns(WORDS), entry.id
    inputs = Inputs(Limits())
    if "read" in entry.abilities:
        body = schemas.ReadBody(model=id, words=WORDS)
        yield "read", lambda: answers.read(entry, sentence, body)
    if "parse" in entry.abilities:
        asked = schemas.ParseBody(model=id, words=WORDS)
        yield "parse", lambda: answers.parse(entry, sentence, asked)
    if "generate" in entry.abilities and entry.model.kind != "grammar":
        drawn = schemas.GenerateBody(model=id, temperature=2.0)
        yield "generate", lambda: answers.generate(entry, [], drawn)
    if "linearize" in entry.abilities:
        columns = {"labels": ["root", *["obj"] * 6], "tags": ["VERB", *["NOUN"] * 6]}
        heads = [0, 1, 1, 1, 1, 1, 1]
        tree = schemas.LinearizeBody(model=id, words=WORDS[:7], heads=heads, **columns)
        yield "linearize", lambda: answers.linearize(entry, inputs, tree)
    if "tag" in entry.abilities:
        form = {"data": "a b\n", "input": "horizontal", "tagger": ""}
        yield "process", lambda: udpipe.process(catalog(entry.id), inputs, form)


@pytest.mark.parametrize("name", NAMES)
def test_computations_hear_their_flag(name: str) -> None:
    (entry,) = catalog(name)
    for what, compute in requests(entry):
        if (name, what) in NEVER_LONG:
            continue
        compute()
        flag = StopFlag()
        flag.set()
        with flag, pytest.raises(ComputationStopped):
            compute()
        compute()  # the model is as it was


def test_the_worst_request_of_a_model_stops_at_once() -> None:
    """A reading of 150 words, which took half a minute, keeps its processor 200 ms at most."""
    model = bistro.train("isbn", bistro.builtin(sentences=60, seed=1), seed=1)
    flag = StopFlag()
    ends: list[float] = []

    def read() -> None:
        with flag, pytest.raises(ComputationStopped):
            while True:
                model.surprisal(["dog"] * 150)
        ends.append(time.monotonic())

    thread = threading.Thread(target=read)
    thread.start()
    time.sleep(0.3)
    asked = time.monotonic()
    flag.set()
    thread.join(10)
    assert 0 < ends[0] - asked < 0.2
