"""Child processes that may hang, crash or take all memory: each has a memory limit, its own home, and captured output."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import psutil

PATIENCE = 10.0  # seconds without an answer after which a process counts as hanging
COLD = 60.0  # seconds that importing everything may take on a busy machine
MOST_MEMORY = 8 * 2**30  # bytes of address space

_POLL = 0.01  # seconds
_LOOK = 0.1  # seconds between two checks of all processes
_STREAMS = ("out", "err")
_HOME = {"HOME": "", "XDG_CONFIG_HOME": "/config", "XDG_CACHE_HOME": "/cache"}  # folders of the home
_TO_TELL = 2.0  # seconds in which a hanging process prints its stack
_HEAVY = [
    "torch",
    "pyqtgraph",
    "posenc_gui.cli",
    "posenc_gui.app.window.application",
    "posenc_gui.app.panels.workbench",
    "posenc_gui.app.labs.controller",
    "posenc_gui.render.paper",
    "tokenizers",
]

# Forked from a process that has imported everything, so that a case doesn't wait for the import of torch.
_FORKED = multiprocessing.get_context("forkserver")
_FORKED.set_forkserver_preload(_HEAVY)


@dataclass(frozen=True)
class Ended:
    """How a process ended: its status, negative for a signal, its output, and whether it hung; the seconds since it began, and
    the most megabytes that it and all that it started have held."""

    status: int
    out: str
    err: str
    hung: bool
    seconds: float
    megabytes: float

    def said(self, word: str) -> list[str]:
        """Return the lines of standard output that begin with a word, without it."""
        return [line.removeprefix(word).strip() for line in self.out.splitlines() if line.startswith(word)]


class Child:
    """A process that runs a function and ends with the status that this returns. Its output comes through pipes in `folder`.

    fresh: a new Python, which imports everything and ends as Python does; otherwise a fork, which starts and ends at once.
    Its home is the parent of `folder`. around: variables of the environment that differ.
    """

    def __init__(
        self,
        folder: Path,
        work: Callable[..., int],
        *arguments: str,
        fresh: bool = False,
        around: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._begun = self._looked = time.monotonic()
        self._megabytes = 0.0
        self._pipes = tuple(
            _Pipe(folder / name) for name in _STREAMS
        )  # not files, to which a limit on file sizes would apply
        own = {**{name: f"{folder.parent}{below}" for name, below in _HOME.items()}, **around}
        if fresh:
            code = "import sys; from tools.attack.child import call; call(*sys.argv[1:])"
            name = f"{work.__module__}:{work.__name__}"
            words = [sys.executable, "-c", code, str(folder), name, *arguments]
            started = subprocess.Popen(words, env={**os.environ, **own})
            self.pid, self._wait = started.pid, _status_of_fresh(started)
        else:
            forked = _FORKED.Process(target=_begin, args=(str(folder), work, arguments, own))
            forked.start()
            assert forked.pid
            self.pid, self._wait = forked.pid, _status_of_forked(forked)

    def waits_for(self, word: str, most: float = PATIENCE, times: int = 1) -> bool:
        """Wait until the process has printed so many lines that begin with a word; return whether it has."""
        within = self._patience(most)
        while within():
            status = self._listen()
            if sum(line.startswith(word) for line in self._pipes[0].text().splitlines()) >= times:
                return True
            if status is not None:
                return False
        return False

    def spend(self, seconds: float) -> None:
        """Let the process work for so many seconds, or to its end."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and self._listen() is None:
            pass

    @property
    def megabytes(self) -> float:
        """The most megabytes that the process and all that it started have held until now."""
        return self._megabytes

    def send(self, which: signal.Signals) -> None:
        """Send a signal to the process alone."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, which)

    def kill_all(self) -> None:
        """Kill the process and all that it started, as when the machine goes down."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def leaves_no_process(self, most: float = COLD) -> bool:
        """Wait until the process and all that it started have ended; return whether they have."""
        until = time.monotonic() + most
        self.spend(most)
        while left := _is_group_there(self.pid):
            if time.monotonic() > until:
                break
            time.sleep(_LOOK)
        return not left

    def end(self, most: float = PATIENCE) -> Ended:
        """Wait for the end; a hanging process prints its stack first. Kill all that it started."""
        within = self._patience(most)
        while (status := self._listen()) is None and within():
            pass
        if hung := status is None:
            self.send(signal.SIGUSR1)
            self.spend(_TO_TELL)
        self.kill_all()
        while hung and (status := self._listen()) is None:
            pass
        out, err = (pipe.close() for pipe in self._pipes)
        return Ended(status or 0, out, err, hung, time.monotonic() - self._begun, self._megabytes)

    def _patience(self, most: float) -> Callable[[], bool]:
        """Return a function that is True for so many seconds, not counting those in which the process waited for a processor."""
        begun, before = time.monotonic(), delays(self.pid)
        return lambda: time.monotonic() - begun - most_delayed(before, delays(self.pid)) < most

    def _listen(self) -> int | None:
        """Read new output; return the status once the process has ended, None before."""
        status = self._wait(_POLL)  # asked before reading, so that the last output isn't missed
        for pipe in self._pipes:
            pipe.hear()
        if time.monotonic() > self._looked + _LOOK:
            self._looked = time.monotonic()
            self._megabytes = max(self._megabytes, _megabytes(self.pid))
        return status


