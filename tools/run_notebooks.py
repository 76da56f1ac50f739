"""Run notebooks without Jupyter, and write their outputs into them.

    PYTHONPATH=src python tools/run_notebooks.py docs/notebooks/*.ipynb

The output of a cell is what it prints, and the value of its last line as a notebook shows it: as
HTML, as a picture, or as text. The tests run the notebooks in the same way and compare the text.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import sys
from pathlib import Path
from typing import Any


def run(notebook: dict[str, Any], name: str = "notebook") -> dict[str, Any]:
    """Run the cells of a notebook in order, and return it with their outputs."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    cells, number = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            place = f"{name}, cell {number}"
            outputs = outputs_of("".join(cell["source"]), namespace, place, number)
            cell = {**cell, "outputs": outputs, "execution_count": number}
        cells.append(cell)
    return {**notebook, "cells": cells}


def outputs_of(
    code: str, namespace: dict[str, Any], place: str, number: int
) -> list[dict[str, Any]]:
    """Run one cell and return its outputs."""
    tree = ast.parse(code, filename=place)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, place, "exec", dont_inherit=True), namespace)
        if isinstance(last, ast.Expr):
            expression = ast.Expression(last.value)
            value = eval(compile(expression, place, "eval", dont_inherit=True), namespace)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if value is not None:
        outputs.append(
            {
                "output_type": "execute_result",
                "execution_count": number,
                "metadata": {},
                "data": shown(value),
            }
        )
    return outputs


def shown(value: Any) -> dict[str, list[str]]:
    """Return a value in every format that a notebook can display."""
    forms = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}
    data = {
        name: getattr(value, method)().splitlines(keepends=True)
        for name, method in forms.items()
        if hasattr(value, method)
    }
    # The memory address of an object differs from run to run.
    plain = re.sub(r" at 0x[0-9a-f]+", "", repr(value))
    return {**data, "text/plain": plain.splitlines(keepends=True)}


def texts(notebook: dict[str, Any]) -> list[str]:
    """Return the printed outputs of a notebook."""
    outputs = [o for cell in notebook["cells"] for o in cell.get("outputs", [])]
    return ["".join(output["text"]) for output in outputs if output["output_type"] == "stream"]


def main() -> None:
    """Run the named notebooks, and write them back."""
    for name in sys.argv[1:]:
        path = Path(name)
        done = run(json.loads(path.read_text("utf-8")), path.name)
        text = json.dumps(done, ensure_ascii=False, indent=1)
        path.write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
