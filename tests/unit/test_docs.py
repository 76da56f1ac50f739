"""The documentation runs: every Python block, every command, every link.

A page's blocks are run in order, in one namespace and one folder, in which `train.conllu`,
`dev.conllu`, `test.conllu`, `parsed.conllu`, `train.txt` and `english.bistro` lie ready. Two
comments, which readers of the page do not see, may stand in it:

    <!-- setup                        Python that is run at this place
    heads = [2, 0]
    -->
    <!-- not run: reason -->          the block after it is left out
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import bistro
from bistro.cli.main import COMMANDS
from bistro.models.kinds import BUILT_IN
from bistro.treebank.treebank import write

PROJECT = Path(__file__).resolve().parents[2]
PAGES = sorted([*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md")])
BLOCK = re.compile(
    r"<!-- setup\n(?P<setup>.*?)-->"
    r"|(?P<skipped><!-- not run: [^>]+ -->\n+)?"
    r"^(?P<fence>`{3,})(?P<language>\w*)[^\n]*\n(?P<code>.*?)^(?P=fence)$",
    re.DOTALL | re.MULTILINE,
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A piece of a page that is to be run."""

    language: str
    code: str
    line: int


def blocks_of(text: str) -> list[Block]:
    """Return the blocks of a page that can be run, in order."""
    found = []
    for match in BLOCK.finditer(text):
        language = "python" if match["setup"] else match["language"]
        code = match["setup"] or match["code"]
        if language in ("python", "sh") and not match["skipped"]:
            start = match.start("setup") if match["setup"] else match.start("code")
            found.append(Block(language, code, text.count("\n", 0, start)))
    return found


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that pages may use, and the command `bistro` as a script."""
    folder = tmp_path_factory.mktemp("prepared")
    treebank = bistro.builtin(sentences=260, seed=3)
    for name, part in (
        ("train.conllu", treebank[:200]),
        ("dev.conllu", treebank[200:230]),
        ("test.conllu", treebank[230:]),
        ("parsed.conllu", treebank[230:]),
        ("tagged.conllu", treebank[230:]),
    ):
        write(part, folder / name)
    text = "".join(" ".join(sentence.forms) + "\n" for sentence in treebank[:200])
    (folder / "train.txt").write_text(text)
    (folder / "letter.txt").write_text("The dog sleeps. A cat sees it.\n")
    model = bistro.train("ngram", treebank[:200], sampler={"sweeps": 5, "samples": 2})
    model.save(folder / "english.bistro")
    script = folder / "bin" / "bistro"
    script.parent.mkdir()
    package = Path(bistro.__file__).resolve().parents[1]
    script.write_text(
        f'#!/bin/sh\nPYTHONPATH="{package}" exec "{sys.executable}" -m bistro.cli.main "$@"\n'
    )
    script.chmod(0o755)
    return folder


def run_python(block: Block, page: Path, namespace: dict[str, object]) -> None:
    """Run a block; as in a notebook, a last line that is an expression is evaluated too."""
    tree = ast.parse(block.code, filename=str(page))
    ast.increment_lineno(tree, block.line)
    # A reader's code has none of this file's ``from __future__`` imports.
    exec(compile(tree, str(page), "exec", dont_inherit=True), namespace)


def run_shell(block: Block, page: Path, prepared: Path) -> None:
    environment = {**os.environ, "PATH": f"{prepared / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-eu", "-c", block.code],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, f"{page.name}:{block.line}: {done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT)))
def test_the_page_runs(
    page: Path, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = blocks_of(page.read_text("utf-8"))
    if not blocks:
        return
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "page"}
    for block in blocks:
        if block.language == "python":
            run_python(block, page, namespace)
        else:
            run_shell(block, page, prepared)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    outside_code = re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    for target in LINK.findall(outside_code):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page.name} links to {target}"
        assert file.is_relative_to(PROJECT)
        if anchor:
            assert anchor in anchors(file.read_text("utf-8")), f"{page.name} links to {target}"


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ +(.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def test_the_overview_has_all_commands_and_kinds() -> None:
    commands = (PROJECT / "docs" / "command-line.md").read_text("utf-8")
    assert [name for name in COMMANDS if f"| `bistro {name}" not in commands] == []
    models = (PROJECT / "docs" / "models.md").read_text("utf-8")
    assert [kind for kind in BUILT_IN if f"`{kind}`" not in models] == []


def test_the_tree_in_the_readme_is_the_grammar_s() -> None:
    path = PROJECT / "docs" / "make_pictures.py"
    spec = importlib.util.spec_from_file_location("make_pictures", path)
    assert spec is not None
    assert spec.loader is not None
    pictures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pictures)
    drawn = (pictures.IMAGES / "garden-path-tree.svg").read_text("utf-8")
    assert drawn == pictures.garden_path_tree()


# ---- the runner itself -------------------------------------------------------------------------
PAGE = """\
# A page
<!-- setup
x = 1
-->
```python
y = x + 1
```
<!-- not run: needs the network -->
```sh
bistro fetch en_ewt
```
```
plain
```
"""


def test_blocks_are_found() -> None:
    assert [(b.language, b.code, b.line) for b in blocks_of(PAGE)] == [
        ("python", "x = 1\n", 2),
        ("python", "y = x + 1\n", 5),
    ]


def test_a_block_that_fails_is_noticed(tmp_path: Path, prepared: Path) -> None:
    with pytest.raises(NameError):
        run_python(Block("python", "undefined\n", 1), tmp_path, {})
    with pytest.raises(AssertionError):
        run_shell(Block("sh", "bistro perplexity absent.bistro\ntrue\n", 1), tmp_path, prepared)
