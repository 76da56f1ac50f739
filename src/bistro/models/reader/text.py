"""Raw text as additional training data for a reader.

Without the setting `text_parser`, every parser in the mixture parses the text itself. With this
setting, the text is parsed once, by a parser that is trained on the treebank and is not part of the
mixture. The resulting parses are added to the treebank, and every member is trained on the extended
treebank. A few sentences of the text are held out in addition to the development set. The held-out
sentences determine when the training of latent-variable parsers stops, and the weights of the
mixture are fitted on these sentences.

>>> text_parser_of(ReaderConfig(text_parser="isbn tagset=xpos"), []).config.tagset
'xpos'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, islice
from typing import Any

from bistro import progress
from bistro.errors import BistroError, ConfigError
from bistro.inference.chains import Session
from bistro.inference.checkpoint import StoppedError
from bistro.inference.workers import LocalWorkers
from bistro.models.inputs import Words
from bistro.models.options import a_model
from bistro.models.parsing.analyses import Analyses, parse_piece
from bistro.models.parsing.codec import ALL_FEATURES, COARSE, Tree, tags_of
from bistro.models.parsing.settings import ParserSettings
from bistro.models.reader.config import ReaderConfig
from bistro.models.reader.marks import ADDED, NEEDS, MarkName
from bistro.models.reader.members import FORWARDS, Member
from bistro.models.settings import chosen_settings
from bistro.models.shared import SharedModel
from bistro.treebank.fields import EMPTY
from bistro.treebank.raw_text import RawText
from bistro.treebank.sentence import Sentence

TEXT_PARSER = "text parser"
"""Name of the parser for raw text in checkpoints and messages."""
RARE = "|?"
"""Tag suffix that represents all rare combinations of features in latent-variable parsers."""
MOST_HELD_OUT = 0.05
"""Maximum share of the text that is held out."""


def text_parser_of(config: ReaderConfig, members: Sequence[Member]) -> Member:
    """Return the parser for raw text, or raise an error if the members cannot use its parses."""
    first, *changes = config.text_parser.split()
    kind_name, _, preset = first.partition(":")
    kind, settings = chosen_settings(kind_name, preset or None, changes)
    if not hasattr(settings, "raw_text"):
        raise ConfigError(
            f"text_parser = '{config.text_parser}': {a_model(kind.name)} does not parse raw text: "
            "use transition or isbn"
        )
    if settings.direction != FORWARDS or settings.labels == "none":
        raise ConfigError("text_parser must parse from left to right and predict labels")
    for member in members:
        if member.kind.can("parse"):
            _check_tags(member, settings, config.marks)
    return Member(TEXT_PARSER, kind, settings)


def _check_tags(member: Member, parser: Any, marks: Sequence[MarkName]) -> None:
    """Raise an error if the parser does not predict the tags or features that are needed."""
    if member.config.tagset != parser.tagset:
        raise ConfigError(
            f"member '{member.name}' has tagset = {member.config.tagset}, but the parser for raw "
            f"text predicts {parser.tagset} tags: choose the same tagset for both"
        )
    known = {*parser.tag_features, *([COARSE] if parser.tagset == "upos" else [])}
    finds_all = ALL_FEATURES[0] in known
    added = [ADDED[mark] for mark in marks if mark in ADDED]
    needed = [name for name in member.config.tag_features if name not in {*known, *added}]
    if needed and not finds_all:
        raise ConfigError(
            f"member '{member.name}' uses the tag features {', '.join(needed)}, which the parser "
            "for raw text does not predict: add them to the tag_features of text_parser"
        )
    for mark in marks:
        found_by = [COARSE, *([] if finds_all else NEEDS[mark])]
        if needed := [name for name in found_by if name not in known]:
            raise ConfigError(
                f"the mark '{mark}' needs the features {', '.join(needed)}, which the parser for "
                "raw text does not predict: add them to the tag_features of text_parser"
            )


def search_size(parser: Any) -> int:
    """Return the beam size or the number of particles with which a parser parses raw text."""
    settings = parser.raw_text
    return int(settings.beam if hasattr(settings, "beam") else settings.particles)


def parse_text(
    text: RawText, parser: Any, session: Session, keep: Callable[[Analyses], None], known: Analyses
) -> Analyses:
    """Parse the part of a text that has not been parsed yet, and return all analyses.

    The function `keep` saves the analyses. `keep` is called when a checkpoint is due, when parsing
    is stopped, and at the end.
    """
    workers = session.workers or LocalWorkers(session.threads)
    size = search_size(parser.config)
    ends = list(accumulate((sentences for sentences, _ in text.sizes), initial=0))
    with session.reading_checkpoint():
        first = ends.index(known.sentences)
    pieces = ((size, piece) for piece in islice(text.pieces(), first, None))
    with progress.phase("parsing", total=text.words, unit="words", share=1.0) as work:
        work.skip(known.words)
        session.on_words(known.words, text.words)
        for sentences, columns in workers.run(parse_piece, SharedModel(parser), pieces):
            known.add(sentences, columns)
            work.reach(known.words)
            session.on_words(known.words, text.words)
            stops = session.stop_requested() and known.words < text.words
            if stops or (session.checkpoint and session.checkpoint.is_due()):
                keep(known)
            if stops:
                raise StoppedError(
                    f"stopped after {known.words:,} of {text.words:,} words of raw text"
                )
    keep(known)
    return known


def parses_of(
    text: RawText, parser: Any, analyses: Analyses, treebank: Iterable[Words] = ()
) -> list[Sentence]:
    """Return the sentences of a text with their heads, labels, tags and features.

    Latent-variable parsers do not distinguish rare combinations of features. A word with a rare
    combination is given the features that it most often has with its tag in the treebank.
    """
    columns = analyses.columns_of(0, analyses.words)
    usual = usual_features(treebank, parser.config)
    sentences: list[Sentence] = []
    begin = 0
    for words in text:
        own = slice(begin, begin + len(words))
        begin += len(words)
        tree = parser.codec.decode(*(columns[n][own] for n in ("heads", "labels", "tags")))
        pairs = zip(words, tree.tags, strict=True)
        tags = [usual.get((word.lower(), tag), tag) for word, tag in pairs]
        sentences.append(_sentence(words, replace(tree, tags=tags), parser.config.tagset))
    if begin != analyses.words:
        raise BistroError("the raw text changed during training: start from the beginning")
    return sentences


def usual_features(treebank: Iterable[Words], parser: ParserSettings) -> dict[tuple[str, str], str]:
    """Return the most frequent full tag for each pair of a lower-case word and a rare tag.

    >>> sentence = Sentence.from_columns(["Herself"], xpos=["PRP"], feats=["Number=Sing"])
    >>> usual_features([sentence], ParserSettings(tagset="xpos", tag_features=("Number",)))
    {('herself', 'PRP|?'): 'PRP|Number=Sing'}
    """
    counts: dict[tuple[str, str], Counter[str]] = {}
    for sentence in treebank:
        if isinstance(sentence, Sentence):
            for word, tag in zip(sentence.forms, tags_of(sentence, parser), strict=True):
                counts.setdefault((word.lower(), f"{tag.partition('|')[0]}{RARE}"), Counter())[
                    tag
                ] += 1
    return {key: max(sorted(tags), key=tags.__getitem__) for key, tags in counts.items()}


def _sentence(words: Sequence[str], tree: Tree, tagset: str) -> Sentence:
    """Convert a parse to a treebank sentence.

    >>> tree = Tree(["PRP|UPOS=PRON|Number=Sing", "VBZ"], [2, 0], ["nsubj", "root"])
    >>> sentence = _sentence(["She", "sleeps"], tree, "xpos")
    >>> sentence.xpos, sentence.upos, sentence.feats
    (['PRP', 'VBZ'], ['PRON', '_'], ['Number=Sing', '_'])
    """
    tags: list[str] = []
    feats: list[str] = []
    coarse: list[str] = []
    for tag, *features in (name.split("|") for name in tree.tags):
        # A rare combination of features that the treebank does not resolve is '?'.
        values = dict(feature.split("=", 1) for feature in features if "=" in feature)
        tags.append(tag)
        coarse.append(values.pop(COARSE, EMPTY))
        feats.append("|".join(f"{name}={value}" for name, value in values.items()) or EMPTY)
    columns: dict[str, Any] = {"upos": coarse, tagset: tags, "feats": feats}
    return Sentence.from_columns(words, heads=tree.heads, deprels=tree.labels, **columns)


def parted(parses: Sequence[Sentence], held_out: Sequence[Words]) -> tuple[list[Sentence], ...]:
    """Split parses into a training set and an evenly spaced held-out set.

    The number of held-out parses exceeds neither the number of other held-out sentences nor a
    twentieth of all parses.
    """
    number = min(len(held_out), round(len(parses) * MOST_HELD_OUT))
    places = {len(parses) * i // number for i in range(number)}
    parts: tuple[list[Sentence], list[Sentence]] = ([], [])
    for place, parse in enumerate(parses):
        parts[place in places].append(parse)
    return parts
