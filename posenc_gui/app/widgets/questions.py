"""Questions that lead on from a first picture: a tile for each, with a small picture of what answers it."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.app.widgets.thumbnail import Thumbnail, recorded_picture
from posenc_gui.foundation.theme import BODY, CAPTION, CORNER, GAP, PADDING, TIGHT

_PICTURE = QSize(88, 48)  # pixels, in the proportions of small pictures
_HEIGHT = 76  # pixels
_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Question(NamedTuple):
    """A question, what answers it in a few words, and the plot whose small picture stands for the answer."""

    name: str
    words: str
    answer: str
    plot: str


class Questions(QWidget):
    """Tiles side by side."""

    chosen = Signal(str)  # the name of a question
    seen = Signal()  # they have come into view

    def __init__(self, questions: tuple[Question, ...]) -> None:
        super().__init__()
        self.setObjectName("questions")
        line = QHBoxLayout(self)
        line.setContentsMargins(0, TIGHT, 0, 0)
        line.setSpacing(GAP)
        self.tiles = {question.name: _Tile(question) for question in questions}
        for name, tile in self.tiles.items():
            tile.clicked.connect(lambda _=False, name=name: self.chosen.emit(name))
            line.addWidget(tile)

    def show_picture(self, name: str, picture: str) -> None:
        """Show a small picture, as SVG whose colours are roles, beside a question."""
        self.tiles[name].show_picture(picture)

    def showEvent(self, event: QShowEvent) -> None:
        """Say that the pictures can be seen."""
        super().showEvent(event)
        self.seen.emit()


class _Tile(QAbstractButton):
    """A small picture, and beside it the question and what answers it."""

    def __init__(self, question: Question) -> None:
        super().__init__()
        self._question = question
        self._drawn = ""  # the picture of the session; until it is there, the plot's recorded one is shown
        self._picture: Thumbnail | None = None  # until it is seen
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setAccessibleName(f"{question.words} {question.answer}")
        THEME.changed.connect(self._forget_picture)

    def show_picture(self, picture: str) -> None:
        """Show this picture, as SVG whose colours are roles."""
        if picture != self._drawn:
            self._drawn = picture
            self._forget_picture()

    @property
    def picture(self) -> str:
        """The picture, as SVG whose colours are roles."""
        return self._drawn or recorded_picture(self._question.plot)

    def _forget_picture(self) -> None:
        self._picture = None
        self.update()

    def sizeHint(self) -> QSize:
        """Return room for the picture, or for four lines."""
        return QSize(0, max(_HEIGHT, scaled(BODY.line + 3 * CAPTION.line) + 2 * TIGHT))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open it by Enter, as by Space."""
        if Qt.Key(event.key()) in _KEYS:
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw picture, question and answer in a frame."""
        painter, theme = QPainter(self), THEME.roles
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge = theme.focus if self.hasFocus() else theme.ink if self.underMouse() else theme.line
        painter.setPen(QPen(QColor(edge), 2 if self.hasFocus() else 1))
        painter.setBrush(QColor(theme.card))
        box = self.rect().toRectF().adjusted(1, 1, -1, -1)
        painter.drawRoundedRect(box, CORNER, CORNER)
        inside = box.adjusted(PADDING, TIGHT, -PADDING, -TIGHT)
        beside = _PICTURE.width() + PADDING if inside.width() > 2.2 * _PICTURE.width() else 0
        if beside:
            self._picture = self._picture or Thumbnail(self.picture, theme)
            top = inside.center().y() - _PICTURE.height() / 2
            self._picture.draw(painter, QRectF(inside.left(), top, _PICTURE.width(), _PICTURE.height()))
        words = inside.adjusted(beside, 0, 0, 0)
        question, answer = QFont(self.font()), QFont(self.font())
        question.setPixelSize(scaled(BODY.size))
        question.setWeight(QFont.Weight.DemiBold)
        answer.setPixelSize(scaled(CAPTION.size))
        left = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
        painter.setFont(question)
        painter.setPen(QColor(theme.ink))
        head = painter.boundingRect(words, left, self._question.words)
        painter.setFont(answer)
        told = painter.boundingRect(words, left, self._question.answer)
        top = max(words.top(), words.center().y() - (head.height() + told.height()) / 2)
        painter.setFont(question)
        painter.drawText(words.adjusted(0, top - words.top(), 0, 0), left, self._question.words)
        painter.setFont(answer)
        painter.setPen(QColor(theme.muted))
        painter.drawText(words.adjusted(0, top + head.height() - words.top(), 0, 0), left, self._question.answer)
