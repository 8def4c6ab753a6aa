"""The store: the one place that holds the current session, and those before and after it.

Widgets propose changes and then show the session that results. Undo is the previous session. Of several steps back or
forward in one turn of the event loop, as while a key is held down in a busy window, only the first and the last are shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from itertools import takewhile
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from posenc_gui.app.state.sheet import Sheet
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.figure.axis import NO_KEY, Axis, Pointer, Role
from posenc_gui.figure.figure import Figure
from posenc_gui.measures.surgery import changes
from posenc_gui.models import encoding_search
from posenc_gui.scene.comparison import every_encoding
from posenc_gui.session.change_names import NamedChange, between
from posenc_gui.session.session import Session

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.encodings.base import Encoding


W = TypeVar("W")
Show = Callable[[W, Session], None]
Continuing = bool | Literal["held"]

ONE_STEP = 1.0  # seconds: changes of the same fields that follow each other sooner are one step of undo
LONGEST_HISTORY = 500  # steps


def where_changed(read: Callable[[Session], object]) -> Callable[[Show[W]], Show[W]]:
    """Let a widget's method show a session only where what it reads of it is not what it showed last."""

    def changing(show: Show[W]) -> Show[W]:
        shown = f"{show.__name__} showed"

        @wraps(show)
        def show_change(widget: W, session: Session) -> None:
            now = (read(session),)
            if vars(widget).get(shown) != now:
                show(widget, session)
                vars(widget)[shown] = now

        return show_change

    return changing


@dataclass(frozen=True)
class HistoryStep:
    """A session, the change that led to it, none for the first, and what belongs to it beside."""

    session: Session
    change: NamedChange
    sheet: Sheet


class History(NamedTuple):
    """Steps, the index of the current one, and what the first one stands for."""

    steps: list[HistoryStep]
    at: int = 0
    begins: str = "As opened"

    @classmethod
    def of(cls, session: Session, sheet: Sheet, begins: str = "As opened") -> History:
        """Return a history that begins with this session."""
        return cls([HistoryStep(session, between(session, session), sheet)], 0, begins)


