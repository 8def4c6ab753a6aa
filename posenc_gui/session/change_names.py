"""What changed between two sessions, in words: the names that undo and redo show."""

from __future__ import annotations

from dataclasses import dataclass

from posenc_gui.scene.diff import Difference, Path
from posenc_gui.scene.diff import between as differences
from posenc_gui.scene.diff import in_a_sentence as lower
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
    """What changed: the fields' paths, and its name for a menu ("Base 10,000 → 500,000")."""

    paths: frozenset[Path]
    name: str


def between(before: Session, after: Session, foremost: tuple[Path, ...] = ()) -> Change:
    """The change from one session to another; its name is empty where they are equal.

    Where two encodings are compared, the name says which of them changed ("B: base 10,000 → 500,000"). What changed of the
    foremost fields, or within them, is named before everything else, and wholly.
    """
    found = {one.path: one for one in differences(before, after)}
    # Another text stands as typed and its focus goes along: the text is what the user changed.
    leading = [path for path in found if path not in (("order",), ("focus",), ("key",))] or list(found)
    if ("order",) in leading:
        leading = [("order",)]
    compared = before.other is not None and after.other is not None
    if compared and after != before and after == before.swapped():
        return Change(frozenset(leading), "A and B swapped")
    first = [path for one in foremost for path in found if path[: len(one)] == one]
    told = list(dict.fromkeys((*first, *leading)))
    most = max(2, len(first))
    name = ", ".join(_named(found[path], compared) for path in told[:most]) + (" …" if len(told) > most else "")
    return Change(frozenset(leading), name)


def _named(one: Difference, compared: bool) -> str:
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
