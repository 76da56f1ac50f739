"""`surprisal`, `suite`, `explain`, `parse` with running text, as a user types it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bistro.models.pipeline.model import PipelineModel

from .program import Command

RUNNING, SPACED = "She's sure they don't.", "She 's sure they do n't ."
GARDEN, GARDEN_SPACED = (
    "The horse raced past the barn fell.",
    "The horse raced past the barn fell .",
)


@pytest.fixture(scope="module")
def pipeline(contracted: PipelineModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("running") / "english.bistro"
    contracted.save(path)
    return path


@pytest.fixture(scope="module")
def parser(contracted: PipelineModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("running") / "parser.bistro"
    contracted.layers["parser"].save(path)
    return path


def rows_of(out: str) -> list[dict[str, str]]:
    first, *rows = (line.split("\t") for line in out.splitlines())
    return [dict(zip(first, row, strict=True)) for row in rows]


def bits(rows: list[dict[str, str]]) -> list[float]:
    return [float(row["surprisal"]) for row in rows]


@pytest.mark.parametrize(("running", "spaced"), [(RUNNING, SPACED), (GARDEN, GARDEN_SPACED)])
def test_surprisal_is_the_same_however_a_sentence_is_given(
    bistro_here: Command, pipeline: Path, tmp_path: Path, running: str, spaced: str
) -> None:
    cells = {name: tmp_path / f"{name}.csv" for name in ("row", "chunks", "words")}
    cells["row"].write_text(f'item,text\n1,"{running}"\n')
    for name, text in (("chunks", running), ("words", spaced)):
        cells[name].write_text("item,text\n" + "".join(f"1,{c}\n" for c in text.split()))
    by_word = rows_of(
        bistro_here("surprisal", pipeline, "--input", "lines", stdin=spaced.encode()).out
    )
    assert [row["token"] for row in by_word] == [*spaced.split(), "</s>"]
    found = {
        "running": bistro_here("surprisal", pipeline, stdin=running.encode()),
        "spaced": bistro_here("surprisal", pipeline, stdin=spaced.encode()),
        "raw": bistro_here("surprisal", pipeline, "--input", "raw", stdin=running.encode()),
        "--words": bistro_here("surprisal", pipeline, "--words", stdin=running.encode()),
        "row": bistro_here("surprisal", pipeline, cells["row"], "--text", "text"),
        "alias": bistro_here(
            "surprisal", pipeline, cells["row"], "--text", "text", "--split-punct"
        ),
        **{
            name: bistro_here(
                "surprisal", pipeline, cells[name], "--text", "text", "--sentence", "item"
            )
            for name in ("chunks", "words")
        },
    }
    for name, done in found.items():
        assert done.code == 0, name
        rows = rows_of(done.out)
        assert sum(bits(rows)) == pytest.approx(sum(bits(by_word)), abs=1e-4), name
        assert rows[-1]["surprisal"] == by_word[-1]["surprisal"]
        assert "words are scored by a part of the pipeline: transition model" in done.err
    assert bits(rows_of(found["words"].out)) == bits(by_word)
    assert bits(rows_of(found["--words"].out)) == bits(by_word)
    assert bits(rows_of(found["spaced"].out)) == bits(by_word)
    last = rows_of(found["chunks"].out)[-2]
    size = 3 if running == RUNNING else 2
    assert last["token"] == running.split()[-1] and "-" in last["word_id"]
    assert float(last["surprisal"]) == pytest.approx(sum(bits(by_word)[-1 - size : -1]), abs=1e-5)


def test_a_line_is_one_sentence_and_raw_text_has_several(
    bistro_here: Command, pipeline: Path
) -> None:
    text = b"The dog sleeps. She's here.\n\nHe's here.\n"
    lines = rows_of(bistro_here("surprisal", pipeline, stdin=text).out)
    assert [row["sent_id"] for row in lines if row["token"] == "</s>"] == ["1", "2"]
    raw = rows_of(bistro_here("surprisal", pipeline, "--input", "raw", stdin=text).out)
    assert [row["sent_id"] for row in raw if row["token"] == "</s>"] == ["1", "2", "3"]
    assert [row["token"] for row in raw][5:9] == ["She's", "here", ".", "</s>"]


def test_words_between_spaces_on_request(bistro_here: Command, pipeline: Path) -> None:
    for options in (("--no-split-punct",), ("--input", "lines")):
        done = bistro_here("surprisal", pipeline, *options, stdin=RUNNING.encode())
        assert [row["token"] for row in rows_of(done.out)][:-1] == RUNNING.split()
        assert "looks like running text, with words such as" in done.err
        assert "this model finds words and sentences" in done.err


def test_the_words_of_a_plain_model_are_split_on_request(
    bistro_here: Command, parser: Path
) -> None:
    done = bistro_here("surprisal", parser, "--split-punct", stdin=GARDEN.encode())
    assert done.err == (
        "3 of 8 words are unknown to the model (column oov): the model scores their class, not "
        "their spelling; unknown: 'horse', 'raced', 'past'\n"
    )
    assert [row["token"] for row in rows_of(done.out)][:-1] == GARDEN_SPACED.split()
    known = b"1\tIt" + b"\t_" * 8 + b"\n\n"
    done = bistro_here("surprisal", parser, "--split-punct", "--input", "conllu", stdin=known)
    assert done.code == 2 and "is already split into words" in done.err


def test_a_suite_and_an_explanation(bistro_here: Command, pipeline: Path, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text(f"good,bad\n{RUNNING},They's sure she don't.\n")
    (tmp_path / "two.csv").write_text(f"good,bad\n{SPACED},They 's sure she do n't .\n")
    one, two = (
        bistro_here("suite", pipeline, tmp_path / name, "--by", "region").out
        for name in ("one.csv", "two.csv")
    )
    assert [line.split("\t")[3:] for line in one.splitlines()] == [
        line.split("\t")[3:] for line in two.splitlines()
    ]
    told = [bistro_here("explain", pipeline, text).out for text in (RUNNING, SPACED)]
    assert told[0] == told[1] and "n't" in told[0]


@pytest.mark.parametrize("command", ["parse", "tag", "surprisal", "perplexity"])
def test_text_that_is_not_cut_is_warned_about(
    bistro_here: Command, parser: Path, command: str
) -> None:
    text = '"I left on Monday," she said.\nThe dog sleeps.\n'
    done = bistro_here(command, parser, stdin=text.encode())
    assert done.code == 0
    assert (
        "<stdin>: this looks like running text, with words such as 'Monday,\"' and 'said.'; words "
        "are split at spaces only. --"
    ) in done.err
    remedy = "--split-punct splits" if command == "surprisal" else "--input raw splits"
    assert f"{remedy} punctuation from words" in done.err
    assert "a pipeline (bistro train pipeline) finds words" in done.err
    for fine in ("The dog sleeps .\nMr. Smith came to the U.S. .\n", "No\nYes\nSaid .\n"):
        assert "running text" not in bistro_here(command, parser, stdin=fine.encode()).err


def test_lines_of_words_for_a_pipeline(bistro_here: Command, pipeline: Path) -> None:
    done = bistro_here("parse", pipeline, "--input", "lines", stdin=SPACED.encode())
    assert done.code == 0 and "\n5\tdo\tdo\tAUX" in done.out
    assert done.out.startswith(f"# sent_id = 1\n# text = {SPACED}\n")


def test_what_the_layers_can_do_in_other_commands(bistro_here: Command, pipeline: Path) -> None:
    assert bistro_here("generate", pipeline, "-n", "2").out.count("\n") == 2
    spaced = bistro_here("perplexity", pipeline, "--json", stdin=SPACED.encode())
    running = bistro_here(
        "perplexity", pipeline, "--json", "--input", "raw", stdin=RUNNING.encode()
    )
    assert spaced.code == 0 and spaced.out == running.out
    tagged = bistro_here("tag", pipeline, "--input", "raw", stdin=RUNNING.encode())
    assert "1-2\tShe's" in tagged.out and "\n6\tn't\t_\tPART" in tagged.out
    empty = bistro_here("tag", pipeline, "--input", "raw", stdin=b" ")
    assert empty.code == 2 and "the file is empty" in empty.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"Caf\xe9\n", "<stdin>:1: the file is not valid UTF-8 (byte 0xE9"),
        (b"a\nb\0c\n", "<stdin>:2: the file contains a NUL character"),
        (b" \n\t\n", "<stdin>: the file is empty"),
    ],
)
def test_bad_running_text(bistro_here: Command, pipeline: Path, text: bytes, says: str) -> None:
    done = bistro_here("surprisal", pipeline, "--input", "raw", stdin=text)
    assert (done.code, done.out) == (2, "") and says in done.err
