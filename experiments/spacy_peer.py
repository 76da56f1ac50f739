"""spaCy's small pipeline, a peer of the committee, trained on the same files with given words.

    pip install spacy

The configuration is the output of `spacy init config --optimize efficiency` for the components
`morphologizer` (or `tagger`, if the tags of a treebank are in XPOS) and `parser`: the architecture
of spaCy's packages whose names end in `_sm`, without word vectors. Training ends after 1,600 steps
without a gain on the development part. A trained pipeline is stored in the folder BISTRO_MODELS.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from bistro.treebank.sentence import Sentence

COMPONENTS = {"upos": "morphologizer", "xpos": "tagger"}


def train_spacy(
    name: str, train: Path, dev: Path, column: str, language: str = "xx", steps: int = 0
) -> tuple[Any, float]:
    """Train a pipeline, or load it if it was trained before; return it with the CPU time."""
    spacy = import_module("spacy")
    folder = Path(os.environ.get("BISTRO_MODELS", ".")) / f"{name}.spacy"
    if (folder / "model-best").exists():
        return spacy.load(folder / "model-best"), 0.0
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.process_time()
    paths = {part: str(folder / f"{part}.spacy") for part in ("train", "dev")}
    for part, path in (("train", train), ("dev", dev)):
        _docs(path).to_disk(paths[part])
    components = [COMPONENTS[column], "parser"]
    init = import_module("spacy.cli.init_config").init_config
    config = init(lang=language, pipeline=components, optimize="efficiency", gpu=False)
    config = config.merge({"paths": paths})
    if steps:
        config = config.merge({"training": {"max_steps": steps}})
    nlp = import_module("spacy.training.initialize").init_nlp(config)
    import_module("spacy.training.loop").train(nlp, folder, use_gpu=-1)
    return spacy.load(folder / "model-best"), time.process_time() - begin


def _docs(path: Path) -> Any:
    """Return the sentences of a file as spaCy documents, one document per sentence."""
    convert = import_module("spacy.training.converters").conllu_to_docs
    found = import_module("spacy.tokens").DocBin(store_user_data=False)
    for doc in convert(path.read_text(encoding="utf-8"), n_sents=1, no_print=True):
        found.add(doc)
    return found


def parsed(nlp: Any, sentences: Iterable[Sentence], column: str) -> list[Sentence]:
    """Return sentences with the tags and trees of a pipeline, for given words and sentences."""
    new = import_module("spacy.tokens").Doc
    given = list(sentences)
    docs = [
        new(nlp.vocab, words=s.forms, sent_starts=[i == 0 for i in range(len(s))]) for s in given
    ]
    found = []
    for sentence, doc in zip(given, nlp.pipe(docs), strict=True):
        heads = [0 if token.head.i == token.i else token.head.i + 1 for token in doc]
        labels = ["root" if token.dep_ == "ROOT" else token.dep_ for token in doc]
        tags = [token.pos_ if column == "upos" else token.tag_ for token in doc]
        found.append(sentence.replace(heads=heads, deprels=labels, **{column: tags}))
    return found
