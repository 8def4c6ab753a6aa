"""Films, read by Pillow and by ffmpeg where it is installed."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image, ImageSequence

import posenc_gui as pe
from posenc_gui import render
from posenc_gui.figure.panels import Table
from posenc_gui.foundation.contrast import parts_of
from posenc_gui.foundation.theme import DARK, LIGHT
from posenc_gui.render.export_options import ExportOptions
from posenc_gui.render.paper.format import Format
from posenc_gui.render.paper.layout import plan_frames
from posenc_gui.session.sweeps import film, moving_field

SESSION = pe.Session(text="dog bites man", encoding="rope")
SMALL = ExportOptions(size="240px")


def frames_of(path: Path) -> list[np.ndarray]:
    with Image.open(path) as saved:
        return [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(saved)]


def test_a_gif_has_a_frame_a_figure_and_they_differ(tmp_path: Path) -> None:
    figures = pe.sweep("clocks", SESSION, "plot.position", [0, 1, 2])
    told: list[int] = []
    path = render.save_film(figures, tmp_path / "film.gif", SMALL, told.append)
    with Image.open(path) as saved:
        assert saved.size == (240, 135)
        assert saved.info["loop"] == 0
    frames = frames_of(path)
    assert len(frames) == 3
    assert all((one != other).any() for one, other in pairwise(frames))
    assert told == [1, 2, 3]
    assert pe.Session.load(path).plots.clocks.position == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_frames_have_one_ground(tmp_path: Path, theme: str) -> None:
    figures = pe.sweep("attention", SESSION, "base", [10.0, 1e6])
    path = render.save_film(figures, tmp_path / "film.gif", SMALL.model_copy(update={"theme": theme}))
    ground = parts_of({"light": LIGHT, "dark": DARK}[theme].card)
    assert [tuple(frame[0, 0]) for frame in frames_of(path)] == [ground, ground]


@pytest.mark.parametrize(
    ("plot", "field", "values"),
    [("kernel", "base", [100.0, 1e4]), ("why", "focus", [0, 1, 2]), ("slopes", "focus", [0, 1, 2])],
)
def test_in_a_film_nothing_moves_but_what_changes(plot: str, field: str, values: list[float]) -> None:
    session = SESSION.changed(text="the cat saw an extraordinarily old cat")
    figures = pe.sweep(plot, session, field, values)
    first, *others = plan_frames(figures, Format.of(SMALL.sheet))
    for plan in others:
        assert plan.pictures == first.pictures
        assert [(grid.widths, grid.heights, box) for grid, box in plan.tables] == [
            (grid.widths, grid.heights, box) for grid, box in first.tables
        ]
        assert [line.size for line in plan.heading] == [line.size for line in first.heading]
    drawn = [grid.panel for plan in (first, *others) for grid, _ in plan.tables]
    tables = [panel for figure in figures for panel in figure.panels if isinstance(panel, Table)]
    assert [[row for row in panel.rows if any(row)] for panel in drawn] == [list(table.rows) for table in tables]


def test_what_is_equal_in_all_frames_has_equal_pixels(tmp_path: Path) -> None:
    figures = pe.sweep("attention", SESSION, "base", [100.0, 1e6])
    path = render.save_film(figures, tmp_path / "film.gif", ExportOptions(size="480px"))
    first, second = frames_of(path)
    moves = (first != second).any(axis=2)
    of_no_encoding, of_rope = moves[40:245, :220], moves[40:245, 230:430]
    assert not of_no_encoding.any()
    assert of_rope.any()


def test_a_film_of_a_sweep_has_a_frame_a_value_which_it_tells(tmp_path: Path) -> None:
    session = SESSION.changed(plots={"sweep": {"values": (100.0, 1e4, 1e6)}})
    swept = pe.plot("sweep", session)
    assert [frame.value for frame in swept.frames] == ["base 100", "base 10,000", "base 1,000,000"]
    assert [frame.subject for frame in film("sweep", session)] == ["RoPE, base 100", "RoPE", "RoPE, base 1,000,000"]
    path = swept.save(tmp_path / "sweep.gif", size="240px")
    with Image.open(path) as saved:
        assert saved.n_frames == len(swept.frames)
    assert pe.Session.load(path) == session
    both = pe.sweep("waves", SESSION.changed(other=pe.encoding("alibi")), "base", [10.0, 100.0])
    assert [figure.value for figure in both] == ["A's base 10", "A's base 100"]


def test_a_lone_figure_saves_one_frame(tmp_path: Path) -> None:
    with Image.open(pe.plot("waves", SESSION).save(tmp_path / "one.gif", size="240px")) as saved:
        assert saved.n_frames == 1


def test_a_film_that_is_stopped_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "film.gif"
    path.write_bytes(b"precious")

    def stop(count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        render.save_film([pe.plot("waves", SESSION)], path, SMALL, stop)
    assert path.read_bytes() == b"precious"
    assert list(tmp_path.iterdir()) == [path]


def test_an_mp4_is_one_where_its_writer_is_installed(tmp_path: Path) -> None:
    path = render.save_film(pe.sweep("waves", SESSION, "focus", [0, 1]), tmp_path / "film.mp4", SMALL)
    count, _ = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert count == 2
    assert pe.Session.load(path).focus == 0


def test_what_moves_is_the_plot_s_position_or_the_focus() -> None:
    field, values = moving_field("clocks", SESSION)
    assert (field, values[:3]) == ("plot.position", (0.0, 0.25, 0.5))
    assert moving_field("flow", SESSION) == ("plot.step", tuple(range(1, 10)))
    assert moving_field("attention", SESSION) == ("focus", (0, 1, 2))
    with pytest.raises(ValueError, match="no tokens"):
        moving_field("attention", pe.Session(text=""))
