"""The order in which plots are told."""

from __future__ import annotations

import posenc_gui as pe
from posenc_gui.cli.export import in_teaching_order


def test_every_plot_is_told_once_and_what_is_lost_first() -> None:
    order = in_teaching_order(["of tomorrow", *pe.plots()])
    assert sorted(order) == sorted([*pe.plots(), "of tomorrow"])
    assert order.index("twins") < order.index("waves") < order.index("attention") < order.index("comparison")
    assert order[-1] == "of tomorrow"
