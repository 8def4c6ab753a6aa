"""Names for the change between two sessions, as undo and redo show them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from posenc_gui.foundation.unicode_text import shorten_sentence
from posenc_gui.foundation.wording import inner_case as lower
from posenc_gui.foundation.wording import quote
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.scene.diff import Difference, Path
from posenc_gui.scene.diff import between as differences
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import AT_ONCE

_NAMES = {"vectors": "Typed vectors", "formula": "Formula"}
_LONGEST = 32  # characters of what was typed
_SIDES = {"encoding": "A", "other": "B"}


@dataclass(frozen=True)
class NamedChange:
    """The paths of the fields that changed, and a name for a menu ("Base 10,000 → 500,000")."""

    paths: frozenset[Path]
    name: str


def between(before: Session, after: Session, foremost: tuple[Path, ...] = ()) -> NamedChange:
    """Return the change from one session to another; its name is empty if they are equal. If two encodings are compared, the
    name says which of them changed ("B: base 10,000 → 500,000"). Changes of the foremost fields, or within them, come first
    in the name, and all of them are named."""
    found = {one.path: one for one in differences(before, after)}
    # A new text brings its own order and focus: the user changed the text.
    leading = [path for path in found if path not in (("order",), ("focus",), ("key",))] or list(found)
    if ("order",) in leading:
        leading = [("order",)]
    compared = before.other is not None and after.other is not None
    if compared and after != before and after == before.swapped():
        return NamedChange(frozenset(leading), "A and B swapped")
    first = [path for one in foremost for path in found if path[: len(one)] == one]
    told = list(dict.fromkeys((*first, *leading)))
    most = max(2, len(first))
    names = (_name_of(found[path], before, after) for path in told[:most])
    return NamedChange(frozenset(leading), ", ".join(names) + (" …" if len(told) > most else ""))


def _name_of(one: Difference, before: Session, after: Session) -> str:
    head, last = one.path[0], one.path[-1]
    compared = before.other is not None and after.other is not None
    if one.path == ("text",):
        return _name_of_typing(before.text, after.text)
    if one.path == ("order",):
        return _name_of_order(after)
    if one.path in (("focus",), ("key",)):
        return _name_of_token(last, after)
    if one.path == ("other",) and not compared:
        return f"Compared with {one.after}" if one.before == "none" else f"No longer compared with {one.before}"
    if last in _NAMES or (last in _SIDES and one.before == one.after):  # one formula after another, of whatever door
        told = _NAMES.get(last, "Formula")
        return f"{_SIDES[head]}: {lower(told)}" if compared and head in _SIDES else told
    colon = ":" if one.chosen and len(one.path) > 1 else ""
    is_said = lower(one.title) in f"{one.before} {one.after}".split()  # "No encoding" says what it is
    told = f"{one.before} → {one.after}" if is_said else f"{one.title}{colon} {one.before} → {one.after}"
    if compared and head in _SIDES:
        told = f"{one.before} → {one.after}" if len(one.path) == 1 else lower(told)
        return f"{_SIDES[head]}: {told}"
    return told


def _name_of_typing(before: str, after: str) -> str:
    """Return “Typed “dog”” or “Deleted “dog””: the words that are new, or else those that went."""
    if max(len(before), len(after)) > AT_ONCE:
        return f"Typed {_quote(after)}"
    old, new = before.split(), after.split()
    kept = _n_equal(old, new)
    kept_at_end = _n_equal(old[kept:][::-1], new[kept:][::-1])
    typed, gone = (" ".join(words[kept : len(words) - kept_at_end]) for words in (new, old))
    if typed:
        return f"Typed {_quote(typed)}"
    return f"Deleted {_quote(gone)}" if gone else "Typed a space"


def _n_equal(one: list[str], other: list[str]) -> int:
    """Return with how many equal words both begin."""
    return sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(one, other, strict=False)))


def _name_of_order(session: Session) -> str:
    """Return “Order: “cat the sat””: the tokens as they stand now, without those of a very long text."""
    if session.splitting.takes_long:
        return "Order"
    return f"Order: {_quote(' '.join(session.tokens))}"


def _name_of_token(field: str, session: Session) -> str:
    """Return “Focus on “cat”” or “Key “cat””; a token that occurs more than once is named with its position."""
    what = {"focus": "Focus on", "key": "Key"}[field]
    at = session.focus if field == "focus" else session.focus if session.key is None else session.key
    if session.splitting.takes_long:
        return f"{what} position {session.start + at:,}"
    tokens = session.tokens
    if not tokens:
        return f"{what} nothing"
    at = min(at, len(tokens) - 1)
    return f"{what} {_quote(tokens[at])}{f' at {session.start + at}' if tokens.count(tokens[at]) > 1 else ''}"


def _quote(text: str) -> str:
    return quote(shorten_sentence(visible(text), _LONGEST))
