"""Opens a model's folder: what is checked before anything is loaded, and the one model that is kept in memory."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import torch
from torch import nn

from posenc_gui.checkpoints import recording
from posenc_gui.checkpoints.checkpoint import Checkpoint
from posenc_gui.foundation import devices
from posenc_gui.foundation.errors import TooLarge, Undefined, describe_error
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.wording import format_bytes

INSTALL = "Models that have learned need transformers: pip install 'posenc-gui[models]'."
TOKENIZER = "tokenizer.json"

_LARGEST_CONFIG = 2**20  # bytes
_LONGEST_HEADER = 100 * 2**20
_LENGTH = struct.Struct("<Q")
_SILENT = 50  # above what transformers has to say
_TIMES = 2.5  # float32 has twice the bytes of the usual weights, and a pass needs some beside


@dataclass(frozen=True)
class WeightFile:
    """A file of weights: its name, its size in bytes, and the SHA-256 of its header, which names every tensor."""

    name: str
    size: int
    header: str


@dataclass(frozen=True, eq=False)
class Folder:
    """A model's folder: its config, and its files of weights."""

    path: Path
    config: dict[str, Any]
    weights: tuple[WeightFile, ...]


def read_folder(path: Path) -> Folder:
    """Check a model's folder. Raises ValueError, in one sentence, for one that can't be opened; OSError."""
    if not path.is_dir():
        raise ValueError(f"{path.name} is no folder of a model: choose the one that holds its config.json")
    names = sorted(one.name for one in path.iterdir())
    if "config.json" not in names:
        raise ValueError(f"{path.name} holds no config.json, so it is no model's folder")
    weights = [name for name in names if name.endswith(".safetensors")]
    if not weights:
        raise ValueError(f"{path.name} holds no safetensors: other files of weights could run code, and aren't opened")
    if TOKENIZER not in names:
        raise ValueError(f"{path.name} holds no {TOKENIZER}, without which no text becomes the model's tokens")
    try:
        config = json.loads(atomic.read_bytes(path / "config.json", _LARGEST_CONFIG, "model's config.json"))
    except ValueError as error:
        raise ValueError(f"{path.name}: config.json can't be read: {describe_error(error)}") from None
    if not isinstance(config, dict) or not isinstance(config.get("model_type"), str):
        raise ValueError(f"{path.name}: config.json says no model_type")
    return Folder(path, config, tuple(_weight_file(path / name) for name in weights))


def _weight_file(path: Path) -> WeightFile:
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(_LENGTH.size)
        length = _LENGTH.unpack(start)[0] if len(start) == _LENGTH.size else size
        if not 2 <= length <= min(_LONGEST_HEADER, size - _LENGTH.size):
            raise ValueError(f"{path.name} is no whole safetensors file")
        return WeightFile(path.name, size, hashlib.sha256(file.read(length)).hexdigest())


class _Closed(Exception):
    """The model's code calls no attention function that can be replaced."""


class _Kept:
    """The one model in memory."""

    def __init__(self) -> None:
        self.turn = Lock()
        self.folder: tuple[Path, tuple[WeightFile, ...]] | None = None
        self.checkpoint: Checkpoint | None = None
        self.paths: dict[tuple[WeightFile, ...], Path] = {}  # of all that were opened, by what their files are


_kept = _Kept()


def checkpoint(path: Path) -> Checkpoint:
    """Return a folder's model, from memory if it is the last one. Raises ValueError, TooLarge and OSError."""
    folder = read_folder(path)
    with _kept.turn:
        key = (path, folder.weights)
        if _kept.folder != key or _kept.checkpoint is None:
            _kept.folder, _kept.checkpoint = None, None  # first free the old one
            _require_memory(folder)
            _kept.checkpoint = _loaded(folder)
            _kept.folder, _kept.paths[folder.weights] = key, path
        return _kept.checkpoint


def opened_path(weights: tuple[WeightFile, ...]) -> Path | None:
    """Return the folder from which the model with these files was opened before; None if it wasn't."""
    return _kept.paths.get(weights)


def _require_memory(folder: Folder) -> None:
    needed = int(_TIMES * sum(one.size for one in folder.weights))
    if needed > (free := devices.free_memory()):
        raise TooLarge(
            f"{folder.path.name} needs about {format_bytes(needed)} of memory, and {format_bytes(free)} are free."
        )


def _loaded(folder: Folder) -> Checkpoint:
    with _offline():
        try:
            import transformers  # noqa: F401
        except ImportError:
            raise Undefined(INSTALL) from None
    recording.register()
    try:
        found = Checkpoint.of(_model(folder, recording.NAME), is_open=True)
        if not found.attention:
            raise _Closed
        return found
    except _Closed:
        return Checkpoint.of(_model(folder, "eager"), is_open=False)


@contextmanager
def _offline() -> Iterator[None]:
    """Let transformers be imported as one that never asks the network."""
    before = os.environ.get("HF_HUB_OFFLINE")
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["HF_HUB_OFFLINE"]
        else:
            os.environ["HF_HUB_OFFLINE"] = before


def _model(folder: Folder, attention: str) -> nn.Module:
    """Return the model, float32, of an encoder and a decoder the encoder. Raises ValueError in one sentence."""
    from transformers import AutoModel
    from transformers.utils import logging

    verbosity, has_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(_SILENT)
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        model, info = AutoModel.from_pretrained(
            folder.path,
            attn_implementation=attention,
            dtype=torch.float32,
            local_files_only=True,
            use_safetensors=True,
            trust_remote_code=False,
            output_loading_info=True,
        )
    except Exception as error:
        if isinstance(error, KeyError) and error.args == (recording.NAME,):
            raise _Closed from None
        raise ValueError(f"{folder.path.name} can't be loaded: {' '.join(str(error).split())[:200]}") from None
    finally:
        logging.set_verbosity(verbosity)
        if has_bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
    missing = sorted(name for name in info["missing_keys"] if "pooler" not in name)
    if missing:
        raise ValueError(f"{folder.path.name} can't be opened: its weights lack {missing[0]}")
    whole: nn.Module = model.get_encoder() if model.config.is_encoder_decoder else model
    return whole.eval()
