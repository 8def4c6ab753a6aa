"""Groups of fields in forms: the choice of a member, its own fields below it, in the real window by keys and mouse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from hands import session_of, turn_wheel
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QPlainTextEdit, QSlider, QWidget
from shown_form import ShownForm
from turning import Linear, Listed, Turning, Window, Yarn

from posenc_gui import encodings, measures, plots
from posenc_gui.app.widgets.forms.editors import format_exact, read_all, without_editor
from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.foundation.declared_model import Frozen
from tests.app.panels.test_every_parameter import change_every_field

# --- Every declared field has an editor ------------------------------------------------------------------------------

MODELS: dict[str, type[Frozen]] = {
    **{f"encoding {name}": cls for name, cls in encodings.classes().items()},
    "toy model": ToyModel,
    **{f"plot {name}": plot.options for name, plot in plots.plots().items()},
    **{f"measure {name}": measure.options for name, measure in measures.measures().items()},
    "of the tests": Turning,
}


@pytest.mark.parametrize("whose", MODELS)
def test_every_field_has_an_editor(whose: str) -> None:
    assert without_editor(MODELS[whose]) == []


class Unknown(Frozen):
    """Fields that no form can edit."""

    table: dict[str, float] = Field({})
    either: int | float = 1
    perhaps: bool | None = None
    words: tuple[str, ...] = ()
    untold: Linear | Window = Linear()
    elsewhere: dict[str, float] = Field({}, json_schema_extra={"editor": "its own"})


class Within(Frozen):
    """The same in a group."""

    group: Unknown | None = None


class Needy(Frozen, title="Needy"):
    """A member that can't be chosen, since nobody says how large."""

    kind: Literal["needy"] = "needy"
    size: int


class Choosing(Frozen):
    """May be that one."""

    group: Linear | None = None
    other: Needy | None = None


@pytest.mark.parametrize("model", [Unknown, Within])
def test_a_type_that_no_form_can_edit_is_told_by_its_field(qapp, model: type[Frozen]) -> None:
    missing = without_editor(model)
    assert [line.partition(":")[0] for line in missing] == [
        f"Unknown.{name}" for name in ("table", "either", "perhaps", "words", "untold")
    ]
    assert missing[0] == "Unknown.table: dict[str, float]"
    with pytest.raises(TypeError, match=r"Unknown\.table: dict\[str, float\]"):
        ModelForm(model, lambda value: "")


def test_a_member_that_cannot_be_begun_is_told_by_its_group(qapp) -> None:
    assert without_editor(Choosing) == ["Choosing.other: Needy has fields without a default"]
    with pytest.raises(TypeError, match=r"Choosing\.other: Needy"):
        ModelForm(Choosing, lambda value: "")


# --- A form alone ----------------------------------------------------------------------------------------------------


@pytest.fixture(params=[False, True], ids=["rows", "inline"])
def shown(qtbot, request) -> Iterator[ShownForm]:
    shown = ShownForm(Turning, request.param)
    qtbot.addWidget(shown.form)
    shown.form.show()
    yield shown
    for value in shown.proposed:
        assert Turning(**dict(value)) == value


OWN = {
    None: [],
    Linear: ["scaling.factor"],
    Yarn: ["scaling.factor", "scaling.original", "scaling.betas", "scaling.truncate", "scaling.mode"],
    Listed: ["scaling.factors"],
}


def names(member: type[Frozen] | None) -> list[str]:
    return ["base", "scaling", *OWN[member], "window.first", "window.share", "spare"]


def test_the_fields_of_the_member_that_is_chosen_stand_below_the_choice(shown, user) -> None:
    box = shown.box("scaling")
    assert [box.itemText(i) for i in range(box.count())] == ["none", "Linear", "YaRN", "Listed"]
    assert shown.box("spare").itemText(0) == "no other"
    assert shown.form.names() == names(None)
    for title, member in (("YaRN", Yarn), ("Linear", Linear), ("Listed", Listed)):
        user.picks(box, title)
        assert shown.form.names() == names(member)
        assert type(shown.proposed[-1].scaling) is member
        for name in OWN[member]:
            assert shown.box(name).isVisible()
            assert shown.box(name).mapTo(shown.form, QPoint()).y() > box.mapTo(shown.form, QPoint()).y()
    user.picks(box, "none")
    assert shown.form.names() == names(None)
    assert shown.proposed[-1] == Turning()
    assert len(shown.proposed) == 4


