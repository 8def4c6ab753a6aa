"""RoPE's scalings: other frequencies for the same pairs, so that a text longer than those of the training fits.

Each scaling is a group of fields with the names that Hugging Face's configs give them (`rope_parameters`, once
`rope_scaling`), distinguished by `rope_type`; titles are in plain words, descriptions give the config's names in
brackets. They follow `ROPE_INIT_FUNCTIONS` of transformers 5 in float64. A new one gets a class here and a place in
`AnyScaling`.
"""

from __future__ import annotations

from posenc_gui.encodings.common.rope_scalings.base import Scaling
from posenc_gui.encodings.common.rope_scalings.blend import Llama3, Yarn
from posenc_gui.encodings.common.rope_scalings.linear import Linear, Proportional
from posenc_gui.encodings.common.rope_scalings.longrope import LongRope
from posenc_gui.encodings.common.rope_scalings.ntk import NTK, Dynamic, ntk_base

AnyScaling = Linear | NTK | Dynamic | Yarn | LongRope | Llama3 | Proportional  # in the order of the list in the window

__all__ = [
    "NTK",
    "AnyScaling",
    "Dynamic",
    "Linear",
    "Llama3",
    "LongRope",
    "Proportional",
    "Scaling",
    "Yarn",
    "ntk_base",
]
