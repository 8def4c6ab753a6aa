"""Forms: every kind of declared field has an editor that shows it, changes it, and keeps to its range."""

from __future__ import annotations

from typing import Annotated, Literal, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, model_validator
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit, QSlider
from shown_form import ShownForm

from posenc_gui.app.widgets.forms.editors import NumberBox, read_whole
from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.app.widgets.menu_button import Unfolding
from posenc_gui.foundation.declared_model import Frozen

LOG = {"scale": "log"}


class Sample(Frozen):
    """One field of each kind."""

    count: int = Field(3, ge=1, le=4096, title="Count", description="How many.")
    maybe_count: int | None = Field(None, ge=1, le=512, title="Maybe")
    share: float = Field(0.5, ge=0, le=1, title="Share", json_schema_extra={"unit": "of all", "step": 0.05})
    above: float = Field(8.0, gt=0, lt=64, title="Above")
    maybe_share: float | None = Field(None, gt=0, le=100, title="Maybe share")
    base: float = Field(10_000.0, ge=1, le=1e9, title="Base", json_schema_extra=LOG)
    causal: bool = Field(False, title="Causal mask")
    layout: Literal["interleaved", "cosine_first"] = Field("interleaved", title="Layout")
    curves: tuple[Annotated[int, Field(ge=0, le=4095)], ...] = Field((), max_length=8, title="Curves")

    @model_validator(mode="after")
    def _must_fit(self) -> Self:
        if self.maybe_count and self.maybe_count > self.count:
            raise ValueError(f"maybe_count may be at most {self.count}")
        return self


values = st.builds(
    Sample,
    count=st.integers(512, 4096),
    maybe_count=st.none() | st.integers(1, 512),
    share=st.floats(0, 1),
    above=st.floats(0, 64, exclude_min=True, exclude_max=True),
    maybe_share=st.none() | st.floats(0, 100, exclude_min=True),
    base=st.floats(1, 1e9),
    causal=st.booleans(),
    layout=st.sampled_from(["interleaved", "cosine_first"]),
    curves=st.lists(st.integers(0, 4095), unique=True, max_size=8).map(tuple),
)


@pytest.fixture
def shown(qtbot) -> ShownForm:
    shown = ShownForm(Sample)
    qtbot.addWidget(shown.form)
    shown.form.show()
    return shown


@pytest.mark.slow
@given(value=values)
def test_a_value_that_is_shown_comes_back_as_it_was_with_the_next_edit(qapp, value: Sample) -> None:
    shown = ShownForm(Sample)
    shown.form.show_value(value)
    assert shown.proposed == []
    QTest.keyClick(shown.box("causal"), Qt.Key.Key_Space)
    assert shown.proposed == [value.model_copy(update={"causal": not value.causal})]


def test_a_whole_number_is_typed_and_stepped(shown, user) -> None:
    box = shown.box("count")
    user.types(box, "12")
    assert shown.proposed[-1].count == 12
    QTest.keyClick(box, Qt.Key.Key_Up)
    assert shown.proposed[-1].count == 13


def test_a_number_may_be_left_to_the_program_again(shown, user) -> None:
    for name in ("maybe_count", "maybe_share"):
        box = shown.box(name)
        line = box.findChild(QLineEdit)
        assert (box.text(), line.placeholderText()) == ("", "auto")
        user.types(box, "2")
        assert getattr(shown.proposed[-1], name) == 2
        user.types(box, "")
        assert getattr(shown.proposed[-1], name) is None
        QTest.keyClick(box, Qt.Key.Key_Up)
        assert getattr(shown.proposed[-1], name) == 1
    QTest.keyClick(shown.box("maybe_count"), Qt.Key.Key_Down)
    assert shown.proposed[-1].maybe_count is None


