"""Models as packages: written as wheels, found by name, and what is said when one is damaged."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bistro
from bistro.errors import BistroError, BistroWarning, ModelFileError
from bistro.models import installed
from bistro.report.model_report import report_page
from bistro.report.package import Package, checked_about, default_name, make_package
from bistro.report.wheel import licence_expression

NAME = "bistro-en-toy"
Install = Callable[..., Path]


@pytest.fixture(scope="module")
def english() -> bistro.Treebank:
    return bistro.builtin(sentences=120, seed=1)


@pytest.fixture(scope="module")
def model(english: bistro.Treebank) -> bistro.Model:
    return bistro.train("ngram", english[:100], seed=1, sampler={"sweeps": 3, "samples": 1})


@pytest.fixture(scope="module")
def file(model: bistro.Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "english.bistro"
    model.save(path)
    return path


@pytest.fixture
def package(model: bistro.Model, file: Path) -> Package:
    return make_package(model, str(file), checked_about(model, str(file), name=NAME))


@pytest.fixture
def install(package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Unpack the wheel where Python finds it; return the folder of the model."""

    def unpack(where: str = "site") -> Path:
        site = tmp_path / where
        with zipfile.ZipFile(package.write_wheel(str(tmp_path / "dist"))) as archive:
            archive.extractall(site)
        monkeypatch.syspath_prepend(site)
        return site / "bistro_models" / NAME.replace("-", "_")

    return unpack


# ---- wheels ------------------------------------------------------------------------------------
def test_the_record_of_a_wheel_is_true(package: Package, tmp_path: Path) -> None:
    path = package.write_wheel(str(tmp_path / "new" / "folder"))
    assert path.name == "bistro_en_toy-1.0.0-py3-none-any.whl"
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        record = archive.read("bistro_en_toy-1.0.0.dist-info/RECORD").decode()
        rows = {name: (digest, size) for name, digest, size in csv.reader(io.StringIO(record))}
        assert list(rows) == archive.namelist()
        for name, (digest, size) in rows.items():
            content = archive.read(name)
            if name.endswith("/RECORD"):
                assert (digest, size) == ("", "")
                continue
            plain = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            assert (digest, int(size)) == (f"sha256={plain.decode()}", len(content))


