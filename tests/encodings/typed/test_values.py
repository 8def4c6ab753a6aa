"""The values of typed formulas, and where they have none."""

from __future__ import annotations

import math

import pytest
import torch

import posenc_gui as pe
from posenc_gui.foundation.errors import Undefined


def values(text: str) -> torch.Tensor:
    """At positions 0 to 3 of 4 columns."""
    encoding = pe.encoding("own", formula=text)
    return encoding.vectors(torch.arange(4), 4)


@pytest.mark.parametrize(
    ("right", "at_3_2"),
    [
        ("-2^2", -4), ("2^3^2", 512), ("2^-1", 0.5), ("-7 mod 3", 2), ("7 mod -3", -2), ("-7 // 2", -4), ("m / 2i", None),
        ("2e", 2 * math.e), ("m^2 - |i - m|", 8), ("(m > 2)(i < 3) + 1", 2), ("0 < i < 4", 1), ("0 < m < i", 0),
        ("1/(m-3) if m < 3 else i", 2), ("max(m, i, 1) + min(m, i)", 5), ("round(2.5) + sign(-m)", 1), ("√m² + L + d", 11),
    ],
)  # fmt: skip
def test_a_formula_means_what_mathematics_means(right: str, at_3_2: float | None) -> None:
    if at_3_2 is None:
        with pytest.raises(ValueError, match="can be read in two ways"):
            values(f"p[m, i] = {right}")
    else:
        assert float(values(f"p[m, i] = {right}")[3, 2]) == pytest.approx(at_3_2)


@pytest.mark.parametrize(
    ("right", "said"),
    [
        ("1/m", " at m = 0: division by 0"), ("log(m - 1)", " at m = 0: log of −1"), ("m / (i - 3)", " at i = 3: division by 0"),
        ("w[i] * m\nw[i] = sqrt(1 - i)", " at i = 2: sqrt of −1"), ("exp(800 m)", " at m = 1: too large: exp of 800"),
        ("0^(-m)", " at m = 1: 0 to the power −1"), ("1/0 if m == 2 else 1", " at m = 2: division by 0"),
        ("log(m + i)", " at m = 0, i = 0: log of 0"), ("9^9^9", ": too large: 9 to the power 387,420,489"),
    ],
)  # fmt: skip
def test_where_a_formula_is_not_defined_is_said_by_its_innermost_operation(right: str, said: str) -> None:
    with pytest.raises(Undefined) as found:
        values(f"p[m, i] = {right}")
    assert str(found.value) == f"Your formula is not defined{said}."


def test_where_there_are_no_positions_nothing_is_undefined() -> None:
    assert pe.encoding("own", formula="p[m, i] = 1/0").vectors([], 4).shape == (0, 4)


def test_a_doubled_definition_is_evaluated_once() -> None:
    chain = "\n".join(f"a{k} = (a{k + 1} + a{k + 1}) / 2" for k in range(15))
    assert values(f"p[m, i] = a0\n{chain}\na15 = 3").unique().tolist() == [3]
