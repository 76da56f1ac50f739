"""`--cluster` in every command that has it: the same bytes as without it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import bistro
from bistro.inference import cluster
from bistro.inference.workers import LocalWorkers, Workers
from bistro.tasks import spread
from bistro.treebank.brackets import write_trees
from bistro.treebank.treebank import write

from .program import Command

pytest.importorskip("distributed")

QUICK = {"sampler": {"sweeps": 3, "samples": 1}}
SWEEPS = ("--set", "sampler.sweeps=4", "--set", "sampler.samples=2")
MORE = ("--set", "sampler.sweeps=12", "--set", "sampler.samples=4")
PARTS = ("--draws", 1, "--parts", "1/4,1/2,1")
ON_TWO = ("--cluster", "local:2")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cluster")
    treebank = bistro.builtin(sentences=90, seed=1)
    write(treebank, folder / "train.conllu")
    write(bistro.builtin(sentences=230, seed=2), folder / "test.conllu")
    write(bistro.builtin(sentences=12, seed=3), folder / "dev.conllu")
    write_trees(bistro.builtin_trees(sentences=25, seed=2), folder / "test.mrg")
    (folder / "letter.txt").write_text("The dog sleeps. A cat sees the bird.\n" * 120)
    for kind in ("transition", "eisner", "topics", "ngram", "pipeline"):
        more = {"parser": "transition"} if kind == "pipeline" else {}
        short = {"sweeps": 3, "samples": 1} if kind == "topics" else QUICK
        short = {} if kind == "pipeline" else short
        model = bistro.train(kind, treebank, seed=1, **short, **more)
        model.save(folder / f"{kind}.bistro")
    trees = bistro.builtin_trees(sentences=40, seed=1)
    bistro.train("trees", trees, seed=1, **QUICK).save(folder / "trees.bistro")
    return folder


@pytest.fixture(scope="module")
def two() -> Iterator[Workers]:
    with cluster.workers_for("local:2", threads=0) as workers:
        yield workers


@pytest.fixture(autouse=True)
def one_cluster(two: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    """All commands use one cluster, since a new one takes seconds to start."""

    @contextmanager
    def known(cluster: str | None, threads: int) -> Iterator[Workers]:
        yield two if cluster else LocalWorkers(max(1, threads))

    monkeypatch.setattr(cluster, "workers_for", known)


def timeless(text: str) -> str:
    """Return what a command says without how long it took."""
    return re.sub(r"[\d,]+ words/s", "", text)


@pytest.mark.parametrize(
    "arguments",
    [
        ("parse", "transition.bistro", "test.conllu", "--marginals"),
        ("parse", "transition.bistro", "test.conllu", "--tags", "given", "--kbest", 3),
        ("parse", "transition.bistro", "test.conllu", "--samples", 2, "--particles", 20),
        ("parse", "transition.bistro", "eisner.bistro", "test.conllu", "--marginals"),
        ("parse", "topics.bistro", "test.conllu", "--samples", 2),
        ("parse", "pipeline.bistro", "letter.txt", "--alternatives", 2),
        ("parse", "pipeline.bistro", "test.conllu", "--keep", "upos"),
        ("parse", "trees.bistro", "test.mrg", "--draws", 50),
        ("surprisal", "transition.bistro", "test.conllu", "--particles", 10),
        ("surprisal", "ngram.bistro", "test.conllu", "--no-eos"),
        ("surprisal", "pipeline.bistro", "letter.txt", "--particles", 5),
    ],
    ids=lambda given: " ".join(map(str, given)),
)
def test_models_asked_by_two_workers(
    arguments: tuple[object, ...],
    data: Path,
    bistro_here: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spread, "PIECE_SENTENCES", 40)
    monkeypatch.chdir(data)
    alone = bistro_here(*arguments, "-o", "alone.out")
    together = bistro_here(*arguments, "-o", "together.out", *ON_TWO)
    assert alone.code == together.code == 0, together.err
    outputs = Path("alone.out"), Path("together.out")
    one, other = (path.read_bytes() for path in outputs)
    assert one == other
    for path in outputs:
        path.unlink()
    assert timeless(alone.err) == timeless(together.err)


@pytest.mark.parametrize(
    "arguments",
    [
        ("crossval", "eisner", "train.conllu", "-k", 3, *SWEEPS),
        ("learning-curve", "eisner", "train.conllu", "-k", 2, *PARTS, *SWEEPS),
        ("diagnose", "ngram", "train.conllu", "--chains", 3, *MORE),
    ],
    ids=lambda given: str(given[0]),
)
def test_models_trained_by_two_workers(
    arguments: tuple[object, ...],
    data: Path,
    bistro_here: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if arguments[0] == "diagnose":
        pytest.importorskip("arviz")
    monkeypatch.chdir(data)
    alone, together = bistro_here(*arguments), bistro_here(*arguments, *ON_TWO)
    assert alone.code == together.code == 0, together.err
    assert alone.out == together.out


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("committee", SWEEPS),
        ("committee", ("--set", 'members=["isbn", "left"]', *SWEEPS)),
    ],
    ids=str,
)
def test_members_of_a_committee(
    kind: str, settings: tuple[str, ...], data: Path, here: Path, bistro_here: Command
) -> None:
    files = (data / "train.conllu", "--dev", data / "test.conllu")
    for name, more in (("alone", ()), ("together", ON_TWO)):
        ended = bistro_here("train", kind, *files, "-o", f"{name}.bistro", *settings, *more)
        assert ended.code == 0, ended.err
    assert Path("alone.bistro").read_bytes() == Path("together.bistro").read_bytes()


def test_a_search_tried_by_two_workers(data: Path, here: Path, bistro_here: Command) -> None:
    files = (data / "dev.conllu", "--dev", data / "dev.conllu")
    more = ("--distributions", "none", "--settings", "unknown_below", "--sweeps", 2)
    start = ("--config", "symbols", *SWEEPS)
    for name, workers in (("alone", ()), ("together", ON_TWO)):
        ended = bistro_here("tune", "transition", *files, "-o", name, *more, *start, *workers)
        assert ended.code == 0, ended.err
    assert Path("alone").read_bytes() == Path("together").read_bytes()
    one, other = (Path(f"{n}.journal").read_bytes() for n in ("alone", "together"))
    assert one == other


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("parse", "topics.bistro", "test.conllu", "--resample", 2), "--resample draws the trees"),
        (
            ("parse", "transition.bistro", "eisner.bistro", "test.conllu", "--samples", 2),
            "are drawn by one process: leave out --cluster",
        ),
        (("diagnose", "ngram.bistro", "ngram.bistro"), "leave it out for trained models"),
        (("train", "ngram", "train.conllu", "-o", "x.bistro"), "name the raw text with --text"),
    ],
    ids=lambda given: str(given),
)
def test_what_a_cluster_cannot_do(
    arguments: tuple[object, ...],
    complaint: str,
    data: Path,
    bistro_here: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(data)
    ended = bistro_here(*arguments, *ON_TWO)
    assert ended.code == 2
    assert complaint in ended.err
