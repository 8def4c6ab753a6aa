"""Binary encoding: the position's digits, each in a dimension of its own."""

from __future__ import annotations

from typing import ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, InputEncoding, Source, as_positions, require_rows

_BITS = 53  # bits of a whole number that float64 holds exactly
_BIT = r"\left\lfloor \pos{m} / 2^b \right\rfloor \;\mathrm{mod}\; 2"


class Binary(InputEncoding):
    """p_{m,b} = ⌊m / 2^b⌋ mod 2: bit b of the position in dimension b, the fastest first.

    Sinusoidal vectors are often explained as its smooth version: each bit flips at half the rate of the one before.
    Neighbours may differ in every bit, as 7 and 8 do, and the dot product of two codes doesn't show how far apart they are.

    Source: the binary counter of many introductions, as in Kazemnejad 2019.
    """

    name: ClassVar[str] = "binary"
    title: ClassVar[str] = "Binary"
    summary: ClassVar[str] = "Writes the position as a binary number, a bit in each dimension."
    equations: ClassVar[Formula] = InputEncoding.equations.defining(rf"\pos{{p_{{m,\,b}}}} = {_BIT}")
    source: ClassVar[Source] = Source("Kazemnejad", 2019, "Transformer Architecture: The Positional Encoding")
    also: ClassVar[tuple[str, ...]] = ("bits",)
    fractional: ClassVar[bool] = False

    order: Literal["fast_first", "slow_first"] = Field(
        "fast_first",
        title="Order",
        description="The bit that flips at each step stands in the first dimension, or in the last.",
    )
    digits: Literal["zero_one", "signs"] = Field(
        "zero_one",
        title="Digits",
        description="The values of a bit: 0 and 1, or −1 and +1.",
        json_schema_extra={"names": {"zero_one": "0 and 1", "signs": "−1 and +1"}},
    )

    @property
    def own_equations(self) -> Formula:
        """The formula with this order and these digits."""
        at, bit = "b" if self.order == "fast_first" else r"d_\mathrm{model} - 1 - b", _BIT
        if self.digits == "signs":
            bit = rf"2 \left({_BIT}\right) - 1"
        return self.equations.defining(rf"\pos{{p_{{m,\,{at}}}}} = {bit}")

    def length_limit(self, d_model: int) -> int | None:
        """Return 2^d_model; None from 53 dimensions on, more bits than float64 holds."""
        return 1 << d_model if d_model < _BITS else None

    def remark(self, context: Context) -> str:
        """Return a remark on the neighbouring positions whose bits differ most."""
        if context.length < 3:
            return ""
        half = 2 ** ((context.length - 1).bit_length() - 1)
        return f"From {half - 1} to {half} every bit that is in use flips, though they are neighbours."

    def vectors(self, positions: Tensor, d_model: int, context: Context | None = None) -> Tensor:
        """Return the bits of each position, (n, d_model), float64. Raises Undefined for a position that has more bits."""
        positions = as_positions(positions)
        require_rows(positions, 1 << min(d_model, _BITS), f"Numbers of {d_model} bits don't reach")
        places = torch.arange(d_model, dtype=torch.float64, device=positions.device)
        bits = (positions[:, None] / 2.0**places).floor() % 2  # (n, d_model)
        bits = bits if self.order == "fast_first" else bits.flip(-1)
        return bits if self.digits == "zero_one" else 2 * bits - 1

    def typed(self) -> str:
        """The bits in this order, as these digits."""
        bit = f"floor(m / 2^{'i' if self.order == 'fast_first' else '(d - 1 - i)'}) mod 2"
        return f"p[m, i] = {bit}" if self.digits == "zero_one" else f"p[m, i] = 2 * ({bit}) - 1"

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: division by powers of two."""
        places = f"torch.arange({d_model}, dtype=torch.float64, device=positions.device)"
        result = "bits" if self.digits == "zero_one" else "(2 * bits - 1)"
        order = "the fastest first" if self.order == "fast_first" else "the fastest last"
        flipped = "" if self.order == "fast_first" else ".flip(-1)"
        return self.snippet(
            "import torch",
            f'''
            def position_vectors(positions):
                """Positions (n,), whole -> (n, {d_model}): their binary digits, {order}."""
                places = {places}
                bits = (positions[:, None] / 2.0**places).floor() % 2  # (n, {d_model})
                return {self.share}{result}{flipped}.float()
            ''',
        )
