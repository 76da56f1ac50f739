"""Files with different words: all figures equal those of the official scorer."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from texts import Sentences, official, pairs

from bistro.errors import TreebankError
from bistro.evaluate.attachment import IN_ORDER, AttachmentScores, score
from bistro.evaluate.metrics import AlignedWords, Metric, count_metrics
from bistro.evaluate.word_alignment import align
from bistro.evaluate.word_arrays import Codes, read_words
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import iter_sentences, read, write

NAMES = [name for _, name, _ in IN_ORDER]


def metrics_of(gold: Path, system: Path) -> dict[str, Metric]:
    """Our metrics, with those that mean little because a column is empty."""
    codes = Codes()
    one, other = (read_words(iter_sentences(p, "conllu"), codes, str(p)) for p in (gold, system))
    return count_metrics(AlignedWords(one, other, align(one, other, codes), codes))


def agree(gold: Path, system: Path) -> dict[str, Metric]:
    ours, theirs = metrics_of(gold, system), official(gold, system)
    for name in NAMES:
        expected = theirs[name]
        counts = expected.correct, expected.gold_total, expected.system_total
        assert (ours[name].correct, ours[name].gold, ours[name].system) == counts, name
        assert ours[name].aligned == expected.aligned_total, name
        for figure in ("precision", "recall", "f1", "aligned_accuracy"):
            value, right = getattr(ours[name], figure), getattr(expected, figure)
            # Where there is nothing to count the official scorer says 0.
            assert (value or 0.0) == pytest.approx(100 * (right or 0.0), abs=1e-9), (name, figure)
    return ours


def words_of(sentences: Sentences) -> list[list[str]]:
    return [[word for token in sentence for word in token.words] for sentence in sentences]


@settings(max_examples=400, suppress_health_check=list(HealthCheck))
@given(pair=pairs())
def test_random_splits(
    pair: tuple[Sentences, Sentences, str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    gold_tokens, system_tokens, *texts = pair
    folder = tmp_path_factory.getbasetemp()
    paths = folder / "gold.conllu", folder / "system.conllu"
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    # Files with the same words are aligned word by word, whatever tokens the words are part of.
    if words_of(gold_tokens) != words_of(system_tokens) or gold_tokens == system_tokens:
        agree(*paths)


def resplit(sentences: list[Sentence], rng: random.Random) -> Iterator[Sentence]:
    """The same text with other words, sentences and columns here and there."""
    forms: list[str] = []
    columns: dict[str, Any] = {name: [] for name in ("lemmas", "upos", "feats", "deprels")}
    multiword: list[tuple[int, int, str]] = []
    for sentence in sentences:
        for first, last, form, _, is_multiword in sentence.tokens:
            words = [(form, first)]
            if is_multiword and rng.random() < 0.8:
                words = [(sentence.forms[word - 1], word) for word in range(first, last + 1)]
                multiword.append((len(forms) + 1, len(forms) + len(words), form))
            elif len(form) > 1 and rng.random() < 0.1:
                cut = rng.randrange(1, len(form))
                words = [(form[:cut], first), (form[cut:], first)]
            for word, place in words:
                forms.append(word)
                for name, values in columns.items():
                    right = getattr(sentence, name)[place - 1]
                    values.append(right if rng.random() < 0.9 else "X")
        if rng.random() < 0.8 or sentence is sentences[-1]:
            heads = [0, *(rng.randint(1, word) for word in range(1, len(forms)))]
            yield Sentence.from_columns(forms, heads=heads, multiword=multiword, **columns)
            forms, multiword = [], []
            columns = {name: [] for name in columns}


@pytest.mark.data
@pytest.mark.parametrize("name", ["he_htb/he_htb-ud-dev", "zh_gsdsimp/zh_gsdsimp-ud-test"])
def test_treebanks_split_otherwise(data_dir: Path, tmp_path: Path, name: str) -> None:
    gold, system = data_dir / f"{name}.conllu", tmp_path / "system.conllu"
    write(resplit(list(read(gold)), random.Random(1)), system)
    figures = agree(gold, system)
    assert 70 < (figures["words"].f1 or 0) < 99
    assert 40 < (figures["sentences"].f1 or 0) < 99
    scores = score(read(gold), read(system))
    assert scores.aligned_by == "characters"
    assert scores.lemmas == figures["lemmas"].f1


def file_of(tokens: str) -> str:
    """CoNLL-U of tokens such as `ab=a+b c | d`, where `=` gives words and `|` ends a sentence."""
    blocks = []
    for sentence in tokens.split(" | "):
        lines: list[str] = []
        word = 0
        for token in sentence.split(" "):
            form, _, inside = token.partition("=")
            words = inside.split("+") if inside else [form]
            if inside:
                lines.append("\t".join([f"{word + 1}-{word + len(words)}", form, *"________"]))
            for part in words:
                word += 1
                head = "0" if word == 1 else "1"
                relation = "root" if word == 1 else "det"
                lines.append(
                    "\t".join([str(word), part, "l", "X", "_", "_", head, relation, "_", "_"])
                )
        blocks.append("\n".join([*lines, "", ""]))
    return "".join(blocks)


@pytest.mark.parametrize(
    ("gold", "system", "aligned"),
    [
        ("abcd", "a b c d", 0),
        ("abc d", "a b c d", 1),
        ("a bc d", "a b c d", 2),
        ("abc=a+b+c", "a b c", 3),
        ("abcd=a+b+c+d", "ab=a+b cd=c+d", 4),
        ("abc=a+b+c de=d+e", "a bcd=b+c+d e", 5),
        ("abc=a+BX+c def=d+EX+f", "ab=a+b cd=c+d ef=e+f", 4),
        ("a bc=b+c d", "ab=AX+BX cd=CX+a", 1),
        ("ab=ab c", "ab c", 2),
        # A quirk of the walk: words before the region are compared with those in it.
        ("abc | de=b+e", "a b c | d e", 2),
        ("a b c | d e", "abc | de=b+e", 1),
    ],
)
def test_words_by_hand(tmp_path: Path, gold: str, system: str, aligned: int) -> None:
    paths = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    for path, tokens in zip(paths, (gold, system), strict=True):
        path.write_text(file_of(tokens), encoding="utf-8")
    assert agree(*paths)["words"].correct == aligned


def scores_of(gold: str, system: str) -> AttachmentScores:
    one, other = (iter_sentences(_stream(file_of(text)), "conllu") for text in (gold, system))
    return score(one, other)


def _stream(text: str) -> io.BytesIO:
    return io.BytesIO(text.encode())


def test_same_words_of_other_tokens_are_aligned_word_by_word() -> None:
    """A system that writes no multiword tokens has other characters, but the same words."""
    scores = scores_of("du=de+le pain", "de le pain")
    assert scores.aligned_by == "words"
    assert scores.uas == scores.metrics["words"].f1 == scores.metrics["sentences"].f1 == 100.0
    assert "tokens" not in scores.metrics
    assert scores.unavailable["tokens"] == "different characters in multiword tokens"
    assert scores.no_punct.uas == 100.0


def test_what_needs_the_same_words_says_so() -> None:
    scores = scores_of("ab c", "a b c")
    assert scores.aligned_by == "characters"
    assert scores.no_punct.uas is scores.no_punct.las is scores.upos_sentences is None
    assert scores.unavailable["no_punct"] == "different words"
    assert "aligned by their characters" in scores.protocol["ud"]
    assert "same words only" in scores.protocol["no_punct"]
    figures = {"precision": 100 / 3, "recall": 50.0, "f1": 40.0, "aligned_accuracy": None}
    counts = {"correct": 1, "gold": 2, "system": 3, "aligned": None}
    assert scores.metrics["words"].to_dict() == figures | counts


def test_sentence_borders_alone_may_differ() -> None:
    scores = scores_of("a b | c", "a | b | c")
    assert scores.aligned_by == "characters"
    assert scores.metrics["words"].f1 == scores.metrics["tokens"].f1 == 100.0
    assert scores.metrics["sentences"].correct == 1


@pytest.mark.parametrize(
    ("gold", "system", "told"),
    [
        (
            "a bcd | e",
            "a b c | e",
            "system:5: 'b c e' in sentence 2, but 'bcd e' in sentence 1 at gold:1",
        ),
        ("a b", "a b | c", "system:4: 'c' in sentence 2, but the end of the text in sentence 1"),
        ("a b | c", "a b", "system:1: the end of the text in sentence 1, but 'c' in sentence 2 at"),
        ("\u00e9", "e\u0301 b", "system:1: 'e\u0301 b' in sentence 1, but '\u00e9' in sentence 1"),
    ],
)
def test_other_texts_are_refused(gold: str, system: str, told: str) -> None:
    with pytest.raises(TreebankError) as refused:
        scores_of(gold, system)
    assert str(refused.value).startswith(told)
    assert "bistro convert --to raw" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_token_of_spaces_is_refused() -> None:
    with pytest.raises(TreebankError, match="system:4: a token of sentence 2 contains only spaces"):
        scores_of("ab | c", "a b | \u00a0 c")
