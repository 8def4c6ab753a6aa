"""Figures as numbers in arrays: NPZ for numpy.

The `ends` of a map, where it has any, say what its smallest and its largest numbers mean.
Bars are one array, (categories, series); the coordinates at both ends of links are one, (links, 2); slopes hold the numbers
at both ends. A dial has its angle in radians (not reduced to a turn), its reading in words and its trail. A table keeps its
sums.
"""

from __future__ import annotations

import io
import math
from functools import singledispatch

import numpy as np
import numpy.typing as npt

from posenc_gui import __version__
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, Dials, Flow, Heatmap, Lines, Links, Note, Panel, Slopes, Table
from posenc_gui.foundation.files import embedded_session
from posenc_gui.render.export_options import DEFAULT_OPTIONS, ExportOptions

SUFFIXES = (".npz",)
CARRIES_SESSION = True

Arrays = dict[str, npt.NDArray[np.generic]]


def content(figure: Figure, _suffix: str, _choices: ExportOptions = DEFAULT_OPTIONS) -> bytes:
    """The figure's numbers as a file."""
    file = io.BytesIO()
    np.savez(file, **arrays(figure))  # type: ignore[arg-type]
    return file.getvalue()


def arrays(figure: Figure) -> Arrays:
    """The figure's numbers and words by name: `title`, `caption`, `settings`, `panel0_values`, `panel0_rows`, …, `session`."""
    words = {
        "title": figure.title,
        "caption": figure.caption,
        "settings": figure.settings,
        "written_by": f"posenc-gui {__version__}",
    }
    named: Arrays = {name: np.array(word) for name, word in words.items()}
    for index, panel in enumerate(figure.titled_panels):
        named |= {f"panel{index}_{name}": array for name, array in panel_arrays(panel).items()}
    if figure.session:
        # As bytes: numpy stores text as four bytes a character, in which the session's mark would not be found.
        named["session"] = np.array(embedded_session.session_marker(figure.session).encode("ascii"))
    return named


def _titled(panel: Heatmap | Lines | Bars | Links | Slopes | Dials) -> Arrays:
    return {"title": np.array(panel.title), "quantity": np.array(panel.quantity)}


@singledispatch
def panel_arrays(panel: Panel) -> Arrays:
    """A panel's arrays by name."""
    raise NotImplementedError(f"NPZ has no arrays for {type(panel).__name__}")


@panel_arrays.register
def _heatmap_arrays(panel: Heatmap) -> Arrays:
    height, width = panel.values.shape
    return {
        **_titled(panel),
        "values": panel.values,
        "mask": np.zeros(panel.values.shape, dtype=bool) if panel.mask is None else panel.mask,
        "rows": np.array(panel.rows.labels, dtype=np.str_),
        "columns": np.array(panel.columns.labels, dtype=np.str_),
        "row_coordinates": _coordinates(panel.rows, height),
        "column_coordinates": _coordinates(panel.columns, width),
        **({"ends": np.array(panel.ends)} if panel.ends else {}),
    }


@panel_arrays.register
def _lines_arrays(panel: Lines) -> Arrays:
    named: Arrays = {**_titled(panel), "series": np.array([series.label for series in panel.series])}
    for index, series in enumerate(panel.series):
        named |= {f"x{index}": series.x, f"y{index}": series.y}
    return named


@panel_arrays.register
def _bars_arrays(panel: Bars) -> Arrays:
    return {
        **_titled(panel),
        "values": np.stack([series.values for series in panel.series], axis=1),
        "categories": np.array(panel.categories.labels, dtype=np.str_),
        "category_coordinates": _coordinates(panel.categories, len(panel.categories.labels)),
        "series": np.array([series.label for series in panel.series]),
    }


@panel_arrays.register
def _links_arrays(panel: Links) -> Arrays:
    return {
        **_titled(panel),
        "values": panel.values,
        "ends": np.array(panel.ends, dtype=np.int64),
        "left": np.array(panel.left.labels, dtype=np.str_),
        "right": np.array(panel.right.labels, dtype=np.str_),
        "left_coordinates": _coordinates(panel.left, len(panel.left.labels)),
        "right_coordinates": _coordinates(panel.right, len(panel.right.labels)),
    }


@panel_arrays.register
def _slopes_arrays(panel: Slopes) -> Arrays:
    return {
        **_titled(panel),
        "columns": np.array(panel.columns, dtype=np.str_),
        "values": panel.values,
        "lines": np.array([panel.label(line) for line in panel.lines], dtype=np.str_),
        "line_coordinates": np.array(panel.lines, dtype=np.int64),
    }


@panel_arrays.register
def _dials_arrays(panel: Dials) -> Arrays:
    named: Arrays = {
        **_titled(panel),
        "dials": np.array([dial.label for dial in panel.dials]),
        "pairs": np.array(panel.pairs or range(len(panel.dials)), dtype=np.int64),
        "angles": np.array([dial.angle for dial in panel.dials], dtype=np.float64),
        "readings": np.array([dial.reading for dial in panel.dials]),
        "coordinates": np.array(panel.coordinates or (), dtype=np.str_),
    }
    if panel.hands:
        named["keys"] = np.array([dial.key for dial in panel.dials], dtype=np.float64)
    trails = enumerate(dial.trail for dial in panel.dials)
    return named | {f"trail{index}": np.array(trail, dtype=np.float64) for index, trail in trails}


@panel_arrays.register
def _flow_arrays(panel: Flow) -> Arrays:
    """The query's vectors, the keys' vectors, (keys, shown), and the numbers from the dot products to the weights, (keys,)."""
    named: Arrays = {
        "title": np.array(panel.title),
        "query": np.array(panel.query.at),
        "keys": np.array([key.at for key in panel.keys], dtype=np.int64),
        "labels": np.array([key.label for key in panel.keys], dtype=np.str_),
        "visible": panel.visible,
        "scale": np.array(panel.scale),
    }
    named |= {f"query_{name}": vector for name, vector in panel.vectors_of(panel.query)}
    of_keys = [dict(panel.vectors_of(key)) for key in panel.keys]
    named |= {f"keys_{name}": np.stack([one[name] for one in of_keys]) for name in of_keys[0]}
    named |= {name.replace(" ", "_"): numbers for name, numbers in panel.quantities()}
    if panel.rest:
        named |= {"others": np.array(panel.rest.count), "others_weight": np.array(panel.rest.weight)}
    return named


@panel_arrays.register
def _table_arrays(panel: Table) -> Arrays:
    """The cells twice: `texts`, empty for a number, and `numbers`, NaN for a text."""
    return {
        "title": np.array(panel.title),
        "header": np.array(panel.header, dtype=np.str_),
        "texts": np.array(
            [[cell if isinstance(cell, str) else "" for cell in row] for row in panel.rows], dtype=np.str_
        ),
        "numbers": np.array(
            [[math.nan if isinstance(cell, str) else cell for cell in row] for row in panel.rows], dtype=np.float64
        ),
        "sums": np.array(sorted(panel.sums), dtype=np.int64),
    }


@panel_arrays.register
def _note_arrays(panel: Note) -> Arrays:
    return {"title": np.array(panel.title), "text": np.array(panel.text)}


def _coordinates(axis: Axis, count: int) -> npt.NDArray[np.int64]:
    return np.arange(axis.first, axis.first + count, dtype=np.int64)
