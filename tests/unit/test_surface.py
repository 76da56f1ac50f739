"""The running text of a treebank: spaces, paragraphs, and texts that contradict the words."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bistro.treebank.sentence import Sentence
from bistro.treebank.surface import RunningText, surface_tokens, unescape
from bistro.treebank.treebank import iter_sentences

MULTIWORD = """\
# newdoc id = a
# text = du pain.
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tSpacesAfter=\\s\\s
1\tde\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tle\t_\t_\t_\t_\t_\t_\t_\t_
3\tpain\t_\t_\t_\t_\t_\t_\t_\tX=1|SpaceAfter=No
3.1\tpain\t_\t_\t_\t_\t_\t_\t_\t_
4\t.\t_\t_\t_\t_\t_\t_\t_\t_

"""


def text_of(*sentences: Sentence) -> str:
    return "".join(RunningText().pieces(sentences))


def words(
    *forms: str, misc: list[str] | None = None, comments: list[str] | None = None
) -> Sentence:
    return Sentence.from_columns(forms, misc=misc or ["_"] * len(forms), comments=comments or [])


def test_tokens_of_several_words_are_written_as_one() -> None:
    [sentence] = iter_sentences(io.BytesIO(MULTIWORD.encode()), "conllu")
    assert text_of(sentence) == "du  pain.\n"
    assert [(token.first, token.last, token.form) for token in sentence.tokens] == [
        (1, 2, "du"),
        (3, 3, "pain"),
        (4, 4, "."),
    ]
    [with_returns] = iter_sentences(io.BytesIO(MULTIWORD.replace("\n", "\r\n").encode()), "conllu")
    assert text_of(with_returns) == "du  pain.\n"


def test_sentences_are_joined_by_their_spaces() -> None:
    glued = words("a", "b", misc=["_", "SpaceAfter=No"])
    assert text_of(glued, glued, words("c"), glued) == "a ba bc a b\n"


@pytest.mark.parametrize("comment", ["# newpar", "# newpar id = p1", "#newdoc", "# newdoc id = d"])
def test_paragraphs_are_separated_by_a_blank_line(comment: str) -> None:
    new = words("b", comments=["# sent_id = 2", comment])
    assert text_of(new, words("a"), new) == "b a\n\nb\n"
    assert text_of(words("a", misc=["SpacesAfter=\\n"]), new) == "a\n\nb\n"
    assert text_of(words("a", misc=["SpacesAfter=\\s\\n\\s\\n"]), new) == "a \n \nb\n"
    assert text_of(words("a", misc=["SpaceAfter=No"]), new) == "a\n\nb\n"


def test_similar_comments_are_no_paragraphs() -> None:
    assert text_of(words("a"), words("b", comments=["# newparagraph", "# text = b"])) == "a b\n"


def test_spaces_before_in_and_after() -> None:
    sentence = words(
        *("a", "1 2", "b"),
        misc=[
            "SpacesBefore=\\s\\t|SpacesAfter=\\u00A0",
            "SpacesInToken=1\\n2",
            "SpacesAfter=\\r\\n",
        ],
    )
    assert text_of(sentence, sentence) == " \ta\u00a01\n2 b\r\n \ta\u00a01\n2 b\r\n"


def test_escapes() -> None:
    assert unescape(r"\s\t\r\n\p\\\u3000\q") == " \t\r\n|\\\u3000\\q"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a b", "'# text' has 'a b' where the words have 'ab'"),
        ("a c", "'# text' has 'a c' where the words have 'ab'"),
        ("ab and more", "'# text' has 'ab and more' where the words have 'ab'"),
        ("b" * 60, "'# text' has 'bbb"),
    ],
)
def test_contradictions_are_told_and_the_words_written(text: str, told: str) -> None:
    sentence = words(
        "a", "b", misc=["SpaceAfter=No", "_"], comments=["# sent_id = 1", f"# text = {text}"]
    )
    running = RunningText("t.conllu")
    assert "".join(running.pieces([sentence])) == "ab\n"
    [message] = running.contradictions
    assert message.startswith(f"t.conllu:2: {told}")
    assert len(message) < 200


@pytest.mark.parametrize("text", ["ab c", "ab  c", "ab\u00a0c"])
def test_spaces_of_other_kinds_are_no_contradiction(text: str) -> None:
    sentence = words(
        "a", "b", "c", misc=["SpaceAfter=No", "SpacesAfter=\\t", "_"], comments=[f"# text = {text}"]
    )
    running = RunningText()
    assert "".join(running.pieces([sentence])) == "ab\tc\n"
    assert not running.contradictions


def test_without_spaceafter_the_spaces_are_those_of_the_text() -> None:
    sentence = words("It", "'s", "1 000", "!", comments=["# text = It's 1 000!"])
    running = RunningText()
    assert "".join(running.pieces([sentence, words("a")])) == "It's 1 000! a\n"
    assert (running.spaces_from_text, running.contradictions) == (1, [])


PIECES = st.text("ab.\u00e9", min_size=1, max_size=3)
GAPS = st.text(" \t\n\r|\\\u00a0", max_size=3)
ESCAPES = {" ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p", "\\": "\\\\"}


@given(st.lists(st.lists(st.tuples(PIECES, GAPS), min_size=1, max_size=4), min_size=1, max_size=4))
def test_any_text_comes_back(sentences: list[list[tuple[str, str]]]) -> None:
    made = []
    for tokens in sentences:
        gaps = ["".join(ESCAPES.get(c, "\\u00A0") for c in gap) for _, gap in tokens]
        misc = [f"SpacesAfter={gap}" if gap else "SpaceAfter=No" for gap in gaps]
        made.append(words(*(form for form, _ in tokens), misc=misc))
    text = "".join(form + gap for tokens in sentences for form, gap in tokens)
    assert text_of(*made) == (text if sentences[-1][-1][1] else text + "\n")
    assert [token.after for token in surface_tokens(made[0])] == [gap for _, gap in sentences[0]]
