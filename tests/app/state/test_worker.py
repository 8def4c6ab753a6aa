"""The worker: the newest request wins, a running job is shown as it goes, and closing ends everything."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from threading import Event, current_thread, main_thread

import pytest
from PySide6.QtCore import QTimer

from posenc_gui.app.state import worker as workers
from posenc_gui.app.state.worker import ToDraw, Worker

LONG = 20  # seconds after which a job that nobody lets go fails its test


class Held:
    """A job that runs until it is let go, or until it sees that it should stop."""

    def __init__(self, result: object) -> None:
        self.result, self.began, self.let_go = result, Event(), Event()
        self.stopped = False

    def __call__(self, check_stop: Callable[[], None]) -> Iterator[object]:
        self.began.set()
        for _ in range(LONG * 1000):
            try:
                check_stop()
            except workers.Stopped:
                self.stopped = True
                raise
            if self.let_go.wait(0.001):
                yield self.result
                return
        raise AssertionError("nobody let the job go")


def done(*results: object) -> Callable[[Callable[[], None]], Iterator[object]]:
    """A job that is done at once."""
    return lambda check_stop: iter(results)


def begun(worker: Worker, result: object) -> Held:
    """A job at which the worker is."""
    held = Held(result)
    worker.submit(held)
    assert held.began.wait(LONG)
    return held


@pytest.fixture
def worker(qtbot):
    worker = Worker()
    worker.results, worker.errors, worker.changes = [], [], []
    worker.brought.connect(worker.results.append)
    worker.failed.connect(worker.errors.append)
    worker.busy_changed.connect(worker.changes.append)
    yield worker
    worker.close()


def test_the_running_job_is_shown_and_then_only_the_newest_of_those_that_waited(qtbot, worker, monkeypatch) -> None:
    monkeypatch.setattr(workers, "PATIENCE", LONG)
    held = begun(worker, "first")
    for result in ("second", "third", "fourth"):
        worker.submit(done(result))
    held.let_go.set()
    qtbot.waitUntil(lambda: len(worker.results) == 2)
    assert worker.results == ["first", "fourth"]
    assert not held.stopped


def test_each_thing_is_brought_while_the_job_goes_on_and_its_end_is_said_once(qtbot, worker) -> None:
    held, threads = Held("last"), []
    worker.brought.connect(lambda _: threads.append(current_thread()))
    worker.finished.connect(lambda: worker.results.append("finished"))

    def job(check_stop: Callable[[], None]) -> Iterator[object]:
        yield "first"
        yield "second"
        yield from held(check_stop)

    worker.submit(job)
    qtbot.waitUntil(lambda: worker.results == ["first", "second"])
    assert worker.busy
    held.let_go.set()
    qtbot.waitUntil(lambda: not worker.busy)
    assert worker.results == ["first", "second", "last", "finished"]
    assert set(threads) == {main_thread()}


def test_all_of_an_older_job_comes_before_anything_of_a_newer_one(qtbot, worker) -> None:
    worker.finished.connect(lambda: worker.results.append("finished"))
    worker.submit(done(*range(100)))
    worker.submit(done(*range(100, 200)))
    qtbot.waitUntil(lambda: not worker.busy)
    assert worker.results == [*range(100), "finished", *range(100, 200), "finished"]


def test_a_job_older_than_the_patience_gives_way_to_a_newer_request(qtbot, worker, monkeypatch) -> None:
    monkeypatch.setattr(workers, "PATIENCE", 0)
    held = begun(worker, "old")
    worker.submit(done("new"))
    qtbot.waitUntil(lambda: not worker.busy)
    assert worker.results == ["new"]
    assert worker.errors == []
    assert held.stopped


def test_what_a_stopped_job_held_is_freed_before_the_window_hears_of_it(qtbot, worker) -> None:
    """Else the window's thread frees it, which takes long where it is large."""
    held: list[weakref.ref[Held]] = []

    def job(check_stop: Callable[[], None]) -> Iterator[object]:
        large = Held("lost")
        held.append(weakref.ref(large))
        yield from large(check_stop)

    worker.submit(job)
    qtbot.waitUntil(lambda: bool(held))
    worker.stop()
    with qtbot.waitSignal(worker.busy_changed):
        pass
    assert held[0]() is None


