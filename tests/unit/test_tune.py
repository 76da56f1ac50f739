"""The search for contexts and settings: the workbench, the journal, the climb."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import bistro
from bistro.config import read_toml
from bistro.errors import BistroError, ConfigError
from bistro.evaluate.development import DevelopmentSet, default_metric
from bistro.inference.journal import Journal
from bistro.inference.settings import SamplerSettings
from bistro.modelfile import Arrays
from bistro.models import kinds, presets
from bistro.models.committee.config import CommitteeConfig
from bistro.models.tags.config import TagsConfig
from bistro.models.transition.config import DISTRIBUTIONS, TransitionConfig
from bistro.models.transition.tune import Effort, Search, Trial
from bistro.models.transition.workbench import Workbench, with_elements
from bistro.models.trees.config import TreesConfig
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import Treebank

QUICK = SamplerSettings(sweeps=3, samples=1)
SMALL = with_elements(
    with_elements(TransitionConfig(sampler=QUICK), "actions", ["s1.tag"]), "tags", ["s1.tag"]
)


@pytest.fixture(scope="module")
def english() -> Treebank:
    return bistro.builtin(sentences=160, seed=3)


class CountingBench:
    """A bench whose models are the configurations themselves."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = sentences
        self.made: list[TransitionConfig] = []

    def model(self, config: TransitionConfig) -> TransitionConfig:
        self.made.append(config)
        return config


Judge = Callable[[TransitionConfig], dict[str, float]]


def search_with(
    bench: CountingBench, judge: Judge, journal: Journal | None = None, **options: Any
) -> Search:
    """A search whose models are configurations, for the bench and the judge alike."""
    notes = Journal(None, {}) if journal is None else journal
    return Search(cast(Workbench, bench), cast(Any, judge), notes, **options)


def likes(wanted: Sequence[str]) -> Judge:
    """A judge for wanted elements, their order, and short contexts."""

    def judge(config: TransitionConfig) -> dict[str, float]:
        places = [config.contexts.actions.index(e) for e in wanted if e in config.contexts.actions]
        in_order = sum(one < other for one, other in combinations(places, 2))
        return {"score": len(places) + 0.5 * in_order - 0.1 * len(config.contexts.actions)}

    return judge


def same(one: Arrays, other: Arrays) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[k], other[k]) for k in one)


def test_the_bench_makes_the_model_that_training_makes(english: Treebank) -> None:
    bench = Workbench(english, seed=5)
    for config in (
        SMALL,
        with_elements(SMALL, "actions", ["s1.tag", "s2.tag", "s1.word"]),
        replace(SMALL, labels="joint"),
        replace(SMALL, lexical="none"),
        replace(SMALL, tag_features=("Number",)),
    ):
        trained = bistro.train("transition", english, config=config, seed=5)
        assert same(bench.model(config).arrays(), trained.arrays())


