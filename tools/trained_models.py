"""Compare what is drawn of models that have learned with transformers' own code, family by family.

`python -m tools.trained_models MODEL_TYPE…` takes, without names, every model_type of the installed transformers that reads
text, also beside images or sounds. Of each it writes the folder of a tiny model with random weights, opens it as a user
does, and compares the weights of every layer with those of transformers' eager attention. Where it can be read without
positions, a text and its tokens in reverse must have the same weights, as far as the mask lets them be compared. Encoding,
shape, mask, scale and trained length must be those that its config.json is read as. A verdict is right; kept (it can't be read
without positions, and transformers' own code, with every token at position 0, tells a text from its reverse, too); closed (the
folder is refused in a sentence); wrong; or not run.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor

import posenc_gui as pe
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.checkpoints.config_fields import Level
from posenc_gui.checkpoints.config_json import of_text, parse
from posenc_gui.checkpoints.folder import CONFIG
from posenc_gui.checkpoints.records import Recorded
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.trained import FixedTable, TrainedBias, TrainedTable, TrainedTerm
from posenc_gui.encodings.learned import Learned
from posenc_gui.encodings.sinusoidal import Sinusoidal
from posenc_gui.encodings.t5 import T5
from posenc_gui.models.config import understood
from tools.later import Later
from tools.rotary_models import SCALED_BEFORE
from tools.tiny_checkpoints import WORDS, write_tokenizer
from tools.tiny_models import alone, counted, tiny_config, whole_model

transformers = Later("transformers")

CLOSE = 1e-3  # of weights: float32 leaves up to 3e-4 after eight layers with a scale of 1
TOLD_WITHOUT_SINKS = {
    "granite_swa",
    "granitemoe_swa",
}  # their eager code scales outputs instead of weights by what is left
TEXT = "dog bites man the cat sat on mat stocks rose today"


def write_folder(family: str, folder: Path) -> Path:
    """Write the folder of a family's tiny model, and return it. Raises what transformers does for one that isn't run."""
    transformers.utils.logging.disable_progress_bar()
    config = tiny_config(family)
    whole_model(config).save_pretrained(folder)
    write_tokenizer(folder)
    return folder


@contextmanager
def weights_heard(model: torch.nn.Module) -> Iterator[list[Tensor]]:
    """Collect the weights, (h, n, n), of each call of the eager attention function that a model's own modules hold."""
    heard: list[Tensor] = []

    def listening(function: Callable[..., Any]) -> Callable[..., Any]:
        def inner(*args: Any, **kwargs: Any) -> Any:
            output, weights = function(*args, **kwargs)
            heard.append(weights[0])
            return output, weights

        return inner

    undo = []
    for module in {sys.modules[type(part).__module__] for part in model.modules()}:
        if function := vars(module).get("eager_attention_forward"):
            undo.append((module, function))
            module.eager_attention_forward = listening(function)  # type: ignore[attr-defined]
    try:
        yield heard
    finally:
        for module, function in undo:
            module.eager_attention_forward = function  # type: ignore[attr-defined]


def eager_weights(path: Path, ids: Tensor, **given: Tensor) -> list[Tensor]:
    """Return the weights of every layer's attention, (h, n, n), as transformers' eager code gives them for tokens (n,).

    given: what its code takes beside the tokens, as far as it does.
    """
    model = transformers.AutoModel.from_pretrained(path, attn_implementation="eager", dtype=torch.float32).eval()
    model = model.get_encoder() if model.config.is_encoder_decoder else model
    try:
        found = _told(model, ids, given)
    except (AttributeError, KeyError, RuntimeError, TypeError, ValueError):  # CLIP's needs an image
        found = []
    return found or _told(model.get_decoder(), ids, given)


