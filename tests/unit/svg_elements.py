"""Reads elements of pictures; what must be there is there, or a test fails."""

from __future__ import annotations

from xml.etree.ElementTree import Element

SVG = "{http://www.w3.org/2000/svg}"


def attribute(element: Element, name: str) -> str:
    """The value of an attribute."""
    value = element.get(name)
    assert value is not None, f"<{element.tag}> has no {name}"
    return value


def number(element: Element, name: str) -> float:
    """The value of an attribute as a number."""
    return float(attribute(element, name))


def text_of(root: Element, tag: str) -> str:
    """The text of the first child with this tag."""
    child = root.find(f"{SVG}{tag}")
    assert child is not None and child.text is not None
    return child.text
