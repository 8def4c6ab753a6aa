"""How long exports take, beside what matplotlib itself takes, and how large files are.

    python benchmarks/export.py [tokens …]

Each plot as PDF and PNG against a bare matplotlib `savefig` of the same numbers at the same dots an inch, taken in turns in one
run (at most 1.5 is the aim); the sizes of large maps' files; and `posenc-gui export` against the imports that it needs.
"""

from __future__ import annotations

import io
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Bare

import posenc_gui as pe
from posenc_gui import plots, render
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, Clocks, Flow, Heatmap, Lines, Links, Slopes, Table
from posenc_gui.render.export_options import ExportOptions

_ROUNDS = 3
_CHOICES = ExportOptions()


def seconds(*works: Callable[[], object]) -> list[float]:
    """The median of some rounds of each, in turns."""
    found: list[list[float]] = [[] for _ in works]
    for _ in range(_ROUNDS):
        for work, times in zip(works, found, strict=True):
            begun = time.perf_counter()
            work()
            times.append(time.perf_counter() - begun)
    return [statistics.median(times) for times in found]


def bare(figure: Figure, suffix: str) -> bytes:
    """The same panels as matplotlib draws them by itself: axes in a row, labels where the figure has them."""
    paper = Bare(figsize=(960 / 72, 540 / 72), dpi=_CHOICES.dots_per_inch)
    FigureCanvasAgg(paper)
    for axes, panel in zip(np.atleast_1d(paper.subplots(1, len(figure.panels))), figure.panels, strict=True):
        axes.set_title(panel.title)
        match panel:
            case Heatmap():
                paper.colorbar(axes.imshow(panel.values, vmin=panel.low, vmax=panel.high), label=panel.quantity)
                for axis, one in ((axes.xaxis, panel.columns), (axes.yaxis, panel.rows)):
                    axis.set_label_text(one.title)
                    if one.labels:
                        axis.set_ticks(range(len(one.labels)), one.labels)
            case Lines():
                for series in panel.series:
                    axes.plot(series.x, series.y, label=series.label)
                name(axes)
            case Bars():
                for series in panel.series:
                    axes.barh(panel.categories.labels, series.values, label=series.label)
                name(axes)
            case Slopes() | Links():
                for line in panel.values:
                    axes.plot(np.atleast_1d(line))
            case Clocks():
                for label, angles in zip(panel.labels, panel.angles, strict=True):
                    axes.plot(np.cos(angles), np.sin(angles), label=label)
                name(axes)
            case Table():
                axes.axis("off")
                axes.table([[str(cell) for cell in row] for row in panel.rows], colLabels=panel.header)
            case _:
                axes.text(0, 0, panel.text)
    file = io.BytesIO()
    paper.savefig(file, format=suffix[1:])
    return file.getvalue()


def name(axes: Axes) -> None:
    """A legend, where anything has a name."""
    if axes.get_legend_handles_labels()[1]:
        axes.legend()


def compare(tokens: int) -> None:
    """Print each plot's ratios, and their median."""
    session = pe.Session(encoding="sinusoidal", fill="repeat", fill_to=tokens)
    if tokens <= session.model_copy(update={"fill": "none"}).n_tokens:
        session = pe.Session(encoding="sinusoidal")
    ratios: dict[str, list[float]] = {".pdf": [], ".png": []}
    for name in plots.names():
        figure = pe.plot(name, session)
        if figure.is_note or any(
            isinstance(panel, Flow) for panel in figure.panels
        ):  # no chart of matplotlib's is like it
            continue
        told = []
        for suffix, found in ratios.items():
            own, other = seconds(partial(render.content, figure, suffix, _CHOICES), partial(bare, figure, suffix))
            found.append(own / other)
            told.append(f"{suffix[1:]} {own * 1000:6.0f} ms {own / other:4.1f}×")
        print(f"{tokens:4} tokens  {name:14} {'   '.join(told)}")
    for suffix, found in ratios.items():
        print(f"{tokens:4} tokens  {suffix[1:]}: median {statistics.median(found):.2f}×, largest {max(found):.2f}×")


def sizes() -> None:
    """Print how large files of large maps are."""
    for side, suffix, most in ((256, ".svg", 2**19), (4096, ".pdf", 2**20)):
        values = np.random.default_rng(0).random((side, side), dtype=np.float32)
        axis = Axis("position", "position")
        figure = Figure("map", "Map", (Heatmap("", "value", values, axis, axis, 0, 1),))
        size = len(render.content(figure, suffix))
        print(f"{side}×{side} as {suffix[1:]}: {size / 2**20:.2f} MiB of {most / 2**20:.2f}")


def from_the_shell() -> None:
    """Print how long a whole process takes against its imports alone, both with their bytecode, as what is installed has it."""
    compiled = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        export = [sys.executable, "-m", "posenc_gui", "export", "attention", "--out", str(Path(folder) / "map.svg")]
        imports = [sys.executable, "-c", "import torch, matplotlib.pyplot"]
        run = [
            lambda one=one: subprocess.run(one, check=True, capture_output=True, env=compiled)
            for one in (export, imports)
        ]
        run[0]()  # which writes it
        own, other = seconds(*run)
    print(f"posenc-gui export: {own:.2f} s, its imports {other:.2f} s: {own / other:.2f}×")


if __name__ == "__main__":
    for asked in map(int, sys.argv[1:] or ("6", "64")):
        compare(asked)
    sizes()
    from_the_shell()
