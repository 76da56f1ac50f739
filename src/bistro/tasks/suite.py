"""Test suites check whether a model's surprisal agrees with linguistic predictions.

A suite consists of items. An item is a sentence in several *conditions*, which are divided into
*regions*. A formula predicts in which of two conditions a region is more surprising. The
smallest suite is a minimal pair: a good sentence, and a bad sentence that should be less probable
than the good sentence. Three kinds of files can be read.

- JSON as in SyntaxGym (``meta``, ``predictions``, ``items`` with conditions and regions);
- JSON lines with ``sentence_good`` and ``sentence_bad``, as in BLiMP;
- CSV or TSV with the columns ``good`` and ``bad``.

`own_suites` lists the names of the built-in suites.

>>> suite = pairs_suite([("The dog sleeps .", "The dog sleep .")])
>>> suite.predictions[0].text
'(*;%good%) + ($;%good%) < (*;%bad%) + ($;%bad%)'
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

from bistro.errors import BistroError, TreebankError, nearest
from bistro.files import read_json
from bistro.models.results.tokens import words_in
from bistro.tasks.cutting import Cutting, at_punctuation, at_spaces, visible_text
from bistro.tasks.stimuli import read_table, read_utf8
from bistro.tasks.suite_formulas import ALL_REGIONS, END_REGION, Formula, parse_formula
from bistro.treebank.keeping import check_then_list

PAIR = "(*;%good%) + ($;%good%) < (*;%bad%) + ($;%bad%)"
SUFFIX = ".json"
UNITS = ("suite", "item", "region")
"""The units for which results can be shown. Pairs can also be grouped by a column."""
GroupedPair = tuple[str, str, str]
"""A good sentence, a bad sentence, and the group of the pair."""


@dataclass(frozen=True)
class Condition:
    """One version of an item, with the words of each region."""

    name: str
    regions: dict[str, list[str]]
    texts: dict[str, str] = field(default_factory=dict)
    """The text of each region, for models that tokenise text themselves. The dictionary is empty if
    text is split only at spaces."""

    @property
    def words(self) -> list[str]:
        """All words of the sentence."""
        return [word for words in self.regions.values() for word in words]

    def cut(self, cut: Cutting) -> Condition:
        """Split the texts of the condition into words, if it has texts."""
        if not self.texts:
            return self
        cells = cut(list(self.texts.values()))
        return replace(self, regions=dict(zip(self.texts, map(words_in, cells), strict=True)))


@dataclass(frozen=True)
class Item:
    """An item with its number or name, and its conditions."""

    name: str
    conditions: list[Condition]
    group: str = ""
    """The value in the column by which pairs are grouped, or an empty string."""


@dataclass(frozen=True)
class Suite:
    """The items of a suite, and predictions about them."""

    name: str
    items: list[Item]
    predictions: list[Formula]
    metric: str = "sum"
    """Name of the function that combines the surprisals of a region's words."""
    about: str = ""

    def cut(self, cut: Cutting) -> Suite:
        """Split the texts of the suite into words with a model's tokeniser."""
        items = [replace(i, conditions=[c.cut(cut) for c in i.conditions]) for i in self.items]
        return replace(self, items=items)


def own_suites() -> list[str]:
    """Return the names of the suites that are included with Bistro."""
    folder = resources.files("bistro.tasks.suites")
    names = (entry.name for entry in folder.iterdir())
    return sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))


def read_suite(
    source: str | os.PathLike[str], *, split_punct: bool = True, group: str | None = None
) -> Suite:
    """Read a suite from a file, or one of `own_suites` by its name.

    Parameters
    ----------
    source
        A file (JSON of SyntaxGym, JSON lines, CSV or TSV), or the name of a built-in suite.
    split_punct
        Whether punctuation is split from words. If true, a pipeline splits text into words in the
        same way as its treebank. If false, text is split only at spaces.
    group
        The column of a file of pairs (in JSON lines, the key) whose values group the pairs.
    """
    name = os.fspath(source)
    if name in own_suites():
        _require_column(group, [], name)
        content = (resources.files("bistro.tasks.suites") / f"{name}{SUFFIX}").read_bytes()
        return _from_json(json.loads(content), name, split_punct)
    if not Path(name).exists() and not Path(name).suffix:
        known = own_suites()
        raise BistroError(
            f"there is no suite '{name}'{nearest(name, known)}: give a file (JSON, JSON lines, "
            f"CSV, TSV), or one of {', '.join(known)}"
        )
    if name.removesuffix(".gz").endswith((".csv", ".tsv")):
        return _from_table(name, split_punct, group)
    text = read_utf8(source)
    try:
        whole = read_json(text)
    except ValueError:
        return _from_lines(text, name, split_punct, group)
    if isinstance(whole, dict) and "sentence_good" in whole:
        return _from_lines(text, name, split_punct, group)
    _require_column(group, [], name)
    return _from_json(whole, name, split_punct)


def pairs_suite(
    pairs: Iterable[tuple[str, str]], name: str = "pairs", *, split_punct: bool = True
) -> Suite:
    """Create a suite of minimal pairs.

    Parameters
    ----------
    pairs
        Pairs of a good sentence and a bad sentence, as text.
    name
        Name of the suite, for tables and messages.
    split_punct
        As in `read_suite`.
    """
    texts = [(good, bad, "") for good, bad in pairs]
    return _pairs_suite(lambda: texts, name, split_punct)


