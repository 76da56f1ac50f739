"""INCEpTION's external recommender: requests as its documentation describes them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

import pytest
from starlette.testclient import TestClient

import bistro
from bistro.models.base import Model
from bistro.serve import learning as module
from bistro.serve.app import create_app
from bistro.serve.cas import ID, PREDICTED, Cas, Offsets, qualified
from bistro.serve.catalog import Catalog
from bistro.serve.errors import MalformedError
from bistro.serve.inception import API, DEPENDENCY, LEMMA, POS
from bistro.serve.limits import Limits
from bistro.treebank.sentence import Sentence

NAMED_ENTITY = f"{API}.ner.type.NamedEntity"
TYPES = {
    "segmentation": qualified(f"{API}.segmentation.type.Token")[0],
    "pos": qualified(POS)[0],
    "dependency": qualified(DEPENDENCY)[0],
}
TYPE_SYSTEM = (
    '<?xml version="1.0" encoding="UTF-8"?><typeSystemDescription '
    'xmlns="http://uima.apache.org/resourceSpecifier"><types/></typeSystemDescription>'
)
BOMB = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + ']><xmi:XMI xmlns:xmi="http://www.omg.org/XMI">&j;</xmi:XMI>'
)
FILE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><x>&a;</x>'


def units(text: str) -> int:
    """Return the length of a text as Java counts it."""
    return len(text.encode("utf-16-le")) // 2


def xmi_of(
    sentences: Sequence[Sentence],
    *,
    tags: Sequence[int] = (),
    arcs: Sequence[int] = (),
    spans: bool = True,
    begin: str = "",
) -> str:
    """Return sentences as INCEpTION writes them; `tags` and `arcs` are words of the first one."""
    text, rows, number = begin, [], 10
    for place, sentence in enumerate(sentences):
        first, ids, ends = units(text), [], []
        for form in sentence.forms:
            low = units(text)
            text += f"{form} "
            ids.append(number)
            ends.append((low, low + units(form)))
            rows.append(_row("segmentation:Token", number, ends[-1]))
            number += 1
        if spans:
            rows.append(_row("segmentation:Sentence", number, (first, ends[-1][1])))
            number += 1
        for word in range(len(sentence)):
            if word in tags or place:
                value = {"PosValue": sentence.upos[word], "coarseValue": sentence.upos[word]}
                rows.append(_row("pos:POS_X", number, ends[word], **value))
                number += 1
            if word in arcs or place:
                governor = ids[sentence.heads[word] - 1] if sentence.heads[word] else ids[word]
                own = {"Governor": governor, "Dependent": ids[word]}
                label = sentence.deprels[word]
                row = _row("dependency:Dependency", number, ends[word], DependencyType=label, **own)
                rows.append(row)
                number += 1
    spaces = " ".join(f'xmlns:{name}="{space}"' for name, space in TYPES.items())
    members = " ".join(map(str, range(10, number)))
    return (
        '<?xml version="1.0" encoding="UTF-8"?><xmi:XMI xmlns:cas="http:///uima/cas.ecore" '
        f'xmlns:xmi="http://www.omg.org/XMI" {spaces} xmi:version="2.0"><cas:NULL xmi:id="0"/>'
        + "".join(rows)
        + f'<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" '
        f'sofaString={quoteattr(text)}/><cas:View sofa="1" members="{members}"/></xmi:XMI>'
    )


def _row(name: str, number: int, span: tuple[int, int], **features: object) -> str:
    begin, end = span
    own = "".join(f" {key}={quoteattr(str(value))}" for key, value in features.items())
    return f'<{name} xmi:id="{number}" sofa="1" begin="{begin}" end="{end}"{own}/>'


def request(xmi: str, layer: str, feature: str) -> dict[str, Any]:
    """Return a request for suggestions."""
    return {
        "metadata": {
            "layer": layer,
            "feature": feature,
            "projectId": 1337,
            "anchoringMode": "tokens",
            "crossSentence": False,
            "range": {"begin": 0, "end": 47},
        },
        "document": {"xmi": xmi, "documentId": 42, "userId": "testuser"},
        "typeSystem": TYPE_SYSTEM,
    }


def suggestions(answer: Any, layer: str) -> list[ElementTree.Element]:
    """Return the suggestions of an answer, which must be a document as a whole."""
    assert answer.status_code == 200, answer.text
    cas = Cas(answer.json()["document"])
    space, name = qualified(layer)
    found = [e for e in cas.root.findall(f"{{{space}}}{name}") if e.get(PREDICTED) == "true"]
    view = cas.root.find("{http:///uima/cas.ecore}View")
    assert view is not None
    members = view.get("members", "").split()
    assert len(set(members)) == len(members)
    assert all(element.get(ID) in members for element in found)
    assert list(cas.root)[-1] is view
    return found


@pytest.fixture(scope="module")
def sentences() -> list[Sentence]:
    return list(bistro.builtin(sentences=320, seed=1))[300:]


def ask(client: TestClient, xmi: str, layer: str, feature: str, model: str = "parser") -> Any:
    content = json.dumps(request(xmi, layer, feature))  # which can hold half a surrogate pair
    headers = {"content-type": "application/json"}
    return client.post(f"/inception/{model}/predict", content=content, headers=headers)


def test_tags_are_suggested(client: TestClient, sentences: list[Sentence]) -> None:
    for feature in ("PosValue", "coarseValue"):
        answer = ask(client, xmi_of(sentences[:1]), POS, feature)
        found = suggestions(answer, POS)
        assert len(found) == len(sentences[0])
        tags = [element.get(feature) for element in found]
        right = sum(a == b for a, b in zip(tags, sentences[0].upos, strict=True))
        assert right >= 0.6 * len(tags)
        assert all(0 <= float(e.get(f"{feature}_score", "2")) <= 1 for e in found)


def test_arcs_are_suggested(client: TestClient, sentences: list[Sentence]) -> None:
    xmi = xmi_of(sentences[:1])
    found = suggestions(ask(client, xmi, DEPENDENCY, "DependencyType"), DEPENDENCY)
    tokens = [e.get(ID, "") for e in Cas(xmi).annotations(f"{API}.segmentation.type.Token")]
    assert [e.get("Dependent") for e in found] == tokens
    assert all(e.get("Governor") in tokens for e in found)
    roots = [e for e in found if e.get("Governor") == e.get("Dependent")]
    assert [e.get("DependencyType") for e in roots] == ["root"]
    assert all(0 <= float(e.get("DependencyType_score", "2")) <= 1 for e in found)


def test_decisions_are_evidence(client: TestClient, sentences: list[Sentence]) -> None:
    own = max(sentences, key=len)
    words = range(1, len(own), 2)
    answer = ask(
        client, xmi_of([own], tags=range(len(own)), arcs=words), DEPENDENCY, "DependencyType"
    )
    found = suggestions(answer, DEPENDENCY)
    assert len(found) == len(own) - len(words)
    assert len(list(Cas(answer.json()["document"]).annotations(DEPENDENCY))) == len(words)
    # All that is open but one word: the arcs that are there decide it.
    root = own.heads.index(0)
    others = [word for word in range(len(own)) if word != root]
    answer = ask(
        client, xmi_of([own], tags=range(len(own)), arcs=others), DEPENDENCY, "DependencyType"
    )
    [last] = suggestions(answer, DEPENDENCY)
    assert last.get("Governor") == last.get("Dependent")
    tagged = suggestions(ask(client, xmi_of([own], tags=[0, 1]), POS, "PosValue"), POS)
    assert len(tagged) == len(own) - 2


def test_offsets_are_those_of_java(client: TestClient, sentences: list[Sentence]) -> None:
    plain = suggestions(ask(client, xmi_of(sentences[:1]), POS, "PosValue"), POS)
    astral = suggestions(ask(client, xmi_of(sentences[:1], begin="😀 "), POS, "PosValue"), POS)
    assert [int(e.get("begin", "")) - 3 for e in astral] == [int(e.get("begin", "")) for e in plain]
    assert [e.get("PosValue") for e in astral] == [e.get("PosValue") for e in plain]
    with pytest.raises(MalformedError, match="offset 1"):
        Offsets("😀").character(1)


def test_documents_without_sentences_or_words(
    client: TestClient, sentences: list[Sentence]
) -> None:
    found = suggestions(ask(client, xmi_of(sentences[:1], spans=False), POS, "PosValue"), POS)
    assert len(found) == len(sentences[0])
    empty = xmi_of([], begin="Line one\n\tand line two <&>")
    answer = ask(client, empty, POS, "PosValue")
    assert not suggestions(answer, POS)
    assert Cas(answer.json()["document"]).text == "Line one\n\tand line two <&>"


@pytest.mark.parametrize(
    "xmi",
    ["", "no xml", "<a><b></a>", BOMB, FILE, "<a>" * 50, "<a/>", "\ud800", '<a b="1" b="2"/>'],
)
def test_malformed_documents(client: TestClient, xmi: str) -> None:
    answer = ask(client, xmi, POS, "PosValue")
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]
    assert len(answer.text) < 500


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('begin="0"', ""),
        ('begin="0"', 'begin="-1"'),
        ('begin="0"', f'begin="{"9" * 30}"'),
        ('begin="0"', 'begin="100000"'),
        ("cas:View", "cas:Other"),
        ("cas:Sofa", "cas:Other"),
    ],
)
def test_broken_documents(
    client: TestClient, sentences: list[Sentence], old: str, new: str
) -> None:
    xmi = xmi_of(sentences[:1]).replace(old, new)
    assert ask(client, xmi, POS, "PosValue").status_code == 400


def test_arcs_that_make_no_tree_are_not_used(client: TestClient) -> None:
    looped = Sentence.from_columns(["a", "b"], upos=["X", "X"], heads=[2, 0], deprels=["x", "x"])
    xmi = xmi_of([looped], arcs=[0, 1])
    xmi = xmi.replace('Governor="11" Dependent="11"', 'Governor="10" Dependent="11"')
    assert len(suggestions(ask(client, xmi, DEPENDENCY, "DependencyType"), DEPENDENCY)) == 2


def test_what_cannot_be_suggested(client: TestClient, sentences: list[Sentence]) -> None:
    xmi = xmi_of(sentences[:1])
    for layer, feature in ((NAMED_ENTITY, "value"), (POS, "value"), ("", "")):
        answer = ask(client, xmi, layer, feature)
        assert answer.status_code == 422
        assert "there are no suggestions for this layer" in answer.json()["error"]
    assert "serve a pipeline" in ask(client, xmi, LEMMA, "value").json()["error"]
    assert (
        "does not have the ability 'tag'"
        in ask(client, xmi, POS, "PosValue", "ngram").json()["error"]
    )
    assert ask(client, xmi, POS, "PosValue", "nothing").status_code == 404
    for body in ({}, {"metadata": 1}, {**request(xmi, POS, "PosValue"), "document": {}}):
        assert client.post("/inception/parser/predict", json=body).status_code == 422


def test_limits_hold(catalog: Catalog, sentences: list[Sentence]) -> None:
    limits = Limits(document=30, words=20)
    with TestClient(create_app(catalog, limits), base_url="http://localhost") as client:
        answer = ask(client, xmi_of(sentences), POS, "PosValue")
        assert answer.status_code == 413
    with TestClient(
        create_app(catalog, keys={"0123456789abcdef": "inception"}), base_url="http://localhost"
    ) as client:
        assert ask(client, xmi_of(sentences[:1]), POS, "PosValue").status_code == 401


def test_lemmas_come_from_a_pipeline(sentences: list[Sentence]) -> None:
    treebank = bistro.builtin(sentences=150, seed=1)
    model = bistro.train("pipeline", treebank, seed=1)
    app = create_app(Catalog.of([("all", model)]))
    with TestClient(app, base_url="http://localhost") as client:
        found = suggestions(ask(client, xmi_of(sentences[:1]), LEMMA, "value", "all"), LEMMA)
        assert len(found) == len(sentences[0])
        assert all(e.get("value") for e in found)


# ---- learning -----------------------------------------------------------------------------------
@pytest.fixture
def learning(models: dict[str, Model]) -> Iterator[TestClient]:
    parser = bistro.train(
        "eisner", bistro.builtin(sentences=30, seed=5), sampler={"sweeps": 2, "samples": 1}
    )
    catalog = Catalog.of([("parser", parser), ("ngram", models["ngram"])])
    with TestClient(create_app(catalog, learn_after=20), base_url="http://localhost") as client:
        yield client


def train_request(xmis: Sequence[str], user: str = "testuser") -> dict[str, Any]:
    body = request("", DEPENDENCY, "DependencyType")
    del body["document"]
    documents = [{"xmi": xmi, "documentId": n, "userId": user} for n, xmi in enumerate(xmis)]
    return {**body, "documents": documents}


def renamed(sentence: Sentence) -> Sentence:
    """Return a sentence under a scheme of somebody's own."""
    labels = [label if label == "root" else f"my{label}" for label in sentence.deprels]
    return sentence.replace(deprels=labels)


