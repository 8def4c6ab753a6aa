"""Child processes: what crosses, what ends them, and that nothing of them stays behind."""

from __future__ import annotations

import copy
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, main_thread
from typing import Any

import numpy as np
import psutil
import pytest

from posenc_gui.foundation.child import Child, Crashed, Failed, TooMuchMemory, TooSlow
from posenc_gui.foundation.child_server import Report
from posenc_gui.foundation.stopped import Stopped

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
PATIENT = 120  # seconds


@pytest.fixture
def child() -> Iterator[Child]:
    one = Child()
    yield one
    one.stop()


def count(most: int, report: Report) -> str:
    """Report each number. Runs in a child."""
    for number in range(most):
        report(number)
    return "counted"


def wait_until_gone(pid: int) -> None:
    """Wait for the end of a process; one that nobody buries has ended, too."""
    latest = time.monotonic() + PATIENT
    while psutil.pid_exists(pid):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE and psutil.Process(pid).ppid() != os.getpid():
                return
        except psutil.NoSuchProcess:
            return
        assert time.monotonic() < latest, "the process is still there"


# --- What crosses -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value", [None, {"a": [1, 2.5, True, None], "狗": "\udc80\n"}, [b"", b"\x00\n" * 3, {"of": b"bytes"}], float("inf")]
)
def test_data_cross_both_ways(child: Child, value: object) -> None:
    assert child.call(copy.copy, value) == value


@pytest.mark.parametrize(
    "array",
    [
        np.random.default_rng(0).random((1500, 1000)),
        np.arange(12, dtype=np.int16).reshape(3, 4).T,
        np.array([True, False]),
        np.array(1 + 2j),
        np.zeros((0, 3), np.float32),
        np.arange(3, dtype=">f4"),
    ],
    ids=["large", "not contiguous", "bool", "a single complex", "empty", "other byte order"],
)
def test_arrays_cross_both_ways_and_can_be_written(child: Child, array: np.ndarray) -> None:
    found = child.call(copy.copy, {"array": [array, b"beside"]})["array"]
    assert (found[0].dtype, found[0].shape, found[1]) == (array.dtype, array.shape, b"beside")
    assert np.array_equal(found[0], array)
    assert found[0].flags.writeable


def test_an_error_is_a_sentence_and_the_process_goes_on(child: Child) -> None:
    with pytest.raises(Failed, match=r"^nowhere/at all: No such file or directory\.$"):
        child.call(os.listdir, "nowhere/at all")
    with pytest.raises(Failed, match="set can't be sent to another process"):
        child.call(eval, "{1, 2}")
    with pytest.raises(TypeError, match="object can't be sent"):
        child.call(eval, object())
    with pytest.raises(Failed, match="6,000 arrays or bytes are too many"):
        child.call(eval, "[b'one'] * 6000")
    with pytest.raises(TypeError, match="6,000 arrays or bytes are too many"):
        child.call(len, [b"one"] * 6000)
    assert len(child.call(eval, "[b'one'] * 3000")) == 3000
    assert child.call(eval, "1 + 1") == 2


def test_what_is_printed_and_read_there_is_no_message(child: Child, capfd: pytest.CaptureFixture[str]) -> None:
    noisy = "import os, sys; print(9, flush=True); os.write(1, b'9 9'); os.write(2, b'9'); os.system('echo 9'); sys.stdin.read()"
    child.call(exec, noisy)
    assert child.call(eval, "3") == 3
    assert capfd.readouterr() == ("", "")


def test_each_of_two_callers_gets_its_own_answers(child: Child) -> None:
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda number: child.call(abs, -number), range(50))
        assert list(found) == list(range(50))


