"""The menus, made from actions, in the menu bar, or behind one button while that is hidden; and the toolbar."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWindow,
)
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QHBoxLayout, QMainWindow, QMenu, QToolBar, QToolButton, QWidget

from posenc_gui.app.state.action import MENUS, Action
from posenc_gui.app.widgets.controls import PushButton, ToolButton, escape_mnemonics, in_row, tool_button
from posenc_gui.app.widgets.focus_order import step_by_arrow
from posenc_gui.app.widgets.icons import icon
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import BAR, FIELD, GAP, ICON, PADDING, TIGHT


class Menus(QObject):
    """Shows actions in a window's menu bar and runs them by their shortcuts. A menu without actions is disabled."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.all = QMenu(window)  # the same menus, one below the other
        self._entries: dict[Action, QAction] = {}
        self._varying: list[_Varying] = []
        self._menus: dict[tuple[str, ...], QMenu] = {}
        for title in MENUS:
            menu = self._menus[title,] = window.menuBar().addMenu(title)
            self.all.addMenu(menu)
            menu.setEnabled(False)
            menu.aboutToShow.connect(self.refresh)
        THEME.changed.connect(self._draw_icons)

    @property
    def actions(self) -> tuple[Action, ...]:
        """All actions, in the order in which they were added."""
        return tuple(self._entries)

    def entry(self, name: str) -> QAction:
        """Return the menu entry of the action of that name."""
        return next(entry for action, entry in self._entries.items() if action.name == name)

    def add(self, actions: Iterable[Action]) -> None:
        """Append these actions to their menus."""
        for action in actions:
            menu = self._menu(action.menu)
            if action.apart:
                menu.addSeparator()
            entry = menu.addAction(action.title, partial(self.run, action))
            entry.setObjectName(action.name)
            entry.setShortcuts(action.shortcuts)
            if action.inside:
                entry.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            entry.setToolTip(action.summary)
            if action.name == "quit":
                entry.setMenuRole(QAction.MenuRole.QuitRole)
            entry.setCheckable(action.checked is not None)
            if action.exclusive:
                self._group(menu).addAction(entry)
            self._entries[action] = entry
            if action.varies:
                self._varying.append(_Varying(action, entry))
            self._window.addAction(entry)  # so that shortcuts work while the menu bar is hidden
            self._draw_icon(action)
        self.refresh()

    def refresh(self) -> None:
        """Update which entries are enabled and checked, and what undo and redo would do."""
        for one in self._varying:
            one.refresh()

    def _draw_icons(self) -> None:
        for action in self._entries:
            self._draw_icon(action)

    def _draw_icon(self, action: Action) -> None:
        if action.icon:
            self._entries[action].setIcon(icon(action.icon, THEME.roles.ink))

    def show_bar(self, shown: bool) -> None:
        """Show the menu bar or hide it; macOS always shows its own."""
        self._window.menuBar().setVisible(shown or sys.platform == "darwin")

    def run(self, action: Action) -> None:
        """Run an action, then refresh all entries."""
        action.run()
        self.refresh()

    def _menu(self, path: tuple[str, ...]) -> QMenu:
        if path not in self._menus:
            *above, title = path
            self._menus[path] = QMenu(title, self._window)
            menu = self._menu(tuple(above))
            end = _end_of(menu)
            menu.insertMenu(end, self._menus[path]) if end else menu.addMenu(self._menus[path])
            self._menus[path].setToolTipsVisible(True)
        self._menus[path].setEnabled(True)
        return self._menus[path]

    @staticmethod
    def _group(menu: QMenu) -> QActionGroup:
        return menu.findChild(QActionGroup) or QActionGroup(menu)


@dataclass
class _Varying:
    """The entry of an action that can change, and its state: what undo would do, enabled, visible."""

    action: Action
    entry: QAction
    state: tuple[str, bool, bool] | None = None

    def refresh(self) -> None:
        action, entry = self.action, self.entry
        state = action.step(), action.enabled(), action.shown()
        if state != self.state:  # most stay, and Qt lays out a menu for equal texts, too
            self.state = step, enabled, shown = state
            entry.setText(f"{action.title}: {escape_mnemonics(step)}" if step else action.title)
            entry.setEnabled(enabled)
            entry.setVisible(shown)
        if action.checked:
            entry.setChecked(action.checked())


def _end_of(menu: QMenu) -> QAction | None:
    """Return the line above Quit, which stays last in its menu; None in other menus."""
    *_, line, last = (None, None, *menu.actions())
    return line if last and last.menuRole() == QAction.MenuRole.QuitRole else None


