"""The committee from outside: files, threads, members, what it says to bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.errors import BistroError, ConfigError, ModelFileError
from bistro.inference.chains import Session
from bistro.modelfile import read_model, write_model
from bistro.models.committee.config import CommitteeConfig
from bistro.models.committee.members import member_settings
from bistro.models.committee.model import WORDS_IN_CHARTS, CommitteeModel
from bistro.models.committee.other_tags import OtherTags
from bistro.models.eisner.model import EisnerModel
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.fitting import preset_for
from bistro.models.transition.model import TransitionModel
from bistro.treebank.sentence import Sentence

SHORT = {"sweeps": 3, "samples": 2}
TEXT = [
    ["The", "dog", "sleeps", "."],
    ["Zzyzx", "qwerty", "plugh"],
    ["Run"],
    ["the", "old", "house", "in", "the", "city", "is", "big", "."],
]


def trained(threads: int = 1, **settings: Any) -> CommitteeModel:
    treebank = bistro.builtin(sentences=80, seed=1)
    model = bistro.train(
        "committee",
        treebank[:60],
        seed=1,
        dev=treebank[60:],
        session=Session(threads=threads),
        sampler=SHORT,
        **settings,
    )
    assert isinstance(model, CommitteeModel)
    return model


@pytest.fixture(scope="module")
def model() -> CommitteeModel:
    return trained()


def single(**settings: Any) -> TransitionModel:
    treebank = bistro.builtin(sentences=60, seed=1)
    model = bistro.train("transition", treebank, seed=1, sampler=SHORT, **settings)
    assert isinstance(model, TransitionModel)
    return model


def eisner(**settings: Any) -> EisnerModel:
    treebank = bistro.builtin(sentences=60, seed=1)
    model = bistro.train("eisner", treebank, seed=1, sampler=SHORT, **settings)
    assert isinstance(model, EisnerModel)
    return model


def test_weights_come_from_the_development_set(model: CommitteeModel) -> None:
    for fit in model.fits.values():
        assert sum(fit.heads) == pytest.approx(1) and sum(fit.tags) == pytest.approx(1)
        assert fit.tags[model.member_names().index("right-other-tags")] == 0
    without = bistro.train(
        "committee", bistro.builtin(sentences=60, seed=1), seed=1, sampler=SHORT, members=["left"]
    )
    assert isinstance(without, CommitteeModel)
    assert without.fits["joint"].heads == (1.0,)


@pytest.mark.parametrize("kind", ["transition", "eisner"])
def test_a_committee_of_one_is_its_member(kind: str) -> None:
    alone = single() if kind == "transition" else eisner()
    committee = CommitteeModel.of([alone])
    committee.fits = {
        way: type(fit)(fit.heads, fit.tags, 1.0) for way, fit in committee.fits.items()
    }
    sentences = bistro.builtin(sentences=20, seed=5)
    options = {"marginals": True} | ({"size": 1000} if kind == "transition" else {})
    pairs = zip(
        committee.parse_all(sentences, **options),
        alone.parse_all(sentences, **options),
        strict=True,
    )
    for together, own in pairs:
        assert together.heads == own.heads
        # Eisner's model takes the likeliest tag first, and then the likeliest label under it.
        assert together.labels == own.labels or kind == "eisner"
        assert together.tags == alone.shown_tags(own.tags)
        assert together.marginals is not None and own.marginals is not None
        for row, other in zip(together.marginals.heads, own.marginals.heads, strict=True):
            # Arcs of next to no probability are not listed.
            assert [p for _, p in row] == pytest.approx([dict(other)[h] for h, _ in row], abs=1e-5)
            assert sum(p for _, p in row) == pytest.approx(1, abs=1e-4)


def test_committees_join_with_equal_shares(model: CommitteeModel) -> None:
    other = single()
    both = CommitteeModel.of([model, other])
    assert len(both.members) == len(model.members) + 1
    fit = both.fits["joint"]
    assert fit.heads[-1] == 0.5
    assert fit.heads[:-1] == tuple(w / 2 for w in model.fits["joint"].heads)


def test_a_very_long_sentence_gets_a_tree() -> None:
    committee = CommitteeModel.of([eisner(), single(), single(direction="right-to-left")])
    words = ["the", "dog", "sleeps", "."] * 260
    parse = committee.parse(words, size=3)
    assert parse.heads.count(0) == 1 and len(parse.heads) == len(words)
    both = list(committee.parse_all([TEXT[0], words, TEXT[3]], size=3, marginals=True))
    assert both[0] == committee.parse(TEXT[0], size=3, marginals=True)
    assert both[2] == committee.parse(TEXT[3], size=3, marginals=True)


def test_charts_have_no_say_in_long_sentences_with_tags_to_be_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A chart over all tags of 1,000 words takes minutes."""
    chart = eisner()
    committee = CommitteeModel.of([chart, single()])
    lengths: list[int] = []

    def votes(sentences: list[Sentence], **options: Any) -> Any:
        lengths.extend(map(len, sentences))
        return type(chart).votes(chart, sentences, **options)

    monkeypatch.setattr(chart, "votes", votes)
    long = ["the", "dog", "sleeps", "."] * (WORDS_IN_CHARTS // 4 + 1)
    parses = list(committee.parse_all([TEXT[0], long], size=3, kbest=2, samples=2))
    assert lengths == [len(TEXT[0])]
    assert [len(parse.samples) for parse in parses] == [2, 2]
    assert parses[0] == committee.parse(TEXT[0], size=3, kbest=2, samples=2)
    tagged = Sentence.from_columns(long, upos=["DET", "NOUN", "VERB", "PUNCT"] * (len(long) // 4))
    committee.parse(tagged, size=3, tags="given")
    assert lengths[-1] == len(long)
    alone = CommitteeModel.of([chart])
    assert alone.most_words_of(chart, {"tags": "joint"}) == chart.most_words


def test_members_that_cannot_differ_are_left_out() -> None:
    tree = Sentence.from_columns(["a", "b"], heads=[2, 0], deprels=["_", "_"], upos=["X", "Y"])
    names: dict[str, Any] = {"members": ["left", "left-labels", "left-table1", "left-other-tags"]}
    config = bistro.config.from_dict(CommitteeConfig, {**names, "spelled": []})
    found = member_settings(config, [tree])
    assert list(found) == ["left", "left-labels"]
    without = found["left-labels"]
    assert isinstance(without, TransitionConfig)
    assert not without.contexts.see_labels


def test_a_gap_in_the_other_tags_is_filled_and_said() -> None:
    """One word without XPOS must not cost two members of six."""
    treebank = list(bistro.builtin(sentences=60, seed=1))
    first = treebank[0]
    treebank[0] = first.replace(xpos=["_", *first.xpos[1:]])
    notes: list[str] = []
    session = Session(on_note=notes.append)
    names = ["left", "left-other-tags"]
    quick = {"members": names, "sampler": {"sweeps": 3, "samples": 1}}
    model = bistro.train("committee", treebank, session=session, **quick)
    assert model.member_names() == names
    assert "XPOS is missing for 1 of " in notes[0]
    assert "_" not in model.members[1].tag_names


@pytest.mark.parametrize(
    ("xpos", "note"),
    [
        ("_", "there is no XPOS"),
        ("X", "all words have the same XPOS"),
        (None, "is the same as UPOS"),
    ],
)
def test_other_tags_that_say_nothing_are_noticed(xpos: str | None, note: str) -> None:
    sentences = bistro.builtin(sentences=20, seed=1)
    changed = [s.replace(xpos=[xpos or tag for tag in s.upos]) for s in sentences]
    other = OtherTags.of(changed, "upos", "xpos")
    assert not other.is_useful
    assert note in other.note
    assert OtherTags.of(sentences, "upos", "xpos").note == ""
    few = [s.replace(xpos=[s.xpos[0], *"_" * (len(s) - 1)]) for s in sentences]
    sparse = OtherTags.of(few, "upos", "xpos")
    assert not sparse.is_useful and "XPOS is missing for" in sparse.note


def test_presets_by_the_features_of_a_treebank() -> None:
    assert preset_for(bistro.builtin(sentences=60, seed=1)) == "ud"
    plain = Sentence.from_columns(["a"], heads=[0], deprels=["root"], upos=["X"])
    assert preset_for([plain]) is None


@pytest.mark.data
def test_presets_of_real_treebanks(data_dir: Path) -> None:
    assert preset_for(bistro.read(data_dir / "ptb_sample/wsj-dev.conll")) == "wsj"
    assert preset_for(bistro.read(data_dir / "da_ddt/danish_ddt_dev.conll")) == "ddt"
    assert preset_for(bistro.read(data_dir / "en_ewt/en_ewt-ud-dev.conllu")) == "ud"


# ---- complaints --------------------------------------------------------------------------------
def test_models_that_cannot_parse_together() -> None:
    labelled, ngram = single(), bistro.train("ngram", [["a", "b"]], seed=1)
    with pytest.raises(BistroError, match="cannot vote"):
        CommitteeModel.of([labelled, ngram])
    with pytest.raises(BistroError, match="models with labels cannot be combined"):
        CommitteeModel.of([labelled, single(labels="none")])
    with pytest.raises(BistroError, match="nonprojective"):
        CommitteeModel.of([labelled, single(nonprojective="path")])


def test_bad_settings() -> None:
    for settings, told in (
        ({"members": []}, "at least one member"),
        ({"members": ["left", "left"]}, "named twice"),
        ({"members": ["lef"]}, "must be one of"),
        ({"particles": 0}, "at least 1"),
    ):
        with pytest.raises(ConfigError, match=told):
            bistro.train("committee", bistro.builtin(sentences=5, seed=1), **settings)
    with pytest.raises(BistroError, match="learns from trees"):
        bistro.train("committee", [["a", "b"]])
    with pytest.raises(BistroError, match="does not use a development set"):
        bistro.train("ngram", [["a", "b"]], dev=[["a"]])


@pytest.mark.parametrize("damage", ["weights", "arrays", "members"])
def test_a_damaged_file(tmp_path: Path, model: CommitteeModel, damage: str) -> None:
    path = tmp_path / "m.bistro"
    model.save(path)
    file = read_model(path)
    header, arrays = dict(file.header), dict(file.arrays)
    if damage == "weights":
        header["fits"] = {"joint": {"heads": [2.0], "tags": [1.0], "sharpness": 1.0}}
    elif damage == "arrays":
        arrays["9/actions.begin"] = np.zeros(3)
    else:
        header["members"] = [*header["members"][:1], {"kind": "nothing"}]
    write_model(tmp_path / "bad.bistro", header, arrays)
    with pytest.raises(ModelFileError, match="damaged"):
        bistro.load(tmp_path / "bad.bistro")
