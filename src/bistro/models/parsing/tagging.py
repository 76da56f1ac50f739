"""Tagging by parsing. The tags of a sentence are taken from the tree that a parser finds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from bistro.models.defaults import chosen_options
from bistro.models.inputs import Words
from bistro.models.options import Options
from bistro.models.parsing.options import SharedOptions
from bistro.models.results.parses import Parse
from bistro.models.results.structures import Tagging


class Parsing(ABC):
    """Mixin that provides parsing methods based on `parse_all`."""

    kind: ClassVar[str]
    parse_options: ClassVar[type[SharedOptions]]

    @abstractmethod
    def parse_all(self, sentences: Iterable[Words], **options: Any) -> Iterator[Parse]:
        """Parse sentences and yield the parses in order.

        The options are listed in `parse_options`.
        """

    def parse(self, sentence: Words, **options: Any) -> Parse:
        """Parse one sentence.

        Parameters
        ----------
        sentence
            A list of words, or a sentence of a treebank, with or without annotation.
        **options
            Among others: ``kbest`` (number of trees), ``marginals`` (probabilities of heads, labels
            and tags), ``samples`` (number of sampled trees), ``tags`` (``"joint"`` or ``"given"``),
            ``partial`` (keep the heads and labels of the input), ``particles``, ``temperature``,
            ``mbr``, ``seed``, ``threads``.
        """
        return next(self.parse_all([sentence], **options))

    def parse_protocol(self, **options: Any) -> str:
        """Return a description of how trees are found with these options."""
        settings: SharedOptions = self._parse_options(options)
        return settings.protocol(self.kind)

    def _parse_options(self, options: Mapping[str, Any]) -> Any:
        return chosen_options(self, "parse", options)

    def shown_tags(self, tags: Sequence[str]) -> list[str]:
        """Return tags as they are written in the tag column."""
        return list(tags)


class TaggingByParsing(Parsing):
    """Mixin that provides tagging methods, which return the tags of a parser's trees."""

    @property
    def tag_options(self) -> type[Options]:
        """The options of `tag`, which are the options of `parse`."""
        return self.parse_options

    def tag_protocol(self, **options: Any) -> str:
        """Return a description of how tags are found. Tags are found together with trees."""
        return self.parse_protocol(**options)

    def tag(self, sentence: Words, **options: Any) -> Tagging:
        """Tag one `sentence`. The `options` are the same as for `parse`."""
        return next(self.tag_all([sentence], **options))

    def tag_all(self, sentences: Iterable[Words], **options: Any) -> Iterator[Tagging]:
        """Tag `sentences` and yield the results in order.

        The `options` are the same as for `parse`.
        """
        for parse in self.parse_all(sentences, **options):
            marginals = None
            if parse.marginals is not None:
                marginals = [summed(self.shown_tags, row) for row in parse.marginals.tags]
            tags = self.shown_tags(parse.tags)
            yield Tagging(parse.sentence, tags, parse.log_prob, marginals)


def summed(
    shown: Callable[[Sequence[str]], Sequence[str]], row: Sequence[tuple[str, float]]
) -> list[tuple[str, float]]:
    """Return the probabilities of the displayed forms of tags, most probable first.

    The probabilities of tags with the same displayed form are added up.
    """
    sums: defaultdict[str, float] = defaultdict(float)
    for name, (_, probability) in zip(shown([name for name, _ in row]), row, strict=True):
        sums[name] += probability
    return sorted(sums.items(), key=lambda entry: -entry[1])
