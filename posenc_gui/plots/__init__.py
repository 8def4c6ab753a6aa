"""Plots: one file a plot, found by being here.

A file `name.py` holds `PLOT`: its title, its options, and the pure function from a session to a figure. Nothing else has
to be told about it.
"""

from __future__ import annotations

import dataclasses
import importlib
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import create_model

from posenc_gui.attention.engine import Engine
from posenc_gui.discovery import list_when_called, modules
from posenc_gui.errors import Undefined, unknown
from posenc_gui.figure import Figure, Note
from posenc_gui.frozen import Frozen
from posenc_gui.plots.base import Plot

if TYPE_CHECKING:
    from posenc_gui.session import Session


@cache
def plots() -> dict[str, Plot]:
    """Every plot by its name."""
    return {name: importlib.import_module(f"{__name__}.{name}").PLOT for name in modules(__name__)}


def names() -> list[str]:
    """The names of all plots."""
    return list(plots())


@cache
def options_model() -> type[Frozen]:
    """The model of all plots' options: one field a plot, each at its defaults."""
    fields: dict[str, Any] = {name: (plot.options, plot.options()) for name, plot in plots().items()}
    return create_model("PlotOptions", __base__=Frozen, **fields)


def draw(name: str, session: Session, engine: Engine) -> Figure:
    """The figure of a plot, carrying its session. What is not defined for the session becomes a note that says why.

    Raises ValueError for a name that is no plot.
    """
    if not isinstance(name, str) or name not in plots():
        raise ValueError(unknown("plot", name, plots()))
    plot, options = plots()[name], getattr(session.plots, name)

    def compute() -> Figure:
        try:
            _ = session.tokens  # a tokenizer that can't be read says so, whatever the plot shows
            return plot.draw(session, options, engine)
        except Undefined as why:
            return Figure(name, plot.title, (Note(str(why)),), description=str(why))

    # The other plots' options change nothing here: while one is played, the others need not be drawn again.
    shown_by = session.model_copy(update={"plots": options})
    return dataclasses.replace(engine.remembered(("figure", name, shown_by), compute), session=session.to_json())


list_when_called(__name__)
