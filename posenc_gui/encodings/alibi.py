"""ALiBi: a penalty that grows with distance, added to the scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import ClassVar, Self

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, ScoreEncoding, Source, as_positions, code_literal
from posenc_gui.encodings.common.conventions import Convention, Seen
from posenc_gui.encodings.common.distances import mirror_remark
from posenc_gui.encodings.common.typed.program import number_line
from posenc_gui.foundation.wording import format_at_most

_NEAR = 0.05  # a whole largest exponent, which a slope in few digits suggests
_FLAT = 0.25  # subtracted from a score: it changes a weight by a quarter or so


# How the bias is met: slopes times this of queries (n_q, 1) and keys (n_k,).
_MET: tuple[tuple[str, str, Callable[[Tensor, Tensor], Tensor]], ...] = (
    ("slope × (key − query)", "transformers' MPT, for the last query", lambda q, k: k - q),
    ("−slope × distance", "x-transformers", lambda q, k: -(q - k).abs()),
    ("−slope × distance, 0 for later keys", "", lambda q, k: (k - q).clamp(max=0)),
    ("slope × key, as BLOOM", "transformers' BLOOM and Falcon", lambda _q, k: k),
)


class ALiBi(ScoreEncoding):
    """−slope_h · (m − n) is added to each score after scaling, a slope for each head.

    Without a causal mask the distance is |m − n|, the symmetric form used in encoders (x-transformers), which is not in
    the paper. BLOOM adds +slope · n instead, which differs by a constant in each row and so gives the same softmax.

    Source: Press, Smith, Lewis 2021, "Train Short, Test Long", section 3; slopes as in transformers' MPT and BLOOM.
    """

    name: ClassVar[str] = "alibi"
    title: ClassVar[str] = "ALiBi"
    summary: ClassVar[str] = "Subtracts from each score a penalty that grows with distance, with a slope for each head."
    equations: ClassVar[Formula] = Formula(
        where=(r"\mathrm{score}_{m,n} = \frac{q_m \cdot k_n}{\sqrt{d_\mathrm{head}}} - s_h \pos{\left| m - n \right|}",)
    )
    source: ClassVar[Source] = Source(
        "Press, Smith, Lewis",
        2021,
        "Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation",
    )
    also: ClassVar[tuple[str, ...]] = ("attention with linear biases", "linear bias")
    models: ClassVar[tuple[str, ...]] = ("BLOOM", "MPT", "JinaBERT")
    of_offset: ClassVar[bool] = True
    published_heads: ClassVar[int] = 8

    bias_max: float = Field(
        8.0,
        gt=0,
        le=64,
        title="Largest exponent",
        description="Published as bias_max: the flattest head's slope is 2 to the power of minus this.",
    )

    def slopes(self, n_heads: int) -> Tensor:
        """Return one slope per head, (n_heads,), float64: 2^(−bias_max · h / n_heads), h from 1, for a power of two. For any
        other number: the slopes of the power of two below, then every other slope of the power of two above."""
        below = 2 ** int(math.log2(n_heads))
        return torch.cat((self._powers(below), self._powers(2 * below)[::2]))[:n_heads]

    def remark(self, context: Context) -> str:
        """Return the caveats on flat slopes, on a number of heads that is no power of two, and on bias without a mask."""
        ends = torch.tensor([1, max(0, context.length - 1)])
        steepest, farthest = (-self.bias(ends, ends[:1] - 1, context.n_heads)).amax((0, 2)).tolist()
        flat = (
            f"The steepest slope here is {steepest:.2g}: even from end to end of this sentence a score loses at most "
            f"{format_at_most(farthest)}. More heads have steeper slopes."
        )
        heads = context.n_heads
        power = 2 ** (heads.bit_length() - 1)
        unsorted = (
            f"Of {heads} heads, which are no power of two, the first {power} have the slopes of {power} heads, the others every "
            f"second one of {2 * power}: slopes don't fall from head to head."
        )
        remarks = (flat * (0 < farthest < _FLAT), unsorted * (heads != power), mirror_remark(context))
        return " ".join(filter(None, remarks))

    def with_first_published(self) -> Self | None:
        """Return this encoding with a largest exponent of 1, which makes a single head's slope 1/2; None if it has that."""
        return None if self.bias_max == 1 else self.model_copy(update={"bias_max": 1.0})

    def bias(self, q_positions: Tensor, k_positions: Tensor, n_heads: int, context: Context | None = None) -> Tensor:
        """Return −slope · (m − n) under a causal mask, −slope · |m − n| without: (n_heads, n_q, n_k), float64."""
        offsets = as_positions(q_positions)[:, None] - as_positions(k_positions)
        distance = offsets if context and context.causal else offsets.abs()  # (n_q, n_k)
        return -self.slopes(n_heads).to(distance.device)[:, None, None] * distance

    @classmethod
    def conventions(cls, seen: Seen) -> Iterator[Convention]:
        """Yield slopes, and the bias for each query and key, or as a row a head; one head as that of a usual number of them."""
        if seen.kind not in ("slopes", "bias"):
            return
        heads, head, queries = seen.shape[0], slice(None), seen.shape[1] if len(seen.shape) == 3 else 1
        slope = float(seen.rates[2 ** int(math.log2(heads)) - 1].abs()) if len(seen.rates) == heads else math.nan
        most, found, alone = -math.log2(slope) if 2.0**-64 <= slope < 1 else 0.0, cls(), ""
        if heads == 1 and most and seen.kind == "bias":
            every = (
                (float(cls().slopes(of)[one]), one, of) for of in (8, 12, 16, 32, 40, 64, 112) for one in range(of)
            )
            _, place, heads = min(every, key=lambda one: abs(one[0] - slope))
            head, alone = slice(place, place + 1), f", as head {place} of {heads}"
        elif most:
            found = cls(bias_max=round(most) if abs(most - round(most)) < _NEAR and round(most) else most)
        if seen.kind == "slopes":
            yield Convention(found, "", lambda one, _m: one.slopes(heads), ("bias_max",), "transformers' MPT")
            return
        for words, source, of in _MET:

            def numbers(one: ALiBi, m: Tensor, of: Callable[[Tensor, Tensor], Tensor] = of) -> Tensor:
                times = of(m[-queries:, None], m).expand(queries, -1)  # (n_q, n_k)
                return (one.slopes(heads)[head, None, None] * times).view(seen.shape)

            yield Convention(found, words + alone, numbers, ("bias_max",), source)

    def mistakes(self, seen: Seen) -> Iterator[tuple[str, Callable[[Tensor], Tensor]]]:
        """Yield slopes by the rule of powers of two for another number of heads."""
        if seen.kind == "slopes" and seen.shape[0].bit_count() > 1:
            yield (
                f"slopes by the rule for powers of two, for {seen.shape[0]} heads,",
                lambda _m: self._powers(seen.shape[0]),
            )

    def typed(self) -> str:
        """The penalty, with the rule of any number of heads."""
        lines = (
            "bias[m, n, h] = -2^(-bias_max * share[h]) * abs(m - n)",
            "share[h] = (h + 1) / power if h < power else (h - power + 0.5) / power",
            "power = 2^floor(log2(H))  # H, or the power of two below",
        )
        return "\n".join((*lines, number_line("bias_max", self.bias_max, 1, 16)))

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: slopes times distances."""
        below, exponent = 2 ** int(math.log2(n_heads)), code_literal(self.bias_max)
        distance = "q_positions[:, None] - k_positions  # (n_q, n_k)"
        if not causal:
            distance = "(q_positions[:, None] - k_positions).abs()  # (n_q, n_k), both ways"
        rest = n_heads - below
        heads = [f"h = torch.arange(1, {below + 1}, dtype=torch.float64)  # heads, from 1 on"]
        if not rest:
            heads += [f"slopes = 2.0 ** (-{exponent} * h / {n_heads})  # ({n_heads},)"]
        else:
            heads += [
                f"below = 2.0 ** (-{exponent} * h / {below})  # ({below},)",
                f"# {n_heads} is no power of two: the rest take every other slope of {2 * below} heads",
                f"above = 2.0 ** (-{exponent} * (2 * h[:{rest}] - 1) / {2 * below})  # ({rest},)",
                f"slopes = torch.cat((below, above))  # ({n_heads},)",
            ]
        return self.snippet(
            "\n".join(("import math", "", "import torch", "", *heads)),
            f'''
            def scores(q, k, q_positions, k_positions):
                """q ({n_heads}, n_q, {d_head}), k ({n_heads}, n_k, {d_head}) -> ({n_heads}, n_q, n_k), before the mask."""
                distance = {distance}
                bias = -slopes.to(q.device)[:, None, None] * distance  # ({n_heads}, n_q, n_k)
                return q @ k.mT / math.sqrt({d_head}) + {self.share}bias.to(q)
            ''',
            self.use_of_scores(causal),
        )

    def _powers(self, count: int) -> Tensor:
        return 2.0 ** (-self.bias_max * torch.arange(1, count + 1, dtype=torch.float64) / count)
