"""Random Unicode texts: running text is restored from CoNLL-U byte for byte.

A small pipeline is trained on the built-in treebank. Texts are random sequences of pieces: code
points of all planes, all kinds of white space, words, punctuation, addresses, emoji, right-to-left
scripts. Each text is split into sentences and words, written as CoNLL-U, read, and reconstructed
from the columns. The result must have the same bytes, and `TokenRange` must be the position of
every token. Every twentieth text is processed by all layers of the pipeline. The seed determines
all texts. Use:

    python -m benchmarks.fuzz_text [--inputs 50000] [--seed 1]
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import time
from collections.abc import Iterable, Sequence
from typing import cast

import bistro
from bistro.models.pipeline.model import PipelineModel
from bistro.treebank.blocks import BYTE_ORDER_MARK
from bistro.treebank.sentence import Sentence
from bistro.treebank.surface import surface_tokens
from bistro.treebank.treebank import encoded, iter_sentences

WHOLE_PIPELINE = 20
"""One text in this many is processed by all layers."""
SPACES = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\ufeff"
PIECES = (
    *(
        "The dog",
        "sleeps.",
        "It rains",
        "don't",
        "Mr.",
        "U.S.",
        "said:",
        "“Stop!”",
        "(a)",
        "50 000",
    ),
    *(
        "http://www.example.org/a.html?b=1|c",
        "me@example.com",
        "...",
        "?!",
        "--",
        "_",
        "|",
        "\\",
        "#",
    ),
    *("\\n", "SpaceAfter=No", "1-2", "1\t_\t_", "\r\n\r\n", "\n\n", "\n \t\n", "  ", "\u200b"),
    *(
        "\U0001f642",
        "\U0001f3f3\ufe0f\u200d\U0001f308",
        "e\u0301",
        "\u0301",
        "\u200f",
        "\u202e",
        "ß",
    ),
    *("שלום", "العربية", "中文句子。", "ภาษาไทย", "한국어", "русский", "हिन्दी", "ǅ", "ﬁ", "\u00ad"),
)


def random_text(rng: random.Random) -> str:
    """Return a text of at most a few hundred characters, without NUL and surrogates."""
    return "".join(_piece(rng) for _ in range(rng.choice((0, 1, 2, 3, 5, 8, 13, 21))))


def _piece(rng: random.Random) -> str:
    match rng.randrange(6):
        case 0:
            return "".join(rng.choices(SPACES, k=rng.choice((1, 1, 1, 2, 4))))
        case 1:
            return " "
        case 2:
            most = rng.choice((0x7F, 0xFF, 0x2FFF, 0xFFFF, sys.maxunicode))
            codes = (rng.randint(1, most) for _ in range(rng.choice((1, 3, 9))))
            return "".join(chr(code) for code in codes if not 0xD800 <= code < 0xE000)
        case _:
            return rng.choice(PIECES)


def check(text: str, sentences: Iterable[Sentence]) -> int:
    """Write sentences, read them, reconstruct the text; return the number of sentences."""
    written = b"".join(encoded(sentences))
    again = (
        list(iter_sentences(io.BytesIO(written), "conllu", roots="any", partial=True))
        if written
        else []
    )
    if b"".join(encoded(again)) != written:
        raise AssertionError("the sentences that were read have other bytes")
    tokens = [token for sentence in again for token in surface_tokens(sentence)]
    joined = "".join(token.before + token.form + token.after for token in tokens)
    # A text of white space alone has no sentences, and therefore no columns that preserve it.
    has_words = any(not (c.isspace() or c == BYTE_ORDER_MARK) for c in text)
    if has_words != bool(tokens) or (tokens and joined.encode() != text.encode()):
        raise AssertionError(f"the reconstructed text is {joined!r}")
    _check_ranges(text, again)
    return len(again)


def _check_ranges(text: str, sentences: Sequence[Sentence]) -> None:
    for sentence in sentences:
        for token, surface in zip(sentence.tokens, surface_tokens(sentence), strict=True):
            values = dict(pair.partition("=")[::2] for pair in token.misc.split("|"))
            begin, _, end = values["TokenRange"].partition(":")
            if text[int(begin) : int(end)] != surface.form:
                raise AssertionError(f"TokenRange={begin}:{end} is not {surface.form!r}")


def small_pipeline() -> PipelineModel:
    """Return a pipeline that can be trained in seconds."""
    treebank = bistro.builtin(sentences=150, seed=1)
    settings = {"sweeps": 3, "samples": 2}
    trained = bistro.train(
        "pipeline", treebank, seed=1, parser="transition", tokens={"order": 5, "sampler": settings}
    )
    return cast("PipelineModel", trained)


def run(model: PipelineModel, inputs: int, seed: int) -> tuple[int, int]:
    """Check random texts; return the total numbers of characters and sentences."""
    rng = random.Random(seed)
    characters = sentences = 0
    for number in range(inputs):
        text = random_text(rng)
        try:
            if number % WHOLE_PIPELINE:
                count = check(text, model.sentences(text))
            else:
                count = check(text, model.annotate(text, search="beam", size=1))
        except Exception as error:
            print(f"text {number}: {text!r}", file=sys.stderr)
            raise SystemExit(f"{type(error).__name__}: {error}") from error
        characters += len(text)
        sentences += count
    return characters, sentences


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    model = small_pipeline()
    start = time.perf_counter()
    characters, sentences = run(model, arguments.inputs, arguments.seed)
    seconds = time.perf_counter() - start
    print(
        f"{arguments.inputs:,} texts, {characters:,} characters, {sentences:,} sentences, seed "
        f"{arguments.seed}: all restored byte for byte, {seconds:.0f} s"
    )


if __name__ == "__main__":
    main()
