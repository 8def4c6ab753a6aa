"""Bookmarks in real windows: made by one key, named, ordered, deleted, kept with the session, and never in undo's way."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hands import LEFT, action, banner, figure_of, open_file, read
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QListWidget, QPlainTextEdit, QPushButton

import posenc_gui as pe
from posenc_gui.app.talk.bookmark_rows import BookmarkPictures
from posenc_gui.app.talk.bookmarks import Bookmarks
from posenc_gui.app.talk.bookmarks_window import AddedBanner, BookmarksWindow
from posenc_gui.app.widgets.icons import recorded_picture
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.figure.runs import quote_runs
from posenc_gui.render.thumbnail import draw_thumbnail
from posenc_gui.session.bookmarks import Bookmark, Document

pytestmark = pytest.mark.one_window

CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
ROPE = pe.Session(encoding=pe.encoding("rope", base=500))  # whose waves no recorded picture has


def marks_of(window: MainWindow) -> Bookmarks:
    return window.findChild(Bookmarks)


def names_of(window: MainWindow) -> list[str]:
    return [bookmark.name for bookmark in marks_of(window).all]


def put(window: MainWindow, *names: str) -> None:
    """Let the window have bookmarks with these names."""
    marks_of(window).begin(tuple(Bookmark(name=name, plot="waves", session=ROPE) for name in names))


@pytest.fixture
def press(qtbot) -> Callable[..., None]:
    """Press Ctrl and a key in a window."""

    def pressed(window: MainWindow, key: Qt.Key) -> None:
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        QTest.keyClick(window, key, CONTROL)

    return pressed


def test_one_key_adds_one_which_is_named_there_and_then(window, user, press, settle, qtbot) -> None:
    user.chooses_encoding(window, "rope")
    settle(window)
    window.workbench.tokens.text_edit.setFocus()
    press(window, Qt.Key.Key_D)
    (made,) = marks_of(window).all
    assert (made.session, made.plot) == (window.workbench.store.session, "attention")
    assert len(quote_runs(figure_of(window).headline)) > 48
    assert made.name == "Attention: RoPE"
    added = window.findChild(AddedBanner)
    field = added.findChild(QLineEdit)
    assert added.isVisible()
    qtbot.waitUntil(field.hasFocus)
    QTest.keyClicks(field, "RoPE, at last")
    assert names_of(window) == ["RoPE, at last"]
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert not added.isVisible()
    assert window.workbench.tokens.text_edit.hasFocus()
    assert len(window.workbench.store.history) == 2  # undo sees the encoding alone


def test_that_there_are_no_bookmarks_is_said_until_there_is_one(window, press) -> None:
    action(window, "Export bookmarks").trigger()
    assert banner(window) == "Not exported: there are no bookmarks. Ctrl+D adds one."
    QApplication.processEvents()  # it has been seen
    press(window, Qt.Key.Key_D)
    assert not banner(window)


def test_what_names_a_new_one_goes_with_it(window, press, settle) -> None:
    press(window, Qt.Key.Key_D)
    added = window.findChild(AddedBanner)
    QTest.keyClicks(added.findChild(QLineEdit), "at  last ")
    assert added.isVisible()
    put(window)  # as a file without bookmarks is opened
    assert not added.isVisible()


def test_in_the_list_they_are_gone_to_named_moved_deleted_and_back_again(window, settle, press, qtbot) -> None:
    put(window, "one", "two", "three")
    press(window, Qt.Key.Key_B)
    shelf = window.findChild(BookmarksWindow)
    rows, name, note = (shelf.findChild(kind) for kind in (QListWidget, QLineEdit, QPlainTextEdit))
    qtbot.waitUntil(rows.hasFocus)
    rows.setCurrentRow(0)
    QTest.keyClick(rows, Qt.Key.Key_Down, ALT)
    assert names_of(window) == ["two", "one", "three"]
    QTest.keyClick(rows, Qt.Key.Key_Up, ALT)
    QTest.keyClick(rows, Qt.Key.Key_Up, ALT)  # not past the end
    assert names_of(window) == ["one", "two", "three"]
    name.setFocus()
    name.selectAll()
    QTest.keyClicks(name, "1st  of all ")
    QTest.keyClicks(note, "Ask <b>why</b>.")
    assert marks_of(window).all[0].name == "1st of all"
    assert marks_of(window).all[0].note == "Ask <b>why</b>."
    QTest.keyClick(rows, Qt.Key.Key_Delete)
    assert names_of(window) == ["two", "three"]
    QTest.keyClick(rows, Qt.Key.Key_Z, CONTROL)
    assert names_of(window) == ["1st of all", "two", "three"]
    rows.setFocus()
    rows.setCurrentRow(2)
    assert (name.text(), note.toPlainText()) == ("three", "")
    QTest.keyClick(rows, Qt.Key.Key_Return)
    settle(window)
    assert window.workbench.store.session == ROPE
    assert window.workbench.store.undo_name == "Bookmark three"
    assert window.cards["plot.waves"].in_view
    note.setPlainText("x" * 2001)
    assert marks_of(window).all[2].note == ""
    assert any(label.text().startswith("Not kept: note: ") for label in shelf.findChildren(QLabel))


def test_one_that_is_dragged_gives_way_at_once_and_comes_back_in_one_step(window, press) -> None:
    put(window, *"abcd")
    press(window, Qt.Key.Key_B)
    rows = window.findChild(BookmarksWindow).findChild(QListWidget)
    places = [rows.visualItemRect(rows.item(row)).center() for row in range(4)]
    for (source, *over), after in (((0, 1, 2, 3), "bcda"), ((3, 2, 1), "bacd"), ((1, 1), "bacd")):
        QTest.mousePress(rows.viewport(), LEFT, pos=places[source])
        for row in over:
            QTest.mouseMove(rows.viewport(), places[row])
        QTest.mouseRelease(rows.viewport(), LEFT, pos=places[over[-1]])
        assert ("".join(names_of(window)), rows.currentRow()) == (after, over[-1])
    QTest.keyClick(rows, Qt.Key.Key_Z, CONTROL)
    QTest.keyClick(rows, Qt.Key.Key_Z, CONTROL)
    assert "".join(names_of(window)) == "abcd"


@pytest.mark.slow
def test_they_are_in_the_title_in_the_file_and_in_what_is_opened(window, user, tmp_path, answer) -> None:
    path = tmp_path / "talk.json"
    answer(path)
    user.chooses(window, "File", "Save as …")
    assert window.windowTitle().startswith("talk.json ")
    put(window, "one", "two")
    assert window.windowTitle().startswith("talk.json* ")
    user.chooses(window, "File", "Save")
    assert window.windowTitle().startswith("talk.json ")
    talk = Document(window.workbench.store.session, marks_of(window).all)
    assert pe.Document.load(path) == talk
    user.chooses(window, "File", "New session")
    assert names_of(window) == []
    user.chooses(window, "File", "Open …")
    assert window.documents.current == talk
    action(window, "Copy as share string").trigger()
    user.chooses(window, "File", "New session")
    window.documents.paste_share(QGuiApplication.clipboard().text())
    read(window)
    assert window.documents.current == talk
    put(window)
    user.chooses(window, "Edit", "Revert to the opened session")
    assert window.documents.current == talk


@pytest.mark.slow
def test_damaged_ones_are_told_and_the_session_is_opened(window, tmp_path) -> None:
    good = {"name": "good", "session": {"focus": 1}}
    content = {**json.loads(ROPE.to_json()), "bookmarks": [good, {"name": "<b>bad</b>", "session": 3}]}
    (tmp_path / "damaged.json").write_text(json.dumps(content), encoding="utf-8")
    open_file(window, tmp_path / "damaged.json")
    assert banner(window).startswith("damaged.json: left out a bookmark that can't be used: 2 (")
    assert (window.workbench.store.session, names_of(window)) == (ROPE, ["good"])


@pytest.mark.slow
def test_what_another_session_takes_the_place_of_is_among_the_earlier_ones_with_its_bookmarks(window, user) -> None:
    put(window, "mine")
    user.chooses(window, "File", "New session")
    assert names_of(window) == []
    window.keep()  # what is written behind is there
    action(window, "1: just now").trigger()
    read(window)
    assert names_of(window) == ["mine"]


def test_the_plot_that_plays_is_bookmarked_wherever_the_focus_is(window, press, settle, qtbot) -> None:
    window.cards["plot.clocks"].bring()
    settle(window)
    (player,) = window.workbench.plots["clocks"].players
    player.click()
    window.workbench.tokens.text_edit.setFocus()
    press(window, Qt.Key.Key_D)
    player.click()
    settle(window)
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    window.workbench.plots["attention"].view.setFocus()
    press(window, Qt.Key.Key_D)
    assert [one.plot for one in marks_of(window).all] == ["clocks", "attention"]


def test_each_has_its_picture_which_is_drawn_anew_when_it_shows_something_else(window, qtbot) -> None:
    bookmarks = marks_of(window)
    put(window, "one", "two")
    pictures = bookmarks.findChild(BookmarkPictures)
    action(window, "Bookmarks …").trigger()
    waves = draw_thumbnail(pe.plot("waves", ROPE))
    assert waves != recorded_picture("waves")
    qtbot.waitUntil(lambda: pictures.of(bookmarks.all[0]) == waves)
    assert pictures.of(bookmarks.all[0]) == pictures.of(bookmarks.all[1])  # they show the same
    bookmarks.update(0, Bookmark(plot="requirements", session=ROPE), renamed=False)
    drawn = draw_thumbnail(pe.plot("requirements", ROPE))
    qtbot.waitUntil(lambda: pictures.of(bookmarks.all[0]) == drawn)
    assert pictures.of(bookmarks.all[1]) != drawn


def test_one_is_updated_from_what_is_shown_and_back(window, user, settle, qtbot) -> None:
    named = Bookmark(name="Mine", note="Ask why.", plot="waves", session=ROPE)
    unnamed = Bookmark(name="Waves: RoPE", plot="waves", session=ROPE)
    bookmarks = marks_of(window)
    bookmarks.begin((named, unnamed))
    settle(window)
    window.workbench.plots["attention"].view.setFocus()
    action(window, "Bookmarks …").trigger()
    shelf = window.findChild(BookmarksWindow)
    rows = shelf.findChild(QListWidget)
    update = next(one for one in rows.actions() if one.text() == "Update from what is shown")
    now = window.workbench.store.session
    for row, name in enumerate(("Mine", "Attention: Sinusoidal")):
        rows.setCurrentRow(row)
        update.trigger()
        made = bookmarks.all[row]
        assert (made.name, made.plot, made.session) == (name, "attention", now)
    assert bookmarks.all[0].note == "Ask why."
    assert any(label.text() == "Updated. Undo brings back what it showed." for label in shelf.findChildren(QLabel))
    QTest.keyClick(rows, Qt.Key.Key_Z, CONTROL)
    QTest.keyClick(rows, Qt.Key.Key_Z, CONTROL)
    assert bookmarks.all == (named, unnamed)


def test_no_more_are_added_than_a_file_holds(window, press) -> None:
    put(window, *map(str, range(100)))
    press(window, Qt.Key.Key_D)
    assert banner(window) == "No bookmark added: a file holds at most 100 bookmarks."
    assert len(names_of(window)) == 100
    shelf = window.findChild(BookmarksWindow)
    assert all(one.accessibleName() or one.text() for one in shelf.findChildren(QPushButton))
