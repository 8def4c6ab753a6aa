"""Opens a model's folder: the one model that is kept in memory, loaded by transformers without a network."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import torch
from torch import nn

from posenc_gui.checkpoints import recording
from posenc_gui.checkpoints.checkpoint import Checkpoint
from posenc_gui.checkpoints.folder import Folder, WeightFile, read_folder
from posenc_gui.foundation.errors import Invalid, Undefined
from posenc_gui.foundation.files import atomic

INSTALL = "Models that have learned need transformers: pip install 'posenc-gui[models]'."

_SILENT = 50  # above what transformers has to say
_LONGEST_WHY = 200  # characters


class Changed(Invalid):
    """The folder's weights aren't those that are expected."""


@dataclass(frozen=True, eq=False)
class Opened:
    """A folder and its model; `stamps` are those of its weights when they were read, `given` the path that was asked for."""

    given: Path
    folder: Folder
    stamps: tuple[atomic.Stamp | None, ...]
    checkpoint: Checkpoint


class _Kept:
    """The one model in memory, and where all stand that were opened, by what their files are."""

    def __init__(self) -> None:
        self.turn = Lock()
        self.opened: Opened | None = None
        self.paths: dict[tuple[WeightFile, ...], Path] = {}


class _Closed(Exception):
    """The model's code calls no attention function that can be replaced."""


_kept = _Kept()


def open_folder(path: Path, expected: tuple[WeightFile, ...] | None = None) -> Opened:
    """Return a folder's model, from memory if it is the last one and its weights weren't written since.

    Raises Invalid, in one sentence, for a folder that can't be opened, as Changed if its weights aren't the expected
    ones; Undefined without transformers; TooLarge.
    """
    with _kept.turn:
        opened = _kept.opened
        if opened is None or path not in (opened.given, opened.folder.path) or _stamps(opened.folder) != opened.stamps:
            opened = _kept.opened = None  # the old one's memory is needed
            folder = read_folder(path)
            _require(folder, expected)
            opened = _kept.opened = Opened(path, folder, _stamps(folder), _loaded(folder))
            _kept.paths[folder.weights] = folder.path
        _require(opened.folder, expected)
        return opened


def opened_path(weights: tuple[WeightFile, ...]) -> Path | None:
    """Return the folder from which the model with these files was opened before; None if it wasn't."""
    return _kept.paths.get(weights)


def _require(folder: Folder, expected: tuple[WeightFile, ...] | None) -> None:
    if expected is not None and folder.weights != expected:
        raise Changed(f"{folder.name} has other weights than this session was made with: open its folder again.")


def _stamps(folder: Folder) -> tuple[atomic.Stamp | None, ...]:
    return tuple(atomic.stamp(folder.path / one.name) for one in folder.weights)


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
    """Return the model, float32, of an encoder and a decoder the encoder. Raises Invalid in one sentence."""
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
        raise Invalid(f"{folder.name} can't be loaded: {' '.join(str(error).split())[:_LONGEST_WHY]}.") from None
    finally:
        logging.set_verbosity(verbosity)
        if has_bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
    missing = sorted(name for name in info["missing_keys"] if "pooler" not in name)
    if missing:
        raise Invalid(f"{folder.name} can't be opened: its weights lack {missing[0]}.")
    whole: nn.Module = model.get_encoder() if model.config.is_encoder_decoder else model
    return whole.eval()
