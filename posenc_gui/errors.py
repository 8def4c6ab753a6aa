"""Errors as users read them: one sentence that says what went wrong, where, and what is allowed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from pydantic import ValidationError


class Undefined(ValueError):
    """What was asked for has no value: a table without that row, a plot of what an encoding doesn't have.

    The message is a whole sentence; the window shows it where the picture would stand.
    """


def sentence(error: Exception) -> str:
    """An error in one line: where it is, what is allowed, what was given. Errors that aren't pydantic's speak for themselves."""
    if not isinstance(error, ValidationError):
        return " ".join(str(error).split()) or type(error).__name__
    return "; ".join(_one(detail["loc"], detail["msg"], detail["input"]) for detail in error.errors(include_url=False))


def unknown(kind: str, name: str, allowed: Iterable[str]) -> str:
    """The sentence for a name that doesn't exist: the closest one, and all that are allowed."""
    allowed = list(allowed)
    if not allowed:
        return f"there is no {kind} {name!r}: it takes none"
    close = difflib.get_close_matches(name, allowed, 1)
    meant = f" (did you mean {close[0]!r}?)" if close else ""
    return f"there is no {kind} {name!r}{meant}: allowed are {', '.join(allowed)}"


def _one(place: tuple[int | str, ...], message: str, given: object) -> str:
    where = ".".join(str(part) for part in place)
    message = message.removeprefix("Value error, ")
    if message.startswith("Input should"):
        message = f"should{message.removeprefix('Input should')}, not {str(given)[:40]!r}"
    elif message == "Extra inputs are not permitted":
        message = "there is no such field"
    return f"{where}: {message}" if where else message
