"""The titles of panels: on a line, or on as many as their height holds."""

from __future__ import annotations

from posenc_gui.render.layout.text_fit import elided_before_number, wrapped
from posenc_gui.render.layout.type_sizes import Face

_BETWEEN_PARTS = " ·"


def title_lines(title: str, height: float, room: float, face: Face) -> list[str]:
    """A title's lines in this height and breadth, where it can be broken between its parts; what has no room is cut."""
    most = int(height / face.line)
    if face.measure(title) <= room or most < 2:
        return [elided_before_number(title, room, face.measure)]
    # A side's sign stays beside the words that it follows.
    first, _, rest = title.partition(f"{_BETWEEN_PARTS} ")
    parts = [f"{first}{_BETWEEN_PARTS}", *wrapped(rest, room, most - 1, face.measure)]
    if len(rest) > 1 and face.measure(parts[0]) <= room and " ".join(parts) == title:
        return parts
    return wrapped(title, room, most, face.measure)
