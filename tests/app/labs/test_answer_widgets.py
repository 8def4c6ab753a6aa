"""Answers: each kind of prediction is given by keys and by the mouse, and read back."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QRadioButton,
    QToolButton,
    QWidget,
)

from posenc_gui.app.labs.answer_widgets import (
    AnswerView,
    ChoiceView,
    NumberView,
    OrderView,
    SketchView,
    TextView,
    number_in,
    view_for,
)
from posenc_gui.app.labs.rich_rows import shuffled_names
from posenc_gui.app.labs.sketch_pad import SketchPad
from posenc_gui.app.widgets import style_sheet as themes
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.panels import Lines, Series
from posenc_gui.foundation.theme import DARK, LIGHT
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.labs.definition.lab import Choice, FreeText, Number, Order, Prediction, Sketch

LEFT = Qt.MouseButton.LeftButton
ALT = Qt.KeyboardModifier.AltModifier
OPTIONS = {
    "same": "It moves along.",
    "differ": "Die Donaudampfschifffahrtsgesellschaftskapitänskajütentür ändert sich, und zwar vollständig.",
    "swap": "每个词的输出都会改变，因为注意力机制并不知道词的顺序。",
    "none": "لا يتغير شيء",
}
CHOICE, ORDER = Choice(OPTIONS, {}), Order(OPTIONS, {})
NUMBER, SKETCH, TEXT = Number(Expression("1"), 0.1), Sketch("waves", 0), FreeText()
ALL: list[Prediction] = [CHOICE, NUMBER, ORDER, SKETCH, TEXT]
each_kind = pytest.mark.parametrize("prediction", ALL, ids=[prediction.kind for prediction in ALL])


def words(markdown: str) -> str:
    return f"<p>{html.escape(markdown)}</p>"


def pad() -> SketchPad:
    x = np.linspace(0, 8, 50, dtype=np.float32)
    return SketchPad(Lines("wave", "value", (Series("", x, np.sin(x)),), Axis("position", "position"), -1, 1))


@pytest.fixture(params=[LIGHT, DARK], ids=["light", "dark"])
def show(request, qapp, qtbot):
    """Show a prediction's widget in a narrow window, in both themes."""
    themes.apply(request.param, qapp)

    def shown(prediction: Prediction, width: int = 280) -> AnswerView:
        view = view_for(prediction, words, tuple(getattr(prediction, "options", ())))
        qtbot.addWidget(view)
        view.resize(width, max(40, view.layout().heightForWidth(width)))
        with qtbot.waitExposed(view):
            view.show()
        view.activateWindow()
        return view

    yield shown
    themes.apply(LIGHT, qapp)


def child(view: AnswerView, kind: type[QWidget]) -> QWidget:
    return view.findChild(kind)


def named(view: AnswerView, text: str) -> QToolButton:
    return next(button for button in view.findChildren(QToolButton) if button.text() == text)


def rows(view: AnswerView) -> list[str]:
    """The items' names as their rows stand."""
    model = child(view, QListView).model()
    names = {markdown: name for name, markdown in OPTIONS.items()}
    return [names[model.index(row).data()] for row in range(model.rowCount())]


def test_each_kind_has_its_view(show) -> None:
    views = [type(show(prediction)) for prediction in ALL]
    assert views == [ChoiceView, NumberView, OrderView, SketchView, TextView]


def gives_by_keys(view: AnswerView, qtbot) -> object:
    """Give some answer without a mouse; the answer."""
    match view:
        case ChoiceView():
            QTest.keyClick(view.findChildren(QRadioButton)[1], Qt.Key.Key_Space)
            return "differ"
        case NumberView():
            QTest.keyClicks(child(view, QLineEdit), "-4.3e-3")
            return -0.0043
        case OrderView():
            QTest.keyClick(child(view, QListView), Qt.Key.Key_Down, ALT)
            return tuple(rows(view))
        case SketchView():
            own = pad()
            qtbot.addWidget(own)
            view.take(own)
            for key in (Qt.Key.Key_Up, Qt.Key.Key_End, Qt.Key.Key_Down):
                QTest.keyClick(own, key)
            return own.points()
        case _:
            QTest.keyClicks(child(view, QPlainTextEdit), "Weil die Reihenfolge egal ist.")
            return "Weil die Reihenfolge egal ist."


