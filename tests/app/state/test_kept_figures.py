"""The file of figures in a window's slot: of its session, of this program, whole, read once, and of all windows not too large."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from odd_files import odd_files

from posenc_gui.app.state.kept_figures import FIRST, KeptFigures, KeptPlot, KeptSight
from posenc_gui.app.state.sealed_file import digest_of_program
from posenc_gui.app.state.window_slots import WindowSlot, WindowState
from posenc_gui.app.widgets.headline_label import ShownHeadline
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.kept import from_bytes, to_bytes
from posenc_gui.figure.panels import Lines, Series
from posenc_gui.session.first_session import first_session
from tools.first_pictures import first_sight


def sight_of(title: str, count: int = 2) -> KeptSight:
    """A sight of one curve of so many points."""
    numbers = np.arange(count, dtype=np.float32)
    lines = Lines("", "", (Series("", numbers, numbers),), Axis("position", ""), 0.0, float(count))
    return KeptSight((KeptPlot(Figure(title=title, panels=(lines,)), title, ()),), ShownHeadline(), "{}")


def kept_in(place: WindowSlot) -> KeptFigures:
    """The file of figures, as a window makes it when it starts."""
    return KeptFigures(place, digest_of_program())


def slot_with(folder: Path, session: str, sight: KeptSight | None = None) -> WindowSlot:
    """A slot with a session and what was in sight."""
    place = WindowSlot(folder)
    folder.mkdir(parents=True)
    place.session.write_text(session)
    place.found = WindowState()
    if sight:
        place.figures.write_bytes(kept_in(place).content_of(sight))
    return place


def test_what_was_in_sight_is_shown_once(tmp_path: Path) -> None:
    place = slot_with(tmp_path / "a", "session", sight_of("kept"))
    file = kept_in(place)
    sight = file.take()
    assert sight is not None
    assert sight.plots[0].figure.title == "kept"
    assert not place.figures.exists()
    assert kept_in(place).take() is None
    place.figures.write_bytes(file.file.taken)  # as a window that is closed while it starts
    assert kept_in(place).take() is not None


def cut(place: WindowSlot) -> None:
    place.figures.write_bytes(place.figures.read_bytes()[:-1])


def flip(place: WindowSlot) -> None:
    content = bytearray(place.figures.read_bytes())
    content[len(content) // 2] ^= 1
    place.figures.write_bytes(content)


OTHERS: dict[str, Callable[[WindowSlot], object]] = {
    "of another session": lambda place: place.session.write_text("another"),
    "without a session": lambda place: place.session.unlink(),
    "of a session too long to be read at once": lambda place: place.session.write_text("a" * (2**20 + 1)),
    "cut": cut,
    "with one bit flipped": flip,
    "empty": lambda place: place.figures.write_bytes(b""),
    "of a gigabyte": lambda place: os.truncate(place.figures, 2**30),
}


@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
def test_figures_are_none(tmp_path: Path, change: Callable[[WindowSlot], object]) -> None:
    place = slot_with(tmp_path / "a", "session", sight_of("kept"))
    change(place)
    file = kept_in(place)
    assert file.take() is None
    assert file.file.taken == b""


def test_what_is_no_file_holds_no_figures_and_makes_room_for_some(tmp_path: Path) -> None:
    place = slot_with(tmp_path / "a", "session")
    with odd_files(tmp_path) as paths:
        for odd in paths.values():
            place.figures.symlink_to(odd)
            assert kept_in(place).take() is None
            assert not place.figures.is_symlink()


def test_figures_of_another_version_of_the_program_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = slot_with(tmp_path / "a", "session", sight_of("kept"))
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.setattr("posenc_gui.__file__", str(package / "__init__.py"))
    assert kept_in(place).take() is None


def parts(value: Any) -> Iterator[Any]:
    """All that a sight holds, in order; numbers as they are."""
    if is_dataclass(value):
        for one in fields(value):
            yield from parts(getattr(value, one.name))
    elif isinstance(value, tuple | frozenset):
        for one in sorted(value) if isinstance(value, frozenset) else value:
            yield from parts(one)
    else:
        yield value


def test_the_pictures_of_a_first_start_are_those_that_it_draws() -> None:
    """If not, `python -m tools.first_pictures` makes them anew."""
    shipped = [*parts(from_bytes(KeptSight, FIRST.read_bytes()))]
    drawn = [*parts(from_bytes(KeptSight, to_bytes(first_sight())))]
    assert len(shipped) == len(drawn)
    for one, other in zip(shipped, drawn, strict=True):
        if isinstance(one, np.ndarray | float):
            np.testing.assert_allclose(one, other, atol=1e-6, rtol=1e-6)
        else:
            assert one == other


def test_a_window_without_a_session_shows_the_first_session(tmp_path: Path) -> None:
    place = WindowSlot(tmp_path / "a")
    place.take()
    sight = kept_in(place).take()
    place.lock.release()
    assert sight is not None
    assert sight.session == first_session().for_others.to_json()


def test_the_oldest_go_beyond_16_megabytes_and_what_is_larger_than_8_is_not_kept(tmp_path: Path) -> None:
    places = []
    for age, name in enumerate("abcd"):
        place = slot_with(tmp_path / name, name, sight_of(name, 700_000))  # 5.6 MB
        os.utime(place.figures, (age, age))
        places.append(place)
    assert [place.figures.exists() for place in places] == [False, False, True, True]
    assert kept_in(places[0]).content_of(sight_of("large", 1_100_000)) == b""
