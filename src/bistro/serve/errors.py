"""JSON answers. An error is one sentence, ``{"error": "…"}``, sent with an HTTP status."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from bistro.errors import BistroError, OutputError
from bistro.serve.catalog import UnknownModelError
from bistro.serve.fair import BusyError, TooManyError
from bistro.serve.schemas import Error
from bistro.tasks.desk.document import ConflictError

RETRY_AFTER = {429: {"Retry-After": "1"}, 503: {"Retry-After": "2"}}


class TooLargeError(BistroError):
    """A request exceeds the limits of the server."""


class MalformedError(BistroError):
    """A request cannot be understood."""


class RefusedError(Exception):
    """A request that is rejected before its content is examined."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


STATUS: dict[type[BistroError], int] = {
    MalformedError: 400,
    UnknownModelError: 404,
    ConflictError: 409,
    TooLargeError: 413,
    TooManyError: 429,
    BusyError: 503,
    OutputError: 507,
}
MEANING = {
    400: "The body or the host of the request is malformed.",
    401: "The server requires a key.",
    403: "The requesting page belongs to another site.",
    404: "There is no such model.",
    408: "The body arrived too slowly.",
    409: "Someone else has changed the sentence or the file.",
    413: "The request is larger than a limit.",
    422: "A value is wrong, or the model lacks the requested ability.",
    429: "The client has too many requests in progress.",
    503: "The server is busy, or the answer took too long.",
    507: "The disk is full, or the file cannot be written.",
}


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the possible error responses of an endpoint, for the OpenAPI description."""
    return {status: {"model": Error, "description": MEANING[status]} for status in statuses}


COMMON = responses(400, 401, 403, 408, 413, 503)
MODEL_ERRORS = responses(400, 401, 403, 404, 408, 413, 422, 429, 503)


def json_response(content: object) -> Response:
    """Return a JSON response. Raise an error if the content contains infinite numbers or NaN."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text.encode(), media_type="application/json")


def error_response(
    status: int, sentence: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Return an error."""
    # A lone surrogate, which JSON can contain, cannot be sent back.
    content = json.dumps({"error": sentence}, ensure_ascii=True).encode()
    all_headers = {**RETRY_AFTER.get(status, {}), **(headers or {})}
    return Response(content, status, all_headers, media_type="application/json")


def install(app: FastAPI) -> None:
    """Install the error handlers in an application."""

    @app.exception_handler(BistroError)
    async def of_bistro(request: Request, error: Exception) -> Response:
        status = next((s for kind, s in STATUS.items() if isinstance(error, kind)), 422)
        return error_response(status, str(error))

    @app.exception_handler(RequestValidationError)
    async def of_values(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return error_response(*_first_problem(error))

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        sentence = _SENTENCES.get(error.status_code) or str(error.detail)
        return error_response(error.status_code, sentence, error.headers)

    @app.exception_handler(MemoryError)
    async def of_memory(request: Request, error: Exception) -> Response:
        return error_response(503, "there is not enough memory for this")


_SENTENCES: dict[int, str] = {
    HTTPStatus.NOT_FOUND: "there is nothing at this address: see /openapi.json",
    HTTPStatus.METHOD_NOT_ALLOWED: "this address has no such method: see /openapi.json",
}


def _first_problem(error: RequestValidationError) -> tuple[int, str]:
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return 400, "the body is not JSON"
    if first["type"] in ("model_attributes_type", "model_type") and len(first["loc"]) == 1:
        # Without the header, the body is not decoded, whatever it contains.
        if isinstance(first["input"], bytes):
            return 400, "the body must be JSON, with the header 'Content-Type: application/json'"
        return 422, "the body must be a JSON object"
    names = [str(part) for part in first["loc"][1:]]
    message = str(first["msg"]).removeprefix("Value error, ")
    message = message[:1].lower() + message[1:]
    return 422, f"{'.'.join(names)}: {message}" if names else f"the body: {message}"
