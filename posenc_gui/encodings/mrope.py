"""M-RoPE: one set of frequencies whose pairs turn by time, by row, or by column."""

from __future__ import annotations

from typing import Annotated, ClassVar

import torch
from pydantic import Field, field_validator
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, Source, as_positions
from posenc_gui.encodings.common.rotary import divide_pairs, proportion_remark
from posenc_gui.encodings.rope import RoPE

_Share = Annotated[int, Field(ge=0, le=4096)]


class MRoPE(RoPE):
    """RoPE whose pairs take their position from time t, row h or column w of a token; all three are the same in text.

    `mrope_section` gives the number of pairs for each. Sections follow each other, the fastest pairs for time, or alternate,
    t h w t h w …, so that each has fast and slow pairs; then pairs beyond three times a section's number belong to time.
    Sections that don't add up to the pairs of a head are taken as proportions.

    Positions are (n, 3); single ones are repeated for all three, which is RoPE. All patches of a session's grid have the time
    at which it begins, and rows and columns count from there; words continue one past the largest of these.

    Source: Wang et al. 2024, "Qwen2-VL: Enhancing Vision-Language Model's Perception of the World at Any Resolution", section
    2.1; in turns as in transformers' Qwen3-VL (`mrope_interleaved`, sections 24, 20, 20).
    """

    name: ClassVar[str] = "mrope"
    title: ClassVar[str] = "M-RoPE"
    summary: ClassVar[str] = "Turns some pairs by time, some by row and some by column."
    equations: ClassVar[Formula] = Formula(
        query=r"f_q(x_m, m) = \left(W_q x_m\right) \pos{e^{\mathrm{i}\, p_m \theta}}",
        key=r"f_k(x_n, n) = \left(W_k x_n\right) \pos{e^{\mathrm{i}\, p_n \theta}}",
        where=(
            r"\theta_i = \mathrm{base}^{-2i/r}, \quad"
            r" \pos{p_{m,i}} = \pos{t_m} \;\mathrm{or}\; \pos{h_m} \;\mathrm{or}\; \pos{w_m}",
        ),
    )
    untyped: ClassVar[str] = "M-RoPE turns by time, row and column; a formula has one position, m."
    source: ClassVar[Source] = Source(
        "Wang et al.", 2024, "Qwen2-VL: Enhancing Vision-Language Model's Perception of the World at Any Resolution"
    )
    also: ClassVar[tuple[str, ...]] = ("MRoPE", "multimodal RoPE", "interleaved MRoPE")
    models: ClassVar[tuple[str, ...]] = ("Qwen2-VL", "Qwen2.5-VL", "Qwen3-VL")
    axes: ClassVar[int] = 3

    mrope_section: tuple[_Share, _Share, _Share] = Field(
        (16, 24, 24),
        title="Sections",
        description="Numbers of pairs that turn by time, by row and by column; proportions where they don't add up to all pairs.",
    )
    mrope_interleaved: bool = Field(
        False, title="In turns", description="Pairs alternate between time, row and column, as in Qwen3-VL."
    )

    @field_validator("mrope_section")
    @classmethod
    def _some_pair_must_turn(cls, sections: tuple[int, int, int]) -> tuple[int, int, int]:
        if not any(sections):
            raise ValueError("at least one section must be more than 0")
        return sections

    def remark(self, context: Context) -> str:
        """Return how the pairs are divided, and the caveat that text alone doesn't show it."""
        pairs = self.rotated(context.d_head) // 2
        remarks = ["For words time, row and column are the same, so it is RoPE; image patches tell them apart."]
        if sum(self.mrope_section) != pairs:
            remarks.append(proportion_remark(self.sections(pairs)))
        return " ".join(filter(None, (*remarks, super().remark(context))))

    def sections(self, pairs: int) -> tuple[int, ...]:
        """Divide this number of pairs among time, row and column."""
        return divide_pairs(pairs, self.mrope_section)

    def axis(self, pairs: int) -> Tensor:
        """Return the coordinate by which each pair turns: (pairs,), 0 time, 1 row, 2 column."""
        sections = self.sections(pairs)
        if not self.mrope_interleaved:
            return torch.arange(3).repeat_interleave(torch.tensor(sections))
        i = torch.arange(pairs)
        axis = i % 3
        return torch.where(i < 3 * torch.tensor(sections)[axis], axis, 0)

    def axis_names(self, pairs: int) -> tuple[str, ...]:
        """Return the name of each pair's coordinate."""
        return tuple(("time", "row", "column")[axis] for axis in self.axis(pairs).tolist())

    def places(self, positions: Tensor, pairs: int) -> Tensor:
        """Return the coordinate of each pair, (n, pairs)."""
        return as_positions(positions, self.axes)[:, self.axis(pairs).to(positions.device)]

    def place_lines(self, pairs: int) -> tuple[str, ...]:
        """Return lines of code that compute angles from each pair's coordinate and frequency."""
        t, h, w = self.sections(pairs)
        places = "places = positions.view(len(positions), -1).expand(-1, 3)  # t, h, w"
        if self.mrope_interleaved:
            return (
                places,
                "turn = torch.arange(len(i)) % 3  # thwthw...",
                f"axis = turn * (torch.arange(len(i)) < 3 * torch.tensor([{t}, {h}, {w}])[turn])",
                "angles = places[:, axis] * frequencies",
            )
        return (
            places,
            f"axis = torch.tensor([0, 1, 2]).repeat_interleave(torch.tensor([{t}, {h}, {w}]))",
            "angles = places[:, axis] * frequencies",
        )
