"""Learning from raw text: which events are learned, what stays as it was, stopping anywhere."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from interruptions import Nth

import bistro
from bistro._core import UniformBase, oracle_events
from bistro.encoding.events import Events
from bistro.errors import BistroError, ConfigError
from bistro.inference.chains import Session, run_chains
from bistro.inference.checkpoint import Checkpoint, StoppedError
from bistro.inference.event_runs import EventRuns
from bistro.inference.gibbs import Chain
from bistro.models.parsing.codec import training_tree
from bistro.models.transition.config import DISTRIBUTIONS
from bistro.models.transition.model import TransitionModel, outcomes_of, shape_of
from bistro.treebank.sentence import Sentence

pytestmark = pytest.mark.usefixtures("small_pieces")
SEED = 3
SHORT = {"sweeps": 4, "samples": 2}
TREES = bistro.builtin(sentences=60, seed=1)
TEXT = [s.forms for s in bistro.builtin(sentences=90, seed=2)] + [["Zyx", "sleeps", "."]] * 3


def trained(raw: Path | None, session: Session | None = None, **settings: Any) -> TransitionModel:
    model = bistro.train(
        "transition",
        TREES,
        seed=SEED,
        session=session,
        text=[raw] if raw else [],
        **{"sampler": SHORT, **settings},
    )
    assert isinstance(model, TransitionModel)
    return model


def recorded(model: TransitionModel, sentences: list[Sentence]) -> dict[str, Events]:
    """The events of the oracle on annotated sentences, in the words of a model."""
    trees = [training_tree(sentence, model.config) for sentence in sentences]
    shape = shape_of(model.config, model.codec, single_root=model.single_root)
    found = oracle_events(shape, model.codec.encode(sentences, trees))
    return {name: Events(*found[name]) for name in DISTRIBUTIONS}


SEEN: dict[str, Any] = {"tag_dictionary": "hard", "tags_per_word": 3}
"""Text is parsed with the tags that its words had in the treebank."""


def parsed(parser: TransitionModel, particles: int) -> list[Sentence]:
    """The text with the trees that the search finds best."""
    return [
        Sentence.from_columns(words, heads=parse.heads, deprels=parse.labels).replace(
            upos=parse.tags
        )
        for words, parse in zip(
            TEXT, parser.parse_all(TEXT, size=particles, mbr=False, **SEEN), strict=True
        )
    ]


def learned(model: TransitionModel, name: str, *parts: Events) -> dict[str, Any]:
    """The frozen distribution of one chain over the events of several parts."""
    events = Events(
        np.concatenate([part.contexts for part in parts]),
        np.concatenate([part.outcomes for part in parts]),
    )
    shape = shape_of(model.config, model.codec, single_root=model.single_root)
    base = UniformBase(outcomes_of(shape, model.codec)[name])
    chain = Chain(name, events, base, model.config.sampler, SEED)
    run_chains([chain], model.config.sampler, "", Session())
    return {f"{name}.{part}": array for part, array in chain.frozen().items()}


def assert_same_arrays(model: TransitionModel, expected: dict[str, Any]) -> None:
    own = model.arrays()
    for name, array in expected.items():
        assert np.array_equal(own[name], array), name


# ---- what is learned ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"raw_text": {"learns": ["words"]}},
        {"unknown": "single"},
        {"direction": "right-to-left"},
        {"raw_text": {"particles": 3}},
        {"labels": "none", "raw_text": {"learns": ["tags"]}},
    ],
    ids=str,
)
def test_events_are_those_of_the_oracle_on_the_best_parses(
    raw: Path, settings: dict[str, Any]
) -> None:
    model = trained(raw, **settings)
    # The first parser tells unknown words apart, whatever the model does.
    parser = trained(None, **{**settings, "unknown": "classes"})
    of_trees = recorded(model, list(TREES))
    of_text = recorded(model, parsed(parser, model.config.raw_text.particles))
    learns = model.config.raw_text.learns
    for name in (n for n in DISTRIBUTIONS if len(of_trees[n])):
        parts = [of_trees[name], of_text[name]] if name in learns else [of_trees[name]]
        assert_same_arrays(model, learned(model, name, *parts))


def test_events_and_chains_are_dropped_when_they_are_used(
    raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Together they would take more memory than the franchises of all distributions."""
    lists: list[int] = []
    chains: list[int] = []

    def run(*given: Any) -> Any:
        lists.append(living(EventRuns) - lists_before)
        return run_chains(*given)

    def frozen(chain: Chain) -> Any:
        chains.append(living(Chain) - chains_before)
        return original(chain)

    lists_before, chains_before = living(EventRuns), living(Chain)
    original = Chain.frozen
    monkeypatch.setattr("bistro.models.transition.raw_text.run_chains", run)
    monkeypatch.setattr(Chain, "frozen", frozen)
    trained(raw)
    assert lists == [0]
    assert chains[-len(DISTRIBUTIONS) :] == [4, 3, 2, 1]


def living(kind: type) -> int:
    """How many objects of a kind there are."""
    gc.collect()
    return sum(isinstance(one, kind) for one in gc.get_objects())


