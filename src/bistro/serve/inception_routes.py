"""The routes at which INCEpTION requests suggestions and sends annotated documents.

The "Remote URL" of a model is ``/inception/MODEL``, to which INCEpTION adds ``/predict`` and
``/train``.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from bistro.serve import inception
from bistro.serve.cas import Cas
from bistro.serve.catalog import Catalog
from bistro.serve.errors import MODEL_ERRORS, json_response
from bistro.serve.guard import run_for
from bistro.serve.inputs import Inputs
from bistro.serve.learning import Learner
from bistro.serve.work import Work
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import MISSING

NOTHING: dict[int | str, dict[str, Any]] = {204: {"description": "The documents were accepted."}}


class RecommenderMetadata(BaseModel):
    """The requested layer and feature. Other fields that INCEpTION sends are ignored."""

    layer: str = Field(description="The type of the annotations.", examples=[inception.POS])
    feature: str = Field(description="Their feature.", examples=["PosValue"])
    project_id: int = Field(0, alias="projectId")


class RecommenderDocument(BaseModel):
    """A document with its annotations."""

    xmi: str = Field(description="The document in the UIMA CAS XMI format.")
    user_id: str = Field("", alias="userId", max_length=1000)


class PredictBody(BaseModel):
    """A document for which suggestions are requested."""

    metadata: RecommenderMetadata
    document: RecommenderDocument


class TrainBody(BaseModel):
    """The documents of one user."""

    metadata: RecommenderMetadata
    documents: list[RecommenderDocument]


class PredictAnswer(BaseModel):
    """A document to which suggestions have been added."""

    document: str


def add_inception(
    app: FastAPI, catalog: Catalog, inputs: Inputs, work: Work, learner: Learner
) -> None:
    """Add the routes of INCEpTION's external recommender protocol."""

    @app.post("/inception/{model}/predict", response_model=PredictAnswer, responses=MODEL_ERRORS)
    async def predict(model: str, body: PredictBody, request: Request) -> Response:
        """Suggest lemmas, tags or dependencies for an INCEpTION document."""
        served = catalog[model]
        about, document = body.metadata, body.document

        def compute() -> Response:
            entry = learner.latest(served, (about.project_id, document.user_id))
            xmi = inception.predict(entry, inputs, document.xmi, about.layer, about.feature)
            return json_response({"document": xmi})

        return await run_for(work, request, compute, (model, about.layer))

    @app.post(
        "/inception/{model}/train",
        status_code=204,
        response_class=Response,
        responses={**MODEL_ERRORS, **NOTHING},
    )
    async def train(model: str, body: TrainBody, request: Request) -> Response:
        """Train a model in the background on the documents of one INCEpTION user."""
        entry = catalog[model]
        entry.able("parse")
        learner.check()
        users = sorted({document.user_id for document in body.documents})

        def compute() -> Response:
            sentences: list[Sentence] = []
            for document in body.documents:
                pieces = inception.read_pieces(Cas(document.xmi), entry)
                sentences += [p.sentence for p in pieces if is_complete(p.sentence, entry)]
            if users:
                learner.learn(entry, (body.metadata.project_id, users[0]), sentences)
            return Response(status_code=204)

        return await run_for(work, request, compute, (model, "train"))


def is_complete(sentence: Sentence, entry: Any) -> bool:
    """Return whether every word in a sentence has a tag, a head and a label."""
    tags = getattr(sentence, inception.tag_column(entry))
    return not (MISSING in sentence.heads or EMPTY in tags or EMPTY in sentence.deprels)
