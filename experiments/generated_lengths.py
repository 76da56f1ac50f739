"""Lengths of generated sentences: their deviation, its causes, and the cost of matching them.

    python -m experiments.generated_lengths [wsj] [ewt]       the measurements, 2 minutes each
    python -m experiments.generated_lengths --exact           against the built-in grammar
    python -m experiments.generated_lengths --dev wsj SEEDS   UAS and perplexity, free and matched
    python -m experiments.generated_lengths --picture FILE    distributions of lengths, as SVG

Presets `wsj` and `ud`, trained with free and with matched lengths; 2,000 sentences for each of the
seeds 1 to 3. The tables show the lengths in the treebank and in generated sentences; the
probability of a shift by the number of stack items and of words so far, on the development part and
in generated sentences (along the oracle's derivations); and the mean length when one setting at a
time is changed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bistro
from bistro._core import Frozen, SentenceBatch, oracle_events
from bistro.config import from_dict, read_toml, to_dict
from bistro.files import writing
from bistro.inference.grammar.exact import english
from bistro.models.parsing.codec import training_tree
from bistro.models.presets import file_or_preset
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.model import TransitionModel
from bistro.models.transition.pace import FREE
from bistro.rng import purpose_key
from bistro.treebank.sentence import Sentence
from experiments.backoff_removed import without_backoff
from experiments.generated_picture import distributions, side_by_side
from experiments.treebanks import HEADINGS, evaluate, load_split

PRESETS = {"wsj": "wsj", "ewt": "ud"}
DRAWN, SEEDS = 2000, (1, 2, 3)
EVERY = {"wsj": 1, "ewt": 2}
"""Perplexity is estimated on every sentence of WSJ dev, and on every second one of EWT dev."""
DEPTHS = ((2, 2), (3, 3), (4, 4), (5, 6), (7, 9), (10, 12), (13, 999))
WORDS = ((1, 5), (6, 10), (11, 20), (21, 30), (31, 40), (41, 60), (61, 999))
SHIFT, END, LEFT_ARC = 0, 1, 2

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def trained(name: str, seed: int = 1, **settings: Any) -> TransitionModel:
    """Return the model of a treebank's preset with some settings changed."""
    plain = to_dict(read_toml(file_or_preset(PRESETS[name]), TransitionConfig))
    config = from_dict(TransitionConfig, {**plain, **settings}, "settings")
    return bistro.train("transition", load_split(name).train, config=config, seed=seed)


def drawn(model: TransitionModel, seed: int = 1, n: int = DRAWN) -> dict[str, NDArray[Any]]:
    """Return sentences as arrays of the core."""
    most = int(model.longest_generated)
    purpose = purpose_key("transition.generate")
    return model.drawn(n, seed=seed, purpose=purpose, most_words=most)


def lengths_of(model: TransitionModel, seed: int = 1) -> Ints:
    """Return the numbers of words of generated sentences."""
    found: Ints = np.diff(drawn(model, seed)["offsets"])
    return found


def shown(name: str, lengths: Ints, mean: float) -> str:
    """Return a row of figures about lengths."""
    quantiles = " ".join(f"{q:4.0f}" for q in np.quantile(lengths, (0.1, 0.5, 0.9, 0.99)))
    average = float(lengths.mean())
    return (
        f"{name:<44} {average:6.2f} ({100 * average / mean - 100:+5.1f} %)  {lengths.std():5.1f}  "
        f"{quantiles}   {1 - 1 / average:.4f}"
    )


# ---- probability of a shift ---------------------------------------------------------------------
def gold_batch(model: TransitionModel, sentences: Sequence[Sentence]) -> SentenceBatch:
    """Return treebank sentences with their trees."""
    trees = [training_tree(sentence, model.config) for sentence in sentences]
    return model.codec.encode(sentences, trees)


def drawn_batch(model: TransitionModel) -> SentenceBatch:
    """Return generated sentences with their trees, except those that were cut."""
    made = drawn(model)
    keep = np.repeat(made["complete"].astype(bool), np.diff(made["offsets"]))
    sizes = np.diff(made["offsets"])[made["complete"].astype(bool)]
    columns = {name: made[name][keep] for name in ("tags", "heads", "labels")}
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    nothing: dict[str, Any] = {"spelled": np.zeros(0, np.int32), "spellings": np.zeros(0)}
    return SentenceBatch(made["words"][keep], offsets, **columns, **nothing)


