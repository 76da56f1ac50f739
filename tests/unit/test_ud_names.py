"""Names of treebanks of Universal Dependencies, in every usual spelling."""

from __future__ import annotations

import pytest

from bistro.errors import BistroError
from bistro.treebank.ud_names import UnknownTreebankError, check_release, full_name, known_names


@pytest.mark.parametrize(
    "name", ["UD_English-EWT", "English-EWT", "en_ewt", "ud_english-ewt", "EN_EWT"]
)
def test_every_usual_spelling(name: str) -> None:
    assert full_name(name) == "UD_English-EWT"


def test_every_spelling_of_every_treebank() -> None:
    names = known_names()
    assert len(names) > 300
    assert len(set(names.values())) == len(names)
    for prefix, full in names.items():
        assert full_name(prefix) == full_name(full) == full_name(full[3:]) == full
    assert full_name("Old Church Slavonic-PROIEL") == "UD_Old_Church_Slavonic-PROIEL"


def test_full_names_newer_than_the_table_are_taken() -> None:
    assert full_name("UD_Klingon-New") == "UD_Klingon-New"


@pytest.mark.parametrize(
    ("typo", "meant"),
    [("en_ewtt", "UD_English-EWT"), ("Englsh-EWT", "UD_English-EWT"), ("danish", "UD_Danish-DDT")],
)
def test_nearest_names_are_suggested(typo: str, meant: str) -> None:
    with pytest.raises(UnknownTreebankError, match=meant):
        full_name(typo)


@pytest.mark.parametrize("name", ["", "../../etc", "UD_../x-y", "qqqqqq"])
def test_impossible_names(name: str) -> None:
    with pytest.raises(BistroError, match="there is no treebank"):
        full_name(name)


def test_releases() -> None:
    assert check_release("r2.16") == check_release("v2.16") == check_release("2.16") == "2.16"
    for wrong in ("latest", "2", "../2.1", "3.x"):
        with pytest.raises(UnknownTreebankError, match="is not a release"):
            check_release(wrong)
