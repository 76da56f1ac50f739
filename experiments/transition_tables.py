"""Tables 2, 3 and 4 of Buys & Blunsom (2015) on our data: what each part of the model brings.

    python -m experiments.transition_tables [wsj] [ewt]

Development sets, one model a row, seed 1, minimum-risk trees unless said otherwise. UD: all words,
subtypes ignored; np: punctuation left out. The paper's figures (WSJ sections 02-21, twelve times
as much training data) stand beside ours where the rows correspond.
"""

from __future__ import annotations

import sys
from typing import Any

import bistro
from bistro.config import read_toml, to_dict
from bistro.models.presets import file_or_preset
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.model import TransitionModel
from experiments.treebanks import HEADINGS, Split, evaluate, load_split

PAPER_2 = {
    "unlexicalised, gold tags": "85.64 / 82.93",
    "lexicalised, unlexicalised contexts, own tags": "87.95 / 85.04",
    "lexicalised, own tags": "89.09 / 86.78",
    "lexicalised, gold tags": "89.30 / 87.28",
}
PAPER_3 = ("73.25", "80.21", "85.18", "87.23", "87.95", "88.53", "88.93")
PAPER_4 = {5000: "89.04", 1000: "88.93", 100: "87.99", 10: "85.27"}
TABLE_1_CONTEXTS = to_dict(read_toml(file_or_preset("table1"), TransitionConfig).contexts)
TABLE_1 = TABLE_1_CONTEXTS["actions"]


def trained(split: Split, **settings: Any) -> TransitionModel:
    settings.setdefault("contexts", TABLE_1_CONTEXTS)
    return bistro.train("transition", split.train, seed=1, **settings)


def heading(title: str) -> None:
    print(f"\n{title}\n{'':<48} {HEADINGS}   paper (UAS / LAS np)")


def row(name: str, figures: str, paper: str = "") -> None:
    print(f"{name:<48} {figures}   {paper}", flush=True)


def table_2(split: Split) -> None:
    heading(
        f"Table 2, {split.name} dev: lexicalisation and tags (Table 1 contexts, 1000 particles)"
    )
    for name, settings, tags in (
        ("unlexicalised, gold tags", {"lexical": "none"}, "given"),
        ("lexicalised, unlexicalised contexts, own tags", {"lexical": "outcomes"}, "joint"),
        ("lexicalised, own tags", {}, "joint"),
        ("lexicalised, gold tags", {}, "given"),
        ("one <unk> instead of classes, own tags", {"unknown": "single"}, "joint"),
        ("root last, own tags", {"root": "last"}, "joint"),
        ("right to left, own tags", {"direction": "right-to-left"}, "joint"),
        ("labels joint with actions, own tags", {"labels": "joint"}, "joint"),
        ("derivations sampled, own tags", {"derivations": "sampled"}, "joint"),
        ("one sample instead of ten, own tags", {"sampler": {"samples": 1}}, "joint"),
    ):
        if "joint with" in name and split.name == "wsj":
            continue  # no labels in this treebank
        model = trained(split, **settings)
        row(name, evaluate(model, split.dev, tags=tags).row(), PAPER_2.get(name, ""))
    row(
        "lexicalised, own tags, no minimum risk",
        evaluate(trained(split), split.dev, mbr=False).row(),
    )


def table_3(split: Split) -> None:
    heading(f"Table 3, {split.name} dev: context elements one by one (gold tags, 1000 particles)")
    for count, paper in zip(range(2, len(TABLE_1) + 1), PAPER_3, strict=True):
        elements = list(TABLE_1[:count])
        words = ["b.tag", *(e for e in TABLE_1_CONTEXTS["words"] if e in elements)]
        contexts = {**TABLE_1_CONTEXTS, "actions": elements, "tags": elements, "words": words}
        model = trained(split, contexts=contexts)
        row(
            ("" if count == 2 else "+ ") + elements[-1],
            evaluate(model, split.dev, tags="given").row(),
            paper,
        )


def table_4(split: Split) -> None:
    heading(f"Table 4, {split.name} dev: speed against accuracy (Table 1 contexts, one core)")
    model = trained(split)

    def tried(name: str, tags: str, paper: str = "", **options: Any) -> None:
        outcome = evaluate(model, split.dev, tags=tags, **{"mbr": False, **options})
        row(f"{name}, tags {tags}", outcome.row(), paper)

    for tags in ("joint", "given"):
        for particles in (5000, 1000, 100, 10):
            paper = PAPER_4[particles] if tags == "joint" else ""
            tried(
                f"{particles} particles, paper's rule",
                tags,
                paper,
                size=particles,
                selection="paper",
            )
        for particles in (1000, 100, 10):
            tried(f"{particles} particles by weight", tags, size=particles)
            tried(f"{particles} particles by weight, least risk", tags, size=particles, mbr=True)
        for width in (64, 16, 1):
            tried(f"beam of {width}", tags, search="beam", size=width)
        tried("1000, paper's rule, best reduce only", tags, selection="paper", both_reduces=False)
    tried("1000, paper's rule, one tag a word", "joint", selection="paper", tags_per_word=1)


def main() -> None:
    print(__doc__)
    for name in sys.argv[1:] or ("wsj", "ewt"):
        split = load_split(name)
        for table in (table_2, table_3, table_4):
            table(split)


if __name__ == "__main__":
    main()
