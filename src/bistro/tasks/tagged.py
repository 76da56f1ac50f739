"""Tags as sentences of a file: the sentence that was read, with one new column.

Everything else stays as it was. With marginals, MISC tells the probability of each tag, under
``PUpos`` or ``PXpos`` (see `bistro.treebank.probabilities`).

>>> from bistro.models.results.taggings import Tagging
>>> found = Tagging(Sentence.from_columns(["It", "rains"]), ["PRON", "VERB"], -7.5)
>>> tagged_sentence(found, "upos", number=1).upos
['PRON', 'VERB']
"""

from __future__ import annotations

from bistro.models.results.taggings import Tagging
from bistro.tasks.parsed import as_columns
from bistro.treebank.probabilities import KEYS, put_probabilities
from bistro.treebank.sentence import Sentence


def tagged_sentence(tagging: Tagging, column: str, number: int) -> Sentence:
    """Return the sentence with its tags in `column`; a line of text becomes CoNLL-U."""
    base = as_columns(tagging.sentence, number)
    values = {column: tagging.tags}
    if tagging.marginals is not None and base.format != "conllx":
        values["misc"] = [
            put_probabilities(misc, {KEYS[column]: min(dict(row).get(tag, 0.0), 1.0)})
            for misc, row, tag in zip(base.misc, tagging.marginals, tagging.tags, strict=True)
        ]
    return base.replace(**values)
