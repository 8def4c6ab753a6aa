"""Two hands: on each pair's clock the query's and a key's, turned by their places, and the part of their score that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import Layer, Positions
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import RotationEncoding
from posenc_gui.figure.caption_parts import SEEDED, CaptionPart, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.headline import twins_told
from posenc_gui.figure.panels import Hands, KeyHands
from posenc_gui.figure.panels.hands import as_summed
from posenc_gui.figure.runs import Run, number_run, number_runs, quote_runs, sentence, told_numbers
from posenc_gui.foundation.errors import Remedy, Undefined
from posenc_gui.foundation.wording import format_count, format_distinct, format_number, quote, spell_count
from posenc_gui.measures.base import ROUNDING
from posenc_gui.plots.base import Plot, require_tokens
from posenc_gui.plots.common.axes import focus_word, word
from posenc_gui.plots.common.curves import Item, require_items, which
from posenc_gui.plots.common.heads import HeadOptions, describe_head, in_head, of_head, require_head
from posenc_gui.plots.common.speeds import speeds_of, unturned
from posenc_gui.scene.remedies import ROPE
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token, is_word, name_token, twin_groups

_ROWS = 4  # keys with a row of their own
_CLOCKS = 8  # clocks drawn by default
_HELD = 64  # tokens up to which the hands of all keys are held, for a pointer to bring out

Said = tuple[tuple[Run, ...], tuple[int, ...]]  # a sentence, and the columns that it names


class HandOptions(HeadOptions):
    """The head, the pairs with a clock, and where the sentence starts."""

    pairs: tuple[Item, ...] = which(
        "Pairs",
        "pairs have a clock",
        "the fastest, the slowest, and those that add most or tell equal words apart; all others are one part",
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
    """The query in focus and some keys in one head, after rotation, float64.

    query (pairs,) and vectors (keys, pairs) are complex: the first dimension of a pair is real, the second imaginary. parts
    (keys, pairs) make the scores, with what the dimensions add that don't turn, still (keys,).
    """

    layer: Layer
    keys: Sequence[int]
    query: Tensor
    vectors: Tensor
    still: Tensor
    width: int  # of a turned vector

    @classmethod
    def of(cls, scene: Scene, layer: Layer, head: int, keys: Sequence[int]) -> _Met:
        assert isinstance(scene.encoding, RotationEncoding)
        at = torch.tensor(keys, device=layer.turned_keys.device)
        query = of_head(layer.turned_queries[:, scene.focused or 0], head).cpu().double()  # (d,)
        vectors = of_head(layer.turned_keys[:, at], head).cpu().double()  # (keys, d)
        first, second = scene.encoding.pairs(len(query))
        rest = torch.ones_like(query)
        rest[first] = rest[second] = 0
        hand, hands = (torch.complex(of[..., first], of[..., second]) for of in (query, vectors))
        return cls(layer, keys, hand, hands, vectors @ (query * rest) * layer.scale, len(query))

    @property
    def count(self) -> int:
        """The number of pairs."""
        return len(self.query)

    @property
    def kind(self) -> str:
        """What has a clock: a pair, or a single dimension that becomes one by being turned."""
        return "dimension" if self.count == self.layer.queries.shape[-1] else "pair"

    @property
    def parts(self) -> Tensor:
        return (self.query * self.vectors.conj()).real * self.layer.scale


def draw(scene: Scene, options: HandOptions, engine: Engine) -> Figure:
    """Draw a row for each twin that the query tells apart, else for the key of most weight; the selected key first."""
    encoding = _turning(scene)
    require_tokens(scene, "which hands its words turn")
    require_head(scene, options.head)
    prompt = replace(scene.prompt_of(scene.heads_of(options.head)), positions=_positions(scene, options.start))
    query, count = scene.focused or 0, scene.n_tokens
    found = engine.attended(prompt, range(query, query + 1), range(count))
    layer = engine.layer(prompt)
    layer.require_vectors()
    visible, weights = found.visible[0].cpu(), of_head(found.weights, options.head)[0].cpu()
    twins, rows = _rows(scene, visible, weights)
    met = _Met.of(scene, layer, options.head, range(count) if count <= _HELD else rows)
    if not met.count:
        raise Undefined(f"{quote(encoding.titled)} turns no pair of dimensions here, so there is no clock.", ROPE)
    panel = _panel(scene, met, options, rows, twins)
    keys = (replace(key, weight=float(weights[key.at]) if visible[key.at] else None) for key in panel.keys)
    is_amber = all(key.is_twin for key in panel.shown)
    told, columns = _headline(scene, panel, twins, options)
    panel = replace(panel, keys=tuple(keys), told=columns)
    of_key = "key amber" if is_amber else "key beside it"
    numbers = "a pair’s two numbers" if met.kind == "pair" else "a dimension’s number"
    which = "equal words part most" if sum(key.is_twin for key in panel.shown) > 1 else "the largest parts"
    return Figure(
        panels=(panel,),
        headline=told,
        caption_parts=compose_caption(
            SEEDED,
            CaptionPart(f"hand: {numbers}, query blue, {of_key}", "accent"),
            CaptionPart("wedge teal: they agree, rust: they oppose", "accent"),
            f"bold: {which}" if columns else "",
            "each hand is turned by its place",
            f"a {met.kind} adds length × length × cosine of the wedge{_scaled(layer)}",
            _selected(len(panel.pairs), met, options),
            unturned(scene),
            describe_head(scene, options.head),
            "" if options.start is None else CaptionPart(f"from position {format_number(options.start)}", "start"),
        ),
        description=f"{quote_runs(told)} {panel.describe()}",
    )


def _turning(scene: Scene) -> RotationEncoding:
    """Return the scene's rotation. Raises Undefined if its queries and keys aren't turned, or not as is known here."""
    encoding, model = scene.encoding, scene.model
    if not isinstance(encoding, RotationEncoding):
        raise Undefined(f"{quote(encoding.titled)} turns no queries and keys, so there are no hands.", ROPE)
    if isinstance(model, TrainedModel) and not model.is_turned:
        raise Undefined(f"Layer {model.layer} of {model.name} turns no queries and keys, so there are no hands.")
    if not encoding.known:
        raise Undefined("Which dimensions of this model turn together is known to its own code alone.")
    return encoding


def _positions(scene: Scene, start: float | None) -> Positions | None:
    """Return the positions of all tokens from another start. Raises Undefined for a model that reads from the first on alone."""
    if start is None or start == scene.start:
        return scene.prompt.positions
    if why := scene.setup.why_no_start:
        raise Undefined(f"{why}.", Remedy("Start as the sentence does", options={"start": None}))
    if scene.places is not None:
        return replace(scene.places, start=start)
    return tuple(start + at for at in range(scene.n_tokens))


def _rows(scene: Scene, visible: Tensor, weights: Tensor) -> tuple[tuple[int, ...], list[int]]:
    """Return the equal words that rows compare, and the keys with a row: the selected one, and the nearest equal words."""
    query, selected = scene.focused or 0, scene.keyed if scene.key is not None else None
    groups = [group for group in twin_groups(scene.tokens) if is_word(scene.tokens[group[0]])]
    if selected is not None:
        twins = next((group for group in groups if selected in group), ())
    else:
        row = {key: float(weights[key]) for key in torch.nonzero(visible).flatten().tolist()}
        twins = twins_told([row], scene.tokens, query) or next((group for group in groups if query not in group), ())
    first = () if selected is None else (selected,)
    near = sorted(sorted(twins, key=lambda key: abs(key - query))[:_ROWS])
    return twins, [*dict.fromkeys((*first, *(near or (int(weights.argmax()),))))][:_ROWS]


def _shown_pairs(scene: Scene, parts: Tensor, chosen: tuple[int, ...]) -> tuple[int, ...]:
    """Return the pairs with a clock: of many the fastest, the slowest, and those that matter in these parts, (keys, pairs)."""
    count = parts.shape[1]
    require_items(chosen, count, "pair", "pairs")
    if chosen or count <= _CLOCKS:
        return tuple(dict.fromkeys(chosen)) or tuple(range(count))
    speeds = torch.tensor(speeds_of(scene).radians[:count])
    matter = torch.maximum(parts.abs().amax(0), parts.amax(0) - parts.amin(0))
    first = (int(speeds.argmax()), int(speeds.argmin()), *matter.argsort(descending=True, stable=True).tolist())
    return tuple(sorted([*dict.fromkeys(first)][:_CLOCKS]))


def _panel(scene: Scene, met: _Met, options: HandOptions, rows: Sequence[int], twins: Sequence[int]) -> Hands:
    """Return the panel, without weights."""
    encoding, at = scene.encoding, [met.keys.index(row) for row in rows]
    assert isinstance(encoding, RotationEncoding)
    pairs = _shown_pairs(scene, met.parts[at], options.pairs)
    shown, axes, kind = list(pairs), encoding.axis_names(met.count), "dim" if met.kind == "dimension" else "pair"
    columns, parts = [" · ".join((f"{kind} {pair}", *axes[pair : pair + 1])) for pair in pairs], [met.parts[:, shown]]
    if len(pairs) < met.count:
        columns.append(f"{met.count - len(pairs):,} more")
        parts.append((met.parts.sum(1) - parts[0].sum(1))[:, None])
    if 2 * met.count < met.width:
        columns.append("unturned")
        parts.append(met.still[:, None])
    whole, names = torch.cat(parts, dim=1), [format_token(scene.tokens[key]) for key in met.keys]  # (keys, columns)
    query, vectors = met.query[shown].numpy(), met.vectors[:, shown].numpy()
    return Hands(
        title="",
        query=scene.focused or 0,
        start=scene.start if options.start is None else int(options.start),
        label=format_token(scene.tokens[scene.focused or 0]),
        tips=query,
        keys=tuple(
            KeyHands(key, names[row], vectors[row], tuple(whole[row].tolist()), None, key in twins)
            for row, key in enumerate(met.keys)
        ),
        rows=tuple(at),
        pairs=pairs,
        columns=tuple(columns),
        longest=max(float(abs(query).max()), float(abs(vectors).max())) or 1.0,
        high=float(whole[at].abs().max()) or 1.0,
        more=met.count - len(pairs),
    )


def _headline(scene: Scene, panel: Hands, twins: Sequence[int], options: HandOptions) -> Said:
    """Say in which pair equal words part, or which parts make a score."""
    rows = [key for key in panel.shown if key.is_twin]
    if len(rows) < 2:
        return _of_one(scene, panel, options.head)
    parts = torch.tensor([key.parts[: len(panel.pairs)] for key in rows])  # (twins, clocks)
    apart, count, twin = parts.amax(0) - parts.amin(0), len(rows), word(scene, rows[0].at, "twin")
    at, both = int(apart.argmax()), "both" if count == 2 else "all"
    if float(apart[at]) <= ROUNDING * float(parts.abs().max()):
        each = both if count == 2 else f"all {spell_count(count)}"
        begun = in_head(scene, options.head, "On every clock ")
        return sentence(begun, focus_word(scene), f" meets {each} ", twin, " alike."), ()
    values, texts = parts[:, at].tolist(), [as_summed(key.parts)[at] for key in rows]
    if len(told := told_numbers(values)) < count or len(set(texts)) < count:
        texts = format_distinct(told)
    against = [number_run(texts[0]), Run(" against "), number_run(texts[-1])]
    numbers = against if count == 2 else number_runs(texts, count)
    largest = {*parts.abs().argmax(1).tolist()}
    more = f"; {inline_part(panel.columns[max(largest)])} counts most in {both}."
    part = f"{'' if count == len(twins) else ' shown'} part most in {inline_part(panel.columns[at])}: "
    begun = in_head(scene, options.head, f"The {spell_count(count)} ")
    end = more if len(largest) == 1 and at not in largest else "."
    return sentence(begun, twin, part, *numbers, end), (at,)


def _of_one(scene: Scene, panel: Hands, head: int) -> Said:
    """“sat scores “cat” (1) highest, 1.20: pair 1 adds 0.90, and pair 2 takes 0.30 away, the largest parts.”"""
    key, tokens = panel.shown[0], scene.tokens
    name = "itself" if key.at == panel.query else name_token(tokens, key.at, panel.start)
    most = " highest," if scene.key is None and len(tokens) > 1 else ""
    told: list[str | Run] = [in_head(scene, head), focus_word(scene), f" scores {name}{most} "]
    told.append(number_run(as_summed([key.score])[0]))
    order = sorted(range(len(key.parts)), key=lambda at: -abs(key.parts[at]))[:2]
    for between, at in zip((": ", ", and "), order, strict=False):
        verb, end = ("adds ", "") if key.parts[at] >= 0 else ("takes ", " away")
        amount = as_summed(key.parts)[at].removeprefix("−")
        told += [f"{between}{inline_part(panel.columns[at])} {verb}", number_run(amount), end]
    return sentence(*told, ", the largest parts." if len(key.parts) > 2 else "."), tuple(order)


def inline_part(name: str) -> str:
    """Name a part of a score within a sentence: “pair 0 · row” as “pair 0 (row)”."""
    name, _, axis = name.replace("unturned", "what isn’t turned").partition(" · ")
    return f"{name} ({axis})" if axis else name


def _scaled(layer: Layer) -> str:
    if abs(layer.scale - layer.model.head_width**-0.5) < 1e-12:
        return " ÷ √d"
    return "" if layer.scale == 1 else f" × {format_number(layer.scale)}"


def _selected(shown: int, met: _Met, options: HandOptions) -> str:
    """“8 of 64 pairs, the fastest, the slowest, and those that matter most; the others are one part”."""
    if shown == met.count:
        return ""
    which = "" if options.pairs else ", the fastest, the slowest, and those that matter most"
    return f"{shown} of {format_count(met.count, met.kind)}{which}; the others are one part"


PLOT = Plot(
    "Two hands",
    "Each pair's clock with the query's and a key's hand, and what the pair adds to their score.",
    "Which pairs make a score?",
    HandOptions,
    draw,
    "Encoding",
)
