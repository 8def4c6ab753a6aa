"""KERPLE: a learned penalty that grows with distance, by logarithm or by power."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, ScoreEncoding, Source
from posenc_gui.encodings.common.distances import distances, mirror_remark
from posenc_gui.encodings.common.typed.program import number_line
from posenc_gui.foundation import random_streams

_LEAST = 0.01
_SCORE = r"\mathrm{score}_{m,n} = \frac{q_m \cdot k_n}{\sqrt{d}}"
_PENALTY = {
    "logarithmic": r"- p_h \ln\left(1 + a_h \pos{\left| m - n \right|}\right)",
    "power": r"- a_h \pos{\left| m - n \right|^{p_h}}",
}


class Kerple(ScoreEncoding):
    """−p_h ln(1 + a_h |m − n|), or −a_h |m − n|^(p_h), is added to each score: two learned numbers for each head.

    ALiBi is the power 1 with fixed slopes. Here the numbers are untrained: a uniform between 0 and 1, p between 0 and 2,
    both at least 0.01, from the context's seed, as the authors' code initializes them (r_1 and r_2 in the paper).

    Source: Chi et al. 2022, "KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation", equations 5 and 6;
    megatron/mpu/layers.py of its authors' repository.
    """

    name: ClassVar[str] = "kerple"
    title: ClassVar[str] = "KERPLE"
    summary: ClassVar[str] = (
        "Subtracts from each score a learned penalty that grows with the logarithm of distance, or with a power of it."
    )
    equations: ClassVar[Formula] = Formula(
        where=(rf"{_SCORE} {_PENALTY['logarithmic']} \;\;\mathrm{{or}}\;\; {_PENALTY['power']}",)
    )
    source: ClassVar[Source] = Source(
        "Chi et al.", 2022, "KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation"
    )
    also: ClassVar[tuple[str, ...]] = ("kernelized relative position", "log bias", "power bias")
    of_offset: ClassVar[bool] = True

    kernel: Literal["logarithmic", "power"] = Field(
        "logarithmic",
        title="Kernel",
        description="The penalty grows with the logarithm of distance, or with a power of it.",
    )

    @property
    def own_equations(self) -> Formula:
        """The formula with this kernel."""
        return self.equations.defining(rf"{_SCORE} {_PENALTY[self.kernel]}")

    def n_parameters(self, d_model: int, n_heads: int, d_head: int) -> int:
        """Count the learned parameters: two for each head."""
        return 2 * n_heads

    def remark(self, context: Context) -> str:
        """Return the caveats: its parameters are untrained; without a mask it can't tell left from right."""
        untrained = f"Its two numbers a head are untrained: seeded random ones (seed {context.seed})."
        return " ".join(filter(None, (untrained, mirror_remark(context))))

    def numbers(self, n_heads: int, context: Context | None) -> tuple[Tensor, Tensor]:
        """Return a and p of each head, (n_heads,) each, float32 on the CPU."""
        seed = context.seed if context else 0
        a, p = (random_streams.uniform(seed, "kerple", name, shape=(n_heads,)) for name in ("a", "p"))
        return a.clamp(min=_LEAST), (2 * p).clamp(min=_LEAST)

    def bias(self, q_positions: Tensor, k_positions: Tensor, n_heads: int, context: Context | None = None) -> Tensor:
        """Return the penalty of each head, query and key: (n_heads, n_q, n_k), float64."""
        distance = distances(q_positions, k_positions)  # (n_q, n_k)
        a, p = (number.to(distance)[:, None, None] for number in self.numbers(n_heads, context))
        return -p * (a * distance).log1p() if self.kernel == "logarithmic" else -a * distance**p

    def typed(self) -> str:
        """The penalty, with the same two numbers for all heads."""
        penalty = "b * log(1 + a * abs(m - n))" if self.kernel == "logarithmic" else "a * abs(m - n)^b"
        line = f"bias[m, n, h] = -{penalty}  # KERPLE learns an a and a b for each head"
        return "\n".join((line, number_line("a", 0.5, _LEAST, 1), number_line("b", 1, _LEAST, 2)))

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: two numbers per head, and the penalty."""
        penalty = "a[:, None, None] * distance ** p[:, None, None]"
        if self.kernel == "logarithmic":
            penalty = "p[:, None, None] * torch.log(1 + a[:, None, None] * distance)"
        return self.snippet(
            f"""
            import math

            import torch
            from torch import nn

            kerple_a = nn.Parameter(torch.rand({n_heads}))  # training fills them
            kerple_p = nn.Parameter(torch.rand({n_heads}))
            """,
            f'''
            def scores(q, k, q_positions, k_positions):
                """q ({n_heads}, n_q, {d_head}), k ({n_heads}, n_k, {d_head}) -> ({n_heads}, n_q, n_k), before the mask."""
                a, p = kerple_a.clamp(min=0.01), (2 * kerple_p).clamp(min=0.01)  # one each a head
                distance = (q_positions[:, None] - k_positions).abs().to(a)  # (n_q, n_k)
                penalty = {penalty}
                return q @ k.mT / math.sqrt({d_head}) - {self.share}penalty.to(q)
            ''',
            self.use_of_scores(causal),
        )
