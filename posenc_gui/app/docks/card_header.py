"""The header of a card: its title or tabs, its caption, and the buttons that move, float and close it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from posenc_gui.app.widgets.controls import explain, in_row, plain_label, tool_button
from posenc_gui.app.widgets.focus_order import ONE_STOP, step_by_arrow
from posenc_gui.app.widgets.icons import icon
from posenc_gui.app.widgets.tab_strip import TabStrip
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.figure.caption_parts import CaptionPart, fit_caption, join_caption
from posenc_gui.foundation.theme import SCROLL_BAR, SMALL

ROOM_KEY = "F"  # gives a plot's card all the room of plots, and takes it back
_BACK = "Back to all cards"
_AT_START = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_AT_END = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class CardHeader(QWidget):
    """The line above a card's body, which is the handle that moves the card."""

    double_clicked = Signal()
    float_pressed = Signal()
    room_pressed = Signal()  # all the room of plots, or back from there
    close_pressed = Signal()
    tab_chosen = Signal(str)  # the name of a card that shares its place
    tab_pulled = Signal(str, QPoint)  # that of one whose tab is being dragged, and where the mouse is on the screen

    def __init__(self, title: str, named: str) -> None:
        super().__init__()
        self._title = plain_label(title, "cardTitle", wraps=False)
        self._caption = _Caption()
        self._lock_sign = plain_label("", "muted", wraps=False)
        self._lock_sign.hide()
        self._own_buttons = QWidget()
        self._buttons = in_row(of=self._own_buttons, gap=2)
        self._given_away: list[QToolButton] = []  # buttons that take the content along, hidden while it is covered
        self._tabs: TabStrip | None = None  # until the card shares its place for the first time
        self._make_buttons(named)
        self._line = QHBoxLayout(self)
        self._line.setSpacing(SMALL)
        self._line.addWidget(self._title)
        place = QGridLayout()  # both in one cell: the caption gives way to the buttons while they are visible
        place.addWidget(self._caption, 0, 0)
        place.addWidget(self._faint, 0, 0, Qt.AlignmentFlag.AlignRight)
        self._line.addLayout(place, 1)
        self._line.addWidget(self._lock_sign)
        self._line.addWidget(self._back)
        self._line.addWidget(self._own_buttons)  # always visible, so at the edge
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        THEME.changed.connect(self._draw_icons)
        self._draw_icons()

    def _make_buttons(self, named: str) -> None:
        self._float = _header_button("float", f"Float {named}, or dock it again")
        self._float.clicked.connect(self.float_pressed)
        self._grow = _header_button("maximise", "")
        self._grow.clicked.connect(self.room_pressed)
        self._grow.hide()
        self._close = _header_button("close", f"Close {named} (reopen it from the menus)")
        self._close.clicked.connect(self.close_pressed)
        self._faint = _Faint()
        for button in (self._float, self._grow, self._close):
            self._faint.insert(-1, button)
        self._back = tool_button(says=_BACK, framed=True, name="restore", hint="Escape, or a double-click on the title")
        self._back.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._back.clicked.connect(self.room_pressed)
        self._back.hide()

    def set_title(self, title: str) -> None:
        """Set the title, which is seen while the card is alone in its place."""
        self._title.setText(title)

    def show_tabs(self, tabs: Mapping[str, str], front: str) -> None:
        """Show the titles of the cards that share the card's place, its own among them, by name; alone it has just a title."""
        shared = len(tabs) > 1
        if shared:
            self._tabs = self._tabs or self._make_tabs()
            self._tabs.show_tabs(tabs, front)
        if self._tabs is not None:
            self._tabs.setVisible(shared)
        self._title.setVisible(not shared)
        self._caption.setAlignment(_AT_END if shared else _AT_START)  # behind tabs it would read as one of them

    def _make_tabs(self) -> TabStrip:
        tabs = TabStrip()
        tabs.chosen.connect(self.tab_chosen)
        tabs.pulled.connect(self.tab_pulled)
        self._line.insertWidget(0, tabs)
        return tabs

    @property
    def has_keyboard_on_tabs(self) -> bool:
        """True while the keyboard is on the tabs."""
        return self._tabs is not None and self._tabs.has_keyboard

    def take_keyboard_on_tabs(self) -> None:
        """Focus the tabs, if there are any."""
        if self._tabs is not None:
            self._tabs.take_keyboard()

    def set_caption(self, *parts: CaptionPart) -> None:
        """Set the caption beside the title; parts for which there is no room are left out whole."""
        self._caption.say(parts)

    def lock(self, why: str) -> None:
        """Show why the content is read-only, and disable the buttons that change it; an empty reason enables them."""
        self._lock_sign.setText(why)
        self._lock_sign.setVisible(bool(why))
        for part in (self._own_buttons, *self._given_away):
            part.setEnabled(not why)

    def show_covered(self, covered: bool) -> None:
        """Hide what belongs to the content while it is covered."""
        for part in (self._own_buttons, self._caption, *self._given_away):
            part.setVisible(not covered)

    def add_button(self, button: QWidget) -> None:
        """Add a button, or several in a row, at the end."""
        self._buttons.addWidget(button)

    def add_faint(self, button: QToolButton, *, covered: bool) -> None:
        """Add a button that shows only while awake; Tab reaches it always."""
        self._faint.insert(len(self._given_away), button)
        self._given_away.append(button)
        button.setVisible(not covered)

    def offer_room(self, title: str, *, can: bool, way_back: str) -> None:
        """Offer the card of this title all the room of plots, or the way back from there in these words."""
        self._grow.setVisible(can)
        self._grow.setAccessibleName(f"Maximise {title}")
        self._grow.setToolTip(f"Maximise {title} ({ROOM_KEY}, or a double-click on its title)")
        self._back.setText(way_back)
        self._back.setAccessibleName(way_back or _BACK)
        self._back.setVisible(bool(way_back))

    def wake(self, awake: bool) -> None:
        """Show the faint buttons, to which the caption gives way, or hide them."""
        self._faint.wake(awake)
        self._caption.give_way(self._faint.sizeHint().width() if awake else 0)

    def fit_box(self, side: int, *, boxed: bool) -> None:
        """Keep this many pixels free at the sides, and stand on the box or on the window."""
        self._line.setContentsMargins(side, 10 if side else 4, side - 6 if side else SCROLL_BAR, 4)
        self._faint.setBackgroundRole(QPalette.ColorRole.Light if boxed else QPalette.ColorRole.Window)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Keep it from Qt, which would always float the card."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.double_clicked.emit()

    def minimumSizeHint(self) -> QSize:
        """Return a small width, so that titles and buttons never keep the window wide."""
        return QSize(1, super().minimumSizeHint().height())

    def _draw_icons(self) -> None:
        self._float.setIcon(icon("float", THEME.roles.muted))
        self._grow.setIcon(icon("maximise", THEME.roles.muted))
        self._back.setIcon(icon("restore", THEME.roles.ink))
        self._close.setIcon(icon("close", THEME.roles.muted))


