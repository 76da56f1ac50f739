"""Tables 1 and 2 of Titov & Henderson (2007) on our data, EWT, and the committee with an ISBN.

    python -m experiments.isbn_tables [table1] [table2] [ewt] [committee] [--models FOLDER]

`table1`, DDT, gold tags and features, punctuation left out (Unicode category, as in CoNLL-X): rich
features (TF in the paper), local ones (LF), rich ones without links between states (TF-NA), all
with feed-forward means; rich and local ones with mean-field means, which the paper has.
`table2`: F1 of arcs by the length of the dependency, labelled and unlabelled (the paper's figures,
which it calls labelled, have a mean far above its labelled score). `ewt`: UAS and
LAS of all words, tags given and found. `committee`: the default committee with the ISBN of the
treebank as one more member (what `bistro train committee --config best` makes), its weights fitted
on the development part, beside the one without; with their speed on one core.

The paper's figures are on the release of 2006, whose labels differ from these files'. Models are
trained on the training part and stop by the development part, seed 1; those that a FOLDER holds
(`ddt.bistro`, `ddt-local.bistro`, `ewt.bistro`, `ewt-committee.bistro` ...) are not trained again.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bistro
from bistro.evaluate.by_length import score_by_length
from bistro.inference.chains import Session
from bistro.models.committee.mixture import Fit
from bistro.models.committee.model import WAYS, CommitteeModel
from bistro.models.committee.train import fitted
from bistro.models.isbn.config import LOCAL
from experiments.committee import HEADINGS as OF_COMMITTEES
from experiments.committee import row, speed
from experiments.treebanks import HEADINGS, evaluate, load_split, with_analysis

MEAN_FIELD = {"approximation": "mean-field"}
KINDS: dict[str, tuple[str, dict[str, Any], float | None]] = {
    "ddt": ("rich features (TF)", {"tagset": "xpos"}, 85.0),
    "ddt-local": ("local features (LF)", {"tagset": "xpos", "features": LOCAL}, 84.5),
    "ddt-unlinked": ("no links (TF-NA)", {"tagset": "xpos", "links": False}, 83.5),
    "ddt-field": ("rich, mean field", {"tagset": "xpos", **MEAN_FIELD}, 85.0),
    "ddt-field-local": (
        "local, mean field",
        {"tagset": "xpos", "features": LOCAL, **MEAN_FIELD},
        84.5,
    ),
    "ddt-80": ("rich, 80 variables", {"tagset": "xpos", "hidden": 80}, None),
    "ewt": ("EWT, rich features", {}, None),
}
PAPER_BY_LENGTH = {"to root": 95.1, "1": 95.7, "2": 90.1, "3-6": 84.1, ">= 7": 74.7}


class Models:
    """Trained models by name, from a folder or made when first asked for."""

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
        settings = KINDS[name][1] if kind == "isbn" else {}
        session = Session(threads=2)
        model = bistro.train(kind, split.train, dev=split.dev, seed=1, session=session, **settings)
        passes, seconds = len(model.origin.trace), time.process_time() - begin
        print(f"{name}: {passes} passes, {seconds:.0f} s of CPU time", flush=True)
        if self.folder:
            model.save(self.folder / f"{name}.bistro")
        return model

    def best(self, name: str) -> CommitteeModel:
        """Return the committee with the latent-variable parser of a treebank."""
        without = self[f"{name}-committee"]
        members = [*without.members, self[name]]
        equal = {way: Fit.equal(len(members)) for way in WAYS}
        together = CommitteeModel(without.config, members, equal, without.origin)
        dev = list(load_split(name).dev)
        together.fits = {way: fitted(together, dev, way, 2) for way in WAYS}
        return together


def table1(models: Models) -> None:
    split = load_split("ddt")
    print(f"\nDDT test, given tags, beam 30\n{'':<24} {HEADINGS}  paper LAS")
    for name in (name for name in KINDS if name.startswith("ddt")):
        told, _, paper = KINDS[name]
        found = evaluate(models[name], split.test, tags="given")
        print(f"{told:<24} {found.row()} {paper or '':>6}", flush=True)
    for width in (1, 5, 10, 30, 100):
        found = evaluate(models["ddt"], split.test, tags="given", size=width)
        print(f"{f'TF, beam {width}':<24} {found.row()}", flush=True)
    print(f"{'TF, own tags':<24} {evaluate(models['ddt'], split.test, tags='joint').row()}")


def table2(models: Models) -> None:
    split = load_split("ddt")
    print("\nDDT test, given tags: F1 by length, labelled, unlabelled (paper, TF), no punctuation")
    for name in ("ddt", "ddt-local", "ddt-unlinked"):
        parses = models[name].parse_all(split.test, tags="given")
        pairs = zip(split.test, parses, strict=True)
        found = [with_analysis(models[name], s, parse) for s, parse in pairs]
        cells = [
            f"{c.length} {c.las.f1:.1f}, {c.uas.f1:.1f} ({PAPER_BY_LENGTH[c.length]})"
            for c in score_by_length(split.test, found, "unicode")
        ]
        print(f"{KINDS[name][0]:<24} {'  '.join(cells)}", flush=True)


def ewt(models: Models) -> None:
    split = load_split("ewt")
    print(f"\nEWT test, beam 30\n{'':<24} {HEADINGS}")
    for tags in WAYS:
        print(f"{f'tags {tags}':<24} {evaluate(models['ewt'], split.test, tags=tags).row()}")


def committee(models: Models) -> None:
    for name in ("ddt", "ewt"):
        test, together = list(load_split(name).test), models.best(name)
        print(f"\n{name} test, committee\n{together.describe()}\n{'':<24} {OF_COMMITTEES}  words/s")
        for told, model in (
            ("without isbn", models[f"{name}-committee"]),
            ("with isbn", together),
        ):
            for tags in WAYS:
                shown = f"{row(model, test, tags=tags)} {speed(model, test, tags):8,.0f}"
                print(f"{f'{told}, tags {tags}':<24} {shown}", flush=True)


def main() -> None:
    """Print the tables asked for."""
    tables: dict[str, Callable[[Models], None]] = {
        function.__name__: function for function in (table1, table2, ewt, committee)
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=list(tables))
    parser.add_argument("--models", type=Path, default=None)
    chosen = parser.parse_args()
    print(__doc__)
    models = Models(chosen.models)
    for name in chosen.tables:
        tables[name](models)


if __name__ == "__main__":
    main()
