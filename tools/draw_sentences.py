"""Print random sentences from help texts, errors, docstrings and pages, for reading aloud.

python tools/draw_sentences.py [SEED] [NUMBER]
"""

from __future__ import annotations

import ast
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT / "tests" / "unit"))
sys.path.insert(0, str(PROJECT / "src"))

from test_english import paragraphs_of, strings_of  # noqa: E402

SENTENCE = re.compile(r"(?:(?<=^)|(?<=[.!?] ))[A-Z`][^.!?|]{25,240}[.!?](?= |$)")


def sentences() -> Iterator[str]:
    """Yield every sentence with its file and line."""
    for path in sorted((PROJECT / "src" / "bistro").rglob("*.py")):
        yield from _of(path, strings_of(path))
        for line, text in errors_of(path):
            yield f"{path.relative_to(PROJECT)}:{line}: error: {text}"
    for path in sorted([PROJECT / "README.md", *PROJECT.glob("docs/**/*.md")]):
        yield from _of(path, paragraphs_of(path, code=r"\g<0>"))


def errors_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of every error message; X replaces the fields of an f-string."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Raise) or not isinstance(node.exc, ast.Call):
            continue
        for argument in node.exc.args:
            parts = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
            if all(isinstance(part, (ast.Constant, ast.FormattedValue)) for part in parts):
                text = "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "X" for part in parts
                )
                yield from [(node.lineno, text)] if len(text) > 25 else ()


def _of(path: Path, texts: Iterator[tuple[int, str]]) -> Iterator[str]:
    for line, text in texts:
        # Section headings ("Parameters", underlined) and the types below "Returns" and "Raises"
        # are not part of a sentence.
        text = re.sub(r"(?:Returns|Yields|Raises)\n *-{3,} *\n[^\n]*\n", "\n", text)
        text = re.sub(r"\w+\n *-{3,} *\n", "\n", text)
        for sentence in SENTENCE.findall(re.sub(r"\s+", " ", text)):
            yield f"{path.relative_to(PROJECT)}:{line}: {sentence}"


def main() -> None:
    """Draw sentences without replacement, and print them."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    for sentence in random.Random(seed).sample(list(sentences()), number):
        print(sentence)


if __name__ == "__main__":
    main()
