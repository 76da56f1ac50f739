"""The bodies of requests and responses, from which the OpenAPI description is generated."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, model_validator


def _whole_characters(text: str) -> str:
    """Reject lone surrogates, which JSON can express but UTF-8 cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("the text contains half of a character (a lone surrogate)") from None
    return text


Count = Annotated[int, Field(strict=True, ge=1)]
CountOrNone = Annotated[int, Field(strict=True, ge=0)]
Seed = Annotated[int, Field(strict=True, ge=0, lt=1 << 64)]
Text = Annotated[str, Field(strict=True), AfterValidator(_whole_characters)]
Word = Annotated[str, Field(strict=True, min_length=1), AfterValidator(_whole_characters)]
Head = Annotated[int, Field(strict=True, ge=0)]
ModelId = Annotated[
    str,
    Field(
        strict=True,
        description="One of the model ids that /api/models lists.",
        examples=["english"],
    ),
]
Splitting = Annotated[
    Literal["marks", "spaces"],
    Field(
        description="The method for splitting `text` into words. The value `marks` uses the "
        "model's tokeniser or, if the model has none, splits punctuation from words. The value "
        "`spaces` splits the text only at spaces."
    ),
]
Listed = list[tuple[str, float]]


class Body(BaseModel):
    """The body of a request. Unknown names are errors."""

    model_config = ConfigDict(extra="forbid")


class TextBody(Body):
    """A text to split."""

    text: Text = Field(examples=["The old man the boats."])
    model: ModelId | None = Field(None, description="The model whose tokeniser splits the text.")
    split: Splitting = "marks"


ONE_OF_TWO: list[JsonValue] = [
    {"required": ["text"], "properties": {"text": {"type": "string"}}},
    {"required": ["words"], "properties": {"words": {"type": "array"}}},
]


class SentenceBody(Body):
    """A model and a sentence, either as text or as words."""

    model_config = ConfigDict(json_schema_extra={"oneOf": ONE_OF_TWO})

    model: ModelId
    text: Text | None = Field(None, examples=["The old man the boats."])
    words: Annotated[list[Word], Field(min_length=1)] | None = None
    split: Splitting = "marks"

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.text is None) == (self.words is None):
            raise ValueError("give either 'text' or 'words'")
        return self


class ReadBody(SentenceBody):
    """A sentence to be read word by word."""

    analyses: Count = Field(5, description="Number of live analyses shown after each word.")


class ParseBody(SentenceBody):
    """A sentence to parse."""

    kbest: Count = 5
    samples: CountOrNone = 0
    seed: Seed = 1


class GenerateBody(Body):
    """A request to draw sentences from a model."""

    model: ModelId
    n: Count = 5
    seed: Seed = 1
    temperature: float = Field(1.0, strict=True, ge=0.01, le=100, allow_inf_nan=False)
    prefix: Text = ""
    split: Splitting = "marks"


class LinearizeBody(Body):
    """A tree whose words are to be ordered."""

    model: ModelId
    words: list[Word] = Field(min_length=1, examples=[["sleeps", "the", "dog"]])
    heads: list[Head] = Field(examples=[[0, 3, 1]])
    labels: list[Word] | None = Field(None, examples=[["root", "det", "nsubj"]])
    tags: list[Word] | None = Field(None, examples=[["VERB", "DET", "NOUN"]])
    n: Count = 5
    seed: Seed = 1
    samples: Annotated[bool, Field(strict=True)] = Field(
        False, description="Draw `n` orders instead of returning the `n` most probable orders."
    )


class Error(BaseModel):
    """A one-sentence description of the problem."""

    error: str


class ModelFacts(BaseModel):
    """One model of the server."""

    id: str
    kind: str
    abilities: list[str]
    tag_column: str | None
    labelled: bool | None
    single_root: bool | None
    treebank: dict[str, Any]
    seed: int
    version: str | None = Field(
        description="Version of the model's package, if the model is installed."
    )
    sha256: str | None = Field(description="Checksum of the model's file.")
    summary: dict[str, Any]


class LimitFacts(BaseModel):
    """Limits of a request."""

    words: int
    characters: int
    analyses: int
    sentences: int


class Models(BaseModel):
    """The models of the server."""

    version: str
    limits: LimitFacts
    models: list[ModelFacts]


class Health(BaseModel):
    """The health of the server. Any answer means that the server is working."""

    status: Literal["ok"]
    version: str
    models: int


class Words(BaseModel):
    """All words of a text in one list, and the words of each sentence."""

    words: list[str]
    sentences: list[list[str]]


class Row(BaseModel):
    """The surprisal of one word, or of the end of the sentence, in bits."""

    word: int
    token: str
    surprisal: float | None
    surprisal_syn: float | None
    surprisal_lex: float | None
    entropy: float | None
    oov: bool
    mc_se: float | None


class Live(BaseModel):
    """An analysis of the words read so far.

    A head of 0 means that the word is the root, and a head of -1 means that the word is not yet
    attached.
    """

    id: int
    parent: int | None
    probability: float
    heads: list[int]
    labels: list[str]
    tags: list[str]
    stack: list[int]


class Step(BaseModel):
    """The state after a word."""

    word: int
    token: str
    surprisal: float | None
    entropy: float | None
    alive: int
    analyses: list[Live]


class ReadAnswer(BaseModel):
    """A sentence read word by word."""

    model: str
    words: list[str]
    rows: list[Row]
    steps: list[Step]
    protocol: str


class Tree(BaseModel):
    """A tree. log_prob is a natural logarithm, or null where the model has no joint probability."""

    heads: list[int]
    labels: list[str]
    tags: list[str]
    log_prob: float | None
    posterior: float | None
    expected_uas: float | None


class MarginalTables(BaseModel):
    """The possible heads, labels and tags of each word with their probabilities, sorted."""

    heads: list[list[tuple[int, float]]]
    labels: list[Listed]
    tags: list[Listed]


class ParseAnswer(BaseModel):
    """Trees of a sentence.

    The minimum-risk tree is first, and the other trees are sorted by probability.
    """

    model: str
    words: list[str]
    analyses: list[Tree]
    samples: list[Tree]
    marginals: MarginalTables
    conllu: str
    protocol: str


class Generated(BaseModel):
    """A sentence drawn from a model, with its tree if the model drew a complete tree."""

    words: list[str]
    heads: list[int] | None
    labels: list[str] | None
    tags: list[str] | None


class GenerateAnswer(BaseModel):
    """Sentences drawn from a model."""

    sentences: list[Generated]
    protocol: str


class OrderedWords(BaseModel):
    """An order of the words in a tree. log_prob is a natural logarithm."""

    words: list[str]
    order: list[int]
    log_prob: float | None


class LinearizeAnswer(BaseModel):
    """Word orders for a tree, and the log-probability of its original order."""

    orders: list[OrderedWords]
    given_log_prob: float | None
    protocol: str


class ProcessAnswer(BaseModel):
    """An answer in the format of UDPipe's protocol."""

    model: str
    acknowledgements: list[str]
    result: str


class ProcessModels(BaseModel):
    """The models in the format of UDPipe's protocol."""

    models: dict[str, list[str]]
    default_model: str
