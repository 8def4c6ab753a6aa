"""Every plot of a typed formula: drawn, or a sentence that says why not; the formula's name as sentences have it."""

from __future__ import annotations

import re

import pytest

import posenc_gui as pe
from posenc_gui.figure.runs import quote_runs

FORMULAS = {
    "added": "p[m, i] = abs(m / growth^i mod 2 - 1)\ngrowth = 2  # 1.1 to 4",
    "turned": "angle[m, 2i] = m / 10000^(2i/d)",
    "unevenly": "angle[m, i] = m^2 / 10^i",
    "distance": "bias[m, n, h] = -2^(-8(h+1)/H) * abs(m - n)",
    "place": "bias[m, n, h] = 2 sin(m * (n + h))",
    "nowhere": "p[m, i] = 1/m",
    "at all": "p[m, i] = 0",
    "tiny": "p[m, i] = 1e-300 * m",
    "far": "angle[m, i] = 1e12 * m",
    "beyond": "bias[m, n, h] = exp(m - n)",
    "but for n = m": "bias[m, n, h] = 1 / (m - n)",
}
WITHIN = re.compile(r"[\w,)] Your (other )?formula")  # a capital within a sentence


@pytest.mark.parametrize("plot", pe.plots())
@pytest.mark.parametrize("formula", FORMULAS)
def test_a_plot_of_a_formula_is_drawn_or_says_why_not(formula: str, plot: str) -> None:
    encoding = pe.encoding("own", formula=FORMULAS[formula])
    for other in (None, pe.encoding("rope"), pe.encoding("own")):
        figure = pe.plot(plot, pe.Session(text="The cat sat on the mat", encoding=encoding, other=other))
        told = ("".join(run.text for run in figure.headline), figure.caption, figure.description)
        assert figure.panels
        assert not any(WITHIN.search(text) or "error of the explorer" in text for text in told), told


@pytest.mark.parametrize("door", ["angle", "bias"])
def test_among_all_encodings_a_formula_stands_in_its_door(door: str) -> None:
    """Doors head their rows once: not again after a formula that stands before them all."""
    formula = {"angle": FORMULAS["turned"], "bias": FORMULAS["distance"]}[door]
    (table,) = pe.plot("comparison", pe.Session(encoding=pe.encoding("own", formula=formula))).panels
    assert table.grouped
    assert "Your formula" in table.rows[table.focus]


def test_two_formulas_that_have_no_frequencies_say_so_once() -> None:
    one, other = (pe.encoding("own", formula=f"p[m, i] = {said}") for said in ("m", "m mod 2"))
    assert len(pe.plot("frequencies", pe.Session(encoding=one, other=other)).panels) == 1


@pytest.mark.parametrize(
    ("bias", "told"), [("abs(m - n) / 2", "1.649 times the weight"), ("-abs(m - n)", "36.8% of the")]
)
def test_a_growing_ruler_tells_how_many_times(bias: str, told: str) -> None:
    encoding = pe.encoding("own", formula=f"bias[m, n, h] = {bias}")
    assert told in quote_runs(pe.plot("rulers", pe.Session(text="The cat sat on it", encoding=encoding)).headline)


@pytest.mark.parametrize(
    ("formula", "told"), [("turned", "the fastest"), ("unevenly", "those that turn most from 0 to 1")]
)
def test_the_way_says_which_dials_are_drawn(formula: str, told: str) -> None:
    encoding = pe.encoding("own", formula=FORMULAS[formula])
    session = pe.Session(text="The cat sat", encoding=encoding, model=pe.ToyModel(d_model=32, n_heads=2))
    assert f"4 of 8 pairs, {told}" in pe.plot("flow", session).caption


def test_waves_of_a_part_of_a_text_say_so() -> None:
    session = pe.Session(text="a " * 48, encoding=pe.encoding("own", formula="p[m, i] = m"))
    assert "positions 0 to 31 of 48" in pe.plot("waves", session).caption
