"""Effects of conditions: critical regions, paired differences beside SciPy's test, pictures."""

from __future__ import annotations

import io
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import bistro
from bistro.errors import BistroError, TreebankError
from bistro.evaluate.effects import Region, critical_regions, effects
from bistro.evaluate.items import ItemSentence, conditions_of, incomplete_items, item_sentences
from bistro.models.ngram.model import NgramModel
from bistro.pictures.text import text_width
from bistro.report.effects_page import condition_chart, effect_chart, effects_page
from bistro.report.frame import TICK_SIZE
from bistro.report.intervals import interval_chart
from bistro.report.plots import bar_chart
from bistro.tasks.cutting import at_spaces, common_cutting
from bistro.tasks.regions import critical_parts, region_stimuli
from bistro.tasks.stimuli import parse_table

TABLE = """item;condition;kind;sentence;verb;place
1;reduced;mv;The horse raced past the barn fell.;fell;7
1;full;mv;The horse that was raced past the barn fell.;fell;9
2;reduced;z;While the man hunted the deer ran.;ran;7
2;full;z;While the man hunted, the deer ran.;ran;7
3;filler;none;It rained.;;NA
"""
CONDITIONS = ("reduced", "full")
UNKNOWN: dict[bool, tuple[str, ...]] = {True: ("fell",), False: ()}


@pytest.fixture(scope="module")
def model() -> NgramModel:
    return bistro.train("ngram", bistro.builtin(sentences=200, seed=1), seed=1)


def random_regions(items: int, seed: int) -> list[Region]:
    random = np.random.default_rng(seed)
    return [
        Region(str(item), condition, "ab"[item % 2], "1", "fell", bits, error, UNKNOWN[item == 3])
        for item in range(items)
        for condition, bits, error in zip(
            CONDITIONS, random.gamma(4.0, 3.0, 2), random.gamma(1.0, 0.1, 2), strict=True
        )
    ]


def test_the_critical_region_is_named_by_words_or_position() -> None:
    text = "When he ran, it was (as ever) late."
    assert critical_parts(text, "as ever") == [
        ("When he ran, it was (", None),
        ("as ever", "1"),
        (") late.", None),
    ]
    assert critical_parts(text, "8")[1] == ("late.", "1")
    assert critical_parts("Stop!", "1") == [("Stop!", "1")]
    assert critical_parts(text, " ") == critical_parts(text, "NA") == [(text, None)]
    for cell, told in (
        ("9", "no word at position 9"),
        ("0", "no word at position 0"),
        ("la", "'la' does not occur"),
    ):
        with pytest.raises(TreebankError, match=f"items.csv:3: .*{told}"):
            critical_parts(text, cell, "items.csv", 3)
    with pytest.raises(TreebankError, match=r"'was' occurs 2 times .*give its position"):
        critical_parts("Who was it that was late?", "was")


def test_the_critical_region_is_named_by_a_range_of_positions() -> None:
    text = "When he ran, it was (as ever) late."
    assert critical_parts(text, "3-4") == [
        ("When he", None),
        ("ran, it", "1"),
        ("was (as ever) late.", None),
    ]
    assert critical_parts(text, "8-8") == critical_parts(text, "8")
    assert critical_parts("They lost 3-4 at home.", "3-4")[1] == ("3-4", "1")
    for cell, told in (
        ("7-9", "no word at position 9"),
        ("0-2", "no word at position 0"),
        ("4-3", "positions 4-3 are in the wrong order"),
        ("9" * 5000, "does not occur"),
    ):
        with pytest.raises(TreebankError, match=f"items.csv:3: .*{told}"):
            critical_parts(text, cell, "items.csv", 3)


def test_a_region_in_another_case_is_suggested() -> None:
    text = "The horse raced past the barn fell."
    with pytest.raises(TreebankError, match=r"'Fell' \(did you mean 'fell'\?\) does not occur"):
        critical_parts(text, "Fell")
    with pytest.raises(TreebankError, match=r"\(did you mean 'The horse'\?\)"):
        critical_parts(text, "the horse")


