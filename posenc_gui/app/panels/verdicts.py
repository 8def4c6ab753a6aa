"""Verdicts: the six measured requirements in few words, each leading to the plot that shows it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from posenc_gui.app.controls import plain
from posenc_gui.figure import number
from posenc_gui.measures.base import Measurement
from posenc_gui.measures.requirements import SIGNS, Requirement, Requirements
from posenc_gui.plots.requirements import SHOWN_BY

_COLUMNS = 2
_OLD = "From before the last change."


class VerdictsView(QWidget):
    """One button a requirement: its sign, its title and the number behind it; what was found stands in its tooltip."""

    asked_for = Signal(str)  # the name of a plot

    def __init__(self) -> None:
        super().__init__()
        self._buttons: dict[str, QToolButton] = {}
        self._found: Measurement | None = None
        self._old = False
        self._grid = QGridLayout()
        self._grid.setSpacing(2)
        self._words = plain(name="muted")
        self._words.setMinimumHeight(self._words.fontMetrics().height())  # its coming must not move what a hand is on
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._grid)
        column.addWidget(self._words)

    def show_requirements(self, found: Measurement) -> None:
        """Show what was measured of the encoding, or, where nothing could be, why."""
        self._found = found
        self._show(old=False)

    def mark_old(self, old: bool) -> None:
        """Mark the verdicts as those of something else than what is there now, or take the mark away."""
        if old != self._old and self._found is not None:
            self._show(old)

    def quiet(self, quiet: bool) -> None:
        """Hide what was measured, or show it again."""
        self.setHidden(quiet)

    def buttons(self) -> dict[str, QToolButton]:
        """The requirements' buttons by name."""
        return dict(self._buttons)

    def words(self) -> str:
        """What is said of all verdicts together; mostly nothing."""
        return self._words.text()

    def _show(self, old: bool) -> None:
        self._old = old
        rows = self._found if isinstance(self._found, Requirements) else {}
        for name, row in rows.items():
            if name not in self._buttons:
                self._buttons[name] = self._button(name)
            _describe(self._buttons[name], row, old)
        for button in self._buttons.values():
            button.setVisible(bool(rows))
        why = "" if rows or self._found is None else self._found.reason
        self._words.setText(_OLD if old else why)

    def _button(self, name: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName("verdict")
        button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        button.clicked.connect(lambda: self.asked_for.emit(SHOWN_BY[name]))
        self._grid.addWidget(button, *divmod(len(self._buttons), _COLUMNS))
        return button


def _describe(button: QToolButton, row: Requirement, old: bool) -> None:
    value = "" if row.value is None else f" {_short(row.value)}"
    before = f"{_OLD} " if old else ""
    button.setText(f"{SIGNS[row.verdict]} {row.title}{value}")
    button.setAccessibleName(f"{before}{row.title}: {row.verdict}. {row.reason}")
    button.setToolTip(f"{before}{row.title}, of {row.about}s: {row.verdict}\n{row.reason}\n\n{row.definition}")
    if button.property("old") != old:
        button.setProperty("old", old)
        button.style().unpolish(button)
        button.style().polish(button)


def _short(value: float) -> str:
    """Two digits: all of them stand in the tooltip."""
    return "≈ 0" if 0 < value < 1e-5 else number(float(f"{value:.2g}"))
