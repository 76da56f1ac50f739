"""The page /docs, which describes every endpoint and is generated from the OpenAPI description.

The page is plain HTML with one style sheet, which comes from the same server. The page has no
scripts, and nothing is loaded from other hosts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from html import escape
from shlex import quote
from typing import Any

JSON = "application/json"
TOP = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}: the HTTP interface</title>
<link rel="icon" href="static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="static/docs.css">
</head>
<body>
<header>
<h1>{title}: the HTTP interface</h1>
<p>{about}</p>
<p>Version {version}. Programs read the same as <a href="openapi.json">openapi.json</a>.
<a href="./">To the page of the models.</a></p>
{contents}
</header>
<main>
"""
END = "</main>\n</body>\n</html>\n"
CONSTRAINTS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matches {}",
}
Schema = Mapping[str, Any]


def docs_page(description: Schema, *, show_models: bool = True) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    description
        The OpenAPI description of the server.
    show_models
        Whether the ids of the models may be shown; false if clients need a key.
    """
    reader = Reader(description, show_models=show_models)
    operations = [
        (method.upper(), path, operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]
    links = "\n".join(
        f'<li><a href="#{_anchor(method, path)}"><code>{method} {escape(path)}</code></a> '
        f"{_text(_first_line(operation))}</li>"
        for method, path, operation in operations
    )
    info = description["info"]
    top = TOP.format(
        title=escape(info["title"]),
        about=_text(info["description"]),
        version=escape(info["version"]),
        contents=f"<nav><ul>\n{links}\n</ul></nav>",
    )
    sections = (reader.section(*one) for one in operations)
    return top + "\n".join(sections) + END


class Reader:
    """A converter that turns the parts of an OpenAPI description into HTML."""

    def __init__(self, description: Schema, *, show_models: bool) -> None:
        self.schemas = description.get("components", {}).get("schemas", {})
        self.show_models = show_models

    def section(self, method: str, path: str, operation: Schema) -> str:
        """Return the description of one endpoint (a path and a method)."""
        blocks = [f'<section id="{_anchor(method, path)}">']
        blocks.append(f"<h2><code>{method} {escape(path)}</code></h2>")
        blocks.append(f"<p>{_text(operation.get('description', ''))}</p>")
        parameters = operation.get("parameters", [])
        if parameters:
            rows = [self._row(p["name"], p["schema"], p.get("required"), p) for p in parameters]
            blocks += ["<h3>Parameters</h3>", _table(rows)]
        content = operation.get("requestBody", {}).get("content", {})
        if content:
            blocks += self._body(path, content)
        blocks += self._answers(operation["responses"])
        return "\n".join([*blocks, "</section>"])

    def _body(self, path: str, content: Schema) -> Iterator[str]:
        kinds = " or ".join(content)
        schema = self._resolved(next(iter(content.values()))["schema"])
        yield f"<h3>Body</h3>\n<p><code>{escape(kinds)}</code></p>"
        yield _table(self._fields(schema, schema.get("required", ())))
        # Documents of other programs are too long for an example.
        if JSON in content and "{" not in path:
            body = json.dumps(self._example(schema), ensure_ascii=False)
            command = f"curl -s http://127.0.0.1:8000{path} --json {quote(body)}"
            yield f"<pre><code>{escape(command)}</code></pre>"

    def _answers(self, responses: Schema) -> Iterator[str]:
        for status, response in responses.items():
            content = response.get("content", {})
            if not status.startswith("2"):
                continue
            yield f"<h3>Answer</h3>\n<p><code>{escape(' or '.join(content))}</code></p>"
            schema = self._resolved(content.get(JSON, {}).get("schema", {}))
            if schema.get("properties"):
                yield _table(self._fields(schema))  # an answer always has all fields
        errors = [
            (f"<code>{escape(status)}</code>", _text(response["description"]))
            for status, response in responses.items()
            if not status.startswith("2")
        ]
        if errors:
            rows = "\n".join(f"<tr><td>{one}</td><td>{two}</td></tr>" for one, two in errors)
            yield f"<details><summary>Errors</summary>\n<table>\n{rows}\n</table></details>"

    def _fields(self, schema: Schema, required: Collection[str] = ()) -> list[tuple[str, str, str]]:
        properties: Schema = schema.get("properties", {})
        return [self._row(name, one, name in required, one) for name, one in properties.items()]

    def _row(
        self, name: str, schema: Schema, required: bool | None, about: Schema
    ) -> tuple[str, str, str]:
        notes = ["required"] if required else []
        if not required and schema.get("default") is not None:
            notes.append(f"default: <code>{escape(json.dumps(schema['default']))}</code>")
        notes += self._constraints(name, schema)
        description = _text(about.get("description", ""))
        shown = "; ".join(notes)
        shown = f"({shown})" if description and shown else shown
        return (
            f"<code>{escape(name)}</code>",
            escape(self.type_of(schema)),
            f"{description} {shown}",
        )

    def _constraints(self, name: str, schema: Schema) -> Iterator[str]:
        for part in schema.get("anyOf", [schema]):
            for key, template in CONSTRAINTS.items():
                if key in part:
                    yield escape(template.format(part[key]))
            if "enum" in part and (self.show_models or name != "model"):
                yield "one of " + ", ".join(f"<code>{escape(str(v))}</code>" for v in part["enum"])

    def type_of(self, schema: Schema) -> str:
        """Return a description of the type of a value."""
        if "$ref" in schema:
            resolved = self._resolved(schema)
            names = ", ".join(resolved.get("properties", {}))
            return f"object ({names})" if names else "object"
        if "anyOf" in schema:
            return " or ".join(self.type_of(part) for part in schema["anyOf"])
        if schema.get("type") == "array":
            items = schema.get("items") or {}
            if "prefixItems" in schema:
                return f"[{', '.join(self.type_of(part) for part in schema['prefixItems'])}]"
            return f"list of {_plural(self.type_of(items))}"
        return str(schema.get("type", "any value"))

    def _resolved(self, schema: Schema) -> Schema:
        if "$ref" in schema:
            target: Schema = self.schemas[schema["$ref"].rpartition("/")[2]]
            return target
        return schema

    def _example(self, schema: Schema) -> dict[str, Any]:
        """Return a small example of a body, with required fields and fields that have examples."""
        required = schema.get("required", ())
        return {
            name: self._value(name, one)
            for name, one in schema["properties"].items()
            if name in required or one.get("examples")
        }

    def _value(self, name: str, schema: Schema) -> Any:
        if name == "model" and not self.show_models:
            return "MODEL"
        examples = [*schema.get("examples", ())]
        for part in schema.get("anyOf", [schema]):
            examples += part.get("examples", ())
        if examples:
            return examples[0]
        return {"array": [], "integer": 1, "number": 1.0}.get(schema.get("type", ""), "")


def _anchor(method: str, path: str) -> str:
    return f"{method}{path}".lower().replace("/", "-").replace("{", "").replace("}", "")


def _plural(type_: str) -> str:
    """Return the plural of a type, for example ``objects (a, b)`` for ``object (a, b)``."""
    return re.sub(r"^(string|integer|number|object)(?= \(|$)", r"\1s", type_)


def _first_line(operation: Schema) -> str:
    return str(operation.get("description", "")).partition("\n")[0]


def _text(text: str) -> str:
    """Convert a text to HTML, with the parts in backquotes marked as code."""
    pieces = escape(" ".join(text.replace("``", "`").split()), quote=False).split("`")
    return "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(pieces))


def _table(rows: Sequence[tuple[str, str, str]]) -> str:
    cells = "\n".join(
        "<tr>" + "".join(f"<td>{cell.strip()}</td>" for cell in row) + "</tr>" for row in rows
    )
    head = "<tr><th>name</th><th>type</th><th>meaning</th></tr>"
    return f'<div class="wide"><table>\n{head}\n{cells}\n</table></div>'
