"""What a window does at 131,072 tokens: `python benchmarks/long_text.py [TOKENS] [ENCODING …] [--file] [--cards]
[--grabs FOLDER]`.

While the overview is computed the window is used by real keys, wheels and clicks. Printed, for each step: the longest pause
of the UI thread (between two beats of a 5 ms timer), and the process's memory. The first line says both at rest, with six
tokens. With --file the text comes from a file, else random words make the sentence longer.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from common import longest_pause, open_window, spend
from memory import memory
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QGraphicsView

from posenc_gui.app.export.export_process import request_figure
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.figure.panels import Heatmap
from posenc_gui.render.screen import FigureView
from posenc_gui.render.screen.panel_view import PanelView

_AT_MOST = 30.0  # seconds that a step is waited for
_LOOKED_AT = 1.5  # seconds, for what follows a step
ENCODINGS = "rope", "alibi", "none", "sinusoidal"


class Trial:
    """A window that is used, and what is printed of it."""

    def __init__(self, window: MainWindow, grabs: Path | None) -> None:
        assert window.workbench
        self.window, self.bench, self.store = window, window.workbench, window.workbench.store
        self.grabs = grabs
        self.rest = 0.0

    def step(self, name: str, act: Callable[[], object], until: Callable[[], bool] = lambda: True) -> None:
        """Act, look on for a while and until something is so, and print."""
        began = time.perf_counter()
        print(f"    … {name}", flush=True)

        def watched() -> None:
            act()
            end = time.perf_counter() + _AT_MOST
            spend(_LOOKED_AT)
            while not until() and time.perf_counter() < end:
                spend(0.05)

        pause = longest_pause(watched)
        if not self.rest:
            self.rest = pause
        late = "" if until() else f" and not there after {_AT_MOST:.0f} s"
        over = 1000 * (pause - self.rest)
        took = time.perf_counter() - began
        print(
            f"{name:>38}: {1000 * pause:5.0f} ms, {over:5.0f} above rest; {memory():5.0f} MiB; {took:.1f} s{late}",
            flush=True,
        )

    def grab(self, name: str) -> None:
        """Keep a picture of the window, where that is wanted."""
        if self.grabs:
            self.window.grab().save(str(self.grabs / f"{name}.png"))

    def map(self) -> Heatmap | None:
        """The last of the maps that are shown."""
        figure = self.view.figure()
        maps = [panel for panel in figure.panels if isinstance(panel, Heatmap)] if figure else []
        return maps[-1] if maps else None

    @property
    def map_view(self) -> PanelView:
        """The last map as it is drawn."""
        return [one for one in self.view.panel_views() if isinstance(one.shown, Heatmap)][-1]

    @property
    def view(self) -> FigureView:
        """The picture of the attention card."""
        return self.bench.plots["attention"].view

    def shows(self, encoding: str, tokens: int) -> bool:
        """Whether a picture of so many tokens under an encoding is shown, be it a coarse one."""
        found, figure = self.map(), self.view.figure()
        return bool(
            found
            and found.part
            and len(found.part.every_row) == tokens
            and figure
            and _encoding_of(figure.session) == encoding
        )

    @property
    def is_new(self) -> bool:
        """Whether the picture is one of the session at hand."""
        figure = self.view.figure()
        return figure is not None and figure.session == self.store.session.to_json()

    @property
    def exact(self) -> bool:
        """Whether tokens are shown one by one."""
        found = self.map()
        return bool(found and found.part and max(found.part.height, found.part.width) == 1)

    @property
    def on_its_way(self) -> bool:
        """Whether more of the picture is to come."""
        figure = self.view.figure()
        return figure is not None and "on its way" in figure.caption


def _encoding_of(session: str) -> str:
    """The encoding in a session's JSON, which leaves out what is as at first."""
    return json.loads(session)["session"].get("encoding", {"name": "sinusoidal"})["name"]


