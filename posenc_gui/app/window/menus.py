"""The menus, made from actions: in the menu bar, and behind one button while that is hidden."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMainWindow, QMenu

from posenc_gui.app.state.action import MENUS, Action
from posenc_gui.app.widgets.controls import escape_mnemonics
from posenc_gui.app.widgets.icons import icon
from posenc_gui.app.widgets.theme import THEME


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
