"""The page of Present: headline, figure, footer, buttons over the lower edge, and what covers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum, auto
from functools import partial

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QToolButton, QVBoxLayout, QWidget

from posenc_gui.app.state.playing import Unit
from posenc_gui.app.talk.footer import Footer
from posenc_gui.app.widgets.controls import discard, in_column, in_row, plain_label, tool_button
from posenc_gui.app.widgets.headline_label import FittedSentence
from posenc_gui.app.widgets.player import Player
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Table
from posenc_gui.figure.runs import Run
from posenc_gui.foundation.theme import HEADLINE, Roles, Type
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.render.drawings.slopes import stands_beside_maps
from posenc_gui.render.layout.set_table import SetTable
from posenc_gui.render.screen import FigureView, StillTable
from posenc_gui.session.bookmarks import Bookmark

_MARGIN, _GAP = 28, 8
_TOP = 18
# The lines and the sizes of headlines, which leave as much as they can to the figure.
_SMALLER, _SMALLEST = Type(18, 24), Type(15, 20)
_HEADLINES = (2, HEADLINE), (2, _SMALLER), (3, _SMALLER), (3, _SMALLEST)
_LONGEST_TITLE = 200  # code points
_NOTE_OF_PAGE = 0.6  # the share of the page's height that a whole note may take
_OF_BOOKMARKS = (
    ("→  ↓  Page Down  Space", "the next part of a figure, or the next bookmark"),
    ("←  ↑  Page Up  Backspace", "the one before"),
    ("Home  End", "the first bookmark, the last"),
    ("N", "the note: its first line, all of it, or nothing"),
)
_OF_PARTS = (
    ("→  ↓  Page Down  Space", "the next part of the figure, if it has several"),
    ("←  ↑  Page Up  Backspace", "the one before"),
)
_ALWAYS = (
    ("B  .", "a black screen"),
    ("W  ,", "a white screen"),
    ("Ctrl+D", "bookmark what is shown"),
    ("Ctrl+B", "back to the window, with the list of bookmarks"),
    ("Ctrl+Z  Ctrl+Y", "undo, redo"),
    ("Tab", "the buttons and the figure"),
    ("Escape  F11  Ctrl+W", "back to the window"),
)
_LINES, _LETTERS = 24, 40  # the height of a screen, and its breadth, in lines of keys
_LEAST_TYPE = 12  # pixels
_HINT_FOR = 2000  # milliseconds for which the hint beside the pointer stays


class NotePart(Enum):
    """How much of a note is shown."""

    LINE = auto()
    WHOLE = auto()
    NONE = auto()


class PresenterPage(QWidget):
    """The magnified page: headline, figure, and the footer below a line."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("present")
        self.parts, self.footer = FigureParts(THEME.roles), Footer()
        self.parts.shown.connect(self.footer.show_part)
        self._headline = FittedSentence(_HEADLINES)
        self._note_sheet = NoteSheet(self)
        self._bookmark: Bookmark | None = None
        self._subject = ""  # the plot and the encodings
        self.note = NotePart.LINE
        self._line = QFrame()
        self._line.setFixedHeight(1)
        parts = self._headline, self.parts, self._line
        column = in_column(*parts, of=self, gap=_GAP, around=(_MARGIN, _TOP, _MARGIN, 0), grows=self.parts)
        column.addSpacing(-_GAP)
        column.addWidget(self.footer)
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
        self.footer.restyle()
        self.parts.set_colours(replace(theme, card=theme.window))

    def show_figure(self, figure: Figure, names: tuple[str, ...], at: int | None) -> None:
        """Show a figure with its headline, but without slopes beside maps: the maps show the same numbers, and need the room.

        names: of the encodings compared; shown below the figure, unless a panel's title has them. at: the part, as
        `FigureParts.show_figure` takes it.
        """
        panels = tuple(panel for panel in figure.panels if not stands_beside_maps(panel, figure.panels))
        self._headline.show_sentence(figure.headline or (Run(figure.title),))
        titled = {panel.title for panel in panels}
        self.footer.show_subject(" · ".join(name for name in names if name not in titled), figure.seeded)
        self._show_title()
        self._lay_out()
        self.parts.show_figure(replace(figure, panels=panels), at)

    def show_place(self, bookmark: Bookmark | None, subject: str, at: int | None, count: int) -> None:
        """Show the title and note of a bookmark, and its number among `count`; clear the last message.

        subject: what is shown, for a bookmark without a name of its own.
        """
        self._bookmark, self._subject = bookmark, subject
        self.footer.show_place(at, count)
        self._show_title()
        self.parts.leave()
        self._show_note(NotePart.LINE if self.note is NotePart.WHOLE else self.note)
        self.footer.tell("")

    def turn_note(self) -> None:
        """Show all of a note that is longer than its line, then nothing of it, then its first line again."""
        words = self._bookmark.note if self._bookmark else ""
        after = {NotePart.LINE: NotePart.WHOLE, NotePart.WHOLE: NotePart.NONE, NotePart.NONE: NotePart.LINE}[self.note]
        self._show_note(NotePart.NONE if after is NotePart.WHOLE and not self.footer.cuts(words) else after)

    def words(self) -> str:
        """The text besides the figure, line by line."""
        return "\n".join(filter(None, (self._headline.accessibleName(), *self.footer.words())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the note above the footer."""
        super().resizeEvent(event)
        self._show_note(self.note)

    def _show_title(self) -> None:
        """Show the bookmark's name, or what is shown if it has none or if the headline says the same."""
        name = shorten_middle(self._bookmark.name, _LONGEST_TITLE) if self._bookmark else ""
        said = self._headline.accessibleName().startswith(name.partition("…")[0].rstrip() or "\0")
        self.footer.show_title(self._subject if said or not name else name)

    def _show_note(self, shown: NotePart) -> None:
        self.note = shown
        words = self._bookmark.note if self._bookmark else ""
        self.footer.show_note(words if shown is NotePart.LINE else "")
        if shown is NotePart.WHOLE:
            room = self._line.geometry()
            self._note_sheet.show_words(
                words, room.left(), room.top(), room.width(), round(_NOTE_OF_PAGE * self.height())
            )
        self._note_sheet.setVisible(shown is NotePart.WHOLE)

    def _lay_out(self) -> None:
        """Give the figure the room that the headline leaves now, not in the next turn of the event loop."""
        layout = self.layout()
        assert layout is not None
        layout.activate()


class NoteSheet(QFrame):
    """All of a note, over the figure."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self.setObjectName("boxed")
        self._label = plain_label("")
        QVBoxLayout(self).addWidget(self._label)
        self.hide()

    def show_words(self, words: str, left: int, bottom: int, width: int, most: int) -> None:
        """Show these words above `bottom`, in a sheet up to `most` high."""
        self._label.setText(words)
        height = min(most, self.heightForWidth(width))
        self.setGeometry(left, bottom - height, width, height)
        self.raise_()


class Controls(QFrame):
    """Buttons over the page, visible while the mouse moves or one of them has the focus."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self.setObjectName("boxed")
        self.back, self.forward = _control("Back", "←"), _control("Next", "→")
        self.note, self.bookmark = _control("Note", "N"), _control("Bookmark", "Ctrl+D")
        self.end = _control("End", "Escape")
        self._players: list[Player] = []
        self._line = in_row(self.back, self.forward, self.note, self.bookmark, self.end, of=self, gap=2)
        self.hide()

    def offer(self, *, steps: bool, notes: bool) -> None:
        """Show Back and Next if there is somewhere to go, and Note if there may be one."""
        for button in (self.back, self.forward):
            button.setVisible(steps)
        self.note.setVisible(notes)

    def play(
        self, fields: Mapping[str, Unit], move: Callable[[str, float], None], rest: Callable[[str, bool], None]
    ) -> None:
        """Offer to play these options of the plot; `rest` is told by each click on one whether it plays now."""
        self.pause()
        for player in self._players:
            for part in (player, player.speed):
                discard(part)
        self._players = [Player(partial(move, name), unit) for name, unit in fields.items()]
        for name, player in zip(fields, self._players, strict=True):
            player.turned.connect(lambda playing, name=name: rest(name, playing))
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


class Curtain(QWidget):
    """Covers its parent until a key or a click."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._ground = QColor()
        self._rows: tuple[tuple[str, str], ...] = ()
        self.hide()

    def blank(self, colour: str) -> None:
        """Cover all in one colour."""
        self._draw(colour, (), "Blank screen")

    def show_keys(self, *, has_bookmarks: bool) -> None:
        """List the keys, of which some act on bookmarks."""
        rows = (*(_OF_BOOKMARKS if has_bookmarks else _OF_PARTS), *_ALWAYS)
        self._draw(THEME.roles.window, rows, "; ".join(f"{keys}: {does}" for keys, does in rows))

    def _draw(self, colour: str, rows: tuple[tuple[str, str], ...], told: str) -> None:
        self._ground, self._rows = QColor(colour), rows
        self.setAccessibleName(told)
        parent = self.parentWidget()
        assert parent is not None
        self.setGeometry(parent.rect())
        self.show()
        self.raise_()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Go at a click."""
        event.accept()
        self.hide()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Keep the press from what is covered."""
        event.accept()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the colour, and the keys in two columns."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._ground)
        line = min(self.height() / _LINES, self.width() / _LETTERS)
        font = painter.font()
        font.setPixelSize(max(_LEAST_TYPE, round(line * 0.7)))
        painter.setFont(font)
        painter.setPen(QColor(THEME.roles.ink))
        top, middle = round((self.height() - 2 * line * len(self._rows)) / 2), self.width() // 2
        for at, (keys, does) in enumerate(self._rows):
            room = QRect(0, round(top + 2 * at * line), middle - round(line), round(2 * line))
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, keys)
            room.moveLeft(middle + round(line))
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, does)


class FigureParts(QWidget):
    """Shows one part of a figure: its panels, then those that had no room among them, then its tables."""

    shown = Signal(int, int)  # which part is shown, and how many there are

    def __init__(self, colours: Roles) -> None:
        super().__init__()
        self.view = FigureView(colours, self, scrolls=False, hint_for=_HINT_FOR)
        self._table = StillTable(colours, self)
        self.figure: Figure | None = None
        self._parts: list[Figure | SetTable] = []
        self._at = 0

    def set_colours(self, colours: Roles) -> None:
        """Draw in another theme's colours."""
        self.view.set_colours(colours)
        self._table.set_colours(colours)

    def show_figure(self, figure: Figure, at: int | None) -> None:
        """Show a part of a figure, counted from the end if it is negative; None: the part that is shown now."""
        self.figure = figure
        self._at = self._at if at is None else at
        self._divide()

    def step(self, by: int) -> bool:
        """Go to the next part, or the one before; return False if there is none."""
        there = 0 <= self._at + by < len(self._parts)
        if there:
            self._at += by
            self._show()
        return there

    def leave(self) -> None:
        """Forget the other parts: the figure is about to be replaced by another one."""
        self._parts, self._at = [], 0

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the figure anew."""
        super().resizeEvent(event)
        for widget in (self.view, self._table):
            widget.setGeometry(self.rect())
        if self._parts:
            self._divide()

    def _divide(self) -> None:
        assert self.figure is not None
        self._table.hide()
        self.view.show()  # it knows its room only while it is visible
        self._parts = self._parts_of(self.figure)
        last = len(self._parts) - 1
        self._at = max(0, len(self._parts) + self._at) if self._at < 0 else min(self._at, last)
        self._show()

    def _parts_of(self, figure: Figure) -> list[Figure | SetTable]:
        drawn = tuple(panel for panel in figure.panels if not isinstance(panel, Table))
        parts: list[Figure | SetTable] = []
        if drawn:
            pictures = replace(figure, panels=drawn)
            rest = self.view.left_out(pictures)
            parts = [pictures, replace(figure, panels=rest, across=None)] if rest else [pictures]
        for panel in figure.panels:
            if isinstance(panel, Table):
                parts += self._table.parts_of(panel)
        return parts

    def _show(self) -> None:
        part = self._parts[self._at]
        if isinstance(part, SetTable):
            self._table.show_part(part)
        else:
            self.view.show_figure(part)
        self.view.setVisible(isinstance(part, Figure))
        self._table.setVisible(isinstance(part, SetTable))
        self.shown.emit(self._at, len(self._parts))
