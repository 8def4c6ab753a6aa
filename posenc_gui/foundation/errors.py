"""Errors as users read them: one sentence that says what went wrong, where, and what is allowed."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from posenc_gui.foundation import declared_fields as fields

Place = tuple[int | str, ...]
Mistake = tuple[Place, str]  # its place, and one line that names it

NO_SUCH_FIELD = "there is no such field"

_MOST = 3  # mistakes that one sentence names
_LONGEST = 300  # characters of an error that nobody foresaw
# As torch says it, with a device and without one.
_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory")
_NO_MEMBER = ("union_tag_invalid", "union_tag_not_found")  # pydantic's words for a group that is none of its members
# What a value should be, by pydantic's word for what it is not.
_SHOULD_BE = {
    **dict.fromkeys(("int_type", "int_parsing", "int_parsing_size", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("dict_type", "mapping_type", "model_type", "model_attributes_type"), "a group of fields"),
    "string_type": "text",
}
_NO_LIST = ("tuple_type", "list_type")
_COUNTED = {
    "string_too_long": "characters",
    "string_too_short": "characters",
    "too_long": "values",
    "too_short": "values",
}
_LISTED = {int: "whole numbers", float: "numbers", str: "texts"}


class Undefined(ValueError):
    """What was asked for has no value: a table without that row, a plot of what an encoding doesn't have.

    The message is a whole sentence; the window shows it where the picture would stand.
    """


class Invalid(ValueError):
    """Values that a model refuses, in one sentence.

    mistakes: each of them, as the function of that name finds them without a model.
    """

    def __init__(self, sentence: str, mistakes: Sequence[Mistake] = ()) -> None:
        super().__init__(sentence)
        self.mistakes = mistakes

    @classmethod
    def of(cls, error: ValidationError, model: type[BaseModel]) -> Self:
        """What pydantic found, as users read it."""
        return cls(sentence(error, model), mistakes(error))


class TooLarge(ValueError):
    """What was asked for has a value, but takes more memory than is free now. The message is a whole sentence."""


def sentence(error: BaseException, model: type[BaseModel] | None = None) -> str:
    """An error in one line: where it is, what is allowed, what was given. Errors that aren't pydantic's speak for themselves.

    One of a file names it as it is and says what the system said.
    model: the one that was refused; groups within it are then told by their members' names.
    """
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    if not isinstance(error, ValidationError):
        return " ".join(str(error).split()) or type(error).__name__
    parts = list(dict.fromkeys(told for _, told in mistakes(error, model)))
    if len(parts) > _MOST:
        parts[_MOST:] = [f"and {len(parts) - _MOST} more"]
    return "; ".join(parts)


def explain(error: Exception) -> str:
    """An error of a file in one sentence that names the file."""
    return f"{sentence(error)}." if isinstance(error, OSError) else sentence(error)


def unforeseen(error: BaseException) -> str:
    """What a user is told of an error that is the explorer's own, after what it prevented; its traceback is for the log."""
    if is_of_memory(error):
        return "there is not enough memory; Help ▸ Diagnostics has the details."
    kind, said = type(error).__name__, sentence(error)[:_LONGEST].rstrip(".")
    which = kind if said == kind else f"{kind}: {said}"
    return f"this is an error of the explorer ({which}); Help ▸ Diagnostics has the details."


def is_of_memory(error: BaseException) -> bool:
    """Whether there was too little memory."""
    return isinstance(error, MemoryError) or any(said in str(error) for said in _OF_MEMORY)


def mistakes(error: ValidationError, model: type[BaseModel] | None = None) -> list[Mistake]:
    """Each mistake that pydantic found."""
    found = []
    for detail in error.errors(include_url=False):
        place, message = detail["loc"], _said(detail)
        if model is not None:
            owner, place = fields.located(model, place)
            place, message = _in_group(owner, place, detail)
        where = ".".join(str(part)[:40] for part in place)
        found.append((place, " ".join((f"{where}: {message}" if where else message).split())))
    return found


def unknown(kind: str, name: object, allowed: Iterable[str]) -> str:
    """The sentence for a name that doesn't exist: the closest one, and all that are allowed."""
    allowed = list(allowed)
    if not allowed:
        return f"there is no {kind} {short(name)!r}: it takes none"
    close = difflib.get_close_matches(short(name), allowed, 1)
    meant = f" (did you mean {close[0]!r}?)" if close else ""
    return f"there is no {kind} {short(name)!r}{meant}: allowed are {', '.join(allowed)}"


def require(given: object, kind: type) -> None:
    """Raises ValueError where something else is given than what is needed."""
    if not isinstance(given, kind):
        raise ValueError(f"a {kind.__name__} is needed, not {short(given)!r}")


def _in_group(owner: type[BaseModel], place: Place, detail: ErrorDetails) -> Mistake:
    """A mistake in a group, or in several values, by the names that were declared; any other as it is."""
    kind, given = detail["type"], detail["input"]
    names = [name for name in place if isinstance(name, str)]
    field = owner.model_fields.get(names[-1]) if names else None
    held = fields.kind(field) if field else fields.Kind(None)
    count = fields.count(held)
    if kind == "extra_forbidden":
        return place[:-1], unknown("field", place[-1], owner.model_fields)
    if kind in _NO_MEMBER and isinstance(given, Mapping):
        if held.tag in given:
            return place, unknown(held.tag, given[held.tag], held.tags())
        return place, f"{held.tag} must be given: allowed are {', '.join(held.tags())}"
    if held.members and kind in (*_NO_MEMBER, "model_type", "model_attributes_type"):
        none = "none or " if held.optional else ""
        return place, f"should be {none}a group of fields such as {_example(held)}, not {short(given)!r}"
    if count and kind in ("missing", "too_long"):
        return tuple(names), f"should have {count} values, not {len(given)}"
    if kind in _NO_LIST and len(listed := fields.values_of(held)) == 1:
        return place, _said(detail, _LISTED.get(listed[0], "values"))
    return place, _said(detail)


def _example(group: fields.Kind) -> str:
    """A group as it is written in JSON: its tag, or the first of its fields."""
    values = group.begun(group.members[0]).model_dump(mode="json")
    first = group.tag or next(iter(values), "")
    return json.dumps({name: value for name, value in values.items() if name == first}, ensure_ascii=False)


def _said(detail: ErrorDetails, listed: str = "values") -> str:
    """A mistake as people say it; `listed` is what a list should hold."""
    kind, given, bounds = detail["type"], detail["input"], detail.get("ctx", {})
    if kind in _COUNTED:
        most = "most" if kind.endswith("long") else "least"
        count = bounds[f"{'max' if most == 'most' else 'min'}_length"]
        return f"should have at {most} {count:,} {_COUNTED[kind]}, not {bounds.get('actual_length') or len(given):,}"
    if kind in _NO_LIST:
        return f"should be a list of {listed}, not {short(given)!r}"
    if kind in _SHOULD_BE:
        return f"should be {_SHOULD_BE[kind]}, not {short(given)!r}"
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return NO_SUCH_FIELD
    if kind == "missing":
        return "must be given"
    message = detail["msg"].removeprefix("Value error, ")
    if message.startswith("Input should"):
        return f"should{message.removeprefix('Input should')}, not {short(given)!r}"
    return message


def short(given: object) -> str:
    """A value as it is named in a sentence: its beginning."""
    try:
        return str(given)[:40]
    except (ValueError, RecursionError):  # numbers of more than 4,300 digits, and what is nested too deeply
        return "a value too large to show"
