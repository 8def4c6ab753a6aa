"""A verdict in words: what some numbers are, what is near, what they can't tell, and which mistake explains the rest."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice, product

import torch
from torch import Tensor

from posenc_gui.encodings.common.conventions import KIND_NAMES, Kind
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.wording import format_count, format_difference, format_number, join_words
from posenc_gui.identify.numbers import Numbers
from posenc_gui.identify.trials import Trial, digits, digits_of
from posenc_gui.identify.verdict import TELLS, Candidate, Identified, say_change, say_fields, say_title, say_value
from posenc_gui.identify.views import TABLES

_MOST_OTHERS = 8
_MOST_CHANGES = 3  # of one field
# Quotients of an interval's ends that are seen, are worth a sentence, and leave a value open.
_SEEN, _WIDE, _OPEN = 1e-4, 1.001, 1.5
_FAR = 4096  # rows in which two conventions may part
_LARGE = 2**18  # numbers: of more, others are compared in a few rows
_CONTRIVED = 7  # more digits and choices than the verdict's
_TURNING = " Each column turns evenly, at rates of no formula here: LongRoPE's are a list in the model's config.json."
_USUAL = 80  # conventions in which mistakes are sought
_LEAST, _FACTOR = 1e-9, 30.0  # the least factor of numbers, and what it is free to fit, in bits
_PLAIN = 3  # digits of a value that isn't said to be estimated

_SWAPPED: dict[Kind, Kind] = {"cosines": "sines", "sines": "cosines"}
_PLACES: dict[str, Callable[[Tensor], Tensor]] = {
    "degrees for radians explain": lambda positions: positions * (math.pi / 180),
    "radians for degrees explain": lambda positions: positions * (180 / math.pi),
    "angles turned the other way explain": lambda positions: -positions,
    "rows counted from the last one explain": lambda positions: positions.flip(0),
    "positions rounded to bf16 explain": lambda positions: positions.bfloat16().double(),
}


def tell(
    numbers: Numbers, trials: Sequence[Trial], named: Trial | None, few: Trial | None, tried: int, enough: float
) -> Identified:
    """Return the verdict. named: the trial that explains all rows, and few: the same in a few of them; None if there is none."""
    mistaken, undecided, others = None, [], []
    if not (named and few) or any(value != float(f"{value:.2g}") for value in few.free.values()):
        most = _FACTOR - 1 if named else _FACTOR  # a factor explains much: less than any parameters
        mistaken = next(_mistakes(trials, enough, most), None)
    explained = mistaken[1] if mistaken else ""
    is_other = named and mistaken and mistaken[0].view.kind != named.view.kind
    if mistaken and not is_other:
        named = None
    nearest = named or (mistaken[0] if mistaken else next(iter(trials), None))
    if nearest is None:
        sentence = "No encoding that is known here has numbers of this shape."
    elif named and few:
        known = named if numbers.values.numel() <= _LARGE else few
        intervals = {name: few.interval(name) for name in few.free}
        parted = [*_rivals(named, trials)]
        undecided = [*_undecided(named, intervals, trials), *(said for said, _ in parted)]
        others = _others(known, trials)
        if mistaken:
            undecided.append(f"They may be {_whole(mistaken[0])}: {explained}.")
        sentence = _sentence(named, intervals, [beside for _, beside in parted if beside])
        if numbers.precision != named.view.numbers.precision:
            explained = f"Computed in part in {named.view.numbers.precision}, which explains what is off."
    elif nearest.unseen <= 1 and not mistaken:
        sentence = f"These numbers say too little to tell: {_whole(nearest)} has them, and so may others."
    else:
        off = (
            f"No convention that is known here. Nearest: {_whole(nearest)} (off by {format_difference(nearest.off_by)})"
        )
        sentence = f"{off}; {explained}." if explained else f"{off}.{_TURNING * _turns(nearest)}"
    return Identified(
        numbers=replace(numbers, complex=nearest.view.numbers.complex) if nearest else numbers,
        kind=nearest.view.kind if nearest else None,
        axes=nearest.view.axes if nearest else (),
        encoding=named.encoding if named else None,
        convention=named.convention.words if named else "",
        start=named.start if named and named.view.kind in TABLES else None,
        off_by=nearest.off_by if nearest else math.inf,
        nearest=_candidate(nearest, _whole(nearest)) if nearest else None,
        others=tuple(others),
        undecided=tuple(undecided),
        explained=explained,
        tried=tried,
        sentence=sentence,
    )


def _turns(trial: Trial) -> bool:
    """Return True if most columns are waves, each at one rate."""
    return trial.view.kind in TABLES and float(trial.measured.isfinite().double().mean()) > 0.5


def _whole(trial: Trial, estimated: dict[str, str] | None = None) -> str:
    """Say an encoding in its convention: “RoPE, half-split, base 500,000, from position 1”."""
    bare = trial.view.kind in ("frequencies", "slopes")
    sizes = (name for name, value in trial.encoding if type(value) is int and trial.view.kind == "buckets")
    fields = say_fields(trial.encoding, always=(*trial.convention.free, *sizes))
    parts = [trial.encoding.called, "" if bare else trial.convention.words]
    parts += [part + (estimated or {}).get(part.rpartition(" ")[0], "") for part in fields]
    parts += [f"from position {trial.start:,}"] if trial.view.kind in TABLES else []
    return ", ".join(filter(None, parts))


def _sentence(named: Trial, intervals: dict[str, tuple[float, float]], beside: Sequence[str]) -> str:
    estimated = {}
    for name, (low, high) in intervals.items():
        fit = f"{format_number(low)} to {format_number(high)}"
        if digits_of(named.free[name]) > _PLAIN:
            estimated[say_title(named.encoding, name)] = (
                f" (estimated; {fit} fit)" if high / low > 1 + _SEEN else " (estimated)"
            )
        elif high / low > _OPEN:
            estimated[say_title(named.encoding, name)] = f" (any from {fit} fits)"
    kind = named.view.kind
    whose = f"These are {KIND_NAMES[kind]} of" if kind in ("frequencies", "slopes") else "This is"
    either = f", or the same {beside[0]}" if beside else ""
    return f"{whose} {_whole(named, estimated)}{either}: off by {format_difference(named.off_by)}."


def _candidate(trial: Trial, words: str) -> Candidate:
    told = trial.encoding, trial.convention.words, trial.start, words, trial.off_by, trial.unseen
    return Candidate(*told, trial.numbers, trial.convention.source)


def _undecided(named: Trial, intervals: dict[str, tuple[float, float]], trials: Sequence[Trial]) -> Iterator[str]:
    kind, convention = KIND_NAMES[named.view.kind], named.convention
    if convention.hidden:
        hidden = " and ".join(convention.hidden)
        line = f"{TELLS}{convention.tell}" if convention.tell else "."
        yield f"The {hidden} can't be seen in {kind}{line}"
    for name, (low, high) in intervals.items():
        title = say_title(named.encoding, name)
        if high / low > _WIDE:
            known = {declared_fields.value_at(type(named.encoding)(), name) or math.inf}
            known |= {
                trial.free[name]
                for trial in trials
                if type(trial.encoding) is type(named.encoding) and name in trial.free
            }
            told = [say_value(one) for one in sorted(known) if low <= one <= high and digits_of(one) <= _PLAIN]
            such = f", such as {join_words(told)}" if len(told) > 1 else ""
            yield f"Any {title} from {format_number(low)} to {format_number(high)} gives these numbers{such}."
    if convention.also:
        yield convention.also
    width = named.view.values.shape[-1] * (2 if named.view.kind == "frequencies" else 1)
    yield from named.encoding.mistaken_for(width)


def _rivals(named: Trial, trials: Sequence[Trial]) -> Iterator[tuple[str, str]]:
    """Yield in a sentence what else gives these numbers, and in words for the verdict what parts from it soon."""
    said = set[object]()
    for trial in trials:
        if trial.unseen > 1 or len(said) > _MOST_OTHERS:
            break
        one, same = trial.encoding, type(trial.encoding) is type(named.encoding)
        if digits(one) > digits(named.encoding) + _CONTRIVED or (same and trial.view.kind != named.view.kind):
            continue
        apart = {name: value for name, value in one if not same or value != getattr(named.encoding, name)}
        apart = {
            name: value
            for name, value in apart.items()
            if name not in (*named.convention.free, *named.convention.hidden)
        }
        kinds = sorted((name, str(type(value))) for name, value in apart.items()) if same else ()
        key = (type(one), trial.view.kind, trial.view.axes, *kinds)
        is_named = same and not apart and trial.view.axes == named.view.axes and trial.view.kind == named.view.kind
        if (is_named and trial.start == named.start) or key in said:
            continue
        said.add(key)
        if not same or is_named or not apart:
            axes = f", with rows as {trial.view.axes[0]}" if trial.view.axes != named.view.axes else ""
            yield f"{_whole(trial)}, gives the same numbers{axes}, taken as {KIND_NAMES[trial.view.kind]}.", ""
            continue
        words = " and ".join(say_change(one, name) for name in apart)
        row = _parting(named, trial)
        if row is None:
            yield f"{_whole(trial)}, gives the same numbers, too.", ""
        else:
            rows = format_count(len(named.view.steps), "row")
            yield (
                f"{words[:1].upper()}{words[1:]}, it differs from row {row:,} on: these {rows} can't show it.",
                f"{words} (they part at row {row:,})",
            )


def _parting(named: Trial, other: Trial) -> int | None:
    """Return the first row in which two conventions can be told apart; None if none of the first ones is."""
    if named.view.kind not in TABLES or named.view.before is not None:
        return None
    count = min(_FAR, 2**19 // named.view.values[0].numel())
    values = torch.zeros(count, *named.view.values.shape[1:], dtype=torch.float64)
    far = replace(named.view, values=values, steps=torch.arange(count).double(), rounding=named.view.most_rounding)
    one, two = (far.own(trial.convention, trial.encoding, trial.start) for trial in (named, other))
    apart = (one - two).abs() > 2 * far.explained(named.convention, named.encoding, named.start, one)
    rows = apart.flatten(1).any(1).nonzero()
    return int(rows[0]) if len(rows) else None


def _others(named: Trial, trials: Sequence[Trial]) -> list[Candidate]:
    """Return the usual conventions beside the verdict, one change each, the nearest first."""
    found, own = (
        dict[str, Trial | None](),
        (type(named.encoding), named.view.kind, named.view.axes, named.convention.hidden),
    )
    same = [one for one in trials if (type(one.encoding), one.view.kind, one.view.axes, one.convention.hidden) == own]
    for trial in same:
        words, before = trial.convention.words, dict(named.encoding)
        choices = {name: value for name, value in trial.encoding if isinstance(value, str) and value != before[name]}
        if words != named.convention.words and words not in found and len(choices) <= 1:
            other = replace(trial, start=named.start, encoding=named.encoding).changed(choices)
            found[words] = other.whole() if other and named.few is named.view else other
    if named.view.kind in TABLES:
        start = 0 if named.start else 1
        found[f"from position {start}"] = named.changed({}, start)
    for name in type(named.encoding).model_fields:
        found |= _changes(named, name, [getattr(trial.encoding, name) for trial in same])
    told = [_candidate(trial, words) for words, trial in found.items() if trial][:_MOST_OTHERS]
    return sorted(told, key=lambda one: one.off_by)


def _changes(named: Trial, name: str, values: Sequence[object]) -> dict[str, Trial]:
    """Return trials with one other value of a field, in words: its default, and the nearest of plain values, one of a kind."""
    default, tried = getattr(type(named.encoding)(), name), dict[str, Trial]()
    for value in dict.fromkeys((default, *values)):
        size = getattr(value, "factor", value) if isinstance(value, Frozen) else value
        is_plain = not isinstance(size, float) or float(f"{size:.2g}") == size != 1
        if value != getattr(named.encoding, name) and not isinstance(value, str | bool) and is_plain:
            trial = named.changed({name: value})
            if trial:
                tried.setdefault(say_change(trial.encoding, name), trial)
    chosen = dict[object, str]()
    for words, trial in sorted(
        tried.items(), key=lambda item: (getattr(item[1].encoding, name) != default, item[1].off_by)
    ):
        value = getattr(trial.encoding, name)
        chosen.setdefault(type(value) if isinstance(value, Frozen) else words, words)
    return {words: tried[words] for words in [*chosen.values()][:_MOST_CHANGES]}


def _mistakes(trials: Sequence[Trial], enough: float, most: float) -> Iterator[tuple[Trial, str]]:
    """Yield the mistakes in code that explain numbers which no convention has, with the convention, and how exactly; enough:
    bits by which they must, most: that they may be free to fit."""
    usual = dict[object, Trial]()
    for trial in trials:
        plain = {name: declared_fields.value_at(type(trial.encoding)(), name) for name in trial.convention.free}
        known = declared_fields.with_values(trial.encoding, {name: value for name, value in plain.items() if value})
        for encoding, start in product((known, trial.encoding), (0, trial.start)):
            key = (trial.view.kind, trial.view.axes, trial.convention.words, encoding, start)
            usual.setdefault(key, replace(trial, encoding=encoding, start=start))
    simplest = sorted(usual.values(), key=lambda one: (digits(one.encoding), one.start))
    for trial in simplest[:_USUAL]:
        for words, own, cost in _mistaken(trial):
            found = trial.compared(own)
            if found and found.unseen <= 1 and cost <= most and trial.agreement(own) - cost >= enough:
                yield trial.compared() or trial, f"{words} them, to {format_difference(found.off_by)}"


def _mistaken(trial: Trial) -> Iterator[tuple[str, Tensor, float]]:
    """Yield mistakes in words, the numbers that they make of a convention, and what they are free to fit, in bits."""
    few, places = trial.few, trial.few.steps + trial.start
    own = few.own(trial.convention, trial.encoding, trial.start)
    if few.kind in TABLES and trial.encoding.fractional:
        for words, change in _PLACES.items():
            with suppress(ValueError):
                yield words, trial.convention.numbers(trial.encoding, change(places)).reshape(own.shape), 0
    width = own.shape[-1]
    if other := _SWAPPED.get(few.kind):
        seen = replace(few.seen(trial.measured), kind=other)
        swapped = next(islice(type(trial.encoding).conventions(seen), trial.index, None))
        yield "sines and cosines swapped explain", swapped.numbers(trial.encoding, places).reshape(own.shape), 0
    if few.kind == "table" and not width % 2:
        yield "sines and cosines swapped explain", own.reshape(-1, width // 2, 2).flip(2).flatten(1), 0
        yield "sines and cosines swapped explain", own.roll(width // 2, 1), 0
        with suppress(ValueError):  # without a base, or where its square is beyond what a base may be
            columns = trial.encoding.with_fields(base=trial.free.get("base", 0) ** 2).vectors(places, 2 * width)
            words = "an exponent of its own for each column, where sine and cosine share one, explains"
            yield words, columns.reshape(-1, width // 2, 4)[..., [0, 3]].flatten(1), 0
    if few.kind in ("slopes", "bias") and len(own) > 1 and float(own[1].abs().max()):
        yield "heads counted from 0 explain", own * (own[0].abs().max() / own[1].abs().max()), 0
    if few.kind in ("slopes", "bias") and width > 1:
        slopes = own.abs()[:, None, None] if own.ndim == 1 else own.diff(dim=-1).abs().amax((-1, -2), keepdim=True)
        off = slopes.bfloat16().double() / slopes.clamp(min=1e-30)
        yield "slopes rounded to bf16 explain", own * (off.flatten() if own.ndim == 1 else off), 0
    for words, of in trial.encoding.mistakes(few.seen(trial.measured)):
        yield f"{words} explain", of(places).reshape(own.shape), 0
    power = float(own.square().sum())
    factor = float((own * few.values).sum()) / power if power else 0.0
    if abs(factor) > _LEAST:
        yield f"a factor of {say_value(float(f'{factor:.6g}'))} explains", own * factor, _FACTOR
