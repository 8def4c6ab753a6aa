"""Numbers drawn from the public formulas are named right, or it is said what they can't tell; random ones get no name.

The whole is `python benchmarks/identify.py`, whose table the note quotes.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest
import torch
from drawn_numbers import Drawer, no_encodings
from judged_verdicts import judge

import posenc_gui as pe

SEED = 46


@pytest.fixture
def count(request: pytest.FixtureRequest) -> int:
    """How many are judged: a thousand if every case is asked for."""
    return 1000 if request.config.option.every_case else request.param


def judged(count: int, seed: int) -> Counter[str]:
    drawer, outcomes = Drawer(seed), Counter[str]()
    for _ in range(count):
        draw = drawer.one()
        outcome, why = judge(draw, pe.identify(draw.pasted, draw.kind, draw.before))
        assert outcome != "wrong", (draw.family, draw.fields, draw.start, draw.dtype, why)
        outcomes[outcome] += 1
    return outcomes


@pytest.mark.parametrize("count", [5, pytest.param(25, marks=pytest.mark.slow)], indirect=True)
def test_draws_that_can_be_decided_are_named(count: int) -> None:
    outcomes = judged(count, SEED)
    decided = outcomes.total() - outcomes["not named, undecidable"]
    assert outcomes["missed"] <= max(1, 0.05 * decided), outcomes


@pytest.mark.parametrize("count", [3, pytest.param(6, marks=pytest.mark.slow)], indirect=True)
def test_random_matrices_get_no_name(count: int) -> None:
    for name, numbers in islice(no_encodings(SEED), count):
        found = pe.identify(numbers)
        assert found.encoding is None, (name, tuple(numbers.shape), found.sentence)


def test_what_an_identity_and_a_ramp_look_like_is_said() -> None:
    assert pe.identify(torch.eye(6)).encoding == pe.encoding("one_hot")
    assert pe.identify(torch.arange(6.0)[:, None].expand(6, 4)).encoding == pe.encoding("integer")
