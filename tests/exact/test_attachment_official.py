"""Our scores equal those of the official scorer of Universal Dependencies."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from udtools.udeval import evaluate, load_conllu

from bistro.evaluate.attachment import score
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import Treebank, read, write

METRICS = {
    "uas": "UAS",
    "las": "LAS",
    "clas": "CLAS",
    "upos": "UPOS",
    "xpos": "XPOS",
    "ufeats": "UFeats",
    "alltags": "AllTags",
}

MULTIWORD = """\
# text = Vámonos al mar, ¡ya!
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\tV\tMood=Imp|Number=Plur\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\tP\tCase=Acc|Reflex=Yes\t1\texpl:pv\t_\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\tS\t_\t5\tcase\t_\t_
4\tel\tel\tDET\tD\tDefinite=Def\t5\tdet\t_\t_
5\tmar\tmar\tNOUN\tN\tGender=Masc\t1\tobl:arg\t_\tSpaceAfter=No
6\t,\t,\tPUNCT\tF\t_\t1\tpunct\t_\t_
6.1\tvamos\tir\tVERB\tV\t_\t_\t_\t_\tCopyOf=1
7\t¡\t¡\tPUNCT\tF\t_\t8\tpunct\t_\tSpaceAfter=No
8\tya\tya\tADV\tR\t_\t1\tadvmod\t_\tSpaceAfter=No
9\t!\t!\tPUNCT\tF\t_\t8\tpunct\t_\tSpaceAfter=No

# text = Del todo
1-2\tDel\t_\t_\t_\t_\t_\t_\t_\t_
1\tDe\tde\tADP\tS\t_\t3\tcase\t_\t_
2\tel\tel\tDET\tD\tDefinite=Def\t3\tdet\t_\t_
3\ttodo\ttodo\tPRON\tP\tNumber=Sing\t0\troot\t_\t_

"""


def official(gold_path: Path, system_path: Path) -> dict[str, float]:
    """The figures of the official scorer, in percent."""
    loaded = []
    for path in (gold_path, system_path):
        with path.open(encoding="utf-8") as stream:
            loaded.append(load_conllu(stream, str(path), {}))
    result = evaluate(*loaded)
    return {ours: 100 * result[theirs].f1 for ours, theirs in METRICS.items()}


def is_ancestor(word: int, other: int, heads: Sequence[int]) -> bool:
    """Whether `word` is `other` or above it."""
    while other:
        if other == word:
            return True
        other = heads[other - 1]
    return False


def corrupt(sentence: Sentence, rng: random.Random, values: Mapping[str, list[str]]) -> Sentence:
    """The sentence with some heads, labels, tags and features replaced; still a tree."""
    heads, size = list(sentence.heads), len(sentence)
    for word in range(1, size + 1):
        head = rng.randint(1, size)
        if rng.random() < 0.3 and heads[word - 1] and not is_ancestor(word, head, heads):
            heads[word - 1] = head
    changed = {
        name: [
            rng.choice(values[name]) if rng.random() < 0.2 else v for v in getattr(sentence, name)
        ]
        for name in values
    }
    return sentence.replace(heads=heads, **changed)


def column_values(treebank: Treebank) -> dict[str, list[str]]:
    return {
        name: sorted({value for sentence in treebank for value in getattr(sentence, name)})
        for name in ("deprels", "upos", "xpos", "feats")
    }


def agree(gold_path: Path, system_path: Path) -> dict[str, float]:
    ours = score(read(gold_path), read(system_path)).to_dict()
    theirs = official(gold_path, system_path)
    for name, value in theirs.items():
        assert ours[name] == pytest.approx(value, abs=1e-9), name
    return theirs


def test_multiword_tokens_and_empty_nodes(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conllu"
    gold.write_text(MULTIWORD, encoding="utf-8")
    treebank = read(gold)
    values = column_values(treebank)
    seen = set()
    for seed in range(30):
        rng = random.Random(seed)
        system = tmp_path / "system.conllu"
        write([corrupt(sentence, rng, values) for sentence in treebank], system)
        seen.add(tuple(agree(gold, system).values()))
    assert len(seen) > 20


@pytest.mark.data
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_corrupted_ewt(data_dir: Path, tmp_path: Path, seed: int) -> None:
    gold = data_dir / "en_ewt" / "en_ewt-ud-dev.conllu"
    treebank = read(gold)
    rng = random.Random(seed)
    system = tmp_path / "system.conllu"
    values = column_values(treebank)
    write([corrupt(sentence, rng, values) for sentence in treebank], system)
    figures = agree(gold, system)
    assert 50 < figures["las"] < figures["uas"] < 95
    assert 50 < figures["clas"] < 95