def shifts(model: TransitionModel, batch: SentenceBatch) -> tuple[Floats, Floats, Ints, Ints]:
    """Return p(shift), whether it was one, stack items and words so far for all decisions."""
    contexts, outcomes = oracle_events(model.shape, batch)["actions"]
    frozen = Frozen(**model.distributions["actions"], dishes=4)
    every = [np.full(len(outcomes), outcome, np.int32) for outcome in range(4)]
    p = np.exp([frozen.log_probabilities(contexts, outcome) for outcome in every])
    depths, words = _places(outcomes)
    p[SHIFT] *= [model.pace.factor(n) for n in words.tolist()]
    p[END] = 0
    p[LEFT_ARC, depths == 2] = 0
    return p[SHIFT] / p.sum(axis=0), (outcomes == SHIFT).astype(float), depths, words


def _places(outcomes: NDArray[np.int32]) -> tuple[Ints, Ints]:
    """Return stack items and words at each decision; the first shift and the end are certain."""
    depths, words = np.zeros(len(outcomes), np.int64), np.zeros(len(outcomes), np.int64)
    depth, shifted = 2, 1
    for at, outcome in enumerate(outcomes.tolist()):
        depths[at], words[at] = depth, shifted
        depth, shifted = (depth + 1, shifted + 1) if outcome == SHIFT else (depth - 1, shifted)
        if depth == 1:
            depth, shifted = 2, 1
    return depths, words


def shift_table(model: TransitionModel, dev: Sequence[Sentence]) -> Iterator[str]:
    """Yield rows: share of decisions and probability of a shift, on dev and in generated text."""
    parts = [shifts(model, gold_batch(model, dev)), shifts(model, drawn_batch(model))]
    columns = f"{'dev: share':>12} {'observed':>9} {'model':>7} {'own: share':>12} {'model':>7}"
    yield f"{'':<19} {columns}"
    for title, column, classes in (("stack items", 2, DEPTHS), ("words", 3, WORDS)):
        for low, high in classes:
            cells = []
            for p, is_shift, *places in parts:
                here = (places[column - 2] >= low) & (places[column - 2] <= high)
                of_class = [v[here].mean() if here.any() else np.nan for v in (is_shift, p)]
                cells.append((100 * here.mean(), *of_class))
            name = f"{title} {low}" + (f"-{high}" if low < high < 999 else "+" * (high == 999))
            (share, seen, expected), (own_share, _, own) = cells
            figures = f"{share:10.1f} % {seen:9.3f} {expected:7.3f} {own_share:10.1f} % {own:7.3f}"
            yield f"{name:<19} {figures}"


# ---- one change at a time -----------------------------------------------------------------------
def unsmoothed(model: TransitionModel, *names: str) -> TransitionModel:
    """Return a model in which some distributions predict from the longest seen context alone."""
    changed = {
        name: without_backoff(model.distributions[name], model.num_outcomes[name]) for name in names
    }
    return replace(model, distributions={**model.distributions, **changed})


def causes(name: str) -> Iterator[tuple[str, TransitionModel]]:
    """Yield models that differ from the preset in one setting."""
    base = trained(name, lengths="free")
    contexts = to_dict(base.config.contexts)
    yield "the preset, lengths free", base
    yield "one sample instead of ten", trained(name, sampler={"samples": 1}, lengths="free")
    yield "one <unk> instead of classes", trained(name, unknown="single", lengths="free")
    yield "root last", trained(name, root="last", lengths="free")
    seen = {**contexts, "actions": ["p1.tag", *contexts["actions"]]}
    yield "actions see the last tag first", trained(name, contexts=seen, lengths="free")
    for names in (("actions",), ("words",), ("tags",), ("actions", "tags")):
        yield f"no back-off in {' and '.join(names)}", unsmoothed(base, *names)