def test_the_same_model_gives_the_same_wheel(package: Package, tmp_path: Path) -> None:
    first, second = (package.write_wheel(str(tmp_path / name)) for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()


def test_the_metadata_of_a_wheel(package: Package, tmp_path: Path) -> None:
    with zipfile.ZipFile(package.write_wheel(str(tmp_path))) as archive:
        metadata = archive.read("bistro_en_toy-1.0.0.dist-info/METADATA").decode()
    head, _, description = metadata.partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert fields["Name"] == NAME and fields["Version"] == "1.0.0"
    assert fields["License-Expression"] == "MIT"
    assert fields["Requires-Dist"] == f"bistro-syntax>={bistro.__version__}"
    assert description.startswith(f"# {NAME} 1.0.0\n")
    assert str(package.card["sha256"]) in description


def test_the_card_has_the_figures_of_the_report(
    model: bistro.Model, file: Path, english: bistro.Treebank
) -> None:
    page = report_page(model, english[100:])
    about = checked_about(model, str(file), name=NAME)
    card = make_package(model, str(file), about, page, test="test.conllu").card
    (result,) = card["results"]
    assert result["section"] == "Perplexity"
    expected = bistro.perplexity(bistro.load(file), english[100:])
    assert result["figures"]["perplexity"] == pytest.approx(expected.perplexity)
    assert "sentences" in result["protocol"]
    assert json.loads(json.dumps(card, allow_nan=False)) == card


def test_the_card_of_a_parser(english: bistro.Treebank, tmp_path: Path) -> None:
    parser = bistro.train("eisner", english[:100], seed=1, sampler={"sweeps": 2, "samples": 1})
    parser.save(tmp_path / "parser.bistro")
    page = report_page(parser, english[100:])
    about = checked_about(parser, "parser.bistro", version="2.1rc1")
    assert about.name == "bistro-parser"
    package = make_package(parser, str(tmp_path / "parser.bistro"), about, page, test="test")
    figures = {r["section"]: r["figures"] for r in package.card["results"]}
    assert 0 < figures["Accuracy"]["LAS"] <= figures["Accuracy"]["UAS"] <= 100
    assert f"| LAS | {figures['Accuracy']['LAS']:.2f} |" in package.distribution.description
    assert any(name.endswith("/report.html") for name in package.files)


def test_the_source_folder(package: Package, tmp_path: Path, file: Path) -> None:
    tomllib = pytest.importorskip("tomllib")
    top = package.write_source(str(tmp_path))
    project = tomllib.loads((top / "pyproject.toml").read_text())
    assert project["project"]["name"] == NAME
    assert project["project"]["license"] == "MIT"
    module = project["project"]["entry-points"][installed.GROUP][NAME]
    folder = top / module.replace(".", "/")
    assert project["tool"]["setuptools"]["packages"] == [module]
    assert (folder / "model.bistro").read_bytes() == file.read_bytes()
    assert (top / "README.md").read_text().startswith(f"# {NAME}")


@pytest.mark.parametrize(
    ("licence", "expression"),
    [
        ("CC BY-SA 4.0", "CC-BY-SA-4.0"),
        ("CC BY-NC-SA 3.0", "CC-BY-NC-SA-3.0"),
        ("Apache-2.0", "Apache-2.0"),
        ("GPL 2", "LicenseRef-GPL-2"),
        ("ask us\nfirst", "LicenseRef-ask-us-first"),
        ("自由", "LicenseRef-unknown"),
    ],
)
def test_licences(licence: str, expression: str) -> None:
    assert licence_expression(licence) == expression


class Trained:
    """A model, as far as its name is concerned."""

    def __init__(self, **treebank: str) -> None:
        self.origin = type("Origin", (), {"treebank": treebank})


@pytest.mark.parametrize(
    ("treebank", "path", "name"),
    [
        ({"name": "en_ewt-ud-train.conllu"}, "m.bistro", "bistro-en-ewt"),
        ({"name": "folder/qtd_sagt-ud-train.conllu + more"}, "m.bistro", "bistro-qtd-sagt"),
        ({"name": "mine.conllu"}, "a/My Model (2).bistro", "bistro-my-model-2"),
        ({}, "bistro-da-ddt.bistro", "bistro-da-ddt"),
        ({}, "模型.bistro", "bistro-model"),
    ],
)
def test_default_names(treebank: dict[str, str], path: str, name: str) -> None:
    found: Any = Trained(**treebank)
    assert default_name(found, path) == name


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"name": "no spaces"}, "'no spaces' cannot be the name of a package"),
        ({"name": "../x"}, "cannot be the name"),
        ({"name": "x.bistro"}, "cannot be the name"),
        ({"name": ""}, "cannot be the name"),
        ({"name": "Bistro_Syntax"}, "the name of Bistro itself"),
        ({"version": "new"}, "'new' cannot be the version"),
        ({"version": "1.0\n"}, "cannot be the version"),
        ({"licence": " "}, "--licence 'CC BY-SA 4.0'"),
        ({}, "--licence 'CC BY-SA 4.0'"),
    ],
)
def test_what_no_package_can_have(options: dict[str, str], told: str) -> None:
    found: Any = Trained(name="mine.conllu")
    licence = {} if "licence" in options or not options else {"licence": "MIT"}
    with pytest.raises(BistroError, match=told):
        checked_about(found, "mine.bistro", **licence, **options)


# ---- finding -----------------------------------------------------------------------------------
@pytest.mark.parametrize("name", [NAME, "bistro_en_toy", "Bistro.EN-toy"])
def test_an_installed_model_is_loaded_by_name(
    install: Install, name: str, model: bistro.Model
) -> None:
    install()
    assert bistro.load(name).to_bytes() == model.to_bytes()
    assert installed.is_model(name)
    (found,) = [one for one in installed.every() if isinstance(one, installed.Installed)]
    assert (found.name, found.version) == (NAME, "1.0.0")


