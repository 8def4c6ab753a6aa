"""Compare what configs without a rotation are read as with what transformers does.

`python -m tools.unrotated_models MODEL_TYPE…` takes, without names, every model_type of the installed transformers that
holds no other's config; `position_embedding_type` is set to "absolute", as published configs of most encoders say. Of each
that is read so it builds a tiny model with random weights and compares its mask, and, where a learned table is read, the
table's first row in use and how many rows follow. A verdict is right, refused, rotary, wrong, or not run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
from torch import Tensor

from posenc_gui.encodings.learned import Learned
from posenc_gui.encodings.rope import RoPE
from posenc_gui.models.config import understood
from posenc_gui.models.model_facts import Published
from tools.later import Later
from tools.tiny_models import TOKENS, alone, counted, is_causal, run, some_text, tiny_config, tiny_model, written

transformers = Later("transformers")


@contextmanager
def tables_used() -> Iterator[set[tuple[int, int]]]:
    """Collect the tables whose rows are looked up in order: the first row, and how many are left from there."""
    found: set[tuple[int, int]] = set()
    look_up = torch.nn.functional.embedding

    def heard(rows: Tensor, table: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        first = int(rows.flatten()[0])
        if rows.shape[-1] >= TOKENS and torch.equal(rows.flatten()[:TOKENS], first + torch.arange(TOKENS)):
            found.add((first, len(table) - first))
        return look_up(rows, table, *args, **kwargs)

    with mock.patch.object(torch.nn.functional, "embedding", heard):
        yield found


def differences(model: Published, tiny: torch.nn.Module) -> Iterator[str]:
    """Yield what the reading of a config has otherwise than the model."""
    with tables_used() as tables:
        run(tiny, some_text())
    if isinstance(model.encoding, Learned):
        lengths = {rows for _, rows in tables}
        if model.encoding.max_len not in lengths:
            yield f"its tables (first row, rows) are {sorted(tables)}, not {model.encoding.max_len} rows"
        firsts = {first for first, rows in tables if rows == model.encoding.max_len}
        if firsts - {0} and "positions count from" not in model.remark:
            yield f"its first row is {sorted(firsts)}"
    if is_causal(tiny) != model.model.causal:
        yield f"its mask is {'none' if model.model.causal else 'causal'}"


def verdict(family: str) -> tuple[str, str]:
    """Return a verdict on one family, and why; an empty one for what isn't read, or is rotary."""
    absolute = {"position_embedding_type": "absolute"}
    try:
        if isinstance(understood(written(transformers.AutoConfig.for_model(family)) | absolute).encoding, RoPE):
            return "rotary", "see tools.rotary_models"
        config = tiny_config(family)
        if hasattr(config, "position_embedding_type"):
            config.position_embedding_type = "absolute"
        model = understood(written(config) | absolute)
    except ValueError as refusal:
        return "refused", str(refusal)
    except Exception as error:  # a class that needs what a tiny model doesn't have
        return "not run", f"{type(error).__name__}: {error}".split("\n")[0][:90]
    try:
        found = "; ".join(differences(model, tiny_model(config)))
    except Exception as error:
        return "not run", f"{model.encoding.name}, mask {model.model.causal}: {type(error).__name__}: {error}".split(
            "\n"
        )[0][:120]
    return ("wrong", found) if found else ("right", model.encoding.name)


if __name__ == "__main__":
    sys.exit(counted(verdict, sys.argv[1:] or alone()))