def test_another_member_begins_at_its_defaults_but_for_what_both_have(shown, user) -> None:
    user.picks(shown.box("scaling"), "Linear")
    user.types(shown.box("scaling.factor"), "8")
    user.picks(shown.box("scaling"), "YaRN")
    assert shown.proposed[-1].scaling == Yarn(factor=8)
    assert shown.box("scaling.factor").value() == 8
    user.picks(shown.box("scaling"), "Linear")
    user.types(shown.box("scaling.factor"), "64")
    user.picks(shown.box("scaling"), "YaRN")
    assert shown.proposed[-1].scaling == Yarn()
    assert shown.box("scaling.factor").value() == 4


def test_every_kind_of_field_in_a_group_is_edited(shown, user) -> None:
    user.picks(shown.box("scaling"), "YaRN")
    user.types(shown.box("scaling.original"), "512")
    user.types(shown.box("scaling.betas"), "16, 1.5")
    QTest.keyClick(shown.box("scaling.truncate"), Qt.Key.Key_Space)
    user.picks(shown.box("scaling.mode"), "two_steps")
    assert shown.proposed[-1].scaling == Yarn(original=512, betas=(16, 1.5), truncate=False, mode="two_steps")
    user.picks(shown.box("scaling.mode"), "auto")
    assert shown.proposed[-1].scaling.mode is None
    user.types(shown.box("window.first"), "5")
    user.types(shown.box("window.share"), "0.5")
    assert shown.proposed[-1].window == Window(first=5, share=0.5)
    user.picks(shown.box("scaling"), "Listed")
    user.types(shown.box("scaling.factors"), "1 2.5 1e-3")
    assert shown.proposed[-1].scaling == Listed(factors=(1, 2.5, 0.001))


windows = st.builds(Window, first=st.integers(0, 63), share=st.none() | st.floats(0, 1, exclude_min=True))
scalings = st.one_of(
    st.none(),
    st.builds(Linear, factor=st.floats(1, 64)),
    st.builds(Yarn, factor=st.floats(1, 32), original=st.none() | st.integers(1, 4096), mode=st.sampled_from(["ramp", None]),
              betas=st.tuples(st.floats(1, 1e300), st.floats(-1e300, 1)), truncate=st.booleans()),
    st.builds(Listed, factors=st.lists(st.floats(0, 64, exclude_min=True), max_size=8).map(tuple)),
)  # fmt: skip


@pytest.mark.slow
@given(
    values=st.lists(
        st.builds(Turning, base=st.floats(100, 1e9), scaling=scalings, window=windows, spare=st.none() | windows),
        min_size=1,
        max_size=3,
    )
)
def test_values_that_are_shown_come_back_as_they_were_with_the_next_edit(qapp, values: list[Turning]) -> None:
    shown = ShownForm(Turning)
    for value in values:
        shown.form.show_value(value)
    assert shown.proposed == []
    QTest.keyClick(shown.box("window.first"), Qt.Key.Key_Up)
    (value,) = values[-1:]
    window = value.window.model_copy(update={"first": value.window.first + 1})
    assert shown.proposed == [value.model_copy(update={"window": window})]


