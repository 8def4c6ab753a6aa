"""Generation: the last token's query over the same keys in two orders, with both weighted sums written out."""

from __future__ import annotations

import torch
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import SEEDED, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, BarSeries, Table, Told
from posenc_gui.figure.runs import Run, number_run, quote_runs, sentence
from posenc_gui.foundation.wording import isolate
from posenc_gui.measures.base import is_rounding, under
from posenc_gui.measures.generation import Generation, OneSum
from posenc_gui.plots.base import Plot, as_values, describe_first_tokens, measured, up_from_zero
from posenc_gui.plots.common.heads import HeadOptions, head_alone, in_head, of_head, require_head
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_first_tokens, format_token, name_token, twins

_DIMENSIONS = 4  # components of a head's output that are written out
_KEYS = 64  # keys per order that are written out
_WORDS = 8  # words of a prompt that are used as its name


def draw(scene: Scene, options: HeadOptions, engine: Engine) -> Figure:
    """Draw bars for the last token's weight on each key in both orders, and a table of weight · v per key and its sums."""
    require_head(scene, options.head)
    found: Generation = measured("generation", scene, engine, head=head_alone(scene, options.head))
    tokens = found.first.tokens
    keys = Axis("key", "key", 0, tuple(map(format_token, tokens)), len(tokens) - 1, twins(tokens))
    weights = [of_head(one, options.head) for one in (found.first.weights, _in_first_order(found))]
    series = tuple(
        BarSeries(_prompt(one), as_values(row)) for one, row in zip((found.first, found.second), weights, strict=True)
    )
    query = isolate(format_token(tokens[-1]))
    bars = Bars(
        f"weights of {query}, head {options.head}", "weight", keys, series, *up_from_zero(*(s.values for s in series))
    )
    dimensions, n_dimensions = _most_changed(found, options.head), found.difference.shape[1]
    most = ", that change most" if found.changes and len(dimensions) < n_dimensions else ""
    left_out = f"the first {_KEYS} of {len(tokens)} keys, sums over all" if len(tokens) > _KEYS else ""
    headline = _headline(scene, found, options.head)
    return Figure(
        panels=(bars, _table(found, options.head, dimensions)),
        headline=headline,
        caption_parts=compose_caption(
            SEEDED,
            f"the last {scene.unit} is the only query",
            f"{len(dimensions)} of {n_dimensions} dimensions of head {options.head}, before W_o{most}",
            left_out,
            describe_first_tokens(len(tokens), scene),
        ),
        description=quote_runs(headline),
    )


def _headline(scene: Scene, found: Generation, head: int) -> tuple[Run, ...]:
    """“With RoPE, in head 0, what “mat” (5) takes changes with the order of the words before it, by up to 0.61.”"""
    tokens, change = found.first.tokens, _change(found, head)
    last = name_token(tokens, len(tokens) - 1)
    begun = f"{under(scene.encoding)} {in_head(scene, head).lower()}what {last} takes "
    if not found.changes or is_rounding(change):
        told = f"{begun}doesn't change with the order of the {scene.unit}s before it: "
        return sentence(told, number_run("no"), " number in it changes.")
    why = ": the mask alone reveals the order." if scene.encoding.door == "none" else "."
    return sentence(f"{begun}changes with the order of the {scene.unit}s before it, by up to ", change, why)


def _difference(found: Generation, head: int) -> Tensor:
    """Return by how much a head's output changes, (d_head,); it may be the only one that was computed."""
    return found.difference[head if len(found.difference) > 1 else 0]


def _change(found: Generation, head: int) -> float:
    return float(_difference(found, head).abs().max())


def _most_changed(found: Generation, head: int) -> list[int]:
    """Return the dimensions of a head's output that change most, in their order."""
    largest = _difference(found, head).abs().argsort(descending=True, stable=True)
    return sorted(largest[:_DIMENSIONS].tolist())


def _in_first_order(found: Generation) -> Tensor:
    """Return the second order's weights, (h, n), with keys arranged in the first order."""
    weights = torch.empty_like(found.second.weights)
    weights[:, list(found.order)] = found.second.weights
    return weights


def _table(found: Generation, head: int, dimensions: list[int]) -> Table:
    head = head if len(found.difference) > 1 else 0  # possibly the only head that was computed
    query = isolate(format_token(found.first.tokens[-1]))
    header = ("prompt", "X", f"score of {query} with X", "weight", *_columns(dimensions))
    difference = [Told(one) if is_rounding(one) else one for one in _numbers(*found.difference[head, dimensions])]
    rows: list[tuple[str | float, ...]] = [("", "difference of the sums", "", "", *difference)]
    sums = [0]
    for one in (found.first, found.second):
        prompt = _prompt(one)
        for key, token in enumerate(one.tokens[:_KEYS]):
            rows.append((prompt, format_token(token), *_numbers(one.scores[head, key], one.weights[head, key]),
                         *_numbers(*one.terms[head, key, dimensions])))  # fmt: skip
        added = (one.total - one.terms.sum(1))[head, dimensions]
        if float(added.abs().max()) > 1e-6:
            rows.append((prompt, "added by position", "", "", *_numbers(*added)))
        sums.append(len(rows))
        rows.append((prompt, "sum", "", *_numbers(one.weights[head].sum()), *_numbers(*one.total[head, dimensions])))
    return Table("both sums, term by term", header, tuple(rows), frozenset(sums))


def _columns(dimensions: list[int]) -> list[str]:
    return [f"[{index}]" if at else f"weight · v(X)[{index}]" for at, index in enumerate(dimensions)]


def _numbers(*values: Tensor) -> list[float]:
    return [float(value) for value in values]


def _prompt(one: OneSum) -> str:
    return format_first_tokens(one.tokens, _WORDS)


PLOT = Plot(
    "Generation",
    "The last word as the only query, over two orders of those before it: both sums, term by term.",
    "Does the last word notice the order?",
    HeadOptions,
    draw,
    "Order lost and found",
)
