"""Numbers come back as printed or saved, with what they are exact to; whatever else is given is refused in a sentence."""

from __future__ import annotations

import json
import pickle
import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from odd_files import odd_files
from safetensors.torch import save_file
from torch import Tensor

from posenc_gui.identify.numbers import NotNumbers, Numbers
from posenc_gui.identify.reading import _numbers, arrays_in, described, of_array, read_file, read_text

PRECISIONS = ("bfloat16", "float16", "float32", "float64")
ANGLES = torch.arange(6.0, dtype=torch.float64)[:, None] * 10_000.0 ** -torch.linspace(0, 1, 8, dtype=torch.float64)
COS, SIN = ANGLES.cos(), ANGLES.sin()

numbers_of_tables = st.floats(-1e4, 1e4, width=32) | st.integers(-40, 40).map(float) | st.floats(-1, 1, width=16)
shapes = st.lists(st.integers(1, 7), min_size=1, max_size=3)


@st.composite
def tables(draw: st.DrawFn) -> Tensor:
    """A table, a row or matrices, in any type."""
    shape = draw(shapes)
    count = int(np.prod(shape))
    values = draw(st.lists(numbers_of_tables, min_size=count, max_size=count))
    return torch.tensor(values).reshape(shape).to(getattr(torch, draw(st.sampled_from(PRECISIONS))))


def only(found: tuple[Numbers, ...]) -> Numbers:
    assert len(found) == 1
    return found[0]


def is_read(found: Numbers, values: Tensor) -> bool:
    """True if the numbers are these, up to what they say that printing changed."""
    off = (found.values - values.double().reshape(found.values.shape)).abs()
    allowed = 0 if found.rounding is None else found.rounding * (1 + 1e-9)
    return bool(
        (off <= allowed + 1e-6 * values.double().abs().reshape(off.shape) * (found.precision != "float64")).all()
    )


def in_file(path: Path, wanted: str = "") -> tuple[Numbers, ...]:
    """Read a file as its own process does."""
    arrays, names = arrays_in(str(path), wanted)
    assert not names, names
    return tuple(_numbers(*array) for array in arrays)


# --- Printed ----------------------------------------------------------------------------------------------------------


@given(tables(), st.integers(1, 9), st.integers(30, 140), st.sampled_from([None, True, False]))
def test_what_torch_prints(table: Tensor, digits: int, width: int, scientific: bool | None) -> None:
    torch.set_printoptions(precision=digits, linewidth=width, sci_mode=scientific)
    try:
        printed = str(table)
    finally:
        torch.set_printoptions(profile="default")
    found = only(read_text(f"cos = {printed}"))
    assert (found.name, found.values.shape) == ("cos", table.shape)
    assert is_read(found, table)


@given(tables(), st.integers(2, 17), st.integers(40, 140), st.booleans(), st.booleans())
def test_what_numpy_prints(table: Tensor, digits: int, width: int, is_short: bool, as_repr: bool) -> None:
    array = table.float().numpy() if table.dtype == torch.bfloat16 else table.numpy()
    with np.printoptions(precision=digits, linewidth=width, suppress=is_short, threshold=10_000):
        found = only(read_text(repr(array) if as_repr else str(array)))
    assert found.values.shape == table.shape
    assert is_read(found, table)


@given(tables())
def test_lists_json_and_tables_are_exact(table: Tensor) -> None:
    rows = table.tolist()
    written = [str(rows), json.dumps({"cos": rows})]
    if table.ndim == 2 and table.shape[1] > 2:
        table[0, 0] = rows[0][0] = 0.3125  # the first column isn't taken for an index
        written = ["\n".join(divider.join(map(repr, row)) for row in rows) for divider in (",", "\t", "; ", "  ")]
    for text in written:
        assert torch.equal(only(read_text(text)).values.reshape(-1), table.double().reshape(-1))


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_the_type_is_found_from_the_digits(dtype: str) -> None:
    table = COS.to(getattr(torch, dtype))
    assert only(read_text(str(table.tolist()))).precision == dtype
    assert of_array(table.double()).precision == of_array(table.tolist()).precision == dtype
    assert only(read_text(str(table))).precision == dtype  # torch says it
    if dtype != "bfloat16":
        assert only(read_text(repr(table.numpy()))).precision == dtype
        assert only(read_text(str([*table.numpy()[1]]))).precision == dtype  # [np.float32(0.5403023), …]


