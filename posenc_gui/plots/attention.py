"""Attention maps: one without any encoding, and beside it one with the chosen encoding."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.blocked_maps import BlockGrid, Overview, ScorePass, sampled
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import Attended
from posenc_gui.attention.layer import Prompt, as_indices, scale_of
from posenc_gui.attention.score_tiles import Denominators, ScoreMap
from posenc_gui.attention.toy_model import Heads
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.figure.axis import Axis, Role
from posenc_gui.figure.caption_parts import SEEDED, CaptionPart, compose_caption
from posenc_gui.figure.compare import explain
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.headline import Quantity, Row, headline_of_head, twins_told
from posenc_gui.figure.panel_pairs import difference
from posenc_gui.figure.panels import Bracket, Heatmap, MapPart, Panel, Scale, Slopes
from posenc_gui.figure.ranges import Mask, Values, end_before_largest, end_of_colours, shares
from posenc_gui.figure.runs import Run, number_run, quote_runs, sentence
from posenc_gui.figure.view import EVERYTHING, View
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.memory import Sized
from posenc_gui.foundation.wording import format_at_most, format_number, quote
from posenc_gui.measures.heads import looks_at
from posenc_gui.plots.base import WINDOW, Plot, as_values, require_tokens
from posenc_gui.plots.common.axes import focus_word, placed, token_axis
from posenc_gui.plots.common.heads import HeadOrMean, describe_head, of_head, require_head
from posenc_gui.plots.common.row_headline import headline_of_row
from posenc_gui.plots.slopes import Colours, lines_shown, row_in_focus
from posenc_gui.scene.comparison import names, phrases, title
from posenc_gui.scene.remedies import to_see_position
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token, twin_groups

_ROUNDING = 1e-6
_MARKED_UP_TO = 16  # tokens
_TOLD_APART = 0.005  # of a number: the last decimal of a cell
_NOTHING_SEEN = "none of the queries in view may see any of the keys in view"
_ALIKE = 0.03  # as a share of the colour range: maps that differ by no more look the same
_DECADES = 1e-4  # share of the largest number below which no logarithmic colour scale reaches

_NAMES: dict[Quantity, str] = {"probabilities": "weight", "scores": "score", "position": "added by position"}


class AttentionOptions(Frozen):
    """The contents of the attention maps."""

    quantity: Quantity = Field(
        "probabilities",
        title="Show",
        description="Attention weights, the scores before mask and softmax, or what position adds to the scores.",
        json_schema_extra={"names": {"probabilities": "Weights", "scores": "Scores", "position": "Added by position"}},
    )
    queries: Literal["all", "one"] = Field(
        "all", title="Queries", description="All queries, as in training, or only the one in focus, as in generation."
    )
    head: HeadOrMean = None
    row: bool = Field(
        False,
        title="Row in focus",
        description="Adds the row of the query in focus, from its values without position to those with it.",
        json_schema_extra={"shown": "alone", "evident": True},
    )
    maps: Literal["all", "sides", "difference"] = Field(
        "all",
        title="Maps",
        description="Of two encodings that are compared: A, B and B − A; A and B alone; or B − A alone. Where there is "
        "little room, B − A gives way to A and B.",
        json_schema_extra={
            "names": {"all": "A, B, B − A", "sides": "A, B", "difference": "B − A"},
            "shown": "compared",
        },
    )
    block: Literal["mean", "maximum"] = Field(
        "mean",
        title="Blocks",
        description="The value of a cell that stands for a block of a long text: the block's mean or its maximum.",
        json_schema_extra={"shown": "in blocks"},
    )
    colours: Literal["linear", "logarithmic"] = Field(
        "linear",
        title="Colours",
        description="Linear in the value, or in its logarithm, which tells small weights apart beside a large one; scores have "
        "signs, so theirs are linear.",
    )
    highest: float | None = Field(
        None,
        ge=1e-6,
        le=1e6,
        title="Colours end at",
        description="Upper end of the colour scale; larger values are clipped to it, so that one large cell doesn't darken "
        "all others. Automatic is the largest value, under a mask without the first query's 1; from 32 tokens on all but the "
        "largest 0.5% lie within. For signed values the lower end is its negative.",
    )


def draw(scene: Scene, options: AttentionOptions, engine: Engine) -> Figure | Iterator[Figure]:
    """Draw maps with one row per query and one column per key, on one scale; of a long sentence in blocks."""
    if scene.n_tokens > WINDOW:
        return draw_part(scene, options, EVERYTHING, engine)
    _require(scene, options)
    focus, window = scene.focused or 0, range(scene.n_tokens)
    compared, heads = _compared(scene, options.quantity), scene.heads_of(options.head)
    queries = window if options.queries == "all" else range(focus, focus + 1)
    rows = slice(queries.start, queries.stop)
    found = (
        _quantity(one, options, heads, lambda prompt: engine.maps(prompt, window)) for one in compared
    )  # (h, n, n)
    values = [as_values(of_head(one, options.head))[rows] for one in found]
    mask = _mask(scene, heads, queries, window, engine) if scene.model.causal else None
    coloured = _rows_of_colours(scene, options, queries)
    colours = _colours(
        [one[coloured] for one in values], None if mask is None else mask[coloured], values[0].shape, options
    )
    focus_rows = [row_of(one, options, heads, engine) for one in compared]
    head_sentence = _sentence_of_head(scene, options, values)
    brackets = [None] * len(compared) if head_sentence else _brackets(scene, options, focus_rows)
    axes = token_axis(scene, "query", "query", queries), token_axis(scene, "key", "key", window)
    drawn = tuple(
        replace(
            _panel(one, options, numbers if mask is None else numbers * ~mask, axes, mask, colours),
            equal=_equal(numbers, one) if mask is None and queries == window else frozenset(),
            bracket=bracket,
        )
        for one, numbers, bracket in zip(compared, values, brackets, strict=True)
    )
    slopes = _slopes(scene, options, focus_rows, colours)
    in_focus = _RowInFocus(head_sentence or _sentence(scene, options, focus_rows, engine), slopes)
    maps, panels = _arranged(scene, options, drawn, slopes)
    described = (_describe(panel, scene, row) for panel, row in zip(maps, focus_rows, strict=True))
    figure = _figure(scene, panels, in_focus, _caption(scene, options, maps), described)
    is_mean = options.quantity == "probabilities" and options.head is None
    return replace(figure, remedy=to_see_position(scene, engine) if is_mean else None)


def _require(scene: Scene, options: AttentionOptions) -> None:
    require_tokens(scene, "which word looks at which")
    require_head(scene, options.head)


def _brackets(scene: Scene, options: AttentionOptions, rows: list[Row]) -> list[Bracket | None]:
    """Return what the headline claims of twins in the row in focus, below each map; of few tokens, of one encoding."""
    focus = scene.focused or 0
    twins = twins_told(rows, scene.tokens, focus) if len(rows[0]) <= _MARKED_UP_TO else ()
    if not twins or scene.other is not None or options.quantity == "position":
        return [None] * len(rows)
    query = format_token(scene.tokens[focus])
    without = ("equal: the same word", "equal"), ("", "")
    claims = without, ((f"still equal for {quote(query)}", "still equal"), ("told apart by position", "told apart"))
    found: list[Bracket | None] = []
    for row, (equal, apart) in zip(rows, claims, strict=False):
        values = [row[key] for key in twins]
        spread = max(values) - min(values)
        words, brief = equal if spread <= _ROUNDING else apart if spread >= _TOLD_APART else ("", "")
        found.append(Bracket(twins, words, brief) if words else None)
    return found


def _arranged(
    scene: Scene, options: AttentionOptions, maps: tuple[Heatmap, ...], slopes: Slopes | None
) -> tuple[tuple[Heatmap, ...], tuple[Panel, ...]]:
    """Return the maps, A and B on one scale, and the panels: of the maps A, B and B − A those that the options ask for."""
    if scene.other is None:
        return maps, (*maps, slopes) if slopes else maps
    sides = tuple(replace(one, title=name) for one, name in zip(maps, names(scene), strict=True))
    apart = difference(maps[0], maps[1], names(scene))
    return sides, {"all": (*sides, apart), "sides": sides, "difference": (apart,)}[options.maps]


def draw_part(scene: Scene, options: AttentionOptions, view: View, engine: Engine) -> Iterator[Figure]:
    """Draw the visible part, in blocks if it has more tokens than pixels: first a sample, then the full map band by band."""
    _require(scene, options)
    grid = _grid(scene, options, view)
    compared = _compared(scene, options.quantity)
    in_focus = _row_in_focus(scene, options, engine)
    maps = [_score_map(one, options, engine) for one in compared]
    found = [_sampled(grid, one) for one in maps]
    yield _figure_of_blocks(scene, options, grid, found, in_focus)
    partly = [at for at, one in enumerate(found) if one.done < grid.shape[0]]
    if partly:
        every = ScorePass([maps[at] for at in partly], engine.check_stop, engine.threads, engine.pause).overviews(grid)
        with closing(every):
            for overviews in every:
                for at, overview in zip(partly, overviews, strict=True):
                    found[at] = found[at].filled(overview, "mean" if grid.exact else options.block)
                yield _figure_of_blocks(scene, options, grid, found, in_focus)


@dataclass(frozen=True, eq=False)
class _RowInFocus(Sized):
    """The headline and the slopes of the query in focus; they cover all keys, whatever part of the map is visible."""

    sentence: tuple[Run, ...]
    slopes: Slopes | None


def _row_in_focus(scene: Scene, options: AttentionOptions, engine: Engine) -> _RowInFocus:
    def compute() -> _RowInFocus:
        heads = scene.heads_of(options.head)
        rows = [row_of(one, options, heads, engine) for one in _compared(scene, options.quantity)]
        return _RowInFocus(_sentence(scene, options, rows, engine), _slopes(scene, options, rows))

    return engine.remembered(("row in focus", scene, options), compute)


def _slopes(scene: Scene, options: AttentionOptions, rows: list[Row], colours: Colours | None = None) -> Slopes | None:
    """Return a slope chart of the row in focus, without position and with it; None if unasked, of one map, or of A and B."""
    if not options.row or len(rows) == 1 or scene.other is not None:
        return None
    every = range(scene.n_tokens)
    seen, ends = np.zeros(len(every), dtype=bool), np.zeros((len(every), len(rows)), np.float32)
    for side, row in enumerate(rows):
        seen[list(row)] = True
        ends[list(row), side] = list(row.values())
    colours = colours or _colours([ends[seen]], None, (1, len(every)), options)
    return row_in_focus(scene, _NAMES[options.quantity], every, ends, seen, colours)


def _grid(scene: Scene, options: AttentionOptions, view: View) -> BlockGrid:
    every = range(scene.n_tokens)
    queries, keys = (
        every if part is None else every[max(0, part.start) : max(0, part.stop)] for part in (view.rows, view.columns)
    )
    if options.queries == "one":
        focus = scene.focused or 0
        queries = range(focus, focus + 1)
    if not queries or not keys:
        raise Undefined(f"There are the tokens 0 to {scene.n_tokens - 1}, and none of them is in view.")
    return BlockGrid.within(queries, keys, view.pixels or (WINDOW, WINDOW))


def _score_map(scene: Scene, options: AttentionOptions, engine: Engine) -> ScoreMap:
    heads = scene.heads_of(options.head)
    prompt, head = scene.prompt_of(heads), options.head if heads is None else None
    layer = engine.layer(prompt)
    if options.quantity == "probabilities":
        known = engine.remembered(("denominators", prompt), lambda: Denominators.of(layer))
        return ScoreMap(layer, head=head, denominators=known)
    layer.require_vectors()
    is_added = options.quantity == "position"
    return ScoreMap(layer, engine.layer(scene.without_position.prompt_of(heads)) if is_added else None, head)


@dataclass(frozen=True, eq=False)
class _PartialMap:
    """A partly computed map, (rows, columns): its first `done` rows of blocks are complete, the others are samples."""

    values: Values
    hidden: Mask
    done: int

    @property
    def seen(self) -> Values:
        """The unmasked values, flattened if any are masked; without a copy if none are."""
        return self.values[~self.hidden] if self.hidden.any() else self.values

    def rows(self, some: slice) -> _PartialMap:
        """Return a slice of the rows."""
        return _PartialMap(self.values[some], self.hidden[some], self.done)

    def filled(self, overview: Overview, block: Literal["mean", "maximum"]) -> _PartialMap:
        done = overview.done
        values = as_values(overview.maximum if block == "maximum" else overview.mean)
        return _PartialMap(
            np.concatenate((values[:done], self.values[done:])),
            np.concatenate((~overview.seen.numpy()[:done], self.hidden[done:])),
            done,
        )


def _sampled(grid: BlockGrid, one: ScoreMap) -> _PartialMap:
    """Compute one cell of each block; that completes the map if blocks are single cells and softmax denominators are known."""
    sample = sampled(one, grid)
    is_whole = grid.exact and one.known(grid.queries)
    return _PartialMap(as_values(sample.mean), ~sample.seen.numpy(), grid.shape[0] if is_whole else 0)


def _figure_of_blocks(
    scene: Scene, options: AttentionOptions, grid: BlockGrid, found: list[_PartialMap], in_focus: _RowInFocus
) -> Figure:
    colours = _colours_of_blocks(scene, options, grid, found)
    axes = _block_axis(scene, "query", grid.queries, grid.height), _block_axis(scene, "key", grid.keys, grid.width)
    quantity = _NAMES[options.quantity]
    quantity, part = quantity if grid.exact else f"{options.block} {quantity}", _part(scene, options, grid)
    drawn = tuple(
        replace(
            _panel(one, options, blocks.values, axes, blocks.hidden if scene.model.causal else None, colours),
            quantity=quantity,
            part=part,
        )
        for one, blocks in zip(_compared(scene, options.quantity), found, strict=True)
    )
    maps, panels = _arranged(scene, options, drawn, in_focus.slopes)
    said = _said_of_blocks(scene, options, grid, found, maps)
    done = sum(_share_done(scene, grid, one.done) for one in found) / len(found)
    return replace(_figure(scene, panels, in_focus, said, map(_described, maps)), done=done)


def _figure(
    scene: Scene,
    panels: tuple[Panel, ...],
    in_focus: _RowInFocus,
    said: Iterable[CaptionPart | str],
    described: Iterable[str],
) -> Figure:
    remark = scene.remark(scene.n_tokens) if scene.other is None else ""
    lines = lines_shown(in_focus.slopes) if in_focus.slopes else ""
    return Figure(
        panels=panels,
        headline=in_focus.sentence,
        caption_parts=compose_caption(*said, *explain(panels), lines, remark),
        description=" ".join((quote_runs(in_focus.sentence), *described)),
    )


def _share_done(scene: Scene, grid: BlockGrid, n_rows: int) -> float:
    """Return the share of a map's cells in its first `n_rows` rows of blocks; masked keys take no time."""
    first, end = grid.queries.start, grid.queries.stop
    at = min(first + n_rows * grid.height, end)
    return (at**2 - first**2) / (end**2 - first**2) if scene.model.causal else (at - first) / (end - first)


