"""Progress: one stroke per step of a lab, or per lab."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import TIGHT
from posenc_gui.foundation.wording import format_count
from posenc_gui.labs.definition.record import Record
from posenc_gui.labs.play.progress import Play

Role = Literal["focus", "ink", "edge"]


class ProgressStrokes(QWidget):
    """A stroke for each step or lab: current ones in the focus colour, finished ones in the text colour, others pale."""

    def __init__(self) -> None:
        super().__init__()
        self._roles: tuple[Role, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_play(self, play: Play) -> None:
        """Show the progress of a play."""
        done = [bool(play.record.step(step.name).done) for step in play.lab.steps]
        self._roles = tuple(
            "focus" if at == play.index else "ink" if is_done else "edge" for at, is_done in enumerate(done)
        )
        self._say(f"Step {play.index + 1} of {len(done)}, {sum(done)} done")

    def show_labs(self, records: Sequence[Record]) -> None:
        """Show how far a learner has come through all labs."""
        self._roles = tuple("ink" if one.finished else "focus" if one.is_begun else "edge" for one in records)
        self._say(f"{sum(one.finished for one in records)} of {format_count(len(records), 'lab')} done")

    def _say(self, words: str) -> None:
        self.setAccessibleName(words)
        self.setToolTip(words)
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of the strokes; the width follows the layout."""
        return QSize(1, scaled(TIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the strokes, with gaps that shrink when there are many steps."""
        if not self._roles:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        each = self.width() / len(self._roles)
        gap = min(scaled(TIGHT), each / 3)
        for place, role in enumerate(self._roles):
            painter.setBrush(QColor(getattr(THEME.roles, role)))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRect(QRectF(place * each + gap / 2, 0, each - gap, self.height()))
