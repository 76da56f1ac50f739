"""Configurations: what is accepted, what is refused and how, TOML there and back, overrides."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bistro
from bistro.config import (
    LARGEST,
    LARGEST_FILE,
    apply_overrides,
    from_dict,
    read_toml,
    setting,
    to_dict,
    to_toml,
)
from bistro.errors import ConfigError
from bistro.files import InputError
from bistro.models.committee.config import CommitteeConfig
from bistro.models.ngram.config import NgramConfig
from bistro.models.settings import chosen_settings


@dataclass(frozen=True)
class Seating:
    discount: float = setting(0.5, "The discount d of every depth, 0 <= d < 1.")
    scheme: Literal["gibbs", "minimal", "maximal"] = setting("gibbs", "Who opens a table.")

    def validate(self) -> None:
        if not 0 <= self.discount < 1:
            raise ConfigError(f"discount must lie in [0, 1), but is {self.discount}")


@dataclass(frozen=True)
class Model:
    order: int = setting(5, "How many words an event spans, its outcome included.")
    name: str = setting("plain", "A name.")
    lowercase: bool = setting(False, "Fold case.")
    limit: int | None = setting(None, "At most this many sentences.")
    sizes: tuple[int, ...] = setting((1, 2), "Sizes.")
    pair: tuple[str, float] = setting(("a", 1.0), "A pair.")
    contexts: list[list[str]] = field(default_factory=list, metadata={"help": "Element names."})
    seating: Seating = field(default_factory=Seating, metadata={"help": "Tables."})


@dataclass(frozen=True)
class House:
    """Has tables whose defaults differ from those of their class."""

    seating: Seating = setting(Seating(0.9, "minimal"), "Tables.")
    model: Model = setting(Model(order=2, seating=Seating(0.1, "maximal")), "The model.")
    other: Seating | None = setting(Seating(scheme="maximal"), "Other tables.")


def complaint(mapping: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as caught:
        from_dict(Model, mapping, where="c.toml")
    return str(caught.value)


def test_defaults_and_conversion() -> None:
    assert from_dict(Model, {}) == Model()
    config = from_dict(
        Model,
        {
            "sizes": [3],
            "pair": ["b", 2],
            "contexts": [["s1.tag"], []],
            "limit": "none",
            "seating": {"discount": 0},
        },
    )
    assert config.sizes == (3,)
    assert config.pair == ("b", 2.0)
    assert type(config.pair[1]) is float
    assert config.contexts == [["s1.tag"], []]
    assert config.limit is None
    assert config.seating == Seating(discount=0.0)


def test_what_a_table_leaves_out_is_as_in_the_default_of_the_whole_table(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text("[seating]\ndiscount = 0.2\n[model.seating]\ndiscount = 0.3\n[other]\n")
    house = read_toml(path, House)
    assert house.seating == Seating(0.2, "minimal")
    assert house.model == Model(order=2, seating=Seating(0.3, "maximal"))
    assert house.other == Seating(scheme="maximal")
    assert apply_overrides(House(), ["seating.discount=0.2"]).seating == house.seating


def test_a_partial_table_of_a_committee_keeps_its_quick_learning(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text("[isbn]\nhidden = 60\n[sampler]\nsweeps = 30\n")
    _, config = chosen_settings("committee", str(path))
    default = CommitteeConfig()
    assert config.isbn == replace(default.isbn, hidden=60)
    assert config.sampler == replace(default.sampler, sweeps=30)


def test_a_preset_or_file_by_name_in_python(tmp_path: Path) -> None:
    treebank = bistro.builtin(sentences=20, seed=1)
    quick = {"sweeps": 2, "samples": 1}
    model = bistro.train("transition", treebank, config="ud", sampler=quick)
    default = chosen_settings("transition", "ud")[1]
    assert model.config == replace(default, sampler=replace(default.sampler, **quick))
    assert model.config.tag_features == ("PronType", "Case")
    path = tmp_path / "c.toml"
    path.write_text("order = 2\n")
    assert bistro.train("ngram", [["a", "b"]], config=path).config.order == 2


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("udd", "there is no file or preset 'udd' .did you mean 'ud'"),
        ({"order": 2}, "config must be a configuration object, .*give individual settings by name"),
        (NgramConfig, "config must be a configuration object"),
    ],
)
def test_other_values_of_config(config: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        bistro.train("ngram", [["a", "b"]], config=config)


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"ordre": 3}, "c.toml: unknown setting 'ordre' (did you mean 'order'?)"),
        (
            {"seating": {"discnt": 0.1}},
            "c.toml: unknown setting 'seating.discnt' (did you mean 'seating.discount'?)",
        ),
        ({"order": "five"}, "c.toml: 'order' must be a whole number, not \"five\""),
        ({"order": 5.0}, "c.toml: 'order' must be a whole number, not 5.0"),
        ({"order": True}, "c.toml: 'order' must be a whole number, not true"),
        ({"lowercase": 1}, "c.toml: 'lowercase' must be true or false, not 1"),
        ({"name": 3}, "c.toml: 'name' must be a text in quotes, not 3"),
        ({"limit": "x"}, 'c.toml: \'limit\' must be a whole number or "none", not "x"'),
        ({"sizes": 3}, "c.toml: 'sizes' must be a list, each item a whole number, not 3"),
        ({"sizes": [1, "x"]}, "c.toml: 'sizes[1]' must be a whole number, not \"x\""),
        (
            {"pair": ["a"]},
            "c.toml: 'pair' must be a list of 2: a text in quotes, a number, not [\"a\"]",
        ),
        ({"contexts": [["a"], [3]]}, "c.toml: 'contexts[1][0]' must be a text in quotes, not 3"),
        ({"seating": 3}, "c.toml: 'seating' must be a table, not 3"),
        (
            {"seating": {"scheme": "minmal"}},
            'c.toml: \'seating.scheme\' must be one of "gibbs", "minimal", "maximal", not '
            "\"minmal\" (did you mean 'minimal'?)",
        ),
        ({"seating": {"discount": 1}}, "c.toml: discount must lie in [0, 1), but is 1.0"),
    ],
)
def test_complaints(mapping: dict[str, Any], message: str) -> None:
    assert complaint(mapping) == message


def test_an_unlike_key_gets_the_list_of_all() -> None:
    assert "known: order, name" in complaint({"zzz": 1})


@pytest.mark.parametrize(
    ("overrides", "changed"),
    [
        (["order=3"], {"order": 3}),
        (["order=3", "order = 4"], {"order": 4}),
        (["name=bare words"], {"name": "bare words"}),
        (['name="5"'], {"name": "5"}),
        (["name=a=b"], {"name": "a=b"}),
        (["lowercase=true"], {"lowercase": True}),
        (["limit=7"], {"limit": 7}),
        (["limit=none"], {"limit": None}),
        (["sizes=[4, 5]"], {"sizes": (4, 5)}),
        (["seating.scheme=minimal"], {"seating": Seating(scheme="minimal")}),
        (["seating={discount = 0.1}"], {"seating": Seating(discount=0.1)}),
    ],
)
def test_overrides(overrides: list[str], changed: dict[str, Any]) -> None:
    assert apply_overrides(Model(), overrides) == Model(**changed)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("order", "--set order: expected key=value"),
        ("order=x\nname=3", "'order' must be a whole number"),
        ("order=3\nname=3", "'order' must be a whole number"),
        ("odrer=3", "did you mean 'order'"),
        ("order.x=3", "'order' must be a whole number"),
        ("seating.x.y=3", "unknown setting 'seating.x'"),
        ("=3", "unknown setting ''"),
    ],
)
def test_bad_overrides(override: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        apply_overrides(Model(), [override])
    assert message in str(caught.value)


def test_toml_has_the_help_as_comments() -> None:
    lines = to_toml(Model()).splitlines()
    assert lines[:2] == ["# How many words an event spans, its outcome included.", "order = 5"]
    assert lines[-5:] == [
        "[seating]",
        "# The discount d of every depth, 0 <= d < 1.",
        "discount = 0.5",
        "# Who opens a table. Choices: gibbs, minimal, maximal.",
        'scheme = "gibbs"',
    ]
    assert all(len(line) <= 100 for line in lines)


texts = st.text(st.characters(codec="utf-8"))
WHOLE = st.integers(-LARGEST, LARGEST)
models = st.builds(
    Model,
    order=WHOLE,
    name=texts,
    lowercase=st.booleans(),
    limit=st.none() | WHOLE,
    sizes=st.lists(WHOLE).map(tuple),
    pair=st.tuples(texts, st.floats(allow_nan=False)),
    contexts=st.lists(st.lists(texts)),
    seating=st.builds(
        Seating,
        discount=st.floats(0, 1, exclude_max=True),
        scheme=st.sampled_from(["gibbs", "minimal", "maximal"]),
    ),
)


@given(models)
def test_toml_and_json_round_trip(tmp_path_factory: pytest.TempPathFactory, config: Model) -> None:
    path = tmp_path_factory.getbasetemp() / "config.toml"
    path.write_bytes(to_toml(config).encode("utf-8"))
    assert read_toml(path, Model) == config
    assert from_dict(Model, json.loads(json.dumps(to_dict(config)))) == config


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text("order = = 3")
    with pytest.raises(ConfigError, match=r"bad.toml: the file is not valid TOML: .*line 1"):
        read_toml(bad, Model)
    bad.write_bytes(b"name = '\xff'")
    with pytest.raises(ConfigError, match="is not valid TOML"):
        read_toml(bad, Model)
    bad.write_text("order = " + "[" * 100_000)
    with pytest.raises(ConfigError, match="is not valid TOML"):
        read_toml(bad, Model)
    bad.write_text("[a]\n" * (LARGEST_FILE // 4 + 1))
    with pytest.raises(ConfigError, match="too large for a settings file"):
        read_toml(bad, Model)
    with pytest.raises(InputError, match=r"absent\.toml"):
        read_toml(tmp_path / "absent.toml", Model)
