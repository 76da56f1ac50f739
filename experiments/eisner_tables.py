"""Eisner's model beyond Table 1 of Wallach, Sutton & McCallum (2008).

    python -m experiments.eisner_tables [beyond] [treebanks]

The table of the paper itself is printed by ``python -m experiments.paper wallach-2008 table1``.
`beyond`: the WSJ sample, gold tags (Penn), punctuation excluded, Gibbs seating, seed 1; development
and test part. `treebanks`: EWT and DDT, labels of finished arcs and generated labels, given and
predicted tags, minimum risk.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import bistro
from bistro.config import read_toml, to_dict
from bistro.evaluate.attachment import score
from bistro.models.eisner.config import EisnerConfig
from bistro.models.eisner.model import EisnerModel
from bistro.models.presets import file_or_preset
from experiments.treebanks import HEADINGS, Split, evaluate, load_split

ONE_SAMPLE = {"sweeps": 20, "samples": 1}
GENERATED = to_dict(read_toml(file_or_preset("eisner-generated"), EisnerConfig))
FEATURES = ["PronType", "Case", "VerbForm", "Mood", "Number"]


def trained(split: Split, **settings: Any) -> EisnerModel:
    return bistro.train("eisner", split.train, seed=1, **settings)


def uas(model: EisnerModel, split: Split, **options: Any) -> str:
    """Return UAS without punctuation, on the development and the test part."""
    figures = [
        evaluate(model, part, tags="given", **options).scores.no_punct.uas
        for part in (split.dev, split.test)
    ]
    return " / ".join(f"{figure:.1f}" for figure in figures)


def beyond() -> None:
    split = load_split("wsj")
    print("\nBeyond the paper: Gibbs seating, UAS np, dev / test")
    one = trained(split, tagset="xpos", sampler=ONE_SAMPLE)
    ten = trained(split, tagset="xpos")
    for name, model, options in (
        ("one sample, most probable tree", one, {"mbr": False}),
        ("ten samples averaged, most probable tree", ten, {"mbr": False}),
        ("one sample, minimum risk, temperature 1", one, {"temperature": 1.0}),
        ("ten samples averaged, minimum risk, temperature 1", ten, {"temperature": 1.0}),
        ("ten samples averaged, minimum risk, temperature 1.4", ten, {}),
        ("ten samples averaged, minimum risk, temperature 2", ten, {"temperature": 2.0}),
    ):
        print(f"{name:<50} {uas(model, split, **options)}", flush=True)
    print(f"{'ten samples, one tree drawn per sentence':<50} {drawn(ten, split)}", flush=True)
    for part in ("dev", "test"):
        row = evaluate(ten, getattr(split, part), tags="joint").row()
        print(f"predicted tags, minimum risk, {part}: {HEADINGS}\n{'':<28} {row}", flush=True)


def drawn(model: EisnerModel, split: Split, number: int = 10) -> str:
    """Return the mean UAS of `number` trees drawn from the posterior at temperature 1."""
    figures = []
    for part in (split.dev, split.test):
        options = {"tags": "given", "samples": number, "temperature": 1.0, "mbr": False}
        parses = list(model.parse_all(part, threads=1, **options))
        trees = [[parse.samples[i].heads for parse in parses] for i in range(number)]
        scores = [
            score(part, [s.replace(heads=h) for s, h in zip(part, heads, strict=True)])
            for heads in trees
        ]
        figures.append(sum(s.no_punct.uas or 0.0 for s in scores) / number)
    return " / ".join(f"{figure:.1f}" for figure in figures)


def treebanks() -> None:
    for name in ("ewt", "ddt"):
        split = load_split(name)
        print(f"\n{name}, test part{'':<38} {HEADINGS}")
        features = {"tag_features": FEATURES} if name == "ewt" else {}
        rows: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
            ("labels of arcs", {}, {}),
            ("labels generated", GENERATED, {"tags_per_word": 4, "least_candidate": 0.003}),
            *((("labels of arcs, features", features, {}),) if features else ()),
        ]
        for form, settings, options in rows:
            model = trained(split, **settings)
            for tags in ("given", "joint"):
                row = evaluate(model, split.test, tags=tags, **options).row()
                print(f"{form + ', tags ' + tags:<48} {row}", flush=True)


def main() -> None:
    print(__doc__)
    parts: dict[str, Callable[[], None]] = {
        "beyond": beyond,
        "treebanks": treebanks,
    }
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
