"""Are the words of a sentence the same as running text, with spaces, and in cells of a table?

    python -m experiments.given_spaces

A tokeniser learns a treebank (seed 1) and cuts sentences of another part. Counted are sentences:

    running   the words found in running text are those that the tokeniser alone finds
    spaced    the same words come back when they are written with spaces between them
    cells     the same words come back from cells that hold what is between the spaces of the text,
              and from cells with one word each
    gold      the treebank's own words come back when they are written with spaces between them
    alone     the same by the tokeniser alone, which takes the text for running text
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import bistro
from benchmarks.data import data_dir
from bistro.models.results.tokens import words_in
from bistro.models.tokens.model import TokensModel
from bistro.treebank.sentence import Sentence

PARTS = {
    "EWT dev": ("en_ewt/en_ewt-ud-train.conllu", "en_ewt/en_ewt-ud-dev.conllu"),
    "French ParTUT dev": (
        "fr_partut/fr_partut-ud-train.conllu",
        "fr_partut/fr_partut-ud-dev.conllu",
    ),
    "Hebrew HTB test, learned from dev": (
        "he_htb/he_htb-ud-dev.conllu",
        "he_htb/he_htb-ud-test.conllu",
    ),
}
COUNTED = ("running", "spaced", "cells", "gold", "alone")


def same_words(model: TokensModel, sentences: Sequence[Sentence]) -> Counter[str]:
    """Count the sentences whose words are the same."""

    def in_cells(*cells: str) -> list[str]:
        return [word for tokens in model.cut_cells(cells) for word in words_in(tokens)]

    def alone(text: str) -> list[str]:
        return [word for s in model.tokenise(text) for words in s.words for word in words]

    same: Counter[str] = Counter()
    for sentence in sentences:
        text, spaced = sentence.text or "", " ".join(sentence.forms)
        words = in_cells(text)
        same["running"] += words == alone(text)
        same["spaced"] += words == in_cells(" ".join(words))
        same["cells"] += words == in_cells(*text.split()) == in_cells(*words)
        same["gold"] += in_cells(spaced) == sentence.forms
        same["alone"] += alone(spaced) == sentence.forms
    return same


def main() -> None:
    print(__doc__)
    print("part", "sentences", *COUNTED, sep="\t")
    for name, (train, part) in PARTS.items():
        model = bistro.train("tokens", bistro.read(data_dir() / train), seed=1)
        assert isinstance(model, TokensModel)
        sentences = bistro.read(data_dir() / part)
        same = same_words(model, sentences)
        print(name, len(sentences), *(same[name] for name in COUNTED), sep="\t")


if __name__ == "__main__":
    main()