def wheel(trial: Trial, turns: int) -> None:
    """Turn the wheel over the middle of the last map."""
    box = trial.map_view.vb
    graphics = trial.view.findChild(QGraphicsView)
    place = QPointF(graphics.mapFromScene(box.mapViewToScene(box.viewRect().center())))
    event = QWheelEvent(
        place, QPointF(graphics.viewport().mapToGlobal(place.toPoint())), QPoint(), QPoint(0, turns),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(graphics.viewport(), event)


def many_wheels(trial: Trial, turns: int, count: int) -> None:
    """Turn it again and again."""
    for _ in range(count):
        wheel(trial, turns)
        spend(0.05)


def drag(trial: Trial) -> None:
    """Pan the last map by the mouse, in small steps."""
    graphics = trial.view.findChild(QGraphicsView)
    box = trial.map_view.vb
    start = graphics.mapFromScene(box.mapViewToScene(box.viewRect().center()))
    viewport = graphics.viewport()

    def send(kind: QEvent.Type, place: QPoint, button: Qt.MouseButton, buttons: Qt.MouseButton) -> None:
        at = QPointF(place)
        event = QMouseEvent(
            kind, at, QPointF(viewport.mapToGlobal(place)), button, buttons, Qt.KeyboardModifier.NoModifier
        )
        QApplication.sendEvent(viewport, event)

    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    send(QEvent.Type.MouseButtonPress, start, left, left)
    for step in range(1, 30):
        send(QEvent.Type.MouseMove, start - QPoint(3 * step, 2 * step), none, left)
        spend(0.02)
    send(QEvent.Type.MouseButtonRelease, start - QPoint(90, 60), left, none)


def keys(trial: Trial, *pressed: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press keys over the picture."""
    trial.view.setFocus()
    for key in pressed:
        QTest.keyClick(trial.view, key, held)
        spend(0.1)


def trigger(trial: Trial, begins: str) -> None:
    """Choose an entry of a menu."""
    action = next(one for one in trial.window.findChildren(QAction) if one.text().replace("&", "").startswith(begins))
    action.trigger()


def type_words(trial: Trial, words: str) -> None:
    """Type at the text's beginning, a letter each 60 ms."""
    edit = trial.bench.tokens.text_edit
    edit.setFocus()
    edit.moveCursor(edit.textCursor().MoveOperation.Start)
    for letter in words:
        QTest.keyClicks(edit, letter)
        spend(0.06)


def go_to(trial: Trial, wanted: str) -> None:
    """Ctrl+G, and a number or letters."""
    trial.bench.tokens.ask_to_go()
    field = QApplication.focusWidget() or trial.window
    QTest.keyClicks(field, wanted)
    QTest.keyClick(field, Qt.Key.Key_Return)


def export(trial: Trial, path: Path, told: list[str]) -> None:
    """Write what is shown, as the dialog would."""
    looks = trial.bench.exporter.dialogs.looks
    trial.bench.exporter.save([request_figure(trial.view.figure())], path, looks, told.append, told.append)


def used(trial: Trial, encoding: str, tokens: int, folder: Path, *, from_file: bool) -> None:
    """All that is done under one encoding."""
    store, bench = trial.store, trial.bench
    start = store.session

    def long_text() -> None:
        store.propose(encoding=encoding)
        if from_file:
            trial.window.documents.open(folder / "long.txt")
        else:
            store.propose(fill="random", fill_to=tokens)

    step = trial.step
    shown = partial(trial.shows, encoding, tokens)
    step("the text made longer", long_text, shown)
    trial.grab(f"{encoding}-coarse")
    step("only looked at", lambda: spend(4))
    if not from_file:
        step("a word typed", partial(type_words, trial, "cat "))
        step("typed word's picture", lambda: None, lambda: shown() and not bench.plots["attention"].state())
    step("wheel in", partial(many_wheels, trial, 240, 8))
    step("dragged", partial(drag, trial))
    step("wheel in to tokens", partial(many_wheels, trial, 480, 8), lambda: trial.exact)
    trial.grab(f"{encoding}-near")
    step("dragged among tokens", partial(drag, trial), lambda: trial.exact)
    step("wheel in to numbers", partial(many_wheels, trial, 360, 6), lambda: trial.exact and not trial.on_its_way)
    trial.grab(f"{encoding}-numbers")
    step(
        "panned by keys",
        partial(keys, trial, Qt.Key.Key_Right, Qt.Key.Key_Down, held=Qt.KeyboardModifier.ShiftModifier),
    )
    step("everything again", partial(keys, trial, Qt.Key.Key_0), lambda: shown() and not trial.exact)
    step("Ctrl+G 100000", partial(go_to, trial, str(tokens - tokens // 4)))
    step("another encoding", lambda: store.propose(encoding="t5"), partial(trial.shows, "t5", tokens))
    step("undone", store.undo, shown)
    step("redone", store.redo, partial(trial.shows, "t5", tokens))
    step("undone again", store.undo, shown)
    step("a parameter dragged", partial(drag_parameter, trial), lambda: trial.is_new)
    step("Stop", bench.stop, lambda: not trial.window.busy)
    trial.grab(f"{encoding}-stopped")
    step("computed again", bench.compute, shown)
    step("compared with RoPE", lambda: store.propose(other="rope"), shown)
    trial.grab(f"{encoding}-compared")
    step("no longer compared", lambda: store.propose(other=None), shown)
    told: list[str] = []
    for suffix in (".png", ".pdf", ".csv"):
        step(
            f"exported while computing, {suffix}",
            partial(export, trial, folder / f"shown{suffix}", told),
            lambda: bool(told),
        )
        print(f"{'':>40}{told.pop() if told else 'nothing was said'}", flush=True)
    step("bookmarked", partial(trigger, trial, "Add bookmark"))
    step("as typed again", lambda: store.propose(fill="none", text=start.text))
    store.replace(start)


def drag_parameter(trial: Trial) -> None:
    """Change the model's seed ten times."""
    for seed in range(1, 11):
        trial.store.propose(model=trial.store.session.model.model_copy(update={"seed": seed}))
        spend(0.05)


def cards(trial: Trial, tokens: int, encoding: str) -> None:
    """Every plot's card, one after the other, while the overview is computed."""
    trial.store.propose(encoding=encoding, fill="random", fill_to=tokens)
    for name, card in trial.window.cards.items():
        plot = name.removeprefix("plot.")
        trial.step(name, card.bring, lambda plot=plot: drawn(trial, plot))
        panel = trial.bench.plots.get(plot)
        figure = panel.view.figure() if panel else None
        if figure is not None:
            print(
                f"{'':>40}{figure.caption or ' '.join(getattr(one, 'text', '') for one in figure.panels)}"[:300],
                flush=True,
            )
        trial.grab(f"card-{plot}")
        if name not in ("plot.attention", "tokens", "encoding"):
            card.close()


def drawn(trial: Trial, plot: str) -> bool:
    """Whether a plot shows the session at hand."""
    panel = trial.bench.plots.get(plot)
    figure = panel.view.figure() if panel else None
    return panel is None or (figure is not None and not panel.state())


def main() -> None:
    """Open the window, use it, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tokens", nargs="?", type=int, default=131_072)
    parser.add_argument("encodings", nargs="*", default=ENCODINGS)
    parser.add_argument("--file", action="store_true", help="the text from a file")
    parser.add_argument("--cards", action="store_true", help="every plot's card instead")
    parser.add_argument("--grabs", type=Path, help="a folder for pictures of the window")
    chosen = parser.parse_args()
    with open_window(1280, 800) as window, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "long.txt").write_text(" ".join(f"w{at % 5000}" for at in range(chosen.tokens)), encoding="utf-8")
        trial = Trial(window, chosen.grabs)
        trial.store.propose(model=ToyModel(d_model=64, n_heads=1))
        spend(2)
        trial.step("at rest", lambda: spend(2))
        for encoding in chosen.encodings:
            print(f"{encoding}, {chosen.tokens:,} tokens", flush=True)
            if chosen.cards:
                cards(trial, chosen.tokens, encoding)
            else:
                used(trial, encoding, chosen.tokens, folder, from_file=chosen.file)
        trial.store.propose(fill="random", fill_to=chosen.tokens - 1)
        spend(1)
        began = time.perf_counter()
    print(f"closed while computing: {time.perf_counter() - began:.2f} s")


if __name__ == "__main__":
    main()
