"""Where a session goes round: each picture is shown when it is there, verdicts are of what is shown, errors stay at home."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Event
from types import FrameType

import pytest
from hands import LEFT, bring_forward, figure_of, session_of
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QToolButton
from word_tokenizer import save_tokenizer

import posenc_gui as pe
from posenc_gui.app.panels.jobs import Finished
from posenc_gui.app.panels.requirements_table import VerdictRow
from posenc_gui.app.state.worker import Worker
from posenc_gui.app.widgets.formula_view import FormulaView
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Note
from posenc_gui.labs.play.observe import Observation
from posenc_gui.measures import measures
from posenc_gui.measures.requirements import Requirements, definitions
from posenc_gui.plots import plots
from posenc_gui.scene.scene import Scene

pytestmark = pytest.mark.one_window


@pytest.fixture(autouse=True)
def _nothing_remembered(window, settle) -> None:
    """What a test before has computed would not be computed again, as the tests here mean to hold it up."""
    window.workbench.set_device("cpu")
    settle(window)


def is_current(window, plot: str) -> bool:
    return figure_of(window, plot).session == session_of(window).to_json()


def note_of(window, plot: str) -> str:
    """The sentence where a plot's picture would stand; empty where there is a picture."""
    panel = figure_of(window, plot).panels[0]
    return panel.text if isinstance(panel, Note) else ""


def is_marked(window, plot: str) -> bool:
    """Whether a plot's caption says that its picture is still being computed."""
    labels = window.workbench.plots[plot].findChildren(QLabel)
    return any(label.text().startswith("Computing …") for label in labels if label.isVisible())


# --- Pictures


class HeldPlot:
    """A plot that answers in two steps and gives the second when it is let go."""

    def __init__(self) -> None:
        self.let_go, self.steps = Event(), False

    def draw(self, _scene: Scene, _options: object, engine: Engine) -> Iterator[Figure]:
        coarse = Figure("held", "Held", (Note("coarse"),), caption_parts=compose_caption("coarse"))
        yield coarse
        while not self.let_go.wait(0.005):
            engine.check_stop()
            if self.steps:
                yield coarse
        yield Figure("held", "Held", (Note("whole"),), caption_parts=compose_caption("whole"))


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[HeldPlot]:
    """In the place of the clocks, which are drawn before the waves."""
    held = HeldPlot()
    monkeypatch.setitem(plots(), "clocks", replace(plots()["clocks"], draw=held.draw))
    yield held
    held.let_go.set()


@pytest.mark.slow
def test_each_picture_is_shown_when_it_is_there_and_what_is_still_coming_is_marked(window, held, qtbot, settle) -> None:
    bring_forward(window, "clocks")
    settle(window)
    in_view = [name for name in window.workbench.plots if window.cards[f"plot.{name}"].in_view]
    after = [name for name in in_view if name > "clocks"]
    assert after
    window.workbench.store.propose(text="dog bites man")
    qtbot.waitUntil(lambda: is_current(window, "attention") and note_of(window, "clocks") == "coarse")
    assert window.busy
    assert not any(is_current(window, name) for name in after)
    qtbot.waitUntil(lambda: all(is_marked(window, name) for name in after))
    assert not is_marked(window, "attention")
    held.let_go.set()
    settle(window)
    assert note_of(window, "clocks") == "whole"
    assert not any(is_marked(window, name) for name in in_view)


@pytest.mark.slow
def test_what_is_said_of_an_encoding_is_of_the_chosen_one_however_long_its_pictures_take(
    window, held, qtbot, settle
) -> None:
    bring_forward(window, "clocks")
    settle(window)
    formula = window.findChild(FormulaView)

    def ink() -> bool:
        picture = formula.grab().toImage()
        return len({picture.pixel(x, y) for x in range(picture.width()) for y in range(picture.height())}) > 1

    window.workbench.store.propose(encoding="fourier")
    qtbot.waitUntil(lambda: is_marked(window, "waves"))
    assert not ink()
    held.steps = True
    fourier = pe.encoding("fourier").equations.query
    qtbot.waitUntil(lambda: fourier in formula.accessibleName() and ink())
    assert window.busy
    assert note_of(window, "clocks") == "coarse"


def test_between_two_pictures_the_window_answers(window, settle) -> None:
    """No turn of the event loop draws more than one."""
    drawn: list[int] = []
    beat = QTimer(interval=0)
    beat.timeout.connect(lambda: drawn.append(sum(is_current(window, name) for name in window.workbench.plots)))
    window.workbench.store.propose(text="dog bites man")
    beat.start()
    settle(window)
    assert drawn[-1] > 2
    assert all(after - before <= 1 for before, after in pairwise(drawn))