def test_a_value_that_a_member_refuses_is_marked_kept_and_hinders_no_other(shown, user) -> None:
    user.picks(shown.box("scaling"), "YaRN")
    user.types(shown.box("scaling.betas"), "1, 2")
    said = "scaling: the fast pairs' turns can't be fewer than the slow ones', 2"
    assert shown.form.refusal() == said
    assert shown.refusals() == [said]
    assert shown.box("scaling.betas").property("refused")
    assert shown.box("scaling.betas").text() == "1, 2"
    user.types(shown.box("scaling.factor"), "8")
    assert shown.proposed[-1].scaling == Yarn(factor=8)
    assert shown.refusals() == [said]
    user.types(shown.box("scaling.betas"), "3, 2")
    assert shown.proposed[-1].scaling == Yarn(factor=8, betas=(3, 2))
    assert shown.refusals() == []


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "scaling.betas: should have 2 values, not 0"),
        ("3", "scaling.betas: should have 2 values, not 1"),
        ("3 2 1", "scaling.betas: should have 2 values, not 3"),
        ("3, x", "“x” is not a number: type numbers such as 32, 1.5."),
        ("nan 1", "“nan” is not a number: type numbers such as 32, 1.5."),
        ("1e999 1", "“1e999” is too large a number: type numbers such as 32, 1.5."),
    ],
)
def test_what_are_no_two_numbers_is_refused_in_a_sentence(shown, user, typed: str, said: str) -> None:
    user.picks(shown.box("scaling"), "YaRN")
    user.types(shown.box("scaling.betas"), typed)
    assert shown.form.refusal() == said


def test_what_is_being_typed_goes_with_the_member_that_it_belongs_to(shown, user) -> None:
    user.picks(shown.box("scaling"), "YaRN")
    box, before = shown.box("scaling.betas"), [*shown.proposed]
    box.setFocus()
    QTest.keyClicks(box, "7")
    shown.form.show_value(Turning(scaling=Linear()))
    assert not box.isVisible()
    assert shown.proposed == before


def test_a_closed_list_goes_with_the_member_that_it_belongs_to(shown, user) -> None:
    user.picks(shown.box("scaling"), "YaRN")
    box, before = shown.box("scaling.mode"), [*shown.proposed]
    box.showPopup()
    shown.form.show_value(Turning(scaling=Linear()))
    QTest.keyClick(box.view(), Qt.Key.Key_Down)  # where Qt leaves the keyboard with the list that it closed
    QTest.keyClick(box.view(), Qt.Key.Key_Return)
    assert shown.proposed == before
    assert shown.form.names() == names(Linear)


def test_a_refused_value_goes_with_the_member_that_it_belongs_to(shown, user) -> None:
    user.picks(shown.box("scaling"), "YaRN")
    user.types(shown.box("scaling.betas"), "1, 2")
    user.picks(shown.box("scaling"), "Linear")
    assert (shown.form.refusal(), shown.refusals()) == ("", [])
    user.picks(shown.box("scaling"), "YaRN")
    assert (shown.form.refusal(), shown.refusals()) == ("", [])
    assert shown.box("scaling.betas").text() == "32, 1"


def test_a_choice_that_is_refused_waits_with_its_fields_for_the_change_that_makes_it_valid(shown, user) -> None:
    user.types(shown.box("base"), "50")
    user.picks(shown.box("scaling"), "Listed")
    said = "factors can be listed from base 100 on, not for 50"
    assert shown.proposed[-1] == Turning(base=50)
    assert shown.refusals() == [said]
    assert shown.box("scaling").currentText() == "Listed"
    assert shown.box("scaling").property("refused")
    user.types(shown.box("scaling.factors"), "2, 3")
    assert shown.proposed[-1] == Turning(base=50)
    assert set(shown.refusals()) == {said}
    user.types(shown.box("base"), "500")
    assert shown.proposed[-1] == Turning(base=500, scaling=Listed(factors=(2, 3)))
    assert shown.refusals() == []


def test_what_is_typed_for_a_choice_that_waits_never_reaches_another_member(shown, user) -> None:
    user.picks(shown.box("scaling"), "Linear")
    user.types(shown.box("base"), "5")
    shown.why = "not YaRN"
    user.picks(shown.box("scaling"), "YaRN")
    user.types(shown.box("scaling.factor"), "8")
    proposed = shown.proposed[-3:]
    assert all(isinstance(value.scaling, Yarn) for value in proposed)
    shown.why = ""
    user.types(shown.box("base"), "7")
    assert shown.proposed[-1] == Turning(base=7, scaling=Yarn(factor=8))


