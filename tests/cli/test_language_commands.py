"""`bistro perplexity`, `surprisal`, `generate`, `info`, and the help of all commands."""

from __future__ import annotations

import gzip
import inspect
import json
import math
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import bistro
from bistro.cli import main
from bistro.evaluate.text import text_figures

from .program import ENVIRONMENT, PROGRAM, Command

COMMANDS = {
    "demo": ("built-in", "--treebank", "report.html", "known probabilities"),
    "train": ("KIND", "TRAIN", "--set", "--resume", "MODEL.checkpoint", "--checkpoint-seconds"),
    "perplexity": ("MODEL", "INPUT", "--json", "end of each sentence", "unknown"),
    "surprisal": ("-log2 p(word | words before it)", "in bits", "prefix_log2_prob", "--no-eos"),
    "next-word": ("most likely next words", "--targets", "--top", "entropy_se", "--text"),
    "effects": ("critical region", "--conditions", "--by", "--plot", "95 % interval over items"),
    "reading-times": ("--condition", "--only", "--known-only", "held-out", "lme4"),
    "generate": ("--number", "--seed", "The same seed gives the same sentences"),
    "evaluate": ("GOLD", "SYSTEM", "--punct"),
    "convert": ("--projectivize", "--from", "--to"),
    "doctor": ("--with", "surprisal", "--html"),
    "complete": ("--below", "Filled="),
    "learning-curve": ("--parts", "forecast", "--plot"),
    "crossval": ("--folds", "--by", "standard error"),
    "fetch": ("Universal Dependencies", "--mirror"),
    "info": ("settings", "seed", "--json"),
}
APP = main.app_of(main.COMMANDS)
SPEC_FIGURES = ("perplexity", "perplexity_no_eos", "bits_per_word", "bits_per_char", "oov_rate")


# ---- help --------------------------------------------------------------------------------------
@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches(command: str) -> None:
    told = CliRunner(env={"COLUMNS": "110"}).invoke(APP, [command, "--help"])
    assert told.exit_code == 0
    text = " ".join(told.stdout.split())
    for phrase in COMMANDS[command]:
        assert phrase in text


@pytest.mark.parametrize("command", main.COMMANDS)
def test_help_fits_a_narrow_terminal(command: str) -> None:
    shown = CliRunner(env={"COLUMNS": "80"}).invoke(APP, [command, "--help"]).stdout
    assert not re.search(r"\w…", shown), "an option or its description is cut off"


@pytest.mark.parametrize("command", [c.callback for c in APP.registered_commands])
def test_help_has_examples_one_a_line(command: Callable[..., Any]) -> None:
    name = command.__name__.replace("_", "-")
    told = CliRunner(env={"COLUMNS": "140"}).invoke(APP, [name, "--help"])
    written = inspect.cleandoc(command.__doc__ or "").splitlines()
    examples = [line.strip() for line in written if line.startswith("    ")]
    assert any(f"bistro {name}" in example for example in examples)
    lines = [line.strip() for line in told.stdout.splitlines()]
    assert all(example in lines for example in examples)


def test_all_commands_are_listed(bistro_here: Command) -> None:
    told = bistro_here("--help")
    assert told.code == 0
    assert all(command in told.out for command in COMMANDS)
    assert bistro_here().out == told.out
    assert bistro_here("-h").out == told.out