@pytest.mark.parametrize("kept", [torch.eye(4), torch.arange(32.0), 0.5 ** torch.arange(1.0, 9)])
def test_numbers_that_any_type_holds_have_the_given_type(kept: Tensor) -> None:
    for dtype in (torch.bfloat16, torch.float32, torch.float64):
        assert of_array(kept.to(dtype)).precision == str(dtype).removeprefix("torch.")


COMPLEX = torch.polar(torch.ones(6, 8, dtype=torch.float64), ANGLES)


@pytest.mark.parametrize(
    ("text", "name", "shape", "precision", "decimals"),
    [
        (
            "tensor([[0.5403, 0.9813]], dtype=torch.bfloat16, device='cuda:0', grad_fn=<Mul0>)",
            "",
            (1, 2),
            "bfloat16",
            4,
        ),
        ("Parameter containing:\ntensor([0.1, -0.2], requires_grad=True)", "", (2,), "float32", 1),
        ("inv_freq tensor([1.0000e+00, 3.1623e-01])", "inv_freq", (2,), "float32", 4),
        ("[tensor(0.5403), tensor(0.9813)]", "", (2,), "float32", 4),
        (">>> import torch\n>>> cos[:1]\ntensor([[0.1, 0.2]])", "", (1, 2), "float32", 1),
        ("torch.Size([1, 2])\ntensor([[0.1, 0.2]])", "", (1, 2), "float32", 1),
        ("tf.Tensor(\n[[0.5 -0.25]\n [1. 0.]], shape=(2, 2), dtype=float64)", "", (2, 2), "float64", 2),
        ("<tf.Tensor: shape=(2,), dtype=float16, numpy=array([0.1, 0.2], dtype=float16)>", "", (2,), "float16", 1),
        ("Array([[1.  , 0.54]], dtype=float32, weak_type=True)", "", (1, 2), "float32", 2),
        ("[Array(0.5, dtype=float32), Array(0.25, dtype=float32)]", "", (2,), "float32", 2),
        (
            "Columns 1 to 2 0.1 0.2\n 0.3 0.4\n\nColumns 3 to 3 0.5\n 0.6\n[ CPUFloatType{2,3} ]",
            "",
            (2, 3),
            "float32",
            1,
        ),
        ("0.001 *\n 0.1000 0.2000\n 0.3000 0.4000\n[ CPUFloatType{2,2} ]", "", (2, 2), "float32", 7),
        ("Columns 0 to 1\n 0.1 0.2\nColumns 2 to 2\n 0.5\n[torch.FloatTensor of size 1x3]", "", (3,), "float32", 1),
        ("          0         1\n0  0.000000  1.000000\n1  0.841471  0.540302", "", (2, 2), "float32", 6),
        ("   0  1\n0  0  1\n1  1  0", "", (2, 2), "float32", None),
        (",a,b\n0,0.1,0.2\n1,0.3,0.4", "", (2, 2), "float32", 1),
        ("sin,cos\n0.1,0.2\n0.3,0.4", "", (2, 2), "float32", 1),
        ("0,1,2\n0.1,0.2,0.3", "", (3,), "float32", 1),
        ("0    1.0\n1    0.5\nName: x, Length: 2, dtype: float64", "", (2,), "float64", 1),
        ("slopes: 0.5, 0.25, 0.125", "slopes", (3,), "float32", 3),
        ("−0.5 0.25", "", (2,), "float32", 2),
        ("0.5\n0.25\n0.125\n", "", (3,), "float32", 3),
        ("[0.1, 0.2]\n[0.3, 0.4]", "", (2, 2), "float32", 1),
        ("0 [0.1, 0.2]\r\n1 [0.3, 0.4]", "", (2, 2), "float32", 1),
        ("[[True, False], [False, True]]", "", (2, 2), "float32", None),
        ("0 1 2\n1 0 1\n2 1 0", "", (3, 3), "float32", None),
        ("((0.1, 0.2), (0.3, 0.4))", "", (2, 2), "float32", 1),
        (str(COMPLEX), "", (6, 8, 2), "float64", None),
        (repr(COMPLEX.numpy()), "", (6, 8, 2), "float64", None),
        (str(COMPLEX.tolist()), "", (6, 8, 2), "float64", None),
    ],
)
def test_every_way_of_printing(
    text: str, name: str, shape: tuple[int, ...], precision: str, decimals: int | None
) -> None:
    found = only(read_text(text))
    assert (found.name, tuple(found.values.shape), found.precision) == (name, shape, precision)
    if found.complex:
        assert (found.values - torch.view_as_real(COMPLEX)).abs().max() < 1e-4
    else:
        assert found.decimals == decimals


