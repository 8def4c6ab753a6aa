"""What a teacher does in the dialog that makes a step of a lab, by real events."""

from __future__ import annotations

from pathlib import Path

from hands import LEFT, User, action
from lab_hands import press
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QScrollArea, QTabBar, QWidget

from posenc_gui.app.labs.authoring.step_parts import PAGES
from posenc_gui.app.labs.authoring.step_writer import StepWriter
from posenc_gui.app.widgets.controls import Choices
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.labs.definition import parse
from posenc_gui.labs.definition.lab import Lab


class Writer:
    """A teacher at the window, who writes to a file."""

    def __init__(self, window: MainWindow, user: User, qtbot: object, path: Path) -> None:
        self.window, self.user, self.qtbot, self.path = window, user, qtbot, path
        action(window, "Make this state a step").trigger()
        (self.dialog,) = window.findChildren(StepWriter)

    def turns_to(self, field: QWidget) -> None:
        """Show the page on which a field stands, by its tab."""
        turn_to(self.dialog, field)

    def records(self) -> None:
        """Begin, or end, what the learner shall do."""
        self.turns_to(self.dialog.capture)
        press(self.dialog.capture)

    def chooses(self, box: Choices, words: str) -> None:
        """Choose the first entry that holds these words, once it is there."""
        self.turns_to(box)
        self.qtbot.waitUntil(lambda: entry_with(box, words) is not None)
        self.user.picks(box, box.itemData(entry_with(box, words)))

    def shows(self, encoding: str) -> None:
        """Do what the learner shall do: choose another encoding."""
        self.records()
        self.user.chooses_encoding(self.window, encoding)
        self.records()

    def writes(self, button: QWidget) -> None:
        """Press a button, and wait until what is to be written was tried, and written or refused."""
        before = self.content()
        if not self.dialog.explain.toPlainText():
            self.turns_to(self.dialog.explain)
            self.user.types(self.dialog.explain, "So it is.")
        self.presses(button)
        self.qtbot.waitUntil(lambda: bool(self.dialog.refusal()) or self.content() != before)

    def presses(self, button: QWidget) -> None:
        """Press a button that writes, once nothing is missing."""
        self.qtbot.waitUntil(lambda: button.isVisible() and button.isEnabled())
        press(button)

    def content(self) -> str:
        """What stands in the file."""
        return self.path.read_text() if self.path.exists() else ""

    def answers(self, *answers: tuple[str, str]) -> None:
        """Write answers, each with the words of when it is what happens."""
        for row, (words, when) in zip(self.dialog.asking.rows, answers, strict=False):
            self.turns_to(row)
            self.user.types(row.words, words)
            if when:
                self.chooses(row.when, when)

    def lab(self) -> Lab:
        """What was written."""
        return parse.load(self.path)


def entry_with(box: QComboBox, words: str) -> int | None:
    """The first entry of a list that holds these words."""
    return next((at for at in range(box.count()) if words in box.itemText(at)), None)


def turn_to(dialog: StepWriter, field: QWidget) -> None:
    """Click the tab of the page on which a field stands."""
    tabs = dialog.findChild(QTabBar)
    (area,) = (area for area in dialog.findChildren(QScrollArea) if area.isAncestorOf(field))
    page = PAGES.index(area.accessibleName())
    QTest.mouseClick(tabs, LEFT, pos=tabs.tabRect(page).center())
    assert tabs.currentIndex() == page