def test_version(bistro_here: Command) -> None:
    assert bistro_here("--version").out == f"bistro {bistro.__version__}\n"
    python = [PROGRAM[0], "-m", "bistro", "--version"]
    done = subprocess.run(python, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert done.stdout == f"bistro {bistro.__version__}\n"


# ---- perplexity --------------------------------------------------------------------------------
def test_perplexity_json_has_the_promised_fields(bistro_here: Command, files: Path) -> None:
    path = files / "test.conllu"
    done = bistro_here("perplexity", files / "english.bistro", path, "--json")
    assert (done.code, done.err) == (0, "")
    told = json.loads(done.out)
    expected = text_figures(bistro.load(files / "english.bistro"), bistro.read(path))
    for name in (*SPEC_FIGURES, "words", "log_prob", "protocol"):
        assert told[name] == getattr(expected, name)
    assert told["words"] == bistro.read(path).words
    assert told["bits_per_word"] == pytest.approx(math.log2(told["perplexity"]))
    assert told["input"] == str(path)


def test_perplexity_table_names_what_is_counted(bistro_here: Command, files: Path) -> None:
    told = bistro_here("perplexity", files / "english.bistro", files / "test.conllu").out
    rows = {line.split("│")[1].strip(): line for line in told.splitlines() if line.startswith("│")}
    assert "words and sentence ends" in rows["perplexity"]
    assert "words" in rows["perplexity_no_eos"]
    for name in SPEC_FIGURES:
        assert name in rows


@pytest.mark.parametrize("name", ["test.conllu", "test.txt"])
def test_perplexity_from_stdin_and_compressed(
    bistro_here: Command, files: Path, here: Path, name: str
) -> None:
    content = (files / name).read_bytes()
    (here / f"{name}.gz").write_bytes(gzip.compress(content))
    model = files / "english.bistro"
    plain, packed, piped = (
        json.loads(bistro_here("perplexity", model, *source, "--json", stdin=content).out)
        for source in ((files / name,), (f"{name}.gz",), ())
    )
    assert plain["log_prob"] == packed["log_prob"] == piped["log_prob"]
    assert piped["input"] == "-"


# ---- surprisal ---------------------------------------------------------------------------------
def rows_of(table: str) -> list[dict[str, str]]:
    header, *lines = (line.split("\t") for line in table.split("\n") if line)
    return [dict(zip(header, line, strict=True)) for line in lines]


def test_surprisals_sum_to_the_log_probability(bistro_here: Command, files: Path) -> None:
    model, path = files / "english.bistro", files / "test.conllu"
    rows = rows_of(bistro_here("surprisal", model, path).out)
    total = json.loads(bistro_here("perplexity", model, path, "--json").out)["log_prob"]
    assert sum(float(row["surprisal"]) for row in rows) == pytest.approx(-total / math.log(2), 1e-6)
    first = bistro.read(path)[0]
    own = [row for row in rows if row["sent_id"] == first.sent_id]
    assert [row["token"] for row in own] == [*first.forms, "</s>"]
    assert [int(row["word_id"]) for row in own] == list(range(1, len(first) + 2))
    assert float(own[-1]["prefix_log2_prob"]) == pytest.approx(
        -sum(float(row["surprisal"]) for row in own), abs=1e-4
    )


@pytest.mark.parametrize(
    ("unknown", "scored"),
    [
        ("single", "one symbol <unk> for all of them, not their spelling"),
        ("spelling", "their spelling"),
    ],
)
def test_the_note_on_unknown_words_says_what_is_scored(
    bistro_here: Command, files: Path, here: Path, unknown: str, scored: str
) -> None:
    quick = ("--set", "sampler.sweeps=2", "--set", "sampler.samples=1", "--set")
    bistro_here("train", "ngram", files / "train.conllu", "-o", "a", *quick, f"unknown={unknown}")
    done = bistro_here("surprisal", "a", stdin=b"The zyzzyva glorps .\n")
    told = "2 of 4 words are unknown to the model (column oov): the model scores "
    assert done.err == f"{told}{scored}; unknown: 'zyzzyva', 'glorps'\n"


@pytest.mark.parametrize("kind", ["ngram", "transition"])
@pytest.mark.parametrize("unknown", ["classes", "spelling"])
def test_zero_width_characters_change_no_figure(
    bistro_here: Command, files: Path, here: Path, kind: str, unknown: str
) -> None:
    """Training, surprisal and perplexity agree about the words, with and without them."""
    clean = (files / "train.conllu").read_text()
    (here / "copied.conllu").write_text(clean.replace("\tdog\t", "\tdog\u200b\t"))
    quick = ("--set", "sampler.sweeps=2", "--set", "sampler.samples=1", "--set")
    for data, name in ((files / "train.conllu", "a"), ("copied.conllu", "b")):
        bistro_here("train", kind, data, "-o", name, *quick, f"unknown={unknown}")
    texts = {"clean": "The dog glorps .\nA cat .\n"}
    texts["copied"] = texts["clean"].replace("dog", "d\u200bog").replace("orps", "orps\ufeff")
    found = set()
    for text, content in texts.items():
        (here / text).write_text(content)
        for model in "ab":
            told = bistro_here("perplexity", model, text, "--json", "--input", "lines")
            figures = json.loads(told.out)
            assert ("zero-width" in told.err) == (text == "copied")
            table = bistro_here("surprisal", model, text, "--input", "lines").out
            bits = [float(line.split("\t")[4]) for line in table.splitlines()[1:]]
            assert sum(bits) == pytest.approx(-figures["log_prob"] / math.log(2), abs=1e-5)
            found.add((figures["log_prob"], figures["bits_per_char"], figures["oov_rate"]))
    assert len(found) == 1


def test_surprisal_of_stdin_numbers_the_sentences(bistro_here: Command, files: Path) -> None:
    text = b"The dog sees a zzyzx .\nA dog !\n"
    rows = rows_of(bistro_here("surprisal", files / "english.bistro", stdin=text).out)
    assert [row["sent_id"] for row in rows] == ["1"] * 7 + ["2"] * 4
    assert [row["token"] for row in rows if row["oov"] == "1"] == ["zzyzx"]
    rows = rows_of(bistro_here("surprisal", files / "english.bistro", "--no-eos", stdin=text).out)
    assert "</s>" not in [row["token"] for row in rows]


def test_surprisal_to_a_compressed_file(bistro_here: Command, files: Path, here: Path) -> None:
    arguments = ("surprisal", files / "english.bistro", files / "test.conllu")
    assert bistro_here(*arguments, "-o", "out.tsv.gz").out == ""
    written = gzip.decompress((here / "out.tsv.gz").read_bytes()).decode()
    assert written == bistro_here(*arguments).out


def test_surprisal_table_is_read_by_pandas(bistro_here: Command, files: Path, here: Path) -> None:
    import pandas as pd

    (here / "odd.txt").write_text('The "dog" said : # "\n')
    bistro_here("surprisal", files / "english.bistro", "odd.txt", "-o", "out.tsv")
    table = pd.read_csv("out.tsv", sep="\t")
    assert table.token.tolist() == ["The", '"dog"', "said", ":", "#", '"', "</s>"]
    assert table.surprisal.dtype == float


def test_a_tab_in_a_sentence_s_name_does_not_break_the_table(
    bistro_here: Command, files: Path
) -> None:
    named = b"# sent_id = a\tb\n1\tdog\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    done = bistro_here("surprisal", files / "english.bistro", "--input", "conllu", stdin=named)
    assert rows_of(done.out)[0]["sent_id"] == "a b"


# ---- generate and info -------------------------------------------------------------------------
def test_generate_follows_the_seed(bistro_here: Command, files: Path, here: Path) -> None:
    model = files / "english.bistro"
    ten = bistro_here("generate", model, "-n", 10, "--seed", 3).out
    assert ten.count("\n") == 10
    assert bistro_here("generate", model, "-n", 10, "--seed", 3).out == ten
    assert ten.startswith(bistro_here("generate", model, "-n", 4, "--seed", 3).out)
    assert bistro_here("generate", model, "-n", 10, "--seed", 4).out != ten
    bistro_here("generate", model, "-n", 10, "--seed", 3, "-o", "out.txt.gz")
    assert gzip.decompress((here / "out.txt.gz").read_bytes()).decode() == ten


def test_generated_text_can_be_scored(bistro_here: Command, files: Path) -> None:
    text = bistro_here("generate", files / "english.bistro", "-n", 50).out.encode()
    done = bistro_here("perplexity", files / "english.bistro", "--json", stdin=text)
    assert json.loads(done.out)["sentences"] == 50


def test_info(bistro_here: Command, files: Path) -> None:
    told = json.loads(bistro_here("info", files / "english.bistro", "--json").out)
    assert told["kind"] == "ngram"
    assert told["seed"] == 1
    assert told["treebank"]["name"] == "built-in English, seed 1"
    assert told["treebank"]["license"] == "MIT"
    assert told["config"]["order"] == told["summary"]["order"] == 3
    assert [row["sweep"] for row in told["trace"]] == list(range(1, 11))
    table = bistro_here("info", files / "english.bistro").out
    for phrase in ("config.sampler.seating", "gibbs", "treebank.words", "summary.n-grams"):
        assert phrase in table


# ---- the process -------------------------------------------------------------------------------
def test_a_reader_that_goes_away_is_no_error(files: Path) -> None:
    process = subprocess.Popen(
        [*PROGRAM, "generate", str(files / "english.bistro"), "-n", "20000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline()
    process.stdout.close()
    assert process.wait(60) == 1
    assert process.stderr.read() == b""
    process.stderr.close()


def test_words_a_terminal_cannot_show_do_not_stop_the_program(
    bistro_outside: Command, files: Path, here: Path
) -> None:
    (here / "ğ.txt").write_text("The dog .\n")
    narrow = {**ENVIRONMENT, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = bistro_outside("perplexity", files / "english.bistro", "ğ.txt", env=narrow)
    assert done.code == 0
    assert "\\u011f.txt" in done.out


def test_a_parser_sums_by_the_rule_of_the_paper(bistro_here: Command, here: Path) -> None:
    treebank = bistro.builtin(sentences=80, seed=1)
    own = {"score": {"method": "search", "particles": 30, "selection": "paper"}}
    sampler = {"sweeps": 2, "samples": 1}
    plain = bistro.train("transition", treebank, sampler=sampler)
    plain.save(here / "plain.bistro")
    bistro.train("transition", treebank, sampler=sampler, defaults=own).save(here / "own.bistro")
    text = b"The dog sleeps .\nThe old dog sees her .\n"
    search = ("--method", "search", "--particles", "30")
    asked = {
        "weight": ("plain.bistro", *search),
        "paper": ("plain.bistro", *search, "--selection", "paper"),
        "own": ("own.bistro",),
        "few tags": ("own.bistro", "--tags-per-word", "1"),
    }
    figures = {}
    for name, options in asked.items():
        done = bistro_here("perplexity", *options, "--json", stdin=text)
        assert done.code == 0, done.err
        figures[name] = json.loads(done.out)
    assert figures["own"]["perplexity"] == figures["paper"]["perplexity"]
    assert figures["paper"]["perplexity"] > figures["weight"]["perplexity"]
    assert figures["few tags"]["perplexity"] >= figures["own"]["perplexity"]
    assert figures["own"]["options"]["selection"] == "paper"
    done = bistro_here("surprisal", "plain.bistro", *search, "--selection", "paper", stdin=text)
    assert done.code == 0, done.err
    refused = bistro_here("perplexity", "plain.bistro", "--selection", "paper", stdin=text)
    assert refused.code == 2
    assert "--method search" in refused.err


def test_bytes_with_contexts_of_any_length(tmp_path: Path, bistro_here: Command) -> None:
    text, model = tmp_path / "text.txt", tmp_path / "bytes.bistro"
    text.write_text("the dog sleeps .\nthe cat sleeps .\n" * 20)
    as_bytes = ("train", "ngram", "--units", "bytes")
    assert bistro_here(*as_bytes, text, "-o", model).code == 0
    figures = json.loads(bistro_here("perplexity", model, text, "--json").out)
    assert figures["bits_per_byte"] < 1
    assert bistro_here("generate", model, "-n", 1, "--prefix", "the").out.startswith("the ")
    assert "order = 0" in bistro_here(*as_bytes, "--show-config").out
    assert "order = 3" in bistro_here(*as_bytes, "--set", "order=3", "--show-config").out
