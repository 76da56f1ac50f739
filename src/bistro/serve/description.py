"""The OpenAPI description, with the models and limits of this server."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from bistro.serve.catalog import Catalog
from bistro.serve.limits import Limits

ABILITIES = {
    "ReadBody": "read",
    "ParseBody": "parse",
    "GenerateBody": "generate",
    "LinearizeBody": "linearize",
    "PhrasesBody": "phrases",
    "StatesBody": "states",
}


def describe(app: FastAPI, catalog: Catalog, limits: Limits) -> None:
    """Add the model ids and limits of an application to its OpenAPI description."""
    plain = app.openapi

    def with_facts() -> dict[str, Any]:
        if app.openapi_schema is None:
            schemas = plain()["components"]["schemas"]
            for name, schema in schemas.items():
                if name.endswith("Body"):
                    _limit(name, schema["properties"], catalog, limits)
            for parameter in plain()["paths"]["/process"]["get"]["parameters"]:
                if parameter["name"] == "model":
                    _plain_schema(parameter["schema"])["enum"] = catalog.ids
        return plain()

    app.openapi = with_facts  # type: ignore[method-assign]


def _limit(body: str, properties: dict[str, Any], catalog: Catalog, limits: Limits) -> None:
    ids = _able(catalog, ABILITIES.get(body, ""))
    facts: dict[str, dict[str, Any]] = {
        "model": {"enum": ids, "examples": ids[:1]},
        "text": {"maxLength": limits.characters},
        "prefix": {"maxLength": limits.characters},
        "words": {"maxItems": limits.words},
        "heads": {"maxItems": limits.words},
        "analyses": {"maximum": limits.analyses},
        "kbest": {"maximum": limits.analyses},
        "samples": {"maximum": limits.analyses},
        "n": {"maximum": limits.sentences if body == "GenerateBody" else limits.analyses},
    }
    for name, limit in facts.items():
        if (schema := properties.get(name)) and schema.get("type") != "boolean":
            _plain_schema(schema).update(limit)


def _able(catalog: Catalog, ability: str) -> list[str]:
    """Return the ids of the models with a given ability, or all ids if no model has it.

    An enum must not be empty.
    """
    return [entry.id for entry in catalog if ability in entry.abilities] or catalog.ids


def _plain_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a nullable schema that describes a value other than null."""
    kinds: list[dict[str, Any]] = schema.get("anyOf", [schema])
    return next(kind for kind in kinds if kind.get("type") != "null")
