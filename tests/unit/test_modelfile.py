"""The model file: exact, mapped, readable elsewhere, and never a traceback for a bad one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bistro.errors import ModelFileError, OutputError
from bistro.modelfile import ALIGNMENT, FORMAT_VERSION, read_model, write_model

HEADER = {"kind": "ngram", "seed": 1, "config": {"order": 5}, "words": ["a", "æ", "語", "\ud800"]}
ARRAYS: dict[str, NDArray[Any]] = {
    "bytes": np.arange(3, dtype=np.uint8),
    "flags": np.array([[True, False, True]]),
    "counts": np.arange(-2, 3, dtype=np.int32),
    "half": np.array([0.5, 1.5], dtype=np.float16),
    "table": np.linspace(0, 1, 6).reshape(2, 3),
    "scalar": np.array(7, dtype=np.int64),
    "nothing": np.zeros((0, 4), dtype=np.float32),
}


def raw(outer: Any, data: bytes = b"") -> bytes:
    content = outer if isinstance(outer, bytes) else json.dumps(outer).encode()
    content += b" " * (-len(content) % 8 if content is not outer else 0)
    return len(content).to_bytes(8, "little") + content + data


def own(**entries: Any) -> dict[str, Any]:
    return {"bistro": json.dumps({"format_version": 1, "kind": "ngram", **entries})}


def entry(dtype: str, shape: list[int], begin: int, end: int) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.bistro"
    write_model(path, HEADER, ARRAYS)
    return path


def assert_same(found: dict[str, NDArray[Any]], expected: dict[str, NDArray[Any]]) -> None:
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert np.array_equal(found[name], array)


def test_round_trip(model: Path) -> None:
    file = read_model(model)
    assert file.header.items() >= HEADER.items()
    assert file.header["format_version"] == FORMAT_VERSION
    assert isinstance(file.header["bistro_version"], str)
    assert_same(file.arrays, ARRAYS)


@pytest.mark.parametrize("version", range(1, FORMAT_VERSION + 1))
def test_a_file_has_the_version_that_its_kind_asks_for(tmp_path: Path, version: int) -> None:
    write_model(tmp_path / "m.bistro", HEADER, ARRAYS, version)
    file = read_model(tmp_path / "m.bistro")
    assert file.header["format_version"] == version
    assert_same(file.arrays, ARRAYS)


def test_arrays_are_read_only_aligned_views_of_the_file(model: Path) -> None:
    arrays = read_model(model).arrays
    start = model.read_bytes()[:8]
    assert (8 + int.from_bytes(start, "little")) % ALIGNMENT == 0
    for array in arrays.values():
        assert not array.flags.writeable
        assert not array.flags.owndata
        assert array.flags.aligned
        assert array.flags.c_contiguous


def test_the_same_content_gives_the_same_bytes(model: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.bistro"
    write_model(again, dict(reversed(HEADER.items())), dict(reversed(ARRAYS.items())))
    assert again.read_bytes() == model.read_bytes()
    write_model(again, read_model(model).header, read_model(model).arrays)
    assert again.read_bytes() == model.read_bytes()


def test_any_memory_layout_is_stored_alike(tmp_path: Path) -> None:
    square = np.arange(9, dtype=np.int32).reshape(3, 3)
    layouts = {
        "columns": np.asfortranarray(square),
        "big": square.astype(">i4"),
        "part": np.arange(18, dtype=np.int32)[::2].reshape(3, 3) // 2,
    }
    write_model(tmp_path / "m", {"kind": "x"}, layouts)
    for array in read_model(tmp_path / "m").arrays.values():
        assert np.array_equal(array, square)
        assert array.dtype == np.dtype("<i4")


def test_safetensors_reads_it(model: Path) -> None:
    assert_same(safetensors.numpy.load_file(model), ARRAYS)
    with safetensors.safe_open(model, framework="numpy") as file:
        assert json.loads(file.metadata()["bistro"])["kind"] == "ngram"


def test_what_safetensors_writes_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "other.bistro"
    safetensors.numpy.save_file(ARRAYS, path, metadata=own())
    assert_same(read_model(path).arrays, ARRAYS)


def test_no_arrays_at_all(tmp_path: Path) -> None:
    write_model(tmp_path / "m", {"kind": "x"}, {})
    assert read_model(tmp_path / "m").arrays == {}
    assert safetensors.numpy.load_file(tmp_path / "m") == {}


def test_truncation_at_every_byte(model: Path, tmp_path: Path) -> None:
    whole = model.read_bytes()
    short = tmp_path / "short.bistro"
    for length in range(len(whole)):
        short.write_bytes(whole[:length])
        with pytest.raises(ModelFileError) as caught:
            read_model(short)
        words = ("is empty", "is not a Bistro model file", "is cut short")
        expected = words[0] if length == 0 else words[1] if length < 8 else words[2]
        assert expected in str(caught.value), length


GOOD = entry("F64", [2], 0, 16)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"hello", "is not a Bistro model file"),
        (b"PK\x03\x04" + bytes(100), "is not a Bistro model file"),
        (b"\x1f\x8b\x08\x00" + bytes(range(100)), "is not a Bistro model file"),
        (b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00}", "is not a Bistro model file"),
        (b"# text = Hallo\n1\tHallo\n" * 10, "is not a Bistro model file"),
        (b"\xff" * 8 + b"{}", "is not a Bistro model file"),
        (raw(b"{nonsense}"), "its header is not valid JSON"),
        (raw(b'{"a": "\xff"}'), "its header is not valid JSON"),
        (raw(b'{"a":' * 100_000), "its header is not valid JSON"),
        (raw(b'{"a":' + b"9" * 5000 + b"}"), "its header is not valid JSON"),
        (raw({}), "not written by Bistro"),
        (raw({"x": GOOD}, bytes(16)), "not written by Bistro"),
        (raw({"__metadata__": {"format": "pt"}}), "not written by Bistro"),
        (raw({"__metadata__": {"bistro": 3}}), "not written by Bistro"),
        (raw({"__metadata__": []}), "not written by Bistro"),
        (raw({"__metadata__": {"bistro": "{"}}), "Bistro's header is not valid JSON"),
        (raw({"__metadata__": {"bistro": "[]"}}), "no format version"),
        (raw({"__metadata__": own(format_version="1")}), "no format version"),
        (raw({"__metadata__": own(format_version=True)}), "no format version"),
        (raw({"__metadata__": own(format_version=0)}), "no format version"),
        (
            raw({"__metadata__": own(format_version=FORMAT_VERSION + 1)}),
            "a newer version of Bistro (format 4; this version reads formats up to 3): update",
        ),
        (raw({"__metadata__": own(kind=None)}), "the kind of model"),
        (raw({"__metadata__": own()}, b"x"), "1 bytes too many"),
        (raw({"__metadata__": own(), "x": GOOD}, bytes(15)), "is cut short"),
        (raw({"__metadata__": own(), "x": GOOD}, bytes(17)), "1 bytes too many"),
        (
            raw({"__metadata__": own(), "x": GOOD, "y": entry("F64", [1], 8, 16)}, bytes(16)),
            "array 'y' does not begin where the array before it ends",
        ),
        (
            raw({"__metadata__": own(), "x": GOOD, "y": entry("F64", [1], 24, 32)}, bytes(32)),
            "array 'y' does not begin where the array before it ends",
        ),
        (raw({"__metadata__": own(), "x": entry("BF16", [1], 0, 2)}, bytes(2)), "type 'BF16'"),
        (raw({"__metadata__": own(), "x": entry("F64", [2], 0, 8)}, bytes(8)), "is not valid"),
        (raw({"__metadata__": own(), "x": entry("F64", [-1], 8, 0)}), "is not valid"),
        (raw({"__metadata__": own(), "x": entry("U8", [True], 0, 1)}, b"x"), "is not valid"),
        (raw({"__metadata__": own(), "x": entry("U8", [0, 10**30], 0, 0)}), "is not valid"),
        (raw({"__metadata__": own(), "x": 3}), "is not valid"),
        (raw({"__metadata__": own(), "x": {"dtype": "U8", "shape": []}}), "is not valid"),
        (raw({"__metadata__": own(), "x": entry([], [], 0, 1)}, b"x"), "type []"),  # type: ignore[arg-type]
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.bistro"
    path.write_bytes(content)
    with pytest.raises(ModelFileError) as caught:
        read_model(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("dtype", ["F64", "x" * 5000])
def test_long_names_in_a_damaged_header_are_shortened(tmp_path: Path, dtype: str) -> None:
    path = tmp_path / "bad.bistro"
    path.write_bytes(raw({"__metadata__": own(), "y" * 5000: entry(dtype, [2], 0, 8)}, bytes(8)))
    with pytest.raises(ModelFileError) as error:
        read_model(path)
    assert len(str(error.value)) < len(str(path)) + 250


@pytest.mark.parametrize("inner", [False, True])
def test_a_header_of_empty_lists_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inner: bool
) -> None:
    """Three bytes are a list of 80: a header of 100 MB would take 3 GB."""
    monkeypatch.setattr("bistro.files.MOST_CONTAINERS", 1000)
    # The lists may be hidden in a string of JSON.
    lists: Any = "\\u005b\\u005d," * 2000 if inner else [[]] * 2000
    about = '{"kind": "x", "format_version": 1, "all": [' + str(lists) + "0]}" if inner else lists
    text = json.dumps({"__metadata__": {"bistro": about}}).replace("\\\\u", "\\u").encode()
    path = tmp_path / "m.bistro"
    path.write_bytes(len(text).to_bytes(8, "little") + text)
    with pytest.raises(ModelFileError, match="header is not valid JSON"):
        read_model(path)
    monkeypatch.undo()
    with pytest.raises(ModelFileError) as caught:
        read_model(path)
        raise ModelFileError("it can be read")
    assert "JSON" not in str(caught.value)


def test_misaligned_data_is_refused(tmp_path: Path) -> None:
    content = json.dumps({"__metadata__": own(), "x": GOOD}).encode()
    content += b" " * (-len(content) % 8 + 1)
    (tmp_path / "m").write_bytes(raw(content, bytes(16)))
    with pytest.raises(ModelFileError, match="'x' is not aligned"):
        read_model(tmp_path / "m")


def test_places_that_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="is a folder"):
        read_model(tmp_path)
    with pytest.raises(ModelFileError, match="no such file"):
        read_model(tmp_path / "absent.bistro")
    with pytest.raises(ModelFileError, match="must be a regular file"):
        read_model("/dev/null")


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="cannot be compressed"):
        write_model(tmp_path / "m.bistro.gz", {"kind": "x"}, {})
    with pytest.raises(ValueError, match="needs a kind"):
        write_model(tmp_path / "m", {}, {})
    for array in (np.array([None]), np.array(["text"]), np.array([1j])):
        with pytest.raises(ValueError, match="cannot be stored"):
            write_model(tmp_path / "m", {"kind": "x"}, {"x": array})
    with pytest.raises(OutputError):
        write_model(tmp_path / "absent" / "m", {"kind": "x"}, {})
    assert list(tmp_path.iterdir()) == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 40) | st.text(max_size=3) | st.just("F32"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
entries = st.dictionaries(
    st.sampled_from(["dtype", "shape", "data_offsets", "more"]), json_values, max_size=4
) | st.builds(
    entry,
    st.sampled_from(["F32", "U8", "I64", "BOOL", "F8"]),
    st.lists(st.integers(-1, 4), max_size=3),
    st.integers(-4, 40),
    st.integers(-4, 40),
)
fuzz = settings(
    max_examples=1000,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@fuzz
@given(st.dictionaries(st.text(max_size=2), entries | json_values, max_size=4), st.binary())
def test_fuzzed_headers(tmp_path: Path, outer: dict[str, Any], data: bytes) -> None:
    path = tmp_path / "fuzz.bistro"
    path.write_bytes(raw({"__metadata__": own(), **outer}, data))
    try:
        file = read_model(path)
    except ModelFileError as error:
        assert "\n" not in str(error).replace(str(path), "")
    else:
        assert sum(array.nbytes for array in file.arrays.values()) == len(data)


@fuzz
@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=5))
def test_flipped_bytes(tmp_path: Path, changes: list[tuple[int, int]]) -> None:
    path = tmp_path / "flipped.bistro"
    write_model(path, {"kind": "x"}, {"a": np.arange(4), "b": np.zeros(3, dtype=np.uint8)})
    content = bytearray(path.read_bytes())
    for place, value in changes:
        content[place % len(content)] = value
    path.write_bytes(content)
    try:
        read_model(path)
    except ModelFileError as error:
        assert str(path) in str(error)


def test_loading_does_not_read_the_arrays(tmp_path: Path) -> None:
    path = tmp_path / "large.bistro"
    write_model(path, {"kind": "x"}, {"large": np.zeros(8_000_000)})
    arrays = read_model(path).arrays
    # A view of mapped bytes owns none of them.
    assert not arrays["large"].flags.owndata
    assert arrays["large"].nbytes == 64_000_000
