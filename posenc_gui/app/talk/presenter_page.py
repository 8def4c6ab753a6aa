"""The page of Present: headline, figure, a bookmark's name and note, and buttons over the lower edge."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from posenc_gui.app.widgets.controls import plain_label, tool_button
from posenc_gui.app.widgets.headline_label import Sentence
from posenc_gui.app.widgets.player import Player
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.runs import Run
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.render.layout.slope_labels import stands_beside_maps
from posenc_gui.render.screen import FigureView
from posenc_gui.session.bookmarks import Bookmark

_MARGIN, _GAP = 28, 8
_HINT_FOR = 2000  # milliseconds for which the hint beside the pointer stays
_MOST_LINES = 3  # of the note, to leave room for the figure
_LONGEST = 600  # code points of a note, more than three lines hold
_LONGEST_NAME = 100  # code points of a bookmark's
_MARK = QSize(20, 4)
_MARKS_WIDTH = 220  # pixels of all marks together, at most


class PresenterPage(QWidget):
    """The magnified page: headline, figure, and below a line the bookmark's name, note and number."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("present")
        self.figure = FigureView(THEME.roles, scrolls=False, hint_for=_HINT_FOR)
        self.marks = Marks()
        self._headline, self._name, self._note = Sentence(), plain_label("", "cardTitle"), _Lines("muted")
        self._where = plain_label("", "muted", wraps=False)
        self._where.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._of = self._place = self._told = self._busy = ""
        self._shows_note = True
        self._line = QFrame()
        self._line.setFixedHeight(1)
        words, place = QVBoxLayout(), QVBoxLayout()
        words.setSpacing(2)
        place.setSpacing(4)
        words.addWidget(self._name)
        words.addWidget(self._note)
        words.addStretch(1)
        place.addWidget(self.marks, 0, Qt.AlignmentFlag.AlignRight)
        place.addWidget(self._where)
        place.addStretch(1)
        below = QHBoxLayout()
        below.setSpacing(2 * _GAP)
        below.addLayout(words, 1)
        below.addLayout(place)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, 18, _MARGIN, 14)
        column.setSpacing(_GAP)
        column.addWidget(self._headline)
        column.addWidget(self.figure, 1)
        column.addWidget(self._line)
        column.addLayout(below)
        self.restyle()

    def restyle(self) -> None:
        """Redraw in the current theme."""
        theme = THEME.roles
        palette = self.palette()
        palette.setColor(self.backgroundRole(), QColor(theme.window))
        self.setPalette(palette)
        line = self._line.palette()
        line.setColor(self._line.backgroundRole(), QColor(theme.line))
        self._line.setPalette(line)
        self._line.setAutoFillBackground(True)
        self.figure.set_colours(replace(theme, card=theme.window))

    def show_figure(self, figure: Figure, names: tuple[str, ...]) -> None:
        """Show a figure with its headline, but without slopes beside maps: the maps show the same numbers, and need the room.

        names: of the encodings compared; shown below the figure, unless a panel's title has them.
        """
        panels = tuple(panel for panel in figure.panels if not stands_beside_maps(panel, figure.panels))
        self.figure.show_figure(replace(figure, panels=panels))
        self._headline.show_sentence(figure.headline or (Run(figure.title),))
        titled = {panel.title for panel in panels}
        self._of = " · ".join(filter(None, (*(name for name in names if name not in titled), figure.seeded)))
        self._show_name()
        self._tell()

    def show_place(self, bookmark: Bookmark | None, at: int | None, count: int) -> None:
        """Show the name and note of a bookmark, and its number among `count`; clear the last message."""
        self._name.setText(shorten_middle(bookmark.name, _LONGEST_NAME) if bookmark else "")
        self._show_name()
        self._note.show_words(bookmark.note if bookmark else "")
        self._place = "" if at is None else f"{at + 1} / {count}"
        self.marks.show_place(at, count)
        self.show_note(self._shows_note)
        self.say("")

    def _show_name(self) -> None:
        """Show the bookmark's name, unless the headline begins with it."""
        name = self._name.text().partition("…")[0].rstrip()
        self._name.setVisible(bool(name) and not self._headline.accessibleName().startswith(name))

    def turn_note(self) -> None:
        """Hide the note if it is shown, and the other way round."""
        self.show_note(not self._shows_note)

    def show_note(self, shown: bool) -> None:
        """Show the note, if it exists, or hide it."""
        self._shows_note = shown
        self._note.setVisible(shown and bool(self._note.words))

    def say(self, words: str) -> None:
        """Show what was done, or why not, until the next bookmark."""
        self._told = words
        self._tell()

    def show_busy(self, busy: bool) -> None:
        """Show “Computing …” while another figure is computed, or clear it."""
        self._busy = "Computing …" if busy else ""
        self._tell()

    def _tell(self) -> None:
        self._where.setText(" · ".join(filter(None, (self._busy or self._told or self._of, self._place))))

    def words(self) -> str:
        """The text besides the figure, line by line."""
        labels = (self._name, self._note, self._where)
        read = (label.text() for label in labels if not label.isHidden())
        return "\n".join(filter(None, (self._headline.accessibleName(), *read)))


