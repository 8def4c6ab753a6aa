"""Starting a sweep from a card with parameters: the user chooses a number, or encodings, and its plot opens."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import groupby
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from posenc_gui.app.state.store import Store
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.scene import sweepable_fields
from posenc_gui.scene.sweepable_fields import FEWEST, FEWEST_ENCODINGS, MOST, Part, SweepableNumber

WORDS = f"a number or encodings, {FEWEST_ENCODINGS} to {MOST}"  # text of the rows that open a sweep
_OF: dict[Part, str] = {"encoding": "A", "other": "B", "scene": "both"}


class Sweeping:
    """Chooser for a sweep: asks for a parameter, proposes values, and opens the sweep plot."""

    def __init__(self, store: Store, bring: Callable[[str], None]) -> None:
        self._store, self._bring = store, bring

    def ask(self, at: QWidget) -> None:
        """Show a menu below a widget: encodings, and the session's numbers, grouped by A, B and the model."""
        menu = QMenu(at)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        session = self._store.session
        several = menu.addAction("Encoding")
        several.setEnabled(len(sweepable_fields.propose_encodings(session)) >= FEWEST_ENCODINGS)
        several.triggered.connect(self.begin_encodings)
        whose = _OF | {
            "model": f"the {session.model.called}" if isinstance(session.model, ToyModel) else session.model.name
        }
        for part, numbers in groupby(sweepable_fields.sweepable_numbers(session).values(), lambda number: number.part):
            menu.addSeparator()
            for number in numbers:
                is_alone = part == "scene" or (part == "encoding" and session.other is None)
                action = menu.addAction(number.title if is_alone else f"{number.title} of {whose[part]}")
                action.setEnabled(len(sweepable_fields.propose_values(session, number)) >= FEWEST)
                action.triggered.connect(partial(self.begin, number))
        menu.popup(at.mapToGlobal(QPoint(0, at.height())))

    def begin(self, number: SweepableNumber) -> None:
        """Sweep a parameter over proposed values, which can be changed in the plot."""
        values = sweepable_fields.propose_values(self._store.session, number)
        self._open(number=number.name, values=values, encodings=())

    def begin_encodings(self) -> None:
        """Show proposed encodings side by side on the session's model; they can be changed in the plot."""
        self._open(encodings=sweepable_fields.propose_encodings(self._store.session))

    def _open(self, **chosen: Any) -> None:
        session = self._store.session
        swept = session.options_of("sweep").model_copy(update=chosen)
        self._store.propose(plots=session.plots.model_copy(update={"sweep": swept}))
        self._bring("sweep")
