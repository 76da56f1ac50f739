"""The option `--memory`, which makes scores depend on earlier sentences in the same document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bistro.cli.common import flag, say
from bistro.errors import BistroError

if TYPE_CHECKING:
    from bistro.models.base import Model

MEMORY = flag(
    "--memory",
    "Use a reader's memory, which makes words from earlier in the same document more probable. "
    "Documents begin at # newdoc comments; without such comments, INPUT is one document.",
)
TABLE = (
    "--memory needs to know the documents of a table: name the columns that tell them apart with "
    "--document COLUMN"
)


def require_memory(memory: bool, model: Model, others: list[str] | None) -> None:
    """Raise an error if --memory is given but the model or mixture has no memory."""
    from bistro.tasks.memory import memory_of

    if not memory:
        return
    if others:
        raise BistroError(
            "--memory works with one model only: leave out --with, and train a reader with all "
            "the models as members"
        )
    memory_of(model)


def check_columns(memory: bool, text: str | None, document: list[str] | None) -> None:
    """Raise an error if --document is missing when it is needed, or given when it is not."""
    if document and not memory:
        raise BistroError("--document can only be used with --memory: add --memory")
    if document and text is None:
        raise BistroError(
            "--document is for tables (--text COLUMN); in CoNLL-U, documents begin at # newdoc "
            "comments"
        )
    if memory and text is not None and not document:
        raise BistroError(TABLE)


def tell_memory(model: Model, documents: int) -> None:
    """Report which memory is used and how many documents there are."""
    from bistro.tasks.memory import memory_of

    number = "1 document" if documents == 1 else f"{documents:,} documents"
    say(f"words are scored with a {memory_of(model).memory_protocol()}; {number}")
