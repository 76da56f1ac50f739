"""Settings of word-order models: parts of the mixture, contexts and smoothing.

Each part of the mixture is a model type with a labelling. The types are ``oo`` (observed orders),
``n1``, ``n2``, … (n-grams of dependents from the head outwards), and ``c`` (Eisner's model C, which
is ``n1``). A labelling names the columns of the head and of each dependent that are used, joined by
``+``, as in ``head.upos+upos+deprel``. The letters H, D and R stand for head tag, dependent tag and
relation, so ``HDR`` is short for ``head.upos+upos+deprel``.

>>> parse_labelling("HDR", "upos")
Labelling(head=('upos',), dependent=('upos', 'deprel'))
>>> parse_labelling("head.lemma+deprel", "upos")
Labelling(head=('lemma',), dependent=('deprel',))
>>> order_of("n3"), order_of("c"), order_of("oo")
(3, 1, None)
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from bistro.config import setting
from bistro.errors import ConfigError, nearest
from bistro.inference.settings import SamplerSettings

COLUMNS = {
    "upos": "upos",
    "xpos": "xpos",
    "deprel": "deprels",
    "form": "forms",
    "lemma": "lemmas",
    "feats": "feats",
}
"""Names that a labelling may use, with the sentence column to which each refers."""
OF_HEAD = "head."
OBSERVED = "oo"
MODEL_C = "c"


class Labelling(NamedTuple):
    """The columns that a labelling uses for the head and for its dependents."""

    head: tuple[str, ...]
    dependent: tuple[str, ...]


def parse_labelling(text: str, tags: str) -> Labelling:
    """Return the columns of a labelling. The letters H and D stand for the column `tags`."""
    if text and set(text) <= set("HDR"):
        letters = {"H": OF_HEAD + tags, "D": tags, "R": "deprel"}
        names = [letters[letter] for letter in text]
    else:
        names = text.split("+")
    known = [*COLUMNS, *(OF_HEAD + name for name in COLUMNS)]
    for name in names:
        if name not in known:
            raise ConfigError(
                f"the labelling '{text}' contains the unknown column '{name}'"
                f"{nearest(name, known)}: use some of the letters H, D and R, or join columns "
                f"with +; the columns are {', '.join(known)}"
            )
    head = tuple(n.removeprefix(OF_HEAD) for n in names if n.startswith(OF_HEAD))
    dependent = tuple(n for n in names if not n.startswith(OF_HEAD))
    if not dependent:
        raise ConfigError(
            f"the labelling '{text}' does not use the dependents, so all of their orders have the "
            "same probability: add a column for the dependents"
        )
    return Labelling(head, dependent)


def order_of(model: str) -> int | None:
    """Return the order n of an n-gram model type, or None for oo."""
    if model == OBSERVED:
        return None
    if model == MODEL_C:
        return 1
    if not re.fullmatch(r"n[1-9][0-9]?", model):
        raise ConfigError(f"unknown word-order model '{model}': choose oo, c, or n1, n2, n3, …")
    return int(model[1:])


@dataclass(frozen=True)
class LinearizeConfig:
    """Settings of word-order models."""

    models: tuple[str, ...] = setting(
        ("oo", "n3"),
        "Types of models in the mixture: observed orders (oo) or n-grams of dependents (n1, n2, "
        "…).",
    )
    labellings: tuple[str, ...] = setting(
        ("HDR", "R"),
        "Columns that each type uses: letters for the head tag (H), dependent tag (D) and "
        "relation (R), or column names such as head.lemma+upos+deprel. The mixture contains every "
        "combination of a type and a labelling.",
    )
    tags: Literal["upos", "xpos"] = setting(
        "upos", "The tag column to which the letters H and D refer."
    )
    punctuation: Literal["removed", "kept"] = setting(
        "removed", "Whether punctuation marks are left out of the trees or ordered like words."
    )
    punct: Literal["auto", "upos", "penn", "unicode"] = setting(
        "auto",
        "How punctuation is recognised: by the UPOS tag PUNCT, by Penn tags, or by Unicode "
        "categories. With auto, the choice depends on the tags in the treebank.",
    )
    smoothing: Literal["pitman-yor", "add-k"] = setting(
        "pitman-yor",
        "Smoothing by Pitman-Yor processes with back-off, or by adding k to every count.",
    )
    k: float = setting(0.01, "Number that add-k smoothing adds to every count.")
    seen: tuple[str, ...] = setting(
        ("head", "side", "last"),
        "Order of the context elements of Pitman-Yor n-grams, starting with the most "
        "informative element. The elements are the side of the head (side), the previous "
        "dependent (last) and the head (head). Any earlier dependents are added at the end.",
    )
    leaves: Literal["ignored", "counted"] = setting(
        "ignored",
        "Whether n-gram models ignore words without dependents or count them as heads with two "
        "empty sides, as Futrell & Gibson (2015) do.",
    )
    held_out_families: int = setting(
        4000,
        "Number of heads from held-out trees that are used to fit the weights of the mixture. The "
        "selected heads are evenly spaced in the data. 0 uses all heads.",
    )
    most_cells: int = setting(
        1 << 22,
        "Maximum number of cells in the table of multisets and contexts for a head. If a head "
        "needs more cells than this, its dependents are ordered by the 1-gram model of the "
        "labelling.",
    )
    sampler: SamplerSettings = setting(
        SamplerSettings(sweeps=10, samples=5), "Settings for training the Pitman-Yor processes."
    )

    def validate(self) -> None:
        """Raise an error if a model type or labelling is invalid or a number is out of range."""
        for name in ("models", "labellings"):
            values = getattr(self, name)
            if not values or len(set(values)) < len(values):
                raise ConfigError(f"{name} must have at least one entry and no repeated entries")
        for model in self.models:
            order_of(model)
        for labelling in self.labellings:
            parse_labelling(labelling, self.tags)
        if not 0 < self.k < math.inf:
            raise ConfigError(f"k is {self.k}, but must be above 0")
        if sorted(self.seen) != ["head", "last", "side"]:
            raise ConfigError("seen must list side, last and head, each exactly once, in any order")
        if self.held_out_families < 0:
            raise ConfigError(
                f"held_out_families is {self.held_out_families}, but must be at least 0"
            )
        if self.most_cells < 1:
            raise ConfigError(f"most_cells is {self.most_cells}, but must be at least 1")
