"""The latent-variable parser as a whole: settings, files, odd input, threads, learning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.config import read_mapping
from bistro.errors import BistroError, ConfigError, ModelFileError
from bistro.inference.chains import Session
from bistro.inference.checkpoint import Checkpoint
from bistro.models.isbn import train as isbn_training
from bistro.models.isbn.config import LOCAL
from bistro.models.isbn.model import IsbnModel
from bistro.models.parsing.codec import Tree
from bistro.models.presets import file_or_preset
from bistro.models.settings import chosen_settings
from bistro.treebank.sentence import Sentence

SHORT = {"hidden": 16, "learning": {"passes": 4, "rate": 0.2}}
SENTENCE = ["The", "dog", "that", "the", "cat", "saw", "sleeps", "."]


PUBLISHED = {
    name: value
    for name, value in read_mapping(file_or_preset("titov-henderson-2007")).items()
    if name != "learning"
}


def trained(**settings: Any) -> IsbnModel:
    model = bistro.train(
        "isbn", bistro.builtin(sentences=150, seed=1), seed=1, **{**SHORT, **settings}
    )
    assert isinstance(model, IsbnModel)
    return model


KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "no labels": {"labels": "none"},
    "backwards": {"direction": "right-to-left"},
    "mean field": {"approximation": "mean-field"},
    "published": {**PUBLISHED, "hidden": 16, "learning": {"passes": 8, "rate": 0.2}},
    "lemmas": {"features": ["local", "s1.lemma", "b.lemma", "decisions"], "unknown_below": 3},
    "no features": {"tag_features": [], "features": LOCAL, "reduce": "early"},
}


@pytest.fixture(scope="module", params=KINDS)
def model(request: pytest.FixtureRequest) -> IsbnModel:
    return trained(**KINDS[request.param])


@pytest.fixture(scope="module")
def test_part() -> list[Sentence]:
    return list(bistro.builtin(sentences=30, seed=2))


def test_most_heads_are_right(model: IsbnModel, test_part: list[Sentence]) -> None:
    for tags, least in (("given", 0.65), ("joint", 0.55)):
        pairs = [
            (found, gold)
            for sentence, parse in zip(
                test_part, model.parse_all(test_part, tags=tags), strict=True
            )
            for found, gold in zip(parse.heads, sentence.heads, strict=True)
        ]
        assert np.mean([found == gold for found, gold in pairs]) > least


def test_marginals_agree_with_samples(model: IsbnModel) -> None:
    parse = model.parse(SENTENCE, marginals=True, samples=3000, temperature=1.0)
    assert parse.marginals is not None
    for i in range(len(SENTENCE)):
        heads = dict(parse.marginals.heads[i])
        assert sum(heads.values()) == pytest.approx(1, abs=1e-6)
        for head, p in heads.items():
            share = np.mean([found.heads[i] == head for found in parse.samples])
            assert share == pytest.approx(p, abs=5 * np.sqrt(p * max(0.0, 1 - p) / 3000) + 1e-3)


def test_k_best_trees_are_different_and_in_order(model: IsbnModel) -> None:
    parse = model.parse(SENTENCE, kbest=12)
    assert len(parse.analyses) == 12
    logs = [found.log_prob for found in parse.analyses]
    assert logs == sorted(logs, reverse=True)
    assert len({(tuple(a.heads), tuple(a.tags), tuple(a.labels)) for a in parse.analyses}) == 12


def test_odd_sentences(model: IsbnModel) -> None:
    for words in (["dog"], ["dog"] * 60, ["§", "…", "\u200dq"], ["The"] * 150):
        parse = model.parse(words, marginals=True, size=5)
        assert len(parse.heads) == len(words)
        assert parse.heads.count(0) == 1
        assert np.isfinite(parse.log_prob)
        assert parse.log_prob <= parse.log_total + 1e-6


def test_tags_given_without_known_features(model: IsbnModel) -> None:
    columns: dict[str, Any] = {"upos": ["DET", "NO-SUCH", "_"], "xpos": ["DT", "NO-SUCH", "_"]}
    sentence = Sentence.from_columns(["The", "dog", "sleeps"], **columns).replace(
        feats=["Number=Odd", "_", "_"]
    )
    tags = model.shown_tags(model.parse(sentence, tags="given").tags)
    assert tags[0] in ("DET", "DT")
    assert set(tags) <= set(model.tag_names)


def test_without_links_nothing_is_induced() -> None:
    linked, alone = trained(), trained(links=False)
    assert linked.origin.trace[-1]["held_out"] > alone.origin.trace[-1]["held_out"] - 0.5
    assert linked.to_bytes() != alone.to_bytes()


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"features": ["s1.tga"]}, "did you mean 's1.tag'"),
        ({"features": ["s1.tag", "s1.tag"]}, "named twice"),
        ({"features": ["locla"]}, "did you mean 'local'"),
        ({"features": ["malt"]}, "tagset = 'xpos'"),
        ({"hidden": 0}, "at least 1"),
        ({"learning": {"rate": 0.0}}, "above 0"),
        ({"learning": {"dropout": 1.0}}, "dropout"),
        ({"learning": {"held_out": 1.0}}, "held_out"),
        ({"learning": {"patience": 0}}, "patience"),
        ({"unknown": "spelling"}, "unknown"),
        ({"approximation": "mean_field"}, "feed-forward"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        bistro.train("isbn", bistro.builtin(sentences=5, seed=1), **settings)


def test_data_that_cannot_be_learned_from() -> None:
    with pytest.raises(BistroError, match="learns from trees"):
        bistro.train("isbn", [["to", "be"]])
    one = bistro.builtin(sentences=1, seed=1)
    with pytest.raises(BistroError, match="at least two training sentences"):
        bistro.train("isbn", one, **SHORT)
    with pytest.raises(BistroError, match="development set has no trees"):
        bistro.train("isbn", one, dev=[], **SHORT)


def test_sets_of_features_are_the_features_that_they_name() -> None:
    named, listed = trained(features=["local"]), trained(features=LOCAL)
    assert np.array_equal(named.weights, listed.weights)
    twice = trained(features=["local", "s1.tag"])
    assert np.array_equal(twice.weights, listed.weights)


def test_the_preset_of_the_paper_has_its_settings() -> None:
    _, config = chosen_settings("isbn", "titov-henderson-2007", ['features=["malt", "decisions"]'])
    assert (config.hidden, config.approximation, config.learning.dropout) == (80, "mean-field", 0)
    assert set(config.elements) >= {"s1.coarse", "s1.head.word", "input.decision"}


def test_lemmas_come_with_given_tags_or_from_the_form(test_part: list[Sentence]) -> None:
    model = trained(**KINDS["lemmas"])
    known = model.codec.lemmas
    sentence = next(s for s in test_part if set(s.lemmas) & set(known))
    tagged = Tree(list(sentence.upos), [-1] * len(sentence), ["_"] * len(sentence))
    expected = [known.index(la) + 1 if la in known else 0 for la in sentence.lemmas]
    assert model.codec.lemma_numbers([sentence], [tagged]).tolist() == expected
    words, _ = model.codec.encode_words([sentence.forms])
    own = model.symbols.lemma_of[words]
    assert any(own == expected) and not own[words < model.vocabulary.num_classes].any()
    # Found tags bring no lemmas of the file with them.
    bare = Sentence.from_columns(list(sentence.forms))
    assert model.parse(sentence, tags="joint").log_prob == model.parse(bare).log_prob
    other = sentence.replace(lemmas=["xyz"] * len(sentence))
    given = [model.parse(s, tags="given", mbr=False).log_prob for s in (sentence, other)]
    assert given[0] != given[1]


def test_data_without_lemmas_are_refused_where_states_see_them() -> None:
    bare = [s.replace(lemmas=["_"] * len(s)) for s in bistro.builtin(sentences=20, seed=1)]
    with pytest.raises(BistroError, match="no lemma occurs at least 5 times"):
        bistro.train("isbn", bare, features=["s1.lemma"], **SHORT)


def test_particles_are_refused(model: IsbnModel) -> None:
    with pytest.raises(ConfigError, match="uses a beam"):
        model.parse(SENTENCE, search="particles")


def test_a_damaged_file_is_one_sentence(tmp_path: Path, model: IsbnModel) -> None:
    arrays = {name: array.copy() for name, array in model.arrays().items()}
    for name, value, told in (
        ("symbols.seen_list", 9999, "tags of the words"),
        ("symbols.tag_of", 9999, "symbols of the model"),
        ("weights", np.nan, "not a number"),
    ):
        damaged = {**arrays, name: arrays[name].copy()}
        damaged[name][0] = value
        with pytest.raises(ValueError, match=told):
            IsbnModel.from_parts(model.config, model.header(), damaged, model.origin)
    model.save(tmp_path / "m.bistro")
    content = (tmp_path / "m.bistro").read_bytes()
    (tmp_path / "m.bistro").write_bytes(content[: len(content) // 2])
    with pytest.raises(ModelFileError):
        bistro.load(tmp_path / "m.bistro")


def test_learning_ends_when_nothing_gets_better() -> None:
    learning = {"passes": 200, "patience": 2, "rate": 0.5, "dropout": 0.0, "held_out": 0.3}
    model = trained(learning=learning)
    held_out = [row["held_out"] for row in model.origin.trace]
    assert len(held_out) < 200
    assert int(np.argmax(held_out)) == len(held_out) - 3


def test_the_best_weights_are_kept() -> None:
    """A run that goes on after its best pass ends with the weights of one that stops there."""
    learning = {"rate": 0.5, "dropout": 0.0, "held_out": 0.3}
    long = trained(learning={**learning, "passes": 200, "patience": 2})
    best = len(long.origin.trace) - 2
    short = trained(learning={**learning, "passes": best, "patience": best})
    assert np.array_equal(long.arrays()["weights"], short.arrays()["weights"])


def test_the_mean_of_a_pass_is_used_where_it_is_better() -> None:
    learning = {"passes": 12, "patience": 12, "rate": 0.2}
    averaged = trained(learning=learning)
    last = trained(learning={**learning, "average": False})
    with_mean, without = (
        [row["held_out"] for row in model.origin.trace] for model in (averaged, last)
    )
    # The steps are the same; only the weights that are scored and kept differ.
    steps = [[row["log_likelihood"] for row in m.origin.trace] for m in (averaged, last)]
    assert steps[0] == steps[1]
    assert all(a >= b for a, b in zip(with_mean, without, strict=True))
    assert max(with_mean) > max(without)


def test_pruning_changes_no_tree(test_part: list[Sentence]) -> None:
    model = trained(learning={"passes": 12, "rate": 0.2})
    trees = {
        margin: list(model.parse_all(test_part, size=8, kbest=8, mbr=False, margin=margin))
        for margin in (0.0, 2.0, np.inf)
    }
    assert [p.heads for p in trees[2.0]] == [p.heads for p in trees[np.inf]]
    # Without a margin, some of the eight derivations are lost.
    assert [p.log_total for p in trees[0.0]] != [p.log_total for p in trees[np.inf]]


def test_a_diverging_run_leaves_its_last_good_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    treebank = bistro.builtin(sentences=60, seed=1)
    plain = isbn_training.Training._learn

    def diverging(
        self: isbn_training.Training, number: int, threads: int
    ) -> tuple[float, isbn_training.Floats]:
        log_likelihood, mean = plain(self, number, threads)
        return (np.nan if number else log_likelihood), mean

    monkeypatch.setattr(isbn_training.Training, "_learn", diverging)
    checkpoint = Checkpoint(tmp_path / "m.checkpoint", 1000.0)
    with pytest.raises(BistroError, match=r"diverged in pass 2.*m.checkpoint has the state"):
        bistro.train("isbn", treebank, seed=1, session=Session(checkpoint), **SHORT)
    monkeypatch.undo()
    again = bistro.train(
        "isbn", treebank, seed=1, session=Session(checkpoint, resume=True), **SHORT
    )
    assert again.to_bytes() == bistro.train("isbn", treebank, seed=1, **SHORT).to_bytes()


@pytest.mark.parametrize("rate", [1e8, 1e38])
def test_a_rate_that_is_far_too_high_is_told(rate: float) -> None:
    with pytest.raises(BistroError, match=r"set a lower learning\.rate than 1e"):
        trained(learning={"passes": 3, "rate": rate})


def test_it_votes_in_a_committee() -> None:
    from bistro.models.committee.model import CommitteeModel

    treebank = bistro.builtin(sentences=150, seed=1)
    other = bistro.train("transition", treebank, seed=1, sampler={"sweeps": 3, "samples": 2})
    together = CommitteeModel.of([trained(), other])
    parse = together.parse(["The", "dog", "sleeps", "."])
    assert parse.heads == [2, 3, 0, 3]
    assert parse.tags[:2] == ["DET", "NOUN"]


def test_surprisals_sum_to_the_sentence(model: IsbnModel) -> None:
    if model.config.direction == "right-to-left":
        with pytest.raises(BistroError, match="cannot score prefixes"):
            model.surprisal(SENTENCE)
        return
    rows = model.surprisal(SENTENCE, particles=50).rows
    assert len(rows) == len(SENTENCE) + 1
    total = sum(row.surprisal for row in rows)
    assert total == pytest.approx(-rows[-1].prefix_log2_prob)
    for row in rows:
        assert row.surprisal_syn is not None
        assert row.surprisal_lex is not None
        assert row.surprisal_syn + row.surprisal_lex == pytest.approx(row.surprisal)
        assert row.entropy is not None
        assert row.entropy >= 0
    # What all derivations found share is no more than the sentence itself.
    assert model.parse(SENTENCE, mbr=False).log_prob / np.log(2) <= -total + 1e-3
