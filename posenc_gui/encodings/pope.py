"""PoPE: content sets the magnitude of each complex number, position alone its angle."""

from __future__ import annotations

from typing import ClassVar, Literal

import torch
from torch import Tensor
from torch.nn.functional import softplus

from posenc_gui.encodings.base import (
    Context,
    Formula,
    RotationEncoding,
    Side,
    Source,
    as_positions,
    code_literal,
    convert_like,
)
from posenc_gui.encodings.common.rotary import base_field


class PoPE(RotationEncoding):
    """Each number x_i of queries and keys becomes softplus(x_i) e^(i m θ_i), θ_i = base^(−i / d): d frequencies, 2 d numbers.

    A pair of RoPE's has an angle of its own, to which position's is added; here the angle is position's alone. The model also
    learns a shift of the keys' angles, which starts at 0 and is 0 here.

    Source: Gopalakrishnan et al. 2025, "Decoupling the 'What' and 'Where' With Polar Coordinate Positional Embeddings";
    x-transformers' PolarEmbedding, cosines first.
    """

    name: ClassVar[str] = "pope"
    title: ClassVar[str] = "PoPE"
    summary: ClassVar[str] = "Makes each query and key dimension an arrow: its length is content, its angle position."
    equations: ClassVar[Formula] = Formula(
        query=r"f_q(x_m, m) = \mathrm{softplus}\left(W_q x_m\right) \pos{e^{\mathrm{i}\, m\, \theta}}",
        key=r"f_k(x_n, n) = \mathrm{softplus}\left(W_k x_n\right) \pos{e^{\mathrm{i}\, n\, \theta}}",
        where=(r"\theta_i = \mathrm{base}^{-i/d}",),
    )
    untyped: ClassVar[str] = "PoPE turns each dimension by itself; a formula's angles turn pairs."
    source: ClassVar[Source] = Source(
        "Gopalakrishnan et al.", 2025, "Decoupling the “What” and “Where” With Polar Coordinate Positional Embeddings"
    )
    also: ClassVar[tuple[str, ...]] = ("polar coordinate position embedding", "polar")
    # Without angles its softplus would remain, which is not attention without position.
    by_degrees: ClassVar[bool] = False
    across: ClassVar[Literal["dimension", "pair", "head"]] = "pair"

    base: float = base_field()

    def check_shape(self, d_model: int, n_heads: int, d_head: int) -> None:
        """Accept any d_head: each dimension turns by itself."""

    def n_parameters(self, d_model: int, n_heads: int, d_head: int) -> int:
        """Count the learned parameters: the shifts of the keys' angles."""
        return n_heads * d_head

    def remark(self, context: Context) -> str:
        """Return the caveats: magnitudes are positive; without the learned shift it can't tell left from right."""
        told = "Lengths are softplus of queries and keys, above 0, so scores differ from plain ones even at position 0."
        blind = "Without the learned shift of keys' angles, which is 0 here, it can't tell a sentence from its mirror image."
        return told if context.causal else f"{told} {blind}"

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        """Return m θ_i: (n, d_head), radians, float64, unreduced."""
        positions = as_positions(positions)
        i = torch.arange(d_head, dtype=torch.float64, device=positions.device)
        return positions[:, None] * self.base ** (-i / d_head)

    def rotate(self, x: Tensor, positions: Tensor, side: Side = "query", context: Context | None = None) -> Tensor:
        """Map x (…, n, d_head) to (…, n, 2 · d_head): all real parts (cosine), then all imaginary parts (sine)."""
        angles, lengths = self.angles(positions, x.shape[-1], context), softplus(x)
        return torch.cat((lengths * convert_like(angles.cos(), x), lengths * convert_like(angles.sin(), x)), dim=-1)

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: magnitudes and angles."""
        return self.snippet(
            "import torch",
            f'''
            def rotate(x, positions, side="query"):
                """x (..., n, {d_head}), positions (n,) -> (..., n, {2 * d_head}), queries and keys alike."""
                i = torch.arange({d_head}, dtype=torch.float64, device=positions.device)
                frequencies = {code_literal(self.base)} ** (-i / {d_head})  # radians a position
                angles = positions[:, None] * frequencies  # (n, {d_head}), float64
                lengths = torch.nn.functional.softplus(x)  # content: above 0
                cos, sin = angles.cos().to(x), angles.sin().to(x)
                return torch.cat((lengths * cos, lengths * sin), dim=-1)
            ''',
        )
