"""Do a model's weights fit its config? Judged by names and shapes, before a weight is read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from posenc_gui.checkpoints.config_fields import D_MODEL, Level
from posenc_gui.checkpoints.safetensors_header import FLOATS, PACKED, Tensor
from posenc_gui.foundation.errors import Invalid
from posenc_gui.foundation.wording import format_count, quote
from posenc_gui.text.tokenization import format_path

_LAYERS = ("num_layers_per_stack", "num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers")
_SHARED = "num_hidden_groups"  # ALBERT's layers share the weights of a group
_BEYOND = "num_nextn_predict_layers"  # layers behind the last one that guess further tokens, and aren't run
_NARROWER = ("embedding_size", "word_embed_proj_dim")  # tokens' vectors may be narrower than the layers
_EMBEDDINGS = re.compile(
    r"(?:^|\.)(?:embed_tokens|embed_in|word_embeddings|tok_embeddings|wte|word_embedding|shared)\.weight"
)
_IN_LAYER = re.compile(r"(.*?)\.(\d{1,6})\.")
_QUANTISED = re.compile(r"\.(?:qweight|qzeros|SCB|weight_packed|weight\.quant_state\..*|weight_scale(?:_inv)?)")
_OF_QUANTISATION = ("quantization_config", "compression_config")


def check_agreement(level: Level, tensors: Mapping[str, Tensor], name: str) -> None:
    """Raise Invalid, in one sentence, if weights are quantised or disagree with the config of a model's text layers."""
    _check_types(tensors, name)
    _check_width(level, tensors, name)
    _check_layers(level, tensors, name)


def check_unquantised(level: Level, name: str) -> None:
    """Raise Invalid if a config says that the weights are quantised."""
    if field := level.own(*_OF_QUANTISATION):
        raise _quantised(name, f"{level.where}{field} of its config.json says so")


def _quantised(name: str, how: str) -> Invalid:
    return Invalid(f"{name} has quantised weights ({how}); only weights in 16, 32 or 64 bits are read.")


def _check_types(tensors: Mapping[str, Tensor], name: str) -> None:
    for tensor, (dtype, shape) in tensors.items():
        is_small = dtype not in FLOATS and tensor.endswith(".weight") and len(shape) > 1
        if dtype in PACKED or is_small or _QUANTISED.search(tensor):
            raise _quantised(name, f"{quote(format_path(tensor))} is {dtype}")


def _check_width(level: Level, tensors: Mapping[str, Tensor], name: str) -> None:
    """Check the width of the layers, and the tokens' vectors."""
    width, field = level.whole(*D_MODEL), level.own(*D_MODEL)
    if not width or not field:
        return
    matrices = {tensor: shape for tensor, (_, shape) in tensors.items() if len(shape) > 1}
    if not any(width in shape for shape in matrices.values()):
        raise Invalid(f"{name} has no weights of the {level.where}{field} {width:,} that its config.json says.")
    widths = {width, *(found for narrower in _NARROWER if (found := level.whole(narrower)))}
    n_tokens = level.whole("vocab_size")
    for tensor, shape in matrices.items():
        if _EMBEDDINGS.search(tensor) and (shape[-1] not in widths or (n_tokens and shape[0] != n_tokens)):
            said = f"{level.where}vocab_size {n_tokens:,} and " if n_tokens else ""
            raise Invalid(
                f"{name} has {quote(format_path(tensor))} of {' × '.join(f'{size:,}' for size in shape)}, and its "
                f"config.json says {said}{level.where}{field} {width:,}."
            )


def _check_layers(level: Level, tensors: Mapping[str, Tensor], name: str) -> None:
    n_layers, field = level.whole(*_LAYERS), level.own(*_LAYERS)
    if not n_layers or level.own(_SHARED):
        return
    beyond = int(level.number(_BEYOND) or 0)
    stacks: defaultdict[str, set[int]] = defaultdict(set)
    for stack, index in _places(tensors):
        stacks[stack].add(index)
    if any(n_layers <= len(found) <= n_layers + beyond and max(found) == len(found) - 1 for found in stacks.values()):
        return
    most = max(stacks.values(), key=len, default=set())
    says = f"its config.json says {level.where}{field} {n_layers:,}"
    missing = next((index for index in range(n_layers) if index not in most), None)
    if most and len(most) < n_layers and missing is not None:
        raise Invalid(f"{name} lacks the weights of layer {missing}: {says}.")
    raise Invalid(f"{name} has the weights of {format_count(len(most), 'layer')}, and {says}.")


def _places(tensors: Mapping[str, Tensor]) -> Iterator[tuple[str, int]]:
    """Yield the stack of layers that each tensor stands in, and its number there: model.layers, 3."""
    for tensor in tensors:
        if found := _IN_LAYER.match(tensor):
            yield found[1], int(found[2])
