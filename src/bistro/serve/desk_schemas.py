"""The bodies of requests to the desk."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from bistro.serve.schemas import Body, Text, Word
from bistro.tasks.desk.decisions import Decision, Join, SetFields, Split

Number = Annotated[int, Field(strict=True, ge=0)]
Place = Annotated[int, Field(strict=True, ge=1)]
MOST_FIELDS = 2_000
Column = Literal["heads", "deprels", "upos", "xpos", "feats", "lemmas"]
Value = Annotated[int, Field(strict=True)] | Text
Order = Literal["file", "doubt", "corrections", "worst", "new", "both", "random"]


class FileBody(Body):
    """A request about a file on the desk. The name may be omitted if only one file is open."""

    file: Text = Field("", description="The name of one of the files that /api/desk lists.")


class SentenceOfFile(FileBody):
    """A sentence, identified by its position in the file."""

    sentence: Number = Field(description="From 0.")


class WordOfFile(SentenceOfFile):
    """A word, identified by its position in the sentence."""

    word: Place = Field(description="From 1.")


class SplitBody(Body):
    """A word to split."""

    word: Place
    forms: list[Word] = Field(min_length=2, max_length=20)
    multiword: bool = False


class DecisionBody(SentenceOfFile):
    """A decision that changes the fields or words of a sentence, or confirms the sentence."""

    version: Number = Field(description="The version of the sentence that the client shows.")
    set: dict[str, dict[Column, Value]] = Field(
        {},
        max_length=MOST_FIELDS,
        description="The new values, by word (from 1) and column. The values -1 and _ leave a "
        "field open.",
    )
    split: SplitBody | None = None
    join: tuple[Place, Place] | None = None
    done: bool | None = None

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        if sum((bool(self.set), self.split is not None, self.join is not None)) > 1:
            raise ValueError("give only one of 'set', 'split' and 'join'")
        if not all(word.isascii() and word.isdigit() for word in self.set):
            raise ValueError("the keys of 'set' must be word numbers")
        return self

    def decision(self) -> Decision:
        """Return the decision."""
        if self.split is not None:
            return Split(self.split.word, self.split.forms, self.split.multiword)
        if self.join is not None:
            return Join(*self.join)
        return SetFields(
            {
                int(word): {str(name): value for name, value in fields.items()}
                for word, fields in self.set.items()
            }
        )


class TurnBody(FileBody):
    """A request to undo or redo."""

    last: Number = Field(description="The number of the last event that the client has received.")


class SaveBody(FileBody):
    """A request to save the file."""

    overwrite: bool = Field(
        False, description="Whether to save the file even if another program has changed it."
    )


class ChangesBody(FileBody):
    """A request for the changes since a revision."""

    since: Number = Field(description="The last revision of the list that the client has received.")


class OrderBody(FileBody):
    """A request for the order in which sentences are listed."""

    by: Order = "file"


class PieceBody(Body):
    """A piece of an uploaded file. After the last piece, the file is opened."""

    name: Word
    text: Text
    first: bool = Field(description="Whether this is the first piece of the file.")
    last: bool = Field(description="Whether this is the last piece of the file.")
