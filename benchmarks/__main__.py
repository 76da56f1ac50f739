"""Run benchmarks by name.

    python -m benchmarks                  # list them
    python -m benchmarks sweep queries    # run some, one after the other
    python -m benchmarks all              # run all of them

Each benchmark runs in its own process, so that its peak memory is not affected by the others.
Options are passed to the module of one benchmark: python -m benchmarks.serve --seconds 60.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ALL = "all"


def benchmarks() -> dict[str, str]:
    """Return the names of all benchmarks, each with the first line of its docstring.

    A benchmark is a module with a function `main`. The sources are parsed and not imported, because
    some import packages that are not installed everywhere.
    """
    titles = {}
    for path in sorted(FOLDER.glob("[!_]*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        functions = [node.name for node in module.body if isinstance(node, ast.FunctionDef)]
        if "main" in functions:
            titles[path.stem] = (ast.get_docstring(module) or "").partition("\n")[0]
    return titles


def run(name: str) -> bool:
    """Run one benchmark and return whether it succeeded."""
    print(f"== {name}", flush=True)
    command = [sys.executable, "-m", f"benchmarks.{name}"]
    return subprocess.run(command, cwd=FOLDER.parent, check=False).returncode == 0


def main() -> None:
    known = benchmarks()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help=f"benchmarks to run, or {ALL}; default: list them")
    names = parser.parse_args().names
    unknown = [name for name in names if name not in (*known, ALL)]
    if unknown:
        parser.error(f"there is no benchmark '{unknown[0]}': {', '.join(known)}, {ALL}")
    if not names:
        print("\n".join(f"{name:<16} {line}" for name, line in known.items()))
    failed = [name for name in (known if ALL in names else names) if not run(name)]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
