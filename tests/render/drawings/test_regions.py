"""What is read in the regions of drawings: what is read at each point of them, and all that can be read."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from panels import attention, bars, clocks, links, waves
from styles import CARD

import posenc_gui as pe
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.panels import Dials, Flow, Note, Picture, Slopes, Table
from posenc_gui.foundation.theme import LIGHT
from posenc_gui.render.composer import compose
from posenc_gui.render.drawings.drawing import Drawing, Stage
from posenc_gui.render.drawings.kinds import drawing, stages, zoom_range
from posenc_gui.render.drawings.parts import Text
from posenc_gui.render.layout.rect import Rect

_SERIES = tuple(replace(one, y=one.y + 1.5, dots=()) for one in waves().series)
SAMPLES: dict[str, tuple[Picture, ...]] = {
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
PLOTS = (
    "waves",
    "angles",
    "dials",
    "flow",
    "slopes",
    "equivariance",
    "meaning",
    "generation",
    "frequencies",
)  # of all kinds
SIDES = st.tuples(st.floats(560, 1400), st.floats(330, 800))
SHARES = st.floats(0, 1)


@cache
def panels_of(plot: str) -> tuple[Picture, ...]:
    found = pe.plot(plot, pe.Session(text="the cat sat on the mat", focus=2, encoding="rope", other="shaw"))
    return tuple(panel for panel in found.panels if not isinstance(panel, Table))


@st.composite
def drawings(draw: st.DrawFn) -> Drawing[Picture]:
    """A panel in its place in a figure, often zoomed."""
    name = draw(st.sampled_from((*SAMPLES, *PLOTS)))
    found = compose(SAMPLES.get(name) or panels_of(name), None, *draw(SIDES), CARD)
    panel, stage = draw(st.sampled_from([*stages(found, CARD, LIGHT).items()]))
    can = zoom_range(panel)
    if can is not None and draw(st.booleans()):
        (left, right), (top, bottom) = (draw(st.tuples(st.floats(0, 0.4), st.floats(0.6, 1))) for _ in range(2))
        whole, down = can.shown, can.shown.bottom - can.shown.top
        seen = Rect(
            whole.left + left * whole.width,
            whole.top + top * down,
            whole.left + right * whole.width,
            whole.top + bottom * down,
        )
        stage = replace(stage, seen=seen if can.along else replace(seen, left=whole.left, right=whole.right))
    return drawing(panel, stage)


def inside(rect: Rect, across: float, down: float) -> tuple[float, float]:
    return rect.left + across * rect.width, rect.top + down * rect.height


def reads(found: Drawing[Picture], x: float, y: float) -> str:
    return found.panel.read(*found.at(x, y))


@given(drawings(), st.data())
def test_a_region_reads_what_each_of_its_points_reads(found: Drawing[Picture], data: st.DataObject) -> None:
    regions = list(found.regions(1e-3 if not isinstance(found.panel, Slopes) else 2.0))
    assert bool(regions) != isinstance(found.panel, Note)
    for _ in range(10 * bool(regions)):
        region = data.draw(st.sampled_from(regions))
        across, down = data.draw(st.tuples(st.floats(0.01, 0.99), st.floats(0.01, 0.99)))
        if isinstance(found.panel, Slopes):
            across = 0.5  # lines aren't level
        assert reads(found, *inside(region.rect, across, down)) == found.panel.read(region.x, region.y) != ""


@given(drawings(), st.sampled_from([4.0, 12.0, 40.0]))
def test_regions_lie_on_their_stage_apart_from_each_other_and_none_is_too_small(
    found: Drawing[Picture], least: float
) -> None:
    regions = list(found.regions(least))
    sides = np.array([(one.rect.left, one.rect.top, one.rect.right, one.rect.bottom) for one in regions]).reshape(-1, 4)
    left, top, right, bottom = sides.T
    stage, field, slack = found.stage, found.field, 1e-6
    assert (sides >= -slack).all()
    assert (sides[:, 2:] <= np.array((stage.width, stage.height)) + slack).all()
    assert (right - left >= min(least, field.width) - slack).all()
    assert (bottom - top >= min(least, field.height) - slack).all()
    for one in sides:
        meets = (left < one[2] - slack) & (one[0] < right - slack) & (top < one[3] - slack) & (one[1] < bottom - slack)
        assert meets.sum() == 1
    assert all(found.panel.read(one.x, one.y) for one in regions)


@given(drawings(), st.sampled_from([1.0, 12.0]), st.lists(st.tuples(SHARES, SHARES), min_size=20, max_size=20))
def test_whatever_is_read_in_the_field_has_a_region(
    found: Drawing[Picture], least: float, places: list[tuple[float, float]]
) -> None:
    if isinstance(found.panel, Dials | Flow):
        least = 1.0  # of larger blocks, some stand for nothing
    regions = list(found.regions(least))
    for x, y in (inside(found.field, *place) for place in places):
        if reads(found, x, y):
            assert any(one.rect.holds(x, y) for one in regions)


def test_the_label_of_a_slope_reads_its_own_line_wherever_it_has_room() -> None:
    names = ("the", "cat", "sat", "mat")
    values = np.array([[0.1, 0.5], [0.4, 0.51], [0.2, 0.52], [0.3, 0.53]], np.float32)
    panel = Slopes("", "weight", ("without", "with"), Axis("key", "key", 0, names), (0, 1, 2, 3), values, 0, 1)
    found = drawing(panel, Stage(300, 200, CARD, LIGHT))
    labels = [part for part in found.parts if isinstance(part, Text) and part.text in names]
    assert [reads(found, one.x, one.y).split()[1] for one in labels] == [one.text for one in labels]
    assert len(labels) == len(names)
