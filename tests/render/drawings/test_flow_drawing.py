"""What users see of a drawn flow: all of it in its room, columns that never move, and ribbons that are as broad as weights."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from styles import CARD, SLIDE

import posenc_gui as pe
from posenc_gui.figure.panels.flow import COLUMNS, HEADINGS, Flow
from posenc_gui.foundation.theme import LIGHT
from posenc_gui.foundation.wording import format_number
from posenc_gui.render.drawings.drawing import Stage
from posenc_gui.render.drawings.flow.draw import FlowDrawing
from posenc_gui.render.drawings.parts import Arc, Box, Cells, Dot, Part, Point, Ribbon, Stroke, Text
from posenc_gui.render.layout.type_sizes import Style

TOY = pe.ToyModel(d_model=16, n_heads=1)
TEXTS = (
    "dog",
    "dog dog",
    "the cat sat on the mat",
    "antidisestablishmentarianism 我 👍",
    "the cat sat on the mat and so " * 8,
)
ENCODINGS = ("none", "sinusoidal", "rope", "alibi", "shaw", "cope")


@cache
def flow(text: str = TEXTS[2], encoding: str = "rope", causal: bool = False) -> Flow:
    model = TOY.model_copy(update={"causal": causal})
    (panel,) = pe.plot("flow", pe.Session(text=text, encoding=pe.encoding(encoding), model=model)).panels
    return panel


def drawn(
    panel: Flow, width: float = 1052, height: float = 690, style: Style = CARD, marked: int | None = None
) -> FlowDrawing:
    return FlowDrawing(panel, Stage(width, height, style, LIGHT, marked=marked))


def points(part: Part, style: Style = CARD) -> Iterator[Point]:
    """The corners of a part."""
    match part:
        case Box(rect=rect) | Cells(rect=rect):
            yield from ((rect.left, rect.top), (rect.right, rect.bottom))
        case Stroke(path=path) | Arc(path=path):
            yield from itertools.chain(*path)
        case Dot(x=x, y=y, radius=radius):
            yield from ((x - radius, y - radius), (x + radius, y + radius))
        case Text(x=x, y=y):
            length = (style.small if part.size == "small" else style.label).measure(part.text)
            start = x - {"left": 0.0, "center": 0.5, "right": 1.0}[part.side] * length
            yield from ((start, y), (start + length, y))


FLOWS = st.builds(flow, st.sampled_from(TEXTS), st.sampled_from(ENCODINGS), st.booleans())
ROOMS = st.tuples(st.floats(560, 1900), st.floats(330, 1000))


@given(FLOWS, ROOMS, st.sampled_from([CARD, SLIDE, replace(SLIDE, is_paper=True)]))
def test_everything_lies_in_the_room(panel: Flow, room: tuple[float, float], style: Style) -> None:
    width, height = room
    for part in drawn(panel, width, height, style).parts:
        assert all(-1 <= x <= width + 1 and -1 <= y <= height + 1 for x, y in points(part, style)), part


@given(FLOWS, ROOMS)
def test_ribbons_are_as_broad_as_weights_and_fill_the_bundle(panel: Flow, room: tuple[float, float]) -> None:
    found = drawn(panel, *room)
    shown, bundle = found.sheet.panel, found.sheet.bundle
    weights = [weight for weight, visible in zip(shown.numbers.weights, shown.visible, strict=True) if visible]
    weights += [shown.rest.weight] if shown.rest else []
    ribbons = [part for part in found.parts if isinstance(part, Ribbon)]
    assert [ribbon.width / bundle.breadth for ribbon in ribbons] == pytest.approx(weights)
    assert sum(ribbon.width for ribbon in ribbons) == pytest.approx(bundle.breadth, rel=1e-4)
    left = bundle.left
    for ribbon in ribbons:  # side by side, where they rise into the output
        assert ribbon.path[-1][-1][0] == pytest.approx(left + ribbon.width / 2, abs=0.01)
        left += ribbon.width


@given(st.sampled_from(TEXTS), ROOMS, st.booleans())
def test_columns_never_move_between_encodings(text: str, room: tuple[float, float], causal: bool) -> None:
    first, *others = (drawn(flow(text, name, causal), *room).sheet.columns for name in ENCODINGS)
    assert all(other == first for other in others)


@given(FLOWS, ROOMS, st.data())
def test_a_cell_reads_the_number_that_is_drawn_in_it(
    panel: Flow, room: tuple[float, float], data: st.DataObject
) -> None:
    found = drawn(panel, *room)
    sheet = found.sheet
    row = data.draw(st.integers(-1, len(sheet.panel.keys) - 1))
    column = data.draw(st.sampled_from(["x", "projections", "output"] if row == -1 else ["x", "projections"]))
    rects, vectors = sheet.vector_rects(column, row), sheet.panel.vectors_in(column, sheet.strand(row))
    for rect, (_, vector) in zip(rects, vectors, strict=False):
        index = data.draw(st.integers(0, len(vector) - 1))
        down, across = divmod(index, (len(vector) + 1) // 2)
        side = sheet.columns.cell
        told = sheet.panel.read(*found.at(rect.left + (across + 0.5) * side, rect.top + (down + 0.5) * side))
        assert told.endswith(f"dimension {index}: {format_number(vector[index])}")


def test_a_dial_reads_its_own_angle_where_there_are_fewer_than_have_room() -> None:
    session = pe.Session(text=TEXTS[2], encoding="rope", model=pe.ToyModel(d_model=4, n_heads=1))
    found = drawn(pe.plot("flow", session).panels[0])
    told = [found.panel.read(*found.at(arc.x, arc.y)) for arc in found.parts if isinstance(arc, Arc)]
    assert [words.partition("dial ")[2][:6] for words in told] == ["1 of 2", "2 of 2"] * 7


def test_in_a_low_room_the_keys_that_matter_least_become_one_ribbon() -> None:
    panel = flow(TEXTS[4], "rope")
    assert panel.rest
    low = drawn(panel, 1052, 330).sheet.panel
    assert len(low.keys) < len(panel.keys)
    assert low.rest.count + len(low.keys) == panel.rest.count + len(panel.keys)
    assert low.rest.weight + low.numbers.weights.sum() == pytest.approx(1, abs=1e-4)
    assert low.keys[low.pinned].at == panel.keys[panel.pinned].at
    assert low.query.label in {key.label for key in low.keys}


def test_a_narrow_room_drops_the_word_vectors_and_no_other_column() -> None:
    broad, narrow = (drawn(flow(), width).sheet.columns.contents for width in (1052, 610))
    assert set(broad) == set(COLUMNS)
    assert set(COLUMNS) - set(narrow) == {"x"}


def test_the_sum_follows_the_marked_key_and_goes_where_the_target_has_none() -> None:
    panel = flow()

    def written(*room: float, **asked: object) -> list[str]:
        return [part.text for part in drawn(panel, *room, **asked).parts if isinstance(part, Text)]

    assert "without position" in written()
    assert written(marked=1)[written(marked=1).index("The sum for ") + 1] == "cat"
    assert "The sum for " not in written(style=replace(CARD, is_paper=True))
    assert "without position" not in written(978, 540)  # one line


def test_a_walk_draws_only_what_is_reached_and_moves_nothing() -> None:
    model, counts = TOY, []
    for step in range(1, len(COLUMNS) + 1):
        session = pe.Session(model=model, encoding="sinusoidal")
        session = session.model_copy(update={"plots": type(session.plots)(flow={"step": step})})
        (panel,) = pe.plot("flow", session).panels
        found = drawn(panel)
        assert found.sheet.columns == drawn(flow(encoding="sinusoidal")).sheet.columns
        reach = found.sheet.reach
        beyond = [p for p in found.parts if isinstance(p, Cells | Dot) and next(points(p))[0] > reach]
        assert not beyond
        counts.append(len([part for part in found.parts if not isinstance(part, Text)]))
    assert counts == sorted(counts)


def test_doors_are_pressed_at_their_headings_and_closed_ones_anywhere() -> None:
    found = drawn(flow(encoding="alibi"))
    sheet = found.sheet
    for door, is_open in (("input", False), ("rotation", False), ("score", True)):
        x = sheet.columns.doors[door].middle
        at_heading, at_key = found.at(x, sheet.rows.name), found.at(x, sheet.rows.keys[3])
        assert at_heading[1] == HEADINGS
        assert sheet.panel.door(*at_heading) == door
        assert sheet.panel.door(*at_key) == ("" if is_open else door)


def test_a_hidden_key_has_no_ribbon_and_an_empty_cell() -> None:
    panel = flow(encoding="rope", causal=True)
    found = drawn(panel)
    assert len([part for part in found.parts if isinstance(part, Ribbon)]) == int(panel.visible.sum()) == 3
    left = found.sheet.columns.contents["weight"].left
    cells = [part for part in found.parts if isinstance(part, Box) and part.rect.left == left]
    assert [bool(cell.frame) for cell in cells] == [False] * 3 + [True] * 3


def test_a_column_that_a_text_speaks_of_is_framed_from_its_heading_to_its_last_row() -> None:
    panel = flow()
    plain, marked = drawn(panel), drawn(replace(panel, marked="rotation"))
    (frame,) = (part for part in marked.parts if part not in plain.parts and isinstance(part, Box))
    span = marked.sheet.columns.outer("rotation")
    assert (frame.rect.left, frame.rect.right) == pytest.approx((span.left, span.right))
    assert frame.rect.top < marked.sheet.rows.name < marked.sheet.rows.keys[-1] < frame.rect.bottom
    assert frame.frame == LIGHT.ink


def test_lines_reach_vectors_that_are_shorter_than_others() -> None:
    """With eight heads, q, k and v are half as long as x is drawn."""
    (panel,) = pe.plot("flow", pe.Session(text=TEXTS[2], encoding="alibi", model=pe.ToyModel(n_heads=8))).panels
    assert isinstance(panel, Flow)
    found = drawn(panel)
    (key, value), end = found.sheet.vector_rects("projections", 0), found.sheet.columns.contents["weight"].left
    ends = {path[-1][-1] for part in found.parts if isinstance(part, Stroke) for path in [part.path]}
    starts = {part.path[0][0] for part in found.parts if isinstance(part, Stroke)}
    for rect in (key, value):
        y = (rect.top + rect.bottom) / 2
        assert (rect.left, y) in ends
        assert (rect.right, y) in starts
    assert (end, (value.top + value.bottom) / 2) in ends


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_no_name_is_cut_where_two_share_a_slide(encoding: str) -> None:
    found = drawn(flow(TEXTS[4], encoding), 460, 330, replace(SLIDE, is_paper=True))
    texts = [part.text for part in found.parts if isinstance(part, Text)]
    assert {"input", "rotation", "score", "weight", "output"} <= set(texts)
    assert not [text for text in texts if "…" in text]
