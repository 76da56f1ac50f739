"""The transition parser on the test sets of the WSJ sample, EWT and DDT: the effect of each step.

    python -m experiments.transition_test [wsj] [ewt] [ddt]

One model per row, seed 1, 1000 particles, settings chosen on the development sets. UD: all words
count, subtypes ignored; np: punctuation excluded (Penn tags, UPOS, Unicode category). Other parsers
on the same files: WSJ, the original code 85.3 np with gold tags, 82.2 np and tags 90.8 joint; EWT
with gold tags, MaltParser 85.4 / 83.0, UDPipe 86.3 / 84.2 UD, with predicted tags, UDPipe 82.7 /
79.2; DDT with gold tags np, MaltParser 87.0 / 81.0 (the 85.0 LAS of the ISBN is for the release of
2006, whose labels differ).
"""

from __future__ import annotations

import sys
from typing import Any

import bistro
from bistro.config import read_toml
from bistro.models.presets import file_or_preset
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.model import TransitionModel
from experiments.treebanks import HEADINGS, Split, evaluate, load_split

PRESETS = {"wsj": "wsj", "ewt": "ud", "ddt": "ddt"}


def train_with(split: Split, preset: str, **settings: Any) -> TransitionModel:
    config = read_toml(file_or_preset(preset), TransitionConfig)
    return bistro.train("transition", split.train, seed=1, config=config, **settings)


def report(split: Split) -> None:
    print(f"\n{split.name} test\n{'':<52} {HEADINGS}")
    preset = PRESETS[split.name]
    rows: tuple[tuple[str, tuple[str, dict[str, Any]], dict[str, Any]], ...] = (
        (
            "Table 1 contexts, one sample, best tree",
            ("table1", {"sampler": {"samples": 1}}),
            {"mbr": False},
        ),
        ("+ ten samples averaged", ("table1", {}), {"mbr": False}),
        ("+ minimum risk", ("table1", {}), {}),
        (f"+ contexts chosen on dev (preset {preset})", (preset, {}), {}),
        ("+ derivations sampled", (preset, {"derivations": "sampled"}), {}),
    )
    for name, model, options in rows:
        trained = train_with(split, model[0], **model[1])
        for tags in ("given", "joint"):
            row = evaluate(trained, split.test, tags=tags, **options).row()
            print(f"{name + ', tags ' + tags:<52} {row}", flush=True)


def main() -> None:
    print(__doc__)
    for name in sys.argv[1:] or PRESETS:
        report(load_split(name))


if __name__ == "__main__":
    main()
