"""Export options of pictures: preset, background, title and caption, size."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from drawing import Drawing, drawing
from panels import attention, figure_of
from PIL import Image

import posenc_gui as pe
from posenc_gui import render
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Lines, Series
from posenc_gui.foundation.theme import DARK
from posenc_gui.render.export_options import ExportOptions

SESSION = pe.Session(encoding=pe.encoding("rope", base=100.0))
PLOTS = ("attention", "waves", "projections", "requirements", "clocks", "slopes", "equivariance", "sweep")


def saved(figure: Figure, folder: Path, **choices: object) -> Drawing:
    return drawing(figure.save(folder / "figure.svg", **choices))


def numbered(side: int) -> Figure:
    return figure_of(attention(tuple(f"w{number}" for number in range(side))))


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["slide", "slide_4_3"])
@pytest.mark.parametrize("plot", PLOTS)
def test_a_slide_has_a_large_headline_no_small_type_and_a_figure_that_fills_it(
    plot: str, preset: str, tmp_path: Path
) -> None:
    page = saved(pe.plot(plot, SESSION), tmp_path, preset=preset)
    assert (page.width, page.height) == ((960, 540) if preset == "slide" else (720, 540))
    assert min(text.size for text in page.texts) == pytest.approx(12, abs=0.01)
    highest = max(text.y for text in page.texts)
    assert all(text.size > 20 for text in page.texts if text.y == highest)
    assert all(20 <= text.y <= page.height and text.left >= 36 for text in page.texts)
    assert all(text.upright or text.right <= page.width - 30 for text in page.texts)
    lowest = min(text.y for text in page.texts)  # the caption, of which a part may be bold
    if plot != "requirements":  # a table is as high as its rows, and cuts what has no room
        below = [text.y for text in page.texts if text.size < 20 and text.y > lowest]
        assert max(below) - min(below) >= 0.5 * page.height
        assert not [text.words for text in page.texts if "…" in text.words or "room" in text.words]


@pytest.mark.parametrize("count", [6, 12, 16])
def test_all_words_stand_along_the_maps_of_a_slide(count: int, tmp_path: Path) -> None:
    text = "the quick brown fox jumps over the lazy dog while seventeen extraordinarily large cats quietly contemplate"
    words = text.split()[:count]
    page = saved(pe.plot("attention", pe.Session(text=" ".join(words), encoding="rope")), tmp_path)
    along = [text for text in page.texts if text.words in words and text.size < 20]
    assert len(along) >= 3 * count  # beside the first map, and above both
    assert any("seeded weights" in text.words for text in page.texts)


@pytest.mark.parametrize(("preset", "millimetres"), [("paper", 175), ("column", 85), ("handout", 170)])
def test_paper_has_its_width_and_small_type(preset: str, millimetres: float, tmp_path: Path) -> None:
    page = saved(pe.plot("attention", SESSION), tmp_path, preset=preset)
    assert page.width == pytest.approx(millimetres / 25.4 * 72, abs=0.01)
    assert 7 <= min(text.size for text in page.texts) <= 10


def test_a_hand_out_is_black_and_white_and_its_curves_are_dashed(tmp_path: Path) -> None:
    page = saved(pe.plot("waves", SESSION), tmp_path, preset="handout")
    colours = {one.colour for one in page.texts} | {c for path in page.paths for c in (path.fill, path.stroke)}
    assert all(colour[1:3] == colour[3:5] == colour[5:7] for colour in colours - {"none"})
    written = (tmp_path / "figure.svg").read_text()
    assert "stroke-dasharray" in written


@pytest.mark.parametrize(("preset", "tells"), [("paper", True), ("handout", False)])
def test_only_what_has_colours_says_what_they_mean(preset: str, tells: bool, tmp_path: Path) -> None:
    figure = pe.plot("flow", pe.Session(text="the cat sat on the mat", encoding="rope"))
    words = " ".join(text.words for text in saved(figure, tmp_path, preset=preset).texts)
    assert ("amber" in words) is ("teal" in words) is tells
    assert "in two rows" in words


def test_more_curves_than_the_palette_has_differ_in_more_than_colour(tmp_path: Path) -> None:
    x = np.arange(5, dtype=np.float32)
    series = tuple(Series(f"curve {number}", x, x + number) for number in range(6))
    figure = Figure("waves", "Waves", (Lines("", "value", series, Axis("position", "position"), 0, 10),))
    saved(figure, tmp_path)
    assert len(set((tmp_path / "figure.svg").read_text().split("stroke-dasharray: ")[1:])) >= 3


def test_the_ground_is_light_dark_or_none() -> None:
    figure = pe.plot("waves", SESSION)
    for choices, corner in (
        (ExportOptions(), (255, 255, 255, 255)),
        (ExportOptions(theme="dark"), (*bytes.fromhex(DARK.card[1:]), 255)),
        (ExportOptions(theme="dark", transparent=True), None),
    ):
        with Image.open(io.BytesIO(render.content(figure, ".png", choices))) as image:
            found = image.convert("RGBA").getpixel((2, 2))
        assert found == corner if corner else found[3] == 0


@pytest.mark.parametrize(
    ("size", "width", "dots"),
    [("1x", 1280, 96), ("2x", 2560, 192), ("640px", 640, 48), ("12cm@150dpi", 709, 150), ("10cm", 1181, 300)],
)
def test_a_png_is_as_large_as_was_chosen(size: str, width: int, dots: float) -> None:
    figure = Figure("waves", "Waves", ())
    with Image.open(io.BytesIO(render.content(figure, ".png", ExportOptions(size=size)))) as image:
        assert abs(image.width - width) <= 1
        assert image.info["dpi"][0] == pytest.approx(dots, abs=0.1)


def test_the_title_names_the_encoding_and_what_differs_from_its_defaults(tmp_path: Path) -> None:
    figure = pe.plot("waves", SESSION)
    words = " ".join(text.words for text in saved(figure, tmp_path).texts)
    assert "Waves" in words
    assert "base 100" in words
    assert "d_model 64" not in words


def test_a_title_of_one_s_own_stands_alone_and_the_caption_says_the_rest(tmp_path: Path) -> None:
    figure = pe.plot("waves", SESSION)
    words = [text.words for text in saved(figure, tmp_path, title="Clocks that\nturn", caption=True).texts]
    assert words[0] == "Clocks that turn"
    told = " ".join(words)
    assert all(part in told for part in ("“The cat sat on the mat”", "RoPE, base 100", "d_model 64, 4 heads"))


@pytest.mark.slow
def test_a_plot_of_all_encodings_is_not_named_after_one() -> None:
    assert pe.plot("comparison", SESSION).subject == ""
    compared = pe.plot("waves", SESSION.changed(other="alibi"))
    assert compared.subject == "A: RoPE, base 100, B: ALiBi"


def test_a_scaling_is_told_with_what_differs_from_its_defaults() -> None:
    for scaling, told in (
        ({"rope_type": "yarn"}, "RoPE, scaling YaRN"),
        ({"rope_type": "yarn", "factor": 8.0}, "RoPE, scaling YaRN, factor 8"),
    ):
        assert pe.plot("waves", pe.Session(encoding=pe.encoding("rope", scaling=scaling))).subject == told


def test_text_in_svg_can_be_edited_on_request(tmp_path: Path) -> None:
    path = pe.plot("waves", SESSION).save(tmp_path / "figure.svg", lettering="editable")
    assert "base 100" in path.read_text().split("<text", 1)[1]
    assert pe.Session.load(path) == SESSION


def test_cells_are_shapes_up_to_64_on_a_side_and_one_picture_beyond(tmp_path: Path) -> None:
    few, many = saved(numbered(64), tmp_path), saved(numbered(65), tmp_path)
    assert len(few.images) == 1  # the bar of colours
    assert len(many.images) == 2
    path = numbered(256).save(tmp_path / "large.svg")
    assert path.stat().st_size <= 2**19


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        ({"preset": "poster"}, "preset"),
        ({"size": "0x"}, "size"),
        ({"size": "9999cm@9999dpi"}, "size"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_cannot_be_chosen_is_said_in_a_sentence(choices: dict[str, object], why: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=why) as told:
        numbered(2).save(tmp_path / "figure.svg", **choices)
    assert "\n" not in str(told.value)
    assert not list(tmp_path.iterdir())


def test_characters_that_no_font_has_are_told(tmp_path: Path) -> None:
    def foot(title: str) -> list[str]:
        texts = saved(Figure("a", title, ()), tmp_path).texts
        return [text.words for text in texts if "No installed font" in text.words]

    assert foot("Title \u0378 \U000f1234") == ["No installed font has U+0378, U+F1234"]
    assert foot("Title é") == []