def _colours_of_blocks(scene: Scene, options: AttentionOptions, grid: BlockGrid, found: list[_PartialMap]) -> Colours:
    judged = found if not grid.exact else [one.rows(_rows_of_colours(scene, options, grid.queries)) for one in found]
    seen = [one.seen for one in judged]
    colours = _colours(seen, None, grid.shape, options)
    if not grid.exact and not colours.low and colours.high / 2 < (least := _least(seen)) < colours.high:
        # Means of large blocks are nearly equal: on a scale from 0 they would all have one colour.
        return colours._replace(low=least)
    return colours


def _part(scene: Scene, options: AttentionOptions, grid: BlockGrid) -> MapPart:
    every = range(scene.n_tokens)
    queries = every if options.queries == "all" else grid.queries
    return MapPart(grid.queries, grid.keys, grid.height, grid.width, queries, every)


def _block_axis(scene: Scene, role: Literal["query", "key"], tokens: range, size: int) -> Axis:
    """Return an axis of tokens, or of blocks of `size` tokens, labelled with the positions of their first and last token."""
    if size == 1:
        return token_axis(scene, role, role, tokens)
    stand = scene.positions[tokens.start : tokens.stop]
    parts = (stand[start : start + size] for start in range(0, len(tokens), size))
    labels = tuple(str(one[0]) if len(one) == 1 else f"{one[0]}–{one[-1]}" for one in parts)
    at = scene.focused or 0
    focus = (at - tokens.start) // size if at in tokens else None
    blocks: Role = "queries" if role == "query" else "keys"
    return Axis(blocks, blocks, 0, labels, focus)