def _pairs_suite(pairs: Callable[[], Iterable[GroupedPair]], name: str, split_punct: bool) -> Suite:
    """Create a suite from pairs that can be iterated over several times."""

    def items() -> Iterator[Item]:
        for number, (*pair, group) in enumerate(pairs(), start=1):
            conditions = [
                _condition(which, {"1": text}, name, number, split_punct)
                for which, text in zip(("good", "bad"), pair, strict=True)
            ]
            yield Item(str(number), conditions, group)

    return Suite(name, check_then_list(items), [parse_formula(PAIR)])


def _from_table(path: str, split_punct: bool, group: str | None) -> Suite:
    table = read_table(path)
    if not {"good", "bad"} & set(table.columns):
        known = ", ".join(table.columns)
        problem = (
            f"the table has no columns 'good' and 'bad'; its columns are {known}: a table with one "
        )
        problem += "sentence per row and its condition is for bistro effects"
        raise TreebankError(problem, path=path)
    good, bad = table.column("good"), table.column("bad")
    _require_column(group, table.columns, path)
    place = None if group is None else table.column(group)

    def pairs() -> Iterator[GroupedPair]:
        for _, cells in table.rows:
            yield cells[good], cells[bad], "" if place is None else cells[place]

    return _pairs_suite(pairs, path, split_punct)


def _from_lines(text: str, path: str, split_punct: bool, group: str | None) -> Suite:
    pairs: list[GroupedPair] = []
    lines = (part for line in io.StringIO(text, newline="") for part in line.splitlines())
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            entry = read_json(line)
            good, bad = str(entry["sentence_good"]), str(entry["sentence_bad"])
        except (ValueError, KeyError, TypeError):
            raise TreebankError(
                "expected a suite in JSON, or a line of JSON with sentence_good and sentence_bad",
                path=path,
                line=number,
            ) from None
        _require_column(group, list(entry), path, number)
        pairs.append((good, bad, "" if group is None else str(entry[group])))
    if not pairs:
        raise TreebankError("the file is empty: expected a suite", path=path)
    return _pairs_suite(lambda: pairs, path, split_punct)


def _require_column(
    group: str | None, columns: Sequence[str], path: str, line: int | None = None
) -> None:
    """Raise an error if items cannot be grouped by a column. Only files of pairs have columns."""
    if group is None or group in columns:
        return
    remedy = (
        f"use suite, item, region or a column of the pairs ({', '.join(columns)})"
        if columns
        else "use suite, item or region; only files of pairs (CSV, TSV, JSON lines) have columns"
    )
    hint = nearest(group, [*UNITS, *columns])
    problem = f"results cannot be shown by '{group}'{hint}: {remedy}"
    raise TreebankError(problem, path=path, line=line)


def _from_json(content: Any, path: str, split_punct: bool) -> Suite:
    if not isinstance(content, dict):
        message = "the file is not a suite: its JSON is not an object with meta and items"
        raise TreebankError(message, path=path)
    try:
        meta = content["meta"]
        num_items = sum(1 for _ in _items(content, path, split_punct))
        formulas = [parse_formula(str(entry["formula"])) for entry in content["predictions"]]
        name, metric = str(meta.get("name", path)), str(meta.get("metric", "sum"))
        about = str(meta.get("comments", ""))
    except (KeyError, TypeError, AttributeError) as error:
        problem = f"entry {error} is missing" if isinstance(error, KeyError) else str(error)
        raise TreebankError(
            f"the file is not a suite: {problem}; a suite needs meta, predictions, and items with "
            "conditions and regions",
            path=path,
        ) from None
    if not num_items or not formulas:
        missing = "predictions" if num_items else "items"
        raise TreebankError(f"the file is not a suite: it has no {missing}", path=path)

    def items() -> Iterator[Item]:
        for item in _items(content, path, split_punct):
            _check(item, formulas, path)
            yield item

    return Suite(name, check_then_list(items), formulas, metric, about)


def _items(content: dict[str, Any], path: str, split_punct: bool) -> Iterator[Item]:
    for number, item in enumerate(content["items"], start=1):
        conditions = [
            _condition(
                str(condition["condition_name"]),
                {str(r["region_number"]): str(r["content"]) for r in condition["regions"]},
                path,
                number,
                split_punct,
            )
            for condition in item["conditions"]
        ]
        yield Item(str(item.get("item_number", number)), conditions)


def _condition(
    name: str, regions: Mapping[str, str], path: str, item: int, split_punct: bool
) -> Condition:
    texts = {region: visible_text(text, path) for region, text in regions.items()}
    if not any(texts.values()):
        raise TreebankError(f"condition '{name}' of item {item} has no words", path=path)
    written = Condition(name, {}, texts)
    if not split_punct:
        return replace(written.cut(at_spaces), texts={})
    return written.cut(at_punctuation)


def _check(item: Item, formulas: Sequence[Formula], path: str) -> None:
    """Raise an error if a formula names a condition or region that an item does not have."""
    conditions = {condition.name: condition for condition in item.conditions}
    for formula in formulas:
        for name, region in sorted(formula.regions):
            if name not in conditions:
                problem = f"item {item.name} has no condition '{name}'"
            elif region not in (ALL_REGIONS, END_REGION, *conditions[name].regions):
                problem = f"condition '{name}' of item {item.name} has no region {region}"
            else:
                continue
            raise TreebankError(f"{problem}, which '{formula.text}' needs", path=path)