def labels_of(client: TestClient, sentence: Sentence) -> list[str]:
    answer = ask(client, xmi_of([sentence]), DEPENDENCY, "DependencyType")
    return [e.get("DependencyType", "") for e in suggestions(answer, DEPENDENCY)]


def test_it_learns_from_documents(learning: TestClient, sentences: list[Sentence]) -> None:
    """The first sentence of each document lacks annotations, all others are complete."""
    own = max(sentences, key=len)
    documents = [
        xmi_of([renamed(s) for s in bistro.builtin(sentences=30, seed=seed)]) for seed in (1, 2)
    ]
    learner = learning.app.state.learner  # type: ignore[attr-defined]
    few = xmi_of([renamed(s) for s in bistro.builtin(sentences=15, seed=1)])
    address = "/inception/parser/train"
    assert learning.post(address, json=train_request([few])).status_code == 204
    learner.wait()
    assert not any(label.startswith("my") for label in labels_of(learning, own))
    answer = learning.post(address, json=train_request(documents))
    assert (answer.status_code, answer.content) == (204, b"")
    learner.wait()
    assert any(label.startswith("my") for label in labels_of(learning, own))
    # Somebody else's decisions are their own.
    other = request(xmi_of([own]), DEPENDENCY, "DependencyType")
    other["document"]["userId"] = "other"
    found = suggestions(learning.post("/inception/parser/predict", json=other), DEPENDENCY)
    assert not any(e.get("DependencyType", "").startswith("my") for e in found)


def test_one_model_is_trained_at_a_time(
    learning: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()

    def slow(*_: Any, **__: Any) -> Model:
        gate.wait(30)
        raise bistro.BistroError("not this time")

    monkeypatch.setattr(module, "train", slow)
    body = train_request([xmi_of(list(bistro.builtin(sentences=30, seed=1)))])
    assert learning.post("/inception/parser/train", json=body).status_code == 204
    assert learning.post("/inception/parser/train", json=body).status_code == 429
    gate.set()
    learner = learning.app.state.learner  # type: ignore[attr-defined]
    learner.wait()
    assert learning.post("/inception/parser/train", json=body).status_code == 204
    learner.wait()


def test_learning_has_to_be_switched_on(client: TestClient, learning: TestClient) -> None:
    answer = client.post("/inception/parser/train", json=train_request([]))
    assert answer.status_code == 422 and "--learn-after" in answer.json()["error"]
    assert learning.post("/inception/parser/train", json=train_request([])).status_code == 204
    bad = train_request([BOMB])
    assert learning.post("/inception/parser/train", json=bad).status_code == 400
    assert (
        "does not have the ability 'parse'"
        in learning.post("/inception/ngram/train", json=bad).json()["error"]
    )
