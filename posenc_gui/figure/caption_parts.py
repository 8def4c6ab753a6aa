"""Captions as typed parts; only this module joins them into text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, get_args

PartKind = Literal[  # in reading order: the end of a long caption may be cut
    "settings",  # all settings
    "subject",  # the plot and the encoding
    "differs",  # differences between compared encodings or between pictures
    "absent",  # why one of two compared encodings has no picture
    "accent",  # what amber means, which greys lack
    "shown",
    "start",  # at which position the sentence starts
    "marks",  # what a mark in the picture means
    "colours",  # what two colours mean, which greys lack
    "text",  # changes to the text as typed, and how positions are counted
    "seeded",  # a note that the weights are a toy model's, or those of a model that has learned
    "held",  # settings that are equal in both compared encodings
]
_ORDER: tuple[str, ...] = get_args(PartKind)


@dataclass(frozen=True)
class CaptionPart:
    """One statement of a caption; its kind decides its place in the caption."""

    text: str
    kind: PartKind = "shown"


OF_COLOURS: tuple[PartKind, ...] = ("accent", "colours")
SEEDED = CaptionPart("toy model, seeded weights", "seeded")
TRAINED = "trained weights, one text"  # said in its place, behind a model's name


def compose_caption(*parts: CaptionPart | str) -> tuple[CaptionPart, ...]:
    """Return the parts without duplicates and empty ones; a plain text becomes a part that says what is shown."""
    typed = (CaptionPart(part) if isinstance(part, str) else part for part in parts)
    return tuple(dict.fromkeys(part for part in typed if part.text))


def join_caption(parts: Iterable[CaptionPart]) -> str:
    """Join the parts into text in the order of their kinds, without the toy model's if a "held" part names it."""
    return " · ".join(part.text for part in order_parts(parts))


def fit_caption(parts: Iterable[CaptionPart], room: float, measure: Callable[[str], float]) -> str:
    """Return as much of a caption as has room, in whole parts from its beginning; the toy model's part is the last to go."""
    parts = list(parts)
    shown = join_caption(parts)
    if measure(shown) <= room:
        return shown
    always = [part for part in parts if part.kind == "seeded"]
    others = [part for part in order_parts(parts) if part.kind not in ("seeded", "held")]
    for count in range(len(others), 0, -1):
        shown = join_caption([*others[:count], *always])
        if measure(shown) <= room:
            return shown
    return join_caption(always or others[:1])


def order_parts(parts: Iterable[CaptionPart]) -> list[CaptionPart]:
    """The parts in the order of their kinds, without the toy model's if a "held" part names it."""
    ordered = sorted(parts, key=lambda part: _ORDER.index(part.kind))
    names_model = any(part.kind == "held" for part in ordered)
    return [part for part in ordered if not (names_model and part.kind == "seeded")]