class _Lines(QWidget):
    """A text of at most three lines, cut after the last word that fits."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.words = ""
        self._label = plain_label("", name)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._label)

    def show_words(self, words: str) -> None:
        """Show this text, as much of it as fits."""
        self.words = words[:_LONGEST]
        self._fit()

    def text(self) -> str:
        """The text that is shown."""
        return self._label.text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the text to the new width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        pieces = self.words.split(" ")

        def shown(count: int) -> str:
            return self.words if count == len(pieces) else f"{' '.join(pieces[:count])} …"

        def fits(count: int) -> bool:
            metrics, room = self._label.fontMetrics(), QRect(0, 0, max(1, self.width()), 10**6)
            height = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, shown(count)).height()
            return height <= _MOST_LINES * metrics.lineSpacing()

        self._label.ensurePolished()
        fitting = bisect_right(range(1, len(pieces) + 1), False, key=lambda count: not fits(count))
        self._label.setText(shown(max(1, fitting)))


class Marks(QWidget):
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


class Controls(QFrame):
    """Buttons over the page, visible while the mouse moves or one of them has the focus."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self.setObjectName("card")
        self.back, self.forward = _control("Back", "←"), _control("Next", "→")
        self.note, self.bookmark = _control("Note", "N"), _control("Bookmark", "Ctrl+D")
        self.end = _control("End", "Escape")
        self._players: list[Player] = []
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(4, 2, 4, 2)
        self._line.setSpacing(2)
        for button in (self.back, self.forward, self.note, self.bookmark, self.end):
            self._line.addWidget(button)
        self.hide()

    def show_place(self, has_bookmarks: bool) -> None:
        """Show Back, Next and Note only if there are bookmarks."""
        for button in (self.back, self.forward, self.note):
            button.setVisible(has_bookmarks)

    def play(self, names: list[str], move: Callable[[str, float], None], rest: Callable[[str, bool], None]) -> None:
        """Offer to play these options of the plot; `rest` is told by each click on one whether it plays now."""
        self.pause()
        for player in self._players:
            for part in (player, player.speed):
                part.hide()
                part.deleteLater()
        self._players = [Player(partial(move, name), "position") for name in names]
        for name, player in zip(names, self._players, strict=True):
            player.clicked.connect(lambda playing, name=name: rest(name, playing))
            self._line.insertWidget(2, player.speed)
            self._line.insertWidget(2, player)

    def pause(self) -> None:
        """Stop playing."""
        for player in self._players:
            player.setChecked(False)

    def appear(self) -> None:
        """Show the buttons over the middle of the page's lower edge."""
        self.show()
        self.adjustSize()
        self.move((self._page.width() - self.width()) // 2, self._page.height() - self.height() - 4)
        self.raise_()

    def hide_at_rest(self) -> bool:
        """Hide unless the mouse is over the buttons or one has the focus. Return whether it hid."""
        now = self._page.focusWidget()
        used = self.underMouse() or (now is not None and now.hasFocus() and self.isAncestorOf(now))
        if not used:
            self.hide()
        return not used


def _control(text: str, key: str) -> QToolButton:
    return tool_button(text, hint=f"{text} ({key})", name="muted")
