"""The language models of Buys & Blunsom (2015): Tables 6 and 7."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import bistro
from benchmarks.data import data_dir
from bistro.config import apply_overrides, read_toml
from bistro.models.abilities import GENERATE, SCORE
from bistro.models.base import Model
from bistro.models.inputs import as_words
from bistro.models.presets import file_or_preset
from bistro.models.transition.config import TransitionConfig
from bistro.treebank.sentence import Sentence
from experiments.generated_table import DRAWN, most_probable
from experiments.papers.buys_blunsom_models import ON_TREES, PRESET, SEED, treebank_of
from experiments.papers.table import Row

PUNCTUATION = frozenset({"``", "''", ",", ".", ":", "-LRB-", "-RRB-"})
NUMBERS = frozenset({"CD", "$", "#", "SYM"})
NUMBER = "NUM"
AS_PUBLISHED = ("labels=none", "unknown=single")
SECOND_STAGE = "unsupervised.sweeps=2"
"""The paper does not say how many sweeps its second stage has."""
ONE_SAMPLE = {"sampler": {"sweeps": 20, "samples": 1}}
NEWS_TO_TRAIN, NEWS_TO_TEST = 10_000, 1_000
"""Numbers of news sentences: the first of the file for training, the last for testing."""


def without_punctuation(sentence: Sentence) -> Sentence:
    """Return a sentence without punctuation, with numbers and symbols replaced by one word.

    Dependents of a removed word are attached to its nearest remaining ancestor. If there are
    several roots, the first becomes the head of the others.
    """
    kept = [i for i, tag in enumerate(sentence.xpos, 1) if tag not in PUNCTUATION]
    place = {old: new for new, old in enumerate(kept, 1)}

    def head_of(word: int) -> int:
        head = sentence.heads[word - 1]
        while head and head not in place:
            head = sentence.heads[head - 1]
        return place.get(head, 0)

    heads = [head_of(word) for word in kept]
    roots = [i for i, head in enumerate(heads, 1) if head == 0]
    heads = [roots[0] if i in roots[1:] else head for i, head in enumerate(heads, 1)]
    tags = [sentence.xpos[i - 1] for i in kept]
    words = [sentence.forms[i - 1] for i in kept]
    words = [NUMBER if t in NUMBERS or w == "%" else w for w, t in zip(words, tags, strict=True)]
    return Sentence.from_columns(words, heads=heads, upos=tags, xpos=tags)


def with_one_number(sentence: Sentence) -> Sentence:
    """Return a sentence in lower case, with all numbers replaced by one word."""
    tagged = zip(sentence.forms, sentence.xpos, strict=True)
    words = [NUMBER if tag == "CD" else word.lower() for word, tag in tagged]
    return Sentence.from_columns(
        words, heads=sentence.heads, upos=sentence.upos, xpos=sentence.xpos
    )


def prepared(part: str, change: Callable[[Sentence], Sentence]) -> list[Sentence]:
    """Return a changed part of the WSJ sample, without sentences of punctuation alone."""
    sentences = map(change, getattr(treebank_of("wsj"), part))
    return [sentence for sentence in sentences if len(sentence)]


def language_model(
    trees: Sequence[Sentence], preset: str, *changes: str, text: Sequence[Path] = ()
) -> Model:
    """Train the parser of a preset without labels, on trees and optionally raw text."""
    config = read_toml(file_or_preset(preset), TransitionConfig)
    config = apply_overrides(config, [*AS_PUBLISHED, *changes])
    return bistro.train("transition", trees, config=config, seed=SEED, text=list(text))


def perplexity(model: Model, sentences: Sequence[Any], **options: Any) -> str:
    """Return the perplexity of words and sentence ends."""
    logs = SCORE.of(model).score(sentences, **options).log_probs
    return f"{math.exp(-float(logs.mean())):.2f}"


def table_6() -> Iterator[Row]:
    yield from _wsj()
    yield from _wsj_as_it_is()
    yield from _news()


def _wsj() -> Iterator[Row]:
    train, test = prepared("train", without_punctuation), prepared("test", without_punctuation)
    words = as_words(train)
    one = bistro.train("ngram", words, seed=SEED, unknown="single", **ONE_SAMPLE)
    averaged = bistro.train("ngram", words, seed=SEED, unknown="single")
    yield Row("WSJ, HPYP 5-gram", "147.22", perplexity(one, test), perplexity(averaged, test))
    yield Row("WSJ, Chelba and Jelinek (2000)", "146.1")
    yield Row("WSJ, Emami and Jelinek (2005)", "131.3")
    published = language_model(train, PRESET, SECOND_STAGE)
    best = language_model(train, "wsj")
    figures = perplexity(published, test, threads=1), perplexity(best, test, threads=1)
    yield Row("WSJ, HPYP-DP", "145.54", *figures, "second stage of 2 sweeps")
    smc = perplexity(published, test, method="smc", particles=100, tags_per_word=0, threads=1)
    yield Row("WSJ, HPYP-DP, sequential Monte Carlo", "-", smc, note="10 runs of 100 particles")


def _wsj_as_it_is() -> Iterator[Row]:
    """Yield the 5-gram and preset wsj with punctuation, with the paper's sum and Monte Carlo."""
    train, test = list(treebank_of("wsj").train), list(treebank_of("wsj").test)
    ngram = bistro.train("ngram", as_words(train), seed=SEED, unknown="single")
    yield Row("WSJ with punctuation, 5-gram", "-", "-", perplexity(ngram, test))
    model = language_model(train, "wsj")
    beam = {"method": "search", "particles": 1000, "selection": "paper", "tags_per_word": 3}
    summed = perplexity(model, test, **beam, threads=1)
    drawn = perplexity(model, test, threads=1)
    yield Row("WSJ with punctuation, parser of preset wsj", "-", summed, drawn, "the paper's sum")


