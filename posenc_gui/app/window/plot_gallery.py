"""The gallery: all plots by group, with thumbnails and the questions they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import get_args

from PySide6.QtCore import QEvent, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from posenc_gui.app.widgets.controls import plain_label
from posenc_gui.app.widgets.icons import Thumbnail, recorded_picture
from posenc_gui.app.widgets.style_sheet import font_like, scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import CAPTION, CORNER, GAP, TIGHT
from posenc_gui.plots.base import Group, Plot, of_group

_TILE, _PICTURE = 136, 82  # pixels, at least
_ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)


class Gallery(QFrame):
    """Covers the plots until one is chosen, Escape is pressed, or the focus moves elsewhere."""

    chosen = Signal(str)  # the name of a plot
    closed = Signal()

    def __init__(self, plots: dict[str, Plot], is_open: Callable[[str], bool], window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("gallery")
        self._is_open = is_open
        self._before: QWidget | None = None
        self.tiles = {name: _PlotTile(name, plot) for name, plot in plots.items()}
        for name, tile in self.tiles.items():
            tile.clicked.connect(lambda _=False, name=name: self._choose(name))
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls to the focused tile
        self._shelves = _Shelves(_grouped(plots, self.tiles))
        scroll.setWidget(self._shelves)
        self._scroll = scroll
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 4, 12)
        column.addWidget(scroll)
        self.hide()

    def open(self, place: QRect) -> None:
        """Show all plots in this rectangle and focus the first."""
        self._before = QApplication.focusWidget()
        for name, tile in self.tiles.items():
            tile.show_open(self._is_open(name))
        self.show()
        self.place(place)
        next(iter(self._shelves.in_order())).setFocus(Qt.FocusReason.OtherFocusReason)

    def place(self, place: QRect) -> None:
        """Cover this rectangle, above the cards."""
        self.setGeometry(place)
        self.raise_()

    def close_again(self) -> None:
        """Close the gallery, and give the focus back."""
        if self.isVisible():
            before, self._before = self._before, None
            self.hide()
            self.closed.emit()
            if before is not None and before.isVisible():
                before.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move from tile to tile by arrow keys, choose one by Enter, close by Escape."""
        key, tile = Qt.Key(event.key()), QApplication.focusWidget()
        if key == Qt.Key.Key_Escape:
            self.close_again()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(tile, _PlotTile):
            tile.click()
        elif key in _ARROWS and isinstance(tile, _PlotTile):
            after = self._shelves.beside(tile, key)
            after.setFocus(Qt.FocusReason.TabFocusReason)
            self._scroll.ensureWidgetVisible(after)
        else:
            super().keyPressEvent(event)

    def _choose(self, name: str) -> None:
        self._before = None  # the plot takes the focus
        self.close_again()
        self.chosen.emit(name)

    def follow(self, now: QWidget | None) -> None:
        """Close the gallery when the focus moves out of it."""
        if self.isVisible() and now is not None and now.window() is self.window() and not self.isAncestorOf(now):
            self._before = None
            self.close_again()


