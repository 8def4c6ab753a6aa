"""Draw the small pictures by which plots are chosen: `python -m tools.thumbnails NAME…`; without names, those of all plots.

Each shows the plot of the first start's session or, if that is empty, of an extended RoPE, ALiBi, Shaw's vectors, image patches,
or of a tiny model whose weights are random, or of one that was trained.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import posenc_gui as pe
from posenc_gui.render.thumbnail import draw_thumbnail
from posenc_gui.session.first_session import first_session
from tools.tiny_checkpoints import write_checkpoint
from tools.tiny_trained import write_copier

PICTURES = Path(__file__).parents[1] / "resources" / "plots"
EXTENDED = pe.encoding("rope", scaling={"rope_type": "yarn", "factor": 8.0})


def picture(name: str) -> str:
    """Return the small picture of a plot, as SVG."""
    figures = (pe.plot(name, session) for session in _sessions())  # some plots are empty at the first start
    return draw_thumbnail(next(figure for figure in figures if not figure.is_note))


def _sessions() -> Iterator[pe.Session]:
    first = first_session()
    yield from (
        first,
        first.changed(encoding=EXTENDED),
        first.changed(encoding="alibi"),
        first.changed(encoding="shaw"),
        first.changed(patches=pe.Patches()),
    )
    with TemporaryDirectory() as folder:
        yield pe.Session(text="the cat sat on the mat", model=pe.open_model(write_checkpoint("bert", Path(folder))))
        yield pe.Session(text="dog bites man the cat sat on " * 10, model=pe.open_model(write_copier(Path(folder))))


if __name__ == "__main__":
    for plot in sys.argv[1:] or pe.plots():
        (PICTURES / f"{plot}.svg").write_text(picture(plot), encoding="utf-8")
