"""Answers to requests to the annotation desk, as plain JSON values.

This module does not use the network.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from bistro.models.results.parses import plain_label
from bistro.rng import purpose_key
from bistro.serve.answers import Answer, number
from bistro.tasks.desk.beside import Beside
from bistro.tasks.desk.desk import Desk, Snapshot
from bistro.tasks.desk.suggest import Suggestion
from bistro.tasks.next_sentences import STRATEGIES, OpenSentence
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import MISSING

SNIPPET = 90
"""Maximum number of characters shown per sentence in the list of sentences."""
COLUMNS = ("forms", "lemmas", "upos", "xpos", "feats", "heads", "deprels", "misc")


def listed(desk: Desk, beside: Beside) -> Answer:
    """Return the list of all sentences in the file."""
    with desk.lock:
        rows = [row(desk, place) for place in range(len(desk.document))]
        return {"rows": rows, **status(desk, beside)}


def changes(desk: Desk, beside: Beside, since: int) -> Answer:
    """Return the list entries that have changed since a revision."""
    with desk.lock:
        places = [place for place, at in desk.touched.items() if at > since]
        rows = {str(place): row(desk, place) for place in places}
        return {"rows": rows, **status(desk, beside)}


def row(desk: Desk, place: int) -> list[Any]:
    """Return the list entry for a sentence, with its id, text, words, state, doubt and version."""
    sentence = desk.document.sentences[place]
    name, text = _named(sentence)
    return [
        name or str(place + 1),
        text[:SNIPPET],
        len(sentence),
        state_of(sentence, is_done=place in desk.document.done),
        _doubt(desk.doubts[place], len(sentence)),
        desk.document.versions[place],
    ]


def _named(sentence: Sentence) -> tuple[str, str]:
    """Return the `sent_id` and the text of a sentence, without parsing its other comments."""
    name = text = ""
    for line in sentence.as_read.lstrip("\ufeff\r\n").split("\n"):
        if not line.startswith("#"):
            break
        key, equals, value = line[1:].partition("=")
        if equals and key.strip() == "sent_id":
            name = value.strip()
        elif equals and key.strip() == "text":
            text = value.strip()
    return name, text or " ".join(sentence.forms)


def state_of(sentence: Sentence, *, is_done: bool) -> str:
    """Return the state of a sentence: ``open``, ``part``, ``whole`` or ``done``."""
    if is_done:
        return "done"
    missing = sentence.heads.count(MISSING)
    if missing == len(sentence):
        return "open"
    return "part" if missing else "whole"


def _doubt(doubts: tuple[float, ...] | None, words: int) -> float | None:
    if doubts is None:
        return None
    return round(sum(doubts) / max(1, words), 4)


def status(desk: Desk, beside: Beside) -> Answer:
    """Return the state of the whole file, with its model and the results of training."""
    document = desk.document
    suggester = desk.suggester
    return {
        "file": document.path.name,
        "sentences": len(document),
        "revision": desk.revision,
        "last": document.last,
        "undo": len(document.past),
        "redo": len(document.future),
        "unsaved": document.unsaved,
        "done": len(document.done),
        "model": {"kind": suggester.model.kind, "number": suggester.number},
        "learning": {
            "every": desk.every,
            "busy": beside.is_learning,
            "problem": desk.problem,
            "lessons": [asdict(lesson) for lesson in desk.lessons],
            "curve": desk.curve(),
        },
    }


def names(desk: Desk) -> Answer:
    """Return the tags and labels that the model knows."""
    parser = desk.suggester.parser
    labels = set(map(plain_label, parser.label_names))
    return {
        "tag_column": parser.tag_column,
        "labelled": parser.is_labelled,
        "labels": sorted(label for label in labels if label != EMPTY),
        "tags": sorted({tag for tag in parser.tag_names if tag != EMPTY}),
    }


def shown(desk: Desk, shot: Snapshot) -> Answer:
    """Return the columns of one sentence, and the model's suggestions."""
    sentence = shot.sentence
    name, text = _named(sentence)
    return {
        "sentence": shot.place,
        "version": shot.version,
        "state": state_of(sentence, is_done=shot.is_done),
        "sent_id": name or str(shot.place + 1),
        "text": text,
        "columns": {column: getattr(sentence, column) for column in COLUMNS},
        "multiword": sentence.multiword,
        "empty_nodes": [[node[0], node[1]] for node in sentence.empty_nodes],
        "comments": sentence.comments,
        "suggestion": _suggested(desk.suggestion(shot)),
        "model": desk.suggester.number,
    }


def _suggested(suggestion: Suggestion) -> Answer:
    return {
        "heads": suggestion.heads,
        "deprels": suggestion.labels,
        suggestion.tag_column: suggestion.tags,
        "sure": {name: [number(p) for p in row] for name, row in suggestion.sure.items()},
        "alternatives": {name: _rounded(rows) for name, rows in suggestion.alternatives.items()},
        "relaxed": suggestion.relaxed,
    }


def _rounded(rows: list[list[tuple[Any, float]]]) -> list[list[list[Any]]]:
    return [[[value, round(p, 4)] for value, p in row] for row in rows]


def word(desk: Desk, shot: Snapshot, place: int) -> Answer:
    """Return the alternative values for one word."""
    values = desk.ask_word(shot, place)
    shares = {
        name: [[value, round(p, 4)] for value, p in rows]
        for name, rows in values.items()
        if name not in ("lemmas", "feats")
    }
    seen = {name: values[name] for name in ("lemmas", "feats")}
    return {"version": shot.version, "word": place, "shares": shares, "seen": seen}


def findings(desk: Desk, shot: Snapshot) -> Answer:
    """Return the annotated values for which the model prefers an alternative."""
    rows = [
        {
            **asdict(one),
            "probability": number(one.probability),
            "alternative_probability": number(one.alternative_probability),
        }
        for one in desk.findings(shot)
    ]
    return {"version": shot.version, "findings": rows}


def ordered(desk: Desk, by: str) -> Answer:
    """Return the positions of all sentences in the requested order.

    Confirmed sentences come last.
    """
    with desk.lock:
        places = range(len(desk.document))
        if by == "file":
            return {"by": by, "order": list(places), "revision": desk.revision}
        sentences = list(desk.document.sentences)
        doubts = list(desk.doubts)
        done = set(desk.document.done)
        revision = desk.revision
    rng = np.random.default_rng((1, purpose_key("next.ties")))
    ties = rng.permutation(len(sentences))
    vocabulary = {
        form.lower() for i, s in enumerate(sentences) if MISSING not in s.heads for form in s.forms
    }
    score = STRATEGIES[by]

    def key(place: int) -> tuple[bool, bool, float, int]:
        sentence = sentences[place]
        own = doubts[place]
        news = sum(form.lower() not in vocabulary for form in sentence.forms)
        one = OpenSentence(place, len(sentence), own or (), news / max(1, len(sentence)))
        return place in done, own is None, -score(one), int(ties[place])

    return {"by": by, "order": sorted(places, key=key), "revision": revision}
