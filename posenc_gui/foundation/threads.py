"""Work in pieces on several threads, with the results in order.

torch's own threads share out every single operation and wait for each other after each. Here each thread does whole
pieces, whose operations it does alone: what a piece gives doesn't depend on the number of threads.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Self, TypeVar

import torch

from posenc_gui.foundation.stopped import CheckStop, Stopped, go_on

_AHEAD = 2  # pieces for each thread that are begun or wait: few results wait for their turn
_NICE = 10  # of 19, the most

Piece = TypeVar("Piece")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Threads:
    """How many threads work on pieces, by default as many as torch uses where the work is asked for; `nice`: by how much they
    give way to others, on Linux alone, where threads can."""

    count: int | None = None
    nice: int = 0

    def at_most(self, count: int) -> Self:
        """Return so many threads, or fewer if there are."""
        return replace(self, count=min(count, self.count or torch.get_num_threads()))

    def in_order(
        self,
        work: Callable[[Piece, CheckStop], Result],
        pieces: Sequence[Piece],
        check_stop: CheckStop = go_on,
        device: str = "cpu",
    ) -> Generator[Result]:
        """Yield the results of pieces, in their order; on other devices, which share work out themselves, in this thread.
        `work` is called with a piece and a check that it calls often. It must be safe on several threads, and so must
        `check_stop`. What they raise is raised here. Then, and if the generator is closed, no thread is left."""
        own = torch.get_num_threads()
        count = min(self.count or own, len(pieces))
        if device != "cpu" or not count or (self.count or own) == own == 1:
            for piece in pieces:
                yield work(piece, check_stop)
            return
        begun, closed = threading.Barrier(count + 1), threading.Event()

        def check() -> None:
            if closed.is_set():
                raise Stopped
            check_stop()

        pool = ThreadPoolExecutor(count, "pieces", self._begin, (begun,))
        waiting = deque[Future[Result]]()
        try:
            for _ in range(count):
                pool.submit(go_on)  # begins a thread
            begun.wait()
            torch.set_num_threads(own)  # each thread's 1 would also be that of torch's threads begun later
            for piece in pieces:
                waiting.append(pool.submit(work, piece, check))
                if len(waiting) == _AHEAD * count:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            closed.set()
            begun.abort()
            pool.shutdown(cancel_futures=True)
            torch.set_num_threads(own)  # also if they were begun in part: none of them sets its 1 any more

    def _begin(self, begun: threading.Barrier) -> None:
        """Prepare one of the threads, and wait for the others."""
        try:
            torch.get_num_threads()  # at a thread's first question torch sets the default, of whatever was set before
            torch.set_num_threads(1)
            if self.nice and sys.platform == "linux":
                thread = threading.get_native_id()
                with suppress(OSError):  # a sandbox may forbid it
                    os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + self.nice)
        except BaseException:
            begun.abort()
            raise
        with suppress(threading.BrokenBarrierError):
            begun.wait()


AS_TORCH = Threads()


@contextmanager
def alone() -> Iterator[None]:
    """Do this thread's operations without torch's own threads: after each they stay busy for a while, in others' way."""
    own = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(own)  # also the default again, of torch's threads begun later


def beside_a_window() -> Threads:
    """Return a thread for each core that give way to the window's; where threads can't, as many as torch leaves it."""
    return Threads(len(os.sched_getaffinity(0)), _NICE) if sys.platform == "linux" else Threads()
