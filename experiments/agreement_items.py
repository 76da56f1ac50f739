"""Suites of agreement with frequent words, for choosing settings without using SyntaxGym.

    python -m experiments.agreement_items FOLDER [--items 40] [--seed 1]

The program writes six suites in the format of SyntaxGym: the number of a verb and of a reflexive
pronoun after a subject with a prepositional phrase, an object relative or a subject relative. The
words were chosen without the items of SyntaxGym, and all occur in EWT or the raw English text. An
item is correct if the agreeing word is more probable than the other word, both after the singular
and after the plural subject.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def words(text: str) -> list[str]:
    """Split a string of words, or of pairs of singular and plural."""
    return text.split()


NOUNS = words(
    "man/men woman/women boy/boys girl/girls friend/friends student/students worker/workers "
    "leader/leaders player/players soldier/soldiers child/children neighbor/neighbors "
    "guest/guests visitor/visitors member/members writer/writers driver/drivers owner/owners "
    "lawyer/lawyers king/kings actor/actors singer/singers scientist/scientists "
    "professor/professors reporter/reporters expert/experts brother/brothers sister/sisters "
    "son/sons captain/captains victim/victims criminal/criminals nurse/nurses priest/priests "
    "candidate/candidates director/directors official/officials judge/judges agent/agents"
)
VERBS = words(
    "is/are has/have was/were wants/want says/say lives/live makes/make takes/take likes/like "
    "works/work gets/get needs/need loves/love goes/go looks/look comes/come seems/seem "
    "thinks/think gives/give believes/believe plays/play runs/run"
)
IN_RELATIVES = words(
    "saw helped knew called followed found visited watched asked attacked killed married "
    "invited remembered supported recognized admired contacted blamed feared respected "
    "rescued ignored defeated"
)
WITH_REFLEXIVES = words(
    "killed found introduced defended saved asked saw taught blamed helped protected "
    "convinced prepared described shot burned cut washed criticized praised surprised "
    "destroyed rescued reminded forced hid proved betrayed punished"
)
PREPOSITIONS = [
    "behind",
    "near",
    "next to",
    "beside",
    "with",
    "from",
    "in front of",
    "across from",
    "around",
    "by",
]
SUITES = [f"{what}_{where}" for what in ("number", "reflexive") for where in ("orc", "prep", "src")]
CORRECT = "[(2;%match_sing%) < (2;%mismatch_sing%)] & [(2;%match_plural%) < (2;%mismatch_plural%)]"


def suite_of(name: str, items: int, seed: int) -> dict[str, Any]:
    """Return a suite in the form in which it is written to a file."""
    rng = random.Random(f"{name}{seed}")
    return {
        "meta": {"name": name, "metric": "sum", "comment": "", "reference": "", "author": ""},
        "region_meta": {"1": "subject", "2": "critical"},
        "predictions": [{"type": "formula", "formula": CORRECT}],
        "items": [_item(name, number, rng) for number in range(items)],
    }


def _item(name: str, number: int, rng: random.Random) -> dict[str, Any]:
    subject, other = (pair.split("/") for pair in rng.sample(NOUNS, 2))
    verb, preposition = rng.choice(IN_RELATIVES), rng.choice(PREPOSITIONS)

    def phrase(head: str, modifier: str) -> str:
        if name.endswith("orc"):
            return f"The {head} that the {modifier} {verb}"
        if name.endswith("src"):
            return f"The {head} that {verb} the {modifier}"
        return f"The {head} {preposition} the {modifier}"

    singular, plural = phrase(subject[0], other[1]), phrase(subject[1], other[0])
    if name.startswith("number"):
        one, many = rng.choice(VERBS).split("/")
    else:
        main = rng.choice([other_verb for other_verb in WITH_REFLEXIVES if other_verb != verb])
        singular, plural = f"{singular} {main}", f"{plural} {main}"
        one, many = ("himself", "herself")[number % 2], "themselves"
    conditions = {
        "match_sing": (singular, one),
        "mismatch_sing": (singular, many),
        "match_plural": (plural, many),
        "mismatch_plural": (plural, one),
    }
    return {
        "item_number": number + 1,
        "conditions": [
            {
                "condition_name": condition,
                "regions": [
                    {"region_number": place, "content": text}
                    for place, text in enumerate(regions, start=1)
                ],
            }
            for condition, regions in conditions.items()
        ],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the suites to a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--items", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in SUITES:
        suite = suite_of(name, options.items, options.seed)
        (options.folder / f"{name}.json").write_text(json.dumps(suite, indent=1) + "\n")


if __name__ == "__main__":
    main()
