"""UDPipe's REST protocol (``/process`` and ``/models``), for programs written for UDPipe.

The field ``data`` contains the text. The fields ``tokenizer``, ``tagger`` and ``parser``, which may
be empty, select the processing steps. The fields ``input`` and ``output`` specify the formats.
Values that were not requested stay unchanged. With only ``parser``, the tags in the input are used
and kept. With only ``tagger``, the trees in the input are kept.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from bistro._core import pause
from bistro.errors import BistroError, nearest
from bistro.models.abilities import ANNOTATE, Parser, Tagger
from bistro.models.annotating import Annotator, Tokeniser
from bistro.models.results.tokens import TextSentence
from bistro.models.results.tokens import joined as joined_sentences
from bistro.serve.answers import ONE_THREAD
from bistro.serve.catalog import Catalog, Entry
from bistro.serve.inputs import Inputs
from bistro.tasks.parsed import ParseWriter
from bistro.tasks.tag import tagged_sentence
from bistro.treebank.sentence import Sentence
from bistro.treebank.tokens import NO_SPACE, joined, split_lines, split_sentences
from bistro.treebank.treebank import encoded, iter_sentences
from bistro.version import __version__

PARAMETERS = ("data", "model", "tokenizer", "tagger", "parser", "input", "output")
Reader = Callable[[str, str], Iterator[Sentence]]
TOKENIZER_OPTIONS = ("presegmented", "ranges", "normalized_spaces")


def models(catalog: Catalog) -> dict[str, Any]:
    """Return the models and their capabilities, using UDPipe's names for them."""
    words = {"tag": "tagger", "parse": "parser"}
    able = {
        entry.id: ["tokenizer", *(words[a] for a in ("tag", "parse") if a in entry.abilities)]
        for entry in catalog
    }
    return {"models": able, "default_model": default_model(catalog).id if able else ""}


def default_model(catalog: Catalog) -> Entry:
    """Return the first model that parses.

    If no model parses, return the first model that tags, or else the first model.
    """
    entries = list(catalog)
    for ability in ("parse", "tag"):
        for entry in entries:
            if ability in entry.abilities:
                return entry
    return entries[0] if entries else catalog[""]


def process(catalog: Catalog, inputs: Inputs, parameters: Mapping[str, str]) -> dict[str, Any]:
    """Process a request and return the answer."""
    if "data" not in parameters:
        raise BistroError("the parameter 'data' is missing")
    name = parameters.get("model", "")
    entry = catalog[name] if name else default_model(catalog)
    write = _choice("output", parameters.get("output") or "conllu", OUTPUTS)
    sentences = inputs.checked_document(_sentences(parameters, entry.tokeniser))
    treated = list(_treated(entry, sentences, parameters))
    return {
        "model": entry.id,
        "acknowledgements": [_acknowledgement(entry.model)],
        "result": write(treated),
    }


def _acknowledgement(model: LoadedModel) -> str:
    facts = model.origin.treebank
    description = f"Bistro {__version__}, a model of kind {model.kind}"
    if name := facts.get("name"):
        description += f", trained on {name}"
    return f"{description} ({facts['license']})" if facts.get("license") else description


# ---- what to do --------------------------------------------------------------------------------
def _treated(
    entry: Entry, sentences: Iterable[Sentence], parameters: Mapping[str, str]
) -> Iterator[Sentence]:
    treat = _treatment(entry, tags="tagger" in parameters, trees="parser" in parameters)
    for number, sentence in enumerate(sentences, start=1):
        pause()
        yield treat(sentence, number)


def _treatment(entry: Entry, *, tags: bool, trees: bool) -> Callable[[Sentence, int], Sentence]:
    if tags:
        entry.able("tag")
    if tags and trees and ANNOTATE.is_own(entry.model):
        return _with_everything(entry.model)
    if trees:
        return _with_tree(entry.able("parse"), given_tags=not tags)
    if tags:
        return _with_tags(entry.able("tag"))
    return lambda sentence, number: sentence


def _with_everything(model: Annotator) -> Callable[[Sentence, int], Sentence]:
    def treat(sentence: Sentence, number: int) -> Sentence:
        return next(model.annotate_all([sentence], **ONE_THREAD))

    return treat


def _with_tree(model: Parser, *, given_tags: bool) -> Callable[[Sentence, int], Sentence]:
    writer = ParseWriter.of(model, given_tags=given_tags)
    options: dict[str, Any] = {"tags": "given" if given_tags else "joint", **ONE_THREAD}

    def treat(sentence: Sentence, number: int) -> Sentence:
        parsed = next(writer.sentences(model.parse(sentence, **options)))
        if given_tags:
            column = writer.tag_column
            return parsed.replace(**{column: getattr(sentence, column)})
        return parsed

    return treat


def _with_tags(model: Tagger) -> Callable[[Sentence, int], Sentence]:
    column = model.tag_column
    return lambda sentence, number: tagged_sentence(
        model.tag(sentence, **ONE_THREAD), column, number
    )


