"""JSON texts from files, measured before they are parsed: in memory a value takes up to fifty times its letters."""

from __future__ import annotations

MOST_VALUES = 1_700_000  # as many numbers as the largest session file holds, a line each
MOST_NAMES = 25_000  # twice as many as a hundred bookmarks need
MOST_LISTS = 50_000  # more than the points of all curves that a lab report can hold


class TooMany(ValueError):
    """A text with too many values, lists or names to be parsed; the message completes a sentence that begins with its name."""


def check_count(data: bytes, most_names: int = MOST_NAMES) -> None:
    """Raise TooMany for a JSON text with more values, lists or names than any file has."""
    unescaped = data.replace(rb"\\", b"").replace(rb"\"", b"")
    if unescaped.count(b'"') > 2 * (MOST_VALUES + most_names):
        raise TooMany(f"holds more than {MOST_VALUES:,} values")
    outside = b"".join(unescaped.split(b'"')[::2])
    n_lists = sum(map(outside.count, (b"[", b"{")))
    if n_lists + outside.count(b",") > MOST_VALUES:
        raise TooMany(f"holds more than {MOST_VALUES:,} values")
    if n_lists > MOST_LISTS:
        raise TooMany(f"holds more than {MOST_LISTS:,} lists")
    if outside.count(b":") > most_names:
        raise TooMany(f"holds more than {most_names:,} names of fields")
