"""Small parts that the pages of labs share: strokes of progress, words that fold to a line, and the metrics of their text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from posenc_gui.app.widgets.controls import elided_label, in_row, plain_label, rich_label, tool_button
from posenc_gui.app.widgets.icons import icon
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import BODY, ICON, TIGHT
from posenc_gui.foundation.wording import format_count
from posenc_gui.labs.definition.record import Record
from posenc_gui.labs.play.progress import Play
from posenc_gui.labs.text.lab_markdown import Letters

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
        self._roles = tuple("focus" if at == play.index else "ink" if one else "edge" for at, one in enumerate(done))
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


class Folding(QWidget):
    """A label that folds to a line; once it has folded, a click on it or its arrow unfolds it and folds it again."""

    def __init__(self, says: str, name: str = "") -> None:
        super().__init__()
        self._says = says
        self._is_folded, self._is_chosen = False, False
        self._arrow = tool_button(says=f"Fold {says}", name="unfolding")
        self._arrow.setFixedSize(scaled(ICON), scaled(BODY.line))
        self._arrow.clicked.connect(self._on_chosen)
        self._label, self._line, self._end = rich_label(name), elided_label(), plain_label(name="muted", wraps=False)
        row = in_row(of=self, gap=scaled(TIGHT))
        row.addWidget(self._arrow, 0, Qt.AlignmentFlag.AlignTop)
        for part in (self._label, self._line):
            part.installEventFilter(self)
            row.addWidget(part, 1)
        row.addWidget(self._end)
        THEME.changed.connect(self._draw)
        self._arrow.hide()

    def begin(self) -> None:
        """Forget what was unfolded by hand."""
        self._is_folded = self._is_chosen = False
        self._arrow.hide()

    def show_words(self, whole: str, line: str, end: str = "") -> None:
        """Set the words: all of them as safe HTML, the line as plain text, and what stands at its end in any case."""
        for label, words in ((self._label, whole), (self._line, line), (self._end, end)):
            if label.text() != words:
                label.setText(words)
        self._draw()

    def fold(self, *, folded: bool) -> None:
        """Fold or unfold, unless that was chosen by hand."""
        if not self._is_chosen:
            self._is_folded = folded
            self._draw()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fold or unfold on a click on the words."""
        if event.type() == QEvent.Type.MouseButtonRelease and self._arrow.isVisible():
            self._on_chosen()
        return super().eventFilter(watched, event)

    def _on_chosen(self) -> None:
        self._is_chosen, self._is_folded = True, not self._is_folded
        self._draw()

    def _draw(self) -> None:
        self._label.setHidden(self._is_folded)
        self._line.setVisible(self._is_folded)
        self._end.setVisible(self._is_folded and bool(self._end.text()))
        self._arrow.setVisible(self._is_folded or self._is_chosen)
        self._arrow.setIcon(icon(f"chevron-{'right' if self._is_folded else 'down'}", THEME.roles.muted))
        self._arrow.setAccessibleName(f"{'Unfold' if self._is_folded else 'Fold'} {self._says}")


def text_metrics_of(widget: QWidget) -> Letters:
    """Return the metrics on a widget's screen."""
    font = QFontMetrics(QApplication.font())
    return Letters.of(scaled(BODY.size), font.ascent(), font.xHeight(), widget.devicePixelRatioF())