@each_kind
def test_an_answer_is_given_without_a_mouse_and_stays_in_another_theme(show, qtbot, prediction) -> None:
    view = show(prediction)
    assert view.answer() is None
    assert view.missing()
    assert view.in_words() == ""
    with qtbot.waitSignal(view.changed):
        answer = gives_by_keys(view, qtbot)
    with qtbot.assertNotEmitted(view.changed):
        view.renew_words()
    assert view.answer() == answer
    assert view.missing() == ""
    assert view.in_words()


@pytest.mark.parametrize("width", [200, 280, 400])
@each_kind
def test_every_view_fits_the_dock(show, qtbot, prediction, width: int) -> None:
    view = show(prediction, width)
    gives_by_keys(view, qtbot)
    assert view.width() == width
    assert view.minimumSizeHint().width() <= width
    assert all(one.geometry().right() < width for one in view.findChildren(QWidget) if one.parent() is view)
    assert view.layout().heightForWidth(width) >= view.layout().heightForWidth(2 * width)


@each_kind
def test_what_takes_the_keyboard_has_a_name(show, prediction) -> None:
    view = show(prediction)
    takers = [one for one in view.findChildren(QWidget) if one.focusPolicy() & Qt.FocusPolicy.TabFocus]
    assert takers
    assert all(QAccessible.queryAccessibleInterface(one).text(QAccessible.Text.Name) for one in takers)


# --- choice


def test_a_click_on_an_option_s_words_chooses_it(show, qtbot) -> None:
    view = show(CHOICE)
    assert view.missing() == "Choose one of the answers."
    option = view.findChildren(QRadioButton)[1]
    with qtbot.waitSignal(view.changed):
        QTest.mouseClick(option, LEFT, pos=QPoint(option.width() - 3, option.height() - 3))
    assert view.answer() == "differ"
    assert view.in_words() == OPTIONS["differ"]


def test_arrow_keys_go_from_option_to_option(show) -> None:
    view = show(CHOICE)
    first = view.findChildren(QRadioButton)[0]
    first.setFocus()
    QTest.keyClick(first, Qt.Key.Key_Space)
    assert view.answer() == "same"
    for expected in ("differ", "swap", "none"):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Down)
        assert view.answer() == expected
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Up)
    assert view.answer() == "swap"


def test_long_words_are_broken_and_not_cut(show) -> None:
    views = [show(CHOICE, width) for width in (200, 280, 900)]
    narrow, dock, wide = (view.findChildren(QRadioButton)[1].height() for view in views)
    assert narrow > dock > 2 * wide


# --- number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.84", 0.84), ("0,125", 0.125), ("1,5", 1.5), (" -2. ", -2), ("4.3e-3", 0.0043), ("4.3E−3", 0.0043), (".5", 0.5),
        ("+7", 7), ("3/12", 0.25), ("−1 / 4", -0.25),
    ],
)  # fmt: skip
def test_numbers_are_read_as_people_write_them(show, qtbot, text: str, value: float) -> None:
    view = show(NUMBER)
    line = child(view, QLineEdit)
    QGuiApplication.clipboard().setText(text)  # a test's keyboard has no typographic minus
    with qtbot.waitSignal(view.changed):
        QTest.keyClick(line, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert view.answer() == value
    assert view.missing() == ""


@pytest.mark.parametrize(
    "text", ["1/0", "1/", "1/2/3", "nan", "inf", "1e999", "1,234.5", "1.2.3", "--1", "0x10", "1_000", "e5", "half"]
)
def test_what_is_no_number_is_refused_in_words_when_it_is_finished(show, text: str) -> None:
    view = show(NUMBER)
    line = child(view, QLineEdit)
    QTest.keyClicks(line, text)
    assert view.answer() is None
    assert f"“{text}” can't be read as a number" in view.missing()
    assert not line.property("refused")  # it may be on its way
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert line.property("refused")
    QTest.keyClick(line, Qt.Key.Key_Backspace)
    assert not line.property("refused")


@pytest.mark.parametrize(("text", "ways"), [("1,000", ("1000", "1.000")), ("−19,869", ("−19869", "−19.869"))])
def test_a_comma_that_may_mean_either_is_asked_about(show, text: str, ways: tuple[str, str]) -> None:
    view = show(NUMBER)
    child(view, QLineEdit).setText(text)
    assert view.answer() is None
    assert all(way in view.missing() for way in ways)


@pytest.mark.parametrize(("text", "is_taken"), [("-3", False), ("5", False), ("0", True), ("1", True), ("1/8", True)])
def test_what_the_number_can_not_be_is_refused(show, text: str, is_taken: bool) -> None:
    view = show(Number(Expression("1 / 8"), 0.1, within=(0, 1)))
    child(view, QLineEdit).setText(text)
    assert (view.answer() is not None) == is_taken
    assert view.missing() == ("" if is_taken else "Write a number from 0 to 1.")


@given(value=st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300))
def test_a_number_is_told_to_twelve_digits(qapp, value: float) -> None:
    view = view_for(NUMBER, words, ())
    child(view, QLineEdit).setText(repr(value))
    assert view.answer() == value
    assert number_in(view.in_words()) == pytest.approx(value, rel=1e-11, abs=0)


