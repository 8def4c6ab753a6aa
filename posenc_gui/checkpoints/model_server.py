"""What a model's process does when it is asked: it holds one model, and answers with records or with why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch

from posenc_gui.checkpoints import loading, recording
from posenc_gui.checkpoints.checkpoint import Checkpoint
from posenc_gui.checkpoints.loading import NotLoaded, Source
from posenc_gui.checkpoints.messages import received, sent
from posenc_gui.checkpoints.records import Losses
from posenc_gui.checkpoints.watch import Watch
from posenc_gui.foundation.child_server import Report
from posenc_gui.foundation.errors import Invalid, TooLarge, Undefined, is_out_of_memory
from posenc_gui.foundation.memory import give_back_holes, give_back_large_blocks
from posenc_gui.foundation.stopped import CheckStop

_SILENT = 50  # above what transformers has to say
_SLACK = (
    2,
    2**24,
)  # how much more than a folder holds a model may take: heads and poolers that aren't saved, tables of the code

Answer = Mapping[str, Any]  # the result, or why there is none and what kind of error says so


class _Held:
    """The model that the process holds."""

    checkpoint: Checkpoint


_held = _Held()


def begin(threads: int, _report: Report) -> Answer:
    """Get ready to load a model, computing with this many threads."""
    from transformers.utils import logging

    give_back_large_blocks()
    torch.set_num_threads(threads)
    logging.set_verbosity(_SILENT)
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    recording.register()
    return {"result": None}


def clear(_report: Report) -> Answer:
    """Give the held model's memory back."""
    if hasattr(_held, "checkpoint"):
        del _held.checkpoint
        give_back_holes()
    return {"result": None}


def plan(path: str, name: str, config: Mapping[str, Any], held: int, _report: Report) -> Answer:
    """Refuse a folder of `held` numbers whose config asks for far more."""

    def judge() -> None:
        asked, (factor, beside) = loading.numbers_asked(Source(path, name, config)), _SLACK
        if asked > factor * held + beside:
            raise Invalid(
                f"{name} can't be opened: its config.json asks for {asked:,} numbers, and its weights are {held:,}."
            )

    return _answer(judge)


def load(path: str, name: str, config: Mapping[str, Any], report: Report) -> Answer:
    """Load a folder's model, reporting how many of how many weights are read, and tell its traits."""
    watch = Watch(partial(report, None), lambda *how_far: report(how_far))

    def loaded() -> Any:
        _held.checkpoint = loading.load(Source(path, name, config), watch)
        return sent(_held.checkpoint.traits)

    return _answer(loaded)


def run(ids: Any, change: Any, layers: list[int] | None, report: Report) -> Answer:
    """Make a pass, reporting each layer with its index, and tell the last hidden states."""

    def passed(check_stop: CheckStop) -> Any:
        found = _held.checkpoint.run(received(ids), received(change), layers, check_stop)
        for layer in found.layers.items():
            report(sent(layer))
        return sent(found.hidden)

    return _answer(partial(passed, partial(report, None)))


def next_losses(ids: Any, change: Any, report: Report) -> Answer:
    """Tell the losses of all tokens but the first."""
    return _losses(_held.checkpoint.next_losses, ids, change, report)


def hidden_losses(ids: Any, hiding: list[int], mask: int, change: Any, report: Report) -> Answer:
    """Tell the losses of the tokens from one place to another, each read with the token `mask` in its place."""
    return _losses(partial(_held.checkpoint.hidden_losses, hiding=range(*hiding), mask=mask), ids, change, report)


def _losses(compute: Callable[..., Losses], ids: Any, change: Any, report: Report) -> Answer:
    check_stop = partial(report, None)
    return _answer(lambda: sent(compute(received(ids), change=received(change), check_stop=check_stop)))


def _answer(work: Callable[[], Any]) -> Answer:
    """Return what work returns, or why it can't. Raises what is an error of the model's code."""
    try:
        return {"result": work()}
    except NotLoaded as error:
        return {"not_loaded": error.why, "field": error.field}
    except (Invalid, TooLarge, Undefined) as why:
        return {"refused": type(why).__name__, "why": str(why)}
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        return {"refused": TooLarge.__name__, "why": "There is too little memory for this model and this text."}
