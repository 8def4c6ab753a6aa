"""Simulation of colour blindness, for the export preview."""

from __future__ import annotations

import io
from typing import Literal, get_args

import numpy as np
from PIL import Image

from posenc_gui.render.layout.colour_scales import light_of, of_light

ColourVision = Literal["everyone", "protanopia", "deuteranopia", "tritanopia"]
COLOUR_VISIONS: tuple[ColourVision, ...] = get_args(ColourVision)

# Machado, Oliveira and Fernandes 2009, table 1, at severity 1: on linear red, green and blue.
_SEEN: dict[ColourVision, tuple[tuple[float, float, float], ...]] = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def simulate(png: bytes, eyes: ColourVision) -> bytes:
    """Simulate how a PNG looks with a colour vision deficiency; "everyone" leaves it unchanged."""
    if eyes not in _SEEN:
        return png
    with Image.open(io.BytesIO(png)) as picture:
        whole = np.asarray(picture.convert("RGBA"), np.float64)
    seen = of_light(light_of(whole[..., :3]) @ np.array(_SEEN[eyes]).T)
    found = np.concatenate([seen, whole[..., 3:].astype(np.uint8)], axis=-1)
    file = io.BytesIO()
    Image.fromarray(found).save(file, "PNG")
    return file.getvalue()
