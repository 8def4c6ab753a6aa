"""Numbers of positional encodings as people's own code makes them, drawn from the public formulas; nothing here asks the
explorer what an encoding is. Beside them matrices that are no encoding's."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import torch
from torch import Tensor

BASES = (10_000.0,) * 4 + (500_000.0, 1_000_000.0, 150_000.0, 160_000.0, 5_000_000.0, 100.0, 2_000_000.0)
HEADS = (2, 4, 6, 8, 12, 14, 16, 20, 32, 40, 64, 71, 112)
DTYPES = {"float64": torch.float64, "float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
LLAMA3 = {"rope_type": "llama3", "low": 1.0, "high": 4.0, "trained": 8192}
SCALINGS: tuple[tuple[float, dict[str, Any]], ...] = (  # of published models: base and scaling
    (500_000.0, {**LLAMA3, "factor": 8.0}),  # Llama 3.1
    (500_000.0, {**LLAMA3, "factor": 32.0}),  # Llama 3.2
    (1_000_000.0, {"rope_type": "yarn", "factor": 4.0, "trained": 32_768}),  # Qwen2.5
    (150_000.0, {"rope_type": "yarn", "factor": 32.0, "trained": 4096, "truncate": False}),  # gpt-oss
    (10_000.0, {"rope_type": "yarn", "factor": 40.0, "trained": 4096, "attention": 1.0}),  # DeepSeek-V3
    (10_000.0, {"rope_type": "yarn", "factor": 16.0, "trained": 4096}),  # the authors' Llama 2
    (1_000_000.0, {"rope_type": "linear", "factor": 8.0}),  # Gemma 3
    (10_000.0, {"rope_type": "linear", "factor": 4.0}),
    (10_000.0, {"rope_type": "ntk", "factor": 1000.0}),  # HunYuan
    (10_000.0, {"rope_type": "ntk", "factor": 8.0}),
    (1_000_000.0, {"rope_type": "proportional", "part": 0.25}),  # Gemma 4
)
Fields = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Draw:
    """Numbers, and what they are. make: exact numbers of these fields from this start, float64; tolerance: what their type, or
    the last printed decimal, leaves open of each. rivals: other values of a field, whose scores differ. kind: as told to the
    explorer. also: encodings whose numbers are the same, with other scores."""

    family: str
    encoding: str
    fields: Fields
    start: int | None
    make: Callable[[Fields, int], Tensor]
    kind: str | None = None
    rivals: Fields = field(default_factory=dict)
    also: tuple[str, ...] = ()
    before: Any = None
    pasted: Any = None
    tolerance: Tensor = field(default_factory=lambda: torch.zeros(()))
    dtype: str = "float64"
    arranged: str = "as it is"

    def of(self, **changed: Any) -> Tensor:
        """Its numbers without noise, with these fields or this start changed."""
        start = changed.pop("start", self.start or 0)
        return self.make({**self.fields, **changed}, start)

    def open(self) -> set[str]:
        """The fields, or "start" or "encoding", that these numbers can't decide."""
        changes = [
            {name: other} for name, others in self.rivals.items() for other in others if other != self.fields[name]
        ]
        if self.start is not None:
            changes += [{"start": other} for other in {0, 1, self.start - 1, self.start + 1} - {self.start, -1}]
        near = {next(iter(changed)) for changed in changes if self._is_near(self.of(**changed))}
        exact = self.of()
        few = {"too few numbers"} if exact.numel() < (4 if len(exact.unique()) > 2 else 36) else set[str]()
        return near | few | {"encoding" for _ in self.also}

    def _is_near(self, other: Tensor) -> bool:
        return bool(((other - self.of()).abs() <= 2 * self.tolerance).all())


def frequencies(pairs: int, fields: Fields) -> Tensor:
    """θ_i, radians a position, of a base, a spacing and a scaling."""
    base, scaling = fields["base"], fields.get("scaling")
    i, r = torch.arange(pairs, dtype=torch.float64), 2 * pairs
    if fields.get("spacing") == "tensor2tensor":
        return base ** (-i / max(pairs - 1, 1))
    r = fields.get("width", r)
    plain = base ** (-2 * i / r)
    if not scaling:
        return plain
    kind, s = scaling["rope_type"], scaling.get("factor", 1.0)
    if kind == "linear":
        return plain / s
    if kind == "ntk":
        return (base * s ** (r / (r - 2)) if r > 2 else base) ** (-2 * i / r)
    if kind == "proportional":
        return torch.where(i < int(scaling["part"] * pairs), plain, 0.0)
    if kind == "llama3":
        turns = scaling["trained"] * plain / (2 * math.pi)
        smooth = ((turns - scaling["low"]) / (scaling["high"] - scaling["low"])).clamp(0, 1)
        return plain * (smooth + (1 - smooth) / s)
    ends = [r * math.log(scaling["trained"] / (2 * math.pi * turns)) / (2 * math.log(base)) for turns in (32, 1)]
    low, high = (math.floor(ends[0]), math.ceil(ends[1])) if scaling.get("truncate", True) else ends
    low, high = max(low, 0), min(high, r - 1)
    ramp = ((i - low) / (high - low + 0.001 * (low == high))).clamp(0, 1)
    return plain * (1 - ramp + ramp / s)


