"""Word + position = combined: the three maps of the input door, with one scale."""

from __future__ import annotations

from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import SEEDED, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap
from posenc_gui.figure.ranges import symmetric_range
from posenc_gui.figure.runs import Run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_count, format_number, quote
from posenc_gui.plots.base import Plot, as_values, require_tokens
from posenc_gui.plots.common.axes import focus_word, token_axis, window_around, word
from posenc_gui.scene.remedies import SINUSOIDAL
from posenc_gui.scene.scene import Scene


def draw(scene: Scene, _options: Frozen, engine: Engine) -> Figure:
    """Draw three maps, one row per token and one column per dimension: token vector, position vector, and their sum."""
    encoding, model = scene.encoding, scene.toy
    if encoding.door not in ("input", "none"):
        raise Undefined(
            f"{quote(encoding.titled)} adds nothing to the words' vectors: it acts at the {encoding.door} door, "
            "inside attention.",
            SINUSOIDAL,
        )
    require_tokens(scene, "what position adds to its words")
    window = window_around(scene.focused or 0, scene.n_tokens)
    rows = slice(window.start, window.stop)
    layer = engine.first_layer(scene.prompt)
    token = model.embed(scene.tokens[rows]) * model.embedding_scale
    position = encoding.vectors(layer.positions[rows], model.d_model, layer.context)
    combined = layer.inputs[rows]
    maps = {"token": as_values(token), "+ position": as_values(position), "= sum": as_values(combined)}
    low, high = symmetric_range(*maps.values())
    axis = token_axis(scene, "position", "position", scene.positions[window.start : window.stop])
    dimensions = Axis("dimension", "dimension")
    panels = tuple(
        Heatmap(title, "value", values, axis, dimensions, low, high, "diverging", focus_alone=True)
        for title, values in maps.items()
    )
    weight = "" if model.embedding_scale == 1 else f"{scene.unit} vectors times {model.embedding_scale:g}"
    return Figure(
        panels=panels,
        headline=_headline(scene, token, position, window.start),
        caption_parts=compose_caption(SEEDED, f"what enters attention with {encoding.called}", "one scale", weight),
        description=f"{scene.unit.capitalize()} vectors, position vectors and their sum for "
        f"{format_count(len(window), scene.unit)} and {format_count(model.d_model, 'dimension')}.",
    )


def _headline(scene: Scene, token: Tensor, position: Tensor, first: int) -> tuple[Run, ...]:
    """“The two the share one vector until position is added: then they are 2.69 apart.” Of no twins: how long p is beside x."""
    at, shown = scene.focused or 0, range(first, first + len(token))
    equal = [one for one in shown if one in scene.sentence.twins]
    told = scene.tokens[at if at in equal or not equal else equal[0]]
    twins = [one for one in equal if scene.tokens[one] == told]
    if len(twins) < 2:
        length, added = (float(one[at - first].norm()) for one in (token, position))
        of = "" if not length else f", {format_number(round(added / length, 2))} times as long as its own"
        return sentence("Position adds to ", focus_word(scene), " a vector ", added, f" long{of}.")
    apart = float((position[twins[1] - first] - position[twins[0] - first]).norm())
    named = word(scene, twins[0], "twin")
    all_, they = ("Both ", "they") if len(twins) == 2 else ("All ", "the first two")
    if not apart:
        return sentence(all_, named, " enter attention as one vector, ", 0.0, " apart.")
    return sentence(all_, named, f" are one vector until position is added: then {they} are ", apart, " apart.")


PLOT = Plot(
    "Word + position",
    "What the word is, where it is, and their sum.",
    "What enters attention?",
    Frozen,
    draw,
    "Encoding",
)
