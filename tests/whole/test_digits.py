"""Digits agree: what a cell prints, what is read of it under the pointer, and what the headline says of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

import numpy as np
import pytest

import posenc_gui as pe
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, Clocks, Heatmap, Lines, Panel, Slopes, Table
from posenc_gui.render.drawings.slopes import labels
from posenc_gui.render.layout.cell_labels import cell_texts

SENTENCES = ("The cat sat on the mat", "man bites dog bites man", "a a a", "to be or not to be")
SESSIONS = [
    pe.Session(text=text, encoding=name, focus=focus, plots={"attention": {"row": True, "quantity": quantity}})
    for at, name in enumerate(pe.encodings())
    for text, focus in [(SENTENCES[at % len(SENTENCES)], at % 3)]
    for quantity in ("probabilities", "scores")
]
NUMBER = re.compile(r"−?[\d,]*\.?\d+(?:e−?\d+)?")


def number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def half_a_digit(text: str) -> float:
    """By how much a number may be off that is written so."""
    digits, _, power = text.partition("e")
    decimals = len(digits.partition(".")[2])
    return 0.5 * 10.0 ** (int(power.replace("−", "-") or 0) - decimals) * (1 + 1e-6)


def agree(one: str, other: str) -> bool:
    """True if both can be the same number, each rounded to its digits; with equally many they must be equal."""
    if half_a_digit(one) == half_a_digit(other):
        return number(one) == number(other)
    return abs(number(one) - number(other)) <= half_a_digit(one) + half_a_digit(other)


def drawn(session: pe.Session) -> Figure:
    figure = pe.plot("attention", session)
    assert not figure.is_note
    return figure


def check_cells(figure: Figure) -> None:
    for panel in (panel for panel in figure.panels if isinstance(panel, Heatmap)):
        for row, texts in enumerate(cell_texts(panel)):
            for column, text in enumerate(texts):
                read = panel.value(column + panel.columns.first, row + panel.rows.first)
                assert read == panel.absent or agree(text.whole, read), (panel.title, row, column)


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: f"{session.encoding.name}-{session.text}")
def test_a_cell_of_attention_says_what_is_read_of_it(session) -> None:
    check_cells(drawn(session))


@pytest.mark.parametrize("plot", pe.plots())
def test_a_cell_of_any_plot_says_what_is_read_of_it(plot) -> None:
    for session in (pe.Session(), pe.Session(encoding="rope", other="alibi", model=pe.ToyModel(causal=True))):
        check_cells(pe.plot(plot, session))


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: f"{session.encoding.name}-{session.text}")
def test_each_number_of_the_headline_is_that_of_a_cell_and_of_a_slope_in_the_row_of_focus(session) -> None:
    figure = drawn(session)
    maps = [panel for panel in figure.panels if isinstance(panel, Heatmap)]
    at = session.focused - maps[0].rows.first
    cells = [text.whole for panel in maps for text in cell_texts(panel)[at]]
    runs = list(takewhile(lambda run: "q · k counts" not in run.text, figure.headline))  # of another scale
    told = [found for run in runs if run.kind == "number" for found in NUMBER.findall(run.text)]
    for text in told:
        assert any(agree(text, cell) for cell in cells), (text, cells)
    for slopes in (panel for panel in figure.panels if isinstance(panel, Slopes)):
        with_position = cell_texts(maps[1])[at]
        for label, line in zip(labels(slopes), slopes.lines, strict=True):
            assert agree(label.value, with_position[line - maps[1].columns.first].whole), (label, with_position)


def numbers_in(panel: Panel) -> Iterator[float]:
    """All numbers that a panel holds; of clocks and angles also how long a turn takes."""
    match panel:
        case Heatmap():
            yield from panel.values.flatten().tolist()
        case Lines():
            yield from (y for one in panel.series for y in one.y.tolist())
            if panel.quantity == "turns":
                yield from (float(np.ptp(one.x) / np.ptp(one.y)) for one in panel.series if np.ptp(one.y))
            yield from (number(one.told.split()[0]) for one in panel.series if one.told)
        case Bars():
            yield from (value for one in panel.series for value in one.values.tolist())
        case Clocks():
            yield from (number(one.split()[0]) for one in panel.readings if one[0].isdigit())
        case Table():
            yield from (cell for row in panel.rows for cell in row if isinstance(cell, float))


@pytest.mark.parametrize(
    "plot", ["shift", "generation", "angles", "clocks", "kernel", "row", "frequencies", "projections"]
)
@pytest.mark.parametrize("strength", [0.25, 1.0])
def test_each_decimal_of_a_headline_stands_in_its_figure(plot: str, strength: float) -> None:
    for at, name in enumerate(("learned", "sinusoidal", "fourier", "rope", "alibi", "shaw")):
        model = pe.ToyModel(d_model=16, n_heads=(1, 2)[at % 2], causal=at > 2)
        figure = pe.plot(
            plot, pe.Session(encoding=name, strength=strength, model=model, focus=at, key=(None, 3)[at % 2])
        )
        found = [abs(value) for panel in figure.panels for value in numbers_in(panel)]
        if plot == "projections":  # products of a query and a key
            queries, keys = (panel.values for panel in figure.panels[:2])
            found = np.abs(queries @ keys.T).ravel().tolist()
        told = [text for run in figure.headline if run.kind == "number" for text in NUMBER.findall(run.text)]
        for text in (text.removeprefix("−") for text in told if "." in text):
            assert any(abs(number(text) - value) <= half_a_digit(text) for value in found), (name, text)
