"""What a model says of a few fixed inputs, as numbers and names ready for JSON.

The inputs are written out here, so that they never change; the figures of a stored model must not
change either.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from bistro.treebank.brackets import format_tree, parse_tree
from bistro.treebank.morphology import Paragraph, SegmentedWord, parse_morphemes
from bistro.treebank.sentence import Sentence

TEXTS = [
    ["The", "dog", "sleeps", "."],
    ["A", "zebra", "sees", "the", "old", "house", "in", "the", "city", "."],
    ["Run"],
]
TREE = Sentence.from_columns(
    ["The", "old", "dog", "sees", "a", "cat", "."],
    heads=[3, 3, 4, 0, 6, 4, 4],
    upos=["DET", "ADJ", "NOUN", "VERB", "DET", "NOUN", "PUNCT"],
    deprels=["det", "amod", "nsubj", "root", "det", "obj", "punct"],
)
BRACKETS = parse_tree("(TOP (S (NP (DT The) (NN dog)) (VP (VBZ sleeps)) (. .)))")
WORDS = ["relockable", "untie", "Packers", "xyz"]
UTTERANCES = [["re", "lock", "un", "do"], ["pack", "er", "s"]]
SEGMENTED = Paragraph([SegmentedWord("relock", parse_morphemes("re[Pre]-lock[Stem]"))])
RUNNING = "The dog sees a cat. It can't sleep!\n\nA zebra sees the old house."
ITEMS = {"trees": BRACKETS, "constituents": BRACKETS, "morphology": SEGMENTED}
SUMS = {"particles": 20, "repeats": 2, "seed": 3}
"""How scores are summed over analyses, where they are not exact."""
TAGS_TRIED = {"tag_dictionary": "hard", "tags_per_word": 3}
"""How tags are found, where a model has such options: as when the figures were stored."""
SAMPLES = 100
"""How many trees `mcmc` draws."""


def figures_of(model: Any, without: Sequence[str] = ()) -> dict[str, Any]:
    """Return what a model says, by ability; one that it lacks, or is left out, has no entry."""
    found = {
        name: function(model)
        for name, function in FIGURES.items()
        if hasattr(model, method(name)) and method(name) not in without
    }
    return {"arrays": digest(model), **found}


def digest(model: Any) -> str:
    """Return the SHA-256 of a model's arrays, with their names, types and shapes."""
    sha256 = hashlib.sha256()
    for name, array in sorted(model.arrays().items()):
        sha256.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        sha256.update(np.ascontiguousarray(array).tobytes())
    return sha256.hexdigest()


def same(found: Any, expected: Any, tolerance: float) -> bool:
    """Tell whether figures are equal: floats up to a relative tolerance, all else exactly."""
    if isinstance(expected, float):
        if math.isnan(expected):
            return isinstance(found, float) and math.isnan(found)
        return math.isclose(found, expected, rel_tol=tolerance)
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(
            same(found[key], expected[key], tolerance) for key in expected
        )
    if isinstance(expected, list):
        return len(found) == len(expected) and all(
            same(one, other, tolerance) for one, other in zip(found, expected, strict=True)
        )
    return bool(found == expected)


def method(name: str) -> str:
    """Return the method that figures are made with: ``parse`` for ``parse, k best``."""
    return name.partition(",")[0]


def _score(model: Any) -> Any:
    known = getattr(model.score_options, "__dataclass_fields__", {})
    options: dict[str, Any] = {name: value for name, value in SUMS.items() if name in known}
    if "repeats" in known:
        options["method"] = "smc"
    return [row.surprisal for row in model.surprisal(TEXTS, **options)]


def _parse(model: Any) -> Any:
    return [
        {**_analysis(parse.analyses[0]), "log_total": parse.log_total, "marginals": _rows(parse)}
        for parse in model.parse_all(TEXTS, marginals=True, **_tags_tried(model))
    ]


def _tags_tried(model: Any) -> dict[str, Any]:
    known = model.parse_options.names() if hasattr(model, "parse_options") else ()
    return TAGS_TRIED if "tag_dictionary" in known else {}


def _rows(parse: Any) -> Any:
    return [[[head, p] for head, p in row if p > 1e-3] for row in parse.marginals.heads]


def _analysis(analysis: Any) -> Any:
    names = ("heads", "labels", "tags", "log_prob", "posterior")
    return {name: getattr(analysis, name) for name in names}


