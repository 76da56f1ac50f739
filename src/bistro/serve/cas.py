"""A reader and writer for UIMA documents (CAS) in XMI format, without the UIMA libraries.

A CAS is a text with annotations. The file is flat, and each annotation is one element. The name of
the element is the type of the annotation, and its attributes are the features. The text is an
attribute of the element Sofa, and a View lists the annotations of the text.

    <type4:Token xmi:id="29" sofa="1" begin="0" end="3"/>
    <cas:Sofa xmi:id="1" sofaID="_InitialView" sofaString="Joe waited ."/>
    <cas:View sofa="1" members="29"/>

Offsets count UTF-16 units, as in Java. XML with a document type declaration, which can define
entities, is rejected. XMI never has such a declaration, and entities can make a short file
enormous.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

from bistro.serve.errors import MalformedError

XMI = "http://www.omg.org/XMI"
CAS = "http:///uima/cas.ecore"
ID = f"{{{XMI}}}id"
INITIAL_VIEW = "_InitialView"
PREDICTED = "inception_internal_predicted"
"""The feature that marks suggestions."""
DEEPEST = 8
"""Maximum depth of XML elements. XMI is flat: a root contains annotations, which contain lists of
values."""
PREFIXES = {XMI: "xmi", CAS: "cas"}


@dataclass(frozen=True)
class Span:
    """A span of the text, with offsets in characters."""

    id: str
    begin: int
    end: int


class Cas:
    """A document to which annotations can be added."""

    def __init__(self, xmi: str) -> None:
        self.root = read_xml(xmi)
        sofa = self._sofa()
        self.text: str = sofa.get("sofaString", "")
        self._sofa_id = sofa.get(ID, "")
        self._view = self._view_of(self._sofa_id)
        self._offsets = Offsets(self.text)
        self._added: list[ElementTree.Element] = []
        ids = [int(e.get(ID, "0")) for e in self.root if e.get(ID, "0").isdecimal()]
        self._next_id = max(ids, default=0) + 1

    def _sofa(self) -> ElementTree.Element:
        sofas = self.root.findall(f"{{{CAS}}}Sofa")
        if not sofas:
            raise MalformedError("the document has no Sofa, the element that contains the text")
        initial = [sofa for sofa in sofas if sofa.get("sofaID") == INITIAL_VIEW]
        return (initial or sofas)[0]

    def _view_of(self, sofa: str) -> ElementTree.Element:
        for view in self.root.findall(f"{{{CAS}}}View"):
            if view.get("sofa") == sofa:
                return view
        raise MalformedError("the document has no View for its text")

    def annotations(self, type_name: str, *, subtypes: bool = False) -> Iterator[Any]:
        """Yield the elements of a type, except suggestions.

        With `subtypes`, elements of all other types in the same package are also included, since
        DKPro has one type per tag.
        """
        space, name = qualified(type_name)
        for element in self.root:
            if element.get("sofa") != self._sofa_id or element.get(PREDICTED) == "true":
                continue
            if element.tag == f"{{{space}}}{name}" or (
                subtypes and element.tag.startswith(f"{{{space}}}")
            ):
                yield element

    def span(self, element: ElementTree.Element) -> Span:
        """Return the span of the text that an annotation covers."""
        places = [element.get(name, "") for name in ("begin", "end")]
        if not all(place.isdecimal() and len(place) < 10 for place in places):
            raise MalformedError(f"an annotation has no offsets: {element.tag.partition('}')[2]}")
        begin, end = (self._offsets.character(int(place)) for place in places)
        if begin > end:
            raise MalformedError(f"an annotation ends at {end}, before it begins at {begin}")
        return Span(element.get(ID, ""), begin, end)

    def add(self, type_name: str, span: Span, features: Mapping[str, str]) -> None:
        """Add an annotation to a part of the text."""
        space, name = qualified(type_name)
        begin, end = self._offsets.unit(span.begin), self._offsets.unit(span.end)
        number = str(self._next_id)
        self._next_id += 1
        attributes = {ID: number, "sofa": self._sofa_id, "begin": str(begin), "end": str(end)}
        self._added.append(ElementTree.Element(f"{{{space}}}{name}", {**attributes, **features}))

    def to_xmi(self) -> str:
        """Return the document as XMI."""
        # Before the first View, so that readers have seen all annotations when it lists them.
        place = next(i for i, one in enumerate(self.root) if one.tag == f"{{{CAS}}}View")
        self.root[place:place] = self._added
        members = [self._view.get("members", ""), *(one.get(ID, "") for one in self._added)]
        self._view.set("members", " ".join(members).strip())
        self._added.clear()
        body = ElementTree.tostring(self.root, encoding="unicode")
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}'


class Offsets:
    """A converter between character offsets and the UTF-16 offsets that Java uses."""

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._units: list[int] | None = None
        if any(ord(character) > 0xFFFF for character in text):
            self._units = [0]
            for character in text:
                self._units.append(self._units[-1] + 1 + (ord(character) > 0xFFFF))
            self._characters = {unit: place for place, unit in enumerate(self._units)}

    def character(self, unit: int) -> int:
        """Return the index of the character at a UTF-16 offset."""
        if self._units is None and unit <= self._length:
            return unit
        if self._units is not None and unit in self._characters:
            return self._characters[unit]
        raise MalformedError(
            f"an annotation has the offset {unit}, which is not the position of a character"
        )

    def unit(self, place: int) -> int:
        """Return the UTF-16 offset of a character."""
        return place if self._units is None else self._units[place]


def qualified(type_name: str) -> tuple[str, str]:
    """Return the namespace and the local name of a type.

    >>> qualified("uima.tcas.Annotation")
    ('http:///uima/tcas.ecore', 'Annotation')
    """
    package, _, name = type_name.rpartition(".")
    return f"http:///{package.replace('.', '/')}.ecore", name


def read_xml(text: str) -> ElementTree.Element:
    """Return the root of an XML document that has no document type declaration."""
    builder = ElementTree.TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    depth = 0

    def name_of(name: str) -> str:
        return f"{{{name}" if "}" in name else name

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise MalformedError(
                f"the XML has more than {DEEPEST} levels, which is too deep for XMI"
            )
        builder.start(name_of(name), {name_of(key): v for key, v in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name_of(name))

    def refuse(*_: object) -> None:
        raise MalformedError("the XML has a document type (DOCTYPE), which is not allowed in XMI")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text.encode(), True)
    except (expat.ExpatError, UnicodeEncodeError) as error:
        raise MalformedError(f"the document is not well-formed XML: {error}") from None
    return builder.close()


for _space, _prefix in PREFIXES.items():
    ElementTree.register_namespace(_prefix, _space)
