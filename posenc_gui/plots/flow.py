"""Flow: one query's whole way through attention, and the door at which position comes in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import NamedTuple

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import Attended, tile
from posenc_gui.attention.layer import Layer
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import RotationEncoding
from posenc_gui.encodings.common.strength import at_strength
from posenc_gui.figure.caption_parts import SEEDED, CaptionPart, compose_caption
from posenc_gui.figure.compared_headline import each_after_its_name
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.headline import twins_to_tell
from posenc_gui.figure.panels.flow import COLUMN_NAMES, COLUMNS, Column, Flow, Heading, Rest, Scoring, Strand
from posenc_gui.figure.runs import Run, number_run, number_runs, quote_runs, told_numbers
from posenc_gui.foundation.wording import (
    format_count,
    format_distinct,
    format_number,
    inflect,
    isolate,
    join_words,
    quote,
    spell_count,
)
from posenc_gui.measures.base import ROUNDING
from posenc_gui.measures.frequencies import turn_unevenly
from posenc_gui.plots.base import Plot, as_values, require_tokens
from posenc_gui.plots.common.heads import HeadOptions, describe_head, of_head, require_head
from posenc_gui.scene.comparison import side_names
from posenc_gui.scene.remedies import to_see_position
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token, is_word

_KEYS = 8  # keys with a row of their own
_TWINS = 2  # of them, at most this many twins of the pinned key, and this many of the query
_SHOWN = 16  # numbers of a vector that are drawn
_DIALS = 4
_TERM = "term"  # what a score door adds that depends on the tokens, too
_HALF = 0.5  # where the colours of weights end if none is larger, so that those of several keys are told apart


class FlowOptions(HeadOptions):
    """The head, and how far the way is drawn."""

    step: int | None = Field(
        None,
        ge=1,
        le=len(COLUMNS),
        title="Up to step",
        description="The last step that is drawn: "
        f"{', '.join(f'{number} {name}' for number, name in enumerate(COLUMN_NAMES.values(), 1))}.",
        json_schema_extra={"none": "all", "plays": "steps"},
    )


@dataclass(frozen=True, eq=False)
class _Side:
    """One encoding's attention of the query in focus, in one head."""

    scene: Scene
    head: int
    layer: Layer
    found: Attended  # of the query over all keys

    @classmethod
    def of(cls, scene: Scene, head: int, engine: Engine) -> _Side:
        prompt, query = scene.prompt_of(scene.heads_of(head)), scene.focused or 0
        found = engine.attended(prompt, range(query, query + 1), range(scene.n_tokens))
        layer = engine.layer(prompt)
        layer.require_vectors()
        return cls(scene, head, layer, found)

    @property
    def query(self) -> int:
        return self.scene.focused or 0

    @property
    def visible(self) -> Tensor:
        """The mask, (n,)."""
        return self.found.visible[0]

    @property
    def weights(self) -> Tensor:
        """The weights of all keys, (n,)."""
        return self.in_head(self.found.weights)[0]

    def in_head(self, heads: Tensor) -> Tensor:
        return of_head(heads, self.head).cpu()

    def vectors(self, heads: Tensor, at: Tensor) -> Tensor:
        """Select these tokens' vectors of the head, (h, n, d) → (at, d)."""
        return self.in_head(heads[:, at.to(heads.device)])


def draw(scene: Scene, options: FlowOptions, engine: Engine) -> Figure:
    """Draw one query's way to its output; of a longer text, eight keys and the others as one; compared, A above B."""
    require_tokens(scene, "how a word reads the others")
    require_head(scene, options.head)
    sides = [_Side.of(one, options.head, engine) for one in ((scene,) if scene.other is None else scene.sides)]
    chosen = _chosen(scene, sides[0])
    panels = [_panel(side, chosen, options, engine) for side in sides]
    if scene.other is not None:
        titles = (f"{side}: {name}" for side, name in zip("AB", side_names(scene), strict=True))
        panels = [replace(panel, title=title) for panel, title in zip(panels, titles, strict=True)]
    first, *second = (tuple(_sentence(side, panel)) for side, panel in zip(sides, panels, strict=True))
    headline = each_after_its_name(first, second[0], ("A", "B")) if second else first
    return Figure(
        panels=tuple(panel.on_scale_of(panels) for panel in panels),
        across=1,
        headline=headline,
        remedy=to_see_position(scene, engine) if scene.model.n_heads == 1 else None,
        caption_parts=compose_caption(
            SEEDED, _walked(panels[0]), *_shown_numbers(sides, panels), describe_head(scene, options.head)
        ),
        description=" ".join([quote_runs(headline), *(panel.describe() for panel in panels)]),
    )