class Toolbar(QToolBar):
    """The fixed toolbar at the top of the window."""

    def __init__(self, menus: QMenu, choices: ChoiceButtons, finder: QWidget) -> None:
        super().__init__("Bar", movable=False, floatable=False)
        self.setObjectName("bar")
        self.toggleViewAction().setEnabled(False)
        self._menus = tool_button(says="Menus", hint="All menus (F10 or Alt)", name="menus")
        self._menus.setMenu(menus)
        self._menus.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._row = QWidget()
        self._quick = _Quick()
        left = in_row(self._menus, self._quick, gap=0)
        line = QGridLayout(self._row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setHorizontalSpacing(GAP)
        line.addLayout(left, 0, 0, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(choices, 0, 1, Qt.AlignmentFlag.AlignCenter)
        line.addWidget(finder, 0, 2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        line.setColumnStretch(0, 1)
        line.setColumnStretch(2, 1)
        self.addWidget(self._row)
        THEME.changed.connect(self._restyle)
        self._restyle()

    def add(self, actions: Iterable[QAction]) -> None:
        """Append a group of buttons for these actions, each of which needs an icon."""
        self._quick.add(actions)
        self._fit()

    def open_menus(self) -> None:
        """Open the menus for the keyboard."""
        self._menus.menu().popup(self._menus.mapToGlobal(self._menus.rect().bottomLeft()))

    def _restyle(self) -> None:
        self._menus.setIcon(icon("menu", THEME.roles.ink))
        self._fit()

    def _fit(self) -> None:
        """Resize the bar to the text size."""
        self._row.setFixedHeight(scaled(BAR))
        _fit_icon(self._menus)
        self._quick.fit()


class _Quick(QWidget):
    """Buttons for the most frequent actions, as many as fit; the menus have all of them."""

    def __init__(self) -> None:
        super().__init__()
        self._groups: list[list[QToolButton]] = []

    def add(self, actions: Iterable[QAction]) -> None:
        """Append a group of buttons."""
        self._groups.append([])
        for action in actions:
            button = ToolButton(self)
            button.setDefaultAction(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._groups[-1].append(button)

    def fit(self) -> None:
        """Resize the buttons to the text size."""
        for button, _ in self._placed():
            _fit_icon(button)
        self.updateGeometry()
        self._place()

    def sizeHint(self) -> QSize:
        """Return a width that holds all buttons."""
        return QSize(max((end for _, end in self._placed()), default=0), scaled(FIELD))

    def minimumSizeHint(self) -> QSize:
        """Return zero width, since the window may be narrow."""
        return QSize(0, scaled(FIELD))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many buttons as fit."""
        super().resizeEvent(event)
        self._place()

    def _placed(self) -> Iterator[tuple[QToolButton, int]]:
        """Yield the buttons from left to right, each with the x at which it ends, in pixels."""
        end = 0
        for group in self._groups:
            end += GAP
            for button in group:
                end += TIGHT + scaled(FIELD)
                yield button, end

    def _place(self) -> None:
        for button, end in self._placed():
            button.move(end - scaled(FIELD), (self.height() - scaled(FIELD)) // 2)
            button.setVisible(end <= self.width())


def _fit_icon(button: QToolButton) -> None:
    button.setIconSize(QSize(scaled(ICON), scaled(ICON)))
    button.setFixedSize(scaled(FIELD), scaled(FIELD))


class AltKey(QObject):
    """Signals that Alt was pressed alone in a window, which opens the menus."""

    pressed = Signal()

    def __init__(self, window: QWindow) -> None:
        super().__init__(window)
        self._is_alone = False
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Watch keys, clicks and focus before the widgets get them."""
        match event.type():
            case QEvent.Type.KeyPress if isinstance(event, QKeyEvent):
                self._is_alone = event.key() == Qt.Key.Key_Alt
            case QEvent.Type.KeyRelease if isinstance(event, QKeyEvent):
                if self._is_alone and event.key() == Qt.Key.Key_Alt:
                    self.pressed.emit()
                self._is_alone = False
            case QEvent.Type.MouseButtonPress | QEvent.Type.FocusOut:
                self._is_alone = False
        return super().eventFilter(watched, event)


class ChoiceButtons(QWidget):
    """Exclusive buttons; arrow keys move the focus between them."""

    chosen = Signal(str)

    def __init__(self, says: str, choices: dict[str, str]) -> None:
        super().__init__()
        self.setObjectName("well")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(says)
        line = QHBoxLayout(self)
        line.setContentsMargins(2, 2, 2, 2)
        line.setSpacing(2)
        group = QButtonGroup(self)
        self._buttons: dict[str, _Choice] = {}
        for name, title in choices.items():
            button = self._buttons[name] = _Choice(title)
            button.clicked.connect(lambda _=False, name=name: self.chosen.emit(name))
            button.installEventFilter(self)
            group.addButton(button)
            line.addWidget(button)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the choices."""
        return tuple(self._buttons)

    def button(self, name: str) -> PushButton:
        """Return the button of a choice."""
        return self._buttons[name]

    def show_chosen(self, name: str) -> None:
        """Check this button; Tab reaches only it, arrow keys the others."""
        for other, button in self._buttons.items():
            button.setChecked(other == name)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus if other == name else Qt.FocusPolicy.ClickFocus)

    def show_changed(self, changed: bool) -> None:
        """Mark the checked button if its layout was changed; pressing it again resets the layout."""
        for button in self._buttons.values():
            button.show_changed(changed and button.isChecked())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move the focus to the next or previous button by arrow keys, cyclically."""
        return step_by_arrow(event, watched, [*self._buttons.values()]) or super().eventFilter(watched, event)


class _Choice(PushButton):
    """One of the choices, heard as a radio button; a dot behind its name marks a changed layout."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setObjectName("choice")
        self.setText(title)
        self.setAccessibleName(title)
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._is_changed = False

    def sizeHint(self) -> QSize:
        """Return a size in which the name fits also while it is chosen, and bold."""
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        more = QFontMetrics(bold).horizontalAdvance(self.text()) - self.fontMetrics().horizontalAdvance(self.text())
        return super().sizeHint() + QSize(max(0, more), 0)

    def show_changed(self, changed: bool) -> None:
        """Show the dot and its tooltip, or hide both."""
        self._is_changed = changed
        said = f"The {self.text()} layout was changed; press again to reset it" if changed else ""
        self.setToolTip(said)
        self.setAccessibleDescription(said)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the dot in the margin behind the name."""
        super().paintEvent(event)
        if self._is_changed:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.palette().highlight())
            painter.drawEllipse(QPointF(self.width() - scaled(PADDING) / 2, self.height() / 2), scaled(2), scaled(2))
