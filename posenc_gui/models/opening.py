"""Opens a model that has learned: what its weights and its config.json say of it together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from posenc_gui import encodings
from posenc_gui.attention.trained_model import TrainedModel, gives
from posenc_gui.checkpoints import opening
from posenc_gui.checkpoints.checkpoint import Checkpoint
from posenc_gui.checkpoints.opening import UNWATCHED, Watch
from posenc_gui.encodings.base import Encoding, RotationEncoding
from posenc_gui.encodings.common.trained import TrainedBias, TrainedRotation, TrainedTable, TrainedTerm
from posenc_gui.encodings.t5 import T5
from posenc_gui.models.config import understood


def open_model(folder: str | Path, layer: int = 0, *, watch: Watch = UNWATCHED) -> TrainedModel:
    """Open a model that has learned, from a folder of this computer, at one of its layers.

    It stands where a toy model does: `pe.Session(text=…, model=pe.open_model(folder))`. Nothing is downloaded, and no
    file is executed. `watch` can stop it, and is told how far it is. Raises ValueError, in one sentence, for a folder
    that can't be opened; TooLarge if it doesn't fit this computer's memory.
    """
    if not isinstance(folder, str | Path):
        raise ValueError(f"a model is given by its folder's path, not as {type(folder).__name__}")
    opened = opening.open_folder(Path(folder), watch=watch)
    found, checkpoint, table = opened.folder, opened.checkpoint, opened.checkpoint.table
    own = _own_encoding(found.config, checkpoint, layer)
    return TrainedModel(
        name=found.name,
        path=str(found.path),
        layer=layer,
        layers=len(checkpoint.attention),
        n_heads=checkpoint.n_heads,
        d_model=checkpoint.d_model,
        d_head=checkpoint.d_head,
        causal=checkpoint.causal,
        max_length=found.trained_length if table is None else len(table.rows),
        model_type=found.config["model_type"],
        encoding=own,
        beside=tuple(door for door in checkpoint.doors if door != own.door),
        shows="all" if checkpoint.is_open else "weights",
        separable=checkpoint.separable,
        weights=found.weights,
        files=opened.identity.files,
    )


def _own_encoding(config: Mapping[str, Any], checkpoint: Checkpoint, layer: int) -> Encoding:
    """Return the encoding of a model's layer: what is known of it by formula where its own numbers bear that out."""
    try:
        published = understood(config)
        known = [one for one in (published.encoding, published.other) if one is not None]
    except ValueError:
        known = []
    if checkpoint.table is not None and (checkpoint.separable or all(one.door == "input" for one in known)):
        return TrainedTable(rows=len(checkpoint.table.rows))
    waves = checkpoint.waves[min(layer, len(checkpoint.waves) - 1)]
    turning = [one for one in known if isinstance(one, RotationEncoding)]
    if waves is not None and (checkpoint.is_open or turning or not known):  # Falcon's code computes some beside ALiBi
        return next((one for one in turning if gives(one, waves, checkpoint)), TrainedRotation())
    if checkpoint.bias is not None:
        of_buckets = next((one for one in known if isinstance(one, T5)), None)
        return TrainedTerm() if of_buckets is None else TrainedBias(**dict(of_buckets))
    own = known[0] if known else encodings.encoding("none")
    in_scores = own.door == "score" or (own.door == "none" and "score" in checkpoint.doors)
    if in_scores and (checkpoint.is_open or not own.content_free or own.door == "none"):
        return TrainedTerm()
    return encodings.encoding("none") if checkpoint.is_open and own.door == "rotation" else own
