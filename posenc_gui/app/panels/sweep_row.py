"""Starting a sweep from a card with parameters: the user chooses a number, and its plot opens."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import groupby

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from posenc_gui.app.state.store import Store
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.scene import sweepable_fields
from posenc_gui.scene.sweepable_fields import FEWEST, MOST, Part, SweepableNumber

WORDS = f"one number, {FEWEST} to {MOST} values"  # text of the rows that open a sweep
_OF: dict[Part, str] = {"encoding": "A", "other": "B", "scene": "both"}


class Sweeping:
    """Chooser for a sweep: asks for a parameter, proposes values, and opens the sweep plot."""

    def __init__(self, store: Store, bring: Callable[[str], None]) -> None:
        self._store, self._bring = store, bring

    def ask(self, at: QWidget) -> None:
        """Show a menu of the session's numeric parameters below a widget, grouped by A, B and the model."""
        menu = QMenu(at)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        session = self._store.session
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
        session = self._store.session
        chosen = {"number": number.name, "values": sweepable_fields.propose_values(session, number)}
        swept = session.options_of("sweep").model_copy(update=chosen)
        self._store.propose(plots=session.plots.model_copy(update={"sweep": swept}))
        self._bring("sweep")
