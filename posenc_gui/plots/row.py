"""One query's row: the contribution of each key's value to the output of the query in focus."""

from __future__ import annotations

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.caption_parts import SEEDED, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.headline import headline
from posenc_gui.figure.panels import Table
from posenc_gui.foundation.wording import format_number, isolate
from posenc_gui.plots.base import Plot, require_tokens
from posenc_gui.plots.common.heads import HeadOptions, in_head, of_head, require_head
from posenc_gui.scene.comparison import phrase, phrase_without
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token

_DIMENSIONS = 6  # components of a head's output that are written out
_KEYS = 512  # keys that are written out; more would be unreadable


def draw(scene: Scene, options: HeadOptions, engine: Engine) -> Figure:
    """Draw a table with one row per key, in prompt order: score, weight, and weight · v, which sum to the query's output.

    Beside each score is the score without position: how similar query and key are by their content alone. The sum includes
    the keys that are not written out. Encodings that add a term to the values (Shaw) get a row for it.
    """
    require_tokens(scene, "what one word reads of the others")
    require_head(scene, options.head)
    focus, head = scene.focused or 0, options.head
    every, written = range(scene.n_tokens), min(scene.n_tokens, _KEYS)
    heads = scene.heads_of(head)
    plain, found = (
        engine.attended(one.prompt_of(heads), range(focus, focus + 1), every) for one in (scene.without_position, scene)
    )
    scores = [of_head(of.scores, head)[0] for of in (plain, found)]
    values = of_head(engine.layer(scene.prompt_of(heads)).values, head)[:_KEYS].cpu()
    taken = of_head(found.weights, head)[0, :written, None] * values  # (keys written out, d_head)
    added, total = of_head(found.added, head)[0], of_head(found.heads, head)[0]
    visible, weights = found.visible[0].tolist(), of_head(found.weights, head)[0].tolist()

    query = isolate(format_token(scene.tokens[focus]))
    dimensions = min(_DIMENSIONS, taken.shape[1])
    lines: list[tuple[str | float, ...]] = []
    for key, token in enumerate(scene.tokens[:_KEYS]):
        seen = [float(of[key]) if visible[key] else "masked" for of in scores]
        named = f"{isolate(format_token(token))} ({scene.start + key})"
        lines.append((named, *seen, weights[key], *taken[key, :dimensions].tolist()))
    if added.any():
        lines.append(("added by position", "", "", "", *added[:dimensions].tolist()))
    weight = 1.0  # the weights of a softmax over all keys sum to 1
    lines.append((f"output of {query}", "", "", weight, *total[:dimensions].tolist()))
    focus_row = scene.keyed if (scene.keyed or 0) < _KEYS else None
    left_out = f"the first {_KEYS} of {scene.n_tokens:,} keys" if scene.n_tokens > _KEYS else ""
    title = f"{query} ({scene.start + focus}), head {head}"
    return Figure(
        panels=(Table(title, _header(scene, dimensions), tuple(lines), frozenset({len(lines) - 1}), focus_row),),
        headline=headline(
            (phrase(scene.encoding),),
            [{key: weights[key] for key in every if visible[key]}],
            "probabilities",
            scene.tokens,
            focus,
            in_head(scene, head),
        ),
        caption_parts=compose_caption(SEEDED, f"{dimensions} of {taken.shape[1]} dimensions, before W_o", left_out),
        description=f"Each key's score, weight and part of {query}'s output, which begins with {format_number(float(total[0]))}.",
    )


def _header(scene: Scene, dimensions: int) -> tuple[str, ...]:
    terms = (f"weight · v(X)[{index}]" if index == 0 else f"[{index}]" for index in range(dimensions))
    return "X", f"score {phrase_without(scene)}", f"score with {scene.encoding.called}", "weight", *terms


PLOT = Plot(
    "One query's row",
    "What the query in focus takes from each key.",
    "What does one query take from each key?",
    HeadOptions,
    draw,
    "Attention",
)
