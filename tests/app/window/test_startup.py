"""Starting and closing, each in a process of its own: the first paint comes before anything heavy, and nothing is left."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import posenc_gui as pe
from posenc_gui.app.state.settings import VERSION, Memory, SavedLayouts

HEAVY = ("torch", "numpy", "pyqtgraph", "matplotlib", "pydantic", "regex")

# The real start, with a step that is called again and again until it returns true.
SCRIPT = """
import os
import signal
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QMessageBox
from posenc_gui.app.window.application import run
from posenc_gui.app.window.main_window import MainWindow

HEAVY = {heavy}
done = set()

def first(what):
    new = what not in done
    done.add(what)
    return new

def ask(window):
    buttons = QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.No
    QMessageBox(QMessageBox.Icon.Question, "", "?", buttons, window).exec()

def put_log_aside():
    (Path(sys.argv[1]) / "log.txt").rename(Path(sys.argv[1]) / "seen.txt")

{step}

def main():
    app = QApplication(sys.argv[:1])
    timer = QTimer()
    window = None

    def tick():
        nonlocal window
        window = window or next((one for one in app.topLevelWidgets() if isinstance(one, MainWindow)), None)
        if window is not None and step(window):
            timer.stop()
            window.close()

    timer.timeout.connect(tick)
    timer.start(5)
    run(folder=Path(sys.argv[1]))

if __name__ == "__main__":
    main()
"""


def start(tmp_path: Path, step: str, status: int = 0, told: str = "") -> str:
    """Run the window until a step returns true, then close it: what was printed.

    It ends with this status and without a complaint, but for one line that has what is to be `told`.
    """
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(heavy=HEAVY, step=step), encoding="utf-8")
    folder = tmp_path / "memory"
    ran = subprocess.run(
        [sys.executable, str(script), str(folder)], capture_output=True, text=True, timeout=300, check=False
    )
    said = [line for line in ran.stderr.splitlines() if "This plugin does not support" not in line]
    log = folder / "log.txt"
    assert not log.exists(), log.read_text()
    assert ran.returncode == status
    assert [line for line in said if not told or told not in line] == []
    assert len(said) == bool(told)
    return ran.stdout


@pytest.mark.slow
def test_the_window_paints_before_anything_heavy_is_imported_and_then_shows_a_picture(tmp_path: Path) -> None:
    printed = start(
        tmp_path,
        """

original = MainWindow.paintEvent
first = []

def paintEvent(self, event):
    if not first:
        first.append([name for name in HEAVY if name in sys.modules])
    original(self, event)

MainWindow.paintEvent = paintEvent

def step(window):
    shown = window.workbench and window.workbench.plots["attention"].view.figure()
    if shown:
        print(first, shown.name, "torch" in sys.modules, sys.getswitchinterval() < 1e-3)
    return bool(shown)
""",
    )
    assert printed == "[[]] attention True True\n"


@pytest.mark.slow
def test_no_type_of_qt_is_left_to_be_made_by_two_threads_at_once(tmp_path: Path) -> None:
    """PySide makes a type when it is first used; the import of pyqtgraph, on another thread, uses all of them."""
    printed = start(
        tmp_path,
        """
def step(window):
    from PySide6 import QtCore, QtGui, QtWidgets
    if "torch" in sys.modules:
        print([name for module in (QtCore, QtGui, QtWidgets) for name in dir(module) if name not in vars(module)])
    return "torch" in sys.modules
""",
    )
    assert printed == "[]\n"


DURING_A_COMPUTATION = """
def step(window):
    from posenc_gui.app.state.worker import Worker
    busy = window.workbench and window.findChild(Worker).busy
    if window.workbench and not busy and first("typed"):
        window.workbench.tokens.text_edit.setPlainText(" ".join(f"word{i % 900}" for i in range(10_000)))
        return False
    return "typed" in done and busy
"""
AFTER_EVERYTHING = """
def step(window):
    from posenc_gui.app.state.worker import Worker
    return bool(window.workbench) and not window.findChild(Worker).busy
