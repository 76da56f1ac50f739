"""`bistro train` as a user types it."""

from __future__ import annotations

import gzip
import json
import signal
from pathlib import Path

import pytest

import bistro
from bistro.modelfile import read_model

from .program import Command

QUICK = ("--set", "sampler.sweeps=4", "--set", "sampler.samples=2", "--set", "order=3")


def test_a_treebank_becomes_a_model(bistro_here: Command, files: Path, here: Path) -> None:
    done = bistro_here("train", "ngram", files / "train.conllu", "-o", "m.bistro", *QUICK)
    assert done.code == 0
    assert done.out == ""
    assert "m.bistro: ngram model of train.conllu, seed 1" in done.err
    assert "sweep" not in done.err  # progress is for terminals
    assert [path.name for path in here.iterdir()] == ["m.bistro"]
    model = bistro.load("m.bistro")
    assert model.kind == "ngram"
    assert model.origin.treebank["sentences"] == 300
    assert len(model.origin.trace) == 4


def test_text_gives_the_same_words_and_so_the_same_arrays(
    bistro_here: Command, files: Path, here: Path
) -> None:
    for name in ("train.conllu", "train.txt"):
        assert bistro_here("train", "ngram", files / name, "-o", name + ".bistro", *QUICK).code == 0
    first, second = (read_model(name + ".bistro") for name in ("train.conllu", "train.txt"))
    for name, array in first.arrays.items():
        assert array.tolist() == second.arrays[name].tolist()


def test_compressed_files_and_stdin(bistro_here: Command, files: Path, here: Path) -> None:
    text = (files / "train.txt").read_bytes()
    (here / "train.txt.gz").write_bytes(gzip.compress(text))
    for arguments, stdin in ((("train.txt.gz",), b""), (("-",), text)):
        done = bistro_here("train", "ngram", *arguments, "-o", "m.bistro", *QUICK, stdin=stdin)
        assert done.code == 0
        assert bistro.load("m.bistro").origin.treebank["words"] == len(text.split())


def test_several_files_are_one_treebank(bistro_here: Command, files: Path, here: Path) -> None:
    both = files / "train.conllu", files / "test.txt"
    assert bistro_here("train", "ngram", *both, "-o", "m.bistro", *QUICK).code == 0
    treebank = bistro.load("m.bistro").origin.treebank
    assert treebank["name"] == "train.conllu + test.txt"
    assert treebank["sentences"] == 330
    assert len(treebank["sha256"]) == 64


def test_settings_come_from_the_file_and_then_from_set(
    bistro_here: Command, files: Path, here: Path
) -> None:
    shown = bistro_here("train", "ngram", "--show-config", "--set", "order=4")
    assert shown.code == 0
    assert "order = 4" in shown.out
    assert "# Length of the n-grams" in shown.out
    edited = shown.out.replace("sweeps = 60", "sweeps = 3").replace("samples = 40", "samples = 3")
    (here / "ngram.toml").write_text(edited)
    settings = ("--config", "ngram.toml", "--set", "sampler.samples=2")
    done = bistro_here("train", "ngram", files / "train.txt", "-o", "m.bistro", *settings)
    assert done.code == 0
    config = read_model("m.bistro").header["config"]
    assert (config["order"], config["sampler"]["sweeps"], config["sampler"]["samples"]) == (4, 3, 2)


def test_the_seed_decides_the_file(bistro_here: Command, files: Path, here: Path) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        arguments = (files / "train.txt", "-o", name, "--seed", seed, *QUICK)
        assert bistro_here("train", "ngram", *arguments).code == 0
    a, b, c = ((here / name).read_bytes() for name in "abc")
    assert a == b
    assert a != c


def test_dev_is_reported_as_perplexity_would(bistro_here: Command, files: Path, here: Path) -> None:
    dev = files / "test.conllu"
    arguments = (files / "train.conllu", "-o", "m.bistro", "--dev", dev, *QUICK)
    told = bistro_here("train", "ngram", *arguments)
    assert told.code == 0
    assert told.out == bistro_here("perplexity", "m.bistro", dev).out


def test_an_old_model_is_replaced_whole(bistro_here: Command, files: Path, here: Path) -> None:
    (here / "m.bistro").write_bytes(b"\x02\0\0\0\0\0\0\0{}old")
    done = bistro_here("train", "ngram", files / "train.txt", "-o", "m.bistro", *QUICK)
    assert done.code == 0
    assert bistro.load("m.bistro").kind == "ngram"


