"""The rows of bookmarks: each with its picture, its name and its plot."""

from __future__ import annotations

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPen,
    QShowEvent,
)
from PySide6.QtWidgets import QListWidget, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from posenc_gui import plots
from posenc_gui.app.state.small_pictures import Shown, SmallPictures
from posenc_gui.app.talk.bookmarks import Bookmarks, proposed_name
from posenc_gui.app.widgets.controls import shift_of
from posenc_gui.app.widgets.icons import Thumbnail, recorded_picture
from posenc_gui.app.widgets.style_sheet import font_like, scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import CAPTION, CORNER, GAP, TIGHT
from posenc_gui.session.bookmarks import Bookmark

_PICTURE = QSize(84, 46)  # pixels
_INSIDE = 4  # pixels between its frame and the picture


class BookmarkRows(QListWidget):
    """The list of bookmarks, reordered by dragging or by Alt and arrow keys; Delete deletes, Ctrl+Z undoes."""

    def __init__(self, bookmarks: Bookmarks, pictures: BookmarkPictures) -> None:
        super().__init__()
        self._bookmarks, self._pictures = bookmarks, pictures
        self.setItemDelegate(_BookmarkRow(bookmarks, pictures, self))
        pictures.changed.connect(self.viewport().update)
        self._dragged: int | None = None
        self._has_moved = False  # in this drag
        self.setAccessibleName("Bookmarks in order")
        self.setAccessibleDescription("Enter goes to it, Alt with arrow keys moves it, Delete deletes it.")
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_bookmarks(self) -> None:
        """Show all bookmarks, and keep the chosen row or, if it is gone, choose the last one."""
        names, row = [_told(one) for one in self._bookmarks.all], self.currentRow()
        with QSignalBlocker(self):
            while self.count() > len(names):
                self.takeItem(self.count() - 1)
            self.addItems(names[self.count() :])
            for at, name in enumerate(names):
                self.item(at).setText(name)
            self.setCurrentRow(min(max(row, 0), len(names) - 1))

    def delete_chosen(self) -> None:
        """Delete the chosen bookmark."""
        if self.currentRow() >= 0:
            self._bookmarks.delete(self.currentRow())

    def event(self, event: QEvent) -> bool:
        """Claim Ctrl+Z for the bookmarks' undo, before the window takes it for the session's."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and _undoes(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the chosen bookmark on Alt and an arrow key, delete it on Delete or Backspace, and undo on Ctrl+Z."""
        if _undoes(event):
            self._bookmarks.undo()
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.delete_chosen()
        elif by := shift_of(event):
            self._move(self.currentRow(), self.currentRow() + by)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the pressed bookmark, and prepare to drag it."""
        super().mousePressEvent(event)
        row = self.indexAt(event.position().toPoint()).row()
        self._dragged, self._has_moved = row if row >= 0 else None, False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the dragged bookmark to the row under the pointer; a whole drag is one undo step."""
        target = self.indexAt(event.position().toPoint()).row()
        if self._dragged is not None and target not in (-1, self._dragged):
            source, self._dragged = self._dragged, target
            self._move(source, target, continuing=self._has_moved)
            self._has_moved = True

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag."""
        self._dragged = None
        super().mouseReleaseEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Draw no more pictures."""
        super().hideEvent(event)
        self._pictures.stop()

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the pictures that are missing."""
        super().showEvent(event)
        self._pictures.begin()

    def _move(self, source: int, target: int, *, continuing: bool = False) -> None:
        if 0 <= target < self.count() and source >= 0:
            self._bookmarks.move(source, target, continuing=continuing)
            self.setCurrentRow(target)


class _BookmarkRow(QStyledItemDelegate):
    """Draws a bookmark: its picture, and beside it its name above its plot."""

    def __init__(self, bookmarks: Bookmarks, pictures: BookmarkPictures, rows: QListWidget) -> None:
        super().__init__(rows)
        self._bookmarks, self._pictures = bookmarks, pictures
        self._thumbnails: dict[str, Thumbnail] = {}  # in the current theme
        THEME.changed.connect(self._thumbnails.clear)

    def sizeHint(self, option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        """The height of the picture, or of two lines of larger type."""
        lines = option.fontMetrics.lineSpacing() + scaled(CAPTION.line)
        return QSize(0, max(_PICTURE.height(), lines) + 2 * TIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row."""
        bookmark = self._bookmarks.all[index.row()]
        self.initStyleOption(option, index)
        option.text = ""
        option.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        box = QRect(option.rect.topLeft(), _PICTURE)
        box.translate(TIGHT, (option.rect.height() - box.height()) // 2)
        self._draw_picture(painter, bookmark, QRectF(box))
        small = font_like(option.font, CAPTION)
        chosen, roles = bool(option.state & QStyle.StateFlag.State_Selected), THEME.roles
        lines = (_named(bookmark), option.font, roles.ink), (_plot_of(bookmark), small, roles.muted)
        heights = [QFontMetrics(font).lineSpacing() for _, font, _ in lines]
        room = option.rect.adjusted(box.width() + TIGHT + GAP, 0, -TIGHT, 0)
        room.setTop(box.center().y() - sum(heights) // 2)
        for (text, font, ink), height in zip(lines, heights, strict=True):
            painter.setFont(font)
            painter.setPen(QColor(roles.on_focus if chosen else ink))
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextSingleLine, shown)
            room.translate(0, height)

    def _draw_picture(self, painter: QPainter, bookmark: Bookmark, box: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(THEME.roles.line), 1))
        painter.setBrush(QColor(THEME.roles.card))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), CORNER, CORNER)
        picture = self._pictures.of(bookmark)
        if picture not in self._thumbnails:
            now = {self._pictures.of(one) for one in self._bookmarks.all}
            for gone in self._thumbnails.keys() - now:
                del self._thumbnails[gone]
            self._thumbnails[picture] = Thumbnail(picture, THEME.roles)
        self._thumbnails[picture].draw(painter, box.adjusted(_INSIDE, _INSIDE, -_INSIDE, -_INSIDE))


