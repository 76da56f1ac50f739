"""Speed of taggers with unbounded contexts on one core, and the accuracy of their searches.

    python -m benchmarks.infinite

Targets: 20,000 words per second by beam or exact search, with an accuracy at most 0.3 % of the
words below that of Metropolis-Hastings; and Metropolis-Hastings with 5,000 draws in 0.05 seconds
per word. Times are CPU times of one run.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import bistro
from benchmarks.data import data_dir
from bistro.config import read_toml
from bistro.models.presets import file_or_preset
from bistro.models.tags.config import TagsConfig
from bistro.models.tags.model import TagsModel
from bistro.treebank.sentence import Sentence

SEARCHES: dict[str, dict[str, Any]] = {
    "hmm": {"search": "hmm"},
    "beam 4": {"beam": 4},
    "beam 8": {"beam": 8},
    "beam 16": {"beam": 16},
    "beam 64": {"beam": 64},
    "exact": {"search": "viterbi"},
    "mcmc 500": {"search": "mcmc", "samples": 500},
    "mcmc 5,000": {"search": "mcmc", "samples": 5000},
}
FILES = {"xpos": "ptb_sample/wsj-{}.conll", "upos": "en_ewt/en_ewt-ud-{}.conllu"}


def measure(
    model: TagsModel, sentences: Sequence[Sentence], **options: Any
) -> tuple[float, float, float]:
    """Return seconds, the percentage of correct tags, and the states of the lattice per word."""
    begin = time.process_time()
    taggings = list(model.tag_all(sentences, threads=1, **options))
    seconds = time.process_time() - begin
    right = sum(
        tag == gold
        for tagging in taggings
        for tag, gold in zip(tagging.tags, getattr(tagging.sentence, model.tag_column), strict=True)
    )
    words = sum(map(len, sentences))
    return seconds, 100 * right / words, sum(tagging.states for tagging in taggings) / words


def main() -> None:
    for tagset, file in FILES.items():
        train, dev = (bistro.read(data_dir() / file.format(part)) for part in ("train", "dev"))
        begin = time.process_time()
        config = read_toml(file_or_preset("tagger"), TagsConfig)
        model = bistro.train("tags", train, config=config, seed=1, tagset=tagset)
        print(f"{train.label}, {tagset}: trained in {time.process_time() - begin:.1f} s")
        for name, options in SEARCHES.items():
            seconds, right, states = measure(model, dev, **options)
            print(
                f"  {name:<10} {dev.words / seconds:>9,.0f} words/s "
                f"{1e3 * seconds / dev.words:>8.3f} ms per word   {right:.2f} % of dev correct   "
                f"{states:.1f} states per word",
                flush=True,
            )


if __name__ == "__main__":
    main()
