"""Going on: what was refused, or went wrong, does not outlive what the user does next."""

from __future__ import annotations

import pytest
from hands import action, banner, choose_arrangement, close_banner, open_file
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton

import posenc_gui as pe
from posenc_gui.app.widgets.headline_label import FittedSentence, Headline
from posenc_gui.app.window import notifications
from posenc_gui.app.window.plot_gallery import Gallery

pytestmark = pytest.mark.one_window


@pytest.fixture
def damaged(tmp_path):
    path = tmp_path / "damaged.json"
    path.write_text("{")
    return path


@pytest.mark.slow
def test_undo_takes_what_was_refused_out_of_the_fields(window, user, unhurried: None) -> None:
    model, encoding = window.workbench.model.form, window.workbench.encoding.form()
    user.types(encoding.editor("base").focusProxy(), "500")
    for name in ("d_model", "n_heads", "n_layers"):
        user.types(model.editor(name).focusProxy(), "0")
    user.types(encoding.editor("base").focusProxy(), "1e12")
    assert len(window.workbench.refused) == 4
    action(window, "Undo").trigger()
    assert window.workbench.store.session == pe.Session()
    assert window.workbench.refused == ()
    assert [model.editor(name).value() for name in ("d_model", "n_heads", "n_layers")] == [64, 4, 1]
    assert encoding.editor("base").value() == 10_000


@pytest.mark.slow
def test_what_went_wrong_is_no_longer_told_once_the_user_has_gone_on(window, damaged, tmp_path, qtbot) -> None:
    open_file(window, damaged)
    QApplication.processEvents()
    assert banner(window).startswith("Not opened: damaged.json")
    open_file(window, pe.Session(text="dogs").save(tmp_path / "whole.json"))
    assert banner(window) == ""
    open_file(window, damaged)
    QApplication.processEvents()
    window.workbench.store.propose(encoding="rope")
    assert banner(window) == ""


@pytest.mark.slow
def test_a_confirmation_passes_by_itself_also_with_a_button_and_a_problem_does_not(window, qtbot, monkeypatch) -> None:
    for name in ("_TO_NOTICE", "_TO_READ", "_TO_REACH"):
        monkeypatch.setattr(notifications, name, 0)
    window.messages.tell("Compare layout reset.", ("Undo", lambda: None))
    assert banner(window)
    qtbot.waitUntil(lambda: not banner(window))
    row = window.statusBar().height()
    window.messages.say(long := "Left aside: a part that this explorer doesn't know. " * 12)
    assert banner(window) == long
    qtbot.waitUntil(lambda: window.messages.height() <= row)  # read by now, it covers no plot
    assert banner(window).endswith("…")
    window.messages.say("Not saved: the disk is full.")
    QApplication.processEvents()
    choose_arrangement(window, "Lab")
    assert banner(window) == "Not saved: the disk is full."
    close_banner(window)
    assert banner(window) == ""


@pytest.mark.slow
def test_a_confirmation_leaves_with_the_arrangement_that_it_was_about_and_covers_no_title(window, user, settle) -> None:
    window.resize(960, 540)
    settle(window)
    window.messages.tell("Explore layout reset, with a sentence that is rather long: " * 3, ("Undo", lambda: None))
    QApplication.processEvents()
    below = window.messages.geometry()
    for card in window.cards.values():
        title = card.titleBarWidget()
        if card.in_view:
            assert not below.intersects(QRect(title.mapTo(window, QPoint()), title.size()))
    choose_arrangement(window, "Compare")
    settle(window)
    assert banner(window) == ""


@pytest.mark.slow
def test_letters_choose_encodings_and_never_models(window, unhurried: None, monkeypatch) -> None:
    monkeypatch.setattr(QApplication, "keyboardInputInterval", lambda: 60_000)  # however slow the machine
    choice, store = window.workbench.encoding.choice, window.workbench.store
    encodings = {choice.itemText(at).casefold(): choice.itemData(at) for at in range(len(pe.encodings()))}
    for letter in "LBGQTRA":
        QTest.keyClick(choice, Qt.Key.Key_Home)
        before = store.session
        QTest.keyClicks(choice, letter)
        begins = [name for title, name in encodings.items() if title.startswith(letter.casefold())]
        assert store.session.encoding.name in (begins or [before.encoding.name])
        assert store.session.model == before.model
    QTest.keyClick(choice, Qt.Key.Key_Home)
    QTest.keyClicks(choice, "REL")
    assert store.session.encoding.name == "shaw"


@pytest.mark.own_window
@pytest.mark.slow
def test_the_sentence_is_seen_whole_however_long_it_is(window, user, settle, qtbot) -> None:
    window.resize(960, 540)
    tokens = window.workbench.tokens
    for text in ("cat", "The cat sat on the mat", " ".join(f"word{at % 20}" for at in range(64)), "a " * 5000):
        user.pastes(window, text)
        parts = [tokens.text_edit, tokens.chips, *tokens.findChildren(QToolButton)]
        qtbot.waitUntil(lambda parts=parts: all(is_whole(part) for part in parts if not part.isHidden()))
    tokens.ask_to_go()
    qtbot.waitUntil(lambda: is_whole(QApplication.focusWidget()))


def is_whole(widget) -> bool:
    """Whether nothing covers a part of a widget, and it has the room that it needs."""
    return widget.visibleRegion().boundingRect() == widget.rect()


@pytest.mark.slow
def test_larger_type_leaves_the_sentence_and_the_plots_their_room_at_once(window, settle, qtbot) -> None:
    window.resize(1280, 800)
    settle(window)
    headline = window.findChild(Headline)
    for _ in range(3):
        QTest.keyClick(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(
        lambda: headline.height() >= headline.findChild(FittedSentence).heightForWidth(headline.plots.x() - 16)
    )
    assert window.tabifiedDockWidgets(window.cards["plot.waves"])


@pytest.mark.slow
def test_the_gallery_stays_over_the_cards_in_a_window_that_is_made_narrower(window, settle, qtbot) -> None:
    window.resize(1280, 800)
    settle(window)
    headline = window.findChild(Headline)
    QTest.mouseClick(headline.plots, Qt.MouseButton.LeftButton)
    gallery = window.findChild(Gallery)
    window.resize(1000, 700)
    settle(window)
    corners = [gallery.rect().center(), gallery.rect().topLeft() + QPoint(40, 10)]
    qtbot.waitUntil(lambda: all(_is_of(window.childAt(gallery.mapTo(window, at)), gallery) for at in corners))


def _is_of(found, widget) -> bool:
    return found is widget or (found is not None and widget.isAncestorOf(found))


@pytest.mark.slow
def test_a_window_takes_a_smaller_size_in_one_step(window, settle) -> None:
    window.resize(3840, 2160)
    settle(window)
    window.resize(1280, 800)
    settle(window)
    assert (window.width(), window.height()) == (1280, 800)
