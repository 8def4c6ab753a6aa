"""Mutations: hostile bytes, values and files, chosen by nothing but a random generator."""

from __future__ import annotations

import io
import json
import os
import random
import socket
import stat
import struct
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

Bytes = Callable[[random.Random, bytes], bytes]

_SESSION = b'{"format": "posenc-gui session", "version": 2, "session": {'

# --- Bytes ------------------------------------------------------------------------------------------------------------

TEXTS = {
    "NUL": "a\0b",
    "control": "a\x1b[2J\x07\x08\x7f\x85b",
    "bidi": "abc \u202edcba\u202c \u2066x",
    "markup": '<img src="file:///dev/zero"><b>x</b>&amp;<script>alert(1)</script>',
    "formula": "=HYPERLINK(1) $\\def\\x{\\x\\x}\\x$ {0} %s",
    "surrogate": "\ud800 x \udfff",
    "invisible": "\u200b\u200d\ufeff\u2060",
    "marks": "e" + "\u0301" * 2000,
    "all marks": "e" + "\u0301" * 200_000,
    "long word": "x" * 20_000,
    "longest word": "x" * 200_000,
    "many words": "word " * 16_384,
    "many lines": "a\n" * 5000,
    "emoji": "👨‍👩‍👧‍👦" * 300,
    "empty": "",
    "UNC": "\\\\host\\share\\tokenizer.json",
    "URL": "http://127.0.0.1:9/tokenizer.json",
    "device's tokenizer": "/dev/stdin/x.json",
    "home": "~/x.json",
    "NUL path": "a\0b.json",
    "long path": "d/" * 50_000 + "x.json",
    "long name": "n" * 300 + ".json",
}
NUMBERS: dict[str, Any] = {
    "zero": 0,
    "negative": -1,
    "half": 0.5,
    "2^31": 2**31,
    "2^63": 2**63,
    "10^400": 10**400,
    "1e308": 1e308,
    "denormal": 5e-324,
    "infinity": float("inf"),
    "NaN": float("nan"),
    "true": True,
    "null": None,
    "4,301 digits": "4,301 digits",  # Python writes no number this long: `text_of` does
    "a number as text": "1e5",
}


def flipped(rng: random.Random, data: bytes) -> bytes:
    """Flip 1, 3 or 30 bits."""
    turned = bytearray(data)
    for _ in range(rng.choice((1, 3, 30))):
        if turned:
            turned[rng.randrange(len(turned))] ^= 1 << rng.randrange(8)
    return bytes(turned)


def cut(rng: random.Random, data: bytes) -> bytes:
    """Keep only the beginning."""
    return data[: rng.randrange(len(data) + 1)]


def doubled(rng: random.Random, data: bytes) -> bytes:
    """Repeat a piece."""
    first, last = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:last] + data[first:]


def spliced(rng: random.Random, data: bytes) -> bytes:
    """Insert a hostile text somewhere."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(list(TEXTS.values())).encode("utf-8", "surrogatepass") + data[at:]


def nested(rng: random.Random, data: bytes) -> bytes:
    """Insert hundreds or thousands of opening brackets, at the beginning or elsewhere."""
    at = rng.choice((0, rng.randrange(len(data) + 1)))
    opening = rng.choice((b"[", b'{"a":', b"> ", b"- ", b"("))
    return data[:at] + opening * rng.choice((500, 100_000)) + data[at:]


def noise(rng: random.Random, data: bytes) -> bytes:
    """Return random bytes: none, one, or as many as there were."""
    return rng.randbytes(rng.choice((0, 1, len(data))))


def values(_rng: random.Random, _data: bytes) -> bytes:
    """Return a session of millions of empty lists."""
    return _SESSION + b'"order": [' + b"[]," * 8_000_000 + b"[]]}}"


def names(rng: random.Random, _data: bytes) -> bytes:
    """Return a session of unknown fields, more than a million or just as many as are read."""
    return _SESSION + b",".join(b'"k%d":1' % number for number in range(rng.choice((49_000, 1_500_000)))) + b"}}"


def marks(rng: random.Random, data: bytes) -> bytes:
    """Append millions of broken marks of a session, or one of 37 MB."""
    begun = b"posenc-gui-session:"
    return data + rng.choice((begun * 1_000_000, begun + b"a" * 37_000_000 + b":"))


def parts(_rng: random.Random, _data: bytes) -> bytes:
    """Return a deck of a megabyte with a gigabyte in custom parts."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as deck:
        for number in range(100):
            deck.writestr(f"customXml/item{number}.xml", bytes(10**7))
    return made.getvalue()


