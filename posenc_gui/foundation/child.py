"""A process of its own for work that may crash, hang, fill the memory, or hold Python's lock.

    child = Child(memory=2**31)
    tokens = child.call(split, text, seconds=8.0)  # `split` is a function of a module
    child.stop()  # from any thread, at any time

The child is another Python that imports nothing but what its calls need; multiprocessing would import the caller's script again,
which would then need a guard. JSON crosses in both directions, with bytes and numpy's arrays as they are in memory: nothing that
a child sends can run code here. What it prints goes nowhere.
"""

from __future__ import annotations

import os
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from math import inf, isfinite
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import IO, Any

from posenc_gui.foundation.child_server import Report, read_message, write_message
from posenc_gui.foundation.stopped import CheckStop, Stopped, go_on
from posenc_gui.foundation.wording import format_bytes

STARTING = 60.0  # seconds for Python to start, or to import a library, possibly from a slow disk
_GLANCE = 0.05  # seconds between two looks at the child's memory, and at who waits for it
GRACE = 0.5  # seconds in which a function that is asked to stop may end by itself
_PIPE = 2**20  # bytes that may wait between two processes: arrays then cross in fewer turns
_NO_WINDOW = 0x0800_0000 if sys.platform == "win32" else 0  # subprocess.CREATE_NO_WINDOW
_ROOT = str(Path(__file__).parents[2])
_BEGIN = (
    "import sys; _, finishes, *sys.path = sys.argv; "
    "from posenc_gui.foundation.child_server import serve; serve(finishes == 'True')"
)


class ChildError(Exception):
    """A call brought no result; the message is a sentence."""


class Crashed(ChildError):
    """The process ended by itself, was ended from outside, or sent no valid message."""


class TooSlow(ChildError):
    """The process was ended at the deadline."""


class TooMuchMemory(ChildError):
    """The process was ended since it took more memory than it may."""


class Failed(ChildError):
    """The function raised an error. The process can be called again."""


