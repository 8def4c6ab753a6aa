"""Plots' cards: options behind a button, what differs beside the title, ways out in header and menu, and what is old."""

from __future__ import annotations

from threading import Event

import pytest
from eyes import writing
from hands import LEFT, bring_forward
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPushButton, QToolButton, QWidget

import posenc_gui as pe
from posenc_gui import plots
from posenc_gui.app.widgets.controls import wrap_tooltip

pytestmark = pytest.mark.one_window


def panel_of(window, name: str = "attention"):
    return window.workbench.plots[name]


def header_of(window, name: str = "attention") -> QWidget:
    return window.cards[f"plot.{name}"].titleBarWidget()


def words_beside_the_title(window, name: str = "attention") -> str:
    return " ".join(label.text() for label in header_of(window, name).findChildren(QLabel))


@pytest.mark.slow
def test_options_are_behind_a_button_and_what_differs_stands_beside_the_title(window, user, settle) -> None:
    panel = panel_of(window)
    assert not panel.form.isVisible()
    assert "head 1" not in words_beside_the_title(window)
    QTest.mouseClick(panel.options_button, LEFT)
    assert panel.form.isVisible()
    user.types(panel.form.editor("head").focusProxy(), "1")
    settle(window)
    assert "head 1 of 4 · " in words_beside_the_title(window)
    user.picks(panel.form.editor("quantity").focusProxy(), "scores")
    settle(window)
    assert words_beside_the_title(window).startswith("Attention show: scores · ")
    QTest.keyClick(panel.options_button, Qt.Key.Key_Space)
    assert not panel.form.isVisible()
    assert "head 1" in words_beside_the_title(window)
    assert panel.options_button.accessibleName() == "Options of Attention"


def test_the_caption_stands_beside_the_title(window) -> None:
    figure = panel_of(window).view.figure()
    assert figure.caption[:20] in words_beside_the_title(window)  # as much of it as there is room for
    assert wrap_tooltip(figure.caption) in [
        label.toolTip() for label in window.cards["plot.attention"].findChildren(QLabel)
    ]


@pytest.mark.slow
def test_where_two_are_compared_what_differs_is_said_before_what_the_picture_is_of(window, settle) -> None:
    window.workbench.store.propose(encoding="rope", other=pe.encoding("rope", base=500_000.0))
    bring_forward(window, "frequencies")
    settle(window)
    said = words_beside_the_title(window, "frequencies")
    assert said.startswith("Frequencies differs: base")


@pytest.mark.slow
def test_captions_end_where_buttons_begin_that_are_seen_at_rest(window, settle) -> None:
    header = header_of(window)
    caption = next(label for label in header.findChildren(QLabel) if label.toolTip())
    right = caption.mapTo(header, caption.rect().bottomRight()).x()
    at_rest = panel_of(window).options_button
    assert 0 < at_rest.mapTo(header, QPoint()).x() - right <= 12
    for name in ("copy", "export", "float", "close"):  # over its end, and seen only while the card is pointed at
        assert header.findChild(QToolButton, name).mapTo(header, QPoint()).x() < right


def test_what_a_picture_of_one_panel_is_of_stands_beside_the_card_s_title_alone(window, settle) -> None:
    bring_forward(window, "kernel")
    settle(window)
    (panel,) = panel_of(window, "kernel").view.figure().panels
    assert panel.title in words_beside_the_title(window, "kernel")
    assert panel.title not in {one.text for one in writing(panel_of(window, "kernel").view)}


def test_a_row_that_is_to_be_seen_is_not_said_to_be_on(window, settle) -> None:
    window.workbench.store.propose(plots={"attention": {"row": True}})
    settle(window)
    assert words_beside_the_title(window).startswith("Attention a row for each query")


def test_copy_and_export_stand_in_the_card_s_menu(window) -> None:
    card = window.cards["plot.attention"]
    assert card.contextMenuPolicy() == Qt.ContextMenuPolicy.ActionsContextMenu
    assert {"Copy picture", "Copy numbers", "Export …"} <= {action.text() for action in card.actions()}
    for name in ("copy", "export"):
        button = header_of(window).findChild(QToolButton, name)
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert "Attention" in button.accessibleName()


@pytest.mark.slow
def test_play_is_there_where_something_can_be_played(window, user) -> None:
    bring_forward(window, "clocks")
    for encoding, plays in {"sinusoidal": True, "rope": True, "alibi": False, "none": False}.items():
        user.chooses_encoding(window, encoding)
        bring_forward(window, "clocks")  # beside what is another encoding's own picture
        (player,) = panel_of(window, "clocks").players
        assert player.isVisible() == plays, encoding


@pytest.mark.slow
def test_what_plays_stops_where_nothing_can_be_played_any_more(window, user, settle) -> None:
    bring_forward(window, "clocks")
    settle(window)
    (player,) = panel_of(window, "clocks").players
    QTest.mouseClick(player, LEFT)
    assert player.playing
    user.chooses_encoding(window, "alibi")
    assert not player.playing


