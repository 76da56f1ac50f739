"""A base class that follows scikit-learn's conventions without requiring the package."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bistro.errors import ConfigError, nearest

if TYPE_CHECKING:
    from bistro.pitman_yor.chains import Floats


class Estimator(ABC):
    """An estimator whose parameters are the arguments of ``__init__``, stored under their names."""

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        The argument `deep` has no effect. The argument exists because scikit-learn passes it.
        """
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters, and discard everything that was learned."""
        names = self._names()
        for name, value in parameters.items():
            if name not in names:
                hint = nearest(name, names)
                raise ConfigError(f"a process has no parameter '{name}'{hint}")
            setattr(self, name, value)
        self._clear()
        return self

    def score(self, X: Any, y: Any = None) -> float:  # noqa: N803
        """Return the mean log-probability of the events, in nats. Higher values are better."""
        return float(np.mean(self.log_probs(X, y)))

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return probabilities with one row per context and one column per outcome in
        `outcomes_`."""
        return np.array([list(self.predict(context).values()) for context in X])

    @property
    def classes_(self) -> tuple[Any, ...]:
        """The outcomes, under the attribute name that scikit-learn uses."""
        return self.outcomes_

    @abstractmethod
    def _clear(self) -> None:
        """Check the parameters and discard everything that was learned."""

    @abstractmethod
    def log_probs(self, X: Any, y: Any = None) -> Floats:  # noqa: N803
        """Return the log-probability of every event."""

    @abstractmethod
    def predict(self, context: Any = ()) -> dict[Any, float]:
        """Return the probability of every outcome in a context."""

    @property
    @abstractmethod
    def outcomes_(self) -> tuple[Any, ...]:
        """All outcomes."""