@pytest.mark.parametrize(
    "text",
    [
        f"cos = {COS}\nsin = {SIN}", json.dumps({"cos": COS.tolist(), "sin": SIN.tolist()}),
        f"cos: {COS.numpy()}\n\nsin: {SIN.numpy()}",
        "cos:\n0.1 0.2\n0.3 0.4\nsin:\n0.5 0.6\n0.7 0.8", "cos [0.1, 0.2]\nsin [0.3, 0.4]",
    ],
)  # fmt: skip
def test_several_arrays_come_by_name(text: str) -> None:
    assert [one.name for one in read_text(text)] == ["cos", "sin"]


def test_a_tuple_of_tensors_is_two_arrays() -> None:
    found = read_text(str((COS, SIN)))
    assert [(one.name, tuple(one.values.shape)) for one in found] == [("array 1", (6, 8)), ("array 2", (6, 8))]


def test_small_numbers_are_exact_to_their_own_last_digit() -> None:
    found = only(read_text("tensor([1.0000e+00, 1.0000e-02, 1.0000e-04])"))
    assert found.rounding is not None
    assert found.rounding.tolist() == pytest.approx([5e-5, 5e-7, 5e-9])


REFUSED = [
    ("", "No numbers"), ("hello", "No numbers"), ("[]", "no numbers"), ("tensor([], size=(0, 4))", "no numbers"),
    ("[[1, 2, 3], [4, 5, 6], [7, 8]]", "Row 3 has 2 numbers, the others 3"), ("1 2\n3 4\n5", "Row 3 has 1 number, the others 2"),
    ("[[0.1, nan], [1, 2]]", "NaN in row 1, number 2"), ("tensor([[0., 1.], [-inf, 0.]])", "infinity in row 2, number 1"),
    ("1e400, 2", "infinity in number 1"), ("1e99999999999", "infinity"), ("[1, 2, abc]", "“abc”"),
    ("0.1,,0.3\n0.4,0.5,0.6", "row 1"),
    ("0.1, 0x1F, 0.3", "“0x1F”"), ("[[1, 2], [3, ", "rackets"), ("3, 4], [5, 6]]", "rackets"),
    ("def f(x):\n    return 3", "code"), ("print(cos[0, :6].tolist())", "code"), ("x = 10000 ** (2 / 8)", "code"),
    ("import torch", "code"), ("<html><td>0.5</td>", "web page"), (str(torch.arange(2000.0)), "torch.set_printoptions"),
    (str(np.arange(2000.0)), "np.set_printoptions"), ("[0.1, …]", "abbreviated"),
    ("[" * 5000, "rackets"), ("[" * 5000 + "1" + "]" * 5000, "lists within lists"), ("0.5 " * 6_000_000, "20 MB"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "why"), REFUSED, ids=[why for _, why in REFUSED])
def test_what_holds_no_numbers_is_refused_in_a_sentence(text: str, why: str) -> None:
    with pytest.raises(NotNumbers, match=re.escape(why)) as refusal:
        read_text(text)
    assert re.fullmatch(r"[^\n]{20,190}\.", str(refusal.value))


