"""Rulers: what each distance adds to the scores of the query in focus, with the sentence's words standing at theirs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import SEEDED, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.headline import headline, twins_told
from posenc_gui.figure.panels import Lines, Series, VerticalMark
from posenc_gui.figure.runs import Run, listed, number_run, quote_runs, sentence
from posenc_gui.foundation.errors import Remedy, Undefined
from posenc_gui.foundation.wording import format_number, format_percent, quote
from posenc_gui.plots.base import Plot, as_values, describe_range, describe_selection, padded_range, require_tokens
from posenc_gui.plots.common.axes import focus_word
from posenc_gui.plots.common.curves import Item, ReachOptions, require_items, spread, told_query, told_sharing, which
from posenc_gui.plots.common.heads import in_head
from posenc_gui.scene import diff
from posenc_gui.scene.remedies import first_published
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token

_HEADS = 8  # drawn by default
_LEAST_REACH, _MOST_REACH = 12, 256  # steps to either side, by default
_NAMED, _TWINS = 16, 8  # words that are all named; of more, the one in focus, and up to so many twins of the headline
_DOTTED = 32  # words that all have a dot
_NOTHING = 1e-6
_ALIBI = Remedy("Choose ALiBi", {"encoding": "alibi"})


class RulerOptions(ReachOptions):
    """How far rulers reach, and whose they are."""

    heads: tuple[Item, ...] = which("Heads", "heads", "up to eight")


@dataclass(frozen=True, eq=False)
class _Ruler:
    """What is added for one query to keys at these steps after it (before it they are negative), (n,): `added`, (h, n).

    words: the steps at which words stand. rows: the row of a table that each step takes, (n,), if there is one. of_words: what is
    added depends on the tokens, so that there are no steps but theirs.
    """

    steps: Tensor
    added: Tensor
    words: list[int]
    rows: Tensor | None = None
    of_words: bool = False

    def at(self, step: int) -> Tensor:
        """Return what each head adds at a step, (h,)."""
        return self.added[:, int(torch.searchsorted(self.steps, float(step)))]

    def row(self, head: int, focus: int) -> dict[int, float]:
        """Return what a head adds to each key of the query in focus."""
        return {focus + step: float(self.at(step)[head]) for step in self.words}


def draw(scene: Scene, options: RulerOptions, engine: Engine) -> Figure:
    """Draw a curve a head over the steps around the query in focus: rows of a table as stairs, one head beside the published."""
    encoding, n_heads, focus = scene.encoding, scene.model.n_heads, scene.focused or 0
    if encoding.door in ("input", "rotation") and encoding.known:
        raise Undefined(f"{quote(encoding.titled)} adds nothing to scores by distance, so it has no rulers.", _ALIBI)
    require_tokens(scene, "what distance adds to scores")
    heads = options.heads or spread(n_heads, _HEADS)
    require_items(heads, n_heads, "head", "heads")
    ruler, full = _ruler(scene, options, engine), scene.at_full_strength
    series, published = [_curve(scene, ruler, head) for head in heads], _published(scene, ruler.steps)
    at_full = [] if full is scene else [_curve(full, _ruler(full, options, engine), head) for head in heads]
    low, high = padded_range((*series, *published, *at_full))  # so that rulers are seen to shrink
    title = f"{encoding.titled}: added {'to the words' if ruler.of_words else 'at each distance'}"
    axis = Axis("distance", f"steps from {focus_word(scene).text}, later at the right")
    changed = diff.between(type(encoding)(), encoding) if published else ()
    told, marks = _told(scene, ruler, heads), (*_shared(ruler), *_words(scene, ruler))
    return Figure(
        panels=(Lines(title, "added to the score", (*published, *series), axis, low, high, marks),),
        headline=told,
        caption_parts=compose_caption(
            SEEDED if ruler.of_words else "",
            describe_selection(len(heads), n_heads, "head") if n_heads > 1 else "",
            told_query(scene, range(scene.positions[focus], scene.positions[focus] + 1)),
            f"dashed: the {len(published)} heads of the publication" if published else "",
            "a bucket: steps that share one number" if _shared(ruler) else "",
            *(f"{one.title.lower()} {one.after} is not the default, {one.before}" for one in changed),
            scene.remark(scene.n_tokens),
        ),
        description=f"{quote_runs(told)} {title}, from {format_number(float(ruler.steps[0]))} to "
        f"{format_number(float(ruler.steps[-1]))} steps {describe_range(as_values(ruler.added))}.",
        remedy=first_published(scene),
    )


def _ruler(scene: Scene, options: RulerOptions, engine: Engine) -> _Ruler:
    """Return the bias at every step, or, where it depends on the tokens, what is added to the keys that the query may see."""
    encoding, focus, count = scene.encoding, scene.focused or 0, scene.n_tokens
    reach = options.steps(scene, _LEAST_REACH, _MOST_REACH)
    if encoding.known and encoding.content_free:
        steps = torch.tensor(reach, dtype=torch.float64)
        query = scene.at(torch.tensor([scene.positions[focus]], dtype=torch.float64))
        added = encoding.bias(query, query + steps, scene.model.n_heads, scene.context)[:, 0]  # (h, n)
        words = [step for step in reach if 0 <= focus + step < count]
        return _Ruler(steps, added, words, encoding.rows_of(-steps))
    asking, keys = range(focus, focus + 1), range(max(0, focus + reach.start), min(count, focus + reach.stop))
    found, without = (engine.attended(one.prompt, asking, keys) for one in (scene, scene.without_position))
    seen = found.visible[0]
    steps = (torch.arange(keys.start, keys.stop) - focus)[seen]
    added = (found.scores - without.scores)[:, 0, seen].double()  # (h, n)
    return _Ruler(steps.double(), added, steps.tolist(), of_words=True)


def _curve(scene: Scene, ruler: _Ruler, head: int) -> Series:
    """Return a head's curve with a dot at each word; as stairs where steps share rows of a table."""
    x, y = as_values(ruler.steps), as_values(ruler.added[head])
    dots = tuple((step, float(ruler.at(step)[head])) for step in ruler.words) if len(ruler.words) <= _DOTTED else ()
    if ruler.rows is not None:
        x, y = np.stack((x - 0.5, x + 0.5), axis=-1).ravel(), np.repeat(y, 2)
    return Series(f"head {head}" if scene.model.n_heads > 1 else scene.encoding.titled, x, y, dots)


