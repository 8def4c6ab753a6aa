"""Requirements of one encoding beside another's: which one, what is pale, and what the headline says parts them."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import posenc_gui as pe
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.kept import from_bytes, to_bytes
from posenc_gui.figure.runs import quote_runs

ONE_HEAD = pe.ToyModel(d_model=16, n_heads=1, seed=334)
FORMULAS = {
    "sinusoidal": "p[m, i] = abs(m / 2^i mod 2 - 1)",
    "rope": "angle[m, i] = m / 2^i",
    "alibi": "bias[m, n, h] = -abs(m - n)",
}


def drawn(formula: str, model: pe.ToyModel = ONE_HEAD, **options: Any) -> Figure:
    return figure_of(pe.Session(encoding=pe.encoding("own", formula=formula), model=model), **options)


def figure_of(session: pe.Session, **options: Any) -> Figure:
    return pe.plot("requirements", session.changed(plots={"requirements": options}))


@pytest.mark.parametrize("famous", FORMULAS)
def test_a_formula_stands_beside_the_famous_encoding_of_its_door(famous: str) -> None:
    figure, known = drawn(FORMULAS[famous]), pe.measure("requirements", pe.Session(encoding=famous, model=ONE_HEAD))
    (table,), title = figure.panels, pe.encoding(famous).called
    assert table.header[1::2][:2] == ("Your formula", title)
    assert [row[3].verdict for row in table.rows] == [row.verdict for row in known.values()]
    assert [row[3].pale for row in table.rows] == [row[1].verdict == row[3].verdict for row in table.rows]
    assert not any(row[1].pale for row in table.rows)
    assert title in quote_runs(figure.headline)
    kept = from_bytes(type(table), to_bytes(table))
    for same in (kept, pickle.loads(pickle.dumps(table))):
        assert [row[3].pale for row in same.rows] == [row[3].pale for row in table.rows]


def test_the_headline_says_what_parts_them() -> None:
    """Sinusoidal has a matrix for each step, which triangle waves have not; the same formula has all that it has."""
    said = quote_runs(drawn(FORMULAS["sinusoidal"]).headline)
    assert said.startswith("Your formula is unique, bounded and deterministic, as Sinusoidal is; unlike it, ")
    assert "not relative-aware (" in said
    same = "p[m, 2i] = sin(m / 10000^(2*i/d))\np[m, 2i+1] = cos(m / 10000^(2*i/d))"
    assert quote_runs(drawn(same).headline).endswith(": as Sinusoidal in all six.")
    assert quote_runs(drawn("bias[m, n, h] = -abs(m - n) mod 7").headline).startswith("Your formula is ")
    assert "; unlike it, bounded" in quote_runs(drawn("bias[m, n, h] = -min(abs(m - n), 3 + 0*m)").headline)


def test_built_in_encodings_stand_alone_unless_one_is_chosen() -> None:
    session = pe.Session(encoding="rope")
    assert pe.plot("requirements", session).panels[0].header[1] == "verdict"
    beside = figure_of(session, beside="alibi")
    assert beside.panels[0].header[1:4:2] == ("RoPE", "ALiBi")
    for name in ("none", "rope"):
        assert figure_of(session, beside=name).panels[0].header[1] == "verdict"
    alone = pe.plot("requirements", session.changed(other="alibi"))
    assert "A: verdict" in alone.panels[0].header


def test_one_that_does_not_fit_the_model_is_left_out_and_the_caption_says_why() -> None:
    figure = drawn("bias[m, n, h] = n - m", pe.ToyModel(d_model=15, n_heads=1), beside="rope")
    assert figure.panels[0].header[1] == "verdict"
    assert "missing: RoPE" in figure.caption
