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
from posenc_gui.foundation.contrast import parts_of
from posenc_gui.foundation.theme import DARK, LIGHT
from posenc_gui.render.export_options import ExportOptions
from posenc_gui.session.sweeps import moving_field

SESSION = pe.Session(text="dog bites man", encoding="rope")
SMALL = ExportOptions(size="240px")


def test_a_gif_has_a_frame_a_figure_and_they_differ(tmp_path: Path) -> None:
    figures = pe.sweep("dials", SESSION, "plot.position", [0, 1, 2])
    told: list[int] = []
    path = render.save_film(figures, tmp_path / "film.gif", SMALL, told.append)
    with Image.open(path) as film:
        frames = [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(film)]
        assert film.size == (240, 135)
        assert film.info["loop"] == 0
    assert len(frames) == 3
    assert all((one != other).any() for one, other in pairwise(frames))
    assert told == [1, 2, 3]
    assert pe.Session.load(path).plots.dials.position == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_frames_have_one_ground(tmp_path: Path, theme: str) -> None:
    figures = pe.sweep("attention", SESSION, "base", [10.0, 1e6])
    path = render.save_film(figures, tmp_path / "film.gif", SMALL.model_copy(update={"theme": theme}))
    with Image.open(path) as film:
        frames = [frame.convert("RGB") for frame in ImageSequence.Iterator(film)]
    ground = parts_of({"light": LIGHT, "dark": DARK}[theme].card)
    assert [frame.getpixel((0, 0)) for frame in frames] == [ground, ground]


def test_a_lone_figure_saves_one_frame(tmp_path: Path) -> None:
    with Image.open(pe.plot("waves", SESSION).save(tmp_path / "one.gif", size="240px")) as film:
        assert film.n_frames == 1


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
    field, values = moving_field("dials", SESSION)
    assert (field, values[:3]) == ("plot.position", (0.0, 0.25, 0.5))
    assert moving_field("attention", SESSION) == ("focus", (0, 1, 2))
    with pytest.raises(ValueError, match="no tokens"):
        moving_field("attention", pe.Session(text=""))
