"""The names at the ends of curves."""

from __future__ import annotations

from posenc_gui.render.layout.text_fit import Measure, longest, wrapped

_SHARE, _MOST = 0.34, 0.5  # of the breadth of curves with their names: the names, and a long word of them
_MOST_LINES = 2


def name_lines(name: str, breadth: float, measure: Measure) -> list[str]:
    """A curve's name on one line, or on two where it would take more than its share of the breadth."""
    room = max(_SHARE * breadth, min(longest(name.split(), measure), _MOST * breadth))
    return wrapped(name, room, _MOST_LINES, measure)
