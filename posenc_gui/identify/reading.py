"""Numbers from pasted text, from files and from arrays. Nothing of what is read is ever executed."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain, zip_longest
from math import log10, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posenc_gui.foundation.child import Child, ChildError, Failed
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.stopped import CheckStop, go_on
from posenc_gui.foundation.wording import format_count, format_number, join_words, quote
from posenc_gui.identify.numbers import NotNumbers, Numbers

if TYPE_CHECKING:  # a process that reads a file needs no torch
    from numpy import ndarray

    from posenc_gui.encodings.base import Precision

MOST, MOST_ROWS = 2**22, 4096  # values of an array, and rows, that are kept
LONGEST = 20_000_000  # letters of a text
LONG = 200_000  # letters of one that is read in a process of its own: it would hold Python's lock
_WIDEST = 16_384  # columns of the widest models; where an array has more, they are positions
_MOST_ARRAYS = 16  # of a file, all of which are compared
_DIGITS: dict[Precision, int] = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}  # binary ones
_TYPES: dict[str, Precision] = {"complex64": "float32", **{name: name for name in _DIGITS}}
_STORED = {"F": "float", "BF": "bfloat", "I": "int", "U": "uint", "C": "complex", "BOOL": "bool"}  # in safetensors
_OF_POSITIONS = re.compile(r"(?i)inv_freq|pos|rotary|rope|relative|alibi|slope|freqs|bucket|\bcos|\bsin|wpe")
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF")
_FOREIGN = dict.fromkeys(_PICTURES, "a picture") | {b"version https://git-lfs": "a note of Git LFS"}
_PASTE = "paste what printing the array prints, such as print(table[:8].tolist())"
_SAVE = "save the numbers alone by torch.save(tensor, …) or np.save(…)"

_SIGNS = str.maketrans("−–‐\u00a0\u202f\ufeff\r", "---    ")
_REAL = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_NUMBER = re.compile(rf"(?i)[-+]?{_REAL}(?: *[-+] *{_REAL}j|j)?(?![\w.])|[-+]?(?:nan|inf)\b|true\b|false\b")
_TOKEN = re.compile(rf"{_NUMBER.pattern}|[\[\]\n]|\w[\w.]*")
_BESIDE = [re.compile(printed) for printed in (  # what stands beside numbers
    r"(?m)^>>>.*$",  # a prompt
    r"\b(?:torch\.Size|shape|size)[=:]? ?[\[(][\d, \[\]]*\)",
    r",?\s*\b(?:dtype|device|grad_fn|requires_grad|layout|weak_type)=(?:<[^<>]*>|'[^']*'|[\w.]+)",
    r"\[ ?[\w.]+(?:\{[\d,]*\}| of size [\dx]+) ?\]",  # torch in C++
    r"(?<=\w)(?:\[[^\[\]\n]*\])+",  # indices, as in cos[0, :6]
    r"\b(?:\w+\.){0,3}(?:[Tt]ensor|[Aa]rray|numpy|Parameter containing|b?float\d+|u?int\d+|bool|complex\d+)\b",
)]  # fmt: skip
_CODE = re.compile(r"(?m)^[ \t]*(?:def|class|import|return|from [\w.]+ import|for \w+ in) |\w\(|\w ?\*\*")
_TYPE = re.compile(r"\b(bfloat16|float16|float32|float64|complex64)\b")
_FACTOR = re.compile(r"(?m)^[ \t]*(1\.?0{0,9}(?:e[-+]\d\d)?|0\.0{0,9}1)[ \t]*\*[ \t]*$")  # of all numbers
_BLOCK = re.compile(r"\bColumns \d+ \w+ \d+")
_TUPLE = re.compile(r"\(([^()\[\],]*,[^()\[\]]*)\)")
_NAMED = re.compile(r"(?m)^([^\W\d][^:=\n]*[:=])[ \t]*(?=\S)")  # numbers behind their name
_Found = tuple[str, list[Any]]  # a name, and lists of numbers as they are written


def of_array(value: object) -> Numbers:
    """Numbers of an array, a tensor of any type and device, nested lists, or what has `__array__`. Raises NotNumbers."""
    return _numbers("", *_plain(value))


def described(numbers: Numbers) -> str:
    """Say what was read: "6 rows of 16 numbers, −1 to 1, float32"."""
    values, decimals = numbers.values, numbers.decimals
    *most, last = values.shape[:-1] if numbers.complex else values.shape
    rows = f"{' × '.join(f'{size:,}' for size in most)} row{'s' * (most != [1])} of " if most else ""
    count = format_count(last, f"{'complex ' * numbers.complex}number")
    ends = " to ".join(dict.fromkeys(format_number(float(end)) for end in (values.min(), values.max())))
    exact: str = "whole numbers" if bool((values % 1 == 0).all()) else numbers.precision
    if decimals is not None and 10.0**-decimals > 2.0 ** -_DIGITS[numbers.precision]:
        exact = f"printed to {format_count(decimals, 'decimal')}"
    return ", ".join(filter(None, (f"{rows}{count}", ends, exact, numbers.left_out)))


def _plain(value: Any) -> tuple[ndarray, Precision, str]:
    """Return what is kept of an array, float64 or complex128, its own type, and what is left out."""
    import numpy as np

    if isinstance(value, list | tuple):
        leaves, shape = _unnested(value)
        value = np.array(leaves).reshape(shape)
    torch: Any = sys.modules.get("torch")
    is_tensor = torch is not None and isinstance(value, torch.Tensor)
    try:
        value = value.detach().to_dense() if is_tensor else np.asarray(value)
        value = value.dequantize() if is_tensor and value.is_quantized else value
        value = value.cpu() if is_tensor else value
    except (TypeError, ValueError, RuntimeError):  # such as a tensor on the device "meta", which has no numbers
        raise NotNumbers(f"Its numbers can't be read: {_SAVE}.") from None
    kind = str(value.dtype).removeprefix("torch.")
    if not is_tensor and value.dtype.kind not in "biufc" and kind not in _DIGITS:
        raise NotNumbers(f"There is more than numbers in it, of type {kind}: {_SAVE}.")
    value = value if value.ndim in (1, 2, 3, 4) else value.reshape(-1, *value.shape[-3:])
    kept, left_out = _kept(value.shape)
    value, is_complex = value[kept], "complex" in kind
    if is_tensor:
        value = value.to(torch.complex128 if is_complex else torch.float64).resolve_conj().numpy()
    return value.astype(complex if is_complex else float), _TYPES.get(kind, "float64"), left_out


def _unnested(nested: list[Any] | tuple[Any, ...]) -> tuple[list[Any], tuple[int, ...]]:
    """Return what nested lists hold, and their shape. Raises NotNumbers for rows of several lengths."""
    shape: tuple[int, ...] = ()
    held: list[Any] = [nested]
    while any(isinstance(one, list | tuple) for one in held):
        if len(shape) > 64:
            raise NotNumbers("There are lists within lists without end: give rows of numbers.")
        lengths = [len(one) if isinstance(one, list | tuple) else 0 for one in held]
        usual = Counter(lengths).most_common(1)[0][0]
        if odd := next((row for row, length in enumerate(lengths, 1) if length != usual), 0):
            count = format_count(lengths[odd - 1], "number")
            raise NotNumbers(f"Row {odd:,} has {count}, the others {usual:,}: all rows must be equally long.")
        shape += (usual,)
        held = [one.tolist() if hasattr(one, "tolist") else one for one in chain.from_iterable(held)]
    return held, shape if len(shape) <= 4 else (prod(shape[:-3]), *shape[-3:])


def _kept(shape: tuple[int, ...]) -> tuple[tuple[slice, ...], str]:
    """Return which part of an array is kept, and words that say so."""
    if not prod(shape):
        raise NotNumbers("There are no numbers in it, since an axis has length 0: give at least one row.")
    kept = [min(size, MOST_ROWS) for size in shape[:-1]] + [shape[-1] if shape[-1] <= _WIDEST else MOST_ROWS]
    while prod(kept) > MOST:
        kept[kept.index(max(kept[:-1]))] //= 2
    nouns = ("groups", "matrices", "rows", "columns" if len(shape) > 1 else "numbers")[-len(shape) :]
    cuts = [f"the first {k:,} of {n:,} {noun}" for k, n, noun in zip(kept, shape, nouns, strict=True) if k < n]
    return tuple(map(slice, kept)), f"{join_words(cuts)} are compared" if cuts else ""


def _numbers(name: str, array: ndarray, given: Precision | None, left_out: str, half: ndarray | None = None) -> Numbers:
    """Numbers of an array. half: half a unit of each one's last printed digit."""
    import numpy as np
    import torch

    if len(wrong := np.argwhere(~np.isfinite(array))):
        called = "NaN" if np.isnan(array[tuple(wrong[0])]) else "infinity"
        nouns = ("group", "matrix", "row", "number")[-array.ndim :]
        place = ", ".join(f"{noun} {index + 1:,}" for noun, index in zip(nouns, wrong[0], strict=True))
        raise NotNumbers(
            f"There is {called} in {place}: give the numbers as they are before a mask or a division by 0."
        )
    is_complex = array.dtype.kind == "c"
    values = np.ascontiguousarray(array).view(float).reshape(*array.shape, 2) if is_complex else array
    precision = _precision(values, np.zeros(values.shape) if half is None else half, given)
    decimals = None if half is None else max(0, round(-log10(2 * half.max())))
    rounding = None if half is None else torch.from_numpy(half)
    return Numbers(torch.from_numpy(values), precision, decimals, is_complex, name, rounding, left_out)


