"""Record what the config classes of the installed transformers fill in: `python -m tools.class_defaults`.

Of each class it keeps the fields that say how positions enter. Lists of one value a layer keep each value once.
`rope_scaling` is not a default: it holds what the class makes of a bare block of that older name, where that differs, such
as the base of each kind of layer, and which of them are scaled.
"""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import transformers
from huggingface_hub.errors import StrictDataclassError
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

from posenc_gui.checkpoints.config_fields import D_HEAD, D_MODEL, FILLED, GROUPS, HEADS, NESTED, OF_ATTENTION
from posenc_gui.checkpoints.config_json import CLASS_DEFAULTS_FILE
from posenc_gui.checkpoints.families import PADDED

BY_LAYER = ("layer_types", "no_rope_layers", "layer_rope_theta", "per_layer_config")  # each value is kept once
BARE = {"rope_type": "linear", "factor": 2.0}  # a scaling that every class takes


def recorded() -> dict[str, Mapping[str, Any]]:
    """Return the defaults of every class by its model_type."""
    found = {}
    for family in CONFIG_MAPPING_NAMES:
        try:
            own = _written(family)
        except (ValueError, StrictDataclassError):  # it has no defaults: it needs a config inside it
            continue
        kept = {name: _once(own[name]) if name in BY_LAYER else own[name] for name in FILLED if _says(own.get(name))}
        if own.get("pad_token_id") == 0 and family in PADDED:
            kept["pad_token_id"] = 0  # as good a token as any
        if attention := kept.get("attn_config"):
            kept["attn_config"] = {
                name: value for name, value in attention.items() if name in OF_ATTENTION and _says(value)
            }
        for name in _computed(family, own):
            kept.pop(name, None)
        inner = {name: own[name]["model_type"] for name in NESTED if "model_type" in (own.get(name) or ())}
        if any(name in kept for name in D_MODEL) or inner:
            found[family] = kept | _scaled(family, own) | inner
    return found


def _written(family: str, **fields: Any) -> dict[str, Any]:
    """Return the JSON that transformers writes for a class."""
    written: dict[str, Any] = json.loads(
        transformers.AutoConfig.for_model(family, **fields).to_json_string(use_diff=False)
    )
    return written


def _computed(family: str, own: Mapping[str, Any]) -> set[str]:
    """Return the fields that a class computes from the width or the number of heads; they are no defaults."""
    found: set[str] = set()
    for names in (D_MODEL, HEADS):
        for name in names:
            if isinstance(own.get(name), int):
                try:
                    other = _written(family, **{name: 2 * own[name]})
                except (ValueError, StrictDataclassError):
                    continue
                found |= {field for field in (*D_HEAD, *GROUPS) if other.get(field) != own.get(field)}
    return found


def _says(value: Any) -> bool:
    return value not in (None, False, {}, [])


def _once(values: Any) -> list[Any]:
    if isinstance(values, dict):  # fields of some layers, by the layer's number
        values = values.values()
    assert isinstance(values, Iterable)
    return [json.loads(text) for text in dict.fromkeys(map(json.dumps, values))]


def _scaled(family: str, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the blocks that a class makes of a bare `rope_scaling`, if they differ from its default otherwise."""
    if not own.get("rope_parameters"):
        return {}
    try:
        made = _written(family, rope_scaling=dict(BARE))["rope_parameters"]
    except (KeyError, StrictDataclassError):  # it takes no scaling
        return {}
    default = own["rope_parameters"]
    flat = not any(isinstance(block, dict) for block in default.values())
    if flat and made.get("rope_theta") == default.get("rope_theta"):
        return {}
    return {"rope_scaling": made}


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    lines = (f"    {json.dumps(name)}: {json.dumps(fields)}" for name, fields in sorted(recorded().items()))
    text = '{{\n  "transformers": {},\n  "classes": {{\n{}\n  }}\n}}\n'
    Path(CLASS_DEFAULTS_FILE).write_text(text.format(json.dumps(transformers.__version__), ",\n".join(lines)), "utf-8")
