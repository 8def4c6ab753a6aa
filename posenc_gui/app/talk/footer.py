"""The footer of Present: below a line what is shown, what must be said of it, and where in the talk one is."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from superqt import QElidingLabel

from posenc_gui.app.widgets.aloud import announce
from posenc_gui.app.widgets.controls import in_column, in_row, plain_label
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME

_HEIGHT = 42
_AIR, _BELOW = 3, 5  # pixels above and below the words
_BETWEEN = 16  # pixels between what stands left and right
_MARK = QSize(20, 4)
_MARKS_WIDTH = 220  # pixels of all marks together, at most


class Footer(QWidget):
    """The title left, number and what must be said right; below them what was done, and a mark for each bookmark."""

    def __init__(self) -> None:
        super().__init__()
        self.marks = BookmarkMarks()
        self._title, self._told = _line("cardTitle"), _line("muted")
        self._said, self._names = (plain_label("", "muted", wraps=False) for _ in range(2))
        self._number = plain_label("", "cardTitle", wraps=False)
        self._must = self._progress = self._part = ""
        above = in_row(self._title, self._said, self._number, gap=_BETWEEN, grows=self._title)
        below = in_row(self._told, self._names, self.marks, gap=_BETWEEN, grows=self._told)
        in_column(above, below, of=self, gap=0, around=(0, _AIR, 0, _BELOW))
        self.restyle()

    def restyle(self) -> None:
        """Follow the size of type."""
        self.setFixedHeight(scaled(_HEIGHT))

    def show_title(self, title: str) -> None:
        """Show the title of what is shown."""
        self._title.setText(title)

    def show_place(self, at: int | None, count: int) -> None:
        """Show a bookmark's number among `count`; none if that is None."""
        self._number.setText("" if at is None else f"{at + 1} / {count}")
        self._number.setVisible(at is not None)
        self.marks.show_place(at, count)

    def show_part(self, at: int, count: int) -> None:
        """Show which part of a figure this is, if it is shown in several."""
        self._part = f"part {at + 1} of {count}" if count > 1 else ""
        self._say_right()

    def show_subject(self, names: str, must: str) -> None:
        """Show the names of what is compared, and what must be said of the figure."""
        self._names.setText(names)
        self._must = must
        self._say_right()

    def show_progress(self, words: str) -> None:
        """Show what is going on; empty: nothing."""
        self._progress = words
        self._say_right()

    def tell(self, words: str) -> None:
        """Show what was done, or why not."""
        self._told.setText(" ".join(words.split()))
        announce(self, words)

    def words(self) -> tuple[str, ...]:
        """All texts, line by line."""
        right = " · ".join(filter(None, (self._said.text(), self._number.text())))
        return self._title.text(), self._told.text(), self._names.text(), right

    def _say_right(self) -> None:
        self._said.setText(" · ".join(filter(None, (self._progress, self._part, self._must))))


def _line(name: str) -> QElidingLabel:
    """A label of one line, cut at its end."""
    label = QElidingLabel()
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    return label


class BookmarkMarks(QWidget):
    """A small mark for each bookmark; a click goes there."""

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._at, self._count = 0, 0
        self.setFixedHeight(3 * _MARK.height())
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_place(self, at: int | None, count: int) -> None:
        """Show a mark for each bookmark, with the current one at this index; none if that is None."""
        self._at, self._count = at or 0, count if at is not None else 0
        self.setFixedWidth(round(self._pitch * self._count))
        self.setVisible(self._count > 0)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw earlier bookmarks in the text colour, the current one in the focus colour, later ones muted."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        gap = min(4.0, self._pitch / 4)
        for at in range(self._count):
            theme = THEME.roles
            colour = QColor(theme.focus if at == self._at else theme.ink if at < self._at else theme.muted)
            colour.setAlphaF(1.0 if at <= self._at else 0.5)
            painter.setBrush(colour)
            box = QRectF(at * self._pitch + gap, _MARK.height(), self._pitch - gap, _MARK.height())
            painter.drawRoundedRect(box, 2, 2)
        painter.end()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Go to the bookmark whose mark was clicked."""
        at = int(event.position().x() // self._pitch)
        if 0 <= at < self._count:
            self.chosen.emit(at)

    @property
    def _pitch(self) -> float:
        return min(float(_MARK.width()) + 4, _MARKS_WIDTH / max(1, self._count))
