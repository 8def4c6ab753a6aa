"""A model that has learned, in memory: what is found in it by one short pass, and passes over a text."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from threading import Lock
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from posenc_gui.checkpoints import recording
from posenc_gui.checkpoints.recording import Layout, Recorder
from posenc_gui.checkpoints.records import (
    AS_TRAINED,
    LayerWeights,
    Losses,
    Passed,
    Predicts,
    Projection,
    Recorded,
    Replacement,
    Traits,
    Waves,
)
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.stopped import CheckStop, go_on

_PROBE = 5  # tokens of the pass in which a model's parts are found
_WHOLE = 1e-3  # of weights: within this, those of a query are 1 together
_AT_ONCE = 2**22  # probabilities of tokens at a time

Layers = Collection[int] | None  # indices of layers; None: all
Taken = dict[nn.Module, tuple[tuple[Any, ...], dict[str, Any]]]  # what modules are called with, by position and by name


@dataclass(frozen=True, eq=False)
class PositionTable:
    """The module that gives each token the row of its position, and the rows from position 0 on, (positions, width)."""

    module: nn.Module
    rows: Tensor


def weight_of(module: nn.Module) -> Tensor:
    """Return a module's weight, without its history."""
    weight = module.weight
    assert isinstance(weight, Tensor)
    return weight.detach()


