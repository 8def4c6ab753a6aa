"""Scalings that slow some pairs down and leave others as they are."""

from __future__ import annotations

import math
from typing import ClassVar

from torch import Tensor

from posenc_gui.encodings.base import code_literal
from posenc_gui.encodings.common.rope_scalings.base import Scaling, factor_field
from posenc_gui.encodings.common.rotary import plain_frequencies


class Blend(Scaling):
    """θ_i (kept_i + (1 − kept_i) / factor): some pairs turn as before, some `factor` times slower, others in between."""

    theta: ClassVar[str] = r"\mathrm{base}^{-2i/r} \left(\kappa_i + (1 - \kappa_i) / s\right)"

    factor: float = factor_field(4.0)

    @property
    def terms(self) -> str:
        """Definitions of s and κ."""
        return rf"{super().terms}, \quad \kappa_i \;\mathrm{{from}}\; 1 \;\mathrm{{(fast)\ to}}\; 0 \;\mathrm{{(slow)}}"

    def kept(self, base: float, rotated: int) -> Tensor:
        """The share of its own frequency that each pair keeps: (r / 2,), 1 unchanged, 0 divided by the factor."""
        raise NotImplementedError

    def frequencies(self, base: float, rotated: int, length: int) -> Tensor:
        """Return the blended frequencies."""
        kept = self.kept(base, rotated)
        return plain_frequencies(base, rotated) * (kept + (1 - kept) / self.factor)

    def kept_lines(self, base: float, rotated: int) -> list[str]:
        """Return lines of code that compute `kept` from i and frequencies."""
        raise NotImplementedError

    def lines(self, base: float, rotated: int) -> list[str]:
        """Return lines of code: the plain frequencies, the share kept, and the blend."""
        return [
            f"frequencies = {code_literal(base)} ** (-2 * i / {rotated})  # radians a position",
            *self.kept_lines(base, rotated),
            f"frequencies = frequencies * (kept + (1 - kept) / {code_literal(self.factor)})",
        ]


def kept_by_turns(base: float, rotated: int, trained: int, few: float, many: float) -> Tensor:
    """The share kept: 0 for pairs with at most `few` turns in the trained length, 1 from `many` on, linear in between.

    Where both are one number, pairs with more turns are kept.
    """
    turns = trained * plain_frequencies(base, rotated) / (2 * math.pi)
    if few == many:
        return (turns > few).double()
    return ((turns - few) / (many - few)).clamp(0, 1)


def kept_by_turns_lines(trained: int, few: float, many: float) -> list[str]:
    """Return lines of code that compute the same as `kept_by_turns`."""
    turns = f"turns = {code_literal(trained)} * frequencies / (2 * torch.pi)  # in the trained length"
    if few == many:
        return [turns, f"kept = (turns > {code_literal(few)}).double()  # 1: as before"]
    return [
        turns,
        f"few, many = {code_literal(few)}, {code_literal(many)}",
        "kept = ((turns - few) / (many - few)).clamp(0, 1)  # 1: as before",
    ]