class _Caption(QLabel):
    """A caption; parts for which there is no room are left out whole."""

    def __init__(self) -> None:
        super().__init__(textFormat=Qt.TextFormat.PlainText)
        self._parts: tuple[CaptionPart, ...] = ()
        self.setObjectName("muted")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def say(self, parts: tuple[CaptionPart, ...]) -> None:
        """Set the caption; the tooltip and the accessible name have all of it."""
        if parts == self._parts:
            return
        self._parts = parts
        words = join_caption(parts)
        self.setAccessibleName(words)
        explain(self, words)
        self._fit()

    def give_way(self, width: int) -> None:
        """Leave this width at the end free."""
        if width != self.contentsMargins().right():
            self.setContentsMargins(0, 0, width, 0)
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show what fits the new width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room, metrics = self.width() - self.contentsMargins().right(), self.fontMetrics()
        shown = fit_caption(self._parts, room, metrics.horizontalAdvance)
        self.setText(metrics.elidedText(shown, Qt.TextElideMode.ElideRight, room))


class _Faint(QWidget):
    """Buttons that keep their room and one place in the tab order, but are painted only while awake."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty(ONE_STOP, True)
        self._awake = False
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(SMALL, 0, 0, 0)
        self._row.setSpacing(2)

    def insert(self, at: int, button: QToolButton) -> None:
        """Insert a button at this index, or at -1 behind the others."""
        self._row.insertWidget(at, button)
        button.installEventFilter(self)

    def wake(self, awake: bool) -> None:
        """Show or hide the buttons."""
        self._awake = awake
        self.setAutoFillBackground(awake)
        self.update()

    def minimumSizeHint(self) -> QSize:
        """Return no width: in a narrow card the title's room comes first."""
        return QSize(0, super().minimumSizeHint().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Suppress the buttons' painting while they aren't awake; go from one to the next by arrow keys."""
        if event.type() == QEvent.Type.Paint:
            return not self._awake
        buttons = [one for one in sorted(self.findChildren(QToolButton), key=QWidget.x) if one.isVisible()]
        return step_by_arrow(event, watched, buttons) or super().eventFilter(watched, event)


def _header_button(name: str, help_text: str) -> QToolButton:
    return tool_button(says=help_text, hint=help_text, name=name)
