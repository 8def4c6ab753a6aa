"""Panels of some kinds, as the tests of the outputs draw them: few numbers that are known, and words that are hard to draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, BarSeries, Clocks, Hand, Heatmap, Lines, Links, Panel, Series, VerticalMark

TOKENS = ("The", "cat", "sat", "on", "the", "mat")
HARD = ("<b>bold</b>", "&amp;", "السلام", "位置编码", "👩‍👩‍👧", "a" * 3000, "tab\there", "line\nline", "")
HOSTILE = (
    "$x$", "$\\frac{", "<b>", "=HYPERLINK(1)", "+1", "-1", "@now", "\tx", "السلام", "位置编码", "🙂👍🏽", "a" * 300, "␀",
    "\x00\x1b\n", 'a,"b"\nc', "", "--",
)  # fmt: skip


def figure_of(*panels: Panel) -> Figure:
    """A figure of these panels."""
    return Figure("test", "Test", panels)


def a_map(
    values: object, labels: tuple[str, ...] = (), first: int = 0, focus: int | None = None, **more: object
) -> Heatmap:
    """Queries by keys, which have the same labels."""
    rows, columns = (Axis(role, role, first, labels, focus) for role in ("query", "key"))
    panel = Heatmap("a map", "probability", np.asarray(values, dtype=np.float32), rows, columns, 0.0, 1.0)
    return replace(panel, **more)


def attention(labels: tuple[str, ...] = TOKENS, title: str = "RoPE", first: int = 0, masked: bool = False) -> Heatmap:
    """A map whose numbers rise from cell to cell."""
    count = len(labels)
    values = np.linspace(0, 0.4, count * count, dtype=np.float32).reshape(count, count)
    mask = np.triu(np.ones((count, count), dtype=bool), 1) if masked else None
    shown = np.where(mask, 0, values) if masked else values
    return a_map(shown, labels, first, first + min(2, count - 1), title=title, high=0.4, mask=mask)


def waves(names: Sequence[str] = ("dim 0", "dim 2"), mark: str = "sentence ends", steps: int = 100) -> Lines:
    """Sines, the second half as fast as the first, with three marks, one of them out of sight."""
    x = np.linspace(0, 30, steps, dtype=np.float32)
    series = tuple(Series(name, x, np.sin(x / (n + 1)), ((0.0, 0.0),)) for n, name in enumerate(names))
    marks = (VerticalMark(5.5, mark, "end"), VerticalMark(2, mark, "focus"), VerticalMark(99, mark, "twin"))
    return Lines("Waves", "value", series, Axis("position", "position"), -1, 1, marks)


def bars(
    labels: Sequence[str] = TOKENS, names: Sequence[str] = ("series 0",), low: float = 0.0, title: str = "Accuracy"
) -> Bars:
    """A bar a label and name, the longest at the end."""
    series = tuple(
        BarSeries(name, np.linspace(low, 1 - at / 8, len(labels), dtype=np.float32)) for at, name in enumerate(names)
    )
    return Bars(title, "share", Axis("encoding", "encoding", 3, tuple(labels)), series, low, 1)


def links(labels: tuple[str, ...] = TOKENS, first: int = 0, focus: int | None = None, title: str = "Moved") -> Links:
    """Each token goes to where the last was, the second to where the last but one was, and so on; the first is a twin."""
    count = len(labels)
    ends = tuple((first + at, first + count - 1 - at) for at in range(count))
    values = np.array([abs(left - right) for left, right in ends], dtype=np.float32)
    left = Axis("other position", "typed", first, labels, focus, frozenset({first}))
    right = Axis("position", "model", first, labels[::-1])
    return Links(title, "places moved", left, right, ends, values, max(1, count - 1))


def clocks(count: int = 8, position: float = 2.0, words: Sequence[str] = ("the", "sat"), **more: object) -> Clocks:
    """RoPE's pairs with a hand for each word, the first one in focus at a position, the others behind it; a trail of 20 dots."""
    hands = tuple(Hand(word, at, position + at, "other" if at else "focus") for at, word in enumerate(words))
    speeds = 10_000 ** (-np.arange(count) / count)
    angles, trail = (np.outer(speeds, at) for at in ([hand.position for hand in hands], np.arange(20) / 10))
    labels = tuple(f"pair {pair}" for pair in range(count))
    readings = tuple(f"{math.tau / speed:.1f} words a turn" for speed in speeds)
    return replace(Clocks("RoPE", labels, readings, hands, angles, tuple(range(count)), 1.0, trail), **more)
