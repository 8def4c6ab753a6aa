"""Simulation of colour blindness, for the export preview."""

from __future__ import annotations

import io
from typing import Literal, get_args

import numpy as np
from PIL import Image

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
    parts = whole[..., :3] / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    mixed = np.clip(linear @ np.array(_SEEN[eyes]).T, 0, 1)
    back = np.where(mixed <= 0.0031308, 12.92 * mixed, 1.055 * mixed ** (1 / 2.4) - 0.055)
    found = np.concatenate([np.rint(255 * back), whole[..., 3:]], axis=-1).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(found).save(file, "PNG")
    return file.getvalue()
