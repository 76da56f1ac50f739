"""Use a model's memory, which makes words from earlier in the document more probable.

Documents begin at ``# newdoc`` comments in CoNLL-U, or are named by columns in a table of stimuli.

>>> import io
>>> from bistro.tasks.stimuli import one_row_each, parse_table
>>> table = parse_table(io.StringIO("story,text\\nA,It rains\\nB,It snows\\n"), "stories.csv")
>>> [s.document for s in in_documents(table, one_row_each(table, "text"), ["story"])]
['A', 'B']
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from bistro.errors import BistroError, TreebankError
from bistro.models.abilities import REMEMBER
from bistro.models.annotating import Rememberer
from bistro.models.base import Model
from bistro.models.options import a_model
from bistro.tasks.stimuli import Stimulus, Table


def memory_of(model: Model) -> Rememberer:
    """Return the part of a model that has a memory, or raise an error."""
    if not REMEMBER.is_of(model):
        raise BistroError(
            f"{a_model(model.kind)} has no memory of the document: train a reader, which can have "
            "a single member (--set 'members=[\"ngram\"]')"
        )
    rememberer = REMEMBER.of(model)
    rememberer.memory_protocol()  # Raises an error if the model was trained without memory.
    return rememberer


def in_documents(
    table: Table, stimuli: Iterable[Stimulus], columns: Sequence[str]
) -> Iterator[Stimulus]:
    """Yield the stimuli of a table, with document names taken from one or more columns."""
    places = [table.column(name) for name in columns]
    for stimulus in stimuli:
        # The last row belongs to the end of the sentence.
        names = {tuple(cells[place] for place in places) for cells in stimulus.cells[:-1]}
        if len(names) > 1:
            problem = f"sentence {stimulus.name} belongs to several documents"
            raise TreebankError(problem, path=table.path)
        yield replace(stimulus, document=".".join(*names))
