"""What a model's process does when it is asked: it holds one model, and answers with records or with why there is none."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from time import monotonic, process_time
from typing import Any

import torch

from posenc_gui.checkpoints import loading, recording
from posenc_gui.checkpoints.checkpoint import Checkpoint
from posenc_gui.checkpoints.loading import NotLoaded, Source
from posenc_gui.checkpoints.messages import received, sent
from posenc_gui.checkpoints.records import Recorded
from posenc_gui.checkpoints.watch import Watch
from posenc_gui.foundation.child_server import Report
from posenc_gui.foundation.errors import Invalid, TooLarge, Undefined, is_out_of_memory
from posenc_gui.foundation.importing import importing
from posenc_gui.foundation.memory import give_back_holes, keep_large_blocks
from posenc_gui.foundation.stopped import CheckStop

_SILENT = 50  # above what transformers has to say
_ASKED = 0.02  # seconds between two questions whether to go on
# A model may take more numbers than its folder holds: heads and poolers that aren't saved, tables that its code makes.
_TIMES, _MORE = 2, 2**24

Answer = Mapping[str, Any]  # the result, or why there is none and what kind of error says so


class _Held:
    """The model that the process holds."""

    checkpoint: Checkpoint


REFUSALS = {error.__name__: error for error in (Invalid, NotLoaded, TooLarge, Undefined)}
_held = _Held()


@cache
def prepare() -> None:
    """Import what any model needs, quietly."""
    with importing():
        importlib.import_module("transformers.models.auto.modeling_auto")
        from transformers.utils import logging

        logging.set_verbosity(_SILENT)
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        recording.register()
    keep_large_blocks()


def begin(threads: int, path: str, name: str, config: Mapping[str, Any], _report: Report) -> Answer:
    """Forget the last model, import what a folder's model needs, and compute with this many threads from then on; tell the
    seconds that this process has computed."""
    prepare()
    vars(_held).clear()
    give_back_holes()
    torch.set_num_threads(threads)
    with suppress(Exception):  # which is told when the model is made
        loading.import_code(Source(path, name, config))
    return {"result": process_time()}


def plan(path: str, name: str, config: Mapping[str, Any], held: int, _report: Report) -> Answer:
    """Refuse a folder of `held` numbers whose config asks for far more."""

    def judge() -> None:
        asked = loading.numbers_asked(Source(path, name, config))
        if asked > _TIMES * held + _MORE:
            raise Invalid(
                f"{name} can't be opened: its config.json asks for {asked:,} numbers, and its weights are {held:,}."
            )

    return _answer(judge)


def load(path: str, name: str, config: Mapping[str, Any], report: Report) -> Answer:
    """Load a folder's model, reporting how many of how many weights are read, and tell its traits."""
    watch = Watch(_asking(report), lambda *how_far: report(how_far))

    def loaded() -> Any:
        _held.checkpoint = loading.load(Source(path, name, config), watch)
        return sent(_held.checkpoint.traits)

    return _answer(loaded)


def run(ids: Any, change: Any, layers: list[int] | None, known: list[int], report: Report) -> Answer:
    """Make a pass, reporting each layer with its index, and tell the last hidden states. `known`: layers without their W_o."""

    def passed() -> Any:
        found = _held.checkpoint.run(received(ids), received(change), layers, _asking(report))
        for index, layer in found.layers.items():
            if index in known and isinstance(layer, Recorded):
                layer = replace(layer, output=None)
            report(sent((index, layer)))
        return sent(found.hidden)

    return _answer(passed)


def next_losses(ids: Any, change: Any, report: Report) -> Answer:
    """Tell the losses of all tokens but the first."""

    def computed() -> Any:
        return sent(_held.checkpoint.next_losses(received(ids), received(change), _asking(report)))

    return _answer(computed)


def hidden_losses(ids: Any, change: Any, hiding: list[int], mask: int, report: Report) -> Answer:
    """Tell the losses of the tokens from one place to another, each read with the token `mask` in its place."""

    def computed() -> Any:
        return sent(
            _held.checkpoint.hidden_losses(received(ids), range(*hiding), mask, received(change), _asking(report))
        )

    return _answer(computed)


def _asking(report: Report) -> CheckStop:
    """Return what asks whether to go on, not more often than anyone could notice: each time costs a message."""
    asked = monotonic()

    def ask() -> None:
        nonlocal asked
        if monotonic() - asked > _ASKED:
            asked = monotonic()
            report(None)

    return ask


def _answer(work: Callable[[], Any]) -> Answer:
    """Return what work returns, or why it can't. Raises what is an error of the model's code."""
    try:
        return {"result": work()}
    except tuple(REFUSALS.values()) as why:
        return {"refused": type(why).__name__, "told": [str(why), *([why.field] if isinstance(why, NotLoaded) else [])]}
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        return {"refused": TooLarge.__name__, "told": ["There is too little memory for what this model computes."]}
