"""The headline: one live sentence at the level of the window, above the plots, and what opens them."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from posenc_gui.app.controls import push
from posenc_gui.app.theme import scaled
from posenc_gui.look import BAR, HEADLINE, PADDING

_MOST_LINES = 2


class Headline(QWidget):
    """What the plot at hand says in a sentence, and the button that shows all plots."""

    def __init__(self) -> None:
        super().__init__()
        self._sentence = _Sentence()
        self.plots: QPushButton = push("Plots")
        self.plots.setCheckable(True)
        self.plots.setToolTip("All plots with their questions: open another one (Ctrl+P)")
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(PADDING)
        line.addWidget(self._sentence, 1)
        line.addWidget(self.plots)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.show_sentence("")

    @property
    def sentence(self) -> str:
        """What is shown."""
        return self._sentence.accessibleName()

    def show_sentence(self, sentence: str, old: bool = False) -> None:
        """Show a sentence, as much of it as two lines hold; marked, where it is `old`."""
        self._sentence.show_sentence(sentence)
        self._sentence.setEnabled(not old)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """As high as the sentence is at this width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        height = max(scaled(BAR), self._sentence.heightForWidth(self._sentence.width()))
        if height != self.minimumHeight():
            self.setFixedHeight(height)


class _Sentence(QWidget):
    """Paints its text as it is, never as HTML."""

    def __init__(self) -> None:
        super().__init__()
        self._layout = QTextLayout()
        option = QTextOption(Qt.AlignmentFlag.AlignLeft)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._layout.setTextOption(option)
        self._layout.setCacheEnabled(True)

    def show_sentence(self, sentence: str) -> None:
        """Show it, and say it to those who hear the window."""
        if sentence != self._layout.text():
            self._layout.setText(sentence)
            self.setAccessibleName(sentence)
            self._lay_out(self.width())
            self.update()

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """Of the lines that it takes."""
        return round(self._lay_out(width))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """It gives way to the window."""
        return QSize(1, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Break the lines anew."""
        super().resizeEvent(event)
        self._lay_out(self.width())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint it in the middle of its height."""
        height = self._layout.lineCount() * scaled(HEADLINE.line)
        painter = QPainter(self)
        painter.setPen(self.palette().windowText().color())
        self._layout.draw(painter, QPointF(0, max(0.0, (self.height() - height) / 2)))

    def _lay_out(self, width: int) -> float:
        font = QFont(self.font())
        font.setPixelSize(scaled(HEADLINE.size))
        self._layout.setFont(font)
        below = 0.0
        self._layout.beginLayout()
        for _ in range(_MOST_LINES):
            line = self._layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(max(1, width))
            line.setPosition(QPointF(0, below))
            below += scaled(HEADLINE.line)
        self._layout.endLayout()
        return below
