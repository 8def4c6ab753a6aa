"""What plots were called before, by which files, labs and commands may still ask for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PLOTS = {"dials": "clocks"}


def current_plot(name: str) -> str:
    """Return what a plot of this name is called today."""
    return PLOTS.get(name, name)


def by_current_plots(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is given for plots by their names of today; where a plot has both, that of today counts."""
    given = sorted(options.items(), key=lambda one: one[0] not in PLOTS)
    return {current_plot(name): own for name, own in given}
