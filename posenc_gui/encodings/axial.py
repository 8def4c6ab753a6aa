"""Axial RoPE: in a picture some pairs turn by the row, the others by the column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product
from typing import Annotated, Any, ClassVar, Literal, Self, cast

import torch
from pydantic import Field, model_validator
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, RotationEncoding, Source, as_positions, code_literal
from posenc_gui.encodings.common.conventions import Convention, Seen
from posenc_gui.encodings.common.rotary import (
    Pairing,
    PairingCode,
    base_field,
    divide_pairs,
    pair_indices,
    pairing_field,
    proportion_remark,
)

_NAMES = {"t": "time", "h": "row", "w": "column"}
_COORDINATES = {
    "normalized": r"\pos{\hat h_m} = \frac{2 \pos{h_m} + 1}{H} - 1 \;\;\mathrm{in}\; H \;\mathrm{rows;\ columns\ alike}",
    "pixel": r"\pos{\hat h_m} = \frac{2 \pos{h_m}}{H - 1} - 1 \;\;\mathrm{in}\; H \;\mathrm{rows;\ columns\ alike}",
}
_COORDINATE_LINES = {
    "normalized": (
        "size = places.amax(0).floor() + 1  # of the whole sequence",
        "places = (2 * places + 1) / size - 1  # centres, between -1 and 1",
    ),
    "pixel": (
        "last = places.amax(0).floor().clamp(min=1)  # of the whole sequence",
        "places = 2 * places / last - 1  # from -1 to 1",
    ),
}
_Width = Annotated[int, Field(ge=0, le=4096)]


class Axial(RotationEncoding):
    """The first pairs turn by the row, the others by the column: RoPE for each, on half of a head unless `widths` says else.

    Positions are (n, 2), row and column; with a width for time (n, 3), time, row and column. Words have single positions and
    lie on the diagonal: before a session's grid of patches at row m and column m, after it from one past its last row or
    column, whichever is further. All patches have the time at which the grid begins.

    `ladder` says by which angle pair i of an axis's n pairs turns at position p, where s positions stand along that axis:

    - one: p · base^(−i / n), the frequencies of RoPE on the axis's own width. Heo et al. 2024, "Rotary Position Embedding for
      Vision Transformer", section 3.2; transformers' SAM 2 and 3 (interleaved; they pass columns first) and Qwen2-VL's vision
      encoder (half); EVA-02 as released (interleaved: `freqs_for="lang"` in its rope.py, `in_pixels=False` in timm's eva.py).
      With widths 16, 56, 56 Flux (interleaved: black-forest-labs/flux, `EmbedND`; diffusers, `FluxPosEmbed`).
    - shared: the frequencies of a whole head, base^(−2i / d), divided: even steps for rows, odd ones for columns. Pixtral
      (half), in transformers.
    - normalized: 2π c · base^(−i / n), c = (2p + 1) / s − 1: the centres of an image's patches between −1 and 1. Siméoni et al.
      2025, "DINOv3" (half, base 100: facebookresearch/dinov3, `RopePositionEmbedding`; transformers' DINOv3 ViT).
    - pixel: π c f, f = 1 … max_frequency / 2 in even steps, c = 2p / (s − 1) − 1: outermost patches at −1 and 1. timm's
      `RotaryEmbeddingCat` with `in_pixels` and `linear_bands`, lucidrains' rotary-embedding-torch with `freqs_for="pixel"`.
    """

    name: ClassVar[str] = "axial"
    title: ClassVar[str] = "Axial RoPE"
    summary: ClassVar[str] = "Turns some pairs by a patch's row and others by its column."
    equations: ClassVar[Formula] = Formula(
        query=r"f_q(x_m, m) = \left(W_q x_m\right) \pos{e^{\mathrm{i}\, \left(h_m \theta, \; w_m \theta\right)}}",
        key=r"f_k(x_n, n) = \left(W_k x_n\right) \pos{e^{\mathrm{i}\, \left(h_n \theta, \; w_n \theta\right)}}",
        where=(r"\theta_i = \mathrm{base}^{-4i/d}, \quad \pos{h_m} \;\mathrm{row}, \; \pos{w_m} \;\mathrm{column}",),
    )
    untyped: ClassVar[str] = "Axial RoPE turns by row and column; a formula has one position, m."
    source: ClassVar[Source] = Source("Heo et al.", 2024, "Rotary Position Embedding for Vision Transformer")
    also: ClassVar[tuple[str, ...]] = ("2-D RoPE", "2D RoPE", "two-dimensional RoPE")
    models: ClassVar[tuple[str, ...]] = (
        "SAM 2", "SAM 3", "Pixtral", "Qwen2-VL's vision encoder", "EVA-02", "DINOv3", "FLUX.1",
    )  # fmt: skip

    base: float = base_field()
    pairing: Pairing = pairing_field("interleaved")
    ladder: Literal["one", "shared", "normalized", "pixel"] = Field(
        "one",
        title="Frequencies",
        description="RoPE's for each axis; those of one head divided between rows and columns, as in Pixtral; RoPE's over "
        "coordinates that go from −1 to 1, as in DINOv3; or evenly spaced ones over such coordinates, which have no base.",
        json_schema_extra={
            "names": {
                "one": "RoPE's for each axis",
                "shared": "one head's, shared out",
                "normalized": "over −1 to 1",
                "pixel": "pixel bands",
            }
        },
    )
    widths: tuple[_Width, _Width, _Width] = Field(
        (0, 1, 1),
        title="Widths",
        description="Dimensions that turn by time, by row and by column, such as 16, 56, 56 in Flux; proportions where they "
        "don't add up to a head.",
    )
    max_frequency: float = Field(
        10.0,
        ge=2,
        le=4096,
        title="Largest frequency",
        description="Of pixel bands alone: from a picture's middle to its edge the fastest pair turns a quarter of this many "
        "times.",
    )

    @model_validator(mode="after")
    def _widths_must_suit_the_ladder(self) -> Self:
        if not any(self.widths):
            raise ValueError("at least one of the widths must be more than 0")
        time, rows, columns = self.widths
        if self.ladder == "shared" and (time or rows != columns):
            raise ValueError("shared frequencies need widths of 0 for time and the same for rows and columns")
        return self

    @property
    def axes(self) -> int:  # type: ignore[override]  # a class's own number elsewhere
        """The number of coordinates: time, row and column where time has a width, otherwise row and column."""
        return 3 if self.widths[0] else 2

    @property
    def own_equations(self) -> Formula:
        """The formula with these coordinates, frequencies and widths."""
        axes = dict(list(_NAMES.items())[-self.axes :])
        widths = self.widths[-self.axes :]
        differ = len(set(widths)) > 1
        letter = r"\hat " if self._is_normalized else ""
        turned = {
            token: r", \; ".join(rf"{letter}{axis}_{token} \theta{rf'^{axis}' if differ else ''}" for axis in axes)
            for token in "mn"
        }
        query, key = (
            rf"f_{side}(x_{token}, {token}) = \left(W_{side} x_{token}\right)"
            rf" \pos{{e^{{\mathrm{{i}}\, \left({turned[token]}\right)}}}}"
            for side, token in ("qm", "kn")
        )
        places = r", \; ".join(rf"\pos{{{axis}_m}} \;\mathrm{{{name}}}" for axis, name in axes.items())
        steps = self._frequencies_in_words("-2i / d_a" if differ else f"-{2 * len(axes)}i/d")
        where = [steps, places] if self.ladder == "shared" else [rf"{steps}, \quad {places}"]
        if differ:
            where.append(rf"{' : '.join(f'd_{axis}' for axis in axes)} = {' : '.join(map(str, widths))}")
        if self._is_normalized:
            where.append(_COORDINATES[self.ladder])
        return Formula(query, key, self.equations.value, tuple(where))

    def remark(self, context: Context) -> str:
        """Return the caveats: words lie on the diagonal, coordinates depend on the length, pairs are divided in proportion."""
        words = (
            "Words have one position, not two: they lie on the diagonal of a picture, at row m and column m."
            if self.axes == 2
            else "Words have one position, not three: their time, row and column are the same."
        )
        remarks = [words]
        if self._is_normalized:
            remarks.append("The step from one position to the next depends on how many there are.")
        pairs = context.d_head // 2
        if len(set(self.widths[-self.axes :])) > 1 and sum(self.widths) != context.d_head:
            remarks.append(proportion_remark(self.sections(pairs)))
        return " ".join(remarks)

    def pairs(self, d_head: int) -> tuple[Tensor, Tensor]:
        """Return the two dimensions of each pair, as two index tensors."""
        return pair_indices(d_head, self.pairing)

    def sections(self, pairs: int) -> tuple[int, ...]:
        """Divide this number of pairs among time, row and column."""
        return divide_pairs(pairs, self.widths)

    def axis_names(self, pairs: int) -> tuple[str, ...]:
        """Return the name of each pair's coordinate."""
        return tuple(
            name for name, count in zip(_NAMES.values(), self.sections(pairs), strict=True) for _ in range(count)
        )

    def frequencies(self, d_head: int) -> Tensor:
        """The frequency of each pair, axis by axis: (d_head / 2,), float64, radians a unit of its coordinate."""
        pairs = d_head // 2
        sections = self.sections(pairs)
        if self.ladder == "pixel":
            bands = [torch.linspace(1, self.max_frequency / 2, count, dtype=torch.float64) for count in sections]
            return math.pi * torch.cat(bands)
        if self.ladder == "shared":
            exponents = torch.cat((torch.arange(0, pairs, 2), torch.arange(1, pairs, 2))).double() / max(pairs, 1)
        else:
            exponents = torch.cat([torch.arange(count, dtype=torch.float64) / max(count, 1) for count in sections])
        return self.base**-exponents * (2 * math.pi if self.ladder == "normalized" else 1)

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        """Return each pair's coordinate times its frequency: (n, d_head / 2), radians, float64, unreduced."""
        self.require_pairs(d_head)
        places = as_positions(positions, self.axes)  # (n, axes)
        if self._is_normalized:
            places = self._normalized(places, context or Context.of(places))
        sections = torch.tensor(self.sections(d_head // 2)[-self.axes :], device=places.device)
        return places.repeat_interleave(sections, dim=1) * self.frequencies(d_head).to(places.device)

    @classmethod
    def proposed(cls, seen: Seen, pairing: Mapping[str, Any], rates: Tensor) -> Iterable[Self]:
        """Yield the kinds of frequencies with the bases of released models."""
        for ladder, base in (("one", 1e4), ("shared", 1e4), ("normalized", 100.0)):
            yield cls.model_validate({"ladder": ladder, "base": base, **pairing})

    @classmethod
    def conventions(cls, seen: Seen) -> Iterable[Convention]:
        """Yield those of every rotation for as many rows as columns of patches, one row after the other."""
        rows = seen.rows or seen.shape[0]
        side = math.isqrt(rows)
        known = super().conventions(seen) if 1 < side == rows / side and seen.kind != "frequencies" else ()
        for one, first in product(known, ("row", "column")):

            def numbers(encoding: Axial, m: Tensor, read: Any = one.numbers, first: str = first) -> Tensor:
                places = (m // side, m % side) if first == "row" else (m % side, m // side)
                return cast(Tensor, read(encoding, torch.stack(places, -1)))

            yield replace(one, words=f"{one.words}, {side} × {side} patches, {first} first", numbers=numbers)

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: coordinates times frequencies, and the pairs turned."""
        self.check_shape(d_model, n_heads, d_head)
        spelled, names = PairingCode.of(d_head, self.pairing), ", ".join(list(_NAMES.values())[-self.axes :])
        lines = [
            f"pairs = {self.sections(d_head // 2)[-self.axes :]}  # by {names}",
            *self._frequency_lines(d_head // 2),
            f"places = positions.view(len(positions), -1).double().expand(-1, {self.axes})",
            *_COORDINATE_LINES.get(self.ladder, ()),
            "pairs = torch.tensor(pairs, device=places.device)",
            "frequencies = frequencies.to(places.device)",
            f"angles = places.repeat_interleave(pairs, dim=1) * frequencies  # (n, {d_head // 2})",
            *self.share_lines,
            "cos, sin = angles.cos().to(x), angles.sin().to(x)",
            f"a, b = {spelled.split}  # (..., n, {d_head // 2}) each",
            f"return {spelled.turned}",
        ]
        body = "\n                ".join(lines)
        return self.snippet(
            "import math\nimport torch" if self._is_normalized else "import torch",
            f'''
            def rotate(x, positions, side="query"):
                """x (..., n, {d_head}), positions (n,) or (n, {self.axes}) -> alike, pairs {spelled.pairs}."""
                {body}
            ''',
        )

    @property
    def _is_normalized(self) -> bool:
        return self.ladder in ("normalized", "pixel")

    def _normalized(self, places: Tensor, context: Context) -> Tensor:
        """Return coordinates that go from −1 to 1 along each axis: of cells' centres, or of the first and last place."""
        extents = places.new_tensor(context.extents or (context.length,) * self.axes)  # (axes,)
        if self.ladder == "normalized":
            return (2 * places + 1) / extents.clamp(min=1) - 1
        return 2 * places / (extents - 1).clamp(min=1) - 1

    def _frequencies_in_words(self, exponent: str) -> str:
        """Return LaTeX that defines the frequencies, with this exponent of the base where each axis has its own."""
        if self.ladder == "pixel":
            return rf"\theta_i = \pi, \ldots, {self.max_frequency / 2:g}\, \pi \;\mathrm{{in\ even\ steps}}"
        if self.ladder == "shared":
            rows, columns = (rf"\mathrm{{base}}^{{-2 ({step}) / d}}" for step in ("2i", "2i + 1"))
            return rf"\theta_i = {rows} \;\mathrm{{for\ rows}}, \; {columns} \;\mathrm{{for\ columns}}"
        turn = r"2\pi\, " if self.ladder == "normalized" else ""
        axis = "^a" if exponent.endswith("d_a") else ""
        return rf"\theta{axis}_i = {turn}\mathrm{{base}}^{{{exponent}}}"

    def _frequency_lines(self, pairs: int) -> list[str]:
        """Return lines of code that compute the frequencies, axis by axis."""
        if self.ladder == "pixel":
            bands = f"torch.linspace(1, {self.max_frequency / 2}, n, dtype=torch.float64)"
            return [f"bands = [{bands} for n in pairs]", "frequencies = math.pi * torch.cat(bands)"]
        if self.ladder == "shared":
            steps = f"torch.cat((torch.arange(0, {pairs}, 2), torch.arange(1, {pairs}, 2)))"
            return [f"i = {steps}", f"frequencies = {code_literal(self.base)} ** (-i.double() / {pairs})"]
        turn = "2 * math.pi * " if self.ladder == "normalized" else ""
        return [
            "steps = [torch.arange(n, dtype=torch.float64) / n for n in pairs]",
            f"frequencies = {turn}{code_literal(self.base)} ** -torch.cat(steps)",
        ]
