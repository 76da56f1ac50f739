"""Parses written as sentences: what changes, what stays, and what the probabilities say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bistro
from bistro.models.results.parses import Analysis, Marginals, Parse
from bistro.models.transition.model import TransitionModel
from bistro.tasks.parsed import ParseWriter
from bistro.treebank.probabilities import put_probabilities, read_probabilities
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import encoded, read

FILE = """\
# sent_id = s1
# text = Don't go.
# log_prob = -1
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tDo\tdo\tAUX\tVBP\tMood=Imp\t3\taux\t3:aux\tX=1|PHead=0.1
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t3:advmod\t_
3\tgo\tgo\tVERB\tVB\t_\t0\troot\t0:root\t_
3.1\telided\t_\tVERB\t_\t_\t_\t_\t3:conj\t_
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t3:punct\t_

"""
HEADS, LABELS, TAGS = [2, 3, 0, 2], ["a", "b", "root", "c"], ["A", "B", "C", "D"]


@pytest.fixture
def sentence(tmp_path: Path) -> Sentence:
    path = tmp_path / "in.conllu"
    path.write_text(FILE)
    return read(path)[0]


def parse_of(sentence: Sentence, marginals: Marginals | None = None, **changes: Any) -> Parse:
    usual = Analysis(heads=HEADS, labels=LABELS, tags=TAGS, log_prob=-9.25, posterior=0.5)
    analysis = replace(usual, **changes)
    return Parse(sentence, [analysis], marginals=marginals)


def only(parse: Parse, **options: Any) -> Sentence:
    (found,) = ParseWriter(**options).sentences(parse)
    return found


def test_only_heads_labels_and_tags_change(sentence: Sentence) -> None:
    expected = FILE.replace("# log_prob = -1\n", "# log_prob = -9.2500\n# parse_rank = 1\n")
    old = [("AUX", "3\taux"), ("PART", "3\tadvmod"), ("VERB", "0\troot"), ("PUNCT", "3\tpunct")]
    lines = expected.split("\n")
    words = [i for i, line in enumerate(lines) if line.split("\t")[0].isdigit()]
    for i, (tag, arc), new, head, label in zip(words, old, TAGS, HEADS, LABELS, strict=True):
        lines[i] = (
            lines[i].replace(f"\t{tag}\t", f"\t{new}\t", 1).replace(arc, f"{head}\t{label}", 1)
        )
    assert str(only(parse_of(sentence))) == "\n".join(lines)


def test_given_tags_stay_but_gaps_are_filled(sentence: Sentence) -> None:
    with_gap = sentence.replace(upos=["AUX", "_", "VERB", "PUNCT"])
    assert only(parse_of(with_gap), given_tags=True).upos == ["AUX", "B", "VERB", "PUNCT"]


def test_tags_of_the_treebank_go_to_xpos(sentence: Sentence) -> None:
    found = only(parse_of(sentence), tag_column="xpos")
    assert (found.upos, found.xpos) == (sentence.upos, TAGS)


def without_features(tags: Sequence[str]) -> list[str]:
    return [tag.partition("|")[0] for tag in tags]


def test_features_joined_to_tags_are_not_written(sentence: Sentence) -> None:
    found = only(parse_of(sentence, tags=["A|X=1", "B", "C|X=2", "D"]), shown_tags=without_features)
    assert found.upos == TAGS
    assert found.feats == sentence.feats


def test_without_labels_the_column_is_empty(sentence: Sentence) -> None:
    marginals = Marginals([[(h, 1.0)] for h in HEADS], [[]] * 4, [[(t, 1.0)] for t in TAGS])
    found = only(parse_of(sentence, marginals, labels=["_"] * 4))
    assert found.deprels == ["_"] * 4
    assert found.misc[1] == "PHead=1.0000|PUpos=1.0000"


def test_probabilities_of_the_values_in_the_row(sentence: Sentence) -> None:
    heads = [[(3, 0.7), (2, 0.3)], [(3, 1.0)], [(0, 1.0)], [(3, 0.6), (2, 0.4)]]
    labels = [[("a", 0.5), ("a↑b", 0.25), ("z", 0.25)], [("b", 0.9)], [("root", 1.0)], [("z", 1.0)]]
    tags = [[("A", 0.8), ("B", 0.2)], [("B", 1.0)], [("C", 1 + 1e-9)], [("E", 1.0)]]
    found = only(parse_of(sentence, Marginals(heads, labels, tags)))
    assert found.misc == [
        "X=1|PHead=0.3000|PDeprel=0.7500|PUpos=0.8000",
        "PHead=1.0000|PDeprel=0.9000|PUpos=1.0000",
        "PHead=1.0000|PDeprel=1.0000|PUpos=1.0000",
        "PHead=0.4000|PDeprel=0.0000|PUpos=0.0000",
    ]
    assert read_probabilities(found, "PHead") == [0.3, 1.0, 1.0, 0.4]
    given = only(parse_of(sentence, Marginals(heads, labels, tags)), given_tags=True)
    assert "PUpos" not in str(given)


def test_a_word_that_was_put_back_has_the_probability_of_its_lifted_arc(sentence: Sentence) -> None:
    heads = [[(3, 0.7)], [(3, 1.0)], [(0, 1.0)], [(3, 1.0)]]
    labels = [[("a↑b", 0.9)], [("b", 1.0)], [("root", 1.0)], [("c", 1.0)]]
    tags = [[(t, 1.0)] for t in TAGS]
    found = only(parse_of(sentence, Marginals(heads, labels, tags)))
    # Word 1 now hangs on 2, whose head 3 it was lifted to; word 4 has no such excuse.
    assert read_probabilities(found, "PHead") == [0.7, 1.0, 1.0, 0.0]


def test_several_parses_are_sentences_in_a_row(sentence: Sentence) -> None:
    one = parse_of(sentence)
    many = Parse(sentence, [one.analyses[0]] * 3)
    found = list(ParseWriter().sentences(many))
    assert [s.metadata["parse_rank"] for s in found] == ["1", "2", "3"]
    assert {s.sent_id for s in found} == {"s1"}
    drawn = list(ParseWriter().sentences(Parse(sentence, one.analyses, one.analyses * 2)))
    assert [s.metadata.get("sample") for s in drawn] == ["1", "2"]
    assert not any("parse_rank" in s.metadata for s in drawn)


def test_text_becomes_conllu_and_conllx_stays() -> None:
    text = Sentence.from_columns(["Do", "n't", "go", "."], format="text")
    writer = ParseWriter()
    list(writer.sentences(parse_of(text)))
    (found,) = writer.sentences(parse_of(text))
    assert found.format == "conllu"
    assert (found.sent_id, found.text) == ("2", "Do n't go .")
    columns = Sentence.from_columns(["Do", "n't", "go", "."], format="conllx", misc=["x"] * 4)
    plain = only(parse_of(columns, Marginals([[]] * 4, [[]] * 4, [[]] * 4)))
    assert (plain.comments, plain.misc, plain.heads) == ([], ["x"] * 4, HEADS)


@pytest.mark.parametrize(
    ("misc", "values", "expected"),
    [
        ("_", {}, "_"),
        ("PHead=0.5", {}, "_"),
        ("A=B|PUpos=0.1|C", {"PHead": 1 / 3}, "A=B|C|PHead=0.3333"),
    ],
)
def test_misc(misc: str, values: dict[str, Any], expected: str) -> None:
    assert put_probabilities(misc, values) == expected


@pytest.fixture(scope="module")
def trained() -> tuple[TransitionModel, list[Sentence]]:
    treebank = bistro.builtin(sentences=260, seed=1)
    settings = {"sampler": {"sweeps": 6, "samples": 2}}
    return bistro.train("transition", treebank[:200], seed=1, **settings), list(treebank[200:])


def test_written_parses_are_read_back_the_same(
    trained: tuple[TransitionModel, list[Sentence]], tmp_path: Path
) -> None:
    model, sentences = trained
    parses = list(model.parse_all(sentences, marginals=True))
    writer = ParseWriter()
    written = [s for parse in parses for s in writer.sentences(parse)]
    path = tmp_path / "out.conllu"
    path.write_bytes(b"".join(encoded(written)))
    for parse, back in zip(parses, read(path), strict=True):
        assert (back.heads, back.deprels, back.upos) == (parse.heads, parse.labels, parse.tags)
        assert parse.marginals is not None
        for word, p in enumerate(read_probabilities(back, "PHead")):
            assert p == pytest.approx(
                dict(parse.marginals.heads[word])[parse.heads[word]], abs=5e-5
            )


def test_the_tree_of_least_risk_has_its_own_probability(
    trained: tuple[TransitionModel, list[Sentence]],
) -> None:
    model, sentences = trained
    risk = list(model.parse_all(sentences, size=3000))
    best = list(model.parse_all(sentences, size=3000, mbr=False))
    same = 0
    for one, other in zip(risk, best, strict=True):
        assert math.isfinite(one.log_prob)
        if (one.heads, one.labels, one.tags) == (other.heads, other.labels, other.tags):
            same += 1
            # The search for one tree finds what a search among all trees found of it, or more.
            assert other.log_prob - 0.01 < one.log_prob < other.log_prob + 1
    assert same > len(sentences) / 2