def _named(bookmark: Bookmark) -> str:
    return bookmark.name or "(no name)"


def _plot_of(bookmark: Bookmark) -> str:
    return plots.find(bookmark.plot).title if bookmark.plot else "The plot in front"


def _told(bookmark: Bookmark) -> str:
    """A row in words, for screen readers."""
    return f"{_named(bookmark)}, {_plot_of(bookmark)}"


def _undoes(event: QKeyEvent) -> bool:
    return bool(event.matches(QKeySequence.StandardKey.Undo))


class BookmarkPictures(QObject):
    """The pictures of a document's bookmarks; drawn while somebody looks at them, one after the other."""

    changed = Signal()

    def __init__(self, bookmarks: Bookmarks) -> None:
        super().__init__(bookmarks)
        self._bookmarks = bookmarks
        self._is_drawing = False
        self._pictures = SmallPictures(self)
        self._pictures.changed.connect(self.changed)
        bookmarks.changed.connect(self._request)

    def begin(self) -> None:
        """Draw what is missing, now and after every change."""
        self._is_drawing = True
        self._request()

    def stop(self) -> None:
        """Draw no more."""
        self._is_drawing = False
        self._pictures.stop()

    def of(self, bookmark: Bookmark) -> str:
        """A bookmark's picture, as SVG in the colours of both themes; until it is drawn, that of its plot."""
        drawn = self._pictures.of(_shown_by(bookmark))
        return (drawn.picture if drawn else "") or recorded_picture(bookmark.plot)

    def proposed_names(self, bookmark: Bookmark) -> set[str]:
        """The names that a bookmark would have if nobody had named it."""
        if not bookmark.plot:
            return {""}
        drawn = self._pictures.of(_shown_by(bookmark))
        of_figure = {proposed_name(*drawn.of, drawn.figure)} if drawn and drawn.figure else set()
        return {"", proposed_name(bookmark.session, bookmark.plot, None), *of_figure}

    def _request(self) -> None:
        wanted = [_shown_by(bookmark) for bookmark in self._bookmarks.all if bookmark.plot]
        if self._is_drawing:
            self._pictures.draw(wanted)
        else:
            self._pictures.keep(wanted)


def _shown_by(bookmark: Bookmark) -> Shown:
    return Shown(bookmark.session, bookmark.plot)
