"""`bistro topics`: inspect the latent states of a model."""

from __future__ import annotations

import typer

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import option, print_json, say
from bistro.cli.plain_help import PlainCommand, PlainGroup

topics = typer.Typer(cls=PlainGroup, help="Inspect the latent states of a syntactic topic model.")


@topics.callback()
def about() -> None:
    """Inspect the latent states of a syntactic topic model.

    Train a model with **bistro train topics TREEBANK -o MODEL**, then inspect its states with
    **bistro topics show**.
    """


@topics.command(cls=PlainCommand)
def show(
    model: str = common.MODEL,
    states: int = option(
        "N", "Number of states to print, starting with the largest.", default=20, min=1
    ),
    words: int = option("N", "Number of words per state.", default=10, min=1),
    sample: int = option("N", "Index of the sample; -1 selects the last sample.", default=-1),
    picture: str | None = outputs.output(
        outputs.PICTURE, "OUT.svg", "Also write a picture that shows the states as cards."
    ),
    json: bool = common.JSON,
) -> None:
    """Print the most likely words and the most likely parents of each state.

    States have no names and no fixed order. Training with a different seed yields similar states
    with different numbers. `<unk-...>` are classes of rare words.

        bistro topics show topics.bistro --states 12
        bistro topics show topics.bistro --words 15 --picture states.svg
    """
    from rich.table import Table

    from bistro.files import write_text
    from bistro.models.abilities import STATES
    from bistro.report.topics import state_card, topic_cards

    trained = STATES.of(bistro.load(model))
    all_states = trained.top_states(words=words, sample=sample)
    if json:
        print_json({"model": model, "states": [vars(state) for state in all_states[:states]]})
    else:
        table = Table(title=f"{model}: {min(states, len(all_states))} of {len(all_states)} states")
        for column in ("state", "share", "words", "parents"):
            table.add_column(column, justify="right" if column == "share" else "left")
        for state in all_states[:states]:
            table.add_row(
                state.name,
                f"{100 * state.share:.1f} %",
                " ".join(word for word, _ in state.words),
                " ".join(parent for parent, _ in state.parents),
            )
        common.console().print(table)
    if picture is not None:
        cards = [state_card(state) for state in all_states[:states]]
        write_text(picture, topic_cards(cards))
        say(f"{picture}: {len(cards)} states")
