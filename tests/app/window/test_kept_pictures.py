"""Pictures that are kept for the next start, each in a process of its own: there before torch, equal to what is then drawn."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from test_startup import start

import posenc_gui as pe

# Tells what is seen before torch is there, and how what is drawn then differs from it.
SEEN = """
AFTER_TORCH = "posenc_gui.session.evaluate"  # is imported once torch is there
kept = {}
over = set()
plays = []

def views(window):
    from PySide6.QtWidgets import QWidget
    of_plots = {name: card for name, card in window.cards.items() if name.startswith("plot.") and card.in_view}
    found = {name: [one for one in card.findChildren(QWidget) if type(one).__name__ == "FigureView"]
             for name, card in of_plots.items()}
    return {name: one[0] for name, one in found.items() if one and one[0].figure()}

def step(window):
    from PySide6.QtWidgets import QPushButton
    offer = window.findChild(QPushButton, "demonstrate")
    plays.append(offer is not None and offer.isVisible())
    if window.workbench is None:
        for one in window.findChildren(QLabel, "painted-over"):
            if one.isVisible() and "pyqtgraph" not in sys.modules:
                over.add(one.parent().objectName())
        for name, view in views(window).items():
            early = kept[name][0] if name in kept else AFTER_TORCH not in sys.modules
            kept[name] = early, view, view.figure(), view.grab().toImage(), window.cards[name].caption
        return False
    from posenc_gui.app.state.worker import Worker
    now = views(window)
    if any(one.isVisible() for one in window.findChildren(QLabel, "painted-over")):
        return False
    if window.findChild(Worker).busy or window.workbench.drawing or not all(
        name not in kept or view.figure() is not kept[name][2] for name, view in now.items()
    ):
        return False
    if plays != sorted(plays):
        print("Play comes and goes")
    if {"plot.attention", "window"} <= over:
        print("painted True True True True True")  # map and column, before pyqtgraph
    for name, (early, view, figure, image, caption) in kept.items():
        told = figure.caption == now[name].figure().caption and caption == window.cards[name].caption
        same = early, view is now[name], image == view.grab().toImage(), told, figure.session == now[name].figure().session
        print(name, *same)
    return True
"""
EQUAL = "True True True True True"


def prepared(folder: Path, session: pe.Session, step: str = SEEN) -> str:
    """Let a window end in order with this session, of which it keeps pictures: what was printed."""
    (folder / "memory").mkdir(parents=True)
    session.save(folder / "memory" / "last-session.json")
    return start(folder, step)


def assert_all_are_seen(printed: str) -> None:
    """Map and column were painted, and all figures shown, before torch, and they are as what is drawn then."""
    seen = dict(line.split(" ", 1) for line in printed.splitlines())
    assert {"painted", "plot.attention", "plot.waves"} <= set(seen)
    assert set(seen.values()) == {EQUAL}


def figures_in(folder: Path) -> Path:
    (kept,) = (folder / "memory").glob("windows/*/figures.kept")
    return kept


# Tells where the end of the sentence and its third token are.
PLACES = """
from PySide6.QtCore import QPoint

