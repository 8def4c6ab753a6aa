"""Built-in encodings written as formulas: the same numbers, at any shape, near and far; what can't be written says why."""

from __future__ import annotations

from functools import partial
from random import Random

import pytest
import torch
from torch import Tensor

import posenc_gui as pe
from posenc_gui.encodings import classes
from posenc_gui.encodings.base import Context, Encoding, RotationEncoding
from posenc_gui.encodings.kerple import Kerple
from posenc_gui.foundation.errors import Undefined

DRAWN = Random(47)
BASE, FACTOR = (partial(DRAWN.choice, some) for some in ((100.0, 500.0, 12345.6, 1e6), (1.0, 3.0, 8.0, 17.5)))
SHAPES = (16, 1), (64, 4), (96, 12)  # d_model and heads
NEAR, FAR = torch.tensor([0.0, 1, 2, 7, 100, 999, 2047, 4095, 4096]), torch.tensor([0.0, 1, 999_999, 1_000_000])


class SharedKerple(Kerple):
    """KERPLE whose heads all have the numbers with which its formula begins."""

    def numbers(self, n_heads: int, context: Context | None) -> tuple[Tensor, Tensor]:
        """Half and one for each head."""
        return torch.full((n_heads,), 0.5), torch.ones(n_heads)


def rope(**parameters: object) -> Encoding:
    return pe.encoding("rope", base=BASE(), **parameters)


SCALINGS = [
    None,
    {"rope_type": "linear", "factor": FACTOR()},
    {"rope_type": "ntk", "factor": FACTOR()},
    {"rope_type": "proportional", "factor": FACTOR(), "partial_rotary_factor": 0.25},
]
SAID = [
    pe.encoding("integer"),
    *(pe.encoding("normalized", divisor=divisor) for divisor in ("length", "last")),
    pe.encoding("one_hot"),
    *(pe.encoding("binary", order=o, digits=d) for o in ("fast_first", "slow_first") for d in ("zero_one", "signs")),
    *(
        pe.encoding("sinusoidal", base=BASE(), layout=layout, spacing=spacing)
        for layout in ("interleaved", "concatenated", "cosine_first")
        for spacing in ("paper", "tensor2tensor")
    ),
    *(rope(pairing=pairing, scaling=scaling) for pairing in ("half", "interleaved") for scaling in SCALINGS),
    *(rope(pairing="interleaved", fraction=fraction, scaling=DRAWN.choice(SCALINGS)) for fraction in (0.0, 0.3, 0.5)),
    *(pe.encoding("alibi", bias_max=most) for most in (8.0, 1.0, DRAWN.uniform(0.1, 20))),
    *(SharedKerple(kernel=kernel) for kernel in ("logarithmic", "power")),
]


def brought_in(encoding: Encoding, positions: Tensor, d_model: int, n_heads: int) -> Tensor:
    """What an encoding adds or turns at these positions, in a model of this shape."""
    context = Context(int(positions.max()) + 1, n_heads=n_heads, d_head=d_model // n_heads)
    match encoding.door:
        case "input":
            return encoding.vectors(positions, d_model, context)
        case "rotation":
            x = torch.linspace(-1, 1, len(positions) * context.d_head, dtype=torch.float64)
            return encoding.rotate(x.view(len(positions), -1), positions, "query", context)
    return encoding.bias(positions, positions, n_heads, context)


def off_by(encoding: Encoding, positions: Tensor, d_model: int, n_heads: int) -> float:
    """The largest difference between an encoding and its formula, at the positions that both have."""
    limit = encoding.length_limit(d_model)
    positions = positions if limit is None else positions[positions < limit]
    if not len(positions):
        return 0.0
    own = pe.encoding("own", formula=encoding.typed())
    one, other = (brought_in(each, positions, d_model, n_heads) for each in (encoding, own))
    return float((one - other).abs().max())


@pytest.mark.parametrize("encoding", SAID, ids=repr)
def test_a_formula_has_the_numbers_of_the_encoding_that_it_was_written_from(encoding: Encoding) -> None:
    for d_model, n_heads in SHAPES:
        assert off_by(encoding, NEAR, d_model, n_heads) <= 1e-12
        assert off_by(encoding, FAR, d_model, n_heads) <= 1e-9


@pytest.mark.parametrize("layout", ["interleaved", "concatenated", "cosine_first"])
def test_an_odd_width_loses_the_same_wave(layout: str) -> None:
    assert off_by(pe.encoding("sinusoidal", layout=layout), NEAR, 17, 1) <= 1e-12


def test_every_encoding_can_be_written_or_says_in_a_sentence_of_its_own_why_not() -> None:
    reasons = []
    for name, cls in classes().items():
        try:
            assert pe.encoding("own", formula=cls().typed()).door == cls.door
        except Undefined as undefined:
            reasons.append(str(undefined))
            assert "not written" not in reasons[-1], name
    assert len(set(reasons)) == len(reasons) == 16


@pytest.mark.parametrize(
    "encoding",
    [
        rope(fraction=0.5),
        rope(precision="float32"),
        rope(scaling={"rope_type": "yarn"}),
        rope(scaling={"rope_type": "llama3"}),
        rope(scaling={"rope_type": "longrope", "attention_factor": 1.0}),
    ],
    ids=repr,
)
def test_what_no_angle_says_is_refused(encoding: RotationEncoding) -> None:
    with pytest.raises(Undefined, match=r"^[^\n]+\.$"):
        encoding.typed()
