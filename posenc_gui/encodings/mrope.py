"""M-RoPE: one ladder of frequencies whose pairs turn by time, by row, or by column."""

from __future__ import annotations

from itertools import accumulate
from typing import Annotated, ClassVar

import torch
from pydantic import Field, field_validator
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, Source, as_positions
from posenc_gui.encodings.rope import RoPE

_Share = Annotated[int, Field(ge=0, le=4096)]


class MRoPE(RoPE):
    """RoPE whose pairs take their position from time t, row h or column w of a token; in words all three are the same.

    `mrope_section` says how many pairs belong to each. They follow each other, the fastest to time, or take turns t h w t h w
    …, which gives each both fast and slow ones: then pairs beyond three times a section's number belong to time. Sections
    that don't add up to the pairs of a head are taken as proportions.

    Positions are (n, 3); single ones count three times, which is RoPE. In a session's grid of patches all have the time at which
    it begins, and rows and columns count from there; words go on one beyond the largest of these.

    Source: Wang et al. 2024, "Qwen2-VL: Enhancing Vision-Language Model's Perception of the World at Any Resolution", section
    2.1; in turns as in transformers' Qwen3-VL (`mrope_interleaved`, sections 24, 20, 20).
    """

    name: ClassVar[str] = "mrope"
    title: ClassVar[str] = "M-RoPE"
    summary: ClassVar[str] = "Turns some pairs by time, some by row and some by column."
    formula: ClassVar[Formula] = Formula(
        query=r"f_q(x_m, m) = \left(W_q x_m\right) \pos{e^{\mathrm{i}\, p_m \theta}}",
        key=r"f_k(x_n, n) = \left(W_k x_n\right) \pos{e^{\mathrm{i}\, p_n \theta}}",
        value=r"f_v(x_n, n) = W_v x_n",
        where=(
            r"\theta_i = \mathrm{base}^{-2i/r}, \quad"
            r" \pos{p_{m,i}} = \pos{t_m} \;\mathrm{or}\; \pos{h_m} \;\mathrm{or}\; \pos{w_m}",
        ),
    )
    source: ClassVar[Source] = Source(
        "Wang et al.",
        2024,
        "Qwen2-VL: Enhancing Vision-Language Model's Perception of the World at Any Resolution",
    )
    also: ClassVar[tuple[str, ...]] = ("MRoPE", "multimodal RoPE", "interleaved MRoPE")
    models: ClassVar[tuple[str, ...]] = ("Qwen2-VL", "Qwen2.5-VL", "Qwen3-VL")
    axes: ClassVar[int] = 3

    mrope_section: tuple[_Share, _Share, _Share] = Field(
        (16, 24, 24),
        title="Sections",
        description="How many pairs turn by time, by row and by column; proportions where they aren't all pairs.",
    )
    mrope_interleaved: bool = Field(
        False, title="In turns", description="Time, row and column take turns along the pairs, as in Qwen3-VL."
    )

    @field_validator("mrope_section")
    @classmethod
    def _some_pair_must_turn(cls, sections: tuple[int, int, int]) -> tuple[int, int, int]:
        if not any(sections):
            raise ValueError("at least one section must be more than 0")
        return sections

    def remark(self, context: Context) -> str:
        """How pairs are shared out, and that words don't show it."""
        pairs = self.rotated(context.d_head) // 2
        said = ["In words time, row and column are the same, so that it is RoPE; image patches tell them apart."]
        if sum(self.mrope_section) != pairs:
            t, h, w = self.sections(pairs)
            said.append(
                f"Of {pairs} pairs in each head {t} belong to time, {h} to rows and {w} to columns, in proportion."
            )
        return " ".join(filter(None, (*said, super().remark(context))))

    def sections(self, pairs: int) -> tuple[int, int, int]:
        """How many of so many pairs belong to time, row and column."""
        total = sum(self.mrope_section)
        first, second, last = (round(pairs * end / total) for end in accumulate(self.mrope_section))
        return first, second - first, last - second

    def axis(self, pairs: int) -> Tensor:
        """Which coordinate each pair turns by: (pairs,), 0 time, 1 row, 2 column."""
        sections = self.sections(pairs)
        if not self.mrope_interleaved:
            return torch.arange(3).repeat_interleave(torch.tensor(sections))
        i = torch.arange(pairs)
        axis = i % 3
        return torch.where(i < 3 * torch.tensor(sections)[axis], axis, 0)

    def places(self, positions: Tensor, pairs: int) -> Tensor:
        """The coordinate of each pair, (n, pairs)."""
        return as_positions(positions, self.axes)[:, self.axis(pairs).to(positions.device)]

    def place_lines(self, pairs: int) -> tuple[str, ...]:
        """The coordinate of each pair, in code."""
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
