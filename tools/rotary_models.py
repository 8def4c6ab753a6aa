"""Compare what rotary configs are read as with what transformers does: `python -m tools.rotary_models MODEL_TYPE…`.

Without names it takes every model_type of the installed transformers whose config has rope fields. Of each it builds a tiny
model with random weights, listens to queries and keys before and after they are turned, and compares their scores with
those after our encoding; the mask and the scale of scores, too. A model that can't be built so is compared by its rotary
module and the function that turns queries and keys. A verdict is right, said (it differs, and `unmodelled` says how), refused,
wrong, or not run.
"""

from __future__ import annotations

import importlib
import inspect
import math
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import Tensor

from posenc_gui.encodings.rope import RoPE
from posenc_gui.models.config import understood
from posenc_gui.models.model_facts import Published
from tools.later import Later
from tools.tiny_models import (
    BESIDE,
    HEADS_LEFT,
    TOKENS,
    alone,
    counted,
    is_causal,
    run,
    some_text,
    tiny_config,
    tiny_model,
    written,
)

transformers = Later("transformers")

CLOSE = 2e-5  # of the largest score; float32 gives 1e-6
TURNING = re.compile(r"apply.*rot|apply_rope|apply_multimodal")  # functions that turn queries and keys
ROPE_FIELDS = ("rope_parameters", "rope_theta", "rope_scaling", "rotary_dim")
SCALED_BEFORE = {"esm", "evolla", "openai_privacy_filter"}  # their queries are scaled before they are turned
# Of what is unmodelled, words that say why some of a model's turns are others.
LAYERS_SAID = ("no encoding", "aren't attention")
TURNS_SAID = ("of their own", "compression", "turned back")
ALL_TURNS_SAID = ("other way", "training sets")


@dataclass
class Heard:
    """What a tiny model did: its turns (queries and keys before and after), and the scale of each layer's attention."""

    config: dict[str, Any]
    turns: list[tuple[Tensor, Tensor, Tensor, Tensor]] = field(default_factory=list)
    scales: list[float | None] = field(default_factory=list)
    causal: bool = True


def listened(family: str) -> Heard:
    """Build a tiny model of a family, run it, and return what was heard."""
    config = tiny_config(family)
    model = tiny_model(config)
    heard = Heard(written(config))
    depth = 0

    def turning(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)

        def inner(*args: Any, **kwargs: Any) -> Any:
            nonlocal depth
            depth += 1
            try:
                found = function(*args, **kwargs)
            finally:
                depth -= 1
            if depth == 0:
                given = signature.bind(*args, **kwargs).arguments
                before = [one for name, one in given.items() if _is_turned(name, one)]
                after = [one for one in ((found,) if isinstance(found, Tensor) else found) if isinstance(one, Tensor)]
                if len(before) > 1:
                    heard.turns.append((before[0].clone(), before[1].clone(), after[0].clone(), after[1].clone()))
                else:  # queries or keys alone, which are compared with themselves
                    own, turned = before[0].clone(), after[0].clone()
                    heard.turns.append((own, own, turned, turned))
            return found

        return inner

    def attending(function: Callable[..., Any]) -> Callable[..., Any]:
        def inner(*args: Any, **kwargs: Any) -> Any:
            scale = inspect.signature(function).bind(*args, **kwargs).arguments.get("scaling")
            heard.scales.append(None if isinstance(scale, Tensor) else scale)
            return function(*args, **kwargs)

        return inner

    def aside(*_of_hook: Any, by: int) -> None:
        nonlocal depth
        depth += by

    for part in model.modules():
        if type(part).__name__.endswith("Indexer"):  # what it turns picks tokens, and is no query or key of attention
            part.register_forward_pre_hook(partial(aside, by=1))
            part.register_forward_hook(partial(aside, by=-1))
    undo = []
    for module in {sys.modules[type(part).__module__] for part in model.modules()}:
        for name, function in list(vars(module).items()):
            if not module.__name__.startswith("transformers.models") or not inspect.isfunction(function):
                continue
            if TURNING.match(name):
                undo.append((module, name, function))
                setattr(module, name, turning(function))
            elif name == "eager_attention_forward":
                undo.append((module, name, function))
                setattr(module, name, attending(function))
    try:
        run(model, some_text())
    finally:
        for module, name, function in undo:
            setattr(module, name, function)
    heard.causal = is_causal(model)
    return heard


def _is_turned(name: str, value: Any) -> bool:
    return isinstance(value, Tensor) and not re.search(r"cos|sin|freq|pos|mask|emb", name)


def _by_head(vectors: Tensor) -> Tensor:
    """Return queries or keys as (heads, TOKENS, width), however a family orders them."""
    held = vectors[0] if vectors.dim() == 4 else vectors
    return (held if held.shape[1] == TOKENS else held.transpose(0, 1)).double()


