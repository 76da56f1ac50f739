"""Random valid CoNLL-U files, and one made by hand with everything odd in it."""

from __future__ import annotations

from hypothesis import strategies as st

# The last four look like line ends to str.splitlines, and are ordinary characters here.
ODD_CHARACTERS = " #_-.=|ñ語\U0001f600\u0301\u200b\ufeff\u2028\x85\x0b\x1c"
FIELDS = st.text(
    st.one_of(
        st.sampled_from("abcXYZ09" + ODD_CHARACTERS),
        st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\0"),
    ),
    min_size=1,
    max_size=6,
)

HAND_MADE = (
    "\ufeff\n\n"
    "# newdoc id = weblog\n# sent_id = a-1\n#no space=yes\n# text = don't go  = home\n"
    "0.1\tit\t_\tPRON\t_\t_\t_\t_\t2:nsubj\tCopyOf=2\n"
    "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
    "1\tdo\tdo\tAUX\tVBP\tMood=Ind|Tense=Pres\t3\taux\t3:aux\t_\n"
    "# a comment between words\n"
    "2\tn't\tnot\tPART\tRB\tPolarity=Neg\t03\tadvmod\t3:advmod\tx=1|y= 2\n"
    "03\tgo\tgo\tVERB\tVB\t_\t0\troot\t0:root\t_\n"
    "3.1\tgone\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "3.2\tgone\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "4\thome\u2028\x85\x0b\x1cend\thome\tADV\tRB\t_\t3\tadvmod\t_\t_\n"
    "# the last word has been\n"
    "\n\n\r\n"
    "1\t#\t#\tSYM\t_\t_\t2\tdep\t_\t_\r\n"
    "2\tmixed \r ends\t_\tX\t_\t_\t0\troot\t_\t_\n"
    "3\tin\t\t\t\t\t2\tdep\t\t\r\n"
    "\r\n"
    "1\t語\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\t\U0001f600\t_\t_\t_\t_\t_\t_\t_\t_"
)


@st.composite
def trees(draw: st.DrawFn, size: int) -> list[int]:
    """Heads of a tree: each word, in some order, hangs on one that is already there."""
    order = draw(st.permutations(range(1, size + 1)))
    heads = [0] * size
    for place, word in enumerate(order[1:], start=1):
        heads[word - 1] = order[draw(st.integers(0, place - 1))]
    return heads


@st.composite
def sentences(draw: st.DrawFn) -> list[str]:
    """The lines of a sentence, without their ends."""
    size = draw(st.integers(1, 6))
    heads = draw(st.one_of(trees(size), st.just(["_"] * size)))
    comments = st.lists(FIELDS.map("#".__add__), max_size=2)
    lines = draw(comments)
    token_end = 0
    for word in range(size + 1):
        if word:
            head = str(heads[word - 1])
            row = [str(word), *draw(st.lists(FIELDS, min_size=9, max_size=9))]
            row[6] = head if head == "_" else head.zfill(draw(st.sampled_from([1, 1, 1, 3])))
            lines.append("\t".join(row))
        for count in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
            fields = draw(st.lists(FIELDS, min_size=9, max_size=9))
            lines.append("\t".join([f"{word}.{count + 1}", *fields]))
        if token_end <= word < size and draw(st.integers(0, 4)) == 0:
            token_end = draw(st.integers(word + 1, size))
            fields = draw(st.lists(FIELDS, min_size=9, max_size=9))
            lines.append("\t".join([f"{word + 1}-{token_end}", *fields]))
        if draw(st.integers(0, 5)) == 0:
            lines += draw(comments)
    return lines


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """A whole file: line ends of any kind, blank lines, perhaps no line end at its end."""
    line_ends = draw(st.sampled_from([["\n"], ["\n"], ["\r\n"], ["\n", "\r\n"]]))
    line_end = st.sampled_from(line_ends)
    blank_lines = st.sampled_from([1, 1, 1, 2, 4])
    parts = [draw(st.sampled_from(["", "", "\ufeff"])), draw(st.sampled_from(["", "", "\n\r\n"]))]
    for lines in draw(st.lists(sentences(), min_size=1, max_size=4)):
        for line in lines:
            parts += [line, draw(line_end)]
        parts += [draw(line_end) for _ in range(draw(blank_lines))]
    text = "".join(parts)
    return draw(
        st.sampled_from([text, text, text.rstrip("\r\n"), text.rstrip("\r\n") + "\n"])
    ).encode()