def test_another_value_takes_a_refused_choice_back(shown, user) -> None:
    user.types(shown.box("base"), "50")
    user.picks(shown.box("scaling"), "Listed")
    shown.form.show_value(Turning(base=60, scaling=Linear(factor=3)))
    assert shown.refusals() == []
    assert shown.form.names() == names(Linear)
    assert (shown.box("scaling").currentText(), shown.box("scaling.factor").value()) == ("Linear", 3)


def test_every_editor_of_a_group_says_whose_it_is(shown, user) -> None:
    user.picks(shown.box("scaling"), "YaRN")
    assert shown.box("scaling").accessibleName() == "Scaling"
    assert shown.box("scaling.factor").accessibleName() == "Scaling factor"
    assert shown.box("window.first").accessibleName() == "Window first pair"
    assert shown.box("scaling").accessibleDescription() == "How a longer text is made to fit. None unless changed."
    assert "1 to 32" in shown.form.editor("scaling.factor").toolTip()


def test_the_keyboard_stays_in_the_form_when_its_field_is_hidden(shown, user) -> None:
    user.picks(shown.box("scaling"), "YaRN")
    shown.form.activateWindow()
    shown.box("scaling.betas").setFocus()
    shown.form.show_value(Turning())
    assert shown.form.focusWidget() is shown.box("scaling")


def test_the_wheel_changes_no_field(shown, user) -> None:
    user.picks(shown.box("scaling"), "YaRN")
    shown.form.activateWindow()
    before = len(shown.proposed)
    slider = shown.form.editor("base").findChild(QSlider)
    fields = [shown.box(name) for name in ("base", "scaling", "scaling.factor", "window.first", "spare")]
    for widget in (*fields, slider):
        turn_wheel(widget, widget.rect().center(), 120)
        widget.setFocus()  # where a field was just edited, the form is scrolled over it, too
        turn_wheel(widget, widget.rect().center(), 120)
        assert widget.focusPolicy() != Qt.FocusPolicy.WheelFocus  # a real wheel doesn't give it the keyboard first
    assert len(shown.proposed) == before


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=8))
def test_decimals_are_read_as_python_writes_them(numbers: list[float]) -> None:
    assert read_all(", ".join(map(format_exact, numbers))) == tuple(numbers)
    assert read_all(", ".join(map(repr, numbers))) == tuple(numbers)
    assert read_all(";".join(map(repr, numbers))) == tuple(numbers)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("10,000, 50,000", (10_000, 50_000)),
        ("10,000 50,000;1,000,000", (10_000, 50_000, 1_000_000)),
        ("10,000", (10_000,)),
        ("2,4,8", (2, 4, 8)),
        ("0,100,200", (0, 100, 200)),
        ("8k, −1,000.5,", (8_000, -1_000.5)),
        (" , ", ()),
    ],
)
def test_thousands_may_stand_apart_among_several_numbers(text: str, numbers: tuple[float, ...]) -> None:
    assert read_all(text) == numbers


# --- In the window ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_wheel_over_the_windows_lists_chooses_nothing(window) -> None:
    window.activateWindow()
    session = window.workbench.store.session
    text = window.workbench.tokens.text_edit
    lists = [box for box in window.findChildren(QComboBox) if box.accessibleName() in ("Encoding", "Speed")]
    assert len(lists) == 2
    for box in lists:
        chosen = box.currentIndex()
        for focused in (text, box):
            focused.setFocus()
            turn_wheel(box, box.rect().center(), 120)
        assert box.currentIndex() == chosen
        assert box.focusPolicy() == Qt.FocusPolicy.StrongFocus
    assert window.workbench.store.session is session


@pytest.fixture
def panel(turning, window, user):
    user.chooses_encoding(window, "turning")
    return window.workbench.encoding


def box_in(panel, name: str) -> QWidget:
    return panel.form().editor(name).focusProxy()