class Child:
    """A child process, for one call or for many, one at a time.

    It ends with its parent, also when that is killed. Once it has ended, every call raises the reason.
    """

    def __init__(
        self,
        *,
        memory: float = inf,
        longest: int = 2**30,
        environment: Mapping[str, str] | None = None,
        finishes: bool = False,
    ) -> None:
        """Start the process. Raises OSError if that can't be done.

        memory: bytes that it may hold in memory, also to be set between two calls. longest: bytes of the longest message
        from it. environment: further variables.
        finishes: when its parent ends, it ends after the call that is running, not at once.
        """
        self.memory, self._longest = memory, longest
        self._turn = Lock()  # held while a call runs
        self._sending, self._ending = Lock(), Lock()
        self._pid: int | None = None  # as it says itself: on Windows, what is started may start another Python
        self._end: ChildError | Stopped | None = None
        path = [*filter(None, sys.path)]  # and with -P: nothing is imported from the working directory
        command = [sys.executable, "-P", "-c", _BEGIN, str(finishes), *([] if _ROOT in path else [_ROOT]), *path]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **(environment or {})},
            creationflags=_NO_WINDOW,
        )
        _widen(self._process.stdin, self._process.stdout)
        weakref.finalize(self, _clear, self._process).atexit = not finishes

    @property
    def is_alive(self) -> bool:
        """True if the process can be called."""
        return self._end is None and self._process.poll() is None

    @property
    def is_busy(self) -> bool:
        """True while a call runs."""
        return self._turn.locked()

    @property
    def resident(self) -> int:
        """The bytes that the process holds in memory; 0 while it isn't known or has ended."""
        import psutil

        with suppress(psutil.Error):
            return int(psutil.Process(self._pid).memory_info().rss) if self._pid else 0
        return 0

    def call(
        self,
        work: Callable[..., Any],
        *arguments: Any,
        seconds: float = inf,
        on_report: Report | None = None,
        check_stop: CheckStop = go_on,
        grace: float = GRACE,
    ) -> Any:
        """Call a function of a module in the process, and return its result. Blocks.

        Tuples become lists on the way. seconds: the deadline, which a slow start of the process doesn't shorten. on_report: is
        called with what the function reports while it works; the function then has a last argument, `report`, which takes that,
        and raises Stopped after `ask_to_stop`. If `on_report` raises, the process ends. check_stop: is called from another
        thread meanwhile; once it raises, the function is asked to stop, and if it goes on for `grace` seconds, the process
        ends. Raises ChildError; Stopped after `stop`; what `check_stop` raises.
        """
        with self._in_turn(check_stop):
            if not self.is_alive:
                raise self._finish(_crashed())
            if self._pid is None:
                with self._limited(STARTING, check_stop, grace):
                    self._pid = int(self._receive()[1])
            with self._limited(seconds, check_stop, grace):
                name = f"{work.__module__}:{work.__qualname__}"
                self._send("call", [name, arguments, seconds, on_report is not None])
                return self._answer(on_report)

    def _answer(self, on_report: Report | None) -> Any:
        """Wait for the running call's end, and return its result. Raises as `call` does."""
        while True:
            match self._receive():
                case ["result", value]:
                    return value
                case ["error", str(why)]:
                    raise Failed(why)
                case ["stopped", None]:
                    raise Stopped
                case ["report", value] if on_report:
                    self._pass_on(value, on_report)
                case _:
                    raise self._finish(_crashed())

    @contextmanager
    def _in_turn(self, check_stop: CheckStop) -> Iterator[None]:
        """Wait until no other call runs."""
        while not self._turn.acquire(timeout=_GLANCE):
            check_stop()
        try:
            yield
        finally:
            self._turn.release()

    def ask_to_stop(self) -> None:
        """Make the next report of the running call raise Stopped there; the process can then be called again."""
        with suppress(ChildError, Stopped):
            self._send("stop", None)

    def stop(self) -> None:
        """End the process at once; a running call raises Stopped."""
        self._finish(Stopped())

    def _pass_on(self, value: object, on_report: Report) -> None:
        try:
            on_report(value)
        except BaseException:
            self.stop()
            raise

    def _send(self, kind: str, value: object) -> None:
        """Send a message. Raises why the process has ended, and TypeError for what can't be sent."""
        assert self._process.stdin
        try:
            with self._sending:
                write_message(self._process.stdin, kind, value)
        except (OSError, ValueError):  # ValueError: the stream was closed
            raise self._finish(_crashed()) from None

    def _receive(self) -> Any:
        """Wait for a message. Raises why the process has ended."""
        assert self._process.stdout
        try:
            return read_message(self._process.stdout, self._longest)
        except Exception:  # whatever an untrusted process may send
            raise self._finish(_crashed()) from None
        except BaseException:  # Ctrl+C: what is still to come would be taken for the answer of the next call
            self.stop()
            raise

    def _finish(self, why: ChildError | Stopped) -> ChildError | Stopped:
        """End the process, and return why it has ended: the first reason given."""
        with self._ending:
            if self._end is None:
                self._end = why
                self._process.kill()
                Thread(target=self._clear_in_turn, daemon=True).start()  # a large process takes a while
        return type(self._end)(*self._end.args)

    def _clear_in_turn(self) -> None:
        with self._turn:  # no stream can be closed while a call reads it
            _clear(self._process)

    @contextmanager
    def _limited(self, seconds: float, check_stop: CheckStop, grace: float) -> Iterator[None]:
        """End the process when the time is over, or when it takes too much memory; stop its work once nobody waits for it."""
        over = Event()
        unwanted: list[BaseException] = []  # what `check_stop` raised
        if isfinite(seconds) or isfinite(self.memory) or check_stop is not go_on:
            Thread(target=self._watch, args=(over, seconds, check_stop, grace, unwanted), daemon=True).start()
        try:
            yield
        except Stopped:
            raise unwanted[0] if unwanted else Stopped from None
        finally:
            over.set()

    def _watch(
        self, over: Event, seconds: float, check_stop: CheckStop, grace: float, unwanted: list[BaseException]
    ) -> None:
        late: ChildError | Stopped = TooSlow(f"It took longer than {seconds:g} s, and was ended.")
        latest = monotonic() + seconds
        while not over.wait(max(0.0, min(_GLANCE, latest - monotonic()))):
            if monotonic() >= latest:
                self._finish(late)
                return
            if self.resident > self.memory:
                most = format_bytes(int(self.memory))
                self._finish(TooMuchMemory(f"It took more than {most} of memory, and was ended."))
                return
            if not unwanted:
                try:
                    check_stop()
                except BaseException as why:
                    unwanted.append(why)
                    self.ask_to_stop()
                    late, latest = Stopped(), min(latest, monotonic() + grace)


def _widen(*pipes: IO[bytes] | None) -> None:
    """Let more bytes wait in these pipes, where the system has that and allows it."""
    if sys.platform == "linux":
        import fcntl

        for pipe in filter(None, pipes):
            with suppress(OSError):
                fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


def _crashed() -> Crashed:
    return Crashed("Its process ended unexpectedly; there may be too little memory.")


def _clear(process: subprocess.Popen[bytes]) -> None:
    """End a process, and free what the system keeps of it."""
    process.kill()
    with suppress(OSError), process:  # closing may fail to flush unsent data
        pass