def stop_button(window) -> QToolButton:
    return window.findChild(QToolButton, "stop")


@pytest.mark.slow
@pytest.mark.parametrize("by", ["Esc", "Space", "click"])
def test_what_takes_long_can_be_stopped_and_computed_again(window, held, qtbot, settle, by: str) -> None:
    bring_forward(window, "clocks")
    settle(window)
    assert not stop_button(window).isVisible()
    before = figure_of(window, "waves")
    window.workbench.store.propose(text="dog bites man")
    qtbot.waitUntil(stop_button(window).isVisible)
    assert stop_button(window).accessibleName() == "Stop computing"
    words = stop_button(window).parent().findChild(QLabel).text()
    assert words.startswith("Computing, ")
    assert words.endswith(" s")
    if by == "Esc":
        QTest.keyClick(window, Qt.Key.Key_Escape)
    elif by == "Space":
        stop_button(window).setFocus(Qt.FocusReason.TabFocusReason)
        QTest.keyClick(stop_button(window), Qt.Key.Key_Space)
    else:
        QTest.mouseClick(stop_button(window), LEFT)
    qtbot.waitUntil(lambda: stop_button(window).accessibleName() == "Restart the stopped computation")
    qtbot.waitUntil(lambda: not window.findChild(Worker).busy)
    assert figure_of(window, "waves") is before
    caption = [label.text() for label in window.workbench.plots["waves"].findChildren(QLabel) if label.isVisible()]
    assert any(text.startswith("Stopped, out of date") for text in caption)
    held.let_go.set()
    QTest.mouseClick(stop_button(window), LEFT)
    settle(window)
    assert is_current(window, "waves")
    assert not stop_button(window).isVisible()


@pytest.mark.own_window
@pytest.mark.slow
def test_a_long_text_says_how_far_it_is_and_how_long_it_still_takes_and_no_other_s_time(window, settle, qtbot) -> None:
    bring_forward(window, "attention")
    settle(window)
    states = [label for label in window.statusBar().findChildren(QLabel) if label.text().endswith(" ms")]
    assert len(states) == 1
    told: list[tuple[str, str]] = []

    def note() -> bool:
        told.append((doing(window), states[0].text() if states[0].isVisible() else ""))
        return not window.busy

    store = window.workbench.store
    store.replace(store.session.changed(fill="random", fill_to=20_000))
    assert states[0].text() == "cpu"
    qtbot.waitUntil(note)
    settle(window)
    left = re.compile(r"Computing, (\d+)% · about \d+ s left")
    shares = [int(match[1]) for words, _ in told if (match := left.fullmatch(words))]
    assert len(set(shares)) > 1
    assert shares == sorted(shares)
    assert not any(state.endswith(" ms") for words, state in told if left.fullmatch(words))
    assert states[0].text().endswith(" ms")
    assert not stop_button(window).isVisible()


def doing(window) -> str:
    """What the status bar says beside the button."""
    return stop_button(window).parent().findChild(QLabel).text() if stop_button(window).isVisible() else ""


@pytest.mark.slow
def test_while_a_lab_looks_the_status_bar_says_so(window, qtbot, settle) -> None:
    let_go = Event()

    def watch(session: pe.Session, _engine: Engine) -> Observation:
        assert let_go.wait(60)
        return Observation(session, reached=False)

    settle(window)
    window.workbench.watch(watch)
    qtbot.waitUntil(lambda: doing(window).startswith("Evaluating the lab's step · "))
    let_go.set()
    settle(window)


@pytest.mark.slow
def test_after_a_stop_the_next_change_computes_as_ever(window, held, qtbot, settle) -> None:
    bring_forward(window, "clocks")
    settle(window)
    window.workbench.store.propose(text="dog bites man")
    qtbot.waitUntil(stop_button(window).isVisible)
    window.workbench.stop()
    qtbot.waitUntil(lambda: not window.findChild(Worker).busy)
    held.let_go.set()
    window.workbench.store.propose(text="man bites dog")
    settle(window)
    assert is_current(window, "waves")
    assert not window.workbench.stopped


