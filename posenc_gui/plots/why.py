"""One weight: the attention weight in one cell of the map, computed step by step with its actual numbers."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import Attended, attend_at_once, tile
from posenc_gui.attention.layer import Layer
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.figure.caption_parts import SEEDED
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Table, Told
from posenc_gui.figure.runs import Run, number_run, sentence
from posenc_gui.foundation.wording import format_count, format_distinct, format_number, format_plain, format_sum
from posenc_gui.measures.base import under
from posenc_gui.plots.base import Plot, require_tokens
from posenc_gui.plots.common.axes import focus_word, placed
from posenc_gui.plots.common.heads import HeadOptions, in_head, of_head, require_head
from posenc_gui.scene.comparison import phrase_without
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import name_token

Rows = tuple[tuple[str | float, ...], ...]
_CHAINED = 6  # keys: the key in hand and its first twins
_SOFTMAX = "exp(score) ÷ sum over the keys"
_LARGE = 9.0  # logarithm of a sum from which on it is subtracted from the score instead
_NUMBERS = 4  # components of a vector that are written out
_LARGEST_EXPONENT = 700.0  # largest magnitude x for which exp(±x) is an ordinary float64


class WhyOptions(HeadOptions):
    """The head, and how much is told of it."""

    show: Literal["chain", "steps"] = Field(
        "chain",
        title="Show",
        description="From the score without position to the weight, or every step from the two vectors on.",
    )


def draw(scene: Scene, options: WhyOptions, engine: Engine) -> Figure:
    """Draw a chain from the score without position to the weight, for the key and its twins, or a table of all steps."""
    require_tokens(scene, "how one weight is computed")
    require_head(scene, options.head)
    m, n, head = scene.focused or 0, scene.keyed or 0, options.head
    layer = engine.layer(scene.prompt_of(scene.heads_of(head)))
    layer.require_vectors()
    lines = [*_vectors(layer, m, n, head), *_score(layer, m, n, head, engine)]
    rows: Rows = tuple((step, value, how) for step, how, value in lines)
    title = f"query {placed(scene, m)}, key {placed(scene, n)}, head {head}"
    steps = ("step", "value", "how"), rows, len(rows) - 1
    header, shown, focus = _chain(scene, m, n, head, engine) if options.show == "chain" else steps
    return Figure(
        panels=(Table(title, header, shown, focus=focus),),
        headline=_headline(scene, m, n, head, engine),
        caption_parts=(SEEDED,),
        description="; ".join(f"{step}: {value}" for step, _, value in lines),
    )


def _chain(scene: Scene, m: int, n: int, head: int, engine: Engine) -> tuple[tuple[str, ...], Rows, int]:
    """Return a heading, rows (score without position + what it adds = score, then weight), and which is the key's."""
    twins = sorted(scene.sentence.twins)
    word = scene.tokens[n if n in twins or not twins else twins[0]]
    keys = sorted([n, *(at for at in twins if at != n and scene.tokens[at] == word)][:_CHAINED])
    rows = list[tuple[str | float, ...]]()
    for key in keys:
        if scene.model.causal and key > m:
            rows.append((placed(scene, key), "", "", "", "masked: it stands after the query", Told(0.0, "= 0")))
            continue
        plain, found = _without_and_with(scene, m, key, head, engine)
        before, score, weight = (float(of_head(of, head)[0, 0]) for of in (plain.scores, found.scores, found.weights))
        start, added, end = format_sum(before, score)
        signed = f"− {added[1:]}" if added.startswith("−") else f"+ {added}"
        total = float(of_head(found.log_denominators, head)[0].double())
        large = abs(total) > _LARGE
        shared = f"exp({end} − {format_plain(total)})" if large else f"exp({end}) ÷ {format_plain(math.exp(total))}"
        numbers = Told(before, start), Told(score - before, signed), Told(score, f"= {end}")
        rows.append((placed(scene, key), *numbers, shared, Told(weight, f"= {format_plain(weight)}")))
    header = "key", f"score {phrase_without(scene)}", "what position adds", "score", _SOFTMAX, "weight"
    return header, tuple(rows), keys.index(n)


def _headline(scene: Scene, m: int, n: int, head: int, engine: Engine) -> tuple[Run, ...]:
    """“With RoPE, sat (2) gives “the” (0) the weight 0.27; without position it is 0.23.”"""
    told = f"{in_head(scene, head, under(scene.encoding))} ", focus_word(scene), f" ({scene.positions[m]:,})"
    key = "itself" if m == n else name_token(scene.tokens, n, scene.start)
    if scene.model.causal and n > m:
        return sentence(*told, f" doesn't see {key}, which stands after it: the weight is ", 0.0, ".")
    both = (float(of_head(one.weights, head)[0, 0]) for one in _without_and_with(scene, m, n, head, engine))
    plain, weight = map(number_run, format_distinct([*both]))
    beside = () if scene.encoding.door == "none" else (f"; {phrase_without(scene)} it is ", plain)
    return sentence(*told, f" gives {key} the weight ", weight, *beside, ".")


