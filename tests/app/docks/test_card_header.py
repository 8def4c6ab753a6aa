"""A card's header, which is made when the card is first shown."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QMainWindow, QToolButton

from posenc_gui.app.docks.card import Card


def test_what_was_said_of_a_card_before_it_was_shown_stands_in_its_header(qtbot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    card = Card("plot.clocks", "Clocks", window)
    card.hide()
    card.setWindowTitle("All dials")
    card.lock("Locked.")
    card.cover(QLabel("Behind this"))
    card.show_place({"plot.clocks": "Clocks"}, can_grow=True, way_back="")
    assert not card.findChildren(QToolButton)
    window.show()
    card.show()
    button = QToolButton()
    card.add_button(button)
    button.show()
    seen = {label.text() for label in card.titleBarWidget().findChildren(QLabel) if label.isVisible()}
    assert {"All dials", "Locked."} <= seen
    assert not button.isEnabled()
    assert not button.isVisible()
    grow = card.findChild(QToolButton, "maximise")
    assert grow.isVisible()
    assert grow.accessibleName() == "Maximise All dials"
