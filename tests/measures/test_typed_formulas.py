"""Measures and plots of formulas that anyone may type: values or one true sentence, never a library's error; known verdicts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import torch

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.runs import quote_runs
from posenc_gui.measures.base import Unmeasured
from posenc_gui.measures.requirements import Requirements

WAVES = "p[m, 2i] = sin(m / 10000^(2*i/d))\np[m, 2i+1] = cos(m / 10000^(2*i/d))"
ONE_WAVE = "p[m, 2i] = sin(m)\np[m, 2i+1] = cos(m)"
TRIANGLES, BINARY, RANDOM = "abs(m / 2^i mod 2 - 1)", "floor(m / 2^i) mod 2", "sin(12345 * m^2)"
# By what each stands for: unique, bounded, deterministic, no new values, smooth and relative-aware; ? where the seed counts.
KNOWN = {
    "integer": ("p[m, i] = m", "● ○ ● ◐ ● ●"),
    "tiny integer": ("p[m, i] = m / 10^9", "● ○ ● ◐ ● ●"),
    "m/L": ("p[m, i] = m / L", "● ● ○ ○ ● ◐"),
    "one sine": ("p[m, i] = sin(m)", "◐ ● ● ● ◐ ?"),
    "sine and cosine": (ONE_WAVE, "● ● ● ● ◐ ●"),
    "as the authors wrote it": (WAVES, "● ● ● ◐ ● ●"),
    "triangle waves": (f"p[m, i] = {TRIANGLES}", "● ● ● ◐ ◐ ?"),
    "binary": (f"p[m, i] = {BINARY}", "● ● ● ◐ ◐ ?"),
    "random": (f"p[m, i] = {RANDOM}", "◐ ● ● ● ○ ○"),
    "nearly constant": (f"p[m, i] = 1000 + {RANDOM}", "○ ● ● ● ○ ○"),
    "powers of m": ("p[m, i] = m^(i mod 3)", "● ○ ● ◐ ● ●"),
    "square root": ("p[m, i] = sqrt(m)", "◐ ◐ ● ◐ ● ◐"),
    "m^2 alone": ("p[m, i] = m^2", "● ○ ● ◐ ● ◐"),
    "decay": ("p[m, i] = exp(-m / 8)", "● ● ● ● ● ●"),
    "constant": ("p[m, i] = i", "○ ● ● ● ○ ○"),
    "nothing": ("p[m, i] = 0", "○ ● ● ● ○ ○"),
    "late": ("p[m, i] = floor(m / 1000)", "○ ○ ● ● ○ ○"),
    "nothing for floats": ("p[m, i] = 1e-300 * m", "○ ● ● ● ○ ○"),
    "not at 0": ("p[m, i] = 1 / m", "○ ○ ○ ○ ○ ○"),
    "too large": ("p[m, i] = exp(m)", "○ ○ ○ ○ ○ ○"),
    "rotation": ("angle[m, i] = m / 10^i", "● ● ● ◐ ● ●"),
    "no rotation": ("angle[m, i] = 2 * pi * m", "○ ● ● ● ○ ○"),
    "uneven rotation": ("angle[m, i] = m^2", "◐ ● ● ● ○ ○"),
    "distance": ("bias[m, n, h] = -abs(m - n)", "○ ○ ● ◐ ● ●"),
    "signed distance": ("bias[m, n, h] = m - n", "● ○ ● ◐ ● ●"),
    "the key's place": ("bias[m, n, h] = n", "● ○ ● ◐ ● ○"),
    "product": ("bias[m, n, h] = m * n", "◐ ○ ● ◐ ● ○"),
    "bias of nothing": ("bias[m, n, h] = 5", "○ ● ● ● ○ ○"),
}
CLUMSY = [
    *(f"p[m, i] = {said}" for said in ("log(m)", "1 / (m - 100)", "sqrt(100 - m)", "1e300", "1e300 * m", "m^50", "m^i")),
    *(f"p[m, i] = {said}" for said in ("tan(m)", "1e12 * sin(m)", "1e-160 * sin(m)", "1 + 1e-20 * m", "m * L", "(-1)^m")),
    *(f"angle[m, i] = {said}" for said in ("0", "i", "1e300", "1e12 * m", "1e-20 * m", "1 / m", "L * m", "sin(m)")),
    *(f"bias[m, n, h] = {said}" for said in ("0", "m", "1 / (m - n)", "log(abs(m - n))", "1e12", "exp(m - n)", "-1e30 * n")),
    *(f"bias[m, n, h] = {said}" for said in ("-1e9 if m < n else 0", "1e-20 * abs(m - n)", "(m - n) / L", "sin(m * n)")),
]  # fmt: skip
SLOW = {"loss", "surgery", "meaning", "sweep", "comparison", "heads"}  # of learned models, or of many encodings


@cache
def session_of(formula: str, n_layers: int = 1) -> pe.Session:
    model = pe.ToyModel(d_model=16, n_heads=2, n_layers=n_layers, seed=334)
    return pe.Session(text="The cat sat on the mat", encoding=pe.encoding("own", formula=formula), model=model)


def numbers_in(found: Any) -> Iterator[float]:
    match found:
        case torch.Tensor():
            yield from found.double().flatten().tolist() if found.numel() else ()
        case float():
            yield found
        case _ if hasattr(found, "__dataclass_fields__"):
            for name in found.__dataclass_fields__:
                yield from numbers_in(getattr(found, name))


@pytest.mark.parametrize("name", KNOWN)
def test_verdicts_are_those_that_can_be_worked_out(name: str) -> None:
    formula, expected = KNOWN[name]
    found = pe.measure("requirements", session_of(formula))
    signs = "".join(
        "?" if wanted == "?" else row.told[0] for row, wanted in zip(found.values(), expected.split(), strict=True)
    )
    assert signs == expected.replace(" ", ""), [(row.title, row.short, row.reason) for row in found.values()]


@pytest.mark.parametrize("name", ["triangle waves", "binary", "one sine"])
def test_no_matrix_predicts_a_step_of_what_has_no_partner(name: str) -> None:
    row = pe.measure("requirements", session_of(KNOWN[name][0]))["relative_aware"]
    assert row.verdict != "met"


@pytest.mark.parametrize("said", ["m mod 2", *(f"sin(2 * pi * m / {period})" for period in (4, 32, 128, 37))])
def test_what_repeats_is_not_taken_for_relative(said: str) -> None:
    """A move by its period, or by a multiple, changes nothing; others do."""
    for formula in (f"p[m, i] = {said}", f"bias[m, n, h] = {said.replace('m ', 'n ')}"):
        row = pe.measure("requirements", session_of(formula))["relative_aware"]
        assert row.verdict == "not"
        assert re.match(r"Moving all positions by (1|37|2,048) changes", row.reason)


@pytest.mark.parametrize("said", ["m mod 2", "(-1)^m", "1 if m == 3 else 0"])
def test_curves_of_steps_have_no_values_between_positions(said: str) -> None:
    """m mod 2 is 1.9 at 1.9, which no position has."""
    (panel,) = pe.plot("waves", session_of(f"p[m, i] = {said}")).panels
    assert all(set(one.y.tolist()) <= {-1.0, 0.0, 1.0} for one in panel.series)


def test_small_signatures_that_differ_count_beside_large_ones() -> None:
    found = pe.measure("requirements", session_of("p[m, i] = 2^(m - 100)"))["smooth"]
    assert found.value == pytest.approx(128 / (4 * (128 - 3)), rel=1e-6)  # Σ 2^m (2^(n − m) − 1) over pairs, worked out


@pytest.mark.parametrize(
    ("formula", "told"),
    [("p[m, i] = log(m)", "not defined at m = 0"), ("p[m, i] = 2^m", "too large for attention at m = 40")],
)
def test_a_formula_without_values_is_said_to_be_undefined(formula: str, told: str) -> None:
    session = session_of(formula)
    found = pe.measure("requirements", session)
    assert found.told == found.undefined == found["smooth"].short == told
    assert found.reason.startswith(f"Your formula is {told}: ")
    for name in ("requirements", "comparison"):
        assert f"our formula is {told}: " in quote_runs(pe.plot(name, session).headline)


def test_reasons_are_true_for_extreme_formulas() -> None:
    def row(formula: str, name: str) -> Any:
        return pe.measure("requirements", session_of(formula))[name]

    assert row("p[m, i] = 0", "bounded").short == "all 0 up to 2,047"
    assert row("p[m, i] = floor(m / 1000)", "bounded").short == "from 0 to 2 by 2,047"
    assert row("p[m, i] = sin(m) / 10^9", "bounded").short == "within ±1e−9 up to 2,047"
    assert (
        row("angle[m, i] = pi * m", "unique").reason
        == "The positions 0 and 2 have the same signature, but for rounding."
    )
    assert row("p[m, i] = m mod 7", "unique").reason == "The positions 0 and 7 have the same signature."
    assert row("bias[m, n, h] = 1e-20 * abs(m - n)", "relative_aware").reason == "Position adds nothing to the scores."
    assert "beyond ±1e12" in row("p[m, i] = exp(m)", "bounded").reason


@pytest.mark.parametrize("formula", [*CLUMSY, *(formula for formula, _ in KNOWN.values())])
def test_every_measure_gives_numbers_or_one_sentence(formula: str) -> None:
    session, engine = session_of(formula, n_layers=2), Engine()
    for name in set(pe.measures()) - SLOW:
        found = pe.measure(name, session, engine)
        rows = found.values() if isinstance(found, Requirements) else ()
        for one in (found, *rows):
            assert one.reason.endswith(".")
            assert not re.search(r"\b(nan|inf|None|tensor)\b", one.reason), (name, one.reason)
            assert one.value is None or math.isfinite(one.value), name
        if not isinstance(found, Unmeasured) and name != "frequencies":  # the wavelength of what stands is infinite
            assert all(map(math.isfinite, numbers_in(found))), name


def test_columns_of_very_different_sizes_are_shifted_by_one_matrix() -> None:
    """(m + k)^j = Σ (j over l) k^(j − l) m^l: exact, though m^5 is 10^10 times as large as 1."""
    formula = "p[m, i] = m^i if i < 6 else 0"
    assert pe.measure("linear_shift", session_of(formula)).value < 1e-6
