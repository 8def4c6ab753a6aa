"""Parts of a caption that explain the marks and colours of a figure's panels."""

from __future__ import annotations

from collections.abc import Sequence

from posenc_gui.figure.caption_parts import CaptionPart, compose_caption
from posenc_gui.figure.panels import Heatmap, Panel


def explain(panels: Sequence[Panel]) -> tuple[CaptionPart, ...]:
    """Explain the bars at names of equal rows and columns, and the two colours of a map of differences, where there are any."""
    maps = [panel for panel in panels if isinstance(panel, Heatmap)]
    marks = "names with a bar are equal here" if any(panel.equal for panel in maps) else ""
    ends = (f"in {one.title}, teal: {one.ends[1]}, rust: {one.ends[0]}" for one in maps if one.ends)
    return compose_caption(CaptionPart(marks, "marks"), CaptionPart(next(ends, ""), "colours"))


def unexplained(parts: Sequence[CaptionPart]) -> tuple[CaptionPart, ...]:
    """Return the parts without those that explain marks and colours, for a figure of other panels."""
    return tuple(part for part in parts if part.kind not in ("marks", "colours"))