def _told(model: Any, ids: Tensor, given: dict[str, Tensor]) -> list[Tensor]:
    beside = {"use_cache": False, **given}
    beside = {name: one for name, one in beside.items() if name in inspect.signature(model.forward).parameters}
    with torch.no_grad(), weights_heard(model) as heard:
        told = model(input_ids=ids[None], output_attentions=True, **beside)
    named = [weights[0] for weights in getattr(told, "attentions", None) or () if weights is not None]
    # MiniMax tells the states of its linear attention among its weights.
    return [weights for weights in named or heard if weights.shape[-2:] == (len(ids), len(ids))]


def own_order(path: Path, ids: Tensor) -> float:
    """Return by how much transformers' own weights without positions differ for a text and its reverse, in any layer.

    Every token is at position 0, and none is hidden, where the code takes that; otherwise the first layer's last query over
    the tokens before it is compared.
    """
    count = len(ids)
    still = {"position_ids": torch.zeros(1, count, dtype=torch.long)}
    try:
        seen = still | {"attention_mask": torch.zeros(1, 1, count, count)}
        weights, others = (eager_weights(path, some, **seen) for some in (ids, ids.flip(0)))
        if all(bool(one.triu(1).any()) for one in weights):
            return max(
                float((one.flip(-2, -1) - other).abs().max()) for one, other in zip(weights, others, strict=True)
            )
    except (IndexError, RuntimeError, TypeError, ValueError):  # it takes no mask of that shape
        pass
    order = [*reversed(range(count - 1)), count - 1]
    still |= {"attention_mask": torch.ones(1, count, dtype=torch.long)}
    weights, others = (eager_weights(path, some, **still) for some in (ids, ids[order]))
    return float((weights[0][:, -1, order] - others[0][:, -1]).abs().max())


def differences(model: TrainedModel, own: list[Tensor]) -> Iterator[str]:
    """Yield what is drawn otherwise than transformers gives it, and where a text without positions has an order."""
    if len(own) != model.layers:
        yield f"{model.layers} layers, not {len(own)}"
        return
    for layer, theirs in enumerate(own):
        session = pe.Session(text=TEXT, model=model.at_layer(layer))
        found = pe.attend(session).probabilities
        if model.model_type in TOLD_WITHOUT_SINKS:
            found = found / found.sum(-1, keepdim=True)
        if found.shape != theirs.shape or not torch.allclose(found, theirs, atol=CLOSE, rtol=0):
            yield f"other weights in layer {layer}"
        if model.separable and (order := _order_told(session.changed(encoding="none"))):
            yield f"{order} in layer {layer}"


def _order_told(session: pe.Session) -> str:
    """Say where weights without positions tell a text from its tokens in reverse; empty if nowhere.

    Under a causal mask only the last query sees all tokens, and only the first layer's inputs are those of one token alone.
    """
    count, causal = len(session.tokens), session.model.causal
    if causal and session.model.layer:
        return ""
    order = (*reversed(range(count - 1)), count - 1) if causal else tuple(reversed(range(count)))
    rows = slice(-1, None) if causal else slice(None)
    weights, others = (pe.attend(one).probabilities[:, rows] for one in (session, session.reordered(order)))
    expected = weights[..., list(order)] if causal else weights.flip(-2, -1)
    off = float((others - expected).abs().max())
    if off > CLOSE:
        return f"order tells {off:.1g} of a weight"
    return "" if float(weights.std(-1).max()) > 1e-6 else "all weights are the same"


