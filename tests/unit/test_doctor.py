"""The doctor: opinions against enumeration by hand, and planted errors found."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.errors import BistroError
from bistro.evaluate.doctor import examine, line_of, snippet
from bistro.models.committee.model import CommitteeModel
from bistro.models.eisner.model import EisnerModel
from bistro.tasks import given_the_rest
from bistro.treebank.projectivity import is_projective
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import find_tree_problem
from experiments.doctor import plant_heads, plant_values, share_found

QUICK: dict[str, Any] = {"sampler": {"sweeps": 3, "samples": 1}}
TREEBANK = bistro.builtin(sentences=300, seed=1)


@pytest.fixture(scope="module")
def model() -> EisnerModel:
    return bistro.train("eisner", TREEBANK, seed=1, **QUICK)


def short_sentences(number: int, longest: int = 6) -> list[Sentence]:
    return [s for s in TREEBANK if 3 <= len(s) <= longest and is_projective(s.heads)][:number]


def test_opinions_on_arcs_are_ratios_of_joint_probabilities(model: EisnerModel) -> None:
    """p(head, label | the rest) is p(tree) over the sum of all trees that differ in one arc."""
    committee = CommitteeModel.of([model])
    committee.fits = {w: type(f)(f.heads, f.tags, 1.0) for w, f in committee.fits.items()}
    sentences = short_sentences(4)
    plain = given_the_rest.arcs(committee, sentences)
    # At temperature 1, which members are not asked with, by rescaling what enumeration gives.
    for sentence, opinions in zip(sentences, plain, strict=True):
        for word, opinion in enumerate(opinions):
            logs = {}
            for head in range(len(sentence) + 1):
                heads = [*sentence.heads]
                heads[word] = head
                if head == word + 1 or find_tree_problem(heads, roots="one", partial=False):
                    continue
                if not is_projective(heads):
                    continue
                for label in model.label_names:
                    labels = [*sentence.deprels]
                    labels[word] = label
                    tree = sentence.replace(heads=heads, deprels=labels)
                    parse = model.parse(tree, tags="given", partial=True, temperature=1.0)
                    assert (parse.heads, parse.labels) == (heads, labels)
                    logs[head, label] = parse.log_prob
            total = _share(logs, sentence.heads[word], sentence.deprels[word])
            assert opinion.probability == pytest.approx(total, abs=0.02)


def _share(logs: Mapping[tuple[int, str], float], head: int, label: str) -> float:
    """Return the share of an arc: heads at the parser's temperature, labels given the head at 1."""
    by_head: dict[int, list[float]] = {}
    for (own, _), value in logs.items():
        by_head.setdefault(own, []).append(value)
    sums = {own: np.logaddexp.reduce(values) for own, values in by_head.items()}
    top = max(sums.values())
    powered = {own: math.exp((value - top) / 1.4) for own, value in sums.items()}
    of_head = powered[head] / sum(powered.values())
    return of_head * math.exp(logs[head, label] - sums[head])


@pytest.mark.parametrize("kind", ["eisner", "transition", "committee"])
def test_planted_heads_are_found(kind: str) -> None:
    spoilt, planted = plant_heads(TREEBANK, seed=1, share=0.02)
    found = examine(spoilt, kind=kind, k=3, **QUICK)
    arcs = [*found.crossings, *found.arcs]
    assert len(arcs) == len(found.tags) == TREEBANK.words
    assert share_found(arcs, planted) > 75
    place, word = next(iter(planted))
    mine = next(f for f in arcs if (f.sentence, f.word) == (place, word))
    gold = TREEBANK[place]
    assert mine.annotated == f"{spoilt[place].heads[word - 1]}:{gold.deprels[word - 1]}"


def test_planted_labels_and_tags_are_found() -> None:
    for column in ("deprels", "upos"):
        spoilt, planted = plant_values(TREEBANK, column, seed=2)
        found = examine(spoilt, k=3, **QUICK)
        ranked = found.tags if column == "upos" else found.arcs
        assert share_found(ranked, planted) > 75


def test_planted_heads_make_trees() -> None:
    spoilt, planted = plant_heads(TREEBANK, seed=3, share=0.1)
    assert len(planted) == round(0.1 * TREEBANK.words)
    for place, (old, new) in enumerate(zip(TREEBANK, spoilt, strict=True)):
        changed = {w for w in range(1, len(old) + 1) if old.heads[w - 1] != new.heads[w - 1]}
        assert changed == {word for p, word in planted if p == place}
        assert not find_tree_problem(new.heads, roots="one", partial=False)
    assert plant_heads(TREEBANK, seed=3, share=0.1)[1] == planted


def test_the_order_does_not_depend_on_threads_or_on_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = examine(TREEBANK[:60], k=3, threads=1, **QUICK)
    monkeypatch.setattr(given_the_rest, "WORDS_AT_ONCE", 50)
    second = examine(TREEBANK[:60], k=3, threads=2, **QUICK)
    assert first.arcs == second.arcs
    assert first.tags == second.tags


def test_long_sentences_are_asked_about_once(
    monkeypatch: pytest.MonkeyPatch, model: EisnerModel
) -> None:
    committee = CommitteeModel.of([model])
    sentence = TREEBANK[0]
    monkeypatch.setattr(given_the_rest, "LONGEST", 1)
    opinions = given_the_rest.arcs(committee, [sentence])[0]
    parse = model.parse(sentence, tags="given", marginals=True)
    assert parse.marginals is not None
    for word, opinion in enumerate(opinions):
        assert opinion.probability <= dict(parse.marginals.heads[word])[sentence.heads[word]] + 0.2
    assert len(opinions) == len(sentence)


