"""Raw text for the latent-variable parser, the n-gram model and the reader: what they learn from
it, and that a training with text can be stopped anywhere."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from interruptions import Nth

import bistro
from bistro.errors import BistroError, ConfigError
from bistro.inference.chains import Session
from bistro.inference.checkpoint import Checkpoint, StoppedError
from bistro.models.base import Model
from bistro.models.isbn.model import IsbnModel
from bistro.models.pipeline.model import PipelineModel
from bistro.models.reader.model import ReaderModel
from bistro.models.transition.model import TransitionModel
from bistro.treebank.sentence import Sentence

pytestmark = pytest.mark.usefixtures("small_pieces")
SEED = 3
TREES = bistro.builtin(sentences=60, seed=1)
DEV = bistro.builtin(sentences=20, seed=4)
TEXT = [s.forms for s in bistro.builtin(sentences=60, seed=2)] + [["Zyx", "sleeps", "."]] * 3
SMALL: dict[str, Any] = {"hidden": 6, "unknown_below": 2, "learning": {"passes": 2}}
ALL_TEXT = {"passes": 2, "held_out": 1e-6}
"""No sentence of the text is held out."""
SHORT = "sampler.sweeps=3 sampler.samples=2"
MEMBERS = (f"ngram {SHORT}", f"transition:table1 {SHORT}", "isbn hidden=6 learning.passes=2")


def isbn(raw: Path | None, session: Session | None = None, **settings: Any) -> IsbnModel:
    text = [raw] if raw else []
    own: dict[str, Any] = {**SMALL, **settings}
    model = bistro.train("isbn", TREES, dev=DEV, seed=SEED, session=session, text=text, **own)
    assert isinstance(model, IsbnModel)
    return model


def reader(raw: Path, session: Session | None = None) -> ReaderModel:
    found = bistro.train(
        "reader", TREES, seed=SEED, session=session, text=[raw], dev=DEV, members=MEMBERS
    )
    assert isinstance(found, ReaderModel)
    return found


def parsed(parser: IsbnModel, beam: int) -> list[Sentence]:
    """The text with the trees that the search finds best."""
    column = parser.config.tagset
    return [
        Sentence.from_columns(words, heads=parse.heads, deprels=parse.labels).replace(
            **{column: parse.tags}
        )
        for words, parse in zip(TEXT, parser.parse_all(TEXT, size=beam, mbr=False), strict=True)
    ]


def twin_of(trees: list[Sentence], **settings: Any) -> IsbnModel:
    """A parser of a treebank that has the parses in it."""
    both = [*TREES, *trees]
    model = bistro.train("isbn", both, dev=DEV, seed=SEED, **{**SMALL, **settings})
    assert isinstance(model, IsbnModel)
    return model


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"unknown": "single", "raw_text": {"beam": 2}},
        {"direction": "right-to-left"},
        {"tagset": "xpos", "listed": 4},
    ],
    ids=str,
)
def test_parses_are_learned_like_trees_of_the_treebank(raw: Path, settings: dict[str, Any]) -> None:
    plain: dict[str, Any] = {"tag_features": (), "learning": ALL_TEXT, **settings}
    model = isbn(raw, **plain)
    first = isbn(None, **{**plain, "unknown": "classes"})
    twin = twin_of(parsed(first, model.config.raw_text.beam), **plain)
    expected = twin.arrays()
    for name, array in model.arrays().items():
        assert np.array_equal(array, expected[name]), name


def test_a_second_round_parses_with_the_first_model(raw: Path) -> None:
    plain: dict[str, Any] = {"tag_features": (), "learning": ALL_TEXT}
    twice = isbn(raw, raw_text={"rounds": 2}, **plain)
    twin = twin_of(parsed(isbn(raw, **plain), 5), **plain)
    assert np.array_equal(twice.weights, twin.weights)


def test_some_of_the_text_is_held_out(raw: Path) -> None:
    known = isbn(None).origin.treebank["held_out_sentences"]
    assert known <= len(DEV)
    found = {share: isbn(raw, learning={"passes": 2, "held_out": share}) for share in (0.1, 0.9)}
    counts = {share: m.origin.treebank["held_out_sentences"] for share, m in found.items()}
    assert counts[0.1] == known + round(0.1 * len(TEXT))
    assert counts[0.9] == known + len(DEV)
    assert not np.array_equal(found[0.1].weights, found[0.9].weights)


def test_features_and_lemmas_are_those_of_the_treebank(raw: Path) -> None:
    features = ("rich", "s1.lemma")
    model = isbn(raw, features=features)
    assert set(model.codec.tags) == set(isbn(None, features=features).codec.tags)
    assert not model.vocabulary.is_unknown("Zyx")
    word = int(model.vocabulary.encode(["Zyx"])[0])
    assert model.symbols.lemma_of[word] == 0
    known = int(model.vocabulary.encode(["the"])[0])
    assert model.codec.lemmas[model.symbols.lemma_of[known] - 1] == "the"


def test_an_ngram_model_learns_the_words_of_both(raw: Path) -> None:
    short = {"sweeps": 3, "samples": 2}
    model = bistro.train("ngram", TREES, text=[raw], seed=SEED, sampler=short)
    words = [*(s.forms for s in TREES), *TEXT]
    twin = bistro.train("ngram", words, seed=SEED, sampler=short)
    assert model.score(TEXT).log_probs.tolist() == twin.score(TEXT).log_probs.tolist()
    assert model.origin.treebank["texts"][0]["words"] == sum(map(len, TEXT))


def test_the_parser_of_a_pipeline_is_the_parser_alone(raw: Path) -> None:
    short = {"sampler": {"sweeps": 3, "samples": 2}}
    settings = str(raw.with_suffix(".toml"))
    Path(settings).write_text("[sampler]\nsweeps = 3\nsamples = 2\n")
    made: dict[str, Any] = {"seed": SEED, "parser": "transition", "parser_config": settings}
    pipeline = bistro.train("pipeline", TREES, text=[raw], **made)
    assert isinstance(pipeline, PipelineModel)
    alone = bistro.train("transition", TREES, text=[raw], seed=SEED, **short).arrays()
    assert isinstance(pipeline.parser, TransitionModel)
    found = pipeline.parser.arrays()
    assert alone.keys() == found.keys()
    assert all(np.array_equal(found[name], array) for name, array in alone.items())
    without = bistro.train("pipeline", TREES, **made)
    assert isinstance(without, PipelineModel)
    assert isinstance(without.parser, TransitionModel)
    assert any(len(found[name]) != len(array) for name, array in without.parser.arrays().items())


def test_a_pipeline_says_which_parsers_learn_from_text(raw: Path) -> None:
    with pytest.raises(BistroError, match=r"eisner.*raw text"):
        bistro.train("pipeline", TREES, text=[raw], parser="eisner")


def test_the_members_of_a_reader_are_the_models_alone(raw: Path) -> None:
    found = reader(raw)
    fitting: dict[str, Any] = {"isbn": {"dev": DEV}}
    alone: list[Model] = [
        bistro.train(
            member.kind,
            TREES,
            text=[raw],
            seed=SEED,
            config=member.config,
            **fitting.get(member.kind, {}),
        )
        for member in found.members
    ]
    for member, model in zip(found.members, alone, strict=True):
        own = model.arrays()
        for name, array in member.arrays().items():
            assert np.array_equal(array, own[name]), (member.kind, name)


def test_sentences_without_trees_may_fit_the_weights(raw: Path) -> None:
    dev = [*DEV, *TEXT[:5]]
    found = bistro.train("reader", TREES, seed=SEED, text=[raw], dev=dev, members=MEMBERS[2:])
    assert isinstance(found, ReaderModel)
    assert np.array_equal(found.members[0].arrays()["weights"], isbn(raw).weights)
    only = bistro.train("reader", TREES, seed=SEED, dev=TEXT[:5], members=MEMBERS[2:])
    assert only.origin.treebank["sentences"] == len(TREES)


@pytest.mark.parametrize("threads", [2, 5])
def test_any_number_of_threads(raw: Path, threads: int) -> None:
    assert isbn(raw, Session(threads=threads)).to_bytes() == isbn(raw).to_bytes()


@pytest.mark.parametrize("train", [isbn, reader])
def test_stopped_anywhere_and_resumed(train: Any, raw: Path, tmp_path: Path) -> None:
    whole = train(raw).to_bytes()
    stopped = 0
    for n in itertools.count(1, 1 if train is isbn else 5):
        checkpoint = Checkpoint(tmp_path / f"{n}.checkpoint", every_seconds=1e9)
        stop = Nth(n)
        try:
            train(raw, Session(checkpoint, stop_requested=stop))
        except StoppedError:
            stopped += 1
        if stop.asked < n:
            break
        assert train(raw, Session(checkpoint, resume=True)).to_bytes() == whole, n
    assert stopped >= 5


def test_impossible_settings(raw: Path) -> None:
    with pytest.raises(ConfigError, match=r"raw_text\.rounds and raw_text\.beam"):
        isbn(raw, raw_text={"beam": 0})
