"""No encoding: attention reads a bag of words."""

from __future__ import annotations

from typing import ClassVar

from posenc_gui.encodings.base import Context, Encoding, Formula, Source


class NoEncoding(Encoding):
    """No positional encoding (NoPE).

    Without a mask, permuting the tokens permutes the outputs in the same way. A causal mask alone breaks that: Haviv et al. 2022,
    "Transformer Language Models without Positional Encodings Still Learn Positional Information"; Kazemnejad et al. 2023.
    """

    name: ClassVar[str] = "none"
    title: ClassVar[str] = "No encoding"
    summary: ClassVar[str] = "Words carry no position: without a mask attention reads a bag of words."
    equations: ClassVar[Formula] = Formula()
    untyped: ClassVar[str] = "Without an encoding nothing is brought in: there is nothing to write."
    source: ClassVar[Source] = Source(
        "Kazemnejad et al.", 2023, "The Impact of Positional Encoding on Length Generalization in Transformers"
    )
    also: ClassVar[tuple[str, ...]] = ("NoPE", "no positional encoding")
    by_degrees: ClassVar[bool] = False
    models: ClassVar[tuple[str, ...]] = ("every fourth layer of SmolLM3", "every fourth layer of Llama 4")

    def remark(self, context: Context) -> str:
        """Return what still reveals the order: a causal mask alone, or what a model that has learned reads beside."""
        if context.learned is not None and (left := context.learned.order_left):
            return left
        if context.causal:
            return "The causal mask alone already reveals the order: each query sees another set of keys."
        return "Reordering the words reorders the outputs and changes nothing else."

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: plain attention."""
        if not causal:
            return self.snippet(
                """
                # Reordering the tokens reorders the outputs alike.
                import math
                """,
                f'''
                def attention(q, k, v):
                    """q, k, v ({n_heads}, n, {d_head}) -> ({n_heads}, n, {d_head}): nothing depends on position."""
                    scores = q @ k.mT / math.sqrt({d_head})  # ({n_heads}, n, n)
                    weights = scores.softmax(dim=-1)  # each row sums to 1
                    return weights @ v
                ''',
            )
        return self.snippet(
            """
            import math

            import torch
            """,
            f'''
            def attention(q, k, v):
                """q, k, v ({n_heads}, n, {d_head}) -> ({n_heads}, n, {d_head}): the mask alone reveals the order."""
                scores = q @ k.mT / math.sqrt({d_head})  # ({n_heads}, n, n)
                future = torch.ones_like(scores, dtype=torch.bool).triu(1)  # keys after the query
                weights = scores.masked_fill(future, -math.inf).softmax(dim=-1)
                return weights @ v
            ''',
        )
