"""`bistro convert` as a user types it."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bistro.cli.main import main

CONLLU = """\
# sent_id = 1
# text = don't go home
1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tdo\tdo\tAUX\tVBP\tMood=Ind\t3\taux\t3:aux\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
3\tgo\tgo\tVERB\tVB\t_\t0\troot\t0:root\t_
3.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t0:root\t_
4\thome\thome\tADV\tRB\t_\t3\tadvmod\t_\tSpaceAfter=No

"""
CONLLX = """\
1\tdo\tdo\tAUX\tVBP\tMood=Ind\t3\taux\t_\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_
4\thome\thome\tADV\tRB\t_\t3\tadvmod\t_\t_

"""
# Word 2 hangs on word 4, over the root at word 3.
CROSSING = """\
1\ta\t_\tX\t_\t_\t3\tdet\t_\t_
2\tb\t_\tX\t_\t_\t4\tobj\t_\t_
3\tc\t_\tX\t_\t_\t0\troot\t_\t_
4\td\t_\tX\t_\t_\t3\tcase\t_\t_

"""
TWO_ROOTS = "1\ta\t_\tN\tN\t_\t0\tr\t_\t_\n2\tb\t_\tN\tN\t_\t0\tr\t1\tp\n\n"
BRACKETS = "( (S (NN time)\n  (VBZ flies)) )\n\n(X (Y z))"


class Result(NamedTuple):
    code: int
    out: str
    err: str


Convert = Callable[..., Result]
MakeFile = Callable[[str, str], str]


@pytest.fixture
def convert(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Convert:
    def run(*arguments: object, stdin: str = "") -> Result:
        monkeypatch.setattr(sys, "argv", ["bistro", "convert", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsysbinary.readouterr()
        return Result(int(ended.value.code or 0), out.decode(), err.decode())

    return run


@pytest.fixture
def file(tmp_path: Path) -> MakeFile:
    def make(name: str, content: str) -> str:
        (tmp_path / name).write_bytes(content.encode())
        return str(tmp_path / name)

    return make


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.conllu", CONLLU),
        ("a.conllu", CONLLU.replace("\n", "\r\n").rstrip("\r\n")),
        ("a.conll", CONLLX),
        ("a.conll", TWO_ROOTS),
        ("a.mrg", BRACKETS),
        ("a.txt", "to be\n\n or  not"),
    ],
)
def test_without_options_the_same_bytes(
    convert: Convert, file: MakeFile, tmp_path: Path, name: str, content: str
) -> None:
    assert convert(file(name, content)) == (0, content, "")
    assert convert(stdin=content) == (0, content, "")
    assert convert("-", "-o", tmp_path / "copy", stdin=content) == (0, "", "")
    assert (tmp_path / "copy").read_bytes() == content.encode()


def test_a_suffix_that_no_format_has_is_refused(
    convert: Convert, file: MakeFile, tmp_path: Path
) -> None:
    result = convert(file("a.conllu", CONLLU), "-o", tmp_path / "a.json")
    assert result.code == 2 and "no format has this suffix" in result.err
    result = convert(file("a.conllu", CONLLU), "-o", tmp_path / "a.json", "--to", "conllu")
    assert result.code == 0


def test_conllu_to_conllx_says_what_is_lost(
    convert: Convert, file: MakeFile, tmp_path: Path
) -> None:
    result = convert(file("a.conllu", CONLLU), "-o", tmp_path / "a.conll.gz")
    assert result.code == 0
    assert gzip.decompress((tmp_path / "a.conll.gz").read_bytes()).decode() == CONLLX
    assert "Converted 1 sentence with 4 words to conllx." in result.err
    for loss in ("2 comments", "1 multiword tokens", "1 empty nodes", "2 DEPS", "1 MISC values"):
        assert loss in result.err


def test_conllx_to_conllu(convert: Convert, file: MakeFile) -> None:
    result = convert(file("a.conll", CONLLX), "--to", "conllu")
    assert (result.code, result.out) == (0, CONLLX)
    assert "Lost in conllu: nothing." in result.err


def test_several_roots_need_permission_in_conllu(
    convert: Convert, file: MakeFile, tmp_path: Path
) -> None:
    path = file("a.conll", CONLLX + TWO_ROOTS)
    result = convert(path, "-o", tmp_path / "out.conllu")
    assert result.code == 2
    assert result.err.startswith(f"bistro: {path}:6: words 1 and 2 both have head 0")
    assert not (tmp_path / "out.conllu").exists()
    result = convert(path, "-o", tmp_path / "out.conllu", "--roots", "any")
    assert result.code == 0
    assert "Lost in conllu: 1 PHEAD values, 1 PDEPREL values." in result.err
    assert convert(path, "--roots", "one").code == 2


def test_text_to_conllu_and_back(convert: Convert) -> None:
    made = convert("--from", "text", "--to", "conllu", stdin="to be\nor not\n")
    assert made.out.startswith("1\tto" + "\t_" * 8 + "\n2\tbe" + "\t_" * 8 + "\n\n1\tor")
    assert convert("--to", "text", stdin=made.out).out == "to be\nor not\n"
    spaced = convert("--to", "text", stdin=CONLLU.replace("\thome\thome", "\tho me\thome"))
    assert spaced.out == "do n't go ho me\n"
    assert "1 words with a space inside" in spaced.err
    assert "4 heads" in spaced.err


@pytest.mark.parametrize("scheme", ["head", "path", "head+path"])
def test_projective_and_back(convert: Convert, file: MakeFile, tmp_path: Path, scheme: str) -> None:
    path = file("a.conllu", CROSSING + CONLLU)
    lifted = convert(path, "--projectivize", scheme)
    assert lifted.code == 0
    assert f"Projectivized ({scheme}): lifted 1 arcs in 1 of 2 sentences." in lifted.err
    assert lifted.out.split("\n")[1].startswith("2\tb\t_\tX\t_\t_\t3\tobj↑")
    assert lifted.out.endswith(CONLLU)
    back = convert("--deprojectivize", scheme, stdin=lifted.out)
    assert back.out == CROSSING + CONLLU
    assert "moved 1 arcs back and left 0 unchanged" in back.err


def test_sentences_without_trees_are_counted(convert: Convert) -> None:
    result = convert("--projectivize", "head", stdin="1\ta" + "\t_" * 8 + "\n\n" + CROSSING)
    assert "No arcs were moved in 1 sentence with missing heads" in result.err
    assert "lifted 1 arcs in 1 of 2 sentences" in result.err


def test_a_label_with_an_arrow_names_its_place(convert: Convert, file: MakeFile) -> None:
    path = file("a.conllu", CONLLU + CROSSING.replace("obj", "obj↑case"))
    result = convert(path, "--projectivize", "head")
    assert result.code == 2
    assert result.err.startswith(f"bistro: {path}:10: the label 'obj↑case' of word 2")


@pytest.mark.parametrize(
    ("arguments", "stdin", "reason"),
    [
        (["--to", "conllu"], BRACKETS, "brackets cannot be converted to conllu"),
        (["--to", "brackets"], CONLLU, "conllu cannot be converted to brackets"),
        (["--projectivize", "head"], BRACKETS, "bracketed trees have no arcs"),
        (["--projectivize", "heads"], CONLLU, "unknown value 'heads' (did you mean 'head'?)"),
        (["--projectivize", "head", "--deprojectivize", "head"], CONLLU, "choose one"),
        (["--roots", "two"], CONLLU, "--roots: unknown value 'two'"),
        (["--from", "conlu"], CONLLU, "unknown format 'conlu' (did you mean 'conllu'?)"),
        (["--to", "conlx"], CONLLU, "unknown format 'conlx' (did you mean 'conllx'?)"),
        ([], "", "<stdin>: the file is empty"),
        ([], CONLLU + "1\ta\n", "<stdin>:10: 2 columns found, 10 expected"),
        ([], CONLLU.replace("\t0\troot", "\t_\troot"), "1 of 4 words have no head"),
        (["none.conllu"], "", "none.conllu: cannot be read: no such file"),
        (["-o", "nowhere/out.conllu"], CONLLU, "nowhere/out.conllu: cannot be written"),
    ],
)
def test_one_sentence_and_exit_code_2(
    convert: Convert, arguments: list[Any], stdin: str, reason: str
) -> None:
    result = convert(*arguments, stdin=stdin)
    assert result.code == 2
    assert result.err.startswith("bistro: ")
    assert reason in result.err
    assert result.err.count("\n") == 1


def test_a_fault_at_the_end_leaves_no_file(
    convert: Convert, file: MakeFile, tmp_path: Path
) -> None:
    bad = file("bad.conllu", CONLLU * 5000 + "1\ta\n")
    result = convert(bad, "-o", tmp_path / "out.conllu")
    assert result.code == 2
    assert f"{bad}:45001: 2 columns found" in result.err
    assert [path.name for path in tmp_path.iterdir()] == ["bad.conllu"]


def test_partial_trees_by_choice(convert: Convert) -> None:
    partial = CONLLU.replace("\t3\taux", "\t_\taux")
    assert convert("--partial", stdin=partial) == (0, partial, "")


def test_a_closed_pipe_is_no_error(file: MakeFile) -> None:
    path = file("a.conllu", CONLLU * 20_000)
    command = [sys.executable, "-m", "bistro.cli.main", "convert", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"# sent_id = 1\n"
        process.stdout.close()
        assert process.stderr.read() == b""


def test_help_teaches(convert: Convert) -> None:
    result = convert("--help")
    assert result.code == 0
    assert "bistro convert train.conll --projectivize head" in result.out


def test_running_text(convert: Convert, file: MakeFile, tmp_path: Path) -> None:
    path = file("a.conllu", CONLLU + CONLLU.replace("# sent_id", "# newpar\n# sent_id"))
    result = convert(path, "--to", "raw", "-o", tmp_path / "out.txt")
    assert result.code == 0
    assert (tmp_path / "out.txt").read_text() == "don't go home\n\ndon't go home\n"
    assert "Converted 2 sentences with 8 words to raw" in result.err
    assert "warning" not in result.err


def test_a_text_that_contradicts_its_words_is_a_warning(convert: Convert, file: MakeFile) -> None:
    path = file("a.conllu", CONLLU.replace("# text = don't", "# text = do'nt") * 7)
    result = convert(path, "--to", "raw")
    assert result.code == 0
    assert result.out == "don't go home" * 7 + "\n"
    assert result.err.startswith(
        f"warning: {path}:2: '# text' has 'do'nt go home' where the words have 'don't go home'"
    )
    assert result.err.count("where the words") == 5
    assert "2 more sentences have a '# text' that contradicts" in result.err


@pytest.mark.parametrize(
    ("arguments", "stdin", "reason"),
    [
        (["--to", "raw"], BRACKETS, "brackets cannot be converted to raw"),
        (["--from", "raw"], CONLLU, "unknown format 'raw'"),
        (["--to", "rav"], CONLLU, "did you mean 'raw'"),
    ],
)
def test_running_text_is_refused(
    convert: Convert, arguments: list[str], stdin: str, reason: str
) -> None:
    result = convert(*arguments, stdin=stdin)
    assert (result.code, result.out) == (2, "")
    assert reason in result.err
