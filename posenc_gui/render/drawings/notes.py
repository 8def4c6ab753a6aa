"""A note as a drawing: a sentence in place of a panel."""

from __future__ import annotations

from collections.abc import Iterator

from posenc_gui.figure.panels import Note
from posenc_gui.render.drawings.drawing import Drawing
from posenc_gui.render.drawings.parts import Part, Text
from posenc_gui.render.layout.text_fit import longest, wrapped
from posenc_gui.render.layout.type_sizes import Size

_BROADEST = 26.0  # lines of labels: longer lines are hard to read
_MOST_LINES = 40


class NoteDrawing(Drawing[Note]):
    """A centred sentence, in small type if room is short; nothing in it can be pointed at."""

    least_height = 5.0

    def draw(self) -> Iterator[Part]:
        size, lines, line = self._set()
        top = (self.stage.height - line * (len(lines) - 1)) / 2
        for number, text in enumerate(lines):
            yield Text(self.stage.width / 2, top + number * line, text, self.stage.roles.muted, size, "center")

    def _set(self) -> tuple[Size, list[str], float]:
        """The size of type, the lines, and the distance from line to line."""
        stage, style = self.stage, self.stage.style
        room = min(stage.width, _BROADEST * style.label.line)
        lines = wrapped(self.panel.text, room, _MOST_LINES, style.label.measure)
        if len(lines) * style.label.line <= stage.height and longest(lines, style.label.measure) <= stage.width:
            return "label", lines, style.label.line
        most = max(1, int(stage.height / style.small.line))
        return "small", wrapped(self.panel.text, stage.width, most, style.small.measure), style.small.line
