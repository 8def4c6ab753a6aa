"""The drawing of each kind of panel, and the stages of a composition's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from posenc_gui.figure.panels import Bars, Clocks, Flow, Hands, Heatmap, Lines, Links, Note, Panel, Slopes, Table
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.around_curves import margins_of
from posenc_gui.render.drawings.bars import BarsDrawing
from posenc_gui.render.drawings.clocks import ClocksDrawing
from posenc_gui.render.drawings.drawing import Drawing, MapLayout, Stage, ZoomRange
from posenc_gui.render.drawings.flow.draw import FlowDrawing
from posenc_gui.render.drawings.hands import HandsDrawing
from posenc_gui.render.drawings.lines import LinesDrawing
from posenc_gui.render.drawings.links import LinksDrawing
from posenc_gui.render.drawings.maps import MapDrawing
from posenc_gui.render.drawings.notes import NoteDrawing
from posenc_gui.render.drawings.slopes import SlopesDrawing
from posenc_gui.render.drawings.tables import TableDrawing
from posenc_gui.render.layout.cell_labels import CellLabels
from posenc_gui.render.layout.composition import Composition, PlacedMap
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import Measure
from posenc_gui.render.layout.type_sizes import Style

_DRAWINGS: dict[type[Panel], type[Drawing[Any]]] = {
    Heatmap: MapDrawing, Lines: LinesDrawing, Bars: BarsDrawing, Links: LinksDrawing, Slopes: SlopesDrawing,
    Clocks: ClocksDrawing, Flow: FlowDrawing, Hands: HandsDrawing, Note: NoteDrawing, Table: TableDrawing,
}  # fmt: skip


def drawing_of(panel: Panel) -> type[Drawing[Any]]:
    """What draws panels of a panel's kind."""
    return _DRAWINGS[type(panel)]


def drawing(panel: Panel, stage: Stage, widest: Panel | None = None) -> Drawing[Panel]:
    """A panel drawn on a stage, with room for the texts of `widest`."""
    return drawing_of(panel)(panel, stage, widest)


def zoom_range(panel: Panel) -> ZoomRange | None:
    """What of a panel can be zoomed; None for one that is always whole."""
    return drawing_of(panel).zoom_range(panel)


def are_alike(frames: Sequence[Sequence[Panel]]) -> bool:
    """True if frames differ only in texts and numbers: not in the kinds of their panels, nor in the number of parts."""
    return len({tuple((type(panel), drawing_of(panel).places(panel)) for panel in panels) for panels in frames}) == 1


def widest_panels(frames: Sequence[Sequence[Panel]], measure: Measure) -> list[Panel]:
    """For each place in frames that are alike, a panel whose texts need as much room as those of any frame's panel."""
    return [same[0] if len(same) == 1 else _widest(same, measure) for same in zip(*frames, strict=True)]


def _widest(panels: Sequence[Any], measure: Measure) -> Any:
    found = drawing_of(panels[0]).widest_of(panels, measure)
    return replace(found, title=max((panel.title for panel in panels), key=measure))


def stages(found: Composition, style: Style, roles: Roles) -> dict[Panel, Stage]:
    """The stage of each panel of a composition: curves of equal frames, those over one x axis, and lanes, have margins of one
    size."""
    labels = CellLabels(style)
    staged, alike = dict[Panel, Stage](), dict[object, list[tuple[Lines, Stage]]]()
    for row, lane in zip(found.rows, found.lanes, strict=True):
        maps = tuple(one for one in row if isinstance(one, PlacedMap))
        for placed in row:
            panel = placed.panel
            stage = Stage(placed.plot.width, placed.plot.height, style, roles, maps, lane=lane)
            if isinstance(placed, PlacedMap):
                stage = _map_stage(stage, placed, [one.panel for one in found.maps], labels)
            staged[panel] = stage
            if isinstance(panel, Lines):
                scale = lane.is_lane or (panel.quantity, panel.low, panel.high, panel.log)
                for shared_by in (scale, (panel.x, panel.seen or panel.reach)):
                    alike.setdefault((shared_by, round(stage.width)), []).append((panel, stage))
    for group in sorted(alike.values(), key=len):  # of two groups the larger counts
        shared = margins_of(group)
        staged |= {panel: replace(stage, margins=shared) for panel, stage in group}
    return staged


def _map_stage(stage: Stage, placed: PlacedMap, maps: Sequence[Heatmap], labels: CellLabels) -> Stage:
    """The stage of a map: below its title, with its labels and its bracket."""
    room, plot = placed.room, placed.plot
    top = placed.corner[1]
    alike = tuple(panel for panel in maps if panel.values.shape == placed.panel.values.shape)
    inner = Rect(plot.left - room.left, plot.top - top, plot.right - room.left, plot.bottom - top)
    map_layout = MapLayout(placed, inner, alike, labels)
    return replace(stage, width=room.width, height=room.bottom - top, map_layout=map_layout)