def test_all_lines_without_their_region_are_reported() -> None:
    rows = ["1,It was it.,was", "2,It rained.,rain", "3,It was as it was.,was", "4,It ran.,Ran"]

    def message(rows: list[str]) -> str:
        table = parse_table(io.StringIO("\n".join(["item,text,verb", *rows])), "items.csv")
        with pytest.raises(TreebankError) as error:
            list(region_stimuli(table, "text", name="item", cut=at_spaces, critical="verb"))
        return str(error.value)

    told = message(rows)
    assert told.startswith("items.csv:3: the critical region 'rain' does not occur in 'It rained.'")
    assert "; line 4: the critical region 'was' occurs 2 times" in told
    assert "; line 5: the critical region 'Ran' (did you mean 'ran'?)" in told
    assert "more" not in told and "line 2" not in told
    many = message([*rows, *(f"{n},It rained.,snow" for n in range(5, 16))])
    assert "; line 7: " in many and "line 8" not in many and many.endswith(" and 9 more")


@pytest.mark.parametrize("column", ["verb", "place"])
def test_regions_have_the_surprisal_of_their_words(model: NgramModel, column: str) -> None:
    table = parse_table(io.StringIO(TABLE), "items.csv")
    cut = common_cutting([model])
    stimuli = list(region_stimuli(table, "sentence", name="item", cut=cut, critical=column))
    columns = {"item": "item", "condition": "condition", "group": "kind"}
    regions = critical_regions(model, stimuli, item_sentences(table, stimuli, columns))
    assert [(r.item, r.condition, r.group) for r in regions] == [
        *(("1", "reduced", "mv"), ("1", "full", "mv"), ("2", "reduced", "z"), ("2", "full", "z"))
    ]
    words = ["While", "the", "man", "hunted", ",", "the", "deer", "ran", "."]
    alone = model.surprisal(words)
    both = alone[7].surprisal + (alone[8].surprisal if column == "place" else 0.0)
    assert regions[3].surprisal == pytest.approx(both)
    assert regions[3].words == ("ran" if column == "verb" else "ran.")
    is_unknown = model.vocabulary.is_unknown
    assert [r.unknown_words for r in regions] == [
        tuple(filter(is_unknown, [r.words.rstrip("."), *("." if "." in r.words else "")]))
        for r in regions
    ]
    pairs = [effect.pairs[0] for effect in effects(regions, CONDITIONS)]
    assert pairs[1].difference == regions[2].surprisal - regions[3].surprisal


def test_effects_are_those_of_the_paired_test() -> None:
    regions = random_regions(21, 1)
    for effect in effects(regions, CONDITIONS):
        own = [r for r in regions if r.group == effect.group]
        first, second = ([r.surprisal for r in own if r.condition == c] for c in CONDITIONS)
        test = stats.ttest_rel(first, second)
        low, high = test.confidence_interval(0.95)
        assert effect.t_value == pytest.approx(test.statistic)
        assert effect.p_value == pytest.approx(test.pvalue)
        assert effect.interval == pytest.approx((low, high))
        assert effect.means == pytest.approx((np.mean(first), np.mean(second)))
        assert effect.errors == pytest.approx((stats.sem(first), stats.sem(second)))
        assert effect.positive == sum(a > b for a, b in zip(first, second, strict=True))
        assert effect.mc_se**2 == pytest.approx(sum(r.mc_se**2 for r in own) / effect.items**2)
        assert effect.unknown == int(effect.group == "b")


def test_items_without_both_conditions_are_left_out() -> None:
    regions = random_regions(6, 2)
    assert sum(effect.items for effect in effects(regions[:-1], CONDITIONS)) == 5
    [one] = effects(regions[:2], CONDITIONS)
    assert one.items == 1 and math.isnan(one.se) and math.isnan(one.p_value)
    with pytest.raises(BistroError, match="no item has a critical region in both"):
        effects(regions[:1], CONDITIONS)
    with pytest.raises(BistroError, match="item 0 occurs twice in condition reduced"):
        effects([*regions, regions[0]], CONDITIONS)


def sentences_of(*rows: tuple[str, str, str]) -> list[ItemSentence]:
    """Return sentences from their items, conditions and critical regions."""
    return [
        ItemSentence(line, item, condition, "all", tuple(regions))
        for line, (item, condition, regions) in enumerate(rows, start=2)
    ]


def test_the_two_conditions() -> None:
    sentences = sentences_of(("9", "filler", ""), ("1", "reduced", "1"), ("1", "full", "1"))
    assert conditions_of(sentences) == CONDITIONS
    assert conditions_of(sentences, ["full", "reduced"]) == ("full", "reduced")
    with pytest.raises(BistroError, match="critical regions are reduced, full"):
        conditions_of(sentences, ["full", "half"])
    with pytest.raises(BistroError, match="two conditions"):
        conditions_of(sentences[:2])
    with pytest.raises(BistroError, match="no sentence has a critical region"):
        conditions_of(sentences[:1])


