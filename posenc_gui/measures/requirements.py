"""The six requirements of a positional encoding, each with a measured verdict.

The signatures of positions are judged, or at the score door those of offsets; `posenc_gui.measures.base` defines
signatures. A requirement that can't be measured because values are undefined counts as not met. Without an encoding there
are no signatures, and no requirement applies.

Where positions have a row and a column, each requirement is judged along rows, along columns and as for words, where all
axes are alike; the worst counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import AttentionModel, heads_to_compute
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Encoding, RotationEncoding
from posenc_gui.encodings.common.one_axis import along_rows_and_columns
from posenc_gui.encodings.common.strength import at_strength
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.derived_once import derived
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.theme import Verdict
from posenc_gui.foundation.wording import format_number, format_percent, format_plain, inflect, join_words
from posenc_gui.measures import linear_shift, shift
from posenc_gui.measures.base import (
    ROUNDING,
    SMALLEST,
    Measure,
    Measurement,
    at_once,
    coordinates,
    is_rounding,
    judged_over,
    n_judged,
    passed,
    require_variety,
    signatures,
)
from posenc_gui.scene.scene import Scene

SIGNS: dict[Verdict, str] = {"met": "●", "partly": "◐", "not": "○", "n/a": "–"}  # the best first
WORDS: dict[Verdict, str] = {  # the verdicts' names, used everywhere
    "met": "met",
    "partly": "partly",
    "not": "not met",
    "n/a": "does not apply",
}


class Part(NamedTuple):
    """The declaration of a part of a requirement; `adjective` says what an encoding is that meets it."""

    title: str
    adjective: str
    definition: str


PARTS = {
    "defined": Part(
        "defined",
        "defined in longer texts",
        "Whether there is a value at each position up to 4 times as many as were judged, and one past the declared length.",
    ),
    "no_new_values": Part(
        "within the range",
        "within the same range in longer texts",
        "Whether these values stay within the range seen before; it does not apply where there are none.",
    ),
}

_AGAIN, _BATCH, _LONGER = "again", "in another batch", "in a sequence twice as long"
_SCALED = "in a sequence so long that its scaling sets in"
_DEPENDS = {
    _AGAIN: "other values each time",
    _BATCH: "depends on the batch",
    _LONGER: "depends on the length",
    _SCALED: "changes once it is scaled",
}

_TOLD: tuple[tuple[Verdict, str, str], ...] = (("met", "", "and"), ("partly", "partly ", "and"), ("not", "not ", "or"))
_NEAR: dict[Verdict, str] = {
    "met": "neighbours are near",
    "partly": "neighbours are nearer",
    "not": "neighbours are not near",
}
_BY_MATRIX: dict[Verdict, str] = {
    "met": "one matrix a step",
    "partly": "roughly a matrix a step",
    "not": "no matrix for a step",
}
_BY_MAP: dict[Verdict, str] = {"met": "one map a step", "partly": "roughly a map a step", "not": "no map for a step"}
_BY_MOVING: dict[Verdict, str] = {
    "met": "only the offset counts",
    "partly": "place counts, too",
    "not": "the place itself counts",
}

_REVERSED = 16  # seeded tokens
_COMPARED = 2**27  # pairs of numbers compared between two calls of check_stop

# Boundedness and relative position are checked up to this many times the judged positions.
FURTHER = 16
# Boundedness: 16 times as many positions may bring 1.5 times the size, by chance in a random table; a size that grows with
# the logarithm or the root of position stays below 4, the root of 16.
BOUNDED, SLOWLY = 1.5, 4.0
# Determinism: a position may change by a hundredth of its size, which leaves it near its neighbours.
DRIFTS = 0.01
# Generalization: values may leave the trained range by a twentieth, less than the uncertainty after training at its ends.
LEAVES = 0.05
# Smoothness: at 1, neighbours are as far apart as any two positions; 0.5 is halfway between that and being equal.
NEARER, ALIKE = 0.5, 0.9
# Relative position: what a fit leaves where there is such a map, and half of the variation to be predicted.
RELATIVE, HALF = linear_shift.FITS, 0.5
VARIES = 0.1  # least part of vectors that changes with position, for scores that stay to say anything


@dataclass(frozen=True, eq=False)
class Requirement(Measurement):
    """One requirement: its verdict, the number behind it, and an explanation.

    `about` says whether positions or offsets were judged. `definition` says in one sentence what is measured and at
    which value the requirement is met; `short` gives the reason in a few words. `parts` holds the verdicts of its parts,
    by the names in PARTS, the worst of which is its own; it is empty if the requirement isn't divided.
    """

    verdict: Verdict
    title: str
    about: Literal["position", "offset"]
    definition: str
    short: str
    parts: Mapping[str, Verdict]

    @property
    def told(self) -> str:
        """The verdict's symbol and name: “● met”."""
        return verdict_told(self.verdict)

    @property
    def told_in_parts(self) -> str:
        """The verdicts on its parts: “ (defined: met, within the range: partly)”; empty if it has none."""
        told = ", ".join(f"{PARTS[name].title}: {WORDS[verdict]}" for name, verdict in self.parts.items())
        return f" ({told})" if told else ""

    @property
    def adjective(self) -> str:
        """What the encoding is if the requirement is met, as far as its verdict depends on it."""
        deciding = [name for name, verdict in self.parts.items() if verdict == self.verdict]
        return PARTS[deciding[-1]].adjective if deciding else self.title.lower()


