"""A process of its own for work that may crash, hang, fill the memory, or hold Python's lock.

    child = Child()
    tokens = child.call(split, text, seconds=8.0, memory=2**31)  # `split` is a function of a module
    child.stop()  # from any thread, at any time

The child is another Python that imports nothing but what its calls need; multiprocessing would import the caller's script again,
which would then need a guard. JSON crosses in both directions, with bytes and numpy's arrays as they are in memory: nothing that
a child sends can run code here. What it prints goes nowhere.
"""

from __future__ import annotations

import _thread
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from math import inf, isfinite
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import IO, Any
from weakref import WeakSet, finalize

from posenc_gui.foundation.child_server import Message, Report, packed, read_message, write_message
from posenc_gui.foundation.stopped import CheckStop, Stopped, go_on, in_turn
from posenc_gui.foundation.wording import format_bytes

STARTING = 60.0  # seconds for Python to start, or to import a library, possibly from a slow disk
_GLANCE = 0.05  # seconds between two looks at the child's memory, and at who waits for it
GRACE = 0.5  # seconds in which a function that is asked to stop may end by itself
_PIPE = 2**20  # bytes that may wait between two processes: arrays then cross in fewer turns
_NO_WINDOW = 0x0800_0000 if sys.platform == "win32" else 0  # subprocess.CREATE_NO_WINDOW
_ROOT = str(Path(__file__).parents[2])
_BEGIN = (
    "import sys; _, parent, finishes, *sys.path = sys.argv; "
    "from posenc_gui.foundation.child_server import serve; serve(int(parent), finishes == 'True')"
)


_NEVER = Event()  # what is never over

