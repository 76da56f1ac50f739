"""Active learning ranks sentences and words by how much a model would learn from them.

A model parses the sentences that are not fully annotated. The model learns most from decisions
about words whose analysis is uncertain. If the model is certain, the annotator can quickly accept
its suggestion. The doubt about a word is the probability that its best head, or the label of its
arc, is wrong.

    doubt(word) = 1 - p(best head) p(best label)

The model learns more from a decision about a frequent word than from one about a rare word. The
gain from a sentence is therefore a sum of doubts, each weighted by the frequency of the word in all
remaining sentences.

    gain(sentence) = sum of doubt(word) log(1 + count(word)) / number of words

>>> import bistro
>>> whole = list(bistro.builtin(sentences=60, seed=1))
>>> bare = [s.replace(heads=[-1] * len(s), deprels=["_"] * len(s)) for s in whole[40:]]
>>> ranking = rank_next(whole[:40] + bare, kind="eisner", sampler={"sweeps": 3, "samples": 1})
>>> len(ranking.sentences), ranking.sentences[0].score >= ranking.sentences[-1].score
(20, True)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bistro.errors import BistroError, ConfigError, nearest
from bistro.inference.chains import Session
from bistro.models.abilities import PARSE
from bistro.models.base import Model
from bistro.models.results.parses import Parse, plain_label
from bistro.rng import purpose_key
from bistro.tasks.complete import Completion, lacking, usable, whole_sentences
from bistro.tasks.train import train
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import MISSING

DEFAULT_KIND = "committee"
NEAR = 0.6
"""The minimum proportion of shared words at which two sentences count as near-copies."""


@dataclass(frozen=True)
class OpenWord:
    """A word that has no head yet, and the head and label that the model suggests."""

    sentence: int
    """Index of the sentence in the treebank, from 0."""
    word: int
    """Position of the word, counted from 1."""
    head: int
    label: str
    doubt: float


@dataclass(frozen=True)
class OpenSentence:
    """A sentence in which heads are missing."""

    sentence: int
    words: int
    doubts: tuple[float, ...]
    """The doubt about each word that has no head."""
    news: float
    """The share of the sentence's words that do not occur in the training data."""
    gain: float = 0.0
    """The mean doubt per word, weighted by the frequency of the words."""
    score: float = 0.0
    is_near_copy: bool = False
    """True if an earlier sentence has nearly the same words."""

    @property
    def expected_corrections(self) -> float:
        """Expected number of wrong suggestions."""
        return float(np.sum(self.doubts))


def _per_word(one: OpenSentence) -> float:
    return one.expected_corrections / max(1, one.words)


STRATEGIES: dict[str, Callable[[OpenSentence], float]] = {
    "doubt": _per_word,
    "corrections": lambda one: one.expected_corrections,
    "worst": lambda one: max(one.doubts, default=0.0),
    "new": lambda one: one.news,
    "both": lambda one: _per_word(one) + 0.5 * one.news,
    "gain": lambda one: one.gain,
    "random": lambda one: 0.0,
}
"""The strategies for scoring sentences.

- ``doubt``: the doubt per word;
- ``corrections``: the expected number of corrections;
- ``worst``: the doubt about the most doubtful word;
- ``new``: the share of new words;
- ``both``: a combination of the doubt per word and the share of new words;
- ``gain``: the doubt, weighted by word frequency;
- ``random``: 0 for all sentences.
"""


@dataclass(frozen=True)
class Ranking:
    """Ranked sentences and words, starting with the most useful."""

    treebank: Sequence[Sentence]
    sentences: list[OpenSentence]
    words: list[OpenWord]
    protocol: str = field(default="")


