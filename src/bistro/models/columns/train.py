"""Training of the model of columns: one chain per column that the treebank has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bistro.encoding.edits import EditRule, chosen_rules
from bistro.errors import BistroError
from bistro.inference.choices import ChoiceLearner
from bistro.models.columns.config import ColumnsConfig
from bistro.models.columns.elements import PREDICTED, View, contexts
from bistro.models.columns.model import LEMMAS, ColumnsModel
from bistro.models.runs import Run
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence


def train_columns(data: Sequence[Sentence], config: ColumnsConfig, run: Run) -> ColumnsModel:
    """Train the model on the columns that are not empty throughout."""
    if not all(isinstance(sentence, Sentence) for sentence in data):
        raise BistroError("columns are learned from a treebank, not from lists of words")
    views = [View.of(sentence) for sentence in data]
    rules: list[EditRule] = []
    learners: dict[str, ChoiceLearner] = {}
    for name in (name for name in PREDICTED if name in config.columns):
        outcomes = [value for view in views for value in view.columns[name]]
        if set(outcomes) <= {EMPTY}:
            continue
        if name == LEMMAS:
            rules, outcomes = _rules([f for view in views for f in view.forms], outcomes)
        rows = [row for v in views for row in contexts(v, getattr(config.contexts, name))]
        learners[name] = ChoiceLearner(name, rows, outcomes, config.sampler, run.seed)
    if not learners:
        raise BistroError("the treebank has neither tags nor features nor lemmas to learn")
    digests = [learner.digest for learner in learners.values()]
    trace = run.sweep(ColumnsModel.kind, config, digests, list(learners.values()))
    choices = {name: learner.choice() for name, learner in learners.items()}
    if LEMMAS in choices:
        rules = [rules[int(name)] for name in choices[LEMMAS].outcomes.names]
    return ColumnsModel(config, choices, rules, run.origin(trace))


def _rules(forms: Sequence[str], lemmas: Sequence[str]) -> tuple[list[EditRule], list[str]]:
    """Return all rules that lemmas need, and for each word the number of its own."""
    pairs = list(zip(forms, lemmas, strict=True))
    chosen = chosen_rules(Counter(pairs))
    used = sorted(set(chosen.values()))
    numbers = {rule: str(number) for number, rule in enumerate(used)}
    return used, [numbers[chosen[pair]] for pair in pairs]
