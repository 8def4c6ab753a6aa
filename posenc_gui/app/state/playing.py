"""What moves by itself: the options of a plot that can be played, the scenes of a demonstration, and which changes of a session
are seen as motion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication

from posenc_gui import plots
from posenc_gui.app.state.store import Store
from posenc_gui.app.widgets.forms.editors import declared
from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.declared_fields import bounds
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.render.screen import MOST_TOKENS, Change
from posenc_gui.session.demonstration import TimedSession
from posenc_gui.session.session import Session

Unit = Literal["position", "step"]  # moved on continuously; or one by one, from the first to the last
_ENDING = {
    QEvent.Type.MouseButtonPress,
    QEvent.Type.KeyPress,
    QEvent.Type.Wheel,
    QEvent.Type.Drop,
    QEvent.Type.Close,
    QEvent.Type.InputMethod,
}
_MOVING = {"encoding", "other", "strength", "start", "order"}
_ALONG = {"focus", "key"}  # follow their tokens to other places
_LOOK = 30  # milliseconds between two looks whether a move has ended
_STEPS = 8  # of the strength, between which its pictures' largest numbers are looked for


def playable_fields(plot: str) -> dict[str, Unit]:
    """Return the options of a plot that can be played, each with its unit."""
    extras = ((name, declared(field).get("plays")) for name, field in plots.plots()[plot].options.model_fields.items())
    return {name: "step" if plays == "steps" else "position" for name, plays in extras if plays}


def advance(session: Session, plot: str, name: str, n_tokens: int, by: float) -> Frozen:
    """Return the plot's options with a position advanced, or its walk a step further.

    Past twice the sentence length a position starts again, where the sentence does, and so does a walk after its last step; one
    that was chosen further out goes on from there.
    """
    options: Frozen = session.options_of(plot)
    now = getattr(options, name)
    if playable_fields(plot)[name] == "step":
        return walk(session, plot, name, round(by)) or _at(options, name, 1)
    if now is None:
        follows = declared(type(options).model_fields[name]).get("none")
        now = session.start + (session.focus_of(n_tokens) or 0 if follows == "focus" else 0)
    past, end = now - session.start, float(max(32, 2 * n_tokens))
    if past >= end:
        end = bounds(type(options).model_fields[name])[1] - session.start
    return _at(options, name, session.start + round((past + by) % end, 4))


def is_ahead(session: Session, plot: str, name: str, shown: Figure | None) -> bool:
    """Return True if a walk must wait for the figure of its last step, which decides whether it pauses there."""
    is_walk = playable_fields(plot)[name] == "step"
    return is_walk and (shown is None or shown.session != session.for_others.to_json())


def settle(session: Session, plot: str, name: str) -> Frozen:
    """Return the plot's options with the played position rounded to the nearest integer."""
    options: Frozen = session.options_of(plot)
    now = getattr(options, name)
    whole = now is None or playable_fields(plot)[name] == "step"
    return options if whole else _at(options, name, float(round(now)))


def walk(session: Session, plot: str, name: str, by: int) -> Frozen | None:
    """Return the plot's options so many steps further, or back; None before the first and after the last step. After the last
    step all is shown, as when nothing is walked through."""
    options: Frozen = session.options_of(plot)
    last = round(bounds(type(options).model_fields[name])[1])
    now = getattr(options, name) or last
    if not 1 <= now + by <= last:
        return None
    return _at(options, name, None if now + by == last else now + by)


def follow_focus(session: Session, plot: str, name: str) -> Frozen:
    """Return the plot's options with the played position given up for the focus."""
    options: Frozen = session.options_of(plot)
    return _at(options, name, None)


def at_token(session: Session, chosen: Mapping[str, int | None]) -> dict[str, Any]:
    """Return the fields that a press on a token sets: those chosen, and with a focus the plots that follow it again."""
    if "focus" not in chosen:
        return dict(chosen)
    stopped = [
        (plot, name) for plot in plots.plots() for name, unit in playable_fields(plot).items() if unit == "position"
    ]
    following = {plot: follow_focus(session, plot, name) for plot, name in stopped}
    return {**chosen, "plots": session.plots.model_copy(update=following)}


def _at(options: Frozen, name: str, value: float | None) -> Frozen:
    return options.model_copy(update={name: value})