def _published(scene: Scene, steps: Tensor) -> tuple[Series, ...]:
    """Return the biases of all published heads, beside which a single head is seen for what it is."""
    count = 0 if scene.model.n_heads > 1 else scene.encoding.published_heads
    query = torch.zeros(1, dtype=torch.float64)
    added = type(scene.encoding)().bias(query, query + steps, max(count, 1), scene.context)[:count, 0]  # (count, n)
    return tuple(
        Series(f"slope {head} of {count}", as_values(steps), as_values(one), level=True)
        for head, one in enumerate(added, start=1)
    )


def _words(scene: Scene, ruler: _Ruler) -> tuple[VerticalMark, ...]:
    """Return an upright line for each word, with its name; in a long text for the focus and the twins told of alone."""
    focus = scene.focused or 0
    twins = twins_told([ruler.row(0, focus)], scene.tokens, focus)
    twins = twins if len(twins) <= _TWINS else ()
    kinds: dict[int, Literal["focus", "twin", "word"]] = {
        step: "twin" if focus + step in twins else "word" if step else "focus" for step in ruler.words
    }
    shown = [step for step, kind in kinds.items() if kind != "word" or scene.n_tokens <= _NAMED]
    return tuple(VerticalMark(step, format_token(scene.tokens[focus + step]), kinds[step]) for step in shown)


def _shared(ruler: _Ruler) -> tuple[VerticalMark, ...]:
    """Return an upright line where steps begin to share a row of a table, with the row's number."""
    if ruler.rows is None:
        return ()
    runs = groupby(zip(ruler.rows.tolist(), ruler.steps.tolist(), strict=True), lambda pair: pair[0])
    found = [(row, [step for _, step in run]) for row, run in runs]
    return tuple(VerticalMark(run[0] - 0.5, f"bucket {row}", "end") for row, run in found if len(run) > 1)


def _told(scene: Scene, ruler: _Ruler, heads: tuple[int, ...]) -> tuple[Run, ...]:
    """Say what distance does: nothing, a share of the weight, or what a table or the tokens add to the twins."""
    if float(ruler.added[list(heads)].abs().max()) <= _NOTHING:
        return sentence("Nothing is added at any distance: for ", focus_word(scene), " all words stand at one place.")
    if ruler.of_words or ruler.rows is not None:
        focus, under = scene.focused or 0, [f"with {scene.encoding.called}"]
        row = ruler.row(heads[0], focus)
        told = headline(under, [row], "position", scene.tokens, focus, in_head(scene, heads[0]))
        return *told, *told_sharing(scene.encoding)
    return _of_shares(scene, ruler, heads)


def _share(left: float) -> str:
    times = f"{format_number(left)} times" if left < 1e12 else "over 1e12 times"
    return format_percent(left, 1) if left <= 1 else times


def _of_shares(scene: Scene, ruler: _Ruler, heads: tuple[int, ...]) -> tuple[Run, ...]:
    """“One step from sat a word has 77.9% of the weight of an equal one at its place, 12 steps away 33.2%.”; of keys before the
    query where later ones get something else."""
    is_even = float(ruler.steps[-1]) <= 0 or torch.allclose(ruler.added, ruler.added.flip(-1))
    far = max(map(abs, ruler.words)) if is_even else -min(ruler.words)
    far = far if far > 1 else -int(ruler.steps[0])

    def shares(head: int) -> list[Run]:
        left = (float((ruler.at(-steps) - ruler.at(0))[head].exp()) for steps in (1, far))
        return [number_run(_share(one)) for one in left]

    (near, further), last = shares(heads[0]), heads[-1]
    begun = (
        in_head(scene, heads[0], f"One step {'from' if is_even else 'before'} "),
        focus_word(scene),
        " a word has ",
        near,
    )
    of = "" if near.text.endswith("times") else " of"
    then = f"{of} the weight of an equal one at its place, {far:,} steps {'away' if is_even else 'before'} ", further
    other = sentence(f"; in head {last} ", *listed(shares(last))) if last != heads[0] else ()
    return sentence(*begun, *then, *other, ".")


PLOT = Plot(
    "Rulers",
    "What each distance adds to a head's scores, with the sentence's words standing at theirs.",
    "What does a step further cost?",
    RulerOptions,
    draw,
    "Encoding",
)
