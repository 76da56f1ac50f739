"""The words of the project: help, messages, docstrings and pages avoid some phrases.

Each phrase below is understandable, and yet a reader stumbles: it is archaic, or a private idiom
where a common technical word exists. The test reads every string of the program (docstrings and
messages among them), every comment of the core, and the prose of every page, outside code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bistro.cli.main import COMMANDS, run

PROJECT = Path(__file__).resolve().parents[2]
COUNTED = (
    r"(?:bits?|buffers|bytes|clusters|labels|lines|log-probability|milliseconds|ms|particles|"
    r"percentages|sentences|steps|tables|time|tokens|trees|words)"
)
UNIT = (
    r"(?:arc|chain|character|column|command|context|core|customer|day|dependent|depth|dish|draw|"
    r"event|file|fold|head|item|level|line|minute|model|name|node|order|outcome|page|process|row|"
    r"run|second|seed|sentence|series|size|state|step|sweep|table|tag|thread|token|tree|word)"
)
SINGLE = rf"(?:{UNIT}|bar|copy|entry|histogram|number|object|piece|restaurant|space)"
IDIOMS = {
    "X per Y": rf"\b(?:an?|one) {SINGLE} an? {UNIT}\b|\b(?:{COUNTED}|one) an? {UNIT}\b",
    "default": r"\b(?:the|a|as|:|\() ?usual\b|\busual:",
    "predict": r"\bforet(?:old|ells?)\b",
    "again": r"\banew\b",
    "obtain": r"\b(?:come|came|comes|coming) by\b",
    "say, distinguish": r"\btold\b",
    "is not a": r"\b(?:is|are) no [a-z]+",
    "is, comes, follows": r"\bst(?:ands?|ood)\b",
    "refers to": r"\bspeaks? (?:of|for|against)\b|\bof which .* speaks\b",
    "at random": r"\bby lot\b",
    "wait": r"\bto bear\b",
    "show and exit": r"\bprint it and stop\b",
    "all cores": r"\bas many as there are\b",
    "the remaining": r"\bthose not listed\b",
    "minimum risk": r"\bleast risk\b",
    "predicted, observed": r"\bprobability told\b|\bshare that is right\b|\bexpected right\b",
}
"""What to write instead, and what not to write."""
BEGINNINGS = r"\A(?:Of|By) "
"""A docstring or a help text begins with a noun or a verb."""
FALSE_ALARMS = (
    r"\bthere (?:is|are) no\b",
    r"\b(?:is|are) no (?:longer|more|less|better|worse)\b",
    r"\bst(?:ands?|ood) (?:for|out)\b",
    r"\ABy (?:length|relation|tag)\Z",  # titles of tables
)
"""Common English that looks like an idiom."""


def complaints(text: str, *, is_string: bool) -> Iterator[str]:
    """Yield the phrases of a text that should not be in it, and what to write instead."""
    text = re.sub(r"\s+", " ", text)
    for phrase in FALSE_ALARMS:
        text = re.sub(phrase, "", text, flags=re.IGNORECASE)
    for better, pattern in IDIOMS.items():
        for match in re.finditer(pattern, text, re.IGNORECASE):
            context = text[max(0, match.start() - 30) : match.end() + 30]
            yield f"'{match.group()}' in '…{context}…': {better}"
    if is_string and (beginning := re.match(BEGINNINGS, text)):
        yield f"'{beginning.group()}' begins '{text[:60]}'"


def strings_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of every string of a module; what an f-string fills in is an X."""
    tree = ast.parse(path.read_text("utf-8"))
    inside = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
            parts = [p.value if isinstance(p, ast.Constant) else "X" for p in node.values]
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from () if id(node) in inside else ((node.lineno, node.value),)


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of every string of the page's scripts."""
    for line, code in enumerate(path.read_text("utf-8").splitlines(), 1):
        for match in re.finditer(r'"[^"]*"|`[^`]*`', re.sub(r"//.*", "", code)):
            yield line, re.sub(r"\$\{[^}]*\}", "X", match.group()[1:-1])


