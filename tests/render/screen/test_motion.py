"""Changes seen as motion: what is drawn at which time, and that nothing of it is left at rest."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from eyes import picture, side_of, writing
from panels import clocks
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage

import posenc_gui as pe
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.compared_headline import headline_since
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Clocks, Heatmap, Slopes
from posenc_gui.foundation.theme import LIGHT
from posenc_gui.render.drawings import motion
from posenc_gui.render.screen import Change, FigureView

LABELS = ("the", "cat", "sat")
LONG, AT_ONCE = 1e6, 1e-9  # seconds
STAYED = Change()


def a_map(values: object, labels: tuple[str, ...] = LABELS) -> Heatmap:
    rows, columns = (Axis(role, role, labels=labels) for role in ("query", "key"))
    return Heatmap("a map", "weight", np.array(values, np.float32), rows, columns, 0.0, 1.0)


def some_slopes(ends: object, lines: tuple[int, ...] = (0, 1), high: float = 1.0) -> Slopes:
    values = np.array(ends, np.float32)
    return Slopes("a row", "weight", ("without", "with"), Axis("key", "key", labels=LABELS), lines, values, 0.0, high)


def hands_at(*angles: float) -> Clocks:
    return clocks(1, words=LABELS[: len(angles)], angles=np.array([angles]))


def attention(**changes: object) -> Figure:
    session = {"text": "The cat sat on the mat", "encoding": "rope"} | changes
    return pe.plot("attention", pe.Session(**session))


def turned(**changes: object) -> Figure:
    return pe.plot("clocks", pe.Session(**({"encoding": "rope"} | changes)))


@pytest.mark.parametrize(
    ("seconds", "share", "mark"),
    [(0, 0, 1), (0.125, 0.875, 1), (0.25, 1, 1), (0.5, 1, 1), (1.0, 1, 0.5), (1.5, 1, 0), (9, 1, 0)],
)
def test_panels_move_out_cubic_for_a_quarter_of_a_second_and_marks_fade_in_the_second_after_the_first_half(
    seconds, share, mark
):
    assert motion.moment(seconds, STAYED) == motion.Moment(pytest.approx(share), pytest.approx(mark))
    assert motion.moment(seconds, Change(still=True)) == motion.Moment(1, pytest.approx(mark))


def test_time_is_spent_only_while_something_changes():
    times, now = [0.0], 0.0
    while motion.moment(now, STAYED) != motion.REST:
        now += motion.until_next(now, STAYED)
        times.append(now)
    assert not [at for at in times if 0.28 < at < 0.49]  # full marks stand still
    assert len(times) < 50


def test_cells_go_from_one_step_of_the_colours_to_another_and_are_marked_from_three_hundredths_of_the_scale_on():
    before, now = a_map([[0, 0.5, 0.2]] * 3), a_map([[1, 0.52, 0.2]] * 3)
    found, *_ = motion.motions([before], [now], STAYED)
    assert [found.at(share)[0].tolist() for share in (0, 0.5, 1)] == [[0, 128, 51], [128, 130, 51], [255, 133, 51]]
    assert found.changed.tolist() == [[True, False, False]] * 3
    assert motion.motions([before], [before], STAYED) == [None]


def test_a_token_that_moved_takes_its_cells_and_lines_along():
    places, moved = (1, 2, 0), ("cat", "sat", "the")
    values = np.arange(9).reshape(3, 3) / 10
    there = a_map(values[np.ix_(places, places)], moved)
    (found,) = motion.motions([a_map(values)], [there], Change(places))
    assert not found.changed.any()
    assert found.left == ((0,), (0,))  # where “the” stood
    assert found.places == (places, places)
    assert found.above == ({2}, {2})  # where it stands now
    swapped = a_map(values[np.ix_((1, 0, 2), (1, 0, 2))], ("cat", "the", "sat"))
    (neighbours,) = motion.motions([a_map(values)], [swapped], Change((1, 0, 2)))
    assert [len(one) for one in neighbours.above] == [1, 1]  # or each would pass above the other
    for word in (0, 1):
        (dragged,) = motion.motions([a_map(values)], [swapped], Change((1, 0, 2), moved=word))
        assert (dragged.above, dragged.left) == (({1 - word},) * 2, ((word,),) * 2)
    assert found.stand(0) == ((1, 2, 0), (1, 2, 0))
    assert found.stand(0.5) == ((0.5, 1.5, 1), (0.5, 1.5, 1))
    assert found.stand(1) is None
    changed = replace(there, values=there.values + np.float32([[0.1], [0], [0]]))
    (found,) = motion.motions([a_map(values)], [changed], Change(places))
    assert found.changed.tolist() == [[True] * 3, [False] * 3, [False] * 3]
    lines = some_slopes([[0.5, 0.9]], lines=(0,))
    of_cat = replace(some_slopes([[0.5, 0.7]], lines=(0,)), cells=Axis("key", "key", labels=moved))
    (found,) = motion.motions([replace(lines, lines=(1,))], [of_cat], Change(places))
    assert found.at(0) == pytest.approx(np.array([[0.5, 0.9]]))


@pytest.mark.parametrize(
    ("places", "left"),
    [((), ()), ((0, 2, 3, 1), (1,)), ((3, 0, 1, 2), (3,)), ((0, 2, 1, 3), (2, 1)), ((3, 2, 1, 0), ())],
)
def test_one_token_that_moved_leaves_its_place_two_that_swapped_both_and_many_none(places, left):
    assert motion.left_by_one(Change(places)) == left


def test_slopes_move_on_the_present_scale_and_a_line_that_was_not_there_stands_still():
    before, now = some_slopes([[0.2, 0.4], [0.2, 0.2]]), some_slopes([[0.2, 1.0], [0.4, 0.6]], lines=(0, 2), high=2.0)
    (found,) = motion.motions([before], [now], STAYED)
    assert found.at(0) == pytest.approx(np.array([[0.1, 0.2], [0.2, 0.3]]))
    assert found.at(0.5) == pytest.approx(np.array([[0.1, 0.35], [0.2, 0.3]]))
    assert found.changed == (0,)


def test_hands_turn_the_shorter_way_round():
    (found,) = motion.motions([hands_at(0.1, 1)], [hands_at(4 * math.tau - 0.1, 1)], STAYED)
    halfway = found.at(0.5)[0] % math.tau
    assert [math.remainder(halfway[0], math.tau), halfway[1]] == pytest.approx([0, 1], abs=AT_ONCE)
    assert found.changed == (0,)


def test_the_hand_of_a_moved_word_turns_from_where_it_stood():
    (found,) = motion.motions([hands_at(1, 2)], [hands_at(1, 2)], Change((1, 0)))
    assert found.at(0)[0] == pytest.approx([2, 1])
    assert found.at(1)[0] == pytest.approx([1, 2])


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (a_map(np.zeros((3, 3))), a_map(np.ones((3, 3)), ("a", "cat", "sat"))),
        (a_map(np.zeros((3, 3))), replace(a_map(np.ones((3, 3))), quantity="score")),
        (a_map(np.zeros((65, 65)), ()), a_map(np.ones((65, 65)), ())),
        (hands_at(1), hands_at(2, 3)),
        (hands_at(1), some_slopes([[0, 1], [1, 0]])),
    ],
    ids=["labels", "quantity", "size", "count", "kind"],
)
def test_what_has_other_axes_or_many_cells_is_shown_at_once(before, now):
    assert motion.motions([before], [now], STAYED) == [None]


@pytest.fixture
def changing(qtbot, monkeypatch):
    """A view that goes from one figure to another, with these times in seconds."""

    def make(before: Figure, now: Figure, change: Change = STAYED, **times: float) -> FigureView:
        for name, lasts in times.items():
            monkeypatch.setattr(motion, name, lasts)
        view = FigureView(LIGHT)
        qtbot.addWidget(view)
        view.resize(900, 420)
        view.show_figure(before)
        view.show()
        picture(view)
        view.show_figure(now, change)
        return view

    return make


def alone(changing, figure: Figure) -> QImage:
    """The picture of a figure that is shown at once."""
    return picture(changing(figure, figure))


CASES = {
    "parameter": (attention(), attention(encoding={"name": "rope", "base": 3.0}), Change()),
    "order": (attention(), attention(order=(0, 2, 3, 4, 5, 1), focus=1), Change((0, 2, 3, 4, 5, 1))),
    "clocks": (turned(), turned(strength=0.4), Change()),
}


@pytest.mark.parametrize("case", CASES)
def test_the_motion_begins_as_before_leaves_a_mark_and_ends_as_the_figure_alone(changing, case):
    before, now, change = CASES[case]
    begun = picture(changing(before, now, change, MOVES=LONG, FULL=LONG))
    view = changing(before, now, change, MOVES=AT_ONCE, FULL=LONG)
    marked, rest = picture(view), alone(changing, now)
    assert len({bytes(one.constBits()) for one in (begun, marked, rest)}) == 3
    view.mover.finish()
    assert view.mover.is_at_rest
    assert picture(view) == rest


def order_beside(view: FigureView) -> list[str]:
    """The words beside a map's rows, from top to bottom."""
    return [one.text for one in sorted(writing(view, side_of(view, "left")), key=lambda one: one.box.center().y())]


