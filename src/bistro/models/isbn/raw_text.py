"""Learning from raw text, which is parsed automatically and added to the training data.

A parser is trained on the treebank and parses the text (`bistro.models.parsing.raw_text`). The
model is then trained on the treebank and the parsed text. Published neural parsers that serve as
language models are trained on parsed text in the same way. Tags and labels come from the treebank,
and words come from both the treebank and the text.

>>> model = bistro.train("isbn", treebank, text=["news.txt.gz"])       # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bistro import progress
from bistro.encoding.vocabulary import Vocabulary
from bistro.errors import BistroError
from bistro.inference.chains import Session
from bistro.models.inputs import Words
from bistro.models.isbn.codec import IsbnCodec
from bistro.models.isbn.config import IsbnConfig
from bistro.models.isbn.model import IsbnModel
from bistro.models.isbn.train import Parsed, Training, Trees, split, train_isbn
from bistro.models.parsing.analyses import Analyses
from bistro.models.parsing.raw_text import TextTraining
from bistro.models.parsing.training import trees_of
from bistro.models.runs import Run
from bistro.treebank.raw_text import RawText
from bistro.treebank.sentence import Sentence

FIRST, PARSING = 0.1, 0.2
"""Approximate shares of the training time spent on the first parser and on parsing the text."""


def train_with_text(
    data: Sequence[Words],
    config: IsbnConfig,
    run: Run,
    text: RawText,
    dev: Sequence[Sentence] | None = None,
) -> IsbnModel:
    """Train a latent-variable parser on trees and on the parses of raw text."""
    sentences, held_out = split(trees_of(data), dev, config, run.seed)
    training = TextTraining(IsbnModel.kind, sentences, config, run, text, PARSING)

    def first_parser(session: Session) -> IsbnModel:
        own = replace(config, unknown="classes")
        with progress.phase("first parser", share=FIRST):
            return train_isbn(sentences, own, Run(run.seed, session=session), held_out)

    def learn(analyses: Analyses, session: Session) -> IsbnModel:
        trees = _parsed(analyses, text, IsbnCodec.learn(sentences, config)[0])
        parts = _split(trees, min(len(held_out), round(len(trees) * config.learning.held_out)))
        parsed = Parsed(*parts, Vocabulary.of(training.counts, config))
        learning = Training(sentences, held_out, config, run.seed, parsed)
        with progress.phase("learning from the parses", share=1 - FIRST - PARSING):
            trace = learning.run(session)
        treebank = {**run.treebank, "texts": text.provenance()}
        return learning.finish(Run(run.seed, treebank, run.session), trace)

    settings = config.raw_text
    model = training.model(settings.rounds, settings.beam, first_parser, learn)
    assert isinstance(model, IsbnModel)
    return model


def _parsed(analyses: Analyses, text: RawText, codec: IsbnCodec) -> Trees:
    """Return the sentences of the raw text, each with its best tree."""
    columns = analyses.columns_of(0, analyses.words)
    trees: Trees = []
    begin = 0
    for words in text:
        own = slice(begin, begin + len(words))
        begin += len(words)
        heads, labels, tags = (columns[name][own] for name in ("heads", "labels", "tags"))
        tree = codec.decode(heads, labels, tags, restore_crossing=False)
        trees.append((Sentence.from_columns(words), tree))
    if begin != analyses.words:
        raise BistroError("the raw text changed during training: restart the training")
    return trees


def _split(trees: Trees, number: int) -> tuple[Trees, Trees]:
    """Return the training trees, and evenly spaced held-out trees.

    The text may differ from the treebank. Therefore, training ends when the score on held-out trees
    from both sources no longer improves.
    """
    places = {len(trees) * i // number for i in range(number)}
    parts: tuple[Trees, Trees] = ([], [])
    for place, tree in enumerate(trees):
        parts[place in places].append(tree)
    return parts
