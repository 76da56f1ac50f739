"""Models inside models: arrays under names, and training that is stopped in a phase of a phase."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.errors import ModelFileError
from bistro.models.nested import nested_arrays, nested_models, numbered

sys.path.insert(0, str(Path(__file__).parents[1]))

from conformance.laws.training import check_stops

SHORT = {"sampler": {"sweeps": 2, "samples": 1}}
COMMITTEE = """
members = ["left", "isbn"]
calibrate = false
[sampler]
sweeps = 2
samples = 1
[isbn]
hidden = 4
[isbn.learning]
passes = 2
"""


def test_a_pipeline_whose_committee_is_stopped_goes_on(tmp_path: Path) -> None:
    (tmp_path / "committee.toml").write_text(COMMITTEE)
    settings: dict[str, Any] = {
        "parser": "committee",
        "parser_config": str(tmp_path / "committee.toml"),
        "tokens": {"order": 2, **SHORT},
        "columns": {"columns": ("xpos",), **SHORT},
    }
    train = partial(bistro.train, "pipeline", bistro.builtin(sentences=12, seed=1), **settings)
    assert check_stops(train) == 7


def test_arrays_belong_to_the_models_inside() -> None:
    models = [bistro.train("ngram", [["a", "b"]] * n, seed=1, order=2) for n in (1, 2)]
    arrays = nested_arrays(numbered(models))
    headers = numbered(model.whole_header() for model in models)
    again = nested_models(headers, arrays)
    assert [m.to_bytes() for m in again.values()] == [m.to_bytes() for m in models]
    with pytest.raises(ModelFileError, match="do not belong to the nested models"):
        nested_models(headers, {**arrays, "2/words": np.zeros(1)})
