"""Random actions of a user, in any order and quickly: the window must go on answering, and come up again."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QInputMethodEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QTabBar,
    QWidget,
)

from posenc_gui import encodings
from posenc_gui.app.widgets.dialogs import QuestionDialog
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.app.window.menus import Menus
from tools.attack import hostile, mutations
from tools.attack.child import PATIENCE, Child
from tools.attack.outcome import HANG, Outcome
from tools.attack.tokenizers import TOKENIZERS
from tools.attack.window import Player, accept, give, play, starts_again

PER_SITTING = 200

Act = tuple[str, Callable[[], object]]

_LARGEST_PAUSE = 0.06  # seconds between two actions
_LEFT, _NO_KEY = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
_CONTROL, _ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
_KEYS = [
    Qt.Key[f"Key_{name}"]
    for name in (
        *("Left", "Right", "Up", "Down", "Home", "End", "PageUp", "PageDown", "Tab", "Backtab", "Delete", "Return"),
        *("Escape", "Space", "Backspace", "F10", "F6", "Plus", "Minus", "A", "Z", "0", "9"),
    )
]
_LENGTHS = (1, 2, 6, 40, 300, 1000, 4000, 16_384)


def attack(rng: random.Random, folder: Path) -> Outcome:
    """Act on a window many times, each action being printed before it is done, and start it again."""
    outcome, seed, steps = Outcome(tried=0), str(rng.random()), 0
    child = Child(folder / "sitting", sit, seed, str(folder))
    if not child.waits_for("ready"):
        outcome.add(HANG, "it doesn't come up")
    while child.waits_for("step", PATIENCE, steps + 1):
        steps += 1
    ended = child.end(0)  # it has ended, or hung
    outcome.tried = outcome.met = min(steps, PER_SITTING)
    what = "; ".join(step[:120] for step in ended.said("step")[-3:])
    outcome.judge(ended, what)
    outcome.judge_silence(ended, what)
    outcome.judge_pauses(ended, "a sitting")
    for said in ended.said("said"):
        outcome.judge_sentence(said, "a sitting")
    outcome.judge_logs(folder, "a sitting")
    starts_again(folder, outcome, "a sitting")
    outcome.judge_strays(folder, "a sitting")
    return outcome


def sit(seed: str, folder: str) -> int:
    """Open a window and act on it. Runs in a child process."""
    return play(partial(_sit, hands=Hands(random.Random(seed), Path(folder))))


def _sit(player: Player, hands: Hands) -> Iterator[float]:
    yield from player.come_up()
    player.answer = hands.answer
    for number in range(PER_SITTING):
        what, act = hands.choose(player.window)
        player.say(f"{number} {what!r}")
        act()
        yield hands.rng.choice((0.0, 0.0, hands.rng.uniform(0, _LARGEST_PAUSE)))
    player.say("closing")
    player.stop()
    player.window.close()


class Hands:
    """A random user: each method returns an action's description and its function, or None if there is nothing to act on."""

    def __init__(self, rng: random.Random, folder: Path) -> None:
        self.rng, self._folder, self._files = rng, folder, 0

    def choose(self, window: MainWindow) -> Act:
        """Return a random action that is possible now."""
        kinds = (
            (self._menu, 6),
            (self._type, 4),
            (self._paste, 4),
            (self._key, 8),
            (self._click, 8),
            (self._in_lab, 6),
            (self._drag, 5),
            (self._wheel, 4),
            (self._undo, 3),
            (self._encoding, 3),
            (self._number, 5),
            (self._choice, 4),
            (self._slider, 3),
            (self._card, 3),
            (self._resize, 2),
            (self._tokenizer, 2),
            (self._open, 3),
        )
        ways, weights = zip(*kinds, strict=True)
        while (act := self.rng.choices(ways, weights)[0](window)) is None:
            pass
        return act

    def answer(self, modal: QWidget) -> None:
        """Answer a dialog or menu at random."""
        if isinstance(modal, QFileDialog) and self.rng.random() < 0.6:
            if modal.acceptMode() == QFileDialog.AcceptMode.AcceptSave:
                path = self._next_file().with_suffix(
                    self.rng.choice((".json", ".svg", ".png", ".csv", ".md", ".x", ""))
                )
            else:
                path, _ = self._made(self.rng.choice(("session", "figure", "lab")))
            give(modal, str(path if modal.fileMode() != QFileDialog.FileMode.Directory else path.parent))
        elif isinstance(modal, QuestionDialog):
            self.rng.choice(modal.findChildren(QPushButton)).click()
        elif isinstance(modal, QMenu) and modal.actions() and self.rng.random() < 0.8:
            modal.setActiveAction(self.rng.choice(modal.actions()))
            QTest.keyClick(modal, self.rng.choice((Qt.Key.Key_Return, Qt.Key.Key_Escape)))
        else:
            accept(modal)

    def _menu(self, window: MainWindow) -> Act:
        entries = [window.findChild(QAction, one.name) for one in window.findChild(Menus).actions if one.name != "quit"]
        chosen = self.rng.choice([one for one in entries if one.isEnabled() and one.isVisible()])
        return f"menu: {chosen.objectName()}", chosen.trigger

    def _type(self, window: MainWindow) -> Act | None:
        edits = _there(window, (QPlainTextEdit, QLineEdit))
        words = self.rng.choice(["dog ", "the ", "\u4f60 ", "1e308", "-1", "0", *mutations.TEXTS.values()])[:200]
        return _on(edits, self.rng, f"type {words[:20]!r}", lambda edit: _type(edit, words))

    def _paste(self, window: MainWindow) -> Act:
        name, text = self.rng.choice(
            [*mutations.TEXTS.items(), *((f"{n} words", "the cat " * (n // 2)) for n in _LENGTHS)]
        )
        edit = window.workbench.tokens.text_edit

        def paste() -> None:
            QApplication.clipboard().setText(text)
            if self.rng.random() < 0.8:
                QTest.keyClick(edit, Qt.Key.Key_A, _CONTROL)
            QTest.keyClick(edit, Qt.Key.Key_V, _CONTROL)

        return f"paste {name}", paste

    def _key(self, window: MainWindow) -> Act:
        key, modifier = (
            self.rng.choice(_KEYS),
            self.rng.choice((_NO_KEY, _NO_KEY, Qt.KeyboardModifier.ShiftModifier, _ALT)),
        )
        to = QApplication.activePopupWidget() or QApplication.focusWidget() or window
        return f"{modifier.name} {key.name} to {_name(to)}", lambda: QTest.keyClick(to, key, modifier)

    def _click(self, window: MainWindow) -> Act | None:
        popup = QApplication.activePopupWidget()
        if popup:
            return "close a popup", popup.close
        return _on(_there(window, (QAbstractButton, QTabBar)), self.rng, "click", self._press)

    def _in_lab(self, window: MainWindow) -> Act | None:
        card = window.cards["lab"]
        if self.rng.random() < 0.3:
            words = self.rng.choice(("because", "3", "0.5", "x" * 500))
            edits = _there(card, (QPlainTextEdit, QLineEdit))
            return _on(edits, self.rng, "answer", lambda edit: _type(edit, words))
        return _on(_there(card, (QAbstractButton,)), self.rng, "click in the lab", self._press)

    def _drag(self, window: MainWindow) -> Act | None:
        def drag(widget: QWidget) -> None:
            places = [self._place(widget) for _ in range(self.rng.randrange(2, 8))]
            QTest.mousePress(widget, _LEFT, pos=places[0])
            for place in places[1:]:
                QTest.mouseMove(widget, place)
            QTest.mouseRelease(widget, _LEFT, pos=places[-1])

        return _on(_there(window, (QWidget,)), self.rng, "drag", drag)

    def _wheel(self, window: MainWindow) -> Act | None:
        turn = self.rng.choice((-120, 120, -1200, 1200, 15))

        def wheel(widget: QWidget) -> None:
            at = QPointF(self._place(widget))
            event = QWheelEvent(
                at,
                QPointF(widget.mapToGlobal(at.toPoint())),
                QPoint(),
                QPoint(0, turn),
                Qt.MouseButton.NoButton,
                self.rng.choice((_NO_KEY, _CONTROL)),
                Qt.ScrollPhase.NoScrollPhase,
                False,
            )
            QApplication.sendEvent(widget, event)

        return _on(_there(window, (QWidget,)), self.rng, f"wheel {turn}", wheel)

    def _undo(self, window: MainWindow) -> Act:
        name, times = self.rng.choice(("undo", "redo")), self.rng.choice((1, 3, 50))
        action = window.findChild(QAction, name)
        return f"{name} {times} times", lambda: [action.trigger() for _ in range(times)]

    def _encoding(self, window: MainWindow) -> Act:
        name = self.rng.choice(encodings.names())
        return f"encoding {name}", lambda: window.workbench.store.propose(encoding=name)

    def _number(self, window: MainWindow) -> Act | None:
        def turn(box: QAbstractSpinBox) -> None:
            if self.rng.random() < 0.6:
                box.stepBy(self.rng.choice((-1_000_000, -1, 1, 1_000_000)))
            else:
                QTest.keyClick(box, Qt.Key.Key_A, _CONTROL)
                QTest.keyClicks(box, self.rng.choice(("1e12", "-5", "0", "64", "nan", "")))
                QTest.keyClick(box, Qt.Key.Key_Return)

        return _on(_there(window, (QAbstractSpinBox,)), self.rng, "number", turn)

    def _choice(self, window: MainWindow) -> Act | None:
        def pick(box: QComboBox) -> None:
            QTest.keyClick(box, self.rng.choice((Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_End, Qt.Key.Key_Home)))

        return _on(_there(window, (QComboBox,)), self.rng, "choice", pick)

    def _slider(self, window: MainWindow) -> Act | None:
        def slide(slider: QAbstractSlider) -> None:
            slider.setValue(self.rng.randint(slider.minimum(), slider.maximum()))

        return _on(_there(window, (QAbstractSlider,)), self.rng, "slider", slide)

    def _card(self, window: MainWindow) -> Act:
        name, card = self.rng.choice([*window.cards.items()])
        ways = {"float": lambda: card.setFloating(not card.isFloating()), "close": card.close, "bring": card.bring}
        way = self.rng.choice([*ways])
        return f"{way} {name}", ways[way]

    def _resize(self, window: MainWindow) -> Act:
        width, height = self.rng.choice(((1, 1), (300, 200), (1280, 800), (2560, 1440), (5000, 50)))
        return f"resize to {width} × {height}", lambda: window.resize(width, height)

    def _tokenizer(self, window: MainWindow) -> Act:
        path = self._next_file().with_suffix(".json")  # a valid one: others belong to `hostile`
        path.write_text(json.dumps(TOKENIZERS["sound"]), encoding="utf-8")
        name = self.rng.choice(("words", "characters", "bytes", str(path)))
        return f"tokenizer {name}", lambda: window.workbench.store.propose(tokenizer=name)

    def _open(self, window: MainWindow) -> Act:
        path, how = self._made(self.rng.choice(("session", "figure", "lab")))
        return f"drop {how}", lambda: window.dropped.emit(path, "")

    # --- files, places and clicks

    def _made(self, kind: str) -> tuple[Path, str]:
        """Make a damaged file that is an ordinary and not too large one: pipes and devices belong to `hostile`."""
        while True:
            # In the window's process: what takes seconds to make would be a pause of the window.
            path, how = hostile.make(self.rng, kind, self._next_file(), mutations.BYTES)
            if path.is_file() and not path.is_symlink() and path.stat().st_size < 10**7:
                return path, how

    def _next_file(self) -> Path:
        self._files += 1
        return self._folder / f"file{self._files}"

    def _place(self, widget: QWidget) -> QPoint:
        return QPoint(self.rng.randrange(max(1, widget.width())), self.rng.randrange(max(1, widget.height())))

    def _press(self, widget: QWidget) -> None:
        QTest.mouseClick(widget, _LEFT, pos=widget.rect().center() if self.rng.random() < 0.8 else self._place(widget))


def _there(within: QWidget, kinds: tuple[type, ...]) -> list[QWidget]:
    """Return the visible and enabled widgets of these kinds."""
    return [
        one for one in within.findChildren(QWidget) if isinstance(one, kinds) and one.isVisible() and one.isEnabled()
    ]


def _on(widgets: list[QWidget], rng: random.Random, what: str, act: Callable[[Any], object]) -> Act | None:
    if not widgets:
        return None
    chosen = rng.choice(widgets)
    return f"{what} {_name(chosen)}", lambda: act(chosen)


def _type(edit: QWidget, words: str) -> None:
    """Type as an input method does, which has more characters than a keyboard."""
    event = QInputMethodEvent()
    event.setCommitString(words)
    QApplication.sendEvent(edit, event)


def _name(widget: QWidget) -> str:
    """Return a widget's type and its accessible name, object name or text."""
    written = widget.text() if isinstance(widget, (QAbstractButton, QLineEdit)) else ""
    said = widget.accessibleName() or widget.objectName() or written
    return f"{type(widget).__name__} {said[:40]}"
