"""Training of the latent-variable parser in passes over derivations, with early stopping.

A pass visits all training sentences in a random order, a few at a time. After each pass, the
weights are scored on the held-out sentences. The mean of the weights during the pass is scored
too: it is less noisy than the last weights, and usually better after the first few passes. The
best weights are kept, and training ends after several passes without an improvement.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bistro._core import ISBN_LARGEST_WEIGHT, IsbnDerivations, IsbnDropout, IsbnTrainer, random_bits
from bistro.encoding.vocabulary import Vocabulary
from bistro.errors import BistroError
from bistro.inference.chains import Session, Sweep, fingerprint_of
from bistro.inference.checkpoint import StoppedError
from bistro.models.inputs import Words, place_of
from bistro.models.isbn.codec import IsbnCodec
from bistro.models.isbn.config import IsbnConfig
from bistro.models.isbn.data import IsbnSymbols
from bistro.models.isbn.model import IsbnModel
from bistro.models.parsing.codec import Tree, training_tree
from bistro.models.parsing.training import trees_of, wants_single_root
from bistro.models.runs import Run, Trace
from bistro.progress import phase
from bistro.rng import purpose_key
from bistro.sums import added
from bistro.treebank.sentence import Sentence

Floats = NDArray[np.float32]


def train_isbn(
    data: Sequence[Words],
    config: IsbnConfig,
    run: Run,
    dev: Sequence[Sentence] | None = None,
) -> IsbnModel:
    """Train a latent-variable parser on trees.

    The score on the development set `dev` determines when training ends.
    """
    sentences, held_out = split(trees_of(data), dev, config, run.seed)
    training = Training(sentences, held_out, config, run.seed)
    return training.finish(run, training.run(run.session))


def split(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence] | None,
    config: IsbnConfig,
    seed: int,
) -> tuple[list[Sentence], list[Sentence]]:
    """Return the training sentences, and the held-out sentences on which the weights are scored."""
    if dev is not None:
        known = [s for s in dev if isinstance(s, Sentence) and len(s) and min(s.heads) >= 0]
        if not known:
            raise BistroError("the development set has no trees to learn from")
        return list(sentences), known
    if len(sentences) < 2:
        raise BistroError("a latent-variable parser needs at least two training sentences")
    number = min(max(1, round(len(sentences) * config.learning.held_out)), len(sentences) - 1)
    places = set(shuffled(len(sentences), seed, "isbn.held_out", 0)[:number].tolist())
    parts = [i in places for i in range(len(sentences))]
    return (
        [s for s, out in zip(sentences, parts, strict=True) if not out],
        [s for s, out in zip(sentences, parts, strict=True) if out],
    )


def shuffled(n: int, seed: int, purpose: str, index: int) -> NDArray[np.int64]:
    """Return the numbers from 0 to n - 1 in random order."""
    return np.argsort(random_bits(seed, purpose_key(purpose), index, n), kind="stable")


PARTS = 10
"""Number of times per pass that the weights are added to their mean."""


def parts_of_pass(order: NDArray[np.int64], at_once: int) -> list[NDArray[np.int64]]:
    """Divide the sentences of a pass into at most ten parts of whole steps.

    >>> [part.tolist() for part in parts_of_pass(np.arange(5), 2)]
    [[0, 1], [2, 3], [4]]
    """
    size = at_once * max(1, math.ceil(len(order) / (at_once * PARTS)))
    return [order[first : first + size] for first in range(0, len(order), size)]


USUAL_BEST_PASS = 10
"""Approximate number of passes until the weights reach their best score on a small treebank."""


@dataclass
class Progress:
    """The training progress that a checkpoint saves in addition to the weights."""

    trace: list[dict[str, Any]] = field(default_factory=list)
    best_pass: int = 0
    best_score: float = -math.inf

    @property
    def passes(self) -> int:
        """The number of finished passes."""
        return len(self.trace)

    def note(self, log_likelihood: float, score: float) -> None:
        """Record the log-likelihood and the held-out score of a pass."""
        number = self.passes + 1
        self.trace.append({"sweep": number, "log_likelihood": log_likelihood, "held_out": score})
        if score > self.best_score:
            self.best_score, self.best_pass = score, number

    def expected(self, most: int, patience: int) -> int:
        """Return the expected number of passes, including the final passes without improvement."""
        return min(most, round(max(USUAL_BEST_PASS, 1.25 * self.best_pass)) + patience)

    def is_over(self, most: int, patience: int) -> bool:
        """Return whether training is finished."""
        waited = self.passes - self.best_pass
        return self.passes >= most or (self.passes > 0 and waited >= patience)


Trees = list[tuple[Sentence, Tree]]


class Parsed(NamedTuple):
    """Parsed raw text, which is used for training in addition to the treebank."""

    trees: Trees
    held_out: Trees
    """Trees for scoring the weights, in addition to the held-out trees from the treebank."""
    vocabulary: Vocabulary
    """The vocabulary of the treebank and the raw text."""


class Training:
    """A training run, with derivations for training and scoring, and the current weights."""

    def __init__(
        self,
        annotated: Sequence[Sentence],
        held_out: Sequence[Sentence],
        config: IsbnConfig,
        seed: int,
        parsed: Parsed | None = None,
    ) -> None:
        self.config, self.seed = config, seed
        self.codec, self.lifted = IsbnCodec.learn(annotated, config)
        self.single_root = wants_single_root(annotated, config.roots)
        trees = [training_tree(sentence, config) for sentence in annotated]
        self.sentences = list(annotated)
        if parsed:
            self.codec.vocabulary = parsed.vocabulary
            self.sentences += [sentence for sentence, _ in parsed.trees]
            trees += [tree for _, tree in parsed.trees]
        sentences = self.sentences
        self.symbols = IsbnSymbols.learn(self.codec, annotated, sentences, trees, config)
        self.shape = self.symbols.shape(self.codec, config, single_root=self.single_root)
        self.data = self._derivations(sentences, trees)
        if self.data.failed.size:
            place = place_of(sentences[int(self.data.failed[0])])
            raise BistroError(f"the tree of {place} is invalid for roots = '{config.roots}'")
        candidates = [(sentence, training_tree(sentence, config)) for sentence in held_out]
        self.held_out = self._judges([*candidates, *(parsed.held_out if parsed else ())])
        self.judged = self._derivations(*zip(*self.held_out, strict=True))
        self.words = sum(len(s) for s, _ in self.held_out)
        self.fingerprint = fingerprint_of(IsbnModel.kind, config, seed, self._digests(held_out))
        self.trainer = IsbnTrainer(self.shape, self._first_weights(), self._zeros())
        self.best = self.trainer.weights
        self._last_good = self._state()

    def _derivations(self, sentences: Sequence[Sentence], trees: Sequence[Tree]) -> IsbnDerivations:
        batch = self.codec.encode(sentences, trees)
        return IsbnDerivations(self.shape, batch, early_reduce=self.config.reduce == "early")

    def _judges(self, candidates: Trees) -> Trees:
        """Return the held-out trees whose labels and tags all occur in the training trees."""
        labels, roots = set(self.codec.labels), set(self.symbols.root_labels.tolist())
        numbers = {label: i for i, label in enumerate(self.codec.labels)}
        judges = []
        for sentence, tree in candidates:
            on_root = [la for h, la in zip(tree.heads, tree.labels, strict=True) if h == 0]
            if (
                labels.issuperset(tree.labels)
                and all(self.codec.cluster(tag) in self.codec.tags for tag in tree.tags)
                and roots.issuperset(numbers[label] for label in on_root)
                and (len(on_root) == 1 or not self.single_root)
            ):
                judges.append((sentence, tree))
        if not judges:
            raise BistroError(
                "every held-out sentence has labels or tags that do not occur in the training "
                "sentences"
            )
        return judges

    def _digests(self, held_out: Sequence[Sentence]) -> list[str]:
        digest = hashlib.sha256()
        for sentence in (*self.sentences, *held_out):
            columns = (sentence.forms, sentence.heads, sentence.deprels, sentence.upos)
            digest.update(repr((*columns, sentence.xpos, sentence.feats)).encode())
            if self.codec.lemmas:
                digest.update(repr(sentence.lemmas).encode())
        return [digest.hexdigest()]

    def _first_weights(self) -> Floats:
        bits = random_bits(self.seed, purpose_key("isbn.weights"), 0, self.shape.parameters)
        uniform = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
        scale = self.config.learning.scale
        return ((2 * uniform - 1) * scale).astype(np.float32)

    def _zeros(self) -> Floats:
        return np.zeros(self.shape.parameters, dtype=np.float32)

    def run(self, session: Session) -> Trace:
        """Train until the stopping criterion is met, and return the trace."""
        progress = self._resumed(session)
        learning = self.config.learning
        most = learning.most_passes(len(self.sentences))
        session.on_start(progress.passes, most)
        with phase("learning", total=progress.expected(most, learning.patience), share=1.0) as work:
            work.skip(progress.passes)
            while not progress.is_over(most, learning.patience):
                log_likelihood = self._pass(progress, most, session)
                work.total = progress.expected(most, learning.patience)
                passes = f"pass {progress.passes} of at most {most}"
                work.advance(note=f"{passes}, log-likelihood {log_likelihood:,.0f}")
        return progress.trace

    def _pass(self, progress: Progress, most: int, session: Session) -> float:
        """Train on all sentences once and return their log-likelihood."""
        learning = self.config.learning
        log_likelihood, mean = self._learn(progress.passes, session.threads)
        weights, score = self._better(mean, session.threads)
        largest = max(float(np.abs(w).max()) for w in (self.trainer.weights, weights))
        is_sound = math.isfinite(log_likelihood + score) and largest <= ISBN_LARGEST_WEIGHT
        if not is_sound:
            raise self._diverged(progress, session)
        progress.note(log_likelihood, score)
        if progress.best_pass == progress.passes:
            self.best = weights
        is_over = progress.is_over(most, learning.patience)
        total = progress.passes if is_over else most
        session.on_sweep(Sweep(progress.passes, total, log_likelihood))
        self._last_good = self._state()
        stopping = session.stop_requested() and not is_over
        if session.checkpoint and (stopping or session.checkpoint.is_due()):
            self._save(progress, session)
        if stopping:
            raise StoppedError(f"stopped after pass {progress.passes} of at most {most}")
        return log_likelihood

    def finish(self, run: Run, trace: Trace) -> IsbnModel:
        """Return the model with the best weights."""
        facts = {"held_out_sentences": len(self.held_out), "nonprojective_sentences": self.lifted}
        return IsbnModel(
            self.config,
            self.codec,
            self.symbols,
            self.best,
            run.origin(trace, **facts),
            single_root=self.single_root,
        )

    def _learn(self, number: int, threads: int) -> tuple[float, Floats]:
        """Train on all sentences once.

        Returns
        -------
        The log-likelihood of the sentences, and the mean of the weights after each part of the
        pass.
        """
        learning = self.config.learning
        order = shuffled(len(self.sentences), self.seed, "isbn.order", number)
        purpose = purpose_key("isbn.dropout")
        dropout = IsbnDropout(
            probability=learning.dropout, seed=self.seed, purpose=purpose, pass_number=number
        )
        parts = parts_of_pass(order, learning.at_once)
        log_likelihoods, total = [], np.zeros(self.shape.parameters)
        for part in parts:
            log_likelihood = self.trainer.learn(
                self.data,
                part,
                at_once=learning.at_once,
                rate=learning.rate,
                decay=learning.decay * learning.decay_factor**number,
                dropout=dropout,
                threads=threads,
                adaptive=learning.steps == "adagrad",
            )
            log_likelihoods.append(log_likelihood)
            total += self.trainer.weights
        return added(log_likelihoods), (total / len(parts)).astype(np.float32)

    def _better(self, mean: Floats, threads: int) -> tuple[Floats, float]:
        """Return the last weights or their mean, whichever has the higher score, and this score.

        A score is the joint log-probability of the held-out sentences and their trees, per word.
        """
        last = self.trainer.weights, added(self.trainer.log_probs(self.judged, threads))
        if not (self.config.learning.average and math.isfinite(last[1])):
            return last[0], last[1] / self.words
        averaged = IsbnTrainer(self.shape, mean, self._zeros())
        score = added(averaged.log_probs(self.judged, threads))
        weights, score = (mean, score) if score > last[1] else last
        return weights, score / self.words

    def _state(self) -> dict[str, Floats]:
        trainer = self.trainer
        return {"weights": trainer.weights, "squares": trainer.squares, "best": self.best}

    def _save(self, progress: Progress, session: Session) -> None:
        if session.checkpoint:
            session.checkpoint.save(self.fingerprint, asdict(progress), self._last_good)

    def _resumed(self, session: Session) -> Progress:
        """Restore the state saved in the checkpoint, if there is one."""
        saved = session.saved(self.fingerprint)
        if not saved:
            return Progress()
        header, arrays = saved
        with session.reading_checkpoint():
            weights, squares = _own(arrays, "weights"), _own(arrays, "squares")
            self.trainer = IsbnTrainer(self.shape, weights, squares)
            self.best = _own(arrays, "best")
            self._last_good = self._state()
            return Progress(*(header[name] for name in ("trace", "best_pass", "best_score")))

    def _diverged(self, progress: Progress, session: Session) -> BistroError:
        message = f"learning diverged in pass {progress.passes + 1}: set a lower "
        message += f"learning.rate than {self.config.learning.rate:g}"
        if session.checkpoint and progress.passes:
            self._save(progress, session)
            message += f"; {session.checkpoint.path} has the state before that pass"
        return BistroError(message)


def _own(arrays: Mapping[str, NDArray[Any]], name: str) -> Floats:
    """Return a copy of an array from a checkpoint."""
    return np.array(arrays[name], dtype=np.float32)
