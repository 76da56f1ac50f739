"""The probability of each annotated value, given the rest of the annotation.

In a sentence with a tree, the arc of one word (head and label) is treated as unknown. All other
arcs, the words and the tags are evidence.

    p(head, label of i | words, tags, heads and labels of all other words)

The tag of a word is scored in the same way, with the whole tree as evidence. Since nearly all of an
annotation is correct, this probability is far sharper than p(head, label of i | words), in which
the model may face an ambiguity that the other arcs have resolved. An arc that crosses other arcs is
scored in the form that the model has learned, which is lifted and has a marked label
(`bistro.treebank.projectivity`).

The search may discard very improbable values, which then have a probability of zero. Each discarded
value is compared directly with the most probable alternative x under every member m. The
temperature T_m of a member is 1 for labels.

    p(value) = p(x) · mean_m ( p_m(words, tags, tree with the value) / p_m(… with x) )^(1 / T_m)

Any parser can be used, as a committee of one.

>>> import bistro
>>> treebank = bistro.builtin(sentences=300, seed=1)
>>> model = bistro.train("eisner", treebank, seed=1, sampler={"sweeps": 5, "samples": 2})
>>> dog = Sentence.from_columns(
...     ["The", "dog", "sleeps", "."],
...     heads=[3, 3, 0, 3],
...     deprels=["det", "nsubj", "root", "punct"],
...     upos=["DET", "NOUN", "VERB", "PUNCT"],
... )
>>> [opinion.alternative for opinion in arcs(CommitteeModel.of([model]), [dog])[0]][0]
'2:det'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bistro.models.abilities import Voter
from bistro.models.committee.mixture import Mixture
from bistro.models.committee.model import CommitteeModel
from bistro.models.parsing.codec import can_be_met
from bistro.models.parsing.votes import ArcCode, Rows
from bistro.treebank.fields import EMPTY
from bistro.treebank.projectivity import LIFTED, deprojectivize, projectivize
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import MISSING, find_tree_problem

LONGEST = 120
"""Maximum length, in words, of a sentence that is parsed once per word, each time with one unknown
arc or tag. Longer sentences are parsed only once, given words and tags."""
WORDS_AT_ONCE = 40_000
NEARLY_ALL = 0.95
"""The minimum share of roots with the root label. The share is below 1, since treebanks contain
mistakes."""


@dataclass(frozen=True)
class Opinion:
    """The probabilities of one annotated value and of its most probable alternative."""

    probability: float
    """Probability of the annotated value, or NaN if the model provides no probability."""
    alternative: str
    """The most probable alternative, which is a tag or an arc such as ``2:det``. The string is
    empty if there is no alternative."""
    alternative_probability: float
    same_head: bool = False
    """True if the alternative to an arc has the same head and a different label."""


@dataclass(frozen=True)
class _Copy:
    """A copy of a sentence in which some values are unknown, and the words to score in it."""

    sentence: Sentence
    place: int
    words: range


def arcs(
    model: CommitteeModel, sentences: Sequence[Sentence], threads: int = 1
) -> list[list[Opinion]]:
    """Score the arc of every word, given the words, the tags and all other arcs."""
    trees = [_as_learned(model, sentence) for sentence in sentences]
    numbers = {label: number for number, label in enumerate(model.symbols.labels)}
    root = numbers.get(_label_of_roots(sentences), -1)
    opinions: list[list[Opinion]] = [[] for _ in sentences]
    copies = _copies(trees, _with_open_arcs)
    for scored_words, rows, mixture in _scored(model, copies, threads):
        heads = np.array([trees[p].heads[w] for p, w in scored_words])
        labels = np.array([numbers.get(trees[p].deprels[w], -2) for p, w in scored_words])
        if not model.is_labelled:
            labels = np.full(len(scored_words), -1)
        code = mixture.code
        gold = np.where(labels >= -1, code.join(heads, labels), -1)
        arc_rows = mixture.arcs.reordered(rows)
        own, other, others = _compared(arc_rows, gold, _can_be_written(arc_rows, code, root))
        names = [*model.symbols.labels, EMPTY]
        likeliest = [(int(code.head(arc)), names[code.label(arc)]) for arc in other]
        lost = np.flatnonzero((own == 0) & (gold >= 0) & (other >= 0))
        pairs = [
            (trees[place], _with_arc(trees[place], word, *likeliest[i]))
            for i, (place, word) in zip(lost, (scored_words[i] for i in lost), strict=True)
        ]
        own[lost] = others[lost] * _ratios(model, pairs, threads)
        for i, (place, word) in enumerate(scored_words):
            alternative = None
            if other[i] >= 0:
                alternative = _as_annotated(model, trees[place], word, *likeliest[i])
            opinions[place].append(
                _arc_opinion(sentences[place], word, own[i], alternative, others[i])
            )
    return opinions


def tags(
    model: CommitteeModel, sentences: Sequence[Sentence], threads: int = 1
) -> list[list[Opinion]]:
    """Score the tag of every word, given the words, the tree and all other tags."""
    column = model.tag_column
    trees = [_as_learned(model, sentence) for sentence in sentences]
    numbers = {tag: number for number, tag in enumerate(model.symbols.tags)}
    opinions: list[list[Opinion]] = [[] for _ in sentences]
    copies = _copies(trees, lambda tree, words: _with_open_tags(tree, words, column))
    for scored_words, rows, mixture in _scored(model, copies, threads):
        gold = np.array([numbers.get(getattr(trees[p], column)[w], -1) for p, w in scored_words])
        own, other, others = _compared(mixture.tags.reordered(rows), gold)
        lost = np.flatnonzero((own == 0) & (gold >= 0) & (other >= 0))
        names = model.symbols.tags
        pairs = [
            (trees[place], _with_tag(trees[place], word, names[other[i]], column))
            for i, (place, word) in zip(lost, (scored_words[i] for i in lost), strict=True)
        ]
        own[lost] = others[lost] * _ratios(model, pairs, threads)
        for (place, _), p, tag, q in zip(scored_words, own, other, others, strict=True):
            name = model.symbols.tags[tag] if tag >= 0 else ""
            opinions[place].append(Opinion(float(p), name, float(q)))
    return opinions


def _as_learned(model: CommitteeModel, sentence: Sentence) -> Sentence:
    """Convert a sentence to a projective tree, with a single root if the model requires one."""
    scheme = model.symbols.nonprojective
    tree = projectivize(sentence.heads, sentence.deprels, scheme or "head")
    heads = list(tree.heads)
    if model.single_root and heads.count(0) > 1:
        first = heads.index(0)
        heads = [MISSING if h == 0 and w != first else h for w, h in enumerate(heads)]
    return sentence.replace(heads=heads, deprels=tree.labels if scheme else sentence.deprels)


def _copies(
    trees: Sequence[Sentence], opened: Callable[[Sentence, range], Sentence]
) -> Iterator[_Copy]:
    """Yield one copy of a sentence per word, or a single copy if the sentence is long."""
    for place, tree in enumerate(trees):
        size = len(tree)
        parts = [range(size)] if size > LONGEST else [range(w, w + 1) for w in range(size)]
        for words in parts:
            yield _Copy(opened(tree, words), place, words)


def _with_open_arcs(tree: Sentence, words: range) -> Sentence:
    heads = [MISSING if word in words else head for word, head in enumerate(tree.heads)]
    labels = [EMPTY if word in words else label for word, label in enumerate(tree.deprels)]
    return tree.replace(heads=heads, deprels=labels)


def _with_open_tags(tree: Sentence, words: range, column: str) -> Sentence:
    tags = [EMPTY if word in words else tag for word, tag in enumerate(getattr(tree, column))]
    return tree.replace(**{column: tags})


def _scored(
    model: CommitteeModel, copies: Iterator[_Copy], threads: int
) -> Iterator[tuple[list[tuple[int, int]], NDArray[np.int64], Mixture]]:
    """Score copies of sentences in large batches.

    For each batch, yield the words as pairs (sentence, index), their rows, and the mixture.
    """
    options = model.with_defaults(tags="given", partial=True, threads=threads)
    for batch in _batches(copies):
        mixture = model.mixture([copy.sentence for copy in batch], options)
        scored_words = [(copy.place, word) for copy in batch for word in copy.words]
        begins = mixture.offsets[:-1].tolist()
        rows = [begin + w for begin, copy in zip(begins, batch, strict=True) for w in copy.words]
        yield scored_words, np.array(rows, dtype=np.int64), mixture


def _batches(copies: Iterator[_Copy]) -> Iterator[list[_Copy]]:
    batch: list[_Copy] = []
    size = 0
    for copy in copies:
        if batch and size + len(copy.sentence) > WORDS_AT_ONCE:
            yield batch
            batch, size = [], 0
        batch.append(copy)
        size += len(copy.sentence)
    if batch:
        yield batch


def _label_of_roots(sentences: Sequence[Sentence]) -> str:
    """Return the label shared by nearly all words with head 0 and by almost no other words."""
    arcs = Counter(
        (label, head == 0)
        for s in sentences
        for head, label in zip(s.heads, s.deprels, strict=True)
    )
    roots = {label: number for (label, is_root), number in arcs.items() if is_root}
    label = max(roots, key=lambda name: roots[name], default="")
    goes_with_roots = roots.get(label, 0) >= NEARLY_ALL * sum(roots.values())
    goes_with_others = arcs[label, False] > (1 - NEARLY_ALL) * roots.get(label, 0)
    return label if goes_with_roots and not goes_with_others else ""


def _can_be_written(rows: Rows, code: ArcCode, root: int) -> NDArray[np.bool_]:
    """Return a mask of the arcs that have the root label if and only if their head is 0.

    `root` is the label of roots, or -1 if there is no such label.
    """
    if root < 0:
        return np.ones(len(rows.what), dtype=bool)
    return np.asarray((code.head(rows.what) == 0) == (code.label(rows.what) == root))


def _compared(
    rows: Rows, gold: NDArray[np.int64], possible: NDArray[np.bool_] | bool = True
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the probabilities of the annotated values and of their best alternatives."""
    row = rows.row
    total = np.bincount(row, rows.probability, minlength=len(rows))
    with np.errstate(invalid="ignore", divide="ignore"):
        own = rows.probability_of(gold) / total
        others = rows.among((rows.what != gold[row]) & possible)
        best = others.likeliest()
        return own, best, others.probability_of(best) / total


