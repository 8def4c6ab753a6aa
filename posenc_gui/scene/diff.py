"""In what two values of a declared model differ, field by field, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posenc_gui.encodings.base import Encoding
from posenc_gui.figure.figure import number
from posenc_gui.foundation import declared_fields as fields
from posenc_gui.foundation.declared_model import Frozen

Path = tuple[str, ...]

_LONGEST_VALUE = 24  # characters


@dataclass(frozen=True)
class Difference:
    """A field in which two models differ: its path, its title outside of its group, and both values in words.

    chosen: whether one member of a group stands in the place of another.
    """

    path: Path
    title: str
    before: str
    after: str
    chosen: bool = False


def between(before: Frozen, after: Frozen) -> tuple[Difference, ...]:
    """The fields in which two models of one kind differ, in the order in which they are declared."""
    return tuple(_between(before, after, (), ""))


def in_a_sentence(title: str) -> str:
    """A field's title as it stands within a sentence: base, but d_head and YaRN as they are."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def worded(value: Any) -> str:
    """A field's value as it is read."""
    if value is None or value == ():
        return "automatic"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if value == round(value) and abs(value) < 1e12 else number(value)
    if isinstance(value, Frozen):
        return value.called if isinstance(value, Encoding) else fields.title(type(value))
    if isinstance(value, tuple):
        some = value[:_LONGEST_VALUE]  # more is never shown
        value = ", ".join(worded(one) if isinstance(one, float) else str(one) for one in some)
    text = str(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _between(before: Frozen, after: Frozen, prefix: Path, within: str) -> list[Difference]:
    """What differs; `within` is the title of the group of parameters in which both stand."""
    found: list[Difference] = []
    for name, declared in type(after).model_fields.items():
        old, new = getattr(before, name), getattr(after, name)
        if old == new:
            continue
        path, title = (*prefix, name), fields.inner_title(within, declared.title or name)
        if isinstance(new, Frozen) and type(old) is type(new):
            found += _between(old, new, path, title if declared.title else "")
            continue
        chosen = isinstance(old, Frozen) or isinstance(new, Frozen)
        before_in_words, after_in_words = (fields.NONE if chosen and one is None else worded(one) for one in (old, new))
        called = name.capitalize() if chosen and not declared.title else title
        found.append(Difference(path, called, before_in_words, after_in_words, chosen))
    return found
