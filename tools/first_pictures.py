"""Make the pictures that a first start shows before torch is loaded: `python -m tools.first_pictures`."""

from __future__ import annotations

from dataclasses import replace

import posenc_gui as pe
from posenc_gui.app.docks.layouts import MAP, Fit, plots_about
from posenc_gui.app.state.kept_figures import FIRST, KeptPlot, KeptSight
from posenc_gui.app.widgets.headline_label import ShownHeadline
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.kept import to_bytes
from posenc_gui.plots import plots
from posenc_gui.session.first_session import first_session


def first_sight() -> KeptSight:
    """Return what a first start shows."""
    names = MAP, *sorted(plots_about(Fit(2)))
    figures = [pe.plot(name.removeprefix("plot."), first_session()) for name in names]
    told = figures[0].headline
    return KeptSight(
        tuple(
            KeptPlot(
                replace(figure, session=""),
                plots()[figure.name].title,
                compose_caption(figure.alone.title if figure.alone else "", *figure.caption_parts),
            )
            for figure in figures
        ),
        ShownHeadline(told, told, plays=True),
        figures[0].session,
    )


if __name__ == "__main__":
    FIRST.write_bytes(to_bytes(first_sight()))
