"""`bistro parse` as a user types it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import bistro
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import Treebank, read, write

from .program import RARE, Command

QUICK = {"sampler": {"sweeps": 6, "samples": 2}}


@pytest.fixture(scope="session")
def parsers(tmp_path_factory: pytest.TempPathFactory, english: Treebank) -> Path:
    """A folder with a labelled and an unlabelled parser."""
    folder = tmp_path_factory.mktemp("parsers")
    bistro.train("transition", english[:200], seed=1, **QUICK).save(folder / "full.bistro")
    plain = bistro.train("transition", english[:100], seed=1, labels="none", **QUICK)
    plain.save(folder / "plain.bistro")
    return folder


def columns(line: str) -> list[str]:
    return line.split("\t")


def test_text_in_trees_out(bistro_here: Command, parsers: Path) -> None:
    done = bistro_here("parse", parsers / "full.bistro", stdin=b"The dog sleeps .\n\nIt rains .\n")
    assert done.code == 0
    first, second, rest = done.out.split("\n\n")
    assert rest == ""
    assert first.startswith("# sent_id = 1\n# text = The dog sleeps .\n# log_prob = -")
    assert [columns(line)[6] for line in first.split("\n")[4:]] == ["2", "3", "0", "3"]
    assert "# parse_rank = 1" in second
    assert re.fullmatch(
        r"2 sentences, 7 words, [\d,]+ words/s; transition, tags joint, particles [\d,]+ "
        r"by weight, soft tag dictionary 0\.3, temperature 2, minimum risk\n",
        done.err,
    )


def test_tag_dictionaries(bistro_here: Command, parsers: Path) -> None:
    def parsed(*options: object) -> str:
        done = bistro_here("parse", parsers / "full.bistro", *options, stdin=b"The dog sleeps .\n")
        return str(done.err)

    assert "soft tag dictionary 0.2," in parsed("--unseen-tags", 0.2)
    assert "hard tag dictionary," in parsed("--tag-dictionary", "hard")
    assert "dictionary" not in parsed("--tags", "given", "--tag-dictionary", "none")
    assert "did you mean 'none'" in parsed("--tag-dictionary", "nonne")
    assert "must lie strictly between 0 and 1" in parsed("--unseen-tags", 1)


def test_running_text_is_split_if_asked(bistro_here: Command, parsers: Path) -> None:
    text = b"The dog sleeps. It rains.\n"
    done = bistro_here("parse", parsers / "full.bistro", "--input", "raw", stdin=text)
    first, second, _ = done.out.split("\n\n")
    assert "# text = The dog sleeps.\n" in first
    assert [columns(line)[1] for line in second.split("\n")[4:]] == ["It", "rains", "."]
    assert columns(second.split("\n")[5])[9] == "SpaceAfter=No"


def test_everything_else_is_kept_in_order(
    bistro_here: Command, parsers: Path, files: Path, here: Path
) -> None:
    done = bistro_here("parse", parsers / "full.bistro", files / "test.conllu", "-o", "out.conllu")
    assert (done.code, done.out) == (0, "")
    before, after = read(files / "test.conllu"), read("out.conllu")
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        restored = new.replace(
            heads=old.heads, deprels=old.deprels, upos=old.upos, comments=old.comments
        )
        assert str(restored) == str(old)
    scores = json.loads(bistro_here("evaluate", files / "test.conllu", "out.conllu", "--json").out)
    assert scores["uas"] > 80


def test_multiword_tokens_empty_nodes_and_misc(bistro_here: Command, parsers: Path) -> None:
    done = bistro_here("parse", parsers / "full.bistro", "--marginals", stdin=RARE.encode())
    lines = done.out.split("\n")
    assert [columns(line)[0] for line in lines[4:-2]] == ["1-2", "1", "2", "3", "3.1", "4"]
    assert lines[4] == RARE.split("\n")[2]
    assert lines[8] == RARE.split("\n")[6]
    form = r"PHead=[01]\.\d{4}\|PDeprel=[01]\.\d{4}\|PUpos=[01]\.\d{4}"
    assert re.fullmatch(rf"A=1\|{form}", columns(lines[5])[9])
    assert re.fullmatch(rf"SpaceAfter=No\|{form}", columns(lines[7])[9])
    assert "DEPS" not in done.err


def test_kept_graphs_are_mentioned(bistro_here: Command, parsers: Path) -> None:
    graph = RARE.replace("_\tSpaceAfter=No", "0:root\tSpaceAfter=No")
    done = bistro_here("parse", parsers / "full.bistro", stdin=graph.encode())
    assert "\t0:root\tSpaceAfter=No" in done.out
    assert "enhanced graphs (DEPS) of 1 sentence kept as given" in done.err


def test_k_best_and_samples(bistro_here: Command, parsers: Path, files: Path, here: Path) -> None:
    for option in ("--kbest", "--samples"):
        done = bistro_here(
            "parse", parsers / "full.bistro", files / "test.conllu", option, 4, "-o", "k.conllu"
        )
        assert done.code == 0
        found = read("k.conllu")
        name = "parse_rank" if option == "--kbest" else "sample"
        ids = [s.sent_id for s in read(files / "test.conllu")]
        assert list(dict.fromkeys(s.sent_id for s in found)) == ids
        for sent_id in ids:
            mine = [s for s in found if s.sent_id == sent_id]
            assert [s.metadata[name] for s in mine] == [str(i + 1) for i in range(len(mine))]
            assert len(mine) == 4 or option == "--kbest"


def test_seed_and_threads(bistro_here: Command, parsers: Path, files: Path) -> None:
    def out(*options: object) -> str:
        arguments = (parsers / "full.bistro", files / "test.conllu", "--samples", 2, *options)
        return bistro_here("parse", *arguments).out

    assert out("--seed", 3, "--threads", 1) == out("--seed", 3, "--threads", 3)
    assert out("--seed", 3) != out("--seed", 4)


def test_conllx_stays_and_has_no_place_for_probabilities(
    bistro_here: Command, parsers: Path, files: Path, here: Path
) -> None:
    assert bistro_here("convert", files / "test.conllu", "-o", "test.conll").code == 0
    done = bistro_here("parse", parsers / "full.bistro", "test.conll", "-o", "out.conll")
    assert done.code == 0
    assert "#" not in Path("out.conll").read_text()
    assert [s.forms for s in read("out.conll")] == [s.forms for s in read("test.conll")]
    refused = bistro_here(
        "parse", parsers / "full.bistro", "test.conll", "--marginals", "-o", "no.conll"
    )
    assert refused.code == 2
    assert "CoNLL-X has no column" in refused.err
    assert not Path("no.conll").exists()


def test_a_model_without_labels(
    bistro_here: Command, parsers: Path, files: Path, here: Path
) -> None:
    done = bistro_here(
        "parse", parsers / "plain.bistro", files / "test.conllu", "--marginals", "-o", "p.conllu"
    )
    assert done.code == 0
    assert {label for s in read("p.conllu") for label in s.deprels} == {"_"}
    assert "PDeprel" not in Path("p.conllu").read_text()
    told = bistro_here(
        "evaluate", files / "test.conllu", "p.conllu", "--calibration", "--by-length"
    )
    assert told.code == 0
    assert "n/a (no labels)" in told.out
    assert "PHead" in told.out


def test_unknown_and_missing_tags(bistro_here: Command, parsers: Path) -> None:
    strange = RARE.replace("\tAUX\t", "\tGLORP\t").replace("\tPART\t", "\t_\t")
    done = bistro_here("parse", parsers / "full.bistro", "--tags", "given", stdin=strange.encode())
    rows = [columns(line) for line in done.out.split("\n") if line[:1].isdigit()]
    assert rows[1][3] == "GLORP"
    assert rows[2][3] not in ("_", "GLORP")
    assert "1 given tags unknown to the model, so not used" in done.err
    assert "1 word without a tag" in done.err


def with_heads(*heads: str) -> str:
    lines = RARE.split("\n")
    words = [i for i, line in enumerate(lines) if columns(line)[0].isdigit()]
    for i, head in zip(words, heads, strict=True):
        cells = columns(lines[i])
        lines[i] = "\t".join([*cells[:6], head, *cells[7:]])
    return "\n".join(lines)


def heads_of(out: str) -> list[str]:
    return [columns(line)[6] for line in out.split("\n") if re.match(r"\d+\t", line)]


def test_given_heads_are_kept(bistro_here: Command, parsers: Path) -> None:
    given = with_heads("_", "1", "_", "2")
    done = bistro_here("parse", parsers / "full.bistro", "--partial", stdin=given.encode())
    found = heads_of(done.out)
    assert (found[1], found[3]) == ("1", "2")
    assert "not used" not in done.err


@pytest.mark.parametrize("heads", [("3", "4", "_", "_"), ("0", "_", "_", "0")])
def test_heads_that_no_tree_can_have(
    bistro_here: Command, parsers: Path, heads: tuple[str, ...]
) -> None:
    both = (with_heads(*heads) + RARE).encode()
    done = bistro_here("parse", parsers / "full.bistro", "--partial", stdin=both)
    assert done.code == 0
    assert len(heads_of(done.out)) == 8
    assert "given heads not used in 1 sentence" in done.err
    assert "(first at <stdin>:1)" in done.err


@pytest.mark.parametrize(
    ("text", "arguments", "told"),
    [
        (with_heads("2", "1", "0", "3"), ("--partial",), "heads of each other in a circle"),
        ("# only a comment\n\n", (), "a sentence without words"),
        ("", (), "the file is empty"),
        (RARE, ("--tags", "gold"), "--tags must be 'joint' or 'given'"),
        (RARE, ("--kbest", "2", "--samples", "2"), "give only one of them"),
        (RARE, ("--beam", "4", "--greedy"), "choose one"),
        (RARE, ("--particles", "0"), "--particles"),
        (RARE, ("--input", "conlu"), "did you mean 'conllu'"),
    ],
)
def test_errors_are_one_sentence(
    bistro_here: Command,
    parsers: Path,
    here: Path,
    text: str,
    arguments: tuple[str, ...],
    told: str,
) -> None:
    done = bistro_here(
        "parse", parsers / "full.bistro", "-o", "no.conllu", *arguments, stdin=text.encode()
    )
    assert done.code == 2
    assert told in done.err
    assert done.err.count("\n") == 1
    assert not list(here.iterdir())


def test_models_that_cannot_parse_say_so(bistro_here: Command, files: Path) -> None:
    done = bistro_here("parse", files / "english.bistro", stdin=b"It rains .\n")
    assert (done.code, done.out) == (2, "")
    assert "an ngram model cannot parse; use a transition" in done.err


@pytest.mark.parametrize(
    "options", [(), ("--beam", "8"), ("--greedy",), ("--one-reduce", "--ranking", "derivations")]
)
def test_one_word_and_a_thousand(
    bistro_here: Command, parsers: Path, options: tuple[str, ...]
) -> None:
    text = "Yes\n" + "dog " * 1000 + "\nIt rains .\n"
    done = bistro_here("parse", parsers / "full.bistro", *options, stdin=text.encode())
    assert done.code == 0
    assert len(heads_of(done.out)) == 1 + 1000 + 3
    assert done.err.startswith("3 sentences, 1,004 words")


def test_reading_and_writing_go_side_by_side(
    bistro_here: Command, parsers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Output begins before the input has ended, so a file of any size can pass."""
    from bistro.models.parsing import parser
    from bistro.treebank import treebank

    monkeypatch.setattr(parser, "SENTENCES_AT_ONCE", 2)
    events = []
    iter_sentences, encoded = treebank.iter_sentences, treebank.encoded

    def reading(*arguments: Any, **options: Any) -> Iterator[Sentence]:
        for sentence in iter_sentences(*arguments, **options):
            events.append("read")
            yield sentence

    def writing(sentences: Iterable[Sentence]) -> Iterator[bytes]:
        for piece in encoded(sentences):
            events.append("written")
            yield piece

    monkeypatch.setattr(treebank, "iter_sentences", reading)
    monkeypatch.setattr(treebank, "encoded", writing)
    done = bistro_here("parse", parsers / "full.bistro", "--no-mbr", stdin=b"It rains .\n" * 8)
    assert done.code == 0
    assert events.index("written") == 2
    assert events.count("written") == 8