class _Shelves(QWidget):
    """Places tiles in rows, one group after another; a group that fits beside the one before it stands there."""

    def __init__(self, groups: dict[str, list[_PlotTile]]) -> None:
        super().__init__()
        self.setObjectName("scrolled")
        self._groups: list[tuple[QLabel, list[_PlotTile]]] = []
        for title, tiles in groups.items():
            label = plain_label(title, "muted", wraps=False)
            for part in (label, *tiles):
                part.setParent(self)
            self._groups.append((label, tiles))

    def in_order(self) -> Iterator[_PlotTile]:
        """Return the tiles from first to last."""
        return (tile for _, tiles in self._groups for tile in tiles)

    def beside(self, tile: _PlotTile, key: Qt.Key) -> _PlotTile:
        """Return the tile to which an arrow key leads from another, or that one itself at the end."""
        tiles = [*self.in_order()]
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            at = tiles.index(tile) + (1 if key == Qt.Key.Key_Right else -1)
            return tiles[max(0, min(at, len(tiles) - 1))]
        sign = 1 if key == Qt.Key.Key_Down else -1
        ahead = [one for one in tiles if sign * (one.y() - tile.y()) > 0]
        return min(ahead, key=lambda one: (sign * one.y(), abs(one.x() - tile.x())), default=tile)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the tiles anew."""
        super().resizeEvent(event)
        self._place()

    def event(self, event: QEvent) -> bool:
        """Place the tiles anew when the text size changes."""
        if event.type() == QEvent.Type.FontChange:
            self._place()
        return super().event(event)

    def _place(self) -> None:
        columns = max(1, (self.width() + GAP) // (_TILE + GAP))
        step = (self.width() + GAP) // columns  # tiles share what is left over
        top = 0
        for row in self._rows(columns):
            if any(label for label, _ in row):  # above a later group, too, that begins within the row
                named, top = top + (GAP if top else 0), top + (GAP if top else 0) + self.fontMetrics().lineSpacing() + 6
            height = max(tile.heightForWidth(step - GAP) for _, tile in row)
            for column, (label, tile) in enumerate(row):
                tile.setGeometry(column * step, top, step - GAP, height)
                if label is not None:
                    label.move(column * step, named)
                    label.adjustSize()
            top += height + GAP
        self.setMinimumHeight(top - GAP)

    def _rows(self, columns: int) -> list[list[tuple[QLabel | None, _PlotTile]]]:
        """Return the tiles in rows, the first of each group with its label."""
        rows: list[list[tuple[QLabel | None, _PlotTile]]] = [[]]
        for label, tiles in self._groups:
            for index, tile in enumerate(tiles):
                left = columns - len(rows[-1])
                # Beside tiles without a name, this group's would seem to be theirs.
                is_named = bool(rows[-1] and rows[-1][0][0])
                if not left or (not index and rows[-1] and (left < len(tiles) or not is_named)):
                    rows.append([])
                rows[-1].append((None if index else label, tile))
        return rows


class _PlotTile(QAbstractButton):
    """A plot's small picture, its title, and its question."""

    def __init__(self, name: str, plot: Plot) -> None:
        super().__init__()
        self._name, self._plot = name, plot
        self._picture: Thumbnail | None = None  # until it is seen
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setToolTip(plot.summary)
        THEME.changed.connect(self._forget_picture)
        self.show_open(False)

    def show_open(self, is_open: bool) -> None:
        """Mark the tile if its plot is open."""
        self._words = f"open · {self._plot.question}" if is_open else self._plot.question
        self.setAccessibleName(f"{self._plot.title}, {self._words}")
        self.update()

    def _forget_picture(self) -> None:
        self._picture = None
        self.update()

    def heightForWidth(self, width: int) -> int:
        """Return room for the picture, the whole title, and at least two lines of the question."""
        bold, small = self._fonts
        question = max(_wrapped(small, self._words, width), 2 * scaled(CAPTION.line))
        return _PICTURE + 2 * TIGHT + _wrapped(bold, self._plot.title, width) + question

    @property
    def _fonts(self) -> tuple[QFont, QFont]:
        """The fonts of the title and of the question."""
        return font_like(self.font(), bold=True), font_like(self.font(), CAPTION)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw picture, title and question."""
        painter, palette = QPainter(self), self.palette()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        marked = self.hasFocus() or self.underMouse()
        broad = 2 if self.hasFocus() else 1
        painter.setPen(QPen(palette.highlight() if marked else palette.mid(), broad))
        painter.setBrush(palette.light())
        painter.drawRoundedRect(QRect(1, 1, self.width() - 2, _PICTURE - 2), CORNER, CORNER)
        self._picture = self._picture or Thumbnail(recorded_picture(self._name), THEME.roles)
        self._picture.draw(painter, QRectF(10, 10, self.width() - 20, _PICTURE - 20))
        inks, top = (palette.windowText(), palette.placeholderText()), _PICTURE + TIGHT
        for words, font, ink in zip((self._plot.title, self._words), self._fonts, inks, strict=True):
            painter.setFont(font)
            painter.setPen(ink.color())
            room = QRect(0, top, self.width(), self.height() - top)
            painter.drawText(room, Qt.TextFlag.TextWordWrap, words)
            top += _wrapped(font, words, self.width()) + 2


def _wrapped(font: QFont, words: str, width: int) -> int:
    """Return the height of words that wrap in this width."""
    return QFontMetrics(font).boundingRect(0, 0, width, 0, Qt.TextFlag.TextWordWrap, words).height()


def _grouped(plots: dict[str, Plot], tiles: dict[str, _PlotTile]) -> dict[str, list[_PlotTile]]:
    """Return the tiles by group, in the order of the Plots menu; no empty group."""
    found = {group: [tiles[name] for name in of_group(plots, group)] for group in get_args(Group)}
    return {group: some for group, some in found.items() if some}
