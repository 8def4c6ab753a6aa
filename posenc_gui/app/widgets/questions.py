"""Questions that lead on from a first picture: a tile for each, with a small picture of what answers it and the answer."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from posenc_gui.app.widgets.controls import in_row
from posenc_gui.app.widgets.headline_label import FittedSentence
from posenc_gui.app.widgets.icons import Thumbnail
from posenc_gui.app.widgets.style_sheet import font_like, scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.figure.runs import Run, quote_runs, sentence
from posenc_gui.foundation.theme import BODY, CAPTION, CARD_CORNER, GAP, PADDING, SMALL

_PICTURE = QSize(240, 108)  # pixels at 100 % text size, in the proportions of `render.tile_picture`
_LINES, _KEPT = 3, 2  # lines of the answer, and those whose room is kept: the picture gives way to a third
_FADED = 0.35  # opacity of a picture that is about to be replaced
_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class NextQuestion(NamedTuple):
    """A question, and what its answer is about."""

    name: str
    words: str
    about: str


class Questions(QWidget):
    """Tiles side by side."""

    chosen = Signal(str)  # the name of a question
    seen = Signal()  # they have come into view

    def __init__(self, questions: tuple[NextQuestion, ...]) -> None:
        super().__init__()
        self.setObjectName("questions")
        self.tiles = {question.name: _QuestionTile(question) for question in questions}
        for name, tile in self.tiles.items():
            tile.clicked.connect(lambda _=False, name=name: self.chosen.emit(name))
        in_row(*self.tiles.values(), of=self, gap=GAP)

    def show_answer(self, name: str, picture: str, answer: tuple[Run, ...]) -> None:
        """Show below a question a small picture, as SVG in the colours of both themes, and a sentence."""
        self.tiles[name].show_answer(picture, answer)

    def mark_old(self, name: str, is_old: bool) -> None:
        """Fade what stands below a question while it is of another session."""
        self.tiles[name].mark_old(is_old)

    def take_keyboard(self, name: str) -> None:
        """Focus a question."""
        self.tiles[name].setFocus(Qt.FocusReason.OtherFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        """Say that the pictures can be seen."""
        super().showEvent(event)
        self.seen.emit()


class _QuestionTile(QAbstractButton):
    """A question, and below it a small picture and a sentence of what answers it."""

    def __init__(self, question: NextQuestion) -> None:
        super().__init__()
        self._question = question
        self.picture = ""  # as SVG in the colours of both themes; empty until it is there
        self.is_old = False
        self._drawn: Thumbnail | None = None  # until it is seen
        self._answer = FittedSentence(((_LINES, CAPTION),))
        self._answer.setParent(self)
        self._answer.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.show_answer("", ())
        THEME.changed.connect(self._forget_picture)

    def show_answer(self, picture: str, answer: tuple[Run, ...]) -> None:
        """Show a picture, as SVG in the colours of both themes, and the answer's sentence; without one, what it is about."""
        told = answer or sentence(self._question.about)
        self._answer.show_sentence(told)
        self._place_answer()
        self.setAccessibleName(f"{self._question.words} {quote_runs(told)}")
        if picture != self.picture:
            self.picture = picture
            self._forget_picture()

    def mark_old(self, is_old: bool) -> None:
        """Fade the picture and the sentence while they are of another session."""
        if is_old != self.is_old:
            self.is_old = is_old
            self._answer.setEnabled(not is_old)
            self.update()

    def _forget_picture(self) -> None:
        self._drawn = None
        self.update()

    def sizeHint(self) -> QSize:
        """Return room for the question, the picture and the sentence."""
        lines = scaled(BODY.line + _KEPT * CAPTION.line)
        return QSize(0, lines + scaled(_PICTURE.height()) + 2 * SMALL + 2 * GAP)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the sentence below the picture."""
        super().resizeEvent(event)
        self._place_answer()

    def _place_answer(self) -> None:
        wide = max(1, self.width() - 2 * PADDING)
        high = self._answer.heightForWidth(wide)
        top = self.height() - GAP - max(high, scaled(_KEPT * CAPTION.line))
        self._answer.setGeometry(PADDING, top, wide, high)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open it by Enter, as by Space."""
        if Qt.Key(event.key()) in _KEYS:
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the question and the picture in a frame."""
        painter, theme = QPainter(self), THEME.roles
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge = theme.focus if self.hasFocus() else theme.ink if self.underMouse() else theme.line
        painter.setPen(QPen(QColor(edge), 2 if self.hasFocus() else 1))
        painter.setBrush(QColor(theme.card))
        painter.drawRoundedRect(self.rect().toRectF().adjusted(1, 1, -1, -1), CARD_CORNER, CARD_CORNER)
        painter.setFont(font_like(self.font(), BODY, bold=True))
        painter.setPen(QColor(theme.ink))
        head = QRectF(PADDING, GAP, self.width() - 2 * PADDING, scaled(BODY.line))
        painter.drawText(head, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, "›")
        head.setRight(head.right() - PADDING)
        words = painter.fontMetrics().elidedText(self._question.words, Qt.TextElideMode.ElideRight, int(head.width()))
        painter.drawText(head, Qt.AlignmentFlag.AlignVCenter, words)
        self._drawn = self._drawn or Thumbnail(self.picture, theme)
        room = QSizeF(head.width(), self._answer.y() - SMALL - (head.bottom() + SMALL))
        size = QSizeF(_PICTURE).scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
        painter.setFont(self.font())
        painter.setOpacity(_FADED if self.is_old else 1.0)
        self._drawn.draw(painter, QRectF(QPointF(PADDING, head.bottom() + SMALL), size))