def _said_of_blocks(
    scene: Scene, options: AttentionOptions, grid: BlockGrid, found: list[_PartialMap], maps: tuple[Heatmap, ...]
) -> Iterator[CaptionPart | str]:
    n_rows, done = grid.shape[0], min(one.done for one in found)
    if done < n_rows:
        yield f"{'' if not done else f'below row {done} of {n_rows} '}a sample, one cell of each block: the rest is on its way"
    yield SEEDED
    yield "rows: queries, columns: keys"
    yield describe_head(scene, options.head)
    if not grid.exact:
        among = " and of all heads" if options.block == "maximum" and options.head is None else ""
        of = f"{grid.height:,} × {grid.width:,} {scene.unit}s"
        yield f"each cell: {'the mean of' if options.block == 'mean' else 'the largest in'} a block of {of}{among}"
    if all(one.hidden.all() for one in found):
        yield _NOTHING_SEEN
    yield from _said_of_colours(scene, options, maps)
    if scene.n_tokens > len(grid.queries) or scene.n_tokens > len(grid.keys):
        sides = ((grid.queries, "queries"), (grid.keys, "keys"))
        yield (
            ", ".join(f"{name} {side[0]} to {side[-1]}" for side, name in sides)
            + f" of {scene.n_tokens:,} {scene.unit}s"
        )


