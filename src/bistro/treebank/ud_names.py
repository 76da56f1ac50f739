"""The names of Universal Dependencies treebanks, in three common forms.

`UD_English-EWT` (the repository), `English-EWT` (the web site) and `en_ewt` (the files) name the
same treebank. The table `ud_treebanks.tsv` lists the treebanks of recent releases. A full name that
is not in the table is accepted unchanged, since every release adds treebanks.

>>> full_name("en_ewt"), full_name("english-ewt"), full_name("UD_Klingon-New")
('UD_English-EWT', 'UD_English-EWT', 'UD_Klingon-New')
"""

from __future__ import annotations

import difflib
import functools
import re
from importlib.resources import files

from bistro.errors import BistroError

LATEST_RELEASE = "2.18"
FULL_NAME = re.compile(r"UD_[A-Z][A-Za-z_]*-[A-Za-z0-9]+")
RELEASE = re.compile(r"[12]\.\d+")


class UnknownTreebankError(BistroError):
    """A treebank or release with this name does not exist."""


@functools.cache
def known_names() -> dict[str, str]:
    """Return the full names of all treebanks in the table, keyed by file prefix (`en_ewt`)."""
    names = {}
    text = files("bistro.treebank").joinpath("ud_treebanks.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            code, language, treebanks = line.split("\t")
            for treebank in treebanks.split(" "):
                names[f"{code}_{treebank.lower()}"] = f"UD_{language}-{treebank}"
    return names


def full_name(name: str) -> str:
    """Return the full name of a treebank, `UD_Language-Treebank`."""
    wanted = name.strip().replace(" ", "_").lower()
    for prefix, full in known_names().items():
        if wanted in (prefix, full.lower(), full.lower().removeprefix("ud_")):
            return full
    if FULL_NAME.fullmatch(name.strip()):
        return name.strip()
    raise UnknownTreebankError(f"there is no treebank '{name}'{nearest_names(name)}")


def nearest_names(name: str) -> str:
    """Return ``" (did you mean UD_X-Y, …?)"`` with up to three similar names."""
    wanted = name.strip().replace(" ", "_").lower().removeprefix("ud_")
    spellings: dict[str, str] = {}
    for prefix, full in known_names().items():
        spellings[prefix] = full
        spellings[full.lower().removeprefix("ud_")] = full
    close = difflib.get_close_matches(wanted, spellings, n=3, cutoff=0.75)
    # A language or code alone matches all its treebanks.
    close += [s for s in spellings if re.split("[-_]", s)[0] == re.split("[-_]", wanted)[0]]
    names = list(dict.fromkeys(spellings[spelling] for spelling in close))[:3]
    if not names:
        return "; treebanks have names such as UD_English-EWT, English-EWT or en_ewt"
    return f" (did you mean {', '.join(names)}?)"


def check_release(release: str) -> str:
    """Return a release number, without a leading `r` or `v`."""
    number = release.strip().lstrip("rv")
    if not RELEASE.fullmatch(number):
        raise UnknownTreebankError(
            f"'{release}' is not a release of Universal Dependencies; "
            f"releases have numbers such as {LATEST_RELEASE}"
        )
    return number
