"""Play: moves a number of a session steadily on, at a chosen speed."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QToolButton

from posenc_gui import plots
from posenc_gui.app.widgets.controls import Choices
from posenc_gui.app.widgets.forms.editors import declared
from posenc_gui.app.widgets.icons import icon
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.session.session import Session

_BEAT = 40  # milliseconds
_SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


def played(plot: str) -> list[str]:
    """The options of a plot that can be played."""
    return [name for name, field in plots.plots()[plot].options.model_fields.items() if "plays" in declared(field)]


def moved_on(session: Session, plot: str, name: str, n_tokens: int, step: float) -> Frozen:
    """The plot's options with a position moved on; past twice the sentence it begins again."""
    options: Frozen = session.options_of(plot)
    now = getattr(options, name)
    position = (session.focus_of(n_tokens) or 0 if now is None else now) + step
    return options.model_copy(update={name: round(position % max(32, 2 * n_tokens), 4)})


def rested(session: Session, plot: str, name: str) -> Frozen:
    """The plot's options with a position that was played at the nearest whole one."""
    options: Frozen = session.options_of(plot)
    now = getattr(options, name)
    return options if now is None else options.model_copy(update={name: float(round(now))})


class Player(QToolButton):
    """A play button; `speed` stands elsewhere. While it plays, `move` is called with how far to go on."""

    def __init__(self, move: Callable[[float], None], unit: str) -> None:
        super().__init__()
        self._move, self._unit = move, unit
        self._last = 0.0
        self._beat = QTimer(self, interval=_BEAT)
        self._beat.timeout.connect(self._on_beat)
        self.setCheckable(True)
        self.setObjectName("play")
        self.toggled.connect(self._on_toggled)
        self.speed = Choices("Speed")
        self.speed.setToolTip(f"How many {unit}s a second it plays")
        for speed in _SPEEDS:
            self.speed.addItem(f"{speed:g} {unit}s/s", speed)
        self.speed.setCurrentIndex(_SPEEDS.index(2.0))
        self._name()

    @property
    def playing(self) -> bool:
        """Whether it plays."""
        return self._beat.isActive()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another theme has another ink."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._name()

    def _on_toggled(self, play: bool) -> None:
        self._last = monotonic()
        if play:
            self._beat.start()
        else:
            self._beat.stop()
        self._name()

    def _name(self) -> None:
        name = "Pause" if self.playing else "Play"
        self.setAccessibleName(name)
        self.setIcon(icon(name.lower(), self.palette().buttonText().color().name()))
        still = f"Move on by {self.speed.currentText()}; it stops at a whole {self._unit}"
        self.setToolTip(f"Stop at the nearest whole {self._unit}" if self.playing else still)

    def _on_beat(self) -> None:
        now = monotonic()
        self._move((now - self._last) * self.speed.currentData())
        self._last = now