def test_decimals_are_typed_and_shown_without_needless_zeros(shown, user) -> None:
    box = shown.box("share")
    user.types(box, "0.25")
    assert shown.proposed[-1].share == 0.25
    assert box.text() == "0.25"
    QTest.keyClick(box, Qt.Key.Key_Up)
    assert shown.proposed[-1].share == pytest.approx(0.3)
    assert shown.box("base").text() == "10,000"


def test_a_small_decimal_above_an_open_bound_can_be_typed(shown, user) -> None:
    user.types(shown.box("above"), "0.001")
    assert shown.proposed[-1].above == 0.001
    user.types(shown.box("maybe_share"), "0.5")
    assert shown.proposed[-1].maybe_share == 0.5


def test_the_slider_of_a_logarithmic_number_goes_from_bound_to_bound_in_round_numbers(shown, user) -> None:
    slider = shown.form.editor("base").findChild(QSlider)
    user.types(shown.box("base"), "1000000000")
    assert slider.value() == slider.maximum()
    user.types(shown.box("base"), "10000")
    assert slider.value() == pytest.approx(slider.maximum() * 4 / 9, abs=1)  # 10^4 of 10^0 to 10^9
    QTest.keyClick(slider, Qt.Key.Key_End)
    assert shown.proposed[-1].base == 1e9
    QTest.keyClick(slider, Qt.Key.Key_Home)
    assert shown.proposed[-1].base == 1
    QTest.keyClick(slider, Qt.Key.Key_PageUp)
    assert shown.proposed[-1].base == float(f"{shown.proposed[-1].base:.2g}")
    assert shown.box("base").value() == shown.proposed[-1].base


def test_a_field_is_no_wider_than_its_largest_number_where_room_is_scarce(shown) -> None:
    count, base = shown.box("count").sizeHint(), shown.box("base").sizeHint()
    assert count.width() < base.width() == shown.box("curves").sizeHint().width()


def test_a_choice_shows_its_names_and_gives_its_values(shown, user) -> None:
    box = shown.box("layout")
    assert [box.itemText(i) for i in range(box.count())] == ["interleaved", "cosine first"]
    user.picks(box, "cosine_first")
    assert shown.proposed[-1].layout == "cosine_first"


def test_numbers_are_typed_as_a_list_with_ranges(shown, user) -> None:
    user.types(shown.box("curves"), "0, 2, 6-8")
    assert shown.proposed[-1].curves == (0, 2, 6, 7, 8)


@pytest.mark.parametrize("nonsense", ["a", "1.5", "-3", "3-", "1,,x", "99999999", "0-9999", "1e3", "0, 4096", "0-20"])
def test_nonsense_in_a_list_is_refused_marked_and_left_standing(shown, user, nonsense: str) -> None:
    line = shown.box("curves")
    user.types(line, nonsense)
    assert shown.form.refusal()
    assert line.text() == nonsense
    assert line.property("refused")
    user.types(line, "4")
    assert shown.form.refusal() == ""
    assert not line.property("refused")
    assert shown.proposed[-1].curves == (4,)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", ()),
        ("  ", ()),
        ("3", (3,)),
        ("2 1", (2, 1)),
        ("1;2", (1, 2)),
        ("1-3, 2", (1, 2, 3)),
        ("5–6", (5, 6)),
        ("8-6", ()),
    ],
)
def test_lists_of_numbers_are_read_as_they_are_typed(text: str, numbers: tuple[int, ...]) -> None:
    assert read_whole(text) == numbers


