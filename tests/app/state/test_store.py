"""The store: undo and redo of everything, in steps that a user would call one."""

from __future__ import annotations

from typing import Any

import pytest
from hands import User, action, bring_forward, figure_of, open_file
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

import posenc_gui as pe
from posenc_gui.app.state.sheet import Sheet
from posenc_gui.app.state.store import LONGEST_HISTORY, History, Store, part_clicked, where_changed
from posenc_gui.figure.axis import Pointer

pytestmark = pytest.mark.one_window

CONTROL = Qt.KeyboardModifier.ControlModifier


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(clock: Clock) -> Store:
    return Store(pe.Session(), clock=clock)


def sinusoidal(base: float) -> Any:
    return pe.encoding("sinusoidal", base=base)


def steps_back(store: Store) -> list[str]:
    """Undo everything; the names of the steps, the newest first."""
    names = []
    while store.undo_name:
        names.append(store.undo_name)
        store.undo()
    return names


# --- Steps


@pytest.mark.parametrize(
    "fields",
    [
        {"text": "dog bites man"},
        {"tokenizer": "characters"},
        {"keep_case": True},
        {"order": (5, 4, 3, 2, 1, 0)},
        {"encoding": "rope"},
        {"encoding": sinusoidal(500.0)},
        {"model": pe.ToyModel(n_layers=2)},
        {"focus": 0},
        {"key": 5},
        {"plots": {"clocks": {"position": 3.0}}},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_every_field_is_undone_and_done_again(store: Store, fields: dict[str, Any]) -> None:
    first = store.session
    assert store.propose(**fields) == ""
    last, name = store.session, store.undo_name
    assert last != first
    store.undo()
    assert store.session == first
    assert (store.undo_name, store.redo_name) == ("", name)
    store.redo()
    assert store.session == last
    assert (store.undo_name, store.redo_name) == (name, "")


def test_a_burst_of_typing_is_one_step(store: Store, clock: Clock) -> None:
    for length in range(1, 14):
        store.propose(text="dog bites man"[:length])
        clock.now += 0.9
    assert steps_back(store) == ["Typed “dog bites man”"]
    assert store.session == pe.Session()


def test_typing_after_a_pause_is_another_step(store: Store, clock: Clock) -> None:
    store.propose(text="dog")
    clock.now += 1.1
    store.propose(text="dog bites")
    store.undo()
    assert store.session.text == "dog"


def test_a_drag_is_one_step_from_its_first_value_to_its_last(store: Store, clock: Clock) -> None:
    for base in (20_000.0, 90_000.0, 500_000.0):
        store.propose(encoding=sinusoidal(base))
        clock.now += 0.1
    assert steps_back(store) == ["Base 10,000 → 500,000"]


def test_a_drag_back_to_where_it_began_is_no_step(store: Store) -> None:
    for base in (20_000.0, 15_000.0, 10_000.0):
        store.propose(encoding=sinusoidal(base))
    assert store.session == pe.Session()
    assert store.undo_name == ""


def test_a_drag_back_and_forth_is_none_of_the_step_before_it(store: Store, clock: Clock) -> None:
    store.propose(encoding=sinusoidal(500.0))
    clock.now += 5
    for base in (600.0, 500.0, 700.0):
        store.propose(encoding=sinusoidal(base))
    assert steps_back(store) == ["Base 500 → 700", "Base 10,000 → 500"]


def test_changes_of_different_fields_are_separate_steps(store: Store) -> None:
    store.propose(text="dog bites man")
    store.propose(encoding=sinusoidal(500.0))
    store.propose(focus=0)
    store.propose(text="man bites dog")
    assert steps_back(store) == [
        "Typed “man bites dog”",
        "Focus on “dog”",
        "Base 10,000 → 500",
        "Typed “dog bites man”",
    ]


def test_an_undone_burst_is_not_gone_on_with(store: Store) -> None:
    store.propose(focus=0)
    store.propose(text="dog")
    store.undo()
    store.propose(focus=1)
    store.undo()
    assert store.session.focus == 0


def test_what_is_replaced_as_a_whole_is_a_step_of_its_own(store: Store) -> None:
    opened = store.session
    store.propose(text="dog bites man")
    store.replace(opened)
    store.propose(text="dog")
    assert steps_back(store) == ["Typed “dog”", "Typed “The cat sat on the mat”", "Typed “dog bites man”"]
    store.redo()
    assert store.session.text == "dog bites man"


def test_what_is_refused_or_equal_is_no_step(store: Store) -> None:
    told = []
    store.changed.connect(told.append)
    assert "order" in store.propose(order=(0, 1))
    assert store.propose(focus=2) == ""
    assert (told, store.undo_name) == ([], "")


def test_the_history_is_bounded_and_keeps_what_is_newest(store: Store) -> None:
    for step in range(LONGEST_HISTORY + 20):
        store.propose(text=f"word {step}")
        store.propose(focus=step % 2)
    steps = steps_back(store)
    assert len(steps) == LONGEST_HISTORY
    assert store.session.text == f"word {20 + LONGEST_HISTORY // 2 - 1}"


def test_a_history_is_exchanged_for_another_and_taken_up_where_it_was(store: Store, clock: Clock) -> None:
    store.propose(text="dog bites man")
    store.propose(focus=0)
    store.undo()
    own, kept = store.whole, store.session
    store.exchange(History.of(pe.Session(text="a lab's"), Sheet(), "As the step began"))
    assert (store.undo_name, store.redo_name, store.history) == ("", "", ("As the step began",))
    store.undo()
    assert store.session.text == "a lab's"
    store.propose(text="a learner's")
    store.exchange(own)
    assert (store.session, store.redo_name) == (kept, "Focus on “dog”")
    assert steps_back(store) == ["Typed “dog bites man”"]


def test_undo_that_leads_to_another_document_brings_its_sheet(store: Store, qtbot) -> None:
    first, second = store.sheet, Sheet()
    store.replace(store.session, named="New session", sheet=second)  # a step, though the session is the same
    store.propose(focus=1)
    assert store.sheet is second
    with qtbot.waitSignal(store.turned) as turned:
        store.go(0)
    assert turned.args == [first]
    store.redo()
    assert store.sheet is second
    with qtbot.assertNotEmitted(store.turned):
        store.redo()


proposals = st.fixed_dictionaries(
    {},
    optional={
        "text": st.sampled_from(["The cat sat on the mat", "dog bites man", "dog", "", "the the"]),
        "order": st.sampled_from([(), (1, 0), (2, 1, 0), (5, 4, 3, 2, 1, 0)]),
        "focus": st.integers(0, 6),
        "key": st.none() | st.integers(0, 6),
        "encoding": st.sampled_from(["sinusoidal", "none", "rope"])
        | st.sampled_from([500.0, 10_000.0]).map(sinusoidal),
        "model": st.sampled_from([pe.ToyModel(), pe.ToyModel(causal=True), pe.ToyModel(d_model=12)]),
    },
)


@settings(max_examples=32)
@given(st.lists(st.tuples(proposals, st.sampled_from([0.0, 0.5, 2.0]), st.booleans()), max_size=25))
def test_as_many_undos_as_changes_give_the_first_session_and_as_many_redos_the_last(
    changes: list[tuple[dict[str, Any], float, bool]],
) -> None:
    clock = Clock()
    store = Store(pe.Session(), clock=clock)
    for fields, pause, whole in changes:
        clock.now += pause
        if whole:
            store.replace(pe.Session(focus=fields.get("focus", 2), text=fields.get("text", "dog")))
        else:
            store.propose(**fields)
    last = store.session
    for _ in changes:
        store.undo()
    assert store.session == pe.Session()
    assert store.undo_name == ""
    for _ in changes:
        store.redo()
    assert store.session == last
    assert store.redo_name == ""


# --- In the window


def said(window) -> tuple[str, str]:
    return tuple(action(window, verb).text().replace("&", "") for verb in ("Undo", "Redo"))


def test_of_many_steps_in_one_turn_of_the_event_loop_the_first_and_the_last_are_told(store: Store, qtbot) -> None:
    for length in range(1, 60):
        store.replace(pe.Session(text="a " * length))
    told: list[str] = []
    store.changed.connect(lambda session: told.append(session.text))
    for _ in range(50):
        store.undo()
    qtbot.waitUntil(lambda: len(told) > 1)
    assert told == ["a " * 58, "a " * 9]
    store.redo()
    store.propose(focus=1)
    assert told[2:] == ["a " * 10] * 2
    turned: list[bool] = []
    QTimer.singleShot(0, lambda: turned.append(True))  # behind whatever the store has in mind for the next turn
    qtbot.waitUntil(lambda: bool(turned))
    assert len(told) == 4


@pytest.mark.slow
def test_fifty_steps_back_show_the_session_they_lead_to(window, settle, unhurried: None) -> None:
    workbench = window.workbench
    for step in range(50):
        other = None if workbench.store.session.other else "alibi"
        workbench.store.propose(**({"other": other} if step % 2 else {"text": "dog " * (step + 1)}))
    settle(window)
    for _ in range(50):
        action(window, "Undo").trigger()
    settle(window)
    assert workbench.store.session == pe.Session()
    assert workbench.tokens.text_edit.toPlainText() == pe.Session().text
    assert not window.cards["compare"].in_view
    assert said(window)[0] == "Undo"


@pytest.mark.slow
def test_control_z_in_the_text_undoes_the_session_and_either_key_redoes_it(
    window, user: User, settle, qtbot, hurried: None
) -> None:
    edit = window.workbench.tokens.text_edit
    user.types(edit, "dog bites man")
    window.workbench.store.propose(encoding="rope")
    window.activateWindow()
    edit.setFocus()
    qtbot.waitUntil(lambda: window.isActiveWindow() and edit.hasFocus())
    QTest.keyClick(edit, Qt.Key.Key_Z, CONTROL)
    assert window.workbench.store.session.encoding.name == "sinusoidal"
    assert edit.toPlainText() == "dog bites man"
    QTest.keyClick(edit, Qt.Key.Key_Z, CONTROL)
    settle(window)
    assert edit.toPlainText() == "The cat sat on the mat"
    assert window.workbench.store.session == pe.Session()
    QTest.keyClick(edit, Qt.Key.Key_Y, CONTROL)
    assert window.workbench.store.session.text == "dog bites man"
    QTest.keyClick(edit, Qt.Key.Key_Z, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert window.workbench.store.session.encoding.name == "rope"
    settle(window)


@pytest.mark.slow
def test_back_to_the_session_as_it_was_opened_is_a_step_that_can_be_undone(
    window, user: User, hurried: None, tmp_path
) -> None:
    opened = pe.Session(text="man bites dog", encoding="rope")
    open_file(window, opened.save(tmp_path / "opened.json"))
    user.types(window.workbench.tokens.text_edit, "dogs")
    changed = window.workbench.store.session
    user.chooses(window, "Edit", "Revert to the opened session")
    assert window.workbench.store.session == opened
    assert window.workbench.tokens.text_edit.toPlainText() == "man bites dog"
    action(window, "Undo").trigger()
    assert window.workbench.store.session == changed
    action(window, "Undo").trigger()
    assert window.workbench.store.session == opened


def test_options_of_a_plot_are_undone(window, settle) -> None:
    bring_forward(window, "why")
    settle(window)
    box = window.workbench.plots["why"].form.editor("head").focusProxy()
    QTest.keyClick(box, Qt.Key.Key_Up)
    assert window.workbench.store.session.plots.why.head == 1
    assert said(window)[0] == "Undo: Head 0 → 1"
    action(window, "Undo").trigger()
    settle(window)
    assert box.text() == "0"
    assert figure_of(window, "why").panels[0].title.endswith("head 0")


def test_a_part_is_shown_again_where_it_changed(qtbot) -> None:
    class Panel(QWidget):
        def __init__(self) -> None:
            super().__init__()
            self.shown: list[int] = []

        @where_changed(lambda session: session.focus)
        def show_focus(self, session: pe.Session) -> None:
            self.shown.append(session.focus)

    one, other = Panel(), Panel()
    qtbot.addWidget(one)
    qtbot.addWidget(other)
    session = pe.Session(focus=1)
    for changed in (session, session.changed(text="dog bites man"), session.changed(focus=2), session):
        one.show_focus(changed)
    other.show_focus(session)
    assert (one.shown, other.shown) == ([1, 2, 1], [1])


def test_a_click_chooses_a_head_or_a_surgery_or_neither(checkpoint_folder) -> None:
    session = pe.Session(text="the cat sat on the mat", model=pe.open_model(checkpoint_folder("bert")))
    heads, surgery = pe.plot("heads", session), pe.plot("surgery", session)
    seen = part_clicked(Pointer((("layer", 1), ("head", 2))), heads, session)
    assert (seen.model.layer, seen.options_of("attention").head, seen.encoding) == (1, 2, session.encoding)
    done = part_clicked(Pointer((("surgery", 1),)), surgery, session)
    assert (done.encoding.surgery, done.model) == ("zeroed", session.model)
    half = session.changed(strength=0.5)
    rows = pe.plot("surgery", half)
    whole = part_clicked(Pointer((("surgery", 0),)), rows, half)
    assert whole == session, "a row is of the model as trained, at full strength"
    assert part_clicked(Pointer((("surgery", rows.panels[0].categories.focus),)), rows, half) is None
    assert part_clicked(Pointer((("surgery", 99),)), surgery, session) is None
    assert part_clicked(Pointer((("query", 1), ("key", 2))), heads, session) is None
