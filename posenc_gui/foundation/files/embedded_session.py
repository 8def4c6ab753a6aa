"""The session embedded in an exported file, so that every picture can be opened again.

The session's JSON is one run of plain ASCII, so that it can be found in the raw bytes of a file of any format:
`posenc-gui-session:` + URL-safe base64 + `:`.
"""

from __future__ import annotations

import base64
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress

_DAMAGED = zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, NotImplementedError
_MOST_PARTS, _LONGEST_PART = 100, 10_000_000  # bytes
_PREFIX = "posenc-gui-session:"

# The look-ahead lets a marker begin inside a broken one.
_MARKER = re.compile(_PREFIX.encode("ascii") + rb"(?=([A-Za-z0-9_-]+={0,2}):)")


def session_marker(session_json: str) -> str:
    """Return the ASCII marker that embeds a session in a file."""
    return _PREFIX + base64.urlsafe_b64encode(session_json.encode("utf-8")).decode("ascii") + ":"


def find_session(data: bytes) -> str | None:
    """Return the session's JSON from the last complete marker in a file's bytes; None without one, or if it is damaged.

    A presentation that another program has saved contains the marker compressed: then its custom XML parts are
    searched.
    """
    found = _found(data)
    if found is None and data.startswith(b"PK"):
        found = next((one for part in _parts(data) if (one := _found(part))), None)
    return found


def _parts(deck: bytes) -> Iterator[bytes]:
    """Yield the custom XML parts of a presentation, each up to the largest size of a session."""
    with suppress(*_DAMAGED), zipfile.ZipFile(io.BytesIO(deck)) as whole:
        names = [name for name in whole.namelist() if name.startswith("customXml/")]
        for name in names[:_MOST_PARTS]:
            with whole.open(name) as part:
                yield part.read(_LONGEST_PART)


def _found(data: bytes) -> str | None:
    payload = None
    for marker in _MARKER.finditer(data):
        payload = marker.group(1)
    return None if payload is None else _decoded(payload)


def _decoded(payload: bytes) -> str | None:
    try:
        session_json = base64.urlsafe_b64decode(payload).decode("utf-8")
        json.loads(session_json)
    except (ValueError, RecursionError):
        return None
    return session_json
