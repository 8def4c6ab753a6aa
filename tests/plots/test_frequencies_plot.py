"""Frequencies: what is said of the slowest pair, and whether a turn is finished, where it is asked for."""

from __future__ import annotations

import posenc_gui as pe

SIX = "The cat sat on the mat"


def test_a_turn_that_is_not_finished_here_may_be_finished_elsewhere() -> None:
    session = pe.Session(text=SIX, encoding="sinusoidal", model=pe.ToyModel(d_model=4, n_heads=1))
    (table,) = (panel for panel in pe.plot("frequencies", session).panels if hasattr(panel, "header"))
    assert table.header[-1] == "turns from 0 to 5"
    assert all(0 < row[-1] < 1 for row in table.rows)
