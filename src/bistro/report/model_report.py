"""A one-page report on a trained model, with its results on a test file.

The content of the page depends on the capabilities of the model. For a parser, the page shows
scores by relation and length, calibration and trees. For a model that scores words, the page shows
perplexity and surprisal. For every model, the page shows the settings and the training trace.

>>> import bistro
>>> model = bistro.load("english.bistro")                            # doctest: +SKIP
>>> report_page(model, read_test(model, "test.conllu")).write("report.html")  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bistro.errors import TreebankError
from bistro.evaluate.by_sentence import BORDERS
from bistro.models import abilities, kinds
from bistro.models.base import Model
from bistro.models.inputs import as_words
from bistro.models.options import a_model
from bistro.report import accuracy
from bistro.report.about import about_blocks
from bistro.report.examples import example_blocks
from bistro.report.html import Page, facts, figure
from bistro.report.language import perplexity_blocks, scored, surprisal_blocks
from bistro.report.learning import learning_blocks
from bistro.report.other_kinds import figure_blocks, order_blocks, tree_blocks
from bistro.report.topics import state_card, topic_cards
from bistro.tasks.parsed import ParseWriter
from bistro.tasks.tag import tagged_sentence
from bistro.treebank.brackets import Tree
from bistro.treebank.conllu import to_conllu
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import read
from bistro.treebank.validate import MISSING
from bistro.version import __version__

STATES_SHOWN = 20


@dataclass(frozen=True)
class ReportOptions:
    """Options for testing a model."""

    tags: Literal["joint", "given"] = "joint"
    borders: Sequence[int] = BORDERS
    """The upper limits of the sentence-length classes."""
    seed: int = 1
    threads: int = 0
    """The number of threads; 0 uses all cores."""


def read_test(model: Model, path: str, format: str | None = None) -> Sequence[Any]:
    """Read test data for a model."""
    family = kinds.find(model.kind)
    if family.items == "sentences":
        items: Sequence[Any] = [
            s for s in read(path, format=format, roots="any", partial=True) if len(s)
        ]
        _check_annotation(model, items, path)
    else:
        items = family.data().read([path], model.config, format)
    if not items:
        raise TreebankError("the test file has no sentences", path=path)
    return items


def _check_annotation(model: Model, sentences: Sequence[Sentence], path: str) -> None:
    """Raise an error if a test file lacks the annotation that is needed to evaluate predictions."""
    needed = ""
    if isinstance(model, abilities.Parser | abilities.Orderer):
        needed = "heads"
    elif isinstance(model, abilities.Tagger):
        needed = model.tag_column
    for sentence in sentences if needed else ():
        column = getattr(sentence, needed)
        absent = MISSING if needed == "heads" else EMPTY
        if absent in column:
            what = "head" if needed == "heads" else f"tag in {needed.upper()}"
            raise TreebankError(
                f"word {column.index(absent) + 1} of this sentence has no {what}, but a report on "
                f"{a_model(model.kind)} compares predictions with annotations: give an annotated "
                "test file (CoNLL-U or CoNLL-X)",
                path=path,
                line=sentence.line,
            )


def report_page(
    model: Model,
    test: Sequence[Any],
    options: ReportOptions | None = None,
    *,
    model_name: str = "a model",
    test_name: str = "the test file",
) -> Page:
    """Test a model and return the results as one page.

    `model_name` and `test_name` are file names.
    """
    options = options or ReportOptions()
    page = Page(
        f"{model_name} on {test_name}",
        subtitle=f"A model of kind {model.kind}, tested on {len(test):,} {_things(test)}.",
        footer=f"bistro {__version__}; seed of the model {model.origin.seed}, of this report "
        f"{options.seed}.",
    )
    page.section("The model", *about_blocks(model))
    _add_results(page, model, test, options)
    page.section("Learning", *learning_blocks(model.origin.trace))
    return page


def _things(test: Sequence[Any]) -> str:
    """Return the name of the units in a test file, which is ``sentences`` or ``items``."""
    return "sentences" if isinstance(test[0], Sentence | Tree) else "items"


def _add_results(page: Page, model: Model, test: Sequence[Any], options: ReportOptions) -> None:
    """Add the report sections that match the capabilities of the model."""
    if isinstance(model, abilities.TreeParser) and isinstance(test[0], Tree):
        blocks = tree_blocks(model, test, seed=options.seed, threads=options.threads)
        page.section("Trees", *blocks)
    elif isinstance(model, abilities.Parser):
        add_parsing(page, parsed(model, test, options), options)
    elif isinstance(model, abilities.Tagger):
        add_tagging(page, tagged(model, test, options))
    elif isinstance(model, abilities.Orderer):
        page.section("Word order", *order_blocks(model, test))
    elif isinstance(model, abilities.Predictor):
        page.section("Held-out data", *figure_blocks(model.figures(test)))
    if isinstance(model, abilities.StateReader):
        cards = [state_card(state) for state in model.top_states(words=8)[:STATES_SHOWN]]
        description = "The largest states in the last sample, with their words and parents."
        page.section("States", figure(topic_cards(cards, columns=4), description))
    if isinstance(model, abilities.Scorer):
        text = scored(model, as_words(test), seed=options.seed)
        figures = text.figures
        tiles = {"perplexity": figures.perplexity, "bits per word": figures.bits_per_word}
        rows = perplexity_blocks({model.kind: figures}, text.protocol)
        page.section("Perplexity", facts(tiles), *rows)
        page.section("Surprisal", *surprisal_blocks(text))


def parsed(
    model: abilities.Parser, test: Sequence[Sentence], options: ReportOptions
) -> accuracy.Tested:
    """Parse the sentences in a test file, and return them with the predictions."""
    model_options = {"tags": options.tags, "seed": options.seed, "threads": options.threads}
    writer = ParseWriter.of(model, given_tags=options.tags == "given")
    golds = [to_conllu(s, roots="any") if s.format != "conllu" else s for s in test]
    parses = model.parse_all(golds, marginals=True, **model_options)
    predicted = [sentence for parse in parses for sentence in writer.sentences(parse)]
    given_tags = options.tags == "given" or not model.finds_tags
    description = model.parse_protocol(**model_options)
    return accuracy.Tested(golds, predicted, description, writer.tag_column, given_tags)


def add_parsing(page: Page, tested: accuracy.Tested, options: ReportOptions) -> None:
    """Add the sections on trees."""
    scores = tested.scores()
    page.section("Accuracy", *accuracy.accuracy_blocks(tested, scores))
    if scores.las is not None:
        page.section("By relation", *accuracy.relation_blocks(tested))
    page.section("By length", *accuracy.length_blocks(tested, options.borders))
    if not tested.given_tags and tested.tag_column not in scores.unavailable:
        page.section("By tag", *accuracy.tag_blocks(tested))
    page.section("Calibration", *accuracy.calibration_blocks(tested))
    page.section("Sentences", *example_blocks(tested))


def tagged(
    model: abilities.Tagger, test: Sequence[Sentence], options: ReportOptions
) -> accuracy.Tested:
    """Tag the sentences in a test file, and return them with the predictions."""
    golds = [to_conllu(s, roots="any") if s.format != "conllu" else s for s in test]
    model_options = {"marginals": True, "seed": options.seed, "threads": options.threads}
    column = model.tag_column
    predicted = [
        tagged_sentence(tagging, column, number)
        for number, tagging in enumerate(model.tag_all(golds, **model_options), start=1)
    ]
    return accuracy.Tested(golds, predicted, model.tag_protocol(**model_options), column)


def add_tagging(page: Page, tested: accuracy.Tested) -> None:
    """Add the sections on tags."""
    page.section("Accuracy", *accuracy.tag_accuracy_blocks(tested))
    page.section("By tag", *accuracy.tag_blocks(tested))
    page.section("Calibration", *accuracy.calibration_blocks(tested))
