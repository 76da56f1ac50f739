"""Dense inputs that are valid except for an error at their end (`benchmarks.input_memory`)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

Maker = Callable[[int], bytes]
Reader = Callable[[Path], object]

TREE = b"1\ta\t_\t_\t_\t_\t0\tr\t_\t_\n\n"
COMPACT_TREE = b"1\ta\t\t\t\t\t0\t\t\t\n\n"
PAIR = b'{"sentence_good":"a","sentence_bad":"b"}\n'
TIMES = b"word,item,time\n"


def _treebank(path: Path) -> object:
    import bistro

    return bistro.read(path)


def _running_text(path: Path) -> object:
    import bistro

    return bistro.read(path, format="raw")


def _command(*words: str) -> Reader:
    """Return a function that runs a command, in which FILE stands for the input."""

    def run_command(path: Path) -> object:
        from bistro.cli.main import run

        return run([word.replace("FILE", str(path)) for word in words])

    return run_command


def _trees(path: Path) -> object:
    from bistro.treebank.brackets import read_trees

    return read_trees(path)


def _segmented(path: Path) -> object:
    from bistro.treebank.morphology_files import read_segmented

    return read_segmented(path, tolerance=0.1)


def _table(path: Path) -> object:
    from bistro.tasks.stimuli import read_table

    return read_table(path)


def _stimuli(path: Path) -> object:
    from bistro.tasks.stimuli import one_row_each, read_table

    return list(one_row_each(read_table(path), "a"))


def _stimulus_words(path: Path) -> object:
    from bistro.tasks.stimuli import one_word_a_row, read_table

    return list(one_word_a_row(read_table(path), "b", ["a"]))


def _reading_times(path: Path) -> object:
    from bistro.evaluate.reading.data import read_reading_data

    return read_reading_data(path)


def _suite(path: Path) -> object:
    from bistro.tasks.suite import read_suite

    return read_suite(path)


def _settings(path: Path) -> object:
    from bistro.config import read_mapping

    return read_mapping(path)


def _desk_journal(path: Path) -> object:
    from bistro.tasks.desk.journal import Journal

    return Journal(path)


def _desk_document(path: Path) -> object:
    from bistro.tasks.desk.document import Document

    return Document.open(path)


def _search_journal(path: Path) -> object:
    from bistro.inference.journal import Journal

    return Journal(path, {})


def _late(item: bytes, error: bytes, first: bytes = b"") -> Maker:
    """Return a function that makes an input of repeated items followed by an error."""
    return lambda size: first + item * (size // len(item)) + error


def _one_sentence(size: int) -> bytes:
    """Return one sentence with as many words as fit, whose last row has too few columns."""
    row = b"%d\ta\t\t\t\t\t%d\t\t\t\n"
    return b"".join(row % (i, i - 1) for i in range(1, size // 28)) + b"x\n"


def _trials(size: int) -> bytes:
    """Return the journal of a search with distinct trials, whose last line is not valid."""
    trial = b'{"config":%d,"figures":{"score":1}}\n'
    return b'{"search":{}}\n' + b"".join(trial % i for i in range(size // 40)) + b"x\n"


def _numbered(size: int) -> bytes:
    """Return a table of one-word sentences, the last of which continues the first."""
    return b"a,b\n" + b"".join(b"%d,c\n" % i for i in range(size // 9)) + b"0,c\n"


def _times(size: int) -> bytes:
    """Return a table of reading times with many items, whose last row is too short."""
    return TIMES + b"".join(b"w,%d,1\n" % i for i in range(size // 11)) + b"w\n"


def _suite_of_items(size: int) -> bytes:
    """Return a suite whose last item has no words."""
    item = b'{"conditions":[{"condition_name":"a","regions":[{"region_number":1,"content":"%s"}]}]}'
    items = b",".join([item % b"a"] * (size // len(item)) + [item % b" "])
    return b'{"meta":{},"predictions":[{"formula":"(1;%%a%%)>0"}],"items":[' + items + b"]}"


def _small(make: Maker) -> Maker:
    """Limit the size of an input to the maximum size of a settings file."""
    return lambda size: make(min(size, 999_000))


TRAIN_NGRAM = _command("train", "ngram", "FILE", "--quiet", "-o", "FILE.bistro")
TRAIN_TREES = _command("train", "trees", "FILE", "--quiet", "-o", "FILE.bistro")
DRAW = _command("draw", "FILE", "-o", "FILE.svg")
BY_LENGTH = _command("evaluate", "FILE", "FILE", "--by-length")

TRAIN_PARSER = _command("train", "transition", "FILE", "--quiet", "-o", "FILE.bistro")

LATE_ERRORS: dict[str, tuple[str, Maker, Reader]] = {
    "late text": (".txt", _late(b"a b\n", b"\xff\n"), TRAIN_NGRAM),
    "late news": (".txt", _late(b"bb cc dd ee ff gg hh ii jj kk\n", b"\xff\n"), TRAIN_NGRAM),
    "late letters": (".txt", _late(b"a\n", b"\0\n"), _treebank),
    "late in a line": (".txt", _late(b"aa ", b"\xff\n"), _treebank),
    "late raw": (".txt", _late(b"a\n", b"\xff\n"), _running_text),
    "text as treebank": (".txt", _late(b"a b\n", b""), TRAIN_PARSER),
    "late conllu": (".conllu", _late(TREE, b"x\n"), _treebank),
    "late compact": (".conllu", _late(COMPACT_TREE, b"x\n"), _treebank),
    "late draw": (".conllu", _late(COMPACT_TREE, b"x\n"), DRAW),
    "late by-length": (".conllu", _late(COMPACT_TREE, b"x\n"), BY_LENGTH),
    "late desk file": (".conllu", _late(COMPACT_TREE, b"x\n"), _desk_document),
    "long sentence": (".conllu", _one_sentence, _treebank),
    "late comments": (".conllu", _late(b"##\n", b"x\n"), _treebank),
    "late trees": (".mrg", _late(b"(A b)", b"(A (A b)"), _trees),
    "late examples": (".mrg", _late(b"(A b)", b"(A (A b)"), TRAIN_TREES),
    "late words": (".mrg", _late(b"(bb cc)", b"", b"(A"), _trees),
    "late unary": (".mrg", _late(b"(A" * 20 + b" b" + b")" * 20, b"", b"(A"), _trees),
    "late morphemes": (".tsv", _late(b"a\n", b"\xff\n"), _segmented),
    "bad morphemes": (".tsv", _late(b"--\n", b"a\n"), _segmented),
    "wide table": (".csv", lambda size: b"bb," * (size // 3) + b"\nb,b\n", _table),
    "late table": (".csv", _late(b"a\n", b"a,b\n"), _table),
    "late stimuli": (".csv", _late(b"a\n", b"\xe2\x80\x8b\n"), _stimuli),
    "late sentence": (".csv", _numbered, _stimulus_words),
    "late times": (".csv", _times, _reading_times),
    "late pairs": (".jsonl", _late(PAIR, PAIR.replace(b'"b"', b'""')), _suite),
    "late pair lines": (".jsonl", _late(PAIR, b"x\n"), _suite),
    "late pair table": (".csv", _late(b"a,b\n", b"a,\n", b"good,bad\n"), _suite),
    "late suite": (".json", _suite_of_items, _suite),
    "late settings": (".toml", _small(_late(b"[[a]]\n", b"x\n")), _settings),
    "late desk": (".journal", _late(b'{"opened":"0"}\n', b"x\n"), _desk_journal),
    "late search": (".journal", _trials, _search_journal),
}
