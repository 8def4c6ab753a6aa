"""Progress of a long computation in the status bar, with Stop."""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from posenc_gui.app.panels.jobs import Judging, Looking, PicturesBegun
from posenc_gui.app.panels.workbench import Workbench
from posenc_gui.app.state.worker import Worker
from posenc_gui.app.widgets.controls import elided_label, in_row, tool_button
from posenc_gui.attention import memory_cost
from posenc_gui.foundation.wording import format_bytes, format_count, format_percent, format_wait
from posenc_gui.session.evaluate import Drawn

_LONG = 500  # milliseconds after which a job shows its progress, so that drags don't flicker
_BEAT = 250  # milliseconds between updates
_TELLING = 0.02  # of the work: the share from which the pace says how long the rest takes


class Progress(QWidget):
    """Progress and memory of the running job, with Stop; once stopped, with Compute again."""

    shown = Signal(bool)

    def __init__(self, worker: Worker, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench
        self._stage: PicturesBegun | Judging | Looking | None = None  # of the running job; None before its first
        self._done: dict[str, float] = {}  # of each picture that has come, the share that is computed
        self._slow: set[str] = set()  # pictures that come in steps
        self._began = 0.0
        self._slow_began = self._stepped = 0.0  # times of the first of these steps, and of the last
        self._words = elided_label("muted")
        self._button = tool_button("Stop", "Stop computing", framed=True, name="stop")
        self._button.clicked.connect(self._on_clicked)
        in_row(self._words, self._button, of=self)
        self._long = QTimer(self, singleShot=True, interval=_LONG)
        self._long.timeout.connect(self._show_underway)
        self._beat = QTimer(self, interval=_BEAT)
        self._beat.timeout.connect(self._tell)
        worker.brought.connect(self._on_brought)
        worker.busy_changed.connect(self._on_busy)
        self.hide()

    def _on_brought(self, thing: object) -> None:
        match thing:
            case PicturesBegun() | Judging() | Looking():
                self._stage = thing
            case Drawn(name=name, figure=figure):
                self._step(name, figure.done)

    def _step(self, name: str, done: float) -> None:
        self._stepped = monotonic()
        if done < 1 and not self._slow:
            self._slow_began = self._stepped
        if done < 1:
            self._slow.add(name)
        self._done[name] = done

    def _on_busy(self, busy: bool) -> None:
        if busy:
            self._began, self._stage, self._done, self._slow = monotonic(), None, {}, set()
            self._long.start()
            if not self._beat.isActive():
                self.hide()
            return
        self._long.stop()
        self._beat.stop()
        self.setVisible(self._workbench.stopped)
        if self._workbench.stopped:
            self._words.setText("Stopped")
            self._offer("Compute again", "Restart the stopped computation")

    def _show_underway(self) -> None:
        self._offer("Stop", "Stop computing", "Esc")
        self._tell()
        self._beat.start()
        self.show()

    def _offer(self, text: str, says: str, key: str = "") -> None:
        self._button.setText(text)
        self._button.setAccessibleName(says)
        self._button.setToolTip(f"{says} ({key})" if key else says)
        self._button.setShortcut(key)

    def _tell(self) -> None:
        self._words.setText(f"{self._doing()} · {self._time_left() or f'{monotonic() - self._began:.0f} s'}")

    @property
    def _share(self) -> float:
        """The share of the pictures that come in steps; 0 while none has come."""
        return sum(self._done[name] for name in self._slow) / len(self._slow) if self._slow else 0.0

    def _time_left(self) -> str:
        """Return how long the pictures will still take at their pace so far; empty while there is none, or they are done."""
        if not _TELLING <= self._share < 1 or not isinstance(self._stage, PicturesBegun):
            return ""
        took = self._stepped - self._slow_began
        return f"about {format_wait(took * (1 / self._share - 1) - (monotonic() - self._stepped))} left"

    def _doing(self) -> str:
        match self._stage:
            case PicturesBegun() if _TELLING <= self._share < 1:
                return f"Computing, {format_percent(self._share)}"
            case PicturesBegun(n_pictures, memory):
                takes = f" · about {format_bytes(memory)} of memory" if memory > memory_cost.LITTLE else ""
                n_done = sum(done == 1 for done in self._done.values())
                return f"Computing, {min(n_done, n_pictures)} of {format_count(n_pictures, 'picture')}{takes}"
            case Judging():
                return "Checking the requirements"
            case Looking():
                return "Evaluating the lab's step"
        return "Computing"

    def setVisible(self, visible: bool) -> None:
        """Show or hide it, and say which."""
        super().setVisible(visible)
        self.shown.emit(visible)

    def _on_clicked(self) -> None:
        if self._workbench.stopped:
            self._workbench.compute()
        else:
            self._workbench.stop()
