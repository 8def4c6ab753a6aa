"""The Plots menu."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import get_args

from posenc_gui.app.docks.card import Card
from posenc_gui.app.state.action import PLOTS, Action
from posenc_gui.app.window.commands import show_card


def actions(
    cards: dict[str, Card], show_all: Callable[[], object], open_plot: Callable[[str], object]
) -> Iterator[Action]:
    """Yield the gallery's action, and one for each plot by group. Call it once everything is loaded."""
    from posenc_gui.plots import plots
    from posenc_gui.plots.base import Group, of_group

    yield Action("plots", "&All plots", (PLOTS,), show_all, "Ctrl+P")
    for group in get_args(Group):
        for name in of_group(plots(), group):
            run = partial(open_plot, name)
            yield show_card(cards[f"plot.{name}"], (PLOTS, group), run, plots()[name].summary)
