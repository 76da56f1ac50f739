"""`bistro tag` as a user types it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import bistro
from bistro.treebank.treebank import Treebank, read

from .program import RARE, Command

QUICK = {"sampler": {"sweeps": 6, "samples": 2}}
MODELS = ("tagger.bistro", "parser.bistro")


@pytest.fixture(scope="session")
def taggers(tmp_path_factory: pytest.TempPathFactory, english: Treebank) -> Path:
    """A folder with a tagger, and a parser, which tags as well."""
    folder = tmp_path_factory.mktemp("taggers")
    bistro.train("tags", english[:300], seed=1).save(folder / "tagger.bistro")
    bistro.train("transition", english[:200], seed=1, **QUICK).save(folder / "parser.bistro")
    return folder


def tags_in(out: str) -> list[str]:
    return [line.split("\t")[3] for line in out.split("\n") if line[:1].isdigit()]


def test_a_parser_tags(bistro_here: Command, taggers: Path) -> None:
    done = bistro_here("tag", taggers / "parser.bistro", stdin=b"The dog sleeps .\n")
    assert done.code == 0
    assert done.out.startswith("# sent_id = 1\n# text = The dog sleeps .\n1\tThe\t")
    assert tags_in(done.out) == ["DET", "NOUN", "VERB", "PUNCT"]
    assert re.fullmatch(
        r"1 sentence, 4 words, [\d,]+ words/s; transition, tags joint, .*minimum risk\n", done.err
    )


@pytest.mark.parametrize("mode", ["hard", "none"])
def test_a_parser_takes_a_tag_dictionary(bistro_here: Command, taggers: Path, mode: str) -> None:
    given = ("tag", taggers / "parser.bistro", "--tag-dictionary", mode)
    done = bistro_here(*given, stdin=b"The dog sleeps .\n")
    assert done.code == 0
    assert f"{mode} tag dictionary" in done.err


def test_a_tagger_has_no_such_option(bistro_here: Command, taggers: Path) -> None:
    given = ("tag", taggers / "tagger.bistro", "--tag-dictionary", "hard")
    done = bistro_here(*given, stdin=b"The dog sleeps .\n")
    assert done.code == 2
    assert "a tags model has no option 'tag_dictionary'" in done.err


def test_a_parser_searches_in_its_own_way(bistro_here: Command, taggers: Path) -> None:
    done = bistro_here("tag", taggers / "parser.bistro", "--beam", 3, stdin=b"It rains .\n")
    assert done.code == 2
    assert "by its own search: leave out --beam" in done.err


def test_a_language_model_cannot_tag(bistro_here: Command, files: Path) -> None:
    done = bistro_here("tag", files / "english.bistro", stdin=b"It rains .\n")
    assert done.code == 2
    able = "transition, committee, eisner, isbn or tags"
    assert done.err == f"bistro: an ngram model cannot tag; use a {able} model\n"


@pytest.mark.parametrize("name", MODELS)
def test_only_the_tags_are_new(
    bistro_here: Command, taggers: Path, files: Path, here: Path, name: str
) -> None:
    done = bistro_here("tag", taggers / name, files / "test.conllu", "-o", "out.conllu")
    assert (done.code, done.out) == (0, "")
    before, after = read(files / "test.conllu"), read("out.conllu")
    for old, new in zip(before, after, strict=True):
        assert str(new.replace(upos=old.upos)) == str(old)
    scores = json.loads(bistro_here("evaluate", files / "test.conllu", "out.conllu", "--json").out)
    assert scores["upos"] > 90
    assert 0 < scores["upos_sentences"] <= scores["upos"]


@pytest.mark.parametrize("name", MODELS)
def test_probabilities_of_tags(bistro_here: Command, taggers: Path, name: str) -> None:
    done = bistro_here("tag", taggers / name, "--marginals", stdin=RARE.encode())
    rows = [line.split("\t") for line in done.out.split("\n")[2:-2]]
    assert [row[0] for row in rows] == ["1-2", "1", "2", "3", "3.1", "4"]
    assert [rows[i] for i in (0, 4)] == [RARE.split("\n")[i].split("\t") for i in (2, 6)]
    assert re.fullmatch(r"A=1\|PUpos=[01]\.\d{4}", rows[1][9])
    assert re.fullmatch(r"SpaceAfter=No\|PUpos=[01]\.\d{4}", rows[3][9])


@pytest.mark.parametrize("name", MODELS)
def test_conllx_stays_and_has_no_place_for_probabilities(
    bistro_here: Command, taggers: Path, files: Path, here: Path, name: str
) -> None:
    assert bistro_here("convert", files / "test.conllu", "-o", "test.conll").code == 0
    assert bistro_here("tag", taggers / name, "test.conll", "-o", "out.conll").code == 0
    before, after = read("test.conll"), read("out.conll")
    assert [str(s.replace(upos=t.upos)) for s, t in zip(after, before, strict=True)] == [
        str(s) for s in before
    ]
    done = bistro_here("tag", taggers / name, "test.conll", "--marginals", "-o", "out.conll")
    assert done.code == 2
    assert "CoNLL-X has no column" in done.err
    assert [str(s) for s in read("out.conll")] == [str(s) for s in after]


def test_trained_on_the_command_line(bistro_here: Command, files: Path, here: Path) -> None:
    assert bistro_here("train", "tags", files / "train.conllu", "-o", "t.bistro").code == 0
    done = bistro_here("tag", "t.bistro", files / "test.txt", "--marginals")
    assert done.code == 0
    assert "# text = " in done.out and "PUpos=" in done.out
    assert re.search(r"words/s; tags, beam 16, minimum risk\n", done.err)
    assert "tags" in bistro_here("info", "t.bistro").out


@pytest.mark.parametrize("search", ["beam", "viterbi", "mcmc", "hmm", "astar-literal"])
def test_every_search_tags(bistro_here: Command, taggers: Path, search: str) -> None:
    options = ("--search", search, "--samples", 200, "--beam", 4)
    done = bistro_here("tag", taggers / "tagger.bistro", *options, stdin=b"The dog sleeps .\n")
    assert tags_in(done.out) == ["DET", "NOUN", "VERB", "PUNCT"]
    assert search in done.err


def test_the_likeliest_sequence(bistro_here: Command, taggers: Path) -> None:
    done = bistro_here("tag", taggers / "tagger.bistro", "--no-mbr", stdin=b"The dog sleeps .\n")
    assert tags_in(done.out) == ["DET", "NOUN", "VERB", "PUNCT"]
    assert "most probable tags" in done.err


def test_seed_and_threads(bistro_here: Command, taggers: Path, files: Path) -> None:
    def out(*options: object) -> str:
        arguments = ("--search", "mcmc", "--samples", 20, "--marginals", *options)
        return bistro_here("tag", taggers / "tagger.bistro", files / "test.conllu", *arguments).out

    assert out("--seed", 3, "--threads", 1) == out("--seed", 3, "--threads", 3)
    assert out("--seed", 3) != out("--seed", 4)


def test_what_cannot_be_tagged_or_learned(
    bistro_here: Command, taggers: Path, files: Path, here: Path
) -> None:
    tagger = taggers / "tagger.bistro"
    train = ("train", "tags", "-o", "t.bistro")
    done = bistro_here("tag", tagger, "--search", "vitrebi", stdin=b"It rains .\n")
    assert (done.code, done.out) == (2, "")
    assert "did you mean 'viterbi'?" in done.err
    done = bistro_here(*train, files / "train.txt")
    assert done.code == 2
    assert re.search(r"train.txt:1: word 1 \('.*'\) of this sentence has no upos tag", done.err)
    Path("half.conllu").write_text(RARE.replace("VERB\tVB", "_\tVB"))
    done = bistro_here(*train, "half.conllu")
    assert (done.code, "half.conllu:1: word 3 ('sleep')" in done.err) == (2, True)
    assert bistro_here(*train, "half.conllu", "--set", "tagset=xpos").code == 0
    done = bistro_here("tag", "t.bistro", stdin=RARE.replace("VBP", "X").encode())
    assert done.code == 0 and "\tAUX\tVBP\t" in done.out
    done = bistro_here(*train, "half.conllu", "--set", "tagset=pos")
    assert done.code == 2 and "tagset" in done.err
