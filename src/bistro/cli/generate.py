"""`bistro generate`: draw sentences from a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import Any, TypeVar

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import flag, option, say
from bistro.files import write_text
from bistro.progress import each

T = TypeVar("T", bound=Sized)


def generate(
    model: str = common.MODEL,
    number: int = option("N", "Number of sentences.", "--number", "-n", default=10, min=1),
    seed: int = common.SEED,
    output: str = outputs.results(outputs.TEXT),
    trees: bool = flag(
        "--trees", "Write CoNLL-U with the trees that were generated together with the sentences."
    ),
    temperature: float = option(
        "T",
        "Draw from p^(1/T). A temperature below 1 favours likely words; a temperature above 1 "
        "favours unlikely words.",
        default=1.0,
    ),
    prefix: str = option("WORDS", "The words with which every sentence begins.", default=""),
) -> None:
    """Draw sentences from a model, one per line, with words separated by spaces.

    The same seed gives the same sentences, and the first ten sentences are the same with -n 10 and
    -n 20. An unknown word is printed as its word class, such as `<unk-lower-ing>`. A model trained
    with unknown=spelling generates the spelling of a new word. With a prefix, a parser draws an
    analysis of the prefix for each sentence, and continues from that analysis.

        bistro generate english.bistro -n 20 --seed 3
        bistro generate english.bistro --prefix "The old man" --temperature 0.7
    """
    from bistro.models.abilities import GENERATE, GENERATE_TREES

    trained = bistro.load(model)
    generator = GENERATE.of(trained)
    limit, cut = generator.longest_generated, 0

    def watched(sentences: Iterable[T]) -> Iterator[T]:
        """Yield sentences unchanged, and count the sentences that reach the length limit."""
        nonlocal cut
        for sentence in each(sentences, "generating", number, "sentences"):
            cut += len(sentence) >= limit
            yield sentence

    options: dict[str, Any] = {"temperature": temperature, "prefix": prefix.split()}
    if trees:
        drawn = GENERATE_TREES.of(trained).generate_trees(number, seed, **options)
        bistro.write(watched(drawn), output)
    else:
        lists = generator.generate(number, seed, **options)
        write_text(output, (" ".join(words) + "\n" for words in watched(lists)))
    if cut:
        say(f"sentences cut at the limit of {limit:.0f} words: {cut}")
