"""The headline: one live sentence at the level of the window, above the plots, and what opens them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from posenc_gui.app.widgets.controls import push
from posenc_gui.app.widgets.icons import icon
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation.theme import BAR, HEADLINE, ICON, PADDING, Roles

if TYPE_CHECKING:  # heavy: there only once the window has painted
    from posenc_gui.figure.figure import Run

_TOKENS = ("focus", "twin")  # kinds of runs that are tokens
_MOST_LINES = 3
_MORE = " …"  # where they don't hold the whole sentence


class Headline(QWidget):
    """What the plot at hand says in a sentence, and the button that shows all plots."""

    def __init__(self) -> None:
        super().__init__()
        self._folded, self._lines = False, 0
        self._theme: Roles | None = None
        self._sentence = Sentence()
        self._sentence.laid_out.connect(self._on_laid_out)
        self.plots: QPushButton = push("Plots")
        self.plots.setObjectName("plots")
        self.plots.setCheckable(True)
        self.plots.toggled.connect(self._draw_icon)
        self.plots.setToolTip("All plots with their questions: open another one (Ctrl+P)")
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(PADDING)
        line.addWidget(self._sentence, 1)
        line.addWidget(self.plots)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.show_sentence(())

    @property
    def sentence(self) -> str:
        """What is shown."""
        return self._sentence.accessibleName()

    @property
    def seen(self) -> str:
        """As much of it as there is room for."""
        return self._sentence.seen

    def show_sentence(self, runs: tuple[Run, ...], old: bool = False) -> None:
        """Show a sentence, as much of it as three lines hold; marked, where it is `old`."""
        self._sentence.show_sentence(runs)
        self._sentence.setEnabled(not old)

    def fold(self, folded: bool) -> None:
        """Take no room while nothing is said, as in a lab's step, which has its plots; or take it again."""
        self._folded = folded
        self.plots.setVisible(not folded)
        self._fit()

    def set_theme(self, theme: Roles) -> None:
        """Draw in another theme."""
        self._theme = theme
        self.plots.setIconSize(QSize(scaled(ICON), scaled(ICON)))
        self._draw_icon()
        self._sentence.set_theme(theme)

    def _draw_icon(self) -> None:
        if self._theme:
            self.plots.setIcon(icon("plots", self._theme.card if self.plots.isChecked() else self._theme.ink))

    def _on_laid_out(self, height: int) -> None:
        self._lines = height
        self._fit()

    def _fit(self) -> None:
        """As high as the sentence is at its width; folded not quite nothing, in whose place nothing could stand."""
        height = 1 if self._folded else max(scaled(BAR), self._lines)
        if height != self.minimumHeight():
            self.setFixedHeight(height)


class Sentence(QWidget):
    """As many lines of a sentence as it has, three at most.

    It paints its text as it is, never as HTML: numbers bold, tokens in the colour of what they are.
    """

    laid_out = Signal(int)  # how high it is, in pixels

    def __init__(self) -> None:
        super().__init__()
        self._runs: tuple[Run, ...] = ()
        self._theme: Roles | None = None
        self._layout = QTextLayout()
        self._text, self._height = "", 0.0
        self._formats: list[QTextLayout.FormatRange] = []
        option = QTextOption(Qt.AlignmentFlag.AlignLeft)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._layout.setTextOption(option)
        self._layout.setCacheEnabled(True)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_sentence(self, runs: tuple[Run, ...]) -> None:
        """Show it, and say it to those who hear the window."""
        if runs != self._runs:
            self._runs = runs
            self.setAccessibleName("".join(f"“{run.text}”" if run.kind in _TOKENS else run.text for run in runs))
            self._write()

    def set_theme(self, theme: Roles) -> None:
        """Draw in another theme."""
        self._theme = theme
        self._write()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Draw in larger type, or paler."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.EnabledChange):
            self._write()

    def _write(self) -> None:
        self._text = "".join(run.text for run in self._runs)
        self._formats, start = [], 0
        for run in self._runs:
            length = len(run.text.encode("utf-16-le")) // 2  # as Qt counts
            self._formats.append(self._format(run, start, length))
            start += length
        self._fit_lines()
        self.updateGeometry()
        self.update()

    def _format(self, run: Run, start: int, length: int) -> QTextLayout.FormatRange:
        found = QTextLayout.FormatRange()
        found.start, found.length = start, length
        form = QTextCharFormat()
        if run.kind != "plain":
            form.setFontWeight(QFont.Weight.DemiBold)
        if self._theme and self.isEnabled() and run.kind in _TOKENS:
            form.setForeground(QColor(self._theme.focus if run.kind == "focus" else self._theme.twin))
        found.format = form
        return found

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """Of the lines that it takes."""
        height = self._lay_out(width)
        self._height = self._lay_out(self.width())  # in which it is painted
        return round(height)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """It gives way to the window."""
        return QSize(1, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Break the lines anew."""
        super().resizeEvent(event)
        self._fit_lines()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint it in the middle of its height."""
        painter = QPainter(self)
        painter.setPen(self.palette().windowText().color())
        self._layout.draw(painter, QPointF(0, max(0.0, (self.height() - self._height) / 2)))

    def _fit_lines(self) -> None:
        self._height = self._lay_out(self.width())
        self.laid_out.emit(round(self._height))

    def _lay_out(self, width: int) -> float:
        """The height of the lines; of two of them, the second begins with the second sentence, where the first has its room."""
        height = self._fill(self._text, width)
        if self._layout.lineCount() == _MOST_LINES:
            last = self._layout.lineAt(_MOST_LINES - 1)
            seen = _beginning(self._text, last.textStart() + last.textLength())
            if seen != self._text:
                cut = seen[: -len(_MORE)]
                return self._fill(f"{cut.rpartition(' ')[0] or cut}{_MORE}", width)
        if self._layout.lineCount() == 2:
            broken = self._fill(self._text.replace(". ", ".\u2028", 1), width)
            height = broken if self._layout.lineCount() == 2 else self._fill(self._text, width)
        return height

    @property
    def seen(self) -> str:
        """As much of it as the lines hold."""
        return self._layout.text()

    def _fill(self, text: str, width: int) -> float:
        font = QFont(self.font())
        font.setPixelSize(scaled(HEADLINE.size))
        self._layout.setFont(font)
        self._layout.setText(text)
        self._layout.setFormats(self._formats)
        step, below = scaled(HEADLINE.line), 0.0
        self._layout.beginLayout()
        for count in range(_MOST_LINES):
            line = self._layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(max(1, width))
            line.setPosition(QPointF(0, count * step))
            below = count * step + max(step, line.height())
        self._layout.endLayout()
        return below


def _beginning(text: str, length: int) -> str:
    """So much of a text, as Qt counts."""
    return text.encode("utf-16-le")[: 2 * length].decode("utf-16-le", "ignore")
