"""Hierarchical Pitman-Yor processes over hashable objects."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Self

import numpy as np

from bistro._core import Stream
from bistro.pictures.text import xml_text
from bistro.pitman_yor.bases import BaseLike, spelling
from bistro.pitman_yor.chains import Chain, Floats
from bistro.pitman_yor.draws import draw_outcomes
from bistro.pitman_yor.ensemble import Context, Ensemble, log_mean, spelled_base
from bistro.pitman_yor.events import END, Events, listed
from bistro.pitman_yor.posterior import Posterior, record
from bistro.pitman_yor.settings import Hyper, PerLevel, Seating

MOST_CONTEXTS, MOST_DRAWN = 200, 6
"""Maximum number of contexts considered for a notebook display, and maximum number drawn."""


class PitmanYor(Ensemble):
    """A hierarchical Pitman-Yor process that learns to predict outcomes in contexts.

    Outcomes and the elements of contexts can be any hashable objects. The distribution in a context
    is centred on the distribution in the context that is one element shorter, and so on, down to
    the base.

    Parameters
    ----------
    depth
        Number of context elements that are used. With a depth of 0, the process is a single Chinese
        restaurant. With None, contexts of any length are used, as in the sequence memoizer.
    outcomes
        All possible outcomes. By default, the possible outcomes are those of the base or of the
        data that `fit` receives.
    base
        The distribution to which the empty context backs off. The base is None for a uniform
        distribution, a dictionary of probabilities, `Characters()` for strings, or another
        `PitmanYor` over the same outcomes.
    backoff
        The order in which elements of a context are dropped. With "oldest", the first element is
        dropped first, as in a text. With "newest", the last element is dropped first. Any other
        order is given as a tuple of positions, such as (1, 0, 2).
    ends
        If true, the end of a sequence is an outcome, `END`, which is observed after its last
        element.
    discount, strength
        Initial hyper-parameters, which do not change if `hyper` is "fixed". A hyper-parameter is
        one number, or one number per level, starting with the empty context. With ``depth=None``,
        there are 11 discounts and one strength. The last discount is for all contexts of 10
        elements or more.
    seating
        The seating of customers. "gibbs" samples it, which is exact. "minimal" uses one table for
        each outcome (Kneser-Ney), and "maximal" uses one table for each customer.
    hyper
        How hyper-parameters are learned. "slice" samples them, "map" maximises their posterior
        density, and "fixed" does not change them. With ``depth=None``, "online" takes a gradient
        step on the log-probability of each event when the event is observed. With "online", `fit`
        makes one pass over the data, without sweeps.
    discount_prior, strength_prior
        The parameters (a, b) of the Beta prior of every discount, and the shape and rate of the
        Gamma prior of every strength.
    sweeps
        Number of Gibbs sweeps that `fit` performs.
    chains
        Number of independent seatings. Predictions are means over all chains. The chains run on all
        cores.
    seed
        Seed of all random draws, which also depend on the order of the calls.

    Examples
    --------
    >>> process = PitmanYor(depth=2, seed=1).fit(["abracadabra", "abrakadabra"])
    >>> process.top("br", 1)[0][0]
    'a'
    >>> round(sum(process.predict("br").values()), 9)
    1.0
    """

    def __init__(
        self,
        depth: int | None = 0,
        *,
        outcomes: Sequence[Hashable] | range | None = None,
        base: BaseLike = None,
        backoff: str | Sequence[int] = "oldest",
        ends: bool = False,
        discount: PerLevel = 0.5,
        strength: PerLevel = 1.0,
        seating: Seating = "gibbs",
        hyper: Hyper = "slice",
        discount_prior: tuple[float, float] = (1.0, 1.0),
        strength_prior: tuple[float, float] = (1.0, 1.0),
        sweeps: int = 50,
        chains: int = 1,
        seed: int = 1,
    ) -> None:
        self.depth = depth
        self.outcomes = outcomes
        self.base = base
        self.backoff = backoff
        self.ends = ends
        self.discount = discount
        self.strength = strength
        self.seating = seating
        self.hyper = hyper
        self.discount_prior = discount_prior
        self.strength_prior = strength_prior
        self.sweeps = sweeps
        self.chains = chains
        self.seed = seed
        self._clear()

    # --- learning --------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Learn from data, and discard earlier observations.

        Parameters
        ----------
        X
            A list of sequences (lists, tuples or strings). The context of an element consists of
            the elements before it. A single string, `bytes` object or array is treated as one
            sequence. If `y` is given, `X` contains contexts.
        y
            The outcome in each context of `X`.

        Returns
        -------
        PitmanYor
            The process itself.
        """
        self._clear()
        if self._maker.process is None and not self._maker.is_open and self.outcomes is None:
            self._begin(self._seen(X, y))
        self.observe_all(X, y)
        is_drawn = self.seating == "gibbs" or self.hyper == "slice"
        if self.hyper != "online" and (is_drawn or self.hyper == "map"):
            self.sweep(self.sweeps if is_drawn else 1)
        return self

    def observe(self, outcome: Hashable, context: Context = ()) -> float:
        """Observe one outcome.

        Parameters
        ----------
        outcome
            The observed outcome.
        context
            The context of the outcome, as a sequence whose last element is the nearest.

        Returns
        -------
        float
            The natural logarithm of the outcome's probability just before it was observed.
        """
        return float(self.observe_all([context], [outcome])[0])

    def observe_all(self, X: Any, y: Any = None) -> Floats:  # noqa: N803
        """Observe the events in the data in order, without sweeps.

        Parameters
        ----------
        X, y
            As in `fit`.

        Returns
        -------
        numpy.ndarray
            The natural logarithm of the probability of each event just before it was observed.
        """
        events = self._events(X, y, add=True)
        rows = self._each(lambda chain, s: chain.observe(events, s), size=events.size)
        return log_mean(rows)

    def forget(self, outcome: Hashable, context: Context = ()) -> None:
        """Remove one observation of `outcome` in `context`.

        Raises an error if the outcome was not observed in this context.
        """
        self.forget_all([context], [outcome])

    def forget_all(self, X: Any, y: Any = None) -> None:  # noqa: N803
        """Remove the observed data `X` and `y`, which have the same form as in `fit`.

        If one of the events was not observed, nothing is removed.
        """
        events = self._events(X, y, add=False)
        self._each(lambda chain, stream: chain.forget(events, stream), size=events.size)

    def sweep(self, sweeps: int = 1) -> Self:
        """Perform `sweeps` sweeps, which reseat every event and update the hyper-parameters."""

        def work(chain: Chain, stream: Stream) -> None:
            for _ in range(sweeps):
                self.step(chain, stream)

        self._each(work)
        return self

    def step(self, chain: Chain, stream: Stream) -> None:
        """Perform one sweep of one `chain` with random numbers from a `stream`."""
        if self.seating == "gibbs":
            chain.sweep(stream)
        if self.hyper in ("slice", "map"):
            chain.update(stream)

    def simulate(self, contexts: Iterable[Context]) -> list[Any]:
        """Draw an outcome in each of the `contexts` in turn, and observe it.

        If the process has no data, the outcomes are draws from the prior.
        """
        drawn: list[Any] = []
        for context in contexts:
            drawn += self.sample(context)
            self.observe(drawn[-1], context)
        return drawn

    def posterior(
        self, draws: int = 100, *, thin: int = 1, contexts: Sequence[Context] = ()
    ) -> Posterior:
        """Perform more sweeps, and return the sampled states.

        Parameters
        ----------
        draws
            Number of samples from each chain.
        thin
            Number of sweeps from one sample to the next.
        contexts
            Contexts for which the number of tables of each outcome is recorded.
        """
        ids = [self._context(context) for context in contexts]
        rows = self._each(lambda chain, s: record(self, chain, s, draws, thin, ids))
        return Posterior.stacked(rows)

    # --- prediction ------------------------------------------------------------------------------

    def predict(self, context: Context = ()) -> dict[Any, float]:
        """Return the probability of every outcome in a `context`.

        With ``base=Characters()``, the outcomes are the strings observed so far. The remaining
        probability belongs to all other strings.
        """
        probabilities = self._distribution(self._context(context))
        return dict(zip(self._numbers.outcomes, probabilities.tolist(), strict=True))

    def distribution(self, context: Context = ()) -> Floats:
        """Return the probability of every outcome in a `context`, in the order of `outcomes_`."""
        return self._distribution(self._context(context))

    def top(self, context: Context = (), k: int = 10) -> list[tuple[Any, float]]:
        """Return the `k` most probable outcomes in a `context`, with their probabilities."""
        probabilities = self._distribution(self._context(context))
        best = np.argsort(-probabilities, kind="stable")[:k]
        return [(self._numbers.outcome(int(i)), float(probabilities[i])) for i in best]

    def log_prob(self, outcome: Hashable, context: Context = ()) -> float:
        """Return the natural log-probability of an `outcome` in a `context`, which may be -inf."""
        self._begin()
        ids = self._context(context)
        number = self._numbers.number(outcome)
        if number is not None:
            event = Events(np.append(ids, np.int32(number)), np.array([0, ids.size + 1]), True)
            shares = self._each(lambda chain, _: float(chain.probabilities(event)[0]), size=1)
        elif self._maker.is_open:
            word = spelling(outcome)
            shares = self._each(
                lambda chain, _: (
                    chain.base_weight(ids) * spelled_base(chain).probability_of_word(word)
                ),
                size=1,
            )
        else:
            return -math.inf
        return math.log(mean) if (mean := float(np.mean(shares))) > 0 else -math.inf

    def log_probs(self, X: Any, y: Any = None) -> Floats:  # noqa: N803
        """Return the natural log-probability of every event, without learning from the events.

        Parameters
        ----------
        X, y
            Sequences, or contexts and outcomes, as in `fit`. Arrays of whole numbers are processed
            fastest if the outcomes are consecutive whole numbers starting at 0.
        """
        if self._maker.is_open:
            return self._open_log_probs(X, y)
        events = self._events(X, y, add=False)
        rows = self._each(lambda chain, _: chain.probabilities(events), size=events.size)
        return log_mean(rows)

    def sample(self, context: Context = (), n: int = 1, *, seed: int | None = None) -> list[Any]:
        """Draw independent outcomes in a context, without learning from them.

        Parameters
        ----------
        context
            The context of all draws.
        n
            Number of draws.
        seed
            Seed of the draws; without it, they depend on earlier calls.
        """
        ids = self._context(context)
        stream = self._stream("sample", 0) if seed is None else self._seeded("sample", seed)
        self._calls += seed is None
        return draw_outcomes(self._numbers, self._chains, ids, n, stream)

    def generate(self, length: int, start: Context = (), *, seed: int = 1) -> list[Any]:
        """Draw the elements of a sequence, each in the context of all elements before it.

        Parameters
        ----------
        length
            Maximum number of elements. The sequence is shorter than `length` if `END` is drawn, and
            `END` itself is not included.
        start
            The beginning of the sequence that is continued.
        seed
            Seed of the draws.

        Returns
        -------
        list
            The new elements, without `start`.
        """
        self._begin()
        stream = self._seeded("generate", seed)
        sequence = list(start)
        drawn: list[Any] = []
        while len(drawn) < length:
            ids = self._context(sequence)
            (outcome,) = draw_outcomes(self._numbers, self._chains, ids, 1, stream)
            if outcome is END:
                break
            sequence.append(outcome)
            drawn.append(outcome)
        return drawn

    def _open_log_probs(self, X: Any, y: Any) -> Floats:  # noqa: N803
        if y is None:
            ends = [END] if self.ends else []
            sequences = [[*sequence, *ends] for sequence in listed(X)]
            pairs = [(s[:i], x) for s in sequences for i, x in enumerate(s)]
        else:
            pairs = list(zip(X, y, strict=True))
        return np.array([self.log_prob(outcome, context) for context, outcome in pairs])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the process, with everything it has learned, to a model file at `path`."""
        from bistro.pitman_yor.files import save

        save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a process that `save` wrote to `path`."""
        from bistro.pitman_yor.files import load

        return load(cls, path)

    def _repr_html_(self) -> str:
        """Draw the seating of the first chain in a notebook.

        The empty context comes first, followed by the largest one-element contexts.
        """
        from bistro.pictures.notebook import draw_seating  # only notebooks need it

        drawn = {name: tables for name, tables in self._restaurants() if tables}
        return draw_seating(drawn) if drawn else f"<p>{xml_text(repr(self))}: nothing observed</p>"

    def _restaurants(self) -> list[tuple[str, dict[str, list[int]]]]:
        """Return the tables of the empty context and of the largest one-element contexts."""
        if not self._is_numbered:
            return []
        contexts: list[tuple[Any, ...]] = [()]
        if self.depth != 0:
            contexts += [(x,) for x in self._numbers.outcomes[:MOST_CONTEXTS] if x is not END]
        pairs = [(context, self.tables(context)) for context in contexts]
        pairs[1:] = sorted(pairs[1:], key=lambda one: -sum(map(sum, one[1].values())))[:MOST_DRAWN]
        return [
            (
                f"after {context[0]}" if context else "empty context",
                {str(outcome): sizes for outcome, sizes in tables.items()},
            )
            for context, tables in pairs
        ]

    def __repr__(self) -> str:
        depth = "unbounded" if self.depth is None else self.depth
        size = f", {len(self._numbers)} outcomes" if self._is_numbered else ""
        return f"<PitmanYor, depth {depth}{size}, {self.chains} chains>"
