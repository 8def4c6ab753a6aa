"""One query's row: what the query in focus takes from each key, adding up to its output."""

from __future__ import annotations

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.figure import Figure, Table, number
from posenc_gui.figure.headline import headline
from posenc_gui.figure.view import View
from posenc_gui.foundation.unicode_text import isolated
from posenc_gui.plots.base import HeadOptions, Plot, in_head, of_head, require_items, require_tokens
from posenc_gui.scene.comparison import phrase
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import shown

_DIMENSIONS = 6  # of a head's output that are written out
_KEYS = 512  # written out; more can't be read


def draw(scene: Scene, options: HeadOptions, _view: View, engine: Engine) -> Figure:
    """One line a key, in the order of the prompt: score, weight, and weight · v, whose sum is the query's output.

    Beside each score stands the one without position: how alike the query and the keys are by themselves. The sum is over
    all keys, also those that are not written out. Encodings that add to values (Shaw) have a line for it.
    """
    require_tokens(scene)
    require_items((options.head,), scene.model.n_heads, "head")
    focus, head = scene.focused or 0, options.head
    every, written = range(scene.n_tokens), min(scene.n_tokens, _KEYS)
    heads = scene.heads_of(head)
    plain, found = (
        engine.attended(one.prompt_of(heads), range(focus, focus + 1), every) for one in (scene.without_position, scene)
    )
    values = of_head(engine.layer(scene.prompt_of(heads)).values, head)[:_KEYS].cpu()
    scores = [of_head(of.scores, head)[0] for of in (plain, found)]
    taken = of_head(found.weights, head)[0, :written, None] * values  # (keys written out, d_head)
    added, total = of_head(found.added, head)[0], of_head(found.heads, head)[0]
    visible, weights = found.visible[0].tolist(), of_head(found.weights, head)[0].tolist()

    query = isolated(shown(scene.tokens[focus]))
    dimensions = min(_DIMENSIONS, taken.shape[1])
    lines: list[tuple[str | float, ...]] = []
    for key, token in enumerate(scene.tokens[:_KEYS]):
        seen = [float(of[key]) if visible[key] else "masked" for of in scores]
        numbers = [float(value) for value in taken[key, :dimensions]]
        lines.append((f"{isolated(shown(token))} ({key})", *seen, weights[key], *numbers))
    if added.any():
        lines.append(("added by position", "", "", "", *(float(value) for value in added[:dimensions])))
    lines.append(
        (
            f"output of {query}",
            "",
            "",
            1.0,  # of a softmax over all keys
            *(float(value) for value in total[:dimensions]),
        )
    )
    header = (
        "X",
        "score without position",
        f"score with {scene.encoding.called}",
        "weight",
        *(f"weight · v(X)[{dimension}]" if dimension == 0 else f"[{dimension}]" for dimension in range(dimensions)),
    )
    focus_row = scene.keyed if (scene.keyed or 0) < _KEYS else None
    left_out = f" · the first {_KEYS} of {scene.n_tokens:,} keys" if scene.n_tokens > _KEYS else ""
    return Figure(
        name="row",
        title="One query's row",
        panels=(
            Table(f"{query} ({focus}), head {head}", header, tuple(lines), frozenset({len(lines) - 1}), focus_row),
        ),
        headline=headline(
            (phrase(scene.encoding),),
            [{key: weights[key] for key in every if visible[key]}],
            "probabilities",
            scene.tokens,
            focus,
            in_head(scene, head),
        ),
        caption=f"toy model, seeded weights · {dimensions} of {taken.shape[1]} dimensions, before W_o{left_out}",
        description=f"Each key's score, weight and part of {query}'s output, which begins with {number(float(total[0]))}.",
    )


PLOT = Plot(
    "One query's row",
    "What the query in focus takes from each key.",
    "What does one query take from each key?",
    HeadOptions,
    draw,
    "Attention",
)
