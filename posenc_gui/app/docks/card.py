"""Cards: docks with a header of their own, which is the handle that moves, floats and docks them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.app.docks.card_header import ROOM_KEY, CardHeader
from posenc_gui.app.docks.layouts import is_plot
from posenc_gui.app.widgets.controls import layout_height
from posenc_gui.app.widgets.focus_order import step_focus
from posenc_gui.app.widgets.style_sheet import dress
from posenc_gui.figure.caption_parts import CaptionPart, compose_caption
from posenc_gui.foundation.theme import CARD_CORNER, PADDING, SCROLL_BAR, TIGHT

_BEAT = 50  # milliseconds between polls of the mouse
_LEAST = QSize(200, 96)
_WIDEST_COLUMN = 316  # pixels that what scrolls can ask for
_FRAMED = (
    Qt.WindowType.Tool
    | Qt.WindowType.CustomizeWindowHint
    | Qt.WindowType.WindowTitleHint
    | Qt.WindowType.WindowCloseButtonHint
)


class Card(QDockWidget):
    """A dock with a header and a body. The header is made when it is first shown; the body says that it loads until it is
    filled.

    In the window's left column it stands on the window itself, and so does a bare one everywhere; else it is boxed.
    scrolls: the body scrolls if its content has no room; otherwise the content is drawn smaller. whole: the card is as
    high as its content.
    """

    came_into_view = Signal()
    room_changed = Signal()
    leaving = Signal()  # it may float in a moment: it is being floated, or its header is pressed
    room_wanted = Signal()  # all the room of plots, or back from there
    tab_chosen = Signal(str)  # the name of a card that shares its place
    tab_pulled = Signal(str, QPoint)  # that of one whose tab is being dragged, and where the mouse is on the screen

    def __init__(
        self, name: str, title: str, window: QWidget, *, scrolls: bool = True, whole: bool = False, bare: bool = False
    ) -> None:
        super().__init__(title, window)
        self._is_bare = bare
        self._window = window
        self.setObjectName(name)
        self.in_view = False  # Qt's isVisible counts a card behind another's tab as visible
        self._is_boxed = True
        self._has_focus = False
        self.visibilityChanged.connect(self._on_visibility)
        self.toggleViewAction().triggered.connect(self._on_chosen)
        self.topLevelChanged.connect(self._on_floating)
        self.dockLocationChanged.connect(self._on_docked)
        self._inside = QWidget() if scrolls else _Whole() if whole else _Picture()
        self._body = QVBoxLayout(self._inside)
        self._body.setSpacing(TIGHT)
        self._loading = QLabel("Loading …", alignment=Qt.AlignmentFlag.AlignCenter)
        self._loading.setObjectName("muted")
        self._body.addWidget(self._loading, 1)
        self._content: QWidget | None = None
        self._for_now: QWidget | None = None
        self.caption: tuple[CaptionPart, ...] = ()
        self._cover: QWidget | None = None
        self._foot: QWidget | None = None
        self._named = title
        self._why_locked = ""
        self._can_grow, self._way_back = False, ""
        self._sharing: Mapping[str, str] = {}  # titles of the cards in its place, by name
        self._shown_place: tuple[object, ...] = ()
        self._header: CardHeader | None = None
        self._add_actions()
        self.setWidget(_Column(self._inside) if scrolls else self._inside)
        self._set_boxed(True)

    def _add_actions(self) -> None:
        """Offer in the context menu what the header's buttons offer."""
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        for words, run in (("Float, or dock again", self._float_or_dock), ("Close", self.close)):
            action = QAction(words, self)
            action.triggered.connect(run)
            self.addAction(action)

    def setVisible(self, visible: bool) -> None:
        """Show the card, with its header from the first time on, or hide it."""
        if visible:
            dress(self)
            self._with_header()
        super().setVisible(visible)

    def _with_header(self) -> CardHeader:
        """Return the header, which is made when it is first asked for."""
        if self._header is None:
            self._header = self._make_header()
        return self._header

    def _make_header(self) -> CardHeader:
        header = CardHeader(self.windowTitle(), self._named)
        self.windowTitleChanged.connect(header.set_title)
        header.double_clicked.connect(self._on_double_click)
        header.float_pressed.connect(self._float_or_dock)
        header.room_pressed.connect(self.room_wanted)
        header.close_pressed.connect(self.close)
        header.tab_chosen.connect(self.tab_chosen)
        header.tab_pulled.connect(self.tab_pulled)
        header.lock(self._why_locked)
        header.show_covered(self.covered)
        header.fit_box(self._side, boxed=self._is_boxed)
        self.setTitleBarWidget(header)
        return header

    def fill(self, content: QWidget) -> None:
        """Show the content in the body, once nothing covers it."""
        self._loading.setParent(None)
        self._content = content
        _enable(content, not self._why_locked)
        self._body.insertWidget(0, content, 0 if _is_compact(content) else 1)
        content.setVisible(self._cover is None)

    def show_for_now(self, content: QWidget) -> None:
        """Show this in the body until `take_for_now`."""
        self._loading.setParent(None)
        self._for_now = content
        self._body.addWidget(content, 1)

    def take_for_now(self) -> QWidget | None:
        """Return what is shown for now, to be filled in as the content or a part of it; None if there is nothing."""
        taken, self._for_now = self._for_now, None
        return taken

    def add_foot(self, foot: QWidget) -> None:
        """Add a widget at the bottom edge."""
        self._foot = foot
        self._body.addWidget(foot)
        if self._content is not None and _is_compact(self._content):
            self._body.insertStretch(1, 1)  # the remaining room is between both

    def add_at_bottom(self, widget: QWidget) -> None:
        """Add what may stand at the bottom edge in place of the foot."""
        self._body.addWidget(widget)

    def show_foot(self, shown: bool) -> None:
        """Show or hide the widget below the content."""
        if self._foot:
            self._foot.setVisible(shown)

    @property
    def room(self) -> QSize:
        """The largest content size that needs no scrolling, in pixels."""
        area, margins, content = self.widget(), self._body.contentsMargins(), self._content
        bar = area.verticalScrollBar().sizeHint().width() if isinstance(area, QScrollArea) else 0  # it may appear
        width = area.width() - bar - margins.left() - margins.right()
        own = layout_height(inner, width) if content is not None and (inner := content.layout()) else 0
        return QSize(width, area.height() - layout_height(self._body, area.width() - bar) + own)

    def cover(self, cover: QWidget | None) -> None:
        """Cover the content with a widget, or uncover it; while covered, the header's buttons are hidden."""
        if self._cover is not None and self._cover is not cover:
            self._body.removeWidget(self._cover)
            self._cover.hide()
            self._cover.deleteLater()
        if cover is not None and self._cover is not cover:
            self._body.addWidget(cover, 1)
        self._cover = cover
        if self._content is not None:
            self._content.setVisible(cover is None)
        if self._header:
            self._header.show_covered(self.covered)

    @property
    def covered(self) -> bool:
        """True while the content is covered."""
        return self._cover is not None

    def lock(self, why: str) -> None:
        """Make the content read-only and show the reason in the header; an empty reason unlocks it."""
        self._why_locked = why
        if self._header:
            self._header.lock(why)
        if self._content is not None:
            _enable(self._content, not why)

    def add_button(self, button: QWidget) -> None:
        """Put a button, or several in a row, into the header."""
        self._with_header().add_button(button)

    def add_faint(self, button: QToolButton) -> None:
        """Put a button into the header that shows only while the pointer or the keyboard is in the card."""
        self._with_header().add_faint(button, covered=self.covered)

    def show_place(self, tabs: Mapping[str, str], *, can_grow: bool, way_back: str) -> None:
        """Show the titles of the cards that share its place, its own among them, by name; alone it has just a title.
        can_grow: all the room of plots is offered. way_back: the words that lead back from there; empty for none."""
        if len(tabs) < 2 and self.has_keyboard_on_tabs:
            self.take_keyboard()
        self._sharing, self._can_grow, self._way_back = tabs, can_grow, way_back
        self._show_place()

    def grow_with(self, others: Sequence[Card]) -> None:
        """Let a card that is as high as its content grow with others in its place, which otherwise could be no higher."""
        if isinstance(self._inside, _Whole):
            height = QSizePolicy.Policy.Minimum if others else QSizePolicy.Policy.Fixed
            self._inside.setSizePolicy(QSizePolicy.Policy.Preferred, height)

    def stands_behind(self, card: Card) -> bool:
        """True if the card shares its place with another."""
        return card.objectName() in self._sharing

    @property
    def has_keyboard_on_tabs(self) -> bool:
        """True while the keyboard is on the tabs in the header."""
        return self._header is not None and self._header.has_keyboard_on_tabs

    def take_keyboard_on_tabs(self) -> None:
        """Focus the tabs in the header, if there are any."""
        if self._header:
            self._header.take_keyboard_on_tabs()

    def take_keyboard(self) -> None:
        """Focus the content."""
        if self._content is not None:
            self._content.setFocus(Qt.FocusReason.OtherFocusReason)

    def take_in_hand(self, at: QPoint) -> None:
        """Begin to drag the card, as if its title had been pressed at this point of the screen."""
        inside = QPointF(self.mapFromGlobal(at))
        inside.setY(self.titleBarWidget().geometry().center().y())
        left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        away = inside + QPointF(QApplication.startDragDistance(), 0)
        for kind, where in ((QEvent.Type.MouseButtonPress, inside), (QEvent.Type.MouseMove, away)):
            QApplication.sendEvent(self, QMouseEvent(kind, where, self.mapToGlobal(where), left, left, none))

    def _show_place(self) -> None:
        """Show in the header what was told of the card's place, while that is in view: else every card lays out the tabs of
        all."""
        told = self.windowTitle(), *self._sharing.items(), self._can_grow, self._way_back
        if self._header is None or not self.in_view or told == self._shown_place:
            return
        self._shown_place = told
        self._header.show_tabs(self._sharing, self.objectName())
        self._header.offer_room(self.windowTitle(), can=self._can_grow, way_back=self._way_back)
        movable = QDockWidget.DockWidgetFeature.DockWidgetMovable
        # Cards that appear while another is dragged confuse Qt.
        self.setFeatures(self.features() & ~movable if self._way_back else self.features() | movable)

    def set_caption(self, *parts: CaptionPart | str) -> None:
        """Set the caption beside the title; parts for which there is no room are left out whole."""
        self.caption = compose_caption(*parts)
        self._with_header().set_caption(*self.caption)

    def bring(self) -> None:
        """Show the card, in front of the others behind whose tabs it may be."""
        self.show()
        self.raise_()

    def set_keyboard(self, here: bool) -> None:
        """Show whether the keyboard is in the card."""
        if here != self._has_focus:
            self._has_focus = here
            self._update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Signal that the content has another room."""
        super().resizeEvent(event)
        self.room_changed.emit()

    def event(self, event: QEvent) -> bool:
        """Show the faint buttons while the pointer is in the card; before it can be dragged, say that it may leave."""
        if event.type() == QEvent.Type.MouseButtonPress and not self.isFloating():
            self.leaving.emit()
        done = super().event(event)
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self._update()
        return done

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for all the room of plots, or the way back, by a key that nothing inside has used."""
        if (self._can_grow or self._way_back) and event.text().upper() == ROOM_KEY and not event.modifiers():
            self.room_wanted.emit()
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Move the focus by Tab; in a floating card it stays inside."""
        if not self.isFloating():
            return super().focusNextPrevChild(forward)
        return step_focus([(self.titleBarWidget(), self.widget())], self.focusWidget(), forward)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the box with a hairline, or with a broader one while the keyboard is in it; when floating, only the latter."""
        super().paintEvent(event)
        if not self._is_boxed and not (self.isFloating() and self._has_focus):
            return
        painter, palette = QPainter(self), self.palette()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(palette.light())
        broad = 2 if self._has_focus else 1
        painter.setPen(QPen(palette.highlight() if self._has_focus else palette.mid(), broad))
        edge = broad / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(edge, edge, -edge, -edge), CARD_CORNER, CARD_CORNER)

    def _update(self) -> None:
        self.update()
        if self._header:
            self._header.wake(self._has_focus or self.underMouse())

    def _on_double_click(self) -> None:
        if self._can_grow or self._way_back:
            self.room_wanted.emit()
        elif self.isFloating() or not is_plot(self.objectName()):
            self._float_or_dock()

    def _float_or_dock(self) -> None:
        if not self.isFloating():
            self.leaving.emit()
        self.setFloating(not self.isFloating())

    def _on_floating(self, floating: bool) -> None:
        self._set_boxed(not floating)
        if floating:
            self.setUpdatesEnabled(True)  # Qt enables only what is inside the window, once that paints
            self.take_frame_soon()

    def take_frame_soon(self) -> None:
        """Take the desktop's frame while floating; Qt takes it away where it restores a layout."""
        QTimer.singleShot(0, self, self._take_frame)

    def _take_frame(self) -> None:
        """Give a floating card the desktop's frame, which moves it without docking it; Qt omits it for such a title bar."""
        if QGuiApplication.mouseButtons():  # it is being dragged
            QTimer.singleShot(_BEAT, self, self._take_frame)
        elif (
            self.isFloating()
            and self.isVisible()
            and self._window.isVisible()  # it is not being closed
            and self.windowFlags() & Qt.WindowType.FramelessWindowHint
        ):
            place = self.geometry()
            self.setWindowFlags(_FRAMED)
            self.setGeometry(place)
            self.show()

    def _on_docked(self, area: Qt.DockWidgetArea) -> None:
        self._set_boxed(area != Qt.DockWidgetArea.LeftDockWidgetArea and not self.isFloating())

    def _set_boxed(self, boxed: bool) -> None:
        self._is_boxed = boxed and not self._is_bare
        right = self._side or SCROLL_BAR * isinstance(self._inside, _Whole)  # in line with cards that scroll
        self._body.setContentsMargins(self._side, 0, right, self._side)
        if self._header:
            self._header.fit_box(self._side, boxed=self._is_boxed)
        self.update()

    @property
    def _side(self) -> int:
        """The pixels between the card's edges and what it holds."""
        return PADDING if self._is_boxed or self.isFloating() else 0

    def _on_chosen(self, shown: bool) -> None:
        if shown:
            self.raise_()  # Qt brings a card back behind the tab of another

    def _on_visibility(self, visible: bool) -> None:
        came, self.in_view = visible and not self.in_view, visible
        if came:
            dress(self)  # a tab had stayed as it was when the theme was switched
            self._show_place()
            self.came_into_view.emit()


