"""Randomly mutated treebanks: a reader may refuse them, but never crashes or loses a byte.

Small valid files of every format are damaged at random (bytes flipped, removed, duplicated, spliced
from another file, unusual characters and delimiters inserted) and read in chunks of random size.
Either the reader reports an error in one sentence, or writing the sentences gives the same bytes.
Sentences with changed trees must also be read back as written. The seed determines all inputs. Use:

    python benchmarks/fuzz_readers.py [--inputs 200000] [--seed 1]
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import time
from collections import Counter

from bistro.errors import BistroError
from bistro.treebank.brackets import iter_trees
from bistro.treebank.treebank import encoded, iter_sentences

CONLLU = """\
# sent_id = 1
# text = don't go home
1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tdo\tdo\tAUX\tVBP\tMood=Ind|Tense=Pres\t3\taux\t3:aux\t_
2\tn't\tnot\tPART\tRB\tPolarity=Neg\t3\tadvmod\t3:advmod\t_
3\tgo\tgo\tVERB\tVB\t_\t0\troot\t0:root\t_
3.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t0:root\tCopyOf=3
# between
4\thome\thome\tADV\tRB\t_\t3\tadvmod\t3:advmod\t_

# sent_id = 2
1\t語\u2028\t_\tNOUN\t_\t_\t02\tnsubj\t_\t_
2\t\U0001f600\t_\tSYM\t_\t_\t0\troot\t_\t_
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

1\tno\t_\tX\t_\t_\t_\t_\t_\t_
2\ttree\t_\tX\t_\t_\t_\t_\t_\t_

"""
CONLLX = "\n".join(
    line for line in CONLLU.split("\n") if not line.startswith(("#", "1-2", "3.1"))
).replace("\t3\tadvmod", "\t0\tadvmod")
TEXT = "to be\tor not  \n\n \r\nthat\u00a0is 語 \U0001f600\u2028 .\n"
BRACKETS = (
    "( (S (NP (DT the) (NN 語))\n   (VP (VBZ is) (ADJP (JJ \U0001f600))) (. .)) )\n(X (Y z))\n"
)

SEEDS = {
    "conllu": [CONLLU, CONLLU.replace("\n", "\r\n"), "\ufeff\n" + CONLLU.rstrip("\n")],
    "conllx": [CONLLX, CONLLX.replace("\n", "\r\n"), CONLLX.rstrip("\n")],
    "text": [TEXT, "\ufeff" + TEXT.rstrip("\n"), TEXT * 3],
    "brackets": [BRACKETS, BRACKETS * 2, "\ufeff" + BRACKETS.replace("\n", "\r\n")],
}
PARTS = [
    *(
        b"\t",
        b"\n",
        b"\r\n",
        b"\r",
        b"\n\n",
        b"\r\n\r\n",
        b" ",
        b"_",
        b"0",
        b"1",
        b"2",
        b"-1",
        b"#",
    ),
    *(b"1-2\t", b"0.1\t", b"9" * 30, b"(", b")", b"((", b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80"),
    *(character.encode() for character in "\ufeff\u2028\x85\x0b\x1c\u00a0²١語\U0001f600"),
]


class Trickle:
    """A stream that returns at most `most` bytes per read."""

    def __init__(self, data: bytes, most: int) -> None:
        self._stream = io.BytesIO(data)
        self._most = most

    def read(self, size: int = -1, /) -> bytes:
        """Return a chunk of bytes, as a pipe may do."""
        return self._stream.read(min(size, self._most) if size >= 0 else self._most)


def mutate(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Return `data` with up to four random damages."""
    damaged = bytearray(data)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3, 4))):
        begin = rng.randrange(len(damaged) + 1)
        end = min(len(damaged), begin + rng.choice((1, 1, 2, 5, 20, 100)))
        match rng.randrange(6):
            case 0 if damaged:
                damaged[min(begin, len(damaged) - 1)] ^= 1 << rng.randrange(8)
            case 1:
                del damaged[begin:end]
            case 2:
                damaged[begin:begin] = damaged[begin:end] * rng.choice((1, 1, 2, 10))
            case 3:
                other = rng.choice(others)
                start = rng.randrange(len(other))
                damaged[begin:end] = other[start : start + rng.randrange(80)]
            case 4:
                damaged[begin : begin + rng.randrange(2)] = rng.choice(PARTS)
            case _:
                lines = bytes(damaged).split(b"\n")
                rng.shuffle(lines) if rng.randrange(9) == 0 else lines.pop(
                    rng.randrange(len(lines))
                )
                damaged[:] = b"\n".join(lines)
    return bytes(damaged)


def check_sentences(data: bytes, format: str, most: int) -> None:
    stream = Trickle(data, most)
    sentences = list(iter_sentences(stream, format, roots="any", partial=True))  # type: ignore[arg-type]
    if b"".join(encoded(sentences)) != data:
        raise AssertionError("other bytes came back")
    if format == "text":
        return
    changed = [
        sentence.replace(heads=[*range(len(sentence))], lemmas=map(str, range(len(sentence))))
        for sentence in sentences
    ]
    again = io.BytesIO(b"".join(encoded(changed)))
    for before, after in zip(changed, iter_sentences(again, format, roots="one"), strict=True):
        same = ("forms", "upos", "heads", "deprels", "lemmas", "misc", "comments", "multiword")
        if any(getattr(before, name) != getattr(after, name) for name in same):
            raise AssertionError("a changed sentence was not read back as written")


def check_brackets(data: bytes, most: int) -> None:
    trees = iter_trees(Trickle(data, most))
    if "".join(map(str, trees)).encode() != data:
        raise AssertionError("other bytes came back")


def is_one_sentence(message: str) -> bool:
    return bool(message) and "\n" not in message


def run(inputs: int, seed: int) -> Counter[tuple[str, str]]:
    """Read mutated inputs; return how many of each format were read and how many refused."""
    rng = random.Random(seed)
    seeds = [(format, text.encode()) for format, texts in SEEDS.items() for text in texts]
    everything = [data for _, data in seeds]
    counts: Counter[tuple[str, str]] = Counter()
    for number in range(inputs):
        format, original = rng.choice(seeds)
        data = mutate(original, everything, rng)
        most = rng.choice((1 << 20, 1 << 20, 100, 3))
        try:
            if format == "brackets":
                check_brackets(data, most)
            else:
                check_sentences(data, format, most)
            counts[format, "read"] += 1
        except BistroError as error:
            if not is_one_sentence(str(error)):
                raise SystemExit(f"input {number} ({format}): a bad message: {error!r}") from error
            counts[format, "refused"] += 1
        except Exception as error:
            print(f"input {number} ({format}): {data!r}", file=sys.stderr)
            raise SystemExit(f"{type(error).__name__}: {error}") from error
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    start = time.perf_counter()
    counts = run(arguments.inputs, arguments.seed)
    print("format\tread and written back\trefused in one sentence")
    for format in SEEDS:
        print(f"{format}\t{counts[format, 'read']}\t{counts[format, 'refused']}")
    seconds = time.perf_counter() - start
    print(
        f"{counts.total()} inputs, seed {arguments.seed}, no crash, no byte lost, {seconds:.0f} s"
    )


if __name__ == "__main__":
    main()