def _described(panel: Heatmap) -> str:
    if panel.mask is not None and panel.mask.all():
        return f"{panel.title}: {_NOTHING_SEEN}."
    seen = panel.values if panel.mask is None else np.where(panel.mask, -np.inf, panel.values)
    row, column = (int(index) for index in np.unravel_index(int(seen.argmax()), seen.shape))
    at = f"{panel.rows.name(panel.rows.first + row)}, {panel.columns.name(panel.columns.first + column)}"
    return f"{panel.title}: the largest {panel.quantity} is {format_number(panel.values[row, column])}, at {at}."


def _compared(scene: Scene, quantity: Quantity) -> list[Scene]:
    first, second = scene.sides
    is_one = first.encoding == second.encoding or (quantity == "position" and first.encoding.door == "none")
    is_one = is_one or (first.encoding.door == "none" and not scene.can_lose_position)
    return [second] if is_one and scene.other is None else [first, second]


def _mask(scene: Scene, heads: Heads, queries: range, keys: range, engine: Engine) -> Mask:
    """Return the mask, (n_q, n_k): True for the keys that a query may not attend to."""
    asking, asked = (as_indices(some, engine.device) for some in (queries, keys))
    hidden: Mask = (~engine.layer(scene.prompt_of(heads)).visible(asking, asked)).cpu().numpy()
    return hidden