"""
CLOSED = {
    "at once": "step = bool",
    "while the window's parts are made": "step = lambda window: bool(window.cards)",
    "during the import of torch": 'step = lambda window: "torch" in sys.modules and window.workbench is None',
    "during a computation over 10,000 tokens": DURING_A_COMPUTATION,
    "with a floating card, after an export, whose process must not stay": """
def step(window):
    figure = window.workbench and window.workbench.plots["attention"].view.figure()
    if figure and first("asked"):
        window.cards["plot.attention"].setFloating(True)
        from posenc_gui.app.export.export_process import request_figure
        window.workbench.exporter.save([request_figure(figure)], Path(sys.argv[1]) / "map.csv", {}, print, print)
    return (Path(sys.argv[1]) / "map.csv").exists() and window.cards["plot.attention"].isVisible()
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("step", CLOSED.values(), ids=CLOSED)
def test_closing_ends_the_process_with_status_0_and_says_nothing(tmp_path: Path, step: str) -> None:
    start(tmp_path, step)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("localedef") is None, reason="the Turkish locale can't be made here")
def test_the_window_comes_up_where_a_capital_i_has_a_dot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PySide finds `setInterval` for `interval` by C's toupper, which in Turkish gives İ."""
    made = subprocess.run(["localedef", "-i", "tr_TR", "-f", "UTF-8", tmp_path / "tr_TR.UTF-8"], check=False)
    if made.returncode:
        pytest.skip("the definition of the Turkish locale is not installed")
    monkeypatch.setenv("LOCPATH", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "tr_TR.UTF-8")
    start(tmp_path, AFTER_EVERYTHING)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals that ask a process to end")
def test_a_signal_in_the_middle_of_work_ends_the_process_as_closing_does(tmp_path: Path) -> None:
    during = DURING_A_COMPUTATION.replace("def step", "def working")
    step = f"""
{during}
signal.signal(signal.SIGTERM, signal.SIG_DFL)  # whoever runs the tests may have it ignored

def step(window):
    if working(window) and first("sent"):
        os.kill(os.getpid(), signal.SIGTERM)
    return False
"""
    start(tmp_path, step, 143)
    (kept,) = (tmp_path / "memory").glob("windows/*/session.json")
    assert pe.Session.load(kept).text.startswith("word0 word1 ")
    assert json.loads((kept.parent / "window.json").read_text())["closed"]


