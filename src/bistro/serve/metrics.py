"""Server metrics, such as request counts, durations and memory use, in the Prometheus text format.

Requests are counted by route, method and status. A route is one of the server's own paths; all
other paths are counted as ``other``. A client that requests many different paths therefore does not
create new time series. All methods of `Metrics` run on the event loop.

>>> from bistro.serve.limits import Limits
>>> metrics = Metrics(["/api/parse"], Work(Limits()), [])
>>> metrics.observe("POST", "/api/parse", 200, 0.03)
>>> [line for line in metrics.text().splitlines() if line.startswith("bistro_http_requests_total")]
['bistro_http_requests_total{route="/api/parse",method="POST",status="200"} 1']
"""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bistro.serve.catalog import Entry
from bistro.serve.work import Work
from bistro.version import __version__

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the histogram buckets, in seconds."""
METHODS = ("GET", "HEAD", "POST", "OPTIONS")
STATIC = "/static/"
OTHER = "other"
GONE = 499
"""The status code (as in nginx) for a request whose client disconnected before the answer."""
Labels = Mapping[str, str]


@dataclass
class Seconds:
    """A histogram of request durations for one route."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    total: float = 0.0

    def add(self, seconds: float) -> None:
        """Count one request."""
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.total += seconds


class Metrics:
    """The counters of one server.

    Parameters
    ----------
    routes
        The paths of the server's endpoints.
    work
        Its computations.
    models
        Its models.
    """

    def __init__(self, routes: Iterable[str], work: Work, models: Iterable[Entry]) -> None:
        self.routes = frozenset(routes)
        self.work = work
        self.models = list(models)
        self.requests = Counter[tuple[str, str, int]]()
        self.seconds: dict[str, Seconds] = {}
        self.in_flight = 0
        """Number of requests in progress."""
        self.started = time.time()

    def observe(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request that has been answered."""
        route = self._route(path)
        shown = method if method in METHODS else OTHER
        self.requests[route, shown, status] += 1
        self.seconds.setdefault(route, Seconds()).add(seconds)

    def _route(self, path: str) -> str:
        if path.startswith(STATIC):
            return STATIC
        return path if path in self.routes else OTHER

    def text(self) -> str:
        """Return all metrics in the Prometheus text format."""
        return "".join(f"{line}\n" for lines in self._families() for line in lines)

    def _families(self) -> Iterator[list[str]]:
        yield _family("bistro_info", "gauge", "The version.", [({"version": __version__}, 1)])
        yield _family("bistro_model_info", "gauge", "The models.", map(_model, self.models))
        requests = [
            ({"route": route, "method": method, "status": str(status)}, count)
            for (route, method, status), count in sorted(self.requests.items())
        ]
        yield _family("bistro_http_requests_total", "counter", "Requests answered.", requests)
        yield self._histogram()
        yield _one("bistro_requests_in_flight", "gauge", "Not answered.", self.in_flight)
        waiting = self.work.queue.waiting
        yield _one("bistro_requests_waiting", "gauge", "Waiting for a thread.", waiting)
        running = Counter(self.work.running.values())
        computing = [({"length": "short"}, running[False]), ({"length": "long"}, running[True])]
        yield _family("bistro_computations_running", "gauge", "On a thread now.", computing)
        yield from self._process()

    def _histogram(self) -> list[str]:
        name = "bistro_http_request_seconds"
        lines = _family(name, "histogram", "Seconds from the request headers to the answer.", [])
        for route, seconds in sorted(self.seconds.items()):
            below = 0
            for edge, count in zip((*BUCKETS, "+Inf"), seconds.counts, strict=True):
                below += count
                shown = edge if isinstance(edge, str) else f"{edge:g}"
                lines.append(_sample(f"{name}_bucket", {"route": route, "le": shown}, below))
            lines.append(_sample(f"{name}_sum", {"route": route}, round(seconds.total, 6)))
            lines.append(_sample(f"{name}_count", {"route": route}, below))
        return lines

    def _process(self) -> Iterator[list[str]]:
        """Yield the standard Prometheus process metrics."""
        if (memory := resident_bytes()) is not None:
            yield _one("process_resident_memory_bytes", "gauge", "Memory in use.", memory)
        cpu = round(time.process_time(), 3)
        yield _one("process_cpu_seconds_total", "counter", "Processor time.", cpu)
        begun = round(self.started, 3)
        yield _one("process_start_time_seconds", "gauge", "Start, since 1970.", begun)


def resident_bytes() -> int | None:
    """Return the memory that this process uses, if the system reports it in a file."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return None


def _model(entry: Entry) -> tuple[Labels, int]:
    labels = {"id": entry.id, "kind": entry.model.kind}
    return {**labels, "version": entry.version or "", "sha256": entry.sha256 or ""}, 1


def _family(name: str, kind: str, help: str, samples: Iterable[tuple[Labels, float]]) -> list[str]:
    """Return the lines of one metric."""
    head = [f"# HELP {name} {help}", f"# TYPE {name} {kind}"]
    return [*head, *(_sample(name, labels, value) for labels, value in samples)]


def _one(name: str, kind: str, help: str, value: float) -> list[str]:
    """Return the lines of a metric that has a single value."""
    return _family(name, kind, help, [({}, value)])


def _sample(name: str, labels: Labels, value: float) -> str:
    shown = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
    return f"{name}{{{shown}}} {value}" if shown else f"{name} {value}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
