"""Pieces of work on threads: results in order, torch's own threads as before, and nothing left running however it ends."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import pytest
import torch

from posenc_gui.foundation.stopped import CheckStop, Stopped
from posenc_gui.foundation.threads import Threads, alone, beside_a_window


@pytest.fixture(params=[1, 2, 5])
def threads(request: pytest.FixtureRequest) -> Iterator[Threads]:
    """After each test torch's threads are those before it, also on threads begun later, and no thread is left."""
    before, alive = torch.get_num_threads(), threading.active_count()
    yield Threads(request.param)
    assert torch.get_num_threads() == of_a_new_thread() == before
    assert threading.active_count() == alive


def of_a_new_thread() -> int:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(torch.get_num_threads).result()


def endless(_piece: int, check_stop: CheckStop) -> None:
    while True:
        check_stop()


@pytest.mark.parametrize("own", [1, 3])
def test_results_come_in_order_each_operation_on_one_thread(threads: Threads, own: int) -> None:
    def work(piece: int, check_stop: CheckStop) -> tuple[int, int]:
        check_stop()
        return piece, torch.get_num_threads()

    before = torch.get_num_threads()
    torch.set_num_threads(own)
    try:
        for at, result in enumerate(threads.in_order(work, range(20))):
            assert result == (at, 1)
            with alone():
                assert torch.get_num_threads() == 1
            assert torch.get_num_threads() == of_a_new_thread() == own
    finally:
        torch.set_num_threads(before)
    assert list(threads.in_order(work, [])) == []


def test_another_device_is_used_from_the_callers_thread_alone(threads: Threads) -> None:
    found = set(threads.in_order(lambda _piece, _check: threading.get_ident(), range(9), device="cuda"))
    assert found == {threading.get_ident()}


@pytest.mark.parametrize("raised", [ValueError, Stopped, KeyboardInterrupt])
def test_what_a_piece_raises_ends_all(threads: Threads, raised: type[BaseException]) -> None:
    def work(piece: int, check_stop: CheckStop) -> int:
        if piece == 3:
            raise raised
        return piece if piece < 3 else endless(piece, check_stop)

    found = threads.in_order(work, range(20))
    assert [next(found) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(raised):
        next(found)


def test_a_check_that_raises_stops_pieces_under_way(threads: Threads) -> None:
    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        list(threads.in_order(endless, range(20), stop))


@pytest.mark.parametrize("end", [lambda found: found.close(), lambda found: found.throw(KeyboardInterrupt)])
def test_pieces_under_way_end_with_the_generator(threads: Threads, end: Callable[[Generator[object]], object]) -> None:
    found = threads.in_order(lambda piece, check: piece and endless(piece, check), range(20))
    next(found)
    with suppress(KeyboardInterrupt):
        end(found)


FAILING = {
    "the system has no more threads": ("start", RuntimeError("can't start new thread")),
    "someone presses Ctrl+C": ("wait", KeyboardInterrupt()),
    "a thread can't be prepared": ("prepare", ValueError()),
}


@pytest.mark.parametrize("threads", [2, 5], indirect=True)
@pytest.mark.parametrize(("failing", "error"), FAILING.values(), ids=FAILING)
def test_where_only_some_threads_begin_they_end(
    threads: Threads, failing: str, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_waiting, before = threading.Event(), torch.get_num_threads()
    start_as_ever, wait_as_ever, prepare_as_ever = threading.Thread.start, threading.Barrier.wait, torch.set_num_threads

    def start(thread: threading.Thread) -> None:
        if failing == "start" and thread.name.endswith("_1"):
            is_waiting.wait()
            raise error
        start_as_ever(thread)

    def wait(barrier: threading.Barrier) -> int:
        if threading.current_thread() is not threading.main_thread():
            is_waiting.set()
        elif failing == "wait":
            is_waiting.wait()
            raise error
        return wait_as_ever(barrier)

    def prepare(count: int) -> None:
        if failing == "prepare" and threading.current_thread() is not threading.main_thread():
            raise error
        prepare_as_ever(count)

    torch.set_num_threads(3)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", start)
            patch.setattr(threading.Barrier, "wait", wait)
            patch.setattr(torch, "set_num_threads", prepare)
            with pytest.raises((type(error), RuntimeError)):
                next(threads.in_order(endless, range(20)))
        assert torch.get_num_threads() == of_a_new_thread() == 3
    finally:
        torch.set_num_threads(before)


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere threads have no priority of their own")


@on_linux
def test_where_priorities_are_forbidden_threads_work_all_the_same(
    threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbid(*_: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "setpriority", forbid)
    assert list(replace(threads, nice=10).in_order(lambda piece, _check: piece, range(9))) == list(range(9))


@on_linux
def test_beside_a_window_threads_give_way_but_the_caller_does_not() -> None:
    def priority(*_: object) -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    before = priority()
    assert set(beside_a_window().in_order(priority, range(4))) == (
        {min(19, before + 10)} if beside_a_window().count != 1 else {before}
    )
    assert priority() == before
