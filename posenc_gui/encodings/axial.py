"""Axial RoPE: in a picture half of the pairs turn by the row, half by the column."""

from __future__ import annotations

from typing import ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, RotationEncoding, Source, as_positions, code_literal
from posenc_gui.encodings.common.rotary import Pairing, PairingCode, base_field, pair_indices, pairing_field


class Axial(RotationEncoding):
    """The first half of the pairs turns by the first coordinate, the second half by the second: RoPE for each.

    Positions are (n, 2), such as row and column. Words have single positions and lie on the diagonal: before a session's grid
    of patches at row m and column m, after it from one past its last row or column, whichever is further.

    Both halves may use the same frequencies, base^(−4i / d), or divide those of a whole head, base^(−2i / d), between them:
    even steps for the first half, odd ones for the second. With an odd number of pairs the first half has one more.

    Source: Heo et al. 2024, "Rotary Position Embedding for Vision Transformer", section 3.2; one ladder as in transformers'
    SAM 2 and 3 (interleaved; they pass columns first) and Qwen2-VL's vision encoder (half), a shared one as in Pixtral (half).
    """

    name: ClassVar[str] = "axial"
    title: ClassVar[str] = "Axial RoPE"
    summary: ClassVar[str] = "Turns half of the pairs by a patch's row and half by its column."
    formula: ClassVar[Formula] = Formula(
        query=r"f_q(x_m, m) = \left(W_q x_m\right) \pos{e^{\mathrm{i}\, \left(h_m \theta, \; w_m \theta\right)}}",
        key=r"f_k(x_n, n) = \left(W_k x_n\right) \pos{e^{\mathrm{i}\, \left(h_n \theta, \; w_n \theta\right)}}",
        value=r"f_v(x_n, n) = W_v x_n",
        where=(r"\theta_i = \mathrm{base}^{-4i/d}, \quad \pos{h_m} \;\mathrm{row}, \; \pos{w_m} \;\mathrm{column}",),
    )
    source: ClassVar[Source] = Source("Heo et al.", 2024, "Rotary Position Embedding for Vision Transformer")
    also: ClassVar[tuple[str, ...]] = ("2-D RoPE", "2D RoPE", "two-dimensional RoPE")
    models: ClassVar[tuple[str, ...]] = ("SAM 2", "SAM 3", "Pixtral", "Qwen2-VL's vision encoder")
    axes: ClassVar[int] = 2

    base: float = base_field()
    pairing: Pairing = pairing_field("interleaved")
    ladder: Literal["one", "shared"] = Field(
        "one",
        title="Frequencies",
        description="The same for rows and columns, or those of one head divided between them.",
        json_schema_extra={"names": {"one": "the same for both", "shared": "shared out"}},
    )

    @property
    def own_formula(self) -> Formula:
        """The formula, with every other step for each half where they divide the frequencies."""
        if self.ladder == "one":
            return self.formula
        rows, columns = (rf"\mathrm{{base}}^{{-2 ({step}) / d}}" for step in ("2i", "2i + 1"))
        steps = rf"\theta_i = {rows} \;\mathrm{{for\ rows}}, \; {columns} \;\mathrm{{for\ columns}}"
        return self.formula.defining(steps, r"\pos{h_m} \;\mathrm{row}, \; \pos{w_m} \;\mathrm{column}")

    def remark(self, context: Context) -> str:
        """Return the caveat that text tokens lie on the diagonal of the grid."""
        return "Words have one position, not two: they lie on the diagonal of a picture, at row m and column m."

    def pairs(self, d_head: int) -> tuple[Tensor, Tensor]:
        """Return the two dimensions of each pair, as two index tensors."""
        return pair_indices(d_head, self.pairing)

    def frequencies(self, d_head: int) -> Tensor:
        """The frequency of each pair, those of the first coordinate first: (d_head / 2,), float64, radians a position."""
        pairs = d_head // 2
        rows = (pairs + 1) // 2
        if self.ladder == "one":
            steps = torch.cat((torch.arange(rows), torch.arange(pairs - rows))).double()
            return self.base ** (-steps / max(rows, 1))
        steps = torch.cat((torch.arange(0, pairs, 2), torch.arange(1, pairs, 2))).double()
        return self.base ** (-steps / max(pairs, 1))

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        """Return each pair's coordinate times its frequency: (n, d_head / 2), radians, float64, unreduced."""
        self.require_pairs(d_head)
        places = as_positions(positions, self.axes)  # (n, 2)
        pairs = d_head // 2
        axis = (torch.arange(pairs) >= (pairs + 1) // 2).long()
        return places[:, axis.to(places.device)] * self.frequencies(d_head).to(places.device)

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: coordinates times frequencies, and the pairs turned."""
        self.check_shape(d_model, n_heads, d_head)
        pairs, spelled = d_head // 2, PairingCode.of(d_head, self.pairing)
        rows = (pairs + 1) // 2
        steps, ladder = [f"i = torch.cat((torch.arange({rows}), torch.arange({pairs - rows})))"], rows
        if self.ladder == "shared":
            steps, ladder = [f"i = torch.cat((torch.arange(0, {pairs}, 2), torch.arange(1, {pairs}, 2)))"], pairs
        lines = [
            *steps,
            f"frequencies = {code_literal(self.base)} ** (-i.double() / {ladder})",
            "places = positions.view(len(positions), -1).expand(-1, 2)  # row, column",
            f"axis = (torch.arange({pairs}) >= {rows}).long()  # rows first",
            f"angles = places[:, axis] * frequencies.to(positions.device)  # (n, {pairs})",
            "cos, sin = angles.cos().to(x), angles.sin().to(x)",
            f"a, b = {spelled.split}  # (..., n, {pairs}) each",
            f"return torch.{spelled.join}((a * cos - b * sin, a * sin + b * cos), dim=-1){spelled.end}",
        ]
        body = "\n                ".join(lines)
        return self.snippet(
            "import torch",
            f'''
            def rotate(x, positions, side="query"):
                """x (..., n, {d_head}), positions (n,) or (n, 2) -> alike, pairs {spelled.pairs}."""
                {body}
            ''',
        )
