"""Word-order models: trees in, sentences out, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import bistro
from bistro.errors import BistroError, ConfigError, TreebankError
from bistro.models.linearize.config import LinearizeConfig, parse_labelling
from bistro.models.linearize.data import LabelledFamilies, TreebankFamilies
from bistro.models.linearize.model import LinearizeModel
from bistro.models.linearize.trees import UnorderedTree
from bistro.rng import Stream
from bistro.treebank.projectivity import is_projective
from bistro.treebank.reordering import reordered
from bistro.treebank.sentence import Sentence

TREES = bistro.builtin(sentences=200, seed=2)


@pytest.fixture(scope="module")
def model() -> LinearizeModel:
    trained = bistro.train("linearize", TREES, seed=1)
    assert isinstance(trained, LinearizeModel)
    return trained


def arcs(sentence: Sentence) -> list[tuple[str, str]]:
    """Return (word, head) pairs as forms, whatever the order."""
    forms = ["", *sentence.forms]
    return sorted((f, forms[h]) for f, h in zip(sentence.forms, sentence.heads, strict=True))


def scrambled(sentence: Sentence) -> Sentence:
    return reordered(sentence, list(range(len(sentence), 0, -1)))


@pytest.mark.parametrize("smoothing", ["add-k", "pitman-yor"])
def test_orders_keep_the_tree_and_are_projective(smoothing: str) -> None:
    model = bistro.train("linearize", TREES, seed=1, smoothing=smoothing)
    assert isinstance(model, LinearizeModel)
    for tree in TREES[:20]:
        kept = [w for w, tag in enumerate(tree.upos, start=1) if tag != "PUNCT"]
        plain = reordered(tree, kept)
        for result in (*model.linearize(tree, kbest=3), *model.sample_orders(tree, 2)):
            assert arcs(result.sentence) == arcs(plain)
            assert is_projective(result.sentence.heads)
            assert model.score_order(result.sentence).log_prob == pytest.approx(result.log_prob)


def test_the_order_that_came_in_is_not_looked_at(model: LinearizeModel) -> None:
    for tree in TREES[:20]:
        straight, backward = model.linearize(tree)[0], model.linearize(scrambled(tree))[0]
        assert straight.log_prob == pytest.approx(backward.log_prob)


@pytest.mark.parametrize("different", [1, 3, 30])
def test_many_dependents_do_not_hang(different: int) -> None:
    seen = [f"relation{i}" for i in range(30)]

    def family(relations: list[str]) -> Sentence:
        size = len(relations)
        return Sentence.from_columns(
            [f"w{i}" for i in range(size + 1)],
            heads=[0] + [1] * size,
            upos=["VERB"] + ["NOUN"] * size,
            deprels=["root", *relations],
        )

    stream = Stream(1, "test.many")
    pairs = [family([seen[stream.below(30)], seen[stream.below(30)]]) for _ in range(60)]
    trained = bistro.train("linearize", [*pairs, *map(scrambled, pairs[:20])], seed=1)
    given = family([seen[i % different] for i in range(30)])
    assert trained.score_order(given).log_prob < 0
    assert len(trained.linearize(given, kbest=3)[0].order) == 31
    drawn = trained.sample_orders(given)[0]
    assert trained.score_order(drawn.sentence).log_prob == pytest.approx(drawn.log_prob)


def test_equal_labels_count_as_different_words_unless_asked(model: LinearizeModel) -> None:
    tree = Sentence.from_columns(
        ["a", "b", "c", "d"],
        heads=[0, 1, 1, 1],
        upos=["VERB", "NOUN", "NOUN", "NOUN"],
        deprels=["root", "obl", "obl", "obl"],
    )
    words = model.score_order(tree).log_prob
    assert model.score_order(tree, of_labels=True).log_prob == pytest.approx(words + np.log(6))


def test_punctuation_is_left_out_with_nothing_below_it() -> None:
    tree = Sentence.from_columns(
        ["(", "so", ")", "!"],
        heads=[2, 4, 2, 0],
        upos=["PUNCT", "ADV", "PUNCT", "PUNCT"],
        deprels=["punct", "dep", "punct", "root"],
    )
    assert UnorderedTree.of(tree, [True, False, True, True]).kept == [2, 4]


def test_multiword_tokens_stay_together_or_go() -> None:
    sentence = Sentence.from_columns(
        ["de", "el", "mar", "viene"],
        heads=[3, 3, 4, 0],
        deprels=["case", "det", "obl", "root"],
        multiword=[(1, 2, "del")],
        misc=["_", "_", "SpaceAfter=No|Gloss=sea", "_"],
        comments=["# sent_id = 1", "# text = del mar viene"],
    )
    moved = reordered(sentence, [4, 1, 2, 3])
    assert moved.multiword == [(2, 3, "del")]
    assert moved.text == "viene del mar"
    assert moved.misc[3] == "Gloss=sea"
    assert moved.heads == [0, 4, 4, 1]
    assert reordered(sentence, [1, 3, 2, 4]).multiword == []


def test_what_is_no_tree_is_refused(model: LinearizeModel) -> None:
    forest = Sentence.from_columns(["a", "b"], heads=[0, 0], upos=["X", "X"], format="conllx")
    with pytest.raises(TreebankError, match="both have head 0"):
        model.score_order(forest)
    with pytest.raises(TreebankError, match="no head"):
        model.score_order(Sentence.from_columns(["a", "b"]))
    circle = Sentence.from_columns(["a", "b", "c"], heads=[0, 1, 1])
    circle.heads[1:] = [3, 2]
    with pytest.raises(TreebankError, match="circle"):
        model.score_order(circle)


def test_missing_columns_of_the_labelling_are_named() -> None:
    tree = Sentence.from_columns(["a", "b"], heads=[0, 1], upos=["X", "X"])
    with pytest.raises(TreebankError, match="word 1 has no deprel"):
        bistro.train("linearize", [tree])
    with pytest.raises(TreebankError, match="no lemma"):
        bistro.train("linearize", [tree], labellings=("head.upos+lemma",))
    with pytest.raises(BistroError, match="from trees"):
        bistro.train("linearize", [["a", "b"]])


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"models": ("n0",)}, "unknown word-order model"),
        ({"models": ()}, "at least one"),
        ({"labellings": ("HR", "HR")}, "no repeated entries"),
        ({"labellings": ("H",)}, "does not use the dependents"),
        ({"labellings": ("deprl",)}, "did you mean 'deprel'"),
        ({"k": 0.0}, "above 0"),
        ({"held_out_families": -1}, "at least 0"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, object], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        LinearizeConfig(**settings).validate()  # type: ignore[arg-type]


def test_leaves_add_stops_and_no_orders() -> None:
    trees = [UnorderedTree.of(tree) for tree in TREES[:30]]
    labelling = parse_labelling("HDR", "upos")
    ignored, counted = (
        LabelledFamilies(labelling, TreebankFamilies(trees, leaves=leaves))
        for leaves in (False, True)
    )
    leaves = sum(len(tree.kept) - len(tree.families) for tree in trees)
    seen = LinearizeConfig().seen
    assert len(counted.events(2, seen)) - len(ignored.events(2, seen)) == 2 * leaves
    assert sorted(counted.observed.values()) == sorted(ignored.observed.values())
    assert ignored.observed.total() == sum(len(tree.families) for tree in trees)


def test_ties_are_drawn_or_as_in_the_input(model: LinearizeModel) -> None:
    with pytest.raises(ConfigError, match="random, input"):
        model.linearize(TREES[0], ties="none")  # type: ignore[arg-type]
    probable = [model.linearize(TREES[0], ties=ties)[0].log_prob for ties in ("random", "input")]
    assert probable[0] == pytest.approx(probable[1])


def test_all_held_out_families_count_if_asked() -> None:
    settings = {"models": ("oo", "n2"), "smoothing": "add-k"}
    few, all_of_them, default = (
        bistro.train("linearize", TREES[:150], dev=TREES[150:], seed=1, **settings, **more).weights
        for more in ({"held_out_families": 20}, {"held_out_families": 0}, {})
    )
    assert np.array_equal(all_of_them, default)
    assert not np.array_equal(few, default)
