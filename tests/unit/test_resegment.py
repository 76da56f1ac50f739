"""Splitting and joining words: all numbers follow, all other bytes stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bistro.errors import BistroError
from bistro.treebank.resegment import join_words, sentence_of, split_word
from bistro.treebank.sentence import Sentence

RICH = """# sent_id = 1
# text = du bist nicht da
1-2\tduda\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tdu\tdu\tPRON\t_\t_\t3\tnsubj\t3:nsubj|3.1:obj\tGloss=you
2\tda\t_\tADV\t_\t_\t3\tadvmod\t3:advmod\t_
3\tist\tsein\tAUX\t_\t_\t0\troot\t0:root\tSpaceAfter=No|X=1
3.1\tgeht\tgehen\tVERB\t_\t_\t_\t_\t3:conj\t_
4\tnicht\tnicht\tPART\t_\t_\t3\tadvmod\t3.1:advmod\t_

"""


@st.composite
def sentences(draw: st.DrawFn) -> str:
    """Draw the text of a sentence with unique forms, and everything that counts words."""
    size = draw(st.integers(1, 6))
    heads = [draw(st.integers(-1, word - 1)) for word in range(1, size + 1)]
    flip = draw(st.booleans())  # heads to the right as well
    if flip:
        heads = [(size + 1 - h if h > 0 else h) for h in reversed(heads)]
    lines = draw(st.lists(st.sampled_from(["# sent_id = a", "# note"]), max_size=2, unique=True))
    nodes = {word: draw(st.integers(0, 2)) for word in range(size + 1)}
    names = [str(word) for word in range(size + 1)]
    names += [f"{word}.{n}" for word, number in nodes.items() for n in range(1, number + 1)]
    graph = st.lists(st.sampled_from(names), max_size=3, unique=True)
    covered = 0
    for word in range(size + 1):
        if word:
            last = draw(st.integers(word, min(size, word + 2)))
            if last > word > covered and draw(st.booleans()):
                misc = draw(st.sampled_from(["_", "SpaceAfter=No"]))
                lines.append(f"{word}-{last}\tm{word}" + "\t_" * 7 + f"\t{misc}")
                covered = last
            head = "_" if heads[word - 1] < 0 else str(heads[word - 1])
            deps = "|".join(f"{name}:x:y" for name in draw(graph)) or "_"
            misc = draw(st.sampled_from(["_", "SpaceAfter=No", "A=b|SpaceAfter=No|C=d", "A=b"]))
            lines.append(f"{word}\tab{word}\tl\tX\t_\t_\t{head}\tdep\t{deps}\t{misc}")
        for number in range(1, nodes[word] + 1):
            lines.append(f"{word}.{number}\te{word}{number}\t_\t_\t_\t_\t_\t_\t{names[-1]}:z\t_")
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return end.join(lines) + draw(st.sampled_from([end, end * 2, ""]))


def named(sentence: Sentence) -> dict[str, object]:
    """Return what hangs on what, by names instead of numbers: the slow twin of renumbering."""
    rows = [row.split("\t") for row in str(sentence).replace("\r", "").split("\n") if "\t" in row]
    names = {row[0]: row[1] for row in rows if "-" not in row[0]} | {"0": "root", "_": "?"}
    found: dict[str, object] = {}
    for row in rows:
        if "-" in row[0]:
            first, last = map(int, row[0].split("-"))
            found[row[1]] = [names[str(word)] for word in range(first, last + 1)]
        else:
            arcs = [] if row[8] == "_" else [arc.split(":", 1) for arc in row[8].split("|")]
            found[row[1]] = (names[row[6]], [(names[head], label) for head, label in arcs])
    return found


@given(sentences(), st.data())
def test_splitting_and_joining_gives_the_same_bytes(text: str, data: st.DataObject) -> None:
    sentence = sentence_of(text)
    assert str(sentence) == text
    word = data.draw(st.integers(1, len(sentence)))
    form = sentence.forms[word - 1]
    parts = [form[:1], form[1:]] if data.draw(st.booleans()) else list(form)
    inside = any(first <= word <= last for first, last, _ in sentence.multiword)
    multiword = not inside and data.draw(st.booleans())
    split = split_word(sentence, word, parts, multiword=multiword)
    assert len(split) == len(sentence) + len(parts) - 1
    joined = join_words(split, word, word + len(parts) - 1)
    assert str(joined) == text


@given(sentences(), st.data())
def test_numbers_follow_the_words(text: str, data: st.DataObject) -> None:
    sentence = sentence_of(text)
    word = data.draw(st.integers(1, len(sentence)))
    form = sentence.forms[word - 1]
    expected = named(sentence)
    expected["a"] = expected.pop(form)
    expected["rest"] = ("?", [])

    def renamed(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(renamed(part) for part in value)
        if isinstance(value, list):
            mapped = [renamed(part) for part in value]
            if form in value:  # a multiword token: both parts are in it
                mapped.insert(mapped.index("a") + 1, "rest")
            return mapped
        return "a" if value == form else value

    inside = any(first <= word <= last for first, last, _ in sentence.multiword)
    if inside:
        split = split_word(sentence, word, ["a", "rest"])
    else:
        split = split_word(sentence, word, ["a", "rest"], multiword=True)
        expected[form] = ["a", "rest"]
    assert named(split) == {
        name: value if name == form else renamed(value) for name, value in expected.items()
    }


def test_a_word_of_a_multiword_token() -> None:
    split = split_word(sentence_of(RICH), 2, ["d", "a"])
    assert split.multiword == [(1, 3, "duda")]
    assert split.misc[1:3] == ["_", "_"]
    assert split.heads == [4, 4, -1, 0, 4]
    assert [row[0] for row in split.empty_nodes] == ["4.1"]
    assert split.deps[0] == "4:nsubj|4.1:obj"


def test_joining_takes_the_head_that_is_outside() -> None:
    sentence = sentence_of(RICH.replace("2\tda\t_\tADV\t_\t_\t3", "2\tda\t_\tADV\t_\t_\t1"))
    joined = join_words(sentence, 1, 2)
    assert (joined.forms[0], joined.heads, joined.deprels[0]) == ("duda", [2, 0, 2], "nsubj")
    assert joined.multiword == []
    assert joined.misc[0] == "SpaceAfter=No|Gloss=you"
    other = join_words(sentence_of(RICH), 3, 4)
    assert other.forms == ["du", "da", "istnicht"]
    assert other.heads == [3, 3, 0]
    assert [row[0] for row in other.empty_nodes] == ["3.1"]


def test_words_with_a_space_between_stay_apart() -> None:
    sentence = Sentence.from_columns(["New", "York", "grows"], heads=[2, 3, 0])
    joined = join_words(sentence, 1, 2)
    assert (joined.forms, joined.heads) == (["New York", "grows"], [2, 0])
    assert join_words(sentence, 1, 2, form="NewYork").forms[0] == "NewYork"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda s: split_word(s, 9, ["a", "b"]), "there is no word 9"),
        (lambda s: split_word(s, 3, ["ist"]), "at least two parts"),
        (lambda s: split_word(s, 3, ["i", "s"]), "do not spell 'ist'"),
        (lambda s: split_word(s, 1, ["d", "u"], multiword=True), "already"),
        (lambda s: join_words(s, 2, 3), "only part of the multiword token 'duda'"),
        (lambda s: join_words(s, 3, 3), "nothing to join"),
    ],
)
def test_what_cannot_be_done_is_said(change: object, said: str) -> None:
    with pytest.raises(BistroError, match=said):
        change(sentence_of(RICH))  # type: ignore[operator]
