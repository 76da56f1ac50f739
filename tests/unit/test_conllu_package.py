"""Field by field, our reader and the `conllu` package see the same."""

from __future__ import annotations

import io
from pathlib import Path

import conllu
import pytest

from bistro.treebank.treebank import iter_sentences

PLAIN = """\
# sent_id = 1
# text = don't go home
1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tdo\tdo\tAUX\tVBP\tMood=Ind|Tense=Pres\t3\taux\t3:aux\t_
2\tn't\tnot\tPART\tRB\tPolarity=Neg\t3\tadvmod\t3:advmod\tA=b|C=d
3\tgo\tgo\tVERB\tVB\t_\t0\troot\t0:root\t_
3.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t0:root\tCopyOf=3
4\thome\thome\tADV\tRB\t_\t3\tadvmod\t3:advmod\tSpaceAfter=No

# sent_id = 2
# text = 語 \U0001f600
1\t語\t_\tNOUN\t_\tCase=Nom\t0\troot\t_\t_
2\t\U0001f600\t_\tSYM\t_\t_\t1\tdep\t_\t_

"""


def as_text(value: dict[str, str | None] | str | None, joint: str = "=") -> str:
    """Return a value the package has taken apart as it stood in the file."""
    if value is None:
        return "_"
    if isinstance(value, str):
        return value
    return "|".join(key if item is None else f"{key}{joint}{item}" for key, item in value.items())


def as_deps(value: list[tuple[str, object]] | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or "_"

    def node(head: object) -> str:
        return "".join(map(str, head)) if isinstance(head, tuple) else str(head)

    return "|".join(f"{node(head)}:{relation}" for relation, head in value)


def compare(data: str) -> int:
    ours = list(iter_sentences(io.BytesIO(data.encode()), "conllu"))
    theirs = list(conllu.parse_incr(io.StringIO(data, newline="\n")))
    assert len(ours) == len(theirs)
    for sentence, tokens in zip(ours, theirs, strict=True):
        words = [token for token in tokens if isinstance(token["id"], int)]
        assert sentence.forms == [word["form"] for word in words]
        assert sentence.lemmas == [as_text(word["lemma"]) for word in words]
        assert sentence.upos == [as_text(word["upos"]) for word in words]
        assert sentence.xpos == [as_text(word["xpos"]) for word in words]
        assert sentence.feats == [as_text(word["feats"]) for word in words]
        assert sentence.heads == [word["head"] for word in words]
        assert sentence.deprels == [as_text(word["deprel"]) for word in words]
        assert sentence.deps == [as_deps(word["deps"]) for word in words]
        assert sentence.misc == [as_text(word["misc"]) for word in words]
        others = [token for token in tokens if not isinstance(token["id"], int)]
        assert sentence.multiword == [
            (token["id"][0], token["id"][2], token["form"])
            for token in others
            if token["id"][1] == "-"
        ]
        assert [(node[0], node[1]) for node in sentence.empty_nodes] == [
            ("".join(map(str, token["id"])), as_text(token["form"]))
            for token in others
            if token["id"][1] == "."
        ]
        theirs_with_values = {k: v for k, v in tokens.metadata.items() if v is not None}
        assert sentence.metadata == theirs_with_values
    return len(ours)


def test_hand_made() -> None:
    assert compare(PLAIN) == 2


@pytest.mark.data
def test_english(data_dir: Path) -> None:
    text = (data_dir / "en_ewt" / "en_ewt-ud-dev.conllu").read_bytes().decode()
    assert compare(text) == 2001
