"""The built-in treebanks: reproducible English, Turkish found through pip, texts and capitals."""

from __future__ import annotations

import importlib.util
import math
from importlib import metadata

import pytest

from bistro.errors import BistroError
from bistro.inference.grammar.exact import english
from bistro.treebank.builtin.derivations import capitalized, spaces_after
from bistro.treebank.projectivity import is_projective
from bistro.treebank.samples import builtin

needs_turkish = pytest.mark.skipif(
    importlib.util.find_spec("turkish_treebanks") is None,
    reason="pip install turkish-treebanks==1.0.0",
)


def tokenized(text: str) -> list[str]:
    return text.split()


def test_a_sentence_depends_on_the_seed_and_its_number_alone() -> None:
    many = builtin(sentences=50, seed=3)
    assert [str(s) for s in builtin(sentences=20, seed=3)] == [str(s) for s in many[:20]]
    assert [s.text for s in builtin(sentences=50, seed=4)] != [s.text for s in many]


def test_a_sampled_sentence_is_complete() -> None:
    for sentence in builtin(sentences=200, seed=5):
        assert sentence.sent_id is not None
        assert float(sentence.metadata["derivation_log_prob"]) < 0
        assert "_" not in {*sentence.lemmas, *sentence.upos, *sentence.xpos, *sentence.deprels}
        spaced = [
            form + ("" if "SpaceAfter=No" in misc.split("|") else " ")
            for form, misc in zip(sentence.forms, sentence.misc, strict=True)
        ]
        assert "".join(spaced).strip() == sentence.text


def test_every_word_names_the_symbol_that_emitted_it() -> None:
    lexicon = english().lexicon
    for sentence in builtin(sentences=100, seed=5):
        for lemma, xpos, misc in zip(sentence.lemmas, sentence.xpos, sentence.misc, strict=True):
            symbol = misc.split("|")[-1].removeprefix("Symbol=")
            assert (lemma, xpos) in {(word.lemma, word.xpos) for word in lexicon[symbol]}


def test_text_is_printed_as_people_print_it() -> None:
    tokens = tokenized("Anna 's dog did n't bark , “ Why ? ” asked Peter .")
    text = "".join(t + " " * s for t, s in zip(tokens, spaces_after(tokens), strict=True)).rstrip()
    assert text == "Anna's dog didn't bark, “Why?” asked Peter."


def test_capitals_begin_sentences_and_quotations() -> None:
    tokens = capitalized(["she", "said", ",", "“", "the", "dog"], frozenset({"", "“"}))
    assert tokens == ["She", "said", ",", "“", "The", "dog"]
    grammar = english()
    assert grammar.sentence_log_prob(tokenized("She slept .")) > -math.inf
    assert grammar.sentence_log_prob(tokenized("she slept .")) == -math.inf
    assert grammar.sentence_log_prob(tokenized("Yesterday She slept .")) == -math.inf
    assert grammar.sentence_log_prob(tokenized("Anna said , “ She slept . ”")) > -math.inf
    assert grammar.sentence_log_prob(tokenized("Anna said , “ she slept . ”")) == -math.inf


def test_the_telescope_has_two_readings() -> None:
    parses = english().parses(tokenized("He saw the girl with the telescope ."))
    assert len(list(parses)) == 2


def test_unknown_names_and_sizes_are_refused() -> None:
    with pytest.raises(BistroError, match="did you mean 'turkish'"):
        builtin("turkisch")
    with pytest.raises(BistroError, match="at least 1"):
        builtin(sentences=0)


@needs_turkish
def test_the_turkish_treebank_is_whole() -> None:
    treebank = builtin("turkish")
    assert (len(treebank), treebank.words) == (4851, 81370)
    assert treebank.license == "Apache-2.0"
    assert all(sentence.heads.count(0) == 1 for sentence in treebank)
    assert sum(not is_projective(sentence.heads) for sentence in treebank) == 315
    assert str(builtin("turkish", sentences=7)[6]) == str(treebank[6])


def test_without_the_package_the_command_to_install_it_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", absent)
    with pytest.raises(BistroError, match=r"pip install turkish-treebanks"):
        builtin("turkish")


def test_a_damaged_installation_is_told_like_an_absent_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "files", lambda name: [])
    with pytest.raises(BistroError, match="not installed"):
        builtin("turkish")
