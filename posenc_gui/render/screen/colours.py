"""The colours of cells on the screen."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap
from posenc_gui.foundation.contrast import parts_of
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.colour_scales import Colours, of_steps


def prepare(figure: Figure) -> None:
    """Compute the colour steps of a figure's maps; call it off the UI thread, since painting would wait for them."""
    for panel in figure.panels:
        if isinstance(panel, Heatmap):
            _ = panel.steps


def colours_of(panel: Heatmap, roles: Roles) -> Colours:
    """The colour of each cell, (rows, columns, 3)."""
    return colours_at(panel.steps, panel, roles)


def colours_at(steps: npt.NDArray[np.uint8], panel: Heatmap, roles: Roles) -> Colours:
    """The colours of a map whose cells have these steps of its scale, (rows, columns, 3)."""
    colours = of_steps(panel.scale, steps, roles)
    if panel.mask is not None:
        colours[panel.mask] = parts_of(roles.sunk)
    return colours
