"""Suggested lemmas, tags and dependencies for INCEpTION documents.

INCEpTION sends a document and the names of a layer and a feature. The answer is the same document
with new annotations on that layer. Each new annotation is marked as a suggestion, and its score is
its probability. Existing annotations are treated as evidence. Existing tags and arcs are kept, and
the missing tags and arcs are predicted given the existing ones. Words that are already annotated
get no suggestions.

    layer                           feature          what is suggested
    …segmentation.type.Lemma        value            lemmas, by a pipeline
    …lexmorph.type.pos.POS          PosValue         the tags of the model
                                    coarseValue      the same, if they are universal tags (UPOS)
    ….type.dependency.Dependency    DependencyType   heads and labels; a root is its own governor
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bistro.errors import BistroError
from bistro.models.abilities import ANNOTATE
from bistro.serve.answers import ONE_THREAD
from bistro.serve.cas import PREDICTED, Cas, Span
from bistro.serve.catalog import Entry
from bistro.serve.inputs import Inputs
from bistro.tasks.complete import complete
from bistro.tasks.tag import tagged_sentence
from bistro.treebank.fields import EMPTY
from bistro.treebank.probabilities import KEYS, read_probabilities
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import MISSING, find_tree_problem

API = "de.tudarmstadt.ukp.dkpro.core.api"
SENTENCE = f"{API}.segmentation.type.Sentence"
TOKEN = f"{API}.segmentation.type.Token"
LEMMA = f"{API}.segmentation.type.Lemma"
POS = f"{API}.lexmorph.type.pos.POS"
DEPENDENCY = f"{API}.syntax.type.dependency.Dependency"
LAYERS = {LEMMA: ("value",), POS: ("PosValue", "coarseValue"), DEPENDENCY: ("DependencyType",)}


@dataclass(frozen=True)
class Piece:
    """A sentence in a document, and the positions of its words."""

    tokens: list[Span]
    sentence: Sentence
    """The words, with the tags, lemmas and arcs in the document."""


def predict(entry: Entry, inputs: Inputs, xmi: str, layer: str, feature: str) -> str:
    """Return a document with suggestions for one feature of one layer."""
    check_layer(layer, feature)
    cas = Cas(xmi)
    pieces = list(read_pieces(cas, entry))
    inputs.checked_document(piece.sentence for piece in pieces)
    if not pieces:
        return cas.to_xmi()
    if layer == DEPENDENCY:
        _suggest_arcs(entry, cas, pieces, feature)
    elif layer == LEMMA:
        _suggest_values(cas, pieces, _lemmas(entry, pieces), "lemmas", layer, feature)
    else:
        column = tag_column(entry)
        if feature == "coarseValue" and column != "upos":
            raise BistroError(
                f"the model '{entry.id}' has no universal tags: request the feature PosValue"
            )
        _suggest_values(cas, pieces, _tags(entry, pieces), column, layer, feature)
    return cas.to_xmi()


def check_layer(layer: str, feature: str) -> None:
    """Raise an error if no model can make suggestions for a layer and feature."""
    if feature not in LAYERS.get(layer, ()):
        able = ", ".join(f"{name} ({'; '.join(LAYERS[name])})" for name in LAYERS)
        raise BistroError(
            "there are no suggestions for this layer and feature; suggestions are available for: "
            f"{able}"
        )


def tag_column(entry: Entry) -> str:
    """Return the column of the tags that a model predicts, ``upos`` or ``xpos``."""
    model: Any = entry.parts.get("parse") or entry.able("tag")
    column: str = model.tag_column
    return column


# ---- from annotations to sentences --------------------------------------------------------------
def read_pieces(cas: Cas, entry: Entry) -> Iterator[Piece]:
    """Yield the sentences in a document.

    If a document has no sentences, all its words form one sentence.
    """
    tokens = sorted((cas.span(e) for e in cas.annotations(TOKEN)), key=lambda t: (t.begin, t.end))
    tokens = [token for token in tokens if cas.text[token.begin : token.end].strip()]
    spans = sorted((cas.span(e) for e in cas.annotations(SENTENCE)), key=lambda s: s.begin)
    tags = _values(cas, POS, "coarseValue" if tag_column(entry) == "upos" else "PosValue")
    tags = {**_values(cas, POS, "PosValue"), **tags}
    lemmas = _values(cas, LEMMA, "value")
    arcs = {
        arc.get("Dependent", ""): (arc.get("Governor", ""), arc.get("DependencyType") or EMPTY)
        for arc in cas.annotations(DEPENDENCY, subtypes=True)
    }
    place = 0
    for span in spans or [Span("", 0, len(cas.text))]:
        while place < len(tokens) and tokens[place].begin < span.begin:
            place += 1
        first = place
        while place < len(tokens) and tokens[place].end <= span.end:
            place += 1
        if own := tokens[first:place]:
            heads, labels = _tree(own, arcs)
            sentence = Sentence.from_columns(
                [" ".join(cas.text[t.begin : t.end].split()) for t in own],
                lemmas=[lemmas.get((t.begin, t.end), EMPTY) for t in own],
                heads=heads,
                deprels=labels,
            )
            own_tags = [tags.get((t.begin, t.end), EMPTY) for t in own]
            yield Piece(own, sentence.replace(**{tag_column(entry): own_tags}))


def _values(cas: Cas, layer: str, feature: str) -> dict[tuple[int, int], str]:
    values = {}
    for element in cas.annotations(layer, subtypes=layer == POS):
        value = "".join(element.get(feature, "").split())
        if value:
            span = cas.span(element)
            values[span.begin, span.end] = value
    return values


def _tree(tokens: Sequence[Span], arcs: dict[str, tuple[str, str]]) -> tuple[list[int], list[str]]:
    """Return the annotated heads and labels of the words in a sentence.

    Arcs that do not form a tree are left out.
    """
    number = {token.id: place for place, token in enumerate(tokens, start=1)}
    heads, labels = [], []
    for place, token in enumerate(tokens, start=1):
        governor, label = arcs.get(token.id, ("", EMPTY))
        head = number.get(governor, MISSING)
        heads.append(0 if head == place else head)
        labels.append("".join(label.split()) or EMPTY if head != MISSING else EMPTY)
    if find_tree_problem(heads, roots="any", partial=True):
        return [MISSING] * len(tokens), [EMPTY] * len(tokens)
    return heads, labels


# ---- from models to annotations -----------------------------------------------------------------
def _suggest_arcs(entry: Entry, cas: Cas, pieces: Sequence[Piece], feature: str) -> None:
    model = entry.able("parse")
    done = complete([piece.sentence for piece in pieces], model, **ONE_THREAD)
    for piece, predicted in zip(pieces, done.sentences, strict=True):
        sure = [read_probabilities(predicted, KEYS[name]) for name in ("heads", "deprels")]
        for word, token in enumerate(piece.tokens):
            if piece.sentence.deprels[word] != EMPTY:
                continue
            governor = piece.tokens[predicted.heads[word] - 1] if predicted.heads[word] else token
            score = min((p for row in sure if (p := row[word]) is not None), default=None)
            features = {"Governor": governor.id, "Dependent": token.id, "flavor": "basic"}
            cas.add(
                DEPENDENCY, token, features | _suggestion(feature, predicted.deprels[word], score)
            )


def _suggest_values(
    cas: Cas,
    pieces: Sequence[Piece],
    sentences: Sequence[Sentence],
    column: str,
    layer: str,
    feature: str,
) -> None:
    for piece, predicted in zip(pieces, sentences, strict=True):
        sure = read_probabilities(predicted, KEYS[column])
        old, new = (getattr(sentence, column) for sentence in (piece.sentence, predicted))
        for word, token in enumerate(piece.tokens):
            if old[word] == EMPTY and new[word] != EMPTY:
                cas.add(layer, token, _suggestion(feature, new[word], sure[word]))


def _suggestion(feature: str, value: str, score: float | None) -> dict[str, str]:
    features = {feature: value, PREDICTED: "true"}
    if score is not None:
        features[f"{feature}_score"] = f"{score:.4f}"
    return features


def _tags(entry: Entry, pieces: Sequence[Piece]) -> list[Sentence]:
    sentences = [piece.sentence for piece in pieces]
    if "parse" in entry.parts:
        return complete(sentences, entry.parts["parse"], **ONE_THREAD).sentences
    model: Any = entry.able("tag")
    tagged = model.tag_all(sentences, marginals=True, **ONE_THREAD)
    return [tagged_sentence(one, model.tag_column, n) for n, one in enumerate(tagged, start=1)]


def _lemmas(entry: Entry, pieces: Sequence[Piece]) -> list[Sentence]:
    if not ANNOTATE.is_own(entry.model):
        raise BistroError(
            f"the model '{entry.id}' does not predict lemmas: serve a pipeline instead"
        )
    keep = ("lemmas", "heads", tag_column(entry))
    sentences = [piece.sentence for piece in pieces]
    return list(entry.model.annotate_all(sentences, keep=keep, marginals=True, **ONE_THREAD))