def test_rows_and_columns_move_with_the_token_and_the_moved_one_passes_above(changing):
    before, now, change = CASES["order"]
    view = changing(before, now, change, MOVES=LONG, FULL=LONG)
    begun, rest = picture(view), alone(changing, now)
    heatmap = view.panel_views()[1]
    seen = heatmap.vb.mapRectToScene(QRectF(-0.5, -0.5, 6, 6))
    assert order_beside(view) == [
        *["the", "cat", "sat", "on", "the", "mat"]
    ]  # “cat” still beside the row where it stood
    assert begun.copy(seen.toRect()) != rest.copy(seen.toRect())
    view.mover.finish()
    assert order_beside(view) == [*["the", "sat", "on", "the", "mat", "cat"]]
    assert picture(view) == rest


@pytest.mark.parametrize("places", [(5, 4, 3, 2, 1, 0), ()])
def test_where_no_single_token_moved_rows_and_columns_stand_at_once(places):
    now = a_map(np.eye(6) / 2, tuple("fedcba" if places else "abcdef"))
    (found,) = motion.motions([a_map(np.eye(6), tuple("abcdef"))], [now], Change(places))
    assert found.stand(0) is None


def test_marks_alone_are_shown_where_motion_is_reduced(changing):
    before, now, _ = CASES["parameter"]
    still = changing(before, now, Change(still=True), MOVES=LONG, FULL=LONG)
    moved = changing(before, now, MOVES=AT_ONCE, FULL=LONG)
    assert picture(still) == picture(moved)


