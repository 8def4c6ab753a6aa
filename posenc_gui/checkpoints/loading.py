"""Loads a model's folder with transformers, in a process that has no network, and finds out what is in it."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self

import torch
from torch import nn

from posenc_gui.checkpoints import recording
from posenc_gui.checkpoints.checkpoint import Checkpoint, Head
from posenc_gui.checkpoints.config_json import meant_family
from posenc_gui.checkpoints.folder import CONFIG
from posenc_gui.checkpoints.order_test import loses_order
from posenc_gui.checkpoints.records import Predicts
from posenc_gui.checkpoints.watch import Watch
from posenc_gui.foundation.errors import Invalid, TooLarge, Undefined
from posenc_gui.foundation.wording import quote

_LONGEST_WHY = 200  # characters
_OF_FIELD = re.compile(r"Validation error for field '(\w+)'")  # of huggingface_hub's strict dataclasses

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Source:
    """A folder that was read: its path, the model's name in sentences, and the fields of its config.json."""

    path: str
    name: str
    config: Mapping[str, Any]


class NotLoaded(Invalid):
    """transformers can't make the folder's model. `field` is what it names of the config as unusable; empty if nothing."""

    def __init__(self, sentence: str, field: str = "") -> None:
        super().__init__(sentence)
        self.field = field

    @classmethod
    def because(cls, source: Source, why: str, field: str = "") -> Self:
        """Return what says why, as the rest of a sentence."""
        return cls(f"{source.name} can't be loaded: {why}.", field)


class _Closed(Exception):
    """The model's code calls no attention function that can be replaced."""


def import_code(source: Source) -> None:
    """Import what makes a folder's model. Raises whatever that leads to."""
    from transformers import CONFIG_MAPPING

    kind, _ = _kind(source)
    kind._model_mapping[CONFIG_MAPPING[source.config["model_type"]]]


def numbers_asked(source: Source) -> int:
    """Return how many numbers a folder's model takes by its config, without allocating one. Raises Invalid as `load` does."""
    from transformers import AutoConfig

    kind, _ = _kind(source)
    with _refusing(source), torch.device("meta"):
        config = AutoConfig.from_pretrained(source.path, local_files_only=True, trust_remote_code=False)
        model = kind.from_config(config, dtype=torch.float32, attn_implementation="eager", trust_remote_code=False)
    return sum(one.numel() for parts in (model.parameters(), model.buffers()) for one in parts)


def load(source: Source, watch: Watch) -> Checkpoint:
    """Return a folder's model. Raises Invalid, in one sentence, if that can't be done; Undefined for one that can't be drawn."""
    found = _recorded(source, watch)
    if found is None:
        model, head = _model(source, "eager", watch)  # once nothing holds the first attempt's weights
        try:
            found = Checkpoint.of(model, False, head, watch.check_stop)
        except (Invalid, TooLarge, Undefined):
            raise
        except (AttributeError, LookupError, RuntimeError, TypeError, ValueError):  # some code reads more than tokens
            _log.info("%s isn't opened", source.name, exc_info=True)
            raise Undefined(
                f"{source.name} can't be opened: its code is built otherwise than that of most models."
            ) from None
    if not all(bool(wave.isfinite().all()) for waves in found.waves if waves for wave in waves):
        raise NotLoaded.because(source, f"by the numbers in its {CONFIG} nothing can be turned")
    return replace(found, separable=loses_order(found, watch.check_stop))


def _recorded(source: Source, watch: Watch) -> Checkpoint | None:
    """Return a model whose attention is recorded; None if its code goes another way, or needs other masks."""
    try:
        model, head = _model(source, recording.NAME, watch)
    except _Closed:
        return None
    try:
        found = Checkpoint.of(model, True, head, watch.check_stop)
    except Undefined:
        raise
    except Exception:
        _log.info("%s is opened without its scores", source.name, exc_info=True)
        return None
    return found if found.attention else None


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


@contextmanager
def _refusing(source: Source) -> Iterator[None]:
    """Turn what transformers has to say of a folder into NotLoaded, in one sentence."""
    try:
        yield
    except Exception as error:
        if isinstance(error, KeyError) and error.args == (recording.NAME,):
            raise _Closed from None
        raise _not_loaded(source, error) from None


