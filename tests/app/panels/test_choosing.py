"""Choosing an encoding in the real window: a search by names, models and years, grouped by door, by keys and mouse."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

import posenc_gui as pe
from posenc_gui import encodings
from posenc_gui.app.panels.encoding_chooser import EncodingChoice
from posenc_gui.app.panels.encoding_list import EncodingList
from posenc_gui.encodings.common.rope_scalings import Llama3, Yarn
from posenc_gui.models.presets import catalogue

pytestmark = pytest.mark.one_window


@pytest.fixture
def choice(window) -> EncodingChoice:
    return window.workbench.encoding.choice


def opened(choice: EncodingChoice, typed: str = "") -> EncodingList:
    choice.showPopup()
    QTest.keyClicks(choice.list.field, typed)
    return choice.list


def enter(found: EncodingList) -> None:
    QTest.keyClick(found.field, Qt.Key.Key_Return)


@pytest.mark.slow
def test_names_other_names_models_and_years_find_it_under_its_door(choice) -> None:
    for typed, title, group in (
        ("yarn", "YaRN", "By rotation"),
        ("ntk", "NTK-aware", "By rotation"),
        ("llama 3", "Llama 3", "By rotation"),
        ("forgetting", "FoX", "At the score"),
        ("whisper", "Sinusoidal", "At the input"),
        ("2022 scores", "KERPLE", "At the score"),
        ("nope", "No encoding", "Nowhere"),
        ("sinusoidl", "Sinusoidal", "At the input"),
    ):
        found = opened(choice, typed)
        seen = found.seen()
        assert seen.index(title) > seen.index(group), typed
        assert len(seen) < 20, typed
        found.close()


@pytest.mark.slow
def test_a_scaling_is_chosen_by_its_own_name_and_leaves_the_rest(window, user, settle, choice) -> None:
    store = window.workbench.store
    store.propose(encoding=store.session.encoding.__class__())
    enter(opened(choice, "YaRN"))
    settle(window)
    assert isinstance(store.session.encoding.scaling, Yarn)
    assert choice.currentData() == "rope"
    enter(opened(choice, "Llama 3.1"))
    assert isinstance(store.session.encoding.scaling, Llama3)
    assert store.session.encoding.scaling.factor == 8
    store.undo()
    assert isinstance(store.session.encoding.scaling, Yarn)


@pytest.mark.slow
def test_arrow_keys_go_past_what_the_model_can_not_take_and_it_says_why(window, user, settle, choice) -> None:
    store = window.workbench.store
    assert not store.propose(model=store.session.model.model_copy(update={"d_head": 15}))
    titles = [choice.itemText(at) for at in range(choice.count())]
    choice.setCurrentIndex(titles.index("PoPE"))
    assert store.session.encoding.name == "pope"
    QTest.keyClick(choice, Qt.Key.Key_Down)
    assert store.session.encoding.door == "score"  # past RoPE, xPos, axial RoPE and M-RoPE
    found = opened(choice, "rope")
    for _ in range(20):
        QTest.keyClick(found.field, Qt.Key.Key_Up)
    while found.marked != "RoPE":
        QTest.keyClick(found.field, Qt.Key.Key_Down)
    assert "d_head must be even, not 15" in found.told
    before = store.session
    enter(found)
    assert store.session == before
    settle(window)


@pytest.mark.slow
def test_a_row_gives_what_it_names_whatever_was_there_before(window, choice) -> None:
    store = window.workbench.store
    enter(opened(choice, "Linear"))
    assert store.session.encoding.called == choice.currentText() == "RoPE (Linear)"
    assert opened(choice).marked.startswith("Linear")
    enter(choice.list)  # as it stands
    assert store.session.encoding.called == "RoPE (Linear)"
    store.propose(encoding=store.session.encoding.model_copy(update={"base": 500_000.0}))
    enter(opened(choice, "ALiBi"))
    assert choice.findText("RoPE (Linear)") < 0
    store.undo()
    enter(opened(choice, "RoPE"))
    assert store.session.encoding == pe.encoding("rope", base=500_000.0), "the base stays, the scaling doesn't"
    assert choice.currentText() == "RoPE"
    enter(opened(choice, "Linear"))
    QTest.keyClick(choice, Qt.Key.Key_Down)
    QTest.keyClick(choice, Qt.Key.Key_Up)
    assert store.session.encoding == pe.encoding("rope"), "it is chosen anew"


def test_an_encoding_comes_at_its_defaults_and_as_last_used_by_one_press(window, settle, choice) -> None:
    store, former = window.workbench.store, window.workbench.encoding.former
    used = pe.encoding("rope", base=180_000_000.0, scaling={"rope_type": "linear", "factor": 3.0})
    for encoding in (used, pe.encoding("alibi")):
        store.replace(store.session.changed(encoding=encoding))
        assert former.isHidden(), "nothing was chosen anew"
    enter(opened(choice, "RoPE"))
    anew = store.session
    assert anew.encoding == pe.encoding("rope")
    assert former.accessibleName().startswith("As last used: base 180,000,000")
    QTest.mouseClick(former, Qt.MouseButton.LeftButton)
    assert (store.session.encoding, former.isHidden()) == (used, True)
    store.undo()
    assert (store.session, former.isHidden()) == (anew, False)
    store.propose(encoding=pe.encoding("rope", base=100.0))
    assert not former.isHidden(), "nothing moves under a drag"
    enter(opened(choice, "ALiBi"))
    store.replace(catalogue()["llama-3.1-8b"].chosen(store.session))
    assert former.isHidden(), "a model comes with its own"
    store.go(0)
    settle(window)
    enter(opened(choice, "RoPE"))
    assert (store.session.encoding, former.isHidden()) == (pe.encoding("rope"), True), "what was undone never was"


@pytest.mark.slow
def test_encodings_stand_before_models_that_are_called_after_them(window, choice) -> None:
    store = window.workbench.store
    enter(opened(choice, "T5"))
    assert store.session.encoding == pe.encoding("t5")
    store.undo()
    enter(opened(choice, "whisper"))
    assert store.session == catalogue()["whisper-tiny"].chosen(store.session), "no encoding is called so"


def test_escape_and_a_click_beside_leave_everything(window, choice) -> None:
    before = window.workbench.store.session
    found = opened(choice, "alibi")
    QTest.keyClick(found.field, Qt.Key.Key_Escape)
    assert not found.isVisible()
    assert window.workbench.store.session == before
    found = opened(choice, "xyzxyz")
    assert found.seen() == ["Nothing found"]
    enter(found)
    assert window.workbench.store.session == before
    found.close()


def test_a_click_chooses(window, choice) -> None:
    found = opened(choice, "alibi")
    column, place = found.place_of("ALiBi")
    QTest.mouseClick(column.viewport(), Qt.MouseButton.LeftButton, pos=place.center())
    assert window.workbench.store.session.encoding.name == "alibi"
    assert not found.isVisible()


@pytest.mark.slow
def test_the_doors_are_columns_which_arrow_keys_and_the_pointer_walk_without_changing_anything(window, choice) -> None:
    window.resize(1280, 800)
    before = window.workbench.store.session
    found = opened(choice)
    assert found.seen()[0] == "Nowhere"
    assert found.marked == before.encoding.title
    for _ in range(30):
        QTest.keyClick(found.field, Qt.Key.Key_Up)
    met = []
    for _ in range(4):
        met.append(found.marked)
        QTest.keyClick(found.field, Qt.Key.Key_Right)
    first = {cls.door: cls.title for cls in reversed(encodings.classes().values())}
    assert met[:3] == [first[door] for door in ("none", "rotation", "score")]
    newest = max(model.year for model in catalogue().values())
    assert next(model for model in catalogue().values() if model.title == met[3]).year == newest
    QTest.keyClick(found.field, Qt.Key.Key_Left)
    column, place = found.place_of("YaRN")
    QTest.mouseMove(column.viewport(), place.center())
    assert found.marked == "YaRN"
    assert "interpolated" in found.told
    QTest.keyClick(found.field, Qt.Key.Key_Escape)
    assert window.workbench.store.session == before


@pytest.mark.slow
def test_shift_and_enter_compare_with_the_marked_encoding(window, settle, choice) -> None:
    before = window.workbench.store.session
    found = opened(choice, "alibi")
    QTest.keyClick(found.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    settle(window)
    assert window.workbench.store.session == before.changed(other="alibi")


@pytest.mark.parametrize("width", [1000, 1280])
def test_it_stands_on_the_screen_in_windows_of_every_width(window, choice, width: int) -> None:
    window.resize(width, 600)
    found = opened(choice)
    assert window.screen().availableGeometry().contains(found.geometry())
    assert len(found.seen()) > 60 + 4
    found.close()