def test_a_file_comes_first_and_a_warning_says_so(
    install: Install, here: Path, english: bistro.Treebank
) -> None:
    install()
    other = bistro.train("ngram", english[:20], seed=2, sampler={"sweeps": 1, "samples": 1})
    other.save(here / NAME)
    with pytest.warns(BistroWarning, match="also the name of an installed model: the file is"):
        assert bistro.load(NAME).origin.seed == 2
    assert bistro.load(f"./{NAME}").origin.seed == 2


def test_a_folder_hides_no_model(install: Install, here: Path) -> None:
    (here / NAME).mkdir()
    with pytest.raises(ModelFileError, match="is a folder"):
        bistro.load(NAME)
    install()
    assert bistro.load(NAME).kind == "ngram"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_no_such_model(install: Install, here: Path) -> None:
    with pytest.raises(ModelFileError, match="no such file, and no model is installed"):
        bistro.load(NAME)
    install()
    with pytest.raises(ModelFileError, match=f"did you mean '{NAME}'.*bistro models lists"):
        bistro.load("bistro-en-tox")
    (here / "english.bistro").write_bytes(b"")
    with pytest.raises(ModelFileError, match=r"did you mean 'english\.bistro'"):
        bistro.load("english")
    with pytest.raises(ModelFileError, match=r"did you mean 'english\.bistro'"):
        bistro.load("english.bistr")
    with pytest.raises(ModelFileError, match=r"french\.bistro: cannot be read: no such file"):
        bistro.load("french.bistro")


# ---- damage ------------------------------------------------------------------------------------
def change(card: Path, **entries: object) -> None:
    card.write_text(json.dumps({**json.loads(card.read_text()), **entries}))


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a flipped bit": (
        lambda folder: flip(folder / "model.bistro"),
        "is damaged: the checksum of the model file is wrong: install it again",
    ),
    "no model": (
        lambda folder: (folder / "model.bistro").unlink(),
        "is damaged: the model file cannot be read: no such file",
    ),
    "no card": (
        lambda folder: (folder / "card.json").unlink(),
        "is damaged: card.json cannot be read: no such file",
    ),
    "no JSON": (
        lambda folder: (folder / "card.json").write_text("{"),
        "is damaged: card.json is not valid JSON",
    ),
    "a list": (
        lambda folder: (folder / "card.json").write_text("[]"),
        "is damaged: card.json does not specify its format",
    ),
    "no kind": (
        lambda folder: change(folder / "card.json", kind=3),
        "card.json does not specify the kind of the model",
    ),
    "another folder": (
        lambda folder: change(folder / "card.json", file="../model.bistro"),
        "card.json names a file outside the package",
    ),
    "a newer card": (
        lambda folder: change(folder / "card.json", format=2),
        r"has a newer format \(2; this version of Bistro reads formats up to 1\): update Bistro",
    ),
}


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("what", DAMAGE)
def test_damage(install: Install, what: str) -> None:
    damage, told = DAMAGE[what]
    damage(install())
    with pytest.raises(ModelFileError, match=f"{NAME} 1.0.0: .*{told}"):
        bistro.load(NAME)
    (found,) = installed.every()
    if isinstance(found, installed.Installed):  # damage of the model file is found by reading it
        with pytest.raises(ModelFileError, match=told):
            found.check()


def test_a_model_file_of_a_newer_format(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install()
    monkeypatch.setattr("bistro.modelfile.FORMAT_VERSION", 2)
    with pytest.raises(ModelFileError, match=r"written by a newer version of Bistro \(format 3"):
        bistro.load(NAME)


def test_two_packages_with_one_name(install: Install, tmp_path: Path) -> None:
    install("one")
    install("two")
    (tmp_path / "two" / "bistro_en_toy-1.0.0.dist-info").rename(
        tmp_path / "two" / "other_toy-2.0.dist-info"
    )
    metadata = tmp_path / "two" / "other_toy-2.0.dist-info" / "METADATA"
    metadata.write_text("Metadata-Version: 2.1\nName: other-toy\nVersion: 2.0\n")
    told = r"with this name \(bistro-en-toy 1.0.0 and other-toy 2.0\): uninstall all but one"
    with pytest.raises(ModelFileError, match=told):
        bistro.load(NAME)