@pytest.mark.slow
def test_an_error_of_one_plot_stands_in_its_card_and_in_the_log(
    window, user, settle, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def draw(*_: object) -> Figure:
        raise IndexError("no such <b>row</b>")

    monkeypatch.setitem(plots(), "attention", replace(plots()["attention"], draw=draw, draw_part=None))
    user.pastes(window, "dog bites man")
    told = note_of(window, "attention")
    assert "this is an error of the explorer (IndexError: no such <b>row</b>)" in told
    assert told.endswith("Help ▸ Diagnostics has the details.")
    assert any(record.exc_info and record.exc_info[0] is IndexError for record in caplog.records)
    others = [name for name in window.workbench.plots if window.cards[f"plot.{name}"].in_view and name != "attention"]
    assert others
    assert not any(note_of(window, name) for name in others)
    monkeypatch.undo()
    user.pastes(window, "man bites dog")
    assert note_of(window, "attention") == ""


@pytest.mark.slow
def test_a_tokenizer_that_comes_back_is_seen_with_the_next_change_and_when_a_card_is_shown_again(
    window, user, settle, tmp_path: Path
) -> None:
    path = tmp_path / "tokenizer.json"
    save_tokenizer(path, "The", "cat")
    store = window.workbench.store
    store.propose(tokenizer=str(path))
    settle(window)
    assert figure_of(window, "attention").panels[0].rows.labels == ("The", "cat", "?", "?", "?", "?")
    path.unlink()
    user.edits(window.workbench.plots["attention"].form.editor("quantity"))
    settle(window)
    assert "tokenizer.json" in note_of(window, "attention")
    save_tokenizer(path, "The", "cat", "sat")
    user.edits(window.workbench.plots["attention"].form.editor("quantity"))
    settle(window)
    assert figure_of(window, "attention").panels[0].rows.labels == ("The", "cat", "sat", "?", "?", "?")
    assert window.workbench.tokens.chips.model().stringList()[2] == "sat"
    # Nothing is changed now: the card is hidden while the file is gone, and shown again.
    path.unlink()
    bring_forward(window, "row")
    settle(window)
    assert "tokenizer.json" in note_of(window, "row")
    window.cards["plot.row"].hide()
    save_tokenizer(path, "The", "cat", "sat", "on")
    bring_forward(window, "row")
    settle(window)
    assert note_of(window, "row") == ""


# --- Verdicts


@pytest.fixture
def rested(window, qtbot):
    """A window that has come to rest: its encoding is judged."""
    qtbot.waitUntil(lambda: not window.busy)
    head = window.workbench.encoding.verdicts.head
    if head.folded:
        QTest.mouseClick(head, LEFT)
    return window


def verdicts_of(window) -> dict[str, VerdictRow]:
    return window.workbench.encoding.verdicts.rows


def are_marked(window) -> bool:
    """Whether the verdicts say that they are of something else than what is there now."""
    told = window.workbench.encoding.verdicts.words()
    assert all(button.accessibleName().startswith(told) for button in verdicts_of(window).values())
    return told.startswith("From before the last change")


def are_of(window, session: pe.Session) -> bool:
    measured = pe.measure("requirements", session)
    return all(
        re.search(
            rf"{row.title}: (not )?{row.verdict}.*\. {re.escape(row.reason)}$",
            verdicts_of(window)[name].accessibleName(),
        )
        for name, row in measured.items()
    )


@pytest.mark.slow
def test_a_number_that_is_only_rounding_reads_as_0_in_a_verdict_s_tooltip_too(rested) -> None:
    verdict = verdicts_of(rested)["relative_aware"]
    assert " met (0)" in verdict.toolTip()


@pytest.mark.slow
@pytest.mark.parametrize("change", [{"encoding": "integer"}, {"model": pe.ToyModel(d_model=32)}, {"text": "a " * 200}])
def test_verdicts_are_marked_as_old_at_once_and_stay_where_the_keyboard_is(rested, qtbot, change) -> None:
    before, button = session_of(rested), verdicts_of(rested)["bounded"]
    with qtbot.waitActive(rested):
        rested.activateWindow()
    button.setFocus()
    rested.workbench.store.propose(**change)
    assert are_marked(rested)
    assert are_of(rested, before)
    assert button.isVisible()
    assert button.hasFocus()
    qtbot.waitUntil(lambda: not are_marked(rested))
    assert are_of(rested, session_of(rested))
    assert button.hasFocus()


@pytest.mark.slow
def test_what_the_verdicts_do_not_depend_on_leaves_them_as_they_are(rested, qtbot) -> None:
    store = rested.workbench.store
    for change in ({"focus": 0}, {"text": "dog bites man"}, {"plots": {"clocks": {"position": 3.0}}}):
        store.replace(session_of(rested).changed(**change))
        assert not are_marked(rested)
    store.propose(encoding="rope")
    assert are_marked(rested)
    store.undo()
    assert not are_marked(rested)
    qtbot.waitUntil(lambda: not rested.busy)
    assert not are_marked(rested)
    assert are_of(rested, session_of(rested))


@pytest.mark.slow
def test_pictures_that_never_rest_do_not_keep_the_verdicts_waiting(rested, qtbot) -> None:
    store, rests = rested.workbench.store, []
    rested.findChild(Worker).busy_changed.connect(lambda busy: None if busy else rests.append(busy))
    store.propose(encoding="rope")
    # Each time that the pictures are there, the next ones are asked for.
    worker = rested.findChild(Worker)
    endless = worker.brought.connect(
        lambda thing: isinstance(thing, Finished) and store.propose(focus=(session_of(rested).focus + 1) % 6)
    )
    qtbot.waitUntil(lambda: not are_marked(rested))
    assert are_of(rested, session_of(rested))
    assert not rests
    worker.brought.disconnect(endless)


@pytest.mark.slow
def test_verdicts_that_take_longer_than_a_job_may_come_while_a_plot_plays(
    rested, settle, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, never = measures()["requirements"], Event()

    def slowly(scene: Scene, options: object, engine: Engine) -> Requirements:
        for _ in range(130):
            engine.check_stop()
            never.wait(0.01)
        return taken.take(scene, options, engine)

    monkeypatch.setitem(measures(), "requirements", replace(taken, take=slowly))
    bring_forward(rested, "clocks")
    settle(rested)
    (player,) = rested.workbench.plots["clocks"].players
    QTest.mouseClick(player, LEFT)
    rested.workbench.store.propose(encoding=pe.encoding("sinusoidal", base=500.0))
    qtbot.waitUntil(lambda: not are_marked(rested))
    assert player.playing
    QTest.mouseClick(player, LEFT)
    monkeypatch.undo()
    assert are_of(rested, session_of(rested))
    settle(rested)


class HeldJudge:
    """Judges ALiBi only when it is let go."""

    def __init__(self) -> None:
        self.began, self.let_go = Event(), Event()
        self._take = measures()["requirements"].take

    def take(self, scene: Scene, options: object, engine: Engine) -> Requirements:
        if scene.encoding.name == "alibi":
            self.began.set()
            assert self.let_go.wait(60)
        return self._take(scene, options, engine)


@pytest.mark.slow
def test_verdicts_of_an_encoding_that_was_left_are_not_shown(rested, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    left = session_of(rested).changed(encoding="alibi")
    reason = pe.measure("requirements", left)["bounded"].reason
    judge, store = HeldJudge(), rested.workbench.store
    monkeypatch.setitem(measures(), "requirements", replace(measures()["requirements"], take=judge.take))
    told: list[str] = []
    rested.findChild(Worker).brought.connect(lambda _: told.append(verdicts_of(rested)["bounded"].accessibleName()))
    store.replace(left)
    qtbot.waitUntil(judge.began.is_set)
    store.propose(encoding="integer")
    judge.let_go.set()
    qtbot.waitUntil(lambda: not are_marked(rested))
    assert are_of(rested, session_of(rested))
    assert told
    assert not any(reason in one for one in told)


@pytest.mark.slow
def test_requirements_that_can_not_be_judged_say_why_once(
    rested, qtbot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def take(*_: object) -> None:
        raise TypeError("unhashable")

    monkeypatch.setitem(measures(), "requirements", replace(measures()["requirements"], take=take))
    rested.workbench.store.propose(encoding="rope")
    qtbot.waitUntil(lambda: not rested.busy)
    words = rested.workbench.encoding.verdicts.words()
    assert "an error of the explorer (TypeError: unhashable)" in words
    assert not any(button.isVisible() for button in verdicts_of(rested).values())
    assert len([record for record in caplog.records if record.levelno == logging.ERROR]) == 1
    monkeypatch.undo()
    rested.workbench.store.propose(encoding="alibi")
    qtbot.waitUntil(lambda: not rested.busy)
    assert list(verdicts_of(rested)) == list(definitions())
    assert are_of(rested, session_of(rested))
    assert all(button.isVisible() for button in verdicts_of(rested).values())


def test_verdicts_are_reached_and_followed_by_the_keyboard_while_they_are_old(rested, settle) -> None:
    button = verdicts_of(rested)["relative_aware"]
    rested.workbench.store.propose(encoding="rope")
    assert are_marked(rested)
    QTest.keyClick(button, Qt.Key.Key_Space)
    settle(rested)
    assert rested.cards["plot.linear_shift"].in_view


def test_another_focus_makes_no_code_and_finds_no_model_again(window, settle) -> None:
    settle(window)
    asked: list[str] = []

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_name in ("code", "presets_shown_by", "refusals", "fitting"):
            asked.append(frame.f_code.co_name)

    for change, expected in (({"focus": 4}, set()), ({"encoding": "alibi"}, {"code", "presets_shown_by"})):
        asked.clear()
        sys.setprofile(note)
        try:
            window.workbench.store.propose(**change)
        finally:
            sys.setprofile(None)
        assert set(asked) == expected