@dataclass(frozen=True, eq=False)
class Requirements(Measurement, Mapping[str, Requirement]):
    """The six requirements by name, in the course's order; `value` is the number of requirements met.

    `judged` is the number of positions or offsets that were judged, smaller than usual if the encoding has no more, and 0 if
    no requirement applies. `undefined` is what a formula is that has no values to judge: “not defined at m = 0”.
    """

    rows: Mapping[str, Requirement]
    judged: int
    undefined: str = ""

    def __getitem__(self, name: str) -> Requirement:
        return self.rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def told(self) -> str:
        """“deterministic and smooth; partly bounded; not unique”: all verdicts, those of one word first, not to belong to the
        one before; or what it is that has no values."""
        return self.undefined or "; ".join(filter(None, (self._listed(*one) for one in _TOLD)))

    def _listed(self, verdict: Verdict, begun: str, also: str) -> str:
        adjectives = sorted(
            (row.adjective for row in self.values() if row.verdict == verdict), key=lambda one: " " in one
        )
        return f"{begun}{join_words(adjectives, also)}" if adjectives else ""


def verdict_told(verdict: Verdict) -> str:
    """Return a verdict's symbol and name: “● met”."""
    return f"{SIGNS[verdict]} {WORDS[verdict]}"


Finding = tuple[Verdict, float | None, str, str]  # the verdict, the number, the reason in a few words and in a sentence


