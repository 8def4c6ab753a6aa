"""How far a lab has come: one stroke a step."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation.theme import TIGHT, Roles
from posenc_gui.labs.play.progress import Play


class StepsBar(QWidget):
    """A stroke for each step: the one at hand in the focus's colour, those that are done in ink."""

    def __init__(self) -> None:
        super().__init__()
        self._colours: tuple[str, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_play(self, play: Play, theme: Roles) -> None:
        """Show where a play stands."""
        done = [bool(play.record.step(step.name).done) for step in play.lab.steps]
        self._colours = tuple(
            theme.focus if at == play.index else theme.ink if is_done else theme.edge for at, is_done in enumerate(done)
        )
        self.setAccessibleName(f"Step {play.index + 1} of {len(done)}, {sum(done)} done")
        self.setToolTip(self.accessibleName())
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """One stroke's height."""
        return QSize(1, scaled(TIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """The strokes, with gaps between them that leave the most of many steps."""
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
