"""A reader on the command line: one file that answers whatever asks for probabilities of words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bistro
from bistro.treebank.treebank import write

from .program import Command

SHORT = "sampler.sweeps=3 sampler.samples=2"
MEMBERS = f'members=["ngram order=3 {SHORT}", "transition {SHORT}"]'


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory, files: Path) -> Path:
    path = tmp_path_factory.mktemp("reader") / "reader.bistro"
    members = [f"ngram order=3 {SHORT}", f"transition {SHORT}"]
    treebank, dev = bistro.read(files / "train.conllu"), bistro.read(files / "test.conllu")
    bistro.train("reader", treebank, dev=dev, seed=1, members=members).save(path)
    return path


def test_a_reader_is_trained_in_one_command(
    bistro_here: Command, here: Path, files: Path, reader: Path
) -> None:
    data = (files / "train.conllu", "--dev", files / "test.conllu")
    done = bistro_here("train", "reader", *data, "--set", MEMBERS, "-o", "r.bistro")
    assert done.code == 0, done.err
    assert "mixture of ngram 0." in done.err and "learning transition" in done.err
    assert Path("r.bistro").read_bytes() == reader.read_bytes()
    shown = bistro_here("info", "r.bistro")
    assert "ngram, transition" in shown.out


def test_a_reader_answers_like_any_other_model(
    bistro_here: Command, here: Path, files: Path, reader: Path
) -> None:
    test = files / "test.conllu"
    figures = json.loads(bistro_here("perplexity", reader, test, "--json").out)
    assert figures["perplexity"] > 1 and figures["options"]["particles"] == 100
    table = bistro_here("surprisal", reader, "--particles", "20", stdin=b"The dog sleeps .\n").out
    assert len(table.splitlines()) == 6 and "mc_se" in table
    drawn = bistro_here("generate", reader, "-n", "2", "--seed", "1").out
    assert len(drawn.splitlines()) == 2
    suite = bistro_here("suite", reader, "garden-path", "--particles", "10", "--repeats", "2")
    assert suite.code == 0 and "garden-path" in suite.out
    refused = bistro_here("perplexity", reader, test, "--method", "search")
    assert refused.code != 0 and "method = 'search' is not valid" in refused.err


def test_an_explanation_tells_who_said_what(bistro_here: Command, here: Path, reader: Path) -> None:
    whole = bistro_here("explain", reader, "The dog sleeps .").out
    assert "ngram, whose p =" in whole or "transition, whose p =" in whole
    table = bistro_here("explain", reader, "The dog sleeps .", "--word", "2").out
    assert "share" in table and "weight" in table and "transition" in table
    rows = bistro_here("explain", reader, "The dog sleeps .", "--format", "tsv").out.splitlines()
    assert len(rows) == 1 + 5 * 2
    own = bistro_here("explain", reader, "The dog sleeps .", "--member", "ngram")
    assert own.code == 0 and "Member ngram of the reader" in own.err


# ---- memory ------------------------------------------------------------------------------------


@pytest.fixture
def story(here: Path, files: Path) -> Path:
    """Two documents with the same sentences."""
    sentences = list(bistro.read(files / "test.conllu"))[:6]
    first = sentences[0].replace(comments=[*sentences[0].comments, "# newdoc id = a"])
    write([first, *sentences[1:], first, *sentences[1:]], here / "story.conllu")
    return here / "story.conllu"


def surprisals(table: str) -> list[float]:
    head, *rows = (line.split("\t") for line in table.splitlines())
    return [float(row[head.index("surprisal")]) for row in rows]


def test_a_reader_remembers_the_document(bistro_here: Command, story: Path, reader: Path) -> None:
    quick = ("--particles", "20")
    done = bistro_here("surprisal", reader, story, "--memory", *quick)
    protocol = "memory of the last 300 words of the document"
    assert done.code == 0 and f"scored with a {protocol}; 2 documents" in done.err
    values = surprisals(done.out)
    half = len(values) // 2
    assert values[:half] == values[half:]
    alone = surprisals(bistro_here("surprisal", reader, story, *quick).out)
    assert values[0] == alone[0] and values != alone
    figures = json.loads(bistro_here("perplexity", reader, story, "--memory", "--json").out)
    assert figures["memory"] == protocol
    shown = bistro_here("perplexity", reader, story, "--memory")
    assert "2 documents" in shown.err and "perplexity" in shown.out
    text = b"The dog sleeps .\nThe dog sleeps .\n"
    again = surprisals(bistro_here("surprisal", reader, "--memory", *quick, stdin=text).out)
    assert sum(again[5:]) < sum(again[:5])


def test_documents_of_a_table_are_named(bistro_here: Command, here: Path, reader: Path) -> None:
    words = ["The", "dog", "sleeps", "."]
    rows = [f"{story},{n},{word}" for story in "ab" for n in "12" for word in words]
    Path("words.csv").write_text("story,n,word\n" + "\n".join(rows) + "\n")
    words_of = ("--text", "word", "--sentence", "story", "--sentence", "n")
    table = ("surprisal", reader, "words.csv", *words_of, "--particles", "20")
    values = surprisals(bistro_here(*table, "--memory", "--document", "story").out)
    assert values[:10] == values[10:] and sum(values[5:10]) < sum(values[:5])
    Path("lines.csv").write_text("story,text\na,The dog sleeps .\na,The dog sleeps .\n")
    lines = ("surprisal", reader, "lines.csv", "--text", "text", "--particles", "20")
    assert surprisals(bistro_here(*lines, "--memory", "--document", "story").out) == values[:10]
    for options, said in (
        (("--memory",), "name the columns that tell them apart with --document COLUMN"),
        (("--document", "story"), "add --memory"),
        (("--memory", "--document", "word"), "sentence a.1 belongs to several documents"),
        (("--memory", "--document", "n"), "document '1' are not adjacent"),
        (("--memory", "--document", "stroy"), "did you mean 'story'"),
    ):
        refused = bistro_here(*table, *options)
        assert refused.code == 2 and said in refused.err and not refused.out


def test_models_without_memory_say_what_to_do(
    bistro_here: Command, story: Path, files: Path, reader: Path
) -> None:
    english = files / "english.bistro"
    for command in ("surprisal", "perplexity"):
        refused = bistro_here(command, english, story, "--memory")
        assert refused.code == 2 and "train a reader" in refused.err
        mixed = (reader, "--with", english, "--weights", "0.5,0.5", story, "--memory")
        refused = bistro_here(command, *mixed)
        assert refused.code == 2 and "leave out --with" in refused.err
    refused = bistro_here("surprisal", reader, story, "--memory", "--document", "x")
    assert refused.code == 2 and "--document is for tables" in refused.err


def test_stories_have_reading_times(
    bistro_here: Command, here: Path, files: Path, reader: Path
) -> None:
    sentences = list(bistro.read(files / "test.conllu"))[:20]
    rows = [
        f"{participant},{number // 5},{number},{word},{300 + 7 * len(word) + 3 * participant}"
        for participant in (1, 2)
        for number, sentence in enumerate(sentences)
        for word in sentence.forms
        if "," not in word and '"' not in word
    ]
    Path("times.csv").write_text("participant,story,item,word,rt\n" + "\n".join(rows) + "\n")
    command = ("reading-times", "times.csv", reader, "--particles", "20", "--no-split-punct")
    done = bistro_here(*command, "--document", "story", "--table", "rows.tsv")
    assert done.code == 0 and "; 4 documents" in done.err, done.err
    assert "story" in Path("rows.tsv").read_text().splitlines()[0]
    assert bistro_here(*command).out != done.out
    refused = bistro_here("reading-times", "times.csv", files / "english.bistro", "--document", "x")
    assert refused.code == 2 and "no column 'x'" in refused.err
    english = files / "english.bistro"
    refused = bistro_here("reading-times", "times.csv", english, "--document", "story")
    assert refused.code == 2 and "train a reader" in refused.err