@given(text=st.text(max_size=30))
def test_any_text_is_a_finite_number_or_none(text: str) -> None:
    value = number_in(text)
    assert value is None or math.isfinite(value)


# --- order


def test_an_order_is_none_until_someone_has_said_so(show, qtbot) -> None:
    view = show(ORDER)
    assert view.missing() == "Put the rows in order, or tick “This order”."
    with qtbot.waitSignal(view.changed):
        QTest.keyClick(child(view, QCheckBox), Qt.Key.Key_Space)
    assert view.answer() == tuple(rows(view))
    QTest.keyClick(child(view, QCheckBox), Qt.Key.Key_Space)
    assert view.answer() is None


def test_rows_are_moved_by_alt_and_arrow_keys(show, qtbot) -> None:
    view = show(ORDER)
    before, table = rows(view), child(view, QListView)
    with qtbot.waitSignal(view.changed):
        QTest.keyClick(table, Qt.Key.Key_Down, ALT)
    QTest.keyClick(table, Qt.Key.Key_Down, ALT)
    assert rows(view) == [before[1], before[2], before[0], before[3]]
    QTest.keyClick(table, Qt.Key.Key_Up, ALT)
    assert view.answer() == (before[1], before[0], before[2], before[3])
    QTest.keyClick(table, Qt.Key.Key_Down)
    assert tuple(rows(view)) == view.answer()  # arrow keys alone choose a row


def test_rows_are_moved_by_buttons_as_far_as_they_go(show) -> None:
    view = show(ORDER)
    before, up, down = rows(view), named(view, "Up"), named(view, "Down")
    assert not up.isEnabled()
    for _ in range(5):
        QTest.mouseClick(down, LEFT)
    assert view.answer() == (*before[1:], before[0])
    assert not down.isEnabled()
    QTest.keyClick(up, Qt.Key.Key_Space)
    assert rows(view)[2] == before[0]


@pytest.mark.parametrize(("source", "target"), list(permutations(range(4), 2)))
def test_rows_are_dragged_to_any_place(show, source: int, target: int) -> None:
    view = show(ORDER)
    before, table = rows(view), child(view, QListView)
    boxes = [table.visualRect(table.model().index(row)) for row in range(4)]
    here, there = boxes[source].center(), boxes[target].center()
    if target < source:
        there.setY(boxes[target].top() + 2)
    else:
        there.setY(boxes[target].bottom() - 2)
    QTest.mousePress(table.viewport(), LEFT, pos=here)
    for part in range(1, 11):
        QTest.mouseMove(table.viewport(), here + (there - here) * part / 10)
    QTest.mouseRelease(table.viewport(), LEFT, pos=there)
    expected = before.copy()
    expected.insert(target, expected.pop(source))
    assert view.answer() == tuple(expected)


