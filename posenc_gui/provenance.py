"""The session inside an exported file: every picture can be opened again.

The session's JSON travels as one run of plain ASCII, so that it is found in the raw bytes of any file, whatever the
format around it: `posenc-gui-session:` + URL-safe base64 + `:`.
"""

from __future__ import annotations

import base64
import json
import re

_PREFIX = "posenc-gui-session:"

# The look-ahead lets a marker begin inside a broken one.
_MARKER = re.compile(_PREFIX.encode("ascii") + rb"(?=([A-Za-z0-9_-]+={0,2}):)")


def mark(session_json: str) -> str:
    """The ASCII text by which a file carries a session."""
    return _PREFIX + base64.urlsafe_b64encode(session_json.encode("utf-8")).decode("ascii") + ":"


def find(data: bytes) -> str | None:
    """The session's JSON from the last complete marker in a file's bytes.

    None where there is no marker or where it is damaged.
    """
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
