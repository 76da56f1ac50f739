"""Attachment scores: examples worked out by hand, and everything that cannot be scored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bistro.errors import BistroError, ConfigError, TreebankError
from bistro.evaluate.attachment import score
from bistro.evaluate.metrics import CONTENT_RELATIONS
from bistro.treebank.punctuation import is_unicode_punctuation, mark, recognise
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import read


def sentence(text: str, **columns: Any) -> Sentence:
    """A sentence of `form/tag/head/label` words."""
    words = [word.rsplit("/", 3) for word in text.split(" ")]
    given: dict[str, Any] = {
        "upos": [word[1] for word in words],
        "heads": [int(word[2]) for word in words],
        "deprels": [word[3] for word in words],
    }
    return Sentence.from_columns([word[0] for word in words], **(given | columns))


GOLD = sentence(
    "The/DET/2/det dog/NOUN/3/nsubj was/AUX/4/aux:pass seen/VERB/0/root by/ADP/6/case "
    "us/PRON/4/obl:agent ,/PUNCT/8/punct loudly/ADV/4/advmod ./PUNCT/4/punct"
).replace(heads=[2, 4, 4, 0, 6, 4, 8, 4, 4])


def test_by_hand() -> None:
    """Nine words. The system is wrong in five ways:

    dog: head 3 instead of 4; was: aux instead of aux:pass, the same without subtypes;
    us: nmod instead of obl; the comma: head 4 instead of 8; loudly: dep and X instead of advmod
    and ADV.
    """
    system = GOLD.replace(
        heads=[2, 3, 4, 0, 6, 4, 4, 4, 4],
        deprels=["det", "nsubj", "aux", "root", "case", "nmod", "punct", "punct", "punct"],
        upos=["DET", "NOUN", "AUX", "VERB", "ADP", "PRON", "PUNCT", "X", "PUNCT"],
    )
    scores = score([GOLD], [system])
    assert scores.words == 9
    assert scores.sentences == 1
    assert scores.uas == pytest.approx(100 * 7 / 9)  # not dog, not the comma
    assert scores.las == pytest.approx(100 * 5 / 9)  # nor us, nor loudly
    assert scores.upos == pytest.approx(100 * 8 / 9)
    # Content words of gold: dog seen us loudly; of the system: dog seen us (loudly is punct
    # there); right among gold's: seen.
    assert scores.clas == pytest.approx(100 * 2 * 1 / (4 + 3))
    assert scores.content_words == 4
    # Without the comma and the full stop: seven words, six right heads, four right labels.
    assert scores.no_punct.words == 7
    assert scores.no_punct.uas == pytest.approx(100 * 6 / 7)
    assert scores.no_punct.las == pytest.approx(100 * 4 / 7)
    assert scores.no_punct.punct == "upos"


def test_perfect() -> None:
    scores = score([GOLD, GOLD], [GOLD, GOLD])
    assert scores.uas == scores.las == scores.clas == scores.upos == 100.0
    assert scores.no_punct.uas == scores.no_punct.las == 100.0
    assert scores.words == 18
    assert scores.sentences == 2


def test_punctuation_is_that_of_gold() -> None:
    """A system that tags everything PUNCT must not escape its errors."""
    system = GOLD.replace(upos=["PUNCT"] * 9, heads=[0, 1, 1, 1, 1, 1, 1, 1, 1])
    assert score([GOLD], [system]).no_punct.words == 7


def test_subtypes_are_ignored_but_relations_are_not() -> None:
    gold = sentence("a/X/0/root b/X/1/nsubj:pass c/X/1/obl:arg")
    system = gold.replace(deprels=["root", "nsubj:outer", "obj:arg"])
    assert score([gold], [system]).las == pytest.approx(200 / 3)


def test_universal_features_only() -> None:
    gold = sentence("a/X/0/root", feats=["Case=Nom|Style=Coll"], xpos=["A"])
    system = gold.replace(feats=["Case=Nom|Foo=Bar"])
    scores = score([gold], [system])
    assert scores.ufeats == scores.alltags == 100.0
    assert score([gold], [gold.replace(feats=["Case=Acc"])]).ufeats == 0.0
    assert score([gold], [gold.replace(xpos=["B"])]).alltags == 0.0


def test_sentences_with_all_tags_right() -> None:
    gold = [sentence("a/X/0/root b/Y/1/x"), sentence("c/X/0/root")]
    scores = score(gold, [gold[0].replace(upos=["X", "X"]), gold[1]])
    assert scores.upos == pytest.approx(200 / 3)
    assert scores.upos_sentences == 50.0
    assert scores.xpos_sentences is None and scores.unavailable["xpos_sentences"] == "no tags"


def test_protocols_are_named() -> None:
    scores = score([GOLD], [GOLD])
    assert "punctuation included" in scores.protocol["ud"]
    assert "subtypes of relations ignored" in scores.protocol["ud"]
    assert "words with the tag PUNCT" in scores.protocol["no_punct"]
    unicode_scores = score([GOLD], [GOLD], "unicode")
    assert unicode_scores.no_punct.punct == "unicode"
    assert "Unicode" in unicode_scores.protocol["no_punct"]


def test_to_dict_is_json() -> None:
    figures = json.loads(json.dumps(score([GOLD], [GOLD]).to_dict()))
    assert figures["no_punct"] == {"uas": 100.0, "las": 100.0, "words": 7, "punct": "upos"}
    assert set(figures) >= {"uas", "las", "clas", "upos", "xpos", "words", "sentences", "protocol"}


# ---- what cannot be computed is None, not zero


def test_system_without_labels() -> None:
    scores = score([GOLD], [GOLD.replace(deprels=["_"] * 9)])
    assert scores.uas == 100.0
    assert scores.las is scores.clas is scores.no_punct.las is None
    assert scores.unavailable["las"] == "no labels"
    assert scores.no_punct.uas == 100.0


def test_gold_without_labels() -> None:
    scores = score([GOLD.replace(deprels=["_"] * 9)], [GOLD])
    assert scores.las is None
    assert scores.uas == 100.0


def test_some_labels_missing_are_errors_of_the_system() -> None:
    scores = score([GOLD], [GOLD.replace(deprels=[*GOLD.deprels[:-1], "_"])])
    assert scores.las == pytest.approx(100 * 8 / 9)


def test_system_without_heads() -> None:
    scores = score([GOLD], [GOLD.replace(heads=[-1] * 9)])
    assert scores.uas is scores.las is scores.clas is scores.no_punct.uas is None
    assert scores.unavailable["uas"] == scores.unavailable["las"] == "no heads"
    assert scores.upos == 100.0


def test_some_heads_missing_are_errors_of_the_system() -> None:
    scores = score([GOLD], [GOLD.replace(heads=[-1, *GOLD.heads[1:]])])
    assert scores.uas == pytest.approx(100 * 8 / 9)


def test_tags_absent() -> None:
    scores = score([GOLD], [GOLD.replace(upos=["_"] * 9)])
    assert scores.upos is scores.alltags is scores.xpos is scores.ufeats is None
    assert scores.unavailable["upos"] == "no tags"


def test_nothing_but_punctuation() -> None:
    gold = sentence("!/PUNCT/0/root")
    scores = score([gold], [gold])
    assert scores.no_punct.uas is None
    assert scores.no_punct.words == 0
    assert scores.uas == 100.0


# ---- errors


def test_different_numbers_of_sentences() -> None:
    told = r"b\.conllu:1: the end of the text in sentence 1, but 'The dog' in sentence 2 at a\."
    with pytest.raises(TreebankError, match=told):
        score([GOLD, GOLD], [GOLD], gold_name="a.conllu", system_name="b.conllu")


def test_different_words_name_both_places(tmp_path: Path) -> None:
    lines = "# text = a b\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t1\tdep\t_\t_\n\n"
    (tmp_path / "a.conllu").write_text(lines * 2)
    (tmp_path / "b.conllu").write_text(lines + lines.replace("\tb\t", "\tB\t"))
    gold, system = read(tmp_path / "a.conllu"), read(tmp_path / "b.conllu")
    with pytest.raises(
        TreebankError, match=r"system:5: 'B' in sentence 2, but 'b' in sentence 2 at gold:5: both"
    ):
        score(gold, system)


def test_different_numbers_of_words() -> None:
    short = sentence("The/DET/2/det dog/NOUN/0/root")
    longer = sentence("The/DET/2/det dog/NOUN/0/root ./PUNCT/2/punct")
    with pytest.raises(TreebankError, match=r"'\.' in sentence 1, but the end of the text"):
        score([short], [longer])


def test_gold_without_heads() -> None:
    with pytest.raises(TreebankError, match=r"gold:1: word 1 of this sentence has no head"):
        score([GOLD.replace(heads=[-1] * 9)], [GOLD])


def test_no_sentences() -> None:
    with pytest.raises(TreebankError, match="no sentences"):
        score([], [])


def test_unknown_rule() -> None:
    with pytest.raises(ConfigError, match=r"upos, penn, unicode, not by 'unicod'.*'unicode'"):
        score([GOLD], [GOLD], "unicod")
    assert issubclass(ConfigError, BistroError)


# ---- punctuation


def test_rules_by_hand() -> None:
    forms = ["``", "Hm", "-LRB-", "3", "%", "$", "…", "--", ":", "''"]
    tags = ["``", "UH", "-LRB-", "CD", "NN", "$", ":", ":", ":", "''"]
    penn = Sentence.from_columns(forms, upos=tags)
    assert recognise([penn]) == "penn"
    assert [f for f, p in zip(forms, mark(penn, "penn"), strict=True) if p] == [
        "``",
        "…",
        "--",
        ":",
        "''",
    ]
    # The grave accent is a modifier symbol (Sk) to Unicode, the percent sign punctuation (Po).
    assert [f for f, p in zip(forms, mark(penn, "unicode"), strict=True) if p] == [
        "%",
        "…",
        "--",
        ":",
        "''",
    ]


def test_penn_tags_in_the_second_column() -> None:
    by_xpos = Sentence.from_columns(["a", "."], upos=["N", "Z"], xpos=["NN", "."])
    assert recognise([by_xpos]) == "penn"
    assert mark(by_xpos, "penn") == [False, True]


def test_universal_tags_win_over_penn() -> None:
    both = Sentence.from_columns(["a", "."], upos=["NOUN", "PUNCT"], xpos=["NN", "."])
    assert recognise([both]) == "upos"


def test_other_tags_and_no_tags_are_unicode() -> None:
    other = Sentence.from_columns(["a", "."], upos=["N", "X"], xpos=["NC", "XP"])
    assert recognise([other]) == "unicode"
    assert recognise([Sentence.from_columns(["a", "."])]) == "unicode"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (".", True),
        ("?!", True),
        ("«", True),
        ("。", True),
        ("a.", False),
        ("$", False),
        ("+", False),
    ],
)
def test_unicode_punctuation(form: str, expected: bool) -> None:
    assert is_unicode_punctuation(form) is expected


def test_relations_of_function_words_are_no_content() -> None:
    assert CONTENT_RELATIONS.isdisjoint({"aux", "cop", "mark", "det", "clf", "case", "cc", "punct"})


@pytest.mark.data
def test_danish_counts(data_dir: Path) -> None:
    """The figure by which published DDT scores are recognised: 5,010 scoring words."""
    gold = read(data_dir / "da_ddt" / "danish_ddt_test.conll")
    scores = score(gold, gold)
    assert scores.no_punct.punct == "unicode"
    assert scores.words == 5852
    assert scores.no_punct.words == 5010
    assert scores.no_punct.las == 100.0
    # The relations and features are not those of UD: its scores for them would mean nothing.
    assert scores.clas is scores.ufeats is None
    assert scores.unavailable["clas"] == "no UD relations"


@pytest.mark.data
def test_penn_sample(data_dir: Path) -> None:
    """Unlabelled Penn trees: by tags, and with LAS not available."""
    gold = read(data_dir / "ptb_sample" / "wsj-test.conll")
    scores = score(gold, gold)
    tags = [tag for s in gold for tag in s.upos]
    assert scores.no_punct.punct == "penn"
    assert scores.no_punct.words == sum(tag not in ("``", "''", ",", ".", ":") for tag in tags)
    assert scores.uas == 100.0
    assert scores.las is None
    assert scores.unavailable["las"] == "no labels"


@pytest.mark.data
@pytest.mark.parametrize("name", ["en_ewt/en_ewt-ud-dev.conllu", "eu_ud11/eu-ud-dev.conllu"])
def test_universal_treebanks_are_recognised(data_dir: Path, name: str) -> None:
    assert recognise(read(data_dir / name)) == "upos"
