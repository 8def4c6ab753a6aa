"""Whatever bytes a file of weights holds, its header is read as safetensors reads it, or refused in one sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import safetensors as reference
from hypothesis import example, given, settings
from hypothesis import strategies as st
from model_folder import entries, safetensors

from posenc_gui.checkpoints.safetensors_header import Header, read_header
from posenc_gui.foundation.errors import Invalid
from posenc_gui.foundation.unicode_text import CONTROL_CHARACTERS

SOUND = safetensors({"__metadata__": {"format": "pt"}, **entries()})
CONTROLS = re.compile(f"(?![\u2068\u2069])[{CONTROL_CHARACTERS}]")  # but for isolates of Arabic and Hebrew names
LENGTH = int.from_bytes(SOUND[:8], "little")

names = st.sampled_from(["a", "b", "__metadata__", "dtype", "shape", "data_offsets", *entries()])
numbers = st.integers() | st.sampled_from([0, 1, -1, 4, 8, 352, 2**31, 2**63, 2**64, 10**30])
values = st.recursive(
    st.none() | st.booleans() | numbers | st.floats() | st.text() | st.sampled_from(["F32", "BF16", "I64", "F4"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names | st.text(), inner, max_size=4),
    max_leaves=12,
)
tensors = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["F32", "F16", "I64", "U8", "F4", "X"]) | values,
        "shape": st.lists(st.integers(0, 3), max_size=3) | values,
        "data_offsets": st.lists(st.integers(0, 40), min_size=2, max_size=2) | values,
    }
)


headers = st.dictionaries(names | st.text(), tensors | values, max_size=4)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("weights") / "model.safetensors"


def read(file: Path, data: bytes) -> Header | None:
    """The header of these bytes; None if they are refused, in one plain sentence."""
    file.write_bytes(data)
    said = ""
    try:
        return read_header(file, file.name)
    except Invalid as refused:
        said = str(refused)
    assert re.fullmatch(r"model\.safetensors .{1,580}\.", said)
    assert not CONTROLS.search(said)
    return None


def agrees(file: Path, found: Header | None) -> None:
    """What is read here is what the library reads: it opens no file that it wouldn't, and sees the same in it."""
    if found is None:
        return
    with reference.safe_open(file, "np") as opened:
        assert set(opened.keys()) == set(found.tensors)
        for name, tensor in found.tensors.items():
            assert opened.get_slice(name).get_shape() == list(tensor.shape)
            assert opened.get_slice(name).get_dtype() == tensor.dtype


@given(
    data=st.binary(max_size=200)
    | st.builds(lambda text, held: safetensors(b"{" + text, held), st.binary(max_size=200), st.integers(0, 50))
    | st.builds(lambda header, held: safetensors(json.dumps(header), held), headers, st.integers(0, 80))
)
@example(data=b"\x02\0\0\0\0\0\0\0{}")
@settings(max_examples=300)
def test_any_bytes_are_refused_or_read(data: bytes, file: Path) -> None:
    agrees(file, read(file, data))


@given(
    flips=st.lists(st.tuples(st.integers(0, LENGTH + 7), st.integers(0, 255)), min_size=1, max_size=6),
    end=st.integers(0, len(SOUND) + 9),
)
@settings(max_examples=100)
def test_a_sound_file_with_other_bytes_is_refused_or_read(flips: list[tuple[int, int]], end: int, file: Path) -> None:
    data = bytearray(SOUND)
    for at, byte in flips:
        data[at] = byte
    for cut in (len(SOUND), end):
        agrees(file, read(file, bytes(data[:cut]).ljust(cut, b"\0")))


@given(
    at=st.integers(0, LENGTH),
    piece=st.text(max_size=12) | st.sampled_from(['"a":', "[", "{", '"a":1,', "1e999", "NaN"]),
)
@settings(max_examples=100)
def test_a_sound_header_with_something_put_in_is_refused_or_read(at: int, piece: str, file: Path) -> None:
    text = SOUND[8 : 8 + LENGTH]
    changed = text[:at] + piece.encode("utf-8", "surrogatepass") + text[at:]
    agrees(file, read(file, safetensors(changed, len(SOUND) - 8 - LENGTH)))


def test_a_sound_one_is_read(file: Path) -> None:
    found = read(file, SOUND)
    assert found is not None
    assert found.size == len(SOUND)
    assert set(found.tensors) == set(entries())
    agrees(file, found)
