"""The reader: perplexity of its members and of their mixture, SyntaxGym and garden paths.

    python -m experiments.reader [wsj] [ewt] [text] [--test] [--config PRESET]
    python -m experiments.reader text --models FOLDER --suites even --gardens even
    python -m experiments.reader ewt --set 'members=["ngram", "transition"]' --models FOLDER

Perplexity over words and sentence ends, seed 1. Words seen once in training and unknown words are
one `<unk>` for all members (--unknown). Members are trained on the training part. The weights are
fitted on the development part, which also stops the training of latent-variable members; its
perplexity, which is printed first, is therefore slightly too low. --test adds the perplexity of the
test part. Sums over analyses have the members' defaults, which for latent-variable members is a
beam, a lower bound (--beam sets another width). --every N scores every N-th sentence of the
development part, and --every-test of the test part. "With memory" is the perplexity with the memory
of the document, from all sentences of the part: documents begin at `# newdoc`, and without such
comments, the part is one document. Seconds are CPU time of training, weights included.

`text` is EWT and all but the last 5 % of the sentences of each file of `text_en`, as raw text;
those 5 % are the test part. The weights are fitted on the development part of EWT.

--suites: the accuracy on SyntaxGym's suites, items of even or odd number, for the mixture and each
member. An item is correct if all its predictions hold; ties are wrong. --gardens: the number of
items in which the critical word is more surprising after the ambiguous words than after the clear
ones, and the mean difference in bits, for SyntaxGym's garden paths (same selection of items) and
our own.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bistro
from benchmarks.data import data_dir
from bistro.config import apply_overrides, read_toml
from bistro.inference.chains import Session
from bistro.models.inputs import as_words
from bistro.models.mixing import mixed_scores, shares_of
from bistro.models.presets import file_or_preset
from bistro.models.reader.config import ReaderConfig
from bistro.models.reader.model import ReaderModel
from bistro.models.reader.recall import counts_of, events_of
from bistro.models.results.scores import TextScores
from bistro.tasks.suite import Suite
from bistro.tasks.suite_results import SuiteResult, results_of
from bistro.treebank.documents import document_numbers
from bistro.treebank.treebank import Treebank
from experiments import language_tables
from experiments.treebanks import load_split

GARDENS = {
    "mvrr": ("5", "reduced_ambig", "unreduced_ambig"),
    "npz_ambig": ("5", "ambig_nocomma", "ambig_comma"),
    "npz_ambig_mod": ("6", "ambig_nocomma", "ambig_comma"),
    "npz_obj": ("5", "no-obj_no-comma", "no-obj_comma"),
}
"""For each suite: the region, the condition with the garden path, and the one without it."""
OWN_GARDENS = ("main-verb", "np-s", "np-z")
AGREEMENT = ("number_", "reflexive_")


@dataclass(frozen=True)
class Data:
    """Training and test data of a reader."""

    train: Treebank
    dev: Treebank
    test: Sequence[Any]
    texts: Sequence[Path] = ()


def load(name: str, folder: Path) -> Data:
    """Return a data set; training texts are written to the folder."""
    if name == "text":
        found = language_tables.load("text", folder)
        return Data(found.trees, found.dev, found.test, found.texts)
    split = load_split(name)
    return Data(split.train, split.dev, split.test)


def perplexity(logs: NDArray[np.float64]) -> float:
    return math.exp(-float(logs.mean()))


def reader_of(data: Data, config: ReaderConfig, path: Path | None) -> ReaderModel:
    """Train the reader of a data set, or load it if it exists."""
    found: bistro.Model
    if path and path.exists():
        found = bistro.load(path)
    else:
        began = time.process_time()
        session = Session(threads=1, on_note=lambda note: print(f"  {note}", flush=True))
        options: dict[str, Any] = {"config": config, "dev": data.dev, "text": data.texts}
        found = bistro.train("reader", data.train, seed=1, session=session, **options)
        print(f"  trained in {time.process_time() - began:.0f} s", flush=True)
        if path:
            found.save(path)
    assert isinstance(found, ReaderModel)
    return found


def member_logs(model: ReaderModel, sentences: Sequence[Any], beam: int) -> list[TextScores]:
    """Return the scores of each member; `beam` is the width for latent-variable members."""
    words = as_words(sentences)
    found = []
    for scorer, member in zip(model.scorers, model.members, strict=True):
        options = {"threads": 1, **({"particles": beam} if beam and member.kind == "isbn" else {})}
        known = scorer.score_options.names()
        found.append(scorer.score(words, **{n: v for n, v in options.items() if n in known}))
    return found


def with_memory(
    model: ReaderModel, sentences: Sequence[Any], every: int, logs: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return log-probabilities with memory, from those of every N-th sentence without it."""
    assert model.memory is not None
    events = events_of(model.vocabulary, as_words(sentences))
    counts = counts_of(events, document_numbers(sentences), model.memory.words)
    is_scored = np.repeat(np.arange(len(events)) % every == 0, [len(own) for own in events])
    return model.memory.with_counts(logs, counts[is_scored])[0]


