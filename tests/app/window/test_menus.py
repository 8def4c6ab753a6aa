"""Menus: what stands in them can be done, by its keys too; what can't be done now says so; the help knows every key."""

from __future__ import annotations

from typing import Literal, get_args

import pytest
from hands import action
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMainWindow, QMenu, QPushButton, QStatusBar, QWidget

from posenc_gui.app.state.action import EDIT, FILE, MENUS, VIEW, Action
from posenc_gui.app.state.settings import Memory
from posenc_gui.app.window.command_palette import CommandPalette
from posenc_gui.app.window.help import KeysPage
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.app.window.menus import Menus
from posenc_gui.app.window.plot_gallery import Gallery
from posenc_gui.plots import base

pytestmark = pytest.mark.one_window


class Shown:
    """A window with a menu bar of these actions."""

    def __init__(self, qtbot, *actions: Action) -> None:
        self.window = QMainWindow()
        qtbot.addWidget(self.window)
        self.menus = Menus(self.window)
        self.menus.add(actions)

    def entry(self, name: str) -> QAction:
        return self.window.findChild(QAction, name)

    def menu(self, title: str) -> QMenu:
        return next(menu for menu in self.window.findChildren(QMenu) if menu.title() == title)


def test_menus_without_actions_can_not_be_opened(qtbot) -> None:
    shown = Shown(qtbot, Action("save", "&Save", (FILE,), lambda: None))
    assert [entry.text() for entry in shown.window.menuBar().actions()] == list(MENUS)
    assert [title for title in MENUS if shown.menu(title).isEnabled()] == [FILE]


