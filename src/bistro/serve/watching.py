"""Routes for the operators of the server: documentation, health and metrics."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import FastAPI
from starlette.responses import Response
from starlette.routing import Route

from bistro.serve import schemas
from bistro.serve.catalog import Catalog
from bistro.serve.docs_page import docs_page
from bistro.serve.errors import COMMON, json_response, responses
from bistro.serve.metrics import CONTENT_TYPE, Metrics
from bistro.serve.page_files import TYPES
from bistro.serve.work import Work
from bistro.version import __version__

METRICS_ANSWER: dict[int | str, dict[str, Any]] = {
    200: {"description": "The metrics.", "content": {"text/plain": {"schema": {"type": "string"}}}}
}


def add_watching(app: FastAPI, catalog: Catalog, work: Work, *, show_models: bool) -> Metrics:
    """Add the operators' routes to an application that is otherwise complete.

    Return the metrics object that counts the requests.

    Parameters
    ----------
    app
        The application.
    catalog
        The models of the application.
    work
        The computations of the application.
    show_models
        Whether /docs, which needs no key, may show the ids of the models.
    """
    healthy = json_response({"status": "ok", "version": __version__, "models": len(catalog)}).body

    @cache
    def documentation() -> bytes:
        return docs_page(app.openapi(), show_models=show_models).encode()

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return Response(documentation(), media_type=TYPES[".html"])

    @app.get("/health", response_model=schemas.Health, responses=responses(400, 503))
    async def health() -> Response:
        """Report that the server is answering requests. No key is needed."""
        return Response(healthy, media_type="application/json")

    @app.get("/metrics", response_class=Response, responses={**COMMON, **METRICS_ANSWER})
    async def metrics() -> Response:
        """Return metrics for requests, the queue and memory, in the Prometheus text format."""
        return Response(counted.text(), media_type=CONTENT_TYPE)

    counted = Metrics(
        (route.path for route in app.routes if isinstance(route, Route)), work, catalog
    )
    return counted