def test_a_job_that_grows_older_than_the_patience_gives_way_to_the_request_that_waits(
    qtbot, worker, monkeypatch
) -> None:
    monkeypatch.setattr(workers, "PATIENCE", 0.05)
    held = Held("old")
    worker.submit(held)
    worker.submit(done("new"))  # before the job is old
    qtbot.waitUntil(lambda: not worker.busy)
    assert worker.results == ["new"]
    assert worker.errors == []


def test_a_request_that_is_patient_waits_for_a_job_however_old(qtbot, worker, monkeypatch) -> None:
    monkeypatch.setattr(workers, "PATIENCE", 0)
    held = begun(worker, "old")
    worker.submit(done("new"), patient=True)
    held.let_go.set()
    qtbot.waitUntil(lambda: not worker.busy)
    assert worker.results == ["old", "new"]


def test_a_job_is_not_asked_to_stop_while_nobody_wants_another(qtbot, worker, monkeypatch) -> None:
    monkeypatch.setattr(workers, "PATIENCE", 0)
    held = Held("only")
    worker.submit(held)
    held.let_go.set()
    qtbot.waitUntil(lambda: worker.results == ["only"])


def test_an_exception_reaches_the_window_and_the_next_job_runs(qtbot, worker) -> None:
    def fails(check_stop: Callable[[], None]) -> Iterator[object]:
        yield "before"
        raise RuntimeError("out of paper")

    worker.submit(fails)
    qtbot.waitUntil(lambda: len(worker.errors) == 1)
    assert str(worker.errors[0]) == "out of paper"
    worker.submit(done("after"))
    qtbot.waitUntil(lambda: worker.results == ["before", "after"])


def test_a_job_that_catches_errors_stops_all_the_same(qtbot, worker) -> None:
    began = Event()

    def careless(check_stop: Callable[[], None]) -> Iterator[object]:
        began.set()
        while True:
            try:
                check_stop()
            except Exception:
                yield "caught"

    worker.submit(careless)
    assert began.wait(LONG)
    worker.close()
    qtbot.waitUntil(lambda: not worker.busy)
    assert worker.results == []


def test_being_busy_is_said_at_the_beginning_and_at_the_end(qtbot, worker) -> None:
    worker.submit(done("only"))
    assert worker.busy
    qtbot.waitUntil(lambda: not worker.busy)
    assert worker.changes == [True, False]


def test_who_is_told_that_a_job_has_ended_never_finds_the_worker_busy_with_nothing(qtbot, worker) -> None:
    """Who waits for the end to begin something else, as a lab that looks, would wait for ever."""
    number = 0

    def go_on(busy: bool) -> None:
        nonlocal number
        number += 1
        if not busy and number < 2000:
            worker.submit(done(number))

    worker.busy_changed.connect(go_on)
    worker.submit(done(0))
    qtbot.waitUntil(lambda: number >= 2000)


def test_a_closed_worker_stops_its_job_says_nothing_more_and_takes_no_other(qtbot, worker) -> None:
    held = begun(worker, "lost")
    worker.submit(done("waiting"))
    worker.close()
    qtbot.waitUntil(lambda: held.stopped)
    worker.submit(done("too late"))
    qtbot.waitUntil(lambda: not worker.busy)  # its return has been received
    assert worker.results == []
    assert worker.errors == []


def test_a_worker_that_is_deleted_during_a_job_is_not_missed(qtbot) -> None:
    worker = Worker()
    held = begun(worker, "lost")
    worker.close()
    worker.deleteLater()
    with qtbot.waitSignal(worker.destroyed):
        pass
    qtbot.waitUntil(lambda: held.stopped)


def test_a_job_goes_on_once_the_window_has_drawn_what_it_brought(worker, qtbot) -> None:
    """Else computing and drawing would take Python's lock from each other during a drag."""
    order = []
    worker.brought.connect(lambda thing: QTimer.singleShot(0, lambda: order.append(f"{thing} drawn")))

    def job(check_stop: Callable[[], None]) -> Iterator[object]:
        yield ToDraw("first")
        order.append("goes on")
        yield ToDraw("second")

    worker.submit(job)
    qtbot.waitUntil(lambda: not worker.busy)
    assert order == ["first drawn", "goes on", "second drawn"]
