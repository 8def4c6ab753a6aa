"""Error messages for users: one sentence that says what went wrong, where, and what is allowed."""

from __future__ import annotations

import difflib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from types import UnionType
from typing import Any, Self

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.wording import format_bound, format_count, inflect, join_words

Place = tuple[int | str, ...]
Mistake = tuple[Place, str]  # the path of the field, and one line that describes the mistake

NO_SUCH_FIELD = "there is no such field"

_MOST = 3  # mistakes listed in one sentence
_LONGEST = 300  # characters shown of an internal error
_LONGEST_VALUE, _CUT = 40, "…"  # characters shown of a value, and what stands for the rest
# Messages of torch, on a GPU and on the CPU.
_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory")
_NO_MEMBER = ("union_tag_invalid", "union_tag_not_found")  # pydantic's types for a group with an unknown or missing tag
# The expected value, by pydantic's type of the error.
_SHOULD_BE = {
    **dict.fromkeys(("int_type", "int_parsing", "int_parsing_size", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("dict_type", "mapping_type", "model_type", "model_attributes_type"), "a group of fields"),
    "string_type": "text",
}
_NO_LIST = ("tuple_type", "list_type")
_COUNTED = {"string_too_long": "character", "string_too_short": "character", "too_long": "value", "too_short": "value"}
_BEYOND = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}
_LISTED = {int: "whole numbers", float: "numbers", str: "texts"}


@dataclass(frozen=True)
class Remedy:
    """A change that gives a plot something to show: what a button says, and fields of the session and the plot's options.
    `command` names a command of the window, where something must be chosen first, or a plot's card that it brings."""

    words: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""


class Undefined(ValueError):
    """The requested result doesn't exist, such as a table's row. The message is a whole sentence, which the window displays
    in place of the picture, with a button for the remedy."""

    def __init__(self, sentence: str, remedy: Remedy | None = None) -> None:
        super().__init__(sentence)
        self.remedy = remedy


class Invalid(ValueError):
    """A model's refusal of values, as one sentence; `mistakes` has them one by one, as the function `mistakes` lists them."""

    def __init__(self, sentence: str, mistakes: Sequence[Mistake] = ()) -> None:
        super().__init__(sentence)
        self.mistakes = mistakes

    @classmethod
    def of(cls, error: ValidationError, model: type[BaseModel]) -> Self:
        """Translate pydantic's error for users."""
        return cls(describe_error(error, model), mistakes(error))


class TooLarge(ValueError):
    """The requested result needs more memory than is free. The message is a whole sentence."""


def describe_error(error: BaseException, model: type[BaseModel] | None = None) -> str:
    """Describe an error in one line: where it is, what is allowed, what was given. A file's error gives its path and the
    system's message; any other error's own message is used as it is. model: the model that refused the values, from which the
    groups in it are named."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    if not isinstance(error, ValidationError):
        return " ".join(str(error).split()) or type(error).__name__
    parts = list(dict.fromkeys(text for _, text in once_a_list(mistakes(error, model))))
    if len(parts) > _MOST:
        parts[_MOST:] = [f"and {len(parts) - _MOST} more"]
    return "; ".join(parts)


def describe_file_error(error: Exception) -> str:
    """Describe an error as one sentence; a file's error names the file."""
    return f"{describe_error(error)}." if isinstance(error, OSError) else describe_error(error)


def describe_internal_error(error: BaseException) -> str:
    """Describe an error of the explorer itself, to end a sentence that says what failed; the log gets the traceback."""
    if is_out_of_memory(error):
        return "there is not enough memory; Help ▸ Diagnostics has the details."
    kind, text = type(error).__name__, describe_error(error)[:_LONGEST].rstrip(".")
    which = kind if text == kind else f"{kind}: {text}"
    return f"this is an error of the explorer ({which}); Help ▸ Diagnostics has the details."


def is_out_of_memory(error: BaseException) -> bool:
    """Return True if the error means that memory ran out."""
    return isinstance(error, MemoryError) or any(words in str(error) for words in _OF_MEMORY)


def mistakes(error: ValidationError, model: type[BaseModel] | None = None) -> list[Mistake]:
    """List each mistake that pydantic found."""
    found = []
    for detail in error.errors(include_url=False):
        place, message = detail["loc"], _describe_detail(detail)
        if model is not None:
            owner, place = declared_fields.locate_field(model, place)
            place, message = _in_group(owner, place, detail)
        where = ".".join(str(part)[:40] for part in place)
        found.append((place, " ".join((f"{where}: {message}" if where else message).split())))
    return found


def once_a_list(found: Sequence[Mistake]) -> list[Mistake]:
    """Say of a list's values what is wrong with the first that is, and how many are."""
    told: dict[tuple[Place, str], list[Mistake]] = {}
    for place, said in found:
        key = (place[:-1], "") if place and isinstance(place[-1], int) else (place, said)
        told.setdefault(key, []).append((place, said))
    return [
        (one[0][0], one[0][1] if said or len(one) == 1 else f"{one[0][1]} (the first of {len(one)} wrong values)")
        for (_, said), one in told.items()
    ]


