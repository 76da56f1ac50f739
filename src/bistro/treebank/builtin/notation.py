"""The notation of grammar files, with blocks of weighted rules, variables, sets and tables.

A grammar file is read line by line. The keywords ``set`` and ``table`` define lists of values,
and ``@`` binds variables to them. A block ``LEFT ->`` followed by indented alternatives is expanded
once for every combination of values for its variables. The weight of the rule is multiplied by
the weights of the values. In an alternative, ``*`` marks the head, and ``/rel`` gives the relation
of every other child.

>>> rules = read_rules("@ n = sg pl:2\\nNP ->\\n  1 Det[$n]/det *N[$n]\\n")
>>> [(rule.left, rule.right, rule.weight) for rule in rules]
[('NP', ('Det[sg]', 'N[sg]'), 1.0), ('NP', ('Det[pl]', 'N[pl]'), 2.0)]
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from bistro.errors import TreebankError, nearest
from bistro.treebank.builtin.rules import Rule

Values = dict[str, str]
Weighted = tuple[str, float]
VARIABLE = re.compile(r"\$([a-z])")


@dataclass(frozen=True, slots=True)
class Binding:
    """Variables that are bound jointly, with one row of values and one weight per combination."""

    names: tuple[str, ...]
    rows: tuple[tuple[Values, float], ...]


@dataclass(slots=True)
class Reader:
    """A reader that parses grammar files and stores their sets, tables and current `@` bindings."""

    sets: dict[str, list[Weighted]] = field(default_factory=dict)
    tables: dict[str, Binding] = field(default_factory=dict)
    bound: list[Binding] = field(default_factory=list)
    left: str = ""
    table: str = ""

    def read(self, text: str, name: str) -> Iterator[Rule]:
        """Yield the rules of one grammar file.

        Sets and tables defined in the file remain available for the next file.
        """
        for number, raw in enumerate(text.split("\n"), start=1):
            line = raw.partition("#")[0].rstrip()
            try:
                yield from self._line(line)
            except ValueError as error:
                raise TreebankError(str(error), path=name, line=number) from error

    def _line(self, line: str) -> Iterable[Rule]:
        if line.startswith(" "):
            if self.table:
                self._row(line.split())
                return ()
            return self._alternative(line.split())
        self.table = ""
        if line.startswith("set "):
            name, _, values = line[4:].partition(" = ")
            self.sets[name] = self._values(values.split())
        elif line.startswith("table "):
            _, self.table, names = line.split(maxsplit=2)
            self.tables[self.table] = Binding(tuple(names.strip("()").split()), ())
        elif line.startswith("@"):
            self.bound = [self._bind(part.strip()) for part in line[1:].split(";")]
        elif line.endswith("->"):
            self.left = line.removesuffix("->").strip()
        elif line:
            raise ValueError(f"expected 'set', 'table', '@' or 'SYMBOL ->', found '{line}'")
        return ()

    def _values(self, items: Iterable[str]) -> list[Weighted]:
        """Return the items as weighted values, with the names of sets replaced by their members."""
        values = []
        for item in items:
            name, _, weight = item.partition(":")
            scale = float(weight) if weight else 1.0
            values += [(v, w * scale) for v, w in self.sets.get(name, [(name, 1.0)])]
        return values

    def _row(self, cells: list[str]) -> None:
        table = self.tables[self.table]
        if len(cells) != len(table.names) + 1:
            raise ValueError(f"expected {len(table.names)} values and a weight, found {len(cells)}")
        columns = [self._values(cell.split(",")) for cell in cells[:-1]]
        rows = tuple(_combine(table.names, choice) for choice in itertools.product(*columns))
        weighted = tuple((values, weight * float(cells[-1])) for values, weight in rows)
        self.tables[self.table] = Binding(table.names, table.rows + weighted)

    def _bind(self, part: str) -> Binding:
        name, equals, values = part.partition(" = ")
        if equals:
            return Binding((name,), tuple(({name: v}, w) for v, w in self._values(values.split())))
        if part not in self.tables:
            raise ValueError(f"unknown table '{part}'{nearest(part, self.tables)}")
        return self.tables[part]

    def _alternative(self, cells: list[str]) -> Iterator[Rule]:
        weight, *children = cells
        pairs = [child.removeprefix("*").partition("/") for child in children]
        symbols = [symbol for symbol, _, _ in pairs]
        relations = tuple(relation for _, _, relation in pairs)
        heads = [place for place, child in enumerate(children) if child.startswith("*")]
        if not self.left or len(heads) != 1 or relations.count("") != 1 or relations[heads[0]]:
            raise ValueError(
                "a rule needs a left-hand side, one symbol with '*', and '/rel' on the other "
                "symbols"
            )
        for values, scale in self._instances(self.left + " ".join(symbols)):
            right = tuple(_fill(symbol, values) for symbol in symbols)
            left = _fill(self.left, values)
            yield Rule(left, right, heads[0], relations, float(weight) * scale)

    def _instances(self, template: str) -> Iterator[tuple[Values, float]]:
        """Yield every combination of values for the variables that the template mentions."""
        used = set(VARIABLE.findall(template))
        active = [binding for binding in self.bound if used & set(binding.names)]
        unbound = used - {name for binding in active for name in binding.names}
        if unbound:
            raise ValueError(f"'${min(unbound)}' is not defined by the '@' line above")
        for choice in itertools.product(*(binding.rows for binding in active)):
            values: Values = {}
            scale = 1.0
            for row, weight in choice:
                values |= row
                scale *= weight
            yield values, scale


def read_rules(*texts: str, names: Iterable[str] = ()) -> list[Rule]:
    """Parse the texts of grammar files into rules.

    Later files can use the sets that earlier files define.
    """
    reader = Reader()
    labels = itertools.chain(names, itertools.repeat("grammar"))
    named = zip(texts, labels, strict=False)
    return [rule for text, name in named for rule in reader.read(text, name)]


def _combine(names: tuple[str, ...], choice: tuple[Weighted, ...]) -> tuple[Values, float]:
    weight = 1.0
    for _, factor in choice:
        weight *= factor
    return dict(zip(names, (value for value, _ in choice), strict=True)), weight


def _fill(template: str, values: Mapping[str, str]) -> str:
    return VARIABLE.sub(lambda match: values[match.group(1)], template)
