"""A model in a process of its own: one that takes too much memory, crashes or never ends takes nothing else with it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Lock, Thread
from time import monotonic
from typing import Any
from weakref import WeakValueDictionary

import torch
from torch import Tensor

from posenc_gui.checkpoints import model_server
from posenc_gui.checkpoints.folder import CONFIG, Folder
from posenc_gui.checkpoints.loading import Source
from posenc_gui.checkpoints.messages import received, sent
from posenc_gui.checkpoints.model_server import REFUSALS, Answer
from posenc_gui.checkpoints.records import (
    AS_TRAINED,
    LayerWeights,
    Losses,
    Passed,
    Projection,
    Recorded,
    Replacement,
    Traits,
)
from posenc_gui.checkpoints.watch import Watch
from posenc_gui.foundation.child import STARTING, Child, ChildError, Failed, TooMuchMemory, TooSlow
from posenc_gui.foundation.child_server import Report
from posenc_gui.foundation.devices import free_memory
from posenc_gui.foundation.errors import Invalid, TooLarge, Undefined
from posenc_gui.foundation.stopped import CheckStop, Stopped, go_on, in_turn

_OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
_LONGEST = 2**40  # bytes of a message: what the process may hold is limited
_PLANNING = 150 * 2**20  # bytes that a config and a model without its weights may take
_PLANNED = 5.0  # seconds in which a model is built without its weights


def _nothing(_told: object) -> None:
    """Take a report that says nothing: it asks whether to go on."""


class Replaced(Exception):
    """The process was ended, since another model is opened: this one can be opened again."""


class CodeFailed(ValueError):
    """The model's own code failed; the message is its own."""