class Store(QObject):
    """Holds a session and replaces it by changed ones."""

    changed = Signal(object)  # Session; of steps back and forward in one turn of the event loop the first and the last
    went = Signal()  # back or forward, to a step of the history
    began = Signal()  # a new step, not the continuation of a burst
    held = Signal()  # the reachable steps have changed
    turned = Signal(object)  # Sheet: the current session is another document's than the one before

    def __init__(self, session: Session, parent: QObject | None = None, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(parent)
        self._clock = clock
        self._told = session  # the session signalled last
        self._last_change = float("-inf")
        self._breath = QTimer(self, singleShot=True, interval=0)
        self._breath.timeout.connect(self._tell)
        self._steps, self._at, self._begins = History.of(session, Sheet())

    @property
    def session(self) -> Session:
        """The current session."""
        return self._steps[self._at].session

    @property
    def sheet(self) -> Sheet:
        """What belongs to the current session beside it."""
        return self._steps[self._at].sheet

    @property
    def undo_name(self) -> str:
        """The name of the step that undo would undo; empty if there is none."""
        return self._steps[self._at].change.name if self._at else ""

    @property
    def redo_name(self) -> str:
        """The name of the step that redo would redo; empty if there is none."""
        ahead = self._steps[self._at + 1 : self._at + 2]
        return ahead[0].change.name if ahead else ""

    @property
    def history(self) -> tuple[str, ...]:
        """The names of all steps, undone ones included, oldest first; the first stands for the beginning."""
        return (self._begins, *(step.change.name for step in self._steps[1:]))

    @property
    def at(self) -> int:
        """The index of the current step in the history."""
        return self._at

    @property
    def as_last_used(self) -> Encoding | None:
        """The encoding as it stood before another was chosen, where it was chosen anew since and came at its defaults. None
        where it never stood in the steps that undo can reach, or stands so now."""
        now = self.session.encoding
        reached = [step.session.encoding for step in reversed(self._steps[: self._at + 1])]
        stood = len([*takewhile(lambda one: type(one) is type(now), reached)])
        if not encoding_search.is_as_chosen(reached[stood - 1]):
            return None
        former = next((one for one in reached[stood:] if type(one) is type(now)), now)
        return None if former == now else former

    def begin(self, session: Session) -> None:
        """Start a new history with a session of the current document; no signal is sent."""
        self._steps, self._at, self._begins = History.of(session, self.sheet)
        self._last_change = float("-inf")
        self._told = session

    @property
    def whole(self) -> History:
        """All steps, which `exchange` takes up again."""
        return History(self._steps, self._at, self._begins)

    def exchange(self, history: History) -> None:
        """Go on with another history."""
        former = self.sheet
        self._steps, self._at, self._begins = history
        self._last_change = float("-inf")
        self._turn_from(former)
        self._tell()
        self.held.emit()

    def propose(self, **fields: Any) -> str:
        """Change these fields of the session. Return an empty text, or a sentence that says why it was refused."""
        try:
            session = self.session.changed(**fields)
        except ValueError as error:
            return str(error)
        self.replace(session, continuing=True)
        return ""

    def replace(
        self, session: Session, *, continuing: Continuing = False, named: str = "", sheet: Sheet | None = None
    ) -> None:
        """Replace the session; undo returns to this one, or, if `continuing`, to where the burst began.

        "held": it continues however much later it comes, as while a button is held down. named: the step's name; by
        default it follows from what is changed. sheet: that of the document whose session it is, if that is another one.
        """
        if session == self.session and sheet is None:
            return
        former = self.sheet
        change, now = between(self.session, session), self._clock()
        if named:
            change = NamedChange(change.paths, named)
        in_time = continuing == "held" or (continuing and now - self._last_change < ONE_STEP)
        goes_on = in_time and sheet is None and self._at > 0 and change.paths == self._steps[self._at].change.paths
        if goes_on:
            before = self._steps[self._at - 1].session
            if before != session:
                self._steps[self._at :] = [HistoryStep(session, between(before, session), former)]
            else:  # a drag back to where it began is no step, and what follows continues no earlier one
                del self._steps[self._at :]
                self._at -= 1
                continuing = False
        else:
            self._steps[self._at + 1 :] = [HistoryStep(session, change, sheet or former)]
            self._at += 1
            self._forget()
        self._last_change = now if continuing else float("-inf")
        self._turn_from(former)
        self._tell()
        if not goes_on:
            self.began.emit()

    def undo(self) -> None:
        """Go back one step."""
        self.go(self._at - 1)

    def redo(self) -> None:
        """Go forward again."""
        self.go(self._at + 1)

    def go(self, to: int) -> None:
        """Go to a step of the history at once, back or forward; do nothing if no such step exists."""
        if to != self._at and 0 <= to < len(self._steps):
            former, self._at, self._last_change = self.sheet, to, float("-inf")
            self._turn_from(former)
            if not self._breath.isActive():
                self._tell()
                self._breath.start()
            self.went.emit()
            self.began.emit()

    def take_back(self, count: int) -> None:
        """Go back so many steps, and forget them as if they had never been."""
        if count:
            self.go(self._at - count)
            del self._steps[self._at + 1 :]
            self.held.emit()

    def _turn_from(self, former: Sheet) -> None:
        if self.sheet is not former:
            self.turned.emit(self.sheet)

    def _tell(self) -> None:
        if self._told is not self.session:
            self._told = self.session
            self.changed.emit(self.session)

    def _forget(self) -> None:
        """Forget the oldest steps beyond LONGEST_HISTORY."""
        over = len(self._steps) - 1 - LONGEST_HISTORY
        if over > 0:
            self._begins = "Earlier steps are forgotten"
            del self._steps[:over]
            self._at -= over


def go_to_part(pointer: Pointer, figure: Figure | None, store: Store) -> bool:
    """Go to the head of a model, make the surgery on it, or choose the encoding, that a click chooses; return False for none.
    With Shift an encoding is compared with the one that is chosen."""
    if pointer.along("encoding") is not None:
        if encoding := _encoding_clicked(pointer, figure, store.session):
            compares = QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier
            store.propose(**{"other" if compares else "encoding": encoding})
        return True
    if (session := part_clicked(pointer, figure, store.session)) is None:
        return False
    store.replace(session, continuing=session.encoding == store.session.encoding)
    return True


def _encoding_clicked(pointer: Pointer, figure: Figure | None, session: Session) -> Encoding | None:
    """Return the encoding that a click names, with its defaults unless it is B; None for the session's own."""
    scene = session.scene
    every = every_encoding(scene)
    found = every.get(_name_clicked(pointer, figure, "encoding", tuple(every)))
    return None if found is None or found == scene.encoding else session.other if found == scene.other else found


def part_clicked(pointer: Pointer, figure: Figure | None, session: Session) -> Session | None:
    """Return the session at the head of a model, or after the surgery on it, that a click chooses; None if it chooses none.
    The figure may still be that of another model. Raises ValueError if the session can't be that."""
    model, layer, head = session.model, pointer.along("layer"), pointer.along("head")
    if not isinstance(model, TrainedModel):
        return None
    if layer is not None and head is not None:
        return session.at_head(layer, head) if layer < model.layers and head < model.n_heads else None
    done = changes(model).get(_name_clicked(pointer, figure, "surgery"))
    return None if done is None else session.changed(encoding=done, strength=1.0)


def _name_clicked(pointer: Pointer, figure: Figure | None, role: Role, without_axis: tuple[str, ...] = ()) -> str:
    """Return the label at which a click met a figure's axis of this role, or one of these; empty if it met none."""
    at, panels = pointer.along(role), figure.panels if figure else ()
    axes = (axis for panel in panels for axis in vars(panel).values() if isinstance(axis, Axis) and axis.role == role)
    labels = next((axis.labels for axis in axes), without_axis)
    return labels[at] if at is not None and 0 <= at < len(labels) else ""


def chosen(pointer: Pointer, n_tokens: int) -> dict[str, int | None]:
    """Return the fields that a click sets in a session of `n_tokens` tokens: `focus`, `key`, both or none."""
    at = {"focus": pointer.along("query"), "key": pointer.along("key")}
    if at["key"] == NO_KEY:
        return {"key": None}
    return {name: index for name, index in at.items() if index is not None and 0 <= index < n_tokens}
