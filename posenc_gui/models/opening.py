"""Opens a model that has learned: what its weights and its config.json say of it together."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor

from posenc_gui import encodings
from posenc_gui.attention.trained_model import SeenLayer, TrainedModel, gives
from posenc_gui.checkpoints import opening
from posenc_gui.checkpoints.config_fields import NoSwitch
from posenc_gui.checkpoints.folder import CONFIG, Folder, read_folder
from posenc_gui.checkpoints.hub_cache import is_name, model_called
from posenc_gui.checkpoints.loading import NotLoaded
from posenc_gui.checkpoints.records import Traits
from posenc_gui.checkpoints.watch import UNWATCHED, Watch
from posenc_gui.encodings.base import Encoding, RotationEncoding
from posenc_gui.encodings.common.trained import FixedTable, TrainedBias, TrainedRotation, TrainedTable, TrainedTerm
from posenc_gui.encodings.sinusoidal import Sinusoidal
from posenc_gui.encodings.t5 import T5
from posenc_gui.foundation.errors import Invalid
from posenc_gui.models.config import encodings_of, understood

_SAME = 2e-3  # of sines: what float32 loses at the last positions of a long table
_LATEST_FIRST = 2  # position that a table's first token has: fairseq's count from 2


def open_model(folder: str | Path, layer: int = 0, *, watch: Watch = UNWATCHED) -> TrainedModel:
    """Open a model that has learned, from a folder of this computer, at one of its layers.

    folder: its path; or a model's name, as File ▸ Models on this computer lists it, with or without who made it:
    "all-MiniLM-L6-v2". It stands where a toy model does: `pe.Session(text=…, model=pe.open_model(folder))`. Nothing is
    downloaded, and no file is executed. The model that was opened last stays in memory, in a process of its own, and leaves it
    when another is opened; Ctrl+C ends that process, and the next call loads the model again. `watch` can stop it, and is told
    how far it is. Raises ValueError, in one sentence, for a folder that can't be opened, or a name that none has; TooLarge if
    it doesn't fit this computer's memory.
    """
    if not isinstance(folder, str | Path):
        raise ValueError(f"a model is given by its name or its folder's path, not as {type(folder).__name__}")
    path = model_called(str(folder)) if is_name(folder) else Path(folder)
    try:
        opened = opening.open_folder(path, watch=watch)
    except NotLoaded as error:
        raise _plainly(error, read_folder(path)) from None
    found, traits = opened.folder, opened.model.traits
    seen = _layers(found, traits)
    here = seen[min(max(layer, 0), len(seen) - 1)]
    is_plain = seen == tuple(seen[0].model_copy(update={"number": index}) for index in range(len(seen)))
    return TrainedModel(
        name=found.name,
        path=str(found.path),
        layer=layer,
        layers=len(seen),
        n_heads=here.n_heads,
        d_model=traits.d_model,
        d_head=here.d_head,
        causal=traits.causal,
        max_length=found.trained_length if traits.table is None else len(traits.table),
        model_type=found.config["model_type"],
        encoding=here.encoding,
        beside=tuple(door for door in traits.doors if door != here.encoding.door),
        shows="all" if traits.is_open else "weights",
        separable=traits.separable,
        by_layer=() if is_plain else seen,
        weights=found.weights,
        files=opened.identity.files,
    )


def _plainly(error: NotLoaded, folder: Folder) -> Invalid:
    """Return what its config.json alone is refused for, if that can be why a folder isn't loaded: else what is said of it."""
    try:
        understood(folder.config)
    except ValueError as why:
        if error.field in str(why):
            return Invalid(f"{folder.name} can't be loaded: {CONFIG}: {str(why).removesuffix('.')}.")
    return error


def _layers(folder: Folder, traits: Traits) -> tuple[SeenLayer, ...]:
    """Return what each layer of a model has. Raises Invalid if nothing is known of how it tells the order of a text."""
    try:
        known = encodings_of(folder.config)
    except NoSwitch as why:
        raise Invalid(f"{folder.name} can't be opened: {CONFIG}: {why}.") from None
    except ValueError:
        known = ()
    turns = any(waves is not None for waves in traits.waves)
    layers = zip(traits.numbers, traits.n_heads, traits.d_heads, traits.waves, strict=True)
    if not known and not traits.doors:
        raise Invalid(f"{folder.name} can't be opened: how its code knows the order of a text isn't known here.")
    of_table = _of_table(known, traits)
    return tuple(
        SeenLayer(
            n_heads=n_heads,
            d_head=d_head,
            encoding=of_table or _own_encoding(known, traits, index),
            is_turned=waves is not None or not turns,
            number=number,
        )
        for index, (number, n_heads, d_head, waves) in enumerate(layers)
    )


def _of_table(known: tuple[Encoding, ...], traits: Traits) -> TrainedTable | None:
    """Return the encoding of a model that has a table of positions, which all its layers share; None if it has none."""
    if traits.table is None or not (traits.separable or all(one.door == "input" for one in known)):
        return None
    rows = traits.table
    is_fixed = any(isinstance(one, Sinusoidal) and _fills(one, rows) for one in known)
    return FixedTable(rows=len(rows)) if is_fixed else TrainedTable(rows=len(rows))


def _own_encoding(known: tuple[Encoding, ...], traits: Traits, layer: int) -> Encoding:
    """Return the encoding of a model's layer: of those of its config where its own numbers bear that out."""
    layers = list(zip(traits.waves, traits.d_heads, strict=True))
    asked_first = layers[layer : layer + 1] + layers  # a layer that isn't turned has the others' encoding
    waves, d_head = next((one for one in asked_first if one[0] is not None), (None, 0))
    turning = [one for one in known if isinstance(one, RotationEncoding)]
    if waves is not None and (traits.is_open or turning or not known):  # Falcon's code computes some beside ALiBi
        return next((one for one in turning if gives(one, waves, d_head)), TrainedRotation())
    if traits.bias is not None:
        of_buckets = next((one for one in known if isinstance(one, T5)), None)
        return TrainedTerm() if of_buckets is None else TrainedBias(**dict(of_buckets))
    if known and (not traits.is_open or known[0].door in ("input", "score")):
        is_known = known[0].door != "score" or known[0].content_free
        return known[0] if is_known else TrainedTerm()
    return TrainedTerm() if "score" in traits.doors else encodings.encoding("none")


def _fills(encoding: Sinusoidal, rows: Tensor) -> bool:
    """Return True if these rows, (positions, width), are an encoding's, counted from one of the first positions."""
    at = torch.arange(len(rows) + _LATEST_FIRST, dtype=torch.float64)
    own = encoding.vectors(at, rows.shape[1]).to(rows)
    starts = range(_LATEST_FIRST + 1)
    return any(torch.allclose(rows, own[first : first + len(rows)], atol=_SAME) for first in starts)
