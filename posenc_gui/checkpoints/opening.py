"""Opens a model's folder: the one model that is kept in memory, loaded by transformers without a network."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

import torch
from torch import nn

from posenc_gui.checkpoints import recording
from posenc_gui.checkpoints.checkpoint import Checkpoint, Head
from posenc_gui.checkpoints.config_json import meant_family
from posenc_gui.checkpoints.folder import CONFIG, Folder, Stamps, read_folder, stamps_now
from posenc_gui.checkpoints.identity import Identity
from posenc_gui.checkpoints.order_test import loses_order
from posenc_gui.checkpoints.records import Predicts
from posenc_gui.foundation.errors import Invalid, TooLarge, Undefined
from posenc_gui.foundation.stopped import CheckStop, go_on
from posenc_gui.foundation.wording import quote

INSTALL = "Models that have learned need transformers: pip install 'posenc-gui[models]'."

_SILENT = 50  # above what transformers has to say
_LONGEST_WHY = 200  # characters
_OF_FIELD = re.compile(r"Validation error for field '(\w+)'")  # of huggingface_hub's strict dataclasses


class Changed(Invalid):
    """The folder's files aren't those that are expected."""


class NotLoaded(Invalid):
    """transformers can't make the folder's model. `field` is what it names of the config as unusable; empty if nothing."""

    def __init__(self, folder: Folder, why: str, field: str = "") -> None:
        super().__init__(f"{folder.name} can't be loaded: {why}.")
        self.folder, self.field = folder, field


@dataclass(frozen=True, eq=False)
class OpenedModel:
    """A folder and its model; `given` is the path that was asked for."""

    given: Path
    folder: Folder
    identity: Identity
    checkpoint: Checkpoint


@dataclass(frozen=True)
class _Known:
    """Which model a folder held when its files had these stamps, and what it is called."""

    name: str
    identity: Identity
    stamps: Stamps


class _Kept:
    """The one model in memory; which models stand in the folders that were seen; and the SHA-256 of their weights."""

    def __init__(self) -> None:
        self.turn = Lock()
        self.opened: OpenedModel | None = None
        self.known: dict[Path, _Known] = {}
        self.sha256: dict[Identity, str] = {}


class _Closed(Exception):
    """The model's code calls no attention function that can be replaced."""


_kept = _Kept()
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Watch:
    """Who waits for a model: `check_stop` is called in between and may raise, then nothing of it is kept; `progress` is told
    how many of how many weights are read.
    """

    check_stop: CheckStop = go_on
    progress: Callable[[int, int], None] = lambda _done, _all: None


UNWATCHED = Watch()


def open_folder(path: Path, expected: Identity | None = None, watch: Watch = UNWATCHED) -> OpenedModel:
    """Return a folder's model, from memory if it is the last one and none of its files was written since.

    Raises Invalid, in one sentence, for a folder that can't be opened, as Changed if its files aren't the expected
    ones, or change meanwhile; Undefined without transformers; TooLarge.
    """
    with _kept.turn:
        opened = _kept.opened
        if opened is None or path not in (opened.given, opened.folder.path) or not opened.folder.is_as_read:
            opened = _kept.opened = None  # the old one's memory is needed
            folder = read_folder(path)
            identity = _identity(folder)
            _require(folder.name, identity, expected)
            checkpoint = _loaded(folder, watch)
            if not folder.is_as_read:
                raise Changed(f"{folder.name} has changed while it was opened: open its folder again.")
            opened = _kept.opened = OpenedModel(path, folder, identity, checkpoint)
            _kept.sha256.pop(identity, None)  # the weights may have been written since
        _require(opened.folder.name, opened.identity, expected)
        return opened


def require(path: Path, expected: Identity) -> None:
    """Raise Changed, in one sentence, unless a folder holds the expected model; Invalid if none; TooLarge.

    Nothing is read of a folder whose files are as they were when it was seen last.
    """
    known = _kept.known.get(path)
    if known is None or stamps_now(path, known.stamps) != known.stamps:
        folder = read_folder(path)
        _require(folder.name, _identity(folder), expected)
    else:
        _require(known.name, known.identity, expected)


