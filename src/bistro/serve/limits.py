"""Limits on the cost of a request. Every limit can be changed when the server is started."""

from __future__ import annotations

import os
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Limits:
    """The limits of one server. If a request exceeds a limit, the error message names the limit."""

    words: int = 150
    """Maximum number of words in a sentence."""
    chart_words: int = 150
    """Maximum number of words in a sentence for a treebank grammar, whose parsing time is
    cubic in sentence length."""
    characters: int = 10_000
    """Maximum number of characters in the words or the text of a request."""
    analyses: int = 20
    """Maximum number of trees, samples, live analyses or word orders per sentence."""
    sentences: int = 20
    """Maximum number of sentences that a request generates."""
    prefix: int = 20
    """Maximum number of words in a prefix for generation. The prefix is analysed again for each
    sentence."""
    dependents: int = 10
    """Maximum number of dependents per head in a tree whose words are to be ordered. The cost
    doubles with each additional kind of dependent."""
    document: int = 5_000
    """Maximum number of words in a whole request to /process."""
    body: int = 1_000_000
    """Maximum number of bytes in a request."""
    bodies: int = 64_000_000
    """Maximum total size, in bytes, of all long request bodies in memory."""
    seconds: float = 30.0
    """Maximum number of seconds from a request to its answer, including the time in the queue. A
    computation that exceeds this limit is stopped."""
    header_seconds: float = 10.0
    """Maximum number of seconds from the first byte of a request to the end of its headers."""
    body_seconds: float = 20.0
    """Maximum number of seconds between a request's headers and the end of its body. The same limit
    applies to the time that a client takes to receive the answer."""
    idle_seconds: float = 30.0
    """Maximum number of seconds between two requests on one connection."""
    at_once: int = field(default_factory=lambda: os.cpu_count() or 1)
    """Maximum number of concurrent short computations. The same number of concurrent long
    computations is allowed."""
    waiting: int = 128
    """Maximum number of short requests that can wait. The same number of long requests can wait.
    Further requests are rejected."""
    per_client: int = 32
    """Maximum number of waiting and running requests from one client."""
    connections: int = 512
    """Maximum number of open connections."""
