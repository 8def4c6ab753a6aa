"""Numbers beside frames: in the room, near their frames, on nothing else."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from posenc_gui.render.drawings.drawing import beside_frames, crosses
from posenc_gui.render.layout.rect import Rect

SIZE = 40.0, 12.0


def apart(one: Rect, other: Rect) -> bool:
    return one.right <= other.left or other.right <= one.left or one.bottom <= other.top or other.bottom <= one.top


def test_numbers_stand_in_the_room_and_on_neither_frames_nor_each_other() -> None:
    room = Rect(0, 0, 200, 100)
    frames = [Rect.down_from(*corner, 10, 10) for corner in ((0, 0), (190, 0), (95, 45), (108, 45), (190, 90))]
    found = beside_frames([(frame, str(at)) for at, frame in enumerate(frames)], lambda _: SIZE, room)
    assert [value for _, value in found] == list("01234")
    places = [place for place, _ in found]
    assert all(room.left <= one.left and one.right <= room.right for one in places)
    assert all(room.top <= one.top and one.bottom <= room.bottom for one in places)
    assert all(apart(*pair) for pair in combinations([*frames, *places], 2))


def test_a_number_stands_off_the_curve_where_it_can() -> None:
    xs = np.linspace(0, 200, 50)
    frame, room = Rect.down_from(95, 95, 10, 10), Rect(0, 0, 200, 200)
    ((place, _),) = beside_frames([(frame, "1")], lambda _: SIZE, room, lambda place: crosses(xs, 200 - xs, place))
    assert not crosses(xs, 200 - xs, place)


def test_a_number_is_written_once_on_one_place_and_not_without_room() -> None:
    frame, room = Rect(50, 50, 60, 60), Rect(0, 0, 200, 100)
    found = beside_frames([(frame, "4"), (frame, "4"), (frame, "5")], lambda _: SIZE, room)
    assert [value for _, value in found] == ["4", "5"]
    assert beside_frames([(Rect(0, 0, 10, 10), "4")], lambda _: SIZE, Rect(0, 0, 20, 20)) == []
