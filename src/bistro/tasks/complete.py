"""Fill in the missing values in an annotation, and leave everything else unchanged.

The given heads, labels and tags of a sentence are used as evidence. Fields that are ``_`` are
filled in from a single minimum-risk parse, given all the evidence. They are written into their
columns, and MISC names them with their probabilities:

    Filled=Head,Deprel|PHead=0.9312|PDeprel=0.9120       values that were filled in
    MaybeHead=3|PHead=0.4127                             too improbable: not filled in

Fully annotated sentences and words are written unchanged, byte for byte.

>>> import bistro
>>> whole = list(bistro.builtin(sentences=100, seed=1))
>>> part = whole[0].replace(heads=[-1, *whole[0].heads[1:]])
>>> done = complete([part, *whole[1:]], kind="eisner", sampler={"sweeps": 3, "samples": 1})
>>> done.sentences[1:] == whole[1:], done.filled
(True, {'Head': 1})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bistro.errors import BistroError
from bistro.inference.chains import Session
from bistro.models.abilities import PARSE, Parser
from bistro.models.base import Model
from bistro.models.parsing.codec import can_be_met
from bistro.models.results.parses import Parse, head_probability, plain_label
from bistro.sums import added
from bistro.tasks.train import train
from bistro.treebank.fields import EMPTY, head_text
from bistro.treebank.probabilities import KEYS, put_probabilities
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import MISSING, find_tree_problem

USUAL_KIND = "committee"
NAMES = {"heads": "Head", "deprels": "Deprel", "upos": "Upos", "xpos": "Xpos"}
"""The names under which the columns appear in MISC."""
FILLED, MAYBE = "Filled", "Maybe"
OWN_KEYS = (FILLED, *(MAYBE + name for name in NAMES.values()))


@dataclass
class Completion:
    """The completed sentences, and the number of values filled in per column (named as in MISC)."""

    sentences: list[Sentence] = field(default_factory=list)
    filled: dict[str, int] = field(default_factory=dict)
    expected: dict[str, float] = field(default_factory=dict)
    """Expected number of correct values among those filled in (the sum of their probabilities)."""
    left: dict[str, int] = field(default_factory=dict)
    """Numbers of values that were too improbable to be filled in, and are only in MISC."""
    relaxed: list[int] = field(default_factory=list)
    """Line numbers of the sentences whose given heads were ignored because the model allows no tree
    with these heads."""
    touched: int = 0
    """Number of sentences with missing values."""
    unknown: dict[str, int] = field(default_factory=dict)
    """Numbers of given tags and labels that were not used because they are unknown to the model."""

    def summary(self) -> str:
        """Return a one-line summary."""
        if not self.touched:
            return f"no value was missing (sentences: {len(self.sentences):,})"
        parts = [
            f"{name} {number:,} (expected correct: {100 * self.expected[name] / number:.1f} %)"
            for name, number in self.filled.items()
        ]
        line = f"filled in {self.touched:,} of {len(self.sentences):,} sentences: "
        line += ", ".join(parts) or "nothing"
        if self.left:
            rest = ", ".join(f"{name} {number:,}" for name, number in self.left.items())
            line += f"; not sure enough, only in MISC: {rest}"
        if self.relaxed:
            line += (
                f"; sentences whose given heads were not used, since the model has no such tree: "
                f"{len(self.relaxed):,} (first at line {self.relaxed[0]})"
            )
        if self.unknown:
            unused = ", ".join(f"{name} {number:,}" for name, number in self.unknown.items())
            line += f"; given values unknown to the model, so not used: {unused}"
        return line


def complete(
    treebank: Sequence[Sentence],
    model: Model | None = None,
    *,
    below: float = 0.0,
    kind: str = USUAL_KIND,
    seed: int = 1,
    threads: int = 0,
    config: Any = None,
    session: Session | None = None,
    **settings: Any,
) -> Completion:
    """Fill in the fields that are ``_``.

    Parameters
    ----------
    treebank
        Partly annotated sentences.
    model
        A parser. By default, a parser is trained on the fully annotated sentences.
    below
        Values less probable than this threshold are not filled in, but only noted in MISC.
    kind, config, session, **settings
        Options of training, as in `bistro.train`.
    seed
        Seed of the training and of the search.
    threads
        Number of threads; 0 uses all cores.
    """
    if not 0 <= below <= 1:
        raise BistroError(f"'below' is {below}, but must be a probability between 0 and 1")
    for sentence in treebank:
        if sentence.format == "text":
            raise BistroError(
                "plain text has no annotation to complete: parse it first (bistro parse)"
            )
    if model is None:
        known = whole_sentences(treebank, getattr(config, "tagset", "upos"))
        model = train(kind, known, config=config, seed=seed, session=session, **settings)
    parser = PARSE.of(model)
    done = Completion()
    wanting = [s for s in treebank if len(s) and lacking(s, parser)]
    done.unknown = _unknown(wanting, parser)
    evidence = [usable(sentence, parser, done) for sentence in wanting]
    options = {"tags": "given", "partial": True, "marginals": True, "threads": threads}
    parses = parser.parse_all(evidence, seed=seed, **options)
    filled = {
        id(sentence): _filled(sentence, parse, parser, below, done)
        for sentence, parse in zip(wanting, parses, strict=True)
    }
    done.sentences = [filled.get(id(sentence), sentence) for sentence in treebank]
    done.touched = len(wanting)
    return done


def whole_sentences(treebank: Sequence[Sentence], tagset: str = "upos") -> list[Sentence]:
    """Return the sentences that have all heads and tags (and labels, if the treebank has any)."""
    has_labels = any(label != EMPTY for s in treebank for label in s.deprels)
    known = [
        s
        for s in treebank
        if len(s)
        and MISSING not in s.heads
        and EMPTY not in getattr(s, tagset)
        and not (has_labels and EMPTY in s.deprels)
    ]
    if not known:
        raise BistroError(
            f"no sentence is complete (heads, labels and {tagset.upper()} tags), so there is "
            "nothing to learn from: complete a few sentences by hand, or give a model"
        )
    return known


def lacking(sentence: Sentence, model: Parser) -> dict[str, list[int]]:
    """Return, for each column, the words that have no value in it."""
    columns = {"heads": sentence.heads, model.tag_column: getattr(sentence, model.tag_column)}
    if model.is_labelled:
        columns["deprels"] = sentence.deprels
    open_words = {
        name: [word for word, value in enumerate(values) if value in (MISSING, EMPTY)]
        for name, values in columns.items()
    }
    return {name: open_words[name] for name in NAMES if open_words.get(name)}


def _unknown(sentences: Sequence[Sentence], model: Parser) -> dict[str, int]:
    """Count the given tags and labels that a model does not know, by column (named as in MISC)."""
    known = {model.tag_column: {EMPTY, *model.tag_names}}
    if model.is_labelled:
        known["deprels"] = {EMPTY, *map(plain_label, model.label_names)}
    counts = {
        NAMES[name]: sum(value not in own for s in sentences for value in getattr(s, name))
        for name, own in known.items()
    }
    return {name: number for name, number in counts.items() if number}


def usable(sentence: Sentence, model: Parser, done: Completion) -> Sentence:
    """Return a sentence as evidence, without its heads if the model allows no tree with them."""
    if can_be_met(sentence, single_root=model.single_root):
        return sentence
    done.relaxed.append(sentence.line)
    return sentence.replace(heads=[MISSING] * len(sentence))


def _filled(
    sentence: Sentence, parse: Parse, model: Parser, below: float, done: Completion
) -> Sentence:
    """Return a sentence with its missing values filled in, and count the new values."""
    if parse.relaxed:
        done.relaxed.append(sentence.line)
    open_words = lacking(sentence, model)
    heads = combined_heads(sentence, parse, single_root=model.single_root)
    sure = {name: value_probabilities(name, heads, parse, model) for name in open_words}
    values: dict[str, Sequence[Any]] = {
        "heads": heads,
        "deprels": parse.labels,
        model.tag_column: model.shown_tags(parse.tags),
    }
    accepted = {
        name: {word for word in words if sure[name][word] >= below}
        for name, words in open_words.items()
    }
    if "heads" in open_words and "deprels" in open_words:  # no label without a head
        accepted["deprels"] -= set(open_words["heads"]) - accepted["heads"]
    columns = {
        name: [
            values[name][word] if word in accepted[name] else old
            for word, old in enumerate(getattr(sentence, name))
        ]
        for name in open_words
    }
    for name, words in open_words.items():
        _count(NAMES[name], words, accepted[name], sure[name], done)
    if sentence.format == "conllx":  # which has no MISC
        return sentence.replace(**columns)
    misc = list(sentence.misc)
    for word in sorted({word for words in open_words.values() for word in words}):
        own = {name: values[name][word] for name, words in open_words.items() if word in words}
        filled = [name for name in own if word in accepted[name]]
        misc[word] = _note(misc[word], own, filled, {name: sure[name][word] for name in own})
    return sentence.replace(**columns, misc=misc)


def combined_heads(sentence: Sentence, parse: Parse, *, single_root: bool) -> list[int]:
    """Return the given heads, and the predicted heads for all other words.

    If the parser could not use the given heads, the given and predicted heads might not form a
    tree. In that case, the words without a given head are attached one by one, starting with the
    most certain word. Each word gets the most probable head that does not create a cycle.
    """
    given_heads = sentence.heads
    heads = [
        old if old != MISSING else new for old, new in zip(given_heads, parse.heads, strict=True)
    ]
    roots = "one" if single_root and given_heads.count(0) <= 1 else "any"
    if not find_tree_problem(heads, roots=roots, partial=False):  # type: ignore[arg-type]
        return heads
    assert parse.marginals is not None
    heads = list(given_heads)
    rows = parse.marginals.heads
    waiting = [word for word, head in enumerate(given_heads) if head == MISSING]
    for word in sorted(waiting, key=lambda w: -max((p for _, p in rows[w]), default=0.0)):
        # After the predicted heads come the root of the sentence, and all other words.
        others = [place for place, head in enumerate(heads, start=1) if head == 0]
        choices = [head for head, _ in rows[word]] + others + [*range(1, len(heads) + 1), 0]
        has_root = bool(others) and roots == "one"
        heads[word] = next(
            head
            for head in choices
            if (head == 0 and not has_root) or (head > 0 and not _is_below(heads, head, word + 1))
        )
    return heads


def _is_below(heads: Sequence[int], word: int, top: int) -> bool:
    """Return whether a word is `top` or one of its descendants, according to the known heads."""
    while word > 0 and word != top:
        word = heads[word - 1]
    return word == top


def value_probabilities(name: str, heads: list[int], parse: Parse, model: Parser) -> list[float]:
    """Return the probability of each predicted value in a column."""
    marginals = parse.marginals
    assert marginals is not None
    words = range(len(parse.sentence))
    if name == "heads":
        probabilities = [head_probability(heads, word, heads[word], marginals) for word in words]
    elif name == "deprels":
        probabilities = [
            added(p for label, p in row if plain_label(label) == own)
            for row, own in zip(marginals.labels, parse.labels, strict=True)
        ]
    else:
        tags = model.shown_tags(parse.tags)
        rows = [[(model.shown_tags([t])[0], p) for t, p in row] for row in marginals.tags]
        probabilities = [added(p for t, p in rows[word] if t == tags[word]) for word in words]
    return [min(1.0, p) for p in probabilities]


def _count(
    name: str, words: Sequence[int], accepted: set[int], sure: Sequence[float], done: Completion
) -> None:
    if accepted:
        done.filled[name] = done.filled.get(name, 0) + len(accepted)
        done.expected[name] = done.expected.get(name, 0.0) + added(sure[w] for w in accepted)
    if len(accepted) < len(words):
        done.left[name] = done.left.get(name, 0) + len(words) - len(accepted)


def _note(
    misc: str, values: Mapping[str, Any], filled: Sequence[str], sure: Mapping[str, float]
) -> str:
    """Return the MISC field of a word, with filled-in or open values and their probabilities."""
    kept = [] if misc == EMPTY else misc.split("|")
    kept = [entry for entry in kept if entry.partition("=")[0] not in OWN_KEYS]
    if filled:
        kept.append(f"{FILLED}={','.join(NAMES[name] for name in filled)}")
    for name, value in values.items():
        if name not in filled:
            shown = head_text(value) if name == "heads" else value
            kept.append(f"{MAYBE}{NAMES[name]}={shown}")
    return put_probabilities("|".join(kept) or EMPTY, {KEYS[name]: p for name, p in sure.items()})