def _model(source: Source, attention: str, watch: Watch) -> tuple[nn.Module, Head | None]:
    """Return the model, float32, of encoder and decoder the encoder, with its head if the folder has it whole. Raises
    Invalid."""
    from transformers import GenerationConfig, PreTrainedModel

    kind, predicts = _kind(source)
    nothing_generated = GenerationConfig()  # type: ignore[no-untyped-call]  # given, since it is read from a file otherwise
    with _refusing(source), _watched(watch):
        model, info = kind.from_pretrained(
            source.path,
            attn_implementation=attention,
            dtype=torch.float32,
            local_files_only=True,
            use_safetensors=True,
            ignore_mismatched_sizes=True,
            trust_remote_code=False,
            output_loading_info=True,
            generation_config=nothing_generated,
            output_attentions=False,  # whatever the folder wants: who asks for weights is told them
        )
    for tensor, held, built in sorted(info["mismatched_keys"]):
        has, wanted = (" × ".join(f"{size:,}" for size in shape) for shape in (held, built))
        raise NotLoaded.because(
            source, f"its {quote(tensor)} is {has}, and of its {CONFIG} transformers makes one of {wanted}"
        )
    model.eval()
    inner = next(part for part in model.children() if isinstance(part, PreTrainedModel)) if predicts else model
    within = next(f"{name}." if name else "" for name, module in model.named_modules() if module is inner)
    missing = sorted(name for name in info["missing_keys"] if "pooler" not in name)
    lacking = [name.removeprefix(within) for name in missing if name.startswith(within)]
    if lacking:
        raise Invalid(f"{source.name} can't be opened: its weights lack {lacking[0]}.")
    if inner.config.is_encoder_decoder and hasattr(inner, "decoder"):  # BERT has none, whatever its config says
        return inner.get_encoder(), None
    if inner.config.get_text_config() is not inner.config:  # the model reads images or sounds, too
        return inner.get_decoder(), None
    return inner, Head(model, predicts) if predicts and not missing else None


def _not_loaded(source: Source, error: Exception) -> NotLoaded:
    """Return a plain sentence for what transformers, or Python in it, said."""
    _log.info("%s can't be loaded", source.name, exc_info=True)
    groups = [source.config, *(held for held in source.config.values() if isinstance(held, Mapping))]
    fields = [(name, held) for group in groups for name, held in group.items()]
    found, key = _OF_FIELD.match(str(error)), error.args[:1] if isinstance(error, KeyError) else ()
    for name, held in fields:
        if (found and found[1] == name) or (isinstance(held, str) and key == (held,)):
            says = f"its {CONFIG} says {name} {json.dumps(held)[:_LONGEST_WHY]}"
            return NotLoaded.because(source, f"{says}, which transformers can't use", name)
    if "cross attention is added" in str(error):
        name = "add_cross_attention"
        says = f"its {CONFIG} says {name} true without is_decoder true"
        return NotLoaded.because(source, f"{says}, which transformers can't use", name)
    said = f"{type(error).__name__}: {' '.join(str(error).split())[:_LONGEST_WHY].rstrip('.')}"
    return NotLoaded.because(source, f"transformers can't make a model of its {CONFIG} and weights ({said})")


def _kind(source: Source) -> tuple[Any, Predicts | None]:
    """Return the class that loads a folder's model, with its head if its config names one that predicts tokens."""
    from transformers import CONFIG_MAPPING, __version__
    from transformers.models.auto import modeling_auto as auto

    model_type, named = source.config["model_type"], source.config.get("architectures")
    if model_type not in CONFIG_MAPPING:
        unknown = f"transformers {__version__} doesn't know the model_type {quote(model_type)} of its {CONFIG}"
        raise NotLoaded.because(source, f"{unknown}{meant_family(model_type)}", "model_type")
    if CONFIG_MAPPING[model_type] not in auto.MODEL_MAPPING:
        raise NotLoaded.because(
            source, f"transformers loads no model of model_type {quote(model_type)} alone", "model_type"
        )
    if not isinstance(named, list) or source.config.get("is_encoder_decoder"):
        return auto.AutoModel, None
    if auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(model_type) in named:
        return auto.AutoModelForCausalLM, "next"
    if auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES.get(model_type) in named:
        return auto.AutoModelForMaskedLM, "hidden"
    return auto.AutoModel, None