def _is_ours(encoding: RoPE, d_head: int, turn: tuple[Tensor, Tensor, Tensor, Tensor]) -> bool:
    """Return True if queries and keys give the same scores when our encoding turns them."""
    q, k, *turned = map(_by_head, turn)
    width, rotated = q.shape[-1], encoding.rotated(d_head)
    if width not in (d_head, rotated) or q.shape[1] != TOKENS or k.shape[1] != TOKENS or len(q) % len(k):
        return False
    own = encoding if width == d_head else encoding.model_copy(update={"fraction": 1.0})
    where, theirs = torch.arange(TOKENS), _scores(*turned)
    for first in {0, rotated % width}:  # some turn a head's last dimensions
        ours = _scores(own.rotate(q.roll(first, -1), where, "query"), own.rotate(k.roll(first, -1), where, "key"))
        if bool((ours - theirs).abs().max() < CLOSE * theirs.abs().max()):
            return True
    return False


def _scores(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.repeat_interleave(len(q) // len(k), 0).transpose(-1, -2)


def differences(family: str, model: Published, heard: Heard) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what the reading of a config has otherwise than the model, and words of which one would say so."""
    ours = [one for one in (model.encoding, model.other) if isinstance(one, RoPE)]
    d_head = model.model.head_width
    found = [next((at for at, one in enumerate(ours) if _is_ours(one, d_head, turn)), None) for turn in heard.turns]
    if heard.turns and not ours:
        yield "it turns queries and keys", ()
    elif None in found:
        said = ALL_TURNS_SAID if set(found) == {None} else TURNS_SAID
        yield f"{found.count(None)} of {len(found)} turns are others", said
    if ours and not heard.turns:
        yield "nothing is turned", ()
    elif None not in found and len(set(found)) < len(ours):
        yield "no layer has one of two encodings", ()
    if ours and len(heard.turns) < len(heard.scales) and family != "diffllama":  # its attention is a difference of two
        yield f"{len(heard.turns)} of {len(heard.scales)} layers turn", LAYERS_SAID
    if heard.causal != model.model.causal:
        yield f"its mask is {'causal' if heard.causal else 'none'}", ()
    own = model.model.scale or 1 / math.sqrt(d_head)
    if family not in SCALED_BEFORE and any(one is not None and abs(one / own - 1) > 1e-5 for one in heard.scales):
        yield f"its scale is {sorted(set(filter(None, heard.scales)))}, not {own:.6g}", TURNS_SAID


def _agrees(family: str) -> bool | None:
    """Return True if a family's rotary module and its function turn as our encoding, False if they pair other dimensions;
    None if they can't be asked."""
    config = transformers.AutoConfig.for_model(family, **BESIDE.get(family, {}))
    model = understood(written(config))
    module = importlib.import_module(type(config).__module__.replace("configuration", "modeling"))
    assert isinstance(model.encoding, RoPE)
    ours = {pairing: model.encoding.model_copy(update={"pairing": pairing}) for pairing in ("half", "interleaved")}
    d_head = model.model.head_width
    agreeing = {
        pairing
        for turn in _turns(module, config, d_head, model.encoding.rotated(d_head), bool(model.other))
        for pairing, encoding in ours.items()
        if _is_ours(encoding, d_head, turn)
    }
    return model.encoding.pairing in agreeing if agreeing else None


def _turns(
    module: Any, config: Any, d_head: int, rotated: int, by_layer: bool
) -> Iterator[tuple[Tensor, Tensor, Tensor, Tensor]]:
    """Yield random queries and keys before and after each function of a module that turns them has done so."""
    where = torch.arange(TOKENS)[None]
    for made in [one for name, one in vars(module).items() if re.search(r"Rotary(Pos)?Emb", name)]:
        for name, function in vars(module).items():
            for width in {d_head, rotated} if TURNING.match(name) and inspect.isfunction(function) else ():
                q, k = torch.randn(2, 1, HEADS_LEFT, TOKENS, width, generator=torch.Generator().manual_seed(1))
                try:  # some modules are for images, and some functions for one half of a head
                    waves = made(config)(q, where, *(["full_attention"] if by_layer else []))
                    both = "k" in inspect.signature(function).parameters
                    turned = function(q, k, *waves) if both else [function(one, *waves) for one in (q, k)]
                except Exception:
                    continue
                yield q, k, *turned


def verdict(family: str) -> tuple[str, str]:
    """Return a verdict on one family, and why."""
    try:
        heard = listened(family)
    except Exception as error:  # a class that needs what a tiny model doesn't have
        why = f"{type(error).__name__}: {error}".split("\n")[0][:90]
        try:
            agrees = _agrees(family)
            return ("not run", why) if agrees is None else ("right" if agrees else "wrong", "by its function")
        except ValueError as refusal:
            return "refused", str(refusal)
        except Exception:
            return "not run", why
    try:
        model = understood(heard.config)
    except ValueError as refusal:
        return "refused", str(refusal)
    found = list(differences(family, model, heard))
    silent = [what for what, words in found if not any(word in model.remark for word in words)]
    return ("wrong" if silent else "said" if found else "right"), "; ".join(silent or [what for what, _ in found])


def rotary_families() -> list[str]:
    """Return every model_type with rope fields whose config is of a text."""
    found = []
    for family in alone():
        try:
            own = written(transformers.AutoConfig.for_model(family))
        except Exception:  # a class without defaults
            continue
        picture = own.get("patch_size") or own.get("image_size")
        if any(name in own for name in ROPE_FIELDS) and not picture:
            found.append(family)
    return found


if __name__ == "__main__":
    sys.exit(counted(verdict, sys.argv[1:] or rotary_families()))
