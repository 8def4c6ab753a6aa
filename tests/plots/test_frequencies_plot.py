"""Frequencies: what is said of the slowest pair, and whether a turn is finished, where it is asked for."""

from __future__ import annotations

import pytest

import posenc_gui as pe
from posenc_gui.figure.runs import quote_runs

SIX = "The cat sat on the mat"


@pytest.mark.parametrize(
    ("encoding", "slowest"),
    [
        (pe.encoding("sinusoidal", base=100.0), "the slowest would need 62.83."),
        (pe.encoding("rope", fraction=0.5), "the slowest that turns would need 6.283."),
    ],
)
def test_the_slowest_pair_that_turns_is_named(encoding: pe.Encoding, slowest: str) -> None:
    session = pe.Session(text=SIX, encoding=encoding, model=pe.ToyModel(d_model=4, n_heads=1))
    told = quote_runs(pe.plot("frequencies", session).headline)
    assert told == f"2 of 2 pairs never finish one turn in 6 positions; {slowest}"


def test_a_turn_that_is_not_finished_here_may_be_finished_elsewhere() -> None:
    session = pe.Session(text=SIX, encoding="sinusoidal", model=pe.ToyModel(d_model=4, n_heads=1))
    (table,) = (panel for panel in pe.plot("frequencies", session).panels if hasattr(panel, "header"))
    assert table.header[-1] == "turns from 0 to 5"
    assert all(0 < row[-1] < 1 for row in table.rows)
