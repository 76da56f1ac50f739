"""Training of the model that predicts tags, features and lemmas, with one Markov chain per
expert."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bistro.encoding.edits import EditRule, chosen_rules
from bistro.errors import BistroError
from bistro.inference.chains import Sweeping
from bistro.inference.choices import ChoiceLearner
from bistro.inference.products import ProductLearner
from bistro.models.columns.config import LEMMAS, ColumnsConfig
from bistro.models.columns.elements import PREDICTED, TAGS, Words
from bistro.models.columns.lemmas import Lemmas
from bistro.models.columns.model import ColumnsModel
from bistro.models.columns.tags import BETWEEN, Tags
from bistro.models.runs import Run
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence


def train_columns(data: Sequence[Sentence], config: ColumnsConfig, run: Run) -> ColumnsModel:
    """Train the model on all configured columns that are not empty in the treebank."""
    if not all(isinstance(sentence, Sentence) for sentence in data):
        raise BistroError("columns are learned from a treebank, but lists of words were given")
    words = Words.of(data)
    learned = [name for name in PREDICTED if name in config.columns]
    learned = [name for name in learned if not set(words.columns[name]) <= {EMPTY}]
    if not learned:
        raise BistroError("the treebank has no tags, features or lemmas to learn from")
    chains: list[Sweeping] = []
    digests: list[str] = []
    if columns := [name for name in TAGS if name in learned]:
        experts = _experts(words, columns, config, run.seed)
        chains, digests = list(experts.chains), list(experts.digests)
    if LEMMAS in learned:
        rules, lemmas = _lemmas(words, config, run.seed)
        chains.append(lemmas)
        digests.append(lemmas.digest)
    trace = run.sweep(ColumnsModel.kind, config, digests, chains)
    return ColumnsModel(
        config,
        Tags(config, columns, experts.product()) if columns else None,
        _learned_lemmas(config, lemmas, rules, words.columns[LEMMAS])
        if LEMMAS in learned
        else None,
        run.origin(trace),
    )


def _experts(
    words: Words, columns: Sequence[str], config: ColumnsConfig, seed: int
) -> ProductLearner:
    """Return the learner for the experts, which predict combinations of column values."""
    outcomes = list(map(BETWEEN.join, zip(*(words.columns[n] for n in columns), strict=True)))
    seen = config.contexts.experts
    contexts = {name: [words.element(e) for e in context] for name, context in seen.items()}
    return ProductLearner(contexts, outcomes, config.sampler, seed)


def _lemmas(words: Words, config: ColumnsConfig, seed: int) -> tuple[list[EditRule], ChoiceLearner]:
    """Return the edit rules for all lemmas, and the learner that chooses among them."""
    pairs = list(zip(words.forms, words.columns[LEMMAS], strict=True))
    rule_of = chosen_rules(Counter(pairs))
    rules = sorted(set(rule_of.values()))
    numbers = {rule: str(number) for number, rule in enumerate(rules)}
    contexts = list(zip(*(words.element(e) for e in config.contexts.lemmas), strict=True))
    outcomes = [numbers[rule_of[pair]] for pair in pairs]
    return rules, ChoiceLearner(LEMMAS, contexts, outcomes, config.sampler, seed)


def _learned_lemmas(
    config: ColumnsConfig, learner: ChoiceLearner, rules: Sequence[EditRule], seen: Sequence[str]
) -> Lemmas:
    choice = learner.choice()
    used = [rules[int(name)] for name in choice.outcomes.names]
    return Lemmas(config, choice, used, sorted(set(seen)))