def opened_path(expected: Identity) -> Path | None:
    """Return the folder in which this model was seen before; None if it wasn't."""
    found = _seen(expected)
    return found and found[0]


def known_sha256(expected: Identity) -> str:
    """Return the SHA-256 of this model's weights, if it was told; else nothing."""
    found = _seen(expected)
    return _kept.sha256.get(found[1].identity, "") if found else ""


def tell_sha256(expected: Identity, sha256: str) -> None:
    """Remember what was computed of this model's weights, as long as they are those that were opened."""
    if found := _seen(expected):
        _kept.sha256[found[1].identity] = sha256


def _seen(expected: Identity) -> tuple[Path, _Known] | None:
    """Return the folder that was seen last to hold this model."""
    seen = ((path, one) for path, one in reversed(tuple(_kept.known.items())) if one.identity.fits(expected))
    return next(seen, None)


def _identity(folder: Folder) -> Identity:
    """Return which model a folder holds, reading what isn't known of its files."""
    known = _kept.known.get(folder.path)
    if known is None or known.stamps != folder.stamps:
        known = _Known(folder.name, _read(folder), folder.stamps)
    _kept.known.pop(folder.path, None)  # who was seen last stands last
    _kept.known[folder.path] = known
    return known.identity


def _read(folder: Folder) -> Identity:
    try:
        return Identity.of(folder)
    except OSError as error:
        raise Invalid(f"{folder.name} can't be read: {error.strerror}.") from None


def _require(name: str, found: Identity, expected: Identity | None) -> None:
    if expected is not None and (others := found.others_than(expected)):
        raise Changed(changed(name, others))


def changed(name: str, others: str) -> str:
    """Say what of a model isn't as a session knows it: “another config.json”."""
    return f"{name} has {others} than this session was made with: open its folder again."


def _loaded(folder: Folder, watch: Watch) -> Checkpoint:
    watch.check_stop()
    with _offline():
        try:
            import transformers  # noqa: F401
        except ImportError:
            raise Undefined(INSTALL) from None
    recording.register()
    found = _recorded(folder, watch)
    if found is None:
        model, head = _model(folder, "eager", watch)  # once nothing holds the first attempt's weights
        try:
            found = Checkpoint.of(model, False, head, watch.check_stop)
        except (Invalid, TooLarge, Undefined):
            raise
        except (AttributeError, LookupError, RuntimeError, TypeError, ValueError):  # some code reads more than tokens
            _log.info("%s isn't opened", folder.name, exc_info=True)
            raise Undefined(
                f"{folder.name} can't be opened: its code is built otherwise than that of most models."
            ) from None
    if not all(bool(wave.isfinite().all()) for waves in found.waves if waves for wave in waves):
        raise NotLoaded(folder, f"by the numbers in its {CONFIG} nothing can be turned")
    return replace(found, separable=loses_order(found, watch.check_stop))


def _recorded(folder: Folder, watch: Watch) -> Checkpoint | None:
    """Return a model whose attention is recorded; None if its code goes another way, or needs other masks."""
    try:
        model, head = _model(folder, recording.NAME, watch)
    except _Closed:
        return None
    try:
        found = Checkpoint.of(model, True, head, watch.check_stop)
    except Undefined:
        raise
    except Exception:
        _log.info("%s is opened without its scores", folder.name, exc_info=True)
        return None
    return found if found.attention else None


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