def test_nothing_is_imported_from_the_folder_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("json", "copy", "posenc_gui"):
        (tmp_path / f"{name}.py").write_text("from pathlib import Path\nPath('ran').touch()\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    child = Child(environment={"OF_THE_CHILD": "alone"})
    assert child.call(copy.copy, 1) == 1
    assert child.call(os.getenv, "OF_THE_CHILD") == "alone"
    assert not (tmp_path / "ran").exists()
    child.stop()


# --- What ends it -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["os._exit(0)", "os._exit(3)", "os.abort()", "sys.exit()"])
def test_a_crash_is_a_sentence_and_every_later_call_says_it(child: Child, code: str) -> None:
    for _ in range(2):
        with pytest.raises(Crashed, match=r"ended unexpectedly.*\.$"):
            child.call(exec, f"import os, sys; {code}")
        assert not child.is_alive


LIES = """
import os
for stream in range(3, 20):
    try:
        os.write(stream, {data!r})
    except OSError:
        pass
"""


@pytest.mark.parametrize(
    "data",
    [
        *(b"no sizes\n", b"\n", b"-3\n123", b"999999999999999999\n", b"2\n{]", b"2\n[]", b"90001\n" + b"[" * 90_001),
        b'1000013\n["result", 1]' + b" " * 1_000_000,
        b'10\n["result"]',
        b'17\n["error", [1, 2]]',
        b'34\n["result", {"\\u0000part": 7}]   ',
        b'56 8\n["result", {"\\u0000part": 0, "type": "O", "shape": [1]}]12345678',
    ],
)
def test_a_message_that_is_none_is_a_crash(data: bytes) -> None:
    child = Child(longest=10**6)
    with pytest.raises(Crashed):
        child.call(exec, LIES.format(data=data))
    child.stop()


ENDLESS = "import re; re.match('(a+)+$', 'a' * 50 + 'b')"  # lets no other thread of its process run


@pytest.mark.parametrize("code", ["import time; time.sleep(600)", ENDLESS])
def test_it_is_ended_at_the_deadline(child: Child, code: str) -> None:
    with pytest.raises(TooSlow, match=r"longer than 0\.2 s"):
        child.call(exec, code, seconds=0.2)
    assert not child.is_alive


@pytest.mark.parametrize("memory", [200_000_000, lambda: 200_000_000])
def test_it_is_ended_when_it_takes_too_much_memory(child: Child, memory: float) -> None:
    assert len(child.call(bytes, 50_000_000, memory=memory)) == 50_000_000
    with pytest.raises(TooMuchMemory, match="more than 200 MB of memory"):
        child.call(exec, "held = []\nwhile True: held.append(b'x' * 10_000_000)", memory=memory)


@pytest.fixture
def heeded() -> Iterator[None]:
    """Heed Ctrl+C, which a job in the background doesn't."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def refuse() -> None:
    raise Stopped


def interrupt() -> None:
    """Press Ctrl+C."""
    signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)


@needs_signals
@pytest.mark.parametrize(
    ("why", "how"),
    [
        (TooSlow, {"seconds": 0.2}),
        (TooMuchMemory, {"memory": 1}),
        (Stopped, {"check_stop": refuse}),
        (KeyboardInterrupt, {"check_stop": interrupt}),
    ],
)
@pytest.mark.usefixtures("heeded")
def test_one_that_does_not_even_listen_is_ended(child: Child, why: type[BaseException], how: dict[str, Any]) -> None:
    psutil.Process(child.call(os.getpid)).suspend()
    with pytest.raises(why):
        child.call(len, bytes(50_000_000), **how)
    assert not child.is_alive


def test_stop_ends_a_call_at_once_and_the_process_for_good(child: Child) -> None:
    begun, pid = Event(), child.call(os.getpid)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(child.call, count, 10**12, on_report=lambda _number: begun.set())
        assert begun.wait(PATIENT)
        child.stop()
        with pytest.raises(Stopped):
            running.result(PATIENT)
    with pytest.raises(Stopped):
        child.call(eval, "1")
    wait_until_gone(pid)


def test_what_reports_can_be_asked_to_stop_and_called_again(child: Child) -> None:
    found: list[int] = []
    assert child.call(count, 3, on_report=found.append) == "counted"
    assert found == [0, 1, 2]
    child.ask_to_stop()  # which nobody hears
    assert child.call(count, 3, on_report=found.append) == "counted"
    with pytest.raises(Stopped):
        child.call(count, 10**12, on_report=lambda number: number or child.ask_to_stop())
    assert child.call(eval, "1") == 1


def test_who_is_reported_to_may_end_it(child: Child) -> None:
    with pytest.raises(ZeroDivisionError):
        child.call(count, 10, on_report=lambda number: 1 // number)
    assert not child.is_alive


@pytest.mark.parametrize("finishes", [False, True])
def test_one_that_nobody_holds_any_more_is_gone(finishes: bool) -> None:
    child = Child(finishes=finishes)
    pid = child.call(os.getpid)
    del child
    gc.collect()
    wait_until_gone(pid)


# --- Its parent -------------------------------------------------------------------------------------------------------

PARENT = """
import os, time
from posenc_gui.foundation.child import Child

child = Child(finishes={finishes})
child.call(abs, 1)
holder = {forking}
if holder:
    print(holder, flush=True)
    {rest}
time.sleep(600)
"""
UNSEEN = "__import__('ctypes').PyDLL(None).fork()"  # as a library of C does, of which Python isn't told
SLEEPS = "import time; time.sleep(600)"
CALLS_ANOTHER = "from posenc_gui.foundation.child import Child; Child().call(exec, {!r})"
FINISHES = f"import posenc_gui.foundation.child_server as server; server._FINISHING = 0.5; {SLEEPS}"


def working(code: str, begun: Path) -> str:
    """Code of a parent whose child is at work once a file is there."""
    begins = f"open({str(begun)!r}, 'x').close(); {SLEEPS if code is CALLS_ANOTHER else code}"
    return f"child.call(exec, {CALLS_ANOTHER.format(begins) if code is CALLS_ANOTHER else begins!r})"


def end_parent(
    rest: str, until: Path, finishes: bool = False, held: str = "", how: signal.Signals = signal.SIGKILL
) -> None:
    """End a process that has a child once a file is there, and wait until all that it began is gone.

    held: how another process is made that has copies of the pipes, and goes on.
    """
    code = PARENT.format(finishes=finishes, rest=rest, forking=held or "-1")
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        holder = int(parent.stdout.readline())
        while not until.exists():
            time.sleep(0.01)
        began = {one.pid for one in psutil.Process(parent.pid).children(recursive=True)} - {holder}
        assert began
        parent.send_signal(how)
    try:
        for pid in began:
            wait_until_gone(pid)
    finally:
        if held:
            os.kill(holder, signal.SIGKILL)  # which was there all the while


@needs_signals
@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM"])
@pytest.mark.parametrize(
    ("code", "held", "finishes"),
    [
        ("", UNSEEN, False),
        ("", UNSEEN, True),
        (SLEEPS, UNSEEN, False),
        (ENDLESS, "os.fork()", False),
        (CALLS_ANOTHER, UNSEEN, False),
        (FINISHES, UNSEEN, True),
    ],
    ids=["idle", "idle, would finish", "at work", "lets no thread run", "has a child", "finishes, for too long"],
)
def test_it_ends_with_its_parent(code: str, held: str, finishes: bool, how: str, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    rest = working(code, begun) if code else f"open({str(begun)!r}, 'x')"
    end_parent(rest, begun, finishes, held, signal.Signals[how])


@needs_signals
def test_one_whose_parent_ended_before_it_began_ends_at_once() -> None:
    code = f"from posenc_gui.foundation.child_server import serve; serve({os.getppid()}, True)"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], **pipes) as orphan:
        assert orphan.wait(PATIENT) == 0


def report_until_alone(begun: str, done: str, report: Report) -> None:
    """Report while the parent is there and once more without it, and then finish."""
    parent = os.getppid()
    Path(begun).touch()
    while os.getppid() == parent:
        report(0)
    report(1)
    Path(done).touch()


@needs_signals
def test_one_that_finishes_ends_after_its_call(tmp_path: Path) -> None:
    begun, done = tmp_path / "begun", tmp_path / "done"
    code = f"import time; time.sleep(1); open({str(done)!r}, 'x').close()"
    end_parent(working(code, begun), begun, finishes=True)
    assert done.exists()


@needs_signals
def test_one_that_finishes_reports_to_nobody_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
    begun, done = tmp_path / "begun", tmp_path / "done"
    call = f"child.call(report_until_alone, {str(begun)!r}, {str(done)!r}, on_report=lambda _: None)"
    end_parent(f"from test_child import report_until_alone; {call}", begun, finishes=True)
    assert done.exists()


@needs_signals
def test_control_c_in_a_terminal_is_the_parents_alone(child: Child) -> None:
    os.kill(child.call(os.getpid), signal.SIGINT)
    assert child.call(eval, "1") == 1


def test_a_script_needs_no_guard_and_ends_in_silence(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from posenc_gui.foundation.child import Child\nprint(Child().call(abs, -1), Child().call(abs, -2))"
    )
    command = [sys.executable, "-X", "dev", script]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENT, check=True)
    assert (ran.stdout, ran.stderr) == ("1 2\n", "")
