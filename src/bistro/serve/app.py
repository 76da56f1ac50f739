"""The web application, with its routes and their handlers.

>>> import bistro
>>> from starlette.testclient import TestClient
>>> model = bistro.train("ngram", bistro.builtin(sentences=50, seed=1), seed=1)
>>> app = create_app(Catalog.of([("english.bistro", model)]))
>>> client = TestClient(app, base_url="http://localhost")
>>> client.post("/api/words", json={"text": "It rains."}).json()["words"]
['It', 'rains', '.']
>>> answer = client.post("/api/read", json={"model": "english", "text": "It rains."})
>>> [row["token"] for row in answer.json()["rows"]]
['It', 'rains', '.', '</s>']
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from functools import partial

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response

from bistro.serve import answers, schemas
from bistro.serve.access import LOOPBACK, Access
from bistro.serve.access_log import Served
from bistro.serve.catalog import Catalog
from bistro.serve.description import describe
from bistro.serve.desk_routes import add_desk
from bistro.serve.desks import Desks
from bistro.serve.errors import COMMON, MODEL_ERRORS, install, json_response
from bistro.serve.guard import Guard, run_for
from bistro.serve.inception_routes import add_inception
from bistro.serve.inputs import Inputs
from bistro.serve.learning import Learner
from bistro.serve.limits import Limits
from bistro.serve.page_files import page_files
from bistro.serve.structures import add_structures
from bistro.serve.udpipe_routes import add_routes
from bistro.serve.watching import add_watching
from bistro.serve.work import Work
from bistro.version import __version__

SHORT_TEXT = 500
"""Texts with fewer characters than this are split on the event loop.

