"""The small pictures by which plots are chosen: each is what `python -m tools.thumbnails` draws today."""

from __future__ import annotations

import re
from base64 import b64decode
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

import posenc_gui as pe
from posenc_gui.app.widgets.icons import in_theme
from posenc_gui.foundation.theme import DARK, LIGHT, Roles
from posenc_gui.render.thumbnail import draw_thumbnail
from tools import thumbnails

IMAGE = re.compile(r"data:image/png;base64,([\w+/=]+)")
COLOUR = re.compile(r"#([0-9a-f]{6})")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def parted(svg: str) -> tuple[str, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The elements of a picture, its lengths, and the red, green and blue of its images and colours."""
    images = [np.asarray(Image.open(BytesIO(b64decode(data))).convert("RGB")).ravel() for data in IMAGE.findall(svg)]
    colours = np.concatenate([*images, [*bytes.fromhex("".join(COLOUR.findall(svg)))]]).astype(np.float64)
    rest = COLOUR.sub("", IMAGE.sub("", svg))
    return NUMBER.sub("", rest), np.array([*map(float, NUMBER.findall(rest))]), colours


@pytest.mark.slow
@pytest.mark.parametrize("plot", pe.plots())
def test_a_recorded_picture_is_what_is_drawn_today(plot: str) -> None:
    """No word is in it, so no font matters; on other processors one number in twenty may be rounded to its neighbour."""
    recorded, drawn = (thumbnails.PICTURES / f"{plot}.svg").read_text(encoding="utf-8"), thumbnails.picture(plot)
    stale = f"stale: python -m tools.thumbnails {plot}"
    (elements, *before), (own, *after) = parted(recorded), parted(drawn)
    assert elements == own, stale
    for least, one, other in zip((0.015, 1.5), before, after, strict=True):
        assert one.shape == other.shape, stale
        moved = np.abs(one - other)
        assert moved.max() < least, stale
        assert np.mean(moved > 0) < 0.05, stale


@pytest.mark.parametrize("plot", ["flow", "slopes", "attention"])
@pytest.mark.parametrize(("theme", "other"), [(LIGHT, DARK), (DARK, LIGHT)], ids=["light", "dark"])
def test_a_picture_has_the_colours_of_a_theme_and_the_words_of_the_user(plot: str, theme: Roles, other: Roles) -> None:
    picture = draw_thumbnail(pe.plot(plot, pe.Session(text='a | < " |', other=pe.encoding("rope"))))
    whole, shown = (list(ElementTree.fromstring(svg).iter()) for svg in (picture, in_theme(picture, theme)))
    assert [one.text for one in whole] == [one.text for one in shown]
    written = {value for one in shown for value in one.attrib.values()}
    assert not any("|" in value for value in written)
    assert written & {theme.ink, theme.focus, theme.edge}
    assert not written & {other.ink, other.focus, other.edge}