def paragraphs_of(path: Path, code: str = "code") -> Iterator[tuple[int, str]]:
    """Yield line and text of every paragraph of a page, without blocks of code and comments.

    Code within a line is replaced by `code`, in which \\g<0> is the code itself.
    """

    def blank(match: re.Match[str]) -> str:
        return "\n" * match.group().count("\n")

    text = path.read_text("utf-8")
    text = re.sub(r"^(`{3,}).*?^\1$|<!--.*?-->", blank, text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`\n]*`", code, re.sub(r"\]\([^)]*\)", "]", text))
    for match in re.finditer(r"(?:^.*\S.*\n?)+", text, re.MULTILINE):
        yield text.count("\n", 0, match.start()) + 1, match.group()


def comments_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of every comment of a C++ file; adjacent lines are one comment."""
    text = path.read_text("utf-8")
    for match in re.finditer(r"(?:^[ ]*//.*\n)+|(?<=[ ])//.*", text, re.MULTILINE):
        comment = re.sub(r"^ *//+ ?", "", match.group(), flags=re.MULTILINE)
        yield text.count("\n", 0, match.start()) + 1, comment


def test_the_program_is_in_plain_english() -> None:
    parts: list[tuple[str, Callable[[Path], Iterator[tuple[int, str]]]]] = [
        ("src/bistro/**/*.py", strings_of),
        ("src/bistro/**/*.js", texts_of),
        ("cpp/**/*.[ch]pp", comments_of),
        *((f"{folder}/**/*.py", strings_of) for folder in ("benchmarks", "experiments", "tools")),
    ]
    found = [
        f"{path.relative_to(PROJECT)}:{line}: {complaint}"
        for pattern, read in parts
        for path in sorted(PROJECT.glob(pattern))
        for line, text in read(path)
        for complaint in complaints(text, is_string=True)
    ]
    assert not found, "\n".join(found)


def test_comments_are_read(tmp_path: Path) -> None:
    source = tmp_path / "some.cpp"
    source.write_text("// One row\n// a word.\nint a;  // as told\nint b;\n    // plain\n")
    comments = dict(comments_of(source))
    assert comments == {1: "One row\na word.\n", 3: "as told", 5: "plain\n"}
    assert [bool(list(complaints(c, is_string=True))) for c in comments.values()] == [1, 1, 0]


def test_the_pages_are_in_plain_english() -> None:
    pages = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *PROJECT.glob("docs/**/*.md")]
    found = [
        f"{path.relative_to(PROJECT)}:{line}: {complaint}"
        for path in sorted(pages)
        for line, text in paragraphs_of(path)
        for complaint in complaints(text, is_string=False)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("command", [*([name] for name in COMMANDS), [], ["topics", "show"]])
def test_help_names_no_types_of_python(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert "--help" in shown
    assert not re.search(r"<(?:bool|str|int|float|list)\b|\[str\]|\|None", shown)
    assert not re.search(r"  (?:str|int|float|bool|text|integer|path)\b(?: range)?  ", shown)


@pytest.mark.parametrize(
    "text",
    [
        "a sentence a line",
        "a row a word",
        "one file a model",
        "1,630 sentences a second",
        "usual: 1000",
        "All settings are the usual ones.",
        "probability told",
        "what the smaller parts alone would have foretold",
        "Return how tags are come by",
        "Of sums that were estimated",
        "is no number",
        "the word stands before it",
        "Longest silence of the server to bear",
    ],
)
def test_an_idiom_is_found(text: str) -> None:
    assert list(complaints(text, is_string=True))


@pytest.mark.parametrize(
    "text", ["one row per word", "there is no model", "default: 3", "A mark stands for a word."]
)
def test_plain_english_passes(text: str) -> None:
    assert not list(complaints(text, is_string=True))
