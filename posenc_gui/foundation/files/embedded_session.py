"""The session embedded in an exported file, so that every picture can be opened again.

The session's JSON is one run of plain ASCII, so that it can be found in the raw bytes of a file of any format:
`posenc-gui-session:` + URL-safe base64 + `:`.
"""

from __future__ import annotations

import base64
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress

from pydantic_core import from_json

from posenc_gui.foundation.files import json_text

LARGEST = 25_000_000  # bytes of a session's JSON

_DAMAGED = zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, NotImplementedError
_LONGEST = 4 * (LARGEST // 3 + 1)  # characters of a marker's base64
_MOST_TRIED = 100  # broken markers at a file's end
_MOST_PARTS = 100  # of a presentation
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # other methods may take gigabytes to unpack
_PREFIX = "posenc-gui-session:"
_BASE64 = re.compile(rb"[A-Za-z0-9_-]+={0,2}")
_LARGEST_DIRECTORY = 1_000_000  # bytes: a presentation of 10,000 parts
_END, _LARGE = b"PK\x05\x06", b"PK\x06\x07"  # signatures of the end record, and of the locator of a 64-bit one
_END_SIZE, _LOCATOR_SIZE, _COMMENT = 22, 20, 65_535  # bytes; a comment may be as long


def session_marker(session_json: str) -> str:
    """Return the ASCII marker that embeds a session in a file."""
    return _PREFIX + base64.urlsafe_b64encode(session_json.encode("utf-8")).decode("ascii") + ":"


def find_session(data: bytes) -> str | None:
    """Return the session's JSON from the last complete marker in a file's bytes, or in the custom XML parts of a presentation
    that another program saved compressed; None without one, or if it is damaged."""
    found = _found(data)
    if found is None and data.startswith(b"PK"):
        found = next((one for part in _parts(data) if (one := _found(part))), None)
    return found


def _parts(deck: bytes) -> Iterator[bytes]:
    """Yield the custom XML parts of a presentation, which together may be as large as one marker."""
    left = _LONGEST + len(_PREFIX) + 1000  # XML around it
    with suppress(*_DAMAGED):
        check_zip_directory(deck)
        with zipfile.ZipFile(io.BytesIO(deck)) as whole:
            custom = [member for member in whole.infolist() if member.filename.startswith("customXml/")]
            for member in custom[:_MOST_PARTS]:
                if left > 0 and member.compress_type in _PACKED:
                    with whole.open(member) as part:
                        content = part.read(left)
                    left -= len(content)
                    yield content


def _found(data: bytes) -> str | None:
    """Return the JSON of the last complete marker, searched from the end; None without one."""
    prefix, end = _PREFIX.encode("ascii"), len(data)
    for _ in range(_MOST_TRIED):
        end = data.rfind(prefix, 0, end)
        if end < 0:
            return None
        begin = end + len(prefix)
        close = data.find(b":", begin, begin + _LONGEST + 1)
        if close > 0 and _BASE64.fullmatch(data, begin, close):
            return _decoded(data[begin:close])
    return None


def _decoded(payload: bytes) -> str | None:
    try:
        session_json = base64.urlsafe_b64decode(payload)
        json_text.check_count(session_json)
        from_json(session_json)
        return session_json.decode("utf-8")
    except ValueError:
        return None


def check_zip_directory(archive: bytes) -> None:
    """Raise BadZipFile unless the end record says an ordinary size of the directory, which zipfile would read into objects."""
    end = archive.rfind(_END, max(0, len(archive) - _END_SIZE - _COMMENT))
    if end < 0 or end + _END_SIZE > len(archive):
        raise zipfile.BadZipFile("there is no end record")
    if end >= _LOCATOR_SIZE and archive.startswith(_LARGE, end - _LOCATOR_SIZE):
        raise zipfile.BadZipFile("it has a 64-bit directory")
    if int.from_bytes(archive[end + 12 : end + 16], "little") > _LARGEST_DIRECTORY:
        raise zipfile.BadZipFile("its directory is too large")
