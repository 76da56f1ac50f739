"""Frozen queries from Python compared with the `kenlm` module, on the same text and n-grams.

    python -m benchmarks.queries

A 5-gram model is trained on the WSJ sample and written as an ARPA file, which kenlm loads. Both
have the same n-grams and must give the same scores, which is checked. Then both score the test text
in one run. kenlm's `score` returns one number per sentence; `full_scores` returns one number per
word, as Bistro does. kenlm takes strings and Bistro's queries take ids; the time of Bistro from
strings is therefore also shown.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import bistro
from benchmarks.arpa import write_arpa
from benchmarks.data import best_seconds, data_dir, words_of
from bistro.encoding.events import padded_events

REPEATS = 50


def kenlm_module() -> Any:
    """Import kenlm, installing it first if necessary."""
    try:
        import kenlm
    except ImportError:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "kenlm"], check=True)
        import kenlm
    return kenlm


def main() -> None:
    folder = data_dir() / "ptb_sample"
    model = bistro.train("ngram", words_of(folder / "wsj-train.conll"), unknown="single", seed=1)
    vocabulary, test = model.vocabulary, words_of(folder / "wsj-test.conll")
    with tempfile.TemporaryDirectory() as temporary:
        arpa = Path(temporary) / "wsj.arpa"
        write_arpa(model, arpa)
        other = kenlm_module().Model(str(arpa))
    text = [" ".join(vocabulary.decode(vocabulary.encode(words).tolist())) for words in test]
    ours = float(model.score(test).log_probs.sum()) / math.log(10)
    theirs = sum(other.score(sentence) for sentence in text)
    print(f"log10 p(test): Bistro {ours:.3f}, kenlm on the same n-grams {theirs:.3f}")
    assert abs(ours - theirs) < 1e-4 * abs(ours), "the two models differ"

    ids, offsets = vocabulary.encode_all(test)
    events = padded_events(ids, offsets, 5, start=vocabulary.start, end=vocabulary.end)
    tasks = {
        "Bistro, ids, one number per word": lambda: model.frozen.log_probabilities(
            events.contexts, events.outcomes
        ),
        "Bistro, strings, one number per word": lambda: model.score(test),
        "kenlm score, strings, one number per sentence": lambda: [other.score(s) for s in text],
        "kenlm full_scores, strings, one number per word": lambda: [
            list(other.full_scores(s)) for s in text
        ],
    }
    speeds = {name: len(events) / best_seconds(task, REPEATS) / 1e6 for name, task in tasks.items()}
    first = next(iter(speeds.values()))
    for name, speed in speeds.items():
        print(f"{name:>45}: {speed:6.2f} M words/s   ({first / speed:.2f} x slower than ids)")


if __name__ == "__main__":
    main()