def factor(fields: Fields) -> float:
    """What cosines and sines are multiplied by."""
    scaling = fields.get("scaling")
    if not scaling or scaling["rope_type"] != "yarn":
        return 1.0
    return scaling.get("attention", 0.1 * math.log(scaling["factor"]) + 1)


class Drawer:
    """Draws, always the same by the seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.torch = torch.Generator().manual_seed(seed)

    def one(self) -> Draw:
        """One of all families."""
        drawn = (self.tables, self.rotated, self.sinusoidal, self.inverse, self.alibi, self.buckets, self.small)
        return self.random.choices(drawn, (32, 19, 22, 8, 10, 6, 8))[0]()

    # Families

    def sinusoidal(self) -> Draw:
        """p_m in six layouts, with an odd width at times."""
        d, n = self._size(4, 256), self._size(2, 512)
        layouts = ("interleaved", "concatenated", "cosine_first")
        fields = {"base": self._base(), "layout": self._any(*layouts), "spacing": self._any("paper", "tensor2tensor")}

        def make(given: Fields, start: int) -> Tensor:
            pairs = (d + 1) // 2 if given["spacing"] == "paper" else d // 2
            angles = _angles(pairs, n, {**given, "width": d}, start)
            waves = [_wave(wave, angles, given) for wave in (torch.sin, torch.cos)]
            if given["layout"] == "interleaved":
                columns = torch.stack(waves, -1).flatten(1)
            else:
                columns = torch.cat(waves if given["layout"] == "concatenated" else waves[::-1], 1)
            return torch.nn.functional.pad(columns, (0, d - columns.shape[1]))

        kind = self._told("table")
        shared = not kind and d % 2 == 0 and fields["layout"] != "interleaved"  # so GPT-J holds its sines and cosines
        also = ("RoPE",) if shared else ()
        return self._noisy(
            Draw("sinusoidal", "sinusoidal", fields, self._start(), make, kind, {"layout": layouts}, also)
        )

    def tables(self) -> Draw:
        """Cosines, sines or angles, of d or d / 2 columns."""
        pairs, n, fields, whole = self._size(2, 128), self._size(2, 512), self._rope(), self._is(0.75)
        kind, wave = self._any(("cosines", torch.cos), ("cosines", torch.cos), ("sines", torch.sin), ("angles", None))

        def make(given: Fields, start: int) -> Tensor:
            angles = _angles(pairs, n, given, start)
            values = factor(given) * _wave(wave, angles, given) if wave else angles
            return _spread(values, given) if whole else values

        also = () if wave or whole else ("PoPE",)
        name = f"{kind}, {'d' if whole else 'd/2'}"
        return self._noisy(Draw(name, "rope", fields, self._start(), make, self._told(kind), _rivals(fields), also))

    def inverse(self) -> Draw:
        """inv_freq."""
        pairs, fields = self._size(2, 128), self._rope()

        def make(given: Fields, start: int) -> Tensor:
            return frequencies(pairs, given)

        also = ("PoPE", "Sinusoidal")
        return self._noisy(
            Draw("inv_freq", "rope", fields, None, make, self._told("frequencies"), _rivals(fields), also), 16
        )

    def rotated(self) -> Draw:
        """Queries, and the same before they were turned, or turned and shrunk as xPos does; at times only the first of their
        dimensions turn."""
        d, n, dtype, shrunk = 2 * self._size(2, 128), self._size(2, 64), self._dtype(), self._is(0.15)
        fields = (
            {"base": 10_000.0, "pairing": self._any("half", "interleaved"), "scale_base": 512}
            if shrunk
            else self._rope()
        )
        part = self._any(1, 1, 1, 0.5, 0.25) if d % 16 == 0 and not shrunk and not fields["scaling"] else 1
        pairs, before = int(d * part) // 2, self._normal(n, d).to(DTYPES[dtype])
        zeta = (torch.arange(0, d, 2, dtype=torch.float64) / d + 0.4) / 1.4 if shrunk else torch.ones(pairs)

        def make(given: Fields, start: int) -> Tensor:
            angles, size = (
                _angles(pairs, n, given, start),
                factor(given) * zeta ** (_positions(start, n)[:, None] / 512),
            )
            if given.get("as") == "angles":
                return torch.nn.functional.pad(_spread(angles, given), (0, d - 2 * pairs))
            x = before if given.get("as") else before.double()
            cos, sin = (_spread(size * _wave(wave, angles, given), given).to(x) for wave in (torch.cos, torch.sin))
            a, rest = x[:, : 2 * pairs], x[:, 2 * pairs :]
            if given["pairing"] == "half":
                b = torch.cat((-a[:, pairs:], a[:, :pairs]), 1)
            else:
                b = torch.stack((-a[:, 1::2], a[:, ::2]), -1).flatten(1)
            return torch.cat((a * cos + b * sin, rest), 1).double()

        name, rivals = ("xPos", {"pairing": ("half", "interleaved")}) if shrunk else ("RoPE", _rivals(fields))
        start = self._any(0, 0, 1) if shrunk else self._start()
        draw = Draw(f"{name}, queries", name.lower(), fields, start, make, self._told("rotated"), rivals, before=before)
        return self._noisy(draw, dtype=dtype, size=3 * factor(fields) * before.double().abs().amax())

    def alibi(self) -> Draw:
        """Slopes, BLOOM's slope · key, MPT's slope · (key − last), and a whole matrix, causal or not."""
        heads, n, most = self._any(*HEADS), self._size(2, 128), self._any(8, 8, 8, 4)
        below = 2 ** int(math.log2(heads))
        slopes = [2 ** (-most * h / below) for h in range(1, below + 1)]
        slopes += [2 ** (-most * h / (2 * below)) for h in range(1, 2 * below, 2)][: heads - below]
        j, m = torch.arange(n, dtype=torch.float64), torch.tensor(slopes, dtype=torch.float64)
        far = j[:, None] - j
        forms = {
            "slopes": m,
            "slope · key": m[:, None] * j,
            "slope · (key − last)": m[:, None] * (j - (n - 1)),
            "causal": -m[:, None, None] * far.clamp(min=0),
            "both ways": -m[:, None, None] * far.abs(),
        }
        form = self._any(*forms)
        kind = self._told("slopes" if form == "slopes" else "bias")
        return self._noisy(Draw(f"ALiBi, {form}", "alibi", {"bias_max": most}, None, lambda *_: forms[form], kind), 16)

    def buckets(self) -> Draw:
        """Rows of a table of T5, DeBERTa or Shaw: whole numbers for each query and key."""
        n, which = self._size(4, 256), self._any("t5", "t5", "deberta", "shaw")
        offsets = torch.arange(n)[None] - torch.arange(n)[:, None]  # key − query

        def logarithm(distance: Tensor, first: int, last: int, rows: int) -> Tensor:
            return (distance.clamp(min=1).float() / first).log() / math.log(last / first) * rows

        if which == "shaw":
            k = self._any(4, 8, 16, 32, 64)
            fields, exact = {"max_distance": k}, offsets.clamp(-k, k) + k
        elif which == "deberta":
            (span, shared), most, distance = self._any((256, True), (512, False)), 512, offsets.abs()
            mid = span // 2 if shared else span
            log = logarithm(distance, mid, most - 1, mid - 1).ceil() + mid
            exact = (torch.where(distance <= mid, -offsets, -log * offsets.sign()) + span).clamp(0, 2 * span - 1)
            fields = {"span": span, "max_position": most, "log_buckets": shared}
        else:
            both, (count, most) = self._is(0.6), self._any((32, 128), (32, 128), (32, 128), (64, 256), (16, 64))
            side = count // 2 if both else count
            distance = offsets.abs() if both else (-offsets).clamp(min=0)
            log = side // 2 + logarithm(distance, side // 2, most, side - side // 2).long()
            exact = torch.where(distance < side // 2, distance, log.clamp(max=side - 1)) + side * (offsets > 0) * both
            fields = {"buckets": count, "max_distance": most, "bidirectional": both}
        draw = Draw(
            f"buckets of {which}", which, fields, None, lambda *_: exact.double(), self._told("buckets"), dtype="int64"
        )
        return replace(draw, pasted=exact.long())

    def small(self) -> Draw:
        """Binary, one-hot, integer and normalized tables."""
        which, n, width = self._any("binary", "one_hot", "integer", "normalized"), self._size(3, 64), self._size(1, 16)
        start = 0 if which == "normalized" else self._any(0, 0, 1)
        bits, columns = (n + start).bit_length() + self._any(0, 0, 1), n + start + self._any(0, 0, 3)
        rivals = {
            "binary": {"order": ("fast_first", "slow_first"), "digits": ("zero_one", "signs")},
            "normalized": {"divisor": ("length", "last")},
        }.get(which, {})

        def make(given: Fields, start: int) -> Tensor:
            if which == "one_hot":
                return torch.eye(columns + 2, dtype=torch.float64)[start : start + n, :columns]
            if which == "binary":
                places = torch.arange(bits) if given["order"] == "fast_first" else torch.arange(bits).flip(0)
                found = ((torch.arange(start, start + n)[:, None] >> places) & 1).double()
                return found if given["digits"] == "zero_one" else 2 * found - 1
            by = {"length": n, "last": n - 1}.get(given.get("divisor", ""), 1)
            return (_positions(start, n) / by)[:, None].repeat(1, width)

        fields = {name: self._any(*values) for name, values in rivals.items()}
        return self._noisy(
            Draw(which, which, fields, start, make, self._told("table"), rivals), 1, self._any("float64", "float32")
        )

    # Parameters that people have

    def _any(self, *values: Any) -> Any:
        return self.random.choice(values)

    def _is(self, probability: float) -> bool:
        return self.random.random() < probability

    def _told(self, kind: str) -> str | None:
        return kind if self._is(0.4) else None

    def _size(self, least: int, most: int) -> int:
        return round(math.exp(self.random.uniform(math.log(least), math.log(most))))

    def _start(self) -> int:
        return self._any(0, 0, 0, 0, 1, 1, 2, 100, 4096)

    def _dtype(self) -> str:
        return self._any("float64", *["float32"] * 4, "bfloat16", "bfloat16", "float16", "float16")

    def _normal(self, *shape: int) -> Tensor:
        return torch.randn(*shape, generator=self.torch, dtype=torch.float64)

    def _base(self) -> float:
        odd = math.exp(self.random.uniform(math.log(50), math.log(2e7)))
        return float(f"{odd:.5g}") if self._is(0.2) else self._any(*BASES)

    def _rope(self) -> dict[str, Any]:
        base, scaling = (self._base(), None) if self._is(0.6) else self._any(*SCALINGS)
        return {"base": base, "scaling": scaling, "pairing": self._any("half", "interleaved")}

    # What code does to exact numbers

    def _noisy(self, draw: Draw, relative: int = 0, dtype: str = "", size: Tensor | float = 1.0) -> Draw:
        """Compute and round the numbers as code does, with angles in float32 unless all is float64, or print them; in front of
        them may be a batch and heads. relative: units of the last place in which they are computed, where they are no waves;
        size: of the terms that are added."""
        dtype = dtype or self._dtype()
        unit, last = 2.0**-53 if dtype == "float64" else 2.0**-24, torch.finfo(DTYPES[dtype]).eps / 2
        numbers = draw.of() if dtype == "float64" else draw.of(**{"as": "float32"})
        angles = draw.of(**{"as": "angles"}).abs()
        tolerance = relative * unit * angles if relative else size * unit * (2 + 2 * angles)
        tolerance = tolerance + last * (draw.of().abs() if draw.before is None else size)
        draw = replace(draw, pasted=numbers.to(DTYPES[dtype]), tolerance=tolerance, dtype=dtype)
        if dtype not in ("float64", "float32") or numbers.ndim > 2 or draw.before is not None or self._is(0.7):
            return self._in_front(draw)
        decimals = self._any(4, 8)
        rows = [
            f"[{', '.join(f'{value:.{decimals}f}' for value in row)}]"
            for row in numbers.reshape(-1, numbers.shape[-1]).tolist()
        ]
        text = rows[0] if numbers.ndim == 1 else "[" + ",\n".join(rows) + "]"
        return replace(draw, pasted=text, tolerance=tolerance + 0.5 * 10.0**-decimals, dtype=f"{decimals} decimals")

    def _in_front(self, draw: Draw) -> Draw:
        numbers = draw.pasted
        if numbers.ndim != 2 or self._is(0.7):
            return draw
        if draw.family == "sinusoidal" and self._is(0.3):
            return replace(draw, pasted=numbers.T, arranged="transposed")
        if draw.encoding == "alibi":  # rows a head: BLOOM's of two texts, and MPT's
            return replace(
                draw,
                pasted=self._any(numbers[:, None].repeat(2, 1, 1), numbers[None, :, None]),
                arranged="a row a head",
            )
        front = self._any((1,), (1, 1)) if draw.before is not None else self._any((1,), (1, 1), (2, 3))
        numbers, before = (x if x is None else x.expand(*front, *x.shape) for x in (numbers, draw.before))
        return replace(draw, pasted=numbers, before=before, arranged="heads in front")


def _rivals(fields: Fields) -> dict[str, Any]:
    scalings = {scaling["rope_type"]: scaling for _, scaling in SCALINGS}
    return {"pairing": ("half", "interleaved"), "scaling": (None,) if fields["scaling"] else tuple(scalings.values())}


def _positions(start: int, n: int) -> Tensor:
    return torch.arange(start, start + n, dtype=torch.float64)


def _angles(pairs: int, n: int, given: Fields, start: int) -> Tensor:
    places, turns = _positions(start, n)[:, None], frequencies(pairs, given)
    return (places.float() * turns.float()).double() if given.get("as") == "float32" else places * turns


def _wave(wave: Callable[[Tensor], Tensor], angles: Tensor, given: Fields) -> Tensor:
    """Sines or cosines; the angles themselves where they are asked for."""
    if given.get("as") == "angles":
        return angles
    return wave(angles.float()).double() if given.get("as") == "float32" else wave(angles)


def _spread(values: Tensor, given: Fields) -> Tensor:
    """A column for each dimension from one for each pair."""
    return torch.cat((values, values), 1) if given["pairing"] == "half" else values.repeat_interleave(2, 1)


def no_encodings(seed: int) -> Iterator[tuple[str, Tensor]]:
    """Matrices that are no encoding's, of all shapes, without end."""
    random, generator = Random(seed), torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    def waves(n: int, d: int) -> Tensor:
        angles = torch.arange(n)[:, None] * (3 * torch.rand(d, generator=generator, dtype=torch.float64))
        return (angles + 6.3 * torch.rand(d, generator=generator, dtype=torch.float64)).sin()

    def smooth(n: int, d: int) -> Tensor:
        return normal(n, d).cumsum(0) / 5

    def table(n: int, d: int) -> Tensor:  # as a trained one is: few directions, norms that differ
        return (normal(n, 4).cumsum(0) @ normal(4, d)) / n + 0.02 * normal(n, d)

    def toeplitz(n: int, d: int) -> Tensor:
        return normal(n + d - 1)[torch.arange(n)[:, None] - torch.arange(d) + d - 1]

    def attention(n: int, d: int) -> Tensor:
        return normal(n, d).softmax(-1)

    makers: dict[str, Callable[[int, int], Tensor]] = {
        "normal": normal,
        "uniform": lambda n, d: torch.rand(n, d, generator=generator, dtype=torch.float64),
        "whole numbers": lambda n, d: torch.randint(0, 30, (n, d), generator=generator).double(),
        "bits": lambda n, d: torch.randint(0, 2, (n, d), generator=generator).double(),
        "orthogonal": lambda n, d: torch.linalg.qr(normal(max(n, d), max(n, d)))[0][:n, :d],
        "sorted": lambda n, d: normal(n, d).sort(0)[0],
        "sparse": lambda n, d: normal(n, d) * (torch.rand(n, d, generator=generator) < 0.1),
        "random walks": smooth,
        "waves of random frequencies": waves,
        "a trained table": table,
        "attention": attention,
        "causal attention": lambda n, d: normal(n, n).masked_fill(torch.ones(n, n).triu(1) > 0, -math.inf).softmax(-1),
        "a causal mask": lambda n, d: torch.ones(n, n, dtype=torch.float64).tril(),
        "a shuffled identity": lambda n, d: torch.eye(n + 3, dtype=torch.float64)[
            torch.randperm(n + 3, generator=generator)
        ][:n],
        "constant": lambda n, d: torch.full((n, d), random.choice((0.0, 1.0, -1.0, 0.37)), dtype=torch.float64),
        "ramps of random slopes": lambda n, d: torch.arange(n)[:, None] * normal(d),
        "Toeplitz": toeplitz,
        "numbers on a circle": lambda n, d: torch.nn.functional.normalize(normal(n, d, 2), dim=-1).flatten(1),
        "falling numbers": lambda n, d: normal(d).abs().sort(descending=True)[0],
    }
    for name in iter(lambda: random.choice(list(makers)), None):
        n, d = (round(math.exp(random.uniform(math.log(3), math.log(limit)))) for limit in (200, 128))
        numbers = makers[name](n, d).to(DTYPES[random.choice(("float64", "float32", "float32", "bfloat16"))])
        yield name, numbers if random.random() < 0.8 or numbers.ndim == 1 else numbers.expand(2, *numbers.shape)