ASKING = {  # and each signal that ends a process, with its exit status
    "a dialog for files": ("window.documents.ask_and_save()", "SIGINT", 130),
    "two questions without a way out": ("ask(window), ask(window)", "SIGTERM", 143),
    "a menu": ("menu.exec()", "SIGHUP", 129),
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals that ask a process to end")
@pytest.mark.parametrize(("asking", "name", "status"), ASKING.values(), ids=ASKING)
def test_a_signal_ends_the_process_though_something_is_asked(
    tmp_path: Path, asking: str, name: str, status: int
) -> None:
    step = f"""
signal.signal(signal.{name}, signal.SIG_DFL)

def step(window):
    if window.workbench and first("asked"):
        window.workbench.store.propose(text="asked")
        menu = QMenu("menu", window)
        menu.addAction("entry")
        QTimer.singleShot(0, lambda: ({asking}))
    if (QApplication.activeModalWidget() or QApplication.activePopupWidget()) and first("sent"):
        os.kill(os.getpid(), signal.{name})
    return False
"""
    start(tmp_path, step, status)
    (kept,) = (tmp_path / "memory").glob("windows/*/session.json")
    assert pe.Session.load(kept).text == "asked"
    assert json.loads((kept.parent / "window.json").read_text())["closed"]


@pytest.mark.slow
def test_the_end_of_the_desktops_session_closes_dialogs_and_keeps_everything(tmp_path: Path) -> None:
    step = """
def step(window):
    app = QApplication.instance()
    if window.workbench and first("asked"):
        window.workbench.store.propose(text="asked")
        QTimer.singleShot(0, lambda: ask(window))
    if not app.activeModalWidget():
        return False
    app.commitDataRequest.emit(None)
    print(app.activeModalWidget())
    return True
"""
    assert start(tmp_path, step) == "None\n"


@pytest.mark.slow
def test_a_signal_that_was_to_be_ignored_is_ignored(tmp_path: Path) -> None:
    """As under nohup."""
    step = """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
ticks = iter(range(20))

def step(window):
    if window.workbench:
        os.kill(os.getpid(), signal.SIGTERM)
    return bool(window.workbench) and next(ticks, None) is None
"""
    start(tmp_path, step)


@pytest.mark.slow
def test_an_error_that_nobody_foresaw_is_said_and_logged_and_the_window_goes_on(tmp_path: Path) -> None:
    step = """
def step(window):
    if window.workbench and first("told"):
        QTimer.singleShot(0, lambda: 1 / 0)
    if "told" not in done or not window.messages.isVisible():
        return False
    print(window.messages.findChild(QLabel).text())
    put_log_aside()
    return True
"""
    printed = start(tmp_path, step)
    assert "ZeroDivisionError" in printed
    assert "Help ▸ Diagnostics" in printed
    assert "Traceback" in (tmp_path / "memory" / "seen.txt").read_text()


UNMADE = """
import posenc_gui.app.{module} as module

def fails(*_, **__):
    raise IndexError("no such row")

module.{name} = fails

def step(window):
    told = [one.text() for one in window.findChildren(QLabel) if "IndexError" in one.text() and one.isVisible()]
    if told:
        print(*told)
        put_log_aside()
    return bool(told)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "name", "failed", "arranged"),
    [
        ("docks.card", "Card", "can't start", False),
        ("window.notifications", "StatusBar", "can't start", False),
        ("talk.bookmarks_window", "BookmarkCommands", "has started only in part", True),
    ],
)
def test_a_window_that_cannot_be_made_says_so_and_does_not_meet_the_same_arrangement_again(
    tmp_path: Path, module: str, name: str, failed: str, arranged: bool
) -> None:
    Memory(tmp_path / "memory").keep_arrangement(SavedLayouts.of(VERSION, b"", "compare", {}))
    told = f"posenc-gui {failed} because of a bug (IndexError: no such row)"
    printed = start(tmp_path, UNMADE.format(module=module, name=name), told=told)
    assert told in printed
    assert "Traceback" in (tmp_path / "memory" / "seen.txt").read_text()
    assert (tmp_path / "memory" / "arrangement.json").exists() == arranged


def test_imports_are_not_slowed_down_by_a_feature_that_nobody_uses() -> None:
    code = "import builtins, posenc_gui.app, PySide6.QtWidgets; print(builtins.__import__.__name__)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert ran.stdout.strip() != "__feature_import__"


# --- Surroundings in which nothing can be kept -----------------------------------------------------------------------

NOBODY = """
import os, pwd, sys
os.environ.pop("HOME", None)

def unknown(user):
    raise KeyError(user)

pwd.getpwuid = unknown
from posenc_gui.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run_in(folder: Path, *command: str, **environment: str) -> tuple[int, str]:
    """Run Python in a folder, which the command may delete; its exit status and complaint."""
    ran = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return ran.returncode, ran.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such list of users")
def test_without_a_home_folder_one_sentence_is_said(tmp_path: Path) -> None:
    said = "posenc-gui: There is no home folder: HOME is not set, and the system knows none for this user.\n"
    assert run_in(tmp_path, "-c", NOBODY) == (2, said)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows doesn't ask these")
@pytest.mark.parametrize("name", ["HOME", "XDG_CONFIG_HOME"])
def test_a_relative_folder_of_ones_own_is_refused_in_one_sentence(tmp_path: Path, name: str) -> None:
    said = f"posenc-gui: {name} must be an absolute path, not “rel”.\n"
    assert run_in(tmp_path, "-m", "posenc_gui", **{name: "rel"}) == (2, said)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows doesn't delete a folder that is in use")
@pytest.mark.parametrize("arguments", [[], ["export", "waves", "--out", "waves.svg"], ["list", "plots"]])
def test_in_a_deleted_folder_one_sentence_is_said(tmp_path: Path, arguments: list[str]) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    program = "import os, sys; os.rmdir(os.getcwd()); from posenc_gui.cli import main; sys.exit(main(sys.argv[1:]))"
    said = "posenc-gui: The working directory was deleted: start from one that exists.\n"
    assert run_in(folder, "-c", program, *arguments) == (2, said)
