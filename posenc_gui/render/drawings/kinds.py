"""The drawing of each kind of panel."""

from __future__ import annotations

from typing import Any

from posenc_gui.figure.panels import Dials, Flow, Note, Panel, Slopes
from posenc_gui.render.drawings.dials import DialsDrawing
from posenc_gui.render.drawings.drawing import Drawing, Stage
from posenc_gui.render.drawings.flow.draw import FlowDrawing
from posenc_gui.render.drawings.notes import NoteDrawing
from posenc_gui.render.drawings.slopes import SlopesDrawing

_DRAWINGS: dict[type[Panel], type[Drawing[Any]]] = {
    Slopes: SlopesDrawing, Dials: DialsDrawing, Flow: FlowDrawing, Note: NoteDrawing,
}  # fmt: skip
DRAWN = tuple(_DRAWINGS)


def drawing(panel: Panel, stage: Stage, widest: Panel | None = None) -> Drawing[Any]:
    """A panel drawn on a stage, with room for the texts of `widest`."""
    return _DRAWINGS[type(panel)](panel, stage, widest)