@pytest.mark.parametrize(
    ("name", "typed", "told"),
    [
        ("base", "1e12", "from 1 to 1,000,000,000"),
        ("base", "0", "from 1 to 1,000,000,000"),
        ("base", "-5", "from 1 to 1,000,000,000"),
        ("base", "many", "“many” is not a number: type one from 1 to 1,000,000,000"),
        ("base", "1,5", "“1,5” is not a number: type one from 1 to 1,000,000,000"),
        ("base", "nan", "“nan” is not a number: type one from 1 to 1,000,000,000"),
        ("base", "", "a number from 1 to 1,000,000,000"),
        ("count", "2.5", "“2.5” is not a whole number: type one from 1 to 4,096"),
        ("count", "4097", "from 1 to 4,096"),
        ("count", "9" * 5000, f"“{'9' * 20}” is not a whole number: type one from 1 to 4,096"),
        ("above", "0", "above 0, below 64"),
        ("maybe_share", "0", "above 0, at most 100"),
    ],
)
def test_a_number_that_can_not_be_is_refused_at_its_field_and_stays_as_it_was_typed(
    shown, user, name: str, typed: str, told: str
) -> None:
    box = shown.box(name)
    user.types(box, "7")
    proposed = list(shown.proposed)
    box.selectAll()
    QTest.keyClick(box, Qt.Key.Key_Delete)
    QGuiApplication.clipboard().setText(typed)
    QTest.keyClick(box, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(box, Qt.Key.Key_Return)
    shown.box("causal").setFocus()
    assert box.text() == typed
    assert sentences_below(shown.form, name) == [told]
    assert box.property("refused")
    assert [value for value in shown.proposed if value not in proposed and value.base != 10_000.0] == []
    user.types(box, "8")
    assert sentences_below(shown.form, name) == []
    assert getattr(shown.proposed[-1], name) == 8


@pytest.mark.parametrize(
    "typed", ["5e5", "500,000", "500000", "+500000.0", " 500000", "500k", "500 K", "0.5M", "500 000", "500_000"]
)
def test_a_number_may_be_written_as_people_write_it_and_stands_there_as_it_was_understood(
    shown, user, typed: str
) -> None:
    box = shown.box("base")
    user.types(box, typed)
    assert shown.proposed == [Sample(base=500_000)]
    assert box.text() == "500,000"
    user.types(box, "500.000")
    assert (shown.proposed[-1].base, box.text()) == (500, "500")


# --- Typing ----------------------------------------------------------------------------------------------------------


def retype(box: NumberBox, text: str) -> None:
    """Replace what stands in a field, and let the hands rest on the keys."""
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, text)


def test_a_number_counts_once_the_hand_rests_and_goes_again_where_more_of_it_is_refused(shown, qtbot) -> None:
    box = shown.box("base")
    retype(box, "1")
    qtbot.waitUntil(lambda: bool(shown.proposed))
    assert shown.proposed == [Sample(base=1)]
    QTest.keyClicks(box, "e12")
    qtbot.waitUntil(lambda: bool(shown.form.refusal()))
    assert shown.proposed == [Sample(base=1), Sample()]
    assert box.text() == "1e12"
    for _ in range(2):
        QTest.keyClick(box, Qt.Key.Key_Backspace)
    QTest.keyClicks(box, "5")
    QTest.keyClick(box, Qt.Key.Key_Tab)
    assert (shown.proposed[-1].base, box.text(), shown.form.refusal()) == (100_000, "100,000", "")


