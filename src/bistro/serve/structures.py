"""Routes for the phrases and latent states of models other than dependency parsers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from fastapi import FastAPI, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from bistro.models.abilities import PARSE_TREES, STATES
from bistro.pictures.constituents import draw_constituents
from bistro.serve import schemas
from bistro.serve.answers import Answer, number
from bistro.serve.catalog import Catalog, Entry
from bistro.serve.errors import MODEL_ERRORS, json_response
from bistro.serve.guard import run_for
from bistro.serve.inputs import Inputs
from bistro.serve.work import Work
from bistro.treebank.brackets import format_tree

MOST_STATES = 60
WORDS_OF_A_STATE = 10


class PhrasesBody(schemas.SentenceBody):
    """A sentence in which to find phrases."""


class StatesBody(schemas.Body):
    """A model whose states are shown."""

    model: schemas.ModelId


class Phrases(BaseModel):
    """A constituency tree in bracket notation, and a picture of it."""

    model: str
    words: list[str]
    brackets: str
    svg: str
    found: bool = Field(description="Whether the grammar has a tree for the words.")
    log_prob: float | None = Field(description="A natural logarithm.")


class StateWords(BaseModel):
    """A state with its share of the training data and its most probable words."""

    name: str
    share: float
    words: list[tuple[str, float]]


class States(BaseModel):
    """The largest states of a model."""

    model: str
    states: list[StateWords]


def add_structures(app: FastAPI, catalog: Catalog, inputs: Inputs, work: Work) -> None:
    """Add the routes for phrases and latent states to an application."""

    async def answer(request: Request, model: str, compute: Callable[[], object]) -> Response:
        return await run_for(work, request, lambda: json_response(compute()), model)

    @app.post("/api/phrases", response_model=Phrases, responses=MODEL_ERRORS)
    async def phrases(body: PhrasesBody, request: Request) -> Response:
        """Find the phrases in a sentence, and return them as a constituency tree."""
        entry = catalog[body.model]
        entry.able("phrases")

        def compute() -> Answer:
            words = inputs.sentence(body, entry.tokeniser).forms
            inputs.check_chart(words)
            return _phrases(entry, words)

        return await answer(request, body.model, compute)

    @app.post("/api/states", response_model=States, responses=MODEL_ERRORS)
    async def states(body: StatesBody, request: Request) -> Response:
        """Return the largest states of a model, with their most probable words."""
        entry = catalog[body.model]
        entry.able("states")
        return await answer(request, body.model, partial(_states, entry))


def _phrases(entry: Entry, words: list[str]) -> Answer:
    parse = PARSE_TREES.of(entry.model).parse_tree(words)
    return {
        "model": entry.id,
        "words": words,
        "brackets": format_tree(parse.tree),
        "svg": draw_constituents(parse.tree),
        "found": parse.is_found,
        "log_prob": number(parse.log_prob),
    }


def _states(entry: Entry) -> Answer:
    states = STATES.of(entry.model).top_states(words=WORDS_OF_A_STATE)
    rows = [
        {"name": one.name, "share": one.share, "words": [list(pair) for pair in one.words]}
        for one in states[:MOST_STATES]
    ]
    return {"model": entry.id, "states": rows}
