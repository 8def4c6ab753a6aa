"""A lab in the list of labs: one row, which begins it or goes on with it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from posenc_gui.app.widgets.controls import add_to, in_column, plain_label, push_button, scroll_into_view_soon
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.theme import CAPTION, GAP, PADDING, SMALL, TIGHT
from posenc_gui.foundation.wording import format_count
from posenc_gui.labs.definition.lab import Lab
from posenc_gui.labs.definition.record import Record

_NUMBER, _STEPS, _MINUTES, _BUTTON = 28, 128, 60, 92  # pixels: widths of what stands in columns
_STEPS_TO = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_TINT = 0.1  # share of the focus colour in the ground of the next one


class LabRow(QAbstractButton):
    """A lab's number, question and progress; a click anywhere plays it, and so does Enter; arrow keys go to the others.

    The next one that is not finished is tinted, and has a button besides.
    """

    def __init__(self, number: int | None, lab: Lab, record: Record, *, is_next: bool) -> None:
        super().__init__()
        verb = "Open" if record.finished else "Continue" if record.is_begun else "Begin"
        self.setText(verb)
        self.setProperty("accent", is_next)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        steps = format_count(record.n_steps, "step")
        so_far = f"{record.n_done} of {steps} done" if record.is_begun and not record.finished else steps
        told = (so_far, *(["done"] if record.finished else []), *(["advanced"] if lab.advanced else []))
        self.setAccessibleName(f"{verb}: {lab.title}")
        self.setAccessibleDescription(f"{lab.summary} {', '.join(told)}, {lab.minutes} minutes")

        dots = _Dots(record)
        self._number = plain_label("" if number is None else str(number), "labNumber", wraps=False)
        self._number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._number.setFixedWidth(scaled(_NUMBER))
        title = plain_label(lab.title, "cardTitle")
        under = plain_label(f"{' · '.join(told)} · {lab.minutes} min", "muted")
        self._progress = _column(dots, plain_label(" · ".join(told), "muted", wraps=False))
        self._progress.setFixedWidth(scaled(_STEPS))
        self._minutes = plain_label(f"{lab.minutes} min", wraps=False)
        self._minutes.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._minutes.setFixedWidth(scaled(_MINUTES))
        self._under = under
        words = _column(title, plain_label(lab.summary, "summary"), under)
        for part in (self._number, words, self._progress, self._minutes):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        go = push_button(verb, accent=True)
        go.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the row has it
        go.clicked.connect(self.click)
        self._button_place = _column(go)
        go.setHidden(not is_next)  # now that it has a parent: else it would be a window
        self._button_place.setFixedWidth(scaled(_BUTTON))
        self._line = line = QHBoxLayout(self)
        line.setContentsMargins(scaled(PADDING), scaled(SMALL), scaled(PADDING), scaled(SMALL))
        line.setSpacing(scaled(GAP))
        add_to(line, self._number, words, self._progress, self._button_place, self._minutes, grows=words)
        self._is_next = is_next
        self.fit(wide=True)

    def fit(self, *, wide: bool) -> None:
        """Show progress and minutes in columns, or, in a narrow list, in a line under the question."""
        self._under.setHidden(wide)
        for part in (self._number, self._progress, self._minutes):
            part.setHidden(not wide)
        self._button_place.setHidden(not wide and not self._is_next)

    def sizeHint(self) -> QSize:
        """Return the size of what stands in the row."""
        return self._line.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return the height of one line: how many there are depends on the width, which the list asks for."""
        return QSize(0, self.fontMetrics().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Play the lab with Enter, too; go to the row above or below with arrow keys."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.key() in _STEPS_TO and (around := self.parentWidget()):
            rows = [row for row in around.findChildren(LabRow) if row.isVisible()]
            at = rows.index(self) + _STEPS_TO[Qt.Key(event.key())]
            rows[min(max(at, 0), len(rows) - 1)].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Come into sight."""
        super().focusInEvent(event)
        if event.reason() != Qt.FocusReason.MouseFocusReason:
            scroll_into_view_soon(self)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ground, a hairline above, and a frame with the keyboard focus."""
        painter, theme = QPainter(self), THEME.roles
        if self.underMouse():
            painter.fillRect(self.rect(), QColor(theme.hover))
        elif self._is_next:
            painter.fillRect(self.rect(), QColor(mixed(theme.focus, theme.card, _TINT)))
        painter.setPen(QColor(theme.line))
        painter.drawLine(0, 0, self.width(), 0)
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.focus), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))


class _Dots(QWidget):
    """A dot for each step: filled for those done."""

    def __init__(self, record: Record) -> None:
        super().__init__()
        self._n_done, self._n_steps, self._finished = record.n_done, record.n_steps, record.finished
        self.setFixedHeight(scaled(CAPTION.size))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the dots: those of a finished lab in the text colour, of another in that of the focus."""
        painter, theme = QPainter(self), THEME.roles
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = QColor(theme.ink if self._finished else theme.focus)
        apart = min(scaled(GAP), self.width() / max(1, self._n_steps))
        size = apart - scaled(TIGHT) + 1
        for step in range(self._n_steps):
            done = step < self._n_done
            painter.setPen(QPen(colour if done else QColor(theme.edge), 1.2))
            painter.setBrush(colour if done else Qt.BrushStyle.NoBrush)
            middle = QPointF(1 + step * apart + size / 2, self.height() / 2)
            painter.drawEllipse(QRectF(middle.x() - size / 2, middle.y() - size / 2, size, size))


def _column(*parts: QWidget) -> QWidget:
    box = QWidget()
    in_column(None, *parts, None, of=box, gap=0)
    return box