class Demonstrator(QObject):
    """Plays scenes in a store. A press, a key or the wheel ends them at once, before it takes effect on what stood before."""

    ended = Signal()

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._store = store
        self._scenes: Iterator[TimedSession] = iter(())
        self._steps = 0  # in the history
        self._next = QTimer(self, singleShot=True)
        self._next.timeout.connect(self._show_next)

    @property
    def playing(self) -> bool:
        """True while scenes are shown."""
        return self._next.isActive()

    def play(self, scenes: Iterable[TimedSession]) -> None:
        """Show these scenes, the first at once."""
        self.end()
        self._scenes = iter(scenes)
        application = QApplication.instance()
        assert application is not None
        application.installEventFilter(self)
        self._show_next()

    def end(self) -> None:
        """Return to the session from which the scenes began, if any are shown."""
        if self.playing:
            self._finish()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """End before the user does anything else."""
        if event.type() in _ENDING:
            self.end()
        return False

    def _show_next(self) -> None:
        scene = next(self._scenes, None)
        if scene is None:
            self._finish()
            return
        self._next.start(round(1000 * scene.seconds))  # first: who hears of the change asks whether scenes are shown
        if scene.session != self._store.session:
            self._store.replace(scene.session)
            self._steps += 1

    def _finish(self) -> None:
        application = QApplication.instance()
        if application is not None:
            application.removeEventFilter(self)
        steps, self._steps = self._steps, 0
        self._store.take_back(steps)
        self._next.stop()  # last, as it was started first
        self.ended.emit()


class Moves(QObject):
    """What goes on for a while, during which scales hold: while the pointer is down, and while something `plays`."""

    begun = Signal()
    ended = Signal()

    def __init__(self, plays: Callable[[], bool], rests: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._plays, self._rests, self._lasts = plays, rests, _is_pointer_down
        self._count = 0
        self._looking = QTimer(self, interval=_LOOK)
        self._looking.timeout.connect(self._look)

    @property
    def underway(self) -> bool:
        """True until it has ended, and all pictures are of where it led."""
        return self._looking.isActive()

    @property
    def drag(self) -> int | None:
        """The number of the drag that is underway; None if there is none."""
        return self._count if self.underway and self._lasts is _is_pointer_down else None

    def begin(self, lasts: Callable[[], bool]) -> None:
        """Begin one that goes on while this is true."""
        self._count, self._lasts = self._count + 1, lasts
        self._looking.start()
        self.begun.emit()

    def follow(self) -> None:
        """Begin one with the first change while the pointer is down, or while something plays."""
        if not self.underway and (lasts := next((one for one in (_is_pointer_down, self._plays) if one()), None)):
            self.begin(lasts)

    def _look(self) -> None:
        if not self._lasts() and self._rests():
            self._looking.stop()
            self.ended.emit()


def _is_pointer_down() -> bool:
    return QApplication.mouseButtons() != Qt.MouseButton.NoButton


def whole_move(former: Session, now: Session) -> list[Session]:
    """Return the sessions through which a move leads, if it is known by its first change: the strength's, from end to end."""
    if _changed(former, now) != {"strength"}:
        return []
    low, high = bounds(Session.model_fields["strength"])
    return [now.changed(strength=low + (high - low) * step / _STEPS) for step in range(_STEPS + 1)]


def change_between(
    former: Session, now: Session, n_tokens: int, *, still: bool, moved: int | None, drag: int | None = None
) -> Change | None:
    """Return the change between two sessions whose pictures move from one to the other; None if the later is shown at once.

    Only another encoding, parameter, strength, start or order is seen as motion, up to 64 tokens. `still`: marks alone are
    shown. `moved`: the typed index of the token that was moved last. `drag`: the number of the drag that is underway.
    """
    changed = _changed(former, now)
    other_pictures = (former.other is None) != (now.other is None)
    if other_pictures or not changed & _MOVING or changed - _MOVING - _ALONG or n_tokens > MOST_TOKENS:
        return None
    before, after = former.order_of(n_tokens), now.order_of(n_tokens)
    if before == after:
        return Change(still=still, drag=drag)
    places = tuple(map(before.index, after))
    return Change(places, still, before.index(moved) if moved in before else None, drag)


def _changed(former: Session, now: Session) -> set[str]:
    """Return the names of the fields in which two sessions differ."""
    return {name for name in Session.model_fields if getattr(former, name) != getattr(now, name)}
