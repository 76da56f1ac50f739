"""The latent-variable parser beyond its paper: DDT, EWT, and the committee that includes it.

    python -m experiments.isbn_tables [ddt] [ewt] [committee] [--models FOLDER]

The tables of the paper itself are printed by ``python -m experiments.paper titov-henderson-2007``.
`ddt`: gold tags and features, punctuation excluded (Unicode category, as in CoNLL-X), 160
variables: rich features, local ones, rich ones without links between states, all with feed-forward
means; rich and local ones with mean-field means; 80 variables; widths of the beam; predicted tags.
`ewt`: UAS and LAS of all words, with given and predicted tags. `committee`: the default committee
with and without the ISBN of the treebank as an additional member (as `bistro train committee
--config best` trains it), with weights fitted on the development part, and the speed of both on one
core.

Models are trained on the training part and stopped by the development part, seed 1. Models that
exist in FOLDER (`ddt.bistro`, `ddt-local.bistro`, `ewt.bistro`, `ewt-committee.bistro` ...) are
loaded instead of trained.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bistro
from bistro.inference.chains import Session
from bistro.models.committee.contents import WAYS
from bistro.models.committee.fitting import fitted
from bistro.models.committee.mixture import Fit
from bistro.models.committee.model import CommitteeModel
from bistro.models.isbn.config import LOCAL
from experiments.committee import HEADINGS as OF_COMMITTEES
from experiments.committee import row, speed
from experiments.treebanks import HEADINGS, evaluate, load_split

MEAN_FIELD = {"approximation": "mean-field"}
XPOS = {"tagset": "xpos"}
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "ddt": ("rich features", XPOS),
    "ddt-local": ("local features", {**XPOS, "features": LOCAL}),
    "ddt-unlinked": ("rich, no links", {**XPOS, "links": False}),
    "ddt-field": ("rich, mean field", {**XPOS, **MEAN_FIELD}),
    "ddt-field-local": ("local, mean field", {**XPOS, "features": LOCAL, **MEAN_FIELD}),
    "ddt-80": ("rich, 80 variables", {**XPOS, "hidden": 80}),
    "ewt": ("EWT, rich features", {}),
}
WITHOUT_ISBN = (
    "left", "right", "left-labels", "left-other-tags", "right-other-tags", "eisner",
)  # fmt: skip
"""Members of the committee to which a latent-variable parser is added."""


class Models:
    """Models by name, loaded from a folder or trained at the first access."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        path = self.folder / f"{name}.bistro" if self.folder else None
        if name not in self.made:
            loaded = bistro.load(path) if path and path.exists() else None
            self.made[name] = loaded or self._train(name)
        return self.made[name]

    def _train(self, name: str) -> Any:
        split, begin = load_split(name.partition("-")[0]), time.process_time()
        kind = "committee" if name.endswith("-committee") else "isbn"
        settings = KINDS[name][1] if kind == "isbn" else {"members": WITHOUT_ISBN}
        session = Session(threads=2)
        model = bistro.train(kind, split.train, dev=split.dev, seed=1, session=session, **settings)
        passes, seconds = len(model.origin.trace), time.process_time() - begin
        print(f"{name}: {passes} passes, {seconds:.0f} s of CPU time", flush=True)
        if self.folder:
            model.save(self.folder / f"{name}.bistro")
        return model

    def best(self, name: str) -> CommitteeModel:
        """Return the committee that includes the latent-variable parser of a treebank."""
        without = self[f"{name}-committee"]
        members = [*without.members, self[name]]
        equal = {way: Fit.equal(len(members)) for way in WAYS}
        together = CommitteeModel(without.config, members, equal, without.origin)
        dev = list(load_split(name).dev)
        together.fits = {way: fitted(together, dev, way, 2) for way in WAYS}
        return together


def ddt(models: Models) -> None:
    split = load_split("ddt")
    print(f"\nDDT test, given tags, beam 30\n{'':<24} {HEADINGS}")
    for name in (name for name in KINDS if name.startswith("ddt")):
        found = evaluate(models[name], split.test, tags="given")
        print(f"{KINDS[name][0]:<24} {found.row()}", flush=True)
    for width in (1, 5, 10, 30, 100):
        found = evaluate(models["ddt"], split.test, tags="given", size=width)
        print(f"{f'rich, beam {width}':<24} {found.row()}", flush=True)
    print(f"{'rich, own tags':<24} {evaluate(models['ddt'], split.test, tags='joint').row()}")


def ewt(models: Models) -> None:
    split = load_split("ewt")
    print(f"\nEWT test, beam 30\n{'':<24} {HEADINGS}")
    for tags in WAYS:
        print(f"{f'tags {tags}':<24} {evaluate(models['ewt'], split.test, tags=tags).row()}")


def committee(models: Models) -> None:
    for name in ("ddt", "ewt"):
        test, together = list(load_split(name).test), models.best(name)
        print(f"\n{name} test, committee\n{together.describe()}\n{'':<24} {OF_COMMITTEES}  words/s")
        for label, model in (
            ("without isbn", models[f"{name}-committee"]),
            ("with isbn", together),
        ):
            for tags in WAYS:
                shown = f"{row(model, test, tags=tags)} {speed(model, test, tags):8,.0f}"
                print(f"{f'{label}, tags {tags}':<24} {shown}", flush=True)


def main() -> None:
    """Print the selected tables."""
    tables: dict[str, Callable[[Models], None]] = {
        function.__name__: function for function in (ddt, ewt, committee)
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=list(tables))
    parser.add_argument("--models", type=Path, default=None)
    options = parser.parse_args()
    print(__doc__)
    models = Models(options.models)
    for name in options.tables:
        tables[name](models)


if __name__ == "__main__":
    main()