def _with_arc(tree: Sentence, word: int, head: int, label: str) -> Sentence | None:
    """Return the tree with one arc replaced, or None if the result is not a tree.

    If the sentence was parsed without its other arcs, the most probable head of a word may be one
    of its descendants in the annotated tree.
    """
    heads, labels = list(tree.heads), list(tree.deprels)
    heads[word], labels[word] = head, label
    if find_tree_problem(heads, roots="any", partial=True):
        return None
    return tree.replace(heads=heads, deprels=labels)


def _with_tag(tree: Sentence, word: int, tag: str, column: str) -> Sentence:
    tags = list(getattr(tree, column))
    tags[word] = tag
    return tree.replace(**{column: tags})


def _ratios(
    model: CommitteeModel, pairs: Sequence[tuple[Sentence, Sentence | None]], threads: int
) -> NDArray[np.float64]:
    """Return, for each pair of sentences, the ratio of their probabilities."""
    ratios = np.zeros(len(pairs))

    def is_able(sentence: Sentence) -> bool:
        is_short = len(sentence) <= LONGEST
        return is_short and can_be_met(sentence, single_root=model.single_root)

    able: list[int] = []
    both: list[Sentence] = []
    for i, (one, two) in enumerate(pairs):
        if two is not None and is_able(one) and is_able(two):
            able.append(i)
            both += [one, two]
    if not able:
        return ratios
    compared = zip(both[::2], both[1::2], strict=True)
    same = np.array(
        [one.heads == two.heads and one.deprels != two.deprels for one, two in compared]
    )
    logs = []

    def temperatures(member: Voter) -> NDArray[np.float64]:
        # Marginals of heads and tags are tempered; those of labels given an arc are not.
        return np.where(same, 1.0, member.own_temperature())

    for member in _with_same_tags(model):
        options = model.known_to(
            member, model.with_defaults(tags="given", partial=True, mbr=False, threads=threads)
        )
        log_probs = np.array([parse.log_prob for parse in member.parse_all(both, **options)])
        logs.append(np.minimum(0.0, log_probs[::2] - log_probs[1::2]) / temperatures(member))
    ratios[able] = np.exp(np.stack(logs)).mean(axis=0)
    return ratios