@pytest.mark.slow
def test_every_field_of_every_member_changes_the_session(panel, window, user) -> None:
    change_every_field(window, user, panel.form(), lambda: session_of(window).encoding)


@pytest.mark.slow
def test_a_member_is_chosen_by_keys_shown_everywhere_and_taken_back_in_one_step(panel, window, user, settle) -> None:
    store, before = window.workbench.store, session_of(window)
    box = box_in(panel, "scaling")
    box.setFocus()
    QTest.keyClicks(box, "Y")
    settle(window)
    assert session_of(window).encoding == Turning(scaling=Yarn())
    assert store.undo_name == "Scaling: none → YaRN"
    code = next(edit for edit in window.findChildren(QPlainTextEdit) if "PyTorch" in edit.accessibleName())
    assert "divisor = 4.0" in code.toPlainText()
    user.types(box_in(panel, "scaling.factor"), "8")
    settle(window)
    assert store.undo_name == "Scaling factor 4 → 8"
    assert "divisor = 8.0" in code.toPlainText()
    user.chooses(window, "Edit", "Undo: Scaling factor 4 → 8")
    user.chooses(window, "Edit", "Undo: Scaling: none → YaRN")
    assert session_of(window) == before
    assert (box.currentText(), panel.form().names()) == ("none", names(None))
    user.chooses(window, "Edit", "Redo: Scaling: none → YaRN")
    assert (box.currentText(), panel.form().names()) == ("YaRN", names(Yarn))


@pytest.mark.slow
def test_tab_goes_from_the_choice_through_its_fields_to_the_next(panel, window, user) -> None:
    user.picks(box_in(panel, "scaling"), "YaRN")
    panel.form().unfold()
    window.activateWindow()
    panel.choice.setFocus()
    reached = []
    for _ in range(15):
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        reached.append(window.focusWidget().accessibleName())
    assert reached == [
        "Door input, closed", "Door rotation, open", "Door score, closed", "Strength",
        "Base", "Scaling: back to none", "Scaling", "Scaling factor", "Scaling trained length", "Scaling turns",
        "Scaling whole pairs", "Scaling passage", "Window first pair", "Window share", "Spare window",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_refusal_is_scrolled_into_sight_in_a_low_window(panel, window, user, qtbot) -> None:
    window.resize(960, 540)
    panel.form().unfold()
    user.picks(box_in(panel, "scaling"), "YaRN")
    user.types(box_in(panel, "scaling.factor"), "-3")
    QTest.keyClick(box_in(panel, "scaling.factor"), Qt.Key.Key_Return)
    (said,) = (label for label in panel.findChildren(QLabel, "refusal") if label.text())
    qtbot.waitUntil(lambda: said.visibleRegion().boundingRect() == said.rect())


# --- In the window ---------------------------------------------------------------------------------------------------


def scaled(scaling: str) -> encodings.base.Encoding:
    """RoPE with a scaling at its defaults."""
    return encodings.encoding("rope", scaling={"rope_type": scaling})


@pytest.mark.slow
@pytest.mark.most(4)
@pytest.mark.parametrize("to", ["another scaling", "undo", "another encoding"])
@pytest.mark.parametrize("opened", [True, False], ids=["an open list", "half a word"])
def test_what_is_edited_goes_with_the_scaling_that_it_belongs_to(window, user, to: str, opened: bool) -> None:
    store = window.workbench.store
    store.propose(encoding="rope")
    store.propose(encoding=scaled("yarn"))
    form = window.workbench.encoding.form()
    form.unfold()
    if opened:
        box = form.editor("scaling.ramp").focusProxy()
        box.showPopup()
        taking = box.view()
    else:
        taking = form.editor("scaling.beta_fast").focusProxy()
        taking.setFocus()
        QTest.keyClicks(taking, "7")
    if to == "undo":
        store.undo()
    else:
        store.propose(encoding=scaled("linear") if to == "another scaling" else "alibi")
    expected = store.session
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Return):
        QTest.keyClick(taking, key)
    user.settle(window)
    assert store.session == expected
