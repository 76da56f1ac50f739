"""Marks are features that carry number and negation from one word of a tree to another.

Many contexts contain only the tag of a word. In *The pilots behind the teacher injured themselves*,
the tag of *injured* must show that its subject is plural, even though the form of the verb does not
show it. Marks are added to the features of training trees before the members are trained. Members
whose `tag_features` contain marks predict them as part of the tag. Number, negation and auxiliaries
can be predicted, because they depend on words to the left.

`number`
    Verbs and auxiliaries get the Number and Person of their subject. A verb without a subject gets
    the Number and Person of its understood subject. The understood subject is the noun that the
    verb modifies, the object of its head, or else the subject of its head (*wanted to hurt
    herself*). A verb whose object is a reflexive pronoun gets the Number and Person of the pronoun,
    which agrees with the subject even if the subject is not found.
`negation`
    A noun after a negative determiner gets Negated=Yes. A verb or an auxiliary gets the same mark
    after a negative subject or particle, or in the complement of a negated verb.
`gap`
    The head of a relative clause whose subject is the relative pronoun gets Gap=Subj, and so do its
    auxiliaries. Clauses with another relative or interrogative word that depends on a later word,
    and relative clauses without a pronoun, get Gap=Other. In longer dependencies, every word on the
    path to the gap gets this mark. The marks distinguish relative clauses from main clauses, and a
    missing object from an object that is still expected.
`auxiliary`
    A verb after an auxiliary that is not passive gets Aux=Yes. This mark distinguishes perfect
    participles from passive participles, which take no objects. It also distinguishes modals from
    *to* before an infinitive.
`past`
    VBN becomes VBD if the verb has an object or an active subject, but no auxiliary. Parsers
    confuse these two Penn tags in raw text, and only verbs in the past tense take objects and agree
    with their subjects.
`present`
    VB becomes VBP if the verb has a subject, but neither an auxiliary nor a particle such as *to*.
    Parsers confuse these two tags in raw text as well.

Labels and features follow Universal Dependencies.

>>> sentence = Sentence.from_columns(
...     ["No", "pilots", "slept"],
...     upos=["DET", "NOUN", "VERB"],
...     feats=["PronType=Neg", "Number=Plur", "Tense=Past"],
...     heads=[2, 3, 0],
...     deprels=["det", "nsubj", "root"],
... )
>>> marked(sentence, ["number", "negation"]).feats[1:]
['Number=Plur|Negated=Yes', 'Tense=Past|Number=Plur|Person=3|Negated=Yes']
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Literal

from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence

MarkName = Literal["number", "negation", "gap", "auxiliary", "past", "present"]
NEEDS: dict[MarkName, tuple[str, ...]] = {
    "number": ("Number", "Person", "PronType", "Reflex"),
    "negation": ("PronType", "Polarity"),
    "gap": ("PronType",),
    "auxiliary": (),
    "past": (),
    "present": (),
}
"""The features that determine each mark, in addition to the universal tag."""
ADDED = {"negation": "Negated", "gap": "Gap", "auxiliary": "Aux"}
"""The features that marks add."""
VERBS = ("VERB", "AUX")
AUXILIARY = ("aux", "cop")
OBJECTS = ("obj", "iobj")
INHERITS_NUMBER = ("xcomp", "conj", "advcl")
INHERITS_NEGATION = ("xcomp", "ccomp")
PARTICIPLE, PAST = "VBN", "VBD"
INFINITIVE, PRESENT = "VB", "VBP"
PASSIVE_OR_AUXILIARY = {"aux", "aux:pass", "nsubj:pass", "cop"}
RELATIVE = ("Int", "Rel")
FILLERS = ("PRON", "DET")
SUBJECT_GAP, OTHER_GAP = "Subj", "Other"
REMEMBERED = 1 << 14
Features = dict[str, str]


def marked(sentence: Sentence, marks: Collection[MarkName]) -> Sentence:
    """Return a tree whose features include the marks."""
    tree = _Tree(sentence)
    feats = [dict(features) for features in tree.feats]
    if "number" in marks:
        for word in tree.verbs:
            for name, value in zip(("Number", "Person"), tree.agreement(word), strict=True):
                feats[word].pop(name, None)
                if value:
                    feats[word][name] = value
    words: dict[MarkName, Callable[[], Collection[int]]] = {
        "negation": tree.negated,
        "auxiliary": tree.with_auxiliary,
    }
    for mark, find in words.items():
        for word in find() if mark in marks else ():
            feats[word][ADDED[mark]] = "Yes"
    for word, gap in tree.gaps().items() if "gap" in marks else ():
        feats[word][ADDED["gap"]] = gap
    columns: dict[str, list[str]] = {"feats": [_joined(features) for features in feats]}
    columns["xpos"] = tags = list(sentence.xpos)
    for word in tree.verbs:
        if tags[word] == PARTICIPLE and "past" in marks and tree.is_past(word):
            tags[word] = PAST
        elif tags[word] == INFINITIVE and "present" in marks and tree.is_present(word):
            tags[word] = PRESENT
    return sentence.replace(**columns)


class _Tree:
    """A tree whose words are numbered from 0; the head of the root is -1."""

    def __init__(self, sentence: Sentence) -> None:
        self.upos = sentence.upos
        self.deprels = sentence.deprels
        self.labels = [label.partition(":")[0] for label in sentence.deprels]
        self.in_relative = [label == "acl:relcl" for label in sentence.deprels]
        self.heads = [head - 1 for head in sentence.heads]
        self.feats = [_parts(feats) for feats in sentence.feats]
        self.children: list[list[int]] = [[] for _ in self.heads]
        for word, head in enumerate(self.heads):
            if head >= 0:
                self.children[head].append(word)
        self.verbs = [word for word, tag in enumerate(self.upos) if tag in VERBS]
        self.negation: list[int] = []
        """For each word, the position of the first word that negates it, or the sentence length
        if no word negates it."""
        for word in range(len(self.heads)):  # depends on words before
            self.negation.append(self._found_negation(word))

    def subject(self, word: int) -> int:
        """Return the first subject of a word, or -1 if the word has no subject."""
        return next((c for c in self.children[word] if self.labels[c] in ("nsubj", "csubj")), -1)

    def is_relative(self, word: int) -> bool:
        """Return whether a word is relative or interrogative, such as *who*."""
        return self.feats[word].get("PronType") in RELATIVE

    def agreement(self, word: int) -> tuple[str, str]:
        """Return the number and person of a word's subject."""
        if (reflexive := self._reflexive_object(word)) >= 0:
            return self._number_of(reflexive, self.feats[word])
        while True:
            head, label, own = self.heads[word], self.labels[word], self.feats[word]
            is_auxiliary = label in AUXILIARY and head >= 0
            subject = self.subject(head if is_auxiliary else word)
            if self.in_relative[word] and (subject < 0 or self.is_relative(subject)):
                return self._number_of(head, own)
            if 0 <= subject < word:
                return self._number_of(subject, own)
            if subject < 0 and 0 <= head < word:
                if (controller := self._controller(word)) >= 0:
                    return self._number_of(controller, own)
                inherits = self.upos[head] in VERBS or self.subject(head) >= 0
                if label in INHERITS_NUMBER and inherits:
                    word = head
                    continue
            if not (subject < 0 and is_auxiliary):
                return _agreeing(own.get("Number", ""), own.get("Person", ""))
            word = head

    def _reflexive_object(self, word: int) -> int:
        """Return the first reflexive pronoun that follows a word and is its object, or -1."""
        objects = (
            child
            for child in self.children[word]
            if child > word and self.labels[child] in OBJECTS and "Reflex" in self.feats[child]
        )
        return next(objects, -1)

    def _controller(self, word: int) -> int:
        """Return the noun that is understood as the subject of a participle or complement, or -1.

        The understood subject of a participle is the noun that it modifies (*people helping
        themselves*). The understood subject of a complement is the object of the verb that it
        depends on (*let them help themselves*).
        """
        head, label = self.heads[word], self.labels[word]
        if label == "acl":
            has_mark = any(self.labels[child] == "mark" for child in self.children[word])
            return -1 if has_mark else head
        objects = (
            child
            for child in self.children[head]
            if head < child < word and self.labels[child] in OBJECTS
        )
        return next(objects, -1) if label == "xcomp" else -1

    def _number_of(self, word: int, verb: Features) -> tuple[str, str]:
        """Return the number and person of a subject."""
        feats = self.feats[word]
        number = feats.get("Number") or verb.get("Number", "")
        if any(self.labels[child] == "conj" for child in self.children[word]):
            number = "Plur"
        return _agreeing(number, feats.get("Person", "3"))

    def _found_negation(self, word: int) -> int:
        """Return the position of the first word that negates the given word."""
        head, never = self.heads[word], len(self.heads)
        places = [child for child in self.children[word] if child < word and self._negates(child)]
        if self.feats[word].get("PronType") == "Neg" and self.labels[word] != "det":
            places.append(word)
        if self.labels[word] in INHERITS_NEGATION and 0 <= head < word:
            places.append(head if self.negation[head] <= head else never)
        return min(places, default=never)

    def _negates(self, child: int) -> bool:
        """Return whether a word negates its head."""
        if "Neg" in (self.feats[child].get("Polarity"), self.feats[child].get("PronType")):
            return True
        return self.labels[child] == "nsubj" and self.negation[child] <= child

    def negated(self) -> list[int]:
        """Return the words that are marked as negated."""
        words = []
        for word, tag in enumerate(self.upos):
            owner = word
            if tag == "AUX" and self.labels[word] in AUXILIARY and self.heads[word] >= 0:
                owner = self.heads[word]
            if tag in (*VERBS, "NOUN", "PROPN", "PRON") and self.negation[owner] <= word:
                words.append(word)
        return words

    def with_auxiliary(self) -> list[int]:
        """Return the verbs whose last auxiliary is not passive."""
        return [word for word in self.verbs if self._last(word, "aux") == "aux"]

    def gaps(self) -> dict[int, str]:
        """Return the words of clauses with a gap, each with the type of the gap."""
        gap_types = {}
        for word, tag in enumerate(self.upos):
            if self.is_relative(word) and tag in FILLERS:
                head = self.heads[word]
                if self.labels[word] == "nsubj" and head > word:
                    if self.in_relative[head]:
                        gap_types[head] = SUBJECT_GAP
                    head = self.heads[head]
                while head > word:
                    gap_types[head] = OTHER_GAP
                    head = self.heads[head]
            elif self.in_relative[word] and tag in VERBS:
                before = [child for child in self.children[word] if child < word]
                has_subject = any(self.labels[child] == "nsubj" for child in before)
                if has_subject and not any(map(self.is_relative, before)):
                    gap_types[word] = OTHER_GAP
        for word in self.verbs:
            if self.labels[word] in AUXILIARY and self.heads[word] in gap_types:
                gap_types[word] = gap_types[self.heads[word]]
        return gap_types

    def _last(self, word: int, label: str) -> str:
        """Return the full relation of the last left child with this label, or an empty string."""
        before = (child for child in reversed(self.children[word]) if child < word)
        return next((self.deprels[child] for child in before if self.labels[child] == label), "")

    def is_past(self, word: int) -> bool:
        """Return whether a verb tagged as a participle must be in the past tense."""
        labels = {self.deprels[child] for child in self.children[word]}
        return bool(labels & {"nsubj", "obj"}) and not labels & PASSIVE_OR_AUXILIARY

    def is_present(self, word: int) -> bool:
        """Return whether a verb tagged as an infinitive must be in the present tense."""
        before = [child for child in self.children[word] if child < word]
        labels = {self.labels[child] for child in before}
        has_particle = any(
            self.labels[child] == "mark" and self.upos[child] == "PART" for child in before
        )
        return "nsubj" in labels and "aux" not in labels and not has_particle


@lru_cache(REMEMBERED)
def _parts(feats: str) -> Features:
    """Return a dictionary of a word's features."""
    pairs = feats.split("|") if feats != EMPTY else []
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)


def _agreeing(number: str, person: str) -> tuple[str, str]:
    """Return the number and person of a verb. *You* has no number, and *scissors* are plural."""
    return "" if person == "2" else "Plur" if number == "Ptan" else number, person


def _joined(features: Features) -> str:
    return "|".join(f"{name}={value}" for name, value in features.items()) or EMPTY
