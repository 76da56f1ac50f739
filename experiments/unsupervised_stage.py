"""Does learning from words alone, after learning from trees, give a better language model?

    python -m experiments.unsupervised_stage [both|trees|tags] [particles] [sweeps] [seen|all]
    python -m experiments.unsupervised_stage control [oracle|sampled] [sweeps] [samples]

WSJ sample, preset `wsj`, one `<unk>`, seed 1: 20 sweeps on the trees, then particle Gibbs over the
named variables (Buys & Blunsom 2015, §5.4). After some of the sweeps, the program prints the
percentages of sentences whose draws were accepted and changed, the agreement of the current trees
and tags of the training sentences with the treebank, the log-likelihood of the seating, and the
perplexity of dev from this one sample (sequential Monte Carlo, 10 runs of 100 particles, all tags,
sentence ends included). At the end, the average of the last ten samples is compared with the model
of the first stage, which also averages ten: perplexity on dev and test; on test also with ten times
the particles, so that models and not bounds are compared, and as the sum over the analyses that the
search keeps; UAS without punctuation with predicted and with given tags. A control runs only the
first stage, for longer, with oracle or sampled derivations, and prints dev and test.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bistro._core import PredictiveSum
from bistro.config import from_dict, read_toml, to_dict
from bistro.inference.chains import Session, Stage, run_stages
from bistro.modelfile import Arrays
from bistro.models.base import Origin
from bistro.models.parsing.codec import Codec
from bistro.models.presets import file_or_preset
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.derivations import LatentChain
from bistro.models.transition.model import TransitionModel
from bistro.models.transition.train import Training, tags_of_words
from bistro.treebank.sentence import Sentence
from experiments.treebanks import Split, evaluate, load_split

SEED = 1
KEPT = 10
SHOWN = (1, 2, 5, 10, 15, 20, 30, 40)
SHIFT, LEFT_ARC = 0, 1


def settings(latent: str, particles: int, sweeps: int, tags: str) -> TransitionConfig:
    mapping = to_dict(read_toml(file_or_preset("wsj"), TransitionConfig))
    mapping["unknown"] = "single"
    mapping["unsupervised"] = {
        "latent": latent,
        "particles": particles,
        "sweeps": sweeps,
        "samples": KEPT,
        "tags": tags,
    }
    return from_dict(TransitionConfig, mapping)


def control_settings(derivations: str, sweeps: int, samples: int) -> TransitionConfig:
    mapping = to_dict(read_toml(file_or_preset("wsj"), TransitionConfig))
    mapping |= {"unknown": "single", "derivations": derivations}
    mapping["sampler"] |= {"sweeps": sweeps, "samples": samples}
    return from_dict(TransitionConfig, mapping)


def perplexity(model: TransitionModel, sentences: Sequence[Sentence], **options: Any) -> float:
    scores = model.score(sentences, threads=1, **options)
    return math.exp(-float(scores.log_probs.mean()))


def trees_of(chain: LatentChain) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the current heads and tags of every training sentence."""
    steps, ends = chain.derivations
    begin = 0
    for end in ends.tolist():
        stack, heads, tags = [0], [0], [-1]
        for action, tag, _ in steps[3 * begin : 3 * end].reshape(-1, 3).tolist():
            if action == SHIFT:
                heads.append(0)
                tags.append(tag)
                stack.append(len(heads) - 1)
            elif action == LEFT_ARC:
                heads[stack.pop(-2)] = stack[-1]
            else:
                dependent = stack.pop()
                heads[dependent] = stack[-1]
        begin = end
        yield heads[1:], tags[1:]