def _kbest(model: Any) -> Any:
    return [
        _analysis(tree) for tree in model.parse(TEXTS[0], kbest=3, **_tags_tried(model)).analyses
    ]


def _samples(model: Any) -> Any:
    parse = model.parse(TEXTS[0], samples=3, seed=5, **_tags_tried(model))
    return [_analysis(tree) for tree in parse.samples]


def _given(model: Any) -> Any:
    return _analysis(model.parse(TREE, tags="given", partial=True).analyses[0])


def _tag(model: Any) -> Any:
    found = model.tag_all(TEXTS, **_tags_tried(model))
    return [[tagging.tags, tagging.log_prob] for tagging in found]


def _tag_searches(model: Any) -> Any:
    if hasattr(model, "parse"):
        return []  # a parser finds tags as it finds trees
    searches = ("viterbi", "mcmc", "hmm", "astar-local", "astar-full")
    options = {"samples": SAMPLES, "seed": 5}
    return [
        [[t.tags, t.log_prob] for t in model.tag_all(TEXTS, search=search, **options)]
        for search in searches
    ]


def _generate(model: Any) -> Any:
    return list(model.generate(3, seed=5))


def _generate_trees(model: Any) -> Any:
    drawn = model.generate_trees(3, seed=5)
    return [[tree.forms, tree.heads, tree.deprels] for tree in drawn]


def _follow(model: Any) -> Any:
    steps = model.follow(TEXTS[0], analyses=2, particles=50).steps
    return [
        [step.surprisal, *([live.heads, live.probability] for live in step.analyses)]
        for step in steps
    ]


def _explain(model: Any) -> Any:
    explained = model.explain(TEXTS[0])
    return [[d.distribution, d.outcome, d.probability, len(d.levels)] for d in explained.decisions]


def _orders(model: Any) -> Any:
    return [[one.order, one.log_prob] for one in model.linearize(TREE, kbest=3, seed=5)]


def _sample_orders(model: Any) -> Any:
    return [[one.order, one.log_prob] for one in model.sample_orders(TREE, 3, seed=5)]


def _score_order(model: Any) -> Any:
    return model.score_order(TREE).log_prob


def _segment(model: Any) -> Any:
    return [one.to_dict() for one in model.segment(WORDS, kbest=3)]


def _parse_trees(model: Any) -> Any:
    searches: list[dict[str, Any]] = [
        {"samples": SAMPLES, "seed": 5},
        {"search": "astar-local"},
        {"search": "cyk"},
    ]
    options = getattr(model, "parse_options", None)
    if options is not None and "search" not in options.names():
        del searches[1:]
    return [
        [[format_tree(parse.tree), parse.log_prob] for parse in model.parse_trees(TEXTS, **one)]
        for one in searches
    ]


def _group(model: Any) -> Any:
    return [format_tree(tree) for tree in model.group(UTTERANCES, samples=SAMPLES, seed=5)]


def _states(model: Any) -> Any:
    return [
        {**asdict(state), "words": list(map(list, state.words)), "parents": len(state.parents)}
        for state in model.top_states(words=3)
    ]


def _tokenise(model: Any) -> Any:
    return [
        [one.forms, one.starts, list(map(list, one.words)), one.end_probability]
        for one in model.tokenise(RUNNING)
    ]


def _fill(model: Any) -> Any:
    return [asdict(one) for one in model.fill([TREE], keep=("upos",))]


def _annotate(model: Any) -> Any:
    return [str(one) for one in model.annotate(RUNNING, marginals=True)]


def _held_out(model: Any) -> Any:
    kind = model.config.task if model.kind == "infinite" else model.kind
    return dict(model.figures([ITEMS.get(kind, TREE)]))


FIGURES = {
    "score": _score,
    "parse": _parse,
    "parse, k best": _kbest,
    "parse, samples": _samples,
    "parse, given heads and tags": _given,
    "tag": _tag,
    "tag, every search": _tag_searches,
    "generate": _generate,
    "generate_trees": _generate_trees,
    "follow": _follow,
    "explain": _explain,
    "linearize": _orders,
    "sample_orders": _sample_orders,
    "score_order": _score_order,
    "segment": _segment,
    "parse_trees": _parse_trees,
    "group": _group,
    "top_states": _states,
    "tokenise": _tokenise,
    "fill": _fill,
    "annotate": _annotate,
    "figures": _held_out,
}
"""What is asked of a model: its method, and what of the method after a comma."""
