"""A stored trace returns what was appended, and takes little memory."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest

from bistro.inference.trace import Trace

ROWS: list[dict[str, Any]] = [
    {"sweep": 1, "log_likelihood": -0.1, "customers": [1.0, 2.5], "tables": []},
    {"sweep": 2, "log_likelihood": float("inf"), "customers": [1.0, 2.5, 1e-300], "tables": [3]},
    {"sweep": 3, "log_likelihood": 2**60, "customers": [0.1 + 0.2], "tables": [1, 2.0]},
    {"sweep": 4, "log_likelihood": 5, "held_out": None},
    {"sweep": 5, "log_likelihood": 5.0, "better": True},
    {},
]


def test_rows_have_the_same_values_and_types() -> None:
    trace = Trace(ROWS)
    assert len(trace) == len(ROWS)
    assert json.dumps(trace.rows()) == json.dumps(ROWS)


def test_a_row_must_be_a_mapping() -> None:
    with pytest.raises(TypeError):
        Trace([3])  # type: ignore[list-item]


def test_a_sweep_takes_little_memory() -> None:
    names = [f"word/customers/{i}" for i in range(20)]
    tracemalloc.start()
    try:
        trace = Trace()
        for sweep in range(1000):
            trace.append({"sweep": sweep} | dict.fromkeys(names, sweep / 3))
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size < 1000 * 21 * 8 * 1.5