def _news() -> Iterator[Row]:
    lines = (data_dir() / "text_en" / "news.txt").read_text(encoding="utf-8").splitlines()
    test = [line.split() for line in lines[-NEWS_TO_TEST:] if line.strip()]
    trees = list(treebank_of("wsj").train)
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "news.txt"
        text.write_text("\n".join(lines[:NEWS_TO_TRAIN]) + "\n", encoding="utf-8")
        words = as_words(trees) + as_words(bistro.read(text))
        one = bistro.train("ngram", words, seed=SEED, unknown="single", **ONE_SAMPLE)
        averaged = bistro.train("ngram", words, seed=SEED, unknown="single")
        ngrams = perplexity(one, test), perplexity(averaged, test)
        yield Row("news, HPYP 5-gram", "178.13", *ngrams)
        published = language_model(trees, PRESET, *ON_TREES, text=[text])
        learns = 'raw_text.learns=["words", "tags", "actions"]'
        best = language_model(trees, "wsj", learns, text=[text])
        figures = perplexity(published, test, threads=1), perplexity(best, test, threads=1)
        yield Row("news, HPYP-DP", "163.96", *figures, "oracle derivations")


PRINTED = {
    "parser": (
        "sales rose NUM to NUM million from $ NUM .",
        "estimated volume was about $ NUM a share , .",
        "meanwhile , annual sales rose to NUM % from $ NUM .",
        "mr. bush 's profit climbed NUM % , to $ NUM from $ NUM million million , or NUM cents a "
        "share .",
        "treasury securities inc. is a unit of great issues .",
        '" he is looking out their shareholders , " says .',
        "while he has done well , she was out .",
        "that 's increased in the second quarter 's new conventional wisdom .",
        "mci communications said net dropped NUM % for an investor .",
        "association motorola inc. , offering of $ NUM and NUM cents a share .",
    ),
    "5-gram": (
        "otherwise , actual profit is compared with the 300-day estimate .",
        "the companies are followed by at least three analysts , and had a minimum five-cent "
        "change in actual earnings per share .",
        "bonds : shearson lehman hutton treasury index NUM , up",
        "posted yields on NUM year mortgage commitments for delivery within NUM days .",
        "in composite trading on the new york mercantile exchange .",
        "the company , which has NUM million shares outstanding .",
        "the NUM results included a one-time gain of $ NUM million .",
        "however , operating profit fell NUM % to $ NUM billion from $ NUM billion .",
        "merrill lynch ready assets trust : NUM % NUM days ; NUM % NUM to NUM days ; NUM % NUM to "
        "NUM days .",
        "in new york stock exchange composite trading , one trader .",
    ),
}
"""The sentences of Table 7."""


def table_7() -> Iterator[Row]:
    train = prepared("train", with_one_number)
    models: dict[str, Model] = {
        "parser": language_model(train, PRESET),
        "5-gram": bistro.train("ngram", train, seed=SEED, unknown="single", **ONE_SAMPLE),
    }
    for name, printed in PRINTED.items():
        drawn = list(GENERATE.of(models[name]).generate(DRAWN, SEED))
        for paper, ours in zip(printed, most_probable(models[name], drawn), strict=True):
            yield Row(name, paper, ours.split(maxsplit=1)[1])
