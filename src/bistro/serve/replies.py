"""Answers as JSON."""

from __future__ import annotations

import json

from starlette.responses import Response


def json_response(content: object) -> Response:
    """Return an answer; numbers that JSON cannot hold are an error here, not at the reader's."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text.encode(), media_type="application/json")
