"""The child's side of `Child`, and the messages between both. It imports little, so that a child starts quickly."""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import nullcontext, suppress
from math import isfinite
from operator import attrgetter
from queue import SimpleQueue
from threading import Lock, Thread
from time import sleep
from typing import IO, Any

from posenc_gui.foundation.importing import importing
from posenc_gui.foundation.stopped import Stopped

_WATCH = 0.5  # seconds between two looks at the parent
_FINISHING = 60.0  # seconds in which a call may finish without the parent: enough for a deck of all plots
_LONGEST_SIZES = 10_000  # bytes of a message's first line
_PART = "\0part"  # in JSON the key of what takes the place of bytes or an array: which part of the message has them
_NUMBERS = "biufc"  # the kinds of arrays that can cross: none of objects

Message = list[Any]  # bytes and flat arrays of them
Report = Callable[[Any], None]  # takes what a function reports while it works


def serve(parent: int, finishes: bool) -> None:
    """Answer calls until the parent, a process by its number, ends; `finishes` as for `Child`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal reaches all its processes
    with suppress(ImportError, OSError, ValueError):  # Windows has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _Server(parent, finishes).work()


class _Server:
    """The child's side: one thread works, one listens, and one watches the parent."""

    def __init__(self, parent: int, finishes: bool) -> None:
        self._parent = parent
        self._requests, self._answers, lifeline = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"), os.dup(2)
        if not finishes:
            _end_with(lifeline)
        nothing = os.open(os.devnull, os.O_RDWR)
        for taken in (0, 1, 2):  # libraries print, and may read
            os.dup2(nothing, taken)
        self._working = Lock() if finishes else nullcontext()  # the process doesn't end while it is held
        self._calls = SimpleQueue[Any]()
        self._sending = Lock()  # work may report from several threads
        self._is_asked_to_stop = False

    def work(self) -> None:
        """Answer one call after the other."""
        for side in (self._listen, self._watch):
            Thread(target=side, daemon=True).start()
        self._send("begun", os.getpid())
        while True:
            call = self._calls.get()
            with self._working:
                self._answer(*call)

    def _answer(self, name: str, arguments: list[Any], seconds: float, reports: bool) -> None:
        if isfinite(seconds):  # it ends even if the parent is gone and the work lets no other thread run
            faulthandler.dump_traceback_later(2 * seconds, exit=True)
        module, _, place = name.partition(":")
        try:
            with nullcontext() if module in sys.modules else importing():
                importlib.import_module(module)
            work = attrgetter(place)(sys.modules[module])
            self._send("result", work(*arguments, *([self._report] if reports else [])))
        except Stopped:
            self._send("stopped", None)
        except Exception as error:
            from posenc_gui.foundation.errors import describe_file_error  # imports pydantic, which takes long

            self._send("error", describe_file_error(error))
        finally:
            faulthandler.cancel_dump_traceback_later()

    def _report(self, value: object) -> None:
        if self._is_asked_to_stop:
            raise Stopped
        with suppress(OSError):  # the parent has gone, and this process finishes
            self._send("report", value)

    def _send(self, kind: str, value: object) -> None:
        with self._sending:
            write_message(self._answers, packed(kind, value))

    def _listen(self) -> None:
        with suppress(Exception):  # at the end
            while True:
                kind, value = read_message(self._requests)
                self._is_asked_to_stop = kind == "stop"
                if kind == "call":
                    self._calls.put(value)
        self._end()

    def _watch(self) -> None:
        """Wait until the parent has ended, which another process may hide that holds a copy of its pipe."""
        while sys.platform == "win32" or os.getppid() == self._parent:  # no process of Windows has such a copy
            sleep(_WATCH)
        self._end()

    def _end(self) -> None:
        faulthandler.dump_traceback_later(_FINISHING, exit=True)
        with self._working:
            os._exit(0)


def _end_with(lifeline: int) -> None:
    """Have the system end this process once nobody reads a pipe, even while the work lets no other thread run."""
    with suppress(ImportError, OSError):  # Windows doesn't do that
        import fcntl

        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


# --- Messages ---------------------------------------------------------------------------------------------------------


def packed(kind: str, value: object) -> Message:
    """Return a message: a line with its sizes, its JSON, and its parts by number. Raises TypeError for what can't be sent."""
    parts: list[Any] = []
    told: dict[Any, dict[str, Any]] = {}  # by where they are in memory: an array that occurs twice crosses once

    def replace(held: object) -> dict[str, Any]:
        if isinstance(held, bytes | bytearray):
            parts.append(held)
            return {_PART: len(parts) - 1}
        import numpy as np

        if not isinstance(held, np.ndarray) or held.dtype.kind not in _NUMBERS:
            raise TypeError(f"{type(held).__name__} can't be sent to another process")
        place = held.ctypes.data, held.shape, held.strides, held.dtype.str
        if place not in told:
            order = sorted(range(held.ndim), key=lambda axis: -held.strides[axis])
            lying = held.transpose(order)  # as its numbers lie in memory: to bring them into another order takes long
            axes = [order.index(axis) for axis in range(held.ndim)]
            told[place] = {_PART: len(parts), "type": held.dtype.str, "shape": lying.shape, "axes": axes}
            parts.append(np.ascontiguousarray(lying).reshape(-1).view(np.uint8))
        return told[place]

    text = json.dumps([kind, value], default=replace).encode()
    sizes = b" ".join(b"%d" % len(part) for part in (text, *parts)) + b"\n"
    if len(sizes) > _LONGEST_SIZES:
        raise TypeError(f"{len(parts):,} arrays or bytes are too many to be sent to another process at once.")
    return [sizes, text, *parts]


def write_message(stream: IO[bytes], message: Message) -> None:
    """Write a message to a pipe."""
    for part in message:
        stream.write(part)
    stream.flush()


def read_message(stream: IO[bytes], longest: int = sys.maxsize) -> Any:
    """Read a message: its kind and its value. Raises EOFError at the end, and whatever an invalid one leads to."""
    sizes = [int(size) for size in stream.readline(_LONGEST_SIZES).split()]
    if not sizes or min(sizes) < 0:
        raise EOFError
    if sum(sizes) > longest:
        raise ValueError(f"a message of {sum(sizes)} bytes")
    text, *parts = (_exactly(stream, size) for size in sizes)

    def restore(found: dict[str, Any]) -> Any:
        if _PART not in found:
            return found
        part = parts[found[_PART]]
        if "type" not in found:
            return bytes(part)
        import numpy as np

        kind = np.dtype(found["type"])
        if kind.kind not in _NUMBERS:
            raise ValueError(f"an array of {kind}")
        return np.frombuffer(part, kind).reshape(found["shape"]).transpose(found["axes"])

    return json.loads(text, object_hook=restore)


def _exactly(stream: IO[bytes], size: int) -> bytearray:
    found = bytearray(size)  # which an array can share, and write to
    if stream.readinto(found) < size:  # type: ignore[attr-defined]
        raise EOFError
    return found