def test_signal_handlers_are_put_back(bistro_here: Command, files: Path, here: Path) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    bistro_here("train", "ngram", files / "train.txt", "-o", "m.bistro", *QUICK)
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_as_a_process(bistro_outside: Command, files: Path, here: Path) -> None:
    done = bistro_outside("train", "ngram", files / "train.conllu", "-o", "m.bistro", *QUICK)
    assert (done.code, done.out) == (0, "")
    told = json.loads(bistro_outside("info", "m.bistro", "--json").out)
    assert told["config"]["order"] == 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("ngram",), "the model needs a file name; specify it with -o"),
        (
            ("ngram", "-o", "m.bistro"),
            "there is no data: name a treebank or a text, or use - for stdin",
        ),
        (("ngram", "x.txt", "-o", "-"), "cannot be written to stdout"),
        (("ngram", "x.txt", "-o", "m.bistro.gz"), "a model file cannot be compressed"),
        (("ngram", "x.txt", "-o", "m", "--seed", "-1"), "--seed"),
        (("ngram", "x.txt", "-o", "m", "--seeds", "1"), "No such option: --seeds"),
        (("ngram", "x.txt", "-o", "m", "--input", "conlu"), "did you mean 'conllu'"),
    ],
)
def test_what_is_missing_or_wrong_is_said(
    bistro_here: Command, here: Path, arguments: tuple[str, ...], told: str
) -> None:
    (here / "x.txt").write_text("a b c\n")
    done = bistro_here("train", *arguments)
    assert done.code == 2
    assert done.err.startswith("bistro: ")
    assert done.err.count("\n") == 1
    assert told in done.err
    assert [path.name for path in here.iterdir()] == ["x.txt"]


def test_a_seed_of_more_than_64_bits_is_refused(
    bistro_here: Command, files: Path, here: Path
) -> None:
    for command in (
        ("train", "ngram", files / "train.txt", "-o", "m.bistro"),
        ("generate", files / "english.bistro"),
    ):
        done = bistro_here(*command, "--seed", 2**64)
        assert done.code == 2
        assert "18,446,744,073,709,551,615" in done.err


def test_a_second_ctrl_c_ends_it_at_once(
    bistro_here: Command, files: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def impatient(*arguments: object, **settings: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bistro.tasks.train.train", impatient)
    done = bistro_here("train", "ngram", files / "train.txt", "-o", "m.bistro", *QUICK)
    assert done.code == 130
    assert "Traceback" not in done.err
    assert list(here.iterdir()) == []


def test_treebanks_with_two_roots(bistro_here: Command, here: Path) -> None:
    """What the refusal advises is an option that the command has."""
    words = ["1\tIt\t_\tPRON\t_\t_\t2\tnsubj\t_\t_", "2\trains\t_\tVERB\t_\t_\t0\troot\t_\t_"]
    two = "\n".join([*words, "3\tHere\t_\tADV\t_\t_\t0\troot\t_\t_", "", ""])
    (here / "two.conllu").write_text(two * 3)
    arguments = ("train", "eisner", "two.conllu", "-o", "two.bistro")
    refused = bistro_here(*arguments)
    assert refused.code == 2
    assert "two.conllu:3: words 2 and 3 both have head 0" in refused.err
    assert "--roots any" in refused.err
    assert bistro_here(*arguments, "--roots", "any", "--set", "sampler.sweeps=10").code == 0
    assert bistro_here("crossval", "eisner", "two.conllu", "-k", 2, "--roots", "any").code == 0
    parsed = bistro_here("parse", "two.bistro", "two.conllu", "-o", "parsed.conllu")
    assert parsed.code == 0
    assert bistro_here("evaluate", "two.conllu", "parsed.conllu").code == 0
    assert "'one' or 'any'" in bistro_here(*arguments, "--roots", "two").err


def test_a_transition_parser_has_the_preset_that_fits(
    bistro_here: Command, files: Path, here: Path
) -> None:
    """As the members of a committee have; a preset or file that is named is left as it is."""
    quick = ("--set", "sampler.sweeps=2", "--set", "sampler.samples=1", "-o", "parser.bistro")
    fitted = bistro_here("train", "transition", files / "train.conllu", *quick)
    assert fitted.code == 0
    assert "settings of the preset ud, which fits the treebank" in fitted.err
    config = bistro.load(here / "parser.bistro").config
    assert config.tag_features == ("PronType", "Case")
    assert config.sampler.sweeps == 2
    named = bistro_here("train", "transition", files / "train.conllu", "--config", "table1", *quick)
    assert "which fits" not in named.err
    assert bistro.load(here / "parser.bistro").config.tag_features == ()
