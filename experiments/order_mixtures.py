"""The models of Futrell & Gibson (2015) on available treebanks: one training for twelve rows."""

from __future__ import annotations

import dataclasses
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

import bistro
from bistro.config import read_toml
from bistro.models.linearize.config import LinearizeConfig
from bistro.models.linearize.model import LinearizeModel
from bistro.models.presets import file_or_preset
from experiments.orders import Data, Floats, PartScores, load, mixed, most_alike

PRESET = "futrell-gibson-2015"
FILES = {
    "Basque": "eu_ud11/eu-ud",
    "Indonesian": "id_ud11/id-ud",
    "English": "en_ewt/en_ewt-ud",
    "French": "fr_partut/fr_partut-ud",
    "Hebrew": "he_htb/he_htb-ud",
}
MODELS = {
    "oo": ("oo",),
    "n1": ("n1",),
    "n2": ("n2",),
    "n3": ("n3",),
    "n123": ("n1", "n2", "n3"),
    "oo+n123": ("oo", "n1", "n2", "n3"),
}
LABELLINGS = {"HDR": ("HDR",), "HDR+R": ("HDR", "R")}
Mixture = tuple[str, str]
"""Labelling and model, as in the paper's tables."""
MIXTURES: list[Mixture] = [(labelling, model) for labelling in LABELLINGS for model in MODELS]
MOST_ALIKE = 5
"""Maximum dependents of one label; a head with more is usually the head of a list."""


@dataclasses.dataclass(frozen=True)
class Trained:
    """One treebank, and one model with all parts of the paper."""

    data: Data
    model: LinearizeModel

    @cached_property
    def dev(self) -> PartScores:
        """Scores of the development part, on which mixture weights are fitted."""
        return PartScores(self.model, self.data.dev)

    @cached_property
    def test(self) -> PartScores:
        """Scores of the test part."""
        return PartScores(self.model, self.data.test)

    def parts(self, mixture: Mixture) -> list[int]:
        """Return the indices of the parts of a mixture."""
        labelling, model = mixture
        names = [f"{x}/{m}" for x in LABELLINGS[labelling] for m in MODELS[model]]
        return [self.model.names.index(name) for name in names]

    def likelihood(self, mixture: Mixture) -> float:
        """Return the mean log-likelihood of a sentence, with parts mixed at each head."""
        parts = self.parts(mixture)
        total = mixed(self.dev.logs[:, parts], self.test.logs[:, parts]).sum()
        return float(total) / len(self.data.test)

    def by_sentence(self, mixture: Mixture) -> Floats:
        """Return the log-likelihoods of sentences, with parts mixed for whole sentences."""
        parts = self.parts(mixture)
        return mixed(*(s.sums(s.logs[:, parts]) for s in (self.dev, self.test)))

    def as_in_public_code(self, mixture: Mixture) -> Floats:
        """Return `by_sentence` with each part computed as in public code of the first author."""
        parts = self.parts(mixture)
        return mixed(*(s.sums(s.as_in_public_code[:, parts]) for s in (self.dev, self.test)))

    @cached_property
    def has_no_list(self) -> NDArray[np.bool_]:
        """True for test sentences without a head that has many dependents of one label."""
        return np.array([most_alike(x, 0) <= MOST_ALIKE for x in self.test.by_sentence])


@cache
def treebank(language: str) -> Data:
    """Read one of the treebanks."""
    return load(FILES[language])


def settings(**changes: object) -> LinearizeConfig:
    """Return the settings of the paper with some changes."""
    return dataclasses.replace(read_toml(file_or_preset(PRESET), LinearizeConfig), **changes)  # type: ignore[arg-type]


@cache
def as_published(language: str) -> Trained:
    """Train with the preset."""
    data = treebank(language)
    model = bistro.train("linearize", data.train, dev=data.dev, config=settings(), seed=1)
    return Trained(data, model)


@cache
def at_best(language: str) -> Trained:
    """Train the same parts with Pitman-Yor smoothing, leaves ignored, as Bistro does by default."""
    data = treebank(language)
    config = LinearizeConfig(models=MODELS["oo+n123"], labellings=LABELLINGS["HDR+R"])
    model = bistro.train("linearize", data.train, dev=data.dev, config=config, seed=1)
    return Trained(data, model)
