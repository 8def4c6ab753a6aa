"""The choice between Before and Now where a card has no room for both."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QButtonGroup, QToolButton, QWidget

from posenc_gui.app.widgets.controls import in_row, tool_button
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.figure.before_and_now import band_of, changes_alone, fits_in_bands
from posenc_gui.figure.figure import Figure

_LEAST_HEIGHT, _LEAST_WIDTH = 430, 780  # pixels of a picture with all bands, and with all their columns
_FIRST = 1  # the band that is shown until another is chosen: Now

Form = int | str  # the number of the only band that is shown, or what is shown of all


class BandSwitch(QWidget):
    """Buttons that choose one band of a figure; they show only where the bands have no room below each other."""

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._band = _FIRST
        self._row = in_row(of=self, gap=2)
        self._buttons = QButtonGroup(self)
        for number, name in enumerate(("Before", "Now")):
            self._add(number, name)
        self.hide()

    def _add(self, number: int, name: str) -> QToolButton:
        button = tool_button(name, f"Show {name} alone", framed=True)
        button.setCheckable(True)
        button.setChecked(number == self._band)
        button.clicked.connect(partial(self._choose, number))
        self._buttons.addButton(button, number)
        self._row.addWidget(button)
        return button

    def form_of(self, figure: Figure, room: QSize) -> Form:
        """Return which form of a figure fits a room."""
        if not figure.bands:
            return "all"
        if room.height() < scaled(_LEAST_HEIGHT) or not fits_in_bands(figure):
            return self._band
        return "all" if room.width() >= scaled(_LEAST_WIDTH) else "changes"

    def shown(self, figure: Figure, form: Form) -> Figure:
        """Return a figure in one of its forms, and offer the other band if that is a single one."""
        self.setVisible(isinstance(form, int))
        if isinstance(form, int):
            return band_of(figure, form)
        return figure if form == "all" else changes_alone(figure)

    def _choose(self, number: int) -> None:
        self._band = number
        self.chosen.emit()
