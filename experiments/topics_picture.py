"""Draw states of the WSJ sample for the documentation.

    python -m experiments.topics_picture docs/images/topics.svg

The states are those of Table 3 of Wallach et al. (2008) on our data: the states of a model with 150
states that are closest to the paper's twelve examples.
"""

from __future__ import annotations

import sys

from bistro.files import write_text
from bistro.models.topics.model import TopicsModel
from bistro.report.topics import state_card, topic_cards
from experiments.papers.wallach_2008_topics import closest_states, published, trained

COLUMNS = 4


def picture(model: TopicsModel) -> str:
    """Return one card per state; a state that is closest to several examples has one card."""
    states = {state.number: state for state in closest_states(model)}
    return topic_cards([state_card(state) for state in states.values()], columns=COLUMNS)


if __name__ == "__main__":
    write_text(sys.argv[1], picture(published(trained(150))))