def row_of(scene: Scene, options: AttentionOptions, heads: Heads, engine: Engine) -> Row:
    """Return the numbers of the query in focus for every key it may attend to, drawn or not."""
    focus = scene.focused or 0
    query, every = range(focus, focus + 1), range(scene.n_tokens)
    found = _quantity(scene, options, heads, lambda prompt: engine.attended(prompt, query, every))
    values = as_values(of_head(found, options.head))[0].tolist()
    return {key: values[key] for key in np.flatnonzero(~_mask(scene, heads, query, every, engine)[0]).tolist()}


def _quantity(scene: Scene, options: AttentionOptions, heads: Heads, attended: Callable[[Prompt], Attended]) -> Tensor:
    """Return the quantity shown for each computed head, (h, n_q, n_k); position's part is what the same heads lack without
    it."""
    found = attended(scene.prompt_of(heads))
    if options.quantity == "position":
        return found.scores - attended(scene.without_position.prompt_of(heads)).scores
    return found.weights if options.quantity == "probabilities" else found.scores


def _sentence(scene: Scene, options: AttentionOptions, rows: list[Row], engine: Engine) -> tuple[Run, ...]:
    """Write the headline: what the query in focus attends to, only once if both encodings are the same."""
    of = partial(row_of, options=options, heads=scene.heads_of(options.head), engine=engine)
    told = headline_of_row(scene, rows, options.quantity, options.head, engine, of)
    return (*told, *_of_scale(scene, rows), *_of_distance(scene, rows, options.quantity))


