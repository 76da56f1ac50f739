"""Taggers: the twin-tag grammar, and what is found with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.errors import BistroError, ConfigError, TreebankError
from bistro.models.tags.config import TagsConfig
from bistro.models.tags.model import TagOptions, TagsModel
from bistro.models.tags.task import UNSEEN, TagsTask
from bistro.models.unbounded.rules import Derivation
from bistro.treebank.sentence import Sentence


def tagged(text: str) -> Sentence:
    forms, tags = zip(*(pair.rsplit("/", 1) for pair in text.split()), strict=True)
    return Sentence.from_columns(forms, upos=tags)


SENTENCES = [tagged("the/D dog/N barks/V"), tagged("the/D dog/N sees/V the/D dog/N")] * 2


@pytest.fixture(scope="module")
def tagger() -> TagsModel:
    return bistro.train("tags", bistro.builtin(sentences=300, seed=1), seed=1)


def learned(
    sentences: Sequence[Sentence] = SENTENCES, **settings: Any
) -> tuple[TagsTask, list[Derivation]]:
    return TagsTask.learn(sentences, TagsConfig(**settings))


def test_a_sentence_is_a_chain() -> None:
    task, derivations = learned()
    assert task.rules.show(derivations[0]) == (
        "(<s> (D' the) (D (N' dog) (N (V' barks) (V </s>))))"
    )
    for sentence, derivation in zip(SENTENCES, derivations, strict=True):
        task.rules.check(derivation)
        assert task.output(sentence.forms, derivation) == sentence.upos
        assert task.terminals(sentence.forms).word.size == len(sentence) + 1
        again = task.derivation(sentence)
        assert again is not None
        assert again.tolist() == derivation.tolist()


def test_all_transitions_and_all_tags_of_unknown_words() -> None:
    task, _ = learned()
    rules, size = task.rules, len(task.tags)
    assert int((rules.second >= 0).sum()) == (size + 1) * size
    emitted = rules.left[rules.first == -1]
    assert sorted(emitted - size - 1) == list(range(size))
    strange = task.derivation(tagged("xyz/N the/D"))
    assert strange is not None
    assert task.rules.show(strange) == "(<s> (N' <unk>) (N (D' the) (D </s>)))"


def test_what_the_grammar_lacks_has_no_derivation() -> None:
    task, _ = learned()
    assert task.derivation(tagged("the/N")) is None
    assert task.derivation(tagged("the/Q")) is None


def test_the_base_is_a_hidden_markov_model() -> None:
    task, derivations = learned()
    base = task.base(task.rules.counts(derivations), 0.0)
    for symbol in range(len(task.rules.symbols)):
        assert base[task.rules.left == symbol].sum() == pytest.approx(1.0)
    # D is followed by N six times out of six; two other tags and the end were never seen.
    step = derivations[0][2]
    assert base[step] == pytest.approx(6 / (6 + 3 * UNSEEN))


def test_names_that_look_like_twins_and_ends_are_names_like_others() -> None:
    odd = [tagged("</s>/' <s>/'' <unk>/'''"), tagged("<unk>/'' </s>/'")] * 2
    task, derivations = learned(odd)
    for sentence, derivation in zip(odd, derivations, strict=True):
        assert task.output(sentence.forms, derivation) == sentence.upos


def test_missing_tags_are_named() -> None:
    broken = [*SENTENCES, tagged("a/D b/_")]
    with pytest.raises(TreebankError, match=r"word 2 \('b'\) of this sentence has no upos tag"):
        learned(broken)
    with pytest.raises(TreebankError, match="no xpos tag"):
        learned(tagset="xpos")
    with pytest.raises(BistroError, match="but lists of words were given"):
        learned([["a", "b"]])  # type: ignore[list-item]


def test_better_than_the_hidden_markov_model(tagger: TagsModel) -> None:
    held = bistro.builtin(sentences=300, seed=9)

    def right(**options: Any) -> int:
        found = tagger.tag_all(held, **options)
        return sum(
            tag == gold
            for tagging in found
            for tag, gold in zip(tagging.tags, tagging.sentence.upos, strict=True)
        )

    assert right() > right(search="hmm")
    assert right(search="mcmc", samples=500) > right(search="hmm")


def test_figures_of_held_out_sentences(tagger: TagsModel) -> None:
    held = list(bistro.builtin(sentences=50, seed=9))
    figures = tagger.figures(held)
    assert figures["trees"] == 50
    assert 50 < figures["% of sentences right"] <= figures["% of tags right"] <= 100


def test_scores_of_tags(tagger: TagsModel) -> None:
    sentence = bistro.builtin(sentences=1, seed=3)[0]
    wrong = sentence.replace(upos=["Q"] * len(sentence))
    scores = tagger.score_tags([wrong, sentence])
    assert scores[0] == -np.inf
    best = tagger.tag(sentence, search="viterbi", mbr=False)
    assert scores[1] <= best.log_prob + 1e-9


def test_options_are_checked() -> None:
    with pytest.raises(ConfigError, match="did you mean 'viterbi'"):
        TagOptions(search="vitebi")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="beam is 0, but must be at least 1"):
        TagOptions(beam=0)
    with pytest.raises(ConfigError, match="A\\* does not compute probabilities"):
        TagOptions(search="astar-full", marginals=True)
    assert TagOptions(search="astar-full").describe() == "astar-full 200, most probable tags"
