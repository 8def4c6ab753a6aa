"""Two hands: on each pair's clock the query's and a key's, turned by their places, and the part of their score that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import Layer, Positions
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import RotationEncoding
from posenc_gui.figure.caption_parts import SEEDED, CaptionPart, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.headline import twins_told
from posenc_gui.figure.panels import Hands, KeyHands
from posenc_gui.figure.panels.hands import as_summed
from posenc_gui.figure.runs import Run, number_run, number_runs, quote_runs, told_numbers
from posenc_gui.foundation.errors import Remedy, Undefined
from posenc_gui.foundation.wording import (
    format_count,
    format_distinct,
    format_number,
    isolate,
    quote,
    spell_count,
)
from posenc_gui.measures.base import ROUNDING
from posenc_gui.plots.base import Plot, require_tokens
from posenc_gui.plots.common.curves import Item, require_items
from posenc_gui.plots.common.heads import HeadOptions, describe_head, in_head, of_head, require_head
from posenc_gui.scene.remedies import ROPE
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token, is_word, twin_groups

_ROWS = 4  # keys with a row of their own
_CLOCKS = 8  # clocks drawn by default
_HELD = 64  # tokens up to which the hands of all keys are held, for a pointer to bring out


class HandOptions(HeadOptions):
    """The head, the pairs with a clock, and where the sentence starts."""

    pairs: tuple[Item, ...] = Field(
        (),
        max_length=64,
        title="Pairs",
        description="Which pairs have a clock, such as 0, 2, 6-8; automatic is the fastest, the slowest, and those that "
        "add most or tell equal words apart. All others are one part.",
    )
    start: float | None = Field(
        None,
        ge=0,
        le=1_000_000,
        title="Starts at",
        description="The position of the first word in this picture; the others follow, so that hands turn together.",
        json_schema_extra={"none": "as the sentence", "step": 0.25, "plays": True, "evident": True},
    )


@dataclass(frozen=True, eq=False)
class _Met:
    """The query in focus and some keys in one head, after rotation: the parts of their scores, (keys, pairs), float64.

    `still` is the part of the dimensions that don't turn, (keys,); `first` and `second` are the dimensions of each pair.
    """

    scene: Scene
    layer: Layer
    keys: tuple[int, ...]
    query_vector: Tensor  # (d,)
    key_vectors: Tensor  # (keys, d)
    first: Tensor
    second: Tensor

    @classmethod
    def of(cls, scene: Scene, layer: Layer, head: int, keys: Sequence[int]) -> _Met:
        encoding = scene.encoding
        assert isinstance(encoding, RotationEncoding)
        at = torch.tensor(keys, device=layer.turned_keys.device)
        query = of_head(layer.turned_queries[:, scene.focused or 0], head).cpu().double()
        vectors = of_head(layer.turned_keys[:, at], head).cpu().double()
        return cls(scene, layer, tuple(keys), query, vectors, *encoding.pairs(len(query)))

    @property
    def products(self) -> Tensor:
        """What each dimension adds to the score, (keys, d)."""
        return self.query_vector * self.key_vectors * self.layer.scale

    @property
    def parts(self) -> Tensor:
        products = self.products
        return products[:, self.first] + products[:, self.second]

    @property
    def still(self) -> Tensor:
        rest = torch.ones_like(self.query_vector)
        rest[self.first] = rest[self.second] = 0
        return self.products @ rest

    def tips(self, vectors: Tensor, pairs: Sequence[int]) -> Tensor:
        """The two coordinates of vectors (…, d) in each of these pairs, (…, pairs, 2)."""
        shown = list(pairs)
        return torch.stack((vectors[..., self.first[shown]], vectors[..., self.second[shown]]), dim=-1)

    def at(self, keys: Sequence[int]) -> list[int]:
        """The indices of these tokens among the keys."""
        return [self.keys.index(key) for key in keys]


def draw(scene: Scene, options: HandOptions, engine: Engine) -> Figure:
    """Draw a row for each twin that the query tells apart, else for the key of most weight; the selected key first."""
    encoding = _turning(scene)
    require_tokens(scene, "which hands its words turn")
    require_head(scene, options.head)
    prompt = replace(scene.prompt_of(scene.heads_of(options.head)), positions=_started(scene, options.start))
    query, count = scene.focused or 0, scene.n_tokens
    found = engine.attended(prompt, range(query, query + 1), range(count))
    layer = engine.layer(prompt)
    layer.require_vectors()
    visible, weights = found.visible[0].cpu(), of_head(found.weights, options.head)[0].cpu()
    twins, rows = _rows(scene, visible, weights)
    met = _Met.of(scene, layer, options.head, range(count) if count <= _HELD else rows)
    if not len(met.first):
        raise Undefined(f"{quote(encoding.called)} turns no pair of dimensions here, so there is no clock.", ROPE)
    pairs = _shown_pairs(met, options, rows)
    panel = _panel(met, pairs, rows, twins, [float(weights[key]) if visible[key] else None for key in met.keys])
    most = float(weights.max())
    is_highest = rows[0] == int(weights.argmax()) and int((weights >= (1 - ROUNDING) * most).sum()) == 1 < int(
        visible.sum()
    )
    told, columns = _headline(met, panel, twins, options, is_highest=is_highest)
    panel = replace(panel, told=columns)
    is_amber = all(key.is_twin for key in panel.shown)
    turned = "the key’s in amber, each turned by its place" if is_amber else "both turned by their places"
    kind = "dimension" if met.first.numel() == met.layer.queries.shape[-1] else "pair"
    return Figure(
        panels=(panel,),
        headline=told,
        caption_parts=compose_caption(
            SEEDED if isinstance(scene.model, ToyModel) else "",
            CaptionPart(f"the query’s hand in blue, {turned}", "accent"),
            f"a {kind} adds length × length × cosine of the wedge{_scaled(met.layer)}",
            _selected(len(pairs), len(met.first), kind, chosen=bool(options.pairs)),
            describe_head(scene, options.head),
            "" if options.start is None else CaptionPart(f"from position {format_number(options.start)}", "start"),
            CaptionPart("teal adds, rust takes away", "colours"),
        ),
        description=f"{quote_runs(told)} {panel.describe()}",
    )


def _turning(scene: Scene) -> RotationEncoding:
    """Return the scene's rotation. Raises Undefined if its queries and keys aren't turned, or not as is known here."""
    encoding, model = scene.encoding, scene.model
    if not isinstance(encoding, RotationEncoding):
        raise Undefined(f"{quote(encoding.called)} turns no queries and keys, so there are no hands.", ROPE)
    if isinstance(model, TrainedModel) and not model.is_turned:
        raise Undefined(f"Layer {model.layer} of {model.name} turns no queries and keys, so there are no hands.")
    if not encoding.known:
        raise Undefined("Which dimensions of this model turn together is known to its own code alone.")
    return encoding


def _started(scene: Scene, start: float | None) -> Positions | None:
    """Return the positions of all tokens from another start. Raises Undefined for a model that reads from the first on alone."""
    if start is None or start == scene.start:
        return scene.prompt.positions
    if why := scene.setup.why_no_start:
        raise Undefined(f"{why}.", Remedy("Start as the sentence does", options={"start": None}))
    if scene.places is not None:
        return replace(scene.places, start=start)
    return tuple(start + at for at in range(scene.n_tokens))


def _rows(scene: Scene, visible: Tensor, weights: Tensor) -> tuple[tuple[int, ...], list[int]]:
    """Return the equal words that the rows compare, if any, and the keys that have a row, first the selected one."""
    tokens, query = scene.tokens, scene.focused or 0
    seen = torch.nonzero(visible).flatten().tolist()
    largest = max(seen, key=lambda key: float(weights[key]))
    groups = [group for group in twin_groups(tokens) if is_word(tokens[group[0]])]
    twins = twins_told([{key: float(weights[key]) for key in seen}], tokens, query)
    twins = twins or next((group for group in groups if query not in group), ())
    selected = scene.keyed if scene.key is not None else None
    if selected is None:
        return twins, [*(twins or (largest,))][:_ROWS]
    twins = next((group for group in groups if selected in group), ())
    return twins, [*dict.fromkeys((selected, *(twins or (largest,))))][:_ROWS]


def _shown_pairs(met: _Met, options: HandOptions, rows: Sequence[int]) -> tuple[int, ...]:
    count = len(met.first)
    require_items(options.pairs, count, "pair", "pairs")
    if options.pairs or count <= _CLOCKS:
        return tuple(dict.fromkeys(options.pairs)) or tuple(range(count))
    parts, encoding, places = met.parts[met.at(rows)], met.scene.encoding, met.layer.positions
    assert isinstance(encoding, RotationEncoding)
    step = torch.stack([torch.zeros_like(places[0]), torch.ones_like(places[0])])
    angles = encoding.angles(step, met.scene.model.head_width, met.layer.context)[:, :count]
    speeds = (angles[1] - angles[0]).abs()
    matter = torch.maximum(parts.abs().amax(0), parts.amax(0) - parts.amin(0))
    first = (int(speeds.argmax()), int(speeds.argmin()), *matter.argsort(descending=True, stable=True).tolist())
    return tuple(sorted([*dict.fromkeys(first)][:_CLOCKS]))


def _panel(
    met: _Met, pairs: tuple[int, ...], rows: Sequence[int], twins: tuple[int, ...], weights: Sequence[float | None]
) -> Hands:
    scene, parts, still = met.scene, met.parts, met.still
    shown, tips = parts[:, list(pairs)], met.tips(met.key_vectors, pairs)
    rest = parts.sum(-1) - shown.sum(-1) if len(pairs) < parts.shape[1] else torch.zeros_like(still)
    query, encoding = met.tips(met.query_vector, pairs), scene.encoding
    assert isinstance(encoding, RotationEncoding)
    axes = encoding.axis_names(len(met.first))
    kind = "dim" if len(met.first) == met.layer.queries.shape[-1] else "pair"
    keys = tuple(
        KeyHands(
            at=key,
            label=format_token(scene.tokens[key]),
            tips=tips[row].numpy(),
            parts=shown[row].numpy(),
            weight=weights[row],
            more=float(rest[row]),
            still=float(still[row]),
            is_twin=key in twins,
        )
        for row, key in enumerate(met.keys)
    )
    at = met.at(rows)
    high = max(float(one.abs().max()) for one in (shown[at], rest[at], still[at]))
    longest = max(float(one.norm(dim=-1).max()) for one in (query, tips))
    return Hands(
        title="",
        query=scene.focused or 0,
        start=scene.start,
        label=format_token(scene.tokens[scene.focused or 0]),
        tips=query.numpy(),
        keys=keys,
        rows=tuple(at),
        pairs=pairs,
        names=tuple(" · ".join((f"{kind} {pair}", *(axes[pair : pair + 1]))) for pair in pairs),
        longest=longest or 1.0,
        high=high or 1.0,
        more=len(met.first) - len(pairs),
        still=len(met.query_vector) - 2 * len(met.first),
    )


def _headline(
    met: _Met, panel: Hands, twins: Sequence[int], options: HandOptions, *, is_highest: bool
) -> tuple[tuple[Run, ...], tuple[int, ...]]:
    """Return in which pair equal words part, or which parts make a score, as a sentence; and the columns that it names."""
    where = in_head(met.scene, options.head)
    rows = [key for key in panel.shown if key.is_twin]
    if len(rows) > 1:
        told, columns = _of_twins(panel, rows, whole=len(rows) == len(twins))
    else:
        told, columns = _of_one(met, panel, is_highest=is_highest)
    first, *others = told
    if not where and first.kind == "plain":
        first = replace(first, text=first.text[:1].upper() + first.text[1:])
    return ((Run(where),) if where else ()) + (first, *others), columns


def _of_twins(panel: Hands, rows: Sequence[KeyHands], *, whole: bool) -> tuple[list[Run], tuple[int, ...]]:
    """“the two the part most in pair 0: 0.44 against −0.28; pair 1 counts most in both.”"""
    parts = torch.tensor([key.parts.tolist() for key in rows])  # (twins, clocks)
    apart, count, word = parts.amax(0) - parts.amin(0), len(rows), Run(isolate(rows[0].label), "twin")
    at, rounding = int(apart.argmax()), ROUNDING * float(parts.abs().max())
    if float(apart[at]) <= rounding:
        each = " meets both " if count == 2 else f" meets all {spell_count(count)} "
        return [Run("on every clock "), Run(isolate(panel.label), "focus"), Run(each), word, Run(" alike.")], ()
    most = " most" if int((apart > rounding).sum()) > 1 else ""
    begun = [Run(f"the {spell_count(count)} "), word]
    begun.append(Run(f"{'' if whole else ' shown'} part{most} in {_inline(panel.names[at])}: "))
    texts = [as_summed(panel.parts(key))[at] for key in rows]
    values = parts[:, at].tolist()
    if len(told := told_numbers(values)) < count or len(set(texts)) < count:
        texts = format_distinct(told)
    numbers = (
        [number_run(texts[0]), Run(" against "), number_run(texts[-1])] if count == 2 else number_runs(texts, count)
    )
    largest = {*parts.abs().argmax(1).tolist()}
    more = f"; {_inline(panel.names[max(largest)])} counts most in {'both' if count == 2 else 'all'}."
    return [*begun, *numbers, Run(more if len(largest) == 1 and at not in largest else ".")], (at,)


def _of_one(met: _Met, panel: Hands, *, is_highest: bool) -> tuple[list[Run], tuple[int, ...]]:
    """“sat scores “cat” highest, 1.20: pair 1 adds 0.90, and pair 2 takes 0.30 away, the largest parts.”"""
    key, names, tokens = panel.shown[0], panel.columns, met.scene.tokens
    place = f" ({key.at:,})" if tokens.count(tokens[key.at]) > 1 else ""
    name = "itself" if key.at == panel.query else f"{quote(key.label)}{place}"
    told = [
        Run(isolate(panel.label), "focus"),
        Run(f" scores {name} "),
        number_run(as_summed([key.score])[0]),
        Run(": "),
    ]
    parts = panel.parts(key)
    texts = [text.removeprefix("−") for text in as_summed(parts)]
    order = sorted(range(len(parts)), key=lambda at: -abs(parts[at]))[:2]
    for number, at in enumerate(order):
        verb, end = ("adds ", "") if parts[at] >= 0 else ("takes ", " away")
        told += [Run(f"{', and ' if number else ''}{_inline(names[at])} {verb}"), number_run(texts[at])]
        told += [Run(end)] if end else []
    return [*told, Run(", the largest parts." if len(parts) > 2 else ".")], tuple(order)


def _inline(name: str) -> str:
    """“pair 0 · row” as “pair 0 (row)”."""
    name, _, axis = name.partition(" · ")
    return f"{name} ({axis})" if axis else name


def _scaled(layer: Layer) -> str:
    if abs(layer.scale - layer.model.head_width**-0.5) < 1e-12:
        return " ÷ √d"
    return "" if layer.scale == 1 else f" × {format_number(layer.scale)}"


def _selected(shown: int, total: int, kind: str, *, chosen: bool) -> str:
    """“8 of 64 pairs, the fastest, the slowest, and those that matter most; the others are one part”."""
    if shown == total:
        return ""
    which = "" if chosen else ", the fastest, the slowest, and those that matter most"
    return f"{shown} of {format_count(total, kind)}{which}; the others are one part"


PLOT = Plot(
    "Two hands",
    "Each pair's clock with the query's and a key's hand, and what the pair adds to their score.",
    "Which pairs make a score?",
    HandOptions,
    draw,
    "Encoding",
)
