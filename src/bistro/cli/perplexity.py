"""`bistro perplexity`: how well a model predicts a text."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from bistro.cli.common import (
    FormatOption,
    InputArgument,
    JsonOption,
    ModelArgument,
    print_json,
    require_words,
)


def perplexity(
    model: ModelArgument,
    input: InputArgument = "-",
    json: JsonOption = False,
    format: FormatOption = None,
) -> None:
    """Print perplexity, bits per word and per character, and the rate of unknown words.

        bistro perplexity english.bistro test.conllu
        bistro perplexity english.bistro test.txt --json

    The end of each sentence is an event like a word; figures with and without it are printed, each
    with what it counts.
    """
    from bistro.evaluate.language import count_characters, language_figures
    from bistro.models.base import load
    from bistro.treebank.treebank import read

    trained = load(model)
    score = trained.require("score")
    sentences = [sentence.forms for sentence in read(input, format=format)]
    require_words(sentences, input)
    scores = score(sentences)
    figures = language_figures(
        scores.log_probs, scores.is_eos, scores.is_oov, count_characters(sentences)
    )
    if json:
        print_json({"model": model, "input": input, **figures.to_dict()})
        return
    table = Table("figure", "value", "what is counted", title=f"{model} on {input}")
    for name, value, protocol in (
        ("perplexity", f"{figures.perplexity:.2f}", "words and sentence ends"),
        ("perplexity_no_eos", f"{figures.perplexity_no_eos:.2f}", "words"),
        ("perplexity_known", f"{figures.perplexity_known:.2f}", "known words and sentence ends"),
        ("bits_per_word", f"{figures.bits_per_word:.4f}", "words and sentence ends"),
        ("bits_per_char", f"{figures.bits_per_char:.4f}", "characters, one space a token"),
        ("oov_rate", f"{100 * figures.oov_rate:.2f} %", "words; each scored as its class"),
        ("words", f"{figures.words:,}", f"in {figures.sentences:,} sentences"),
        ("log_prob", f"{figures.log_prob:,.1f}", "natural logarithm, sentence ends included"),
    ):
        table.add_row(name, value, protocol)
    Console().print(table)
