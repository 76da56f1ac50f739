"""The parser with an open vocabulary: unseen words are spelled given their tags."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.errors import BistroError
from bistro.inference.chains import Session
from bistro.inference.checkpoint import Checkpoint, StoppedError
from bistro.modelfile import read_model
from bistro.models.transition.model import TransitionModel
from bistro.models.transition.workbench import Workbench
from bistro.treebank.sentence import Sentence

SETTINGS: dict[str, Any] = {
    "unknown": "spelling",
    "sampler": {"sweeps": 6, "samples": 3},
    "spelling": {"order": 4},
}
TREES = list(bistro.builtin(sentences=150, seed=1))
WIDE: dict[str, Any] = {"method": "search", "particles": 10_000}
STRANGE = ["The", "fjordly", "dog", "barkinged", "quickly", "."]


def trained(**settings: Any) -> TransitionModel:
    model = bistro.train("transition", TREES, seed=1, **{**SETTINGS, **settings})
    assert isinstance(model, TransitionModel)
    return model


@pytest.fixture(scope="module")
def model() -> TransitionModel:
    return trained()


def one_word_terms(model: TransitionModel, word: str) -> list[float]:
    """log p(tree, tag, word) of the sentence of one word, for each tag given as evidence."""
    totals = []
    for tag in model.codec.tags:
        sentence = Sentence.from_columns([word]).replace(upos=[tag])
        totals.append(model.parse(sentence, tags="given", mbr=False).log_total)
    return totals


def test_a_word_is_spelled_given_its_tag(model: TransitionModel) -> None:
    """Against the definition: p(<unk> | tag) times p(string | tag, not known), tag by tag."""
    speller = model.codec.speller
    assert speller is not None
    word = "fjordly"
    with_spelling = one_word_terms(model, word)
    model.codec.speller = None
    try:
        without = one_word_terms(model, word)
    finally:
        model.codec.speller = speller
    expected = np.array(without) + speller.log_unseen([word])[0]
    assert with_spelling == pytest.approx(expected, abs=1e-9)
    # The language model sums the tags out.
    scores = model.score([[word]], **WIDE)
    assert scores.log_probs.sum() == pytest.approx(np.logaddexp.reduce(expected), abs=1e-6)


def test_all_one_word_sentences_sum_to_the_mass_of_their_length(model: TransitionModel) -> None:
    """Known words, and the reserved dish for all others, against unknown words without spelling."""
    speller = model.codec.speller
    assert speller is not None
    known = [[word] for word in model.codec.vocabulary.words]
    total = np.exp(model.score(known, **WIDE).log_probs.reshape(-1, 2).sum(axis=1)).sum()
    model.codec.speller = None
    try:
        reserved = math.exp(model.score([["fjordly"]], **WIDE).log_probs.sum())
    finally:
        model.codec.speller = speller
    by_tag = np.exp(one_word_terms(model, "fjordly") - speller.log_unseen(["fjordly"])[0])
    assert by_tag.sum() == pytest.approx(reserved, abs=1e-9)
    assert 0 < total + reserved < 1


def test_scores_are_finite_consistent_and_marked(model: TransitionModel) -> None:
    text = [STRANGE, ["\u4e2d\U0001f600", "x" * 3000, "dog"]]
    table = model.surprisal(text, particles=50, repeats=3)
    assert all(math.isfinite(row.surprisal) for row in table)
    assert [row.oov for row in table if row.sent_id == "1"] == [0, 1, 0, 1, 0, 0, 0]
    for row in table:
        assert row.surprisal_lex is not None and row.surprisal_syn is not None
        assert row.surprisal_lex + row.surprisal_syn == pytest.approx(row.surprisal)
        assert row.surprisal_syn > -1e-6 or row.mc_se is not None
    unseen = next(row for row in table if row.token == "fjordly")
    assert unseen.surprisal_lex is not None and unseen.surprisal_lex > 20
    firsts = [row for row in table if row.sent_id == "1"]
    assert sum(r.surprisal for r in firsts) == pytest.approx(-firsts[-1].prefix_log2_prob)


def test_parses_agree_with_the_sum(model: TransitionModel) -> None:
    parse = model.parse(STRANGE, size=5000)
    scores = model.score([STRANGE], method="search", particles=5000)
    assert parse.log_total == pytest.approx(scores.log_probs.sum(), rel=0.02)
    assert parse.log_prob <= parse.log_total + 1e-9


def test_threads_files_and_seeds(model: TransitionModel, tmp_path: Path) -> None:
    text = [STRANGE, STRANGE[::-1]]
    one, two = (model.score(text, threads=n).log_probs for n in (1, 2))
    assert (one == two).all()
    first, second = tmp_path / "a.bistro", tmp_path / "b.bistro"
    model.save(first)
    loaded = bistro.load(first)
    loaded.save(second)
    assert first.read_bytes() == second.read_bytes()
    assert (loaded.score(text).log_probs == one).all()
    again = bistro.train("transition", TREES, seed=1, session=Session(threads=2), **SETTINGS)
    again.save(second)
    assert first.read_bytes() == second.read_bytes()


def test_generation_spells_and_goes_on_from_unseen_words(model: TransitionModel) -> None:
    drawn = [word for sentence in model.generate(300, seed=2) for word in sentence]
    new = {word for word in drawn if model.codec.vocabulary.is_unknown(word)}
    assert new and "<unk>" not in drawn
    prefix = ["The", "fjordly"]
    assert all(s[:2] == prefix for s in model.generate(5, seed=1, prefix=prefix))


@pytest.mark.parametrize("derivations", ["oracle", "sampled"])
def test_resumed_training_ends_in_the_same_file(tmp_path: Path, derivations: str) -> None:
    settings = {**SETTINGS, "derivations": derivations, "particles": 3}
    done = 0

    def stop_requested() -> bool:
        nonlocal done
        done += 1
        return done == 4

    checkpoint = Checkpoint(tmp_path / "m.checkpoint")
    with pytest.raises(StoppedError):
        session = Session(checkpoint, stop_requested=stop_requested)
        bistro.train("transition", TREES[:40], seed=1, session=session, **settings)
    assert "spelling.customers" in read_model(checkpoint.path).arrays
    whole = bistro.train("transition", TREES[:40], seed=1, **settings)
    session = Session(checkpoint, resume=True)
    resumed = bistro.train("transition", TREES[:40], seed=1, session=session, **settings)
    whole.save(tmp_path / "whole.bistro")
    resumed.save(tmp_path / "resumed.bistro")
    assert (tmp_path / "whole.bistro").read_bytes() == (tmp_path / "resumed.bistro").read_bytes()


def test_other_shapes_of_the_model() -> None:
    mirrored = trained(direction="right-to-left")
    left = mirrored.parse(STRANGE)
    assert len(left.heads) == len(STRANGE) and math.isfinite(left.log_prob)
    # Spelling must follow the words into the mirror: given tags, only their own words count.
    speller = mirrored.codec.speller
    assert speller is not None
    sentence = Sentence.from_columns(["fjordly", "barks"]).replace(upos=["ADV", "VERB"])
    total = mirrored.parse(sentence, tags="given", mbr=False).log_total
    mirrored.codec.speller = None
    plain = mirrored.parse(sentence, tags="given", mbr=False).log_total
    mirrored.codec.speller = speller
    strangers = [w for w in sentence.forms if mirrored.codec.vocabulary.is_unknown(w)]
    by_word = dict(zip(strangers, speller.log_unseen(strangers), strict=True))
    tags = dict(zip(sentence.forms, ("ADV", "VERB"), strict=True))
    expected = sum(row[mirrored.codec.tags.index(tags[w])] for w, row in by_word.items())
    assert total - plain == pytest.approx(expected, abs=1e-9)
    unlexical = trained(lexical="none")
    assert unlexical.codec.speller is None
    assert len(unlexical.parse(STRANGE).heads) == len(STRANGE)


def test_a_search_over_settings_refuses_spelling(model: TransitionModel) -> None:
    with pytest.raises(BistroError, match="a search cannot train models"):
        Workbench(TREES, seed=1).model(model.config)