class _Chosen(NamedTuple):
    """The keys that are shown, in the order of the sentence; the indices among them of the pinned one, and of all from the
    first to the last that is worth showing."""

    keys: list[int]
    pinned: int
    ranks: tuple[int, ...]


def _chosen(scene: Scene, side: _Side) -> _Chosen:
    """Choose all keys of a short text; else the query, the selected key, a few twins of both, and the largest weights."""
    weights, tokens = side.weights, scene.tokens
    selected = scene.keyed if scene.key is not None else None
    visible = int(side.visible.sum())
    largest = weights.argsort(descending=True, stable=True)[:visible].tolist()
    pinned = _in_question(scene, side, largest) if selected is None else selected

    def twins(of: int) -> list[int]:
        return [*islice((at for at in largest if tokens[at] == tokens[of] and at != of), _TWINS)]

    repeated = [at for at in largest if at in scene.sentence.twins] if len(tokens) <= _KEYS else []
    hidden = range(len(tokens)) if len(tokens) <= _KEYS else ()
    wanted = dict.fromkeys((pinned, *twins(pinned), side.query, *twins(side.query), *repeated, *largest, *hidden))
    first = [*wanted][:_KEYS]
    keys = sorted(first)
    return _Chosen(keys, keys.index(pinned), tuple(map(keys.index, first)))


def _in_question(scene: Scene, side: _Side, largest: Sequence[int]) -> int:
    """Return the key whose sum is told first: of the keys, from the largest weight down, one that has a twin in sight, since
    the sentence is about twins; else that with the largest weight."""
    tokens, seen = scene.tokens, Counter(scene.tokens[at] for at in largest)
    own = tokens[side.query]
    return next(
        (at for at in largest if seen[tokens[at]] > 1 and tokens[at] != own and is_word(tokens[at])), largest[0]
    )


def _panel(side: _Side, chosen: _Chosen, options: FlowOptions, engine: Engine) -> Flow:
    scene, layer, encoding = side.scene, side.layer, side.scene.encoding
    keys, pinned, ranks = chosen
    at = torch.tensor(keys)
    numbers = _scoring(side, at)
    plain = None
    if encoding.door != "none" and scene.can_lose_position:
        plain = _scoring(_Side.of(scene.without_position, options.head, engine), at)
    visible = side.visible[at]
    output, added = (side.in_head(part)[0, :_SHOWN] for part in (side.found.heads, side.found.added))
    query, *strands = _strands(side, at, numbers, visible)
    vectors = [vector for one in (query, *strands) for _, vector in one.projected]
    vectors += [vector for one in (query, *strands) for vector in (one.word, one.position) if vector is not None]
    others = int(side.visible.sum() - visible.sum())
    weight = float(side.weights.double().sum() - side.weights[at].double().sum())
    return Flow(
        title="",
        headings=_headings(side),
        query=query,
        keys=tuple(strands),
        visible=visible.numpy(),
        numbers=numbers,
        plain=plain,
        output=as_values(output),
        output_added=as_values(added) if bool(added.any()) else None,
        vector_high=max(float(abs(vector).max()) for vector in (*vectors, as_values(output))) or 1.0,
        score_high=max(float(abs(part).max()) for part in (numbers.products, numbers.added)) or 1.0,
        weight_high=_HALF if float(numbers.weights.max()) <= _HALF else 1.0,
        scale=_scale(layer),
        pinned=pinned,
        rest=Rest(others, max(weight, 0.0)) if others else None,
        twins=frozenset(row for row, key in enumerate(keys) if key in scene.sentence.twins),
        ranks=ranks,
        held=scene.key is not None,
        reached=COLUMNS[(options.step or len(COLUMNS)) - 1],
    )


def _scoring(side: _Side, keys: Tensor) -> Scoring:
    layer, query = side.layer, range(side.query, side.query + 1)
    part = tile(layer, query, keys)
    of_query, of_keys = side.vectors(layer.queries, torch.tensor([*query])), side.vectors(layer.keys, keys)
    turned, added = (side.in_head(of)[0] for of in (part.dots, part.added))
    scores = side.in_head(side.found.scores)[0]
    largest = float(scores[side.visible].max())
    logarithm = float(side.in_head(side.found.log_denominators)[0].double())
    return Scoring(
        dots=as_values((of_query @ of_keys.mT)[0]),
        turned=as_values(turned),
        products=as_values(turned * part.scale),
        added=as_values(added),
        scores=as_values(scores[keys]),
        weights=as_values(side.weights[keys]),
        largest=largest,
        total=float(torch.tensor(logarithm - largest, dtype=torch.float64).exp()),
    )


