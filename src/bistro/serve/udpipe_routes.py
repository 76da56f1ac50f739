"""The routes of UDPipe's protocol, with parameters in the URL, in a form or in files."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from starlette.datastructures import UploadFile
from starlette.responses import Response

from bistro.serve import udpipe
from bistro.serve.catalog import Catalog
from bistro.serve.errors import COMMON, MODEL_ERRORS, MalformedError, json_response
from bistro.serve.guard import run_for
from bistro.serve.inputs import Inputs
from bistro.serve.schemas import ProcessAnswer, ProcessModels
from bistro.serve.work import Work

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
MEANING = {
    "data": "The text.",
    "model": "One of the ids that /models lists. The default is the first model that parses.",
    "tokenizer": "Split running text. The options are presegmented, ranges and normalized_spaces.",
    "tagger": "Find the tags.",
    "parser": "Find the trees.",
    "input": "conllu (default), horizontal, vertical or generic_tokenizer.",
    "output": "conllu (default), horizontal, vertical or plaintext.",
}
CHOICES: dict[str, dict[str, Any]] = {
    "tokenizer": {"pattern": f"^(({'|'.join(udpipe.TOKENIZER_OPTIONS)})(;|$))*$"},
    "input": {"enum": list(udpipe.INPUTS)},
    "output": {"enum": list(udpipe.OUTPUTS)},
}
FORM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["data"],
    "properties": {
        name: {"type": "string", "description": meaning, **CHOICES.get(name, {})}
        for name, meaning in MEANING.items()
    },
}
POST_BODY = {
    "requestBody": {
        "required": True,
        "content": {kind: {"schema": FORM_SCHEMA} for kind in FORMS},
    }
}


def _parameter(name: str) -> Any:
    return Query(description=MEANING[name], json_schema_extra=CHOICES.get(name))


def add_routes(app: FastAPI, catalog: Catalog, inputs: Inputs, work: Work) -> None:
    """Add the routes of UDPipe's protocol to an application."""
    known = json_response(udpipe.models(catalog)).body

    async def answer(request: Request, parameters: dict[str, str]) -> Response:
        def compute() -> Response:
            return json_response(udpipe.process(catalog, inputs, parameters))

        model = parameters.get("model")
        about = (
            model if model in catalog.ids else None,
            "tagger" in parameters,
            "parser" in parameters,
        )
        return await run_for(work, request, compute, about)

    @app.get("/models", response_model=ProcessModels, responses=COMMON)
    async def models() -> Response:
        """Return the models in UDPipe's format."""
        return Response(known, media_type="application/json")

    @app.get("/process", response_model=ProcessAnswer, responses=MODEL_ERRORS)
    async def process_query(
        request: Request,
        data: Annotated[str, _parameter("data")],
        model: Annotated[str | None, _parameter("model")] = None,
        tokenizer: Annotated[str | None, _parameter("tokenizer")] = None,
        tagger: Annotated[str | None, _parameter("tagger")] = None,
        parser: Annotated[str | None, _parameter("parser")] = None,
        input: Annotated[str | None, _parameter("input")] = None,
        output: Annotated[str | None, _parameter("output")] = None,
    ) -> Response:
        """Split, tag or parse a text.

        The fields ``tokenizer``, ``tagger`` and ``parser`` may be empty.
        """
        values = (data, model, tokenizer, tagger, parser, input, output)
        pairs = zip(udpipe.PARAMETERS, values, strict=True)
        parameters = {name: value for name, value in pairs if value is not None}
        return await answer(request, parameters)

    @app.post(
        "/process",
        response_model=ProcessAnswer,
        responses=MODEL_ERRORS,
        openapi_extra=POST_BODY,
    )
    async def process_form(request: Request) -> Response:
        """Split, tag or parse a text sent in a form, which may contain files."""
        parameters = dict(request.query_params.items())
        return await answer(request, parameters | await form_values(request, inputs.limits.body))


async def form_values(request: Request, most: int) -> dict[str, str]:
    """Return the values in a form. Files are replaced by their content."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in FORMS:
        if await request.body():
            raise MalformedError(f"the body of the request must be a form ({' or '.join(FORMS)})")
        return {}
    async with request.form(max_files=16, max_fields=64, max_part_size=most) as form:
        values: dict[str, str] = {}
        for name, value in form.multi_items():
            if name in udpipe.PARAMETERS:
                values[name] = await _text(name, value)
        return values


async def _text(name: str, value: UploadFile | str) -> str:
    if isinstance(value, str):
        return value
    try:
        return (await value.read()).decode()
    except UnicodeDecodeError:
        raise MalformedError(f"{name}: the value is not valid UTF-8") from None
