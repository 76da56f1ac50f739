"""Negative controls: for every law a model that breaks it, and is found out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bistro.errors import BistroError
from bistro.inference.chains import Session
from bistro.models.base import Model, from_bytes
from bistro.models.options import Options
from bistro.treebank.brackets import Tree

from .laws import LAWS, LawError
from .laws.training import check_seed, check_stops, check_threads
from .recipes import BY_NAME
from .trained_models import held_out, trained

Break = Callable[[Any], None]
COUNTER = itertools.count(1)


def changed(method: str, change: Callable[..., Any]) -> Break:
    """Return what replaces a method by one whose result is changed."""

    def apply(model: Any) -> None:
        plain = getattr(model, method)
        setattr(model, method, lambda *given, **options: change(plain(*given, **options)))

    return apply


def ignoring(method: str, *names: str) -> Break:
    """Return what replaces a method by one that does not look at some of its options."""

    def apply(model: Any) -> None:
        plain = getattr(model, method)

        def call(*given: Any, **options: Any) -> Any:
            return plain(*given, **{n: v for n, v in options.items() if n not in names})

        setattr(model, method, call)

    return apply


def each(change: Callable[[Any], Any]) -> Callable[[Any], Iterator[Any]]:
    """Return a change of every result of an iterator."""
    return lambda results: map(change, results)


def first_changed(**values: Any) -> Callable[[Any], Iterator[Any]]:
    """Return a change of the first analysis of every parse."""

    def change(parse: Any) -> Any:
        first, *rest = parse.analyses
        return replace(parse, analyses=[replace(first, **values), *rest])

    return each(change)


def circle(parse: Any) -> Any:
    return next(first_changed(heads=[2, 1, *parse.analyses[0].heads[2:]])([parse]))


def doubled(parse: Any) -> Any:
    rows = [[(head, 2 * p) for head, p in row] for row in parse.marginals.heads]
    return replace(parse, marginals=replace(parse.marginals, heads=rows))


def twice_as_probable(sums: Any) -> Any:
    sums.listed = sums.listed._replace(log_probs=sums.listed.log_probs + math.log(2))
    return sums


def noisy(scores: Any) -> Any:
    return replace(scores, log_probs=scores.log_probs - 1e-9 * next(COUNTER))


def more_probable(explanation: Any) -> Any:
    decisions = [replace(d, probability=d.probability * 0.9) for d in explanation.decisions]
    return replace(explanation, decisions=decisions)


def without_last(explanation: Any) -> Any:
    return replace(explanation, decisions=explanation.decisions[:-1])


def surer(reading: Any) -> Any:
    steps = [
        replace(step, analyses=[replace(a, probability=0.9) for a in step.analyses])
        for step in reading.steps
    ]
    return replace(reading, steps=steps)


def reversed_order(orders: Any) -> Any:
    return [replace(one, order=one.order[1:]) for one in orders]


def cheaper(score: Any) -> Any:
    return replace(score, log_prob=score.log_prob - 0.1)


def shortened(segmentations: Any) -> Any:
    return [
        replace(one, analyses=[replace(a, morphemes=a.morphemes[1:]) for a in one.analyses])
        for one in segmentations
    ]


def another_word(parse: Any) -> Any:
    trees = [replace(tree, tree=Tree("X", word="other")) for tree in parse.trees]
    return replace(parse, trees=trees)


def noise_in_arrays(model: Any) -> None:
    plain = model.arrays()
    model.arrays = lambda: {**plain, "noise": np.array([next(COUNTER)])}


def unused_array(model: Any) -> None:
    plain = model.arrays()
    model.arrays = lambda: {**plain, "unused": np.zeros(3)}


def unused_entry(model: Any) -> None:
    plain = model.header()
    model.header = lambda: {**plain, "unused": 1}


def undeclared_ability(model: Any) -> None:
    model.top_states = lambda **options: []


def other_refusal(model: Any) -> None:
    """Let one method that the model lacks be refused by another sentence, when it is called."""

    def parse(sentence: Any, **options: Any) -> None:
        raise BistroError("no")

    def look_up(self: Any, name: str) -> Any:
        return parse if name == "parse" else plain.__getattr__(self, name)

    plain: Any = type(model)
    model.__class__ = type(plain.__name__, (plain,), {"__getattr__": look_up})


def same_draw(model: Any) -> None:
    plain = model.generate
    model.generate = lambda n, seed=1, **options: plain(n, 1, **options)


def same_trees(model: Any) -> None:
    plain = model.generate_trees
    model.generate_trees = lambda n, seed=1, **options: plain(n, 1, **options)


def any_draw(results: Any) -> Iterator[Any]:
    return (list(reversed(words)) for words in results)


BREAKS: dict[str, tuple[str, Break]] = {
    "file_gives_it_back": ("ngram", noise_in_arrays),
    "damage_is_noticed": ("ngram", unused_array),
    "missing_entries_are_noticed": ("ngram", unused_entry),
    "record_names_it": ("ngram", undeclared_ability),
    "lacking_abilities_are_refused": ("ngram", other_refusal),
    "options_are_known": ("transition", ignoring("parse", "kbestx")),
    "protocols_are_lines": ("ngram", changed("score_protocol", lambda line: line + "\n")),
    "introduces_itself": ("ngram", changed("summary", lambda summary: {})),
    "events_are_words_and_ends": (
        "ngram",
        changed("score", lambda scores: replace(scores, log_probs=scores.log_probs + 10)),
    ),
    "surprisals_sum": ("ngram", changed("surprisal", lambda table: table[1:])),
    "scores_are_repeatable": ("ngram", changed("score", noisy)),
    "next_words_are_shares": ("ngram", changed("next_sums", twice_as_probable)),
    "texts_are_lists_of_words": ("ngram", lambda model: setattr(model, "surprisal", len)),
    "draws_follow_the_seed": ("ngram", same_draw),
    "draws_continue_a_prefix": ("ngram", changed("generate", any_draw)),
    "contributions_sum": ("ngram", changed("explain", more_probable)),
    "exact_scores_are_explained": ("ngram", changed("explain", without_last)),
    "readings_are_shares": ("transition", changed("follow", surer)),
    "heads_form_trees": ("transition", changed("parse_all", each(circle))),
    "sentences_are_parsed_alone": (
        "transition",
        changed("parse", lambda parse: next(first_changed(posterior=0.5)([parse]))),
    ),
    "marginals_are_shares": ("transition", changed("parse_all", each(doubled))),
    "best_come_first": ("transition", changed("parse_all", first_changed(posterior=0.0))),
    "samples_are_trees": ("transition", ignoring("parse_all", "samples")),
    "given_tags_are_kept": ("transition", ignoring("parse_all", "tags")),
    "given_heads_are_kept": ("transition", ignoring("parse_all", "partial")),
    "own_trees_are_kept": (
        "transition",
        changed("parse", lambda parse: next(first_changed(labels=["dep"])([parse]))),
    ),
    "input_is_checked": ("transition", ignoring("parse", "partial")),
    "words_have_tags": (
        "tags",
        changed("tag_all", each(lambda found: replace(found, tags=found.tags[1:]))),
    ),
    "drawn_trees_are_trees": ("transition", same_trees),
    "orders_are_permutations": ("linearize", changed("linearize", reversed_order)),
    "orders_sum_to_one": ("linearize", changed("score_order", cheaper)),
    "morphemes_make_the_word": ("morphology", changed("segment", shortened)),
    "leaves_are_the_words": ("trees", changed("parse_trees", each(another_word))),
    "states_are_shares": ("topics", changed("top_states", lambda states: states[::-1])),
    "text_comes_back": ("tokens", changed("tokenise", each(lambda s: replace(s, before="")))),
    "cells_keep_their_words": ("tokens", changed("cut_cells", lambda cells: cells[::-1])),
    "columns_fit_their_words": ("columns", changed("fill", lambda filled: filled[::-1])),
    "annotation_is_whole": ("pipeline", ignoring("annotate_all", "keep")),
    "figures_are_numbers": ("tags", changed("figures", lambda figures: {"bits": math.nan})),
}


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.check.__name__)
def test_a_model_that_breaks_a_law_is_found_out(law: Any) -> None:
    recipe, apply = BREAKS[law.check.__name__]
    data = held_out(BY_NAME[recipe].data)
    model = from_bytes(trained(recipe).to_bytes())
    law(model, data)
    apply(model)
    with pytest.raises(LawError, match="breaks a law") as broken:
        law(model, data)
    assert model.kind in str(broken.value) and law.text in str(broken.value)


def test_options_without_a_hint_are_found_out() -> None:
    law = next(law for law in LAWS if law.check.__name__ == "options_are_known")
    model: Any = from_bytes(trained("ngram").to_bytes())
    model.score = lambda sentences, **options: Options()
    with pytest.raises(LawError, match="are not refused"):
        law(model, held_out("sentences"))


# ---- training ----------------------------------------------------------------------------------
train = BY_NAME["ngram"].train


def test_a_seed_that_is_ignored_is_found_out() -> None:
    with pytest.raises(LawError, match="from another seed"):
        check_seed(lambda seed, **options: train(seed=1, **options))
    with pytest.raises(LawError, match="two files from one seed"):
        check_seed(lambda seed, **options: train(seed=next(COUNTER), **options))
    with pytest.raises(LawError, match="from another seed"):
        check_seed(train, draws=False)


def test_threads_that_matter_are_found_out() -> None:
    with pytest.raises(LawError, match="two threads"):
        check_threads(lambda seed, session: train(seed=session.threads))


def test_a_run_that_starts_from_the_beginning_is_found_out() -> None:
    def forgetful(seed: int, session: Session) -> Model:
        return train(seed=seed, session=replace(session, resume=False))

    with pytest.raises(LawError, match="sweeps"):
        check_stops(forgetful)


def test_a_run_that_does_not_stop_is_found_out() -> None:
    def deaf(seed: int, session: Session) -> Model:
        return train(seed=seed, session=replace(session, stop_requested=lambda: False))

    with pytest.raises(LawError, match="stopped 0 times"):
        check_stops(deaf)
