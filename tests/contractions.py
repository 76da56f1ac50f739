"""A small treebank with contractions as EWT has them: *She's*, *don't*, marks without a space."""

from __future__ import annotations

from bistro.treebank.samples import builtin
from bistro.treebank.sentence import MultiwordToken, Sentence

_ROWS: list[tuple[str, str, list[int]]] = [
    ("She's sure they don't.", "She 's sure they do n't .", [3, 3, 0, 5, 3, 5, 3]),
    ("He's here.", "He 's here .", [3, 3, 0, 3]),
    ("They don't see it.", "They do n't see it .", [4, 4, 4, 0, 4, 4]),
    ("She can't, I can.", "She ca n't , I can .", [2, 0, 2, 2, 6, 2, 2]),
    ("I'm sure he's not.", "I 'm sure he 's not .", [3, 3, 0, 6, 6, 3, 3]),
    ('"Stop!" she said.', '" Stop ! " she said .', [2, 6, 2, 2, 6, 0, 6]),
    ("The dog isn't old.", "The dog is n't old .", [2, 5, 5, 5, 0, 5]),
    ("We won't, don't you?", "We wo n't , do n't you ?", [2, 0, 2, 2, 2, 5, 5, 2]),
]
_TAGS = {
    "'s": "AUX", "'m": "AUX", "do": "AUX", "ca": "AUX", "wo": "AUX", "is": "AUX", "can": "AUX",
    "n't": "PART", "not": "PART", "The": "DET", "dog": "NOUN", "sure": "ADJ", "old": "ADJ",
    "here": "ADV", "see": "VERB", "Stop": "VERB", "said": "VERB",
}  # fmt: skip


def contractions(times: int = 6) -> list[Sentence]:
    """Return sentences with contractions, and some of the built-in treebank."""
    return [_sentence(*row) for row in _ROWS * times] + list(builtin(sentences=100, seed=1))


def _sentence(text: str, forms: str, heads: list[int]) -> Sentence:
    words = forms.split()
    tags = [_TAGS.get(w, "PRON" if w[0].isalpha() else "PUNCT") for w in words]
    return Sentence.from_columns(
        words,
        heads=heads,
        upos=tags,
        lemmas=[word.lower() for word in words],
        deprels=["root" if head == 0 else "dep" for head in heads],
        multiword=_tokens(text, words),
        comments=[f"# text = {text}"],
    )


def _tokens(text: str, words: list[str]) -> list[MultiwordToken]:
    """Return the tokens of two words: a word with an apostrophe and the one before it."""
    found: list[MultiwordToken] = []
    for place, word in enumerate(words):
        if "'" in word:
            found.append((place, place + 1, words[place - 1] + word))
    assert all(form in text for _, _, form, *_ in found)
    return found