class ModelProcess:
    """A process that holds at most one model.

    What is asked raises Undefined, in one sentence, if it ended unexpectedly; TooLarge if it was ended since it took too much
    memory; CodeFailed; Stopped after `end`; and what `check_stop` raises, after which it may have ended.
    """

    def __init__(self) -> None:
        """Start it, and wait for nothing that it imports. Raises Undefined, in one sentence, if that can't be done."""
        try:
            self.child = Child(environment=_OFFLINE, longest=_LONGEST)
        except OSError as error:
            raise Undefined(f"No process can be started for a model: {error.strerror}.") from None
        self._starting = 0.0  # seconds that it took to start
        self._preparing = Lock()  # held until it has imported what any model needs
        self._preparing.acquire()
        Thread(target=self._prepare, daemon=True).start()

    def _prepare(self) -> None:
        with suppress(ChildError, Stopped):  # who asks next is told
            self.child.call(model_server.prepare, seconds=STARTING)
        self._preparing.release()

    @property
    def is_alive(self) -> bool:
        """True if it can be asked."""
        return self.child.is_alive

    def end(self) -> None:
        """End it, whatever it does."""
        self.child.stop()

    def free_bytes(self) -> float:
        """Return the bytes that it may hold: what it has and all that is free."""
        return self.child.resident + free_memory()

    def load(self, folder: Folder, watch: Watch) -> LoadedModel:
        """Load a folder's model in the place of the last one, once it is seen that its config asks for no more numbers than
        the folder has. Raises Invalid, in one sentence, for a folder that can't be opened, as NotLoaded if transformers
        doesn't; Replaced if the process is ended meanwhile by others than who waits."""
        check_stop = watch.check_stop
        source = Source(str(folder.path), folder.name, dict(folder.config))
        given = source.path, source.name, source.config
        with in_turn(self._preparing, check_stop):  # who stops meanwhile leaves it to the next model
            pass
        try:
            threads = torch.get_num_threads()
            how: dict[str, Any] = {"seconds": STARTING, "check_stop": check_stop}
            started = self.ask(source.name, model_server.begin, threads, *given, **how)
            self._starting = self._starting or started
            begun = monotonic()
            how = {"seconds": _PLANNED, "memory": self.child.resident + _PLANNING, "check_stop": check_stop}
            try:
                self._call(model_server.plan, *given, folder.numbers, **how)
            except (TooSlow, TooMuchMemory):
                raise Invalid(f"{source.name} can't be opened: its {CONFIG} asks for far more than it holds.") from None
            how = {"memory": folder.memory + self.free_bytes(), "check_stop": check_stop}
            found = self.ask(source.name, model_server.load, *given, on_report=_progress(watch), **how)
        except CodeFailed as why:
            raise Undefined(f"{source.name} can't be opened: its code fails ({why}).") from None
        except Stopped:
            self.end()  # its memory is wanted back
            check_stop()
            raise Replaced from None
        return LoadedModel(self, source.name, received(found), monotonic() - begun + self._starting)

    def ask(self, name: str, work: Callable[..., Answer], *arguments: Any, **how: Any) -> Any:
        """Return what a function of the server answers; `how` as for `Child.call`, `name` the model's."""
        try:
            return self._call(work, *arguments, **how)
        except Failed as why:
            raise CodeFailed(str(why)) from None
        except TooMuchMemory:
            raise TooLarge(f"{name} took all memory that was free, and was ended.") from None
        except TooSlow:
            raise Undefined(f"The process of {name} hasn't started in {STARTING:g} seconds.") from None
        except ChildError:
            raise Undefined(f"The process of {name} ended unexpectedly; there may be too little memory.") from None

    def _call(self, work: Callable[..., Answer], *arguments: Any, on_report: Report = _nothing, **how: Any) -> Any:
        answer = self.child.call(work, *arguments, on_report=on_report, **how)
        if "refused" in answer:
            raise REFUSALS[answer["refused"]](*answer["told"])
        return answer["result"]


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A model in its process, what was found in it, and how long it takes to load in a new process, in seconds.

    A pass that nobody waits for any more may go on for that long: after that, loading the model again is quicker. Passes
    raise as `ModelProcess` says, and Replaced if the process was ended by others than who waits. `outputs`: W_o of layers of
    which a pass is kept.
    """

    process: ModelProcess
    name: str
    traits: Traits
    seconds: float
    outputs: WeakValueDictionary[int, Projection] = field(default_factory=WeakValueDictionary)

    @property
    def is_here(self) -> bool:
        """True if its process can be asked."""
        return self.process.is_alive

    def run(
        self,
        ids: Tensor,
        change: Replacement = AS_TRAINED,
        layers: Collection[int] | None = None,
        check_stop: CheckStop = go_on,
    ) -> Passed:
        """Return one pass over these tokens (n,) under a change, with these layers recorded; None: all, without their W_o,
        which crosses only once: of a short text it is most of what is told."""
        found: dict[int, Recorded | LayerWeights] = {}
        outputs = dict(self.outputs)

        def take(told: Any) -> None:
            if told is None:
                return
            index, layer = received(told)
            if isinstance(layer, Recorded) and index in outputs:
                layer = replace(layer, output=outputs[index])
            elif isinstance(layer, Recorded) and layer.output:
                self.outputs[index] = layer.output
            found[index] = layer

        wanted = None if layers is None else list(layers)
        known = list(range(len(self.traits.n_heads)) if layers is None else outputs)
        hidden = self._ask(model_server.run, ids, change, wanted, known, on_report=take, check_stop=check_stop)
        return Passed(found, hidden)

    def next_losses(self, ids: Tensor, change: Replacement, check_stop: CheckStop = go_on) -> Losses:
        """Return the losses of all tokens (n,) but the first, each read from those before it, under a change."""
        found: Losses = self._ask(model_server.next_losses, ids, change, check_stop=check_stop)
        return found

    def hidden_losses(
        self, ids: Tensor, hiding: range, mask: int, change: Replacement, check_stop: CheckStop = go_on
    ) -> Losses:
        """Return the losses of these tokens of a text (n,), each read with the token `mask` in its place, under a change."""
        where = [hiding.start, hiding.stop]
        found: Losses = self._ask(model_server.hidden_losses, ids, change, where, mask, check_stop=check_stop)
        return found

    def _ask(
        self,
        work: Callable[..., Answer],
        ids: Tensor,
        change: Replacement,
        *beside: Any,
        check_stop: CheckStop,
        on_report: Report = _nothing,
    ) -> Any:
        given = sent(ids), sent(change), *beside
        how: dict[str, Any] = {"on_report": on_report, "check_stop": check_stop, "grace": self.seconds}
        how["memory"] = self.process.free_bytes
        try:
            return received(self.process.ask(self.name, work, *given, **how))
        except Stopped:
            check_stop()
            raise Replaced from None


def _progress(watch: Watch) -> Report:
    """Return what tells a watch how far it is, and asks it: a report says that, or nothing."""

    def tell(told: Any) -> None:
        watch.check_stop()
        if told is not None:
            watch.progress(*told)

    return tell