For short texts, splitting is faster than queueing.
"""
PLAYGROUND = "play.html"
"""The page with the playground, which needs no model."""
ABOUT = (
    "This server uses Bistro's models to provide surprisal, trees with probabilities, generated "
    "sentences and word orders. The server also supports UDPipe's REST protocol and "
    "provides suggestions for INCEpTION. Every error is returned as an object whose field `error` "
    "contains one sentence."
)


def create_app(
    catalog: Catalog,
    limits: Limits | None = None,
    *,
    hosts: Collection[str] | None = LOOPBACK,
    origins: Sequence[str] = (),
    keys: Mapping[str, str] | None = None,
    log: Callable[[Served], None] | None = None,
    desks: Desks | None = None,
    learn_after: int | None = None,
) -> FastAPI:
    """Create the web application that serves a catalogue of models.

    Parameters
    ----------
    catalog
        The models.
    limits
        Limits on requests; by default, those of the command line.
    hosts
        Host names that the server answers to, in addition to numeric addresses; None allows all.
    origins
        Origins of other sites whose pages may send requests.
    keys
        Names of clients by their keys; without keys, no key is needed.
    log
        Called with every request that has been answered: the access log.
    desks
        Files to annotate; without them there is no desk.
    learn_after
        Number of complete sentences after which an annotator's own model is trained; None disables
        training.
    """
    limits = limits or Limits()
    work, learner = Work(limits), Learner(learn_after)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        learner.close()
        work.close()
        if desks is not None:
            desks.close()

    # FastAPI's own pages of documentation load their scripts from other hosts: see `docs_page`.
    app = FastAPI(
        title="Bistro",
        version=__version__,
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.work, app.state.learner = work, learner
    install(app)
    describe(app, catalog, limits)
    _add_page(app, start="index.html" if len(catalog) else PLAYGROUND, has_desk=desks is not None)
    inputs = Inputs(limits)
    for add in (_add_interface, _add_readers, _add_writers, add_structures):
        add(app, catalog, inputs, work)
    add_routes(app, catalog, inputs, work)
    if desks is not None:
        add_desk(app, desks, inputs, work)
    add_inception(app, catalog, inputs, work, learner)
    metrics = add_watching(app, catalog, work, show_models=not keys)
    if origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(origins),
            allow_methods=["GET", "POST"],
            allow_headers=["*"],
        )
    access = Access(hosts, origins, keys)
    app.add_middleware(Guard, limits=limits, access=access, metrics=metrics, log=log)
    return app


def _add_page(app: FastAPI, start: str, *, has_desk: bool) -> None:
    """Add the pages.

    The start page shows the models. Without models, the start page is the playground.
    """
    files = page_files()

    def send(request: Request, name: str) -> Response:
        if name not in files:
            raise HTTPException(404)
        file = files[name]
        headers = {"etag": file.tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == file.tag:
            return Response(status_code=304, headers=headers)
        return Response(file.content, headers=headers, media_type=file.media_type)

    @app.get("/", include_in_schema=False)
    async def page(request: Request) -> Response:
        return send(request, start)

    @app.get("/play", include_in_schema=False)
    async def playground(request: Request) -> Response:
        return send(request, PLAYGROUND)

    if has_desk:

        @app.get("/desk", include_in_schema=False)
        async def desk(request: Request) -> Response:
            return send(request, "desk.html")

    @app.get("/static/{name:path}", include_in_schema=False)
    async def static(request: Request, name: str) -> Response:
        return send(request, name)


async def _answered(
    work: Work, request: Request, model: str | None, compute: Callable[[], object], number: int = 1
) -> Response:
    """Run `compute` in a worker thread, and return its result as a JSON response.

    `number` is the number of requested items, from which the cost of the request is predicted.
    """

    def encoded() -> Response:
        return json_response(compute())

    return await run_for(work, request, encoded, (model, min(number, 100).bit_length()))


def _add_interface(app: FastAPI, catalog: Catalog, inputs: Inputs, work: Work) -> None:
    known = json_response(
        {
            "version": __version__,
            "limits": inputs.shown_limits(),
            "models": [answers.facts(entry) for entry in catalog],
        }
    ).body

    answer = partial(_answered, work)

    @app.get("/api/models", response_model=schemas.Models, responses=COMMON)
    async def models() -> Response:
        """Return the models with their abilities, and the limits of the server."""
        return Response(known, media_type="application/json")

    @app.post("/api/words", response_model=schemas.Words, responses=MODEL_ERRORS)
    async def words(body: schemas.TextBody, request: Request) -> Response:
        """Split a text into sentences and words, using the tokeniser of a model if one is given."""
        tokeniser = catalog[body.model].tokeniser if body.model is not None else None
        inputs.check_text(body.text)

        def compute() -> object:
            lists = inputs.sentences(body, tokeniser)
            return {"words": [w for forms in lists for w in forms], "sentences": lists}

        if tokeniser is None and len(body.text) <= SHORT_TEXT:
            return json_response(compute())
        return await answer(request, body.model, compute)


def _add_readers(app: FastAPI, catalog: Catalog, inputs: Inputs, work: Work) -> None:
    answer = partial(_answered, work)

    @app.post("/api/read", response_model=schemas.ReadAnswer, responses=MODEL_ERRORS)
    async def read(body: schemas.ReadBody, request: Request) -> Response:
        """Return the surprisal of every word in a sentence, and the analyses after each word."""
        entry = catalog[body.model]
        model = entry.able("read")

        def compute() -> object:
            sentence = inputs.sentence(body, entry.tokeniser)
            inputs.check_reading(model, sentence.forms)
            inputs.check_analyses(body.analyses)
            return answers.read(entry, sentence, body)

        return await answer(request, body.model, compute, body.analyses)

    @app.post("/api/parse", response_model=schemas.ParseAnswer, responses=MODEL_ERRORS)
    async def parse(body: schemas.ParseBody, request: Request) -> Response:
        """Parse a sentence and return trees and the probabilities of heads, labels and tags."""
        entry = catalog[body.model]

        def compute() -> object:
            sentence = inputs.sentence(body, entry.tokeniser)
            inputs.check_analyses(body.kbest, body.samples)
            return answers.parse(entry, sentence, body)

        return await answer(request, body.model, compute, max(body.kbest, body.samples))


def _add_writers(app: FastAPI, catalog: Catalog, inputs: Inputs, work: Work) -> None:
    answer = partial(_answered, work)

    @app.post("/api/generate", response_model=schemas.GenerateAnswer, responses=MODEL_ERRORS)
    async def generate(body: schemas.GenerateBody, request: Request) -> Response:
        """Draw sentences from a model."""
        entry = catalog[body.model]

        def compute() -> object:
            prefix = inputs.prefix(body, entry.tokeniser)
            inputs.check_sentences(body.n)
            return answers.generate(entry, prefix, body)

        return await answer(request, body.model, compute, body.n)

    @app.post("/api/linearize", response_model=schemas.LinearizeAnswer, responses=MODEL_ERRORS)
    async def linearize(body: schemas.LinearizeBody, request: Request) -> Response:
        """Order the words of a tree."""
        entry = catalog[body.model]
        inputs.check_words(body.words)
        inputs.check_analyses(body.n)

        def compute() -> object:
            return answers.linearize(entry, inputs, body)

        return await answer(request, body.model, compute, body.n)