def test_conditions_have_the_order_of_the_table() -> None:
    rows = [("1", "reduced", ""), ("1", "full", "1"), ("2", "reduced", "1"), ("2", "full", "1")]
    assert conditions_of(sentences_of(*rows)) == CONDITIONS


def test_incomplete_items_and_their_reasons() -> None:
    sentences = sentences_of(
        *(("1", "reduced", ""), ("1", "full", "1")),
        *(("2", "reduced", "12"), ("2", "full", "1")),
        *(("3", "reduced", "12"), ("3", "full", "12")),
        *(("4", "full", "1"), ("9", "filler", "")),
    )
    assert incomplete_items(sentences, CONDITIONS) == {
        "1": ["no critical region in line 2"],
        "2": ["no region 2 in line 5"],
        "4": ["no sentence in condition reduced"],
    }
    moved = [*sentences[4:5], replace(sentences[5], group="other")]
    assert incomplete_items(moved, CONDITIONS) == {"3": ["lines 6 and 7 are in different groups"]}


def test_sentences_of_a_table() -> None:
    table = parse_table(io.StringIO(TABLE), "items.csv")
    stimuli = list(region_stimuli(table, "sentence", name="item", cut=at_spaces, critical="verb"))
    columns = {"item": "item", "condition": "condition", "group": None}
    sentences = item_sentences(table, stimuli, columns)
    assert sentences[1] == ItemSentence(3, "1", "full", "all", ("1",))
    assert sentences[4] == ItemSentence(6, "3", "filler", "all", ())


def test_pictures_and_page() -> None:
    found = {"one <1>": effects(random_regions(8, 1), CONDITIONS)}
    found["two"] = effects(random_regions(8, 2), CONDITIONS)
    effects_drawn = effect_chart(found, CONDITIONS)
    assert effects_drawn.count('class="interval s1"') == 2
    assert effects_drawn.count('class="interval s2"') == effects_drawn.count('class="dot s2"') == 2
    assert ">reduced − full, bits (bars: 95 % intervals)</text>" in effects_drawn
    assert 'class="paper"' in effects_drawn
    chart = condition_chart(found["two"], CONDITIONS)
    assert chart.count('class="error"') == 3 * 4
    page = effects_page(found, CONDITIONS, "items.csv", ["how <it> was done"]).render()
    assert page.count("<svg") == 3 and "one &lt;1&gt;, a" in page and "how &lt;it&gt;" in page


def test_a_single_item_has_no_interval() -> None:
    found = {"one": effects(random_regions(1, 1), CONDITIONS)}
    chart = effect_chart(found, CONDITIONS)
    assert 'class="dot s1"' in chart and 'class="interval' not in chart and "nan" not in chart
    assert "nan" not in effects_page(found, CONDITIONS, "items.csv", []).render()


def test_intervals_of_many_models_and_a_long_label_fit_into_the_chart() -> None:
    rows = [(f"m{place}", 1.0, 0.5, 1.5) for place in range(1, 13)]
    chart = interval_chart(rows, unit="long " * 60, series=range(1, 13))
    assert chart.count('class="interval s10"') == 1 and chart.count('class="interval s2"') == 2
    width = float(re.findall(r'width="([0-9.]+)"', chart)[0])
    [middle] = re.findall(r'x="([0-9.]+)"[^>]*>long', chart)
    half = text_width("long " * 60, TICK_SIZE) / 2
    assert half <= float(middle) <= width - half


def test_pages_restyle_all_parts_of_a_chart_for_dark_mode() -> None:
    page = effects_page({}, CONDITIONS, "items.csv", []).render()
    for number in range(1, 11):
        assert f".bistro-chart .interval.s{number} {{ stroke: var(--series-{number}); }}" in page
    assert ".bistro-chart .error { stroke: var(--ink); }" in page


def test_error_bars_fit_into_the_chart() -> None:
    plain = bar_chart(["a"], {"x": [9.0]})
    assert 'class="error"' not in plain
    tall = bar_chart(["a"], {"x": [9.0]}, errors={"x": [4.0]})
    assert tall.count('class="error"') == 3 and ">15<" in tall and ">15<" not in plain
    assert 'class="error"' not in bar_chart(["a"], {"x": [9.0]}, errors={"x": [math.nan]})
