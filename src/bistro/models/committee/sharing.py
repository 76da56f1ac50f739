"""Objects that the members of a committee share in memory."""

from __future__ import annotations

from collections.abc import Sequence

from bistro.encoding.vocabulary import Vocabulary
from bistro.inference.speller import Speller
from bistro.models.abilities import Voter
from bistro.models.parsing.parser import ParsingAbility


def share_vocabularies(members: Sequence[Voter]) -> None:
    """Let members with equal vocabularies or spellers share one object in memory."""
    known: dict[str, Vocabulary] = {}
    spellers: list[Speller] = []
    for member in members:
        vocabulary = member.vocabulary
        member.share_vocabulary(known.setdefault(vocabulary.hash, vocabulary))
        if isinstance(member, ParsingAbility) and (own := member.codec.speller):
            member.codec.speller = next((s for s in spellers if s.is_same(own)), own)
            spellers.append(member.codec.speller)
