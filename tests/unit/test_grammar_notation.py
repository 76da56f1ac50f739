"""The notation of the grammar and its lexicon, inflection, and the files of the English grammar."""

from __future__ import annotations

from importlib import resources

import pytest

from bistro.errors import TreebankError
from bistro.treebank.builtin.grammar import GRAMMAR_FILES, LEXICON_FILES, english_grammar
from bistro.treebank.builtin.lexicon import read_lexicon
from bistro.treebank.builtin.morphology import plural, starts_with_vowel, verb_forms
from bistro.treebank.builtin.notation import read_rules
from bistro.treebank.builtin.rules import Rule


def base(symbol: str) -> str:
    return symbol.partition("[")[0]


def english_file(name: str) -> str:
    return (resources.files("bistro.treebank.builtin") / "english" / name).read_text("utf-8")


def test_a_block_is_written_out_for_every_value() -> None:
    text = """
set number = sg:3 pl
@ n = number ; t = past pres
S ->
  2 NP[$n]/nsubj *VP[$n,$t]   # agreement
  1 It/expl *Rain[$t]
"""
    rules = read_rules(text)
    assert len(rules) == 6
    assert rules[0] == Rule("S", ("NP[sg]", "VP[sg,past]"), 1, ("nsubj", ""), 6.0)
    # The weights of a variable that a rule does not mention do not count.
    assert [r.weight for r in rules[4:]] == [1.0, 1.0]


def test_tables_bind_several_variables_at_once() -> None:
    text = """
table action (v s o)
  eat   hum,ani:2   food   3
  read  hum         doc    1
@ action
VP[$s] ->
  1 *V[$v] NP[$o]/obj
"""
    rules = {(r.left, *r.right): r.weight for r in read_rules(text)}
    assert rules == {
        ("VP[hum]", "V[eat]", "NP[food]"): 3.0,
        ("VP[ani]", "V[eat]", "NP[food]"): 6.0,
        ("VP[hum]", "V[read]", "NP[doc]"): 1.0,
    }


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("S ->\n  1 NP/nsubj VP/obj\n", 2, r"one symbol with '\*'"),
        ("S ->\n  1 *NP *VP\n", 2, r"one symbol with '\*'"),
        ("S ->\n  1 NP *VP\n", 2, "'/rel' on the other symbols"),
        ("  1 NP/nsubj *VP\n", 1, "left-hand side"),
        ("S ->\n  many *VP\n", 2, "could not convert"),
        ("S ->\n  1 *VP[$n]\n", 2, r"'\$n' is not defined"),
        ("table action (v s)\n  eat hum food 3\n", 2, "expected 2 values and a weight"),
        ("table action (v)\n  eat 3\n@ acton\n", 3, "did you mean 'action'"),
        ("\n\nnonsense\n", 3, "found 'nonsense'"),
    ],
)
def test_mistakes_are_named_with_their_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(TreebankError, match=reason) as caught:
        read_rules(text, names=["my.grammar"])
    assert (caught.value.path, caught.value.line) == ("my.grammar", line)


def test_an_unknown_section_of_a_lexicon_is_named() -> None:
    with pytest.raises(TreebankError, match=r"my.lexicon:3: unknown section 'nouns hum'"):
        read_lexicon("# words\n\nnouns hum\n  man/men\n", "my.lexicon")


def test_words_are_weighted_by_rank_or_by_hand() -> None:
    lexicon = read_lexicon("noun hum\n  man/men artist boy:5\n  girl\n")
    weights = {word.form: weight for word, weight in lexicon["N[hum,3]"].items()}
    assert weights == {"man": 1 / 3, "artist": 1 / 4, "boy": 5.0, "girl": 1 / 6}
    assert [word.form for word in lexicon["N[hum,p]"]] == ["men", "artists", "boys", "girls"]
    assert [word.form for word in lexicon["NV[hum,3]"]] == ["artist"]


def test_sections_on_one_line_give_form_and_lemma() -> None:
    lexicon = read_lexicon("words Be[3] AUX VBZ Number=Sing : is=be\nnoun food\n  bread~\n")
    (word,) = lexicon["Be[3]"]
    assert (word.form, word.lemma, word.upos, word.xpos) == ("is", "be", "AUX", "VBZ")
    assert list(lexicon) == ["Be[3]", "N[food,mass]"]


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        ("dog", "dogs"),
        ("box", "boxes"),
        ("party", "parties"),
        ("boy", "boys"),
        ("watch", "watches"),
    ],
)
def test_plurals(noun: str, expected: str) -> None:
    assert plural(noun) == expected


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("walk", "walk walks walked walked walking"),
        ("race", "race races raced raced racing"),
        ("carry", "carry carries carried carried carrying"),
        ("play", "play plays played played playing"),
        ("stop+", "stop stops stopped stopped stopping"),
        ("eat/ate/eaten", "eat eats ate eaten eating"),
        ("run+/ran/run", "run runs ran run running"),
        ("go/went/gone", "go goes went gone going"),
        ("see/saw/seen", "see sees saw seen seeing"),
    ],
)
def test_verb_forms(entry: str, expected: str) -> None:
    assert list(verb_forms(entry)) == expected.split()


def test_no_word_of_the_lexicon_hides_its_first_sound() -> None:
    forms = {word.form for words in english_grammar().lexicon.values() for word in words}
    hidden = {
        form for form in forms if form.startswith(("hour", "hono", "heir", "uni", "use", "eu"))
    }
    assert not hidden
    assert starts_with_vowel("apple")
    assert not starts_with_vowel("house")


def test_every_alternative_and_every_section_of_the_english_files_is_used() -> None:
    def kind(r: Rule) -> tuple[object, ...]:
        return base(r.left), *map(base, r.right), r.relations

    written = read_rules(*map(english_file, GRAMMAR_FILES))
    assert {kind(r) for r in written} == {kind(r) for r in english_grammar().rules}

    def section(symbol: str) -> str:
        return symbol.rstrip("]").partition(",")[0]

    # The twins by first sound are made for every class, needed or not.
    twins = ("NC[", "NV[", "AdjC[", "AdjV[")
    listed = {s for name in LEXICON_FILES for s in read_lexicon(english_file(name))}
    used = {section(symbol) for symbol in english_grammar().lexicon}
    assert {section(s) for s in listed if not s.startswith(twins)} - used == set()
