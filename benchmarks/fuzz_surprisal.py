"""Random Unicode sentences: every surprisal is a finite number.

One stored model of each family that scores words is given sentences of random pieces: code points
of all planes, right-to-left scripts, altered words of the vocabulary, words of thousands of
characters, long sentences, and one word repeated many times. All log-probabilities, their parts,
entropies and errors must be finite, and no log-probability may be above 0. The predictions for the
next word after a sentence must be finite too. The seed determines all inputs. Use:

    python -m benchmarks.fuzz_surprisal [--inputs 20000] [--seed 1] [MODEL ...]
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import bistro
from benchmarks.fuzz_text import PIECES, random_text
from bistro.models.abilities import SCORE, Scorer

STORED = Path(__file__).resolve().parents[1] / "tests" / "data" / "models"
LATEST = "*-3.bistro"
FEW = {"particles": 10, "repeats": 3, "threads": 1}
LONGEST_CUBIC = 12
"""Maximum words of a sentence for models whose time grows with the cube of its length."""
ROUNDING = 1e-6
AT_ONCE = 50


def stored_scorers(paths: Sequence[str] = ()) -> dict[str, Scorer]:
    """Return the models that score words, by file name."""
    files = [Path(path) for path in paths] or sorted(STORED.glob(LATEST))
    models = {path.name: bistro.load(path) for path in files}
    return {name: SCORE.of(model) for name, model in models.items() if SCORE.is_of(model)}


def random_sentence(rng: random.Random, known: Sequence[str], longest: int) -> list[str]:
    """Return at least one word: known words, altered ones, and pieces of random text."""
    match rng.randrange(12):
        case 0:
            return [rng.choice(known)] * rng.choice((1, 2, 30, longest))
        case 1:
            length = rng.choice((1, 500, 3000))
            return ["".join(chr(rng.randint(0x21, 0x2FFF)) for _ in range(length))]
        case _:
            words = random_text(rng).split() + rng.choices(known, k=rng.randrange(4))
            words += [_altered(rng, rng.choice(known)) for _ in range(rng.randrange(3))]
            rng.shuffle(words)
            return words or rng.choice(PIECES).split() or ["a"]  # a word has no tab or line break


def _altered(rng: random.Random, word: str) -> str:
    """Return a word in another case or order, or with its end replaced by a random character."""
    at = rng.randint(0, len(word))
    forms = (word.upper(), word.capitalize(), word[::-1], word[:at] + chr(rng.randint(33, 0xD7FF)))
    return rng.choice(forms) or word


def check(scorer: Scorer, sentences: Sequence[Sequence[str]]) -> int:
    """Score sentences and predict the word after the first; return the number of events."""
    names = scorer.score_options.names()
    options = {name: value for name, value in FEW.items() if name in names}
    scores = scorer.score(sentences, **options)
    _finite("log-probability", scores.log_probs)
    if scores.log_probs.size and scores.log_probs.max() > ROUNDING:
        raise AssertionError(f"a log-probability is above 0: {scores.log_probs.max()}")
    for name in ("lexical", "entropy", "deviation", "standard_error"):
        if (values := getattr(scores, name)) is not None:
            _finite(name, values)
    after = scorer.next_words(list(sentences[0]), **options)
    _finite("probability", after.probabilities)
    _finite("entropy", np.array([after.entropy, after.entropy_se or 0.0]))
    targets = after.of([words[0] for words in sentences])
    _finite("surprisal", np.array([row.surprisal for row in targets]))
    return int(scores.log_probs.size)


def _finite(name: str, values: np.ndarray) -> None:
    if not np.isfinite(values).all():
        raise AssertionError(f"a {name} is not finite: {values[~np.isfinite(values)][:3]}")


def run(scorers: dict[str, Scorer], inputs: int, seed: int) -> int:
    """Check `inputs` sentences with each model; return the number of events."""
    events = 0
    for name, scorer in scorers.items():
        rng = random.Random(f"{seed} {name}")
        longest = LONGEST_CUBIC if scorer.is_cubic else 200
        known = scorer.vocabulary.words
        for begin in range(0, inputs, AT_ONCE):
            sentences = [
                random_sentence(rng, known, longest)[:longest]
                for _ in range(min(AT_ONCE, inputs - begin))
            ]
            try:
                events += check(scorer, sentences)
            except Exception as error:
                culprit = _alone(scorer, sentences)
                raise AssertionError(f"{name}: {error}; sentence {culprit!r}") from error
    return events


def _alone(scorer: Scorer, sentences: Sequence[Sequence[str]]) -> Sequence[str]:
    """Return the first sentence that fails alone, or else the words of all sentences."""
    for words in sentences:
        try:
            check(scorer, [words])
        except Exception:
            return words[:20]
    return [word for words in sentences for word in words][:20]


def main() -> None:
    """Read the options, check all models, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", help="model files; default: the stored models")
    parser.add_argument("--inputs", type=int, default=20_000, help="number of sentences per model")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    scorers = stored_scorers(options.models)
    for name, scorer in scorers.items():
        began = time.process_time()
        events = run({name: scorer}, options.inputs, options.seed)
        seconds = time.process_time() - began
        print(f"{name}: {events:,} surprisals, all finite, in {seconds:.0f} CPU s", flush=True)


if __name__ == "__main__":
    main()
