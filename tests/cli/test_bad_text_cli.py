"""Running text that is hard or wrong: file, line and one sentence, or all of it comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

import bistro
from bistro.models.pipeline.model import PipelineModel
from bistro.treebank.surface import surface_tokens

from .program import Command

ROWS = """\
1\tIt\tit\tPRON\t_\t_\t2\texpl\t_\t_
2\trains\train\tVERB\t_\t_\t0\troot\t_\t{misc}
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""


@pytest.fixture(scope="module")
def pipeline(contracted: PipelineModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bad") / "english.bistro"
    contracted.save(path)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "The dog\r\nsleeps.\rIt\nrains.\u2028A cat\x85sees it.\n\r\n\rThe\x0bdog.",
        "\ufeffThe dog sleeps.\n",
        "שלום עולם. The dog 🏳️‍🌈 sleeps。",
    ],
    ids=["a megabyte without a space", "mixed line ends", "byte order mark", "scripts"],
)
def test_hard_text_comes_back_from_the_columns(
    bistro_here: Command, pipeline: Path, tmp_path: Path, text: str
) -> None:
    (tmp_path / "hard.txt").write_bytes(text.encode())
    done = bistro_here(
        "parse", pipeline, tmp_path / "hard.txt", "--greedy", "-o", tmp_path / "out.conllu"
    )
    assert done.code == 0
    tokens = [
        token
        for sentence in bistro.read(tmp_path / "out.conllu")
        for token in surface_tokens(sentence)
    ]
    assert "".join(token.before + token.form + token.after for token in tokens) == text


@pytest.mark.parametrize("kind", ["tokens", "pipeline"])
def test_a_treebank_whose_text_contradicts_its_words(
    bistro_here: Command, tmp_path: Path, kind: str
) -> None:
    rows = ROWS.format(misc="SpaceAfter=No")
    treebank = tmp_path / "bad.conllu"
    treebank.write_text(f"# text = It rains.\n{rows}# text = It rain.\n{rows}")
    done = bistro_here("train", kind, treebank, "-o", tmp_path / "no.bistro")
    assert done.code == 2 and not (tmp_path / "no.bistro").exists()
    assert done.err.splitlines()[-1] == (
        f"bistro: {treebank}:6: # text continues with 'rain.', but the next word is 'rains': "
        "correct the text or the words"
    )


def test_a_treebank_without_spaces(bistro_here: Command, tmp_path: Path) -> None:
    treebank, model = tmp_path / "words.conllu", tmp_path / "words.bistro"
    treebank.write_text(ROWS.format(misc="_") * 5)
    done = bistro_here("train", "tokens", treebank, "-o", model)
    assert done.code == 2 and "does not mark words that are not followed by a space" in done.err
    done = bistro_here("train", "pipeline", treebank, "--set", "parser=transition", "-o", model)
    assert done.code == 0 and "will not find words in running text" in done.err
    done = bistro_here("parse", model, stdin=b"It rains.\n")
    assert done.code == 2 and "give sentences that are already split into words" in done.err
    done = bistro_here("parse", model, "--input", "lines", stdin=b"It rains .\n")
    assert done.code == 0 and done.out.count("\n") == 6
    done = bistro_here("surprisal", model, stdin=b"It rains.\n")
    assert done.code == 0 and "looks like running text" in done.err