def test_a_drag_that_rests_moves_nothing_more(show) -> None:
    view = show(ORDER)
    table = child(view, QListView)
    for row in range(4):
        box = table.visualRect(table.model().index(row))
        for y in (box.top() + 3, box.bottom() - 3):
            before = rows(view)
            QTest.mousePress(table.viewport(), LEFT, pos=QPoint(30, y))
            QTest.mouseMove(table.viewport(), QPoint(80, y))
            QTest.mouseMove(table.viewport(), QPoint(81, y))
            QTest.mouseRelease(table.viewport(), LEFT, pos=QPoint(81, y))
            assert rows(view) == before
    assert view.answer() is None


@given(names=st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=7, unique=True).map(tuple))
def test_the_first_order_tells_nothing_and_is_the_same_each_time(names: tuple[str, ...]) -> None:
    found = shuffled_names(names)
    assert sorted(found) == sorted(names)
    assert len(names) < 3 or found not in (names, names[::-1])
    assert found == shuffled_names(names)


# --- sketch


def draws(pad: SketchPad, start: tuple[float, float], end: tuple[float, float]) -> None:
    QTest.mousePress(pad, LEFT, pos=pad.place(*start).toPoint())
    QTest.mouseMove(pad, pad.place(*end).toPoint())
    QTest.mouseRelease(pad, LEFT, pos=pad.place(*end).toPoint())


@pytest.fixture
def sketched(show, qtbot) -> Callable[[], tuple[SketchView, SketchPad]]:
    view, own = show(SKETCH), pad()
    qtbot.addWidget(own)
    own.resize(400, 260)
    own.show()
    view.take(own)
    return view, own


def test_a_sketch_comes_from_its_pad(sketched, qtbot) -> None:
    view, pad = sketched
    assert view.missing().startswith("Draw the curve in the plot")
    with qtbot.waitSignal(view.changed):
        draws(pad, (0, 0), (0.5, 0.5))
    assert view.answer() is None
    assert "covers 50% of the axis and needs 80%" in view.missing()
    draws(pad, (0.5, 0.5), (1, 1))
    assert view.answer() == pad.points()
    assert view.in_words().startswith("from −1 at 0 to 1 at 8")


def test_clear_clears_the_pad(sketched, qtbot) -> None:
    view, pad = sketched
    assert not named(view, "Clear").isEnabled()
    draws(pad, (0, 0), (1, 1))
    with qtbot.waitSignal(view.changed):
        QTest.mouseClick(named(view, "Clear"), LEFT)
    assert view.answer() is None
    assert pad.covered == 0


def test_a_new_pad_goes_on_with_the_sketch(sketched, qtbot) -> None:
    """After free play another pad stands over the plot."""
    view, first = sketched
    draws(first, (0, 0), (1, 1))
    second = pad()
    qtbot.addWidget(second)
    with qtbot.assertNotEmitted(view.changed):
        view.take(second)
    assert view.answer() == first.points()
    assert np.allclose(second.points(), first.points())
    QTest.keyClick(second, Qt.Key.Key_Up)
    assert view.answer() == second.points() != first.points()


def test_the_answer_outlives_its_pad(show, qapp) -> None:
    view, own = show(SKETCH), pad()
    view.take(own)
    draws(own, (0, 0), (1, 1))
    own.deleteLater()
    qapp.sendPostedEvents(own, QEvent.Type.DeferredDelete)
    assert len(view.answer()) == 65
    QTest.mouseClick(named(view, "Clear"), LEFT)


# --- text


def test_text_needs_a_few_letters_and_tab_leaves_it(show, qtbot) -> None:
    view = show(TEXT)
    edit = child(view, QPlainTextEdit)
    with qtbot.waitSignal(view.changed):
        QTest.keyClicks(edit, " a b ")
    assert (view.answer(), view.missing()) == (None, "Write a few words.")
    QTest.keyClicks(edit, "c")
    QTest.keyClick(edit, Qt.Key.Key_Tab)
    assert view.answer() == "a b c"


def test_text_that_is_too_long_to_keep_is_refused_in_words(show) -> None:
    view = show(TEXT)
    child(view, QPlainTextEdit).setPlainText("x" * 10_001)
    assert view.answer() is None
    assert view.missing() == "Shorten your answer to 10,000 characters: it has 10,001."