def _of_scale(scene: Scene, rows: list[Row]) -> tuple[Run, ...]:
    """“In both maps q · k counts 4 times as much as usual: it isn’t divided by √16.” Empty at the usual scale, 1/√d_head."""
    times = scale_of(scene.model, scene.encoding) * math.sqrt(scene.model.head_width)
    if isinstance(scene.model, TrainedModel) or scene.other is not None or len(rows) == 1 or abs(times - 1) < _ROUNDING:
        return ()
    whole = scale_of(scene.model, scene.encoding) == 1
    why = f": it isn’t divided by √{scene.model.head_width}." if whole else "."
    return sentence(" In both maps q · k counts ", times, f" times as much as usual{why}")


def _of_distance(scene: Scene, rows: list[Row], quantity: Quantity) -> tuple[Run, ...]:
    """“Both stand equally far from sat.”, else “Distance parts two scores of this sentence by at most 0.02.” Empty where a
    weight in the row in focus is seen to move, and where more than distance counts."""
    encoding, row, focus = scene.encoding, rows[-1], scene.focused or 0
    by_distance = encoding.door == "score" and encoding.known and encoding.content_free and scene.other is None
    if quantity != "probabilities" or not by_distance or len(rows) == 1 or len(row) == 1:
        return ()
    if max(abs(rows[0][key] - row[key]) for key in row) >= _TOLD_APART:
        return ()
    twins = twins_told(rows, scene.tokens, focus)
    if len(twins) == 2 and sum(twins) == 2 * focus and abs(row[twins[0]] - row[twins[1]]) <= _ROUNDING:
        return sentence(" Both stand equally far from ", focus_word(scene), ".")
    where = scene.at(torch.tensor(scene.positions, dtype=torch.float64))
    asking = where[-1:] if scene.model.causal else where[[0, -1]]
    added = encoding.bias(asking, where, scene.model.n_heads, scene.context)  # (h, n_q, n)
    apart = float((added.amax(-1) - added.amin(-1)).max())
    told = " Distance parts two scores of this sentence by at most ", number_run(format_at_most(apart)), "."
    return sentence(*told) if apart else ()


def _sentence_of_head(scene: Scene, options: AttentionOptions, maps: list[Values]) -> tuple[Run, ...]:
    """Write the headline of a learned head that gives one offset, or an end of the text, more than half on average; else
    nothing."""
    model, head = scene.model, options.head
    is_whole = options.quantity == "probabilities" and options.queries == "all"
    if not isinstance(model, TrainedModel) or head is None or not is_whole or len(maps) == 1:
        return ()
    place = looks_at(torch.as_tensor(maps[-1]), scene.tokens)
    if place is None:
        return ()
    weights = [float(place.mean(torch.as_tensor(one)[None])[0]) for one in maps]
    return headline_of_head(f"head {head} of layer {model.layer}", place.words, weights, phrases(scene))


def _scale(quantity: Quantity) -> Scale:
    return "sequential" if quantity == "probabilities" else "diverging"


def _rows_of_colours(scene: Scene, options: AttentionOptions, queries: range) -> slice:
    """Return the rows of maps whose largest weight sets the end of the colour scale. Under a causal mask the first query
    attends only to itself; its weight of 1 would make all other cells pale, so it is left out unless its slopes are drawn."""
    is_drawn = options.row and scene.focused == 0
    is_certain = scene.model.causal and options.quantity == "probabilities" and queries.start == 0 and len(queries) > 1
    return slice(1 if is_certain and not is_drawn else 0, None)


