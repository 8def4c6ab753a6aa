"""Sessions handed on: share strings by keys and by paste, where cards stand in a file, recent files, folders, drops."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from random import Random

import pytest
from hands import action, banner, close_banner, drop, files, open_file, read, session_of
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

import posenc_gui as pe
from posenc_gui.app.state.settings import MOST_RECENT as MOST
from posenc_gui.foundation.resources import folder
from posenc_gui.session.card_layout import Area

pytestmark = pytest.mark.one_window

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def put(text: str) -> None:
    QGuiApplication.clipboard().setText(text)


# --- Share strings


def test_a_share_string_goes_from_one_window_to_another_by_keys(window, settle, qtbot) -> None:
    window.workbench.store.propose(text="dog bites man", encoding="rope")
    shared = session_of(window)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window, Qt.Key.Key_C, CONTROL | SHIFT)
    word = QGuiApplication.clipboard().text()
    assert pe.Session.from_share(word) == shared
    assert banner(window) == f"Copied the session as a share string of {len(word)} characters."
    window.documents.new()
    put(f"Look at this:\n> {word[:20]}\n> {word[20:]}\nand tell me.")
    QTest.keyClick(window, Qt.Key.Key_V, CONTROL | SHIFT)
    settle(window)
    assert session_of(window) == shared
    assert banner(window) == "Opened the share string's session. Undo returns to yours."
    assert window.windowTitle().startswith("Untitled ")


def test_what_is_no_share_string_is_said_and_nothing_changes(window, user) -> None:
    for text, why in (
        ("dog <b>bites</b> man", "this is not a share string, which would begin with “posenc1”."),
        (pe.Session(text="dog bites man").share()[:-3], "this share string is cut short: "),
    ):
        put(text)
        user.chooses(window, "Edit", "Paste share string")
        assert banner(window).startswith(f"Not opened: {why}")
        assert session_of(window) == pe.Session()


def test_pasted_into_the_text_it_is_opened_and_undo_brings_the_sentence_back(window, user, settle, hurried) -> None:
    edit, shared = window.workbench.tokens.text_edit, pe.Session(text="dog bites man", focus=0)
    user.types(edit, "not to be lost")
    put(f" {shared.share()}\n")
    QTest.keyClick(edit, Qt.Key.Key_V, CONTROL)
    settle(window)
    assert session_of(window) == shared
    assert edit.toPlainText() == "dog bites man"
    action(window, "Undo").trigger()
    assert edit.toPlainText() == "not to be lost"
    put(shared.share()[:-1])
    QTest.keyClick(edit, Qt.Key.Key_V, CONTROL)
    read(window)
    assert edit.toPlainText() == "not to be lost"
    assert "cut short" in banner(window)
    put("posenc1 is a mark")
    QTest.keyClick(edit, Qt.Key.Key_V, CONTROL)
    assert "posenc1 is a mark" in edit.toPlainText()


# --- Where cards stand


def places(window) -> set[frozenset[str]]:
    """The cards that are open, place by place."""
    named = [
        (card, *(other for other in window.tabifiedDockWidgets(card) if not other.isHidden()))
        for card in window.cards.values()
        if not card.isHidden()
    ]
    return {frozenset(card.objectName() for card in place) for place in named}


@pytest.mark.slow
def test_a_file_holds_where_cards_stand_on_request_and_one_s_own_comes_back(window, user, answer, tmp_path) -> None:
    own = places(window)
    path = tmp_path / "cards.json"
    window.cards["code"].close()
    window.cards["model"].bring()
    window.tabifyDockWidget(window.cards["tokens"], window.cards["model"])
    window.cards["plot.waves"].raise_()
    answer(path)
    user.chooses(window, "File", "Save with card layout …")
    assert banner(window) == f"Saved {path} with the card layout."
    assert pe.Session.load(path) == session_of(window)
    kept = places(window)
    user.chooses(window, "View", "Reset layout")
    assert places(window) == own != kept
    assert not action(window, "Back to my layout").isEnabled()
    open_file(window, path)
    user.settle(window)
    assert places(window) == kept
    assert window.cards["plot.waves"].in_view
    assert "Back to my layout" in banner(window)
    opens(window, "&View")
    user.chooses(window, "View", "Back to my layout")
    assert places(window) == own
    assert not action(window, "Back to my layout").isEnabled()


def test_a_file_that_holds_cards_goes_on_to_and_one_that_does_not_neither(window, user, answer, tmp_path) -> None:
    with_cards, without = tmp_path / "with.json", tmp_path / "without.json"
    answer(with_cards)
    user.chooses(window, "File", "Save with card layout …")
    user.pastes(window, "changed")
    user.chooses(window, "File", "Save")
    opened = pe.Session.open(with_cards)
    assert (opened.content.text, list(opened.beside)) == ("changed", ["arrangement"])
    answer(without)
    user.chooses(window, "File", "Save as …")
    user.chooses(window, "File", "Save")
    assert pe.Session.open(without).beside == {}


@pytest.mark.slow
def test_the_user_s_own_arrangement_is_there_at_the_next_start(open_window, user, tmp_path) -> None:
    window = open_window()
    own = places(window)
    open_file(window, pe.Session().save(tmp_path / "a.json", Area(tabs=("plot.attention", "tokens")).beside))
    user.settle(window)
    assert places(window) == {frozenset({"plot.attention", "tokens"})}
    window.close()
    assert places(open_window()) == own


UNUSABLE = {
    "unknown": ({"tabs": ["plot.attention", "plot.<b>x</b>"]}, "Left out of the card layout: 'plot.<b>x</b>'"),
    "nothing known": ({"tabs": ["wheel"]}, "Left out of the card layout: 'wheel'"),
    "no area": ([1], "The file's card layout can't be used: "),
    "Qt's bytes": ("AAAA/wAAAAD9", "The file's card layout can't be used: "),
    "both ways": ({"across": [{"tabs": ["tokens"]}], "down": [{"tabs": ["code"]}]}, "an area has only one of "),
}


def test_what_a_file_says_of_cards_and_can_not_be_is_said_and_the_session_opened(window, user, tmp_path) -> None:
    for kind, (part, said) in UNUSABLE.items():
        path = tmp_path / f"{kind}.json"
        path.write_text(json.dumps({**json.loads(pe.Session(text=kind).to_json()), "arrangement": part}))
        open_file(window, path)
        user.settle(window)
        assert session_of(window).text == kind
        assert said in banner(window)
        assert not window.grab().isNull()


parts = st.recursive(
    st.lists(st.sampled_from(["tokens", "encoding", "code", "lab", "plot.waves", "plot.why", "x"]), max_size=3).map(
        lambda tabs: {"tabs": tabs}
    ),
    lambda inner: st.builds(
        lambda across, own, share: {across: own, "share": share},
        st.sampled_from(["across", "down"]),
        st.lists(inner, max_size=3),
        st.integers(1, 100_000),
    ),
    max_leaves=8,
)


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example({"tabs": ["lab", "plot.waves"]})
@given(part=parts)
def test_any_arrangement_can_be_shown_and_is_what_the_window_says_then(window, part) -> None:
    area = Area.read(part)
    window._startup.arranger.show(area)
    QApplication.processEvents()
    wanted = {frozenset(tabs) for tabs in area.only(window.cards).places()}
    assert places(window) == wanted
    assert {frozenset(tabs) for tabs in window._startup.arranger.area.places()} == wanted


# --- Recent files


def recent(window) -> list[str]:
    """What the menu shows, without the numbers."""
    opens(window, "&File")
    menu = next(menu for menu in window.findChildren(QMenu) if menu.title() == "Open &recent")
    shown = [entry for entry in menu.actions() if entry.isVisible() and not entry.isSeparator()]
    return [entry.text().partition(": ")[2].replace("&&", "&").partition("   ")[0] for entry in shown[:-1]]


def opens(window, title: str) -> None:
    """A menu is about to be shown: what it offers is as things are now."""
    next(menu for menu in window.findChildren(QMenu) if menu.title() == title).aboutToShow.emit()


def choose_recent(window, number: int) -> None:
    opens(window, "&File")
    next(one for one in window.findChildren(QMenu) if one.title() == "Open &recent").actions()[number - 1].trigger()
    read(window)


@pytest.mark.slow
def test_files_that_were_opened_and_saved_are_offered_the_last_one_first(open_window, user, answer, tmp_path) -> None:
    window = open_window()
    first = pe.Session(text="one").save(tmp_path / "one & only.json")
    figure = pe.plot("waves", pe.Session(text="figure")).save(tmp_path / "map.svg")
    answer(tmp_path / "saved.json")
    for path in (first, figure):
        open_file(window, path)
    user.chooses(window, "File", "Save as …")
    assert recent(window) == ["saved.json", "map.svg", "one & only.json"]
    choose_recent(window, 3)
    assert session_of(window).text == "one"
    assert recent(window) == ["one & only.json", "saved.json", "map.svg"]
    window.close()
    again = open_window()
    assert recent(again) == ["one & only.json", "saved.json", "map.svg"]
    user.chooses(again, "Open recent", "Clear the list")
    assert recent(again) == []
    assert not action(again, "Clear the list").isEnabled()


def test_a_file_that_is_gone_leaves_the_list_with_a_sentence(window, user, tmp_path) -> None:
    path = pe.Session(text="soon gone").save(tmp_path / "gone.json")
    open_file(window, path)
    path.unlink()
    choose_recent(window, 1)
    assert banner(window) == f"Not opened: {path} no longer exists and was removed from the list."
    assert recent(window) == []


def test_at_most_ten_are_kept_and_names_are_shortened_and_no_markup(window, tmp_path) -> None:
    for number in range(MOST + 2):
        open_file(window, pe.Session(focus=number).save(tmp_path / f"{number}.json"))
    assert recent(window) == [f"{number}.json" for number in range(MOST + 1, 1, -1)]
    long = tmp_path / ("x" * 60) / f"{'y' * 90}\u202e.json"
    long.parent.mkdir()
    open_file(window, pe.Session().save(long))
    name = recent(window)[0]
    assert len(name) < 60
    assert name.startswith("yyy")
    assert "…" in name
    if os.name == "posix":  # other systems have no such names
        open_file(window, pe.Session().save(tmp_path / "<b>x<:b>.json"))
        assert recent(window)[0] == "<b>x<:b>.json"


@pytest.mark.slow
def test_a_lab_s_file_is_offered_and_played_again(window, tmp_path) -> None:
    path = tmp_path / "mine.md"
    shutil.copy(next((folder() / "labs").glob("*.md")), path)
    open_file(window, path)
    assert recent(window) == ["mine.md"]
    window.labs.desk.leave()
    choose_recent(window, 1)
    assert window.labs.desk.play is not None


# --- Dialogs


@pytest.mark.slow
def test_dialogs_begin_where_the_last_one_ended_also_at_the_next_start(open_window, user, answer, tmp_path) -> None:
    there, other = tmp_path / "there", tmp_path / "other"
    for one in (there, other):
        one.mkdir()
    path = pe.Session().save(there / "a.json")
    window = open_window()
    answer(path)
    user.chooses(window, "File", "Open …")
    window.documents.new()
    began = answer("")
    for menu, name in (("File", "Open …"), ("Labs", "Open a lab …"), ("Labs", "Folder of labs …")):
        user.chooses(window, menu, name)
    user.chooses(window, "File", "Save as …")
    user.chooses(window, "Labs", "Reports of a class …")
    assert began == [str(there)] * 3 + [str(there / "session.json"), str(there)]
    answer(other)
    user.chooses(window, "Labs", "Folder of labs …")
    window.close()
    began = answer("")
    again = open_window()
    user.chooses(again, "File", "Open …")
    shutil.rmtree(other)
    user.chooses(again, "File", "Open …")
    assert began == [str(other), str(Path.home())]


# --- Drops


@pytest.mark.slow
def test_a_file_falls_on_any_part_of_the_window(window, settle, tmp_path) -> None:
    for name in ("tokens", "encoding", *Random(7).sample(sorted(window.cards), 4)):
        card = window.cards[name]
        card.bring()
        settle(window)
        takers = [card, *(one for one in card.findChildren(QWidget) if one.acceptDrops() and one.isVisible())]
        for number, widget in enumerate(takers):
            session = pe.Session(text=f"{card.objectName().replace('.', ' ')} {number}")
            assert drop(window, files(session.save(tmp_path / "a.json")), widget), widget
            assert session_of(window) == session, widget
    settle(window)


@pytest.mark.slow
def test_a_text_that_is_dropped_takes_the_sentence_s_place_and_undo_brings_it_back(window, settle, tmp_path) -> None:
    before = session_of(window)
    (tmp_path / "notes.txt").write_bytes("\ufeffto be\r\nor nöt to be".encode())
    assert drop(window, tmp_path / "notes.txt")
    settle(window)
    assert session_of(window) == before.changed(text="to be\nor nöt to be")
    assert window.workbench.store.undo_name == "Open notes.txt"
    assert window.documents.file.path is None
    (tmp_path / "music.txt").write_bytes(b"\x00\x01")
    assert drop(window, tmp_path / "music.txt")
    assert banner(window) == "Not opened: music.txt holds NUL characters, so it is a binary file, not text."
    window.workbench.store.undo()
    settle(window)
    assert session_of(window) == before


def test_of_several_files_the_first_is_opened_and_that_is_said(window, settle, tmp_path) -> None:
    paths = [pe.Session(text=name).save(tmp_path / f"{name}.json") for name in ("one", "two", "three")]
    assert drop(window, files(tmp_path, *paths))
    settle(window)
    assert session_of(window).text == "one"
    assert banner(window) == "Of 3 files only the first was taken, “one.json”."


def test_what_went_wrong_with_one_file_is_over_when_another_is_opened(window, settle, tmp_path) -> None:
    empty, same = tmp_path / "empty.txt", pe.Session().save(tmp_path / "same.json")
    empty.write_text(" \n")
    before = session_of(window)
    assert drop(window, files(empty, same))
    settle(window)
    assert banner(window) == "Not opened: empty.txt holds no text. Of 2 files only the first was taken, “empty.txt”."
    assert session_of(window) == before
    QApplication.processEvents()  # what is told in one go with a change is about that change
    assert drop(window, same)  # which changes nothing, and was opened all the same
    settle(window)
    assert not window.messages.isVisible()


def test_what_can_not_be_opened_is_said(window, tmp_path) -> None:
    edit = window.workbench.tokens.text_edit
    for place in ("https://example.org/a.json", tmp_path, tmp_path / "gone.json"):
        assert drop(window, files(place), edit.viewport())
        assert banner(window).startswith("Not opened: "), place
        assert banner(window).endswith("."), place
        assert edit.toPlainText() == "The cat sat on the mat"
        close_banner(window)


def test_words_that_are_dropped_on_the_text_are_words(window, settle) -> None:
    data = QMimeData()
    data.setText("dog ")
    edit = window.workbench.tokens.text_edit
    assert drop(window, data, edit.viewport())
    settle(window)
    assert "dog" in session_of(window).text
