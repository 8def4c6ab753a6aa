"""Rotary position embedding (RoPE): queries and keys are turned, not added to."""

from __future__ import annotations

from typing import ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, RotationEncoding, Source, as_positions, literal


class RoPE(RotationEncoding):
    """Pair i of queries and keys at position m is turned by the angle m θ_i, θ_i = base^(−2i / r).

    r is the number of rotated dimensions: all of d_head, or the first `fraction` of them, rounded down to an even number.
    The exponent uses r, as transformers' GPT-NeoX and GPT-J do, not d_head.

    Two layouts exist in public code: "half" pairs dimension i with i + r/2 (transformers' Llama, `rotate_half`),
    "interleaved" pairs 2i with 2i + 1 (Su et al. 2021, GPT-J, rotary-embedding-torch). They give the same scores only if
    the rows of W_q and W_k are reordered alike.

    Source: Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding", equations 13 to 15.
    """

    name: ClassVar[str] = "rope"
    title: ClassVar[str] = "RoPE"
    summary: ClassVar[str] = "Turns each pair of query and key dimensions by an angle that grows with position."
    formula: ClassVar[Formula] = Formula(
        query=r"f_q(x_m, m) = \left(W_q x_m\right) \pos{e^{\mathrm{i}\, m\, \theta}}",
        key=r"f_k(x_n, n) = \left(W_k x_n\right) \pos{e^{\mathrm{i}\, n\, \theta}}",
        value=r"f_v(x_n, n) = W_v x_n",
        where=(r"\theta_i = \mathrm{base}^{-2i/r}, \quad r \;\mathrm{rotated\ dimensions}",),
    )
    source: ClassVar[Source] = Source(
        "Su et al.", 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding"
    )
    models: ClassVar[tuple[str, ...]] = ("LLaMA", "Mistral", "Qwen", "Gemma", "GPT-NeoX", "GPT-J")

    base: float = Field(
        10_000.0,
        ge=1,
        le=1e9,
        title="Base",
        description="The larger, the slower the slow pairs turn.",
        json_schema_extra={"scale": "log"},
    )
    pairing: Literal["half", "interleaved"] = Field(
        "half", title="Pairing", description="Which two dimensions turn together: i with i + r/2, or 2i with 2i + 1."
    )
    fraction: float = Field(
        1.0,
        ge=0,
        le=1,
        title="Rotated fraction",
        description="The part of each head that is turned; the rest carries no position.",
        json_schema_extra={"unit": "of d_head", "step": 0.05},
    )

    def rotated(self, d_head: int) -> int:
        """The first dimensions of each head that are turned: an even number."""
        return 2 * int(d_head * self.fraction / 2 + 1e-9)  # 0.3 · 20 / 2 must not fall short of 3

    def pairs(self, d_head: int) -> tuple[Tensor, Tensor]:
        """The two dimensions of each rotated pair, as two index tensors."""
        if self.pairing == "half":
            return super().pairs(d_head)
        first = torch.arange(0, self.rotated(d_head), 2)
        return first, first + 1

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        """m θ_i: (n, d_head / 2), radians, float64, not reduced; unrotated pairs last, at 0."""
        self.require_pairs(d_head)
        positions = as_positions(positions)
        rotated = self.rotated(d_head)
        exponents = torch.arange(0, rotated, 2, dtype=torch.float64, device=positions.device) / max(rotated, 1)
        angles = positions[:, None] * self.base**-exponents  # (n, rotated / 2)
        return torch.nn.functional.pad(angles, (0, (d_head - rotated) // 2))

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Angles, and the pairs that they turn."""
        self.check_shape(d_model, n_heads, d_head)
        r = self.rotated(d_head)
        half = r // 2
        if not r:
            return self.snippet(
                "# So small a fraction of a head holds no pair of dimensions: nothing is turned.",
                f'''
                def rotate(x, positions, side="query"):
                    """x (..., n, {d_head}), positions (n,) -> x as it is, queries and keys."""
                    return x
                ''',
            )
        if self.pairing == "half":
            pairs, split, join, end = f"(i, i + {half})", f"x[..., :{half}], x[..., {half}:{r}]", "cat", ""
        else:
            pairs, split, join, end = "(2i, 2i + 1)", f"x[..., 0:{r}:2], x[..., 1:{r}:2]", "stack", ".flatten(-2)"
        whole = f"torch.cat((turned, x[..., {r}:]), dim=-1)"
        return self.snippet(
            "import torch",
            f'''
            def rotate(x, positions, side="query"):
                """x (..., n, {d_head}), positions (n,) -> alike, pairs {pairs} turned, i < {half}.

                Queries and keys (side "query", "key") turn alike.
                """
                i = torch.arange({half}, dtype=torch.float64, device=positions.device)
                frequencies = {literal(self.base)} ** (-2 * i / {r})  # radians a position
                angles = positions[:, None] * frequencies  # (n, {half}), float64
                cos, sin = angles.cos().to(x), angles.sin().to(x)
                a, b = {split}  # (..., n, {half}) each
                turned = torch.{join}((a * cos - b * sin, a * sin + b * cos), dim=-1){end}
                return {"turned" if r == d_head else whole}  # (..., n, {d_head})
            ''',
        )
