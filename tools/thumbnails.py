"""Draw the small pictures by which plots are chosen: `python tools/thumbnails.py NAME…`; without names, those of all plots.

Each shows the plot of the first start's session or, if that is empty, of an extended RoPE or of image patches.
"""

from __future__ import annotations

import sys
from pathlib import Path

import posenc_gui as pe
from posenc_gui.render.thumbnail import draw_thumbnail
from posenc_gui.session.first_session import first_session

PICTURES = Path(__file__).parents[1] / "resources" / "plots"
EXTENDED = pe.encoding("rope", scaling={"rope_type": "yarn", "factor": 8.0})


def picture(name: str) -> str:
    """Return the small picture of a plot, as SVG."""
    first = first_session()
    sessions = first, first.changed(encoding=EXTENDED), first.changed(patches=pe.Patches())
    figures = (pe.plot(name, session) for session in sessions)  # some plots are empty at the first start
    return draw_thumbnail(next(figure for figure in figures if not figure.is_note))


if __name__ == "__main__":
    for plot in sys.argv[1:] or pe.plots():
        (PICTURES / f"{plot}.svg").write_text(picture(plot), encoding="utf-8")
