"""An encoding's own picture: the plot that shows position as it enters through the encoding's door."""

from __future__ import annotations

from contextlib import suppress

import torch

from posenc_gui.attention.layer import context_of
from posenc_gui.foundation.errors import Undefined
from posenc_gui.scene.scene import Scene
from posenc_gui.scene.setup import Setup


def own_picture(of: Scene | Setup) -> str:
    """Return the name of the plot that shows what its encoding gives: hands, clocks, a table, rulers or offset vectors. It
    follows from the door and from what the encoding has: angles, vectors of positions or of offsets, or numbers alone; never
    from the text, whose tokens may take long."""
    encoding, model = of.encoding, of.model
    context = context_of(1, model)
    first = torch.zeros(1, dtype=torch.float64)
    match encoding.door:
        case "rotation" if encoding.known:
            return "hands"
        case "input":
            with suppress(Undefined):  # of a formula that has no value there
                if encoding.phases(first, model.d_model, context) is not None:
                    return "clocks"
            return "encoding"
        case "score" if not encoding.content_free:
            has_vectors = encoding.profile(first, model.d_model, context) is not None
            return "offsets" if has_vectors else "rulers"
    return "rulers"
