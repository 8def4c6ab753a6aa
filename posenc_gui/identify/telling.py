"""A verdict in words: what some numbers are, what is near, and what they can't tell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

import torch

from posenc_gui.encodings.common.conventions import KIND_NAMES
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.wording import format_count, format_difference, format_number, join_words
from posenc_gui.identify import mistakes, rates
from posenc_gui.identify.fitting import interval
from posenc_gui.identify.numbers import Numbers
from posenc_gui.identify.trials import Trial, digits, digits_of
from posenc_gui.identify.verdict import TELLS, Candidate, Identified, say_change, say_fields, say_title, say_value
from posenc_gui.identify.views import TABLES

Intervals = Mapping[str, tuple[float, float]]  # of free fields: which values give the same numbers

_MOST_OTHERS = 8
_MOST_CHANGES = 3  # of one field
# Quotients of an interval's ends that are seen, are worth a sentence, and leave a value open.
_SEEN, _WIDE, _OPEN = 1e-4, 1.001, 1.5
_FAR = 4096  # rows in which two conventions may part
_LARGE = 2**18  # numbers: of more, others are compared in a sample
_CONTRIVED = 7  # more digits and choices than the verdict's
_SOMETHING = 0.5  # of the numbers' variance: a nearest convention that explains less isn't named
_NO_FORMULA = "They look like no formula: learned in training, random, or rotated queries without those before."
_PLAIN = 3  # digits of a value that isn't said to be estimated


def tell(numbers: Numbers, trials: Sequence[Trial], named: Trial | None, tried: int) -> Identified:
    """Return the verdict. named: the trial that explains all rows; None if there is none."""
    mistake, explained = None, ""
    if named is None or any(value != float(f"{value:.2g}") for value in named.free.values()):
        mistake, explained = mistakes.explaining(trials, with_factor=named is None) or (None, "")
    estimated = named is not None and any(digits_of(value) > _PLAIN for value in named.free.values())
    if named and mistake and (mistake.view.kind == named.view.kind or estimated):
        named = None
    shown = nearest = named or mistake or next(iter(trials), None)
    undecided, others = list[str](), list[Candidate]()
    if named:
        intervals = {name: interval(named, name) for name in named.free}
        rivals = [*_rivals(named, trials)]
        sentence = _sentence(named, intervals, next((beside for _, beside in rivals if beside), ""))
        undecided = [*_undecided(named, intervals, trials), *(said for said, _ in rivals)]
        if mistake:
            sentence += f" They may also be {KIND_NAMES[mistake.view.kind]} of {_whole(mistake)}: {explained}."
        compared = _others(named, trials)
        others = [one for one in compared if one.unseen > 1]
        told = " ".join(undecided).lower()
        same = join_words([one.words for one in compared if one.unseen <= 1 and one.words.lower() not in told])
        undecided += [f"The same numbers come {same}: these can't show it."] * bool(same)
        if numbers.precision != named.view.numbers.precision:
            explained = f"Computed in part in {named.view.numbers.precision}, which explains what is off."
    elif nearest is None:
        sentence = "No encoding that is known here has numbers of this shape."
    elif len(alike := torch.unique(numbers.values)) == 1:
        shown, value = None, say_value(float(alike))
        sentence = f"All numbers here are {value}, which says too little to tell: it may not be filled yet."
    elif nearest.unseen <= 1 and not mistake:
        sentence = f"These numbers say too little to tell: {_whole(nearest)} has them, and so may others."
    else:
        turning = "" if explained else _say_turning(nearest)
        parts = ["No convention that is known here.", turning]
        if explained or nearest.share() > _SOMETHING:
            off = f"Nearest: {_whole(nearest)} (off by {format_difference(nearest.off_by)})"
            parts.insert(1, f"{off}; {explained}." if explained else f"{off}.")
        else:
            shown = None
            parts += [] if turning else [_NO_FORMULA]
        sentence = " ".join(filter(None, parts))
    return Identified(
        numbers=replace(numbers, complex=nearest.view.numbers.complex) if nearest else numbers,
        kind=nearest.view.kind if nearest else None,
        axes=nearest.view.axes if nearest else (),
        encoding=named.encoding if named else None,
        convention=named.convention.words if named else "",
        start=named.start if named and named.view.kind in TABLES else None,
        off_by=nearest.off_by if nearest else math.inf,
        nearest=_candidate(shown, _whole(shown)) if shown else None,
        others=tuple(others),
        undecided=tuple(undecided),
        explained=explained,
        tried=tried,
        sentence=sentence,
    )


def _say_turning(trial: Trial) -> str:
    """Say so if most columns are waves, each at one rate."""
    view = trial.view
    if view.kind not in rates.WAVES or float(rates.turning(view.values.flatten(1), view.steps, trial.measured)) <= 0.5:
        return ""
    return "Each column turns evenly, at rates of no formula here, as where a model's config.json lists them."


def _whole(trial: Trial, remarks: Mapping[str, str] | None = None) -> str:
    """Say an encoding in its convention: “RoPE, half-split, base 500,000, from position 1”; remarks stand after a field."""
    bare = trial.view.kind in ("frequencies", "slopes")
    sizes = [name for name, value in trial.encoding if type(value) is int] if trial.view.kind == "buckets" else []
    parts = [trial.encoding.called, "" if bare else trial.convention.words]
    fields = say_fields(trial.encoding, always=(*trial.convention.free, *sizes))
    parts += [field + (remarks or {}).get(field.rpartition(" ")[0], "") for field in fields]
    if trial.view.kind in TABLES:
        parts.append(f"from position {trial.start:,}")
    return ", ".join(filter(None, parts))


def _sentence(named: Trial, intervals: Intervals, beside: str) -> str:
    remarks, kind = dict[str, str](), named.view.kind
    for name, (low, high) in intervals.items():
        title, values = say_title(named.encoding, name), f"{format_number(low)} to {format_number(high)}"
        if digits_of(named.free[name]) > _PLAIN:
            remarks[title] = f" (estimated; {values} fit)" if high / low > 1 + _SEEN else " (estimated)"
        elif high / low > _OPEN:
            remarks[title] = f" (any from {values} fits)"
    whose = f"These are {KIND_NAMES[kind]} of" if kind in ("frequencies", "slopes") else "This is"
    either = f", or the same {beside}" if beside else ""
    return f"{whose} {_whole(named, remarks)}{either}: off by {format_difference(named.off_by)}."


def _candidate(trial: Trial, words: str) -> Candidate:
    said = trial.encoding, trial.convention.words, trial.start, words, trial.off_by, trial.unseen
    return Candidate(*said, trial.numbers, trial.convention.source)


def _undecided(named: Trial, intervals: Intervals, trials: Sequence[Trial]) -> Iterator[str]:
    """Yield what these numbers don't show of the encoding, and what its own file says of others."""
    convention = named.convention
    if convention.hidden:
        line = f"{TELLS}{convention.tell}" if convention.tell else "."
        yield f"The {' and '.join(convention.hidden)} can't be seen in {KIND_NAMES[named.view.kind]}{line}"
    for name, (low, high) in intervals.items():
        if high / low > _WIDE:
            same = [trial for trial in trials if type(trial.encoding) is type(named.encoding)]
            known = {trial.free[name] for trial in same if name in trial.free}
            known.add(declared_fields.value_at(type(named.encoding)(), name) or math.inf)
            fitting = [say_value(one) for one in sorted(known) if low <= one <= high and digits_of(one) <= _PLAIN]
            such = f", such as {join_words(fitting)}" if len(fitting) > 1 else ""
            values = f"{format_number(low)} to {format_number(high)}"
            yield f"Any {say_title(named.encoding, name)} from {values} gives these numbers{such}."
    if convention.also:
        yield convention.also
    columns = named.view.values.shape[-1]
    yield from named.encoding.mistaken_for(2 * columns if named.view.kind == "frequencies" else columns)


