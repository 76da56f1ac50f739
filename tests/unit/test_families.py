"""What all families share: typed training and loading, refusals, one figure for one word."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import pytest
from numpy.testing import assert_allclose

import bistro
from bistro.errors import BistroError, ConfigError, TreebankError
from bistro.models import kinds
from bistro.models.base import LacksAbilityError, Model
from bistro.models.committee.model import CommitteeModel
from bistro.models.eisner.model import EisnerModel
from bistro.models.morphology.utterances import UtteranceModel
from bistro.models.morphology.words import WordsModel
from bistro.models.ngram.model import NgramModel
from bistro.models.results.parses import Parse
from bistro.models.transition.model import TransitionModel
from bistro.treebank.sentence import Sentence

QUICK = {"sweeps": 2, "samples": 1}
WORDS = ["The", "dog", "sleeps", "."]


@pytest.fixture(scope="module")
def parser() -> TransitionModel:
    return bistro.train("transition", bistro.builtin(60), sampler=QUICK)


@pytest.fixture(scope="module")
def ngram() -> NgramModel:
    return bistro.train("ngram", bistro.builtin(60), sampler=QUICK)


def test_train_is_typed_by_the_kind(parser: TransitionModel) -> None:
    assert_type(parser.parse(WORDS), Parse)
    assert isinstance(parser, TransitionModel)


def never_called() -> None:
    """What the type checker must find out by itself."""
    assert_type(bistro.train("eisner", []), EisnerModel)
    assert_type(bistro.train("morphology", []), WordsModel)
    assert_type(bistro.train("morphology", [], unit="utterance"), UtteranceModel)


def test_a_loaded_model_can_do_everything_for_the_type_checker(
    parser: TransitionModel, ngram: NgramModel, tmp_path: Path
) -> None:
    parser.save(tmp_path / "p.bistro")
    loaded = bistro.load(tmp_path / "p.bistro")
    assert_type(loaded.parse(WORDS), Parse)
    assert isinstance(loaded, TransitionModel)
    ngram.save(tmp_path / "n.bistro")
    with pytest.raises(LacksAbilityError, match=r"^an ngram model cannot parse; use a transition"):
        bistro.load(tmp_path / "n.bistro").parse(WORDS)


def test_a_missing_ability_is_an_attribute_error_too(ngram: NgramModel) -> None:
    model: Model = ngram
    assert not hasattr(model, "parse")
    assert not hasattr(model, "nonsense")
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        model.nonsense  # type: ignore[attr-defined]  # noqa: B018


def test_models_print_what_they_are(parser: TransitionModel) -> None:
    assert repr(parser) == "<transition model of built-in English, seed 1, 60 sentences, seed 1>"


def test_unknown_options_are_refused_with_the_nearest(parser: TransitionModel) -> None:
    with pytest.raises(ConfigError, match=r"no option 'kbst' to parse \(did you mean 'kbest'\?\)"):
        parser.parse(WORDS, kbst=3)
    committee = CommitteeModel.of([parser])
    with pytest.raises(ConfigError, match="a committee model has no option 'nothing' to parse"):
        committee.parse(WORDS, nothing=3)


def test_an_unknown_kind_names_all_kinds() -> None:
    with pytest.raises(
        BistroError,
        match=r"did you mean 'transition'.*one of columns, committee, constituents, eisner",
    ):
        kinds.find("transitoin")


def test_a_wrong_preset_lists_the_presets() -> None:
    from bistro.models.settings import chosen_settings

    with pytest.raises(ConfigError, match=r"'bestt' \(did you mean 'best'\?\): presets are best"):
        chosen_settings("committee", "bestt")


def test_a_number_is_that_of_built_in_sentences() -> None:
    assert len(bistro.builtin(10)) == 10


def test_a_half_annotated_treebank_is_refused_with_file_line_and_remedy(tmp_path: Path) -> None:
    whole, half = bistro.builtin(2)
    half = half.replace(heads=[-1] * len(half))
    bistro.write([whole, half], tmp_path / "half.conllu")
    treebank = bistro.read(tmp_path / "half.conllu")
    line = treebank[1].line
    for kind in ("transition", "eisner", "isbn", "committee", "topics"):
        with pytest.raises(TreebankError) as caught:
            bistro.train(kind, treebank)
        assert f"half.conllu:{line}: word 1 ('{half.forms[0]}') has no head" in str(caught.value)
        assert "bistro complete" in str(caught.value)


def test_a_tag_with_a_bar_is_generated_whole() -> None:
    tagged = [Sentence.from_columns(["It", "rains"], heads=[2, 0], upos=["DT|A|B", "VB"])] * 8
    model = bistro.train("transition", tagged, sampler=QUICK)
    drawn = [tag for sentence in model.generate_trees(5) for tag in sentence.upos]
    assert "DT|A|B" in drawn and "DT" not in drawn


def test_the_error_of_a_token_is_that_of_its_words_together(parser: TransitionModel) -> None:
    scores = parser.score([WORDS], particles=5, repeats=4)
    single = scores.standard_error
    assert single is not None
    for place in range(len(WORDS) + 1):
        error = scores.error_of(0, place, place + 1)
        assert error is not None
        assert_allclose(error, single[place], rtol=1e-12)
    assert (scores.error_of(0, 0, 4) or 0) != pytest.approx(float(single[:4].sum()))