def test_two_rounds_parse_with_the_newest_model(raw: Path) -> None:
    # Tags and actions that learn from the parses of so short a text give the same parses again.
    words = {"learns": ["words"]}
    first, second = (trained(raw, raw_text={**words, "rounds": n}) for n in (1, 2))
    of_trees = recorded(first, list(TREES))["words"]
    of_text = recorded(first, parsed(first, 100))["words"]
    assert_same_arrays(second, learned(first, "words", of_trees, of_text))
    once = recorded(first, parsed(trained(None), 100))["words"]
    assert not np.array_equal(once.contexts, of_text.contexts)


def test_words_of_the_text_are_words_with_tags(raw: Path) -> None:
    before, after = trained(None), trained(raw)
    assert before.codec.vocabulary.is_unknown("Zyx")
    assert not after.codec.vocabulary.is_unknown("Zyx")
    ngram = bistro.train("ngram", [*(s.forms for s in TREES), *TEXT], sampler=SHORT)
    assert after.codec.vocabulary.hash == ngram.vocabulary.hash
    begin = after.arrays()["word_tags.begin"]
    (word,) = after.codec.vocabulary.encode(["Zyx"]).tolist()
    assert 1 <= begin[word + 1] - begin[word] < len(after.codec.tags)
    assert (np.diff(begin)[after.codec.vocabulary.num_classes :] > 0).all()
    assert after.parse(["Zyx", "sleeps", "."]).heads == [2, 0, 2]


def test_the_model_says_what_it_learned_from(raw: Path, tmp_path: Path) -> None:
    model = trained(raw)
    (facts,) = model.origin.treebank["texts"]
    assert facts["name"] == "raw.txt"
    assert (facts["sentences"], facts["words"]) == (len(TEXT), sum(map(len, TEXT)))
    model.save(tmp_path / "m.bistro")
    assert bistro.load(tmp_path / "m.bistro").origin == model.origin


# ---- the same result ---------------------------------------------------------------------------
@pytest.mark.parametrize("threads", [2, 5])
def test_any_number_of_threads(raw: Path, threads: int) -> None:
    assert trained(raw, Session(threads=threads)).to_bytes() == trained(raw).to_bytes()


def test_stopped_anywhere_and_resumed(raw: Path, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"raw_text": {"rounds": 2}}
    whole = trained(raw, **settings).to_bytes()
    places = []
    for n in itertools.count(1):
        checkpoint = Checkpoint(tmp_path / f"{n}.checkpoint", every_seconds=1e9)
        stop = Nth(n)
        try:
            trained(raw, Session(checkpoint, stop_requested=stop), **settings)
        except StoppedError as error:
            places.append(str(error))
        if stop.asked < n:
            break
        # A wish at the end of a phase is granted by ending it.
        resumed = trained(raw, Session(checkpoint, resume=True), **settings)
        assert resumed.to_bytes() == whole, places[-1]
    # Seven stops in each pass over the text: its words are counted, then it is parsed twice.
    assert sum("raw text" in place for place in places) == 21
    assert sum("sweep" in place for place in places) == 9


def killed(raw: Path, checkpoint: Checkpoint, calls: int, **settings: Any) -> None:
    """Training that dies without warning after a number of sweeps and pieces."""
    left = iter(range(calls))

    def die(*anything: object) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(raw, Session(checkpoint, on_sweep=die, on_words=die, resume=True), **settings)


def test_killed_again_and_again(raw: Path, tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c", every_seconds=0)
    for calls in (3, 3, 4, 4):
        killed(raw, checkpoint, calls)
    session = Session(checkpoint, resume=True)
    assert trained(raw, session).to_bytes() == trained(raw).to_bytes()


def test_a_checkpoint_of_another_text(raw: Path, tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c", every_seconds=0)
    killed(raw, checkpoint, 6)
    other = tmp_path / "other.txt"
    other.write_text("The dog sleeps .\n")
    with pytest.raises(BistroError, match="the file was written with different data"):
        trained(other, Session(checkpoint, resume=True))


# ---- complaints --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"derivations": "sampled"}, "set derivations = oracle"),
        ({"unsupervised": {"sweeps": 1}}, "set unsupervised.sweeps = 0"),
        ({"unknown": "spelling"}, "unknown = classes or single"),
        ({"lexical": "none"}, "learns nothing from raw text"),
        ({"raw_text": {"rounds": 0}}, "at least 1"),
        ({"raw_text": {"learns": []}}, "words, tags and actions"),
        ({"raw_text": {"learns": ["labels"]}}, "learns"),
    ],
    ids=str,
)
def test_impossible_settings(raw: Path, settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        trained(raw, **settings)


def test_only_some_kinds_learn_from_raw_text(raw: Path) -> None:
    complaint = (
        "an eisner model cannot learn from raw text .* use an ngram or transition or committee"
    )
    with pytest.raises(BistroError, match=complaint):
        bistro.train("eisner", TREES, text=[raw])


def test_a_line_of_five_thousand_words(tmp_path: Path) -> None:
    words: Iterator[str] = itertools.islice(itertools.chain.from_iterable(TEXT * 6), 5000)
    path = tmp_path / "long.txt"
    path.write_text(" ".join(words) + "\n")
    model = trained(path, raw_text={"particles": 10})
    assert model.origin.treebank["texts"][0]["words"] == 5000
