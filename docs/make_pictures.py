"""Make the pictures of the documentation: python docs/make_pictures.py

The garden path as a tree, by the built-in grammar, and word by word as surprisal: what a 5-gram
expects beside what the grammar itself, which made the training sentences, knows.
The words that morphemes belong to, as a tree. (`experiments.topics_picture` draws latent states.)
Two pictures of a report: a wrong tree beside the right one, and surprisal under the words. Chains
that agree and chains that do not, with their ranks.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import bistro
from bistro.encoding.vocabulary import END_SYMBOL
from bistro.files import writing
from bistro.inference.grammar.exact import english
from bistro.inference.simulated import Simulated, calibrate
from bistro.pictures.arcs import draw_arcs
from bistro.pictures.constituents import draw_constituents
from bistro.reference.convergence import ess_bulk, r_hat
from bistro.report.comparison import draw_comparison
from bistro.report.plots import bar_chart, line_chart
from bistro.report.ranks import rank_plot
from bistro.report.strip import surprisal_strip
from bistro.tasks.check_sampler import check_sampler
from bistro.tasks.surprisal import surprisal_rows
from bistro.treebank.binarisation import binarised
from bistro.treebank.brackets import parse_tree

IMAGES = Path(__file__).resolve().parent / "images"
GARDEN_PATH = ["The", "horse", "raced", "past", "the", "barn", "fell", "."]


def garden_path_tree() -> str:
    """Draw the best tree of the garden path."""
    tree = english().best_parse(GARDEN_PATH)
    return draw_arcs(tree.forms, tree.heads, tree.deprels, tree.upos)


def garden_path_surprisal() -> str:
    """Draw the surprisal of its words under a trained model and under the truth."""
    model = bistro.train("ngram", bistro.builtin(sentences=5000, seed=1), seed=1)
    learned = [row.surprisal for row in surprisal_rows(model, [GARDEN_PATH])]
    series = {"5-gram": learned, "truth": english().surprisals(GARDEN_PATH)}
    return on_paper(bar_chart([*GARDEN_PATH, END_SYMBOL], series, unit="bits"))


def garden_path_effects() -> str:
    """Draw how many bits ambiguity costs; the figures are those of docs/minimal-pairs.md."""
    series = {"ud": [0.79, 3.11, 2.71], "language": [0.06, 0.75, 0.79]}
    return on_paper(bar_chart(["main-verb", "np-s", "np-z"], series, unit="bits"))


def on_paper(svg: str) -> str:
    """Put white paper behind a chart, so that it can be read on a dark page too."""
    end = svg.index("</title>") + len("</title>")
    return f'{svg[:end]}\n<rect width="100%" height="100%" rx="6" fill="#ffffff"/>{svg[end:]}'


def constituents() -> str:
    """Draw a binarised tree, and the context that one of its nodes is rewritten in."""
    tree = binarised(
        parse_tree(
            "(TOP (S (NP (DT The) (JJ old) (NN man)) (VP (VBD saw) (NP (NP (DT a) (NN dog)) "
            "(PP (IN with) (NP (CD three) (NNS legs))))) (. .)))"
        )
    )
    nodes = [tree, *tree.children]
    for step in (1, 0, 1, 1, 1):
        nodes.append(nodes[-1].children[step])
    note = "rewriting the last NP sees all of NP < PP < NP < VP < @S < S < TOP"
    return draw_constituents(tree, marked=nodes, note=note)


def utterance_of_morphemes() -> str:
    """Draw the words that the morphemes of a Zulu utterance belong to."""
    return draw_constituents(
        parse_tree(
            "(TOP (Word (P1 ba) (T hlangan) (S a)) (Word (T futhi))"
            " (Word (P1 na) (P2 u) (P3 mu) (T phakathi)))"
        )
    )


def two_trees() -> str:
    """Draw what a parser may make of the garden path, and what is right."""
    tree = english().best_parse(GARDEN_PATH)
    found = (
        [2, 3, 0, 6, 6, 3, 3, 3],
        ["det", "nsubj", "root", "case", "det", "obl", "xcomp", "punct"],
    )
    sure = [1.0, 0.83, 0.62, 0.99, 1.0, 0.94, 0.41, 0.66]
    right = tree.heads, tree.deprels
    return draw_comparison(tree.forms, right, found, tree.upos, probabilities=sure)


def surprisal_under_words() -> str:
    """Draw the true surprisal of the garden path under its words."""
    words = [*GARDEN_PATH, END_SYMBOL]
    return on_paper(surprisal_strip(words, english().surprisals(GARDEN_PATH)))


def chains(*, stuck: bool) -> tuple[str, str]:
    """Draw four chains, one of them elsewhere if `stuck`, with R-hat; and their ranks."""
    generator = np.random.default_rng(1)
    values = np.zeros((4, 200))
    for t in range(1, 200):
        values[:, t] = 0.3 * values[:, t - 1] + generator.normal(size=4)
    values[3] += 4.0 * stuck
    names = [f"seed {number}" for number in range(1, 5)]
    label = f"R-hat {r_hat(values):.2f}, effective draws {ess_bulk(values):.0f} of {values.size}"
    series = dict(zip(names, values.tolist(), strict=True))
    lines = line_chart(series, x_label="sweep", y_label=label, height=130)
    return on_paper(lines), on_paper(rank_plot(values, names))


def ranks(*, narrow: bool) -> str:
    """Draw the ranks of a right sampler of a coin, or of one whose draws are too narrow."""

    def coin(seed: int) -> Simulated:
        rng = np.random.default_rng(seed)
        truth = rng.uniform()
        heads = rng.binomial(9, truth)
        sure = 2 if narrow else 1

        def draw() -> dict[str, float]:
            return {"p(heads)": rng.beta(sure * (1 + heads), sure * (10 - heads))}

        return Simulated({"p(heads)": truth}, lambda: None, draw)

    return calibrate("a coin", coin, 400).draw()


def main() -> None:
    """Write all pictures."""
    IMAGES.mkdir(exist_ok=True)
    for name, picture in (
        ("garden-path-tree.svg", garden_path_tree()),
        ("garden-path-surprisal.svg", garden_path_surprisal()),
        ("garden-path-effects.svg", garden_path_effects()),
        ("constituents.svg", constituents()),
        ("infinite-morphology.svg", utterance_of_morphemes()),
        ("report-two-trees.svg", two_trees()),
        ("report-surprisal.svg", surprisal_under_words()),
        ("chains-agree.svg", chains(stuck=False)[0]),
        ("chains-agree-ranks.svg", chains(stuck=False)[1]),
        ("chains-stuck.svg", chains(stuck=True)[0]),
        ("chains-stuck-ranks.svg", chains(stuck=True)[1]),
        ("calibration-right.svg", ranks(narrow=False)),
        ("calibration-narrow.svg", ranks(narrow=True)),
        ("calibration-ngram.svg", check_sampler("ngram", 200, order=2).draw()),
    ):
        with writing(IMAGES / name) as stream:
            stream.write(picture.encode())


if __name__ == "__main__":
    main()