@contextmanager
def _watched(watch: Watch) -> Iterator[None]:
    """Let transformers ask and tell between two weights; its older versions can't."""
    from transformers.utils import logging

    def follow(bar: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        return _steps(given[0], watch) if given else bar(**named)

    set_hook = getattr(logging, "set_tqdm_hook", lambda hook: hook)
    before = set_hook(follow)
    try:
        yield
    finally:
        set_hook(before)


def _steps(weights: Collection[Any], watch: Watch) -> Iterator[Any]:
    for done, weight in enumerate(weights):
        watch.check_stop()
        watch.progress(done, len(weights))
        yield weight
    watch.check_stop()


def _model(folder: Folder, attention: str, watch: Watch) -> tuple[nn.Module, Head | None]:
    """Return the model, float32, of an encoder and a decoder the encoder, and its head if the folder has it whole.

    Raises Invalid in one sentence.
    """
    from transformers import GenerationConfig, PreTrainedModel
    from transformers.utils import logging

    kind, predicts = _kind(folder)
    nothing_generated = GenerationConfig()  # type: ignore[no-untyped-call]  # given, since it is read from a file otherwise
    verbosity, has_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(_SILENT)
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        with _watched(watch):
            model, info = kind.from_pretrained(
                folder.path,
                attn_implementation=attention,
                dtype=torch.float32,
                local_files_only=True,
                use_safetensors=True,
                ignore_mismatched_sizes=True,
                trust_remote_code=False,
                output_loading_info=True,
                generation_config=nothing_generated,
            )
    except Exception as error:
        if isinstance(error, KeyError) and error.args == (recording.NAME,):
            raise _Closed from None
        raise _not_loaded(folder, error) from None
    finally:
        logging.set_verbosity(verbosity)
        if has_bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
    for tensor, held, built in sorted(info["mismatched_keys"]):
        has, wanted = (" × ".join(f"{size:,}" for size in shape) for shape in (held, built))
        raise NotLoaded(folder, f"its {quote(tensor)} is {has}, and by its {CONFIG} it would be {wanted}")
    model.eval()
    inner = next(part for part in model.children() if isinstance(part, PreTrainedModel)) if predicts else model
    within = next(f"{name}." if name else "" for name, module in model.named_modules() if module is inner)
    missing = sorted(name for name in info["missing_keys"] if "pooler" not in name)
    lacking = [name.removeprefix(within) for name in missing if name.startswith(within)]
    if lacking:
        raise Invalid(f"{folder.name} can't be opened: its weights lack {lacking[0]}.")
    if inner.config.is_encoder_decoder:
        return inner.get_encoder(), None
    if inner.config.get_text_config() is not inner.config:  # the model reads images or sounds, too
        return inner.get_decoder(), None
    return inner, Head(model, predicts) if predicts and not missing else None


def _not_loaded(folder: Folder, error: Exception) -> NotLoaded:
    """Return a plain sentence for what transformers, or Python in it, said."""
    _log.info("%s can't be loaded", folder.name, exc_info=True)
    groups = [folder.config, *(held for held in folder.config.values() if isinstance(held, Mapping))]
    fields = [(name, held) for group in groups for name, held in group.items()]
    found, key = _OF_FIELD.match(str(error)), error.args[:1] if isinstance(error, KeyError) else ()
    for name, held in fields:
        if (found and found[1] == name) or (isinstance(held, str) and key == (held,)):
            says = f"its {CONFIG} says {name} {json.dumps(held)[:_LONGEST_WHY]}"
            return NotLoaded(folder, f"{says}, which transformers can't use", name)
    said = f"{type(error).__name__}: {' '.join(str(error).split())[:_LONGEST_WHY].rstrip('.')}"
    return NotLoaded(folder, f"transformers can't make a model of its {CONFIG} and weights ({said})")


def _kind(folder: Folder) -> tuple[Any, Predicts | None]:
    """Return the class that loads a folder's model, with its head if its config names one that predicts tokens."""
    from transformers import CONFIG_MAPPING, __version__
    from transformers.models.auto import modeling_auto as auto

    model_type, named = folder.config["model_type"], folder.config.get("architectures")
    if model_type not in CONFIG_MAPPING:
        unknown = f"transformers {__version__} doesn't know the model_type {quote(model_type)} of its {CONFIG}"
        raise NotLoaded(folder, f"{unknown}{meant_family(model_type)}", "model_type")
    if CONFIG_MAPPING[model_type] not in auto.MODEL_MAPPING:
        raise NotLoaded(folder, f"transformers loads no model of model_type {quote(model_type)} alone", "model_type")
    if not isinstance(named, list) or folder.config.get("is_encoder_decoder"):
        return auto.AutoModel, None
    if auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(model_type) in named:
        return auto.AutoModelForCausalLM, "next"
    if auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES.get(model_type) in named:
        return auto.AutoModelForMaskedLM, "hidden"
    return auto.AutoModel, None