def print_perplexity(
    model: ReaderModel, name: str, sentences: Sequence[Any], every: int, beam: int
) -> None:
    """Print the perplexity of every member and of the mixture, and the members' mean shares."""
    logs = np.stack([s.log_probs for s in member_logs(model, sentences[::every], beam)])
    total, shares = shares_of(logs, model.weights)
    print(f"  {name}, {total.size:,} events: mixture {perplexity(total):.2f}")
    if model.memory:
        remembered = with_memory(model, sentences, every, total)
        print(f"    with {model.memory.describe()}: {perplexity(remembered):.2f}")
    rows = zip(model.member_names(), model.weights, logs, shares, strict=True)
    for member, weight, own, share in rows:
        print(
            f"    {member:<24} {perplexity(own):7.2f}  weight {weight:.3f}  "
            f"mean share {share.mean():.3f}",
            flush=True,
        )


def half(suite: Suite, which: str) -> Suite:
    """Return the suite with the items of even or odd number, counted from 1."""
    return replace(suite, items=list(suite.items)[which == "even" :: 2])


class Mixed:
    """Results of the mixture and of each member, computed from the same scores."""

    def __init__(self, model: ReaderModel, beam: int) -> None:
        self.model, self.beam = model, beam

    def results(self, suite: Suite) -> dict[str, SuiteResult]:
        """Return the results of the mixture and of each member."""
        sentences = [c.words for item in suite.items for c in item.conditions]
        scores = member_logs(self.model, sentences, self.beam)
        named = {"mixture": mixed_scores(scores, self.model.weights)}
        named.update(zip(self.model.member_names(), scores, strict=True))
        return {n: SuiteResult(suite, list(results_of(suite, s))) for n, s in named.items()}


def print_suites(mixed: Mixed, which: str) -> None:
    """Print the accuracy of every suite of SyntaxGym, and the means."""
    found: dict[str, dict[str, float]] = {}
    for path in sorted((data_dir() / "syntaxgym").glob("*.json")):
        results = mixed.results(half(bistro.read_suite(path), which))
        found[path.stem] = {name: result.accuracy for name, result in results.items()}
        print(f"  {path.stem:<24}" + _row(found[path.stem]), flush=True)
    groups = {"mean": ("",), "agreement": AGREEMENT, "number": AGREEMENT[:1]}
    for title, begins in groups.items():
        rows = [row for name, row in found.items() if name.startswith(begins)]
        print(f"  {title:<24}" + _row({n: float(np.mean([r[n] for r in rows])) for n in rows[0]}))


def _row(figures: dict[str, float]) -> str:
    return "".join(f"  {name} {value:.2f}" for name, value in figures.items())


def print_gardens(mixed: Mixed, which: str) -> None:
    """Print the number of items with a garden-path effect, and its mean size."""
    suites = [
        *(
            (half(bistro.read_suite(data_dir() / "syntaxgym" / f"{n}.json"), which), g)
            for n, g in GARDENS.items()
        ),
        *((bistro.read_suite(name), None) for name in OWN_GARDENS),
    ]
    for suite, garden in suites:
        for name, result in mixed.results(suite).items():
            if garden:
                region, ambiguous, clear = garden
                effects = [i.bits[ambiguous, region] - i.bits[clear, region] for i in result.items]
            else:
                effects = [item.margins[0] for item in result.items]
            print(
                f"  {suite.name:<24} {name:<22} {sum(bits > 0 for bits in effects)} of "
                f"{len(effects)} items, {np.mean(effects):+.2f} bits",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="*", default=["wsj", "ewt"])
    parser.add_argument("--config", help="a preset or file of the reader")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--unknown", default="single", choices=["single", "classes"])
    parser.add_argument("--models", type=Path, help="folder in which models are stored")
    parser.add_argument("--test", action="store_true", help="score the test part too")
    parser.add_argument("--every", type=int, default=1, help="step in the development part")
    parser.add_argument("--every-test", type=int, default=1, help="step in the test part")
    parser.add_argument("--beam", type=int, default=0, help="width for latent-variable members")
    parser.add_argument("--suites", choices=["even", "odd"])
    parser.add_argument("--gardens", choices=["even", "odd"])
    options = parser.parse_args()
    for name in options.data:
        base = ReaderConfig()
        if options.config:
            base = read_toml(file_or_preset(options.config), ReaderConfig)
        config = apply_overrides(base, [f"unknown={options.unknown}", *options.set])
        print(name, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            data = load(name, Path(folder))
            path = options.models / f"{name}.bistro" if options.models else None
            model = reader_of(data, config, path)
        print("", *model.config.members, sep="\n    ", flush=True)
        print_perplexity(model, "dev", data.dev, options.every, options.beam)
        if options.test:
            print_perplexity(model, "test", data.test, options.every_test, options.beam)
        mixed = Mixed(model, options.beam)
        if options.suites:
            print_suites(mixed, options.suites)
        if options.gardens:
            print_gardens(mixed, options.gardens)


if __name__ == "__main__":
    main()