def _rivals(named: Trial, trials: Sequence[Trial]) -> Iterator[tuple[str, str]]:
    """Yield in a sentence what else gives these numbers, and in words for the verdict what parts from it soon."""
    met = set[object]()
    for trial in takewhile(lambda one: one.unseen <= 1 and len(met) <= _MOST_OTHERS, trials):
        kind, axes = trial.view.kind, trial.view.axes
        is_same = type(trial.encoding) is type(named.encoding)
        fields = _differing(trial, named) if is_same else []
        if digits(trial.encoding) > digits(named.encoding) + _CONTRIVED or (is_same and kind != named.view.kind):
            continue
        types = [type(getattr(trial.encoding, name)) for name in fields]
        key = (type(trial.encoding), kind, axes, *zip(fields, types, strict=True))
        is_verdict = is_same and not fields and axes == named.view.axes and trial.start == named.start
        if is_verdict or key in met:
            continue
        met.add(key)
        if fields:
            yield _say_parting(named, trial, fields)
        else:
            rows = f", with the rows as {axes[0]}" if axes != named.view.axes else ""
            yield f"Taken as {KIND_NAMES[kind]}{rows}, the same numbers are {_whole(trial)}.", ""


def _differing(trial: Trial, named: Trial) -> list[str]:
    """Return the fields that differ, but those that are fitted or that these numbers don't show."""
    fields = [name for name, value in trial.encoding if value != getattr(named.encoding, name)]
    return [name for name in fields if name not in (*named.convention.free, *named.convention.hidden)]