def _without_and_with(scene: Scene, m: int, n: int, head: int, engine: Engine) -> tuple[Attended, ...]:
    """Return what query m gives to key n without position, and with it."""
    heads, (query, key) = scene.heads_of(head), (range(at, at + 1) for at in (m, n))
    return tuple(engine.attended(one.prompt_of(heads), query, key) for one in (scene.without_position, scene))


def _vectors(layer: Layer, m: int, n: int, head: int) -> list[tuple[str, str, str]]:
    encoding, d_model = layer.encoding, layer.model.d_model
    lines = []
    is_toy = isinstance(layer.model, ToyModel)
    below = "the output of the layer below, added to its input" if is_toy else "what the layers below give"
    whence = below if layer.index else "what enters attention"
    if encoding.door == "input" and layer.index == 0 and is_toy:
        whence = "x + p"
        positions = encoding.vectors(layer.positions[[m, n]], d_model, layer.context).to(layer.inputs)
        for name, at, p in (("m", m, positions[0]), ("n", n, positions[1])):
            lines.append((f"x_{name}", "the token's vector", _short(layer.inputs[at] - p)))
            lines.append((f"p_{name}", f"{encoding.titled} at {_place(layer, at)}", _short(p)))
    for name, at in (("m", m), ("n", n)):
        lines.append((f"input_{name}", whence, _short(layer.inputs[at])))
    lines.append(("q", f"W_q input_m, head {head}", _short(of_head(layer.queries, head)[m])))
    lines.append(("k", f"W_k input_n, head {head}", _short(of_head(layer.keys, head)[n])))
    if encoding.door == "rotation":
        for name, turned, at in (("q", layer.turned_queries, m), ("k", layer.turned_keys, n)):
            how = f"each pair by its angle at {_place(layer, at)}"
            lines.append((f"{name} turned", how, _short(of_head(turned, head)[at])))
    return lines


def _place(layer: Layer, at: int) -> str:
    """Return a token's position as text, or its coordinates if they differ from each other."""
    place = [f"{coordinate:g}" for coordinate in layer.positions[at].flatten().tolist()]
    return f"position {place[0]}" if len(set(place)) == 1 else f"({', '.join(place)})"


def _score(layer: Layer, m: int, n: int, head: int, engine: Engine) -> list[tuple[str, str, str]]:
    encoding, model = layer.encoding, layer.model
    query, key = range(m, m + 1), range(n, n + 1)
    part, found = tile(layer, query, key), attend_at_once(layer, query, key, engine.check_stop)
    dot, content, extra, bias, score = (
        float(of_head(of.expand_as(part.dots), head)[0, 0])
        for of in (part.dots, part.content, part.extra, part.bias, part.scores)
    )
    scale = layer.scale
    named = "q · k" if encoding.door != "rotation" else "q turned · k turned"
    lines = [("dot product", named, format_number(dot))]
    if content:
        lines.append(("content", f"what {encoding.called} adds before scaling", format_number(content)))
    root = "as chosen" if isinstance(model, ToyModel) else "as trained"
    if abs(scale - model.head_width**-0.5) < 1e-12:
        root = f"1 / √{model.head_width}"
    elif scale == 1:
        root = "1: scores are not divided"
    lines.append(("scale", root, format_number(scale)))
    if extra:
        lines.append(("extra", f"what {encoding.called} adds after scaling, by the tokens", format_number(extra)))
    if bias:
        lines.append(("bias", f"{encoding.titled} at offset {m - n}, head {head}", format_number(bias)))
    named = "(dot product + content)" if content else "dot product"
    lines.append(
        ("score", f"{named} · scale{' + extra' if extra else ''}{' + bias' if bias else ''}", format_number(score))
    )
    count = m + 1 if model.causal else layer.n_tokens
    if not bool(found.visible):
        return [*lines, ("mask", "the key stands after the query", "−∞"), ("weight", "softmax over the row", "0")]
    logarithm = float(of_head(found.log_denominators, head)[0].double())
    if abs(logarithm) < _LARGEST_EXPONENT:
        how = f"exp({format_number(score)}) / {format_number(math.exp(logarithm))}, summed over {format_count(count, 'key')}"
    else:  # the value overflows or underflows
        how = (
            f"exp({format_number(score)} − ({format_number(logarithm)})), the logarithm of the sum over the "
            f"{format_count(count, 'key')} in sight"
        )
    return [*lines, ("weight", how, format_number(float(of_head(found.weights, head)[0, 0])))]


def _short(vector: Tensor) -> str:
    numbers = ", ".join(format_number(float(value)) for value in vector[:_NUMBERS])
    return f"[{numbers}{', …' if len(vector) > _NUMBERS else ''}]"


PLOT = Plot(
    "One weight",
    "One cell of the attention map, computed step by step; a click on the map chooses it.",
    "How does this number come about?",
    WhyOptions,
    draw,
    "Attention",
)
