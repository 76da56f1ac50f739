"""A committee of constituency parsers on the WSJ sample: single members, a pair, and all members.

    python -m experiments.constituents [dev|costs|draws|plain|test ...]

3,262 trees for training, predicted tags, scores as EVALB computes them (Collins' parameters), seed
1, one thread. `dev` shows every member alone, a pair and the default committee on the development
part. `costs` and `draws` show the settings chosen on it, and `plain` shows members without marks on
labels. `test` shows the chosen committee on the test part. Times are CPU times of training and
parsing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import cache

import bistro
from benchmarks.data import data_dir
from bistro.evaluate.brackets import score_brackets
from bistro.models.constituents.config import ConstituentsConfig, Member
from bistro.models.constituents.mixture import least_risk, likely_weights
from bistro.models.constituents.model import ConstituentsModel, VoteOptions
from bistro.models.span_votes import SpanVotes, mixed
from bistro.treebank.brackets import Tree
from bistro.treebank.constituents import simplified
from bistro.treebank.tree_files import read_examples

ALL: tuple[Member, ...] = ConstituentsConfig().members
PLAIN: tuple[Member, ...] = ("right-plain", "head-left-plain")
PAIR: tuple[Member, ...] = ("head-left", "head-right-verbs")
PARTS: tuple[tuple[Member, ...], ...] = (PAIR, ALL)
USUAL = VoteOptions()
HEADINGS = (
    f"{'F1':>6} {'prec.':>6} {'recall':>6} {'exact':>6} {'F1<=40':>6} {'tags':>6} "
    f"{'train s':>8} {'s/word':>8}"
)


@cache
def part(name: str) -> list[Tree]:
    return list(read_examples(data_dir() / "ptb_sample" / f"wsj-{name}.mrg"))


@cache
def words_of(name: str) -> list[list[str]]:
    return [simplified(tree).leaves() for tree in part(name)]


@cache
def trained(member: Member, number: int) -> tuple[ConstituentsModel, float]:
    """Return a committee of one, trained as member `number`, and the CPU time."""
    begin = time.process_time()
    model = bistro.train("constituents", part("train"), seed=1 + number, members=(member,))
    return model, time.process_time() - begin


@cache
def votes(member: Member, number: int, name: str, samples: int) -> tuple[SpanVotes, float]:
    """Return the votes of a member on a part, and the CPU time per word."""
    model, _ = trained(member, number)
    words = words_of(name)
    begin = time.process_time()
    found = model.votes(words, VoteOptions(samples=samples, threads=1))
    return found, (time.process_time() - begin) / sum(map(len, words))


def number_of(member: Member) -> int:
    return ALL.index(member) if member in ALL else len(ALL)


def row(
    members: Sequence[Member],
    name: str,
    *,
    samples: int = USUAL.samples,
    cost: float = USUAL.node_cost,
    weights: Sequence[float] | None = None,
) -> str:
    """Return the scores of a committee as a line of a table."""
    numbered = [(member, number_of(member)) for member in members]
    given = [votes(*one, name, samples) for one in numbered]
    equal = [1 / len(members)] * len(members)
    begin = time.process_time()
    both = mixed([found for found, _ in given], weights or equal)
    ranks = trained(*numbered[0])[0].ranks
    found = least_risk(both, words_of(name), cost=cost, ranks=ranks)
    last = (time.process_time() - begin) / sum(map(len, words_of(name)))
    report = score_brackets(part(name), [one.tree for one in found])
    scores = report.all
    figures = (
        *(scores.labelled.f1, scores.labelled.precision, scores.labelled.recall),
        *(scores.exact, report.short.labelled.f1, scores.tags),
    )
    seconds = sum(trained(*one)[1] for one in numbered)
    shown = " ".join(f"{figure or 0.0:6.2f}" for figure in figures)
    return f"{shown} {seconds:8.1f} {sum(s for _, s in given) + last:8.5f}"


def show(title: str, line: str) -> None:
    print(f"{title:<44} {line}", flush=True)


def named(members: Sequence[Member]) -> str:
    return "the default committee" if members == ALL else " + ".join(members)


def dev() -> None:
    print(f"\n{'Development part':<44} {HEADINGS}")
    for member in ALL:
        show(member, row([member], "dev"))
    for members in PARTS:
        show(named(members), row(members, "dev"))
    sentences = len(part("dev"))
    both = [votes(member, number, "dev", USUAL.samples)[0] for number, member in enumerate(ALL)]
    weights = likely_weights(both, [simplified(tree) for tree in part("dev")]).tolist()
    shown = ", ".join(f"{weight:.2f}" for weight in weights)
    print(f"most likely weights on these {sentences} sentences: {shown}", flush=True)


def plain() -> None:
    print(f"\n{'Labels without marks, development part':<44} {HEADINGS}")
    for member in PLAIN:
        show(member, row([member], "dev"))


def draws() -> None:
    print(f"\n{'Trees drawn by each member, development part':<44} {HEADINGS}")
    for samples in (600, 2000, 5000):
        show(f"{samples:,}: head-left", row(ALL[:1], "dev", samples=samples))
        show(f"{samples:,}: default", row(ALL, "dev", samples=samples))


def costs() -> None:
    print(f"\n{'Cost of a constituent, development part':<44} {HEADINGS}")
    for cost in (0.3, 0.4, 0.45, 0.5, 0.55):
        show(f"{cost}", row(ALL, "dev", cost=cost))


def test() -> None:
    print(f"\n{'Test part':<44} {HEADINGS}")
    for members in (ALL[:1], *PARTS):
        show(named(members), row(members, "test"))


def main() -> None:
    print(__doc__)
    parts: dict[str, Callable[[], None]] = {
        "dev": dev,
        "costs": costs,
        "draws": draws,
        "plain": plain,
        "test": test,
    }
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