# ---- formats -----------------------------------------------------------------------------------
def _sentences(parameters: Mapping[str, str], tokeniser: Tokeniser | None) -> Iterator[Sentence]:
    data = parameters["data"].removeprefix("\ufeff")
    if "tokenizer" in parameters:
        return _tokenized(data, parameters["tokenizer"], tokeniser)
    name, _, options = (parameters.get("input") or "conllu").partition("=")
    read: Reader = _choice("input", name, INPUTS)
    if read is _tokenized:
        return _tokenized(data, options, tokeniser)
    return read(data, options)


def _tokenized(data: str, options: str, tokeniser: Tokeniser | None = None) -> Iterator[Sentence]:
    """Yield the sentences in running text. If the model has a tokeniser, it is used."""
    names = {option.partition("=")[0] for option in options.split(";") if option}
    for option in sorted(names):
        _choice("tokenizer", option, dict.fromkeys(TOKENIZER_OPTIONS, True))
    presegmented, ranges = "presegmented" in names, "ranges" in names
    if tokeniser is not None:
        sentences = _lines(data, tokeniser) if presegmented else tokeniser.tokenise(data)
        for number, one in enumerate(sentences, start=1):
            yield one.to_sentence(number, ranges=ranges)
        return
    split = split_lines if presegmented else split_sentences
    for number, words in enumerate(split(data), start=1):
        sentence = words.to_sentence(number)
        if ranges:
            ends = [s + len(f) for s, f in zip(words.starts, words.forms, strict=True)]
            token_ranges = [f"TokenRange={s}:{e}" for s, e in zip(words.starts, ends, strict=True)]
            marks = zip(sentence.misc, token_ranges, strict=True)
            sentence = sentence.replace(misc=[r if m == "_" else f"{m}|{r}" for m, r in marks])
        yield sentence


def _lines(data: str, tokeniser: Tokeniser) -> Iterator[TextSentence]:
    """Yield each line of a text as one sentence."""
    begin = 0
    for line in data.splitlines(keepends=True):
        if sentences := list(tokeniser.tokenise(line)):
            yield joined_sentences(sentences, begin)
        begin += len(line)


def _conllu(data: str, options: str) -> Iterator[Sentence]:
    if not data.strip():
        return iter(())
    stream = io.BytesIO(data.encode())
    return iter_sentences(stream, "conllu", roots="any", partial=True)


def _from_words(lists: Iterable[list[str]]) -> Iterator[Sentence]:
    for number, words in enumerate(filter(None, lists), start=1):
        comments = [f"# sent_id = {number}", f"# text = {' '.join(words)}"]
        yield Sentence.from_columns(words, comments=comments)


def _horizontal(data: str, options: str) -> Iterator[Sentence]:
    return _from_words(line.split() for line in data.splitlines())


def _vertical(data: str, options: str) -> Iterator[Sentence]:
    # A column file may have more columns; the first contains the words.
    lines = [line.partition("\t")[0].strip() for line in data.splitlines()]
    return _from_words(_blocks(lines))


def _blocks(lines: Iterable[str]) -> Iterator[list[str]]:
    block: list[str] = []
    for line in lines:
        if line:
            block.append(line)
        else:
            yield block
            block = []
    yield block


def _as_conllu(sentences: Iterable[Sentence]) -> str:
    return b"".join(encoded(sentences)).decode()


def _as_horizontal(sentences: Iterable[Sentence]) -> str:
    # A space inside a word would split it into two words.
    rows = (" ".join(f.replace(" ", "\u00a0") for f in s.forms) for s in sentences)
    return "".join(f"{row}\n" for row in rows)


def _as_vertical(sentences: Iterable[Sentence]) -> str:
    return "".join("\n".join(s.forms) + "\n\n" for s in sentences)


def _as_plain_text(sentences: Iterable[Sentence]) -> str:
    return "".join(f"{_text(sentence)}\n" for sentence in sentences)


def _text(sentence: Sentence) -> str:
    """Return a sentence as running text, with multiword tokens in their written form."""
    spaces = [NO_SPACE not in misc.split("|") for misc in sentence.misc]
    return sentence.text or joined(sentence.forms, spaces)


if TYPE_CHECKING:
    from bistro.models.base import LoadedModel

INPUTS: dict[str, Reader] = {
    "conllu": _conllu,
    "generic_tokenizer": _tokenized,
    "horizontal": _horizontal,
    "vertical": _vertical,
}
OUTPUTS: dict[str, Callable[[Iterable[Sentence]], str]] = {
    "conllu": _as_conllu,
    "horizontal": _as_horizontal,
    "plaintext": _as_plain_text,
    "vertical": _as_vertical,
}


def _choice(parameter: str, value: str, choices: Mapping[str, Any]) -> Any:
    name = value.partition("=")[0]
    if name in choices:
        return choices[name]
    shown = name[:40]
    raise BistroError(
        f"{parameter}: '{shown}' is not valid{nearest(shown, choices)}; choose one of "
        f"{', '.join(choices)}"
    )
