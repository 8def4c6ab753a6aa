"""Formulas that users typed, newest first, kept between starts; the last one comes back where their own encoding is chosen."""

from __future__ import annotations

from PySide6.QtCore import QObject

from posenc_gui import encodings
from posenc_gui.app.state.settings import MOST_RECENT, Preferences
from posenc_gui.app.state.store import Store
from posenc_gui.app.widgets.controls import delayed
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.typed.program import Fault
from posenc_gui.encodings.common.typed.reading import read
from posenc_gui.models.encoding_search import Entry
from posenc_gui.session.session import Session

_STANDS = 3000  # milliseconds without a change, after which a formula is kept


class RecentFormulas(QObject):
    """The last formulas that stood for a while, or that another encoding replaced. Of those that differ in numbers with names,
    which sliders change, the newest is kept."""

    def __init__(self, preferences: Preferences, store: Store) -> None:
        super().__init__(store)
        self._preferences, self._now = preferences, ""
        self._standing = delayed(self, self._keep, _STANDS)
        store.changed.connect(self._follow)

    @property
    def texts(self) -> tuple[str, ...]:
        """The formulas, newest first; without what can't be read, as after an edit of their file."""
        return tuple(filter(_without_numbers, self._preferences.settings.formulas))

    def last(self, name: str) -> Encoding:
        """Return the user's own encoding of this name with the last formula, in this window or before."""
        return encodings.encoding(name, **({"formula": self.texts[0]} if self.texts else {}))

    def chosen(self, entry: Entry, own: Encoding | None) -> Encoding:
        """Return what an entry of the encodings names, beside `own`: see `Entry.chosen`; of one's own the last formula."""
        if entry.cls.built_in or (own is not None and own.name == entry.cls.name):
            return entry.chosen(own)
        return self.last(entry.cls.name)

    def _follow(self, session: Session) -> None:
        own = next((side for side in (session.encoding, session.other) if side and not side.built_in), None)
        text = str(getattr(own, "formula", ""))
        if text == self._now:
            return
        if not text and self._standing.isActive():
            self._standing.stop()
            self._keep()
        self._now = text
        if own and own != type(own)():  # an example
            self._standing.start()

    def _keep(self) -> None:
        own = _without_numbers(self._now)
        others = (text for text in self._preferences.kept.formulas if _without_numbers(text) != own)
        self._preferences.keep(formulas=(self._now, *others)[:MOST_RECENT])


def _without_numbers(text: str) -> str:
    """Return a formula without its named numbers' values; empty for what is no formula."""
    try:
        return read(text).without_numbers
    except Fault:
        return ""