@given(st.text(st.sampled_from("0123456789.-+ej,;: \n\t[](){}nanif=*|\"'x"), max_size=60) | st.text(max_size=40))
@example("[1;2;;[]]").via("found")
@example("Columns").via("found")
def test_no_text_leads_to_an_error_of_another_kind(text: str) -> None:
    with suppress(NotNumbers):
        assert all(one.values.isfinite().all() and described(one) for one in read_text(text))


# --- Arrays and files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "held", [torch.float16, torch.bfloat16, torch.int32, torch.bool, torch.float8_e4m3fn, torch.complex64]
)
def test_arrays_of_any_type(held: torch.dtype) -> None:
    table = torch.tensor([[1.0, 0.5], [0.25, 2.0]]).to(held)
    plain = torch.view_as_real(table).double() if held.is_complex else table.double()
    found = of_array(table.requires_grad_() if held.is_floating_point and held.itemsize > 1 else table)
    assert torch.equal(found.values, plain)
    assert found.complex == held.is_complex
    assert torch.equal(of_array([*table]).values, plain)


@pytest.mark.parametrize(
    ("given", "why"),
    [([[1, 2], [3]], "Row 2"), ([1, "a"], "type"), ([None], "type"), (np.array([{}]), "type"), ([[]], "no numbers")],
)
def test_arrays_of_something_else_are_refused(given: object, why: str) -> None:
    with pytest.raises(NotNumbers, match=why):
        of_array(given)


@pytest.mark.parametrize(
    ("shape", "kept", "said"),
    [
        ((5000, 16), (4096, 16), "the first 4,096 of 5,000 rows"),
        ((16, 20_000), (16, 4096), "the first 4,096 of 20,000 columns"),
        ((8, 12_288), (8, 12_288), ""), ((20_000,), (4096,), "the first 4,096 of 20,000 numbers"),
        ((3, 1, 1, 2, 2), (3, 1, 2, 2), ""),
    ],
)  # fmt: skip
def test_of_many_rows_the_first_are_kept(shape: tuple[int, ...], kept: tuple[int, ...], said: str) -> None:
    found = of_array(np.zeros(shape, np.float16))
    assert tuple(found.values.shape) == kept
    assert said in found.left_out


def files(folder: Path) -> dict[str, Path]:
    """COS in each kind of file."""
    single, paths = (
        COS.float(),
        {kind: folder / f"cos.{kind}" for kind in ("npy", "npz", "safetensors", "pt", "old.pt", "csv", "json")},
    )
    np.save(paths["npy"], single.numpy())
    np.savez(paths["npz"], cos=single.numpy(), sin=SIN.half().numpy())
    save_file({"cos": single, "sin": SIN.bfloat16(), "odd": torch.ones(3, dtype=torch.bool)}, paths["safetensors"])
    torch.save(
        {"model": {"cos": single, "n": 3, "names": ["a"]}, "sin": [SIN.bfloat16().requires_grad_()]}, paths["pt"]
    )
    torch.save(single, paths["old.pt"], _use_new_zipfile_serialization=False)
    np.savetxt(paths["csv"], single.numpy(), delimiter=",")
    paths["json"].write_text(json.dumps({"cos": single.tolist()}))
    return paths


def test_every_kind_of_file(tmp_path: Path) -> None:
    for kind, path in files(tmp_path).items():
        found = {one.name: one for one in (read_file(path) if kind in ("csv", "json") else in_file(path))}
        cos = next(one for name, one in found.items() if "cos" in name or not name)
        assert torch.equal(cos.values, COS.float().double()), kind
        assert cos.precision == "float32"
        if len(found) > 1:
            sin = next(one for name, one in found.items() if "sin" in name)
            assert sin.precision == ("float16" if kind == "npz" else "bfloat16")
    assert only(in_file(tmp_path / "cos.npz", "sin")).name == "sin"
    assert only(read_file(tmp_path / "cos.json", "cos")).name == "cos"
    with pytest.raises(NotNumbers, match="“tan”"):
        read_file(tmp_path / "cos.json", "tan")


