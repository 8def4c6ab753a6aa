"""Child processes of the window, for what would hold Python's lock and freeze it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading

SPAWN = multiprocessing.get_context("spawn")  # a forked copy of a process with Qt and torch threads can hang


def end_with_window(working: threading.Lock) -> None:
    """Prepare a child process: it ignores Ctrl+C, and ends with the window as soon as nothing holds `working`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal reaches all its processes
    threading.Thread(target=_wait_for_end, args=(working,), daemon=True).start()


def _wait_for_end(working: threading.Lock) -> None:
    if window := multiprocessing.parent_process():
        window.join()
    with working:
        os._exit(0)
