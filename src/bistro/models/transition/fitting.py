"""Selection of the preset that fits the features or tags of a treebank.

>>> import bistro
>>> preset_for(bistro.builtin(sentences=60, seed=1))
'ud'
"""

from __future__ import annotations

from collections.abc import Sequence

from bistro import config as configuration
from bistro.models.presets import file_or_preset
from bistro.models.transition.config import TransitionConfig
from bistro.treebank.sentence import Sentence

PRESETS_TRIED = ("ud", "ddt")
PENN_TAGS = frozenset(("NN", "NNS", "VBD", "VBZ", "IN", "DT"))


def preset_for(sentences: Sequence[Sentence]) -> str | None:
    """Return the name of the preset that fits the features or Penn tags of a treebank."""
    features = {
        pair.partition("=")[0]
        for sentence in sentences
        for feats in sentence.feats
        for pair in feats.split("|")
    }
    for name in PRESETS_TRIED:
        wanted = configuration.read_toml(file_or_preset(name), TransitionConfig).tag_features
        if features.issuperset(wanted):
            return name
    tags = {tag for sentence in sentences for tag in sentence.upos}
    return "wsj" if tags >= PENN_TAGS else None
