"""Models with unbounded contexts on the command line: trained, described, refused."""

from __future__ import annotations

import json
from pathlib import Path

import bistro
from bistro.models.tags.model import TagsModel

from .program import Command


def test_train_and_info(bistro_here: Command, files: Path, here: Path) -> None:
    train = ("train", "tags", files / "train.conllu")
    done = bistro_here(*train, "-o", "t.bistro", "--dev", files / "test.conllu")
    assert done.code == 0, done.err
    assert "tags model of train.conllu" in done.err
    figures = dict(line.rsplit(maxsplit=1) for line in done.out.splitlines()[1:])
    assert float(figures["trees known"]) <= float(figures["trees"])
    assert 0 < float(figures["bits per word"]) < 20
    facts = json.loads(bistro_here("info", "t.bistro", "--json").out)
    assert (facts["kind"], facts["config"]["tagset"]) == ("tags", "upos")
    assert facts["treebank"]["words"] == bistro.read(files / "train.conllu").words
    assert facts["summary"]["contexts stored"] < facts["summary"]["contexts"]
    assert "contexts stored" in bistro_here("info", "t.bistro").out


def test_the_same_file_for_the_same_seed_and_gibbs_by_option(
    bistro_here: Command, files: Path, here: Path
) -> None:
    gibbs = ["seating=gibbs", "hyper=slice", "sweeps=3", "samples=2"]
    options = [part for name in gibbs for part in ("--set", f"sampler.{name}")]
    for name in ("a.bistro", "b.bistro"):
        train = ("train", "tags", files / "train.conllu", "-o", name, "--set", "gibbs_depth=3")
        assert bistro_here(*train, *options).code == 0
    assert (here / "a.bistro").read_bytes() == (here / "b.bistro").read_bytes()
    model = bistro.load("a.bistro")
    assert isinstance(model, TagsModel)
    assert model.trie.depth_bound == 3
    assert len(model.origin.trace) == 3


def test_what_cannot_be(bistro_here: Command, files: Path, here: Path) -> None:
    train = ("train", "tags", files / "train.conllu", "-o", "x.bistro")
    for options, told in (
        (["--set", "tagset=pos"], "tagset"),
        (["--set", "depth=0"], "depth is 0, but must be at least 1"),
        (["--set", "sampler.hyper=slice"], "with minimal seating"),
        (["--set", "blocks=1"], "blocks is 1, but must be at least 2"),
    ):
        done = bistro_here(*train, *options)
        assert done.code == 2
        assert told in done.err
    assert bistro_here("train", "tags", "-o", "x.bistro").code == 2
    assert not (here / "x.bistro").exists()