def test_a_change_while_something_moves_is_shown_at_once_and_the_mark_stays_of_the_state_at_rest(changing):
    before, now, _ = CASES["parameter"]
    between = attention(encoding={"name": "rope", "base": 100.0})
    dragged = changing(before, between, MOVES=LONG, FULL=LONG)
    dragged.show_figure(now, Change())
    assert picture(dragged) == picture(changing(before, now, MOVES=AT_ONCE, FULL=LONG))


def test_a_figure_without_a_change_ends_the_motion(changing):
    before, now, _ = CASES["parameter"]
    view = changing(before, now, MOVES=LONG)
    view.show_figure(before)
    assert view.mover.is_at_rest
    assert picture(view) == alone(changing, before)


def test_throughout_a_drag_the_mark_is_of_where_it_began_and_stays_until_it_ends(changing, qtbot):
    before, now = attention(), attention(order=(0, 2, 1, 3, 4, 5), focus=1)
    further = attention(order=(0, 2, 3, 1, 4, 5), focus=1)
    view = changing(before, now, Change((0, 2, 1, 3, 4, 5), drag=1), MOVES=AT_ONCE, FULL=AT_ONCE, FADES=AT_ONCE)
    qtbot.wait(50)
    assert view.mover.former is before
    at_once = changing(before, further, Change((0, 2, 3, 1, 4, 5), still=True), FULL=LONG)
    view.show_figure(further, Change((0, 1, 3, 2, 4, 5), drag=1))
    assert view.mover.former is before
    assert picture(view) == picture(at_once)
    view.show_figure(now, Change((0, 1, 3, 2, 4, 5), drag=2))
    assert view.mover.former is further
    changing(before, now, FULL=AT_ONCE, FADES=AT_ONCE)
    assert not view.mover.is_at_rest
    view.show_figure(now, lets_go=True)
    qtbot.waitUntil(lambda: view.mover.is_at_rest)


def test_numbers_are_those_of_the_present_at_once(changing):
    before, now, _ = CASES["parameter"]
    view = changing(before, now, MOVES=LONG)
    assert view.figure() is now
    assert view.panel_views()[1].shown.read(1, 2) == now.panels[1].read(1, 2)


def test_the_mark_goes_by_itself(changing, qtbot):
    before, now, _ = CASES["parameter"]
    view = changing(before, now, MOVES=0.02, FULL=0.02, FADES=0.05)
    assert not view.mover.is_at_rest
    qtbot.waitUntil(lambda: view.mover.is_at_rest)
    assert picture(view) == alone(changing, now)


def test_the_headline_says_old_and_new_numbers_where_nothing_else_but_the_encoding_has_changed():
    before = attention()
    told = "".join(run.text for run in headline_since(before, attention(encoding="sinusoidal")))
    old, new = (
        [run.text for run in one.headline if run.kind == "number"] for one in (before, attention(encoding="sinusoidal"))
    )
    assert f"{old[1]} → {new[1]}" in told
    assert told.count("→") == sum(map(lambda one, other: one != other, old, new))
    other_query = attention(focus=1)
    assert headline_since(before, other_query) == other_query.headline
    assert headline_since(before, before) == before.headline
