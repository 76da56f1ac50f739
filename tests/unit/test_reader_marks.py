"""Marks of number, negation, gaps, auxiliaries and tenses in training trees."""

from __future__ import annotations

from typing import get_args

import pytest

from bistro.models.reader.marks import MarkName, marked
from bistro.treebank.sentence import Sentence


def tree(text: str) -> Sentence:
    """Return a sentence of words `form/UPOS/head/label/feats`."""
    rows = [(word + "/_").split("/")[:5] for word in text.split()]
    forms, upos, heads, labels, feats = zip(*rows, strict=True)
    return Sentence.from_columns(
        forms,
        upos=upos,
        heads=list(map(int, heads)),
        deprels=labels,
        feats=[value.replace("+", "|") for value in feats],
    )


ALL: tuple[MarkName, ...] = get_args(MarkName)
REFLEXIVE = (
    "pilots/NOUN/6/nsubj/Number=Plur the/DET/3/det teacher/NOUN/4/nsubj/Number=Sing "
    "met/VERB/1/acl:relcl/Number=Plur+Person=1 have/AUX/6/aux/_ injured/VERB/0/root "
    "and/CCONJ/8/cc killed/VERB/6/conj/Number=Sing to/PART/10/mark help/VERB/8/xcomp"
)
RELATIVE = (
    "people/NOUN/0/root/Number=Plur who/PRON/4/nsubj/PronType=Rel still/ADV/4/advmod "
    "sleep/VERB/1/acl:relcl"
)
CONTROL = (
    "He/PRON/2/nsubj/Number=Sing+Person=3 let/VERB/0/root us/PRON/2/obj/Number=Plur+Person=1 "
    "help/VERB/2/xcomp people/NOUN/4/obj/Number=Plur helping/VERB/5/acl "
    "a/DET/8/det chance/NOUN/6/obj/Number=Sing to/PART/10/mark win/VERB/8/acl"
)
PASSIVE = (
    "has/AUX/3/aux been/AUX/3/aux:pass seen/VERB/0/root to/PART/6/mark have/AUX/6/aux "
    "left/VERB/3/xcomp"
)
NEGATION = (
    "No/DET/2/det/PronType=Neg pilot/NOUN/6/nsubj/Number=Sing they/PRON/4/nsubj "
    "met/VERB/2/acl:relcl has/AUX/6/aux slept/VERB/0/root"
)
COMPLEMENT = (
    "They/PRON/4/nsubj do/AUX/4/aux n't/PART/4/advmod/Polarity=Neg think/VERB/0/root "
    "he/PRON/6/nsubj left/VERB/4/ccomp and/CCONJ/8/cc slept/VERB/4/conj"
)


def having(sentence: Sentence, feature: str) -> list[str]:
    """Return the words that have a feature."""
    pairs = zip(sentence.forms, sentence.feats, strict=True)
    return [form for form, feats in pairs if feature in feats.split("|")]


def test_verbs_have_the_number_of_their_subject() -> None:
    found = marked(tree(REFLEXIVE), ALL)
    plural = having(found, "Number=Plur")
    assert plural == ["pilots", "have", "injured", "killed", "help"]
    assert having(found, "Number=Sing") == ["teacher", "met"]
    assert having(found, "Person=3") == ["met", "have", "injured", "killed", "help"]
    assert having(marked(tree(RELATIVE), ALL), "Number=Plur") == ["people", "sleep"]


def test_objects_and_modified_nouns_are_understood_as_subjects() -> None:
    found = marked(tree(CONTROL), ALL)
    assert having(found, "Person=1") == ["us", "help"]
    assert having(found, "Number=Plur") == ["us", "help", "people", "helping"]
    assert having(found, "Number=Sing") == ["He", "let", "chance"]


@pytest.mark.parametrize(
    ("text", "words"),
    [(NEGATION, ["pilot", "has", "slept"]), (COMPLEMENT, ["think", "left"]), (RELATIVE, [])],
)
def test_negation_reaches_nouns_verbs_and_complements(text: str, words: list[str]) -> None:
    assert having(marked(tree(text), ALL), "Negated=Yes") == words


@pytest.mark.parametrize(
    ("text", "words"), [(PASSIVE, ["left"]), (REFLEXIVE, ["injured"]), (RELATIVE, [])]
)
def test_passive_auxiliaries_leave_no_mark(text: str, words: list[str]) -> None:
    assert having(marked(tree(text), ALL), "Aux=Yes") == words


def test_participles_with_objects_are_in_the_past_tense() -> None:
    sentence = tree(
        "They/PRON/2/nsubj draped/VERB/0/root us/PRON/2/obj and/CCONJ/6/cc were/AUX/6/aux:pass "
        "seen/VERB/2/conj him/PRON/6/obj"
    )
    participles = sentence.replace(xpos=["PRP", "VBN", "PRP", "CC", "VBD", "VBN", "PRP"])
    assert marked(participles, ALL).xpos == ["PRP", "VBD", "PRP", "CC", "VBD", "VBN", "PRP"]


def test_infinitives_with_a_subject_are_in_the_present_tense() -> None:
    sentence = tree(
        "We/PRON/2/nsubj set/VERB/0/root it/PRON/2/obj for/SCONJ/7/mark us/PRON/7/nsubj "
        "to/PART/7/mark go/VERB/2/advcl if/SCONJ/11/mark they/PRON/11/nsubj can/AUX/11/aux "
        "stay/VERB/7/advcl"
    )
    tags = ["PRP", "VB", "PRP", "IN", "PRP", "TO", "VB", "IN", "PRP", "MD", "VB"]
    found = marked(sentence.replace(xpos=tags), ALL).xpos
    assert found == ["PRP", "VBP", *tags[2:]]
    assert marked(sentence.replace(xpos=tags), ["past"]).xpos == tags


def test_verbs_have_the_number_of_a_reflexive_object() -> None:
    sentence = tree(
        "Israel/PROPN/2/nsubj/Number=Sing defended/VERB/0/root "
        "themselves/PRON/2/obj/Number=Plur+Person=3+Reflex=Yes"
    )
    assert having(marked(sentence, ALL), "Number=Plur") == ["defended", "themselves"]


@pytest.mark.parametrize(
    ("text", "subject", "other"),
    [
        (RELATIVE, ["sleep"], []),
        (REFLEXIVE, [], ["met"]),
        ("who/PRON/3/nsubj/PronType=Rel is/AUX/3/cop tall/ADJ/0/acl:relcl", ["is", "tall"], []),
        ("Who/PRON/2/nsubj/PronType=Int slept/VERB/0/root", [], []),
        (
            "what/PRON/5/obj/PronType=Int he/PRON/3/nsubj wants/VERB/0/root to/PART/5/mark "
            "see/VERB/3/xcomp",
            [],
            ["wants", "see"],
        ),
    ],
)
def test_gaps_of_subjects_and_others(text: str, subject: list[str], other: list[str]) -> None:
    found = marked(tree(text), ALL)
    assert having(found, "Gap=Subj") == subject
    assert having(found, "Gap=Other") == other


def test_only_the_chosen_marks_are_set() -> None:
    sentence = tree(NEGATION)
    assert marked(sentence, ["auxiliary"]).feats[3:] == ["_", "_", "Aux=Yes"]
    assert marked(sentence, []).feats == sentence.feats
    assert str(sentence) == str(tree(NEGATION))
