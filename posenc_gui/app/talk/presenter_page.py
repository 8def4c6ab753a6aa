"""The page of Present: headline, figure, footer, buttons over the lower edge, and what covers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QColor, QHideEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QToolButton, QWidget

from posenc_gui.app.state.playing import Unit
from posenc_gui.app.talk.footer import Footer
from posenc_gui.app.widgets.controls import discard, in_column, in_row, tool_button
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
_OF_BOOKMARKS = (
    ("→  ↓  Page Down  Space", "the next part of a figure, or the next bookmark"),
    ("←  ↑  Page Up  Backspace", "the one before"),
    ("Home  End", "the first bookmark, the last"),
    ("G", "a list of the bookmarks, to go to one"),
    ("S", "the speaker’s window, or the other screen"),
    ("N", "a larger note, in the speaker’s window"),
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


class PresenterPage(QWidget):
    """The magnified page: headline, figure, and the footer below a line."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("present")
        self.parts, self.footer = FigureParts(THEME.roles), Footer()
        self.parts.shown.connect(self.footer.show_part)
        self._headline = FittedSentence(_HEADLINES)
        self._bookmark: Bookmark | None = None
        self._subject = ""  # the plot and the encodings
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

        names: of the encodings compared, or of the one that isn't at its defaults; shown below the figure, unless a panel's
        title has them. at: the part, as
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
        """Show the title of a bookmark, never its note, and its number among `count`; clear the last message. subject: what
        is shown, for a bookmark without a name of its own."""
        self._bookmark, self._subject = bookmark, subject
        self.footer.show_place(at, count)
        self._show_title()
        self.parts.leave()
        self.footer.tell("")

    def words(self) -> str:
        """The text besides the figure, line by line."""
        return "\n".join(filter(None, (self._headline.accessibleName(), *self.footer.words())))

    def _show_title(self) -> None:
        """Show the bookmark's name, or what is shown if it has none or if the headline says the same."""
        name = shorten_middle(self._bookmark.name, _LONGEST_TITLE) if self._bookmark else ""
        said = self._headline.accessibleName().startswith(name.partition("…")[0].rstrip() or "\0")
        self.footer.show_title(self._subject if said or not name else name)

    def _lay_out(self) -> None:
        """Give the figure the room that the headline leaves now, not in the next turn of the event loop."""
        layout = self.layout()
        assert layout is not None
        layout.activate()


class Controls(QFrame):
    """Buttons over the page, visible while the mouse moves or one of them has the focus."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self.setObjectName("boxed")
        self.back, self.forward = _control("Back", "←"), _control("Next", "→")
        self.bookmark = _control("Bookmark", "Ctrl+D")
        self.end = _control("End", "Escape")
        self._players: list[Player] = []
        self._line = in_row(self.back, self.forward, self.bookmark, self.end, of=self, gap=2)
        self.hide()

    def offer(self, *, steps: bool) -> None:
        """Show Back and Next if there is somewhere to go."""
        for button in (self.back, self.forward):
            button.setVisible(steps)

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

    turned = Signal()  # it covers now, or has gone

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.covering = ""  # what is seen in place of the page
        self._ground = QColor()
        self._rows: tuple[tuple[str, str], ...] = ()
        self.hide()

    def blank(self, colour: str) -> None:
        """Cover all in one colour."""
        self._draw(colour, (), colour, "Blank screen")

    def show_keys(self, *, has_bookmarks: bool) -> None:
        """List the keys, of which some act on bookmarks."""
        rows = (*(_OF_BOOKMARKS if has_bookmarks else _OF_PARTS), *_ALWAYS)
        self._draw(THEME.roles.window, rows, "the list of keys", "; ".join(f"{keys}: {does}" for keys, does in rows))

    def _draw(self, colour: str, rows: tuple[tuple[str, str], ...], covering: str, told: str) -> None:
        self._ground, self._rows, self.covering = QColor(colour), rows, covering
        self.setAccessibleName(told)
        parent = self.parentWidget()
        assert parent is not None
        self.setGeometry(parent.rect())
        self.show()
        self.raise_()
        self.turned.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Tell that it has gone."""
        super().hideEvent(event)
        self.covering = ""
        self.turned.emit()

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
        line = min(self.height() / max(_LINES, 2 * len(self._rows) + 2), self.width() / _LETTERS)
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

    @property
    def picture(self) -> Figure | None:
        """The part that is shown, as a figure of its own."""
        return self._picture(self._at)

    @property
    def picture_after(self) -> Figure | None:
        """The part that comes next, as a figure of its own; None after the last."""
        return self._picture(self._at + 1)

    def _picture(self, at: int) -> Figure | None:
        if self.figure is None or at >= len(self._parts):
            return None
        part = self._parts[at]
        return part if isinstance(part, Figure) else replace(self.figure, panels=(_rows_of(part),))

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


def _rows_of(part: SetTable) -> Table:
    """Return a part of a table as one of its own."""
    rows = (part.panel.rows[row] for row in part.rows if row is not None)
    cells = tuple(tuple(row[column] for column in part.columns) for row in rows)
    return Table(part.panel.title, tuple(part.panel.header[column] for column in part.columns), cells)