def _strands(side: _Side, keys: Tensor, numbers: Scoring, visible: Tensor) -> list[Strand]:
    """Return the strand of the query, then of each key."""
    scene, layer, encoding = side.scene, side.layer, side.scene.encoding
    at = torch.cat([torch.tensor([side.query]), keys])
    tokens = tuple(scene.tokens[one] for one in at.tolist())
    inputs = layer.inputs[at.to(layer.inputs.device)].cpu()
    places = layer.positions[at.to(layer.positions.device)]
    words, positions, angles = inputs, None, None
    if layer.index == 0 and isinstance(scene.model, ToyModel):
        words = scene.model.embed(tokens) * scene.model.embedding_scale
        if encoding.door == "input":
            positions = encoding.vectors(places, scene.model.d_model, layer.context).cpu()
    if _door(scene) == "rotation":
        angles = _fastest(side, places)
    queries, of_keys, values = (side.vectors(of, at) for of in (layer.queries, layer.keys, layer.values))
    turned = side.vectors(layer.turned_keys, keys)
    stages: dict[Column, Tensor] = {
        "x": words[1:],
        "input": inputs[1:],
        "projections": of_keys[1:],
        "rotation": turned,
        "products": torch.from_numpy(numbers.products)[:, None],
        "score": torch.from_numpy(numbers.scores)[:, None],
        "weight": torch.from_numpy(numbers.weights).masked_fill(~visible, torch.nan)[:, None],
    }
    value_stages: dict[Column, Tensor] = {"x": words[1:], "input": inputs[1:], "projections": values[1:]}
    parted, value_parted = (_parted(of, tokens[1:]) for of in (stages, value_stages))
    strands = []
    for row, token in enumerate(tokens):
        of = (("q", queries),) if row == 0 else (("k", of_keys), ("v", values))
        strands.append(
            Strand(
                at=int(at[row]),
                start=scene.start,
                label=format_token(token),
                word=as_values(words[row, :_SHOWN]),
                projected=tuple((name, as_values(vectors[row, :_SHOWN])) for name, vectors in of),
                position=None if positions is None else as_values(positions[row, :_SHOWN]),
                angles=None if angles is None else angles[row].numpy(),
                parted=frozenset() if row == 0 else parted[row - 1],
                value_parted=frozenset() if row == 0 else value_parted[row - 1],
            )
        )
    return strands


def _fastest(side: _Side, places: Tensor) -> Tensor:
    """Return the angles of the pairs that turn fastest, (n, dials), float64."""
    still, moved = _angles(side, torch.stack([torch.zeros_like(places[0]), torch.ones_like(places[0])]))
    pairs = (moved - still).abs().argsort(descending=True, stable=True)[:_DIALS].sort().values
    return _angles(side, places)[:, pairs]


def _angles(side: _Side, places: Tensor) -> Tensor:
    """Return the angles of all pairs, (n, pairs), radians, float64."""
    encoding = side.scene.encoding
    assert isinstance(encoding, RotationEncoding)
    return encoding.angles(places, side.scene.model.head_width, side.layer.context).cpu().double()


def _parted(stages: dict[Column, Tensor], tokens: Sequence[str]) -> list[frozenset[Column]]:
    """Return for each token the columns where its vector, (tokens, d), differs from an equal token's; NaN from none."""
    found: list[set[Column]] = [set() for _ in tokens]
    twins = [pair for pair in combinations(range(len(tokens)), 2) if tokens[pair[0]] == tokens[pair[1]]]
    for column, vectors in stages.items():
        rounding = ROUNDING * float(vectors.nan_to_num().norm(dim=-1).max())
        for one, other in twins:
            if float((vectors[one] - vectors[other]).norm()) > rounding:
                found[one].add(column)
                found[other].add(column)
    return [frozenset(columns) for columns in found]