def _say_parting(named: Trial, rival: Trial, fields: Sequence[str]) -> tuple[str, str]:
    row = _parting(named, rival)
    if row is None:
        return f"The same numbers are also {_whole(rival)}.", ""
    words, rows = " and ".join(say_change(rival.encoding, name) for name in fields), len(named.view.steps)
    sentence = f"{words[:1].upper()}{words[1:]}, it differs from row {row:,} on: these {format_count(rows, 'row')} can't show it."
    return sentence, f"{words} (they part at row {row:,})"


def _parting(named: Trial, other: Trial) -> int | None:
    """Return the first row in which two conventions can be told apart; None if none of the first ones is."""
    view = named.view
    if view.kind not in TABLES or view.before is not None:
        return None
    count = min(_FAR, 2**19 // view.values[0].numel())
    values = torch.zeros(count, *view.values.shape[1:], dtype=torch.float64)
    rounding = view.rounding.max().expand(values.shape)
    far = replace(view, values=values, rounding=rounding, steps=torch.arange(count).double())
    one, two = (far.own(trial.convention, trial.encoding, trial.start) for trial in (named, other))
    differs = (one - two).abs() > 2 * far.explained(named.convention, named.encoding, named.start, one)
    rows = differs.flatten(1).any(1).nonzero()
    return int(rows[0]) if len(rows) else None


def _others(named: Trial, trials: Sequence[Trial]) -> list[Candidate]:
    """Return the usual conventions beside the verdict, one change each, the nearest first."""
    found = dict[str, Trial | None]()
    alike = [trial for trial in trials if _family(trial) == _family(named)]
    for trial in alike:
        words = trial.convention.words
        choices = {name: getattr(trial.encoding, name) for name in _differing(trial, named)}
        choices = {name: value for name, value in choices.items() if isinstance(value, str | bool)}
        if words != named.convention.words and words not in found and len(choices) <= 1:
            found[words] = replace(trial, start=named.start, encoding=named.encoding).changed(choices)
    if named.view.kind in TABLES:
        start = 0 if named.start else 1
        found[f"from position {start}"] = named.changed({}, start)
    for name in type(named.encoding).model_fields:
        found |= _changes(named, name, [getattr(trial.encoding, name) for trial in alike])
    is_large = named.view.values.numel() > _LARGE
    compared = {words: trial if is_large else trial.whole() for words, trial in found.items() if trial}
    return sorted(
        (_candidate(trial, words) for words, trial in [*compared.items()][:_MOST_OTHERS]), key=lambda one: one.off_by
    )


def _family(trial: Trial) -> tuple[object, ...]:
    return type(trial.encoding), trial.view.kind, trial.view.axes, trial.convention.hidden


def _changes(named: Trial, name: str, values: Sequence[object]) -> dict[str, Trial]:
    """Return trials with one other value of a field, in words: its default, and the nearest of plain values, one of a kind."""
    default, now = (getattr(one, name) for one in (type(named.encoding)(), named.encoding))
    plain = [value for value in dict.fromkeys((default, *values)) if value != now and _is_plain(value)]
    changed = [trial for value in plain if (trial := named.changed({name: value}))]
    chosen = dict[object, Trial]()
    for trial in sorted(changed, key=lambda one: (getattr(one.encoding, name) != default, one.off_by)):
        value = getattr(trial.encoding, name)
        chosen.setdefault(type(value) if isinstance(value, Frozen) else value, trial)
    return {say_change(trial.encoding, name): trial for trial in [*chosen.values()][:_MOST_CHANGES]}


def _is_plain(value: object) -> bool:
    size = getattr(value, "factor", value) if isinstance(value, Frozen) else value
    return not isinstance(value, str | bool) and (not isinstance(size, float) or float(f"{size:.2g}") == size != 1)
