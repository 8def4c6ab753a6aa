"""Progress through a lab: one stroke per step."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import TIGHT
from posenc_gui.labs.play.progress import Play


class ProgressStrokes(QWidget):
    """A stroke for each step: the current step in the focus colour, finished ones in the text colour, others pale."""

    def __init__(self) -> None:
        super().__init__()
        self._colours: tuple[str, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_play(self, play: Play) -> None:
        """Show the progress of a play."""
        theme = THEME.roles
        done = [bool(play.record.step(step.name).done) for step in play.lab.steps]
        self._colours = tuple(
            theme.focus if at == play.index else theme.ink if is_done else theme.edge for at, is_done in enumerate(done)
        )
        self.setAccessibleName(f"Step {play.index + 1} of {len(done)}, {sum(done)} done")
        self.setToolTip(self.accessibleName())
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of the strokes; the width follows the layout."""
        return QSize(1, scaled(TIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the strokes, with gaps that shrink when there are many steps."""
        if not self._colours:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        each = self.width() / len(self._colours)
        gap = min(scaled(TIGHT), each / 3)
        for place, colour in enumerate(self._colours):
            painter.setBrush(QColor(colour))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRect(QRectF(place * each + gap / 2, 0, each - gap, self.height()))