def _headings(side: _Side) -> tuple[Heading, ...]:
    scene, layer, encoding = side.scene, side.layer, side.scene.encoding
    below = layer.index > 0
    closed = {door: Heading(door, "closed", "closed") for door in ("input", "rotation", "score")}
    share = "" if encoding.strength == 1 else f"{format_number(encoding.strength)} "
    opened = {
        "input": Heading("input", "added in layer 0" if below else f"+ {share}p", "open"),
        "rotation": Heading("rotation", f"q, k by {share}m · θ", "open"),
        "score": Heading("score", f"+ {share}{'bias' if encoding.content_free else _TERM}", "open"),
    }
    doors = {name: opened[name] if name == _door(scene) else closed[name] for name in closed}
    root = layer.scale != 1
    adds = bool(side.found.added.any())
    return (
        Heading("query"),
        Heading("x", f"layer {layer.index}’s input" if below else "word vector"),
        doors["input"],
        Heading("q, k, v", "W_q, W_k, W_v"),
        doors["rotation"],
        Heading("q · k / √d" if _is_root(layer) else "q · k · scale" if root else "q · k", "score"),
        doors["score"],
        Heading("weight", "mask, softmax" if scene.model.causal else "softmax, no mask"),
        Heading("output", "weights · v + b" if adds else "weights · v"),
    )


def _is_root(layer: Layer) -> bool:
    return abs(layer.scale - layer.model.head_width**-0.5) < 1e-12 and layer.scale != 1


def _scale(layer: Layer) -> str:
    if _is_root(layer):
        return f"÷ √{layer.model.head_width}"
    return f"· {format_number(layer.scale)}"


def _walked(panel: Flow) -> str:
    """Return a caption part that says how far the way is drawn, and that position comes in there; empty if all is drawn."""
    if panel.reached == COLUMNS[-1]:
        return ""
    step = f"step {COLUMNS.index(panel.reached) + 1} of {len(COLUMNS)}"
    return f"{step}: here position comes in" if panel.reached == panel.open_door else step


def _shown_numbers(sides: Sequence[_Side], panels: Sequence[Flow]) -> list[CaptionPart | str]:
    """Return caption parts: how much of a vector, of the dials and of the keys is shown, and what amber means."""
    model, first = sides[0].scene.model, panels[0]
    widest = max(model.d_model, model.head_width)
    parts: list[CaptionPart | str] = []
    if any(key.parted or key.value_parted for panel in panels for key in panel.keys):
        parts.append(CaptionPart(f"amber: where equal {sides[0].scene.unit}s differ", "accent"))
    if any(panel.headings[COLUMNS.index("score")].note.endswith(_TERM) for panel in panels):
        parts.append("the term is made of tokens and positions")
    turning = [side for side in sides if isinstance(side.scene.encoding, RotationEncoding)]
    counts = sorted({_angles(side, side.layer.positions[:1]).shape[1] for side in turning})
    if counts and counts[-1] > _DIALS:
        speeds = (turn_unevenly(one.scene.encoding, one.scene.model.d_model, one.scene.context) for one in turning)
        which = "those that turn most from 0 to 1" if any(map(any, speeds)) else "the fastest"
        parts.append(f"{_DIALS} of {join_words(map(str, counts), 'or')} pairs, {which}")
    if first.rest:
        parts.append(f"a few of {len(first.keys) + first.rest.count:,} keys, the others as one")
    shown = f"at most the first {_SHOWN} numbers of each vector" if widest > _SHOWN else "each vector whole"
    return [*parts, f"{shown}, in two rows", CaptionPart("teal above 0, rust below", "colours")]


def _door(scene: Scene) -> str:
    """Return the door at which position comes in; none in a layer that doesn't turn by the model's rotation."""
    model = scene.model
    return "none" if isinstance(model, TrainedModel) and not model.is_turned else scene.encoding.door


def _acts(scene: Scene) -> bool:
    """True if the encoding brings anything in."""
    return _door(scene) != "none" and scene.encoding.strength > 0


def _sentence(side: _Side, panel: Flow) -> list[Run]:
    """“Sinusoidal comes in at the input: from there on the two the differ, and sat gives them 0.43 and 0.17 in head 0.”"""
    encoding, focus = side.scene.encoding, Run(isolate(format_token(side.scene.tokens[side.query])), "focus")
    begun = "No encoding comes in"
    if encoding.door != "none":
        share = "" if encoding.strength == 1 else f", at strength {format_number(encoding.strength)}"
        where = f"comes in at the {encoding.door}" if _acts(side.scene) else "brings in nothing"
        where += " in this layer" if _door(side.scene) != encoding.door else ""
        begun = f"{at_strength(encoding, 1.0).titled} {where}{share}"
    twins, end = _twins(side, panel), Run(f" in head {side.head}." if side.scene.model.n_heads > 1 else ".")
    if twins:
        return [Run(f"{begun}: "), *_of_twins(side, panel, twins, focus), end]
    if int(side.visible.sum()) == 1:
        return [Run(f"{begun}: "), focus, Run(" sees itself alone, so its weight is "), number_run("1"), Run(".")]
    return [Run(f"{begun}: "), *_of_largest(side, focus), end]


