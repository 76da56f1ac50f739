"""UDPipe 1, the peer of the pipeline: trained with its default options on the same files.

    pip install ufal.udpipe

The options are UDPipe's defaults (tokenizer: 100 epochs; tagger: 20 iterations, one model; parser:
10 iterations, projective, dynamic oracle). A trained model is stored in the folder BISTRO_MODELS,
because training on a large treebank takes an hour.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any


def _library() -> Any:
    """Return the module, which does not have type annotations."""
    from importlib import import_module

    return import_module("ufal.udpipe")


def _sentences(path: Path) -> Any:
    library = _library()
    reader, found = library.InputFormat.newConlluInputFormat(), library.Sentences()
    reader.setText(path.read_text(encoding="utf-8"))
    while True:
        sentence, error = library.Sentence(), library.ProcessingError()
        if not reader.nextSentence(sentence, error):
            if error.occurred():
                raise ValueError(f"{path}: {error.message}")
            return found
        found.append(sentence)


def train_udpipe(name: str, train: Path, heldout: Path | None, *, tokenizer: bool) -> Any:
    """Train a model with default options, or load it if it was trained before."""
    library = _library()
    path = Path(os.environ.get("BISTRO_MODELS", ".")) / f"{name}.udpipe"
    if not path.exists():
        begin, error = time.process_time(), library.ProcessingError()
        default = library.Trainer.DEFAULT
        content = library.Trainer.train(
            "morphodita_parsito",
            _sentences(train),
            _sentences(heldout) if heldout else library.Sentences(),
            default if tokenizer else library.Trainer.NONE,
            default,
            default,
            error,
        )
        if error.occurred():
            raise ValueError(f"UDPipe: {error.message}")
        path.write_bytes(bytes(content, "latin-1") if isinstance(content, str) else content)
        print(f"UDPipe trained on {train.name} in {time.process_time() - begin:.0f} s")
    return library.Model.load(str(path))


def annotated(model: Any, text: str, *, running: bool) -> str:
    """Return CoNLL-U for running text, or for CoNLL-U of which only the words are used."""
    library = _library()
    default = library.Pipeline.DEFAULT
    given = "tokenize" if running else "conllu"
    error = library.ProcessingError()
    found = library.Pipeline(model, given, default, default, "conllu").process(text, error)
    if error.occurred():
        raise ValueError(f"UDPipe: {error.message}")
    return str(found)
