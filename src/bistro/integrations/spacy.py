"""A Bistro parser as a component of a spaCy pipeline.

    import spacy
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("bistro_parser", config={"model": "english.bistro"})
    doc = nlp("The old man saw the dog.")
    [(t.text, t.tag_, t.dep_, t.head.text, t._.head_probability) for t in doc]

Sentences come from an earlier component; without one, the whole text is one sentence. Universal
tags are stored in `pos_` and other tags in `tag_`. The relation `root` becomes spaCy's `ROOT`.
White space that spaCy keeps as tokens is not parsed and is attached to the word before it. Values
for which spaCy has no attribute are in extensions:

    token._.head_probability, token._.dep_probability    marginal probabilities
    token._.surprisal                                    in bits, with "surprisal": true
    doc._.bistro                                         the parses, one per sentence

`nlp.to_disk` saves the model with the pipeline.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bistro.errors import BistroError
from bistro.models.abilities import PARSE, SCORE
from bistro.models.base import Model, from_bytes, load
from bistro.models.results.parses import Parse
from bistro.treebank.detect import UNIVERSAL_TAGS

try:
    from spacy.attrs import DEP, HEAD, POS, TAG
    from spacy.language import Language
    from spacy.symbols import IDS
    from spacy.tokens import Doc, Token
except ImportError:  # pragma: no cover - the tests have it
    raise BistroError("spaCy is not installed: pip install spacy") from None

ROOT_LABEL = "ROOT"
SPACE_LABEL = "dep"
"""The label of white-space tokens, as in spaCy's own parsers.

spaCy drops a head without a label.
"""
if TYPE_CHECKING:
    from bistro.models.base import LoadedModel

MODEL_FILE = "model.bistro"


class BistroParser:
    """A parser component; ``nlp.add_pipe("bistro_parser", config={"model": FILE})`` creates it."""

    def __init__(self, model: str | Model | None, options: dict[str, Any], surprisal: bool) -> None:
        self.options = options
        self.surprisal = surprisal
        self.model: LoadedModel | None = None
        if model is not None:
            self.model = _checked(load(model) if isinstance(model, str) else model, surprisal)
        for name in ("head_probability", "dep_probability", "surprisal"):
            Token.set_extension(name, default=None, force=True)
        Doc.set_extension("bistro", default=None, force=True)

    def __call__(self, doc: Doc) -> Doc:
        """Parse one document."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 64) -> Iterator[Doc]:
        """Parse documents in batches of `batch_size`, using all cores."""
        batch: list[Doc] = []
        for doc in stream:
            batch.append(doc)
            if len(batch) == batch_size:
                yield from self._annotate(batch)
                batch = []
        yield from self._annotate(batch)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return the content of the model file."""
        return self._trained().to_bytes()

    def from_bytes(self, content: bytes, *, exclude: Iterable[str] = ()) -> BistroParser:
        """Load the model from the content of a model file."""
        self.model = _checked(from_bytes(content), self.surprisal)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the model in the component's folder."""
        Path(path).mkdir(parents=True, exist_ok=True)
        self._trained().save(Path(path) / MODEL_FILE)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> BistroParser:
        """Load the model from the component's folder."""
        self.model = _checked(load(Path(path) / MODEL_FILE), self.surprisal)
        return self

    def _trained(self) -> LoadedModel:
        if self.model is None:
            raise BistroError(
                'bistro_parser has no model: give one with add_pipe(..., config={"model": FILE})'
            )
        return self.model

    def _annotate(self, docs: Sequence[Doc]) -> Iterator[Doc]:
        model = self._trained()
        places = [(doc, words) for doc in docs for words in _sentences(doc)]
        texts = [[doc[i].text for i in words] for doc, words in places]
        parses = model.parse_all(texts, marginals=True, **self.options)
        parses_by_doc: dict[int, list[tuple[list[int], Parse]]] = {id(doc): [] for doc in docs}
        for (doc, words), parse in zip(places, parses, strict=True):
            parses_by_doc[id(doc)].append((words, parse))
        for doc in docs:
            self._put(doc, parses_by_doc[id(doc)])
            yield doc

    def _put(self, doc: Doc, parsed: Sequence[tuple[list[int], Parse]]) -> None:
        model = self._trained()
        column = POS if set(model.tag_names) <= UNIVERSAL_TAGS else TAG
        heads = np.zeros(len(doc), dtype=np.int64)  # offsets, which may be negative
        deps = np.full(len(doc), doc.vocab.strings.add(SPACE_LABEL), dtype=np.uint64)
        tags = np.zeros(len(doc), dtype=np.uint64)
        for i, token in enumerate(doc):  # white space, which is not parsed
            heads[i] = -1 if i and token.is_space else 0
        for words, parse in parsed:
            for i, tag in zip(words, model.shown_tags(parse.tags), strict=True):
                tags[i] = IDS.get(tag, 0) if column == POS else doc.vocab.strings.add(tag)
            for i, head, label in zip(words, parse.heads, parse.labels, strict=True):
                heads[i] = words[head - 1] - i if head else 0
                deps[i] = doc.vocab.strings.add(label if head else ROOT_LABEL)
        _keep_space_inside(doc, heads, parsed)
        columns = np.stack([heads.view(np.uint64), deps, tags], axis=1)
        doc.from_array([HEAD, DEP, column], columns)  # type: ignore[arg-type]
        self._extend(doc, parsed)

    def _extend(self, doc: Doc, parsed: Sequence[tuple[list[int], Parse]]) -> None:
        doc._.bistro = [parse for _, parse in parsed]
        for words, parse in parsed:
            table = parse.to_pandas()
            for i, head, label in zip(words, table.p_head, table.p_label, strict=True):
                doc[i]._.head_probability = float(head)
                doc[i]._.dep_probability = float(label)
            if self.surprisal:
                rows = self._trained().surprisal(parse.sentence, eos=False)
                for i, row in zip(words, rows, strict=True):
                    doc[i]._.surprisal = row.surprisal


def _sentences(doc: Doc) -> Iterator[list[int]]:
    """Yield the indices of the words in each sentence, excluding white space."""
    spans = doc.sents if doc.has_annotation("SENT_START") else [doc[:]]
    for span in spans:
        if words := [token.i for token in span if not token.is_space]:
            yield words


def _keep_space_inside(
    doc: Doc, heads: np.ndarray[Any, Any], parsed: Sequence[tuple[list[int], Parse]]
) -> None:
    """Attach white space before the first word of a text to that word."""
    if parsed:
        first = parsed[0][0][0]
        heads[:first] = first - np.arange(first)


def _checked(model: Model, surprisal: bool) -> LoadedModel:
    PARSE.of(model)
    if surprisal:
        SCORE.of(model)
    return cast("LoadedModel", model)


@Language.factory(
    "bistro_parser",
    assigns=["token.head", "token.dep", "token.pos", "token.tag", "doc.sents"],
    default_config={"model": None, "options": {}, "surprisal": False},
)
def make_bistro_parser(
    nlp: Language, name: str, model: str | None, options: dict[str, Any], surprisal: bool
) -> BistroParser:
    """Return the component.

    `options` are passed to the model's `parse` method.
    """
    return BistroParser(model, options, surprisal)