def test_written_files_can_be_parsed_again(
    bistro_here: Command, parsers: Path, files: Path, here: Path
) -> None:
    write(read(files / "test.conllu"), "0.conllu")
    for step in range(2):
        arguments = (f"{step}.conllu", "--marginals", "-o", f"{step + 1}.conllu")
        assert bistro_here("parse", parsers / "full.bistro", *arguments).code == 0
    assert Path("1.conllu").read_bytes() == Path("2.conllu").read_bytes()


def test_calibration_and_its_picture(
    bistro_here: Command, parsers: Path, files: Path, here: Path
) -> None:
    gold = files / "test.conllu"
    bistro_here("parse", parsers / "full.bistro", gold, "--marginals", "-o", "m.conllu")
    done = bistro_here(
        "evaluate", gold, "m.conllu", "--calibration", "--by-length", "--json", "--plot", "r.svg"
    )
    figures = json.loads(done.out)
    assert set(figures["calibration"]) == {"protocol", "PHead", "PDeprel", "PUpos"}
    assert figures["calibration"]["PHead"]["accuracy"] == pytest.approx(figures["uas"] / 100)
    assert figures["by_length"]["all_words"][0]["length"] == "to root"
    assert Path("r.svg").read_text().startswith("<svg")
    assert bistro_here("evaluate", gold, "m.conllu", "--calibration", "--plot", "r.html").code == 0
    assert "<svg" in Path("r.html").read_text()
    for wrong in (("--plot", "r.svg"), ("--calibration", "--plot", "r.png")):
        assert bistro_here("evaluate", gold, "m.conllu", *wrong).code == 2
    assert "--marginals" in bistro_here("evaluate", gold, gold, "--calibration").err
