"""Stimuli: the same words as running text, with the spaces of a treebank, or in cells."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bistro.errors import BistroError
from bistro.models.abilities import SCORE, TOKENISE
from bistro.models.pipeline.model import PipelineModel
from bistro.models.results.surprisal import numbered_tokens
from bistro.models.results.tokens import CutToken, TextSentence, words_in
from bistro.models.tokens.cells import CellCutter
from bistro.tasks.cutting import at_punctuation, at_spaces, cutting
from bistro.tasks.suite import pairs_suite
from bistro.tasks.suite_results import run_suite

SENTENCES = {
    "The horse raced past the barn fell.": "The horse raced past the barn fell .",
    "She's sure they don't.": "She 's sure they do n't .",
    '"Stop!" she said.': '" Stop ! " she said .',
    "I'm sure he's not.": "I 'm sure he 's not .",
    "We won't, don't you?": "We wo n't , do n't you ?",
}


def words(model: PipelineModel, *cells: str) -> list[str]:
    """Return the words of cells, one after the other."""
    return [word for tokens in TOKENISE.of(model).cut_cells(cells) for word in words_in(tokens)]


@pytest.mark.parametrize(("running", "spaced"), SENTENCES.items())
def test_words_are_the_same_however_they_are_given(
    contracted: PipelineModel, running: str, spaced: str
) -> None:
    expected = spaced.split()
    assert words(contracted, running) == expected
    assert words(contracted, spaced) == expected
    assert words(contracted, *running.split()) == expected
    assert words(contracted, *spaced.split()) == expected
    half = spaced.split()
    for cut in range(1, len(half)):
        assert words(contracted, " ".join(half[:cut]), " ".join(half[cut:])) == expected


@pytest.mark.parametrize(
    ("running", "spaced"), [pair for pair in SENTENCES.items() if "Stop" not in pair[0]]
)
def test_surprisal_is_the_same_however_words_are_given(
    contracted: PipelineModel, running: str, spaced: str
) -> None:
    tables = [contracted.surprisal(text) for text in (running, spaced)]
    gold = SCORE.of(contracted).surprisal(spaced.split())
    total = sum(row.surprisal for row in gold)
    for table in tables:
        assert table.scores.log_probs.tolist() == gold.scores.log_probs.tolist()
        assert sum(row.surprisal for row in table) == pytest.approx(total)
    assert [row.token for row in tables[1]] == [*spaced.split(), "</s>"]


def test_each_cell_has_the_words_that_stand_in_it(contracted: PipelineModel) -> None:
    cells = ["She's", "sure they", "don't."]
    found = TOKENISE.of(contracted).cut_cells(cells)
    assert found == [
        [CutToken("She's", ("She", "'s"))],
        [CutToken("sure", ("sure",)), CutToken("they", ("they",))],
        [CutToken("don't", ("do", "n't")), CutToken(".", (".",))],
    ]
    split = TOKENISE.of(contracted).cut_cells(["do", "n't", ""])
    assert split == [[CutToken("do", ("do",))], [CutToken("n't", ("n't",))], []]
    assert TOKENISE.of(contracted).cut_cells([]) == []


@given(
    st.lists(
        st.text(st.sampled_from("abSheDdon't'.,!?\" -50\u00a0\u0301é😀"), max_size=12),
        min_size=1,
        max_size=6,
    )
)
@settings(max_examples=150, deadline=None)
def test_no_character_is_lost_and_no_word_goes_over_an_edge(
    contracted: PipelineModel, cells: list[str]
) -> None:
    found = TOKENISE.of(contracted).cut_cells(cells)
    assert len(found) == len(cells)
    for cell, tokens in zip(cells, found, strict=True):
        assert re.sub(r"\s", "", "".join(t.form for t in tokens)) == re.sub(r"\s", "", cell)
        assert all(token.form and all(token.words) for token in tokens)


@given(st.text(st.sampled_from("She's dont Idog.,!? sleeps\"'n"), min_size=1, max_size=40))
@settings(max_examples=40, deadline=None)
def test_the_total_of_a_text_is_the_sum_of_its_cells(contracted: PipelineModel, text: str) -> None:
    """Each cell has the sum of its words, and together they have the total."""
    cells = text.split()
    if not cells:
        return
    own = [words_in(tokens) for tokens in TOKENISE.of(contracted).cut_cells(cells)]
    assert words(contracted, text) == list(itertools.chain(*own))
    scorer = SCORE.of(contracted)
    effort: dict[str, Any] = {"particles": 10, "repeats": 2}
    whole = scorer.surprisal([words(contracted, text)], **effort)
    rows = numbered_tokens(zip(cells, map(len, own), strict=True))
    by_cell = scorer.surprisal([list(itertools.chain(*own))], tokens=[rows], **effort)
    assert [row.token for row in by_cell] == [*cells, "</s>"]
    total = sum(row.surprisal for row in whole)
    assert sum(row.surprisal for row in by_cell) == pytest.approx(total)


# ---- the rule itself, with a tokeniser that is a table -------------------------------------------
def sentence(*tokens: str) -> TextSentence:
    """Return a sentence; a bar divides the words of a token."""
    forms = [token.replace("|", "") for token in tokens]
    starts = [sum(len(form) + 1 for form in forms[:i]) for i in range(len(forms))]
    sure = [1.0] * len(forms)
    split = [tuple(token.split("|")) for token in tokens]
    return TextSentence(forms, starts, [" "] * len(forms), sure, split, sure, 1.0)


@pytest.mark.parametrize(
    ("with_space", "ends", "is_joined"),
    [(-5.0, 0.9, False), (-9.0, 0.9, True), (-9.0, 0.0, False), (-6.05, 0.9, False)],
)
def test_a_space_is_taken_out_if_the_text_is_more_probable_without_it(
    with_space: float, ends: float, is_joined: bool
) -> None:
    texts = {"do n't ": [sentence("do", "n|'t")], "don't ": [sentence("do|n't")]}
    asked: list[tuple[str, int]] = []

    def word_end(text: str, place: int) -> float:
        asked.append((text, place))
        return ends

    cutter = CellCutter(
        lambda text: texts[text], lambda text: with_space if " " in text else -6.0, word_end
    )
    (tokens,) = cutter.tokens(["do n't"])
    assert asked == [("don't", 2)]
    assert words_in(tokens) == (["do", "n't"] if is_joined else ["do", "n", "'t"])


def test_text_that_comes_out_whole_is_not_asked_about() -> None:
    def never(*asked: object) -> float:
        raise AssertionError(asked)

    cutter = CellCutter(lambda _: [sentence("do", "n't")], never, never)
    assert [words_in(tokens) for tokens in cutter.tokens(["do", "n't"])] == [["do"], ["n't"]]


def test_a_word_with_a_space_stays_in_its_cell() -> None:
    cutter = CellCutter(lambda _: [sentence("50 000")], lambda _: 0.0, lambda *_: 0.0)
    assert [words_in(tokens) for tokens in cutter.tokens(["50 000"])] == [["50 000"]]
    assert [words_in(tokens) for tokens in cutter.tokens(["50", "000"])] == [["50"], ["000"]]


# ---- who cuts ------------------------------------------------------------------------------------
def test_the_mechanism_follows_from_the_model(contracted: PipelineModel) -> None:
    plain = contracted.layers["parser"]
    assert cutting(plain) is at_spaces
    for cut in (cutting(plain, True), cutting(plain, None, default=True)):
        assert cut(["(don't!)"]) == at_punctuation(["(don't!)"])
    assert cutting(contracted, False) is at_spaces
    for split_punct in (None, True):
        (tokens,) = cutting(contracted, split_punct)(["don't."])
        assert words_in(tokens) == ["do", "n't", "."]


def test_suites_have_the_words_of_the_model(contracted: PipelineModel) -> None:
    pairs = [("She's sure they don't.", "She's they sure don't.")]
    spaced = [("She 's sure they do n't .", "She 's they sure do n't .")]
    one, two = (run_suite(contracted, pairs_suite(p), particles=20) for p in (pairs, spaced))
    assert one.items[0].bits == two.items[0].bits
    assert one.suite.items[0].conditions[0].words == spaced[0][0].split()
    kept = run_suite(contracted, pairs_suite(pairs, split_punct=False), particles=20)
    assert kept.suite.items[0].conditions[0].words == pairs[0][0].split()


# ---- strings -------------------------------------------------------------------------------------
def test_strings_for_a_pipeline(contracted: PipelineModel) -> None:
    parse = contracted.parse("She's sure they don't.")
    assert parse.sentence.forms == ["She", "'s", "sure", "they", "do", "n't", "."]
    assert parse.heads == contracted.parse(parse.sentence.forms).heads
    assert len(list(contracted.parse_all("The dog sleeps. It rains."))) == 2
    with pytest.raises(
        BistroError, match=r"has 2 sentences, but parse takes only one: use parse_all"
    ):
        contracted.parse("The dog sleeps. It rains.")
    with pytest.raises(BistroError, match="has 0 sentences"):
        contracted.parse(" ")
    with pytest.raises(BistroError, match="has no words"):
        contracted.surprisal(" \n")
    lists = contracted.surprisal([["The", "dog"], ["It", "rains"]])
    assert [row.sent_id for row in lists] == ["1"] * 3 + ["2"] * 3


def test_strings_for_a_parser_are_refused_with_what_to_do(contracted: PipelineModel) -> None:
    parser = contracted.layers["parser"]
    for method in ("parse", "surprisal"):
        with pytest.raises(BistroError, match=r"list of words: split .* train a pipeline"):
            getattr(parser, method)("The dog sleeps.")
