"""The latent-variable parser, an incremental sigmoid belief network (Titov & Henderson 2007).

The model is an arc-eager parser that generates the sentence with its tree. Every decision is
predicted from a state, which is a vector of latent binary variables. The means of a state's
variables depend on the features of the words in focus, which are the top of the stack, the front of
the queue, and their relatives. The means of a state also depend on the means of up to seven earlier
states that involved the same words.

    η = Σ_relations J μ' + Σ_features B      μ = σ(η)      p(d) ∝ exp(b_d + Σ_j W_dj μ_j)

The model therefore learns what information about earlier decisions is useful. A shift generates the
next word in three steps: the tag, the features and the form.

>>> import bistro
>>> model = bistro.train("isbn", bistro.builtin(sentences=300, seed=1), seed=1, hidden=20)
>>> model.parse("The dog sleeps .".split()).heads
[2, 3, 0, 3]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from bistro._core import BeamOptions, BeamRequest, IsbnParser, OutputRequest
from bistro.errors import ConfigError
from bistro.modelfile import Arrays
from bistro.models.base import Origin, flat
from bistro.models.inputs import as_sentence
from bistro.models.isbn.codec import IsbnCodec
from bistro.models.isbn.config import IsbnConfig
from bistro.models.isbn.data import OF_OTHERS, IsbnSymbols, array_names
from bistro.models.options import Options
from bistro.models.parsing.language import LanguageAbility
from bistro.models.parsing.options import CoreOptions

LABELS_SUMMED = 10
TAGS_SUMMED = 10
"""Number of labels per arc, and of clusters per word, over which word scores are summed."""


@dataclass(frozen=True)
class IsbnOptions(CoreOptions):
    """Options for beam search and its output."""

    kind: ClassVar[str] = "isbn"

    search: Literal["beam"] = "beam"
    size: int = 30
    """Number of derivations kept after each word."""
    labels_per_arc: int = 5
    margin: float = 2.0
    """Margin for pruning. The probability of the next word in a partial derivation is assumed to be
    at most e^margin times its highest probability in the derivations so far. A partial derivation
    is pruned if it would not remain in the beam under this assumption. If other derivations have
    already taken the same action with the same top of the stack, three quarters of this margin
    apply to everything that follows the action. With the value 2, a beam of 30 and given tags,
    pruning did not change any tree in the Danish development set."""

    def _search(self) -> list[str]:
        return [f"{self.search} {self.size:,}"]

    def __post_init__(self) -> None:
        """Raise an error if this parser does not support the search method."""
        if self.search != "beam":
            raise ConfigError("a latent-variable parser uses a beam, not particles: use --beam")

    def request_for(self, output: OutputRequest) -> BeamRequest:
        """Return a request to the core for the given output, with the search options."""
        search = BeamOptions(
            width=self.size,
            labels_per_arc=self.labels_per_arc,
            tags_per_word=self.tags_per_word,
            margin=self.margin,
        )
        return BeamRequest(output=output, search=search)


@dataclass(frozen=True)
class IsbnScoreOptions(Options):
    """Options for summing over the derivations that the search finds.

    The sum is a lower bound.
    """

    method: Literal["search"] = "search"
    particles: int = 100
    """Number of derivations kept after each word."""
    tags: Literal["seen"] = "seen"
    """Use only the tags and features that a word had in training."""
    seed: int = 1
    """This option has no effect, because nothing is sampled."""
    threads: int = 0
    """Number of threads; 0 uses all cores."""

    def __post_init__(self) -> None:
        """Raise an error if the value of an option is invalid."""
        if self.method != "search":
            raise ConfigError(
                "a latent-variable parser can sum only over the derivations that its search finds: "
                "use --method search"
            )
        if self.particles < 1:
            raise ConfigError(f"particles is {self.particles}, but must be at least 1")

    def request(self, num_tags: int, num_labels: int) -> BeamOptions:
        """Return the options in the format that the C++ core expects."""
        return BeamOptions(
            width=self.particles,
            labels_per_arc=min(num_labels, LABELS_SUMMED),
            tags_per_word=TAGS_SUMMED,
            margin=math.inf,
        )


@dataclass(eq=False, repr=False)
class IsbnModel(LanguageAbility):
    """A trained latent-variable parser."""

    kind: ClassVar[str] = "isbn"
    score_options: ClassVar[type[Options]] = IsbnScoreOptions
    parse_options: ClassVar[type[CoreOptions]] = IsbnOptions

    config: IsbnConfig
    codec: IsbnCodec
    symbols: IsbnSymbols
    weights: NDArray[np.float32]
    origin: Origin
    single_root: bool = field(kw_only=True)

    def __post_init__(self) -> None:
        shape = self.symbols.shape(self.codec, self.config, single_root=self.single_root)
        names = ("seen_begin", "seen_list", "seen_share")
        seen = {name: getattr(self.symbols, name) for name in names}
        self._parser = IsbnParser(shape, self.weights, **seen)

    def summary(self) -> dict[str, Any]:
        """Return the numbers of symbols, state variables and weights."""
        return {**super().summary(), "state": self.config.hidden, "weights": self.weights.size}

    def best_analyses(
        self, sentences: Iterable[Sequence[str]], size: int
    ) -> dict[str, NDArray[np.int32]]:
        """Return the heads, label indices and tag indices of all words in the best parses.

        Words are in the order in which they are generated, which is reversed in a right-to-left
        model.
        """
        batch = self.codec.encode([as_sentence(words) for words in sentences], None)
        arrays = self._parse_batch(
            batch, self._parse_options({"size": size, "mbr": False}).request(), 1
        )
        return {name: arrays[name] for name in ("heads", "labels", "tags")}

    def arrays(self) -> Arrays:
        """Return the weights and the data on words and clusters, as arrays."""
        counted = self.symbols.other_begin.size > 0
        names = array_names(self.config, counted=counted)
        symbols = {name: getattr(self.symbols, name) for name in names}
        return {"weights": self.weights, **flat({"symbols": symbols})}

    @classmethod
    def from_parts(
        cls, config: IsbnConfig, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Restore the model from a file."""
        codec = IsbnCodec.from_parts(config, header, arrays)
        counted = any(f"symbols.{name}" in arrays for name in OF_OTHERS)
        names = array_names(config, counted=counted)
        symbols = IsbnSymbols(**{name: arrays[f"symbols.{name}"] for name in names})
        return cls(
            config, codec, symbols, arrays["weights"], origin, single_root=header["single_root"]
        )
