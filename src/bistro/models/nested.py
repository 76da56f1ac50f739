"""Models that are stored in the file of another model, and their training.

A model that contains other models stores their headers in its own header. It stores their arrays
under names that begin with the name of the inner model, such as ``parser/words.nodes``.

>>> import bistro
>>> inner = bistro.train("ngram", [["a", "rose"]], seed=1, order=2)
>>> arrays = nested_arrays({"first": inner})
>>> all(name.startswith("first/") for name in arrays)
True
>>> again = nested_models({"first": inner.whole_header()}, arrays)["first"]
>>> again.to_bytes() == inner.to_bytes()
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bistro.errors import ModelFileError
from bistro.inference.chains import Session
from bistro.modelfile import Arrays
from bistro.models.base import Model, from_bytes, from_header
from bistro.models.runs import Run
from bistro.progress import phase, spared
from bistro.sums import added

BETWEEN = "/"
"""The separator between the name of a model and the name of its array."""


class HasArrays(Protocol):
    """An object with named arrays."""

    def arrays(self) -> Arrays:
        """Return the arrays by name."""


def nested_arrays(models: Mapping[str, HasArrays]) -> dict[str, NDArray[Any]]:
    """Return the arrays of several models under distinct names."""
    return {
        f"{name}{BETWEEN}{inner}": array
        for name, model in models.items()
        for inner, array in model.arrays().items()
    }


def nested_models(headers: Mapping[str, Mapping[str, Any]], arrays: Arrays) -> dict[str, Model]:
    """Rebuild the models from their headers and the result of `nested_arrays`."""
    own: dict[str, dict[str, NDArray[Any]]] = {name: {} for name in headers}
    for name, array in arrays.items():
        owner, _, inner = name.partition(BETWEEN)
        if owner not in own:
            raise ModelFileError("the arrays do not belong to the nested models")
        own[owner][inner] = array
    return {name: from_header(header, own[name]) for name, header in headers.items()}


def numbered(items: Iterable[Any]) -> dict[str, Any]:
    """Return the items under the names "0", "1" and so on."""
    return {str(number): item for number, item in enumerate(items)}


def trained_in_turn(
    trainers: Mapping[str, Callable[[Run], Model]],
    run: Run,
    fingerprint: str,
    costs: Mapping[str, float] | None = None,
    carried: Mapping[str, NDArray[Any]] | None = None,
) -> dict[str, Model]:
    """Train the models in turn. Models that the checkpoint contains are not trained again.

    A checkpoint contains the phase number, the finished models and the arrays in `carried`, so that
    interrupted training can resume. `costs` are the relative training times of the models.
    """
    weights = {name: costs[name] if costs else 1.0 for name in trainers}
    known = saved_models(run.session, fingerprint, list(trainers))
    models: dict[str, Model] = {}
    done: dict[str, NDArray[Any]] = dict(carried or {})
    for number, (name, train) in enumerate(trainers.items()):
        share = weights[name] / added(weights.values())
        if name in known:
            spared(share)
            models[name] = known[name]
        else:
            session = run.session.for_phase(fingerprint, number, dict(done))
            with phase(name, share=share):
                models[name] = train(Run(run.seed, run.treebank, session))
        done[name] = np.frombuffer(models[name].to_bytes(), dtype=np.uint8)
    return models


def saved_models(session: Session, fingerprint: str, names: Sequence[str]) -> dict[str, Model]:
    """Return the finished models in the checkpoint from which training resumes."""
    saved = session.saved(fingerprint)
    arrays = saved[1] if saved else {}
    return {
        name: from_bytes(arrays[name].tobytes(), f"{name} in the checkpoint")
        for name in names
        if name in arrays
    }