class _Evidence:
    """What several requirements are judged by, each part computed once; it is dropped when the encoding has been judged."""

    def __init__(self, scene: Scene, engine: Engine) -> None:
        self.scene, self.engine = scene, engine

    @derived
    def at(self) -> Tensor:
        """The coordinates judged, (n,)."""
        return coordinates(self.scene, n_judged(self.scene))

    @derived
    def marks(self) -> Tensor:
        """Their signatures, (n, width)."""
        return signatures(self.scene, self.at, self.engine)

    @derived
    def distances(self) -> Tensor:
        """The distances of any two signatures, (n, n), each computed directly: equal ones are exactly 0 apart."""
        rows = []
        for some in torch.split(self.marks, max(1, _COMPARED // max(1, self.marks.numel()))):
            self.engine.check_stop()
            rows.append(torch.cdist(some, self.marks, compute_mode="donot_use_mm_for_euclid_dist"))
        return torch.cat(rows)

    @derived
    def alike(self) -> Tensor:
        """True for any two signatures that differ by no more than rounding, (n, n)."""
        sizes = self.marks.norm(dim=-1)
        return self.distances <= 1e-6 * torch.maximum(sizes[:, None], sizes)


@dataclass(frozen=True)
class Definition:
    """The declaration of a requirement. is_difference: its number says how far apart things are, so it may be rounding.
    divide: finds the verdicts of its parts from its own and its number."""

    title: str
    definition: str
    judge: Callable[[_Evidence], Finding]
    is_difference: bool = False
    divide: Callable[[Verdict, float | None], Mapping[str, Verdict]] = lambda _verdict, _value: {}


def take(scene: Scene, _options: Frozen, engine: Engine) -> Requirements:
    """Judge the encoding's requirements at full strength, in its model, over `n_judged` positions of any tokens."""
    whole = scene.at_full_strength.with_fields(model=_judged_in(scene.model))
    found = engine.remembered(("judged", *basis(whole)), lambda: _judge(whole, engine))
    if scene.encoding.strength == 1 or not found.judged:
        return found
    told = f"{whole.encoding.called}{found.reason.removeprefix(whole.encoding.titled)}"
    return replace(found, reason=f"At full strength {told}")


def _judge(scene: Scene, engine: Engine) -> Requirements:
    has_learned = isinstance(scene.model, TrainedModel)
    if scene.encoding.door == "none":
        told = "" if has_learned else f" {_told_by_mask(scene, engine)}"  # by seeded tokens
        return _nothing_to_judge(scene, f"Without an encoding no position has a signature to judge.{told}")
    if not scene.encoding.known:
        return _nothing_to_judge(
            scene, "Only the model's own code knows what it gives to a position: there is nothing to judge."
        )
    if has_learned and scene.encoding.door == "score" and not scene.encoding.content_free:
        return _nothing_to_judge(scene, "What it adds depends on the tokens, and only a toy model reads seeded ones.")
    rows, evidence = {}, _evidence(scene, engine)
    for name, one in definitions().items():
        verdict, value, short, reason = _judged(evidence, one.judge)
        parts = one.divide(verdict, value)
        rows[name] = Requirement(value, reason, verdict, one.title, scene.encoding.along, one.definition, short, parts)
    met = [row.title.lower() for row in rows.values() if row.verdict == "met"]
    which = f": {join_words(met)}" if met else ""
    reason = f"{scene.encoding.titled} meets {len(met)} of {len(rows)} requirements{which}."
    first, *others = {row.reason for row in rows.values()}
    undefined = "" if others else _without_values(scene.encoding, first)
    judged = len(coordinates(scene, n_judged(scene)))
    return Requirements(float(len(met)), first if undefined else reason, rows, judged, undefined)


def _without_values(encoding: Encoding, why: str) -> str:
    """Return what an encoding is that has no values somewhere: “not defined at m = 0”; empty for another reason."""
    begun = f"{encoding.titled} is "
    return why.removeprefix(begun).partition(":")[0] if why.startswith(begun) else ""


def _nothing_to_judge(scene: Scene, reason: str) -> Requirements:
    along, short = scene.encoding.along, "nothing to judge"
    rows = {
        name: Requirement(None, reason, "n/a", one.title, along, one.definition, short, one.divide("n/a", None))
        for name, one in definitions().items()
    }
    return Requirements(0.0, reason, rows, 0)


def _told_by_mask(scene: Scene, engine: Engine) -> str:
    """Return what a model without an encoding makes of the order of seeded tokens, measured by reversing them."""
    seeded = scene.toy.model_copy(update={"embedding_scale": 1.0, "scale": None})
    scene = Scene(scene.setup.model_copy(update={"model": seeded, "patches": None}))
    tokens = tuple(f"probe {index}" for index in range(_REVERSED))
    heads = heads_to_compute(scene.model, scene.encoding)
    before, after = (
        passed(scene, engine, order, n_layers=1, heads=heads).output for order in (tokens, tuple(reversed(tokens)))
    )
    change = float((after.flip(0) - before).abs().max()) / max(float(before.abs().max()), SMALLEST)
    reversing = f"in one layer, reversing {_REVERSED} seeded tokens"
    if change > ROUNDING:
        share = _part_of(change, "the largest in size")
        return f"The mask still reveals the order: {reversing} changes their outputs by up to {share}."
    return f"Nothing reveals the order: {reversing} reverses their outputs and changes none."


def _evidence(scene: Scene, engine: Engine) -> dict[str, _Evidence]:
    """Return what an encoding is judged by; if positions have a row and a column, along each line."""
    if not isinstance(scene.encoding, RotationEncoding) or scene.encoding.axes == 1:
        return {"": _Evidence(scene, engine)}
    lines = along_rows_and_columns(scene.encoding)
    return {line: _Evidence(scene.with_fields(encoding=one), engine) for line, one in lines.items()}


def _judged(evidence: dict[str, _Evidence], judge: Callable[[_Evidence], Finding]) -> Finding:
    """Judge one requirement; of several lines, name the one that is worst."""
    found = {line: _judged_as_words(of, judge) for line, of in evidence.items()}
    if len(found) == 1:
        return found[""]
    worst = max(found, key=lambda line: list(SIGNS).index(found[line][0]))  # the first of equally bad ones
    verdict, value, short, reason = found[worst]
    others = "".join(f" {line.capitalize()}: {one[2]}." for line, one in found.items() if line != worst)
    where = "" if len({one[0] for one in found.values()}) == 1 else f", {worst}"
    return verdict, value, f"{short}{where}", f"{worst.capitalize()}: {reason}{others}"


def _judged_as_words(evidence: _Evidence, judge: Callable[[_Evidence], Finding]) -> Finding:
    try:
        return judge(evidence)
    except Undefined as why:
        return "not", None, _without_values(evidence.scene.encoding, str(why)) or "not defined", str(why)


def _judged_in(model: AttentionModel) -> AttentionModel:
    """Return a toy model without what no verdict depends on: seeded tokens are judged, in one layer, at the encoding's scale."""
    if isinstance(model, TrainedModel):
        return model
    return model.model_copy(update={"embedding_scale": 1.0, "scale": None, "n_layers": 1, "vectors": ()})


def basis(scene: Scene) -> tuple[Hashable, ...]:
    """Return the parts of a scene that determine the verdicts: scenes that share them meet the same requirements."""
    return basis_of(scene.encoding, scene.model, scene.n_tokens)


def basis_of(encoding: Encoding, model: AttentionModel, n_tokens: int) -> tuple[Hashable, ...]:
    """Return `basis` for a known number of tokens."""
    # Any strength has the verdicts of full strength, but `take` says so only where it is another one.
    return at_strength(encoding, 1), encoding.strength == 1, _judged_in(model), judged_over(n_tokens)


def definitions() -> dict[str, Definition]:
    """Return the requirements by name: the meaning of each, with the limits for its verdicts."""
    return {
        "unique": Definition(
            "Unique",
            "The smallest distance between two signatures; met where bfloat16 still tells them apart, partly where only "
            "float32 does.",
            _unique,
        ),
        "bounded": Definition(
            "Bounded",
            f"The size of the largest value, whatever its sign, over {FURTHER} times as many positions ÷ that of the largest "
            f"before; met up to {BOUNDED:g}, partly up "
            f"to {SLOWLY:g}, as of a number that grows with the square root of the position.",
            _bounded,
        ),
        "deterministic": Definition(
            "Deterministic",
            "The largest change of a signature between two evaluations, two batches and two sequence lengths, and, where the "
            "trained length is known, between lengths within it and beyond it, relative to the largest in size; met at 0 up to "
            f"rounding, partly up to {DRIFTS:g}. So the same position among the same tokens always has the same values. "
            "Whether values are random or learned is another question, not asked here.",
            _deterministic,
            is_difference=True,
        ),
        "generalizable": Definition(
            "No new values",
            "At longer lengths: how far any value past the positions judged (the sentence, but at least 128 and at most "
            "1,024), or past the declared length, leaves the range seen before, relative to the whole range; "
            f"met up to {LEAVES:g}, partly where all is defined and the signatures seen before don't depend on the length. "
            "Courses that ask for a generalizable encoding mean more: that a trained model answers well there, which is not "
            "measured here.",
            _generalizable,
            divide=_at_longer_lengths,
        ),
        "smooth": Definition(
            "Smooth",
            "Average distance of adjacent signatures ÷ that of any two, among signatures that differ; met up to "
            f"{NEARER:g}, partly up to {ALIKE:g}, and where a table is untrained, whose random rows say nothing of trained ones.",
            _smooth,
        ),
        "relative_aware": Definition(
            "Relative-aware",
            "The largest change of the scores when all positions move alike, relative to what position adds to them; or the "
            "error with which one map per offset, a matrix and a constant, predicts p_(m+k) from p_m, in standard deviations: "
            f"the smaller of the two. Met up to {RELATIVE:g}, partly up to {HALF:g}, and where such maps exist, but a fit to "
            "some positions doesn't find them, or they fail in a longer sentence.",
            _relative_aware,
            is_difference=True,
        ),
    }


def _unique(evidence: _Evidence) -> Finding:
    at, marks, kind = evidence.at, evidence.marks, evidence.scene.encoding.along
    if len(at) < 2:
        raise Undefined(f"There is only one {kind}.")
    distances = evidence.distances.clone().fill_diagonal_(torch.inf)
    value, alike = float(distances.min()), evidence.alike & distances.isfinite()
    ties = (alike if bool(alike.any()) else distances <= value * (1 + 1e-9)).nonzero()
    pair = ties[int(at[ties].abs().sum(-1).argmin())]  # of several pairs, the one nearest to 0
    both = join_words(format_number(float(place)) for place in at[pair].sort().values)
    said = f"{kind}s {both}"
    if bool(alike.any()):
        rounded = ", but for rounding" if float(distances[tuple(pair)]) else ""
        return "not", value, f"{both} are alike", f"The {said} have the same signature{rounded}."
    if len(torch.unique(marks.bfloat16(), dim=0)) < len(at):
        reason = f"The nearest, {said}, are {format_plain(value)} apart; in bfloat16 some are the same."
        return "partly", value, "some alike in bfloat16", reason
    return "met", value, "no two alike", f"The nearest, {said}, are {format_plain(value)} apart."


def _bounded(evidence: _Evidence) -> Finding:
    scene, marks = evidence.scene, evidence.marks
    further = coordinates(scene, FURTHER * n_judged(scene))
    within, beyond = (marks.amin(0), marks.amax(0)), _ends(scene, further, evidence.engine)
    furthest, reach = [], []
    for at, (lows, highs) in ((evidence.at, within), (further, beyond)):
        furthest.append(max(float(lows.min()), float(highs.max()), key=abs))
        reach.append(int(at.abs().max()))
    sizes = [abs(number) for number in furthest]
    value = sizes[1] / sizes[0] if sizes[0] else math.inf if sizes[1] else 1.0
    verdict: Verdict = (
        "met" if value <= BOUNDED else "partly" if round(value, 1) <= SLOWLY else "not"
    )  # √2,047 is 4.01 √127
    first, last = map(format_number, sizes)
    then = f"{'no more' if first == last else last} up to {reach[1]:,}" if reach[0] != reach[1] else "there are no more"
    reason = f"Numbers reach {first} in size up to {scene.encoding.along} {reach[0]:,}, and {then}."
    if not math.isfinite(value):
        return verdict, None, f"from 0 to {last} by {reach[1]:,}", reason
    grows = f"{format_number(float(f'{value:.2g}'))} times as large by {reach[1]:,}"
    stays = f"{f'within ±{_above(max(sizes))}' if any(sizes) else 'all 0'} up to {reach[1]:,}"
    return verdict, value, stays if verdict == "met" else grows, reason


def _deterministic(evidence: _Evidence) -> Finding:
    scene, engine, at, marks = evidence.scene, evidence.engine, evidence.at, evidence.marks
    length = int(at.abs().max()) + 1
    others = {
        _AGAIN: signatures(scene, at.clone(), engine, length),
        _BATCH: signatures(scene, at.flip(0), engine, length).flip(0),
        _LONGER: signatures(scene, at, engine, 2 * length),
    }
    size = max(float(marks.abs().max()), SMALLEST)
    changes = {how: float((other - marks).abs().max()) / size for how, other in others.items()}
    trained = scene.encoding.trained_length if isinstance(scene.encoding, RotationEncoding) else None
    if trained:
        within, beyond = (signatures(scene, at[at < trained], engine, times * trained) for times in (1, 2))
        changes[_SCALED] = float((beyond - within).abs().max()) / size
    how = max(changes, key=changes.__getitem__)
    value = changes[how]
    if value <= 1e-6:
        reason = "The same values again, in another batch and in a sequence twice as long."
        return "met", value, "same every time", reason
    verdict: Verdict = "partly" if value <= DRIFTS else "not"
    reason = f"The same {scene.encoding.along} has other values {how}: they change by {_part_of(value, 'the largest in size')}."
    return verdict, value, _DEPENDS[how], reason


def _generalizable(evidence: _Evidence) -> Finding:
    scene, engine = evidence.scene, evidence.engine
    encoding, count = scene.encoding, n_judged(scene)
    limit = encoding.length_limit(scene.model.d_model)
    if limit is not None:
        # The declared length is where training ends; one step past it there must be a value.
        try:
            signatures(scene, torch.tensor([float(limit)], dtype=torch.float64), engine)
        except Undefined as why:
            return "not", None, f"ends at {limit - 1}", str(why)
    before, grown = evidence.marks, signatures(scene, evidence.at, engine, 4 * count)
    size = max(float(before.abs().max()), SMALLEST)
    moved = float((grown - before).abs().max()) / size
    if moved > DRIFTS:
        return (
            "not",
            moved,
            "changes with the length",
            f"In a sequence 4 times as long, even the {encoding.along}s seen before have other values: they change by "
            f"{_part_of(moved, 'the largest in size')}.",
        )
    low, high = before.amin(0), before.amax(0)
    further = coordinates(scene, 4 * count)
    lowest, highest = _ends(scene, further, engine)
    outside = torch.maximum(low - lowest, highest - high).clamp(min=0)
    relative = outside / max(float((high - low).max()), float(before.abs().max()), SMALLEST)
    value, leaving = float(relative.max()), int((relative > LEAVES).sum())
    if value <= LEAVES:
        return (
            "met",
            value,
            f"none up to {int(further.max()):,}",
            f"Up to 4 times the length, no value leaves the range seen up to {encoding.along} {count - 1} by more than "
            f"{format_percent(LEAVES)} of it.",
        )
    reason = (
        f"Up to 4 times the length, {leaving} of {len(relative)} values {inflect(leaving, 'leaves', 'leave')} the range "
        f"seen up to {encoding.along} {count - 1} by more than {format_percent(LEAVES)} of the whole range, the farthest by "
        f"{_part_of(value, 'it')}."
    )
    return "partly", value, f"new past {count - 1}", reason


def _at_longer_lengths(verdict: Verdict, value: float | None) -> Mapping[str, Verdict]:
    """Divide the verdict on longer lengths: where there is no value, none is new either."""
    if value is None:
        return {"defined": verdict, "no_new_values": "n/a"}
    return {"defined": "met", "no_new_values": verdict}


def _smooth(evidence: _Evidence) -> Finding:
    encoding, marks = evidence.scene.encoding, evidence.marks
    if len(marks) < 3:
        raise Undefined(f"There are too few {encoding.along}s: neighbours are compared with others.")
    require_variety(marks, encoding.along)
    distances, differ = evidence.distances, ~evidence.alike
    neighbours, all_pairs = distances.diagonal(1)[differ.diagonal(1)], distances[differ.triu(1)]
    if not len(neighbours):
        raise Undefined("No two adjacent ones differ by more than rounding.")
    value = float(neighbours.mean() / all_pairs.mean())
    verdict: Verdict = "met" if value <= NEARER else "partly" if value <= ALIKE else "not"
    kind = encoding.along
    reason = f"On average, adjacent {kind}s are {format_plain(value)} times as far apart as any two."
    if verdict != "met" and encoding.random_table:
        return "partly", value, "untrained: rows are random", f"{reason} The table is untrained: training decides."
    return verdict, value, _NEAR[verdict], reason


def _relative_aware(evidence: _Evidence) -> Finding:
    scene, engine = evidence.scene, evidence.engine
    # If the encoding adds the same everywhere, unchanged scores show nothing about relative position.
    require_variety(evidence.marks, scene.encoding.along)
    moved, maps, why_not = None, None, ""
    has_learned = isinstance(scene.model, TrainedModel)
    said = "Without tokens, what is given to positions is judged alone." if has_learned else ""
    try:
        _require_change(evidence)
        moved, by = shift.probed(scene, engine, FURTHER * n_judged(scene))
        what, size = ("bias", "their size") if has_learned else ("score", "what position adds to them")
        said = f"Moving all positions by {by:,} changes the {inflect(2, what)} by {_part_of(moved, size)}."
        if is_rounding(moved):
            said = f"Moving all positions alike changes no {what}, but for rounding."
    except Undefined as why:
        why_not = str(why)
    if scene.encoding.along == "position" and (moved is None or moved > RELATIVE):
        try:
            maps = linear_shift.maps(scene, engine)
        except Undefined as why:
            why_not = str(why)
    if maps is None:
        if moved is None and has_learned:
            return "n/a", None, "not measured", why_not
        if moved is None:
            raise Undefined(why_not)
        return _graded(moved, _BY_MOVING, said)
    if maps.elsewhere <= RELATIVE < maps.longer:
        reason = (
            "One map per offset predicts each position from another, but not in a sentence twice as long: "
            f"there the error is {format_number(maps.longer)}."
        )
        return "partly", maps.longer, "a map for each length", f"{said} {reason}".lstrip()
    if maps.known <= RELATIVE < maps.elsewhere:
        reason = (
            "One map per offset shifts all existing positions, but a fit to half of them doesn't find it: at the others the "
            f"error is {format_number(maps.elsewhere)}."
        )
        return "partly", maps.elsewhere, "a map, if all are known", f"{said} {reason}".lstrip()
    needless = maps.alone <= max(RELATIVE, maps.elsewhere)
    error, what = (maps.alone, "matrix") if needless else (maps.elsewhere, "matrix and one constant")
    predict = "predicts" if needless else "predict"
    off = "no error but rounding" if is_rounding(error) else f"an error of {format_number(error)}"
    mapped = f"One {what} per offset {predict} each position from another with {off}."
    if moved is not None and moved < error:
        return _graded(moved, _BY_MOVING, f"{said} {mapped}")
    if moved is not None and error <= RELATIVE:
        # How much the scores move, maybe thousands of times as much, has no part in the verdict.
        mapped += " Scores do change when all positions move: a model must learn to use these maps."
    else:
        mapped = f"{said} {mapped}".lstrip()
    return _graded(error, _BY_MATRIX if needless else _BY_MAP, mapped)


def _require_change(evidence: _Evidence) -> None:
    """Raise Undefined for vectors that are nearly the same everywhere: most of what they add stays wherever they are."""
    marks = evidence.marks
    if evidence.scene.encoding.door == "input" and float((marks - marks.mean(0)).norm() / marks.norm()) < VARIES:
        raise Undefined("Nearly all that position adds to the scores is the same everywhere.")


def _graded(value: float, words: Mapping[Verdict, str], reason: str) -> Finding:
    verdict: Verdict = "met" if value <= RELATIVE else "partly" if value <= HALF else "not"
    return verdict, value, words[verdict], reason


def _above(size: float) -> str:
    """Round this number up to three digits, unless it exceeds a whole number only by rounding error."""
    if math.isinf(size):
        return "more than can be computed"
    if abs(size - round(size)) <= 1e-6 * min(size, 1.0):
        return format_number(round(size))
    digits = 2 - math.floor(math.log10(size))
    return format_number(math.ceil(size * 10.0**digits) / 10.0**digits)


def _part_of(value: float, whole: str) -> str:
    return f"{format_percent(value)} of {whole}" if value < 1 else f"{format_number(value)} times {whole}"


def _ends(scene: Scene, at: Tensor, engine: Engine) -> tuple[Tensor, Tensor]:
    """Return the smallest and largest value of the signatures in each dimension, over these coordinates: (width,) each."""
    length = int(at.abs().max()) + 1
    lows, highs = [], []
    for part in torch.split(at, at_once(scene, len(at))):
        marks = signatures(scene, part, engine, length)
        lows.append(marks.amin(0))
        highs.append(marks.amax(0))
    return torch.stack(lows).amin(0), torch.stack(highs).amax(0)


MEASURE = Measure(
    "Requirements", "Which of six requirements does the encoding meet, by measurement?", Frozen, take, basis
)
