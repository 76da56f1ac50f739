"""Answers to valid requests, as plain JSON values.

This module does not use the network. Answers contain None in place of infinite numbers and NaN. A
computation uses one thread, and concurrent requests keep all cores busy.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import BaseModel

from bistro._core import pause
from bistro.errors import BistroError
from bistro.models.abilities import GENERATE_TREES, PARSE, TAG
from bistro.models.parsing.tagging import summed
from bistro.models.results.parses import Analysis, Marginals, head_probability, plain_label
from bistro.models.results.readings import Step
from bistro.serve import schemas
from bistro.serve.catalog import Entry
from bistro.serve.inputs import Inputs
from bistro.tasks.parsed import ParseWriter
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import encoded
from bistro.treebank.validate import MISSING

Answer = dict[str, Any]
ONE_THREAD: dict[str, Any] = {"threads": 1}


def facts(entry: Entry) -> Answer:
    """Return the public description of a model."""
    model = entry.model
    parser = PARSE.of(model) if PARSE.is_of(model) else None
    tagger = parser or (TAG.of(model) if TAG.is_of(model) else None)
    return {
        "id": entry.id,
        "kind": model.kind,
        "abilities": list(entry.abilities),
        "tag_column": tagger.tag_column if tagger else None,
        "labelled": parser.is_labelled if parser else None,
        "single_root": parser.single_root if parser else None,
        "treebank": plain(model.origin.treebank),
        "seed": model.origin.seed,
        "version": entry.version,
        "sha256": entry.sha256,
        "summary": plain(model.summary()),
    }


def read(entry: Entry, sentence: Sentence, body: schemas.ReadBody) -> Answer:
    """Return the surprisal of every word, and the analyses after each word if available."""
    model = entry.able("read")
    words = sentence.forms
    options = ONE_THREAD if "threads" in model.score_options.names() else {}
    table = model.surprisal(words, **options)
    rows = [_filled(schemas.Row, row, word=row.word_id, oov=bool(row.oov)) for row in table]
    steps, protocols = [], [f"surprisal in bits by the {model.score_protocol(**options)}"]
    if "follow" in entry.abilities:
        follower = entry.able("follow")
        reading = follower.follow(words, analyses=body.analyses)
        # The search also gives surprisals, as bounds. They are not used: a word has one figure.
        steps = [
            _step(step, row.surprisal, follower.shown_tags)
            for step, row in zip(reading.steps, table, strict=True)
        ]
        protocols.append(f"analyses: {reading.protocol}")
    return {
        "model": entry.id,
        "words": words,
        "rows": rows,
        "steps": steps,
        "protocol": "; ".join(protocols),
    }


def _step(step: Step, surprisal: float, shown: Callable[[Sequence[str]], list[str]]) -> Answer:
    pause()
    analyses = [_filled(schemas.Live, live, tags=shown(live.tags)) for live in step.analyses]
    return _filled(schemas.Step, step, surprisal=number(surprisal), analyses=analyses)


def parse(entry: Entry, sentence: Sentence, body: schemas.ParseBody) -> Answer:
    """Return the minimum-risk tree, the most probable trees, and the marginals."""
    model = entry.able("parse")
    options: Any = {"seed": body.seed, "samples": body.samples, **ONE_THREAD}
    result = model.parse(sentence, marginals=True, **options)
    assert result.marginals is not None
    trees = result.analyses[:1]
    if body.kbest > 1:
        ranked = model.parse(sentence, kbest=body.kbest, seed=body.seed, **ONE_THREAD)
        seen = _content(trees[0])
        trees = [_with_own_share(trees[0], ranked.analyses[0])]
        trees += [tree for tree in ranked.analyses if _content(tree) != seen]
    writer = ParseWriter.of(model)
    alone = dataclasses.replace(result, samples=[])
    return {
        "model": entry.id,
        "words": sentence.forms,
        "analyses": [_tree(tree, result.marginals, writer) for tree in trees[: body.kbest]],
        "samples": [_tree(tree, result.marginals, writer) for tree in result.samples],
        "marginals": _marginals(result.marginals, writer),
        "conllu": b"".join(encoded(writer.sentences(alone))).decode(),
        "protocol": model.parse_protocol(seed=body.seed),
    }


def _with_own_share(tree: Analysis, likeliest: Analysis) -> Analysis:
    """Return a copy of the minimum-risk tree that stores its own posterior probability."""
    if not (math.isfinite(tree.log_prob) and math.isfinite(likeliest.log_prob)):
        return tree
    share = likeliest.posterior * math.exp(min(0.0, tree.log_prob - likeliest.log_prob))
    return dataclasses.replace(tree, posterior=share)


def _content(tree: Analysis) -> tuple[list[int], list[str], list[str]]:
    return tree.heads, tree.labels, tree.tags


def _tree(tree: Analysis, marginals: Marginals, writer: ParseWriter) -> Answer:
    pause()
    heads = tree.heads
    expected = tree.expected_uas
    if expected is None:
        probabilities = (head_probability(heads, w, h, marginals) for w, h in enumerate(heads))
        expected = math.fsum(probabilities) / len(heads)
    tags = writer.shown_tags(tree.tags)
    return _filled(schemas.Tree, tree, tags=tags, expected_uas=number(expected))


def _marginals(marginals: Marginals, writer: ParseWriter) -> Answer:
    return {
        "heads": [[[h, number(p)] for h, p in row] for row in marginals.heads],
        "labels": [_summed(_plain_labels, row) for row in marginals.labels],
        "tags": [_summed(writer.shown_tags, row) for row in marginals.tags],
    }


def _plain_labels(names: Sequence[str]) -> list[str]:
    return [plain_label(name) for name in names]


def _summed(
    shown: Callable[[Sequence[str]], list[str]], row: Sequence[tuple[str, float]]
) -> list[list[Any]]:
    return [list(pair) for pair in summed(shown, row)]


def generate(entry: Entry, prefix: Sequence[str], body: schemas.GenerateBody) -> Answer:
    """Return sentences drawn from a model, with trees if the model draws trees."""
    model = entry.able("generate")
    options: Any = {"temperature": body.temperature, "prefix": list(prefix)}
    if GENERATE_TREES.is_of(model):
        column = model.tag_column
        drawn = [_drawn(s, column) for s in model.generate_trees(body.n, body.seed, **options)]
    else:
        lists = model.generate(body.n, body.seed, **options)
        nothing = dict.fromkeys(("heads", "labels", "tags"))
        drawn = [{"words": list(words), **nothing} for words in lists]
    protocol = (
        f"drawn from the {model.kind} model, seed {body.seed}, temperature {body.temperature:g}"
    )
    cut = sum(len(sentence["words"]) >= model.longest_generated for sentence in drawn)
    if cut:
        protocol += f"; {cut} cut at {model.longest_generated:g} words"
    return {"sentences": drawn, "protocol": protocol}


def _drawn(sentence: Sentence, tag_column: str) -> Answer:
    is_tree = MISSING not in sentence.heads
    return {
        "words": sentence.forms,
        "heads": sentence.heads if is_tree else None,
        "labels": sentence.deprels if is_tree else None,
        "tags": getattr(sentence, tag_column) if is_tree else None,
    }


def linearize(entry: Entry, inputs: Inputs, body: schemas.LinearizeBody) -> Answer:
    """Return orders of a tree."""
    model = entry.able("linearize")
    sentence = _tree_of(body)
    inputs.check_dependents(model.most_dependents(sentence))
    log_prob = model.score_order(sentence).log_prob
    if body.samples:
        results, how = model.sample_orders(sentence, body.n, seed=body.seed), "drawn"
    else:
        results, how = model.linearize(sentence, kbest=body.n, seed=body.seed), "the most probable"
    orders = [
        {"words": one.sentence.forms, "order": one.order, "log_prob": number(one.log_prob)}
        for one in results
    ]
    left_out = len(sentence) - len(results[0].order) if results else 0
    protocol = f"{how} orders of the tree, natural logarithms, seed {body.seed}"
    if left_out:
        protocol += f"; {left_out} punctuation marks left out"
    return {"orders": orders, "given_log_prob": number(log_prob), "protocol": protocol}


def _tree_of(body: schemas.LinearizeBody) -> Sentence:
    columns: dict[str, Any] = {}
    if body.labels is not None:
        columns["deprels"] = body.labels
    if body.tags is not None:
        columns |= {"upos": body.tags, "xpos": body.tags}
    if len(body.heads) != len(body.words):
        raise BistroError(
            f"there are {len(body.heads)} heads for {len(body.words)} words: give one head per word"
        )
    return Sentence.from_columns(body.words, heads=body.heads, **columns)


def _filled(schema: type[BaseModel], source: object, **values: Any) -> Answer:
    """Return the fields of a JSON answer as a dictionary.

    Fields that are not in `values` are taken from the attributes of `source` with the same names.
    """
    names = schema.model_fields
    return {n: values[n] if n in values else plain(getattr(source, n)) for n in names}


def number(value: float | None) -> float | None:
    """Return a number, or None if it is infinite or NaN, which JSON cannot store."""
    return float(value) if value is not None and math.isfinite(value) else None


def plain(value: Any) -> Any:
    """In nested values, replace infinite numbers and NaN, which JSON cannot store, with None."""
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list) and set(map(type, value)) <= {int, str}:
        return value
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return number(value) if isinstance(value, float) else value
