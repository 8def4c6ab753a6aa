"""What changed between two sessions, in words: the names that undo and redo show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posenc_gui import fields
from posenc_gui.encodings.base import Encoding
from posenc_gui.figure import number
from posenc_gui.frozen import Frozen
from posenc_gui.session import Session

Path = tuple[str, ...]

_NAMES = {
    "text": "Typing",
    "order": "Order of the tokens",
    "focus": "Query in focus",
    "key": "Key looked at",
    "vectors": "Typed vectors",
}
_LONGEST_VALUE = 24  # characters


@dataclass(frozen=True)
class Change:
    """What changed: the fields' paths, and its name for a menu ("Base 10,000 → 500,000")."""

    paths: frozenset[Path]
    name: str


def between(before: Session, after: Session) -> Change:
    """The change from one session to another; its name is empty where they are equal."""
    found = _differences(before, after)
    # Another text stands as typed and its focus goes along: the text is what the user changed.
    leading = [path for path in found if path not in (("order",), ("focus",), ("key",))] or list(found)
    if ("order",) in leading:
        leading = [("order",)]
    name = ", ".join(found[path] for path in leading[:2]) + (" …" if len(leading) > 2 else "")
    return Change(frozenset(leading), name)


def _differences(before: Frozen, after: Frozen, prefix: Path = (), within: str = "") -> dict[Path, str]:
    """What differs, by path; `within` is the title of the group of parameters in which both stand."""
    found: dict[Path, str] = {}
    for field, declared in type(after).model_fields.items():
        old, new = getattr(before, field), getattr(after, field)
        if old == new:
            continue
        path, title = (*prefix, field), fields.inner_title(within, declared.title or field)
        if type(old) is not type(new) and fields.kind(declared).members:
            name = f"{title}:" if declared.title else field.capitalize()
            found[path] = f"{name} {_called(old)} → {_called(new)}"
        elif isinstance(new, Frozen):
            found |= _differences(old, new, path, title if declared.title else "")
        elif field in _NAMES:
            found[path] = _NAMES[field]
        else:
            found[path] = f"{title} {_value(old)} → {_value(new)}"
    return found


def _called(chosen: Frozen | None) -> str:
    if isinstance(chosen, Encoding):
        return chosen.title
    return fields.title(type(chosen)) if chosen else fields.NONE


def _value(value: Any) -> str:
    if value is None or value == ():
        return "automatic"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if value == round(value) and abs(value) < 1e12 else number(value)
    if isinstance(value, tuple):
        value = ", ".join(_value(one) if isinstance(one, float) else str(one) for one in value)
    text = str(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"
