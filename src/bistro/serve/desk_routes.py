"""The routes of the annotation desk.

These routes exist only if the server was started with --file or --desk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from fastapi import FastAPI, Request
from starlette.responses import Response

from bistro.serve import desk_answers as answers
from bistro.serve import desk_schemas as schemas
from bistro.serve.desks import Desks
from bistro.serve.errors import MODEL_ERRORS, json_response, responses
from bistro.serve.guard import run_for
from bistro.serve.inputs import Inputs
from bistro.serve.work import Work
from bistro.tasks.desk.desk import Desk, Snapshot

T = TypeVar("T")
ERRORS = {**MODEL_ERRORS, **responses(409, 507)}


def add_desk(app: FastAPI, desks: Desks, inputs: Inputs, work: Work) -> None:
    """Add the routes of the annotation desk to an application."""
    _add_files(app, desks)
    _add_readers(app, desks, inputs, work)
    _add_writers(app, desks, inputs, work)


async def _written(desks: Desks, act: Callable[[], T]) -> T:
    """Change a file.

    Changes are made one at a time, and are completed even if the client disconnects.
    """
    loop = asyncio.get_running_loop()
    return await asyncio.shield(loop.run_in_executor(desks.writer, act))


def _add_files(app: FastAPI, desks: Desks) -> None:
    @app.get("/api/desk", responses=ERRORS)
    async def desk() -> Response:
        """Return the files on the desk, and the files that can be opened."""
        return json_response(
            {
                "files": list(desks.open_files),
                "waiting": desks.waiting_files(),
                "takes_files": desks.folder is not None,
            }
        )

    @app.post("/api/desk/open", responses=ERRORS)
    async def bring(body: schemas.PieceBody) -> Response:
        """Upload a piece of a file. After the last piece, the file is opened."""
        receive = partial(desks.receive, body.name, body.text, first=body.first, last=body.last)
        return json_response({"file": await _written(desks, receive)})

    @app.post("/api/desk/list", responses=ERRORS)
    async def list_sentences(body: schemas.FileBody) -> Response:
        """Return a summary of every sentence in a file."""
        desk, beside = desks[body.file]

        def compute() -> Response:
            return json_response({**answers.listed(desk, beside), "names": answers.names(desk)})

        return await asyncio.to_thread(compute)

    @app.post("/api/desk/changes", responses=ERRORS)
    async def changes(body: schemas.ChangesBody) -> Response:
        """Return the sentences that have changed since a revision."""
        desk, beside = desks[body.file]
        if body.since > desk.revision:  # a revision of a server that has been restarted
            return await list_sentences(schemas.FileBody(file=body.file))
        return json_response(answers.changes(desk, beside, body.since))

    @app.post("/api/desk/order", responses=ERRORS)
    async def order(body: schemas.OrderBody) -> Response:
        """Return the sentences in the order in which they should be annotated."""
        desk, _ = desks[body.file]
        return json_response(await asyncio.to_thread(answers.ordered, desk, body.by))

    @app.post("/api/desk/text", responses=ERRORS)
    async def text(body: schemas.FileBody) -> Response:
        """Return the file with all decisions applied."""
        desk, _ = desks[body.file]
        content = await _written(desks, desk.document.content)
        return Response(content, media_type="text/plain; charset=utf-8")


def _add_readers(app: FastAPI, desks: Desks, inputs: Inputs, work: Work) -> None:
    async def answer(
        request: Request, desk: Desk, place: int, compute: Callable[[Snapshot], object]
    ) -> Response:
        shot = desk.snapshot(place)
        inputs.check_words(shot.sentence.forms)
        about = len(shot.sentence).bit_length()
        return await run_for(work, request, lambda: json_response(compute(shot)), about)

    @app.post("/api/desk/show", responses=ERRORS)
    async def show(body: schemas.SentenceOfFile, request: Request) -> Response:
        """Return a sentence, with suggestions for its open values."""
        desk, _ = desks[body.file]
        return await answer(request, desk, body.sentence, partial(answers.shown, desk))

    @app.post("/api/desk/word", responses=ERRORS)
    async def word(body: schemas.WordOfFile, request: Request) -> Response:
        """Return the alternative values for a word, given the rest of the annotation."""
        desk, _ = desks[body.file]
        compute = partial(answers.word, desk, place=body.word)
        return await answer(request, desk, body.sentence, compute)

    @app.post("/api/desk/findings", responses=ERRORS)
    async def findings(body: schemas.SentenceOfFile, request: Request) -> Response:
        """Return annotated values for which the model prefers an alternative."""
        desk, _ = desks[body.file]
        return await answer(request, desk, body.sentence, partial(answers.findings, desk))


def _add_writers(app: FastAPI, desks: Desks, inputs: Inputs, work: Work) -> None:
    async def after(request: Request, file: str, place: int) -> Response:
        """Answer with the current sentence and the state of the file."""
        desk, beside = desks[file]
        beside.wake()
        shot = desk.snapshot(place)
        inputs.check_words(shot.sentence.forms)

        def compute() -> Response:
            shown = answers.shown(desk, shot)
            return json_response({"shown": shown, "status": answers.status(desk, beside)})

        return await run_for(work, request, compute, len(shot.sentence).bit_length())

    @app.post("/api/desk/decide", responses=ERRORS)
    async def decide(body: schemas.DecisionBody, request: Request) -> Response:
        """Make a decision, and return the changed sentence."""
        desk, _ = desks[body.file]
        decision, done = body.decision(), body.done
        await _written(desks, lambda: desk.decide(body.sentence, body.version, decision, done))
        return await after(request, body.file, body.sentence)

    @app.post("/api/desk/undo", responses=ERRORS)
    async def undo(body: schemas.TurnBody, request: Request) -> Response:
        """Undo the last decision, and return the changed sentence."""
        desk, _ = desks[body.file]
        return await after(request, body.file, await _written(desks, lambda: desk.undo(body.last)))

    @app.post("/api/desk/redo", responses=ERRORS)
    async def redo(body: schemas.TurnBody, request: Request) -> Response:
        """Redo the decision that was undone last, and return the changed sentence."""
        desk, _ = desks[body.file]
        return await after(request, body.file, await _written(desks, lambda: desk.redo(body.last)))

    @app.post("/api/desk/save", responses=ERRORS)
    async def save(body: schemas.SaveBody) -> Response:
        """Write the file to disk."""
        desk, beside = desks[body.file]
        await _written(desks, lambda: desk.save(overwrite=body.overwrite))
        return json_response(answers.status(desk, beside))
