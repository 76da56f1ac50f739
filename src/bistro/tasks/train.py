"""The function `train`, which trains a model of any kind on a treebank or text.

>>> import bistro
>>> model = bistro.train("ngram", [["a", "rose", "is", "a", "rose"]], seed=1, order=2)
>>> model
<ngram model of data, 1 sentences, seed 1>
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from bistro import config as configuration
from bistro.errors import BistroError, ConfigError, TreebankError
from bistro.inference.chains import Session
from bistro.models.base import Model
from bistro.models.data import Data
from bistro.models.defaults import check_defaults
from bistro.models.options import a_model
from bistro.models.presets import file_or_preset
from bistro.models.runs import Run
from bistro.models.settings import settled_settings
from bistro.progress import phase
from bistro.rng import check_seed
from bistro.treebank.raw_text import RawText
from bistro.treebank.treebank import Treebank

if TYPE_CHECKING:
    from bistro.models.base import LoadedModel
    from bistro.models.committee.model import CommitteeModel
    from bistro.models.constituents.model import ConstituentsModel
    from bistro.models.eisner.model import EisnerModel
    from bistro.models.grammar.model import GrammarModel
    from bistro.models.isbn.model import IsbnModel
    from bistro.models.linearize.model import LinearizeModel
    from bistro.models.morphology.utterances import UtteranceModel
    from bistro.models.morphology.words import WordsModel
    from bistro.models.ngram.model import NgramModel
    from bistro.models.reader.model import ReaderModel
    from bistro.models.tags.model import TagsModel
    from bistro.models.topics.model import TopicsModel
    from bistro.models.transition.model import TransitionModel
    from bistro.models.trees.model import TreesModel


@overload
def train(kind: Literal["ngram"], data: Data, **options: Any) -> NgramModel: ...
@overload
def train(kind: Literal["transition"], data: Data, **options: Any) -> TransitionModel: ...
@overload
def train(kind: Literal["committee"], data: Data, **options: Any) -> CommitteeModel: ...
@overload
def train(kind: Literal["eisner"], data: Data, **options: Any) -> EisnerModel: ...
@overload
def train(kind: Literal["isbn"], data: Data, **options: Any) -> IsbnModel: ...
@overload
def train(kind: Literal["reader"], data: Data, **options: Any) -> ReaderModel: ...
@overload
def train(kind: Literal["topics"], data: Data, **options: Any) -> TopicsModel: ...
@overload
def train(kind: Literal["linearize"], data: Data, **options: Any) -> LinearizeModel: ...
@overload
def train(kind: Literal["tags"], data: Data, **options: Any) -> TagsModel: ...
@overload
def train(kind: Literal["trees"], data: Data, **options: Any) -> TreesModel: ...
@overload
def train(kind: Literal["constituents"], data: Data, **options: Any) -> ConstituentsModel: ...
@overload
def train(
    kind: Literal["morphology"], data: Data, *, unit: Literal["utterance"], **options: Any
) -> UtteranceModel: ...
@overload
def train(kind: Literal["morphology"], data: Data, **options: Any) -> WordsModel: ...
@overload
def train(kind: Literal["grammar"], data: Data, **options: Any) -> GrammarModel: ...
@overload
def train(kind: str, data: Data, **options: Any) -> LoadedModel: ...
def train(
    kind: str,
    data: Data,
    *,
    config: Any = None,
    seed: int = 1,
    dev: Iterable[Any] | None = None,
    session: Session | None = None,
    text: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    **settings: Any,
) -> Model:
    """Train a model of the given `kind` on a treebank, or on sentences given as lists of words.

    Parameters
    ----------
    kind
        The family of the model, such as ``"transition"``; see `bistro.models.kinds`.
    data
        A treebank, sentences that are lists of words, or the other data that a family learns from
        (constituency trees, segmented words), or the name of a file of such data.
    config
        A configuration object of the family, the name of a preset or of a TOML file, as in
        ``"ud"``; None for the defaults.
    seed
        A whole number from 0 to 2^64 - 1, which determines every random choice.
    dev
        A development set, for families that learn from one: a committee or reader fits the weights
        of its members on it, a latent-variable parser stops learning at its best score there.
    session
        Session that reports the progress of training, and interrupts and resumes it.
    text
        Files of raw text, one sentence per line, from which an n-gram model, a transition or
        latent-variable parser, or a reader learns in addition to its treebank, and from which a
        committee learns classes of words. The parser of a pipeline learns from the files in the
        same way as a separate parser.
    **settings
        Changes of single settings, as in ``order=3`` or ``sampler={"sweeps": 20}``.
    """
    merged = configuration.merged(_settings_of(config), settings)
    family, config = settled_settings(kind, merged, where=f"train {kind}")
    check_defaults(family, config)
    check_seed(seed)
    if dev is not None and not family.dev:
        raise BistroError(f"{a_model(kind)} does not use a development set")
    try:
        items, facts = family.data().items(data, config)
        run = Run(seed, facts, session or Session())
        fitting = {} if dev is None else {"dev": dev if isinstance(dev, Treebank) else list(dev)}
        with run.session.continuing(), phase("training", share=run.session.share):
            if text:
                return family.train_with_text(items, config, run, RawText(text), **fitting)
            return family.train(items, config, run, **fitting)
    except TreebankError as error:
        raise error.in_file(data.path if isinstance(data, Treebank) else None) from None


def _settings_of(config: Any) -> Mapping[str, Any]:
    """Return the settings of a configuration object, preset or file."""
    if config is None:
        return {}
    if isinstance(config, str | os.PathLike):
        return configuration.read_mapping(file_or_preset(os.fspath(config)))
    if isinstance(config, type) or not dataclasses.is_dataclass(config):
        raise ConfigError(
            "config must be a configuration object, or the name of a preset or of a TOML file, "
            f"not {config!r:.60}: give individual settings by name, as in order=3"
        )
    return configuration.to_dict(config)
