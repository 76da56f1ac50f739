"""The page: pictures, tables and trees to take away."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import bistro

from .browsing import GARDEN_PATH, WORDS, ask, assert_drawn

pytestmark = pytest.mark.xdist_group("web")

SVG = "{http://www.w3.org/2000/svg}"


def saved(page: Any, section: str, kind: str, folder: Path) -> Path:
    """Press a button and return the file that came."""
    with page.expect_download() as coming:
        page.locator(section).get_by_role("button", name=f"Save as {kind}").first.click()
    path = folder / str(coming.value.suggested_filename)
    coming.value.save_as(path)
    return path


@pytest.mark.parametrize(("section", "name"), [(".reading", "reading"), (".trees", "tree")])
def test_pictures_stand_alone(visit: Any, tmp_path: Path, section: str, name: str) -> None:
    page = visit(text=GARDEN_PATH, model="english")
    path = saved(page, section, "SVG", tmp_path)
    assert path.name == f"{name}.svg"
    root = ET.fromstring(path.read_text())
    assert root.tag == f"{SVG}svg"
    told = [node.text for node in root.iter(f"{SVG}text")]
    assert set(WORDS) <= set(told)
    assert not [node for node in root.iter() if node.get("class") or node.get("style")]
    assert {node.get("fill") for node in root.iter(f"{SVG}text")} - {None, "rgb(0, 0, 0)"}
    assert "var(" not in path.read_text() and "href" not in path.read_text()


def test_a_picture_in_pixels(visit: Any, tmp_path: Path) -> None:
    page = visit(text=GARDEN_PATH, model="english")
    path = saved(page, ".trees", "PNG", tmp_path)
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    width = int.from_bytes(content[16:20], "big")
    drawn = page.eval_on_selector(".trees .tree", "tree => tree.viewBox.baseVal.width")
    assert width == pytest.approx(2 * drawn, abs=1)
    assert_drawn(page, path)


def test_the_table_of_surprisals(visit: Any, tmp_path: Path) -> None:
    page = visit(text=GARDEN_PATH, model="english")
    path = saved(page, ".reading", "TSV", tmp_path)
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    assert lines[0][:4] == ["word_id", "token", "oov", "surprisal"]
    assert [line[1] for line in lines[1:]] == [*WORDS, "</s>"]
    rows = ask(page, "read", model="english", text=GARDEN_PATH)["rows"]
    assert [float(line[3]) for line in lines[1:]] == [row["surprisal"] for row in rows]


@pytest.mark.parametrize("chosen", [1, 2])
def test_the_chosen_tree(visit: Any, tmp_path: Path, chosen: int) -> None:
    page = visit(text=GARDEN_PATH, model="english", tree=chosen)
    path = saved(page, ".trees", "CoNLL-U", tmp_path)
    (sentence,) = bistro.read(str(path))
    tree = ask(page, "parse", model="english", text=GARDEN_PATH, kbest=5)["analyses"][chosen - 1]
    assert sentence.forms == WORDS
    assert sentence.heads == tree["heads"]
    assert sentence.deprels == tree["labels"]
    assert sentence.upos == tree["tags"]
    assert path.read_text().endswith("\n\n")


def test_a_comparison_as_a_table(visit: Any, tmp_path: Path) -> None:
    page = visit(text="It rains.", model="english", compare=1, text2="It snows.", model2="english")
    path = saved(page, ".comparison", "TSV", tmp_path)
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    assert [line[0] for line in lines] == ["token_1", "It", "rains", "", ".", "</s>"]
    assert [line[2] for line in lines] == ["token_2", "It", "", "snows", ".", "</s>"]