@pytest.mark.slow
def test_a_card_without_a_picture_says_that_it_is_computed_also_behind_another_job(window, settle, qtbot) -> None:
    settle(window)
    going_on = Event()
    window.workbench._worker.submit(lambda _check_stop: iter(going_on.wait, True))
    bring_forward(window, "comparison")
    panel = panel_of(window, "comparison")
    qtbot.waitUntil(lambda: panel.state() == "Computing …")
    window.workbench.stop()
    going_on.set()
    qtbot.waitUntil(lambda: panel.state() == "Stopped")
    window.workbench.compute()
    qtbot.waitUntil(lambda: panel.view.figure() is not None)
    assert panel.state() == ""


@pytest.mark.slow
def test_pictures_that_are_not_seen_are_not_said_to_be_computed(window, settle, qtbot) -> None:
    """They are drawn when they are seen; until then nothing computes them."""
    for name in ("row", "why", "encoding", "waves", "clocks"):
        bring_forward(window, name)
        settle(window)
    store = window.workbench.store
    states = []
    window.workbench.status.connect(
        lambda _: states.append([panel.state() for panel in window.workbench.plots.values()])
    )
    store.propose(text=" ".join(f"w{at}" for at in range(400)), model=pe.ToyModel(d_model=2048))
    settle(window)
    qtbot.waitUntil(lambda: not window.busy)
    assert states
    assert [panel.state() for panel in window.workbench.plots.values()] == [""] * len(window.workbench.plots)
    hidden = [panel for name, panel in window.workbench.plots.items() if not window.cards[f"plot.{name}"].in_view]
    assert hidden


@pytest.mark.slow
def test_no_number_field_is_out_of_reach_when_the_options_are_open(window, settle) -> None:
    for name, panel in window.workbench.plots.items():
        bring_forward(window, name)
        settle(window)
        panel.options_button.setChecked(True)
        for field in panel.form.names():
            assert panel.form.editor(field).isVisible(), f"{name}.{field}"
        panel.options_button.setChecked(False)


def test_every_hint_says_more_than_the_label_it_belongs_to(window) -> None:
    for button in window.findChildren(QAbstractButton):
        hint = button.toolTip().strip(". ").lower()
        assert not hint or hint != button.text().strip(". ").lower()


@pytest.mark.slow
def test_a_pinned_picture_stands_beside_those_that_come_on_one_scale(window, user, settle) -> None:
    panel = panel_of(window, "waves")
    (before,) = panel.view.figure().panels
    panel.pin.trigger()
    user.types(window.workbench.encoding.form().editor("base").focusProxy(), "100")
    settle(window)
    figure = panel.view.figure()
    assert figure.session == window.workbench.store.session.to_json()
    labels = [series.label for shown in figure.panels for series in shown.series]
    assert {"Before", "Now"} <= {label.rpartition(", ")[2] for label in labels}
    pinned = header_of(window, "waves").findChild(QToolButton, "pin")
    assert pinned.isVisible()
    QTest.mouseClick(pinned, LEFT)
    (now,) = panel.view.figure().panels
    assert len(now.series) == len(before.series)
    assert not pinned.isVisible()
    assert not panel.pin.isChecked()


@pytest.mark.slow
def test_nothing_is_pinned_where_two_encodings_stand_beside_each_other(window, settle) -> None:
    panel = panel_of(window)
    panel.pin.trigger()
    window.workbench.store.propose(other="rope")
    settle(window)
    assert not panel.pin.isEnabled()
    assert not panel.pin.isChecked()


def test_every_plot_with_options_can_show_them(window) -> None:
    for name, panel in window.workbench.plots.items():
        assert panel.options_button.isHidden() == (not plots.plots()[name].options.model_fields)


@pytest.mark.slow
def test_options_that_change_nothing_of_two_encodings_or_of_one_are_left_out(window, settle) -> None:
    form = panel_of(window).form
    assert ("row" in form.names(), "maps" in form.names()) == (True, False)
    window.workbench.store.propose(other="rope")
    settle(window)
    assert ("row" in form.names(), "maps" in form.names()) == (False, True)
    assert "row in focus" not in words_beside_the_title(window).lower()


@pytest.mark.slow
def test_a_plot_without_a_picture_says_one_thing_and_offers_one_that_helps(window, user, settle) -> None:
    store = window.workbench.store
    user.pastes(window, "")
    assert said_instead(window) == (
        "Type a sentence to see which word looks at which.",
        "Take “The cat sat on the mat”",
    )
    QTest.mouseClick(remedy_of(window), LEFT)
    settle(window)
    assert store.session.text == "The cat sat on the mat"
    assert not remedy_of(window).isVisible()

    window.workbench.store.propose(encoding="learned", plots={"sweep": {"number": "base"}})
    bring_forward(window, "sweep")
    settle(window)
    assert said_instead(window, "sweep") == ("“Learned” has no number called base.", "Sweep table length")
    remedy_of(window, "sweep").setFocus()
    QTest.keyClick(remedy_of(window, "sweep"), Qt.Key.Key_Space)
    settle(window)
    assert not panel_of(window, "sweep").view.figure().is_note
    assert panel_of(window, "sweep").isAncestorOf(QApplication.focusWidget())


def remedy_of(window, name: str = "attention") -> QPushButton:
    return panel_of(window, name).findChild(QPushButton, "remedy")


def said_instead(window, name: str = "attention") -> tuple[str, str]:
    """The sentence in place of a plot's picture, and its button."""
    button = remedy_of(window, name)
    return button.parentWidget().findChild(QLabel).text(), button.text()
