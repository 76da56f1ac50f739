"""Files that tools and visitors look for agree with each other and with the code."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
ELSEWHERE = (
    "platform.hpp",
    "compiler.hpp",
    "read_at.cpp",
    "lanes.hpp",
    "products_anywhere.cpp",
    "registers256.hpp",
)
"""Where the core may ask for a compiler, a processor or a system."""


def text_of(name: str) -> str:
    return (PROJECT / name).read_text("utf-8")


PYPROJECT = tomllib.loads(text_of("pyproject.toml"))


def test_versions_agree() -> None:
    cited = re.search(r"^version: (\S+)$", text_of("CITATION.cff"), re.MULTILINE)
    assert cited and cited[1] == PYPROJECT["project"]["version"]


def test_the_five_papers_are_cited() -> None:
    cited = text_of("CITATION.cff")
    for name in ("Buys", "Titov", "Wallach", "Futrell", "Shareghi"):
        assert f"family-names: {name}" in cited


def test_every_supported_python_gets_a_wheel() -> None:
    built = PYPROJECT["tool"]["cibuildwheel"]["build"].split()
    assert built == [f"cp{version.replace('.', '')}-*" for version in PYTHONS]
    listed = [c for c in PYPROJECT["project"]["classifiers"] if ":: Python :: 3." in c]
    assert [name.rpartition(" ")[2] for name in listed] == list(PYTHONS)
    assert f"{PYTHONS[0]} to {PYTHONS[-1]}" in text_of("docs/versions.md")


def test_tests_of_wheels_exist() -> None:
    command = " ".join(PYPROJECT["tool"]["cibuildwheel"]["test-command"])
    named = re.findall(r"\{project\}/(\S+)", command)
    assert named and all((PROJECT / name).exists() for name in named)


def test_few_files_know_compilers_processors_and_systems() -> None:
    special = re.compile(
        r"__builtin_|__attribute__|__int128|\bssize_t\b|\bpread\(|madvise|jthread|<unistd|<sys/"
        r"|_MSC_VER|_WIN32|__GNUC__|_M_X64|_M_ARM64|__x86_64__|__FP_FAST|immintrin|arm_neon"
    )
    knowing = {
        path.name
        for path in PROJECT.glob("cpp/**/*.[ch]pp")
        if special.search(path.read_text("utf-8"))
    }
    assert knowing == set(ELSEWHERE)


def test_only_one_module_knows_systems() -> None:
    special = re.compile(
        r"\bfcntl\b|\bmsvcrt\b|sys\.platform|os\.name\b|os\.fork|setpriority|SO_REUSE"
    )
    source = PROJECT / "src" / "bistro"
    knowing = {p.name for p in source.rglob("*.py") if special.search(p.read_text("utf-8"))}
    assert knowing == {"system.py"}


def test_workflows_and_templates_are_yaml() -> None:
    yaml = pytest.importorskip("yaml")
    files = [*(PROJECT / ".github").rglob("*.yml"), PROJECT / ".pre-commit-config.yaml"]
    files += [PROJECT / "CITATION.cff"]
    assert len(files) >= 6
    for path in files:
        assert isinstance(yaml.safe_load(path.read_text("utf-8")), dict), path
