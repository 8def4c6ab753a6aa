"""The verdicts on A beside those on B."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget

from posenc_gui.app.panels.compare_grid import SIDES, TITLE_COLUMN, Side, SideGrid
from posenc_gui.app.panels.requirements_table import FROM_BEFORE
from posenc_gui.app.widgets.controls import plain_label, wrap_tooltip
from posenc_gui.foundation.theme import QUIET
from posenc_gui.measures.base import Measurement
from posenc_gui.measures.requirements import Requirements, definitions


class TwoVerdicts(QWidget):
    """The six requirements with A's and B's verdicts, each a sign and a word; the measurements are in the tooltips."""

    def __init__(self) -> None:
        super().__init__()
        grid = SideGrid()
        self.setLayout(grid)
        grid.setRowMinimumHeight(0, QUIET)
        grid.addWidget(_semibold("Requirements"), 0, TITLE_COLUMN)
        grid.add_badges(0)
        self._labels: dict[tuple[Side, str], QLabel] = {}
        for row, (name, one) in enumerate(definitions().items(), start=1):
            labels = {side: plain_label() for side in SIDES}
            self._labels |= {(side, name): label for side, label in labels.items()}
            title = QLabel(one.title)
            title.setToolTip(one.definition)
            grid.add(row, title, *labels.values())
        self._words = plain_label(name="muted")
        grid.add_below(len(definitions()) + 1, self._words)

    def show_requirements(self, found: Measurement, other: Measurement | None) -> None:
        """Show the verdicts on A and on B, or why they are not available."""
        self._words.setText("")
        sides: dict[Side, Measurement | None] = {"encoding": found, "other": other}
        for (side, name), label in self._labels.items():
            rows = sides[side]
            row = rows[name] if isinstance(rows, Requirements) else None
            label.setText(row.told if row else "")
            label.setProperty("verdict", row.verdict if row else "")
            label.setToolTip(wrap_tooltip(row.reason) if row else "")
            label.style().unpolish(label)
            label.style().polish(label)
            label.setEnabled(True)
        whys = [f"{SIDES[side]}: {one.reason}" for side, one in sides.items()
                if one is not None and not isinstance(one, Requirements)]  # fmt: skip
        self._words.setText(" ".join(whys))

    def mark_old(self, old: bool) -> None:
        """Mark the verdicts as out of date, or remove that mark."""
        for label in self._labels.values():
            label.setEnabled(not old)
        if old:
            self._words.setText(FROM_BEFORE)
        elif self._words.text() == FROM_BEFORE:
            self._words.setText("")

    def label(self, side: Side, name: str) -> QLabel:
        """The label of a requirement's verdict on one side."""
        return self._labels[side, name]


def _semibold(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("cardTitle")
    return label
