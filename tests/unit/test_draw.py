"""Trees as files of pictures."""

from __future__ import annotations

import pytest

import bistro
from bistro.errors import BistroError
from bistro.pictures.tikz import tex_text, tikz_arcs
from bistro.tasks.draw import Drawing, chosen_sentences, drawn
from bistro.treebank.brackets import parse_tree
from bistro.treebank.sentence import Sentence

ENGLISH = Sentence.from_columns(
    ["Dogs", "50%", "&", "_"], heads=[2, 0, 2, 3], deprels=["nsubj", "root", "cc", "x_y"]
)
HEBREW = Sentence.from_columns(["כלבים", "נובחים"], heads=[2, 0], deprels=["nsubj", "root"])


def test_what_tex_reads_as_commands_is_escaped() -> None:
    assert tex_text("a_b & 5% {x} \\") == r"a\_b \& 5\% \{x\} \textbackslash{}"
    code = tikz_arcs(ENGLISH.forms, ENGLISH.heads, ENGLISH.deprels)
    assert r"Dogs \& 50\% \& \& \& \_ \\" in code
    assert r"\depedge[edge height=3.0ex]{2}{1}{nsubj}" in code and r"{2}{root}" in code
    assert r"{3}{4}{x\_y}" in code
    assert "textsc" not in code  # no tags


def test_words_without_heads_have_no_arc_and_probabilities_stand_beside_labels() -> None:
    code = tikz_arcs(["a", "b"], [-1, 0], ["_", "root"], probabilities=[0.5, 0.25])
    assert "depedge" not in code and r"{2}{root 0.25}" in code


def test_right_to_left_is_known_by_the_script() -> None:
    assert Drawing.of(HEBREW).is_right_to_left and not Drawing.of(ENGLISH).is_right_to_left
    assert Drawing.of(ENGLISH, direction="rtl").is_right_to_left
    # TeX sets columns from left to right, so the order is turned around.
    code = Drawing.of(HEBREW).tikz()
    assert code.index("נובחים") < code.index("כלבים") and r"{1}{2}{nsubj}" in code


def test_formats() -> None:
    assert drawn([ENGLISH], "svg").startswith(b"<svg")
    text = drawn([ENGLISH, HEBREW], "tex").decode()
    assert text.count(r"\begin{dependency}") == 2 and text.endswith("\\end{document}\n")
    with pytest.raises(BistroError, match="can contain only one tree, but there are 2"):
        drawn([ENGLISH, HEBREW], "svg")
    with pytest.raises(BistroError, match="no tree to draw"):
        drawn([], "pdf")
    with pytest.raises(BistroError, match=r"unknown picture format 'sgv'.*svg"):
        drawn([ENGLISH], "sgv")
    tree = parse_tree("(S (NP (NN time)) (VP (VBZ flies)))")
    assert b"flies" in drawn([tree], "svg")
    with pytest.raises(BistroError, match=r"write bracketed trees as .svg"):
        drawn([tree], "tex")


def test_pdf_and_png() -> None:
    pytest.importorskip("typst")
    pages = drawn([ENGLISH, HEBREW], "pdf")
    assert pages.startswith(b"%PDF")
    small, large = (drawn([ENGLISH], "png", scale=scale) for scale in (1.0, 2.0))
    assert small.startswith(b"\x89PNG")
    # Width and height stand in the header.
    sizes = [int.from_bytes(image[16:20], "big") for image in (small, large)]
    assert sizes[1] == pytest.approx(2 * sizes[0], abs=2)


def test_probabilities_come_from_misc() -> None:
    marked = ENGLISH.replace(misc=["PHead=0.9", "PHead=1.0", "PHead=0.5", "PHead=0.25"])
    assert "0.25" in Drawing.of(marked, probabilities=True).tikz()
    with pytest.raises(
        BistroError, match=r"f.conllu.*no PHead in the column MISC: parse with --marginals"
    ):
        Drawing.of(ENGLISH, probabilities=True, path="f.conllu")


def test_sentences_are_chosen_by_id_or_number() -> None:
    treebank = list(bistro.builtin(sentences=3, seed=1))
    ids = [sentence.sent_id for sentence in treebank]
    assert ids[1] is not None
    assert chosen_sentences(treebank, [ids[1], "1"]) == [treebank[1], treebank[0]]
    with pytest.raises(BistroError, match=r"no sentence '4'.*from 1 to 3"):
        chosen_sentences(treebank, ["4"])