def test_a_number_counts_when_the_keyboard_goes_elsewhere_and_before_a_shortcut(shown) -> None:
    box = shown.box("base")
    retype(box, "7")
    assert shown.proposed == []
    shown.box("causal").setFocus()
    assert shown.proposed == [Sample(base=7)]
    retype(box, "8")
    QTest.keyClick(box, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert shown.proposed[-1] == Sample(base=8)


def test_escape_takes_back_what_was_typed(shown) -> None:
    box = shown.box("base")
    retype(box, "7")
    QTest.keyClick(box, Qt.Key.Key_Escape)
    assert (box.text(), shown.proposed[-1:] in ([], [Sample()])) == ("10,000", True)
    retype(box, "1e12")
    QTest.keyClick(box, Qt.Key.Key_Return)
    QTest.keyClick(box, Qt.Key.Key_Escape)
    assert (box.text(), shown.form.refusal()) == ("10,000", "")


def test_what_is_being_typed_stays_while_other_fields_change(shown) -> None:
    box = shown.box("base")
    retype(box, "77")
    shown.form.show_value(Sample(count=4))  # as a plot that plays does
    assert box.text() == "77"
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert shown.proposed == [Sample(count=4, base=77)]


def test_all_that_was_refused_goes_when_it_is_taken_back(shown, user) -> None:
    count, curves = shown.box("count"), shown.box("curves")
    user.types(count, "0")
    user.types(curves, "many")
    shown.form.take_back()
    assert (count.text(), curves.text(), shown.form.refusal()) == ("3", "", "")
    assert not count.property("refused")
    assert shown.proposed == []


def test_arrow_keys_step_to_the_ends_and_not_past_them(shown, user) -> None:
    for name, near, key, end in (
        ("count", "4095", Qt.Key.Key_Up, 4096),
        ("count", "2", Qt.Key.Key_Down, 1),
        ("share", "0.97", Qt.Key.Key_Up, 1),
        ("base", "9.99e8", Qt.Key.Key_Up, 1e9),
        ("base", "1.05", Qt.Key.Key_Down, 1),
    ):
        box = shown.box(name)
        user.types(box, near)
        for _ in range(3):
            QTest.keyClick(box, key)
        assert getattr(shown.proposed[-1], name) == end
    above = shown.box("above")
    user.types(above, "63")
    for _ in range(3):
        QTest.keyClick(above, Qt.Key.Key_Up)
    assert shown.proposed[-1].above == 63  # there is no last number below 64


def test_steps_of_a_wide_range_grow_with_its_number(shown, user) -> None:
    box = shown.box("base")
    QTest.keyClick(box, Qt.Key.Key_Up)
    assert (box.text(), shown.proposed[-1].base) == ("11,000", 11_000)
    for _ in range(2):
        QTest.keyClick(box, Qt.Key.Key_Down)
    assert shown.proposed[-1].base == 9_900


def test_what_the_model_refuses_is_marked_kept_and_proposed_with_the_change_that_makes_it_valid(shown, user) -> None:
    maybe, count = shown.box("maybe_count"), shown.box("count")
    user.types(maybe, "5")
    assert shown.proposed == []
    assert shown.form.refusal() == "maybe_count may be at most 3"
    assert maybe.text() == "5"
    assert maybe.property("refused")
    user.types(count, "6")
    assert shown.proposed[-1] == Sample(count=6, maybe_count=5)
    assert shown.form.refusal() == ""
    assert not maybe.property("refused")


def sentences_below(form: ModelForm, name: str) -> list[str]:
    """The refusals that are seen between a field's editor and the next."""
    below = [other.y() for other in map(form.editor, form.names()) if other.y() > form.editor(name).y()]
    return [
        label.text()
        for label in form.findChildren(QLabel, "refusal")
        if label.isVisible() and form.editor(name).y() < label.y() < min(below, default=form.height())
    ]


def test_a_refusal_stands_below_its_field_and_hinders_no_other(shown, user) -> None:
    maybe, count = shown.box("maybe_count"), shown.box("count")
    user.types(maybe, "5")
    assert sentences_below(shown.form, "maybe_count") == ["maybe_count may be at most 3"]
    QTest.keyClick(shown.box("causal"), Qt.Key.Key_Space)
    assert shown.proposed == [Sample(causal=True)]
    user.types(count, "4")
    assert shown.proposed[-1] == Sample(causal=True, count=4)
    assert sentences_below(shown.form, "maybe_count") == ["maybe_count may be at most 4"]
    assert sentences_below(shown.form, "count") == []
    assert (maybe.text(), maybe.property("refused")) == ("5", True)
    shown.form.show_value(Sample(causal=True, count=4))  # as the window does with what it took
    assert maybe.text() == "5"


def test_two_refusals_stand_each_below_its_field(shown, user) -> None:
    user.types(shown.box("maybe_count"), "5")
    user.types(shown.box("curves"), "nonsense")
    assert [len(sentences_below(shown.form, name)) for name in ("maybe_count", "curves", "count")] == [1, 1, 0]
    user.types(shown.box("count"), "7")
    assert shown.proposed[-1] == Sample(count=7, maybe_count=5)
    assert [len(sentences_below(shown.form, name)) for name in ("maybe_count", "curves")] == [0, 1]


def test_what_the_session_refuses_is_shown_at_the_field_and_kept_until_another_value_comes(shown, user) -> None:
    shown.why = "count must be even"
    box = shown.box("count")
    user.types(box, "7")
    assert shown.form.refusal() == "count must be even"
    assert sentences_below(shown.form, "count") == ["count must be even"]
    assert box.value() == 7
    assert box.property("refused")
    shown.form.show_value(Sample())  # as after a change elsewhere in the window
    assert box.value() == 7
    shown.form.show_value(Sample(count=20))
    assert (shown.form.refusal(), box.value()) == ("", 20)


def test_a_narrowed_range_keeps_what_a_session_holds(shown, user) -> None:
    box = shown.box("count")
    shown.form.limit("count", 8)
    user.types(box, "9")
    assert sentences_below(shown.form, "count") == ["from 1 to 8"]
    shown.form.show_value(Sample(count=20))
    assert box.text() == "20"
    assert shown.form.refusal() == ""


@pytest.mark.parametrize("inline", [False, True])
def test_every_editor_has_the_name_and_the_help_of_its_field(qtbot, inline: bool) -> None:
    form = ModelForm(Sample, lambda value: "", inline=inline)
    qtbot.addWidget(form)
    for name, field in Sample.model_fields.items():
        for kind in (NumberBox, QComboBox, QCheckBox, QSlider):
            for widget in form.editor(name).findChildren(kind):
                assert widget.accessibleName() == field.title
        assert (field.description or "") in form.editor(name).toolTip()
    assert "0 to 1 of all" in form.editor("share").toolTip()


# --- Folded ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def folded(qtbot) -> ModelForm:
    form = ModelForm(Sample, lambda value: form.show_value(value) or "", folds=True)
    qtbot.addWidget(form)
    form.show()
    return form


def seen(form: ModelForm) -> list[str]:
    """The fields that can be seen."""
    return [name for name in form.names() if form.editor(name).isVisible()]


def test_fields_at_their_defaults_fold_into_a_line_but_for_the_first(folded) -> None:
    assert seen(folded) == ["count"]
    fold = folded.findChild(Unfolding)
    assert fold.accessibleName().startswith("Show Maybe, share, above")
    assert "interleaved" in fold.accessibleName()
    QTest.keyClick(fold, Qt.Key.Key_Space)
    assert seen(folded) == folded.names() == list(Sample.model_fields)
    QTest.keyClick(fold, Qt.Key.Key_Space)
    assert seen(folded) == ["count"]


def test_what_differs_from_its_default_is_seen_and_what_is_refused_stays_so(folded, user) -> None:
    folded.show_value(Sample(share=0.25))
    assert seen(folded) == ["count", "share"]
    fold = folded.findChild(Unfolding)
    QTest.keyClick(fold, Qt.Key.Key_Space)
    user.types(folded.editor("base").findChild(NumberBox), "1e12")
    folded.editor("base").findChild(NumberBox).clearFocus()
    QTest.keyClick(fold, Qt.Key.Key_Space)
    assert seen(folded) == ["count", "share", "base"]
    folded.show_value(Sample())
    assert seen(folded) == ["count"]


def test_what_has_no_effect_is_left_out_of_the_folded_fields_too(folded) -> None:
    folded.leave_out(frozenset({"share"}))
    folded.leave_out(frozenset({"share"}))
    assert seen(folded) == ["count"]
    fold = folded.findChild(Unfolding)
    assert fold.accessibleName().startswith("Show Maybe, above")
    folded.show_value(Sample(share=0.25, above=9.0))
    assert seen(folded) == ["count", "above"]
    folded.leave_out(frozenset())
    assert seen(folded) == ["count", "share", "above"]