def _colours(values: list[Values], mask: Mask | None, shape: tuple[int, ...], options: AttentionOptions) -> Colours:
    """Return the colour range that all maps, of the shape (rows, columns), share; logarithms need no percentile."""
    seen = values if mask is None else [one[~mask] for one in values]
    seen = [one for one in seen if one.size] or [np.ones(1, np.float32)]
    is_log = options.colours == "logarithmic" and _scale(options.quantity) == "sequential"
    high = options.highest or end_of_colours((1, 1) if is_log else shape, *seen) or 1.0
    if not is_log:
        return Colours(-high if _scale(options.quantity) == "diverging" else 0.0, high)
    return Colours(min(0.1 * high, max(_DECADES * high, min(float(one.min()) for one in seen))), high, log=True)


def _least(values: list[Values]) -> float:
    return min((float(one.min()) for one in values if one.size), default=0.0)


def _panel(
    scene: Scene,
    options: AttentionOptions,
    values: Values,
    axes: tuple[Axis, Axis],
    mask: Mask | None,
    colours: Colours,
) -> Heatmap:
    low, high, log = colours
    name, scale = _NAMES[options.quantity], _scale(options.quantity)
    return Heatmap(title(scene), name, values, *axes, low, high, scale, mask, log=log)


def _equal(values: Values, scene: Scene) -> frozenset[int]:
    """Return, for small maps, the twins whose row and column equal another twin's, up to rounding, where an encoding tells no
    token from its twin: of a model's surgeries, some."""
    if len(values) > _MARKED_UP_TO or not (scene.encoding.door == "none" or isinstance(scene.model, TrainedModel)):
        return frozenset()
    return frozenset(
        one
        for group in twin_groups(scene.tokens)
        for one in group
        for other in group
        if one != other
        and np.allclose(values[one], values[other], rtol=0, atol=_ROUNDING)
        and np.allclose(values[:, one], values[:, other], rtol=0, atol=_ROUNDING)
    )


def _caption(scene: Scene, options: AttentionOptions, maps: tuple[Heatmap, ...]) -> Iterator[CaptionPart | str]:
    yield SEEDED
    rows = "a row for each query" if options.queries == "all" else "the row of the query in focus"
    heads = describe_head(scene, options.head)
    yield from (rows, heads) if options.head is None else (heads, rows)  # what was chosen is not the first to be cut
    yield from _said_of_colours(scene, options, maps)
    if len(maps) > 1:
        yield from _alike(*maps)


def _said_of_colours(scene: Scene, options: AttentionOptions, maps: tuple[Heatmap, ...]) -> Iterator[str]:
    """Explain the colours of all maps, token by token or in blocks."""
    if len(maps) > 1:
        yield "one colour scale"
    if maps[0].log:
        yield "colours by logarithm"
    seen = (one.values if one.mask is None else one.values[~one.mask] for one in maps)
    beyond = sum(int((np.abs(values) > maps[0].high).sum()) for values in seen)
    if beyond and options.highest:
        yield f"{beyond:,} of the cells are beyond the last colour, {format_number(maps[0].high)}"
    elif beyond and not end_before_largest(maps[0].values.shape):
        yield "the first query sees itself alone: its 1 is beyond the last colour"


def _alike(plain: Heatmap, encoded: Heatmap) -> list[str]:
    """Say that two maps look the same because they are nearly equal; say nothing if they can be told apart."""
    ends = [shares(one.values, one.low, one.high, one.log) for one in (plain, encoded)]
    if np.abs(ends[1] - ends[0]).max() > _ALIKE:
        return []
    change = float(np.abs(encoded.values - plain.values).max())
    return [
        f"both look alike: the largest change is {format_number(change)}" if change > _ROUNDING else "both are equal"
    ]


def _describe(panel: Heatmap, scene: Scene, row: Row) -> str:
    focus, best = scene.focused or 0, max(row, key=row.__getitem__)
    largest = f"the largest {panel.quantity} of {placed(scene, focus)} is {format_number(row[best])}"
    return f"{panel.title}: {largest}, at {panel.columns.name(best)}."


PLOT = Plot(
    "Attention",
    "Which words attend to which, without an encoding and with it.",
    "Which word looks at which?",
    AttentionOptions,
    draw,
    "Attention",
    shows="both",
    draw_part=draw_part,
)
