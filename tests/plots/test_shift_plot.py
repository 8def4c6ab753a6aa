"""Absolute or relative: what is seen of a change, and what of rounding."""

from __future__ import annotations

import numpy as np
import pytest

import posenc_gui as pe


@pytest.mark.parametrize(("encoding", "changes"), [("rope", False), ("sinusoidal", True)])
def test_rounding_is_no_change_of_a_score(encoding: str, changes: bool) -> None:
    session = pe.Session(encoding=encoding)
    before, after, change = (panel.values for panel in pe.plot("shift", session).panels)
    assert change.any() == changes
    assert np.allclose(change, after - before, atol=1e-5)
    assert pe.measure("shift", session).value > 0
