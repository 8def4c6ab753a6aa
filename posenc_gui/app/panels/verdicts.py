"""Verdicts: the six measured requirements in few words, each leading to the plot that shows it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QToolButton, QWidget

from posenc_gui.figure import number
from posenc_gui.measures.base import Measurement
from posenc_gui.measures.requirements import SIGNS, Requirement, Requirements
from posenc_gui.plots.requirements import SHOWN_BY

_COLUMNS = 2


class VerdictsView(QWidget):
    """One button a requirement: its sign, its title and the number behind it; what was found stands in its tooltip."""

    asked_for = Signal(str)  # the name of a plot

    def __init__(self) -> None:
        super().__init__()
        self._buttons: dict[str, QToolButton] = {}
        self._found = self._quiet = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(2)

    def show_requirements(self, found: Measurement) -> None:
        """Show what was measured of the encoding; hide where nothing could be."""
        self._found = isinstance(found, Requirements)
        self.setVisible(self._found and not self._quiet)
        for name, row in found.items() if isinstance(found, Requirements) else ():
            if name not in self._buttons:
                self._buttons[name] = self._button(name)
            _describe(self._buttons[name], row)

    def quiet(self, quiet: bool) -> None:
        """Hide what was measured, or show it again."""
        self._quiet = quiet
        self.setVisible(self._found and not quiet)

    def buttons(self) -> dict[str, QToolButton]:
        """The requirements' buttons by name."""
        return dict(self._buttons)

    def _button(self, name: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName("verdict")
        button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        button.clicked.connect(lambda: self.asked_for.emit(SHOWN_BY[name]))
        self._grid.addWidget(button, *divmod(len(self._buttons), _COLUMNS))
        return button


def _describe(button: QToolButton, row: Requirement) -> None:
    value = "" if row.value is None else f" {_short(row.value)}"
    button.setText(f"{SIGNS[row.verdict]} {row.title}{value}")
    button.setAccessibleName(f"{row.title}: {row.verdict}. {row.reason}")
    button.setToolTip(f"{row.title}, of {row.about}s: {row.verdict}\n{row.reason}\n\n{row.definition}")


def _short(value: float) -> str:
    """Two digits: all of them stand in the tooltip."""
    return "≈ 0" if 0 < value < 1e-5 else number(float(f"{value:.2g}"))