def step(window):
    from posenc_gui.app.state.worker import Worker
    if window.workbench is None or window.findChild(Worker).busy or window.workbench.drawing:
        return False
    edit, chips = window.workbench.tokens.text_edit, window.workbench.tokens.chips
    print(*edit.mapTo(window, edit.rect().center() + QPoint(edit.width() // 3, 0)).toTuple())
    print(*chips.mapTo(window, chips.visualRect(chips.model().index(2, 0)).center()).toTuple())
    return True
"""


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a window that was closed, and the places in it."""
    folder = tmp_path_factory.mktemp("ended")
    return folder, prepared(folder, pe.Session(), PLACES)


@pytest.fixture
def again(ended: tuple[Path, str], tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(ended[0] / "memory", tmp_path / "memory")
    return tmp_path


@pytest.fixture
def places(ended: tuple[Path, str]) -> list[tuple[int, ...]]:
    """Where the end of the sentence and its third token are."""
    return [tuple(map(int, line.split())) for line in ended[1].splitlines()]


@pytest.mark.slow
@pytest.mark.most(1)  # each of these starts takes seconds
@pytest.mark.parametrize(
    "session",
    [
        pe.Session(text="the dog bit the man the cat", encoding=pe.encoding("rope"), focus=1),
        pe.Session(encoding=pe.encoding("alibi"), other=pe.encoding("sinusoidal")),
    ],
    ids=["one encoding", "two encodings"],
)
def test_pictures_are_there_before_torch_and_nothing_of_them_changes_when_they_are_drawn(
    tmp_path: Path, session: pe.Session
) -> None:
    assert prepared(tmp_path, session) == ""
    assert_all_are_seen(start(tmp_path, SEEN))


@pytest.mark.slow
def test_a_first_start_has_its_pictures_before_torch(tmp_path: Path) -> None:
    assert start(tmp_path, SEEN) == "".join(f"plot.{name} {EQUAL}\n" for name in ("attention", "clocks", "waves"))


UNCOVERED = """
import time
from posenc_gui.app.widgets import formula_view

def typeset(formula, typeset=formula_view.typeset):
    time.sleep(0.5)  # as on a slow machine: the test waits for the window, not for this
    return typeset(formula)

formula_view.typeset = typeset

def step(window):
    if window.workbench is None or any(one.isVisible() for one in window.findChildren(QLabel, "painted-over")):
        return False
    print(window.workbench.encoding.typeset is not None)
    return True
"""


@pytest.mark.slow
def test_the_column_is_uncovered_once_its_formula_is_there(again: Path) -> None:
    assert start(again, UNCOVERED) == "True\n"


DARKENED = """
def darkened(window, seen=step):
    from PySide6.QtGui import QAction
    if kept and first("dark"):
        window.findChild(QAction, "theme.dark").trigger()
    return seen(window)

step = darkened
"""


@pytest.mark.slow
def test_another_theme_reaches_kept_pictures(again: Path) -> None:
    assert_all_are_seen(start(again, SEEN + DARKENED))


def kept_files(folder: Path) -> list[Path]:
    found = list((folder / "memory").glob("windows/*/*.kept"))
    assert len(found) == 2
    return found


def flip(folder: Path) -> None:
    for path in kept_files(folder):
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)


def cut(folder: Path, size: int) -> None:
    for path in kept_files(folder):
        os.truncate(path, size)


def edit(folder: Path) -> None:
    session = figures_in(folder).with_name("session.json")
    pe.Session.load(session).changed(text="another").save(session)


IGNORED: dict[str, Callable[[Path], object]] = {
    "damaged": flip,
    "cut by a kill": partial(cut, size=100),
    "a file of a gigabyte": partial(cut, size=2**30),
    "another session": edit,
    "an unfinished lab": lambda folder: figures_in(folder).with_name("underway.json").write_text('{"lab": "waves"}'),
}


@pytest.mark.slow
@pytest.mark.most(1)
@pytest.mark.parametrize("change", IGNORED.values(), ids=IGNORED)
def test_what_was_not_of_this_session_or_is_not_whole_is_not_shown(
    again: Path, change: Callable[[Path], object]
) -> None:
    change(again)
    assert start(again, SEEN) == ""


PRESSING = """
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

def pressed(window):
    if window.workbench is None:
        seen = {} if AFTER_TORCH in sys.modules else views(window)
        if "plot.attention" in seen and not first("shown") and first("pressed"):  # once it is laid out
            view = seen["plot.attention"]
            view.panel_views()[0].prepare()  # puts the box where the values are
            shown = view.panel_views()[0]
            place = shown.vb.mapViewToScene(QPointF(4, 3)).toPoint()
            canvas = shown.scene().views()[0].viewport()
            QTest.mouseMove(canvas, place)
            print(window.statusBar().findChild(QLabel).text())
            QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=place)
            for key in (Qt.Key.Key_Down, Qt.Key.Key_Return):
                QTest.keyClick(view, key)
            QTest.keyClick(window, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
            QTest.mouseClick(next(one for one in window.findChildren(QPushButton, "choice") if one.text() == "Compare"),
                             Qt.MouseButton.LeftButton)
            QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        return False
    from posenc_gui.app.state.worker import Worker
    if window.findChild(Worker).busy or window.workbench.drawing:
        return False
    now = window.workbench.store.session
    print(*((one.session.focus, one.session.other) for one in window.documents.current.bookmarks), now.focus, now.other is None)
    print(window.workbench.store.undo_name, window.workbench.store.redo_name, sep=", ")
    print(repr(window.statusBar().currentMessage()))
    return True

step = pressed
"""


@pytest.mark.slow
def test_what_is_pressed_before_torch_is_there_is_done_then(again: Path) -> None:
    """A cell is read at once, and made the focus later, as is the one below it by keys; shortcuts and a button are later, too,
    in this order.
    """
    read, done, steps, said = start(again, SEEN + PRESSING).splitlines()
    assert read.startswith("query on (3) · key the (4)")
    assert done == "(4, None) 4 True"
    assert steps == "Focus on “the” at 4, Compared with RoPE"
    assert "This is done" not in said


TYPED = """
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
PLACES = {places}

def typed(window):
    if window.workbench is None:
        column = [one for one in window.findChildren(QLabel, "painted-over") if one.parent() is window]
        if column and first("typed"):
            for place in PLACES:
                QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, pos=QPoint(*place))
            QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, pos=QPoint(*PLACES[0]))
            for key in (Qt.Key.Key_Space, Qt.Key.Key_A, Qt.Key.Key_Left):
                QTest.keyClick(window, key)
            composed = QInputMethodEvent()
            composed.setCommitString("é")
            QApplication.sendEvent(window, composed)
            print(window.statusBar().currentMessage())
            menus = (menu for menu in window.menuBar().findChildren(QMenu) if menu.title() in ("&Plots", "&Labs", "&Device"))
            print(*({{action.text() for action in menu.actions()}} - {{"&All plots"}} for menu in menus))
            QTest.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
            compare = next(one for one in window.findChildren(QPushButton, "choice") if one.text() == "Compare")
            QTest.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
            print(compare.isChecked())
        return False
    session = window.workbench.store.session
    if not seen(window) or session.other is None:
        return False
    print(repr(session.text), session.focus, window.statusBar().currentMessage() or None)
    return True

from PySide6.QtWidgets import QPushButton
step, seen = typed, step
"""


@pytest.mark.slow
def test_what_is_typed_and_clicked_in_pictures_before_torch_is_there_is_done_then(
    again: Path, places: list[tuple[int, ...]]
) -> None:
    """A click in the picture of the sentence puts the cursor there, one on a token makes it the focus; keys go where they would
    have gone.
    """
    done, menus, marked, *_, changed = start(again, SEEN + TYPED.format(places=places)).splitlines()
    assert done == "This is done as soon as the window is ready."
    assert menus == " ".join([str({"Here once torch is loaded"})] * 3)
    assert marked == "True"
    assert changed == "'The cat sat on the mat éa' 2 None"


REMEDIED = """
def remedied(window):
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QPushButton
    offered = window.findChild(QPushButton, "offered")
    if kept and window.workbench is None and AFTER_TORCH not in sys.modules and first("pressed"):
        print(offered.text())
        offered.click()
        window.findChild(QAction, "bookmark").trigger()
    if not seen(window) or not window.documents.current.bookmarks:
        return False
    print(window.documents.current.bookmarks[0].session.model.causal, offered.isVisible())
    return True

step, seen = remedied, step
"""


@pytest.mark.slow
def test_a_change_that_the_kept_headline_offers_is_made_once_torch_is_there(tmp_path: Path) -> None:
    """And before what was pressed after it."""
    assert prepared(tmp_path, pe.Session(text="the cat the", encoding=pe.encoding("alibi"), focus=1)) == ""
    offered, *_, made = start(tmp_path, SEEN + REMEDIED).splitlines()
    assert (offered, made) == ("Mask later tokens", "True False")


CLOSED = {
    "while torch is imported": 'step = lambda window: "torch" in sys.modules and window.workbench is None',
    "by the desktop, which ends its session": """
def step(window):
    if "torch" in sys.modules and window.workbench is None:
        QApplication.instance().commitDataRequest.emit(None)
        os._exit(0)
""",
    "while they are taken": """
from concurrent.futures import ThreadPoolExecutor
from threading import Event

taking, ending = Event(), Event()

def unlink(self, *given, unlink=Path.unlink, **named):
    if self.name == "figures.kept":
        taking.set()
        ending.wait(60)
    unlink(self, *given, **named)

def shutdown(self, *given, shutdown=ThreadPoolExecutor.shutdown, **named):
    ending.set()
    shutdown(self, *given, **named)

Path.unlink, ThreadPoolExecutor.shutdown = unlink, shutdown
step = lambda window: taking.is_set()
""",
}


@pytest.mark.slow
@pytest.mark.most(1)
@pytest.mark.parametrize("step", CLOSED.values(), ids=CLOSED)
def test_a_window_that_is_closed_while_it_starts_leaves_the_pictures_for_the_next(again: Path, step: str) -> None:
    start(again, step)
    assert_all_are_seen(start(again, SEEN))


SIZES = """
def step(window):
    from posenc_gui.app.state.worker import Worker
    if first("narrow"):
        window.resize(780, 740)
    if window.workbench is None or window.findChild(Worker).busy or window.workbench.drawing:
        return False
    print({name: card.size().toTuple() for name, card in window.cards.items() if card.in_view})
    return True
"""


@pytest.mark.slow
def test_cards_come_back_in_their_sizes_beside_a_headline_of_three_lines(again: Path) -> None:
    first, later = (start(again, SIZES) for _ in range(2))
    assert first
    assert later == first


FLOATED = """
def step(window):
    card = window.cards.get("plot.waves")
    if window.workbench is None or window.workbench.drawing:
        return False
    if first("compare"):
        window._startup.arranger.go("compare")
    elif card.in_view and first("float"):
        card.setFloating(True)
    return card.isFloating()
"""
PAINTED = """
def step(window):
    card = window.cards.get("plot.waves")
    if window.workbench is None and not (card and card.isFloating() and window.findChildren(QLabel, "painted-over")):
        return False
    print(card.isFloating() and card.updatesEnabled(), bool(card.windowFlags() & Qt.WindowType.FramelessWindowHint))
    return True

from PySide6.QtCore import Qt
"""


@pytest.mark.slow
def test_a_card_that_floated_is_painted_at_the_next_start(tmp_path: Path) -> None:
    assert start(tmp_path, FLOATED) == ""
    assert start(tmp_path, PAINTED) == "True False\n"
