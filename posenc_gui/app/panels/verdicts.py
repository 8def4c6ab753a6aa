"""The verdicts: those on A beside those on B, and when they are judged: shortly after the last change, but not delayed by
pictures without end."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QLabel, QWidget

from posenc_gui.app.panels.compare_grid import SIDES, TITLE_COLUMN, Side, SideGrid
from posenc_gui.app.panels.jobs import Verdicts
from posenc_gui.app.panels.requirements_table import FROM_BEFORE, RequirementsTable
from posenc_gui.app.widgets.controls import delayed, explain, plain_label, set_styled
from posenc_gui.foundation.theme import QUIET
from posenc_gui.measures.base import Measurement
from posenc_gui.measures.requirements import Requirements, basis_of, definitions, verdict_told
from posenc_gui.session.session import Session

AT_REST = 150  # milliseconds without a change before the encoding is judged, so that dragging leaves time for pictures
_GIVES_WAY = 2  # how often pictures may interrupt the verdicts, as while a plot plays; then pictures wait for them


class VerdictSchedule(QObject):
    """Schedule of the verdicts: which are due, underway and shown. A set of verdicts is identified by its basis,
    the values it depends on."""

    came_due = Signal()

    def __init__(self, views: tuple[RequirementsTable, TwoVerdicts], parent: QObject) -> None:
        super().__init__(parent)
        self._of_one, self._of_both = views
        self._basis: Hashable | None = None  # the current session's
        self._shown: Hashable | None = None
        self._underway: Hashable | None = None
        self._attempts = 0  # interrupted attempts to judge the current session
        self._timer = delayed(self, self.came_due, AT_REST)

    def follow(self, session: Session, n_tokens: int) -> None:
        """Mark verdicts with another basis as out of date, and start the wait if the basis has changed."""
        of_one = partial(basis_of, model=session.model, n_tokens=n_tokens)
        before, self._basis = self._basis, (of_one(session.encoding), session.other and of_one(session.other))
        for view in (self._of_one, self._of_both):
            view.mark_old(self._basis != self._shown)
        if self._basis == self._shown:
            self._timer.stop()
        elif self._basis != before:
            self._attempts = 0
            self._timer.start()

    @property
    def due(self) -> Hashable | None:
        """The basis to judge now; None if nothing is due, or not yet."""
        return None if self._basis == self._shown or self.is_waiting else self._basis

    @property
    def is_waiting(self) -> bool:
        """True from a change until its verdicts are due."""
        return self._timer.isActive()

    @property
    def have_given_way(self) -> bool:
        """True if pictures have interrupted the current verdicts so often that they must now wait for them."""
        return self._underway is not None and self._underway == self._basis and self._attempts > _GIVES_WAY

    def set_underway(self, basis: Hashable | None) -> None:
        """Record the basis of the verdicts that the worker computes; None if it computes none."""
        self._underway = basis
        if basis is not None:
            self._attempts += 1

    def show(self, judged: Verdicts) -> None:
        """Show verdicts, unless the session has changed since they were requested."""
        if judged.basis == self._basis:
            self._shown = judged.basis
            self._of_one.show_requirements(judged.requirements)
            self._of_both.show_requirements(judged.requirements, judged.of_other)


class TwoVerdicts(QWidget):
    """The six requirements with A's and B's verdicts, each a sign and a word; the measurements are in the tooltips."""

    def __init__(self) -> None:
        super().__init__()
        grid = SideGrid()
        self.setLayout(grid)
        grid.setRowMinimumHeight(0, QUIET)
        grid.addWidget(plain_label("Requirements", "cardTitle", wraps=False), 0, TITLE_COLUMN)
        grid.add_badges(0)
        self.labels: dict[tuple[Side, str], QLabel] = {}
        for row, (name, one) in enumerate(definitions().items(), start=1):
            labels = {side: plain_label() for side in SIDES}
            self.labels |= {(side, name): label for side, label in labels.items()}
            title = QLabel(one.title)
            title.setToolTip(one.definition)
            grid.add(row, title, *labels.values())
        self._words = plain_label(name="muted")
        grid.add_below(len(definitions()) + 1, self._words)

    def show_requirements(self, found: Measurement, other: Measurement | None) -> None:
        """Show the verdicts on A and on B, or why they are not available."""
        sides: dict[Side, Measurement | None] = {"encoding": found, "other": other}
        for (side, name), label in self.labels.items():
            rows = sides[side]
            row = rows[name] if isinstance(rows, Requirements) else None
            label.setText(("–" if row.verdict == "n/a" else row.told) if row else "")
            explain(label, f"{row.reason}{row.told_in_parts}" if row else "")
            set_styled(label, "verdict", row.verdict if row else "")
            label.setEnabled(True)
        whys = [f"{SIDES[side]}: {one.reason}" for side, one in sides.items()
                if one is not None and not isinstance(one, Requirements)]  # fmt: skip
        not_applying = any(label.text() == "–" for label in self.labels.values())
        self._words.setText(" ".join([*whys, *[verdict_told("n/a")] * not_applying]))

    def mark_old(self, old: bool) -> None:
        """Mark the verdicts as out of date, or remove that mark."""
        for label in self.labels.values():
            label.setEnabled(not old)
        if old:
            self._words.setText(FROM_BEFORE)
        elif self._words.text() == FROM_BEFORE:
            self._words.setText("")
