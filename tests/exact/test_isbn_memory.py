"""Memory of the latent-variable search: states are freed without a trace in the results."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from isbn_twins import WORDS, Tiny, Tree, batch
from test_isbn_search import KINDS, output

from bistro import _core

NEVER = 1 << 40
LENGTHS = (1, 2, 7, 60)


def search(states: int, width: int = 12) -> Any:
    return _core.BeamOptions(
        width=width, labels_per_arc=2, tags_per_word=2, margin=np.inf, states=states
    )


def text(n: int) -> Any:
    rng = random.Random(n)
    tree = Tree([rng.randrange(WORDS) for _ in range(n)], [], [], [])
    return batch([tree], clusters=False, arcs=False)


def figures(parser: Any, sentence: Any, options: Any) -> dict[str, bytes]:
    """All that a search gives, bit for bit."""
    request = _core.BeamRequest(output=output(best=5, marginals=False), search=options)
    parses = parser.parse(sentence, request)
    scores = parser.score(sentence, options)
    following = {"next": parser.next_words(sentence, options).words}
    arrays = {**parses, **scores, **following}
    return {name: np.asarray(array).tobytes() for name, array in arrays.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_states_that_are_freed_are_not_needed_any_more(kind: str) -> None:
    for seed, n in enumerate(LENGTHS):
        parser = Tiny.make(seed, **KINDS[kind], hidden=6).parser()
        kept = figures(parser, text(n), search(NEVER))
        assert len(kept) > 5
        for states in (1, 150):
            assert figures(parser, text(n), search(states)) == kept


CHILD = """
import resource, sys
from isbn_twins import Tiny
from test_isbn_memory import search, text
parser = Tiny.make(1, hidden=512).parser()
peaks = []
for n in (50, 600):
    parser.score(text(n), search(0, width=30))
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
print((peaks[1] - peaks[0]) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="units of the peak differ")
def test_memory_hardly_grows_with_the_length_of_a_sentence() -> None:
    folder = str(Path(__file__).parent)
    paths = f"import sys; sys.path[:0] = {[*filter(None, sys.path), folder]!r}\n"
    done = subprocess.run(
        [sys.executable, "-c", paths + CHILD], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 60
