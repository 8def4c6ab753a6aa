"""Compare what models' folders are opened as with what their config.json is read as, and with transformers' own pass.

`python -m tools.trained_models MODEL_TYPE…` takes, without names, every model_type of the installed transformers that holds
no other's config. Of each it writes a folder with a tiny model, opens it at every layer, and compares encoding, shape, mask,
scale and trained length with those of its config.json, and the weights of attention with transformers' own. A verdict is
same, refused (by both), unopened (by the folder alone), wrong, or not run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor

import posenc_gui as pe
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.checkpoints.records import Recorded
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.trained import TrainedBias, TrainedTable
from posenc_gui.encodings.learned import Learned
from posenc_gui.encodings.t5 import T5
from posenc_gui.models.config import understood
from posenc_gui.models.model_facts import Published
from tools.rotary_models import SCALED_BEFORE
from tools.tiny_checkpoints import WORDS, write_tokenizer
from tools.tiny_models import alone, counted, tiny_config, whole_model

TEXT = "the cat sat on the mat dog bites man"
CLOSE = 1e-5  # of weights


def verdict(family: str) -> tuple[str, str]:
    """Return a verdict on one family, and why."""
    try:
        config = tiny_config(family)
        model = whole_model(config)
    except Exception as error:  # a class that needs what a tiny model doesn't have
        return "not run", f"{type(error).__name__}: {error}".split("\n")[0][:90]
    with TemporaryDirectory() as place:
        path = Path(place) / family
        model.save_pretrained(path)
        write_tokenizer(path)
        try:
            read = understood(path / "config.json")
        except ValueError as refusal:
            read = str(refusal)
        try:
            layers = opened(path)
        except ValueError as refusal:
            return ("refused" if isinstance(read, str) else "unopened"), str(refusal)
        if isinstance(read, str):
            known = sorted({one.encoding.name for one in layers if one.encoding.known})
            return ("wrong", f"opened as {known}: {read}") if known else ("refused", read)
        found = [*differences(family, read, layers), *of_weights(model, layers)]
    return ("wrong", "; ".join(found)) if found else ("same", read.encoding.name)


def opened(path: Path) -> list[TrainedModel]:
    """Return a folder's model at each of its layers."""
    first = pe.open_model(path)
    return [first, *(pe.open_model(path, layer=layer) for layer in range(1, first.layers))]


def differences(family: str, read: Published, layers: list[TrainedModel]) -> Iterator[str]:
    """Yield what a folder's layers have otherwise than its config."""
    kinds = [one for one in (read.encoding, read.other) if one is not None]
    for model in layers:
        if not any(_is_same(model.encoding, kind) for kind in kinds):
            yield f"layer {model.layer}: {model.encoding!r}, not {kinds!r}"
            break
    if not any(_is_same(model.encoding, read.encoding) for model in layers):
        yield f"no layer has {read.encoding!r}"
    first, shape = layers[0], (read.model.d_model, read.model.n_heads, read.model.head_width)
    own = {(model.d_model, model.n_heads, model.d_head) for model in layers}
    if shape not in own:
        yield f"its shape is {sorted(own)}, not {shape}"
    if first.causal != read.model.causal:
        yield f"its mask is {'causal' if first.causal else 'none'}"
    if first.max_length != read.trained_length:
        yield f"it takes {first.max_length} tokens, not {read.trained_length}"
    passed = first.checkpoint().run(_ids(), layers=[one.layer for one in layers]).layers.values()
    scales = {one.scale for one in passed if isinstance(one, Recorded)}
    ours = read.model.scale or read.encoding.scale(read.model.head_width)
    if family not in SCALED_BEFORE and scales and not any(abs(scale / ours - 1) < CLOSE for scale in scales):
        yield f"its scales are {sorted(scales)}, not {ours:.6g}"


def _is_same(own: Encoding, read: Encoding) -> bool:
    """Return True if a layer's encoding is that of a config; learned numbers are those of the weights."""
    if isinstance(own, TrainedTable):
        return isinstance(read, Learned) and own.rows == read.max_len
    if isinstance(own, TrainedBias):
        return isinstance(read, T5) and all(getattr(own, name) == getattr(read, name) for name in T5.model_fields)
    return own == read


def _ids() -> Tensor:
    return torch.tensor([WORDS.index(word) for word in TEXT.split()])


def of_weights(model: Any, layers: list[TrainedModel]) -> Iterator[str]:
    """Yield where the weights of attention are others than transformers' own."""
    model = model.get_encoder() if model.config.is_encoder_decoder else model
    with torch.no_grad():
        own = model(input_ids=_ids()[None], output_attentions=True).attentions
    if len(own) != len(layers):
        yield f"transformers gives weights of {len(own)} layers, not {len(layers)}"
        return
    for one, weights in zip(layers, own, strict=True):
        found = pe.attend(pe.Session(text=TEXT, model=one)).probabilities
        if found.shape != weights[0].shape or (most := float((found - weights[0]).abs().max())) > CLOSE:
            yield f"weights of layer {one.layer} differ by {most:.2g}"
            return


if __name__ == "__main__":
    sys.exit(counted(verdict, sys.argv[1:] or alone()))