def entries(_rng: random.Random, _data: bytes) -> bytes:
    """Return a ZIP archive of 400,000 entries, most of which its end record doesn't count."""
    directory = (b"PK\x01\x02" + bytes(42)) * 400_000
    return directory + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(directory), 0, 0)


BYTES: dict[str, Bytes] = {one.__name__: one for one in (flipped, cut, doubled, spliced, nested, noise)}
LARGE: dict[str, Bytes] = {one.__name__: one for one in (values, names, marks, parts, entries)}


# --- Values -----------------------------------------------------------------------------------------------------------


_FIELDS = ("text", "text", "tokenizer", "tokenizer", "order", "focus", "encoding", "model", "plots")


def mutated(rng: random.Random, document: Any) -> tuple[Any, str]:
    """Replace, remove or rename one value of a JSON document, or set a field of its session; return it with a description."""
    places = [*_places(document)]
    owner, key = rng.choice(places)
    if isinstance(document.get("session"), dict) and rng.random() < 0.5:
        owner, key = document["session"], rng.choice(_FIELDS)
        owner.setdefault(key, {})
    name = rng.choice((*TEXTS, *NUMBERS, "deep", "wide", "other key", "gone", "another's"))
    match name:
        case "deep":
            owner[key] = _deep(rng.choice((50, 900)))
        case "wide":
            owner[key] = [owner[key]] * 20_000
        case "other key" if isinstance(owner, dict):
            owner[rng.choice(list(TEXTS.values()))[:5000]] = owner.pop(key)
        case "gone":
            del owner[key]
        case "another's":
            other, place = rng.choice(places)
            owner[key] = json.loads(json.dumps(other[place]))
        case _:
            owner[key] = {**TEXTS, **NUMBERS}.get(name)
    return document, f"{key}={name}"


def text_of(document: Any) -> bytes:
    """Return JSON as Python writes it, with NaN and infinity, and with a number longer than any that Python writes."""
    return json.dumps(document).replace('"4,301 digits"', "1" + "0" * 4300).encode()


def _places(document: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    keys = list(document) if isinstance(document, dict) else range(len(document)) if isinstance(document, list) else ()
    for key in keys:
        found += [(document, key), *_places(document[key])]
    return found


def _deep(levels: int) -> Any:
    return {"a": _deep(levels - 1)} if levels else 0


# --- Files ------------------------------------------------------------------------------------------------------------
# No link leads to anything outside its folder that this user could damage: what is attacked may write where it must not.


def pipe(path: Path) -> None:
    """Make a pipe that nobody writes to."""
    os.mkfifo(path)


def endless(path: Path) -> None:
    """Make a link to a device of endless zeros."""
    path.symlink_to(_device(path, "zero", 5))


def silent(path: Path) -> None:
    """Make a link to a device that is always full."""
    path.symlink_to(_device(path, "full", 7))


def _device(path: Path, name: str, number: int) -> Path:
    """Return a device that may be lost: the system's or, for root, who could replace that, a copy or a pipe."""
    own = path.with_name(f"{name} of {path.name}"[:100])
    if os.geteuid():
        return Path("/dev") / name
    try:
        os.mknod(own, stat.S_IFCHR | 0o666, os.makedev(1, number))
    except PermissionError:  # as in some containers
        pipe(own)
    return own


def itself(path: Path) -> None:
    """Make a link to itself."""
    path.symlink_to(path)


def nowhere(path: Path) -> None:
    """Make a link to nothing."""
    path.symlink_to(path.with_name("nothing"))


def folder(path: Path) -> None:
    """Make a folder of that name."""
    path.mkdir()


def listener(path: Path) -> None:
    """Make a socket, unless the path is too long for one."""
    with socket.socket(socket.AF_UNIX) as one, suppress(OSError):  # a path may be too long for one
        one.bind(str(path))


def sparse(path: Path) -> None:
    """Make a file of 20 GB of zeros that take no room."""
    with path.open("wb") as file:
        file.truncate(20 * 10**9)


FILES: dict[str, Callable[[Path], None]] = {
    one.__name__: one for one in (pipe, endless, silent, itself, nowhere, folder, listener, sparse)
}

# File names, without a suffix.
NAMES = {
    "plain": "it",
    "ESC": "a\x1b[31mb",
    "turned": "a\u202eb",
    "line break": "a\nb",
    "dash": "--help",
    "spaces": "  ",
    "markup": "<b>x<",
    "percent": "%s{0}",
    "long": "n" * 200,
    "not UTF-8": os.fsdecode(b"a\xff\xfeb"),
}