def rank_next(
    treebank: Sequence[Sentence],
    model: Model | None = None,
    *,
    strategy: str = "doubt",
    kind: str = DEFAULT_KIND,
    seed: int = 1,
    threads: int = 0,
    config: Any = None,
    session: Session | None = None,
    **settings: Any,
) -> Ranking:
    """Rank the sentences with missing heads by how much a model would learn from them.

    Parameters
    ----------
    treebank
        All sentences. The model is trained on the fully annotated sentences.
    model
        A parser. By default, a parser of the given `kind` is trained on the fully annotated
        sentences.
    strategy
        A key of `STRATEGIES`.
    kind, config, settings
        The parser to train.
    seed
        Seed of training, of parsing and of the order of equal scores.
    threads
        Number of threads; 0 uses all cores.
    session
        The session to which training reports its progress.
    """
    if strategy not in STRATEGIES:
        raise ConfigError(f"there is no strategy '{strategy}'{nearest(strategy, [*STRATEGIES])}")
    whole = [s for s in treebank if len(s) and MISSING not in s.heads]
    if model is None:
        known = whole_sentences(treebank, getattr(config, "tagset", "upos"))
        model = train(kind, known, config=config, seed=seed, session=session, **settings)
    parser = PARSE.of(model)
    places = [i for i, s in enumerate(treebank) if len(s) and "heads" in lacking(s, parser)]
    if not places:
        raise BistroError("every word already has a head: there is nothing left to annotate")
    evidence = [usable(treebank[place], parser, Completion()) for place in places]
    options = {"tags": "given", "partial": True, "marginals": True, "threads": threads}
    parses = parser.parse_all(evidence, seed=seed, **options)
    seen = {form.lower() for sentence in whole for form in sentence.forms}
    counts = Counter(form.lower() for place in places for form in treebank[place].forms)
    words: list[OpenWord] = []
    sentences = []
    for place, parse in zip(places, parses, strict=True):
        own = list(_open_words(place, treebank[place], parse))
        words += own
        forms = [form.lower() for form in treebank[place].forms]
        news = sum(form not in seen for form in forms) / len(forms)
        doubts = tuple(w.doubt for w in own)
        gain = _gain(doubts, [counts[forms[w.word - 1]] for w in own], len(forms))
        sentences.append(OpenSentence(place, len(forms), doubts, news, gain))
    ranked = _in_order(sentences, treebank, strategy, seed)
    words.sort(key=lambda word: (-word.doubt, word.sentence, word.word))
    protocol = (
        f"strategy {strategy}; {model.kind} model, seed {seed}; annotated sentences: "
        f"{len(whole):,}; sentences with missing heads: {len(ranked):,}"
    )
    return Ranking(treebank, ranked, words, protocol)


def _gain(doubts: Sequence[float], counts: Sequence[int], words: int) -> float:
    """Return a sentence's doubt per word, weighted by the frequencies of the words."""
    return float(np.dot(doubts, np.log1p(counts))) / words


def _open_words(place: int, sentence: Sentence, parse: Parse) -> Iterable[OpenWord]:
    marginals = parse.marginals
    assert marginals is not None
    for word, head in enumerate(sentence.heads):
        if head != MISSING:
            continue
        best, sure = max(marginals.heads[word], key=lambda row: row[1], default=(0, 0.0))
        if marginals.labels and marginals.labels[word]:
            sure *= max(p for _, p in marginals.labels[word])
        label = plain_label(parse.labels[word]) if parse.labels else "_"
        yield OpenWord(place, word + 1, best, label, min(1.0, max(0.0, 1.0 - sure)))


def _in_order(
    items: Sequence[OpenSentence], treebank: Sequence[Sentence], strategy: str, seed: int
) -> list[OpenSentence]:
    """Sort sentences by score, with near-copies last and equal scores in random order."""
    rng = np.random.default_rng((seed, purpose_key("next.ties")))
    ties = rng.permutation(len(items))
    scores = [STRATEGIES[strategy](item) for item in items]
    order = sorted(range(len(items)), key=lambda i: (-scores[i], ties[i]))
    near = _near_copies([treebank[items[i].sentence] for i in order])
    ranked = [
        replace(items[i], score=scores[i], is_near_copy=is_near)
        for i, is_near in zip(order, near, strict=True)
    ]
    return sorted(ranked, key=lambda item: item.is_near_copy)


def _near_copies(sentences: Sequence[Sentence]) -> list[bool]:
    """Return, for each sentence, whether it is a near-copy of an earlier sentence.

    A near-copy is not compared with later sentences.

    Two sentences are compared only if they share one of their rarest words. Sentences that share at
    least a proportion `NEAR` of their words always share one of their rarest words.
    """
    sets = [frozenset(form.lower() for form in sentence.forms) for sentence in sentences]
    counts: dict[str, int] = {}
    for own in sets:
        for word in own:
            counts[word] = counts.get(word, 0) + 1
    holders: dict[str, list[int]] = {}
    near = []
    for number, own in enumerate(sets):
        rare = sorted(own, key=lambda word: (counts[word], word))
        prefix = rare[: len(own) - int(np.ceil(NEAR * len(own))) + 1]
        rivals = {other for word in prefix for other in holders.get(word, ())}
        is_near = any(len(own & sets[o]) >= NEAR * len(own | sets[o]) for o in rivals)
        near.append(is_near)
        if not is_near:
            for word in prefix:
                holders.setdefault(word, []).append(number)
    return near