def test_only_the_chain_that_changed_is_trained_again(
    english: Treebank, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned: list[str] = []
    learn = Workbench._learn

    def noted(self: Workbench, name: str, *rest: Any) -> Any:
        learned.append(name)
        return learn(self, name, *rest)

    monkeypatch.setattr(Workbench, "_learn", noted)
    bench = Workbench(english, seed=5)
    bench.model(SMALL)
    assert learned == ["actions", "labels", "tags", "words"]
    bench.model(with_elements(SMALL, "tags", ["s2.tag"]))
    assert learned[4:] == ["tags"]
    bench.model(SMALL)
    assert len(learned) == 5
    bench.model(replace(SMALL, unknown_below=3))
    assert len(learned) == 9


def test_the_climb_finds_elements_and_their_order(english: Treebank) -> None:
    wanted = ("s2.tag", "s1.tag", "distance")
    search = search_with(CountingBench(english), likes(wanted))
    best = search.run(SMALL, ["actions"])
    assert best.config.contexts.actions == wanted
    assert best.score == pytest.approx(3 + 1.5 - 0.3)
    scores = [trial.score for trial in search.accepted]
    assert scores == sorted(scores)
    assert search.ends == (search.accepted[0], best)


def test_superfluous_elements_are_removed(english: Treebank) -> None:
    start = with_elements(SMALL, "actions", ["s1.tag", "s3.word", "s2.tag"])
    search = search_with(CountingBench(english), likes(("s1.tag", "s2.tag")))
    assert search.run(start, ["actions"]).config.contexts.actions == ("s1.tag", "s2.tag")


def test_small_gains_are_not_taken(english: Treebank) -> None:
    search = search_with(
        CountingBench(english),
        lambda config: {"score": 0.01 * len(config.contexts.words)},
        effort=Effort(least_gain=0.02),
    )
    assert search.run(SMALL, ["words"]).config == SMALL


def test_settings_and_features_are_searched(english: Treebank) -> None:
    def judge(config: TransitionConfig) -> dict[str, float]:
        return {"score": 2.0 * ("Number" in config.tag_features) + (config.unknown_below == 4)}

    search = search_with(CountingBench(english), judge)
    best = search.run(SMALL, ["tag_features", "unknown_below"]).config
    assert (best.tag_features, best.unknown_below) == (("Number",), 4)
    assert best.contexts == SMALL.contexts


def test_elements_only_where_they_exist(english: Treebank) -> None:
    tried: set[tuple[str, str]] = set()

    def note(trial: Trial, best: Trial) -> None:
        tried.update(
            (n, e) for n in ("actions", "words") for e in getattr(trial.config.contexts, n)
        )

    for label_elements in (False, True):
        search_with(
            CountingBench(english),
            lambda config: {"score": 0.0},
            effort=Effort(label_elements=label_elements),
            on_trial=note,
        ).run(with_elements(SMALL, "words", ["s1.tag"]), ["actions", "words"])
        assert (("actions", "s1.rc1.label") in tried) is label_elements
    assert ("words", "b.tag") in tried
    assert not {("actions", "b.tag"), ("words", "action"), ("actions", "action")} & tried


def test_an_unknown_part_is_refused(english: Treebank) -> None:
    with pytest.raises(ConfigError, match="unknown part 'wrods' of the search"):
        search_with(CountingBench(english), likes(())).run(SMALL, ["wrods"])


def test_a_stopped_search_keeps_its_best_and_goes_on_as_if_unbroken(
    english: Treebank, tmp_path: Path
) -> None:
    judge = likes(("s2.tag", "s1.tag", "distance"))
    whole = CountingBench(english)
    unbroken = search_with(whole, judge, Journal(tmp_path / "whole", {}))
    unbroken.run(SMALL, ["actions"])

    first = CountingBench(english)
    stopped = search_with(
        first, judge, Journal(tmp_path / "j", {}), stop_requested=lambda: len(first.made) >= 36
    )
    best = stopped.run(SMALL, ["actions"])
    assert len(first.made) == 36
    assert stopped.accepted[0].score < best.score < unbroken.best.score

    second = CountingBench(english)
    resumed = search_with(second, judge, Journal(tmp_path / "j", {}))
    assert resumed.run(SMALL, ["actions"]) == unbroken.best
    assert len(second.made) == len(whole.made) - 36
    assert resumed.accepted == unbroken.accepted
    assert (tmp_path / "j").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_stop_before_the_beginning_still_gives_a_result(english: Treebank) -> None:
    search = search_with(CountingBench(english), likes(()), stop_requested=lambda: True)
    assert search.run(SMALL, ["actions"]).config == SMALL


def test_a_line_cut_short_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "j"
    journal = Journal(path, {"seed": 1})
    journal.add({"a": 1}, {"score": 2.0})
    journal.add({"a": 2}, {"score": 3.0})
    path.write_bytes(path.read_bytes()[:-5])
    again = Journal(path, {"seed": 1})
    assert (again.find({"a": 1}), again.find({"a": 2})) == ({"score": 2.0}, None)
    again.add({"a": 3}, {"score": 4.0})
    assert [json.loads(line) for line in path.read_text().splitlines()][-1]["config"] == {"a": 3}
    assert len(Journal(path, {"seed": 1})) == 2


def test_a_full_disk_leaves_the_journal_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "j"
    journal = Journal(path, {"seed": 1})
    for number in range(50):
        journal.add({"a": number}, {"score": 2.0})
    before = path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BistroError, match="no space left"):
        Journal(path, {"seed": 1})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_journal_of_another_search_is_refused(tmp_path: Path) -> None:
    Journal(tmp_path / "j", {"seed": 1, "metric": "las"})
    with pytest.raises(BistroError, match=r"another search \(it differs in seed"):
        Journal(tmp_path / "j", {"seed": 2, "metric": "las"})
    (tmp_path / "k").write_text("hello\n")
    with pytest.raises(BistroError, match="is not the journal"):
        Journal(tmp_path / "k", {})


def test_the_development_set_scores_models(english: Treebank) -> None:
    config = replace(SMALL, tag_features=("Number",))
    model = bistro.train("transition", english[:120], config=config, seed=1)
    held_out = english[120:]
    figures = DevelopmentSet(held_out, tags="both", metric="uas")(model)
    assert figures["score"] == pytest.approx((figures["given.uas"] + figures["joint.uas"]) / 2)
    # Joined features are cut off before tags are compared.
    assert figures["joint.tags"] > 50
    assert default_metric(held_out) == "las"
    assert default_metric(held_out, labelled=False) == "uas"


def test_labels_cannot_be_scored_where_there_are_none(english: Treebank) -> None:
    bare = [sentence.replace(deprels=["_"] * len(sentence)) for sentence in english[:40]]
    model = bistro.train("transition", bare, config=SMALL, seed=1)
    with pytest.raises(BistroError, match="las cannot be computed"):
        DevelopmentSet(bare, metric="las")(model)
    assert default_metric(bare) == "uas"


PRESETS = {name: presets.family_of(path) for name, path in presets.presets().items()}
WITH_CONTEXTS = {"transition": DISTRIBUTIONS, "eisner": ("labels", "tags", "words")}


@pytest.mark.parametrize(("name", "kind"), PRESETS.items())
def test_presets_are_settings_of_their_kind(name: str, kind: str) -> None:
    path = presets.file_or_preset(name)
    config = read_toml(path, kinds.find(kind).config_class())
    for distribution in WITH_CONTEXTS.get(kind, ()):
        # Labels that are part of the actions, or do not exist, see nothing of their own.
        if distribution == "labels" and config.labels in ("joint", "none"):
            continue
        assert f"{distribution} = [" in path.read_text()
        assert getattr(config.contexts, distribution)


def test_presets_of_families_without_contexts() -> None:
    assert {kind for kind in PRESETS.values() if kind not in WITH_CONTEXTS} == {
        "committee",
        "isbn",
        "linearize",
        "morphology",
        "reader",
        "tags",
        "topics",
        "trees",
    }
    assert "isbn" in read_toml(presets.file_or_preset("best"), CommitteeConfig).members
    for name, cls in (("tagger", TagsConfig), ("phrases", TreesConfig)):
        assert read_toml(presets.file_or_preset(name), cls).sampler.seating == "gibbs"