def test_crossing_arcs_several_roots_and_one_word() -> None:
    crossing = Sentence.from_columns(
        ["a", "hearing", "is", "scheduled", "on", "it", "today"],
        heads=[2, 3, 0, 3, 2, 5, 4],
        deprels=["det", "nsubj", "root", "vc", "nmod", "pc", "advmod"],
        upos=["DET", "NOUN", "AUX", "VERB", "ADP", "PRON", "ADV"],
    )
    two = Sentence.from_columns(
        ["yes", "no"], heads=[0, 0], deprels=["root", "root"], upos=["INTJ", "INTJ"]
    )
    one = Sentence.from_columns(["yes"], heads=[0], deprels=["root"], upos=["INTJ"])
    odd = [crossing, two, one]
    for beside in (TREEBANK[:100], [*TREEBANK[:100], *odd]):
        found = examine(odd, beside=beside, **QUICK)
        assert len(found.arcs) + len(found.crossings) == 10
        assert all(finding.what == "crossing" for finding in found.crossings)
        assert all(0 <= f.surprise <= 50 for f in found.findings)


def test_words_without_labels() -> None:
    bare = [s.replace(deprels=["_"] * len(s)) for s in TREEBANK[:100]]
    spoilt, planted = plant_heads(bare, seed=1, share=0.02)
    found = examine(spoilt, k=3, labels="none", **QUICK)
    assert found.arcs[0].annotated.isdigit()
    assert share_found([*found.crossings, *found.arcs], planted) > 40


def test_other_data_and_folds_beside_it() -> None:
    alone = examine(TREEBANK[:40], beside=TREEBANK[100:200], **QUICK)
    assert "one model of other data" in alone.protocol
    both = examine(TREEBANK[:40], beside=TREEBANK[100:200], k=2, **QUICK)
    assert "2 folds by sentence, plus other data" in both.protocol


def test_half_annotated_sentences_are_left_out() -> None:
    part = [TREEBANK[0].replace(heads=[-1] * len(TREEBANK[0])), *TREEBANK[1:30]]
    found = examine(part, k=2, **QUICK)
    assert found.skipped == 1
    assert min(f.sentence for f in found.findings) == 1
    with pytest.raises(BistroError, match="no sentence has all its heads and tags"):
        examine(part[:1], k=2)
    with pytest.raises(
        BistroError, match="an ngram model does not predict heads and tags; use one of transition"
    ):
        examine(part, kind="ngram")


def test_lines_and_snippets() -> None:
    text = "# a comment\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    rows = [f"{i}\tw{i}\t_\tX\t_\t_\t{i - 1}\tdep\t_\t_\n" for i in range(1, 16)]
    sentence = bistro.read(io.BytesIO(("\n" + text + "".join(rows) + "\n").encode()))[0]
    assert line_of(sentence, 1) == sentence.line + 2
    assert snippet(sentence, 1) == "[w1] w2 w3 w4 w5 w6 …"
    assert snippet(sentence, 8).startswith("… w3 w4")


def test_the_label_of_roots_is_that_of_head_0_and_no_other() -> None:
    def tree(*labels: str) -> Sentence:
        words = [str(number) for number in range(len(labels))]
        return Sentence.from_columns(words, heads=[0, *[1] * (len(labels) - 1)], deprels=labels)

    strict = [tree("root", "obj", "obl")] * 40
    assert given_the_rest._label_of_roots(strict) == "root"
    assert given_the_rest._label_of_roots([*strict, tree("root", "root")]) == "root"
    assert given_the_rest._label_of_roots([*strict, *[tree("pred", "obj")] * 40]) == ""
    assert given_the_rest._label_of_roots([tree("pred", "pred")] * 40) == ""
    assert given_the_rest._label_of_roots([]) == ""


def test_long_sentences_are_examined(model: EisnerModel) -> None:
    """Of a long sentence all arcs are open at once, so that a likelier head may make a circle."""
    lengths = (given_the_rest.LONGEST + 10, EisnerModel.most_words or 0)
    long = [list_of_sentences(length + 1) for length in lengths]
    committee = CommitteeModel.of([model])
    opinions = given_the_rest.arcs(committee, long[:1])
    assert [len(row) for row in opinions] == [len(long[0])]
    found = examine([*TREEBANK[:40], *long], k=2, **QUICK)
    assert {finding.sentence for finding in found.arcs} >= {40}


def list_of_sentences(length: int) -> Sentence:
    """Return sentences in a row as one, their roots in a chain from right to left."""
    forms: list[str] = []
    heads: list[int] = []
    deprels: list[str] = []
    upos: list[str] = []
    for sentence in TREEBANK:
        begin = len(forms)
        root = sentence.heads.index(0) + 1
        forms += sentence.forms
        upos += sentence.upos
        heads += [begin + head if head else -1 for head in sentence.heads]
        deprels += sentence.deprels
        heads[begin + root - 1] = 0
        if begin:
            heads[heads.index(0)] = begin + root
        if len(forms) >= length:
            break
    return Sentence.from_columns(forms, heads=heads, deprels=deprels, upos=upos)
