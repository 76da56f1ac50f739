"""Built-in treebanks come from the built-in grammar or from pip packages.

``builtin("english")`` samples the hand-written grammar of `bistro.treebank.builtin`, whose true
probabilities are known. ``builtin("turkish")`` is the Turkish Web Treebank (Kayadelen et al.,
2020). The Turkish treebank has 4,851 hand-annotated sentences from the web and from Wikipedia. The
words of the Turkish treebank are split into inflectional groups. The files are read from the pip
package ``turkish-treebanks``.

>>> treebank = builtin("english", sentences=2, seed=1)
>>> len(treebank), treebank.label
(2, 'built-in English, seed 1')
>>> builtin("turkish", sentences=100)                           # doctest: +SKIP
"""

from __future__ import annotations

from importlib import metadata
from itertools import islice
from pathlib import Path

from bistro.errors import BistroError, nearest
from bistro.treebank.brackets import Tree
from bistro.treebank.builtin.grammar import english_grammar
from bistro.treebank.examples import Examples
from bistro.treebank.treebank import Treebank, read

ENGLISH_SENTENCES = 5000
TURKISH_PACKAGE = "turkish-treebanks"
TURKISH_FILES = ("web.conllu", "wiki.conllu")
INSTALL = "pip install turkish-treebanks==1.0.0"


def builtin(name: str | int = "english", sentences: int | None = None, seed: int = 1) -> Treebank:
    """Return a built-in treebank.

    Parameters
    ----------
    name
        The name ``"english"`` or ``"turkish"``, or a number of English sentences.
    sentences
        Number of sentences; default: 5,000 English ones, or all Turkish ones.
    seed
        Seed of the English sentences; the Turkish ones are always the same, in file order.
    """
    if isinstance(name, int):
        sentences = name
        name = "english"
    if sentences is not None and sentences < 1:
        raise BistroError(f"a treebank cannot have {sentences} sentences: request at least 1")
    if name == "english":
        return _english(ENGLISH_SENTENCES if sentences is None else sentences, seed)
    if name == "turkish":
        return _turkish(sentences)
    choices = ("english", "turkish")
    raise BistroError(
        f"there is no built-in treebank '{name}'{nearest(name, choices)}: "
        f"choose from {', '.join(choices)}"
    )


def builtin_trees(sentences: int = ENGLISH_SENTENCES, seed: int = 1) -> Examples[Tree]:
    """Return the grammar's constituency trees for the sentences of ``builtin("english")``.

    Parameters
    ----------
    sentences
        Number of trees.
    seed
        Seed of the sample; the same seed gives the same trees.
    """
    if sentences < 1:
        raise BistroError(f"a treebank cannot have {sentences} sentences: request at least 1")
    trees = english_grammar().sample_trees(sentences, seed)
    return Examples(trees, name=f"built-in English trees, seed {seed}", license="MIT")


def _english(sentences: int, seed: int) -> Treebank:
    sampled = english_grammar().sample(sentences, seed)
    return Treebank(sampled, name=f"built-in English, seed {seed}", license="MIT")


def _turkish(sentences: int | None) -> Treebank:
    all_sentences = (sentence for path in _turkish_paths() for sentence in read(path))
    version = metadata.version(TURKISH_PACKAGE)
    name = f"Turkish Web Treebank ({TURKISH_PACKAGE} {version})"
    return Treebank(islice(all_sentences, sentences), name=name, license="Apache-2.0")


def _turkish_paths() -> list[Path]:
    """Return the files listed in the package metadata, since importing the package may fail."""
    try:
        record = metadata.files(TURKISH_PACKAGE) or []
    except metadata.PackageNotFoundError:
        record = []
    places = {file.name: Path(str(file.locate())) for file in record}
    paths = [places[name] for name in TURKISH_FILES if name in places]
    if len(paths) < len(TURKISH_FILES) or not all(path.is_file() for path in paths):
        raise BistroError(f"the Turkish treebank is not installed: {INSTALL}")
    return paths
