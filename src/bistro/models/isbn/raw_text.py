"""Learning from raw text: the text is parsed, and all weights are learned from both.

A parser is trained on the treebank and parses the text (`bistro.models.parsing.raw_text`); the
model is then trained on the trees of the treebank and these trees. Published neural parsers that
model language are trained on parsed text in the same way. Tags and labels are those of the
treebank, words those of both.

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
from bistro.models.isbn.train import Parsed, Training, split, train_isbn
from bistro.models.parsing.analyses import Analyses
from bistro.models.parsing.codec import Tree
from bistro.models.parsing.raw_text import TextTraining
from bistro.models.parsing.training import trees_of
from bistro.models.runs import Run
from bistro.treebank.raw_text import RawText
from bistro.treebank.sentence import Sentence

FIRST, PARSING = 0.1, 0.2
"""Approximate shares of the training time that the first parser and parsing take."""


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
        parsed = _parsed(analyses, text, IsbnCodec.learn(sentences, config)[0])
        vocabulary = Vocabulary.of(training.counts, config)
        learning = Training(sentences, held_out, config, run.seed, Parsed(*parsed, vocabulary))
        with progress.phase("learning from the parses", share=1 - FIRST - PARSING):
            trace = learning.run(session)
        treebank = {**run.treebank, "texts": text.provenance()}
        return learning.finish(Run(run.seed, treebank, run.session), trace)

    settings = config.raw_text
    found = training.model(settings.rounds, settings.beam, first_parser, learn)
    assert isinstance(found, IsbnModel)
    return found


def _parsed(
    analyses: Analyses, text: RawText, codec: IsbnCodec
) -> tuple[list[Sentence], list[Tree]]:
    """Return the sentences of the text and their trees; all symbols are those of the treebank."""
    columns = analyses.columns_of(0, analyses.words)
    sentences, trees = [], []
    begin = 0
    for words in text:
        own = slice(begin, begin + len(words))
        begin += len(words)
        sentences.append(Sentence.from_columns(words))
        heads, labels, tags = (columns[name][own] for name in ("heads", "labels", "tags"))
        trees.append(codec.decode(heads, labels, tags, restore_crossing=False))
    if begin != analyses.words:
        raise BistroError("the text has changed while it was in use: start from the beginning")
    return sentences, trees