def measure(name: str) -> None:
    """Print the measurements of one treebank."""
    split = load_split(name)
    lengths = np.array([len(sentence) for sentence in split.train])
    mean = float(lengths.mean())
    heading = f"{'mean (off)':>16}  {'s.d.':>10}  {'10, 50, 90, 99 %':>19}  dependents per word"
    print(f"\n{name}: lengths\n{'':<40} {heading}\n{shown('treebank', lengths, mean)}", flush=True)
    free, matched = trained(name, lengths="free"), trained(name, lengths="matched")
    for kind, model in (("free", free), ("matched", matched)):
        for seed in SEEDS:
            print(shown(f"{kind}, seed {seed}", lengths_of(model, seed), mean), flush=True)
    print(f"matched: after {matched.pace.begin:.1f} words, exponent {matched.pace.exponent:.3f}")
    for kind, model in (("free", free), ("matched", matched)):
        print(
            f"\n{name}: shift, lengths {kind}", *shift_table(model, split.dev), sep="\n", flush=True
        )
    print(f"\n{name}: one thing changed, seed 1\n{'':<40} {heading}", flush=True)
    for title, model in causes(name):
        print(shown(title, lengths_of(model), mean), flush=True)


def exact() -> None:
    """Print the lengths of models of the built-in treebank, and the exact mean of the grammar."""
    grammar = english()
    binary = grammar.binary
    mean = sum(float(binary.counts[binary.index[symbol]]) for symbol in grammar.lexicon)
    print(f"the grammar: {mean:.3f} words expected")
    for size in (500, 2000, 8000):
        treebank = bistro.builtin(sentences=size, seed=1)
        base = bistro.train("transition", treebank, seed=1)
        print(shown(f"{size} sentences", np.array([len(s) for s in treebank]), mean))
        for title, model in (
            ("free", base),
            ("matched", bistro.train("transition", treebank, seed=1, lengths="matched")),
            ("free, no back-off in actions and tags", unsmoothed(base, "actions", "tags")),
        ):
            many = np.concatenate([lengths_of(model, seed) for seed in SEEDS])
            print(shown(f"  {title}", many, mean), flush=True)


# ---- the cost -----------------------------------------------------------------------------------
def on_dev(name: str, seeds: Sequence[int]) -> None:
    """Print attachment scores and perplexity of the same distributions, free and matched."""
    dev = list(load_split(name).dev)
    print(f"{'':<32} {HEADINGS}")
    for seed in seeds:
        model = trained(name, seed, lengths="matched")
        for kind, one in (("free", replace(model, pace=FREE)), ("matched", model)):
            for tags in ("given", "joint"):
                title = f"{name}, seed {seed}, {kind}, tags {tags}"
                print(f"{title:<32} {evaluate(one, dev, tags=tags).row()}", flush=True)
            scores = one.score([s.forms for s in dev[:: EVERY[name]]], threads=1)
            perplexity = np.exp(-scores.log_probs.mean())
            print(f"{name}, seed {seed}, {kind}: perplexity {perplexity:.2f}", flush=True)


def picture(file: Path) -> None:
    """Draw the distributions of lengths of sentences and arcs."""
    panels = []
    for name in PRESETS:
        kinds = {"treebank": [s.heads for s in load_split(name).train]}
        for kind in ("free", "matched"):
            model = trained(name, lengths=kind)
            trees = (s for seed in SEEDS for s in model.generate_trees(DRAWN, seed))
            kinds[kind] = [s.heads for s in trees]
        panels += distributions(name.upper(), kinds)
    with writing(file) as stream:
        stream.write(side_by_side(panels).encode())


def main() -> None:
    option, *others = sys.argv[1:] or [""]
    commands: dict[str, Callable[[], None]] = {
        "--exact": exact,
        "--dev": lambda: on_dev(others[0], [int(seed) for seed in others[1:]] or SEEDS),
        "--picture": lambda: picture(Path(others[0])),
    }
    if option in commands:
        commands[option]()
        return
    print(__doc__)
    for name in sys.argv[1:] or PRESETS:
        measure(name)


if __name__ == "__main__":
    main()
