"""The committee on the WSJ sample, EWT and DDT: single members, all members, and all but one.

    python -m experiments.committee [wsj] [ewt] [ddt] [--part dev|test] [--particles N]

Seed 1; weights and sharpness are fitted on the development set, whichever part is parsed. UD: all
words count, subtypes ignored; np: punctuation excluded (Penn tags, UPOS, Unicode category). `error`
is the expected calibration error of heads in percent, over 15 bins. Other parsers on the same
files: WSJ, all words, MaltParser 85.6 with gold tags, spaCy 87.1 with predicted tags (96.1
correct); EWT with gold tags, UDPipe 86.3 / 84.2 UD and 86.5 np, MaltParser 85.4 / 83.0 UD and 86.1
np; with predicted tags, UDPipe 82.7 / 79.2 UD, UPOS 94.8; DDT with gold tags np, MaltParser 87.0 /
81.0.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

import bistro
from bistro.evaluate.attachment import score
from bistro.evaluate.calibration import calibration_of
from bistro.inference.chains import Session
from bistro.models.abilities import Voter
from bistro.models.committee.contents import WAYS
from bistro.models.committee.fitting import fitted
from bistro.models.committee.mixture import Fit
from bistro.models.committee.model import CommitteeModel
from bistro.treebank.sentence import Sentence
from experiments.treebanks import FILES, Split, load_split

HEADINGS = f"{'UAS':>6} {'LAS':>6} {'UASnp':>6} {'LASnp':>6} {'tags':>6} {'error':>6}"


class Remembering:
    """A member that computes the votes on the same sentences only once."""

    def __init__(self, member: Voter) -> None:
        self._member = member
        self._votes: dict[tuple[int, int, str], Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._member, name)

    def votes(self, sentences: Sequence[Sentence], **options: Any) -> Any:
        """Return the votes of the member, from the cache if possible."""
        key = id(sentences[0]), len(sentences), options["tags"]
        if key not in self._votes:
            self._votes[key] = self._member.votes(sentences, **{**options, "threads": 2})
        return self._votes[key]


def among(model: CommitteeModel, names: Sequence[str], fits: dict[str, Fit]) -> CommitteeModel:
    """Return a committee of some members, with the specified weights."""
    chosen = [model.members[model.member_names().index(name)] for name in names]
    return CommitteeModel(model.config, chosen, fits, model.origin)


def refitted(
    model: CommitteeModel, names: Sequence[str], dev: Sequence[Sentence]
) -> CommitteeModel:
    """Return a committee of some members, with weights fitted to them."""
    part = among(model, names, {way: Fit.equal(len(names)) for way in WAYS})
    part.fits = {way: fitted(part, dev, way, 2) for way in WAYS}
    return part


def row(model: CommitteeModel, sentences: Sequence[Sentence], **options: Any) -> str:
    """Parse, and return all figures as text."""
    found = [
        s.replace(heads=p.heads, deprels=p.labels, **{model.tag_column: p.tags})
        for s, p in zip(sentences, model.parse_all(sentences, **options), strict=True)
    ]
    scores = score(sentences, found)
    plain = scores.no_punct
    error = calibration_error(model, sentences, options)
    tags = getattr(scores, model.tag_column)
    figures = [scores.uas, scores.las, plain.uas, plain.las, tags, error]
    return " ".join("   n/a" if value is None else f"{value:6.2f}" for value in figures)


def speed(model: CommitteeModel, sentences: Sequence[Sentence], way: str) -> float:
    """Return words per second of CPU time on one core, the best of three runs."""
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        for _parse in model.parse_all(sentences, threads=1, tags=way):
            pass
        best = min(best, time.process_time() - begin)
    return sum(map(len, sentences)) / best


def calibration_error(
    model: CommitteeModel, sentences: Sequence[Sentence], options: dict[str, Any]
) -> float:
    """Return the expected calibration error of the minimum-risk heads, in percent."""
    mixture = model.mixture(sentences, model.with_defaults(**options))
    heads = mixture.trees(model.single_root, 2)[0]
    gold = np.array([head for sentence in sentences for head in sentence.heads])
    sure = mixture.heads.probability_of(heads).clip(0, 1).tolist()
    pairs = list(zip(sure, (heads == gold).tolist(), strict=True))
    return 100 * calibration_of(pairs).expected_calibration_error


def report(split: Split, part: str, settings: dict[str, Any]) -> None:
    """Train on one treebank, and print its table."""
    begin, cpu = time.monotonic(), time.process_time()
    model = bistro.train(
        "committee", split.train, seed=1, dev=split.dev, session=Session(threads=2), **settings
    )
    seconds, busy = time.monotonic() - begin, time.process_time() - cpu
    print(f"\n{split.name} {part}; trained in {seconds:.0f} s, {busy:.0f} s of CPU time")
    print(model.describe())
    names, sentences = model.member_names(), list(getattr(split, part))
    for way in WAYS:
        print(f"tags {way}: {speed(model, sentences, way):,.0f} words/s on one core", flush=True)
    model.members = [cast(Voter, Remembering(member)) for member in model.members]
    equal = {
        way: replace(fit, heads=Fit.equal(len(names)).heads) for way, fit in model.fits.items()
    }
    rows = [
        *((f"{name} alone", refitted(model, [name], split.dev)) for name in names),
        ("committee", model),
        ("committee, equal weights", among(model, names, equal)),
        *(
            (f"without {name}", refitted(model, [n for n in names if n != name], split.dev))
            for name in names
            if len(names) > 1
        ),
    ]
    print(f"{'':<40} {HEADINGS}")
    for name, committee in rows:
        for way in WAYS:
            shown = row(committee, sentences, tags=way)
            print(f"{f'{name}, tags {way}':<40} {shown}", flush=True)


def main() -> None:
    """Print the tables of the selected treebanks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebanks", nargs="*", default=list(FILES))
    parser.add_argument("--part", choices=("dev", "test"), default="test")
    parser.add_argument("--particles", type=int, default=None)
    parser.add_argument("--members", nargs="+", default=None)
    options = parser.parse_args()
    settings: dict[str, Any] = {}
    if options.particles:
        settings["particles"] = options.particles
    if options.members:
        settings["members"] = options.members
    print(__doc__)
    for name in options.treebanks:
        report(load_split(name), options.part, settings)


if __name__ == "__main__":
    main()
