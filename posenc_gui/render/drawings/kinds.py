"""The drawing of each kind of panel."""

from __future__ import annotations

from typing import Any

from posenc_gui.figure.panels import Bars, Dials, Flow, Links, Note, Panel, Slopes
from posenc_gui.render.drawings.bars import BarsDrawing
from posenc_gui.render.drawings.dials import DialsDrawing
from posenc_gui.render.drawings.drawing import Drawing, Stage
from posenc_gui.render.drawings.flow.draw import FlowDrawing
from posenc_gui.render.drawings.links import LinksDrawing
from posenc_gui.render.drawings.notes import NoteDrawing
from posenc_gui.render.drawings.slopes import SlopesDrawing

_DRAWINGS: dict[type[Panel], type[Drawing[Any]]] = {
    Bars: BarsDrawing, Links: LinksDrawing, Slopes: SlopesDrawing, Dials: DialsDrawing, Flow: FlowDrawing, Note: NoteDrawing,
}  # fmt: skip
DRAWN = tuple(_DRAWINGS)


def drawing(panel: Panel, stage: Stage, widest: Panel | None = None) -> Drawing[Any]:
    """A panel drawn on a stage, with room for the texts of `widest`."""
    return _DRAWINGS[type(panel)](panel, stage, widest)


def rows(panel: Panel) -> tuple[float, float] | None:
    """Where the first row of a panel that can be zoomed begins and the last one ends; None for one that is always whole."""
    return _DRAWINGS[type(panel)].rows(panel)