Bytes = float | Callable[[], float]


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
    """A child process, for one call or for many, one at a time. It ends with its parent, also when that is killed: within two
    seconds, but on Windows only once its work lets another thread run. Once it has ended, every call raises the reason."""

    def __init__(
        self, *, longest: int = 2**30, environment: Mapping[str, str] | None = None, finishes: bool = False
    ) -> None:
        """Start the process. Raises OSError if that can't be done. longest: bytes of the longest message from it.
        environment: further variables. finishes: when its parent ends, it ends after the call that is running, a minute later
        at most, not at once."""
        self._longest = longest
        self._turn = Lock()  # held while a call runs
        self._sending, self._ending = Lock(), Lock()
        self._pid: int | None = None  # as it says itself: on Windows, what is started may start another Python
        self._end: ChildError | Stopped | None = None
        path = [*filter(None, sys.path)]  # and with -P: nothing is imported from the working directory
        told = [str(os.getpid()), str(finishes), *([] if _ROOT in path else [_ROOT]), *path]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _BEGIN, *told],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,  # by which the child sees whether this side is still there; nobody reads it
            env={**os.environ, **(environment or {})},
            creationflags=_NO_WINDOW,
        )
        _widen(self._process.stdin, self._process.stdout)
        finalize(self, _clear, self._process).atexit = not finishes
        _started.add(self)

    @property
    def is_alive(self) -> bool:
        """True if the process can be called."""
        return self._end is None and self._process.poll() is None

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
        memory: Bytes = inf,
        on_report: Report | None = None,
        check_stop: CheckStop = go_on,
        grace: float = GRACE,
    ) -> Any:
        """Call a function of a module in the process, and return its result. Blocks.

        Tuples become lists on the way. seconds: the deadline, which a slow start of the process doesn't shorten. memory: bytes
        that the process may hold, or what tells them in a call that takes longer than a glance. on_report: is called with what
        the function reports while it works; the function then has a last argument, `report`, which takes that, and raises
        Stopped after `ask_to_stop`. check_stop: is called from another thread meanwhile; once it raises, the function is asked
        to stop, and if it goes on for `grace` seconds, the process ends. The process also ends if `on_report` raises, and at
        Ctrl+C. Raises ChildError; Stopped after `stop`; what `check_stop` raises; TypeError for what can't be sent.
        """
        message = packed("call", [f"{work.__module__}:{work.__qualname__}", arguments, seconds, on_report is not None])
        with in_turn(self._turn, check_stop):
            if not self.is_alive:
                raise self._finish(_crashed())
            if self._pid is None:
                with self._limited(STARTING, inf, check_stop, grace), self._whole():
                    self._pid = int(self._receive()[1])
            with self._limited(seconds, memory, check_stop, grace):
                match self._exchange(message, on_report):
                    case ["result", value]:
                        return value
                    case ["error", str(why)]:
                        raise Failed(why)
                    case ["stopped", None]:
                        raise Stopped
                    case _:
                        raise self._finish(_crashed())

    def _exchange(self, message: Message, on_report: Report | None) -> Any:
        """Send a call, and return the message that ends it. Raises as `call` does."""
        with self._whole():
            self._send(message)
            while True:
                match self._receive():
                    case ["report", value] if on_report:
                        on_report(value)
                    case answer:
                        return answer

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """End the process if messages don't come to their end: what is still to come would be taken for the next call's."""
        try:
            yield
        except BaseException:
            self.stop()
            raise

    def ask_to_stop(self) -> None:
        """Make the next report of the running call raise Stopped there; the process can then be called again."""
        self._asks_to_stop(_NEVER, waits=True)

    def _asks_to_stop(self, over: Event, *, waits: bool) -> bool:
        """Ask the running call to stop unless it is over; return False if it isn't sent yet, and this doesn't wait for that."""
        if not self._sending.acquire(waits):
            return False
        try:
            with suppress(ChildError, Stopped):
                if not over.is_set():
                    self._write(packed("stop", None))
        finally:
            self._sending.release()
        return True

    def stop(self) -> None:
        """End the process at once; a running call raises Stopped."""
        self._finish(Stopped())

    def _send(self, message: Message) -> None:
        """Send a message. Raises why the process has ended."""
        with self._sending:
            self._write(message)

    def _write(self, message: Message) -> None:
        assert self._process.stdin
        try:
            write_message(self._process.stdin, message)
        except (OSError, ValueError):  # ValueError: the stream was closed
            raise self._finish(_crashed()) from None

    def _receive(self) -> Any:
        """Wait for a message. Raises why the process has ended."""
        assert self._process.stdout
        try:
            return read_message(self._process.stdout, self._longest)
        except Exception:  # whatever an untrusted process may send
            raise self._finish(_crashed()) from None

    def _finish(self, why: ChildError | Stopped, over: Event = _NEVER) -> ChildError | Stopped:
        """End the process unless what it is ended for is over, and return why it has ended: the first reason given."""
        with self._ending:
            if self._end is None and not over.is_set():
                self._end = why
                self._process.kill()
                Thread(target=self._clear_in_turn, daemon=True).start()  # a large process takes a while
            ended = self._end or why
        return type(ended)(*ended.args)

    def _clear_in_turn(self) -> None:
        with self._turn:  # no stream can be closed while a call reads it
            _clear(self._process)

    @contextmanager
    def _limited(self, seconds: float, memory: Bytes, check_stop: CheckStop, grace: float) -> Iterator[None]:
        """End the process when the time is over, or when it takes too much memory; stop its work once nobody waits for it."""
        over = Event()
        unwanted: list[BaseException] = []  # what `check_stop` raised
        if isfinite(seconds) or memory != inf or check_stop is not go_on:
            how = over, seconds, memory, check_stop, grace, unwanted
            _thread.start_new_thread(self._watch, how)  # a Thread waits until it has begun: a tenth of a short call
        try:
            yield
        except Stopped:
            raise unwanted[0] if unwanted else Stopped from None
        finally:
            with self._ending:
                over.set()

    def _watch(
        self,
        over: Event,
        seconds: float,
        memory: Bytes,
        check_stop: CheckStop,
        grace: float,
        unwanted: list[BaseException],
    ) -> None:
        late: ChildError | Stopped = TooSlow(f"It took longer than {seconds:g} s, and was ended.")
        latest, most = monotonic() + seconds, None
        while not over.wait(max(0.0, min(_GLANCE, latest - monotonic()))):
            if monotonic() >= latest:
                self._finish(late, over)
                return
            if most is None:
                most = memory() if callable(memory) else memory
            if self.resident > most:
                why = f"It took more than {format_bytes(int(most))} of memory, and was ended."
                self._finish(TooMuchMemory(why), over)
                return
            if not unwanted:
                try:
                    check_stop()
                except BaseException as why:
                    unwanted.append(why)
                    is_running = self._asks_to_stop(over, waits=False)
                    late, latest = Stopped(), min(latest, monotonic() + grace * is_running)

    def let_go(self) -> None:
        """Close what a copy of this process holds of the pipes, which tell the other side that this one has ended."""
        with Path(os.devnull).open("r+b") as nothing:
            for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
                if pipe and not pipe.closed:
                    os.dup2(nothing.fileno(), pipe.fileno(), inheritable=False)


_started: WeakSet[Child] = WeakSet()


def _let_go() -> None:
    for child in tuple(_started):
        child.let_go()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_let_go)


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
