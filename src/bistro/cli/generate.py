"""`bistro generate`: sentences drawn from a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import Annotated, TypeVar

import bistro
from bistro.cli import common
from bistro.cli.common import flag, option, say

T = TypeVar("T", bound=Sized)


def generate(
    model: common.ModelArgument,
    number: Annotated[int, option("N", "How many sentences.", "--number", "-n", min=1)] = 10,
    seed: common.SeedOption = 1,
    output: common.OutputOption = "-",
    trees: Annotated[
        bool, flag("--trees", "CoNLL-U with the trees they were generated with.")
    ] = False,
    temperature: Annotated[
        float, option("T", "Draw by p^(1/T): below 1 the likely, above 1 the unlikely gain.")
    ] = 1.0,
    prefix: Annotated[str, option("WORDS", "What every sentence begins with.")] = "",
) -> None:
    """Draw sentences from a model, one a line, words separated by spaces.

    The same seed gives the same sentences; the first ten of twenty are those of -n 10. An unknown
    word appears as its class, such as `<unk-lower-ing>`; a model trained with unknown=spelling
    spells a new one. A parser goes on from a prefix under an analysis drawn for each sentence anew.

        bistro generate english.bistro -n 20 --seed 3
        bistro generate english.bistro --prefix "The old man" --temperature 0.7
    """
    from bistro.files import writing
    from bistro.models.abilities import GENERATE, GENERATE_TREES

    trained = bistro.load(model)
    limit = Limit(GENERATE.of(trained).longest_generated)
    if trees:
        drawn = GENERATE_TREES.of(trained).generate_trees(
            number, seed, temperature=temperature, prefix=prefix.split()
        )
        bistro.write(limit.watched(drawn), output)
    else:
        lists = trained.generate(number, seed, temperature=temperature, prefix=prefix.split())
        with writing(output) as stream:
            for words in limit.watched(lists):
                stream.write((" ".join(words) + "\n").encode())
    limit.tell()


class Limit:
    """Counts the sentences that were cut since they reached the greatest length."""

    def __init__(self, words: float) -> None:
        self.words = words
        self.reached = 0

    def watched(self, sentences: Iterable[T]) -> Iterator[T]:
        """Yield sentences as they come."""
        for sentence in sentences:
            self.reached += len(sentence) >= self.words
            yield sentence

    def tell(self) -> None:
        """Say how many there were, if any."""
        if self.reached:
            say(f"sentences cut at the limit of {self.words:.0f} words: {self.reached}")
