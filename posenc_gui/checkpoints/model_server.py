"""What a model's process does when it is asked: it holds one model, and answers with records or with why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

import torch

from posenc_gui.checkpoints import loading, recording
from posenc_gui.checkpoints.checkpoint import Checkpoint
from posenc_gui.checkpoints.loading import NotLoaded, Source
from posenc_gui.checkpoints.messages import received, sent
from posenc_gui.checkpoints.watch import Watch
from posenc_gui.foundation.child_server import Report
from posenc_gui.foundation.errors import Invalid, TooLarge, Undefined, is_out_of_memory
from posenc_gui.foundation.memory import give_back_holes
from posenc_gui.foundation.stopped import CheckStop

_SILENT = 50  # above what transformers has to say
_ASKED = 0.02  # seconds between two questions whether to go on
# A model may take more numbers than its folder holds: heads and poolers that aren't saved, tables that its code makes.
_TIMES, _MORE = 2, 2**24

Answer = Mapping[str, Any]  # the result, or why there is none and what kind of error says so


class _Held:
    """The model that the process holds, and the number by which it is asked for."""

    number = -1
    checkpoint: Checkpoint | None = None

    def asked_for(self, number: int) -> Checkpoint:
        if number != self.number or self.checkpoint is None:
            raise _Gone
        return self.checkpoint


class _Gone(Exception):
    """Another model took the place of the one that is asked for."""


_held = _Held()


def begin(threads: int, _report: Report) -> Answer:
    """Get ready to load a model, computing with this many threads."""
    from transformers.utils import logging

    torch.set_num_threads(threads)
    logging.set_verbosity(_SILENT)
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    recording.register()
    return {"result": None}


def clear(_report: Report) -> Answer:
    """Give the held model's memory back."""
    _held.checkpoint = None
    give_back_holes()
    return {"result": None}


def plan(path: str, name: str, config: Mapping[str, Any], held: int, _report: Report) -> Answer:
    """Refuse a folder of `held` numbers whose config asks for far more."""

    def judge() -> None:
        asked = loading.numbers_asked(Source(path, name, config))
        if asked > _TIMES * held + _MORE:
            raise Invalid(
                f"{name} can't be opened: its config.json asks for {asked:,} numbers, and its weights are {held:,}."
            )

    return _answer(judge)


def load(path: str, name: str, config: Mapping[str, Any], number: int, report: Report) -> Answer:
    """Load a folder's model under a number, reporting how many of how many weights are read, and tell its traits."""
    watch = Watch(_asking(report), lambda *how_far: report(how_far))

    def loaded() -> Any:
        found = loading.load(Source(path, name, config), watch)
        _held.number, _held.checkpoint = number, found
        return sent(found.traits)

    return _answer(loaded)


def run(number: int, ids: Any, change: Any, layers: list[int] | None, report: Report) -> Answer:
    """Make a pass, reporting each layer with its index, and tell the last hidden states."""

    def passed() -> Any:
        checkpoint = _held.asked_for(number)
        found = checkpoint.run(received(ids), received(change), layers, _asking(report))
        for layer in found.layers.items():
            report(sent(layer))
        return sent(found.hidden)

    return _answer(passed)


def next_losses(number: int, ids: Any, change: Any, report: Report) -> Answer:
    """Tell the losses of all tokens but the first."""

    def computed() -> Any:
        checkpoint = _held.asked_for(number)
        return sent(checkpoint.next_losses(received(ids), received(change), _asking(report)))

    return _answer(computed)


def hidden_losses(number: int, ids: Any, change: Any, hiding: list[int], mask: int, report: Report) -> Answer:
    """Tell the losses of the tokens from one place to another, each read with the token `mask` in its place."""

    def computed() -> Any:
        checkpoint, places = _held.asked_for(number), range(*hiding)
        return sent(checkpoint.hidden_losses(received(ids), places, mask, received(change), _asking(report)))

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
    except _Gone:
        return {"gone": True}
    except NotLoaded as error:
        return {"not_loaded": error.why, "field": error.field}
    except (Invalid, TooLarge, Undefined) as why:
        return {"refused": type(why).__name__, "why": str(why)}
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        return {"refused": TooLarge.__name__, "why": "There is too little memory for this model and this text."}
