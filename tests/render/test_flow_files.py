"""Flow in files: the picture that the window shows, without the sum below it."""

from __future__ import annotations

from pathlib import Path

import pytest
from drawing import drawing
from PIL import Image
from pptx import Presentation

import posenc_gui as pe
from posenc_gui import render
from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.theme import LIGHT

WORDS = ("the", "cat", "sat", "rotation", "closed", "weight", "output", "sum 1")


@pytest.fixture(scope="module")
def figure() -> Figure:
    found: Figure = pe.plot("flow", pe.Session(encoding="rope", model=pe.ToyModel(d_model=16, n_heads=1)))
    return found


@pytest.mark.parametrize("preset", ["slide", "paper", "column"])
def test_an_svg_shows_its_words_and_colours_and_no_sum(figure: Figure, preset: str, tmp_path: Path) -> None:
    page = drawing(figure.save(tmp_path / "flow.svg", preset=preset))
    written = {text.words for text in page.texts}
    assert {"the", "weight"} <= written
    assert preset == "column" or set(WORDS) <= written
    assert not any("The sum" in words for words in written)
    assert {LIGHT.focus, LIGHT.twin} <= {shape.stroke for shape in page.paths}
    assert page.description == figure.description


def test_a_slide_holds_the_drawing_with_its_description(figure: Figure, tmp_path: Path) -> None:
    (slide,) = Presentation(figure.save(tmp_path / "flow.pptx")).slides
    (picture,) = [shape for shape in slide.shapes if shape.shape_type == 13]
    told = picture._element.xpath(".//p:cNvPr")[0]
    assert told.get("title") == "Flow"
    assert told.get("descr").startswith("RoPE comes in at the rotation")


@pytest.mark.slow
def test_a_film_walks_from_the_tokens_to_the_output(tmp_path: Path) -> None:
    session = pe.Session(model=pe.ToyModel(d_model=16, n_heads=1))
    steps = pe.sweep("flow", session, "plot.step", range(1, 10))
    with Image.open(render.save_film(steps, tmp_path / "flow.gif")) as film:
        assert film.n_frames == 9
        ink = []
        for frame in range(9):
            film.seek(frame)
            pixels = film.convert("L")
            ink.append(sum(pixels.histogram()[:250]))
    assert ink == sorted(ink)