def test_an_action_is_done_by_its_keys_only_while_it_can_be_done(qtbot) -> None:
    done, can = [], [False]
    shown = Shown(qtbot, Action("again", "&Again", (EDIT,), lambda: done.append(1), "Ctrl+G", lambda: can[0]))
    shown.window.show()
    shown.window.activateWindow()
    qtbot.waitUntil(shown.window.isActiveWindow)
    QTest.keyClick(shown.window, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    assert done == []
    can[0] = True
    shown.menus.refresh()
    QTest.keyClick(shown.window, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    assert done == [1]


def test_what_a_step_would_do_stands_behind_the_title_as_it_is(qtbot) -> None:
    shown = Shown(qtbot, Action("undo", "&Undo", (EDIT,), lambda: None, step=lambda: "Text a & b"))
    assert shown.entry("undo").text() == "&Undo: Text a && b"


def test_a_menu_shows_what_is_on_when_it_opens(qtbot) -> None:
    now = ["light"]
    choices = (
        Action(
            one, one, (VIEW, "&Theme"), lambda one=one: now.__setitem__(0, one), checked=lambda one=one: now == [one]
        )
        for one in ("light", "dark")
    )
    shown = Shown(qtbot, *choices)
    assert [shown.entry(one).isChecked() for one in ("light", "dark")] == [True, False]
    shown.entry("dark").trigger()
    assert [shown.entry(one).isChecked() for one in ("light", "dark")] == [False, True]
    now[0] = "light"  # by another way than the menu
    shown.menu(VIEW).aboutToShow.emit()
    assert [shown.entry(one).isChecked() for one in ("light", "dark")] == [True, False]


# --- In the window


@pytest.mark.slow
def test_a_group_without_plots_is_no_menu(monkeypatch, open_window) -> None:
    groups = Literal["Not yet", *get_args(base.Group)]
    assert set(get_args(base.Group)) < set(get_args(groups))
    monkeypatch.setattr(base, "Group", groups)
    window = open_window()
    titles = {menu.title() for menu in window.findChildren(QMenu)}
    assert set(get_args(base.Group)) - titles == {"Not yet"}


def test_what_is_chosen_before_a_session_is_there_is_done_then_in_the_same_order(qapp, qtbot, settle, tmp_path) -> None:
    window = MainWindow(Memory(tmp_path / "memory"))
    qtbot.addWidget(window)
    window.show()
    while not window.findChildren(QStatusBar):  # the last of its parts
        qapp.processEvents()
    assert window.workbench is None
    for begins in ("Undo", "Redo"):  # nothing is done yet
        assert not action(window, begins).isEnabled(), begins
    for begins in ("Quit", "Reset layout", "Dark", "Keys and mouse", "About", "Play what position does"):
        assert action(window, begins).isEnabled(), begins
    for name in ("bookmark", "go.compare", "bookmark", "go.explore", "bookmark"):
        window.findChild(QAction, name).trigger()
    assert action(window, "Undo").isEnabled()
    assert window.statusBar().currentMessage() == "This is done as soon as the window is ready."
    qtbot.waitUntil(lambda: len(window.documents.current.bookmarks) == 3 if window.documents else False)
    settle(window)
    compared = [one.session.other is not None for one in window.documents.current.bookmarks]
    assert compared == [False, True, False]
    assert "window is ready" not in window.statusBar().currentMessage()
    window.close()


def test_what_is_searched_for_before_it_is_there_is_found_then(qapp, qtbot, settle, tmp_path) -> None:
    window = MainWindow(Memory(tmp_path / "memory"))
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    while not window.findChildren(QStatusBar):  # the last of its parts
        qapp.processEvents()
    (finder,) = window.findChildren(CommandPalette)
    action(window, "Find anything").trigger()
    QTest.keyClicks(finder, "alibi")
    QTest.keyClick(finder, Qt.Key.Key_Return)
    assert window.workbench is None
    assert finder.told.text() == "Loading torch …"
    qtbot.waitUntil(lambda: bool(finder.rows.found))
    assert (finder.text(), finder.hasFocus()) == ("alibi", True)
    QTest.keyClick(finder, Qt.Key.Key_Return)
    settle(window)
    assert window.workbench.store.session.encoding.name == "alibi"
    window.close()


@pytest.mark.slow
@pytest.mark.parametrize("stopped", [False, True], ids=["which come", "of which Stop leaves none"])
def test_what_is_pressed_before_the_tokens_are_there_is_done_once(qtbot, tmp_path, stopped: bool) -> None:
    window = MainWindow(Memory(tmp_path / "memory"))
    qtbot.addWidget(window, before_close_func=MainWindow.end)
    pressed: list[bool] = []

    def press() -> None:
        window.workbench.store.propose(text="the dog bit the man. " * 3000)
        assert not window.workbench.has_split
        window.findChild(QAction, "go.compare").trigger()
        button = window.findChild(QPushButton, "plots")
        button.toggled.connect(pressed.append)
        button.click()
        if stopped:
            window.workbench.stop()

    window.ready.connect(press)
    window.show()
    qtbot.waitUntil(lambda: bool(pressed))
    store, gallery = window.workbench.store, window.findChild(Gallery)
    qtbot.waitUntil(lambda: store.session.other is not None and gallery.isVisible())
    assert pressed == [True]


@pytest.mark.slow
def test_a_card_that_is_closed_by_its_button_is_off_in_the_menu(window) -> None:
    window.cards["code"].bring()
    window.cards["code"].close()
    view = next(menu for menu in window.findChildren(QMenu) if menu.title() == VIEW)
    view.aboutToShow.emit()
    panels = next(menu for menu in window.findChildren(QMenu) if menu.title() == "Pa&nels")
    assert {one.text(): one.isChecked() for one in panels.actions()} == {
        "Sentence": True,
        "Encoding": True,
        "Compare": False,
        "Toy model": False,
        "Code": False,
    }


@pytest.mark.slow
@pytest.mark.parametrize("after", ["at once", "after an undo"])
def test_the_help_lists_every_key_of_the_window_and_finds_one_that_is_pressed(window, user, qtbot, after: str) -> None:
    if after == "after an undo":
        user.types(window.workbench.tokens.text_edit, "dogs")
        action(window, "Undo: Typed “dogs”").trigger()
    user.chooses(window, "Help", "Keys and mouse")
    (page,) = window.findChildren(KeysPage)
    qtbot.waitUntil(page.isVisible)
    keyed = [one for one in window.findChildren(QAction) if not one.shortcut().isEmpty()]
    assert len(keyed) >= 7
    for one in keyed:
        keys = one.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        title = one.text().replace("&", "").split(":")[0].removesuffix(" …")
        assert any(told.startswith(keys) and told.endswith(f": {title}") for told in keys_told(page)), title
    assert page.height() <= min(704, page.screen().availableSize().height())
    (field,) = page.findChildren(QLineEdit)
    QTest.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)  # found, not run
    assert keys_told(page) == ["Ctrl+Z: Undo"]
    QTest.keyClick(field, Qt.Key.Key_F6)
    assert [told.partition(":")[0] for told in keys_told(page)] == ["F6"]
    QTest.keyClicks(field, "crosshair")
    assert len(keys_told(page)) == 2
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert len(keys_told(page)) > len(keyed)
    page.close()


def keys_told(page: KeysPage) -> list[str]:
    """What those who hear the page hear of the keys that are shown, such as “Ctrl+Z: Undo”."""
    rows = [one for one in page.findChildren(QWidget) if ": " in one.accessibleName()]
    return [one.accessibleName() for one in rows if one.isVisible()]


@pytest.mark.slow
def test_no_two_entries_of_a_menu_have_the_same_mnemonic(window: MainWindow) -> None:
    for menu in window.findChildren(QMenu):
        titles = [entry.text().partition(":")[0] for entry in menu.actions() if "&" in entry.text()]
        letters = [title[title.index("&") + 1].lower() for title in titles]
        assert sorted(set(letters)) == sorted(letters), titles


def test_quit_stays_the_last_of_its_menu(window) -> None:
    """Models come later than the menus' other entries."""
    (menu,) = (one for one in window.findChildren(QMenu) if one.title() == "&File")
    titles = [entry.text() for entry in menu.actions() if not entry.isSeparator()]
    assert titles[-2:] == ["&Model", "&Quit"]
    assert menu.actions()[-2].isSeparator()
