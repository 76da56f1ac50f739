"""Speed of the sampler of syntactic topics, and the time of each part of a sweep.

    python -m benchmarks.topics

Tokens per second of Gibbs sweeps on EWT for several numbers of states on one core, without
hyper-parameters, which are timed separately; and sentences and words per second of parsing.
"""

from __future__ import annotations

import bistro
from benchmarks.data import best_seconds, data_dir
from bistro._core import Stream
from bistro.models.topics.config import TopicsConfig
from bistro.models.topics.train import TopicsChain, pairs_of, stops_of


def main() -> None:
    trees = bistro.read(data_dir() / "en_ewt" / "en_ewt-ud-train.conllu")
    for states in (50, 100, 200):
        config = TopicsConfig(states=states)
        vocabulary, parents, words = pairs_of(list(trees), config)
        stops = stops_of(words, len(trees), root=len(vocabulary), config=config)
        chain = TopicsChain(parents, words, stops, len(vocabulary), config, 1)
        chain.seat()
        for sweep in range(10):
            chain.step(sweep, keep=False)
        sampler = chain.sampler
        sweep_time = best_seconds(lambda: sampler.sweep(Stream(1, 1, 0)), 5)  # noqa: B023
        weights = best_seconds(lambda: sampler.draw_weights(Stream(1, 2, 0)), 5)  # noqa: B023
        hyper = best_seconds(lambda: sampler.draw_parameters(1.0, 1.0, Stream(1, 3, 0)), 5)  # noqa: B023
        print(
            f"{states} states: {words.size / sweep_time / 1e6:.1f} M tokens/s "
            f"(sweep {1e3 * sweep_time:.1f} ms, weights {1e3 * weights:.1f} ms, "
            f"hyper-parameters {1e3 * hyper:.1f} ms; "
            f"{1e9 * sweep_time / words.size / states:.2f} ns per token and state)"
        )
    model = bistro.train("topics", trees[:3000], seed=1, sweeps=20, samples=1)
    dev = bistro.read(data_dir() / "ptb_sample" / "wsj-test.conll")
    seconds = best_seconds(lambda: list(model.parse_all(dev)), 3)
    print(
        f"parsing: {len(dev) / seconds:,.0f} sentences/s, "
        f"{sum(map(len, dev)) / seconds:,.0f} words/s"
    )


if __name__ == "__main__":
    main()