def _of_largest(side: _Side, focus: Run) -> list[Run]:
    """“sat gives most to itself, 0.3”, “sat gives most to the (0) and 1 other, 0.2 each” or “sat gives all 6 keys 0.17 each”."""
    weights = side.weights.masked_fill(~side.visible, -torch.inf)
    largest = torch.nonzero(weights >= (1 - ROUNDING) * weights.max()).flatten().tolist()
    weight = number_run(format_distinct([float(weights.max())])[0])
    if len(largest) == int(side.visible.sum()):
        return [focus, Run(f" gives all {len(largest):,} keys "), weight, Run(" each")]
    first = side.query if side.query in largest else largest[0]
    name = "itself" if first == side.query else f"{quote(format_token(side.scene.tokens[first]))} ({first:,})"
    others = f" and {format_count(len(largest) - 1, 'other')}" if len(largest) > 1 else ""
    each = [Run(" each")] if others else []
    return [focus, Run(f" gives most to {name}{others}, "), weight, *each]


def _twins(side: _Side, panel: Flow) -> list[int]:
    """Return the rows of a repeated token in sight, not the query's: the pinned one's, or `twins_to_tell`, or none."""
    tokens, groups = side.scene.tokens, dict[str, list[int]]()
    for row, key in enumerate(panel.keys):
        if panel.visible[row] and tokens[key.at] != tokens[side.query] and is_word(tokens[key.at]):
            groups.setdefault(tokens[key.at], []).append(row)
    found = [rows for rows in groups.values() if len(rows) > 1]
    weights = panel.numbers.weights
    if pinned := next((rows for rows in found if panel.pinned in rows), None):
        return pinned
    told = twins_to_tell(found, lambda rows: float(weights[[*rows]].max() - weights[[*rows]].min()), len(tokens))
    return [*told]


def _of_twins(side: _Side, panel: Flow, rows: list[int], focus: Run) -> list[Run]:
    """“from there on the two the differ, and sat gives them 0.4 and 0.2”; of twins on both sides “the two the, two tokens
    before and after sat, differ from there on and get …”; of equal ones “both the stand two tokens from sat and get …”."""
    count, first = len(rows), panel.keys[rows[0]]
    whole = count == side.scene.tokens.count(side.scene.tokens[first.at])
    number, token = spell_count(count), Run(isolate(first.label), "twin")
    weights = panel.numbers.weights[rows].tolist()
    in_cells = dict(zip(weights, (panel.weight_texts[row] for row in rows), strict=True))
    told = told_numbers(weights)
    texts = format_distinct(told) if len(told) == count else [in_cells[weight] for weight in told]
    columns = set().union(*(panel.keys[row].parted for row in rows))
    if len(set(texts)) == 1 and "weight" in columns:
        texts = format_distinct(told)  # they differ by less than cells have room for
    each = "both" if count == 2 and whole else f"all {number}" if whole else f"the {number} shown"
    distances = {abs(panel.keys[row].at - side.query) for row in rows}
    far = min(distances)
    apart = f"{spell_count(far)} {inflect(far, side.scene.unit)}"
    if len(set(texts)) == 1 and "weight" not in columns:
        if len(distances) == 1 and _acts(side.scene):
            stand = f" stand {apart} from "
            return [Run(f"{each} "), token, Run(stand), focus, Run(" and get "), number_run(texts[0]), Run(" each")]
        return [focus, Run(" gives "), Run(f"{each} "), token, Run(" "), number_run(texts[0])]
    column = next(one for one in COLUMNS if one in columns)
    where = "before this layer" if column == "x" else f"from the {COLUMN_NAMES[column]} on"
    where = "from there on" if column == panel.open_door else where
    named = f"the {number} " if whole else f"{number} of the "
    numbers = number_runs(texts, count)
    if whole and len(distances) == 1 and column == panel.open_door != "input":
        sides, differ = f", {apart} before and after ", f", differ {where} and get "
        return [Run(named), token, Run(sides), focus, Run(differ), *numbers]
    return [Run(f"{where} {named}"), token, Run(" differ, and "), focus, Run(" gives them "), *numbers]


PLOT = Plot(
    "Flow",
    "One query's way through attention, from its word to its output, with the three doors.",
    "Where does position come in?",
    FlowOptions,
    draw,
    "Attention",
    shows="both",
    leads=True,
)
