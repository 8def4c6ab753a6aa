"""The titles of panels: on a line, or on two."""

from __future__ import annotations

from posenc_gui.render.layout.text_fit import elided_before_number, wrapped
from posenc_gui.render.layout.type_sizes import Face

_MOST_LINES = 2
_BETWEEN_PARTS = " ·"


def title_lines(title: str, height: float, room: float, face: Face) -> list[str]:
    """A title's lines in this height and breadth, where it can be broken between its parts; what has no room is cut."""
    if face.measure(title) <= room or height < _MOST_LINES * face.line:
        return [elided_before_number(title, room, face.measure)]
    # A side's sign stays beside the words that it follows.
    first, _, rest = title.partition(f"{_BETWEEN_PARTS} ")
    parts = [f"{first}{_BETWEEN_PARTS}", rest]
    if len(rest) > 1 and all(face.measure(part) <= room for part in parts):
        return parts
    return wrapped(title, room, _MOST_LINES, face.measure)
