"""Whether the words of a sentence are the same in running text, with spaces, and in table cells.

    python -m experiments.given_spaces

A tokeniser is trained on a treebank (seed 1) and segments sentences of another part. The program
counts the sentences with these properties:

    running   the words predicted for one cell of running text are those of the tokeniser alone
    spaced    the predicted words do not change when they are separated by spaces
    cells     the predicted words do not change when the text is split into cells at its spaces, and
              when each word has its own cell
    gold      the treebank's words do not change when they are separated by spaces
    alone     as gold, with the tokeniser alone, which treats the text as running text
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
    """Count the sentences with each of the properties."""

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
