"""The SHA-256 of a model's weights, computed beside everything else once the model is open, and remembered."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from PySide6.QtCore import QObject, Qt, Signal

from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.checkpoints import opening
from posenc_gui.checkpoints.fingerprint import Fingerprints, Weights
from posenc_gui.foundation.errors import Invalid
from posenc_gui.foundation.stopped import Stopped
from posenc_gui.session.session import Session


class WeightsHash(QObject):
    """Follows the session: of each model that is seen the SHA-256 becomes known, one model at a time."""

    came = Signal()  # the SHA-256 of the model that is seen
    said = Signal(str)  # that a session was saved with other weights, in a sentence
    _computed = Signal(object, str)  # weights and their SHA-256, empty if they can't be read; from the thread

    def __init__(self, folder: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._fingerprints = Fingerprints(folder)
        self._seen: TrainedModel | None = None
        self._of: Weights = ()  # what is being computed
        self._stop = Event()
        self._computed.connect(self._on_computed, Qt.ConnectionType.QueuedConnection)

    def follow(self, session: Session) -> None:
        """Compute the SHA-256 of a session's model, if it has learned, is open, and that isn't known."""
        model = session.model if isinstance(session.model, TrainedModel) else None
        before, self._seen = self._seen, model
        if model is None:
            return
        if opening.known_sha256(model.weights):
            if before is None or (before.weights, before.sha256) != (model.weights, model.sha256):
                self._compare(model)
        elif model.weights != self._of and (folder := opening.opened_path(model.weights)):
            self._begin(folder, model.weights)

    def close(self) -> None:
        """End the thread."""
        self._stop.set()

    def _begin(self, folder: Path, weights: Weights) -> None:
        self._stop.set()
        self._stop, self._of = Event(), weights
        check_stop = _checking(self._stop)
        Thread(target=self._compute, args=(folder, weights, check_stop), name="weights", daemon=True).start()

    def _compute(self, folder: Path, weights: Weights, check_stop: Callable[[], None]) -> None:
        with suppress(Stopped, RuntimeError):  # RuntimeError: the window went away first
            try:
                found = self._fingerprints.compute(folder, weights, check_stop)
            except Invalid:  # gone or changed, which the plots say
                found = ""
            check_stop()
            self._computed.emit(weights, found)

    def _on_computed(self, weights: Weights, sha256: str) -> None:
        if weights == self._of:
            self._of = ()  # what couldn't be read is tried again once something is drawn
        if sha256:
            opening.tell_sha256(weights, sha256)
            if self._seen is not None and self._seen.weights == weights:
                self._compare(self._seen)
                self.came.emit()

    def _compare(self, model: TrainedModel) -> None:
        if model.sha256 not in ("", model.fingerprint):
            self.said.emit(
                f"{model.name} has other weights than this session was saved with: their SHA-256 is another."
            )


def _checking(stop: Event) -> Callable[[], None]:
    def check_stop() -> None:
        if stop.is_set():
            raise Stopped

    return check_stop
