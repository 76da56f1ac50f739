"""A reader whose text is parsed once: its members learn from treebank and parses together."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from interruptions import Nth

import bistro
from bistro.errors import ConfigError
from bistro.inference.chains import Session
from bistro.inference.checkpoint import Checkpoint, StoppedError
from bistro.models.isbn.model import IsbnModel
from bistro.models.parsing.codec import tags_of
from bistro.models.reader.config import ReaderConfig
from bistro.models.reader.marks import MarkName, marked
from bistro.models.reader.members import members_of
from bistro.models.reader.model import ReaderModel
from bistro.models.reader.text import parted, text_parser_of, usual_features
from bistro.models.transition.config import TransitionConfig
from bistro.treebank.sentence import Sentence

pytestmark = pytest.mark.usefixtures("small_pieces")
SEED = 3
TREES = bistro.builtin(sentences=60, seed=1)
DEV = bistro.builtin(sentences=20, seed=4)
TEXT = [s.forms for s in bistro.builtin(sentences=60, seed=2)] + [["Zyx", "sleeps", "."]] * 3
SHORT = "sampler.sweeps=3 sampler.samples=2"
TAGS = 'tagset=xpos tag_features=["UPOS","Number"]'
MEMBERS = (
    f"ngram {SHORT}",
    f"transition {TAGS} {SHORT}",
    f"isbn {TAGS} hidden=6 learning.passes=2",
)
PARSER = f"isbn {TAGS} hidden=6 learning.passes=2 unknown_below=2"


def reader(raw: Path, session: Session | None = None, **settings: Any) -> ReaderModel:
    own: dict[str, Any] = {"members": MEMBERS, "text_parser": PARSER, **settings}
    found = bistro.train("reader", TREES, seed=SEED, session=session, text=[raw], dev=DEV, **own)
    assert isinstance(found, ReaderModel)
    return found


def parses() -> list[Sentence]:
    """The text as the parser of the text analyses it, with its tags in three columns."""
    parser = bistro.train(
        "isbn",
        TREES,
        seed=SEED,
        dev=DEV,
        tagset="xpos",
        tag_features=("UPOS", "Number"),
        hidden=6,
        unknown_below=2,
        learning={"passes": 2},
    )
    assert isinstance(parser, IsbnModel)
    usual = usual_features(TREES, parser.config)
    found = []
    for words, parse in zip(TEXT, parser.parse_all(TEXT, size=5, mbr=False), strict=True):
        pairs = zip(words, parse.tags, strict=True)
        names = [usual.get((word.lower(), tag), tag).split("|") for word, tag in pairs]
        features = [dict(f.split("=") for f in name[1:] if "=" in f) for name in names]
        columns: dict[str, Any] = {
            "xpos": [name[0] for name in names],
            "upos": [own.get("UPOS", "_") for own in features],
            "feats": [f"Number={own['Number']}" if "Number" in own else "_" for own in features],
        }
        deprels = parse.labels
        found.append(Sentence.from_columns(words, heads=parse.heads, deprels=deprels, **columns))
    return found


def test_members_are_models_of_a_treebank_with_the_parses(raw: Path) -> None:
    found = reader(raw)
    learned, held_out = parted(parses(), DEV)
    assert len(held_out) == 3
    twin = bistro.train(
        "reader", [*TREES, *learned], seed=SEED, dev=[*DEV, *held_out], members=MEMBERS
    )
    assert isinstance(twin, ReaderModel)
    expected = twin.arrays()
    for name, array in found.arrays().items():
        assert np.array_equal(array, expected[name]), name
    assert found.weights.tolist() == twin.weights.tolist()
    assert not found.vocabulary.is_unknown("Zyx")
    assert found.members[1].origin.treebank["texts"][0]["words"] == sum(map(len, TEXT))


def test_rare_features_are_those_of_the_treebank() -> None:
    rows = [("he", "Case=Nom"), ("he", "Case=Acc"), ("He", "Case=Acc"), ("him", "Case=Acc")]
    trees = [Sentence.from_columns([w], upos=["PRON"], feats=[f]) for w, f in rows]
    config = TransitionConfig(tag_features=("Case",))
    assert usual_features([*trees, ["he"]], config) == {
        ("he", "PRON|?"): "PRON|Case=Acc",
        ("him", "PRON|?"): "PRON|Case=Acc",
    }


def test_members_learn_from_marked_trees(raw: Path) -> None:
    wider = PARSER.replace('"Number"', '"Number","Person","PronType","Reflex"')
    transition = (f'transition tagset=xpos tag_features=["Number","Person"] {SHORT}',)
    marks: tuple[MarkName, ...] = ("number",)
    found = reader(raw, members=transition, text_parser=wider, marks=marks)
    plain = reader(raw, members=transition, text_parser=wider)
    alone = bistro.train(
        "reader",
        [marked(s, marks) for s in TREES],
        seed=SEED,
        dev=[marked(s, marks) for s in DEV],
        members=transition,
    )
    twin = bistro.train("reader", TREES, seed=SEED, dev=DEV, members=transition, marks=marks)
    assert isinstance(alone, ReaderModel)
    assert isinstance(twin, ReaderModel)
    assert twin.score(TEXT).log_probs.tolist() == alone.score(TEXT).log_probs.tolist()
    assert found.score(TEXT).log_probs.tolist() != plain.score(TEXT).log_probs.tolist()


def test_stopped_anywhere_and_resumed(raw: Path, tmp_path: Path) -> None:
    whole = reader(raw).to_bytes()
    stops: list[str] = []
    for n in itertools.count(1, 2):
        checkpoint = Checkpoint(tmp_path / f"{n}.checkpoint", every_seconds=1e9)
        stop = Nth(n)
        try:
            reader(raw, Session(checkpoint, stop_requested=stop))
        except StoppedError as stopped:
            stops.append(str(stopped))
        if stop.asked < n:
            break
        assert reader(raw, Session(checkpoint, resume=True)).to_bytes() == whole, n
    assert len(stops) >= 3
    assert any("of raw text" in message for message in stops)


@pytest.mark.parametrize(
    ("parser", "member", "message"),
    [
        ("ngram", "ngram", "an ngram model does not parse raw text"),
        ("isbn", "transition tagset=xpos", "has tagset = xpos, but the parser"),
        ("transition", 'isbn tag_features=["Case"]', "the tag features Case, which the parser"),
        ("isbn labels=none", "ngram", "from left to right and predict labels"),
        ("isbn direction=right-to-left", "ngram", "from left to right and predict labels"),
    ],
)
def test_parses_must_suit_the_members(parser: str, member: str, message: str) -> None:
    config = ReaderConfig(members=(member,), text_parser=parser)
    with pytest.raises(ConfigError, match=message):
        text_parser_of(config, members_of(config, []))


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ('["Number","Person","PronType"]', "the mark 'number' needs the features UPOS"),
        ('["UPOS"]', "the mark 'number' needs the features Number, Person, PronType"),
    ],
)
def test_marks_need_features(features: str, message: str) -> None:
    parser = f"isbn tagset=xpos tag_features={features}"
    members = ('transition tagset=xpos tag_features=["Negated"]',)
    config = ReaderConfig(members=members, text_parser=parser, marks=("number", "negation"))
    with pytest.raises(ConfigError, match=message):
        text_parser_of(config, members_of(config, []))


def test_all_features_are_enough_for_any_member() -> None:
    config = ReaderConfig(members=('transition tag_features=["Case"]',), text_parser="isbn")
    assert text_parser_of(config, members_of(config, [])).kind.name == "isbn"


def test_without_text_nothing_is_parsed() -> None:
    ngram = (f"ngram {SHORT}",)
    plain = bistro.train("reader", TREES, seed=SEED, dev=DEV, members=ngram)
    named = bistro.train("reader", TREES, seed=SEED, dev=DEV, members=ngram, text_parser=PARSER)
    assert plain.score(TEXT).log_probs.tolist() == named.score(TEXT).log_probs.tolist()


def test_the_universal_tag_may_be_joined_to_other_tags() -> None:
    config = TransitionConfig(tagset="xpos", tag_features=("Number", "UPOS"))
    columns: dict[str, Any] = {
        "upos": ["AUX", "PUNCT"],
        "xpos": ["VBZ", "."],
        "feats": ["Number=Sing|Person=3", "_"],
    }
    sentence = Sentence.from_columns(["is", "."], heads=[0, 1], **columns)
    assert tags_of(sentence, config) == ["VBZ|UPOS=AUX|Number=Sing", ".|UPOS=PUNCT"]