def test_a_file_is_read_in_a_process_of_its_own(tmp_path: Path) -> None:
    np.save(tmp_path / "cos.npy", COS.numpy())
    assert described(only(read_file(tmp_path / "cos.npy"))) == "6 rows of 8 numbers, −0.99 to 1, float64"


class Harm:
    """What runs code when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.marker,)


def test_what_would_run_code_is_refused_and_runs_nothing(tmp_path: Path) -> None:
    harm, marker = Harm(tmp_path / "marker"), tmp_path / "marker"
    torch.save({"cos": COS, "harm": harm}, tmp_path / "a.pt")
    torch.save(harm, tmp_path / "b.pt", _use_new_zipfile_serialization=False)
    (tmp_path / "c.npy").write_bytes(pickle.dumps([harm] * 9))
    np.save(tmp_path / "d.npy", np.array([harm], object))
    np.savez(tmp_path / "e.npz", cos=np.array([harm], object))
    for path in sorted(tmp_path.iterdir()):
        with pytest.raises(NotNumbers, match="holds more than numbers"):
            arrays_in(str(path), "")
    assert not marker.exists()


def test_of_many_weights_those_of_positions_are_asked_for(tmp_path: Path) -> None:
    weights = {f"layers.{layer}.{name}": COS for layer in range(12) for name in ("w_q", "rotary_emb.inv_freq")}
    torch.save(weights, tmp_path / "model.pt")
    assert arrays_in(str(tmp_path / "model.pt"), "") == ([], [name for name in weights if "inv_freq" in name])
    assert only(in_file(tmp_path / "model.pt", "layers.3.w_q")).name == "layers.3.w_q"
    with pytest.raises(NotNumbers, match="“cos”"):
        arrays_in(str(tmp_path / "model.pt"), "cos")
    torch.save(weights | {"layers.0.rotary_emb.inv_freq": SIN}, tmp_path / "model.pt")


@pytest.mark.filterwarnings("ignore")  # of files that np.load leaves open: the process that reads them ends
@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"), (b"\x89PNG\r\n\x1a\n\0\0", "a picture"), (b"%PDF-1.7\n\0", "no file of numbers"),
        (b"\0\1\2\3" * 9, "no file of numbers"), (b"PK\3\4\0 nothing", "damaged"), (b"\x93NUMPY\1\0", "damaged"),
        (b"version https://git-lfs.github.com/spec/v1\noid 1", "Git LFS"), ("0.1;häh?\n".encode("latin-1"), "row 1"),
        (bytes(7) + b"\1{\0\0", "header"),
    ],
)  # fmt: skip
def test_files_of_something_else_are_refused(data: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / "numbers.bin"
    path.write_bytes(data)
    with pytest.raises(NotNumbers, match=why):
        read_file(path) if b"\0" not in data or why == "a picture" else arrays_in(str(path), "")


def test_what_is_no_ordinary_file_is_refused(tmp_path: Path) -> None:
    with odd_files(tmp_path, ".npy") as paths:
        for path in (*paths.values(), tmp_path / "none.npy"):
            with pytest.raises(NotNumbers, match="ordinary file"):
                read_file(path)


def test_another_encoding_of_letters(tmp_path: Path) -> None:
    (tmp_path / "excel.txt").write_text("0.5\t0.25\n", "utf-16")
    assert only(read_file(tmp_path / "excel.txt")).values.tolist() == [0.5, 0.25]


@pytest.mark.filterwarnings("ignore")  # of files that np.load leaves open: the process that reads them ends
def test_damaged_files_give_a_sentence_or_numbers(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    broken = tmp_path / "broken"
    for kind, path in files(tmp_path).items():
        whole = path.read_bytes()
        for flip in range(0 if kind in ("csv", "json") else 25):
            data = np.frombuffer(whole, np.uint8).copy()
            places = generator.integers(0, min(len(data), 400 if flip % 2 else len(data)), 3)
            data[places] = generator.integers(0, 256, 3)
            broken.write_bytes(bytes(data[: len(data) - (flip % 5 == 4) * int(generator.integers(len(data)))]))
            with suppress(NotNumbers):
                arrays_in(str(broken), "")
