"""The grid of the Compare card: columns for a row's title, A and B."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QSizePolicy, QToolButton, QWidget

from posenc_gui.app.widgets.controls import in_row
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation.theme import TIGHT
from posenc_gui.session.session import Session

Side = Literal["encoding", "other"]

SIDES: dict[Side, str] = {"encoding": "A", "other": "B"}
TITLE_COLUMN = 0
_FIRST = 1  # A's column; B's is the last one
_LEAST = 72  # minimum pixels of a side's column


def encodings_of(session: Session) -> dict[Side, Encoding]:
    """Return a session's encodings by side: A and, if there is one, B."""
    one: dict[Side, Encoding] = {"encoding": session.encoding}
    return one if session.other is None else {**one, "other": session.other}


class SideGrid(QGridLayout):
    """A grid layout whose rows hold a title and one widget per side."""

    def __init__(self) -> None:
        super().__init__()
        self.setContentsMargins(0, 0, 0, 0)
        self.setHorizontalSpacing(TIGHT)
        self.setVerticalSpacing(3)  # so that the rows that most pairs need fit without scrolling
        for column in (_FIRST, _FIRST + 1):
            self.setColumnStretch(column, 1)
            self.setColumnMinimumWidth(column, _LEAST)

    def add_badges(self, row: int) -> None:
        """Add the letters A and B above their columns."""
        for column, side in enumerate(SIDES.values(), start=_FIRST):
            self.addWidget(_badge(side), row, column, Qt.AlignmentFlag.AlignLeft)  # keeps the column wide

    def add(self, row: int, title: QWidget, *sides: QWidget | None) -> None:
        """Add a row with a widget for each side; a side may be empty."""
        self.addWidget(title, row, TITLE_COLUMN)
        for column, widget in enumerate(sides, start=_FIRST):
            if widget is not None:
                self._put(widget, row, column)

    def add_once(self, row: int, title: QWidget, both: QWidget) -> None:
        """Add a row with one widget across both sides."""
        self.add(row, title)
        self._put(both, row, _FIRST, 2)

    def add_below(self, row: int, words: QWidget) -> None:
        """Add a row that holds only text."""
        self._put(words, row, TITLE_COLUMN, 3)

    def _put(self, widget: QWidget, row: int, column: int, columns: int = 1) -> None:
        """Place a widget so that both sides stay equally wide, whatever they contain."""
        policy = widget.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)
        widget.setSizePolicy(policy)
        self.addWidget(widget, row, column, 1, columns)


class RowTitle(QWidget):
    """A row's title, with the =/≠ button between its values if it has one; no wider than its longest word."""

    def __init__(self, words: str, told: str = "", sign: QToolButton | None = None) -> None:
        super().__init__()
        title = QLabel(words, wordWrap=True)
        title.setToolTip(told)
        line = in_row(title, of=self, gap=0)
        if sign:
            line.addWidget(sign)

    def sizeHint(self) -> QSize:
        """Return only the minimum: the remaining width belongs to the sides."""
        return self.minimumSizeHint()


def _badge(side: str) -> QLabel:
    """Return the letter A or B for the top of its column."""
    label = QLabel(side)
    label.setObjectName(f"badge{side}")
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return label


def narrow(widget: QWidget) -> None:
    """Style the drop-down lists in a widget to leave as much width as possible for the names."""
    for choice in (widget, *widget.findChildren(QComboBox)):
        choice.setProperty("narrow", isinstance(choice, QComboBox))