@dataclass(frozen=True, eq=False)
class Head:
    """A model together with what makes probabilities of tokens from its last hidden states, and which tokens it predicts."""

    module: nn.Module
    predicts: Predicts


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A model and its parts: its attention modules in the order of its layers, and W_o beside each where it has one.

    `waves` is what each layer's rotation gives to the first positions, None where nothing is turned, and `layout` where it
    does. is_open: True if its attention goes through the function that records, so that more than its weights is known.
    separable: True if `order_test` found none once its positions were taken away. `head`: None where the folder holds none
    that predicts tokens.
    """

    model: nn.Module
    attention: tuple[nn.Module, ...]
    projections: tuple[Projection | None, ...]
    table: PositionTable | None
    bias: nn.Module | None
    has_bias: bool
    waves: tuple[Waves | None, ...]
    layout: Layout
    is_open: bool
    causal: bool
    n_heads: tuple[int, ...]
    d_model: int
    d_heads: tuple[int, ...]
    head: Head | None
    turn: Lock
    separable: bool = False

    @classmethod
    def of(cls, model: nn.Module, is_open: bool, head: Head | None = None, check_stop: CheckStop = go_on) -> Checkpoint:
        """Find a model's parts; no attention modules if it is_open but never calls the function that records. They are found
        in one pass over a token that is repeated: what differs then is of positions. Raises Undefined for a model without
        attention, or with one that can't be drawn."""
        ids = torch.full((_PROBE,), _ordinary(model))
        recorder = Recorder(check_stop=check_stop)
        with torch.no_grad(), _Probe(model) as probe, recording.recording(recorder):
            found = _outputs(model, ids, **({} if is_open else {"output_attentions": True}))
        _require_finite(found[0])
        seen = _Attention.recorded(recorder, probe) if is_open else _Attention.told(model, found)
        seen.require_drawable()
        # What a model gives may be wider or narrower than its layers are: Higgs Audio's, EmbeddingGemma's.
        width = int(getattr(model.config, "hidden_size", None) or found[0].shape[-1])
        return cls(
            model=model,
            attention=seen.modules,
            projections=seen.projections,
            table=probe.table(),
            bias=probe.bias(),
            has_bias=probe.has_bias or seen.has_bias,
            waves=tuple(None if module in seen.unturned else probe.waves.get(module) for module in seen.modules),
            layout=probe.layout,
            is_open=is_open,
            causal=seen.causal,
            n_heads=seen.n_heads,
            d_model=width,
            d_heads=seen.d_heads or tuple(width // heads for heads in seen.n_heads),
            head=head,
            turn=Lock(),
        )

    @property
    def traits(self) -> Traits:
        """What is told of it in other processes."""
        config: Any = self.model.config
        return Traits(
            table=None if self.table is None else self.table.rows,
            bias=None if self.bias is None else weight_of(self.bias),
            has_bias=self.has_bias,
            waves=self.waves,
            turns_by_layer=self._turns_by_layer,
            numbers=self._numbers,
            n_heads=self.n_heads,
            d_heads=self.d_heads,
            d_model=self.d_model,
            n_tokens=int(config.vocab_size),
            is_open=self.is_open,
            causal=self.causal,
            separable=self.separable,
            predicts=None if self.head is None else self.head.predicts,
        )

    @property
    def _numbers(self) -> tuple[int, ...]:
        """The number of each layer among all of the model's, as its code counts them; else among those with attention."""
        own = [getattr(module, "layer_idx", None) for module in self.attention]
        numbers = [one for one in own if isinstance(one, int)]
        return tuple(numbers) if len(set(numbers)) == len(own) else tuple(range(len(own)))

    @property
    def _turns_by_layer(self) -> bool:
        """True if some layers turn otherwise than others."""
        turning = [waves for waves in self.waves if waves is not None]
        return any(not recording.begins_as(waves, turning[0]) for waves in turning)

    def run(
        self, ids: Tensor, change: Replacement = AS_TRAINED, layers: Layers = None, check_stop: CheckStop = go_on
    ) -> Passed:
        """Return one pass over these tokens (n,) under a change. Raises Undefined as `of` does."""
        wanted = range(len(self.attention)) if layers is None else layers
        with self._changed(change):
            run = self._recorded if self.is_open else self._weights_alone
            passed = run(ids, change, wanted, check_stop)
        _require_finite(passed.hidden)
        return passed

    def next_losses(self, ids: Tensor, change: Replacement, check_stop: CheckStop = go_on) -> Losses:
        """Return the losses of all tokens (n,) but the first, read from those before it; needs a head that predicts the next
        one."""
        with self._changed(change):
            found = self._read(ids, change, check_stop)
            return Losses(1, torch.cat(list(self._lost(found, slice(0, -1), ids[1:], check_stop))))

    def hidden_losses(
        self, ids: Tensor, hiding: range, mask: int, change: Replacement, check_stop: CheckStop = go_on
    ) -> Losses:
        """Return the losses of these tokens of a text (n,), each read with the token `mask` in its place, under a change.

        Needs a head that predicts hidden tokens. Their sum is the negative pseudo-log-likelihood (Salazar et al. 2020,
        “Masked Language Model Scoring”, equation 1).
        """
        found: list[Tensor] = []
        with self._changed(change):
            for at in hiding:
                here = slice(at, at + 1)
                read = self._read(ids.index_fill(0, torch.tensor([at]), mask), change, check_stop)
                found += self._lost(read, here, ids[here], check_stop)
        return Losses(hiding.start, torch.cat(found))

    @contextmanager
    def _changed(self, change: Replacement) -> Iterator[None]:
        """Let a change act in the model, which makes one pass at a time: hooks act on the model itself."""
        table = self.table.module if self.table else None
        with self.turn, torch.no_grad(), recording.hooked(self.model, change, table, self.layout) as hooks:
            if change.still and not self.is_open:
                hooks.enter_context(recording.without_bias(self.model))
            yield

    def _read(self, ids: Tensor, change: Replacement, check_stop: CheckStop) -> Any:
        """Return the outputs for tokens (n,) under a change that already acts."""
        check_stop()
        with recording.recording(Recorder((), change.bias, change.still, check_stop)):
            return _outputs(self.model, ids, **self._held(ids, change))

    def _lost(self, read: Any, places: slice, ids: Tensor, check_stop: CheckStop) -> Iterator[Tensor]:
        """Yield the losses of tokens (n,) that are read from the outputs at these places, some at a time."""
        assert self.head is not None
        config: Any = self.model.config
        step = max(1, _AT_ONCE // int(config.vocab_size))
        hidden = torch.split(read[0][:, places], step, 1)  # (1, n, d_model) each
        for some, wanted in zip(hidden, torch.split(ids, step), strict=True):
            check_stop()
            with recording.answering(self.model, type(read)(last_hidden_state=some)):
                logits = self.head.module(input_ids=wanted[None]).logits[0]  # (n, vocabulary)
            yield cross_entropy(logits.float(), wanted, reduction="none")

    def _recorded(self, ids: Tensor, change: Replacement, wanted: Collection[int], check_stop: CheckStop) -> Passed:
        recorder = Recorder(wanted, change.bias, change.still, check_stop)
        with self._watched(wanted, check_stop) as taken, recording.recording(recorder):
            hidden = _outputs(self.model, ids, **self._held(ids, change))[0][0]  # (n, d_model)
        found: dict[int, Recorded | LayerWeights] = {}
        for index, call in recorder.calls.items():
            given, named = taken[call.module]
            plain = _before_rotation(call, given, named, self.layout)
            found[index] = recording.told(call, _inputs(given, named), plain, self.projections[index])
        return Passed(found, hidden)

    def _weights_alone(
        self, ids: Tensor, change: Replacement, wanted: Collection[int], check_stop: CheckStop
    ) -> Passed:
        with self._watched(wanted, check_stop) as taken:
            found = _outputs(self.model, ids, output_attentions=True, **self._held(ids, change))
        inputs = {index: _inputs(*taken[self.attention[index]]) for index in wanted}
        layers = {index: LayerWeights(inputs[index], _told_weights(found)[index][0]) for index in wanted}
        return Passed(layers, found[0][0])

    @contextmanager
    def _watched(self, wanted: Collection[int], check_stop: CheckStop) -> Iterator[Taken]:
        """Collect what the attention modules of these layers are called with, until the context ends."""
        taken: Taken = {}

        def take(module: nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> None:
            check_stop()
            taken[module] = given, named

        with ExitStack() as hooks:
            for index in wanted:
                hooks.callback(self.attention[index].register_forward_pre_hook(take, with_kwargs=True).remove)
            yield taken

    def _held(self, ids: Tensor, change: Replacement) -> dict[str, Tensor]:
        """Return what holds every token at position 0, also where code turns them itself or scales queries by position."""
        if not change.still or not _takes(type(self.model).forward, "position_ids"):
            return {}
        # Without a mask transformers would take each position 0 for the start of another text.
        return {"position_ids": torch.zeros_like(ids)[None], "attention_mask": torch.ones_like(ids)[None]}

    def weights_without_positions(self, ids: Tensor, check_stop: CheckStop, noise: float = 0.0) -> list[Tensor]:
        """Return the weights of every layer without positions, (h, n, n) each; if it is_open, without a mask either. noise:
        the share by which random numbers change the tokens' vectors."""
        with self._shaken(noise) if noise else nullcontext():
            return self._weights_without_positions(ids, check_stop)

    @contextmanager
    def _shaken(self, noise: float) -> Iterator[None]:
        """Change the tokens' vectors by random numbers of this share of them."""
        drawn = torch.Generator().manual_seed(0)

        def shake(_module: nn.Module, _given: Any, found: Tensor) -> Tensor:
            return found * (1 + noise * torch.randn(found.shape, generator=drawn))

        with ExitStack() as hooks:
            for tokens in islice((one for one in self.model.modules() if isinstance(one, nn.Embedding)), 1):
                hooks.callback(tokens.register_forward_hook(shake).remove)
            yield

    def _weights_without_positions(self, ids: Tensor, check_stop: CheckStop) -> list[Tensor]:
        change = self.traits.without_positions
        if not self.is_open:
            layers = self.run(ids, change, check_stop=check_stop).layers.values()
            return [layer.weights for layer in layers if isinstance(layer, LayerWeights)]
        recorder = Recorder(still=change.still, unmasked=True, check_stop=check_stop)
        with self._changed(change), recording.recording(recorder):
            _outputs(self.model, ids, **self._held(ids, change))
        return [recording.weights(recorder.calls[index]) for index in range(recorder.count)]


@dataclass(frozen=True, eq=False)
class _Attention:
    """What one pass shows of a model's attention: its modules in order, and of each what is applied to the joined heads.

    n_heads: of each layer; d_heads: their widths, where those are seen; rows: how many queries and
    keys there were; unturned: modules that are given a rotation, and don't turn by it.
    """

    modules: tuple[nn.Module, ...]
    projections: tuple[Projection | None, ...]
    n_heads: tuple[int, ...]
    rows: frozenset[tuple[int, ...]]
    causal: bool
    d_heads: tuple[int, ...] = ()
    has_bias: bool = False
    unturned: frozenset[nn.Module] = frozenset()

    @classmethod
    def recorded(cls, recorder: Recorder, probe: _Probe) -> Self:
        """Return the attention of a model that calls the function that records; none if it calls it twice for a layer."""
        calls = [recorder.calls[index] for index in range(recorder.count)]
        if any(count > probe.entered[module] for module, count in Counter(call.module for call in calls).items()):
            calls = []  # DiffLlama's weights are a difference of those of two calls
        sights = [recording.told(call, call.joined, (call.query[0], call.key[0]), None).sight for call in calls]
        return cls(
            tuple(call.module for call in calls),
            tuple(probe.projection(call.joined) for call in calls),
            tuple(call.query.shape[1] for call in calls),
            frozenset((call.query.shape[-2], call.key.shape[-2]) for call in calls),
            all(torch.equal(sight.last, torch.arange(_PROBE)) for sight in sights),
            tuple(call.query.shape[-1] for call in calls),
            any(call.bias is not None for call in calls),
            frozenset(call.module for call in calls if probe.is_unturned(call)),
        )

    @classmethod
    def told(cls, model: nn.Module, outputs: Any) -> Self:
        """Return the attention of a model whose code tells its weights alone. Raises Undefined where they are none."""
        modules, weights = _holders(model), _told_weights(outputs)
        if len(modules) != len(weights):
            raise Undefined("The attention layers of this model couldn't be found in it.")
        # CPM-Ant has rows of its own before the text; ProphetNet and SqueezeBERT tell scores.
        if not all(torch.allclose(one.sum(-1), torch.ones(()), atol=_WHOLE) for one in weights):
            raise Undefined(
                "The weights that this model's code tells don't add up to 1, so they can't be drawn as attention."
            )
        if not modules:
            raise Undefined("This model has no attention layers that can be drawn.")
        return cls(
            modules,
            (None,) * len(modules),
            tuple(one.shape[1] for one in weights),
            frozenset(tuple(one.shape[-2:]) for one in weights),
            all(not bool(one[0].triu(1).any()) for one in weights),
        )

    def require_drawable(self) -> None:
        """Raise Undefined unless each layer has a row and a column for each token of the text."""
        if self.rows - {(_PROBE, _PROBE)}:
            raise Undefined(
                "This model's attention reads other rows than one for each token of the text: that can't be drawn."
            )


def _require_finite(hidden: Tensor) -> None:
    if not bool(hidden.isfinite().all()):
        raise Undefined(
            "This model gives numbers that aren't finite: its weights or its config.json hold NaN, infinity or too large numbers."
        )


def _holders(model: nn.Module) -> tuple[nn.Module, ...]:
    """Return the modules that are a layer's attention by name, outermost of each layer, in order."""
    found: list[tuple[str, nn.Module]] = []
    for name, module in model.named_modules():
        if "Attention" in type(module).__name__ and not any(name.startswith(f"{above}.") for above, _ in found):
            found.append((name, module))
    return tuple(module for _, module in found)


def _ordinary(model: nn.Module) -> int:
    """Return a token that is neither the first nor the last ones, where special tokens stand."""
    config: Any = model.config
    if not isinstance(size := getattr(config, "vocab_size", None), int):
        raise Undefined("This model reads something else than the tokens of a vocabulary.")
    token = size // 2
    return token + 1 if token == getattr(config, "pad_token_id", None) else token


def _told_weights(outputs: Any) -> list[Tensor]:
    """Return the weights that a model's own code tells of its attention layers, (1, h, n, n) each; none if it tells none."""
    return [weights for weights in getattr(outputs, "attentions", None) or () if weights is not None]


def _outputs(model: nn.Module, ids: Tensor, **named: Any) -> Any:
    """Return a model's outputs for tokens (n,)."""
    beside = {"use_cache": False} if _takes(type(model).forward, "use_cache") else {}
    return model(input_ids=ids[None], **beside, **named)


@cache  # to read a signature takes a hundredth of a short pass
def _takes(forward: Callable[..., Any], name: str) -> bool:
    """Return True if a kind of model takes an argument of this name."""
    return name in inspect.signature(forward).parameters


def _inputs(given: tuple[Any, ...], named: dict[str, Any]) -> Tensor:
    """Return what a layer's attention reads, (n, d_model)."""
    hidden: Tensor = given[0] if given else named["hidden_states"]
    return hidden.flatten(0, 1)  # (n, d_model); one text, which XLNet numbers behind its tokens


def _before_rotation(
    call: recording.Call, given: tuple[Any, ...], named: dict[str, Any], layout: Layout
) -> tuple[Tensor, Tensor]:
    """Return a call's queries and keys before rotation, (h, n, d) each, from a second call of its module."""
    if not _turns(named.get("position_embeddings")):
        return call.query[0], call.key[0]
    waves = named["position_embeddings"]
    if isinstance(waves, Tensor):  # one complex number a pair
        still: Any = torch.ones_like(waves)
    else:
        sizes = (0, 1) if layout.sines_first else (1, 0)
        still = tuple(torch.full_like(wave, size) for wave, size in zip(waves, sizes, strict=True))
    with recording.recording(Recorder()) as recorder:
        call.module(*given, **named | {"position_embeddings": still})
    (again,) = recorder.calls.values()
    return again.query[0], again.key[0]


def _tables(module: nn.Module) -> list[Tensor]:
    """Return the tables that a module looks up: its weight, or buffers of a fixed table, (rows, width) each."""
    held = [weight_of(module)] if _looks_up(module) else module.buffers(recurse=False)
    return [one for one in held if one.ndim == 2]


def _looks_up(module: nn.Module) -> bool:
    """Return True for a table of rows, by its class or, of I-BERT's, by that one's name."""
    return isinstance(module, nn.Embedding) or type(module).__name__ == "QuantEmbedding"


def _turns(waves: Any) -> bool:
    return isinstance(waves, Tensor) or (isinstance(waves, tuple) and all(isinstance(one, Tensor) for one in waves))


class _Probe:
    """Watches a pass over one repeated token: which table's rows differ, what rotations give, and where heads are joined."""

    def __init__(self, model: nn.Module) -> None:
        self.layout, self.has_bias = Layout(), False
        self.entered: Counter[nn.Module] = Counter()
        self.waves: dict[nn.Module, Waves] = {}  # cosines and sines, (n, pairs) each, that attention modules were given
        self._model = model
        self._called: Taken = {}
        self._looked_up: list[tuple[nn.Module, Tensor]] = []
        self._projected: list[tuple[nn.Module, Tensor]] = []
        self._handles: list[Any] = []

    def __enter__(self) -> Self:
        for module in self._model.modules():
            if _looks_up(module) or (_tables(module) and not list(module.children())):
                self._handles.append(module.register_forward_hook(self._look_up))
            self._handles.append(module.register_forward_pre_hook(self._turn, with_kwargs=True))
            for part in filter(recording.is_rotary, module.children()):  # which some attention modules have in them
                take = partial(self._take_waves, module)
                self._handles.append(part.register_forward_hook(lambda _part, _given, found, take=take: take(found)))
            if getattr(getattr(module, "weight", None), "ndim", 0) == 2:
                self._handles.append(module.register_forward_pre_hook(self._project))
        return self

    def __exit__(self, *_why: object) -> None:
        for handle in self._handles:
            handle.remove()

    def table(self) -> PositionTable | None:
        """Return the table whose rows differ from position to position; None if there is none."""
        for module, found in self._looked_up:
            rows = found.reshape(-1, found.shape[-1])  # (n, width)
            if found.ndim > 3 or len(rows) != _PROBE or torch.equal(rows, rows[:1].expand_as(rows)):
                continue
            for table in _tables(module):
                for first in range(len(table) - _PROBE + 1):
                    if torch.equal(table[first : first + _PROBE], rows):
                        return PositionTable(module, table[first:])
        return None

    def bias(self) -> nn.Module | None:
        """Return the table of a bias: looked up once for each query and key; None if there is none."""
        return next((module for module, found in self._looked_up if found.shape[:2] == (_PROBE, _PROBE)), None)

    def projection(self, joined: Tensor) -> Projection | None:
        """Return W_o: what is applied to the joined heads (1, n, h · d) alone; None if there is no such."""
        for module, given in self._projected:
            if given.shape == joined.shape and torch.equal(given, joined):
                weight = weight_of(module)
                own: Any = getattr(module, "bias", None)
                matrix = weight.T if isinstance(module, nn.Linear) else weight  # GPT-2's Conv1D has it transposed
                return Projection(matrix, own.detach() if isinstance(own, Tensor) else None)
        return None

    def is_unturned(self, call: recording.Call) -> bool:
        """Return True if a module is given a rotation and yet has the queries that it would have without."""
        given, named = self._called[call.module]
        if not _turns(named.get("position_embeddings")):
            return False
        with torch.no_grad():
            return torch.equal(_before_rotation(call, given, named, self.layout)[0], call.query[0])

    def _look_up(self, module: nn.Module, _given: Any, found: Any) -> None:
        found = recording.first_of(found)
        if isinstance(found, Tensor) and not recording.is_rotary(module):
            self._looked_up.append((module, found))

    def _project(self, module: nn.Module, given: tuple[Any, ...]) -> None:
        if given and isinstance(given[0], Tensor):
            self._projected.append((module, given[0]))

    def _turn(self, module: nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        self.entered[module] += 1
        self._called[module] = given, named
        self.has_bias |= any(isinstance(named.get(name), Tensor) for name in recording.BIASES)
        if isinstance(sines_first := named.get("sinusoidal_pos"), Tensor):  # RoFormer's
            sin, cos = sines_first[0, 0].chunk(2, dim=-1)  # (n, pairs) each
            self.layout, self.waves[module] = Layout("neighbours", sines_first=True), (cos, sin)
        self._take_waves(module, named.get("position_embeddings"))

    def _take_waves(self, module: nn.Module, found: Any) -> None:
        """Take what an attention module was given as cosines and sines, or one complex number a pair."""
        if not _turns(found):
            return
        if isinstance(found, Tensor):
            if found.is_complex():
                self.waves[module] = found.real[0], found.imag[0]
            return
        first, second = (one.reshape(-1, one.shape[-1])[:_PROBE] for one in found)  # (n, width) each
        self.layout = Layout.of((first, second))
        self.waves[module] = self.layout.waves((first, second))
