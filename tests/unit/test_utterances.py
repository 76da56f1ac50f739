"""Utterances of morphemes as trees of words: roles, clauses, rules and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from bistro.models.morphology.config import MorphologyConfig
from bistro.models.morphology.reader import utterances
from bistro.models.morphology.utterances import OUT, UtteranceTask, is_root, roles
from bistro.treebank.brackets import format_tree
from bistro.treebank.morphology import Paragraph, SegmentedWord, parse_morphemes
from bistro.treebank.morphology_files import read_segmented

CONFIG = MorphologyConfig(unit="utterance", rare=1)


def words(*texts: str) -> Paragraph:
    parsed = [parse_morphemes(text) for text in texts]
    return Paragraph(SegmentedWord("".join(m.form for m in w), w) for w in parsed)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("u[NPrePre15]-ku[BPre15]-fund[VRoot]-a[VerbTerm]", "P1 P2 T S"),
        ("na[AdvPre]-u[N]-ku[B]-zi[R]-fund[VRoot]-is[C]-a[V]", "P1 P2 P3 P3 T S S"),
        ("futhi[Conj]", "T"),
        ("be[AuxVStem]-ku[SC]-hamb[VRoot]-a[V]", "P1 P2 T S"),
        ("lezi[Dem10][Pos1]", "T"),
        ("ka[PossKA]-khulu[Big]", "P1 T"),
        ("un-break-able", "P1 T S"),
    ],
)
def test_roles_of_morphemes(text: str, expected: str) -> None:
    assert " ".join(roles(parse_morphemes(text))) == expected


def test_roots() -> None:
    assert all(map(is_root, ["VRoot", "NStem", "PronStem2", "Intrans", "Dem9][Pos1"]))
    assert not any(map(is_root, ["BPre15", "VerbTerm", "LocSuf", ""]))


def test_utterances_end_at_punctuation_and_lose_it() -> None:
    text = words("a[Conj]", ",[Punc]", "b[Conj]", "c[Conj]", ".[Punc]", ".[Punc]", "d[Conj]")
    sizes = {kind: [len(u) for u in utterances([text], kind)] for kind in ("clause", "sentence")}
    assert sizes == {"clause": [1, 2, 1], "sentence": [3, 1]}
    assert [len(u) for u in utterances([text], "paragraph")] == [4]


def test_trees_become_rules_and_come_back() -> None:
    items = [
        words("u[Pre]-ku[Pre]-fund[VRoot]-a[End]", "futhi[Conj]"),
        words("futhi[Conj]"),
        words("futhi[Conj]", "u[Pre]-fund[VRoot]-a[End]", "ku[Pre]-fund[VRoot]-a[End]"),
    ]
    task, derivations = UtteranceTask.learn(items, CONFIG)
    for item, derivation in zip(items, derivations, strict=True):
        task.rules.check(derivation)
        assert task.output(task.words_of(item), derivation) == task.gold(item)
        again = task.derivation(item)
        assert again is not None
        assert again.tolist() == derivation.tolist()
    assert format_tree(task.gold(items[0])) == (
        "(TOP (Word (P1 u) (P2 ku) (T fund) (S a)) (Word (T futhi)))"
    )
    assert task.rules.show(derivations[0]) == (
        "(TOP (Word (P1 u) (@Word (P2 ku) (@Word (T fund) (S a)))) (Word (T futhi)))"
    )


def test_rare_morphemes_are_classes_by_their_first_letter() -> None:
    items = [words("u[Pre]-fund[VRoot]"), words("u[Pre]-akh[VRoot]"), words("u[Pre]-thand[VRoot]")]
    task, derivations = UtteranceTask.learn(items, CONFIG)
    assert set(task.rules.words) == {*OUT, "u"}
    assert "(T OUT-C)" in task.rules.show(derivations[0])
    assert "(T OUT-V)" in task.rules.show(derivations[1])
    numbers = task.terminals(["u", "enz", "bon", "ENZ"]).word.tolist()
    assert [task.rules.words[n] for n in numbers] == ["u", "OUT-V", "OUT-C", "OUT-V"]


def test_what_the_grammar_does_not_know() -> None:
    task, _ = UtteranceTask.learn([words("u[Pre]-fund[VRoot]")] * 2, CONFIG)
    assert task.derivation(words("fund[VRoot]-a[End]")) is None
    assert format_tree(task.output(["a", "b"], None)) == "(TOP (Word (T a)) (Word (T b)))"


@pytest.mark.data
def test_utterances_of_the_zulu_corpus(data_dir: Path) -> None:
    items = list(utterances(read_segmented(data_dir / "zu_morph" / "zu-test.tsv")))
    task, derivations = UtteranceTask.learn(items, CONFIG)
    for item, derivation in zip(items, derivations, strict=True):
        assert task.output(task.words_of(item), derivation) == task.gold(item)