class Run:
    """One chain of two stages, with figures between sweeps."""

    def __init__(self, split: Split, config: TransitionConfig) -> None:
        self.split, self.config = split, config
        self.sentences = list(split.train)
        self.codec, _ = Codec.learn(self.sentences, config)
        self.training = Training(config, self.codec, self.sentences, SEED, single_root=True)

    def model(self, distributions: Mapping[str, Arrays]) -> TransitionModel:
        """Return a model of these distributions."""
        word_tags = tags_of_words(self.codec, self.sentences)
        origin = Origin(SEED, {}, [])
        return TransitionModel(
            self.config, self.codec, dict(distributions), word_tags, origin, single_root=True
        )

    def averaged(self) -> TransitionModel:
        """Return the model of the kept samples."""
        return self.model({n: part.frozen() for n, part in self.training.learned.items()})

    def single(self) -> TransitionModel:
        """Return the model of the current sample."""
        distributions = {}
        for name, part in self.training.learned.items():
            one = PredictiveSum()
            one.add(part.franchise)
            distributions[name] = one.freeze(part.franchise)
        return self.model(distributions)

    def agreement(self, chain: LatentChain) -> tuple[float, float]:
        """Return the percentages of heads and tags that agree with the treebank."""
        right_heads = right_tags = words = 0
        for tree, (heads, tags) in zip(self.training.trees, trees_of(chain), strict=True):
            right_heads += sum(a == b for a, b in zip(tree.heads, heads, strict=True))
            named = [self.codec.tags[t] for t in tags]
            right_tags += sum(a == b for a, b in zip(tree.tags, named, strict=True))
            words += len(heads)
        return 100 * right_heads / words, 100 * right_tags / words

    def follow(self, chain: LatentChain) -> None:
        """Run the second stage, and print figures after some sweeps."""
        first, sweeps = self.config.sampler.sweeps, self.config.unsupervised.sweeps
        print(f"{'sweep':>5} {'accepted':>8} {'changed':>7} {'heads':>6} {'tags':>6} log-lik. dev")
        self.show(0, chain)
        for sweep in range(sweeps):
            chain.step(first + sweep, keep=sweep >= sweeps - KEPT)
            if sweep + 1 in SHOWN or sweep + 1 == sweeps:
                self.show(sweep + 1, chain)

    def show(self, sweep: int, chain: LatentChain) -> None:
        """Print one line."""
        moved = [100 * x / len(self.sentences) for x in chain.moved]
        agree = self.agreement(chain)
        figures = f"{moved[0]:8.1f} {moved[1]:7.1f} {agree[0]:6.2f} {agree[1]:6.2f}"
        dev = perplexity(self.single(), self.split.dev)
        print(f"{sweep:5d} {figures} {chain.log_likelihood():.0f} {dev:.2f}", flush=True)


def compare(name: str, model: TransitionModel, split: Split) -> None:
    """Print the figures of a finished model."""
    figures = [
        perplexity(model, split.dev),
        perplexity(model, split.test),
        perplexity(model, split.test, particles=1000, repeats=2),
        perplexity(model, split.test, method="search", particles=1000),
    ]
    scores = [evaluate(model, split.test, tags=tags) for tags in ("joint", "given")]
    plain = [f"{outcome.scores.no_punct.uas:.2f}" for outcome in scores]
    shown = " ".join(f"{p:.2f}" for p in figures)
    print(f"{name}: {shown} | {plain[0]} {scores[0].tag_accuracy:.2f} {plain[1]}", flush=True)


def control(given: Sequence[str]) -> None:
    """Train on trees alone, and print the perplexity of dev and test."""
    derivations, sweeps, samples = [*given, *("oracle", "40", str(KEPT))[len(given) :]]
    run = Run(load_split("wsj"), control_settings(derivations, int(sweeps), int(samples)))
    run_stages(run.training.stages(), "", Session())
    model = run.averaged()
    figures = [perplexity(model, part) for part in (run.split.dev, run.split.test)]
    name = f"trees alone, {derivations}, {sweeps} sweeps, {samples} samples"
    print(f"{name}: dev {figures[0]:.2f} test {figures[1]:.2f}", flush=True)


def main() -> None:
    given = sys.argv[1:]
    if given[:1] == ["control"]:
        return control(given[1:])
    latent, particles, sweeps, tags = [*given, *("both", "20", "20", "seen")[len(given) :]]
    config = settings(latent, int(particles), int(sweeps), tags)
    print(__doc__, f"latent: {latent}, {particles} particles, tags: {tags}\n", flush=True)
    run = Run(load_split("wsj"), config)
    first, second = run.training.stages()
    run_stages([Stage(first.chains, first.sweeps, KEPT)], "", Session())
    supervised = run.averaged()
    run.training.forget_samples()
    (chain,) = second.chains
    assert isinstance(chain, LatentChain)
    chain.seat()
    run.follow(chain)
    heading = "SMC dev, test, test with 1000, search test | predicted tags UAS, tags; given: UAS"
    print(f"\nten samples averaged: {heading}")
    compare("trees", supervised, run.split)
    compare("trees, then words", run.averaged(), run.split)


if __name__ == "__main__":
    main()