def _with_same_tags(model: CommitteeModel) -> list[Voter]:
    """Return the members that use the committee's tag column."""
    numbers = model.symbols.tag_numbers
    return [m for m, own in zip(model.members, numbers, strict=True) if own is not None]


def _as_annotated(
    model: CommitteeModel, tree: Sentence, word: int, head: int, label: str
) -> tuple[int, str]:
    """Return an arc as in the treebank: a lifted arc is moved back to its original head."""
    scheme = model.symbols.nonprojective
    if scheme is None or not any(LIFTED in name for name in (label, *tree.deprels)):
        return head, label
    heads = [head if place == word else old for place, old in enumerate(tree.heads)]
    labels = [label if place == word else old for place, old in enumerate(tree.deprels)]
    if find_tree_problem(heads, roots="any", partial=True):
        return head, label.partition(LIFTED)[0]
    restored = deprojectivize(heads, labels, scheme)
    return restored.heads[word], restored.labels[word]


def _arc_opinion(
    sentence: Sentence, word: int, own: float, alternative: tuple[int, str] | None, other: float
) -> Opinion:
    if alternative is None:
        return Opinion(float(own), "", 0.0)
    head, label = alternative
    arc = f"{head}:{label}" if label != EMPTY else str(head)
    return Opinion(float(own), arc, float(other), same_head=head == sentence.heads[word])