def unknown_name(kind: str, name: object, allowed: Iterable[str], alike: float = 0.6) -> str:
    """Return the message for an unknown name: all allowed ones, and one of which at least the share `alike` of letters is the
    same."""
    allowed = list(allowed)
    if not allowed:
        return f"there is no {kind} {quote_value(name)}: it takes none"
    return f"there is no {kind} {quote_value(name)}{meant(name, allowed, alike)}: {_list_allowed(allowed)}"


def meant(name: object, allowed: Iterable[str], alike: float = 0.6) -> str:
    """Return the closest of these names as a question in brackets, with a space before it; empty if none is `alike`."""
    plain = {one.casefold(): one for one in allowed}
    close = difflib.get_close_matches(shorten_value(name).casefold(), list(plain), 1, alike)
    return f" (did you mean {plain[close[0]]!r}?)" if close else ""


def _list_allowed(names: Collection[str]) -> str:
    return f"allowed {inflect(len(names), 'is', 'are')} {join_words(names)}"


def require_type(given: object, kind: type | UnionType, called: str = "") -> None:
    """Raise ValueError unless `given` is an instance of `kind`, which users may know by another name."""
    if not isinstance(given, kind):
        raise ValueError(f"a {called or getattr(kind, '__name__', kind)} is needed, not {quote_value(given)}")


def path_of(given: str | PathLike[str]) -> Path:
    """Return what a user gave as a path. Raises ValueError if it is none."""
    require_type(given, str | PathLike, "path")
    return Path(given)


def _in_group(owner: type[BaseModel], place: Place, detail: ErrorDetails) -> Mistake:
    """Describe a mistake in a group or in a list of values by declared names; describe any other as pydantic does."""
    kind, given = detail["type"], detail["input"]
    names = [name for name in place if isinstance(name, str)]
    field = owner.model_fields.get(names[-1]) if names else None
    held = declared_fields.kind(field) if field else declared_fields.Kind(None)
    count = declared_fields.count(held)
    if kind == "extra_forbidden":
        return place[:-1], unknown_name("field", place[-1], owner.model_fields)
    if kind in _NO_MEMBER and isinstance(given, Mapping):
        if held.tag in given:
            return place, unknown_name(held.tag, given[held.tag], held.tags())
        return place, f"{held.tag} must be given: {_list_allowed(held.tags())}"
    if held.members and kind in (*_NO_MEMBER, "model_type", "model_attributes_type"):
        none = "none or " if held.optional else ""
        return place, f"should be {none}a group of fields such as {_example(held, given)}, not {quote_value(given)}"
    if count and kind in ("missing", "too_long"):
        found = len(given) if isinstance(given, Sized) else quote_value(given)
        return tuple(names), f"should have {format_count(count, 'value')}, not {found}"
    if kind in _NO_LIST and len(listed := declared_fields.value_types(held)) == 1:
        return place, _describe_detail(detail, _LISTED.get(listed[0], "values"))
    return place, _describe_detail(detail)


def _example(group: declared_fields.Kind, given: object) -> str:
    """Return a JSON example of a group: its tag, that which was given if there is such a one, or its first field."""
    tagged = group.tags().get(given.lower()) if isinstance(given, str) else None
    values = group.begun(tagged or group.members[0]).model_dump(mode="json")
    first = group.tag or next(iter(values), "")
    return json.dumps({name: value for name, value in values.items() if name == first}, ensure_ascii=False)


def _describe_detail(detail: ErrorDetails, listed: str = "values") -> str:
    """Describe a mistake; `listed` is what a list should hold."""
    kind, given, bounds = detail["type"], detail["input"], detail.get("ctx", {})
    if kind in _COUNTED and isinstance(given, Sized):
        most = "most" if kind.endswith("long") else "least"
        count = bounds[f"{'max' if most == 'most' else 'min'}_length"]
        return f"should have at {most} {format_count(count, _COUNTED[kind])}, not {bounds.get('actual_length') or len(given):,}"
    if kind in _NO_LIST:
        return f"should be a list of {listed}, not {quote_value(given)}"
    if kind in _SHOULD_BE:
        return f"should be {_SHOULD_BE[kind]}, not {quote_value(given)}"
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return NO_SUCH_FIELD
    if kind == "missing":
        return "must be given"
    if kind in _BEYOND:
        limit, rule = _BEYOND[kind]
        return f"should be {limit} {format_bound(bounds[rule])}, not {quote_value(given)}"
    message = detail["msg"].removeprefix("Value error, ")
    if message.startswith("Input should"):
        return f"should{message.removeprefix('Input should')}, not {quote_value(given)}"
    return message


def quote_value(given: object) -> str:
    """Shorten a value for a sentence; only a text has quotation marks."""
    short = shorten_value(given)
    if isinstance(given, float):
        return short.removesuffix(".0")
    if isinstance(given, int) and short.endswith(_CUT):
        return f"a number of {len(str(given).lstrip('-'))} digits"
    return repr(short) if isinstance(given, str) else " ".join(short.split())


def shorten_value(given: object) -> str:
    """Shorten a value for a sentence."""
    try:
        whole = str(given)
    except (ValueError, RecursionError):  # numbers of more than 4,300 digits, and deeply nested values
        return "a value too large to show"
    return whole if len(whole) <= _LONGEST_VALUE else f"{whole[: _LONGEST_VALUE - 1]}{_CUT}"
