"""Numbers from pasted text, from files and from arrays. Nothing of what is read is ever executed."""

from __future__ import annotations

import json
import pickle
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain
from math import isqrt, log10, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from posenc_gui.foundation.child import Child, ChildError, Failed
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.stopped import CheckStop, go_on
from posenc_gui.foundation.wording import format_bytes, format_count, format_number, join_words, quote
from posenc_gui.identify.numbers import Numbers

if TYPE_CHECKING:  # a process that reads a file needs no torch
    from numpy import ndarray

    from posenc_gui.encodings.base import Precision

MOST = 2**22  # values that are kept, of all arrays together
LONGEST = 20_000_000  # letters of a text
_MOST_ROWS, _MOST_COLUMNS = 4096, 16_384  # columns: of the widest models; what has more has positions there
_MOST_ARRAYS = 16  # of a file, all of which are compared
_SECONDS, _MEMORY = 60.0, 4e9  # that reading a file may take
_SAMPLE = 20_000  # values by which the type is found
_DIGITS: dict[Precision, int] = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}  # binary ones
_STORED = {"F16": "<f2", "BF16": "<i2", "F32": "<f4", "F64": "<f8", "C64": "<c8", "BOOL": "?"}  # by safetensors' names
_STORED |= {f"{kind}{8 * size}": f"<{kind.lower()}{size}" for kind in "IU" for size in (1, 2, 4, 8)}
_OF_POSITIONS = re.compile(r"inv_freq|pos|rotary|rope|relative|alibi|slope|freqs|bucket|\bcos|\bsin|wpe", re.IGNORECASE)
_FOREIGN = {
    **dict.fromkeys((b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF"), "a picture"), b"%PDF": "a PDF",
    b"\x89HDF": "an HDF5 file", b"\x1f\x8b": "a packed file", b"GGUF": "a GGUF model", b"MATLAB 5": "a MATLAB file",
    b"version https://git-lfs": "a note that Git LFS left in place of a file",
}  # fmt: skip
_INSTEAD = "drop a file that torch.save or np.save wrote, or paste the numbers as text"

_REAL = r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_NUMBER = re.compile(
    rf"[-+]?{_REAL}(?: *[-+] *{_REAL}[ij]|[ij])?(?![\w.])|[-+]?(?:nan|inf|infinity)\b|(?:true|false)\b", re.IGNORECASE
)
_TOKEN = re.compile(
    rf"(?P<number>{_NUMBER.pattern})|(?P<call>[^\W\d][\w.]*[(\[])|(?P<open>[(\[])|(?P<close>[)\]])|(?P<line>\n)"
    r"|(?P<word>\w[\w.]*)",
    re.IGNORECASE,
)
_TRUTHS = {"true": "1", "false": "0"}
_SIGNS = {
    **dict.fromkeys(map(ord, "−–‐‑﹣－"), "-"),
    **dict.fromkeys(map(ord, "\u00a0\u2009\u202f"), " "),
    0xFEFF: None,
}
_PRINTED = (
    "tensor",
    "array",
    "matrix",
    "parameter",
    "containing",
    "list",
    "tuple",
    "numpy",
    "dtype",
    "as_tensor",
    "asarray",
)
_TYPE = re.compile(r"(?:\w+\.)?(bfloat16|float16|float32|float64|u?int\d+|bool|complex\d+)", re.IGNORECASE)
_OPENS = re.compile(r"\s*[\[(]")
_BESIDE = re.compile(  # what printing puts beside numbers
    r"^(?:>>>|In ?\[\d*\]:).*$|^Out ?\[\d*\]:|^(?:Name|Length|Freq|dtype): .*$|```\w*|\[\d+ rows x \d+ columns\]"
    r"|\[ ?[\w.]+(?:\{[\d,]*\}| of size [\dx]+) ?\]|(?:torch\.Size\(|\bshape:? ?)[\[(][\d, ]*[\])]+"
    r"|,?\s*\b(?:device|grad_fn|requires_grad|shape|size|layout|weak_type)\s*=\s*(?:\([^()]*\)|<[^<>]*>|'[^']*'|[\w.:]+)",
    re.MULTILINE,
)
_CODE = re.compile(
    r"^\s*(?:def|class|import|from|for|while|return|assert|print\(|@\w)\b.*|\blambda\b|\bself\.", re.MULTILINE
)
_FACTOR = re.compile(rf"^\s*({_REAL})\s*\*\s*(?=\n|\[)", re.MULTILINE)
_COMPLEX = re.compile(rf"\(([-+]?{_REAL} *[-+] *{_REAL}[ij])\)")
_MATLAB = re.compile(r"\[([^\[\]()]*;[^\[\]()]*)\]")
_LEADING = re.compile(rf"[-+]?{_REAL}(?= *[-+])")  # a complex number's real part


class NotNumbers(ValueError):
    """What can't be read as numbers; the message says in a sentence why, and what to do."""


class WhichOne(NotNumbers):
    """A file of many arrays, of which one must be named; `names` are those that may be meant."""

    def __init__(self, sentence: str, names: tuple[str, ...]) -> None:
        super().__init__(sentence)
        self.names = names


class _Found(NamedTuple):
    """An array of a text: lists of numbers as they are written. said: the type that stands beside it."""

    name: str
    nested: list[Any]
    said: str = ""


# --- Arrays -----------------------------------------------------------------------------------------------------------


def of_array(value: object, name: str = "") -> Numbers:
    """Numbers of an array, a tensor of any type and device, nested lists and tuples, or what has `__array__`. Raises
    NotNumbers."""
    array, given, left_out = _plain(value, MOST)
    return _numbers(array, given, name, left_out)


def described(numbers: Numbers) -> str:
    """Say what was read: "6 rows of 16 numbers, −1 to 1, float32"."""
    values = numbers.values
    *most, last = values.shape[:-1] if numbers.complex else values.shape
    count = format_count(last, f"{'complex ' * numbers.complex}number")
    rows = (
        f"{' × '.join(f'{size:,}' for size in most)} {'row' if most == [1] else 'rows'} of {count}" if most else count
    )
    low, high = (format_number(float(end)) for end in (values.min(), values.max()))
    exact: str = "whole numbers" if bool((values % 1 == 0).all()) else numbers.precision
    if numbers.decimals is not None and 10.0**-numbers.decimals > 2.0 ** -_DIGITS[numbers.precision]:
        exact = f"printed to {format_count(numbers.decimals, 'decimal')}"
    return ", ".join(filter(None, (rows, f"{low} to {high}" if low != high else f"all {low}", exact, numbers.left_out)))


def _plain(value: Any, most: int = MOST) -> tuple[ndarray, Precision, str]:
    """Return what is kept of an array, float64 or complex128, its own type, and what is left out."""
    import numpy as np

    torch: Any = sys.modules.get("torch")
    is_tensor = torch is not None and isinstance(value, torch.Tensor)
    if isinstance(value, list | tuple):
        value = _listed(value)
    elif is_tensor and value.device.type == "meta":
        raise NotNumbers("This tensor is on the meta device, where it has no numbers: load its weights first.")
    elif is_tensor:
        value = value.detach().dequantize() if value.is_quantized else value.detach().to_dense()
    else:
        value = np.asarray(value)
    kind = str(value.dtype).removeprefix("torch.")
    if not is_tensor and value.dtype.kind not in "biufc" and kind not in _DIGITS:
        raise NotNumbers(f"These are {'objects' if kind == 'object' else kind}, not numbers: give the numbers alone.")
    if value.ndim > 4 or value.ndim == 0:
        value = value.reshape([size for size in value.shape if size != 1] or [1])
    kept, left_out = _kept(tuple(value.shape), most)
    value, is_complex = value[kept], kind.startswith("complex")
    if is_tensor:
        value = value.cpu().to(torch.complex128 if is_complex else torch.float64).resolve_conj().numpy()
    given = "float32" if kind == "complex64" else kind if kind in _DIGITS else "float64"
    return value.astype(np.complex128 if is_complex else np.float64), given, left_out


def _listed(value: Any) -> ndarray:
    """Return lists as an array; they may hold arrays."""
    import numpy as np

    def plain(held: Any) -> Any:
        if isinstance(held, list | tuple):
            return [*map(plain, held)]
        return np.reshape(_plain(held)[0], np.shape(held)).tolist() if hasattr(held, "__array__") else held

    leaves, shape = _unnested(plain(value))
    for odd in leaves:
        if not isinstance(odd, int | float | complex):
            raise NotNumbers(f"{quote(str(odd)[:40])} stands among the numbers: give lists of nothing but numbers.")
    with suppress(OverflowError):
        return np.array(leaves, complex if any(isinstance(one, complex) for one in leaves) else float).reshape(shape)
    raise NotNumbers("A number is larger than any computer's type holds: give numbers below 10³⁰⁸.")


def _unnested(nested: list[Any]) -> tuple[list[Any], tuple[int, ...]]:
    """Return what nested lists hold, and their shape. Raises NotNumbers for rows of several lengths."""
    shape: list[int] = []
    held = [nested]
    while any(isinstance(one, list) for one in held):
        lengths = [len(one) if isinstance(one, list) else 1 for one in held]
        usual = Counter(lengths).most_common(1)[0][0]
        for place, (one, length) in enumerate(zip(held, lengths, strict=True), 1):
            if length != usual or not isinstance(one, list):
                others = "the other" if len(held) == 2 else "the others"
                raise NotNumbers(
                    f"Row {place:,} has {format_count(length, 'number')}, {others} {usual:,}: each row needs as many."
                )
        shape.append(usual)
        held = [*chain.from_iterable(held)]
    return held, tuple(shape)


def _kept(shape: tuple[int, ...], most: int) -> tuple[tuple[slice, ...], str]:
    """Return which part of an array is kept, and a phrase that says so: whole rows, of square matrices a square."""
    if len(shape) > 4:
        raise NotNumbers(f"An array of {len(shape)} axes is no encoding's: give one with at most 4.")
    kept = [min(size, _MOST_ROWS) for size in shape]
    kept[-1] = shape[-1] if shape[-1] <= _MOST_COLUMNS else _MOST_ROWS
    while prod(kept) > most:
        if len(kept) > 2 and kept[-1] == kept[-2] > max(kept[:-2]):
            kept[-2:] = [max(1, isqrt(most // prod(kept[:-2])))] * 2
        else:
            longest = max(range(len(kept) - 1), key=kept.__getitem__) if max(kept[:-1], default=1) > 1 else -1
            kept[longest] = max(1, most * kept[longest] // prod(kept))
    called = ["numbers"] if len(shape) == 1 else ["groups", "matrices", "rows", "columns"][-len(shape) :]
    cuts = zip(kept, shape, called, strict=True)
    phrases = [f"the first {less:,} of {size:,} {noun}" for less, size, noun in cuts if less < size]
    return tuple(map(slice, kept)), f"{join_words(phrases)} are compared" if phrases else ""


def _numbers(
    array: ndarray, given: Precision, name: str, left_out: str, half: ndarray | None = None, decimals: int | None = None
) -> Numbers:
    """Numbers of what is kept of an array. half: half a unit of each one's last printed digit."""
    import numpy as np
    import torch

    if not array.size:
        raise NotNumbers("There are no numbers in it: an axis has length 0.")
    finite = np.isfinite(array)
    if not finite.all():
        place = np.argwhere(~finite)[0]
        value = array[tuple(place)]
        called = "NaN" if np.isnan(value) else "infinite"
        axes = zip(("group", "matrix", "row", "number")[-array.ndim :], place + 1, strict=True)
        raise NotNumbers(
            f"In {', '.join(f'{noun} {index:,}' for noun, index in axes)} is {called}: give the numbers as they are before "
            "a mask or a division that does that."
        )
    is_complex = array.dtype.kind == "c"
    values = np.ascontiguousarray(array).view(np.float64).reshape(*array.shape, 2) if is_complex else array
    precision = _precision(values.ravel(), None if half is None else half.ravel(), given)
    rounding = None if half is None else torch.from_numpy(half)
    return Numbers(torch.from_numpy(values), precision, decimals, is_complex, name, rounding, left_out)


def _precision(values: ndarray, half: ndarray | None, given: Precision) -> Precision:
    """Return the coarsest type that holds numbers exactly, or is printed so; the given one where they have too few digits."""
    import numpy as np
    import torch

    sizes, first = np.unique(np.abs(values), return_index=True)
    sizes, first = sizes[sizes % 1 != 0][:_SAMPLE], first[sizes % 1 != 0][:_SAMPLE]
    halves = np.zeros(len(sizes)) if half is None else half[first]
    for name, digits in _DIGITS.items():
        near = torch.from_numpy(sizes).to(getattr(torch, name)).double().numpy()
        is_other = np.abs(near - sizes) > halves
        if is_other.any() and half is not None and name in ("float16", "float32"):  # as few digits as tell it apart
            is_other &= near.astype(name).astype(str).astype(float) != sizes
        if is_other.any():
            continue
        unit = 2.0 ** (np.frexp(near)[1] - digits)
        told = near / unit % 2 ** (digits // 2) != 0  # 0.5 and 0.75 would be exact in any
        odd = (near / unit % 2 == 1)[
            told
        ]  # in half of them the last binary digit is 1, unless a coarser type holds them
        chance = -np.log2(np.clip(2 * halves / unit, 1e-300, 1))[told]
        if name == given or (odd.any() and odd.sum() > 0.3 * odd.size - odd.size**0.5 / 2 and chance.sum() > 20):
            return name
    return given


# --- Text -------------------------------------------------------------------------------------------------------------


def read_text(text: str) -> tuple[Numbers, ...]:
    """Numbers as Python, JSON, numpy, torch, TensorFlow, JAX, MATLAB, pandas or a table's file print them, each array by the
    name that stands before it. Raises NotNumbers."""
    if len(text) > LONGEST:
        raise NotNumbers(f"A text of {len(text):,} letters is too long: np.save or torch.save it, and drop the file.")
    text = text.translate(_SIGNS)
    if re.match(r"\s*<(?:!doctype|html|table|div|\?xml|svg)", text, re.IGNORECASE):
        raise NotNumbers("This is the source of a web page: paste the numbers alone, as the page shows them.")
    if _CODE.search(text):
        raise _code()
    if "..." in text or "…" in text:
        line = (
            'torch.set_printoptions(threshold=float("inf"))'
            if "tensor" in text
            else "np.set_printoptions(threshold=sys.maxsize)"
        )
        line = "print(df.to_string())" if re.search(r"\d rows x \d", text) else line
        raise NotNumbers(
            f"This printout is abbreviated by “…”: {line} prints all of it; or torch.save or np.save it, and drop the file."
        )
    text = _BESIDE.sub("", text)
    factor = _FACTOR.search(text)
    text = _FACTOR.sub("", text)
    found = _bracketed(text) or _tabled(text)
    if not found:
        raise NotNumbers(
            "There are no numbers in it: paste what print(cos[:6].tolist()) prints, or drop a file of numbers."
        )
    usual: Precision = "float64" if "array(" in text else "float32"
    return tuple(_written(one, float(factor[1]) if factor else 1.0, usual) for one in _joined(found))


def _code() -> NotNumbers:
    return NotNumbers("This is code: run it and paste what it prints, for instance by print(cos[0, :6].tolist()).")


def _bracketed(text: str) -> list[_Found]:
    """Find lists in brackets; none if most of a text's numbers are in no list."""
    text = _COMPLEX.sub(r"\1", text)
    text = _MATLAB.sub(lambda rows: f"[[{'],['.join(filter(str.strip, rows[1].split(';')))}]]", text)
    outside: list[Any] = []
    inside = [outside]  # the lists that are open; a call such as tensor( opens none
    found: list[_Found] = []
    words: list[str] = []
    is_code = is_broken = is_new_line = False
    counts = [0, 0]  # numbers outside, and inside
    for token in _TOKEN.finditer(text):
        kind, word, here = token.lastgroup, token[0], inside[-1]
        if kind == "number":
            counts[here is not outside] += 1
            here.append(word)
        elif kind == "open":
            inside.append([])
        elif kind == "call":
            is_code |= word[-1] == "[" or not _is_printed(word[:-1])
            if len(inside) == 2 and not here and _OPENS.match(text, token.end()):
                inside[-1] = outside  # (tensor(…), tensor(…)) are two arrays
            inside.append(inside[-1])
        elif kind == "close" and len(inside) == 1:
            is_broken = True
        elif kind == "close":
            closed, around = inside.pop(), inside[-1]
            if closed is not around and around is outside and any(map(_is_number_or_list, closed)):
                found.append(_Found(" ".join(words), closed))
                words = []
            elif closed is not around:
                around.append(closed)
        elif kind == "line":
            is_new_line = True
        elif here is not outside:
            here.append(word)
        elif found and not words and (said := _TYPE.fullmatch(word)):
            found[-1] = found[-1]._replace(said=said[1])
        elif not _is_printed(word):
            words = [word] if is_new_line else [*words, word]
            is_new_line = False
    if counts[0] >= counts[1]:
        return []
    if is_code:
        raise _code()
    if is_broken or len(inside) > 1:
        raise NotNumbers("Its brackets don't match: a part of it is missing at its beginning or end; paste all of it.")
    return found


def _is_printed(word: str) -> bool:
    """Return True for what printing puts before numbers, such as torch.tensor or np.float32."""
    last = word.rpartition(".")[2].casefold()
    return last in _PRINTED or _TYPE.fullmatch(last) is not None


def _is_number_or_list(held: Any) -> bool:
    return isinstance(held, list) or _NUMBER.fullmatch(held) is not None


def _tabled(text: str) -> list[_Found]:
    """Find tables: a row a line, each table below the line of words that names it or its columns."""
    if re.search(r"[;\t]", text) and "." not in text:
        text = re.sub(r"(?<=\d),(?=\d)", ".", text)  # as spreadsheets write in many countries
    tables: list[tuple[list[str], list[list[str]]]] = [([], [])]
    for line in text.splitlines():
        title, rows = tables[-1]
        divider = next((one for one in "\t;," if one in line), None)
        cells = [cell.strip(" \"'") for cell in line.rstrip(" ,;\t\r").split(divider)]
        n_numbers = sum(_NUMBER.fullmatch(cell) is not None for cell in cells)
        if not any(cells):
            tables += [([], [])] if rows else []
        elif cells[0] == "Columns" or 2 * n_numbers < len(cells) or (not cells[0] and not rows):
            tables += [(cells, [])] if rows else []
            title[:] = title if rows else cells
        else:
            rows.append(cells)
    return [_Found(*_unlabelled(title, rows)) for title, rows in tables if rows]


def _unlabelled(title: list[str], rows: list[list[str]]) -> tuple[str, list[Any]]:
    """Return a table's name, and its rows without an index and names of columns, as pandas writes them."""
    width = Counter(map(len, rows)).most_common(1)[0][0]
    is_header = len(rows) > 1 and _counts(rows[0])
    if is_header and (len(rows[0]) == width - 1 or (len(rows[0]) == width and all("." in one for one in rows[1][1:]))):
        title, rows = rows[0], rows[1:]
    first, others = [row[0] for row in rows], [cell for row in rows[:2] for cell in row[1:]]
    is_index = len(title) == width - 1 > 0 or (title[:1] == [""]) or not any(map(_NUMBER.fullmatch, first))
    if width > 1 and (is_index or (_counts(first) and others and all("." in one for one in others))):
        rows = [row[1:] for row in rows]
    name = "" if len(title) > 1 and width - 1 <= len(title) <= width else " ".join(title).rstrip(" :=")
    for number, row in enumerate(rows, 1):
        for place, cell in enumerate(row, 1):
            if not _NUMBER.fullmatch(cell):
                said = f"is {quote(cell[:40])}, which is no number" if cell else "is empty"
                raise NotNumbers(f"Row {number:,}, column {place:,} {said}: paste the numbers alone.")
    return name, rows[0] if len(rows) == 1 else [row[0] for row in rows] if {*map(len, rows)} == {1} else [*rows]


def _counts(cells: list[str]) -> bool:
    """Return True for 0, 1, 2, … and 1, 2, 3, …"""
    return cells[0] in ("0", "1") and cells == [str(int(cells[0]) + step) for step in range(len(cells))]


def _joined(found: list[_Found]) -> list[_Found]:
    """Put together what was printed in parts: columns in blocks, and rows each by itself."""
    if len(found) < 2:
        return found
    if all(one.name.startswith("Columns") for one in found):
        parts = [one.nested for one in found]
        is_row = not isinstance(parts[0][0], list)
        nested = [*chain(*parts)] if is_row else [[*chain(*row)] for row in zip(*parts, strict=False)]
        return [_Found("", nested, found[-1].said)]
    rows = [one.nested for one in found]
    are_rows = not any(one.name for one in found) and {len(row) for row in rows} == {len(rows[0])}
    if are_rows and not any(isinstance(held, list) for row in rows for held in row):
        return [_Found("", rows, found[-1].said)]
    return found


def _written(found: _Found, factor: float, usual: Precision) -> Numbers:
    """Numbers as they are written, each exact to half a unit of its last digit."""
    import numpy as np

    leaves, shape = _unnested(found.nested)
    for odd in leaves:
        if not _is_number_or_list(odd):
            raise NotNumbers(f"{quote(odd[:40])} stands among the numbers: paste the numbers alone.")
    is_complex = any(leaf[-1] in "ijIJ" for leaf in leaves)
    if is_complex:
        leaves = [*chain.from_iterable(map(_parts, leaves))]
    values = np.array([float(_TRUTHS.get(leaf.lower(), leaf)) for leaf in leaves]) * factor
    digits, powers = np.array([*map(_digits, leaves)], float).reshape(-1, 2).T
    is_scientific = all("e" in leaf or "E" in leaf for leaf in leaves)
    decimals = (digits.max() if is_scientific else digits) - powers - round(log10(factor))
    if not is_scientific:
        decimals[:] = decimals.max()
    half, last = None, int(decimals.min())
    if last > 0 or (values != np.round(values)).any():
        half = (0.5 * 10.0**-decimals).reshape(*shape, 2) if is_complex else (0.5 * 10.0**-decimals).reshape(shape)
    array = (values[::2] + 1j * values[1::2] if is_complex else values).reshape(shape)
    kept, left_out = _kept(shape, MOST)
    given = cast("Precision", found.said or usual)
    last_digit = max(last, 0) if half is not None else None
    return _numbers(array[kept], given, found.name, left_out, None if half is None else half[kept], last_digit)


def _parts(leaf: str) -> tuple[str, str]:
    """Return a complex number's real and imaginary part, as they are written."""
    if leaf[-1] not in "ijIJ":
        return leaf, "0"
    real = _LEADING.match(leaf)
    imaginary = leaf[real.end() : -1] if real else leaf[:-1]
    return (real[0] if real else "0"), imaginary.replace(" ", "")


def _digits(leaf: str) -> tuple[int, int]:
    """Return how many digits stand after the point of a number, and its power of ten."""
    mantissa, _, power = leaf.lower().partition("e")
    return len(mantissa.partition(".")[2]), int(power or 0)


# --- Files ------------------------------------------------------------------------------------------------------------


def read_file(path: Path, name: str = "", check_stop: CheckStop = go_on) -> tuple[Numbers, ...]:
    """Numbers of a .npy, .npz, .safetensors, .pt, or a text, whatever its name ends in; name: the one array that is wanted.
    Blocks. Raises NotNumbers, WhichOne, and what check_stop raises."""
    before = atomic.strict_stamp(path)
    try:
        if path.is_dir():
            raise NotNumbers(f"{path.name} is a folder: choose one file of numbers in it.")
        start, _size = atomic.read_beginning(path, 512)
        kind = _kind(path.name, start)
        found = _in_child(path, kind, name, check_stop) if kind else _in_text(path, name)
    except OSError as error:
        raise NotNumbers(f"{path.name} can't be read ({error.strerror}): choose an ordinary file of numbers.") from None
    if atomic.strict_stamp(path) != before:
        raise NotNumbers(f"{path.name} was changed while it was read: read it again.")
    return found


def _kind(name: str, start: bytes) -> str:
    """Return by which function of this module a file is read that begins so; empty for text."""
    if not start.strip():
        raise NotNumbers(f"{name} is empty: save the numbers again.")
    for sign, called in _FOREIGN.items():
        if start.startswith(sign):
            raise NotNumbers(f"{name} is {called}, not numbers: {_INSTEAD}.")
    if start.startswith(b"\x93NUMPY"):
        return "npy"
    if start.startswith(b"PK"):
        return "zip"
    if start.startswith(b"\x80"):
        return "torch"
    if start[8:9] == b"{" and b"\0" in start[:8]:
        return "safetensors"
    if b"\0" in start and start[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        raise NotNumbers(f"{name} is no file of numbers that is known here: {_INSTEAD}.")
    return ""


def _in_text(path: Path, name: str) -> tuple[Numbers, ...]:
    try:
        data = atomic.read_bytes(path, LONGEST, "text")
    except atomic.Oversized:
        size = format_bytes(LONGEST)
        raise NotNumbers(f"{path.name} has more than {size} of text: np.save its first rows, and drop that.") from None
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    found = read_text(text)
    return tuple(one for one in found if one.name == name) if name else found


def _in_child(path: Path, kind: str, name: str, check_stop: CheckStop) -> tuple[Numbers, ...]:
    """Numbers of a file that is read in a process of its own, since a damaged one may crash it or fill its memory."""
    child = Child()
    try:
        arrays, names, n_held = child.call(
            arrays_in, str(path), kind, name, seconds=_SECONDS, memory=_MEMORY, check_stop=check_stop
        )
    except Failed as error:
        raise NotNumbers(str(error)) from None
    except ChildError as error:
        raise NotNumbers(f"{path.name} can't be read. {error}") from None
    finally:
        child.stop()
    if names or not arrays:
        which = f"which one of {join_words(names[:_MOST_ARRAYS], 'or')}?"
        raise WhichOne(
            f"{path.name} holds {n_held:,} arrays; {which} Name it, or save it alone by np.save.", tuple(names)
        )
    return tuple(_numbers(array, given, called, left_out) for called, array, given, left_out in arrays)


def arrays_in(path: str, kind: str, wanted: str) -> tuple[list[Any], list[str], int]:
    """Return the arrays of a file, each as name, values, type and what is left out; of too many, the names that may be meant,
    and how many there are. Runs in a process of its own. Raises NotNumbers."""
    from posenc_gui.foundation.errors import Invalid

    where = Path(path)
    try:
        held = _READERS[kind](where)
        likely = [one for one in held if _OF_POSITIONS.search(one)]
        names = [wanted] if wanted else [*held] if len(held) <= _MOST_ARRAYS else likely
        if not names or not {*names} <= {*held}:
            missing = f"no array {quote(wanted)}" if wanted else "no arrays"
            raise NotNumbers(f"{where.name} holds {missing}: save the numbers by torch.save(tensor, …) or np.save.")
        if len(held) > _MOST_ARRAYS and len(names) > 1:
            return [], names, len(held)
        return [[one, *_plain(held[one](), MOST // len(names))] for one in names], [], len(held)
    except NotNumbers:
        raise
    except Invalid as error:
        raise NotNumbers(str(error)) from None
    except Exception as error:
        if isinstance(error, pickle.UnpicklingError) or "pickle" in str(error) or "TorchScript" in str(error):
            why = "holds more than numbers, and isn't opened, since that could run code"
            raise NotNumbers(f"{where.name} {why}: save them by torch.save(tensor, …) or np.save.") from None
        raise NotNumbers(f"{where.name} is damaged, or only a part of a file: save the numbers again.") from None


_Held = Mapping[str, Callable[[], Any]]  # arrays by their names, read when they are called


def _npy(path: Path) -> _Held:
    import numpy as np

    return {"": partial(np.load, path, mmap_mode="r", allow_pickle=False)}


def _zip(path: Path) -> _Held:
    import numpy as np

    names = zipfile.ZipFile(path).namelist()
    if any(name.endswith("data.pkl") for name in names):
        return _torch(path)
    if not names or not all(name.endswith(".npy") for name in names):
        raise NotNumbers(f"{path.name} is a packed folder, not numbers: unpack it, and drop the file of numbers in it.")
    held = np.load(path, allow_pickle=False)
    return {name: partial(held.__getitem__, name) for name in held.files}


def _torch(path: Path) -> _Held:
    import torch

    def flat(value: Any, name: str) -> Iterator[tuple[str, Any]]:
        if isinstance(value, torch.Tensor):
            yield name, lambda: value
        elif isinstance(value, Mapping | list | tuple):
            for key, one in value.items() if isinstance(value, Mapping) else enumerate(value):
                yield from flat(one, f"{name}.{key}".strip("."))

    return dict(flat(torch.load(path, "cpu", weights_only=True, mmap=zipfile.is_zipfile(path)), ""))


def _safetensors(path: Path) -> _Held:
    import numpy as np

    from posenc_gui.checkpoints.safetensors_header import read_header

    header = read_header(path, path.name)
    begin = 8 + header.length
    told = json.loads(atomic.read_beginning(path, begin)[0][8:])

    def load(name: str) -> Any:
        dtype, shape = header.tensors[name]
        if dtype not in _STORED:
            raise NotNumbers(f"{path.name} holds {quote(name)} packed as {dtype}: save it as float32.")
        place = begin + told[name]["data_offsets"][0]
        array = np.memmap(path, _STORED[dtype], "c", place, shape) if prod(shape) else np.zeros(shape)
        if dtype != "BF16":
            return array
        import torch

        return torch.from_numpy(array).view(torch.bfloat16)

    return {name: partial(load, name) for name in header.tensors}


_READERS: dict[str, Callable[[Path], _Held]] = {"npy": _npy, "zip": _zip, "torch": _torch, "safetensors": _safetensors}
