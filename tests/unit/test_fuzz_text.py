"""Random Unicode texts come back from CoNLL-U; `python -m benchmarks.fuzz_text` runs 50,000."""

from __future__ import annotations

import pytest

from benchmarks.fuzz_text import check, run
from bistro.models.pipeline.model import PipelineModel


def test_random_texts_come_back_byte_for_byte(contracted: PipelineModel) -> None:
    characters, sentences = run(contracted, 3000, seed=7)
    assert characters > 50_000 and sentences > 3000


def test_a_lost_character_is_noticed(contracted: PipelineModel) -> None:
    (found,) = contracted.sentences("The dog sleeps.")
    check("The dog sleeps.", [found])
    for text in ("The  dog sleeps.", "The dog sleeps. ", "The dog", " "):
        with pytest.raises(AssertionError):
            check(text, [found])
    moved = found.replace(misc=[misc.replace("=0:3", "=1:4") for misc in found.misc])
    with pytest.raises(AssertionError, match="TokenRange=1:4"):
        check("The dog sleeps.", [moved])
