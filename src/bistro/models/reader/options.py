"""Options for scoring sentences with a reader.

Each member uses those options that apply to its kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bistro.errors import ConfigError
from bistro.models.abilities import Scorer
from bistro.models.options import Options


@dataclass(frozen=True)
class ReaderOptions(Options):
    """Options for summing over analyses. Each member uses the options that apply to its kind."""

    method: Literal["graph", "exact", "smc"] = "graph"
    """The method used by members that sum over analyses by sampling."""
    particles: int = 100
    """Number of particles for members that sample, or of analyses for members that search."""
    repeats: int = 0
    """Number of independent runs for members that sample. 0 uses the default of each member."""
    tags: Literal["all", "seen"] = "all"
    """The tags that a word may have: all tags, or only its tags in training. With only seen tags,
    scoring is faster than with all tags, and the resulting probability is a lower bound."""
    tags_per_word: int = 0
    """Maximum number of tags tried for a word, in order of probability. 0 tries all possible
    tags."""
    seed: int = 1
    part: tuple[int, int] | None = None
    """Index of the first sentence within a larger text, and the total number of its sentences."""
    threads: int = 0
    """Number of threads; 0 uses all cores."""

    def __post_init__(self) -> None:
        """Raise an error if the value of an option is invalid."""
        if self.method not in ("graph", "exact", "smc"):
            raise ConfigError(f"method = '{self.method}' is not valid: choose graph, exact or smc")
        if self.tags not in ("all", "seen"):
            raise ConfigError(f"tags = '{self.tags}' is not valid: choose all or seen")
        for name, least in (("particles", 1), ("repeats", 0), ("tags_per_word", 0)):
            if getattr(self, name) < least:
                raise ConfigError(f"{name} is {getattr(self, name)}, but must be at least {least}")


def known_to(scorer: Scorer, options: ReaderOptions) -> dict[str, Any]:
    """Return the options that a member supports.

    The option `tags` is left out if it has its default value.
    """
    unsaid = {"tags"} if options.tags == "all" else set()
    known = scorer.score_options.names()
    if "repeats" not in known:  # it does not draw
        unsaid.add("method")
    return options.some(sorted(known & options.names() - unsaid))
