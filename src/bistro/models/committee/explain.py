"""Explanations of a committee's trees in terms of the decisions of one member.

A committee has no derivation of its own, because it mixes the marginals of its members. The
explanation shows how one member generates a given tree or the committee's tree.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from bistro.errors import BistroError, nearest
from bistro.models.abilities import EXPLAIN, Explainer, Voter
from bistro.models.results.explanations import Explanation
from bistro.treebank.fields import EMPTY
from bistro.treebank.projectivity import projectivize
from bistro.treebank.sentence import Sentence

if TYPE_CHECKING:
    from bistro.models.committee.model import CommitteeModel


def explain_vote(
    committee: CommitteeModel,
    sentence: Sentence,
    training: Iterable[Sentence] | None,
    name: str | None,
) -> Explanation:
    """Explain a tree in terms of the decisions of one member.

    If no member is named, the member with the highest weight is used.
    """
    place, explainer = _explainer(committee, name)
    member = committee.members[place]
    note = "the given tree"
    if min(sentence.heads) < 0:
        sentence, is_met = _tree_of(committee, member, sentence)
        note = (
            "the committee's tree"
            if is_met
            else "its own tree, because it cannot generate the committee's tree"
        )
    explanation = explainer.explain(sentence, training)
    own, weight = committee.member_names()[place], committee.fits["joint"].heads[place]
    who = f"Member {own} of the committee, with weight {weight:.2f}, explains {note}."
    return replace(explanation, protocol=f"{who} {explanation.protocol}")


def _explainer(committee: CommitteeModel, name: str | None) -> tuple[int, Explainer]:
    names, weights = committee.member_names(), committee.fits["joint"].heads
    if name is not None and name not in names:
        raise BistroError(
            f"the committee has no member '{name}'{nearest(name, names)}: "
            f"its members are {', '.join(names)}"
        )
    able = [
        (place, member)
        for place, member in enumerate(committee.members)
        if name in (None, names[place]) and isinstance(member, Explainer)
    ]
    if not able:
        raise BistroError(EXPLAIN.refusal("isbn"))
    # Among members with equal weights, use the first: it has the committee's tags.
    return max(able, key=lambda one: weights[one[0]])


def _tree_of(committee: CommitteeModel, member: Voter, sentence: Sentence) -> tuple[Sentence, bool]:
    """Return the committee's tree with a member's tags, and whether the member can generate it.

    A member's tags may include features from FEATS.
    """
    best = committee.parse(sentence)
    heads, labels = best.heads, best.labels
    if committee.symbols.nonprojective:
        lifted = projectivize(heads, labels, committee.symbols.nonprojective)
        heads, labels = lifted.heads, lifted.labels
    known = Sentence.from_columns(sentence.forms, heads=heads, deprels=labels)
    parse = member.parse(known, partial=True, mbr=False)
    parts = [tag.partition("|") for tag in parse.analyses[0].tags]
    tree = Sentence.from_columns(sentence.forms, heads=parse.heads, deprels=parse.labels)
    columns = {
        member.tag_column: [tag for tag, _, _ in parts],
        "feats": [feats or EMPTY for _, _, feats in parts],
    }
    return tree.replace(**columns), not parse.relaxed
