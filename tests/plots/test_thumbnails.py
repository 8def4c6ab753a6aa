"""The small pictures by which plots are chosen: each is what `python -m tools.thumbnails` draws today."""

from __future__ import annotations

import re

import numpy as np
import pytest

import posenc_gui as pe
from tools import thumbnails

NUMBER = re.compile(r"-?\d+\.\d")


@pytest.mark.slow
@pytest.mark.parametrize("plot", pe.plots())
def test_a_recorded_picture_is_what_is_drawn_today(plot: str) -> None:
    """No word is in it, so no font matters; on other processors one coordinate in twenty may be rounded to the tenth beside."""
    recorded, drawn = (thumbnails.PICTURES / f"{plot}.svg").read_text(encoding="utf-8"), thumbnails.picture(plot)
    stale = f"stale: python -m tools.thumbnails {plot}"
    assert NUMBER.sub("", recorded) == NUMBER.sub("", drawn), stale
    before, after = (np.array([float(number) for number in NUMBER.findall(svg)]) for svg in (recorded, drawn))
    moved = np.abs(after - before)
    assert moved.max() < 0.15, stale
    assert np.mean(moved > 0) < 0.05, stale
