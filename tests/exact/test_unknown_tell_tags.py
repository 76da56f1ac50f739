"""How much the class of an unknown word says about its tag (docs/unknown-words.md)."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from bistro.encoding.vocabulary import Vocabulary

Sentence = tuple[list[str], list[str]]


def read_words_and_tags(path: Path, column: int) -> list[Sentence]:
    sentences = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line[:1].isdigit()]
        rows = [row for row in rows if row[0].isdigit()]
        sentences.append(([row[1] for row in rows], [row[column] for row in rows]))
    return sentences


def tag_accuracy(vocabulary: Vocabulary, train: list[Sentence], dev: list[Sentence]) -> float:
    """Give unknown words the commonest tag of their class; return the percentage that is right."""
    tags_of_class: dict[int, Counter[str]] = defaultdict(Counter)
    for words, tags in train:
        for i, tag in zip(vocabulary.encode(words).tolist(), tags, strict=True):
            tags_of_class[i][tag] += 1
    best = {i: min(counts, key=lambda t: (-counts[t], t)) for i, counts in tags_of_class.items()}
    right = [
        best.get(i) == tag
        for words, tags in dev
        for i, tag in zip(vocabulary.encode(words).tolist(), tags, strict=True)
        if i < vocabulary.num_classes
    ]
    return 100 * sum(right) / len(right)


@pytest.mark.data
@pytest.mark.parametrize(
    ("train", "dev", "column", "gain"),
    [
        ("ptb_sample/wsj-train.conll", "ptb_sample/wsj-dev.conll", 4, 14),
        ("en_ewt/en_ewt-ud-train.conllu", "en_ewt/en_ewt-ud-dev.conllu", 3, 10),
        ("da_ddt/danish_ddt_train.conll", "da_ddt/danish_ddt_dev.conll", 3, 6),
        ("eu_ud11/eu-ud-train.conllu", "eu_ud11/eu-ud-dev.conllu", 3, 8),
        ("id_ud11/id-ud-train.conllu", "id_ud11/id-ud-dev.conllu", 3, 3),
    ],
)
def test_suffixes_help_in_every_language(
    data_dir: Path, train: str, dev: str, column: int, gain: float
) -> None:
    train_set = read_words_and_tags(data_dir / train, column)
    dev_set = read_words_and_tags(data_dir / dev, column)
    accuracy = {}
    for suffixes in (0, 100):
        vocabulary = Vocabulary.build((w for w, _ in train_set), unknown_suffixes=suffixes)
        accuracy[suffixes] = tag_accuracy(vocabulary, train_set, dev_set)
        print(f"{train}: {suffixes} suffixes {vocabulary} {accuracy[suffixes]:.1f} %")
    assert accuracy[100] >= accuracy[0] + gain
