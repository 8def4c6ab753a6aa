"""Changes that give plots and measures something to show, where an encoding, or the scene, gives them nothing yet."""

from __future__ import annotations

import torch
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import TAKE_THE_TOY
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.foundation.errors import Remedy
from posenc_gui.foundation.wording import quote
from posenc_gui.scene.image_patches import Patches
from posenc_gui.scene.scene import Scene
from posenc_gui.scene.setup import Setup
from posenc_gui.text.tokenization import format_token, is_word, twin_groups

_TEXT = Setup.model_fields["text"].default

SENTENCE = Remedy(f"Take {quote(_TEXT)}", {"text": _TEXT})
PATCHES = Remedy("Add 4 × 6 patches", {"patches": Patches(rows=4, columns=6)})
ROPE = Remedy("Choose RoPE", {"encoding": "rope"})
SINUSOIDAL = Remedy("Choose Sinusoidal", {"encoding": "sinusoidal"})

_HEADS = 8
_MOVED = 0.01  # of a weight: the last decimal of a headline
_APART = 0.005  # of two weights that a headline writes apart
_ROUNDING = 1e-6


def possible(scene: Scene, remedy: Remedy) -> Remedy:
    """Return a remedy that the scene can take: where a model that has learned refuses an encoding, the toy model with it."""
    if isinstance(scene.model, ToyModel) or "encoding" not in remedy.fields or "model" in remedy.fields:
        return remedy
    fields = {**TAKE_THE_TOY.fields, **remedy.fields}
    return Remedy(f"{remedy.words} with the toy model", fields, remedy.options)


def within_the_table(scene: Scene) -> Remedy | None:
    """Return the start at which all tokens have a position; None if they have one, or if there are too many for the table."""
    limit = scene.encoding.length_limit(scene.model.d_model)
    if limit is None or not scene.start or not scene.n_tokens <= limit < scene.start + scene.n_tokens:
        return None
    return Remedy("Start at 0", {"start": 0})


def for_several_axes(scene: Scene) -> Remedy | None:
    """Patches, where an encoding has several axes, which among words alone count alike; None if there are some, or can't be."""
    axes = max(side.encoding.axes for side in scene.sides)
    return PATCHES if axes > 1 and scene.patches is None and isinstance(scene.model, ToyModel) else None


def to_see_position(scene: Scene, engine: Engine) -> Remedy | None:
    """Return a change under which the encoding is seen in the mean weights of the query in focus; None where it is seen
    already, or isn't brought in whole. What several axes are for is seen among image patches.

    One head of a bias with slopes for each, such as ALiBi's, may move no weight, where eight move them; and a bias that is
    symmetric tells no twins apart that stand equally far from the query, but does so from another token, or under a mask.
    """
    is_toy = isinstance(scene.model, ToyModel)
    if not is_toy or scene.encoding.door == "none" or scene.other is not None or scene.setup.strength != 1:
        return None
    if patches := for_several_axes(scene):
        return patches
    if _moved(scene, engine) < _MOVED:
        first = first_published(scene)
        is_seen = first and _moved(scene.changed(**first.fields), engine) >= _MOVED
        return first if is_seen else _more_heads(scene, engine)
    weights, focus = (
        engine.maps(scene.prompt_of(None), range(scene.n_tokens)).weights.mean(0),
        scene.focused or 0,
    )  # (n, n)
    twins = [keys for keys in twin_groups(scene.tokens) if is_word(scene.tokens[keys[0]])]
    seen = [keys for keys in twins if focus not in keys and bool((weights[focus, list(keys)] > 0).all())]
    if not seen or max(_apart(weights[focus], keys) for keys in seen) > _ROUNDING:
        return None
    parted = {
        query: max((_apart(weights[query], keys) for keys in seen if query not in keys), default=0.0)
        for query in range(scene.n_tokens)
    }
    best = max(parted, key=parted.__getitem__)
    if parted[best] >= _APART:
        return Remedy(f"Focus on {quote(format_token(scene.tokens[best]))}", {"focus": best})
    return Remedy("Mask later tokens", {"model": scene.model.model_copy(update={"causal": True})})


def first_published(scene: Scene) -> Remedy | None:
    """Give a single head the number of the first published one, which is seen where its own isn't; None without such a rule."""
    encoding, is_alone = scene.encoding, scene.model.n_heads == 1 and scene.other is None
    first = encoding.with_first_published() if is_alone and scene.setup.strength == 1 else None
    return None if first is None else Remedy("First slope of eight", {"encoding": first})


def _more_heads(scene: Scene, engine: Engine) -> Remedy | None:
    """Eight heads as wide as the one, in which a rotation would keep its pairs; narrower ones where these move no weight."""
    if scene.model.n_heads != 1:
        return None
    for d_head in dict.fromkeys((scene.model.head_width, scene.model.d_head)):
        try:
            more = scene.changed(model=scene.model.with_fields(n_heads=_HEADS, d_head=d_head))
            moved = _moved(more, engine)
        except ValueError:  # a width that eight heads can't share, or an identity or LongRoPE's lists of another
            continue
        if moved >= _MOVED:
            return Remedy(f"Use {_HEADS} heads", {"model": more.model})
    return None


def _moved(scene: Scene, engine: Engine) -> float:
    """Return by how much the encoding moves a mean weight of the query in focus at most."""
    focus = scene.focused or 0
    query, every = range(focus, focus + 1), range(scene.n_tokens)
    found, without = (
        engine.attended(one.prompt_of(None), query, every).weights.mean(0) for one in (scene, scene.without_position)
    )  # (1, n) each
    return float((found - without).abs().max())


def _apart(row: Tensor, keys: tuple[int, ...]) -> float:
    """Return how far the weights of these keys lie apart."""
    least, most = torch.aminmax(row[list(keys)])
    return float(most - least)
