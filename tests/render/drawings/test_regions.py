"""What is read in the regions of drawings: what is read at each point of them, and all that can be read."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from panels import HOSTILE, attention, bars, clocks, links, waves
from styles import CARD

import posenc_gui as pe
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.panels import Clocks, Flow, Note, Panel, Slopes, Table
from posenc_gui.foundation.theme import LIGHT
from posenc_gui.render.composer import compose
from posenc_gui.render.drawings.drawing import Drawing, Stage
from posenc_gui.render.drawings.kinds import drawing, stages, zoom_range
from posenc_gui.render.drawings.parts import Text
from posenc_gui.render.export_options import ExportOptions
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.paper.format import Format

_SERIES = tuple(replace(one, y=one.y + 1.5, dots=()) for one in waves().series)
SAMPLES: dict[str, tuple[Panel, ...]] = {
    "map": (attention(),),
    "masked map": (attention(masked=True, first=7),),
    "large map": (attention(tuple(map(str, range(64)))),),
    "bars": (bars(names=("series 0", "series 1")),),
    "links": (links(),),
    "links beside a map": (links(), attention()),
    "clocks": (clocks(7),),
    "curves on a logarithmic scale": (replace(waves(), series=_SERIES, low=0.4, high=3, log=True),),
    "note": (Note("Nothing to see."),),
}
PLOTS = ["waves", "angles", "clocks", "hands", "flow", "slopes", "equivariance", "meaning", "generation", "frequencies"]
TABLE = Table("sums", ("prompt", "X", "weight", "how"), (("the cat", "the", 0.5, "a sentence of words " * 9),) * 4)
SLIDE = Format.of(ExportOptions(preset="slide").sheet).style
SHARES = st.floats(0, 1)


@cache
def panels_of(plot: str) -> tuple[Panel, ...]:
    found = pe.plot(plot, pe.Session(text="the cat sat on the mat", focus=2, encoding="rope", other="shaw"))
    return tuple(panel for panel in found.panels if not isinstance(panel, Table))


@st.composite
def drawings(draw: st.DrawFn) -> Drawing[Panel]:
    """A panel in its place in a figure, often zoomed."""
    name = draw(st.sampled_from([*SAMPLES, "table", *PLOTS]))
    width, height = draw(st.tuples(st.floats(560, 1400), st.floats(330, 800)))
    if name == "table":
        return drawing(TABLE, Stage(width, height, SLIDE, LIGHT))
    found = compose(SAMPLES.get(name) or panels_of(name), None, width, height, CARD)
    panel, stage = draw(st.sampled_from([*stages(found, CARD, LIGHT).items()]))
    can = zoom_range(panel)
    if can is not None and draw(st.booleans()):
        ends = draw(st.tuples(*[st.floats(0, 0.4), st.floats(0.6, 1)] * 2))
        across, down = (ends[:2], ends[2:]) if can.along else ((0, 1), ends[:2])
        (left, right), (top, bottom) = (
            np.interp(part, (0, 1), whole)
            for part, whole in ((across, (can.shown.left, can.shown.right)), (down, (can.shown.top, can.shown.bottom)))
        )
        stage = replace(stage, seen=Rect(left, top, right, bottom))
    return drawing(panel, stage)


def inside(rect: Rect, across: float, down: float) -> tuple[float, float]:
    return rect.left + across * rect.width, rect.top + down * rect.height


def reads(found: Drawing[Panel], x: float, y: float) -> str:
    return found.panel.read(*found.at(x, y))


@settings(max_examples=150)
@given(drawings(), st.data())
def test_a_region_reads_what_each_of_its_points_reads(found: Drawing[Panel], data: st.DataObject) -> None:
    has_slants = isinstance(found.panel, Slopes)
    regions = list(found.regions(2.0 if has_slants else 1e-3))
    assert bool(regions) != isinstance(found.panel, Note)
    assert all(reads(found, *square.middle) for square in Drawing.cells(found, 9.0)), "what a kind has without its own"
    for _ in range(10 * bool(regions)):
        region = data.draw(st.sampled_from(regions))
        across, down = data.draw(st.tuples(*[st.floats(0.01, 0.99)] * 2))
        point = inside(region.rect, 0.5 if has_slants else across, down)
        assert reads(found, *point) == found.panel.read(region.x, region.y) != ""


@settings(max_examples=150)
@given(drawings(), st.sampled_from([1.0, 12.0, 40.0]), st.lists(st.tuples(SHARES, SHARES), min_size=20, max_size=20))
def test_regions_are_apart_on_their_stage_none_is_too_small_and_whatever_is_read_lies_in_one(
    found: Drawing[Panel], least: float, places: list[tuple[float, float]]
) -> None:
    regions, stage, field, slack = list(found.regions(least)), found.stage, found.field, 1e-6
    assert all(found.panel.read(one.x, one.y) for one in regions)
    sides = np.array([(one.rect.left, one.rect.top, one.rect.right, one.rect.bottom) for one in regions]).reshape(-1, 4)
    assert (sides >= -slack).all()
    assert (sides[:, 2:] <= np.array((stage.width, stage.height)) + slack).all()
    assert (sides[:, 2:] - sides[:, :2] >= np.fmin(least, (field.width, field.height)) - slack).all()
    for one in sides[::7]:
        assert np.all((sides[:, :2] < one[2:] - slack) & (one[:2] < sides[:, 2:] - slack), axis=1).sum() == 1
    if least == 1 or not isinstance(found.panel, Clocks | Flow):  # of larger blocks of these, some stand for nothing
        for x, y in (inside(field, *place) for place in places):
            assert not reads(found, x, y) or any(one.rect.holds(x, y) for one in regions)


def named(count: int) -> tuple[str, ...]:
    return tuple(f"name {number}" for number in range(count))


WORDY = {
    **{
        f"{count} bars of {series}": bars(named(count), named(series), -0.5)
        for count in (1, 10, 512)
        for series in (1, 3)
    },
    **{f"{count} links": links(named(count)) for count in (1, 64, 512)},
    "hostile bars": bars(HOSTILE, HOSTILE[:3]),
    "hostile links": links(HOSTILE),
    "hostile map": attention(HOSTILE),
    "hostile curves": waves(HOSTILE),
}


@pytest.mark.parametrize("room", [(888, 380), (420, 240), (560, 150), (170, 200)])
@pytest.mark.parametrize("panel", WORDY.values(), ids=WORDY)
def test_words_that_are_many_or_hard_stand_on_their_stage(panel: Panel, room: tuple[int, int]) -> None:
    (stage,) = stages(compose([panel], None, *room, CARD), CARD, LIGHT).values()
    for word in drawing(panel, stage).parts:
        if isinstance(word, Text) and not word.angle:
            length = CARD.face(word.size).measure(word.text)
            left = {"left": word.x, "center": word.x - length / 2, "right": word.x - length}[word.side]
            assert -1 <= left <= left + length <= stage.width + 1
            assert -40 <= word.y <= stage.height  # marks of the first lane are named above it


def test_the_label_of_a_slope_reads_its_own_line_wherever_it_has_room() -> None:
    names = ("the", "cat", "sat", "mat")
    values = np.array([[0.1, 0.5], [0.4, 0.51], [0.2, 0.52], [0.3, 0.53]], np.float32)
    panel = Slopes("", "weight", ("without", "with"), Axis("key", "key", 0, names), (0, 1, 2, 3), values, 0, 1)
    found = drawing(panel, Stage(300, 200, CARD, LIGHT))
    labels = [part for part in found.parts if isinstance(part, Text) and part.text in names]
    assert [reads(found, one.x, one.y).split()[1] for one in labels] == [one.text for one in labels]
    assert len(labels) == len(names)


def test_a_cell_of_a_table_reads_with_the_name_of_its_row() -> None:
    found = drawing(TABLE, Stage(800, 400, SLIDE, LIGHT))
    words = [found.panel.read(one.x, one.y) for one in found.regions(1.0)]
    assert len(words) == 16
    assert words[:3] == ["prompt: the cat", "X: the", "the cat · the · weight: 0.50"]
    texts = [part for part in found.parts if isinstance(part, Text) and part.y > found.plot.top]
    assert all(part.text in reads(found, part.x, part.y) for part in texts)
