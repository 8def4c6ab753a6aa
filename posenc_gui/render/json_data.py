"""Figures as JSON for any program: numbers with axes, quantities, settings, and the version that wrote them.

Panels hold the arrays of NPZ by the same names; masked numbers are null.
"""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import Any

from posenc_gui import __version__
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Panel
from posenc_gui.figure.runs import quote_runs
from posenc_gui.render.export_options import DEFAULT_OPTIONS, ExportOptions
from posenc_gui.render.numbers import Arrays, numbers

SUFFIXES = (".json",)

_FORMAT, _VERSION = "posenc-gui figure", 1


def content(figure: Figure, _suffix: str, _choices: ExportOptions = DEFAULT_OPTIONS) -> bytes:
    """The figure's numbers and words as a file."""
    whole = {
        "format": _FORMAT,
        "version": _VERSION,
        "written_by": __version__,
        "plot": figure.name,
        "title": figure.title,
        "subject": figure.subject,
        "headline": quote_runs(figure.headline),
        "caption": figure.caption,
        "settings": figure.settings,
        "description": figure.description,
        "panels": [_panel(panel) for panel in figure.titled_panels],
    }
    return json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=1).encode("utf-8", "replace")


def _panel(panel: Panel) -> dict[str, Any]:
    held = ((field.name, getattr(panel, field.name)) for field in fields(panel))
    axes = {name: {"role": axis.role, "title": axis.title} for name, axis in held if isinstance(axis, Axis)}
    return {"kind": type(panel).__name__.lower(), "axes": axes, **_finite_numbers(numbers(panel).arrays)}


def _finite_numbers(arrays: Arrays) -> dict[str, Any]:
    found = {name: array.tolist() for name, array in arrays.items()}
    if masked := found.pop("mask", None):
        rows = zip(found["values"], masked, strict=True)
        found["values"] = [
            [None if hidden else value for value, hidden in zip(row, hides, strict=True)] for row, hides in rows
        ]
    return {name: _finite(value) for name, value in found.items()}


def _finite(value: Any) -> Any:
    """Replace NaN, which stands for a text in a table, by null: JSON has no NaN."""
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
