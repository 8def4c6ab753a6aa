"""A sweep begins where parameters are chosen: which number, and it stands in a card of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import groupby

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from posenc_gui.app.state.store import Store
from posenc_gui.scene import sweepable_fields as sweepable
from posenc_gui.scene.sweepable_fields import FEWEST, MOST, Number, Part

WORDS = f"one number, {FEWEST} to {MOST} values"  # what a row says that leads here
_OF: dict[Part, str] = {"encoding": "A", "other": "B", "model": "the toy model"}


class Sweeping:
    """Asks for a number, proposes values, and brings the plot that shows them."""

    def __init__(self, store: Store, bring: Callable[[str], None]) -> None:
        self._store, self._bring = store, bring

    def ask(self, at: QWidget) -> None:
        """Offer below a widget the numbers of the session at hand, those of A, of B and of the toy model apart."""
        menu = QMenu(at)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        session = self._store.session
        for part, numbers in groupby(sweepable.numbers(session).values(), lambda number: number.part):
            menu.addSeparator()
            for number in numbers:
                is_alone = part == "encoding" and session.other is None
                action = menu.addAction(number.title if is_alone else f"{number.title} of {_OF[part]}")
                action.setEnabled(len(sweepable.proposed(session, number)) >= FEWEST)
                action.triggered.connect(partial(self.begin, number))
        menu.popup(at.mapToGlobal(QPoint(0, at.height())))

    def begin(self, number: Number) -> None:
        """Show a number at the values that are proposed; they can be changed where they are shown."""
        session = self._store.session
        chosen = {"number": number.name, "values": sweepable.proposed(session, number)}
        swept = session.options_of("sweep").model_copy(update=chosen)
        self._store.propose(plots=session.plots.model_copy(update={"sweep": swept}))
        self._bring("sweep")
