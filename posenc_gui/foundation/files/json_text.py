"""JSON texts from files, measured before they are parsed: in memory a value takes up to fifty times its letters."""

from __future__ import annotations

MOST_VALUES = 1_700_000  # as many numbers as the largest session file holds, a line each
MOST_NAMES = 50_000  # four times as many as a hundred bookmarks need


class TooMany(ValueError):
    """A text with more values or names than any file has, and therefore not parsed; the message completes a sentence that
    begins with its name.
    """


def check_count(data: bytes) -> None:
    """Raise TooMany for a JSON text with more values or names than any file has."""
    unescaped = data.replace(rb"\\", b"").replace(rb"\"", b"")
    if unescaped.count(b'"') > 2 * (MOST_VALUES + MOST_NAMES):
        raise TooMany(f"holds more than {MOST_VALUES:,} values")
    outside = b"".join(unescaped.split(b'"')[::2])
    if sum(map(outside.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise TooMany(f"holds more than {MOST_VALUES:,} values")
    if outside.count(b":") > MOST_NAMES:
        raise TooMany(f"holds more than {MOST_NAMES:,} names of fields")