class _Whole(QWidget):
    """A card's body that always has its full height."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return the height that the content needs at the present width."""
        return QSize(_LEAST.width(), layout_height(layout, self.width()) if (layout := self.layout()) else 0)

    def minimumSizeHint(self) -> QSize:
        """Return the size hint, so that no content is cut off."""
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for another height when the width changes, since texts wrap."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()


class _Picture(QWidget):
    """A card's body that may shrink with the window."""

    def minimumSizeHint(self) -> QSize:
        """Return a size at which a plot is legible."""
        return _LEAST


class _Column(QScrollArea):
    """A card's body that scrolls up and down, and is never narrower than what it holds and a scroll bar."""

    def __init__(self, inside: QWidget) -> None:
        super().__init__(widgetResizable=True)
        self._inside = inside
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls to the focused widget by itself
        self.setWidget(inside)
        inside.setObjectName("scrolled")
        self.verticalScrollBar().rangeChanged.connect(self._keep_edge)
        self._keep_edge(0, 0)

    def _keep_edge(self, low: int, high: int) -> None:
        """Leave a scroll bar's width free while there is none: the right edges of one column stay in line."""
        self.setViewportMargins(0, 0, 0 if high > low else SCROLL_BAR, 0)

    def minimumSizeHint(self) -> QSize:
        """Return the width of the narrowest content, up to a limit, so that large type can't keep the window wide."""
        width = self._inside.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        return QSize(min(_WIDEST_COLUMN, width), super().minimumSizeHint().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pass on that the content asks for another width."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


def _is_compact(content: QWidget) -> bool:
    """Return True if the content never needs more height than its size hint."""
    return content.sizePolicy().verticalPolicy() == QSizePolicy.Policy.Minimum


def _enable(content: QWidget, enabled: bool) -> None:
    """Enable or disable the content; scrolling stays possible."""
    for part in content.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        inside = part.widget() if isinstance(part, QScrollArea) else part
        if inside is not None:
            inside.setEnabled(enabled)