class _Pipe:
    """The reading end of a named pipe, and all that came through it."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._end, self._heard = os.open(path, os.O_RDONLY | os.O_NONBLOCK), bytearray()

    def hear(self) -> None:
        """Read what has come, without waiting."""
        with suppress(BlockingIOError):
            while data := os.read(self._end, 65536):
                self._heard += data

    def text(self) -> str:
        """Return all that has come."""
        return self._heard.decode("utf-8", "backslashreplace")

    def close(self) -> str:
        """Close the pipe; return all that has come."""
        self.hear()
        os.close(self._end)
        return self.text()


def call(folder: str, name: str, *arguments: str) -> None:
    """Run a function, named as module:function, in a fresh process."""
    module, _, function = name.partition(":")
    work = vars(__import__(module, fromlist=[function]))[function]
    _begin(folder, work, arguments, {})


def _begin(folder: str, work: Callable[..., int], arguments: tuple[str, ...], own: Mapping[str, str]) -> None:
    os.setsid()
    for stream, name in enumerate(_STREAMS, 1):
        os.dup2(os.open(Path(folder) / name, os.O_WRONLY), stream)
    sys.stdout = os.fdopen(1, "w", buffering=1, encoding="utf-8", errors="backslashreplace")
    sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace")
    for number in (signal.SIGINT, signal.SIGHUP):  # a shell ignores them in background jobs
        signal.signal(number, signal.SIG_DFL if number == signal.SIGHUP else signal.default_int_handler)
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    os.environ.pop("PYTHONWARNINGS", None)
    os.environ |= own
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sys.exit(work(*arguments))


def delays(pid: int | str) -> dict[str, float]:
    """Return for each thread of a process the seconds for which it was ready to run but got no processor."""
    found: dict[str, float] = {}
    with suppress(OSError):  # the process ended meanwhile
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                found[thread.name] = int((thread / "schedstat").read_text().split()[1]) / 1e9
    return found


def most_delayed(before: Mapping[str, float], now: Mapping[str, float]) -> float:
    """Return how long the most delayed thread got no processor between two moments."""
    return max((delay - before.get(thread, 0.0) for thread, delay in now.items()), default=0.0)


def _megabytes(pid: int) -> float:
    """Return the most megabytes that a process has held, and with them what those that it started have."""
    with suppress(OSError):
        status = Path(f"/proc/{pid}/status").read_text()
        begun = " ".join(path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children"))
        own = re.search(r"VmHWM:\s*(\d+)", status)
        return (int(own[1]) / 1024 if own else 0.0) + sum(_megabytes(int(child)) for child in begun.split())
    return 0.0


def _is_group_there(group: int) -> bool:
    """Return True if any process of a group is still there, other than a zombie."""
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                return True
    return False


def _status_of_fresh(process: subprocess.Popen[bytes]) -> Callable[[float], int | None]:
    def wait(most: float) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            return process.wait(most)
        return None

    return wait


def _status_of_forked(process: multiprocessing.process.BaseProcess) -> Callable[[float], int | None]:
    def wait(most: float) -> int | None:
        process.join(most)
        return process.exitcode

    return wait