def _precision(values: ndarray, half: ndarray, given: Precision | None) -> Precision:
    """Return the coarsest type that holds numbers exactly, or is printed so; the given one if they have too few digits."""
    import numpy as np
    import torch

    sizes, first = np.unique(np.abs(values), return_index=True)
    first = first[sizes % 1 != 0][:20_000]
    sizes, half = np.abs(values.flat[first]), half.flat[first]
    for name, digits in _DIGITS.items():
        near = torch.from_numpy(sizes).to(getattr(torch, name)).double().numpy()
        is_other = np.abs(near - sizes) > half
        if is_other.any() and name in ("float16", "float32"):  # printed with as few digits as tell it apart
            is_other &= near.astype(name).astype(str).astype(float) != sizes
        if is_other.any():
            continue
        unit = 2.0 ** np.maximum(np.frexp(near)[1] - digits, -1022)
        told = near / unit % 2 ** (digits // 2) != 0  # 0.5 and 0.75 would be exact in any
        odd = (near / unit % 2 == 1)[told]  # the last binary digit: 1 in half of them, unless a coarser type holds all
        is_seen = odd.sum() > max(0, 0.3 * odd.size - odd.size**0.5 / 2)
        bits = -np.log2(np.clip(2 * half / unit, 1e-300, 1))[told].sum()  # by chance they would agree once in 2^bits
        if name == (given or "float32") or (is_seen and bits > 20):
            return name
    return given or "float64"


def read_text(text: str, check_stop: CheckStop = go_on) -> tuple[Numbers, ...]:
    """Numbers as Python, JSON, numpy, torch, TensorFlow, JAX or a table's file print them, each array by the name that stands
    before it. Raises NotNumbers, and what check_stop raises."""
    if len(text) > LONGEST:
        raise NotNumbers("This is more than 20 MB of text: np.save or torch.save the numbers, and drop the file.")
    is_long, data = len(text) > LONG, text.encode("utf-8", "replace")
    found = _in_child("This text", check_stop, printed_in, data) if is_long else printed_in(data)
    return tuple(_numbers(*array) for array in found)


def printed_in(data: bytes) -> list[tuple[Any, ...]]:
    """Return the arrays of a text, each as name, values, type, what is left out, and half a unit of each one's last digit.
    Raises NotNumbers."""
    text = data.decode()
    plain = text.translate(_SIGNS)
    for printed in _BESIDE:
        plain = printed.sub("", plain)
    library = "torch" if "tensor" in text else "np"
    whole = f'{library}.set_printoptions(threshold=float("inf")) makes it whole, or np.save it and drop the file.'
    for refused, why in (
        (re.match(r"\s*<[!?a-zA-Z]", plain), "This is a web page's source: paste its numbers alone, as it shows them."),
        (_CODE.search(plain), f"There is code in it: run it, and {_PASTE}."),
        (re.search(r"\.\.\.|…", plain), f"This printout is abbreviated: {whole}"),
    ):
        if refused:
            raise NotNumbers(why)
    plain = _BLOCK.sub("\nColumns:\n", _TUPLE.sub(r"[\1]", plain))
    factor, plain = float((_FACTOR.search(plain) or {1: 1})[1]), _FACTOR.sub("", plain)
    found = _joined(_bracketed(plain) if "[" in plain else _tabled(plain))
    if not found:
        raise NotNumbers(f"No numbers can be read in it: {_PASTE}, or drop a file.")
    said = _TYPE.search(text)
    given = _TYPES[said[1]] if said else "float64" if "array(" in text else None
    times = Counter(name for name, _ in found)
    return [
        _written(name if times[name] == 1 else f"{name or 'array'} {place}", nested, given, factor)
        for place, (name, nested) in enumerate(found, 1)
    ]


def _bracketed(text: str) -> list[_Found]:
    """Find lists in brackets, each with the line of words before it."""
    inside: list[list[Any]] = [[]]
    for word in _TOKEN.findall(text):
        if word == "[":
            inside.append([])
        elif word == "]" and len(inside) > 1:
            closed = inside.pop()
            inside[-1].append(closed)
        elif word != "\n" or len(inside) == 1:
            inside[-1].append(word)
    if len(inside) > 1 or "]" in inside[0]:
        raise NotNumbers("Brackets don't match, so that a part is missing at the beginning or end: paste all of it.")
    found, words = list[_Found](), list[str]()
    for one in inside[0]:
        if isinstance(one, list):
            found.append((" ".join(words).strip().rpartition("\n")[2].strip()[-80:], one))
            words.clear()
        else:
            words.append(one)
    return found


def _tabled(text: str) -> list[_Found]:
    """Find tables, a row a line, each with the line before it."""
    tables: list[tuple[str, list[list[str]]]] = [("", [])]
    for line in _NAMED.sub(r"\1\n", text).splitlines():
        divider = next((one for one in "\t;," if one in line), None)
        cells = [cell.strip(" \"'()") for cell in line.rstrip(" ,;\t").split(divider)]
        n_numbers = sum(_NUMBER.fullmatch(cell) is not None for cell in cells)
        if 2 * n_numbers >= len(cells) > 0 and (cells[0] or tables[-1][1]):
            tables[-1][1].append(cells)
        elif tables[-1][1]:
            tables.append((line.strip(" "), []))
        elif any(cells):
            tables[-1] = (line.strip(" "), [])
    tables = [table for table in tables if table[1]]
    if all(title == "Columns:" for title, _ in tables):  # a wide matrix, in blocks
        tables = [("", [[*chain(*row)] for row in zip_longest(*(rows for _, rows in tables), fillvalue=())])]
    return [_unlabelled(*table) for table in tables if table[1]]


def _unlabelled(title: str, rows: list[list[str]]) -> tuple[str, list[Any]]:
    """Return a table's name, and its rows without an index and the numbers of columns."""
    width, has_points = max(map(len, rows)), "." in rows[-1][-1]
    if width > 1 and len(rows) > 1:
        has_index = title.startswith((",", ";", "\t"))
        if _counts(rows[0]) and (has_points or len(rows[0]) == width - 1):
            has_index, rows = len(rows[0]) < width, rows[1:]
        if (has_index or (has_points and len(rows) > 1)) and _counts([row[0] for row in rows]):
            rows = [row[1:] for row in rows]
    name = title.rstrip(" :=") if title.endswith((":", "=")) else ""
    return name, rows[0] if len(rows) == 1 else [*chain(*rows)] if {*map(len, rows)} == {1} else rows


def _counts(cells: list[str]) -> bool:
    """Return True for 0, 1, 2, … and 1, 2, 3, …"""
    return cells[0] in ("0", "1") and cells == [str(int(cells[0]) + step) for step in range(len(cells))]


def _joined(found: list[_Found]) -> list[_Found]:
    """Put together a matrix that was printed row by row, maybe with a count."""
    names, rows = {re.sub(r"\d+", "", name) for name, _ in found}, [row for _, row in found]
    are_rows = len(rows) > 1 and len(names) == 1 and len({*map(len, rows)}) == 1
    return [("", rows)] if are_rows and not any(isinstance(one, list) for one in chain(*rows)) else found


def _written(name: str, nested: list[Any], given: Precision | None, factor: float) -> tuple[Any, ...]:
    """Return numbers as they are written, each exact to half a unit of its last digit."""
    import numpy as np

    leaves, shape = _unnested(nested)
    kept, left_out = _kept(shape)
    cells = np.array(leaves, object).reshape(shape)[kept]
    for place, leaf in enumerate(cells.flat):
        if not _NUMBER.fullmatch(leaf):
            odd, row = quote(leaf[:40]) if leaf else "an empty cell", place // cells.shape[-1] + 1
            raise NotNumbers(f"In row {row:,}, {odd} stands among the numbers: paste the numbers alone.")
    leaves = [{"true": "1", "false": "0"}.get(leaf.lower(), leaf.lower().replace(" ", "")) for leaf in cells.flat]
    is_complex = any(leaf.endswith("j") for leaf in leaves)
    values = factor * np.array(leaves, complex if is_complex else float)
    decimals = _decimals(re.findall(_REAL, " ".join(leaves)) if is_complex else leaves) - round(log10(factor))
    half = 0.5 * 10.0 ** -decimals.clip(-300, 300)
    half = np.full((*cells.shape, 2), half.max()) if is_complex else half.reshape(cells.shape)
    return name, values.reshape(cells.shape), given, left_out, half if decimals.max() > 0 else None


def _decimals(leaves: list[str]) -> ndarray:
    """Return to how many decimals each of some numbers is printed: of scientific notation by its power of ten."""
    import numpy as np

    written = [leaf.partition("e") for leaf in leaves]
    digits = np.array([len(mantissa.partition(".")[2]) for mantissa, _, _ in written])
    powers = np.array([float(power or 0) for _, _, power in written])
    is_scientific = all("e" in leaf for leaf in leaves)
    return digits.max() - powers if is_scientific else np.full(len(leaves), (digits - powers).max())


def read_file(path: Path, name: str = "", check_stop: CheckStop = go_on) -> tuple[Numbers, ...]:
    """Numbers of a .npy, .npz, .safetensors, .pt, or a text, whatever the file's name ends in; name: of the one array that is
    wanted. Blocks. Raises NotNumbers, and what check_stop raises."""
    try:
        start, size = atomic.read_beginning(path, 512)
        is_wide = start.startswith((b"\xff\xfe", b"\xfe\xff"))  # UTF-16, as PowerShell writes
        called = next((said for sign, said in _FOREIGN.items() if start.startswith(sign)), "" if size else "empty")
        if called:
            raise NotNumbers(f"{path.name} is {called}, not numbers: {_SAVE}.")
        if b"\0" in start and not is_wide:
            found = _in_file(path, name, check_stop)
        else:
            data, _ = atomic.read_beginning(path, LONGEST + 1)
            text = data.decode("utf-16" if is_wide else "utf-8", "replace").ljust(len(data))
            found = tuple(one for one in read_text(text, check_stop) if name in ("", one.name))
    except OSError as error:
        raise NotNumbers(f"{path.name} can't be read ({error.strerror}): choose an ordinary file of numbers.") from None
    if not found:
        raise NotNumbers(f"{path.name} holds no array {quote(name)}: give one of its names, or none.")
    return found


def _in_file(path: Path, name: str, check_stop: CheckStop) -> tuple[Numbers, ...]:
    arrays, names = _in_child(path.name, check_stop, arrays_in, str(path), name)
    if names:
        which = join_words(map(quote, names[:_MOST_ARRAYS]), "or")
        raise NotNumbers(f"{path.name} holds many arrays: say whether to take {which}.", tuple(names))
    return tuple(_numbers(*array) for array in arrays)


def _in_child(what: str, check_stop: CheckStop, reads: Callable[..., Any], *arguments: str | bytes) -> Any:
    """Read something in a process of its own, since a damaged one may crash it, fill its memory, or take long."""
    child = Child()
    try:
        return child.call(reads, *arguments, seconds=60.0, memory=4e9, check_stop=check_stop)
    except ChildError as error:
        raise NotNumbers(str(error) if isinstance(error, Failed) else f"{what} can't be read. {error}") from None
    finally:
        child.stop()


def arrays_in(path: str, wanted: str) -> tuple[list[Any], list[str]]:
    """Return the arrays of a file, each as name, values, type and what is left out; of too many, only the names among which
    one must be chosen. Runs in a process of its own. Raises NotNumbers."""
    from posenc_gui.foundation.errors import Invalid

    name = Path(path).name
    try:
        held = _held(Path(path))
        likely = [one for one in held if _OF_POSITIONS.search(one)] if len(held) > _MOST_ARRAYS else []
        names = [wanted] if wanted else likely or [*held]
        if len(held) > _MOST_ARRAYS and len(names) > 1:
            return [], names
        if not names or names[0] not in held:
            raise NotNumbers(f"{name} holds no array{f' {quote(wanted)}' if wanted else ''}: {_SAVE}.")
        return [[one, *_plain(held[one]())] for one in names], []
    except (NotNumbers, Invalid) as error:
        raise NotNumbers(str(error)) from None
    except Exception as error:
        is_pickle = re.search("ickl|TorchScript|objects in dtype", repr(error))
        why = "holds more than numbers, and isn't opened, since that could run code" if is_pickle else "is damaged"
        raise NotNumbers(f"{name} {why}: {_SAVE}.") from None


def _held(path: Path) -> Mapping[str, Callable[[], Any]]:
    """Return what reads each array of a file, by its name. Raises whatever a damaged file leads to."""
    import numpy as np

    start, size = atomic.read_beginning(path, 9)
    if start.startswith((b"\x93NUMPY", b"PK")):
        held = np.load(path, mmap_mode="r", allow_pickle=False)
        if isinstance(held, np.ndarray):
            return {"": lambda: held}
        if not any(name.endswith("data.pkl") for name in held.files):
            return {name: partial(held.__getitem__, name) for name in held.files}
    import torch

    if start.startswith((b"PK", b"\x80")):
        return dict(_flat(torch.load(path, "cpu", weights_only=True, mmap=start.startswith(b"PK"))))
    if start[8:] != b"{":
        raise NotNumbers(f"{path.name} is no file of numbers that is known here: {_SAVE}.")
    from posenc_gui.checkpoints.safetensors_header import read_header

    header = read_header(path, path.name)
    begin = 8 + header.length
    told = json.loads(atomic.read_beginning(path, begin)[0][8:])
    data = torch.from_file(str(path), False, size, dtype=torch.uint8)[begin:]

    def load(name: str) -> Any:
        dtype, shape = header.tensors[name]
        kind = getattr(torch, _STORED[dtype.rstrip("0123456789")] + dtype.lstrip("ABCDEFIOLU"))
        return data[slice(*told[name]["data_offsets"])].clone().view(kind).reshape(shape)

    return {name: partial(load, name) for name in header.tensors}


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the tensors of a state dict, or of what holds several."""
    if hasattr(value, "to_dense"):
        yield name, lambda: value
    elif isinstance(value, Mapping | list | tuple):
        for key, one in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _flat(one, f"{name}.{key}".strip("."))
