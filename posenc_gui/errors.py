"""Errors as users read them: one sentence that says what went wrong, where, and what is allowed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from pydantic import ValidationError

NO_SUCH_FIELD = "there is no such field"

_MOST = 3  # mistakes that one sentence names
_LONGEST = 300  # characters of an error that nobody foresaw
# As torch says it, with a device and without one.
_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory")


class Undefined(ValueError):
    """What was asked for has no value: a table without that row, a plot of what an encoding doesn't have.

    The message is a whole sentence; the window shows it where the picture would stand.
    """


def sentence(error: Exception) -> str:
    """An error in one line: where it is, what is allowed, what was given. Errors that aren't pydantic's speak for themselves."""
    if not isinstance(error, ValidationError):
        return " ".join(str(error).split()) or type(error).__name__
    parts = [told for _, told in mistakes(error)]
    if len(parts) > _MOST:
        parts[_MOST:] = [f"and {len(parts) - _MOST} more"]
    return "; ".join(parts)


def unforeseen(error: Exception) -> str:
    """What a user is told of an error that is the explorer's own, after what it prevented; its traceback is for the log."""
    if is_of_memory(error):
        return "there is not enough memory; details are in the log file."
    kind, said = type(error).__name__, sentence(error)[:_LONGEST].rstrip(".")
    which = kind if said == kind else f"{kind}: {said}"
    return f"this is an error of the explorer ({which}); details are in the log file."


def is_of_memory(error: Exception) -> bool:
    """Whether there was too little memory."""
    return isinstance(error, MemoryError) or any(said in str(error) for said in _OF_MEMORY)


def mistakes(error: ValidationError) -> list[tuple[tuple[int | str, ...], str]]:
    """Each mistake that pydantic found: its place, and one line that names it."""
    details = error.errors(include_url=False)
    told = (_one(detail["loc"], detail["msg"], detail["input"]) for detail in details)
    return [(detail["loc"], " ".join(line.split())) for detail, line in zip(details, told, strict=True)]


def unknown(kind: str, name: object, allowed: Iterable[str]) -> str:
    """The sentence for a name that doesn't exist: the closest one, and all that are allowed."""
    allowed = list(allowed)
    if not allowed:
        return f"there is no {kind} {_short(name)!r}: it takes none"
    close = difflib.get_close_matches(_short(name), allowed, 1)
    meant = f" (did you mean {close[0]!r}?)" if close else ""
    return f"there is no {kind} {_short(name)!r}{meant}: allowed are {', '.join(allowed)}"


def _one(place: tuple[int | str, ...], message: str, given: object) -> str:
    where = ".".join(str(part)[:40] for part in place)
    message = message.removeprefix("Value error, ")
    if message.startswith("Input should"):
        message = f"should{message.removeprefix('Input should')}, not {_short(given)!r}"
    elif message == "Extra inputs are not permitted":
        message = NO_SUCH_FIELD
    return f"{where}: {message}" if where else message


def _short(given: object) -> str:
    try:
        return str(given)[:40]
    except (ValueError, RecursionError):  # numbers of more than 4,300 digits, and what is nested too deeply
        return "a value too large to show"
