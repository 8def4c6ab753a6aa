"""Names for the change between two sessions, as undo and redo show them."""

from __future__ import annotations

from dataclasses import dataclass

from posenc_gui.foundation.wording import inner_case as lower
from posenc_gui.scene.diff import Difference, Path
from posenc_gui.scene.diff import between as differences
from posenc_gui.session.session import Session

_NAMES = {
    "text": "Typing",
    "order": "Order of the tokens",
    "focus": "Query in focus",
    "key": "Key looked at",
    "vectors": "Typed vectors",
}
_SIDES = {"encoding": "A", "other": "B"}


@dataclass(frozen=True)
class Change:
    """The paths of the fields that changed, and a name for a menu ("Base 10,000 → 500,000")."""

    paths: frozenset[Path]
    name: str


def between(before: Session, after: Session, foremost: tuple[Path, ...] = ()) -> Change:
    """Return the change from one session to another; its name is empty if they are equal.

    If two encodings are compared, the name says which of them changed ("B: base 10,000 → 500,000"). Changes of the
    foremost fields, or within them, come first in the name, and all of them are named.
    """
    found = {one.path: one for one in differences(before, after)}
    # A new text brings its own order and focus: the user changed the text.
    leading = [path for path in found if path not in (("order",), ("focus",), ("key",))] or list(found)
    if ("order",) in leading:
        leading = [("order",)]
    compared = before.other is not None and after.other is not None
    if compared and after != before and after == before.swapped():
        return Change(frozenset(leading), "A and B swapped")
    first = [path for one in foremost for path in found if path[: len(one)] == one]
    told = list(dict.fromkeys((*first, *leading)))
    most = max(2, len(first))
    name = ", ".join(_name_of(found[path], compared) for path in told[:most]) + (" …" if len(told) > most else "")
    return Change(frozenset(leading), name)


def _name_of(one: Difference, compared: bool) -> str:
    head, last = one.path[0], one.path[-1]
    if one.path == ("other",) and not compared:
        return f"Compared with {one.after}" if one.before == "none" else f"No longer compared with {one.before}"
    if last in _NAMES:
        return _NAMES[last]
    colon = ":" if one.chosen and len(one.path) > 1 else ""
    told = f"{one.title}{colon} {one.before} → {one.after}"
    if compared and head in _SIDES:
        told = f"{one.before} → {one.after}" if len(one.path) == 1 else lower(told)
        return f"{_SIDES[head]}: {told}"
    return told
