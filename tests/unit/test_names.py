"""The front door: what `import bistro` offers, and tables for pandas."""

from __future__ import annotations

import bistro


def test_every_name_is_there_and_the_number_stays_small() -> None:
    assert all(getattr(bistro, name) is not None for name in bistro.__all__)
    assert sorted(bistro.__all__) == bistro.__all__ == list(bistro._HOMES)
    assert 15 <= len(bistro.__all__) <= 21  # the version is one of them


def test_a_treebank_as_a_data_frame() -> None:
    treebank = bistro.builtin(sentences=20, seed=1)
    frame = treebank.to_pandas()
    assert len(frame) == treebank.words
    assert list(frame.form[: len(treebank[0])]) == treebank[0].forms
    assert frame[frame["head"] == 0].groupby("sent_id").size().eq(1).all()


def test_a_parse_as_a_data_frame() -> None:
    model = bistro.train("transition", bistro.builtin(sentences=200, seed=1), seed=1)
    parse = model.parse(["The", "dog", "sleeps", "."], marginals=True)
    frame = parse.to_pandas()
    assert list(frame["head"]) == parse.heads and list(frame.label) == parse.labels
    assert parse.marginals is not None
    for word, listed in enumerate(parse.marginals.heads):
        assert frame.p_head[word] == dict(listed)[parse.heads[word]]
    bare = model.parse(["Dogs"])
    assert "p_head" not in bare.to_pandas()


def test_annotated_sentences_can_be_scored() -> None:
    treebank = bistro.builtin(sentences=250, seed=1)
    model = bistro.train("transition", treebank[:200], seed=1)
    gold = treebank[200:]
    scores = bistro.score_trees(gold, bistro.annotate(model, gold))
    assert scores.uas is not None and scores.uas > 60
    assert bistro.perplexity(model, gold).perplexity > 1