def of_config(path: Path, model: TrainedModel) -> Iterator[str]:
    """Yield what a folder is opened as otherwise than its config.json is read."""
    layers = [pe.open_model(path, layer=layer) for layer in range(model.layers)]
    known = {one.encoding for one in layers}
    _, family = of_text(Level(parse((path / CONFIG).read_bytes())))
    try:
        read = understood(path / CONFIG)
    except ValueError as refusal:
        # A table is seen in its weights alone.
        if any(one.known and one.door != "none" and not isinstance(one, TrainedTable) for one in known):
            yield f"{refusal}"
        return
    kinds = [one for one in (read.encoding, read.other) if one is not None]
    odd = [one for one in known if not any(_is_same(one, kind) for kind in kinds)]
    is_said = re.search("a RoPE of their own|training sets", read.remark) and all(one.door == "rotation" for one in odd)
    if not is_said and (odd or not any(_is_same(one, read.encoding) for one in known)):
        yield f"config.json says {kinds}, not {sorted(map(repr, known))}"
    shape = (read.model.d_model, read.model.n_heads, read.model.head_width)
    if shape not in (own := {(one.d_model, one.n_heads, one.d_head) for one in layers}):
        yield f"config.json says the shape {shape}, not {own}"
    if read.model.causal != model.causal:
        yield f"config.json says {'a' if read.model.causal else 'no'} causal mask"
    if read.trained_length != model.max_length:
        yield f"config.json says {read.trained_length} positions, not {model.max_length}"
    passed = model.ask(lambda loaded: loaded.run(torch.tensor([5, 6]))).layers.values()
    scales = {one.scale for one in passed if isinstance(one, Recorded)}
    scale = read.model.scale or read.encoding.scale(read.model.head_width)
    if family not in SCALED_BEFORE | {"opt"} and scales and not any(abs(one / scale - 1) < CLOSE for one in scales):
        yield f"config.json says the scale {scale:.6g}, not {scales}"


def _is_same(own: Encoding, read: Encoding) -> bool:
    """Return True if a layer's encoding is that of a config; what it learned is in its weights alone."""
    if isinstance(own, FixedTable):
        return isinstance(read, Sinusoidal)
    if isinstance(own, TrainedTable):
        return isinstance(read, Learned) and own.rows == read.max_len
    if isinstance(own, TrainedBias):
        return isinstance(read, T5) and all(getattr(own, name) == getattr(read, name) for name in T5.model_fields)
    if isinstance(own, TrainedTerm):
        return read.door == "score" and not read.content_free
    return own == read


def verdict(family: str) -> tuple[str, str]:
    """Return a verdict on one family, and why."""
    with TemporaryDirectory() as folder:
        try:
            path = write_folder(family, Path(folder) / family)
        except Exception as error:  # a class that needs what a tiny model doesn't have
            return "not run", f"{type(error).__name__}: {error}".split("\n")[0][:90]
        try:
            model = pe.open_model(path)
        except ValueError as why:
            return "closed", str(why)
        except Exception as error:
            return "wrong", f"not opened: {type(error).__name__}: {error}".split("\n")[0]
        ids = torch.tensor([WORDS.index(word) for word in TEXT.split()])
        try:
            own = eager_weights(path, ids)
            kept = 0.0 if model.separable else own_order(path, ids)
            refused = ("its own code loses the order that ours keeps",) if not model.separable and kept < CLOSE else ()
            why = "; ".join((*differences(model, own), *of_config(path, model), *refused))
        except Exception as error:
            why = f"{type(error).__name__}: {error}".split("\n")[0]
        if why:
            return "wrong", f"{model.encoding.name}, {model.shows}: {why}"
        told = f"{model.encoding.name}, {model.shows} of {model.layers} layers, {'' if model.causal else 'not '}causal"
        return ("right", told) if model.separable else ("kept", f"{told}; its own weights change by {kept:.1g}")


def read_text() -> list[str]:
    """Return every model_type whose config has a vocabulary, or holds that of a text."""
    kinds = transformers.models.auto.configuration_auto.CONFIG_MAPPING
    once = alone()
    beside = [
        kind for kind in transformers.models.auto.configuration_auto.CONFIG_MAPPING_NAMES if kind not in set(once)
    ]
    return [kind for kind in once if "vocab_size" in inspect.signature(kinds[kind]).parameters] + beside


if __name__ == "__main__":
    torch.set_num_threads(1)
    sys.exit(counted(verdict, sys.argv[1:] or read_text()))
