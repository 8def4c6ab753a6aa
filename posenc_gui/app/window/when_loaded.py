"""What is chosen before everything is loaded: it is done as soon as it is, in the order in which it was chosen."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from posenc_gui.app.state.action import Action, Keys

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.app.window.services import Services

P = ParamSpec("P")
T = TypeVar("T")


class _Chosen(NamedTuple):
    """What was chosen, and what must be true before it is done."""

    do: Callable[[], object]
    until: Callable[[], bool]


class WhenLoaded(QObject):
    """Gives actions the services, which exist only once everything is loaded, and keeps until then what is chosen."""

    kept = Signal()  # something was chosen that is done later
    begun = Signal()  # everything is loaded, and nothing of it is done yet
    ended = Signal()  # all of it is done, or won't be

    def __init__(self, found: Callable[[], Services | None], parent: QObject) -> None:
        super().__init__(parent)
        self._found = found
        self._waiting: deque[_Chosen] | None = deque()  # None once everything is loaded, or can't be
        self._doing: deque[_Chosen] | None = None  # what is left of it then
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._do_next)

    @property
    def has_kept(self) -> bool:
        """True while something waits to be done."""
        return bool(self._waiting)

    @property
    def is_waiting(self) -> bool:
        """True until everything is loaded, or can't be."""
        return self._waiting is not None

    def is_there(self) -> bool:
        """True if what needs the services is done, at once or later."""
        return self._waiting is not None or self._found() is not None

    def later(self, do: Callable[P, object], until: Callable[[], bool] = lambda: True) -> Callable[P, None]:
        """Return a function that does the same, once everything is loaded and `until` is true."""

        def do_later(*given: P.args, **named: P.kwargs) -> None:
            if self._waiting is None:
                do(*given, **named)
            else:
                self._waiting.append(_Chosen(partial(do, *given, **named), until))
                self.kept.emit()

        return do_later

    def run(self, run: Callable[Concatenate[Services, P], object]) -> Callable[P, None]:
        """Return a function that calls `run` with the services, once they exist."""

        def run_loaded(*given: P.args, **named: P.kwargs) -> None:
            if loaded := self._found():
                run(loaded, *given, **named)

        return self.later(run_loaded)

    def keep(self, *signals: SignalInstance, until: Callable[[], bool] = lambda: True) -> None:
        """Emit what these signals tell again once everything is loaded and `until` is true. Connect them who do what is asked
        just before `begin`: sooner, they would do it twice.
        """

        def keep(emit: Callable[..., object]) -> Callable[..., None]:
            def emit_again(*told: object) -> None:
                with suppress(RuntimeError):  # what was pressed was closed meanwhile
                    emit(*told)

            later = self.later(emit_again, until)
            return lambda *told: later(*told) if self.is_waiting else None

        for signal in signals:
            signal.connect(keep(signal.emit))

    def ask(self, read: Callable[[Services], T], otherwise: T) -> Callable[[], T]:
        """Return a function that reads from the services; before they exist it returns `otherwise`."""
        return lambda: read(loaded) if (loaded := self._found()) else otherwise

    def action(
        self,
        menu: str,
        name: str,
        title: str,
        do: Callable[[Services], object],
        keys: Keys = "",
        can: Callable[[Services], bool] = lambda _: True,
        **more: Any,
    ) -> Action:
        """Return an action that does something with the services, if it `can` be done; it is enabled until that is known, and
        disabled if they can't be loaded.
        """

        def do_if_possible(loaded: Services) -> None:
            if can(loaded):
                do(loaded)

        can_now = self.ask(can, False)
        run = self.run(do_if_possible)
        return Action(name, title, (menu,), run, keys, lambda: self._waiting is not None or can_now(), **more)

    def begin(self) -> None:
        """Everything is loaded: do what was chosen, one thing after the other, each in a turn of its own."""
        self._doing, self._waiting = self._waiting or deque(), None
        self.begun.emit()
        self.go_on()

    def go_on(self) -> None:
        """Do what is left, since what it waits for may be there now."""
        self._next.start()

    def _do_next(self) -> None:
        if self._doing is None:
            return
        if not self._doing:
            self._doing = None
            self.ended.emit()
        elif self._doing[0].until():
            try:
                self._doing.popleft().do()
            finally:
                self.go_on()

    def give_up(self) -> None:
        """Nothing can be loaded: forget what was chosen."""
        self._waiting = None
        self.ended.emit()


class UnusedPresses(QObject):
    """Keeps what is typed and clicked while a window starts and nothing in it has used; it is typed and clicked again once
    everything is loaded.

    shows: whether a kept picture is shown at this point of the window, so that what is clicked there is known.
    """

    def __init__(self, window: QWidget, loaded: WhenLoaded, shows: Callable[[QPoint], bool]) -> None:
        super().__init__(window)
        self._window, self._loaded, self._shows = window, loaded, shows
        self._pressed_at: QPoint | None = None
        self._clicked: dict[
            QPoint, tuple[QWidget, QPoint] | None
        ] = {}  # what is there, and where in it, once it is known
        window.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
        window.installEventFilter(self)
        loaded.begun.connect(self._find_clicked)
        loaded.ended.connect(self._end)

    def _find_clicked(self) -> None:
        """Find what was clicked where the pictures showed it, before what is done moves it."""
        for at in self._clicked:
            if target := self._window.childAt(at):
                self._clicked[at] = target, target.mapFrom(self._window, at)

    def _end(self) -> None:
        self._window.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled, False)
        self._window.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep what has come as far as the window."""
        # Events of other kinds come while the garbage collector takes the window apart, and this with it.
        if isinstance(event, QKeyEvent | QInputMethodEvent | QMouseEvent) and self._loaded.is_waiting:
            self._keep(event)
        return super().eventFilter(watched, event)

    def _keep(self, event: QKeyEvent | QInputMethodEvent | QMouseEvent) -> None:
        match event:
            case QKeyEvent() if event.type() == QEvent.Type.KeyPress:
                if event.key() < Qt.Key.Key_Shift and event.key() != Qt.Key.Key_Escape:  # no key that is only held
                    kept = event.key(), event.modifiers(), event.text(), event.isAutoRepeat()
                    self._loaded.later(self._type)(QKeyEvent(event.type(), *kept))
            case QInputMethodEvent() if words := event.commitString():
                composed = QInputMethodEvent()
                composed.setCommitString(words)
                self._loaded.later(self._type)(composed)
            case QMouseEvent() if event.button() == Qt.MouseButton.LeftButton:
                self._follow_mouse(event)

    def _type(self, event: QEvent) -> None:
        QApplication.sendEvent(QApplication.focusWidget() or self._window.focusWidget() or self._window, event)

    def _follow_mouse(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        if event.type() == QEvent.Type.MouseButtonPress:
            self._pressed_at = at if self._shows(at) else None
        elif self._pressed_at and (at - self._pressed_at).manhattanLength() < QApplication.startDragDistance():
            self._clicked[at] = None
            self._loaded.later(self._click)(at, event.modifiers())

    def _click(self, at: QPoint, modifiers: Qt.KeyboardModifier) -> None:
        found = self._clicked[at]
        if found is None or not found[0].isVisible():
            return
        target, inside = found
        outside = target.mapToGlobal(inside)
        if target.focusPolicy() & Qt.FocusPolicy.ClickFocus:
            target.setFocus(Qt.FocusReason.MouseFocusReason)
        left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
        for kind, held in ((QEvent.Type.MouseButtonPress, left), (QEvent.Type.MouseButtonRelease, none)):
            QApplication.sendEvent(target, QMouseEvent(kind, inside, outside, left, held, modifiers))
