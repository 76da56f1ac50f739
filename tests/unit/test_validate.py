"""Trees are told from other head lists exactly as a plain walk to the root tells them."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from bistro.errors import TreebankError
from bistro.treebank.column_file import ColumnReader, _CarefulReader
from bistro.treebank.conllu import CONLLU
from bistro.treebank.treebank import iter_sentences
from bistro.treebank.validate import Roots, find_tree_problem

ROOTS: tuple[Roots, ...] = ("one", "any")


def is_sound(heads: list[int], roots: str, partial: bool) -> bool:
    """The definition, slowly: every word that has a head gets to the root or to a headless word."""
    size = len(heads)
    if all(head == -1 for head in heads):
        return True
    if -1 in heads and not partial:
        return False
    if any(not -1 <= head <= size for head in heads):
        return False
    if roots == "one" and heads.count(0) > 1:
        return False
    for word in range(1, size + 1):
        seen = set()
        while word > 0:
            if word in seen:
                return False
            seen.add(word)
            word = heads[word - 1]
    return True


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_all_head_lists(size: int) -> None:
    for heads in map(list, itertools.product(range(-1, size + 2), repeat=size)):
        for roots, partial in itertools.product(ROOTS, (False, True)):
            problem = find_tree_problem(heads, roots=roots, partial=partial)
            assert (problem is None) == is_sound(heads, roots, partial), (heads, roots, partial)
            assert problem is None or 1 <= problem.word <= size


def test_a_long_cycle_is_shown_in_part() -> None:
    heads = [*range(2, 101), 1, 0]
    problem = find_tree_problem(heads)
    assert problem is not None
    assert problem.reason == (
        "words 1 → 2 → 3 → 4 → 5 → 6 → 7 → 8 → … → 1 are heads of each other in a circle"
    )


@pytest.mark.parametrize("last_head", [0, 50_000], ids=["a chain", "a cycle"])
def test_a_hundred_thousand_words_are_read_or_refused(tmp_path: Path, last_head: int) -> None:
    # A quadratic reader would not come to an end here.
    size = 100_000
    rows = (f"{i}\tw\t_\tX\t_\t_\t{i + 1}\tdep\t_\t_\n" for i in range(1, size))
    path = tmp_path / "long.conllu"
    path.write_text("".join(rows) + f"{size}\tw\t_\tX\t_\t_\t{last_head}\tdep\t_\t_\n")
    if last_head == 0:
        assert len(next(iter_sentences(path))) == size
    else:
        with pytest.raises(TreebankError, match="no word has head 0"):
            next(iter_sentences(path))


@pytest.mark.data
def test_the_fast_reader_and_the_careful_one_agree(data_dir: Path) -> None:
    reader = ColumnReader(CONLLU)
    for sentence in iter_sentences(data_dir / "en_ewt" / "en_ewt-ud-dev.conllu"):
        lines = str(sentence).removesuffix("\n\n").split("\n")
        forms, upos, heads, deprels = _CarefulReader(reader).read(lines, sentence.line)
        assert (forms, upos) == (sentence.forms, sentence.upos)
        assert (heads, deprels) == (sentence.heads, sentence.deprels)
